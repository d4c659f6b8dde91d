package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// number is a float value with what is known about it: lo ≤ v ≤ hi unless it is a
// NaN, which it is not where nan is false. The sign of a zero is not known. A
// constant has lo = hi.
type number struct {
	v      ir.Value
	lo, hi float32
	nan    bool
}

func (n number) is(c float32) bool { return !n.nan && n.lo == c && n.hi == c }

func inf(sign int) float32 { return float32(math.Inf(sign)) }

// clamps says that blending clamps its inputs: of fixed-point formats, in which the
// sign of a zero is lost and no NaN gets as far as the equation. Signed ones start
// at -1.
//
// RAS-339 framebuffer-blending
func (b *builder) clamps() bool {
	switch b.info.Numeric {
	case format.NumericUnorm, format.NumericSrgb, format.NumericSnorm:
		return true
	}
	return false
}

// constant is a number that is known.
func (b *builder) constant(c float32) number { return number{v: b.F32(c), lo: c, hi: c} }

// clamped is an input of the equation.
func (b *builder) clamped(v ir.Value) number {
	if !b.clamps() {
		return number{v: v, lo: inf(-1), hi: inf(1), nan: true}
	}
	lo := float32(0)
	if b.info.Numeric == format.NumericSnorm {
		lo = -1
	}
	return b.clampTo(number{v: v, lo: inf(-1), hi: inf(1), nan: true}, lo, 1)
}

// clampTo limits n to an interval that holds 0, which takes the place of a NaN.
func (b *builder) clampTo(n number, lo, hi float32) number {
	if n.nan && lo != 0 {
		n.v, n.nan = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFEq, ir.Bool, n.v, n.v), n.v, b.F32(0)), false
	}
	if n.nan || n.lo < lo { // FMax takes the other operand for a NaN
		n.v, n.lo, n.nan = b.Op(ir.OpFMax, ir.F32, n.v, b.F32(lo)), lo, false
	}
	if n.hi > hi {
		n.v, n.hi = b.Op(ir.OpFMin, ir.F32, n.v, b.F32(hi)), hi
	}
	return n
}

// blend evaluates the equation of the components that are written. What is made
// twice, Optimize merges.
//
// RAS-337..342 framebuffer-blending
func (b *builder) blend() {
	for i := range b.color {
		if !b.writes(i) {
			continue
		}
		src, dst, op := b.k.SrcColor, b.k.DstColor, b.k.ColorOp
		if i == 3 {
			src, dst, op = b.k.SrcAlpha, b.k.DstAlpha, b.k.AlphaOp
		}
		b.color[i] = b.equation(op, src, dst, i)
	}
}

// dual says that a factor names the second source.
//
// RAS-342 framebuffer-dsb
func (b *builder) dual() bool {
	if !b.k.Blending {
		return false
	}
	for _, f := range [4]vk.BlendFactor{b.k.SrcColor, b.k.DstColor, b.k.SrcAlpha, b.k.DstAlpha} {
		if f >= vk.BlendFactorSrc1Color {
			return true
		}
	}
	return false
}

// equation combines component i: two products, each rounded to binary32, and one
// rounded sum.
//
// RAS-341 framebuffer-blendoperations
func (b *builder) equation(op vk.BlendOp, src, dst vk.BlendFactor, i int) number {
	s := b.clamped(b.source[i])
	switch op {
	case vk.BlendOpMin, vk.BlendOpMax:
		return b.extreme(s, b.decode(i), op == vk.BlendOpMax)
	}
	s = b.mul(s, b.factor(src, i))
	d := b.constant(0)
	if f := b.factor(dst, i); !b.clamps() || !f.is(0) {
		d = b.mul(b.decode(i), f)
	}
	switch op {
	case vk.BlendOpSubtract:
		return b.sub(s, d)
	case vk.BlendOpReverseSubtract:
		return b.sub(d, s)
	default:
		return b.add(s, d)
	}
}

// factor is component i of a blend factor.
//
// RAS-340 framebuffer-blendfactors
func (b *builder) factor(f vk.BlendFactor, i int) number {
	switch f {
	case vk.BlendFactorOne:
		return b.constant(1)
	case vk.BlendFactorSrcColor:
		return b.clamped(b.source[i])
	case vk.BlendFactorOneMinusSrcColor:
		return b.oneMinus(b.clamped(b.source[i]))
	case vk.BlendFactorDstColor:
		return b.decode(i)
	case vk.BlendFactorOneMinusDstColor:
		return b.oneMinus(b.decode(i))
	case vk.BlendFactorSrcAlpha:
		return b.clamped(b.source[3])
	case vk.BlendFactorOneMinusSrcAlpha:
		return b.oneMinus(b.clamped(b.source[3]))
	case vk.BlendFactorDstAlpha:
		return b.decode(3)
	case vk.BlendFactorOneMinusDstAlpha:
		return b.oneMinus(b.decode(3))
	case vk.BlendFactorConstantColor:
		return b.pushed(i)
	case vk.BlendFactorOneMinusConstantColor:
		return b.oneMinus(b.pushed(i))
	case vk.BlendFactorConstantAlpha:
		return b.pushed(3)
	case vk.BlendFactorOneMinusConstantAlpha:
		return b.oneMinus(b.pushed(3))
	case vk.BlendFactorSrcAlphaSaturate:
		if i == 3 {
			return b.constant(1)
		}
		return b.extreme(b.oneMinus(b.decode(3)), b.clamped(b.source[3]), false)
	case vk.BlendFactorSrc1Color:
		return b.clamped(b.second[i])
	case vk.BlendFactorOneMinusSrc1Color:
		return b.oneMinus(b.clamped(b.second[i]))
	case vk.BlendFactorSrc1Alpha:
		return b.clamped(b.second[3])
	case vk.BlendFactorOneMinusSrc1Alpha:
		return b.oneMinus(b.clamped(b.second[3]))
	default: // Zero; the reference has refused what is none
		return b.constant(0)
	}
}

// pushed is a blend constant.
func (b *builder) pushed(i int) number {
	n := number{v: b.Op(ir.OpLoadPush, ir.F32, b.I32(uint32(4*i))), lo: inf(-1), hi: inf(1), nan: true}
	if b.clamps() {
		n.lo, n.hi, n.nan = 0, 1, false
		if b.info.Numeric == format.NumericSnorm {
			n.lo = -1
		}
	}
	return n
}

// The arithmetic below rounds bounds as it rounds values: rounding is monotonic.
// Where inputs are clamped, all is finite, and terms of zero are left out.

func (b *builder) oneMinus(n number) number {
	if !n.nan && n.lo == n.hi {
		return b.constant(1 - n.lo)
	}
	return number{v: b.Op(ir.OpFSub, ir.F32, b.F32(1), n.v), lo: 1 - n.hi, hi: 1 - n.lo, nan: n.nan}
}

func (b *builder) mul(x, f number) number {
	if f.is(1) {
		return x
	}
	p := number{v: ir.NoValue, lo: inf(-1), hi: inf(1), nan: true}
	if b.clamps() {
		if x.is(0) || f.is(0) {
			return b.constant(0)
		}
		c, d, e, g := float32(x.lo*f.lo), float32(x.lo*f.hi), float32(x.hi*f.lo), float32(x.hi*f.hi)
		p.lo, p.hi, p.nan = min(c, d, e, g), max(c, d, e, g), false
	}
	p.v = b.Op(ir.OpFMul, ir.F32, x.v, f.v)
	return p
}

func (b *builder) add(x, y number) number {
	if b.clamps() {
		if x.is(0) {
			return y
		}
		if y.is(0) {
			return x
		}
	}
	return number{v: b.Op(ir.OpFAdd, ir.F32, x.v, y.v), lo: x.lo + y.lo, hi: x.hi + y.hi, nan: !b.clamps()}
}

func (b *builder) sub(x, y number) number {
	if b.clamps() && y.is(0) {
		return x
	}
	return number{v: b.Op(ir.OpFSub, ir.F32, x.v, y.v), lo: x.lo - y.hi, hi: x.hi - y.lo, nan: !b.clamps()}
}

// extreme is the smaller of two numbers, or the larger; the second if they are equal
// or one is a NaN.
func (b *builder) extreme(x, y number, larger bool) number {
	if b.clamps() {
		if larger {
			return number{v: b.Op(ir.OpFMax, ir.F32, x.v, y.v), lo: max(x.lo, y.lo), hi: max(x.hi, y.hi)}
		}
		return number{v: b.Op(ir.OpFMin, ir.F32, x.v, y.v), lo: min(x.lo, y.lo), hi: min(x.hi, y.hi)}
	}
	c, d := x.v, y.v
	if larger {
		c, d = d, c
	}
	v := b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, c, d), x.v, y.v)
	// The bits of a selected NaN are no arithmetic's.
	v = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFEq, ir.Bool, v, v), v, b.Const(ir.F32, fp.CanonicalNaN))
	return number{v: v, lo: inf(-1), hi: inf(1), nan: true}
}
