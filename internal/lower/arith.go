package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// row says how a componentwise instruction becomes one IR operation.
type row struct {
	op     ir.Op
	arg    ir.Type // of the operands; Void: that of the result
	n      int     // operands
	swap   bool    // operands exchanged
	invert bool    // the boolean result negated
	quad   bool    // a derivative
}

// componentwise is the table of instructions that apply one operation to each
// component. Comparisons that IR lacks are made of the opposite one: an
// unordered a<b is not (b<=a) ordered.
func componentwise(op spirv.Op) (row, bool) {
	const i, f, b = ir.I32, ir.F32, ir.Bool
	switch op {
	case spirv.OpSNegate:
		return row{op: ir.OpINeg, arg: i, n: 1}, true
	case spirv.OpFNegate:
		return row{op: ir.OpFNeg, arg: f, n: 1}, true
	case spirv.OpIAdd:
		return row{op: ir.OpIAdd, arg: i, n: 2}, true
	case spirv.OpISub:
		return row{op: ir.OpISub, arg: i, n: 2}, true
	case spirv.OpIMul:
		return row{op: ir.OpIMul, arg: i, n: 2}, true
	case spirv.OpUDiv:
		return row{op: ir.OpUDiv, arg: i, n: 2}, true
	case spirv.OpSDiv:
		return row{op: ir.OpSDiv, arg: i, n: 2}, true
	case spirv.OpUMod:
		return row{op: ir.OpURem, arg: i, n: 2}, true
	case spirv.OpSRem:
		return row{op: ir.OpSRem, arg: i, n: 2}, true
	case spirv.OpSMod:
		return row{op: ir.OpSMod, arg: i, n: 2}, true
	case spirv.OpFAdd:
		return row{op: ir.OpFAdd, arg: f, n: 2}, true
	case spirv.OpFSub:
		return row{op: ir.OpFSub, arg: f, n: 2}, true
	case spirv.OpFMul:
		return row{op: ir.OpFMul, arg: f, n: 2}, true
	case spirv.OpFDiv:
		return row{op: ir.OpFDiv, arg: f, n: 2}, true
	case spirv.OpFRem:
		return row{op: ir.OpFRem, arg: f, n: 2}, true
	case spirv.OpShiftRightLogical:
		return row{op: ir.OpShrU, arg: i, n: 2}, true
	case spirv.OpShiftRightArithmetic:
		return row{op: ir.OpShrS, arg: i, n: 2}, true
	case spirv.OpShiftLeftLogical:
		return row{op: ir.OpShl, arg: i, n: 2}, true
	case spirv.OpBitwiseOr:
		return row{op: ir.OpOr, arg: i, n: 2}, true
	case spirv.OpBitwiseXor:
		return row{op: ir.OpXor, arg: i, n: 2}, true
	case spirv.OpBitwiseAnd:
		return row{op: ir.OpAnd, arg: i, n: 2}, true
	case spirv.OpNot:
		return row{op: ir.OpNot, arg: i, n: 1}, true
	case spirv.OpLogicalEqual:
		return row{op: ir.OpIEq, arg: b, n: 2}, true
	case spirv.OpLogicalNotEqual:
		return row{op: ir.OpINe, arg: b, n: 2}, true
	case spirv.OpLogicalOr:
		return row{op: ir.OpOr, arg: b, n: 2}, true
	case spirv.OpLogicalAnd:
		return row{op: ir.OpAnd, arg: b, n: 2}, true
	case spirv.OpLogicalNot:
		return row{op: ir.OpNot, arg: b, n: 1}, true
	case spirv.OpIEqual:
		return row{op: ir.OpIEq, arg: i, n: 2}, true
	case spirv.OpINotEqual:
		return row{op: ir.OpINe, arg: i, n: 2}, true
	case spirv.OpULessThan:
		return row{op: ir.OpULt, arg: i, n: 2}, true
	case spirv.OpSLessThan:
		return row{op: ir.OpSLt, arg: i, n: 2}, true
	case spirv.OpULessThanEqual:
		return row{op: ir.OpULe, arg: i, n: 2}, true
	case spirv.OpSLessThanEqual:
		return row{op: ir.OpSLe, arg: i, n: 2}, true
	case spirv.OpUGreaterThan:
		return row{op: ir.OpULt, arg: i, n: 2, swap: true}, true
	case spirv.OpSGreaterThan:
		return row{op: ir.OpSLt, arg: i, n: 2, swap: true}, true
	case spirv.OpUGreaterThanEqual:
		return row{op: ir.OpULe, arg: i, n: 2, swap: true}, true
	case spirv.OpSGreaterThanEqual:
		return row{op: ir.OpSLe, arg: i, n: 2, swap: true}, true
	case spirv.OpFOrdEqual:
		return row{op: ir.OpFEq, arg: f, n: 2}, true
	case spirv.OpFUnordNotEqual:
		return row{op: ir.OpFNe, arg: f, n: 2}, true
	case spirv.OpFOrdLessThan:
		return row{op: ir.OpFLt, arg: f, n: 2}, true
	case spirv.OpFOrdLessThanEqual:
		return row{op: ir.OpFLe, arg: f, n: 2}, true
	case spirv.OpFOrdGreaterThan:
		return row{op: ir.OpFLt, arg: f, n: 2, swap: true}, true
	case spirv.OpFOrdGreaterThanEqual:
		return row{op: ir.OpFLe, arg: f, n: 2, swap: true}, true
	case spirv.OpFUnordLessThan:
		return row{op: ir.OpFLe, arg: f, n: 2, swap: true, invert: true}, true
	case spirv.OpFUnordLessThanEqual:
		return row{op: ir.OpFLt, arg: f, n: 2, swap: true, invert: true}, true
	case spirv.OpFUnordGreaterThan:
		return row{op: ir.OpFLe, arg: f, n: 2, invert: true}, true
	case spirv.OpFUnordGreaterThanEqual:
		return row{op: ir.OpFLt, arg: f, n: 2, invert: true}, true
	case spirv.OpIsNan:
		return row{op: ir.OpFIsNan, arg: f, n: 1}, true
	case spirv.OpIsInf:
		return row{op: ir.OpFIsInf, arg: f, n: 1}, true
	case spirv.OpOrdered:
		return row{op: ir.OpFOrd, arg: f, n: 2}, true
	case spirv.OpUnordered:
		return row{op: ir.OpFUnord, arg: f, n: 2}, true
	case spirv.OpConvertFToU:
		return row{op: ir.OpF2U, arg: f, n: 1}, true
	case spirv.OpConvertFToS:
		return row{op: ir.OpF2S, arg: f, n: 1}, true
	case spirv.OpConvertSToF:
		return row{op: ir.OpS2F, arg: i, n: 1}, true
	case spirv.OpConvertUToF:
		return row{op: ir.OpU2F, arg: i, n: 1}, true
	case spirv.OpQuantizeToF16:
		return row{op: ir.OpQuantize16, arg: f, n: 1}, true
	case spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert, spirv.OpBitcast:
		return row{op: ir.OpBitcast, arg: ir.Void, n: 1}, true
	case spirv.OpDPdx, spirv.OpDPdxFine: // RAS-294
		return row{op: ir.OpDdxFine, arg: f, n: 1, quad: true}, true
	case spirv.OpDPdy, spirv.OpDPdyFine: // RAS-294
		return row{op: ir.OpDdyFine, arg: f, n: 1, quad: true}, true
	case spirv.OpDPdxCoarse:
		return row{op: ir.OpDdxCoarse, arg: f, n: 1, quad: true}, true
	case spirv.OpDPdyCoarse:
		return row{op: ir.OpDdyCoarse, arg: f, n: 1, quad: true}, true
	// The unordered equal and the ordered not-equal take a second operation,
	// added in (*compiler).componentwise.
	case spirv.OpFUnordEqual:
		return row{op: ir.OpFEq, arg: f, n: 2}, true
	case spirv.OpFOrdNotEqual:
		return row{op: ir.OpFNe, arg: f, n: 2}, true
	default:
		return row{}, false
	}
}

