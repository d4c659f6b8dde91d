package icd

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// Windows take B8G8R8A8 texels, which they show as sRGB. Pictures of other formats, and of colour spaces that
// lead there without a choice of ours, are converted when they are presented. So there are none of HDR10, whose
// brightness nobody could tell, and none with other primaries, whose colours a window cannot show.

// surfaceFormats are those of all surfaces; the first is what programs like best.
func surfaceFormats(spaces bool) []vk.SurfaceFormatKHR {
	formats := [...]vk.Format{vk.FormatB8G8R8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb,
		vk.FormatA2B10G10R10UnormPack32, vk.FormatA2R10G10B10UnormPack32, vk.FormatR5G6B5UnormPack16}
	var out []vk.SurfaceFormatKHR
	for _, f := range formats {
		out = append(out, vk.SurfaceFormatKHR{Format: f, ColorSpace: vk.ColorSpaceSrgbNonlinearKHR})
	}
	if !spaces { // VK_EXT_swapchain_colorspace is not enabled
		return out
	}
	for _, f := range formats {
		out = append(out, vk.SurfaceFormatKHR{Format: f, ColorSpace: vk.ColorSpacePassThroughEXT})
	}
	for _, s := range [...]vk.ColorSpaceKHR{vk.ColorSpaceExtendedSrgbLinearEXT, vk.ColorSpaceExtendedSrgbNonlinearEXT, vk.ColorSpacePassThroughEXT} {
		out = append(out, vk.SurfaceFormatKHR{Format: vk.FormatR16G16B16A16Sfloat, ColorSpace: s})
	}
	return out
}

// A converter makes texels of a swapchain's images those of windows.
type converter struct {
	from   *format.Info
	linear bool // from decodes to linear values, which windows take encoded
	texels []format.Texel
}

// newConverter returns nil where a window takes the texels as they are. ok is false where there is no way to
// show them: replays of what another driver has drawn may ask for formats that no surface offers.
func newConverter(f vk.Format, space vk.ColorSpaceKHR) (c *converter, ok bool) {
	info, ok := format.Lookup(f)
	switch {
	case f == vk.FormatB8G8R8A8Unorm, f == vk.FormatB8G8R8A8Srgb:
		return nil, true
	case !ok || info.Compressed || info.Class != format.ClassFloat || len(info.Planes) != 1 || info.Aspects != vk.ImageAspectColorBit:
		return nil, false
	}
	return &converter{from: info, linear: info.Numeric == format.NumericSrgb || space == vk.ColorSpaceExtendedSrgbLinearEXT}, true
}

// row converts a row of texels; out has four bytes for each.
func (c *converter) row(out, from []byte) {
	if n := len(out) / 4; len(c.texels) < n {
		c.texels = make([]format.Texel, n)
	}
	texels := c.texels[:len(out)/4]
	c.from.DecodeRow(texels, from)
	for n := range texels {
		t, to := &texels[n], out[4*n:]
		to[2], to[1], to[0], to[3] = c.code(t[0]), c.code(t[1]), c.code(t[2]), 255
	}
}

// code is the byte of a component that a window takes.
func (c *converter) code(v uint32) uint8 {
	f := math.Float32frombits(v)
	switch {
	case c.linear:
		return fp.LinearToSrgb(f)
	case !(f > 0): // and NaN
		return 0
	case f >= 1:
		return 255
	}
	return uint8(float32(f*255) + 0.5)
}
