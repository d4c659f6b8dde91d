#include "textflag.h"

// func interpolateAVX2(dst *uint32, i, j *float32, v0, d1, d2 float32, n int)
TEXT ·interpolateAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ i+8(FP), SI
	MOVQ j+16(FP), R8
	VBROADCASTSS v0+24(FP), Y15
	VBROADCASTSS d1+28(FP), Y14
	VBROADCASTSS d2+32(FP), Y13
	MOVQ n+40(FP), CX
	XORQ DX, DX

loop:
	VMULPS (SI)(DX*4), Y14, Y0
	VADDPS Y0, Y15, Y0
	VMULPS (R8)(DX*4), Y13, Y1
	VADDPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT loop
	VZEROUPPER
	RET
