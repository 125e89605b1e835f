#include "textflag.h"

// All functions use AVX2. No operation is fused: each sum and product is rounded, in the order of
// rows.go.

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8
DATA half<>+0(SB)/8, $0.5
GLOBL half<>(SB), RODATA, $8
DATA c2<>+0(SB)/8, $0.4
GLOBL c2<>(SB), RODATA, $8

// func derive256(n int, v, u *float64)
TEXT ·derive256(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	MOVQ         v+8(FP), DI
	MOVQ         u+16(FP), SI
	VBROADCASTSD one<>(SB), Y15
	VBROADCASTSD half<>(SB), Y14
	VBROADCASTSD c2<>(SB), Y13
	LEAQ         (CX*8), R8
	LEAQ         (R8)(R8*2), R9
	LEAQ         (R8)(R8*4), R10

deriveLoop:
	VDIVPD  (SI), Y15, Y0
	VMOVUPD (SI)(R8*1), Y1
	VMOVUPD (SI)(R8*2), Y2
	VMOVUPD (SI)(R9*1), Y3
	VMOVUPD (SI)(R8*4), Y4
	VMULPD  Y1, Y1, Y5
	VMULPD  Y2, Y2, Y6
	VMULPD  Y3, Y3, Y7
	VADDPD  Y6, Y5, Y5
	VADDPD  Y7, Y5, Y5
	VMULPD  Y14, Y5, Y5
	VMULPD  Y0, Y5, Y5
	VMULPD  Y0, Y5, Y6
	VMULPD  Y0, Y1, Y1
	VMULPD  Y0, Y2, Y2
	VMULPD  Y0, Y3, Y3
	VSUBPD  Y5, Y4, Y5
	VMULPD  Y0, Y4, Y4
	VMULPD  Y13, Y5, Y5
	VMOVUPD Y6, (DI)
	VMOVUPD Y1, (DI)(R8*1)
	VMOVUPD Y2, (DI)(R8*2)
	VMOVUPD Y3, (DI)(R9*1)
	VMOVUPD Y4, (DI)(R8*4)
	VMOVUPD Y5, (DI)(R10*1)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JEQ     deriveDone
	CMPQ    CX, $4
	JGE     deriveLoop
	SUBQ    $4, CX              // the last four overlap those before
	LEAQ    (SI)(CX*8), SI
	LEAQ    (DI)(CX*8), DI
	MOVQ    $4, CX
	JMP     deriveLoop

deriveDone:
	VZEROUPPER
	RET

// SECOND sets y to a second difference.
#define SECOND(before, here, after, y, t) \
	VMOVUPD here, t      \
	VMOVUPD after, y     \
	VADDPD  t, t, t      \
	VSUBPD  t, y, y      \
	VADDPD  before, y, y

// The components in order of their use: density, the normal momentum, two others, energy; and the
// pressure.
#define NORMAL (DX*1)
#define TANGENT1 (SI*1)
#define TANGENT2 (BX*1)
#define ENERGY (AX*4)
#define PRESSURE (R15*1)

// ACROSS adds the flux differences of a tangential momentum.
#define ACROSS(place) \
	SECOND((R8)place, (R9)place, (R10)place, Y0, Y1)   \
	SECOND((R11)place, (R12)place, (R13)place, Y2, Y3) \
	VMULPD  Y15, Y0, Y0                  \
	VMULPD  Y13, Y2, Y2                  \
	VADDPD  Y2, Y0, Y0                   \
	VMULPD  (R10)place, Y8, Y4           \
	VMULPD  (R8)place, Y7, Y5            \
	VSUBPD  Y5, Y4, Y4                   \
	VMULPD  Y14, Y4, Y4                  \
	VSUBPD  Y4, Y0, Y0                   \
	VADDPD  (DI)place, Y0, Y0            \
	VMOVUPD Y0, (DI)place

// func flux256(n, normal int, to, uBefore, u, uAfter, vBefore, v, vAfter *float64, c *coefficients)
TEXT ·flux256(SB), NOSPLIT, $0-80
	MOVQ         n+0(FP), CX
	MOVQ         c+72(FP), R8
	VBROADCASTSD 0(R8), Y15             // dx1
	VBROADCASTSD 8(R8), Y14             // tx2
	VBROADCASTSD 16(R8), Y13            // con2
	VBROADCASTSD 24(R8), Y12            // con2Con43
	VBROADCASTSD 32(R8), Y11            // con3
	VBROADCASTSD 40(R8), Y10            // con4
	VBROADCASTSD 48(R8), Y9             // con5
	MOVQ         to+16(FP), DI
	MOVQ         uBefore+24(FP), R8
	MOVQ         u+32(FP), R9
	MOVQ         uAfter+40(FP), R10
	MOVQ         vBefore+48(FP), R11
	MOVQ         v+56(FP), R12
	MOVQ         vAfter+64(FP), R13
	MOVQ         normal+8(FP), DX
	LEAQ         (CX*8), AX
	MOVQ         AX, SI                 // the first tangent is 1, or 2 if the normal is 1
	LEAQ         (AX)(AX*2), BX         // the second is 3, or 2 if the normal is 3
	CMPQ         DX, $1
	JNE          notFirst
	ADDQ         AX, SI

notFirst:
	CMPQ DX, $3
	JNE  notThird
	SUBQ AX, BX

notThird:
	IMULQ AX, DX
	LEAQ  (AX)(AX*4), R15
	SUBQ  $2, CX

fluxLoop:
	VMOVUPD (R11)NORMAL, Y7
	VMOVUPD (R13)NORMAL, Y8

	SECOND((R8), (R9), (R10), Y0, Y1)
	VMULPD  Y15, Y0, Y0
	VMOVUPD (R10)NORMAL, Y2
	VSUBPD  (R8)NORMAL, Y2, Y2
	VMULPD  Y14, Y2, Y2
	VSUBPD  Y2, Y0, Y0
	VADDPD  (DI), Y0, Y0
	VMOVUPD Y0, (DI)

	SECOND((R8)NORMAL, (R9)NORMAL, (R10)NORMAL, Y0, Y1)
	SECOND((R11)NORMAL, (R12)NORMAL, (R13)NORMAL, Y2, Y3)
	VMULPD  Y15, Y0, Y0
	VMULPD  Y12, Y2, Y2
	VADDPD  Y2, Y0, Y0
	VMULPD  (R10)NORMAL, Y8, Y4
	VMULPD  (R8)NORMAL, Y7, Y5
	VSUBPD  Y5, Y4, Y4
	VMOVUPD (R13)PRESSURE, Y6
	VSUBPD  (R11)PRESSURE, Y6, Y6
	VADDPD  Y6, Y4, Y4
	VMULPD  Y14, Y4, Y4
	VSUBPD  Y4, Y0, Y0
	VADDPD  (DI)NORMAL, Y0, Y0
	VMOVUPD Y0, (DI)NORMAL

	ACROSS(TANGENT1)
	ACROSS(TANGENT2)

	SECOND((R8)ENERGY, (R9)ENERGY, (R10)ENERGY, Y0, Y1)
	SECOND((R11), (R12), (R13), Y2, Y3)
	VMULPD  Y15, Y0, Y0
	VMULPD  Y11, Y2, Y2
	VADDPD  Y2, Y0, Y0
	VMOVUPD (R12)NORMAL, Y3
	VADDPD  Y3, Y3, Y4
	VMULPD  Y3, Y4, Y4
	VMULPD  Y8, Y8, Y2
	VSUBPD  Y4, Y2, Y2
	VMULPD  Y7, Y7, Y4
	VADDPD  Y4, Y2, Y2
	VMULPD  Y10, Y2, Y2
	VADDPD  Y2, Y0, Y0
	SECOND((R11)ENERGY, (R12)ENERGY, (R13)ENERGY, Y2, Y3)
	VMULPD  Y9, Y2, Y2
	VADDPD  Y2, Y0, Y0
	VMOVUPD (R10)ENERGY, Y2
	VADDPD  (R13)PRESSURE, Y2, Y2
	VMULPD  Y8, Y2, Y2
	VMOVUPD (R8)ENERGY, Y3
	VADDPD  (R11)PRESSURE, Y3, Y3
	VMULPD  Y7, Y3, Y3
	VSUBPD  Y3, Y2, Y2
	VMULPD  Y14, Y2, Y2
	VSUBPD  Y2, Y0, Y0
	VADDPD  (DI)ENERGY, Y0, Y0
	VMOVUPD Y0, (DI)ENERGY

	ADDQ $32, DI
	ADDQ $32, R8
	ADDQ $32, R9
	ADDQ $32, R10
	ADDQ $32, R11
	ADDQ $32, R12
	ADDQ $32, R13
	SUBQ $4, CX
	JGT  fluxLoop
	VZEROUPPER
	RET

// func dissipate256(n int, to, from, a, b, c, d, e *float64, w *[5]float64)
TEXT ·dissipate256(SB), NOSPLIT, $0-72
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         from+16(FP), SI
	MOVQ         a+24(FP), R8
	MOVQ         b+32(FP), R9
	MOVQ         c+40(FP), R10
	MOVQ         d+48(FP), R11
	MOVQ         e+56(FP), R12
	MOVQ         w+64(FP), DX
	VBROADCASTSD 0(DX), Y15
	VBROADCASTSD 8(DX), Y14
	VBROADCASTSD 16(DX), Y13
	VBROADCASTSD 24(DX), Y12
	VBROADCASTSD 32(DX), Y11
	SHLQ         $3, CX
	XORQ         AX, AX

dissipateLoop:
	VMULPD  (R8)(AX*1), Y15, Y0
	VMULPD  (R9)(AX*1), Y14, Y1
	VADDPD  Y1, Y0, Y0
	VMULPD  (R10)(AX*1), Y13, Y1
	VADDPD  Y1, Y0, Y0
	VMULPD  (R11)(AX*1), Y12, Y1
	VADDPD  Y1, Y0, Y0
	VMULPD  (R12)(AX*1), Y11, Y1
	VADDPD  Y1, Y0, Y0
	VMOVUPD (SI)(AX*1), Y1
	VSUBPD  Y0, Y1, Y0
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     dissipateLoop
	VZEROUPPER
	RET

// TURN transposes the 4 x 4 numbers in Y0 to Y3.
#define TURN \
	VUNPCKLPD  Y1, Y0, Y4          \
	VUNPCKHPD  Y1, Y0, Y5          \
	VUNPCKLPD  Y3, Y2, Y6          \
	VUNPCKHPD  Y3, Y2, Y7          \
	VPERM2F128 $0x20, Y6, Y4, Y0   \
	VPERM2F128 $0x20, Y7, Y5, Y1   \
	VPERM2F128 $0x31, Y6, Y4, Y2   \
	VPERM2F128 $0x31, Y7, Y5, Y3

// func along256(n int, to *Quad, a, b, c, d *float64)
TEXT ·along256(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), R10
	MOVQ d+40(FP), R11
	XORQ AX, AX
	SUBQ $4, CX              // where the last four begin

alongLoop:
	VMOVUPD (R8)(AX*8), Y0
	VMOVUPD (R9)(AX*8), Y1
	VMOVUPD (R10)(AX*8), Y2
	VMOVUPD (R11)(AX*8), Y3
	TURN
	IMUL3Q  $160, AX, BX
	VMOVUPD Y0, (DI)(BX*1)
	VMOVUPD Y1, 160(DI)(BX*1)
	VMOVUPD Y2, 320(DI)(BX*1)
	VMOVUPD Y3, 480(DI)(BX*1)
	CMPQ    AX, CX
	JEQ     alongDone
	ADDQ    $4, AX
	CMPQ    AX, CX
	JLE     alongLoop
	MOVQ    CX, AX           // the last four overlap those before
	JMP     alongLoop

alongDone:
	VZEROUPPER
	RET

// func backAlong256(n int, from *Quad, a, b, c, d *float64)
TEXT ·backAlong256(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ from+8(FP), SI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), R10
	MOVQ d+40(FP), R11
	XORQ AX, AX
	SUBQ $4, CX

backLoop:
	IMUL3Q  $160, AX, BX
	VMOVUPD (SI)(BX*1), Y0
	VMOVUPD 160(SI)(BX*1), Y1
	VMOVUPD 320(SI)(BX*1), Y2
	VMOVUPD 480(SI)(BX*1), Y3
	TURN
	VMOVUPD Y0, (R8)(AX*8)
	VMOVUPD Y1, (R9)(AX*8)
	VMOVUPD Y2, (R10)(AX*8)
	VMOVUPD Y3, (R11)(AX*8)
	CMPQ    AX, CX
	JEQ     backDone
	ADDQ    $4, AX
	CMPQ    AX, CX
	JLE     backLoop
	MOVQ    CX, AX
	JMP     backLoop

backDone:
	VZEROUPPER
	RET

// PLACES loads where rows have their components, from the address in AX.
#define PLACES \
	MOVQ 0(AX), R8   \
	MOVQ 8(AX), R9   \
	MOVQ 16(AX), R10 \
	MOVQ 24(AX), R11 \
	MOVQ 32(AX), R12 \
	SHLQ $3, BX

// func across256(n int, to *[components]Quad, rows *float64, stride int, places *[components]int)
TEXT ·across256(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ rows+16(FP), SI
	MOVQ stride+24(FP), BX
	MOVQ places+32(FP), AX
	PLACES

acrossLoop:
	VMOVUPD (SI)(R8*8), Y0
	VMOVUPD (SI)(R9*8), Y1
	VMOVUPD (SI)(R10*8), Y2
	VMOVUPD (SI)(R11*8), Y3
	VMOVUPD (SI)(R12*8), Y4
	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	ADDQ    BX, SI
	ADDQ    $160, DI
	DECQ    CX
	JNZ     acrossLoop
	VZEROUPPER
	RET

// func storeAcross256(n int, rows *float64, stride int, places *[components]int, from *[components]Quad)
TEXT ·storeAcross256(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ rows+8(FP), DI
	MOVQ stride+16(FP), BX
	MOVQ places+24(FP), AX
	MOVQ from+32(FP), SI
	PLACES

storeLoop:
	VMOVUPD 0(SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	VMOVUPD 128(SI), Y4
	VMOVUPD Y0, (DI)(R8*8)
	VMOVUPD Y1, (DI)(R9*8)
	VMOVUPD Y2, (DI)(R10*8)
	VMOVUPD Y3, (DI)(R11*8)
	VMOVUPD Y4, (DI)(R12*8)
	ADDQ    BX, DI
	ADDQ    $160, SI
	DECQ    CX
	JNZ     storeLoop
	VZEROUPPER
	RET

// func addAcross256(n int, rows *float64, stride int, places *[components]int, from *[components]Quad)
TEXT ·addAcross256(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ rows+8(FP), DI
	MOVQ stride+16(FP), BX
	MOVQ places+24(FP), AX
	MOVQ from+32(FP), SI
	PLACES

addLoop:
	VMOVUPD (DI)(R8*8), Y0
	VMOVUPD (DI)(R9*8), Y1
	VMOVUPD (DI)(R10*8), Y2
	VMOVUPD (DI)(R11*8), Y3
	VMOVUPD (DI)(R12*8), Y4
	VADDPD  0(SI), Y0, Y0
	VADDPD  32(SI), Y1, Y1
	VADDPD  64(SI), Y2, Y2
	VADDPD  96(SI), Y3, Y3
	VADDPD  128(SI), Y4, Y4
	VMOVUPD Y0, (DI)(R8*8)
	VMOVUPD Y1, (DI)(R9*8)
	VMOVUPD Y2, (DI)(R10*8)
	VMOVUPD Y3, (DI)(R11*8)
	VMOVUPD Y4, (DI)(R12*8)
	ADDQ    BX, DI
	ADDQ    $160, SI
	DECQ    CX
	JNZ     addLoop
	VZEROUPPER
	RET
