#include "textflag.h"

// All functions take rows of n numbers, a multiple of 8, and use AVX2. No operation is fused: each
// sum and product is rounded, in the order of kernel.go.

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8

// func add256(n int, out, up, down, left, right *float64, weight float64)
TEXT ·add256(SB), NOSPLIT, $0-56
	MOVQ         n+0(FP), CX
	MOVQ         out+8(FP), DI
	MOVQ         up+16(FP), SI
	MOVQ         down+24(FP), DX
	MOVQ         left+32(FP), R8
	MOVQ         right+40(FP), R9
	VBROADCASTSD weight+48(FP), Y15
	SHLQ         $3, CX
	XORQ         AX, AX

addLoop:
	VMOVUPD (DX)(AX*1), Y0
	VMOVUPD 32(DX)(AX*1), Y1
	VSUBPD  (SI)(AX*1), Y0, Y0
	VSUBPD  32(SI)(AX*1), Y1, Y1
	VADDPD  (R9)(AX*1), Y0, Y0
	VADDPD  32(R9)(AX*1), Y1, Y1
	VSUBPD  (R8)(AX*1), Y0, Y0
	VSUBPD  32(R8)(AX*1), Y1, Y1
	VMULPD  Y15, Y0, Y0
	VMULPD  Y15, Y1, Y1
	VADDPD  (DI)(AX*1), Y0, Y0
	VADDPD  32(DI)(AX*1), Y1, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     addLoop
	VZEROUPPER
	RET

// func grow256(n int, to, from *float64)
TEXT ·grow256(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	MOVQ         to+8(FP), DI
	MOVQ         from+16(FP), SI
	VBROADCASTSD one<>(SB), Y15
	SHLQ         $3, CX
	XORQ         AX, AX

growLoop:
	VADDPD  (SI)(AX*1), Y15, Y0
	VADDPD  32(SI)(AX*1), Y15, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     growLoop
	VZEROUPPER
	RET
