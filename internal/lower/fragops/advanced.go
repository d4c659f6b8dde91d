package fragops

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/vk"
)

// colour is one in the arithmetic of advanced blending: binary64, rounded once when it is stored.
type colour [4]double

// advanced evaluates an advanced operation.
//
// RAS-344 framebuffer-blend-advanced
func (b *builder) advanced() {
	x := advancer{doubles{b.Builder}, &b.k}
	var s, d colour
	for i := range s {
		s[i], d[i] = x.from(b.clamped(b.source[i]).V), x.from(b.decode(i).V)
	}
	var r colour
	if state := &b.k.Advanced; b.k.ColorOp >= vk.BlendOpPlusEXT {
		r = x.additional(x.multiplied(s, state.SrcStraight), x.multiplied(d, state.DstStraight))
	} else {
		r = x.weighted(s, d, fragops.HalfCodes(b.info))
	}
	zero, one := x.num(0), x.num(1)
	if b.k.Advanced.DstStraight {
		none := x.is(ir.WideFEq, r[3], zero)
		for i := range 3 {
			r[i] = x.pick(none, r[i], x.div(r[i], r[3]))
		}
	}
	for i, v := range r {
		if !b.writes(i) {
			continue
		}
		if b.k.Advanced.ClampResults {
			v = x.max(zero, x.min(v, one))
		}
		b.color[i] = pack.Any(x.float(v))
	}
}

// advancer makes the steps of advanced blending.
type advancer struct {
	doubles
	k *ColorKey
}

// multiplied is the premultiplied form of a colour.
func (x *advancer) multiplied(c colour, straight bool) colour {
	for i := range 3 {
		if straight {
			c[i] = x.mul(c[i], c[3])
		}
	}
	return c
}

// straight is a colour divided by its alpha; 0 where that is 0.
func (x *advancer) straight(c colour, already bool) colour {
	none := x.is(ir.WideFEq, c[3], x.num(0))
	for i := range 3 {
		if !already {
			c[i] = x.pick(none, x.num(0), x.div(c[i], c[3]))
		}
	}
	return c
}

// weighted evaluates the operations with f, X, Y and Z.
func (x *advancer) weighted(s, d colour, half fragops.Vec4) (out colour) {
	as, ad, zero, one := s[3], d[3], x.num(0), x.num(1)
	var p [3]double
	switch x.k.Advanced.Overlap {
	case vk.BlendOverlapConjointEXT:
		p = [3]double{x.min(as, ad), x.max(x.sub(as, ad), zero), x.max(x.sub(ad, as), zero)}
	case vk.BlendOverlapDisjointEXT:
		both := x.max(x.sub(x.add(as, ad), one), zero)
		p = [3]double{both, x.min(as, x.sub(one, ad)), x.min(ad, x.sub(one, as))}
	default:
		p = [3]double{x.mul(as, ad), x.mul(as, x.sub(one, ad)), x.mul(ad, x.sub(one, as))}
	}
	terms := fragops.Terms(x.k.ColorOp)
	cs, cd := x.straight(s, x.k.Advanced.SrcStraight), x.straight(d, x.k.Advanced.DstStraight)
	var f colour
	if x.k.ColorOp >= vk.BlendOpHslHueEXT {
		f = x.hsl(cs, cd)
	} else {
		for i := range 3 {
			f[i] = x.separable(cs[i], cd[i], half[i])
		}
	}
	for i := range 3 {
		v := x.add(x.mul(f[i], p[0]), x.mul(x.mul(x.num(terms[1]), cs[i]), p[1]))
		out[i] = x.add(v, x.mul(x.mul(x.num(terms[2]), cd[i]), p[2]))
	}
	v := x.add(x.mul(x.num(terms[0]), p[0]), x.mul(x.num(terms[1]), p[1]))
	out[3] = x.add(v, x.mul(x.num(terms[2]), p[2]))
	return out
}

