package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// simple are operations that are one instruction, of one operand or two.
var simple = [ir.Ops]arm64.Op{
	ir.OpIAdd: arm64.ADD4S, ir.OpISub: arm64.SUB4S, ir.OpIMul: arm64.MUL4S, ir.OpAnd: arm64.AND, ir.OpOr: arm64.ORR, ir.OpXor: arm64.EOR,
	ir.OpSMin: arm64.SMIN4S, ir.OpSMax: arm64.SMAX4S, ir.OpUMin: arm64.UMIN4S, ir.OpUMax: arm64.UMAX4S,
	ir.OpFAdd: arm64.FADD4S, ir.OpFSub: arm64.FSUB4S, ir.OpFMul: arm64.FMUL4S, ir.OpFDiv: arm64.FDIV4S,
	ir.OpIEq: arm64.CMEQ4S, ir.OpFEq: arm64.FCMEQ4S,
	ir.OpINeg: arm64.NEG4S, ir.OpNot: arm64.NOT, ir.OpFNeg: arm64.FNEG4S, ir.OpFAbs: arm64.FABS4S, ir.OpFSqrt: arm64.FSQRT4S,
	ir.OpFRoundEven: arm64.FRINTN4S, ir.OpFFloor: arm64.FRINTM4S, ir.OpFCeil: arm64.FRINTP4S, ir.OpFTrunc: arm64.FRINTZ4S,
	// Conversions to integers saturate, and give 0 for NaNs.
	ir.OpS2F: arm64.SCVTF4S, ir.OpU2F: arm64.UCVTF4S, ir.OpF2S: arm64.FCVTZS4S, ir.OpF2U: arm64.FCVTZU4S,
}

// turned are comparisons that an instruction does with its operands exchanged.
var turned = [ir.Ops]arm64.Op{
	ir.OpSLt: arm64.CMGT4S, ir.OpSLe: arm64.CMGE4S, ir.OpULt: arm64.CMHI4S, ir.OpULe: arm64.CMHS4S, ir.OpFLt: arm64.FCMGT4S, ir.OpFLe: arm64.FCMGE4S,
}

// translatesOp says whether op writes the operation, or leaves it to Go.
func translatesOp(op ir.Op) bool {
	if simple[op] != 0 || turned[op] != 0 || compares(op) {
		return true
	}
	switch op {
	case ir.OpIMulHiU, ir.OpIMulHiS, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod, ir.OpShl, ir.OpShrU, ir.OpShrS, ir.OpBitCount, ir.OpBitReverse,
		ir.OpFindLSB, ir.OpFindSMSB, ir.OpFindUMSB, ir.OpBitFieldU, ir.OpBitFieldS, ir.OpBitFieldMask, ir.OpSelect,
		ir.OpFma, ir.OpFMin, ir.OpFMax, ir.OpFSign, ir.OpFInvSqrt, ir.OpQuantize16, ir.OpF2H, ir.OpH2F:
		return true
	}
	return op >= ir.OpFRem && op <= ir.OpFrexpExp
}

