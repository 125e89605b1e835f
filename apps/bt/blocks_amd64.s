#include "textflag.h"

// All functions compute four lines at once with AVX2. No operation is fused: each sum and product
// is rounded, in the order of blocks.go.

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8

// AT is the place of the number in a row and column of a block, and ROW that in a vector.
#define AT(row, column) ((row)*160+(column)*32)
#define ROW(row) ((row)*32)

// SUBTRACT subtracts a row of the block at SI times the vector in Y5 to Y9 from y.
#define SUBTRACT(row, y) \
	VMULPD AT(row, 0)(SI), Y5, Y10 \
	VMULPD AT(row, 1)(SI), Y6, Y11 \
	VMULPD AT(row, 2)(SI), Y7, Y12 \
	VMULPD AT(row, 3)(SI), Y8, Y13 \
	VMULPD AT(row, 4)(SI), Y9, Y14 \
	VSUBPD Y10, y, y               \
	VSUBPD Y11, y, y               \
	VSUBPD Y12, y, y               \
	VSUBPD Y13, y, y               \
	VSUBPD Y14, y, y

#define SUBTRACT5 \
	SUBTRACT(0, Y0) \
	SUBTRACT(1, Y1) \
	SUBTRACT(2, Y2) \
	SUBTRACT(3, Y3) \
	SUBTRACT(4, Y4)

// COLUMN loads a column of the block at p to Y0 to Y4, and COLUMN5 to Y5 to Y9. STORE stores Y0 to
// Y4 there.
#define COLUMN(p, column) \
	VMOVUPD AT(0, column)(p), Y0 \
	VMOVUPD AT(1, column)(p), Y1 \
	VMOVUPD AT(2, column)(p), Y2 \
	VMOVUPD AT(3, column)(p), Y3 \
	VMOVUPD AT(4, column)(p), Y4

#define COLUMN5(p, column) \
	VMOVUPD AT(0, column)(p), Y5 \
	VMOVUPD AT(1, column)(p), Y6 \
	VMOVUPD AT(2, column)(p), Y7 \
	VMOVUPD AT(3, column)(p), Y8 \
	VMOVUPD AT(4, column)(p), Y9

#define STORE(p, column) \
	VMOVUPD Y0, AT(0, column)(p) \
	VMOVUPD Y1, AT(1, column)(p) \
	VMOVUPD Y2, AT(2, column)(p) \
	VMOVUPD Y3, AT(3, column)(p) \
	VMOVUPD Y4, AT(4, column)(p)

// VECTOR, VECTOR5 and STOREVECTOR do so with a vector.
#define VECTOR(p) \
	VMOVUPD ROW(0)(p), Y0 \
	VMOVUPD ROW(1)(p), Y1 \
	VMOVUPD ROW(2)(p), Y2 \
	VMOVUPD ROW(3)(p), Y3 \
	VMOVUPD ROW(4)(p), Y4

#define VECTOR5(p) \
	VMOVUPD ROW(0)(p), Y5 \
	VMOVUPD ROW(1)(p), Y6 \
	VMOVUPD ROW(2)(p), Y7 \
	VMOVUPD ROW(3)(p), Y8 \
	VMOVUPD ROW(4)(p), Y9

#define STOREVECTOR(p) \
	VMOVUPD Y0, ROW(0)(p) \
	VMOVUPD Y1, ROW(1)(p) \
	VMOVUPD Y2, ROW(2)(p) \
	VMOVUPD Y3, ROW(3)(p) \
	VMOVUPD Y4, ROW(4)(p)

// LESS subtracts the number of the block at DI in a row and column, times x, from y.
#define LESS(row, column, x, y, t) \
	VMULPD AT(row, column)(DI), x, t \
	VSUBPD t, y, y

// FORWARD0 to FORWARD4 eliminate a row of the factored block at DI from Y0 to Y4.
#define FORWARD0 \
	VMULPD AT(0, 0)(DI), Y0, Y0 \
	LESS(1, 0, Y0, Y1, Y10)     \
	LESS(2, 0, Y0, Y2, Y11)     \
	LESS(3, 0, Y0, Y3, Y12)     \
	LESS(4, 0, Y0, Y4, Y13)

