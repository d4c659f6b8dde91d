package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// extended lowers the instructions with a struct of two results: a low and a
// high part, or a sum and its carry.
func (c *compiler) extended(in *spirv.Inst) {
	t := c.elemOf(in.ID(0))
	if t.Kind != spirv.KindInt {
		c.fail("%v on %v", in.Op, t)
	}
	x := c.comps(in.ID(0), -1)
	y := c.comps(in.ID(1), len(x))
	n := len(x)
	out := c.values(2 * n)
	for i := range x {
		if isPair(x[i]) != isPair(y[i]) {
			c.fail("operands of different widths")
		}
		switch in.Op {
		case spirv.OpIAddCarry, spirv.OpISubBorrow:
			out[i], out[n+i] = c.carry(in.Op, x[i], y[i], t)
		default: // OpUMulExtended, OpSMulExtended
			out[i], out[n+i] = c.product(x[i], y[i], t, in.Op == spirv.OpSMulExtended)
		}
	}
	c.setScalars(out)
}

// carry adds or subtracts; the second result is 1 where the first has wrapped.
func (c *compiler) carry(op spirv.Op, x, y ir.Value, t *spirv.Type) (r, one ir.Value) {
	var wrapped ir.Value
	if op == spirv.OpIAddCarry {
		r = c.fitNumber(c.num(ir.OpIAdd, ir.I32, x, y), t)
		wrapped = c.num(ir.OpULt, ir.Bool, r, x)
	} else {
		r = c.fitNumber(c.num(ir.OpISub, ir.I32, x, y), t)
		wrapped = c.num(ir.OpULt, ir.Bool, x, y)
	}
	return r, c.num(ir.OpSelect, ir.I32, wrapped, c.kint(x, 1), c.kint(x, 0))
}

// fitNumber is fit for what may be a pair.
func (c *compiler) fitNumber(v ir.Value, t *spirv.Type) ir.Value {
	if isPair(v) {
		return v
	}
	return c.fit(v, t)
}

// product is the whole product of two numbers of t in two parts.
func (c *compiler) product(x, y ir.Value, t *spirv.Type, signed bool) (lo, hi ir.Value) {
	b := c.b
	switch {
	case isNarrowInt(t): // the product fits 32 bits
		if signed {
			x, y = c.signExtend(x, t), c.signExtend(y, t)
		}
		p := b.Op(ir.OpIMul, ir.I32, x, y)
		return c.fit(p, t), c.fit(b.Op(ir.OpShrU, ir.I32, p, b.I32(t.Width)), t)
	case isPair(x):
		return c.wideProduct(x, y, signed)
	case signed:
		return b.Op(ir.OpIMul, ir.I32, x, y), b.Op(ir.OpIMulHiS, ir.I32, x, y)
	}
	return b.Op(ir.OpIMul, ir.I32, x, y), b.Op(ir.OpIMulHiU, ir.I32, x, y)
}

// wideProduct multiplies 64 bits by 64 bits, as one does by hand with digits of
// 32 bits.
func (c *compiler) wideProduct(x, y ir.Value, signed bool) (lo, hi ir.Value) {
	b := c.b
	p, q := c.pairOf(x), c.pairOf(y)
	zero := b.I32(0)
	mul := func(u, v ir.Value) [2]ir.Value {
		return [2]ir.Value{b.Op(ir.OpIMul, ir.I32, u, v), b.Op(ir.OpIMulHiU, ir.I32, u, v)}
	}
	sum := func(first ir.Value, more ...ir.Value) ir.Value { // of words
		s := c.pair(first, zero)
		for _, v := range more {
			s = c.num(ir.OpIAdd, ir.I32, s, c.pair(v, zero))
		}
		return s
	}
	ll, lh, hl, hh := mul(p[0], q[0]), mul(p[0], q[1]), mul(p[1], q[0]), mul(p[1], q[1])
	middle := c.pairOf(sum(ll[1], lh[0], hl[0]))
	hi = c.num(ir.OpIAdd, ir.I32, c.pair(hh[0], hh[1]), sum(lh[1], hl[1], middle[1]))
	if signed {
		// A negative factor is its bits less 2^64.
		for _, f := range [2][2]ir.Value{{x, y}, {y, x}} {
			negative := b.Op(ir.OpSLt, ir.Bool, c.pairOf(f[0])[1], zero)
			hi = c.num(ir.OpISub, ir.I32, hi, c.num(ir.OpSelect, ir.I32, negative, f[1], c.kint(hi, 0)))
		}
	}
	return c.pair(ll[0], middle[0]), hi
}

// trinary lowers the instructions of VK_AMD_shader_trinary_minmax: minimum,
// maximum and middle of three.
func (c *compiler) trinary(in *spirv.Inst) {
	kind := in.Operands[1] - 1 // minimum of floats, unsigned and signed integers, then maximum, then middle
	if kind >= 9 || len(in.Operands) != 5 {
		c.fail("unsupported %s instruction %d", spirv.TrinaryMinMax, in.Operands[1])
	}
	low := [3]ir.Op{ir.OpFMin, ir.OpUMin, ir.OpSMin}[kind%3]
	high := [3]ir.Op{ir.OpFMax, ir.OpUMax, ir.OpSMax}[kind%3]
	t, e := ir.I32, elem(c.typ(in.Type))
	if kind%3 == 0 {
		t = ir.F32
	}
	args := make([][]ir.Value, 3)
	for k := range args {
		args[k] = c.typed(in.ID(2+k), c.size(c.typ(in.Type)), t)
	}
	out := c.values(len(args[0]))
	for i := range out {
		x, y, z := args[0][i], args[1][i], args[2][i]
		if kind%3 == 2 && isNarrowInt(e) {
			x, y, z = c.signExtend(x, e), c.signExtend(y, e), c.signExtend(z, e)
		}
		switch kind / 3 {
		case 0:
			out[i] = c.num(low, t, c.num(low, t, x, y), z)
		case 1:
			out[i] = c.num(high, t, c.num(high, t, x, y), z)
		default:
			out[i] = c.num(high, t, c.num(low, t, x, y), c.num(low, t, c.num(high, t, x, y), z))
		}
	}
	c.setNumbers(out)
}
