package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// AdvancedBlend is what advanced blend operations need besides their operation.
type AdvancedBlend struct {
	// SrcStraight and DstStraight: the colour is not premultiplied.
	SrcStraight, DstStraight bool
	Overlap                  vk.BlendOverlapEXT
	ClampResults             bool
}

// advancedOp says whether an operation is one of the advanced ones.
func advancedOp(op vk.BlendOp) bool { return op >= vk.BlendOpZeroEXT && op <= vk.BlendOpBlueEXT }

// color is a colour in the arithmetic of advanced blending: binary64, rounded once
// when it is stored.
type color [4]float64

// Advanced evaluates an advanced operation for a source and a destination in
// linear space.
//
// RAS-344 framebuffer-blend-advanced
func (b *BlendState) advanced(s0, d0 Vec4) Vec4 {
	var s, d color
	for c := range s {
		s[c], d[c] = float64(s0[c]), float64(d0[c])
	}
	var r color
	if b.ColorOp >= vk.BlendOpPlusEXT {
		r = additional(b.ColorOp, multiplied(s, b.Advanced.SrcStraight), multiplied(d, b.Advanced.DstStraight))
	} else {
		r = b.weighted(s, d)
	}
	if b.Advanced.DstStraight && r[3] != 0 {
		r[0], r[1], r[2] = r[0]/r[3], r[1]/r[3], r[2]/r[3]
	}
	var out Vec4
	for c, v := range r {
		if b.Advanced.ClampResults {
			v = max(0, min(v, 1))
		}
		if out[c] = float32(v); v != v {
			out[c] = math.Float32frombits(fp.CanonicalNaN)
		}
	}
	return out
}

// multiplied is the premultiplied form of a colour.
func multiplied(c color, straight bool) color {
	if straight {
		return color{float64(c[0] * c[3]), float64(c[1] * c[3]), float64(c[2] * c[3]), c[3]}
	}
	return c
}

// straight is a colour divided by its alpha; 0 where that is 0.
func straight(c color, already bool) color {
	switch {
	case already:
		return c
	case c[3] == 0:
		return color{}
	}
	return color{c[0] / c[3], c[1] / c[3], c[2] / c[3], c[3]}
}

// terms are X, Y and Z of the operations from ZERO to XOR; of all later ones they
// are 1, but for the two that invert.
var terms = [...][3]float64{
	{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 0}, {0, 1, 1},
}

// Terms are X, Y and Z of an operation up to HSL_LUMINOSITY.
func Terms(op vk.BlendOp) [3]float64 {
	switch {
	case op <= vk.BlendOpXorEXT:
		return terms[op-vk.BlendOpZeroEXT]
	case op == vk.BlendOpInvertEXT, op == vk.BlendOpInvertRgbEXT:
		return [3]float64{1, 0, 1}
	}
	return [3]float64{1, 1, 1}
}

// weighted evaluates the operations with f, X, Y and Z.
func (b *BlendState) weighted(s, d color) color {
	as, ad := s[3], d[3]
	var p0, p1, p2 float64
	switch b.Advanced.Overlap {
	case vk.BlendOverlapConjointEXT:
		p0, p1, p2 = min(as, ad), max(as-ad, 0), max(ad-as, 0)
	case vk.BlendOverlapDisjointEXT:
		p0, p1, p2 = max(as+ad-1, 0), min(as, 1-ad), min(ad, 1-as)
	default:
		p0, p1, p2 = as*ad, as*(1-ad), ad*(1-as)
	}
	xyz := Terms(b.ColorOp)
	cs, cd := straight(s, b.Advanced.SrcStraight), straight(d, b.Advanced.DstStraight)
	var f color
	if b.ColorOp >= vk.BlendOpHslHueEXT {
		f = hsl(b.ColorOp, cs, cd)
	} else {
		for c := range 3 {
			f[c] = separable(b.ColorOp, cs[c], cd[c], b.Half[c])
		}
	}
	var out color
	for c := range 3 {
		out[c] = float64(f[c]*p0) + float64(float64(xyz[1]*cs[c])*p1) + float64(float64(xyz[2]*cd[c])*p2)
	}
	out[3] = float64(xyz[0]*p0) + float64(xyz[1]*p1) + float64(xyz[2]*p2)
	return out
}

// HalfCodes is half a code of each UNORM colour component that is no more precise
// than binary16, 0 of others.
//
// RAS-344 framebuffer
func HalfCodes(info *format.Info) (half Vec4) {
	for i, c := range info.Components[:3] {
		if c.Numeric == format.NumericUnorm && c.Bits <= 10 {
			half[i] = 0.5 / float32(uint32(1)<<c.Bits-1)
		}
	}
	return half
}

// separable is f of the operations that treat components alike; half is as BlendState
// has it.
func separable(op vk.BlendOp, s, d float64, half float32) float64 {
	multiply, screen := float64(2*s*d), 1-float64(2*(1-s)*(1-d))
	switch op {
	case vk.BlendOpSrcEXT, vk.BlendOpSrcOverEXT, vk.BlendOpSrcInEXT, vk.BlendOpSrcAtopEXT:
		return s
	case vk.BlendOpDstEXT, vk.BlendOpDstOverEXT, vk.BlendOpDstInEXT, vk.BlendOpDstAtopEXT:
		return d
	case vk.BlendOpMultiplyEXT:
		return s * d
	case vk.BlendOpScreenEXT:
		return s + d - float64(s*d)
	case vk.BlendOpOverlayEXT:
		if d <= 0.5 {
			return multiply
		}
		return screen
	case vk.BlendOpDarkenEXT:
		return min(s, d)
	case vk.BlendOpLightenEXT:
		return max(s, d)
	case vk.BlendOpHardlightEXT:
		if s <= 0.5 {
			return multiply
		}
		return screen
	case vk.BlendOpDifferenceEXT:
		return math.Abs(d - s)
	case vk.BlendOpExclusionEXT:
		return s + d - multiply
	case vk.BlendOpInvertEXT:
		return 1 - d
	case vk.BlendOpInvertRgbEXT:
		return s * (1 - d)
	case vk.BlendOpLineardodgeEXT:
		return min(s+d, 1)
	case vk.BlendOpLinearburnEXT:
		return max(s+d-1, 0)
	case vk.BlendOpHardmixEXT:
		// Rounded to binary32, so that a half of a premultiplied colour and a
		// half make one.
		if float32(s)+float32(d) < 1-half {
			return 0
		}
		return 1
	}
	return separableLight(op, s, d)
}