// separable is f of the operations that treat components alike; half is half a code.
func (x *advancer) separable(s, d double, half float32) double {
	zero, one, two := x.num(0), x.num(1), x.num(2)
	not := func(v double) double { return x.sub(one, v) }
	multiply := x.mul(x.mul(two, s), d)
	screen := not(x.mul(x.mul(two, not(s)), not(d)))
	switch x.k.ColorOp {
	case vk.BlendOpSrcEXT, vk.BlendOpSrcOverEXT, vk.BlendOpSrcInEXT, vk.BlendOpSrcAtopEXT:
		return s
	case vk.BlendOpDstEXT, vk.BlendOpDstOverEXT, vk.BlendOpDstInEXT, vk.BlendOpDstAtopEXT:
		return d
	case vk.BlendOpMultiplyEXT:
		return x.mul(s, d)
	case vk.BlendOpScreenEXT:
		return x.sub(x.add(s, d), x.mul(s, d))
	case vk.BlendOpOverlayEXT:
		return x.pick(x.le(d, x.num(.5)), multiply, screen)
	case vk.BlendOpDarkenEXT:
		return x.min(s, d)
	case vk.BlendOpLightenEXT:
		return x.max(s, d)
	case vk.BlendOpHardlightEXT:
		return x.pick(x.le(s, x.num(.5)), multiply, screen)
	case vk.BlendOpDifferenceEXT:
		return x.abs(x.sub(d, s))
	case vk.BlendOpExclusionEXT:
		return x.sub(x.add(s, d), multiply)
	case vk.BlendOpInvertEXT:
		return not(d)
	case vk.BlendOpInvertRgbEXT:
		return x.mul(s, not(d))
	case vk.BlendOpLineardodgeEXT:
		return x.min(x.add(s, d), one)
	case vk.BlendOpLinearburnEXT:
		return x.max(x.sub(x.add(s, d), one), zero)
	case vk.BlendOpHardmixEXT: // in binary32
		sum := x.Op(ir.OpFAdd, ir.F32, x.float(s), x.float(d))
		return x.pick(x.Op(ir.OpFLt, ir.Bool, sum, x.F32(1-half)), zero, one)
	}
	return x.separableLight(s, d)
}

// separableLight is separable for dodge, burn and lights.
func (x *advancer) separableLight(s, d double) double {
	zero, one, two, half := x.num(0), x.num(1), x.num(2), x.num(.5)
	not := func(v double) double { return x.sub(one, v) }
	twice := x.mul(two, s)
	switch x.k.ColorOp {
	case vk.BlendOpColordodgeEXT:
		v := x.pick(x.lt(s, one), x.min(one, x.div(d, not(s))), one)
		return x.pick(x.le(d, zero), zero, v)
	case vk.BlendOpColorburnEXT:
		v := x.pick(x.lt(zero, s), not(x.min(one, x.div(not(d), s))), zero)
		return x.pick(x.le(one, d), one, v)
	case vk.BlendOpSoftlightEXT:
		dark := x.sub(d, x.mul(x.mul(x.sub(one, twice), d), not(d)))
		more := x.sub(twice, one)
		cubic := x.add(x.mul(x.sub(x.mul(x.num(16), d), x.num(12)), d), x.num(3))
		middle := x.add(d, x.mul(x.mul(more, d), cubic))
		light := x.add(d, x.mul(more, x.sub(x.wide(ir.WideSqrt, d), d)))
		return x.pick(x.le(s, half), dark, x.pick(x.le(d, x.num(.25)), middle, light))
	case vk.BlendOpVividlightEXT:
		dark := not(x.min(one, x.div(not(d), twice)))
		light := x.min(one, x.div(d, x.mul(two, not(s))))
		v := x.pick(x.lt(s, half), dark, x.pick(x.lt(s, one), light, one))
		return x.pick(x.le(s, zero), zero, v)
	case vk.BlendOpLinearlightEXT:
		return x.max(zero, x.min(x.sub(x.add(twice, d), one), one))
	case vk.BlendOpPinlightEXT:
		more := x.sub(twice, one)
		v := x.pick(x.lt(s, x.mul(half, d)), twice, d)
		return x.pick(x.lt(d, more), x.pick(x.lt(s, half), zero, more), v)
	}
	return zero // ZERO, SRC_OUT, DST_OUT, XOR
}

