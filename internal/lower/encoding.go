package lower

import (
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Floats of 16 and 8 bits in other encodings than those of IEEE 754: bfloat16, the upper half of a binary32, and
// those of SPV_EXT_float8. Values are their bits; conversions go through binary32, which holds all of them, and
// round once, to the nearest, ties to even.

var singleType = &spirv.Type{Kind: spirv.KindFloat, Width: 32}

// decode gives the value of bits as a binary32.
func (c *compiler) decode(x ir.Value, t *spirv.Type) ir.Value {
	i := func(op ir.Op, a ir.Value, k uint32) ir.Value { return c.b.Op(op, ir.I32, a, c.b.I32(k)) }
	float := func(a ir.Value) ir.Value { return c.b.Op(ir.OpBitcast, ir.F32, a) }
	switch t.Coded {
	case spirv.BFloat16:
		return float(i(ir.OpShl, x, 16))
	case spirv.Float8E5M2: // the upper half of a binary16
		return c.b.Op(ir.OpH2F, ir.F32, i(ir.OpShl, x, 8))
	}
	// Exponent and mantissa shifted into place are a number 2^120 times too small: the biases differ by as much.
	magnitude := i(ir.OpAnd, x, 0x7F)
	scaled := c.b.Op(ir.OpFMul, ir.F32, float(i(ir.OpShl, magnitude, 20)), c.b.F32(0x1p120))
	sign := i(ir.OpShl, i(ir.OpAnd, x, 0x80), 24)
	bits := c.b.Op(ir.OpOr, ir.I32, c.b.Op(ir.OpBitcast, ir.I32, scaled), sign)
	nan := c.b.Op(ir.OpIEq, ir.Bool, magnitude, c.b.I32(0x7F))
	return float(c.b.Op(ir.OpSelect, ir.I32, nan, c.b.I32(fp.CanonicalNaN), bits))
}

// encode rounds a binary32 to the bits of a type.
func (c *compiler) encode(x ir.Value, t *spirv.Type) ir.Value {
	i := func(op ir.Op, a ir.Value, k uint32) ir.Value { return c.b.Op(op, ir.I32, a, c.b.I32(k)) }
	add := func(a, b ir.Value) ir.Value { return c.b.Op(ir.OpIAdd, ir.I32, a, b) }
	sel := func(cond, a, b ir.Value) ir.Value { return c.b.Op(ir.OpSelect, ir.I32, cond, a, b) }
	bits := c.b.Op(ir.OpBitcast, ir.I32, x)
	magnitude := i(ir.OpAnd, bits, 1<<31-1)
	nan := c.b.Op(ir.OpULt, ir.Bool, c.b.I32(0x7F800000), magnitude)
	// rounded drops so many bits of the mantissa. A carry goes into the exponent, or makes an infinity.
	rounded := func(drop uint32) ir.Value {
		even := i(ir.OpAnd, i(ir.OpShrU, magnitude, drop), 1)
		return i(ir.OpShrU, add(add(magnitude, c.b.I32(1<<(drop-1)-1)), even), drop)
	}
	if t.Coded == spirv.BFloat16 {
		sign := i(ir.OpAnd, i(ir.OpShrU, bits, 16), 0x8000)
		return sel(nan, c.b.I32(fp.CanonicalNaN>>16), c.b.Op(ir.OpOr, ir.I32, sign, rounded(16)))
	}
	m := t.Coded.Float8()
	normal := i(ir.OpISub, rounded(23-m.Mantissa), (127-m.Bias)<<m.Mantissa)
	// A denormal's unit is also that of numbers around one that is 2^23 times as large: the addition rounds to it.
	magic := (127 + 24 - m.Bias - m.Mantissa) << 23
	sum := c.b.Op(ir.OpFAdd, ir.F32, c.b.Op(ir.OpBitcast, ir.F32, magnitude), c.b.Const(ir.F32, magic))
	denormal := i(ir.OpISub, c.b.Op(ir.OpBitcast, ir.I32, sum), magic)
	code := sel(c.b.Op(ir.OpULt, ir.Bool, magnitude, c.b.I32((128-m.Bias)<<23)), denormal, normal)
	beyond := m.Largest + 1
	if _, ok := c.m.Decoration(c.inst.Result, spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT); ok {
		beyond = m.Largest
	}
	code = sel(c.b.Op(ir.OpULt, ir.Bool, c.b.I32(m.Largest), code), c.b.I32(beyond), code)
	code = sel(nan, c.b.I32(m.NaN), code)
	return c.b.Op(ir.OpOr, ir.I32, code, i(ir.OpAnd, i(ir.OpShrU, bits, 24), 0x80))
}

// single makes a binary32 of a float that encode rounds as it would the float: where the mantissa does not hold all
// bits, the last is one (rounding to odd), which is never a tie and never exact.
func (c *compiler) single(x ir.Value, from *spirv.Type) ir.Value {
	if !isWide(from) {
		return x
	}
	f := c.wideOp(ir.WideD2FZ, c.words(x)...)[0]
	back := c.wideOp(ir.WideF2D, f)
	return c.odd(f, c.num(ir.OpINe, ir.Bool, x, c.one(back)))
}

// singleOfInt is single of an integer.
func (c *compiler) singleOfInt(x ir.Value, from *spirv.Type, signed bool) ir.Value {
	toFloat, toInt := [2]ir.WideOp{ir.WideU2FZ, ir.WideUL2FZ}, ir.WideF2UL
	if signed {
		toFloat, toInt = [2]ir.WideOp{ir.WideS2FZ, ir.WideL2FZ}, ir.WideF2L
	}
	if isWide(from) {
		f := c.wideOp(toFloat[1], c.words(x)...)[0]
		return c.odd(f, c.num(ir.OpINe, ir.Bool, x, c.one(c.wideOp(toInt, f))))
	}
	f := c.wideOp(toFloat[0], x)[0]
	back := ir.OpF2U
	if signed {
		back = ir.OpF2S
	}
	return c.odd(f, c.b.Op(ir.OpINe, ir.Bool, x, c.b.Op(back, ir.I32, f)))
}

// odd sets the last bit of a binary32 that is not exact.
func (c *compiler) odd(f, inexact ir.Value) ir.Value {
	bits := c.b.Op(ir.OpBitcast, ir.I32, f)
	return c.b.Op(ir.OpBitcast, ir.F32, c.b.Op(ir.OpOr, ir.I32, bits, c.b.Op(ir.OpSelect, ir.I32, inexact, c.b.I32(1), c.b.I32(0))))
}

// dotOfCodes is OpDot of bfloat16: products are exact in binary32, in which they are summed from component 0 upwards.
func (c *compiler) dotOfCodes(in *spirv.Inst, t *spirv.Type) {
	if t.Coded != spirv.BFloat16 || c.typ(in.Type) != t || !c.declares(spirv.CapabilityBFloat16DotProductKHR) {
		c.fail("a dot product of %v without a capability for it", t)
	}
	x := c.scalars(in.ID(0), -1)
	y := c.scalars(in.ID(1), len(x))
	if c.elemOf(in.ID(1)) != t {
		c.fail("a dot product of %v and %v", t, c.elemOf(in.ID(1)))
	}
	sum := ir.NoValue
	for i := range x {
		p := c.b.Op(ir.OpFMul, ir.F32, c.decode(x[i], t), c.decode(y[i], t))
		if i > 0 {
			p = c.b.Op(ir.OpFAdd, ir.F32, sum, p)
		}
		sum = p
	}
	c.setScalars([]ir.Value{c.encode(sum, t)})
}
