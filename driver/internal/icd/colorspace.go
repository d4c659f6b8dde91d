package icd

import (
	"encoding/binary"
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
		vk.FormatA2B10G10R10UnormPack32, vk.FormatA2R10G10B10UnormPack32, vk.FormatR5G6B5UnormPack16,
		vk.FormatB8G8R8A8Snorm, vk.FormatR8G8B8A8Snorm}
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
	// Of formats whose texels are words with components of few bits: the bytes of red, green and blue for each of their codes.
	// swaps says that those are the codes themselves, in R8G8B8A8.
	codes [3][]uint8
	swaps bool
}

// maxCodeBits is the width of the largest component that has a table.
const maxCodeBits = 10

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
	c = &converter{from: info, linear: info.Numeric == format.NumericSrgb || space == vk.ColorSpaceExtendedSrgbLinearEXT}
	c.tabulate()
	return c, true
}

// tabulate makes the tables of a format that has them.
func (c *converter) tabulate() {
	if n := c.from.BlockBytes; n != 2 && n != 4 {
		return
	}
	for i := range c.codes {
		if k := &c.from.Components[i]; k.Bits < 1 || k.Bits > maxCodeBits || k.Numeric != format.NumericUnorm && k.Numeric != format.NumericSrgb {
			return
		}
	}
	c.swaps = c.from.BlockBytes == 4
	for i := range c.codes {
		k := &c.from.Components[i]
		c.codes[i] = make([]uint8, 1<<k.Bits)
		for code := range c.codes[i] {
			var word [4]byte
			binary.LittleEndian.PutUint32(word[:], uint32(code)<<k.Shift)
			var t [1]format.Texel
			c.from.DecodeRow(t[:], word[:c.from.BlockBytes])
			b := c.code(t[0][i])
			c.codes[i][code] = b
			c.swaps = c.swaps && k.Bits == 8 && k.Shift == 8*i && int(b) == code
		}
	}
}

// row converts a row of texels; out has four bytes for each.
func (c *converter) row(out, from []byte) {
	switch {
	case c.swaps:
		swapRow(out, from)
		return
	case c.codes[0] != nil:
		c.tableRow(out, from)
		return
	}
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

// swapRow makes B8G8R8A8 of R8G8B8A8, two texels at a time.
func swapRow(out, from []byte) {
	const low = 0x000000FF_000000FF
	for ; len(out) >= 8; out, from = out[8:], from[8:] {
		w := binary.LittleEndian.Uint64(from)
		binary.LittleEndian.PutUint64(out, w>>16&low|w&(low<<8)|w&low<<16|low<<24)
	}
	if len(out) >= 4 {
		out[0], out[1], out[2], out[3] = from[2], from[1], from[0], 255
	}
}

// tableRow looks all codes up.
func (c *converter) tableRow(out, from []byte) {
	r, g, b := c.codes[0], c.codes[1], c.codes[2]
	shifts := [3]int{c.from.Components[0].Shift, c.from.Components[1].Shift, c.from.Components[2].Shift}
	bytes := c.from.BlockBytes
	for ; len(out) >= 4; out, from = out[4:], from[bytes:] {
		var w int
		if bytes == 4 {
			w = int(binary.LittleEndian.Uint32(from))
		} else {
			w = int(binary.LittleEndian.Uint16(from))
		}
		out[2], out[1], out[0], out[3] = r[w>>shifts[0]&(len(r)-1)], g[w>>shifts[1]&(len(g)-1)], b[w>>shifts[2]&(len(b)-1)], 255
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