func (c *compiler) componentwise(in *spirv.Inst, r row) {
	if r.quad {
		c.p.UsesDerivatives = true
	}
	if c.conversion(in) {
		return
	}
	flat := c.flat(c.typ(in.Type))
	t := flat[0]
	operand := c.elemOf(in.ID(0))
	signed := isNarrowInt(operand) && looksAtSign(in.Op)
	flushed := c.comparesWidened(in)
	c.each(in, r.n, func(a []ir.Value) ir.Value {
		for _, x := range a {
			if ty := c.irType(x); !isPair(x) && (r.arg == ir.Void && ty == ir.Bool || r.arg != ir.Void && ty != r.arg) {
				c.fail("an operand does not have the instruction's type")
			}
		}
		if r.op == ir.OpBitcast && c.irType(a[0]) == t {
			return a[0]
		}
		if signed {
			for k := range a {
				if k == 0 || in.Op != spirv.OpShiftRightArithmetic {
					a[k] = c.signExtend(a[k], operand)
				}
			}
		}
		if flushed {
			for k := range a { // what was widened is no denormal
				a[k] = c.wideOp(ir.WideFlush, a[k])[0]
			}
		}
		if r.n == 2 && isPair(a[1]) && !isPair(a[0]) && r.op >= ir.OpShl && r.op <= ir.OpShrS {
			a[1] = c.words(a[1])[0]
		}
		if r.swap {
			a[0], a[1] = a[1], a[0]
		}
		switch in.Op {
		case spirv.OpFUnordEqual: // equal, or unordered
			return c.b.Op(ir.OpOr, ir.Bool, c.num(ir.OpFEq, ir.Bool, a...), c.num(ir.OpFUnord, ir.Bool, a...))
		case spirv.OpFOrdNotEqual: // different, and ordered
			return c.b.Op(ir.OpAnd, ir.Bool, c.num(ir.OpFNe, ir.Bool, a...), c.num(ir.OpFOrd, ir.Bool, a...))
		}
		v := c.num(r.op, t, a...)
		if in.Op == spirv.OpQuantizeToF16 { // what is too small for a normal number becomes zero
			v = c.wideOp(ir.WideFlush16, v)[0]
		}
		if r.invert {
			v = c.b.Op(ir.OpNot, ir.Bool, v)
		}
		return v
	})
}

