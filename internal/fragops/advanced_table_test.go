package fragops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// row is a line of the tables of framebuffer-blend-advanced: X, Y, Z and f.
type row struct {
	x, y, z float64
	f       func(s, d float64) float64
}

func pick(cond bool, a, b float64) float64 {
	if cond {
		return a
	}
	return b
}

// fxyz is the table of operations with f, X, Y and Z.
var fxyz = map[vk.BlendOp]row{
	vk.BlendOpZeroEXT:       {0, 0, 0, func(s, d float64) float64 { return 0 }},
	vk.BlendOpSrcEXT:        {1, 1, 0, func(s, d float64) float64 { return s }},
	vk.BlendOpDstEXT:        {1, 0, 1, func(s, d float64) float64 { return d }},
	vk.BlendOpSrcOverEXT:    {1, 1, 1, func(s, d float64) float64 { return s }},
	vk.BlendOpDstOverEXT:    {1, 1, 1, func(s, d float64) float64 { return d }},
	vk.BlendOpSrcInEXT:      {1, 0, 0, func(s, d float64) float64 { return s }},
	vk.BlendOpDstInEXT:      {1, 0, 0, func(s, d float64) float64 { return d }},
	vk.BlendOpSrcOutEXT:     {0, 1, 0, func(s, d float64) float64 { return 0 }},
	vk.BlendOpDstOutEXT:     {0, 0, 1, func(s, d float64) float64 { return 0 }},
	vk.BlendOpSrcAtopEXT:    {1, 0, 1, func(s, d float64) float64 { return s }},
	vk.BlendOpDstAtopEXT:    {1, 1, 0, func(s, d float64) float64 { return d }},
	vk.BlendOpXorEXT:        {0, 1, 1, func(s, d float64) float64 { return 0 }},
	vk.BlendOpMultiplyEXT:   {1, 1, 1, func(s, d float64) float64 { return s * d }},
	vk.BlendOpScreenEXT:     {1, 1, 1, func(s, d float64) float64 { return s + d - s*d }},
	vk.BlendOpOverlayEXT:    {1, 1, 1, func(s, d float64) float64 { return pick(d <= .5, 2*s*d, 1-2*(1-s)*(1-d)) }},
	vk.BlendOpDarkenEXT:     {1, 1, 1, math.Min},
	vk.BlendOpLightenEXT:    {1, 1, 1, math.Max},
	vk.BlendOpColordodgeEXT: {1, 1, 1, func(s, d float64) float64 { return pick(d <= 0, 0, pick(s < 1, math.Min(1, d/(1-s)), 1)) }},
	vk.BlendOpColorburnEXT:  {1, 1, 1, func(s, d float64) float64 { return pick(d >= 1, 1, pick(s > 0, 1-math.Min(1, (1-d)/s), 0)) }},
	vk.BlendOpHardlightEXT:  {1, 1, 1, func(s, d float64) float64 { return pick(s <= .5, 2*s*d, 1-2*(1-s)*(1-d)) }},
	vk.BlendOpSoftlightEXT: {1, 1, 1, func(s, d float64) float64 {
		return pick(s <= .5, d-(1-2*s)*d*(1-d), pick(d <= .25, d+(2*s-1)*d*((16*d-12)*d+3), d+(2*s-1)*(math.Sqrt(d)-d)))
	}},
	vk.BlendOpDifferenceEXT:  {1, 1, 1, func(s, d float64) float64 { return math.Abs(d - s) }},
	vk.BlendOpExclusionEXT:   {1, 1, 1, func(s, d float64) float64 { return s + d - 2*s*d }},
	vk.BlendOpInvertEXT:      {1, 0, 1, func(s, d float64) float64 { return 1 - d }},
	vk.BlendOpInvertRgbEXT:   {1, 0, 1, func(s, d float64) float64 { return s * (1 - d) }},
	vk.BlendOpLineardodgeEXT: {1, 1, 1, func(s, d float64) float64 { return pick(s+d <= 1, s+d, 1) }},
	vk.BlendOpLinearburnEXT:  {1, 1, 1, func(s, d float64) float64 { return pick(s+d > 1, s+d-1, 0) }},
	vk.BlendOpVividlightEXT: {1, 1, 1, func(s, d float64) float64 {
		return pick(s <= 0, 0, pick(s < .5, 1-math.Min(1, (1-d)/(2*s)), pick(s < 1, math.Min(1, d/(2*(1-s))), 1)))
	}},
	vk.BlendOpLinearlightEXT: {1, 1, 1, func(s, d float64) float64 { return pick(2*s+d > 2, 1, pick(2*s+d > 1, 2*s+d-1, 0)) }},
	vk.BlendOpPinlightEXT: {1, 1, 1, func(s, d float64) float64 {
		return pick(2*s-1 > d, pick(s < .5, 0, 2*s-1), pick(s < .5*d, 2*s, d))
	}},
	vk.BlendOpHardmixEXT: {1, 1, 1, func(s, d float64) float64 { return pick(s+d < 1, 0, 1) }},
}

