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

// LOAD256 loads the 16 elements of the row at R9 to four registers, STORE256 stores them. Both step
// to the next row.
#define LOAD256(x0, x1, x2, x3) \
	VMOVUPD (R9), x0   \
	VMOVUPD 32(R9), x1 \
	VMOVUPD 64(R9), x2 \
	VMOVUPD 96(R9), x3 \
	ADDQ R8, R9

#define STORE256(x0, x1, x2, x3) \
	VMOVUPD x0, (R9)   \
	VMOVUPD x1, 32(R9) \
	VMOVUPD x2, 64(R9) \
	VMOVUPD x3, 96(R9) \
	ADDQ R8, R9

// COLUMN256 adds the products of the 4 numbers of B at offset and of 3 of A, in Y12 to Y14, to a
// register of each of 3 rows; PAIR256 to 2 rows.
#define COLUMN256(offset, x0, x1, x2) \
	VMOVUPD offset(DX), Y15 \
	VFMADD231PD Y15, Y12, x0 \
	VFMADD231PD Y15, Y13, x1 \
	VFMADD231PD Y15, Y14, x2

#define PAIR256(offset, x0, x1) \
	VMOVUPD offset(DX), Y15 \
	VFMADD231PD Y15, Y12, x0 \
	VFMADD231PD Y15, Y13, x1

// func tile256(depth int, a, b, c *float64, ldc int)
//
// The registers hold 3 rows of the tile, again 3, and then 2. With 12 sums under way, no
// multiplication waits for the one before: a sum takes 4 cycles, and two begin in each.
TEXT ·tile256(SB), NOSPLIT, $0-40
	MOVQ a+8(FP), SI
	MOVQ c+24(FP), DI
	MOVQ ldc+32(FP), R8
	SHLQ $3, R8
	MOVQ $2, BX

rows256:
	MOVQ depth+0(FP), CX
	MOVQ b+16(FP), DX
	MOVQ SI, R10
	MOVQ DI, R9
	LOAD256(Y0, Y1, Y2, Y3)
	LOAD256(Y4, Y5, Y6, Y7)
	LOAD256(Y8, Y9, Y10, Y11)

loop256:
	VBROADCASTSD (R10), Y12
	VBROADCASTSD 8(R10), Y13
	VBROADCASTSD 16(R10), Y14
	COLUMN256(0, Y0, Y4, Y8)
	COLUMN256(32, Y1, Y5, Y9)
	COLUMN256(64, Y2, Y6, Y10)
	COLUMN256(96, Y3, Y7, Y11)
	ADDQ $64, R10
	ADDQ $128, DX
	DECQ CX
	JNZ  loop256

	MOVQ DI, R9
	STORE256(Y0, Y1, Y2, Y3)
	STORE256(Y4, Y5, Y6, Y7)
	STORE256(Y8, Y9, Y10, Y11)
	MOVQ R9, DI
	ADDQ $24, SI
	DECQ BX
	JNZ  rows256

	MOVQ depth+0(FP), CX
	MOVQ b+16(FP), DX
	LOAD256(Y0, Y1, Y2, Y3)
	LOAD256(Y4, Y5, Y6, Y7)

pair256:
	VBROADCASTSD (SI), Y12
	VBROADCASTSD 8(SI), Y13
	PAIR256(0, Y0, Y4)
	PAIR256(32, Y1, Y5)
	PAIR256(64, Y2, Y6)
	PAIR256(96, Y3, Y7)
	ADDQ $64, SI
	ADDQ $128, DX
	DECQ CX
	JNZ  pair256

	MOVQ DI, R9
	STORE256(Y0, Y1, Y2, Y3)
	STORE256(Y4, Y5, Y6, Y7)
	VZEROUPPER
	RET
