#include "textflag.h"

// The bytes of the vertex of key K, in X.
#define VERTEX(K, X) \
	MOVL (8*K)(SI), AX \
	IMULQ R8, AX       \
	VMOVUPS (DI)(AX*1), X

// Four words where TO is.
#define STORE(X, TO, NEXT) \
	TESTQ TO, TO            \
	JZ NEXT                 \
	VMOVUPS X, (TO)(DX*4)   \
NEXT:

// func fetchAVX(to *[4]*uint32, keys *VertexKey, data *byte, stride uint64, n int, ahead uint64)
TEXT ·fetchAVX(SB), NOSPLIT, $0-48
	MOVQ to+0(FP), AX
	MOVQ 0(AX), R9
	MOVQ 8(AX), R10
	MOVQ 16(AX), R11
	MOVQ 24(AX), R12
	MOVQ keys+8(FP), SI
	MOVQ data+16(FP), DI
	MOVQ stride+24(FP), R8
	MOVQ n+32(FP), CX
	MOVQ ahead+40(FP), R13
	LEAQ (R8)(R8*2), BX
	XORQ DX, DX

four:
	TESTQ SI, SI
	JZ run
	VERTEX(0, X0)
	VERTEX(1, X1)
	VERTEX(2, X2)
	VERTEX(3, X3)
	ADDQ $32, SI
	JMP words

run:
	LEAQ (DI)(R13*1), AX
	PREFETCHT0 (AX)
	PREFETCHT0 (AX)(R8*1)
	PREFETCHT0 (AX)(R8*2)
	PREFETCHT0 (AX)(BX*1)
	VMOVUPS (DI), X0
	VMOVUPS (DI)(R8*1), X1
	VMOVUPS (DI)(R8*2), X2
	VMOVUPS (DI)(BX*1), X3
	LEAQ (DI)(R8*4), DI

words:
	VUNPCKLPS X1, X0, X4
	VUNPCKLPS X3, X2, X5
	VUNPCKHPS X1, X0, X6
	VUNPCKHPS X3, X2, X7
	VMOVLHPS X5, X4, X0
	VMOVHLPS X4, X5, X1
	VMOVLHPS X7, X6, X2
	VMOVHLPS X6, X7, X3
	STORE(X0, R9, second)
	STORE(X1, R10, third)
	STORE(X2, R11, fourth)
	STORE(X3, R12, done)
	ADDQ $4, DX
	CMPQ DX, CX
	JLT four
	VZEROUPPER
	RET
