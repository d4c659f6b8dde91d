#include "textflag.h"

// func gatherAVX2(d, offset *uint32, data *byte, last uint32, n int)
TEXT ·gatherAVX2(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ offset+8(FP), SI
	MOVQ data+16(FP), R8
	MOVL last+24(FP), AX
	VMOVD AX, X3
	VPBROADCASTD X3, Y3
	MOVQ n+32(FP), CX
	XORQ DX, DX

eight:
	VMOVDQU (SI)(DX*4), Y0
	VPMINUD Y3, Y0, Y1
	VPCMPEQD Y0, Y1, Y1 // offset <= last
	VPXOR Y2, Y2, Y2
	VPGATHERDD Y1, (R8)(Y0*1), Y2
	VMOVDQU Y2, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT eight
	VZEROUPPER
	RET
