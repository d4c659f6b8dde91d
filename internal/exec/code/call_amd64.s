#include "textflag.h"

// func call(code, frame uintptr)
//
// The code is a leaf: it pushes nothing and leaves SP, BP and R14 alone.
TEXT ·call(SB), NOSPLIT, $0-16
	MOVQ code+0(FP), AX
	MOVQ frame+8(FP), DI
	CALL AX
	RET
