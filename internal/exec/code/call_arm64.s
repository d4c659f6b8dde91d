#include "textflag.h"

// func call(code, frame uintptr)
//
// The code is a leaf: it pushes nothing and leaves SP, R18, R27 to R30 alone.
TEXT ·call(SB), NOSPLIT, $0-16
	MOVD code+0(FP), R9
	MOVD frame+8(FP), R0
	CALL (R9)
	RET