#define FORWARD1 \
	VMULPD AT(1, 1)(DI), Y1, Y1 \
	LESS(2, 1, Y1, Y2, Y10)     \
	LESS(3, 1, Y1, Y3, Y11)     \
	LESS(4, 1, Y1, Y4, Y12)

#define FORWARD2 \
	VMULPD AT(2, 2)(DI), Y2, Y2 \
	LESS(3, 2, Y2, Y3, Y10)     \
	LESS(4, 2, Y2, Y4, Y11)

#define FORWARD3 \
	VMULPD AT(3, 3)(DI), Y3, Y3 \
	LESS(4, 3, Y3, Y4, Y10)

#define FORWARD4 \
	VMULPD AT(4, 4)(DI), Y4, Y4

// SOLVE multiplies Y0 to Y4 by the inverse of the factored block at DI.
#define SOLVE \
	FORWARD0                \
	FORWARD1                \
	FORWARD2                \
	FORWARD3                \
	FORWARD4                \
	LESS(0, 4, Y4, Y0, Y10) \
	LESS(1, 4, Y4, Y1, Y11) \
	LESS(2, 4, Y4, Y2, Y12) \
	LESS(3, 4, Y4, Y3, Y13) \
	LESS(0, 3, Y3, Y0, Y10) \
	LESS(1, 3, Y3, Y1, Y11) \
	LESS(2, 3, Y3, Y2, Y12) \
	LESS(0, 2, Y2, Y0, Y10) \
	LESS(1, 2, Y2, Y1, Y11) \
	LESS(0, 1, Y1, Y0, Y10)

// BEGIN loads a column of b, at DI, and subtracts a, at SI, times that of the block before, at R8.
#define BEGIN(column) \
	COLUMN(DI, column)  \
	COLUMN5(R8, column) \
	SUBTRACT5

// func eliminate256(a, b, before, c *block, rBefore, r *vector)
TEXT ·eliminate256(SB), NOSPLIT, $0-48
	MOVQ         a+0(FP), SI
	MOVQ         b+8(FP), DI
	MOVQ         before+16(FP), R8
	MOVQ         c+24(FP), R9
	MOVQ         rBefore+32(FP), R10
	MOVQ         r+40(FP), R11
	VBROADCASTSD one<>(SB), Y15

	BEGIN(0)
	VDIVPD Y0, Y15, Y0
	STORE(DI, 0)
	BEGIN(1)
	FORWARD0
	VDIVPD Y1, Y15, Y1
	STORE(DI, 1)
	BEGIN(2)
	FORWARD0
	FORWARD1
	VDIVPD Y2, Y15, Y2
	STORE(DI, 2)
	BEGIN(3)
	FORWARD0
	FORWARD1
	FORWARD2
	VDIVPD Y3, Y15, Y3
	STORE(DI, 3)
	BEGIN(4)
	FORWARD0
	FORWARD1
	FORWARD2
	FORWARD3
	VDIVPD Y4, Y15, Y4
	STORE(DI, 4)

	VECTOR(R11)
	VECTOR5(R10)
	SUBTRACT5
	SOLVE
	STOREVECTOR(R11)
	MOVQ $5, CX

columns:
	COLUMN(R9, 0)
	SOLVE
	STORE(R9, 0)
	ADDQ $32, R9
	DECQ CX
	JNZ  columns
	VZEROUPPER
	RET

// func substitute256(n int, c *block, r *vector)
TEXT ·substitute256(SB), NOSPLIT, $0-24
	MOVQ  n+0(FP), CX
	MOVQ  c+8(FP), SI
	MOVQ  r+16(FP), R11
	DECQ  CX
	IMUL3Q $160, CX, AX
	ADDQ  AX, R11
	IMUL3Q $800, CX, AX
	ADDQ  AX, SI
	VECTOR5(R11)
	JMP   next

