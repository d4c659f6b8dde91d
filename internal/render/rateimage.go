package render

import (
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The shading rate image of VK_NV_shading_rate_image: a texel for every 16×16 pixels,
// which selects an entry of the palette of the fragment's viewport.

// RateImageTexel is shadingRateTexelSize, pixels; PaletteSize is shadingRatePaletteSize.
const (
	RateImageTexel = 16
	PaletteSize    = 16
)

// Palette is the shading rate palette of a viewport: its first N entries.
type Palette struct {
	N       uint8
	Entries [PaletteSize]uint8 // VkShadingRatePaletteEntryNV
}

// at is an entry; those that are missing are one invocation a pixel.
//
// RAS-162 primsrast-shading-rate-image
func (p *Palette) at(index uint32) Shading {
	if index >= uint32(p.N) {
		return Shading{}
	}
	return PaletteEntry(vk.ShadingRatePaletteEntryNV(p.Entries[index]))
}

// PaletteEntry is what an entry of a palette stands for.
//
// RAS-163 VkShadingRatePaletteEntryNV
func PaletteEntry(e vk.ShadingRatePaletteEntryNV) Shading {
	switch e {
	case vk.ShadingRatePaletteEntryNoInvocationsNV:
		return Shading{Invocations: NoInvocations}
	case vk.ShadingRatePaletteEntry16InvocationsPerPixelNV:
		return Shading{Invocations: 4}
	case vk.ShadingRatePaletteEntry8InvocationsPerPixelNV:
		return Shading{Invocations: 3}
	case vk.ShadingRatePaletteEntry4InvocationsPerPixelNV:
		return Shading{Invocations: 2}
	case vk.ShadingRatePaletteEntry2InvocationsPerPixelNV:
		return Shading{Invocations: 1}
	case vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV:
		return Shading{W: 1}
	case vk.ShadingRatePaletteEntry1InvocationPer1X2PixelsNV:
		return Shading{H: 1}
	case vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV:
		return Shading{W: 1, H: 1}
	case vk.ShadingRatePaletteEntry1InvocationPer4X2PixelsNV:
		return Shading{W: 2, H: 1}
	case vk.ShadingRatePaletteEntry1InvocationPer2X4PixelsNV:
		return Shading{W: 1, H: 2}
	case vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV:
		return Shading{W: 2, H: 2}
	}
	return Shading{}
}

// imageRates is what a draw needs to know about the shading rate image.
type imageRates struct {
	view     *resource.ImageView // nil: all texels are 0
	palettes [MaxViewports][PaletteSize]pixelRate
}

// addRateImage makes the rates of a draw those of the shading rate image.
//
// RAS-160, RAS-166, RAS-168 primsrast-shading-rate-image
func (s *drawState) addRateImage(pl *passPlan) {
	d := s.dynamic
	if s.pipe.desc.Fragment != nil && s.pipe.desc.Fragment.Program().SampleRate {
		return
	}
	p := &imageRates{view: d.RateImage}
	varies, drops := false, false
	for v := range len(s.post) {
		for i := range p.palettes[v] {
			r := adjusted(d.Palettes[v].at(uint32(i)), s.shares, pl.Samples)
			p.palettes[v][i] = r
			drops = drops || r.n == 0
			varies = varies || r != pixelRate{n: 1}
		}
	}
	s.rates.image, s.rates.order, s.rates.samples = p, d.SampleOrder, pl.Samples
	if s.rates.order == nil {
		s.rates.order = pixelMajor
	}
	if varies {
		s.shares = 1 // all is said by the rates
	}
	s.setCoarse(pl, varies, drops)
}

// adjusted is the final rate for a base rate, where sample shading asks for n
// invocations a pixel.
//
// RAS-164, RAS-165, RAS-167 primsrast-shading-rate-image
func adjusted(base Shading, n, samples int) pixelRate {
	if base.Invocations == NoInvocations {
		return pixelRate{}
	}
	r, invocations := base.rate(), 1<<base.Invocations
	for r.pixels()*samples > MaxCoverageSamples {
		r = r.halved()
	}
	size := r.pixels()
	for r != (rate{}) && r.pixels()*n > size {
		r = r.halved()
	}
	invocations = max(invocations*n/size, 1) // none has several, and several pixels
	return pixelRate{r, min(invocations, samples)}
}

// at is the rate of the pixel (x, y) of a layer for primitives of a viewport.
//
// RAS-161, RAS-162 vkCmdBindShadingRateImageNV
func (p *imageRates) at(viewport, layer int, x, y int32) pixelRate {
	index := uint32(0)
	if p.view != nil {
		index = texelAt(p.view, layer, int(x)/RateImageTexel, int(y)/RateImageTexel)
	}
	if index >= PaletteSize {
		return pixelRate{n: 1}
	}
	return p.palettes[viewport][index]
}

// rateAt is the rate of the quad at (x, y) of a layer; first is that of its primitive.
func (s *drawState) rateAt(
	pl *passPlan, layer int, rec *primRec, first Shading, x, y int32,
) pixelRate {
	if s.rates.image != nil {
		return s.rates.image.at(int(rec.viewport), layer, x, y)
	}
	return s.rates.at(first, pl.pass.Rate, layer, x, y)
}
