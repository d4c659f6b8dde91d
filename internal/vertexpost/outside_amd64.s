#include "textflag.h"

// The bits of raster.Outcode, from OutLeft to OutInvalid, without OutGuard.
DATA bits<>+0(SB)/4, $1
DATA bits<>+4(SB)/4, $2
DATA bits<>+8(SB)/4, $4
DATA bits<>+12(SB)/4, $8
DATA bits<>+16(SB)/4, $16
DATA bits<>+20(SB)/4, $32
DATA bits<>+24(SB)/4, $64
DATA bits<>+28(SB)/4, $256
GLOBL bits<>(SB), RODATA|NOPTR, $32
DATA signBit<>+0(SB)/4, $0x80000000
GLOBL signBit<>(SB), RODATA|NOPTR, $4
DATA exponent<>+0(SB)/4, $0x7F800000
GLOBL exponent<>(SB), RODATA|NOPTR, $4
DATA minW<>+0(SB)/4, $0x1F800000 // 2^-64
GLOBL minW<>(SB), RODATA|NOPTR, $4

// The bit at BITS joins Y5 where A and B compare by OP: 1 less, 2 less or equal.
#define BIT(OP, A, B, BITS) \
	VCMPPS OP, B, A, Y6           \
	VPBROADCASTD BITS, Y7         \
	VPAND Y7, Y6, Y6              \
	VPOR Y6, Y5, Y5

// All bits of Y8 where A is no number or infinite.
#define BAD(A) \
	VPAND A, Y13, Y6     \
	VPCMPEQD Y13, Y6, Y6 \
	VPOR Y6, Y8, Y8

// func outsideAVX2(out *raster.Outcode, x, y, z, w *uint32, n, depth int)
TEXT ·outsideAVX2(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ z+24(FP), R10
	MOVQ w+32(FP), R11
	MOVQ n+40(FP), CX
	MOVQ depth+48(FP), BX
	VPBROADCASTD signBit<>(SB), Y14
	VPBROADCASTD exponent<>(SB), Y13
	VPBROADCASTD minW<>(SB), Y12
	VPXOR Y11, Y11, Y11
	XORQ DX, DX

eight:
	VMOVUPS (R8)(DX*4), Y0
	VMOVUPS (R9)(DX*4), Y1
	VMOVUPS (R10)(DX*4), Y2
	VMOVUPS (R11)(DX*4), Y3
	VPXOR Y14, Y3, Y4 // -w
	VPXOR Y5, Y5, Y5
	BIT($1, Y0, Y4, bits<>+0(SB))
	BIT($1, Y3, Y0, bits<>+4(SB))
	BIT($1, Y1, Y4, bits<>+8(SB))
	BIT($1, Y3, Y1, bits<>+12(SB))
	CMPQ BX, $1
	JLT flat
	JEQ zero
	VMOVAPS Y4, Y10
	JMP deep

zero:
	VMOVAPS Y11, Y10

deep:
	BIT($1, Y2, Y10, bits<>+16(SB))
	BIT($1, Y3, Y2, bits<>+20(SB))

flat:
	BIT($2, Y3, Y12, bits<>+24(SB))
	VPXOR Y8, Y8, Y8
	BAD(Y0)
	BAD(Y1)
	BAD(Y2)
	BAD(Y3)
	VPBROADCASTD bits<>+28(SB), Y7
	VPAND Y7, Y8, Y8
	VPOR Y8, Y5, Y5
	VMOVDQU Y5, (DI)(DX*4)
	ADDQ $8, DX
	CMPQ DX, CX
	JLT eight
	VZEROUPPER
	RET