// op writes an operation: d = op(a, b, c). d may be the register of an operand, and is
// written last.
func (e *emitter) op(op ir.Op, d arm64.V, a, b, c operand) {
	info, _ := ir.InfoOf(op)
	if o := simple[op]; o != 0 {
		if len(info.Args) == 1 {
			e.V2(o, d, e.in(a, scratch0))
		} else {
			e.V3(o, d, e.in(a, scratch0), e.in(b, scratch1))
		}
		return
	}
	if o := turned[op]; o != 0 {
		x := e.in(a, scratch0)
		e.V3(o, d, e.in(b, scratch1), x)
		return
	}
	switch op {
	case ir.OpINe, ir.OpFNe, ir.OpFIsNan, ir.OpFIsInf, ir.OpFOrd, ir.OpFUnord:
		e.compare(op, d, a, b)
	case ir.OpShl, ir.OpShrU, ir.OpShrS:
		e.shift(op, d, a, b)
	case ir.OpSelect:
		e.selects(d, e.in(a, scratch0), e.in(b, scratch1), e.in(c, scratch2))
	case ir.OpFma:
		e.multiplyAdd(arm64.FMLA4S, d, e.in(a, scratch0), e.in(b, scratch1), e.in(c, scratch2))
	case ir.OpFMin, ir.OpFMax:
		e.minMax(op, d, a, b)
	case ir.OpFSign:
		x := e.in(a, scratch0)
		e.constant(scratch1, 0x3F800000)
		e.constant(scratch2, 0xBF800000)
		e.V2(arm64.FCMGT04S, scratch3, x)
		e.V2(arm64.FCMLT04S, scratch4, x)
		e.V3(arm64.AND, scratch1, scratch1, scratch3)
		e.V3(arm64.AND, scratch2, scratch2, scratch4)
		e.V3(arm64.ORR, d, scratch1, scratch2)
	case ir.OpFInvSqrt:
		e.V2(arm64.FSQRT4S, scratch0, e.in(a, scratch0))
		e.constant(scratch1, 0x3F800000)
		e.V3(arm64.FDIV4S, d, scratch1, scratch0)
	case ir.OpF2H:
		e.toHalf(d, e.in(a, scratch0))
	case ir.OpH2F:
		e.fromHalf(d, e.in(a, scratch0))
	case ir.OpQuantize16:
		e.toHalf(scratch1, e.in(a, scratch0))
		e.fromHalf(d, scratch1)
	case ir.OpBitCount:
		e.V2(arm64.CNT, scratch0, e.in(a, scratch0))
		e.V2(arm64.UADDLP8H, scratch0, scratch0)
		e.V2(arm64.UADDLP4S, d, scratch0)
	case ir.OpBitReverse:
		e.V2(arm64.RBIT, scratch0, e.in(a, scratch0))
		e.V2(arm64.REV4S, d, scratch0)
	case ir.OpFindLSB, ir.OpFindUMSB, ir.OpFindSMSB:
		e.find(op, d, e.in(a, scratch0))
	case ir.OpBitFieldU, ir.OpBitFieldS, ir.OpBitFieldMask:
		e.bitField(op, d, a, b, c)
	case ir.OpIMulHiU, ir.OpIMulHiS:
		low, high := arm64.UMULL2D, arm64.UMULL22D
		if op == ir.OpIMulHiS {
			low, high = arm64.SMULL2D, arm64.SMULL22D
		}
		x, y := e.in(a, scratch0), e.in(b, scratch1)
		e.V3(low, scratch2, x, y)
		e.V3(high, scratch3, x, y)
		e.V3(arm64.UZP24S, d, scratch2, scratch3)
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod:
		e.divide(op, d, e.in(a, scratch0), e.in(b, scratch1))
	default:
		if writesFunction(op) {
			e.function(op, d, a, b)
		} else {
			e.serve(op, d, a, b)
		}
	}
}

// compare writes a comparison that takes more than one instruction.
func (e *emitter) compare(op ir.Op, d arm64.V, a, b operand) {
	x, y := e.in(a, scratch0), scratch1
	switch op {
	case ir.OpFIsInf:
		e.V2(arm64.FABS4S, scratch0, x)
		e.constant(scratch1, 0x7F800000)
		e.V3(arm64.CMEQ4S, d, scratch0, scratch1)
		return
	case ir.OpINe:
		e.V3(arm64.CMEQ4S, scratch2, x, e.in(b, y))
	case ir.OpFNe:
		e.V3(arm64.FCMEQ4S, scratch2, x, e.in(b, y))
	case ir.OpFIsNan:
		e.V3(arm64.FCMEQ4S, scratch2, x, x)
	default:
		y = e.in(b, y)
		e.V3(arm64.FCMEQ4S, scratch2, x, x)
		e.V3(arm64.FCMEQ4S, scratch3, y, y)
		if op == ir.OpFOrd {
			e.V3(arm64.AND, d, scratch2, scratch3)
			return
		}
		e.V3(arm64.AND, scratch2, scratch2, scratch3)
	}
	e.V2(arm64.NOT, d, scratch2)
}

func (e *emitter) shift(op ir.Op, d arm64.V, a, b operand) {
	x := e.in(a, scratch0)
	if n, ok := e.constantOf(max(b.r, 0)); ok && b.scalar {
		switch n &= 31; {
		case n == 0:
			e.MOV(d, x)
		case op == ir.OpShl:
			e.Shift(arm64.SHL4S, d, x, int(n))
		case op == ir.OpShrU:
			e.Shift(arm64.USHR4S, d, x, int(n))
		default:
			e.Shift(arm64.SSHR4S, d, x, int(n))
		}
		return
	}
	e.constant(scratch2, 31)
	e.V3(arm64.AND, scratch1, e.in(b, scratch1), scratch2)
	by := arm64.USHL4S
	if op == ir.OpShrS {
		by = arm64.SSHL4S
	}
	if op != ir.OpShl {
		e.V2(arm64.NEG4S, scratch1, scratch1)
	}
	e.V3(by, d, x, scratch1)
}

