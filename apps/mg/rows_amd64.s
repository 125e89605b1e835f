#include "textflag.h"

// All functions take rows of n numbers, a multiple of 8, and use AVX2. No operation is fused: each
// sum and product is rounded, in the order of rows.go.

// The large rows come from memory, in more streams than processors recognize, and a stream of the
// processor ends with the page. So loops prefetch the bytes that they need AHEAD bytes later. A
// prefetch behind the end of an array does nothing.
#define AHEAD 1024

DATA one2<>+0(SB)/8, $0.5
GLOBL one2<>(SB), RODATA, $8
DATA one4<>+0(SB)/8, $0.25
GLOBL one4<>(SB), RODATA, $8
DATA one8<>+0(SB)/8, $0.125
GLOBL one8<>(SB), RODATA, $8
DATA one16<>+0(SB)/8, $0.0625
GLOBL one16<>(SB), RODATA, $8

// func add256(n int, to, a, b *float64)
TEXT ·add256(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DX
	SHLQ $3, CX
	XORQ AX, AX

addLoop:
	VMOVUPD (SI)(AX*1), Y0
	VMOVUPD 32(SI)(AX*1), Y1
	VADDPD  (DX)(AX*1), Y0, Y0
	VADDPD  32(DX)(AX*1), Y1, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     addLoop
	VZEROUPPER
	RET

// func around256(n int, near, far, next, below, above, before, behind, here, last *float64)
TEXT ·around256(SB), NOSPLIT, $0-80
	MOVQ n+0(FP), CX
	MOVQ near+8(FP), DI
	MOVQ far+16(FP), SI
	MOVQ next+24(FP), DX
	MOVQ below+32(FP), R8
	MOVQ above+40(FP), R9
	MOVQ before+48(FP), R10
	MOVQ behind+56(FP), R11
	MOVQ here+64(FP), R12
	MOVQ last+72(FP), R13
	SHLQ $3, CX
	XORQ AX, AX

aroundLoop:
	PREFETCHT0 AHEAD(R9)(AX*1)
	VMOVUPD (R8)(AX*1), Y0
	VMOVUPD 32(R8)(AX*1), Y1
	VADDPD  (R9)(AX*1), Y0, Y0
	VADDPD  32(R9)(AX*1), Y1, Y1
	VMOVUPD (R10)(AX*1), Y2
	VMOVUPD 32(R10)(AX*1), Y3
	VADDPD  (R11)(AX*1), Y2, Y2
	VADDPD  32(R11)(AX*1), Y3, Y3
	VADDPD  (R12)(AX*1), Y2, Y2
	VADDPD  32(R12)(AX*1), Y3, Y3
	VMOVUPD (R13)(AX*1), Y4
	VMOVUPD 32(R13)(AX*1), Y5
	VADDPD  Y0, Y4, Y4
	VADDPD  Y1, Y5, Y5
	VMOVUPD Y0, (DX)(AX*1)
	VMOVUPD Y1, 32(DX)(AX*1)
	VMOVUPD Y2, (DI)(AX*1)
	VMOVUPD Y3, 32(DI)(AX*1)
	VMOVUPD Y4, (SI)(AX*1)
	VMOVUPD Y5, 32(SI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     aroundLoop
	VZEROUPPER
	RET

// RESIDUAL computes 4 numbers of a residual at an offset, with Y15, Y14, Y13 = a0, a2, a3.
#define RESIDUAL(offset, x, y, z) \
	VMULPD  offset(R8)(AX*1), Y15, x        \
	VMOVUPD offset(SI)(AX*1), y             \
	VSUBPD  x, y, x                         \
	VMOVUPD offset+8(R10)(AX*1), y          \
	VADDPD  offset(R9)(AX*1), y, y          \
	VADDPD  offset+16(R9)(AX*1), y, y       \
	VMULPD  Y14, y, y                       \
	VSUBPD  y, x, x                         \
	VMOVUPD offset(R10)(AX*1), z            \
	VADDPD  offset+16(R10)(AX*1), z, z      \
	VMULPD  Y13, z, z                       \
	VSUBPD  z, x, x                         \
	VMOVUPD x, offset(DI)(AX*1)

// func residual256(n int, to, from, centre, near, far *float64, a0, a2, a3 float64)
TEXT ·residual256(SB), NOSPLIT, $0-72
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         from+16(FP), SI
	MOVQ         centre+24(FP), R8
	MOVQ         near+32(FP), R9
	MOVQ         far+40(FP), R10
	VBROADCASTSD a0+48(FP), Y15
	VBROADCASTSD a2+56(FP), Y14
	VBROADCASTSD a3+64(FP), Y13
	SHLQ         $3, CX
	XORQ         AX, AX

residualLoop:
	PREFETCHT0 AHEAD(SI)(AX*1)
	PREFETCHT0 AHEAD(DI)(AX*1)
	RESIDUAL(0, Y0, Y1, Y2)
	RESIDUAL(32, Y3, Y4, Y5)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  residualLoop
	VZEROUPPER
	RET

// SMOOTH adds 4 numbers of a smoothed residual at an offset, with Y15, Y14, Y13 = c0, c1, c2.
#define SMOOTH(offset, x, y) \
	VMULPD  offset+8(R8)(AX*1), Y15, x      \
	VMOVUPD offset(R8)(AX*1), y             \
	VADDPD  offset+16(R8)(AX*1), y, y       \
	VADDPD  offset+8(R9)(AX*1), y, y        \
	VMULPD  Y14, y, y                       \
	VADDPD  y, x, x                         \
	VMOVUPD offset+8(R10)(AX*1), y          \
	VADDPD  offset(R9)(AX*1), y, y          \
	VADDPD  offset+16(R9)(AX*1), y, y       \
	VMULPD  Y13, y, y                       \
	VADDPD  y, x, x                         \
	VADDPD  offset(DI)(AX*1), x, x          \
	VMOVUPD x, offset(DI)(AX*1)

// func smooth256(n int, to, centre, near, far *float64, c0, c1, c2 float64)
TEXT ·smooth256(SB), NOSPLIT, $0-64
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         centre+16(FP), R8
	MOVQ         near+24(FP), R9
	MOVQ         far+32(FP), R10
	VBROADCASTSD c0+40(FP), Y15
	VBROADCASTSD c1+48(FP), Y14
	VBROADCASTSD c2+56(FP), Y13
	SHLQ         $3, CX
	XORQ         AX, AX

smoothLoop:
	PREFETCHT0 AHEAD(DI)(AX*1)
	SMOOTH(0, Y0, Y1)
	SMOOTH(32, Y2, Y3)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  smoothLoop
	VZEROUPPER
	RET

// EVERY loads numbers 0, 2, 4 and 6 from an offset on into even, and the numbers behind each into
// odd and after. All three have the order 0, 4, 2, 6.
#define EVERY(p, even, odd, after) \
	VMOVUPD   8(p), even             \
	VMOVUPD   40(p), after           \
	VUNPCKHPD after, even, odd       \
	VUNPCKLPD after, even, even      \
	VMOVUPD   24(p), after           \
	VUNPCKLPD 56(p), after, after

// func restrict256(n int, to, centre, near, far *float64)
TEXT ·restrict256(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         centre+16(FP), R8
	MOVQ         near+24(FP), R9
	MOVQ         far+32(FP), R10
	VBROADCASTSD one2<>(SB), Y15
	VBROADCASTSD one4<>(SB), Y14
	VBROADCASTSD one8<>(SB), Y13
	VBROADCASTSD one16<>(SB), Y12

restrictLoop:
	EVERY(R8, Y0, Y1, Y2)
	EVERY(R9, Y3, Y4, Y5)
	EVERY(R10, Y6, Y7, Y8)
	VMULPD  Y15, Y1, Y1
	VADDPD  Y2, Y0, Y0
	VADDPD  Y4, Y0, Y0
	VMULPD  Y14, Y0, Y0
	VADDPD  Y0, Y1, Y1
	VADDPD  Y5, Y3, Y3
	VADDPD  Y7, Y3, Y3
	VMULPD  Y13, Y3, Y3
	VADDPD  Y3, Y1, Y1
	VADDPD  Y8, Y6, Y6
	VMULPD  Y12, Y6, Y6
	VADDPD  Y6, Y1, Y1
	VPERMPD $0xD8, Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, DI
	ADDQ    $64, R8
	ADDQ    $64, R9
	ADDQ    $64, R10
	SUBQ    $4, CX
	JGT     restrictLoop
	VZEROUPPER
	RET

// func sum256(n int, to, a, b, c, d *float64)
TEXT ·sum256(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), R10
	MOVQ d+40(FP), R11
	SHLQ $3, CX
	XORQ AX, AX

sumLoop:
	VMOVUPD (R8)(AX*1), Y0
	VMOVUPD 32(R8)(AX*1), Y1
	VADDPD  (R9)(AX*1), Y0, Y0
	VADDPD  32(R9)(AX*1), Y1, Y1
	VADDPD  (R10)(AX*1), Y0, Y0
	VADDPD  32(R10)(AX*1), Y1, Y1
	VADDPD  (R11)(AX*1), Y0, Y0
	VADDPD  32(R11)(AX*1), Y1, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     sumLoop
	VZEROUPPER
	RET

// func prolong256(n int, to, sum *float64)
TEXT ·prolong256(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         sum+16(FP), SI
	VBROADCASTSD one4<>(SB), Y15
	VBROADCASTSD one8<>(SB), Y14

prolongLoop:
	PREFETCHT0 AHEAD(DI)
	VMOVUPD    8(SI), Y1
	VADDPD     (SI), Y1, Y0
	VMULPD     Y14, Y0, Y0        // for even places
	VMULPD     Y15, Y1, Y1        // for odd places
	VUNPCKLPD  Y1, Y0, Y2         // places 0 1 4 5
	VUNPCKHPD  Y1, Y0, Y3         // places 2 3 6 7
	VPERM2F128 $0x20, Y3, Y2, Y0
	VPERM2F128 $0x31, Y3, Y2, Y1
	VADDPD     (DI), Y0, Y0
	VADDPD     32(DI), Y1, Y1
	VMOVUPD    Y0, (DI)
	VMOVUPD    Y1, 32(DI)
	ADDQ       $64, DI
	ADDQ       $32, SI
	SUBQ       $4, CX
	JGT        prolongLoop
	VZEROUPPER
	RET