// looksAtSign tells whether an instruction takes its operands as signed.
func looksAtSign(op spirv.Op) bool {
	switch op {
	case spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightArithmetic,
		spirv.OpSLessThan, spirv.OpSLessThanEqual, spirv.OpSGreaterThan, spirv.OpSGreaterThanEqual:
		return true
	default:
		return false
	}
}

// fmod is OpFMod: x - y*floor(x/y), a step at a time.
func (c *compiler) fmod(x, y ir.Value) ir.Value {
	q := c.num(ir.OpFFloor, ir.F32, c.fdiv(x, y))
	return c.fsub(x, c.fmul(y, q))
}

// fused is OpFmaKHR: one rounding. That of binary16 is of a binary64, which holds
// all that can matter: a factor's bits end 2^-48 at the least, a result's at 2^-24.
func (c *compiler) fused(a []ir.Value) ir.Value {
	if !isHalf(elem(c.typ(c.inst.Type))) || c.control(16).zero {
		return c.num(ir.OpFma, ir.F32, a...)
	}
	var words []ir.Value
	for _, x := range a {
		words = append(words, c.wideOp(ir.WideF2D, x)...)
	}
	return c.b.Op(ir.OpH2F, ir.F32, c.wideOp(ir.WideD2H, c.wideOp(ir.WideFma, words...)...)[0])
}

func (c *compiler) selectValue(in *spirv.Inst) {
	cond := c.scalars(in.ID(0), -1)
	x, y := c.comps(in.ID(1), -1), c.comps(in.ID(2), -1)
	n := len(x)
	if len(y) != n || len(cond) != 1 && len(cond) != n {
		c.fail("a condition of %d components for %d", len(cond), n)
	}
	out := c.values(n)
	for i := range out {
		k := cond[i%len(cond)]
		if c.p.Insts[k].Type != ir.Bool || c.irType(x[i]) != c.irType(y[i]) || isPair(x[i]) != isPair(y[i]) {
			c.fail("the condition is not boolean, or the objects differ in type")
		}
		out[i] = c.num(ir.OpSelect, c.irType(x[i]), k, x[i], y[i])
	}
	c.setScalars(out)
}

// fwidth is |dFdx| + |dFdy|; plain derivatives are the fine ones.
//
// RAS-294
func (c *compiler) fwidth(in *spirv.Inst) {
	c.only32(in)
	c.p.UsesDerivatives = true
	x, y := ir.OpDdxFine, ir.OpDdyFine
	if in.Op == spirv.OpFwidthCoarse {
		x, y = ir.OpDdxCoarse, ir.OpDdyCoarse
	}
	c.each(in, 1, func(a []ir.Value) ir.Value {
		dx := c.b.Op(ir.OpFAbs, ir.F32, c.b.Op(x, ir.F32, a[0]))
		dy := c.b.Op(ir.OpFAbs, ir.F32, c.b.Op(y, ir.F32, a[0]))
		return c.b.Op(ir.OpFAdd, ir.F32, dx, dy)
	})
}

// only32 refuses operands of other widths than 32 bits.
func (c *compiler) only32(in *spirv.Inst) {
	if t := c.elemOf(in.ID(0)); t.Width != 32 {
		c.fail("unsupported: %v on %v", in.Op, t)
	}
}
