package rates

import (
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The shading rate image of VK_NV_shading_rate_image: a texel for every 16×16 pixels,
// which selects an entry of the palette of the fragment's viewport.

// ImageTexel is shadingRateTexelSize, pixels; PaletteSize is shadingRatePaletteSize.
const (
	ImageTexel  = 16
	PaletteSize = 16
)

// Palette is the shading rate palette of a viewport: its first N entries.
type Palette struct {
	N       uint8
	Entries [PaletteSize]uint8 // VkShadingRatePaletteEntryNV
}

// At is an entry; those that are missing are one invocation a pixel.
//
// RAS-162 primsrast-shading-rate-image
func (p *Palette) At(index uint32) Shading {
	if index >= uint32(p.N) {
		return Shading{}
	}
	return PaletteEntry(vk.ShadingRatePaletteEntryNV(p.Entries[index]))
}

// PaletteEntry is what an entry of a palette stands for.
//
// RAS-163 VkShadingRatePaletteEntryNV
func PaletteEntry(e vk.ShadingRatePaletteEntryNV) Shading {
	if e >= 0 && int(e) < len(paletteEntries) {
		return paletteEntries[e]
	}
	return Shading{}
}

var paletteEntries = [...]Shading{
	vk.ShadingRatePaletteEntryNoInvocationsNV:           {Invocations: NoInvocations},
	vk.ShadingRatePaletteEntry16InvocationsPerPixelNV:   {Invocations: 4},
	vk.ShadingRatePaletteEntry8InvocationsPerPixelNV:    {Invocations: 3},
	vk.ShadingRatePaletteEntry4InvocationsPerPixelNV:    {Invocations: 2},
	vk.ShadingRatePaletteEntry2InvocationsPerPixelNV:    {Invocations: 1},
	vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV: {W: 1},
	vk.ShadingRatePaletteEntry1InvocationPer1X2PixelsNV: {H: 1},
	vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV: {W: 1, H: 1},
	vk.ShadingRatePaletteEntry1InvocationPer4X2PixelsNV: {W: 2, H: 1},
	vk.ShadingRatePaletteEntry1InvocationPer2X4PixelsNV: {W: 1, H: 2},
	vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV: {W: 2, H: 2},
}

// Image is what a draw needs to know about the shading rate image.
type Image struct {
	View     *resource.ImageView  // nil: all texels are 0
	Palettes [][PaletteSize]Pixel // by viewport
}

// Adjusted is the final rate for a base rate, where sample shading asks for n
// invocations a pixel.
//
// RAS-164, RAS-165, RAS-167 primsrast-shading-rate-image
func Adjusted(base Shading, n, samples int) Pixel {
	if base.Invocations == NoInvocations {
		return Pixel{}
	}
	r, invocations := base.Rate(), 1<<base.Invocations
	for r.Pixels()*samples > MaxCoverageSamples {
		r = r.Halved()
	}
	size := r.Pixels()
	for r != (Rate{}) && r.Pixels()*n > size {
		r = r.Halved()
	}
	invocations = max(invocations*n/size, 1) // none has several, and several pixels
	return Pixel{r, min(invocations, samples)}
}

// At is the rate of the pixel (x, y) of a layer for primitives of a viewport.
//
// RAS-161, RAS-162 vkCmdBindShadingRateImageNV
func (p *Image) At(viewport, layer int, x, y int32) Pixel {
	index := uint32(0)
	if p.View != nil {
		index = TexelAt(p.View, layer, int(x)/ImageTexel, int(y)/ImageTexel)
	}
	if index >= PaletteSize {
		return Pixel{N: 1}
	}
	return p.Palettes[viewport][index]
}