// rgb is a colour without alpha; the functions on it are those of the specification's
// pseudocode.
type rgb [3]float64

func (c rgb) minv3() float64 { return math.Min(math.Min(c[0], c[1]), c[2]) }
func (c rgb) maxv3() float64 { return math.Max(math.Max(c[0], c[1]), c[2]) }
func (c rgb) lumv3() float64 { return c[0]*0.30 + c[1]*0.59 + c[2]*0.11 }
func (c rgb) satv3() float64 { return c.maxv3() - c.minv3() }
func (c rgb) each(f func(float64) float64) rgb {
	return rgb{f(c[0]), f(c[1]), f(c[2])}
}

func clipColor(c rgb) rgb {
	l, lo, hi := c.lumv3(), c.minv3(), c.maxv3()
	if lo < 0 {
		c = c.each(func(x float64) float64 { return l + (x-l)*l/(l-lo) })
	}
	if hi > 1 {
		c = c.each(func(x float64) float64 { return l + (x-l)*(1-l)/(hi-l) })
	}
	return c
}

func specSetLum(base, light rgb) rgb {
	diff := light.lumv3() - base.lumv3()
	return clipColor(base.each(func(x float64) float64 { return x + diff }))
}

func specSetLumSat(base, from, light rgb) rgb {
	if s := base.satv3(); s > 0 {
		lo, want := base.minv3(), from.satv3()
		return specSetLum(base.each(func(x float64) float64 { return (x - lo) * want / s }), light)
	}
	return specSetLum(rgb{}, light)
}

// specAdvanced is blending as the specification's tables say it, for colours that are
// straight, and the two straight flags for what is premultiplied in between.
func specAdvanced(op vk.BlendOp, overlap vk.BlendOverlapEXT, s, d rgb, as, ad float64) (out [4]float64) {
	ps, pd := s.each(func(x float64) float64 { return x * as }), d.each(func(x float64) float64 { return x * ad })
	both := func(a float64, f func(s, d float64) float64) [4]float64 {
		return [4]float64{f(ps[0], pd[0]), f(ps[1], pd[1]), f(ps[2], pd[2]), a}
	}
	sum := math.Min(1, as+ad)
	switch op {
	case vk.BlendOpPlusEXT:
		return both(as+ad, func(s, d float64) float64 { return s + d })
	case vk.BlendOpPlusClampedEXT:
		return both(sum, func(s, d float64) float64 { return math.Min(1, s+d) })
	case vk.BlendOpPlusClampedAlphaEXT:
		return both(sum, func(s, d float64) float64 { return math.Min(sum, s+d) })
	case vk.BlendOpPlusDarkerEXT:
		return both(sum, func(s, d float64) float64 { return math.Max(0, sum-((as-s)+(ad-d))) })
	case vk.BlendOpMinusEXT:
		return both(ad-as, func(s, d float64) float64 { return d - s })
	case vk.BlendOpMinusClampedEXT:
		return both(math.Max(0, ad-as), func(s, d float64) float64 { return math.Max(0, d-s) })
	case vk.BlendOpContrastEXT:
		return both(ad, func(s, d float64) float64 { return ad/2 + 2*(d-ad/2)*(s-as/2) })
	case vk.BlendOpInvertOvgEXT:
		return both(as+ad-as*ad, func(s, d float64) float64 { return as*(1-d) + (1-as)*d })
	case vk.BlendOpRedEXT:
		return [4]float64{ps[0], pd[1], pd[2], ad}
	case vk.BlendOpGreenEXT:
		return [4]float64{pd[0], ps[1], pd[2], ad}
	case vk.BlendOpBlueEXT:
		return [4]float64{pd[0], pd[1], ps[2], ad}
	}
	p := map[vk.BlendOverlapEXT][3]float64{
		vk.BlendOverlapUncorrelatedEXT: {as * ad, as * (1 - ad), ad * (1 - as)},
		vk.BlendOverlapConjointEXT:     {math.Min(as, ad), math.Max(as-ad, 0), math.Max(ad-as, 0)},
		vk.BlendOverlapDisjointEXT:     {math.Max(as+ad-1, 0), math.Min(as, 1-ad), math.Min(ad, 1-as)},
	}[overlap]
	// Without alpha there is no straight colour.
	if as == 0 {
		s = rgb{}
	}
	if ad == 0 {
		d = rgb{}
	}
	q, ok := fxyz[op]
	var f rgb
	switch op {
	case vk.BlendOpHslHueEXT:
		f = specSetLumSat(s, d, d)
	case vk.BlendOpHslSaturationEXT:
		f = specSetLumSat(d, s, d)
	case vk.BlendOpHslColorEXT:
		f = specSetLum(s, d)
	case vk.BlendOpHslLuminosityEXT:
		f = specSetLum(d, s)
	default:
		f = rgb{q.f(s[0], d[0]), q.f(s[1], d[1]), q.f(s[2], d[2])}
	}
	if !ok {
		q = row{1, 1, 1, nil}
	}
	for c := range 3 {
		out[c] = f[c]*p[0] + q.y*s[c]*p[1] + q.z*d[c]*p[2]
	}
	out[3] = q.x*p[0] + q.y*p[1] + q.z*p[2]
	return out
}

