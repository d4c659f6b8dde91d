#include "textflag.h"

// func storeWords(p *byte, n int, word uint64)
TEXT ·storeWords(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ word+16(FP), AX
	REP; STOSQ
	RET
