#include "textflag.h"

DATA one<>+0(SB)/4, $0x3F800000
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA codes<>+0(SB)/8, $0x406FE00000000000 // 255
GLOBL codes<>(SB), RODATA|NOPTR, $8
DATA two52<>+0(SB)/8, $0x4330000000000000 // 2^52
GLOBL two52<>(SB), RODATA|NOPTR, $8

// The codes of eight floats at (R)(DX*4), in Y0: clamped to [0, 1], NaN to 0,
// times 255 exactly, and rounded by the sum with 2^52.
#define CODES(R) \
	VMOVUPS (R)(DX*4), Y0     \
	VMAXPS Y15, Y0, Y0        \
	VMINPS Y14, Y0, Y0        \
	VEXTRACTF128 $1, Y0, X1   \
	VCVTPS2PD X0, Y0          \
	VCVTPS2PD X1, Y1          \
	VMULPD Y13, Y0, Y0        \
	VMULPD Y13, Y1, Y1        \
	VADDPD Y12, Y0, Y0        \
	VADDPD Y12, Y1, Y1        \
	VSHUFPS $0x88, Y1, Y0, Y0 \
	VPERMQ $0xD8, Y0, Y0

// func packAVX2(dst, red, green, blue, alpha *uint32, rs, bs uint64, n int)
TEXT ·packAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ red+8(FP), R8
	MOVQ green+16(FP), R9
	MOVQ blue+24(FP), R10
	MOVQ alpha+32(FP), R11
	VMOVQ rs+40(FP), X10
	VMOVQ bs+48(FP), X11
	MOVQ n+56(FP), CX
	VXORPS Y15, Y15, Y15
	VBROADCASTSS one<>(SB), Y14
	VBROADCASTSD codes<>(SB), Y13
	VBROADCASTSD two52<>(SB), Y12
	XORQ DX, DX

loop:
	CODES(R8)
	VPSLLD X10, Y0, Y2
	CODES(R9)
	VPSLLD $8, Y0, Y0
	VPOR Y0, Y2, Y2
	CODES(R10)
	VPSLLD X11, Y0, Y0
	VPOR Y0, Y2, Y2
	CODES(R11)
	VPSLLD $24, Y0, Y0
	VPOR Y0, Y2, Y2
	VMOVDQU Y2, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT loop
	VZEROUPPER
	RET
