//go:build !race

#include "textflag.h"

// func storeRelease(p *uint64, v uint64)
TEXT ·storeRelease(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), CX
	MOVQ CX, (AX) // not XCHGQ, as atomic.StoreUint64: later loads need not wait for the cache line
	RET

// func prefetchRead(p *byte, lines int)
TEXT ·prefetchRead(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ lines+8(FP), CX
read:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JNE  read
	RET

// func prefetchWrite(p *byte, lines int)
TEXT ·prefetchWrite(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ lines+8(FP), CX
write:
	BYTE $0x0f; BYTE $0x0d; BYTE $0x08 // PREFETCHW (AX), which Go's assembler does not know
	ADDQ $64, AX
	DECQ CX
	JNE  write
	RET
