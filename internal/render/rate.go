package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// rate is a fragment's size as log2 of its width and its height: 0, 1 or 2.
type rate struct{ w, h uint8 }

// maxRate is maxFragmentSize: 4x4.
const maxRate = 2

// rateOf decodes ShadingRateKHR; sizes that must not be used become 4.
//
// RAS-143 primsrast-fragment-shading-rate-combining
func rateOf(code uint32) rate {
	return rate{uint8(code >> 2 & 3), uint8(code & 3)}.clamp()
}

// code is the rate as ShadingRateKHR.
func (r rate) code() uint32 { return uint32(r.w)<<2 | uint32(r.h) }

// clamp is the largest supported rate that is not larger: all sizes up to 4x4 are,
// with any number of samples.
//
// RAS-146, RAS-147 primsrast-fragment-shading-rate-combining
func (r rate) clamp() rate { return rate{min(r.w, maxRate), min(r.h, maxRate)} }

// combine is a combiner; products of sizes are sums here.
//
// RAS-144, RAS-145 VkFragmentShadingRateCombinerOpKHR
func combine(op vk.FragmentShadingRateCombinerOpKHR, a, b rate) rate {
	switch op {
	case vk.FragmentShadingRateCombinerOpReplaceKHR:
		return b
	case vk.FragmentShadingRateCombinerOpMinKHR:
		return rate{min(a.w, b.w), min(a.h, b.h)}
	case vk.FragmentShadingRateCombinerOpMaxKHR:
		return rate{max(a.w, b.w), max(a.h, b.h)}
	case vk.FragmentShadingRateCombinerOpMulKHR:
		return rate{a.w + b.w, a.h + b.h}.clamp()
	}
	return a
}

// RateAttachment is a fragment shading rate attachment.
type RateAttachment struct {
	View *resource.ImageView
	// Texel is the region of a texel, a power of two from 8.
	Texel vk.Extent2D
}

// ratePlan is what a draw needs to know about shading rates.
type ratePlan struct {
	pipeline  rate
	combiners [2]vk.FragmentShadingRateCombinerOpKHR
}

// addRates decides whether fragments may be larger than a pixel.
//
// RAS-139, RAS-148 primsrast-fragment-shading-rate-combining
func (s *drawState) addRates(pl *passPlan) {
	d := s.dynamic
	s.rates = ratePlan{rate{d.ShadingRate[0], d.ShadingRate[1]}.clamp(), d.RateCombiners}
	attached := pl.pass.Rate != nil && pl.pass.Rate.View != nil
	if s.rates.combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR && !attached {
		// Without an attachment all of it is 1x1.
		switch s.rates.combiners[1] {
		case vk.FragmentShadingRateCombinerOpReplaceKHR, vk.FragmentShadingRateCombinerOpMinKHR:
			return
		}
	}
	primitive := s.rates.combiners[0] != vk.FragmentShadingRateCombinerOpKeepKHR && (s.link.vs.rate != none || s.link.ofPrimitive.rate != none)
	tile := s.shade && slices.ContainsFunc(s.pipe.desc.Fragment.Program().Resources, func(r ir.Resource) bool { return r.Kind == ir.TileImage })
	sampled := d.SampleShadingOn || s.shade && s.pipe.desc.Fragment.Program().SampleRate // RAS-174
	one := s.sampleRate && !sampled && pl.samples == 1                                   // a sample of its own place: at rate 1x1 the fragment is there
	s.coarse = s.shade && (!s.sampleRate || one) && !sampled && !tile &&
		(s.rates.pipeline != rate{} || primitive || attached && s.rates.combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR)
	if s.coarse {
		s.overwrites, s.peek, s.sampleRate = false, nil, false
	}
}

// primitive is the rate after the first combiner; code is that of the primitive.
//
// RAS-140, RAS-144 primsrast-fragment-shading-rate-combining
func (p *ratePlan) primitive(code uint8) rate {
	return combine(p.combiners[0], p.pipeline, rateOf(uint32(code))).clamp()
}

// at is the rate of the fragment at pixel (x, y) of a layer; r is that of the
// primitive.
//
// RAS-141, RAS-142, RAS-149 primsrast-fragment-shading-rate-attachment
func (p *ratePlan) at(r rate, a *RateAttachment, layer int, x, y int32) rate {
	if p.combiners[1] == vk.FragmentShadingRateCombinerOpKeepKHR {
		return r
	}
	texel := rate{}
	if a != nil && a.View != nil {
		if layer >= a.View.Layers {
			layer = 0
		}
		l := a.View.Level(0, layer)
		tx, ty := int(x)/int(max(a.Texel.Width, 1)), int(y)/int(max(a.Texel.Height, 1))
		if l.Contains(tx, ty, 0) {
			texel = rateOf(uint32(l.Data[l.Offset(tx, ty, 0, 0)]))
		}
	}
	return combine(p.combiners[1], r, texel).clamp()
}