point:
	SUBQ $160, R11
	SUBQ $800, SI
	VECTOR(R11)
	SUBTRACT5
	STOREVECTOR(R11)
	VMOVAPD Y0, Y5
	VMOVAPD Y1, Y6
	VMOVAPD Y2, Y7
	VMOVAPD Y3, Y8
	VMOVAPD Y4, Y9

next:
	DECQ CX
	JGE  point
	VZEROUPPER
	RET

// The places of the coefficients in factors.
#define FIRST 0
#define FIRSTC2 8
#define MINUSC2 16
#define DIFFUSION 24
#define VISCOSITY 32
#define NORMAL 40
#define ENERGY 48
#define NORMALENERGY 56
#define VISCOUSENERGY 64
#define C1 72
#define C2 80
#define TWO 88
#define TWICE 96
#define HALF 104
#define ONE 112

// PUT stores a number of the three blocks, which depends on f and v. PUTDIAGONAL does so on the
// diagonal, and changes v. PUTFLUX stores one without v, and PUTZERO one without f, too: that of
// the block after is zero already.
#define PUT(at, f, v) \
	VADDPD  v, f, Y10    \
	VXORPD  Y15, Y10, Y10 \
	VMOVUPD Y10, at(DI)  \
	VADDPD  v, v, Y10    \
	VMOVUPD Y10, at(R8)  \
	VSUBPD  v, f, Y10    \
	VMOVUPD Y10, at(R9)

#define PUTDIAGONAL(at, f, v) \
	VADDPD  Y6, v, v     \
	VADDPD  v, f, Y10    \
	VXORPD  Y15, Y10, Y10 \
	VMOVUPD Y10, at(DI)  \
	VADDPD  v, v, Y10    \
	VADDPD  Y14, Y10, Y10 \
	VMOVUPD Y10, at(R8)  \
	VSUBPD  v, f, Y10    \
	VMOVUPD Y10, at(R9)

#define PUTFLUX(at, f) \
	VMOVUPD f, at(R9)    \
	VXORPD  Y15, f, Y10  \
	VMOVUPD Y10, at(DI)  \
	VXORPD  Y10, Y10, Y10 \
	VMOVUPD Y10, at(R8)

#define PUTZERO(at) \
	VMOVUPD Y10, at(R8) \
	VMOVUPD Y10, at(R9)

// TIMES sets y to a coefficient times x.
#define TIMES(coefficient, x, y) \
	VBROADCASTSD coefficient(CX), y \
	VMULPD       x, y, y

