#include "textflag.h"

// The bytes of the vertex of key K, in X.
#define VERTEX(K, X) \
	MOVL (8*K)(SI), AX \
	IMULQ R8, AX       \
	VMOVUPS (DI)(AX*1), X

// Where rows go, from AX.
#define ROWS \
	MOVQ 0(AX), R9   \
	MOVQ 8(AX), R10  \
	MOVQ 16(AX), R11 \
	MOVQ 24(AX), R12

// Words of four vertices, in X0 to X3, to rows.
#define TRANSPOSE \
	VUNPCKLPS X1, X0, X4 \
	VUNPCKLPS X3, X2, X5 \
	VUNPCKHPS X1, X0, X6 \
	VUNPCKHPS X3, X2, X7 \
	VMOVLHPS X5, X4, X0  \
	VMOVHLPS X4, X5, X1  \
	VMOVLHPS X7, X6, X2  \
	VMOVHLPS X6, X7, X3

// Four words where TO is.
#define STORE(X, TO, NEXT) \
	TESTQ TO, TO            \
	JZ NEXT                 \
	VMOVUPS X, (TO)(DX*4)   \
NEXT:

// func fetchAVX(to *[4]*uint32, keys *vertexKey, data *byte, stride uint64, n int)
TEXT ·fetchAVX(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), AX
	ROWS
	MOVQ keys+8(FP), SI
	MOVQ data+16(FP), DI
	MOVQ stride+24(FP), R8
	MOVQ n+32(FP), CX
	XORQ DX, DX

four:
	VERTEX(0, X0)
	VERTEX(1, X1)
	VERTEX(2, X2)
	VERTEX(3, X3)
	TRANSPOSE
	STORE(X0, R9, second)
	STORE(X1, R10, third)
	STORE(X2, R11, fourth)
	STORE(X3, R12, done)
	ADDQ $32, SI
	ADDQ $4, DX
	CMPQ DX, CX
	JLT four
	VZEROUPPER
	RET

// func fetchRunAVX(to *[4]*uint32, data *byte, stride uint64, n int, ahead uint64)
TEXT ·fetchRunAVX(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), AX
	ROWS
	MOVQ data+8(FP), DI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	MOVQ ahead+32(FP), SI
	ADDQ DI, SI
	LEAQ (R8)(R8*2), BX
	XORQ DX, DX

four:
	PREFETCHT0 (SI)
	PREFETCHT0 (SI)(R8*1)
	PREFETCHT0 (SI)(R8*2)
	PREFETCHT0 (SI)(BX*1)
	VMOVUPS (DI), X0
	VMOVUPS (DI)(R8*1), X1
	VMOVUPS (DI)(R8*2), X2
	VMOVUPS (DI)(BX*1), X3
	TRANSPOSE
	STORE(X0, R9, second)
	STORE(X1, R10, third)
	STORE(X2, R11, fourth)
	STORE(X3, R12, done)
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R8*4), DI
	ADDQ $4, DX
	CMPQ DX, CX
	JLT four
	VZEROUPPER
	RET
