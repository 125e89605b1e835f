#include "textflag.h"

// func frames(pcs *[Depth]uintptr)
TEXT ·frames(SB), NOSPLIT|NOFRAME, $0-8
	MOVD pcs+0(FP), R0
	MOVD 8(g), R1 // the end of the stack
	SUB  $16, R1
	MOVD R29, R2
	MOVD RSP, R3
	MOVD $16, R4 // Depth
next:
	CMP  R3, R2 // the stack grows down: the frames of callers are above
	BLE  done
	CMP  R1, R2
	BGT  done
	MOVD 8(R2), R5
	MOVD R5, (R0)
	ADD  $8, R0
	MOVD R2, R3
	MOVD (R2), R2
	SUB  $1, R4
	CBNZ R4, next
done:
	RET