// func jacobians256(after, here, before *block, u *vector, k *factors)
TEXT ·jacobians256(SB), NOSPLIT, $0-40
	MOVQ after+0(FP), DI
	MOVQ here+8(FP), R8
	MOVQ before+16(FP), R9
	MOVQ u+24(FP), DX
	MOVQ k+32(FP), CX

	VPCMPEQQ     Y15, Y15, Y15
	VPSLLQ       $63, Y15, Y15          // the sign
	VBROADCASTSD ONE(CX), Y14
	VDIVPD       ROW(0)(DX), Y14, Y13   // 1/density
	VMULPD       ROW(1)(DX), Y13, Y0    // velocity
	VMULPD       ROW(2)(DX), Y13, Y1
	VMULPD       ROW(3)(DX), Y13, Y2
	VMULPD       ROW(4)(DX), Y13, Y3    // energy by mass
	VMULPD       Y0, Y0, Y4
	VMULPD       Y1, Y1, Y5
	VMULPD       Y2, Y2, Y6
	VADDPD       Y5, Y4, Y7
	VADDPD       Y6, Y7, Y7
	VADDPD       Y6, Y5, Y5             // v2*v2 + v3*v3
	VBROADCASTSD HALF(CX), Y8
	VMULPD       Y8, Y7, Y7             // q
	VBROADCASTSD DIFFUSION(CX), Y6
	VBROADCASTSD FIRST(CX), Y8
	VMULPD       Y0, Y8, Y9             // w

	VXORPD  Y12, Y12, Y12
	VXORPD  Y11, Y11, Y11
	PUTDIAGONAL(AT(0, 0), Y12, Y11)
	PUTFLUX(AT(0, 1), Y8)
	PUTZERO(AT(0, 2))
	PUTZERO(AT(0, 3))
	PUTZERO(AT(0, 4))
	PUTZERO(AT(2, 3))
	PUTZERO(AT(2, 4))
	PUTZERO(AT(3, 2))
	PUTZERO(AT(3, 4))

	TIMES(C2, Y7, Y12)
	VSUBPD Y4, Y12, Y12
	VMULPD Y8, Y12, Y12
	TIMES(NORMAL, Y13, Y11)
	VXORPD Y15, Y11, Y11
	VMULPD Y0, Y11, Y11
	PUT(AT(1, 0), Y12, Y11)
	TIMES(TWO, Y9, Y12)
	TIMES(NORMAL, Y13, Y11)
	PUTDIAGONAL(AT(1, 1), Y12, Y11)
	TIMES(MINUSC2, Y1, Y12)
	PUTFLUX(AT(1, 2), Y12)
	TIMES(MINUSC2, Y2, Y12)
	PUTFLUX(AT(1, 3), Y12)
	VBROADCASTSD FIRSTC2(CX), Y12
	PUTFLUX(AT(1, 4), Y12)

	VXORPD Y15, Y9, Y12
	VMULPD Y1, Y12, Y12
	TIMES(VISCOSITY, Y13, Y11)
	VXORPD Y15, Y11, Y11
	VMULPD Y1, Y11, Y11
	PUT(AT(2, 0), Y12, Y11)
	VMULPD Y1, Y8, Y12
	PUTFLUX(AT(2, 1), Y12)
	TIMES(VISCOSITY, Y13, Y11)
	PUTDIAGONAL(AT(2, 2), Y9, Y11)

	VXORPD Y15, Y9, Y12
	VMULPD Y2, Y12, Y12
	TIMES(VISCOSITY, Y13, Y11)
	VXORPD Y15, Y11, Y11
	VMULPD Y2, Y11, Y11
	PUT(AT(3, 0), Y12, Y11)
	VMULPD Y2, Y8, Y12
	PUTFLUX(AT(3, 1), Y12)
	TIMES(VISCOSITY, Y13, Y11)
	PUTDIAGONAL(AT(3, 3), Y9, Y11)

	TIMES(TWICE, Y7, Y12)
	TIMES(C1, Y3, Y11)
	VSUBPD Y11, Y12, Y12
	VMULPD Y9, Y12, Y12
	TIMES(NORMALENERGY, Y13, Y11)
	VMULPD Y4, Y11, Y11
	TIMES(VISCOUSENERGY, Y13, Y10)
	VMULPD Y5, Y10, Y10
	VADDPD Y10, Y11, Y11
	TIMES(ENERGY, Y13, Y10)
	VMULPD Y3, Y10, Y10
	VADDPD Y10, Y11, Y11
	VXORPD Y15, Y11, Y11
	PUT(AT(4, 0), Y12, Y11)
	TIMES(C1, Y3, Y12)
	VADDPD Y7, Y4, Y11
	TIMES(C2, Y11, Y10)
	VSUBPD Y10, Y12, Y12
	VMULPD Y8, Y12, Y12
	TIMES(NORMALENERGY, Y13, Y11)
	VMULPD Y0, Y11, Y11
	PUT(AT(4, 1), Y12, Y11)
	TIMES(MINUSC2, Y1, Y12)
	VMULPD Y0, Y12, Y12
	TIMES(VISCOUSENERGY, Y13, Y11)
	VMULPD Y1, Y11, Y11
	PUT(AT(4, 2), Y12, Y11)
	TIMES(MINUSC2, Y2, Y12)
	VMULPD Y0, Y12, Y12
	TIMES(VISCOUSENERGY, Y13, Y11)
	VMULPD Y2, Y11, Y11
	PUT(AT(4, 3), Y12, Y11)
	TIMES(C1, Y9, Y12)
	TIMES(ENERGY, Y13, Y11)
	PUTDIAGONAL(AT(4, 4), Y12, Y11)
	VZEROUPPER
	RET
