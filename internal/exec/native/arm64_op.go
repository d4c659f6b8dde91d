package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// armLane writes operations on lanes.
type armLane struct{ *armEmitter }

// armSimple are operations that are one instruction, of one operand or two.
var armSimple = [ir.Ops]arm64.Op{
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

// op writes an operation: d = op(a, b, c). d may be the register of an operand, and is
// written last.
func (e armLane) op(op ir.Op, d arm64.V, a, b, c operand) {
	info, _ := ir.InfoOf(op)
	if o := armSimple[op]; o != 0 {
		if len(info.Args) == 1 {
			e.V2(o, d, e.in(a, n0))
		} else {
			e.V3(o, d, e.in(a, n0), e.in(b, n1))
		}
		return
	}
	if o := turned[op]; o != 0 {
		x := e.in(a, n0)
		e.V3(o, d, e.in(b, n1), x)
		return
	}
	switch op {
	case ir.OpINe, ir.OpFNe, ir.OpFIsNan, ir.OpFIsInf, ir.OpFOrd, ir.OpFUnord:
		e.compare(op, d, a, b)
	case ir.OpShl, ir.OpShrU, ir.OpShrS:
		e.shift(op, d, a, b)
	case ir.OpSelect:
		e.selects(d, e.in(a, n0), e.in(b, n1), e.in(c, n2))
	case ir.OpFma:
		e.multiplyAdd(arm64.FMLA4S, d, e.in(a, n0), e.in(b, n1), e.in(c, n2))
	case ir.OpFMin, ir.OpFMax:
		e.minMax(op, d, a, b)
	case ir.OpFSign:
		x := e.in(a, n0)
		e.constant(n1, 0x3F800000)
		e.constant(n2, 0xBF800000)
		e.V2(arm64.FCMGT04S, n3, x)
		e.V2(arm64.FCMLT04S, n4, x)
		e.V3(arm64.AND, n1, n1, n3)
		e.V3(arm64.AND, n2, n2, n4)
		e.V3(arm64.ORR, d, n1, n2)
	case ir.OpFInvSqrt:
		e.V2(arm64.FSQRT4S, n0, e.in(a, n0))
		e.constant(n1, 0x3F800000)
		e.V3(arm64.FDIV4S, d, n1, n0)
	case ir.OpF2H:
		e.toHalf(d, e.in(a, n0))
	case ir.OpH2F:
		e.fromHalf(d, e.in(a, n0))
	case ir.OpQuantize16:
		e.canon(n4, e.in(a, n0)) // and so it stays
		e.V2(arm64.FCVTN4H, n4, n4)
		e.V2(arm64.FCVTL4S, d, n4)
	case ir.OpBitCount:
		e.V2(arm64.CNT, n0, e.in(a, n0))
		e.V2(arm64.UADDLP8H, n0, n0)
		e.V2(arm64.UADDLP4S, d, n0)
	case ir.OpBitReverse:
		e.V2(arm64.RBIT, n0, e.in(a, n0))
		e.V2(arm64.REV4S, d, n0)
	case ir.OpFindLSB, ir.OpFindUMSB, ir.OpFindSMSB:
		e.find(op, d, e.in(a, n0))
	case ir.OpBitFieldU, ir.OpBitFieldS, ir.OpBitFieldMask:
		e.bitField(op, d, a, b, c)
	case ir.OpIMulHiU, ir.OpIMulHiS:
		low, high := arm64.UMULL2D, arm64.UMULL22D
		if op == ir.OpIMulHiS {
			low, high = arm64.SMULL2D, arm64.SMULL22D
		}
		x, y := e.in(a, n0), e.in(b, n1)
		e.V3(low, n2, x, y)
		e.V3(high, n3, x, y)
		e.V3(arm64.UZP24S, d, n2, n3)
	case ir.OpIDot16:
		x, y := e.in(a, n0), e.in(b, n1)
		e.V3(arm64.SMULL4S, n2, x, y)
		e.V3(arm64.SMULL24S, n3, x, y)
		e.V3(arm64.ADDP4S, d, n2, n3)
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod:
		e.divide(op, d, e.in(a, n0), e.in(b, n1))
	case ir.OpFrexpMant, ir.OpFrexpExp:
		e.takeScale(op, d, e.in(a, n0))
	default:
		if writesFunction(op) {
			e.function(op, d, a, b)
		} else {
			e.serve(op, d, a, b)
		}
	}
}

// compare writes a comparison that takes more than one instruction.
func (e armLane) compare(op ir.Op, d arm64.V, a, b operand) {
	x, y := e.in(a, n0), n1
	switch op {
	case ir.OpFIsInf:
		e.V2(arm64.FABS4S, n0, x)
		e.constant(n1, 0x7F800000)
		e.V3(arm64.CMEQ4S, d, n0, n1)
		return
	case ir.OpINe:
		e.V3(arm64.CMEQ4S, n2, x, e.in(b, y))
	case ir.OpFNe:
		e.V3(arm64.FCMEQ4S, n2, x, e.in(b, y))
	case ir.OpFIsNan:
		e.V3(arm64.FCMEQ4S, n2, x, x)
	default:
		y = e.in(b, y)
		e.V3(arm64.FCMEQ4S, n2, x, x)
		e.V3(arm64.FCMEQ4S, n3, y, y)
		if op == ir.OpFOrd {
			e.V3(arm64.AND, d, n2, n3)
			return
		}
		e.V3(arm64.AND, n2, n2, n3)
	}
	e.V2(arm64.NOT, d, n2)
}

func (e armLane) shift(op ir.Op, d arm64.V, a, b operand) {
	x := e.in(a, n0)
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
	e.constant(n2, 31)
	e.V3(arm64.AND, n1, e.in(b, n1), n2)
	by := arm64.USHL4S
	if op == ir.OpShrS {
		by = arm64.SSHL4S
	}
	if op != ir.OpShl {
		e.V2(arm64.NEG4S, n1, n1)
	}
	e.V3(by, d, x, n1)
}

// selects sets d to x in the lanes of a mask, else to y, by the instruction that overwrites what d
// holds already: one that ends here, if there is one.
func (e armLane) selects(d, k, x, y arm64.V) {
	begins := func(z arm64.V) bool { return d == z || d != k && d != x && d != y && e.dies(z) }
	switch {
	case begins(x):
		e.from(d, x, &y, &k)
		e.V3(arm64.BIF, d, y, k)
	case begins(y):
		e.from(d, y, &x, &k)
		e.V3(arm64.BIT, d, x, k)
	default:
		e.from(d, k, &x, &y)
		e.V3(arm64.BSL, d, x, y)
	}
}

// from sets d to z, and has other operands that are z read it there, so that z may end before.
func (e armLane) from(d, z arm64.V, others ...*arm64.V) {
	e.move(d, z)
	for _, x := range others {
		if *x == z {
			*x = d
		}
	}
}

// dies says that nothing has a number behind the present instruction.
func (e armLane) dies(z arm64.V) bool {
	v := int32(z-firstValue) / 2
	return z < firstValue || v < e.b.lanes && e.ends[v] <= e.index
}

// multiplyAdd writes d = x·y + z, rounded once; the instruction adds to what d holds.
func (e armLane) multiplyAdd(by arm64.Op, d, x, y, z arm64.V) {
	if d != z && (d == x || d == y) {
		e.MOV(n3, z)
		e.V3(by, n3, x, y)
		e.MOV(d, n3)
		return
	}
	e.from(d, z, &x, &y)
	e.V3(by, d, x, y)
}

// minMax is IEEE's minNum or maxNum with ordered zeros: the other operand where one is a
// NaN. The instruction differs for signalling ones, and does not make the NaN of two
// canonical.
func (e armLane) minMax(op ir.Op, d arm64.V, a, b operand) {
	by := arm64.FMINNM4S
	if op == ir.OpFMax {
		by = arm64.FMAXNM4S
	}
	x, y := e.in(a, n0), e.in(b, n1)
	for i, z := range [2]*arm64.V{&x, &y} {
		if e.floats[i]&isQuiet == 0 {
			to := [2]arm64.V{n0, n1}[i]
			e.constant(n2, 0x3F800000)
			e.V3(arm64.FMUL4S, to, *z, n2)
			*z = to
		}
	}
	if (e.floats[0]|e.floats[1])&isNumber != 0 {
		e.V3(by, d, x, y)
		return
	}
	e.V3(by, n0, x, y)
	e.canon(d, n0)
}

// toHalf rounds to binary16, NaNs canonical.
func (e armLane) toHalf(d, x arm64.V) {
	e.canon(n4, x)
	e.V2(arm64.FCVTN4H, n4, n4)
	e.V2(arm64.UXTL4S, d, n4)
}

// fromHalf widens binary16 in the low halves of x, NaNs canonical.
func (e armLane) fromHalf(d, x arm64.V) {
	e.V2(arm64.XTN4H, n4, x)
	e.V2(arm64.FCVTL4S, n4, n4)
	e.canon(d, n4)
}

func (e armLane) find(op ir.Op, d, x arm64.V) {
	switch op {
	case ir.OpFindLSB: // the bit alone
		e.V2(arm64.NEG4S, n1, x)
		e.V3(arm64.AND, n1, n1, x)
		x = n1
	case ir.OpFindSMSB:
		e.Shift(arm64.SSHR4S, n1, x, 31)
		e.V3(arm64.EOR, n1, n1, x)
		x = n1
	}
	e.V2(arm64.CLZ4S, n1, x)
	e.constant(n2, 31)
	e.V3(arm64.SUB4S, d, n2, n1)
}

// upTo32 sets d to the smaller of x and 32: shifts look at the lowest byte of how far.
func (e armLane) upTo32(d, x arm64.V) {
	e.constant(n4, 32)
	e.V3(arm64.UMIN4S, d, x, n4)
}

// lowBits sets d to words with the n lowest bits set, n at most 32.
func (e armLane) lowBits(d, n arm64.V) {
	e.constant(n4, 1)
	e.V3(arm64.USHL4S, d, n4, n) // 0 for 32
	e.V3(arm64.SUB4S, d, d, n4)
}

func (e armLane) bitField(op ir.Op, d arm64.V, a, b, c operand) {
	if op == ir.OpBitFieldMask { // a = offset, b = count
		e.upTo32(n1, e.in(b, n1))
		e.lowBits(n2, n1)
		e.upTo32(n0, e.in(a, n0))
		e.V3(arm64.USHL4S, d, n2, n0)
		return
	}
	x := e.in(a, n0)
	e.upTo32(n1, e.in(b, n1))
	e.V2(arm64.NEG4S, n1, n1)
	e.upTo32(n2, e.in(c, n2))
	e.lowBits(n3, n2)
	e.V3(arm64.USHL4S, n1, x, n1)
	if op == ir.OpBitFieldU {
		e.V3(arm64.AND, d, n1, n3)
		return
	}
	e.V3(arm64.AND, n1, n1, n3)
	e.constant(n4, 32) // shift the sign up and down
	e.V3(arm64.SUB4S, n2, n4, n2)
	e.V3(arm64.USHL4S, n1, n1, n2)
	e.V2(arm64.NEG4S, n2, n2)
	e.V3(arm64.SSHL4S, d, n1, n2) // 32 gives the sign
}

// divide divides integers in binary64, in which quotients of 32 bits truncate to the
// right integer: a quotient that is none is 2^-32 or more away from the next one above.
func (e armLane) divide(op ir.Op, d, x, y arm64.V) {
	halves := [2]arm64.V{n2, n3}
	signed := op != ir.OpUDiv && op != ir.OpURem
	extend, convert, back := [2]arm64.Op{arm64.UXTL2D, arm64.UXTL22D}, arm64.UCVTF2D, arm64.FCVTZU2D
	if signed {
		extend, convert, back = [2]arm64.Op{arm64.SXTL2D, arm64.SXTL22D}, arm64.SCVTF2D, arm64.FCVTZS2D
	}
	for i, q := range halves {
		e.V2(extend[i], q, x)
		e.V2(extend[i], n4, y)
		e.V2(convert, q, q)
		e.V2(convert, n4, n4)
		e.V3(arm64.FDIV2D, q, q, n4)
		e.V2(back, q, q)
	}
	e.V3(arm64.UZP14S, n2, n2, n3)
	if op == ir.OpUDiv || op == ir.OpSDiv { // all ones where the divisor is 0
		e.V2(arm64.CMEQ04S, n3, y)
		e.V3(arm64.ORR, d, n2, n3)
		return
	}
	e.V3(arm64.MUL4S, n2, n2, y)
	if op != ir.OpSMod {
		e.V3(arm64.SUB4S, d, x, n2) // the dividend where the divisor is 0
		return
	}
	e.V3(arm64.SUB4S, n2, x, n2)
	e.V3(arm64.EOR, n3, n2, y)
	e.V2(arm64.CMLT04S, n3, n3) // of different signs
	e.V2(arm64.CMEQ04S, n4, n2)
	e.V3(arm64.BIC, n3, n3, n4)
	e.V3(arm64.AND, n3, n3, y)
	e.V3(arm64.ADD4S, d, n2, n3)
}

// pair is a product and the sum or difference that uses it, with two roundings.
func (e armLane) pair(in *Inst, a, b, c operand) {
	z := e.value(in.D)
	e.V3(arm64.FMUL4S, n0, e.in(a, n0), e.in(b, n1))
	x := e.in(c, n1)
	switch in.Op {
	case FusedMulAdd:
		e.V3(arm64.FADD4S, z, n0, x)
	case FusedMulSub:
		e.V3(arm64.FSUB4S, z, n0, x)
	default:
		e.V3(arm64.FSUB4S, z, x, n0)
	}
}

// serve leaves an operation to Go.
func (e armLane) serve(op ir.Op, d arm64.V, a, b operand) {
	info, _ := ir.InfoOf(op)
	e.Vec(arm64.STRQ, e.in(a, n0), xFrame, armServeA)
	if len(info.Args) == 2 {
		e.Vec(arm64.STRQ, e.in(b, n0), xFrame, armServeB)
	}
	e.Imm(x9, uint64(op))
	e.Gen(arm64.STRX, x9, xFrame, frameServeOp)
	e.Imm(x9, 1<<stripWidth-1)
	e.Gen(arm64.STRX, x9, xFrame, frameServeMask)
	back := e.NewLabel()
	e.leave(exitServe, back)
	e.Here(back)
	e.Vec(arm64.LDRQ, d, xFrame, armServeD)
}

// takeScale takes a number apart, see the one of amd64.
func (e armLane) takeScale(op ir.Op, d, x arm64.V) {
	const up, special = (bias32 + room32) << fraction32, 1<<31 + 0xFF<<fraction32 - 1
	with := func(by arm64.Op, z arm64.V, w uint32) {
		e.constant(n2, w)
		e.V3(by, z, z, n2)
	}
	e.V2(arm64.FABS4S, n1, x)
	e.constant(n2, 1<<fraction32)
	e.V3(arm64.CMHI4S, n3, n2, n1)
	e.constant(n2, up)
	e.V3(arm64.FMUL4S, n5, x, n2)
	e.MOV(n4, x)
	e.V3(arm64.BIT, n4, n5, n3)
	with(arm64.ADD4S, n1, 1<<31-1)
	with(arm64.CMGE4S, n1, special)
	if op == ir.OpFrexpMant {
		with(arm64.AND, n4, 1<<31|1<<fraction32-1)
		with(arm64.ORR, n4, (bias32-1)<<fraction32)
		e.V3(arm64.BIT, n4, x, n1)
		e.canon(d, n4)
		return
	}
	e.Shift(arm64.USHR4S, n4, n4, fraction32)
	with(arm64.AND, n4, 0xFF)
	with(arm64.AND, n3, room32)
	e.V3(arm64.SUB4S, n4, n4, n3)
	with(arm64.SUB4S, n4, bias32-1)
	e.V3(arm64.BIC, d, n4, n1)
}