// RAS-344: all operations, overlaps and forms of colours against the tables. The
// device computes in binary64 in another order and rounds once to binary32: the
// difference is less than 2^-24 of the result and some 2^-50 of what cancels.
func TestAdvanced_RAS344_AsTheTablesSay(t *testing.T) {
	rules.Covers(t, "RAS-344")
	r := rand.New(rand.NewPCG(34, 4))
	steps := []float64{0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1}
	value := func(i int) float64 {
		if i%4 == 0 {
			return float64(float32(r.Float64()))
		}
		return steps[r.IntN(len(steps))]
	}
	ops := []vk.BlendOp{}
	for op := vk.BlendOpZeroEXT; op <= vk.BlendOpBlueEXT; op++ {
		ops = append(ops, op)
	}
	if len(ops) != 46 {
		t.Fatalf("%d operations", len(ops))
	}
	for i := range 600 {
		s, d := rgb{value(i), value(i), value(i)}, rgb{value(i), value(i), value(i)}
		as, ad := value(i), value(i)
		if i%3 == 0 { // powers of two: straight colours come back exactly
			as, ad = []float64{0, 0.25, 0.5, 1}[r.IntN(4)], []float64{0, 0.25, 0.5, 1}[r.IntN(4)]
		}
		for _, op := range ops {
			for form := range 12 {
				a := AdvancedBlend{SrcStraight: form&1 != 0, DstStraight: form&2 != 0, Overlap: vk.BlendOverlapEXT(form / 4)}
				give := func(c rgb, alpha float64, straight bool) (rgb, Vec4) {
					if !straight { // what goes in is rounded; go on from that
						c = c.each(func(x float64) float64 { return float64(float32(x * alpha)) })
						if alpha != 0 {
							return c.each(func(x float64) float64 { return x / alpha }), Vec4{float32(c[0]), float32(c[1]), float32(c[2]), float32(alpha)}
						}
					}
					return c, Vec4{float32(c[0]), float32(c[1]), float32(c[2]), float32(alpha)}
				}
				cs, s0 := give(s, as, a.SrcStraight)
				cd, d0 := give(d, ad, a.DstStraight)
				if a.SrcStraight && as == 0 || a.DstStraight && ad == 0 {
					continue // straight colours without alpha count with f, by the letter
				}
				want := specAdvanced(op, a.Overlap, cs, cd, as, ad)
				if a.DstStraight && want[3] != 0 {
					for c := range 3 {
						want[c] /= want[3]
					}
				}
				jump := false
				for c := range 3 {
					jump = jump || op == vk.BlendOpHardmixEXT && math.Abs(cs[c]+cd[c]-1) < 1e-6 && cs[c]+cd[c] != 1
				}
				if jump {
					continue
				}
				b := BlendState{ColorOp: op, AlphaOp: op, Advanced: a, Lo: 1}
				got := b.Blend(s0, Vec4{}, d0)
				for c := range want {
					if math.Abs(float64(got[c])-want[c]) > math.Abs(want[c])*0x1p-23+1e-7 {
						t.Fatalf("%v %+v of %v and %v: component %d is %v, want %v", op, a, s0, d0, c, got[c], want[c])
					}
				}
				b.Advanced.ClampResults = true
				for c, v := range b.Blend(s0, Vec4{}, d0) {
					if v != max(0, min(got[c], 1)) {
						t.Fatalf("%v %+v of %v and %v: component %d clamped is %v, was %v", op, a, s0, d0, c, v, got[c])
					}
				}
			}
		}
	}
}

