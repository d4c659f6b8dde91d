#include "textflag.h"

// The position of the quad at (SI) relative to the reference point R8, R9, in
// subpixels: X in Y0, Y in Y1, four times each.
#define PLACE \
	MOVL (SI), AX         \
	SHLL $8, AX           \
	SUBL R8, AX           \
	VCVTSI2SDL AX, X0, X0 \
	VBROADCASTSD X0, Y0   \
	MOVL 4(SI), AX        \
	SHLL $8, AX           \
	SUBL R9, AX           \
	VCVTSI2SDL AX, X1, X1 \
	VBROADCASTSD X1, Y1

// func planeAVX2(dst *float32, quads *Quad, n int, places *quadPoints, groups int, p *Plane, refX, refY int32)
TEXT ·planeAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ quads+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ places+24(FP), R10
	MOVQ groups+32(FP), R11
	MOVQ p+40(FP), AX
	MOVL refX+48(FP), R8
	MOVL refY+52(FP), R9
	VBROADCASTSD 0(AX), Y15
	VBROADCASTSD 8(AX), Y14
	VBROADCASTSD 16(AX), Y13

quad:
	PLACE
	MOVQ R10, BX
	MOVQ R11, DX

group:
	VADDPD (BX), Y0, Y2
	VADDPD 32(BX), Y1, Y3
	VMOVAPD Y15, Y4
	VFMADD231PD Y3, Y13, Y4
	VFMADD231PD Y2, Y14, Y4
	VCVTPD2PSY Y4, X4
	VMOVUPS X4, (DI)
	ADDQ $16, DI
	ADDQ $64, BX
	DECQ DX
	JNZ group
	ADDQ $16, SI
	DECQ CX
	JNZ quad
	VZEROUPPER
	RET
