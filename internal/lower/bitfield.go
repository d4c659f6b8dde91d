package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// The instructions on bit fields take integers of all widths (maintenance9), offset
// and count of any, too.

// bitFieldInsert is OpBitFieldInsert.
func (c *compiler) bitFieldInsert(in *spirv.Inst) {
	n := c.bitFieldSize(in, 0, 1)
	base, insert := c.comps(in.ID(0), n), c.comps(in.ID(1), n)
	offset, count := c.intScalar(in.ID(2)), c.intScalar(in.ID(3))
	out := c.values(n)
	for i, x := range base {
		mask := ir.NoValue
		if isPair(x) {
			mask = c.num(ir.OpShl, ir.I32, c.lowBits(count), offset)
		} else { // a shift by 32 bits is one by none
			mask = c.b.Op(ir.OpBitFieldMask, ir.I32, offset, count)
		}
		bits := c.num(ir.OpAnd, ir.I32, c.num(ir.OpShl, ir.I32, insert[i], offset), mask)
		out[i] = c.num(ir.OpOr, ir.I32, c.num(ir.OpAnd, ir.I32, x, c.num(ir.OpNot, ir.I32, mask)), bits)
	}
	c.setNumbers(out)
}

// bitFieldExtract is OpBitFieldSExtract or OpBitFieldUExtract.
func (c *compiler) bitFieldExtract(in *spirv.Inst) {
	n := c.bitFieldSize(in, 0)
	base := c.comps(in.ID(0), n)
	offset, count := c.intScalar(in.ID(1)), c.intScalar(in.ID(2))
	signed := in.Op == spirv.OpBitFieldSExtract
	out := c.values(n)
	for i, x := range base {
		switch {
		case !isPair(x) && signed:
			out[i] = c.b.Op(ir.OpBitFieldS, ir.I32, x, offset, count)
		case !isPair(x):
			out[i] = c.b.Op(ir.OpBitFieldU, ir.I32, x, offset, count)
		default:
			mask := c.lowBits(count)
			v := c.num(ir.OpAnd, ir.I32, c.num(ir.OpShrU, ir.I32, x, offset), mask)
			if signed { // the mask's highest bit, if it has one, has the weight that a sign has
				sign := c.num(ir.OpXor, ir.I32, mask, c.num(ir.OpShrU, ir.I32, mask, c.b.I32(1)))
				v = c.num(ir.OpISub, ir.I32, c.num(ir.OpXor, ir.I32, v, sign), sign)
			}
			out[i] = v
		}
	}
	c.setNumbers(out)
}

// lowBits is a number of 64 bits, of which count low ones are set.
func (c *compiler) lowBits(count ir.Value) ir.Value {
	b, zero := c.b, c.b.I32(0)
	low := b.Op(ir.OpBitFieldMask, ir.I32, zero, count)
	above := b.Op(ir.OpISub, ir.I32, b.Op(ir.OpUMax, ir.I32, count, b.I32(32)), b.I32(32))
	return c.pair(low, b.Op(ir.OpBitFieldMask, ir.I32, zero, above))
}

// bitReverse is OpBitReverse.
func (c *compiler) bitReverse(in *spirv.Inst) {
	n := c.bitFieldSize(in, 0)
	t := c.elemOf(in.ID(0))
	out := c.values(n)
	for i, x := range c.comps(in.ID(0), n) {
		w := c.words(x)
		for k := range w {
			w[k] = c.b.Op(ir.OpBitReverse, ir.I32, w[k])
		}
		switch {
		case len(w) == 2:
			out[i] = c.pair(w[1], w[0])
		case isNarrowInt(t):
			out[i] = c.b.Op(ir.OpShrU, ir.I32, w[0], c.b.I32(32-t.Width))
		default:
			out[i] = w[0]
		}
	}
	c.setNumbers(out)
}

// bitCount is OpBitCount, whose result has a width of its own.
func (c *compiler) bitCount(in *spirv.Inst) {
	t := c.typ(in.Type)
	n := c.size(t)
	out := c.values(n)
	for i, x := range c.comps(in.ID(0), n) {
		var sum ir.Value
		for k, w := range c.words(x) {
			v := c.b.Op(ir.OpBitCount, ir.I32, w)
			if k > 0 {
				v = c.b.Op(ir.OpIAdd, ir.I32, sum, v)
			}
			sum = v
		}
		if out[i] = sum; isWide(elem(t)) {
			out[i] = c.pair(sum, c.b.I32(0))
		}
	}
	c.setNumbers(out)
}

// bitFieldSize checks that operands are integers of the result's width, and returns
// how many components they have.
func (c *compiler) bitFieldSize(in *spirv.Inst, operands ...int) int {
	t := c.typ(in.Type)
	for _, k := range operands {
		if e := c.elemOf(in.ID(k)); e.Kind != spirv.KindInt || e.Width != elem(t).Width {
			c.fail("%v: an operand of %v for %v", in.Op, e, t)
		}
	}
	return c.size(t)
}
