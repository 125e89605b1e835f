#include "textflag.h"

// func frames(pcs *[Depth]uintptr)
TEXT ·frames(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ pcs+0(FP), DI
	MOVQ (TLS), AX
	MOVQ 8(AX), DX // the end of the stack
	SUBQ $16, DX
	MOVQ BP, BX
	MOVQ SP, CX
	MOVQ $16, SI // Depth
next:
	CMPQ BX, CX // the stack grows down: the frames of callers are above
	JLE  done
	CMPQ BX, DX
	JGT  done
	MOVQ 8(BX), AX
	MOVQ AX, (DI)
	ADDQ $8, DI
	MOVQ BX, CX
	MOVQ (BX), BX
	DECQ SI
	JNZ  next
done:
	RET
