#include "textflag.h"

// All functions compute four lines at once with AVX2. No operation is fused: each sum and product
// is rounded, in the order of kernels.go.

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8
DATA half<>+0(SB)/8, $0.5
GLOBL half<>(SB), RODATA, $8
DATA c1c2<>+0(SB)/8, $0.56
GLOBL c1c2<>(SB), RODATA, $8
DATA c2<>+0(SB)/8, $0.4
GLOBL c2<>(SB), RODATA, $8
DATA root<>+0(SB)/8, $0.70710678118654752440
GLOBL root<>(SB), RODATA, $8
DATA inverseC2<>+0(SB)/8, $2.5
GLOBL inverseC2<>(SB), RODATA, $8

// ROW is the place of a component in a vector. POINT is the size of a vector, FLOW and UPPER are
// those of flow and upper.
#define ROW(m) ((m)*32)
#define POINT 160
#define FLOW 96
#define UPPER 192

#define CONSTANTS \
	VBROADCASTSD one<>(SB), Y15  \
	VBROADCASTSD half<>(SB), Y14 \
	VBROADCASTSD c1c2<>(SB), Y13 \
	VBROADCASTSD root<>(SB), Y12 \
	VPCMPEQQ     Y11, Y11, Y11   \
	VPSLLQ       $63, Y11, Y11 // the sign

// SOUND sets Y0 to Y2 to the velocity, Y3 to 1/density, Y4 to the speed of sound, and Y5 to the
// kinetic energy by mass, of the point at DX. It uses Y6.
#define SOUND \
	VDIVPD  ROW(0)(DX), Y15, Y3 \
	VMOVUPD ROW(1)(DX), Y0      \
	VMOVUPD ROW(2)(DX), Y1      \
	VMOVUPD ROW(3)(DX), Y2      \
	VMULPD  Y0, Y0, Y4          \
	VMULPD  Y1, Y1, Y5          \
	VADDPD  Y5, Y4, Y4          \
	VMULPD  Y2, Y2, Y5          \
	VADDPD  Y5, Y4, Y4          \
	VMULPD  Y14, Y4, Y4         \
	VMULPD  Y3, Y4, Y4          \
	VMULPD  Y3, Y4, Y5          \
	VMULPD  Y3, Y0, Y0          \
	VMULPD  Y3, Y1, Y1          \
	VMULPD  Y3, Y2, Y2          \
	VMOVUPD ROW(4)(DX), Y6      \
	VSUBPD  Y4, Y6, Y6          \
	VMULPD  Y13, Y3, Y4         \
	VMULPD  Y6, Y4, Y4          \
	VSQRTPD Y4, Y4

