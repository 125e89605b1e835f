#include "textflag.h"

// Both kernels add the products of 8 packed numbers of A and 16 of B to 8 rows of 16 elements of C,
// in the order of k.

// ROW512 adds the number of A at offset, times the 16 numbers in Z16 and Z17, to a row in two registers.
#define ROW512(offset, x, lo, hi) \
	VBROADCASTSD offset(SI), x \
	VFMADD231PD  Z16, x, lo    \
	VFMADD231PD  Z17, x, hi

// FETCH512 prefetches the next row behind R9.
#define FETCH512 \
	ADDQ R8, R9 \
	PREFETCHT0 (R9) \
	PREFETCHT0 64(R9)

// func tile512(depth int, a, b, c *float64, ldc int)
TEXT ·tile512(SB), NOSPLIT, $0-40
	MOVQ depth+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), DI
	MOVQ ldc+32(FP), R8
	SHLQ $3, R8
	MOVQ DI, R9
	VMOVUPD (R9), Z0
	VMOVUPD 64(R9), Z1
	ADDQ R8, R9
	VMOVUPD (R9), Z2
	VMOVUPD 64(R9), Z3
	ADDQ R8, R9
	VMOVUPD (R9), Z4
	VMOVUPD 64(R9), Z5
	ADDQ R8, R9
	VMOVUPD (R9), Z6
	VMOVUPD 64(R9), Z7
	ADDQ R8, R9
	VMOVUPD (R9), Z8
	VMOVUPD 64(R9), Z9
	ADDQ R8, R9
	VMOVUPD (R9), Z10
	VMOVUPD 64(R9), Z11
	ADDQ R8, R9
	VMOVUPD (R9), Z12
	VMOVUPD 64(R9), Z13
	ADDQ R8, R9
	VMOVUPD (R9), Z14
	VMOVUPD 64(R9), Z15

	// Prefetch the next tile of these columns while this one is computed.
	FETCH512
	FETCH512
	FETCH512
	FETCH512
	FETCH512
	FETCH512
	FETCH512
	FETCH512

loop512:
	PREFETCHT0 1024(SI)
	PREFETCHT0 1024(DX)
	PREFETCHT0 1088(DX)
	VMOVUPD (DX), Z16
	VMOVUPD 64(DX), Z17
	ROW512(0, Z18, Z0, Z1)
	ROW512(8, Z19, Z2, Z3)
	ROW512(16, Z20, Z4, Z5)
	ROW512(24, Z21, Z6, Z7)
	ROW512(32, Z22, Z8, Z9)
	ROW512(40, Z23, Z10, Z11)
	ROW512(48, Z24, Z12, Z13)
	ROW512(56, Z25, Z14, Z15)
	ADDQ $64, SI
	ADDQ $128, DX
	DECQ CX
	JNZ  loop512

	MOVQ DI, R9
	VMOVUPD Z0, (R9)
	VMOVUPD Z1, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z2, (R9)
	VMOVUPD Z3, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z4, (R9)
	VMOVUPD Z5, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z6, (R9)
	VMOVUPD Z7, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z8, (R9)
	VMOVUPD Z9, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z10, (R9)
	VMOVUPD Z11, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z12, (R9)
	VMOVUPD Z13, 64(R9)
	ADDQ R8, R9
	VMOVUPD Z14, (R9)
	VMOVUPD Z15, 64(R9)
	VZEROUPPER
	RET

// ROW256 adds the number of A at offset, times the 8 numbers in Y12 and Y13, to half of a row.
#define ROW256(offset, x, lo, hi) \
	VBROADCASTSD offset(R10), x \
	VFMADD231PD  Y12, x, lo     \
	VFMADD231PD  Y13, x, hi

// func tile256(depth int, a, b, c *float64, ldc int)
//
// The registers hold 4 rows of 8 elements at a time: BX counts the four quarters of the tile.
TEXT ·tile256(SB), NOSPLIT, $0-40
	MOVQ ldc+32(FP), R8
	SHLQ $3, R8
	XORQ BX, BX

quarter256:
	MOVQ depth+0(FP), CX
	MOVQ a+8(FP), R10
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), DI
	TESTQ $1, BX
	JZ   left256
	ADDQ $64, DX
	ADDQ $64, DI

left256:
	TESTQ $2, BX
	JZ   top256
	ADDQ $32, R10
	LEAQ (DI)(R8*4), DI

top256:
	MOVQ DI, R9
	VMOVUPD (R9), Y0
	VMOVUPD 32(R9), Y1
	ADDQ R8, R9
	VMOVUPD (R9), Y2
	VMOVUPD 32(R9), Y3
	ADDQ R8, R9
	VMOVUPD (R9), Y4
	VMOVUPD 32(R9), Y5
	ADDQ R8, R9
	VMOVUPD (R9), Y6
	VMOVUPD 32(R9), Y7

loop256:
	VMOVUPD (DX), Y12
	VMOVUPD 32(DX), Y13
	ROW256(0, Y8, Y0, Y1)
	ROW256(8, Y9, Y2, Y3)
	ROW256(16, Y10, Y4, Y5)
	ROW256(24, Y11, Y6, Y7)
	ADDQ $64, R10
	ADDQ $128, DX
	DECQ CX
	JNZ  loop256

	MOVQ DI, R9
	VMOVUPD Y0, (R9)
	VMOVUPD Y1, 32(R9)
	ADDQ R8, R9
	VMOVUPD Y2, (R9)
	VMOVUPD Y3, 32(R9)
	ADDQ R8, R9
	VMOVUPD Y4, (R9)
	VMOVUPD Y5, 32(R9)
	ADDQ R8, R9
	VMOVUPD Y6, (R9)
	VMOVUPD Y7, 32(R9)
	INCQ BX
	CMPQ BX, $4
	JNE  quarter256
	VZEROUPPER
	RET