// hsl is f of the operations in hue, saturation and luminosity.
func (x *advancer) hsl(s, d colour) colour {
	switch x.k.ColorOp {
	case vk.BlendOpHslHueEXT:
		return x.setLumSat(s, d, d)
	case vk.BlendOpHslSaturationEXT:
		return x.setLumSat(d, s, d)
	case vk.BlendOpHslColorEXT:
		return x.setLum(s, d)
	}
	return x.setLum(d, s)
}

func (x *advancer) lum(c colour) double {
	v := x.add(x.mul(x.num(.30), c[0]), x.mul(x.num(.59), c[1]))
	return x.add(v, x.mul(x.num(.11), c[2]))
}

func (x *advancer) sat(c colour) double {
	return x.sub(x.max(c[0], c[1], c[2]), x.min(c[0], c[1], c[2]))
}

// setLum gives a colour the luminosity of another, and brings it into range.
func (x *advancer) setLum(base, from colour) (c colour) {
	zero, one := x.num(0), x.num(1)
	diff := x.sub(x.lum(from), x.lum(base))
	for i := range 3 {
		c[i] = x.add(base[i], diff)
	}
	l, lo, hi := x.lum(c), x.min(c[0], c[1], c[2]), x.max(c[0], c[1], c[2])
	below, above := x.lt(lo, zero), x.lt(one, hi)
	for i := range 3 {
		v := x.add(l, x.div(x.mul(x.sub(c[i], l), l), x.sub(l, lo)))
		c[i] = x.pick(below, v, c[i])
		v = x.add(l, x.div(x.mul(x.sub(c[i], l), x.sub(one, l)), x.sub(hi, l)))
		c[i] = x.pick(above, v, c[i])
	}
	return c
}

// setLumSat gives a colour the saturation of a second and the luminosity of a third.
func (x *advancer) setLumSat(base, from, light colour) (c colour) {
	have, want, lo := x.sat(base), x.sat(from), x.min(base[0], base[1], base[2])
	some := x.lt(x.num(0), have)
	for i := range 3 {
		v := x.div(x.mul(x.sub(base[i], lo), want), have)
		c[i] = x.pick(some, v, x.num(0))
	}
	return x.setLum(c, light)
}

// additional evaluates the operations on premultiplied colours.
func (x *advancer) additional(s, d colour) colour {
	as, ad, zero, one, two := s[3], d[3], x.num(0), x.num(1), x.num(2)
	each := func(a double, f func(s, d double) double) colour {
		return colour{f(s[0], d[0]), f(s[1], d[1]), f(s[2], d[2]), a}
	}
	all := x.add(as, ad)
	sum := x.min(one, all)
	switch x.k.ColorOp {
	case vk.BlendOpPlusEXT:
		return each(all, x.add)
	case vk.BlendOpPlusClampedEXT:
		return each(sum, func(s, d double) double { return x.min(one, x.add(s, d)) })
	case vk.BlendOpPlusClampedAlphaEXT:
		return each(sum, func(s, d double) double { return x.min(sum, x.add(s, d)) })
	case vk.BlendOpPlusDarkerEXT:
		return each(sum, func(s, d double) double {
			return x.max(zero, x.sub(sum, x.add(x.sub(as, s), x.sub(ad, d))))
		})
	case vk.BlendOpMinusEXT:
		return each(x.sub(ad, as), func(s, d double) double { return x.sub(d, s) })
	case vk.BlendOpMinusClampedEXT:
		return each(x.max(zero, x.sub(ad, as)), func(s, d double) double {
			return x.max(zero, x.sub(d, s))
		})
	case vk.BlendOpContrastEXT:
		hs, hd := x.div(as, two), x.div(ad, two)
		return each(ad, func(s, d double) double {
			return x.add(hd, x.mul(x.mul(two, x.sub(d, hd)), x.sub(s, hs)))
		})
	case vk.BlendOpInvertOvgEXT:
		ns, nd := x.sub(one, as), func(d double) double { return x.sub(one, d) }
		return each(x.sub(all, x.mul(as, ad)), func(_, d double) double {
			return x.add(x.mul(as, nd(d)), x.mul(ns, d))
		})
	case vk.BlendOpRedEXT:
		return colour{s[0], d[1], d[2], ad}
	case vk.BlendOpGreenEXT:
		return colour{d[0], s[1], d[2], ad}
	}
	return colour{d[0], d[1], s[2], ad}
}