// selects sets d to x in the lanes of a mask, else to y, by the instruction that overwrites
// what d holds already.
func (e *emitter) selects(d, k, x, y arm64.V) {
	switch {
	case e.same(d, x):
		e.become(d, x, &k, &y)
		e.V3(arm64.BIF, d, y, k)
	case e.same(d, y):
		e.become(d, y, &k, &x)
		e.V3(arm64.BIT, d, x, k)
	default:
		e.become(d, k, &x, &y)
		e.V3(arm64.BSL, d, x, y)
	}
}

// become sets d to z, and other operands to d where that is their register.
func (e *emitter) become(d, z arm64.V, others ...*arm64.V) {
	for _, x := range others {
		if e.same(d, *x) {
			*x = d
		}
	}
	e.move(d, z)
}

// multiplyAdd writes d = x·y + z, rounded once; the instruction adds to what d holds.
func (e *emitter) multiplyAdd(by arm64.Op, d, x, y, z arm64.V) {
	switch {
	case e.same(d, z):
		e.become(d, z, &x, &y)
		e.V3(by, d, x, y)
	case !e.same(d, x) && !e.same(d, y):
		e.MOV(d, z)
		e.V3(by, d, x, y)
	default:
		e.MOV(scratch3, z)
		e.V3(by, scratch3, x, y)
		e.MOV(d, scratch3)
	}
}

// minMax is IEEE's minNum or maxNum with ordered zeros: the other operand where one is a
// NaN. The instruction differs for signalling ones, and does not make the NaN of two
// canonical.
func (e *emitter) minMax(op ir.Op, d arm64.V, a, b operand) {
	by := arm64.FMINNM4S
	if op == ir.OpFMax {
		by = arm64.FMAXNM4S
	}
	x, y := e.in(a, scratch0), e.in(b, scratch1)
	for i, z := range [2]*arm64.V{&x, &y} {
		if e.floats[i]&isQuiet == 0 {
			to := [2]arm64.V{scratch0, scratch1}[i]
			e.constant(scratch2, 0x3F800000)
			e.V3(arm64.FMUL4S, to, *z, scratch2)
			*z = to
		}
	}
	if (e.floats[0]|e.floats[1])&isNumber != 0 {
		e.V3(by, d, x, y)
		return
	}
	e.V3(by, scratch0, x, y)
	e.canon(d, scratch0)
}

// toHalf rounds to binary16, NaNs canonical.
func (e *emitter) toHalf(d, x arm64.V) {
	e.canon(scratch4, x)
	e.V2(arm64.FCVTN4H, scratch4, scratch4)
	e.V2(arm64.UXTL4S, d, scratch4)
}

// fromHalf widens binary16 in the low halves of x, NaNs canonical.
func (e *emitter) fromHalf(d, x arm64.V) {
	e.V2(arm64.XTN4H, scratch4, x)
	e.V2(arm64.FCVTL4S, scratch4, scratch4)
	e.canon(d, scratch4)
}

func (e *emitter) find(op ir.Op, d, x arm64.V) {
	switch op {
	case ir.OpFindLSB: // the bit alone
		e.V2(arm64.NEG4S, scratch1, x)
		e.V3(arm64.AND, scratch1, scratch1, x)
		x = scratch1
	case ir.OpFindSMSB:
		e.Shift(arm64.SSHR4S, scratch1, x, 31)
		e.V3(arm64.EOR, scratch1, scratch1, x)
		x = scratch1
	}
	e.V2(arm64.CLZ4S, scratch1, x)
	e.constant(scratch2, 31)
	e.V3(arm64.SUB4S, d, scratch2, scratch1)
}

// upTo32 sets d to the smaller of x and 32: shifts look at the lowest byte of how far.
func (e *emitter) upTo32(d, x arm64.V) {
	e.constant(scratch4, 32)
	e.V3(arm64.UMIN4S, d, x, scratch4)
}

// lowBits sets d to words with the n lowest bits set, n at most 32.
func (e *emitter) lowBits(d, n arm64.V) {
	e.constant(scratch4, 1)
	e.V3(arm64.USHL4S, d, scratch4, n) // 0 for 32
	e.V3(arm64.SUB4S, d, d, scratch4)
}

