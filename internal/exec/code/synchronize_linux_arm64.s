#include "textflag.h"

// func synchronizeRange(write, run, n uintptr)
//
// CTR_EL0 has the lengths of lines, as logarithms of words: of data in bits 16 to 19, of
// instructions in bits 0 to 3.
TEXT ·synchronizeRange(SB), NOSPLIT, $0-24
	MOVD write+0(FP), R0
	MOVD run+8(FP), R1
	MOVD n+16(FP), R2
	MRS  CTR_EL0, R3
	MOVD $4, R4
	UBFX $16, R3, $4, R5
	LSL  R5, R4, R5         // bytes of a line of data
	AND  $15, R3, R6
	LSL  R6, R4, R6         // and of one of instructions
	ADD  R0, R2, R7
	SUB  $1, R5, R8
	BIC  R8, R0, R0

data:
	WORD $0xD50B7B20        // DC CVAU, X0
	ADD  R5, R0, R0
	CMP  R7, R0
	BLO  data
	DSB  $11                // inner shareable
	ADD  R1, R2, R7
	SUB  $1, R6, R8
	BIC  R8, R1, R1

instructions:
	WORD $0xD50B7521        // IC IVAU, X1
	ADD  R6, R1, R1
	CMP  R7, R1
	BLO  instructions
	DSB  $11
	ISB  $15
	RET
