#include "textflag.h"

DATA row4<>+0(SB)/4, $0x00000001
DATA row4<>+4(SB)/4, $0x00000002
DATA row4<>+8(SB)/4, $0x00000004
DATA row4<>+12(SB)/4, $0x00000008
DATA row4<>+16(SB)/4, $0x00010000
DATA row4<>+20(SB)/4, $0x00020000
DATA row4<>+24(SB)/4, $0x00040000
DATA row4<>+28(SB)/4, $0x00080000
GLOBL row4<>(SB), RODATA|NOPTR, $32

#define ARGS \
	MOVQ data+0(FP), DI         \
	MOVQ row+8(FP), SI          \
	MOVQ at+16(FP), R8          \
	MOVQ masks+24(FP), R9       \
	MOVQ z+32(FP), R10          \
	MOVQ n+40(FP), CX           \
	VBROADCASTSS lo+48(FP), Y14 \
	VBROADCASTSS hi+52(FP), Y13 \
	MOVQ op+56(FP), R11         \
	MOVQ write+64(FP), R12      \
	VXORPS Y15, Y15, Y15        \
	XORQ DX, DX

// Depth in X1 or Y1: a NaN becomes 0, then the range of the viewport.
#define CLAMP(A1, A2, LO, HI) \
	VCMPPS $7, A1, A1, A2 \
	VANDPS A2, A1, A1     \
	VMAXPS LO, A1, A1     \
	VMINPS A1, HI, A1

// Which depths Z pass against D, in R: by the code in R11 less, less or equal, greater,
// or greater or equal. The rest are names for labels.
#define COMPARE(Z, D, R, LE, ABOVE, GE, DONE) \
	CMPQ R11, $1        \
	JEQ LE              \
	JGT ABOVE           \
	VCMPPS $17, D, Z, R \
	JMP DONE            \
LE:                         \
	VCMPPS $18, D, Z, R \
	JMP DONE            \
ABOVE:                      \
	CMPQ R11, $3        \
	JEQ GE              \
	VCMPPS $30, D, Z, R \
	JMP DONE            \
GE:                         \
	VCMPPS $29, D, Z, R \
DONE:

// func depthD32AVX2(data *byte, row int, at *int, masks *uint64, z *float32, n int, lo, hi float32, op, write int)
TEXT ·depthD32AVX2(SB), NOSPLIT, $0-72
	ARGS

quad:
	MOVQ (R8)(DX*8), AX
	ADDQ DI, AX
	VMOVQ (AX), X0
	VMOVHPS (AX)(SI*1), X0, X0
	VMOVUPS (R10), X1
	CLAMP(X1, X2, X14, X13)
	COMPARE(X1, X0, X3, le, above, ge, covered)
	VPMOVZXWD (R9)(DX*8), X4
	VPSUBD X4, X15, X4
	VPAND X4, X3, X3
	VPSRLD $31, X3, X5
	VPACKUSDW X5, X5, X5
	VMOVQ X5, (R9)(DX*8)
	TESTQ R12, R12
	JZ next
	VMOVMSKPS X3, BX
	CMPL BX, $15
	JNE some
	VMOVQ X1, (AX)
	VMOVHPS X1, (AX)(SI*1)

next:
	ADDQ $16, R10
	INCQ DX
	CMPQ DX, CX
	JLT quad
	VZEROUPPER
	RET

some:
	TESTL $1, BX
	JZ second
	VMOVSS X1, (AX)

second:
	TESTL $2, BX
	JZ third
	VEXTRACTPS $1, X1, 4(AX)

third:
	TESTL $4, BX
	JZ fourth
	VEXTRACTPS $2, X1, (AX)(SI*1)

fourth:
	TESTL $8, BX
	JZ next
	VEXTRACTPS $3, X1, 4(AX)(SI*1)
	JMP next

// func depthD32x4AVX2(data *byte, row int, at *int, masks *uint64, z *float32, n int, lo, hi float32, op, write int)
TEXT ·depthD32x4AVX2(SB), NOSPLIT, $0-72
	ARGS
	VMOVDQU row4<>(SB), Y12
	SHLQ $1, CX // rows of quads: 8 samples, half a mask

rows:
	MOVQ DX, BX
	SHRQ $1, BX
	MOVQ (R8)(BX*8), AX
	ADDQ DI, AX
	TESTQ $1, DX
	JZ first
	ADDQ SI, AX

first:
	VMOVUPS (AX), Y0
	VMOVUPS (R10), Y1
	CLAMP(Y1, Y2, Y14, Y13)
	COMPARE(Y1, Y0, Y3, le4, above4, ge4, covered4)
	VPBROADCASTD (R9)(DX*4), Y4
	VPAND Y12, Y4, Y4
	VPCMPEQD Y12, Y4, Y4
	VPAND Y4, Y3, Y3
	VMOVMSKPS Y3, BX
	MOVL BX, R13
	SHLL $12, R13
	ORL BX, R13
	ANDL $0x000F000F, R13
	MOVL R13, (R9)(DX*4)
	TESTQ R12, R12
	JZ next4
	TESTL BX, BX
	JZ next4
	CMPL BX, $255
	JNE some4
	VMOVUPS Y1, (AX)

next4:
	ADDQ $32, R10
	INCQ DX
	CMPQ DX, CX
	JLT rows
	VZEROUPPER
	RET

some4:
	VMASKMOVPS Y1, Y3, (AX)
	JMP next4