func (e *emitter) bitField(op ir.Op, d arm64.V, a, b, c operand) {
	if op == ir.OpBitFieldMask { // a = offset, b = count
		e.upTo32(scratch1, e.in(b, scratch1))
		e.lowBits(scratch2, scratch1)
		e.upTo32(scratch0, e.in(a, scratch0))
		e.V3(arm64.USHL4S, d, scratch2, scratch0)
		return
	}
	x := e.in(a, scratch0)
	e.upTo32(scratch1, e.in(b, scratch1))
	e.V2(arm64.NEG4S, scratch1, scratch1)
	e.upTo32(scratch2, e.in(c, scratch2))
	e.lowBits(scratch3, scratch2)
	e.V3(arm64.USHL4S, scratch1, x, scratch1)
	if op == ir.OpBitFieldU {
		e.V3(arm64.AND, d, scratch1, scratch3)
		return
	}
	e.V3(arm64.AND, scratch1, scratch1, scratch3)
	e.constant(scratch4, 32) // shift the sign up and down
	e.V3(arm64.SUB4S, scratch2, scratch4, scratch2)
	e.V3(arm64.USHL4S, scratch1, scratch1, scratch2)
	e.V2(arm64.NEG4S, scratch2, scratch2)
	e.V3(arm64.SSHL4S, d, scratch1, scratch2) // 32 gives the sign
}

// divide divides integers in binary64, in which quotients of 32 bits truncate to the
// right integer: a quotient that is none is 2^-32 or more away from the next one above.
func (e *emitter) divide(op ir.Op, d, x, y arm64.V) {
	halves := [2]arm64.V{scratch2, scratch3}
	signed := op != ir.OpUDiv && op != ir.OpURem
	extend, convert, back := [2]arm64.Op{arm64.UXTL2D, arm64.UXTL22D}, arm64.UCVTF2D, arm64.FCVTZU2D
	if signed {
		extend, convert, back = [2]arm64.Op{arm64.SXTL2D, arm64.SXTL22D}, arm64.SCVTF2D, arm64.FCVTZS2D
	}
	for i, q := range halves {
		e.V2(extend[i], q, x)
		e.V2(extend[i], scratch4, y)
		e.V2(convert, q, q)
		e.V2(convert, scratch4, scratch4)
		e.V3(arm64.FDIV2D, q, q, scratch4)
		e.V2(back, q, q)
	}
	e.V3(arm64.UZP14S, scratch2, scratch2, scratch3)
	if op == ir.OpUDiv || op == ir.OpSDiv { // all ones where the divisor is 0
		e.V2(arm64.CMEQ04S, scratch3, y)
		e.V3(arm64.ORR, d, scratch2, scratch3)
		return
	}
	e.V3(arm64.MUL4S, scratch2, scratch2, y)
	if op != ir.OpSMod {
		e.V3(arm64.SUB4S, d, x, scratch2) // the dividend where the divisor is 0
		return
	}
	e.V3(arm64.SUB4S, scratch2, x, scratch2)
	e.V3(arm64.EOR, scratch3, scratch2, y)
	e.V2(arm64.CMLT04S, scratch3, scratch3) // of different signs
	e.V2(arm64.CMEQ04S, scratch4, scratch2)
	e.V3(arm64.BIC, scratch3, scratch3, scratch4)
	e.V3(arm64.AND, scratch3, scratch3, y)
	e.V3(arm64.ADD4S, d, scratch2, scratch3)
}

// pair is a product and the sum or difference that uses it, with two roundings.
func (e *emitter) pair(in *Inst, a, b, c operand) {
	z := e.to(in.D)
	e.V3(arm64.FMUL4S, scratch0, e.in(a, scratch0), e.in(b, scratch1))
	x := e.in(c, scratch1)
	switch in.Op {
	case FusedMulAdd:
		e.V3(arm64.FADD4S, z, scratch0, x)
	case FusedMulSub:
		e.V3(arm64.FSUB4S, z, scratch0, x)
	default:
		e.V3(arm64.FSUB4S, z, x, scratch0)
	}
	e.put(in.D, z)
}

// serve leaves an operation to Go.
func (e *emitter) serve(op ir.Op, d arm64.V, a, b operand) {
	info, _ := ir.InfoOf(op)
	e.Vec(arm64.STRQ, e.in(a, scratch0), regFrame, frameServeA)
	if len(info.Args) == 2 {
		e.Vec(arm64.STRQ, e.in(b, scratch0), regFrame, frameServeB)
	}
	e.Imm(step0, uint64(op))
	e.Gen(arm64.STRX, step0, regFrame, frameServeOp)
	e.Imm(step0, 1<<stripWidth-1)
	e.Gen(arm64.STRX, step0, regFrame, frameServeMask)
	back := e.NewLabel()
	e.leave(exitServe, back)
	e.Here(back)
	e.Vec(arm64.LDRQ, d, regFrame, frameServeD)
}