// func enter256(n int, f *flow, u, r *vector, direction int, k *factors)
TEXT ·enter256(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	MOVQ         f+8(FP), DI
	MOVQ         u+16(FP), DX
	MOVQ         r+24(FP), R8
	MOVQ         direction+32(FP), AX
	MOVQ         k+40(FP), R9
	CONSTANTS
	VBROADCASTSD c2<>(SB), Y11
	MOVQ         AX, BX
	SHLQ         $5, BX

enterLoop:
	SOUND
	VMULPD       ROW(1)(DX)(BX*1), Y3, Y7
	VBROADCASTSD 0(R9), Y6                // first
	VMULPD       Y6, Y7, Y7
	VMOVUPD      Y7, ROW(0)(DI)
	VMULPD       Y6, Y4, Y7
	VMOVUPD      Y7, ROW(2)(DI)
	VBROADCASTSD 24(R9), Y7               // viscosity
	VMULPD       Y3, Y7, Y7
	VBROADCASTSD 16(R9), Y6               // diffusion
	VADDPD       Y6, Y7, Y7
	VBROADCASTSD 8(R9), Y6                // second
	VMULPD       Y6, Y7, Y7
	VMOVUPD      Y7, ROW(1)(DI)
	TESTQ        AX, AX
	JNZ          entered

	VMOVUPD ROW(0)(R8), Y6
	VMOVUPD ROW(1)(R8), Y7
	VMOVUPD ROW(2)(R8), Y8
	VMULPD  Y6, Y5, Y5
	VMULPD  Y7, Y0, Y9
	VSUBPD  Y9, Y5, Y5
	VMULPD  Y8, Y1, Y9
	VSUBPD  Y9, Y5, Y5
	VMOVUPD ROW(3)(R8), Y10
	VMULPD  Y10, Y2, Y9
	VSUBPD  Y9, Y5, Y5
	VADDPD  ROW(4)(R8), Y5, Y5
	VMULPD  Y4, Y4, Y9
	VDIVPD  Y9, Y11, Y9
	VMULPD  Y5, Y9, Y5                    // t1
	VSUBPD  Y5, Y6, Y9
	VMOVUPD Y9, ROW(0)(R8)
	VMULPD  Y6, Y2, Y2
	VSUBPD  Y2, Y10, Y2
	VMULPD  Y3, Y2, Y2
	VMOVUPD Y2, ROW(1)(R8)
	VMULPD  Y6, Y1, Y1
	VSUBPD  Y8, Y1, Y1
	VMULPD  Y3, Y1, Y1
	VMOVUPD Y1, ROW(2)(R8)
	VMULPD  Y6, Y0, Y0
	VSUBPD  Y7, Y0, Y0
	VMULPD  Y12, Y3, Y3
	VMULPD  Y3, Y0, Y0                    // t2
	VMULPD  Y4, Y3, Y3
	VMULPD  Y5, Y3, Y3                    // t3
	VSUBPD  Y0, Y3, Y1
	VMOVUPD Y1, ROW(3)(R8)
	VADDPD  Y0, Y3, Y1
	VMOVUPD Y1, ROW(4)(R8)

entered:
	ADDQ $POINT, DX
	ADDQ $POINT, R8
	ADDQ $FLOW, DI
	DECQ CX
	JNZ  enterLoop
	VZEROUPPER
	RET

// SYSTEM eliminates from one of three systems. Its diagonal below the main one is in Y0, and that
// above it in Y2. It leaves 1/pivot in Y3.
#define SYSTEM(s) \
	VMULPD  (s*64)(R8), Y15, Y4            \
	VSUBPD  Y4, Y0, Y0                     \
	VMULPD  (s*64+32)(R8), Y15, Y4         \
	VSUBPD  Y4, Y12, Y1                    \
	VMULPD  (UPPER+s*64)(R8), Y0, Y4       \
	VSUBPD  Y4, Y1, Y1                     \
	VMULPD  (UPPER+s*64+32)(R8), Y0, Y4    \
	VSUBPD  Y4, Y2, Y2                     \
	VDIVPD  Y1, Y10, Y3                    \
	VMULPD  Y3, Y2, Y2                     \
	VMOVUPD Y2, (2*UPPER+s*64)(R8)         \
	VMULPD  Y3, Y14, Y2                    \
	VMOVUPD Y2, (2*UPPER+s*64+32)(R8)

// RIGHT eliminates from a component of the right side.
#define RIGHT(m, t) \
	VMULPD  ROW(m)(R12), Y15, t  \
	VMOVUPD ROW(m)(R11), Y5      \
	VSUBPD  t, Y5, Y5            \
	VMULPD  ROW(m)(R13), Y0, t   \
	VSUBPD  t, Y5, Y5            \
	VMULPD  Y3, Y5, Y5           \
	VMOVUPD Y5, ROW(m)(R11)

// func eliminate256(n int, to *upper, f *flow, w *[5]float64, zero, r *vector)
TEXT ·eliminate256(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), R8
	MOVQ         f+16(FP), R9
	MOVQ         w+24(FP), R10
	MOVQ         zero+32(FP), R12         // r of two points before
	MOVQ         R12, R13                 // r of the point before
	MOVQ         r+40(FP), R11
	VBROADCASTSD one<>(SB), Y10

eliminateLoop:
	VBROADCASTSD 0(R10), Y15
	VBROADCASTSD 8(R10), Y13
	VBROADCASTSD 16(R10), Y12
	VBROADCASTSD 24(R10), Y11
	VBROADCASTSD 32(R10), Y14
	VSUBPD       ROW(0)(R9), Y13, Y13
	VSUBPD       ROW(1)(R9), Y13, Y13     // lower
	VADDPD       Y10, Y12, Y12
	VMOVUPD      (FLOW+32)(R9), Y0
	VADDPD       Y0, Y0, Y0
	VADDPD       Y0, Y12, Y12             // middle
	VADDPD       (2*FLOW)(R9), Y11, Y11
	VSUBPD       (2*FLOW+32)(R9), Y11, Y11 // higher
	VMOVUPD      (64)(R9), Y8
	VMOVUPD      (2*FLOW+64)(R9), Y9

	VMOVAPD Y13, Y0
	VMOVAPD Y11, Y2
	SYSTEM(0)
	RIGHT(0, Y4)
	RIGHT(1, Y6)
	RIGHT(2, Y7)
	VSUBPD  Y8, Y13, Y0
	VADDPD  Y9, Y11, Y2
	SYSTEM(1)
	RIGHT(3, Y4)
	VADDPD  Y8, Y13, Y0
	VSUBPD  Y9, Y11, Y2
	SYSTEM(2)
	RIGHT(4, Y4)

	ADDQ $UPPER, R8
	ADDQ $FLOW, R9
	ADDQ $40, R10
	MOVQ R13, R12
	MOVQ R11, R13
	ADDQ $POINT, R11
	DECQ CX
	JNZ  eliminateLoop
	VZEROUPPER
	RET

// BACK substitutes the solutions of the two points after, in r1 and r2, and moves them on.
#define BACK(m, s, r1, r2, t) \
	VMULPD  (s*64)(R8), r1, t    \
	VMOVUPD ROW(m)(R11), Y10     \
	VSUBPD  t, Y10, Y10          \
	VMULPD  (s*64+32)(R8), r2, t \
	VSUBPD  t, Y10, Y10          \
	VMOVUPD Y10, ROW(m)(R11)     \
	VMOVAPD r1, r2               \
	VMOVAPD Y10, r1

// func substitute256(n int, from *upper, r *vector)
TEXT ·substitute256(SB), NOSPLIT, $0-24
	MOVQ   n+0(FP), CX
	MOVQ   from+8(FP), R8
	MOVQ   r+16(FP), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	IMUL3Q $POINT, CX, AX
	ADDQ   AX, R11
	IMUL3Q $UPPER, CX, AX
	ADDQ   AX, R8

substituteLoop:
	SUBQ $POINT, R11
	SUBQ $UPPER, R8
	BACK(0, 0, Y0, Y5, Y11)
	BACK(1, 0, Y1, Y6, Y12)
	BACK(2, 0, Y2, Y7, Y13)
	BACK(3, 1, Y3, Y8, Y14)
	BACK(4, 2, Y4, Y9, Y15)
	DECQ CX
	JNZ  substituteLoop
	VZEROUPPER
	RET

// func leave256(n int, u, r *vector, direction int)
TEXT ·leave256(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ u+8(FP), DX
	MOVQ r+16(FP), R8
	MOVQ direction+24(FP), AX
	CONSTANTS
	CMPQ AX, $1
	JEQ  leaveY
	JGT  leaveZ

leaveX:
	VMOVUPD ROW(3)(R8), Y3
	VMOVUPD ROW(4)(R8), Y4
	VMULPD  ROW(2)(R8), Y12, Y5 // t1
	VADDPD  Y4, Y3, Y6
	VMULPD  Y14, Y6, Y6         // t2
	VMOVUPD ROW(0)(R8), Y0
	VXORPD  ROW(1)(R8), Y11, Y1
	VSUBPD  Y4, Y3, Y3
	VMULPD  Y12, Y3, Y3
	VSUBPD  Y5, Y6, Y7
	VADDPD  Y6, Y5, Y8
	VMOVUPD Y1, ROW(0)(R8)
	VMOVUPD Y0, ROW(1)(R8)
	VMOVUPD Y3, ROW(2)(R8)
	VMOVUPD Y7, ROW(3)(R8)
	VMOVUPD Y8, ROW(4)(R8)
	ADDQ    $POINT, R8
	DECQ    CX
	JNZ     leaveX
	VZEROUPPER
	RET

leaveY:
	VMOVUPD ROW(3)(R8), Y3
	VMOVUPD ROW(4)(R8), Y4
	VMULPD  ROW(0)(R8), Y12, Y5 // t1
	VADDPD  Y4, Y3, Y6
	VMULPD  Y14, Y6, Y6         // t2
	VMOVUPD ROW(1)(R8), Y0
	VXORPD  ROW(2)(R8), Y11, Y1
	VSUBPD  Y4, Y3, Y3
	VMULPD  Y12, Y3, Y3
	VSUBPD  Y5, Y6, Y7
	VADDPD  Y6, Y5, Y8
	VMOVUPD Y3, ROW(0)(R8)
	VMOVUPD Y1, ROW(1)(R8)
	VMOVUPD Y0, ROW(2)(R8)
	VMOVUPD Y7, ROW(3)(R8)
	VMOVUPD Y8, ROW(4)(R8)
	ADDQ    $POINT, R8
	DECQ    CX
	JNZ     leaveY
	VZEROUPPER
	RET

leaveZ:
	VBROADCASTSD inverseC2<>(SB), Y11

leaveZLoop:
	SOUND
	VMOVUPD ROW(0)(DX), Y3       // density
	VMOVUPD ROW(3)(R8), Y6
	VMOVUPD ROW(4)(R8), Y7
	VMULPD  Y3, Y12, Y8
	VDIVPD  Y4, Y8, Y9
	VADDPD  Y7, Y6, Y10
	VMULPD  Y10, Y9, Y9          // t1
	VSUBPD  Y7, Y6, Y6
	VMULPD  Y6, Y8, Y8           // t3
	VADDPD  ROW(2)(R8), Y9, Y7   // t2
	VMOVUPD ROW(0)(R8), Y6       // r1
	VMOVUPD ROW(1)(R8), Y10      // r2
	VMOVUPD Y7, ROW(0)(R8)
	VMULPD  Y4, Y4, Y4
	VMULPD  Y11, Y4, Y4
	VMULPD  Y9, Y4, Y4
	VMULPD  Y7, Y5, Y5           // q*t2
	VMULPD  Y6, Y1, Y9
	VMULPD  Y7, Y1, Y1
	VMULPD  Y3, Y6, Y6
	VADDPD  Y6, Y1, Y1
	VMOVUPD Y1, ROW(2)(R8)
	VMULPD  Y10, Y0, Y1
	VSUBPD  Y1, Y9, Y9
	VMULPD  Y3, Y9, Y9
	VADDPD  Y5, Y9, Y9
	VADDPD  Y4, Y9, Y9
	VMULPD  Y7, Y0, Y0
	VMULPD  Y3, Y10, Y10
	VSUBPD  Y10, Y0, Y0
	VMOVUPD Y0, ROW(1)(R8)
	VMULPD  Y7, Y2, Y0
	VADDPD  Y8, Y0, Y0
	VMOVUPD Y0, ROW(3)(R8)
	VMULPD  Y8, Y2, Y2
	VADDPD  Y2, Y9, Y9
	VMOVUPD Y9, ROW(4)(R8)
	ADDQ    $POINT, DX
	ADDQ    $POINT, R8
	DECQ    CX
	JNZ     leaveZLoop
	VZEROUPPER
	RET
