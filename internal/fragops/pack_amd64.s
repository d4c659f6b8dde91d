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

// The texels of eight lanes, in Y2.
#define WORDS \
	CODES(R8)           \
	VPSLLD X10, Y0, Y2  \
	CODES(R9)           \
	VPSLLD $8, Y0, Y0   \
	VPOR Y0, Y2, Y2     \
	CODES(R10)          \
	VPSLLD X11, Y0, Y0  \
	VPOR Y0, Y2, Y2     \
	CODES(R11)          \
	VPSLLD $24, Y0, Y0  \
	VPOR Y0, Y2, Y2

// The texels of two quads, from memory to Y8: an upper and a lower row of two each.
// AX and R13 are the places of the upper ones.
#define LOAD \
	MOVQ (R12), AX                \
	MOVQ 8(R12), R13              \
	ADDQ DI, AX                   \
	ADDQ DI, R13                  \
	VMOVQ (AX), X8                \
	VMOVHPS (AX)(SI*1), X8, X8    \
	VMOVQ (R13), X0               \
	VMOVHPS (R13)(SI*1), X0, X0   \
	VINSERTI128 $1, X0, Y8, Y8

// The same back from Y2.
#define STORE \
	VMOVQ X2, (AX)                \
	VMOVHPS X2, (AX)(SI*1)        \
	VEXTRACTI128 $1, Y2, X0       \
	VMOVQ X0, (R13)               \
	VMOVHPS X0, (R13)(SI*1)       \
	ADDQ $16, R12

// What the kernels of quads begin with.
#define QUADARGS \
	MOVQ data+0(FP), DI    \
	MOVQ row+8(FP), SI     \
	MOVQ at+16(FP), R12    \
	MOVQ red+24(FP), R8    \
	MOVQ green+32(FP), R9  \
	MOVQ blue+40(FP), R10  \
	MOVQ alpha+48(FP), R11 \
	VMOVQ rs+56(FP), X10   \
	VMOVQ bs+64(FP), X11

// What CODES and MIX count on, and the first lane.
#define CONSTANTS \
	VXORPS Y15, Y15, Y15          \
	VBROADCASTSS one<>(SB), Y14   \
	VBROADCASTSD codes<>(SB), Y13 \
	VBROADCASTSD two52<>(SB), Y12 \
	XORQ DX, DX

// func packQuadsAVX2(data *byte, row int, at *int, red, green, blue, alpha *uint32, rs, bs, keep uint64, n int)
TEXT ·packQuadsAVX2(SB), NOSPLIT, $0-88
	QUADARGS
	VMOVQ keep+72(FP), X9
	VPBROADCASTD X9, Y9
	MOVQ n+80(FP), CX
	CONSTANTS

quads:
	LOAD
	VPAND Y9, Y8, Y8
	WORDS
	VPANDN Y2, Y9, Y2
	VPOR Y8, Y2, Y2
	STORE
	ADDQ $8, DX
	CMPQ DX, CX
	JLT quads
	VZEROUPPER
	RET

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
	CONSTANTS

loop:
	WORDS
	VMOVDQU Y2, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT loop
	VZEROUPPER
	RET

DATA low8<>+0(SB)/4, $0x000000FF
GLOBL low8<>(SB), RODATA|NOPTR, $4
DATA codesF<>+0(SB)/4, $0x437F0000 // 255
GLOBL codesF<>(SB), RODATA|NOPTR, $4

// One component of eight texels: Y0 holds the source times its factor, S the
// component's place in the words Y8, Y9 is 1 − alpha; the code joins Y2.
#define MIX(S) \
	VPSRLD S, Y8, Y1          \
	VPAND Y7, Y1, Y1          \
	VCVTDQ2PS Y1, Y1          \
	VDIVPS Y6, Y1, Y1         \
	VMULPS Y9, Y1, Y1         \
	VADDPS Y1, Y0, Y0         \
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
	VPERMQ $0xD8, Y0, Y0      \
	VPSLLD S, Y0, Y0          \
	VPOR Y0, Y2, Y2

#define SOURCE(R) \
	VMOVUPS (R)(DX*4), Y0 \
	VMAXPS Y15, Y0, Y0    \
	VMINPS Y14, Y0, Y0    \
	VMULPS Y5, Y0, Y0

// Red, green and blue of eight lanes over Y8, in Y2, and alpha in Y0.
#define COLORS \
	VPXOR Y2, Y2, Y2        \
	VMOVUPS (R11)(DX*4), Y5 \
	VMAXPS Y15, Y5, Y5      \
	VMINPS Y14, Y5, Y5      \
	VSUBPS Y5, Y14, Y9      \
	SOURCE(R8)              \
	MIX(X10)                \
	SOURCE(R9)              \
	MIX($8)                 \
	SOURCE(R10)             \
	MIX(X11)                \
	VMOVAPS Y5, Y0

// func overQuadsAVX2(data *byte, row int, at *int, red, green, blue, alpha *uint32, rs, bs, square uint64, n int)
TEXT ·overQuadsAVX2(SB), NOSPLIT, $0-88
	QUADARGS
	MOVQ square+72(FP), BX
	MOVQ n+80(FP), CX
	CONSTANTS
	VPBROADCASTD low8<>(SB), Y7
	VBROADCASTSS codesF<>(SB), Y6

overPair:
	LOAD
	COLORS
	TESTQ BX, BX
	JZ overSame
	VMULPS Y5, Y0, Y0

overSame:
	MIX($24)
	STORE
	ADDQ $8, DX
	CMPQ DX, CX
	JLT overPair
	VZEROUPPER
	RET

// func overAVX2(words, red, green, blue, alpha *uint32, rs, bs, square uint64, n int)
TEXT ·overAVX2(SB), NOSPLIT, $0-72
	MOVQ words+0(FP), DI
	MOVQ red+8(FP), R8
	MOVQ green+16(FP), R9
	MOVQ blue+24(FP), R10
	MOVQ alpha+32(FP), R11
	VMOVQ rs+40(FP), X10
	VMOVQ bs+48(FP), X11
	MOVQ square+56(FP), BX
	MOVQ n+64(FP), CX
	CONSTANTS
	VPBROADCASTD low8<>(SB), Y7
	VBROADCASTSS codesF<>(SB), Y6

overLoop:
	VMOVDQU (DI)(DX*4), Y8
	COLORS
	TESTQ BX, BX
	JZ overOne
	VMULPS Y5, Y0, Y0

overOne:
	MIX($24)
	VMOVDQU Y2, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT overLoop
	VZEROUPPER
	RET