// The operations of a list that are not advanced, and advanced ones.
func TestAdvanced_Operations(t *testing.T) {
	for op, want := range map[vk.BlendOp]bool{vk.BlendOpAdd: false, vk.BlendOpMax: false, vk.BlendOpZeroEXT - 1: false, vk.BlendOpZeroEXT: true, vk.BlendOpBlueEXT: true, vk.BlendOpBlueEXT + 1: false} {
		if advancedOp(op) != want {
			t.Errorf("%v is advanced: %v", op, !want)
		}
	}
}

// What is not a number comes out as the one that is, clamped or not, in each component; what is clamped at 0 is +0, as the
// bits of float formats show.
func TestAdvanced_RAS344_Bits(t *testing.T) {
	rules.Covers(t, "RAS-344")
	nan := math.Float32frombits(0xFFE12345)
	for _, clamp := range []bool{false, true} {
		b := BlendState{ColorOp: vk.BlendOpPlusEXT, AlphaOp: vk.BlendOpPlusEXT, Lo: 1, Advanced: AdvancedBlend{ClampResults: clamp}}
		for c := range 4 {
			s := Vec4{.25, .25, .25, .25}
			s[c] = nan
			for k, v := range b.Blend(s, Vec4{}, Vec4{.5, .5, .5, .5}) {
				want := uint32(0x3F400000)
				if k == c {
					want = 0x7FC00000
				}
				if math.Float32bits(v) != want {
					t.Errorf("NaN in component %d, clamped %v: component %d is %#x, want %#x", c, clamp, k, math.Float32bits(v), want)
				}
			}
		}
		// 0.25 less 0.5 to 1.5, and 1 less -1: clamped to +0 and 1.
		b.ColorOp, b.AlphaOp = vk.BlendOpMinusEXT, vk.BlendOpMinusEXT
		got := b.Blend(Vec4{.5, 1.5, -1, .75}, Vec4{}, Vec4{.25, .25, 1, .25})
		for c, want := range map[bool]Vec4{false: {-.25, -1.25, 2, -.5}, true: {0, 0, 1, 0}}[clamp] {
			if math.Float32bits(got[c]) != math.Float32bits(want) {
				t.Errorf("clamped %v: component %d is %v, want %v", clamp, c, got[c], want)
			}
		}
		// Of no alpha nothing is divided by it: premultiplied colours stay what they are, and so do straight ones.
		for _, straight := range []bool{false, true} {
			b := BlendState{ColorOp: vk.BlendOpPlusEXT, AlphaOp: vk.BlendOpPlusEXT, Lo: 1, Advanced: AdvancedBlend{DstStraight: straight, ClampResults: clamp}}
			if got := b.Blend(Vec4{.25, .5, 0, 0}, Vec4{}, Vec4{}); got != (Vec4{.25, .5, 0, 0}) {
				t.Errorf("without alpha, straight %v: %v", straight, got)
			}
		}
	}
}

// Colours above 1 and below 0, which float formats hold: nothing is clamped but where the state says so, by any operation.
func TestAdvanced_RAS344_OutsideOfOne(t *testing.T) {
	rules.Covers(t, "RAS-344")
	outside := 0
	for op := vk.BlendOpZeroEXT; op <= vk.BlendOpBlueEXT; op++ {
		for _, c := range []struct{ s, d rgb }{{rgb{8, 6, 10}, rgb{7, 12, 5}}, {rgb{-2, -3, -5}, rgb{-4, -2, -7}}, {rgb{8, -2, 4}, rgb{-3, 9, 6}}} {
			for overlap := range vk.BlendOverlapEXT(3) {
				const as, ad = .5, .75
				a := AdvancedBlend{SrcStraight: true, DstStraight: true, Overlap: overlap}
				want := specAdvanced(op, overlap, c.s, c.d, as, ad)
				if want[3] != 0 {
					for k := range 3 {
						want[k] /= want[3]
					}
				}
				vec := func(c rgb, alpha float32) Vec4 {
					return Vec4{float32(c[0]), float32(c[1]), float32(c[2]), alpha}
				}
				for _, a.ClampResults = range []bool{false, true} {
					b := BlendState{ColorOp: op, AlphaOp: op, Advanced: a, Lo: 1}
					for k, v := range b.Blend(vec(c.s, as), Vec4{}, vec(c.d, ad)) {
						x := want[k]
						if x < 0 || x > 1 {
							outside++
						}
						if a.ClampResults {
							x = max(0, min(x, 1))
						}
						if !(math.Abs(float64(v)-x) <= math.Abs(x)*0x1p-22+1e-6) && x == x {
							t.Errorf("%v %+v of %v and %v: component %d is %v, want %v", op, a, c.s, c.d, k, v, x)
						}
					}
				}
			}
		}
	}
	if outside < 1000 {
		t.Errorf("%d components are outside of 0 to 1", outside)
	}
}
