#include "textflag.h"

DATA scalar<>+0(SB)/8, $3.0
GLOBL scalar<>(SB), RODATA, $8

// func triad256(n int, a, b, c *float64)
//
// n is a multiple of 8. No operation is fused: each sum and product is rounded, in the order of
// goTriad.
TEXT ·triad256(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	MOVQ         a+8(FP), DI
	MOVQ         b+16(FP), SI
	MOVQ         c+24(FP), DX
	VBROADCASTSD scalar<>(SB), Y15
	SHLQ         $3, CX
	XORQ         AX, AX

loop:
	VMULPD  (DX)(AX*1), Y15, Y0
	VMULPD  32(DX)(AX*1), Y15, Y1
	VADDPD  (SI)(AX*1), Y0, Y0
	VADDPD  32(SI)(AX*1), Y1, Y1
	VADDPD  (DI)(AX*1), Y0, Y0
	VADDPD  32(DI)(AX*1), Y1, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET
