package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/vk"
)

// number is a float value with what is known about it.
type number = pack.Number

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
func (b *builder) constant(c float32) number { return number{V: b.F32(c), Lo: c, Hi: c} }

// clamped is an input of the equation.
func (b *builder) clamped(v ir.Value) number {
	if !b.clamps() {
		return pack.Any(v)
	}
	lo := float32(0)
	if b.info.Numeric == format.NumericSnorm {
		lo = -1
	}
	return pack.Clamp(b.Builder, pack.Any(v), lo, 1)
}

// blend evaluates the equation of the components that are written. What is made
// twice, Optimize merges.
//
// RAS-337..342 framebuffer-blending
func (b *builder) blend() {
	if b.k.ColorOp > vk.BlendOpMax {
		b.advanced()
		return
	}
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

// Dual says that a factor names the second source.
//
// RAS-342 framebuffer-dsb
func (k *ColorKey) Dual() bool {
	return k.names(func(f vk.BlendFactor) bool { return f >= vk.BlendFactorSrc1Color })
}

// constant says that a factor names the blend constants.
func (k *ColorKey) constant() bool {
	return k.names(func(f vk.BlendFactor) bool {
		return f >= vk.BlendFactorConstantColor && f <= vk.BlendFactorOneMinusConstantAlpha
	})
}

// names says that one of the factors is of a kind.
func (k *ColorKey) names(of func(vk.BlendFactor) bool) bool {
	return k.Blending && (of(k.SrcColor) || of(k.DstColor) || of(k.SrcAlpha) || of(k.DstAlpha))
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
	if f := b.factor(dst, i); !b.clamps() || !f.Is(0) {
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
	n := number{V: b.pushedWord(i), Lo: inf(-1), Hi: inf(1), NaN: true}
	if b.clamps() {
		n.Lo, n.Hi, n.NaN = 0, 1, false
		if b.info.Numeric == format.NumericSnorm {
			n.Lo = -1
		}
	}
	return n
}

// pushedWord is a push constant.
func (b *builder) pushedWord(i int) ir.Value {
	if b.constants > 0 {
		return b.OpImm(ir.OpRecord, ir.F32, uint64(b.constants+4*i))
	}
	return b.Op(ir.OpLoadPush, ir.F32, b.I32(uint32(4*i)))
}

// The arithmetic below rounds bounds as it rounds values: rounding is monotonic.
// Where inputs are clamped, all is finite, and terms of zero are left out.

func (b *builder) oneMinus(n number) number {
	if !n.NaN && n.Lo == n.Hi {
		return b.constant(1 - n.Lo)
	}
	return number{V: b.Op(ir.OpFSub, ir.F32, b.F32(1), n.V), Lo: 1 - n.Hi, Hi: 1 - n.Lo, NaN: n.NaN}
}

func (b *builder) mul(x, f number) number {
	if f.Is(1) {
		return x
	}
	p := pack.Any(ir.NoValue)
	if b.clamps() {
		if x.Is(0) || f.Is(0) {
			return b.constant(0)
		}
		c, d, e, g := float32(x.Lo*f.Lo), float32(x.Lo*f.Hi), float32(x.Hi*f.Lo), float32(x.Hi*f.Hi)
		p.Lo, p.Hi, p.NaN = min(c, d, e, g), max(c, d, e, g), false
	}
	p.V = b.Op(ir.OpFMul, ir.F32, x.V, f.V)
	return p
}

func (b *builder) add(x, y number) number {
	if b.clamps() {
		if x.Is(0) {
			return y
		}
		if y.Is(0) {
			return x
		}
	}
	return number{V: b.Op(ir.OpFAdd, ir.F32, x.V, y.V), Lo: x.Lo + y.Lo, Hi: x.Hi + y.Hi, NaN: !b.clamps()}
}

func (b *builder) sub(x, y number) number {
	if b.clamps() && y.Is(0) {
		return x
	}
	return number{V: b.Op(ir.OpFSub, ir.F32, x.V, y.V), Lo: x.Lo - y.Hi, Hi: x.Hi - y.Lo, NaN: !b.clamps()}
}

// extreme is the smaller of two numbers, or the larger; the second if they are equal
// or one is a NaN.
func (b *builder) extreme(x, y number, larger bool) number {
	if b.clamps() {
		if larger {
			return number{V: b.Op(ir.OpFMax, ir.F32, x.V, y.V), Lo: max(x.Lo, y.Lo), Hi: max(x.Hi, y.Hi)}
		}
		return number{V: b.Op(ir.OpFMin, ir.F32, x.V, y.V), Lo: min(x.Lo, y.Lo), Hi: min(x.Hi, y.Hi)}
	}
	c, d := x.V, y.V
	if larger {
		c, d = d, c
	}
	v := b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, c, d), x.V, y.V)
	// The bits of a selected NaN are no arithmetic's.
	v = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFEq, ir.Bool, v, v), v, b.Const(ir.F32, fp.CanonicalNaN))
	return pack.Any(v)
}
