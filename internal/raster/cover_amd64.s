#include "textflag.h"

// Columns of the pixels of a row of quads.
DATA columns<>+0(SB)/8, $0x0000000100000000
DATA columns<>+8(SB)/8, $0x0000000100000000
DATA columns<>+16(SB)/8, $0x0000000300000002
DATA columns<>+24(SB)/8, $0x0000000300000002
DATA columns<>+32(SB)/8, $0x0000000500000004
DATA columns<>+40(SB)/8, $0x0000000500000004
DATA columns<>+48(SB)/8, $0x0000000700000006
DATA columns<>+56(SB)/8, $0x0000000700000006
GLOBL columns<>(SB), RODATA|NOPTR, $64

// func insideAVX512(edges *[4]HalfPlane, n int, x, y int32) uint64
TEXT ·insideAVX512(SB), NOSPLIT, $0-32
	MOVQ edges+0(FP), SI
	MOVQ n+8(FP), CX
	MOVLQSX x+16(FP), R8
	MOVLQSX y+20(FP), R9
	MOVL $0xCCCC, AX // pixels in the lower rows of quads
	KMOVW AX, K1
	VMOVDQU32 columns<>(SB), Z7
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3

edge:
	// The value at the first pixel. Steps between pixels are multiples of 256, by which
	// it is divided, rounding down: no sign changes.
	MOVLQSX 0(SI), AX
	IMULQ R8, AX
	MOVLQSX 4(SI), BX
	IMULQ R9, BX
	ADDQ 8(SI), AX
	ADDQ BX, AX
	SARQ $8, AX
	VPBROADCASTD AX, Z6
	VPBROADCASTD 4(SI), Z5
	VPMULLD.BCST 0(SI), Z7, Z4
	VPADDD Z4, Z6, Z6
	VPADDD Z5, Z6, K1, Z6
	VPADDD Z5, Z5, Z5
	VPORD Z6, Z0, Z0
	VPADDD Z5, Z6, Z6
	VPORD Z6, Z1, Z1
	VPADDD Z5, Z6, Z6
	VPORD Z6, Z2, Z2
	VPADDD Z5, Z6, Z6
	VPORD Z6, Z3, Z3
	ADDQ $16, SI
	DECQ CX
	JNZ edge

	// Signs are those of pixels that some edge does not keep.
	VPMOVD2M Z0, K2
	VPMOVD2M Z1, K3
	VPMOVD2M Z2, K4
	VPMOVD2M Z3, K5
	KMOVW K2, AX
	KMOVW K3, BX
	KMOVW K4, DX
	KMOVW K5, DI
	SHLQ $16, BX
	SHLQ $32, DX
	SHLQ $48, DI
	ORQ BX, AX
	ORQ DI, DX
	ORQ DX, AX
	NOTQ AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