// separableLight is separable for dodge, burn and lights.
func separableLight(op vk.BlendOp, s, d float64) float64 {
	switch op {
	case vk.BlendOpColordodgeEXT:
		switch {
		case d <= 0:
			return 0
		case s < 1:
			return min(1, d/(1-s))
		}
		return 1
	case vk.BlendOpColorburnEXT:
		switch {
		case d >= 1:
			return 1
		case s > 0:
			return 1 - min(1, (1-d)/s)
		}
		return 0
	case vk.BlendOpSoftlightEXT:
		switch {
		case s <= 0.5:
			return d - float64((1-2*s)*d*(1-d))
		case d <= 0.25:
			return d + float64((2*s-1)*d*(float64((float64(16*d)-12)*d)+3))
		}
		return d + float64((2*s-1)*(math.Sqrt(d)-d))
	case vk.BlendOpVividlightEXT:
		switch {
		case s <= 0:
			return 0
		case s < 0.5:
			return 1 - min(1, (1-d)/(2*s))
		case s < 1:
			return min(1, d/(2*(1-s)))
		}
		return 1
	case vk.BlendOpLinearlightEXT:
		return max(0, min(2*s+d-1, 1))
	case vk.BlendOpPinlightEXT:
		switch {
		case 2*s-1 > d && s < 0.5:
			return 0
		case 2*s-1 > d:
			return 2*s - 1
		case s < 0.5*d:
			return 2 * s
		}
		return d
	}
	return 0 // ZERO, SRC_OUT, DST_OUT, XOR
}

// hsl is f of the operations in hue, saturation and luminosity.
func hsl(op vk.BlendOp, s, d color) color {
	switch op {
	case vk.BlendOpHslHueEXT:
		return setLumSat(s, d, d)
	case vk.BlendOpHslSaturationEXT:
		return setLumSat(d, s, d)
	case vk.BlendOpHslColorEXT:
		return setLum(s, d)
	}
	return setLum(d, s)
}

func lum(c color) float64 {
	return float64(0.30*c[0]) + float64(0.59*c[1]) + float64(0.11*c[2])
}

func sat(c color) float64 { return max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

// setLum gives a colour the luminosity of another, and brings it into range.
func setLum(base, from color) color {
	diff := lum(from) - lum(base)
	c := color{base[0] + diff, base[1] + diff, base[2] + diff}
	l, lo, hi := lum(c), min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	if lo < 0 {
		for i := range 3 {
			c[i] = l + float64((c[i]-l)*l)/(l-lo)
		}
	}
	if hi > 1 {
		for i := range 3 {
			c[i] = l + float64((c[i]-l)*(1-l))/(hi-l)
		}
	}
	return c
}

// setLumSat gives a colour the saturation of a second and the luminosity of a
// third.
func setLumSat(base, from, light color) color {
	var c color
	if have := sat(base); have > 0 {
		lo, want := min(base[0], base[1], base[2]), sat(from)
		for i := range 3 {
			c[i] = float64((base[i]-lo)*want) / have
		}
	}
	return setLum(c, light)
}

// additional evaluates the operations on premultiplied colours.
func additional(op vk.BlendOp, s, d color) color {
	as, ad := s[3], d[3]
	each := func(a float64, f func(s, d float64) float64) color {
		return color{f(s[0], d[0]), f(s[1], d[1]), f(s[2], d[2]), a}
	}
	sum := min(1, as+ad)
	switch op {
	case vk.BlendOpPlusEXT:
		return each(as+ad, func(s, d float64) float64 { return s + d })
	case vk.BlendOpPlusClampedEXT:
		return each(sum, func(s, d float64) float64 { return min(1, s+d) })
	case vk.BlendOpPlusClampedAlphaEXT:
		return each(sum, func(s, d float64) float64 { return min(sum, s+d) })
	case vk.BlendOpPlusDarkerEXT:
		return each(sum, func(s, d float64) float64 { return max(0, sum-((as-s)+(ad-d))) })
	case vk.BlendOpMinusEXT:
		return each(ad-as, func(s, d float64) float64 { return d - s })
	case vk.BlendOpMinusClampedEXT:
		return each(max(0, ad-as), func(s, d float64) float64 { return max(0, d-s) })
	case vk.BlendOpContrastEXT:
		return each(ad, func(s, d float64) float64 { return float64(ad/2) + float64(2*(d-float64(ad/2))*(s-float64(as/2))) })
	case vk.BlendOpInvertOvgEXT:
		return each(as+ad-float64(as*ad), func(s, d float64) float64 { return float64(as*(1-d)) + float64((1-as)*d) })
	case vk.BlendOpRedEXT:
		return color{s[0], d[1], d[2], ad}
	case vk.BlendOpGreenEXT:
		return color{d[0], s[1], d[2], ad}
	}
	return color{d[0], d[1], s[2], ad}
}
