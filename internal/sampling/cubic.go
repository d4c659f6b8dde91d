package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// filter is a VkFilter of a level.
type filter uint8

const (
	filterNearest filter = iota
	filterLinear
	filterCubic
)

func filterOf(f vk.Filter) filter {
	switch f {
	case vk.FilterNearest:
		return filterNearest
	case vk.FilterCubicEXT:
		return filterCubic
	default:
		return filterLinear
	}
}

// vkFilters is the inverse of filterOf.
var vkFilters = [...]vk.Filter{filterNearest: vk.FilterNearest, filterLinear: vk.FilterLinear, filterCubic: vk.FilterCubicEXT}

// cubicSet is a row of IMG-540: the coefficients of 1, α, α², α³ in each weight,
// and what they are divided by.
type cubicSet struct {
	m   [4][4]int64 // [power][tap]
	div float64
}

// cubicSets are by VkCubicFilterWeightsQCOM. The zero-tangent set ends in 2, not
// in the published 1, so that its weights sum to one (IMG-545).
var cubicSets = [...]cubicSet{
	vk.CubicFilterWeightsCatmullRomQCOM: {
		[4][4]int64{{0, 2, 0, 0}, {-1, 0, 1, 0}, {2, -5, 4, -1}, {-1, 3, -3, 1}}, 2,
	},
	vk.CubicFilterWeightsZeroTangentCardinalQCOM: {
		[4][4]int64{{0, 2, 0, 0}, {-2, 0, 2, 0}, {4, -4, 2, -2}, {-2, 2, -2, 2}}, 2,
	},
	vk.CubicFilterWeightsBSplineQCOM: {
		[4][4]int64{{1, 4, 1, 0}, {-3, 0, 3, 0}, {3, -6, 3, 0}, {-1, 3, -3, 1}}, 6,
	},
	vk.CubicFilterWeightsMitchellNetravaliQCOM: {
		[4][4]int64{{1, 16, 1, 0}, {-9, 0, 9, 0}, {15, -36, 27, -6}, {-7, 21, -21, 7}}, 18,
	},
}

// weights are those for α = f/256, times 256: integers below 2^30 divided once,
// by a power of two and a factor of 18.
//
// IMG-541, IMG-543
func (c *cubicSet) weights(f uint32) (w [4]float64) {
	x := int64(f)
	for n := range w {
		sum := c.m[0][n]<<24 + c.m[1][n]*x<<16 + c.m[2][n]*x*x<<8 + c.m[3][n]*x*x*x
		w[n] = float64(sum) / float64(c.div*(1<<16))
	}
	return w
}

// cubicTaps is IMG-482: i1 is the texel whose centre is at or left of u.
func (u *unit) cubicTaps(x float64) taps {
	i1, f := linearTexels(x)
	return taps{i: [4]int{i1 - 1, i1, i1 + 1, i1 + 2}, w: u.cubic.weights(f), n: 4}
}

// span is the range of the texels that a level's filter reads, by component.
type span struct {
	low, high [4]float64
	any       bool
}

func (r *span) add(f *[4]float64) {
	if !r.any {
		r.low, r.high, r.any = *f, *f, true
		return
	}
	for c, x := range f {
		// NaN moves neither end, but no range is closed over it.
		if x < r.low[c] || x != x {
			r.low[c] = x
		}
		if x > r.high[c] {
			r.high[c] = x
		}
	}
}

// closeCubic ends a level of CUBIC filtering: equal texels give their own value
// (IMG-534), comparisons stay in [0, 1] (IMG-316), and the range clamp of
// VK_QCOM_filter_cubic_clamp applies (IMG-547).
//
// IMG-546
func (u *unit) closeCubic(s *sum) {
	r := &s.span
	if !r.any {
		return
	}
	one := float64(uint64(1) << (SubTexelBits * u.dims))
	for c := range s.real {
		switch {
		case r.low[c] == r.high[c]:
			s.real[c] = float64(one * r.low[c])
		case u.compare:
			s.real[c] = min(max(s.real[c], 0), one)
		case u.reduce == vk.SamplerReductionModeWeightedAverageRangeclampQCOM && !math.IsNaN(s.real[c]) && r.low[c] <= r.high[c]:
			s.real[c] = min(max(s.real[c], float64(one*r.low[c])), float64(one*r.high[c]))
		}
	}
}
