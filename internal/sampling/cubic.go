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

// cubicTaps is IMG-482: i1 is the texel whose centre is at or left of u.
func (u *sampled) cubicTaps(x float64) taps {
	i1, f := linearTexels(x)
	return taps{i: [4]int{i1 - 1, i1, i1 + 1, i1 + 2}, w: u.cubic.weights(f), n: 4}
}

// texelRange is the range of the texels that a level's filter reads, by component.
type texelRange struct {
	low, high [4]float64
	any       bool
}

func (r *texelRange) add(f *[4]float64) {
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
func (u *sampled) closeCubic(s *sum) {
	r := &s.span
	if !r.any {
		return
	}
	one := float64(uint64(1) << (SubTexelBits * u.dims))
	for c := range s.real {
		before := s.real[c]
		switch {
		case r.low[c] == r.high[c]:
			s.real[c] = float64(one * r.low[c])
		case u.compare:
			s.real[c] = min(max(s.real[c], 0), one)
		case u.reduce == vk.SamplerReductionModeWeightedAverageRangeclampQCOM && !math.IsNaN(s.real[c]) && r.low[c] <= r.high[c]:
			s.real[c] = min(max(s.real[c], float64(one*r.low[c])), float64(one*r.high[c]))
		}
		if t := u.a.Trace; t != nil && r.low[c] != r.high[c] {
			t.cubicClosed(u, c, before/one, s.real[c]/one, r.low[c], r.high[c])
		}
	}
}
