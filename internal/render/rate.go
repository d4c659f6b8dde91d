package render

import (
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// rate is a fragment's size as log2 of its width and its height: 0, 1 or 2.
type rate struct{ w, h uint8 }

// maxRate is maxFragmentSize: 4x4.
const maxRate = 2

// MaxCoverageSamples is maxFragmentShadingRateCoverageSamples: what the largest
// fragment has with MaxRateSamples, the most that pixels of larger fragments may have.
const (
	MaxCoverageSamples = 256
	MaxRateSamples     = 16
)

// pixels is the number of pixels of a fragment.
func (r rate) pixels() int { return 1 << (r.w + r.h) }

// code is the rate as ShadingRateKHR.
func (r rate) code() uint32 { return uint32(r.w)<<2 | uint32(r.h) }

// halved is a fragment of half as many pixels: the larger dimension goes first, the
// height where they are equal.
//
// RAS-158, RAS-164, RAS-165
func (r rate) halved() rate {
	if r.h >= r.w && r.h > 0 {
		return rate{r.w, r.h - 1}
	}
	return rate{r.w - min(r.w, 1), r.h}
}

// rateSet is the supported fragment sizes; bit 3w + h is that of rate{w, h}.
type rateSet uint16

func (s rateSet) has(r rate) bool { return s>>(3*r.w+r.h)&1 != 0 }

// ratesOf is the sizes that are supported with a number of samples, if a fragment
// may have coverage samples at most.
//
// RAS-137, RAS-138
func ratesOf(samples, coverage int) (s rateSet) {
	for w := range uint8(maxRate + 1) {
		for h := range uint8(maxRate + 1) {
			r := rate{w, h}
			if samples <= MaxRateSamples && r.pixels()*samples <= coverage || r == (rate{}) {
				s |= 1 << (3*w + h)
			}
		}
	}
	return s
}

// clamp is the supported rate that stands for r: of those that are not larger the
// ones with the most pixels, of these the one nearest to a square, and of a wide and
// a tall one the wide one.
//
// RAS-146, RAS-147 primsrast-fragment-shading-rate-combining
func (s rateSet) clamp(r rate) rate {
	r = rate{min(r.w, maxRate), min(r.h, maxRate)}
	if s.has(r) {
		return r
	}
	best := rate{}
	for w := range r.w + 1 {
		for h := range r.h + 1 {
			c := rate{w, h}
			area, sum := w+h, 1<<w+1<<h
			if !s.has(c) || area < best.w+best.h {
				continue
			}
			if area > best.w+best.h || sum <= 1<<best.w+1<<best.h {
				best = c
			}
		}
	}
	return best
}

// Shading is a shading rate: log2 of width and height of fragments, and of the
// invocations that fragments of a pixel have, or NoInvocations.
type Shading struct{ W, H, Invocations uint8 }

// NoInvocations as Shading.Invocations says that there are no fragments at all.
const NoInvocations = 0xFF

func (s Shading) rate() rate { return rate{s.W, s.H} }

// codeNone is FRAGMENT_SHADING_RATE_NO_INVOCATIONS_NV.
const codeNone = uint32(vk.FragmentShadingRateNoInvocationsNV)

// ShadingOf decodes ShadingRateKHR and texels of shading rate attachments. Where
// enums are on, codes from 11 on are several invocations or none; sizes that must
// not be used become 4.
//
// RAS-143, RAS-153, RAS-155 primsrast-fragment-shading-rate-combining
func ShadingOf(code uint32, enums bool) Shading {
	code &= 15
	switch {
	case enums && code == codeNone:
		return Shading{Invocations: NoInvocations}
	case enums && code >= uint32(vk.FragmentShadingRate2InvocationsPerPixelNV):
		return Shading{Invocations: uint8(code - uint32(vk.FragmentShadingRate2InvocationsPerPixelNV) + 1)}
	}
	return Shading{W: min(uint8(code>>2), maxRate), H: min(uint8(code&3), maxRate)}
}

// combine is a combiner; products of sizes are sums here.
//
// RAS-144, RAS-145 VkFragmentShadingRateCombinerOpKHR
func combine(op vk.FragmentShadingRateCombinerOpKHR, a, b Shading) Shading {
	switch op {
	case vk.FragmentShadingRateCombinerOpKeepKHR:
		return a
	case vk.FragmentShadingRateCombinerOpReplaceKHR:
		return b
	}
	if max(a.Invocations, b.Invocations) == NoInvocations { // RAS-156
		return Shading{Invocations: NoInvocations}
	}
	switch op {
	case vk.FragmentShadingRateCombinerOpMinKHR: // RAS-157
		return Shading{W: min(a.W, b.W), H: min(a.H, b.H), Invocations: max(a.Invocations, b.Invocations)}
	case vk.FragmentShadingRateCombinerOpMaxKHR: // RAS-157
		return Shading{W: max(a.W, b.W), H: max(a.H, b.H), Invocations: min(a.Invocations, b.Invocations)}
	case vk.FragmentShadingRateCombinerOpMulKHR: // RAS-158
		r, n := rate{a.W + b.W, a.H + b.H}, a.Invocations+b.Invocations
		for n > 0 && r != (rate{}) {
			r, n = r.halved(), n-1
		}
		return Shading{W: r.w, H: r.h, Invocations: n}
	}
	return a
}

// RateAttachment is a fragment shading rate attachment.
type RateAttachment struct {
	View *resource.ImageView
	// Texel is the region of a texel, a power of two from 8.
	Texel vk.Extent2D
}

// pixelRate is the final rate of a pixel: the size of the fragment that it is in,
// and the number of invocations of a fragment of one pixel; 0: there is no fragment.
type pixelRate struct {
	rate
	n int
}

// ratePlan is what a draw needs to know about shading rates.
type ratePlan struct {
	pipeline  Shading
	combiners [2]vk.FragmentShadingRateCombinerOpKHR
	enums     bool
	set       rateSet
	samples   int
	// uniform is the size of all fragments, of several pixels; that of one where sizes differ, or are
	// that.
	uniform rate
	// image is the shading rate image, order the order of coverage indices that goes
	// with it; nil without.
	image *imageRates
	order *SampleOrder
}

// addRates decides whether fragments may be larger than a pixel, have several
// invocations, or be left out.
//
// RAS-139, RAS-148 primsrast-fragment-shading-rate-combining
func (s *drawState) addRates(pl *passPlan) {
	d := s.dynamic
	if d.RateImageEnable {
		s.addRateImage(pl)
		return
	}
	if d.ShadingRate == (Shading{}) && d.RateCombiners == [2]vk.FragmentShadingRateCombinerOpKHR{} {
		return // a pixel, and nothing to combine it with
	}
	single := d.SampleShadingOn || s.shares > 1
	if f := s.pipe.desc.Fragment; f != nil {
		p := f.Program()
		single = single || p.SampleRate || p.TileImages || (p.SampleMask || p.Interlocked) && pl.x.cfg.PixelMasks // RAS-174
	}
	if single {
		return
	}
	p := &s.rates
	*p = ratePlan{pipeline: d.ShadingRate, combiners: d.RateCombiners, enums: d.RateEnums, set: ratesOf(pl.Samples, pl.coverage), samples: pl.Samples}
	p.pipeline = p.clamp(p.pipeline)
	primitive := p.combiners[0] != vk.FragmentShadingRateCombinerOpKeepKHR && (s.link.vs.rate != none || s.link.ofPrimitive.rate != none)
	attached := pl.pass.Rate != nil && pl.pass.Rate.View != nil && p.combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR
	varies, drops := primitive || attached, p.enums
	if !varies {
		// One rate for all.
		final := p.at(p.primitive(0), pl.pass.Rate, 0, 0, 0)
		drops = final.n == 0
		varies = final != pixelRate{n: 1}
		if final.n == 1 { // else none, or several invocations
			p.uniform = final.rate
		}
	}
	s.setCoarse(pl, varies, drops)
}

// setCoarse lets the fragments of a draw have rates of their own; drops: some regions have none.
func (s *drawState) setCoarse(pl *passPlan, on, drops bool) {
	s.drops = drops
	if !on || s.fragment == nil {
		return
	}
	s.end = endShaded
	s.wait()
	pl.Words = max(pl.Words, raster.WordsOf(pl.Samples, true))
	if s.rates.uniform == (rate{}) {
		s.rated = new(ratedPlans)
	}
}

// clamp clamps an input or the result of a combiner.
//
// RAS-147 primsrast-fragment-shading-rate-combining
func (p *ratePlan) clamp(s Shading) Shading {
	r := p.set.clamp(s.rate())
	s.W, s.H = r.w, r.h
	return s
}

// primitive is the rate after the first combiner; code is that of the primitive.
//
// RAS-140, RAS-144 primsrast-fragment-shading-rate-combining
func (p *ratePlan) primitive(code uint8) Shading {
	return p.clamp(combine(p.combiners[0], p.pipeline, p.clamp(ShadingOf(uint32(code), p.enums))))
}

// at is the rate of the fragment at pixel (x, y) of a layer; r is that of the
// primitive.
//
// RAS-141, RAS-142, RAS-149, RAS-159 primsrast-fragment-shading-rate-attachment
func (p *ratePlan) at(r Shading, a *RateAttachment, layer int, x, y int32) pixelRate {
	if op := p.combiners[1]; op != vk.FragmentShadingRateCombinerOpKeepKHR {
		code := uint32(0)
		if a != nil && a.View != nil {
			code = texelAt(a.View, layer, int(x)/int(max(a.Texel.Width, 1)), int(y)/int(max(a.Texel.Height, 1)))
		}
		r = p.clamp(combine(op, r, p.clamp(ShadingOf(code, p.enums))))
	}
	if r.Invocations == NoInvocations {
		return pixelRate{}
	}
	return pixelRate{r.rate(), min(1<<r.Invocations, p.samples)}
}

// texelAt is the low byte of the first component of a texel of level 0, 0 outside of
// the view; layers that it lacks are its first.
//
// RAS-141, RAS-161
func texelAt(v *resource.ImageView, layer, x, y int) uint32 {
	if layer >= v.Layers {
		layer = 0
	}
	l := v.Level(0, layer)
	if !l.Contains(x, y, 0) {
		return 0
	}
	return uint32(l.Data[l.Offset(x, y, 0, 0)])
}
