package texture

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// ddsCode is how a DDS file codes its texels: as a format of Vulkan's does, with components that may stand for others, or in its own
// way.
type ddsCode struct {
	name    string // of the file's own, where that is not format
	format  vk.Format
	swizzle string
	stored  *stored
}

// ddsMasks are the bits of a texel and the masks of its components, which may overlap: grey is one mask for three of them.
type ddsMasks struct {
	bits, r, g, b, a uint32
	signed           [4]bool
}

// ddsField is a component: bits of a texel from shift on; none where it is missing.
type ddsField struct {
	shift, bits int
	signed      bool
}

// code finds the format of Vulkan's that has the components at the same bits, or makes texels of four components.
func (m ddsMasks) code() (ddsCode, error) {
	said := fmt.Sprintf("pixel format of %d bits with masks %#x %#x %#x %#x", m.bits, m.r, m.g, m.b, m.a)
	if m.bits == 0 || m.bits > 32 || m.bits%8 != 0 || m.r|m.g|m.b|m.a == 0 {
		return ddsCode{}, ddsUnsupported("%s", said)
	}
	var fields [4]ddsField
	for c, mask := range [4]uint32{m.r, m.g, m.b, m.a} {
		f := ddsField{bits.TrailingZeros32(mask), bits.OnesCount32(mask), m.signed[c]}
		if mask == 0 {
			continue
		}
		if bits.Len32(mask) != f.shift+f.bits || uint32(bits.Len32(mask)) > m.bits {
			return ddsCode{}, ddsBad("%s: the bits of a component lie together and in the texel", said)
		}
		fields[c] = f
	}
	size := int(m.bits / 8)
	if f, ok := sameLayout(fields, size); ok {
		return ddsCode{format: f}, nil
	}
	// Bits that mean nothing where another format has its alpha.
	if fields[3].bits == 0 {
		rest := uint32(1<<m.bits-1) &^ (m.r | m.g | m.b)
		if alpha := (ddsField{bits.TrailingZeros32(rest), bits.OnesCount32(rest), false}); rest != 0 && bits.Len32(rest) == alpha.shift+alpha.bits {
			with := fields
			with[3] = alpha
			if f, ok := sameLayout(with, size); ok {
				return ddsCode{name: said, format: f, stored: filled(f, rest)}, nil
			}
		}
	}
	c := expanded(fields, size)
	c.name = said
	return c, nil
}

// filled are texels of a format with bits of alpha that are to be ones.
func filled(f vk.Format, ones uint32) *stored {
	info, _ := format.Lookup(f)
	t := plain(info)
	t.swizzle, t.ones = "rgb1", ones
	return t
}

// sameLayout finds the format whose components lie at the same bits of a texel of so many bytes.
func sameLayout(fields [4]ddsField, size int) (vk.Format, bool) {
	for _, id := range format.All() {
		info, _ := format.Lookup(id)
		if info.BlockBytes != size || info.Compressed || info.Optional || info.Chroma != "" || info.Aspects != vk.ImageAspectColorBit || info.Supported() != nil {
			continue
		}
		same := true
		for c, f := range fields {
			k, numeric := info.Components[c], format.NumericUnorm
			if f.signed {
				numeric = format.NumericSnorm
			}
			switch {
			case f.bits == 0:
				same = same && k.Kind == format.KindNone
			default:
				same = same && k.Kind != format.KindNone && k.Numeric == numeric && k.Bits == f.bits && k.Shift == f.shift
			}
		}
		if same {
			return id, true
		}
	}
	return 0, false
}

// expanded makes four components of fields: of 8 or 16 bits where those hold all of their numbers, else floats.
func expanded(fields [4]ddsField, size int) ddsCode {
	most, signed, exact := 0, false, true
	for _, f := range fields {
		if f.bits > 0 {
			most, signed, exact = max(most, f.bits), signed || f.signed, exact && 16%f.bits == 0
		}
	}
	c := ddsCode{format: vk.FormatR32G32B32A32Sfloat}
	if exact && !signed {
		if c.format = vk.FormatR16G16B16A16Unorm; most <= 8 {
			c.format = vk.FormatR8G8B8A8Unorm
		}
	}
	c.stored = &stored{block: block{1, 1, 1, size}, unit: !signed, decode: func(dst []format.Texel, src []byte) {
		word := uint64(0)
		for i := range size {
			word |= uint64(src[i]) << (8 * i)
		}
		dst[0] = format.Texel{3: math.Float32bits(1)}
		for c, f := range fields {
			if f.bits > 0 {
				dst[0][c] = math.Float32bits(f.number(word))
			}
		}
	}}
	return c
}

// number is what the bits of a field stand for: 0 to 1, or −1 to 1, both ends once or twice, as in Vulkan and Direct3D.
func (f ddsField) number(word uint64) float32 {
	v := uint32(word >> f.shift & (1<<f.bits - 1))
	if !f.signed {
		return fp.UnormToFloat(v, uint(f.bits))
	}
	return fp.SnormToFloat(int32(v<<(32-f.bits))>>(32-f.bits), uint(f.bits))
}

// fourCCs are the four-character codes: Microsoft's, and those of tools of makers of GPUs. In the codes of AMD's tools, whose names
// list what the red, green, blue and alpha of a BC3 block hold, x is nothing.
var fourCCs = map[string]ddsCode{
	"DXT1": {format: vk.FormatBc1RgbaUnormBlock}, "DXT2": {format: vk.FormatBc2UnormBlock}, "DXT3": {format: vk.FormatBc2UnormBlock},
	"DXT4": {format: vk.FormatBc3UnormBlock}, "DXT5": {format: vk.FormatBc3UnormBlock},
	"ATI1": {format: vk.FormatBc4UnormBlock}, "BC4U": {format: vk.FormatBc4UnormBlock}, "BC4S": {format: vk.FormatBc4SnormBlock},
	"ATI2": {format: vk.FormatBc5UnormBlock}, "A2XY": {format: vk.FormatBc5UnormBlock}, "BC5U": {format: vk.FormatBc5UnormBlock}, "BC5S": {format: vk.FormatBc5SnormBlock},
	"ETC1": {format: vk.FormatEtc2R8G8B8UnormBlock}, "ETC2": {format: vk.FormatEtc2R8G8B8UnormBlock},
	"RXGB": {format: vk.FormatBc3UnormBlock, swizzle: "agb1"},
	"xGBR": {format: vk.FormatBc3UnormBlock, swizzle: "agb1"}, "RxBG": {format: vk.FormatBc3UnormBlock, swizzle: "rab1"},
	"RBxG": {format: vk.FormatBc3UnormBlock, swizzle: "rag1"}, "xRBG": {format: vk.FormatBc3UnormBlock, swizzle: "gab1"},
	"RGxB": {format: vk.FormatBc3UnormBlock, swizzle: "rga1"}, "xGxR": {format: vk.FormatBc3UnormBlock, swizzle: "ag01"},
	"RGBG": pairs(1, 0, 1, 2, 3, false), "GRGB": pairs(1, 1, 0, 3, 2, false),
	"UYVY": pairs(1, 0, 1, 2, 3, true), "YUY2": pairs(1, 1, 0, 3, 2, true),
}

// pairs is the code of two texels in four numbers of so many bytes. first and second share the one at shared0 and the one at
// shared1: red and blue around their own green, or CB and CR around their own Y′, which are those of BT.601 with a narrow range.
// shared0 and green0, shared1 and green1 are the places.
func pairs(size, shared0, green0, shared1, green1 int, ycbcr bool) ddsCode {
	c := ddsCode{format: vk.FormatR8G8B8A8Unorm}
	if size == 2 {
		c.format = vk.FormatR16G16B16A16Unorm
	}
	c.stored = &stored{block: block{2, 1, 1, 4 * size}, unit: true, decode: func(dst []format.Texel, src []byte) {
		at := func(i int) float64 {
			if size == 2 {
				return float64(uint32(src[2*i])|uint32(src[2*i+1])<<8) / 65535
			}
			return float64(src[i]) / 255
		}
		for i, green := range [2]int{green0, green1} {
			r, g, b := at(shared0), at(green), at(shared1)
			if ycbcr {
				r, g, b = bt601(g, r, b, 8*size)
			}
			dst[i] = format.Texel{math.Float32bits(float32(r)), math.Float32bits(float32(g)), math.Float32bits(float32(b)), math.Float32bits(1)}
		}
	}}
	return c
}

// bt601 makes colours of Y′CBCR, fractions of 2ⁿ−1, with the narrow range of n bits: ITU-R BT.601, and Vulkan's
// VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601 with VK_SAMPLER_YCBCR_RANGE_ITU_NARROW.
func bt601(y, cb, cr float64, n int) (r, g, b float64) {
	const kr, kb = 0.299, 0.114
	all, unit := float64(int64(1)<<n-1), float64(int64(1)<<(n-8))
	y = (float64(y*all) - float64(16*unit)) / (219 * unit)
	cb = (float64(cb*all) - float64(128*unit)) / (224 * unit)
	cr = (float64(cr*all) - float64(128*unit)) / (224 * unit)
	clip := func(v float64) float64 { return min(max(v, 0), 1) }
	r = y + float64(2*(1-kr)*cr)
	b = y + float64(2*(1-kb)*cb)
	g = y - float64((float64(2*kb*(1-kb)*cb)+float64(2*kr*(1-kr)*cr))/(1-kr-kb))
	return clip(r), clip(g), clip(b)
}

// d3dFormat is a number of D3DFORMAT, which may stand where a four-character code would.
type d3dFormat struct {
	name   string
	masks  ddsMasks
	format vk.Format // where there are no masks; 0: not supported
}

// d3dFormats are those of Direct3D 9 that have no four characters.
var d3dFormats = map[uint32]d3dFormat{
	20: {name: "R8G8B8", masks: ddsMasks{bits: 24, r: 0xFF0000, g: 0xFF00, b: 0xFF}},
	21: {name: "A8R8G8B8", masks: ddsMasks{bits: 32, r: 0xFF0000, g: 0xFF00, b: 0xFF, a: 0xFF000000}},
	22: {name: "X8R8G8B8", masks: ddsMasks{bits: 32, r: 0xFF0000, g: 0xFF00, b: 0xFF}},
	23: {name: "R5G6B5", masks: ddsMasks{bits: 16, r: 0xF800, g: 0x7E0, b: 0x1F}},
	24: {name: "X1R5G5B5", masks: ddsMasks{bits: 16, r: 0x7C00, g: 0x3E0, b: 0x1F}},
	25: {name: "A1R5G5B5", masks: ddsMasks{bits: 16, r: 0x7C00, g: 0x3E0, b: 0x1F, a: 0x8000}},
	26: {name: "A4R4G4B4", masks: ddsMasks{bits: 16, r: 0xF00, g: 0xF0, b: 0xF, a: 0xF000}},
	27: {name: "R3G3B2", masks: ddsMasks{bits: 8, r: 0xE0, g: 0x1C, b: 0x3}},
	28: {name: "A8", masks: ddsMasks{bits: 8, a: 0xFF}},
	29: {name: "A8R3G3B2", masks: ddsMasks{bits: 16, r: 0xE0, g: 0x1C, b: 0x3, a: 0xFF00}},
	30: {name: "X4R4G4B4", masks: ddsMasks{bits: 16, r: 0xF00, g: 0xF0, b: 0xF}},
	31: {name: "A2B10G10R10", masks: ddsMasks{bits: 32, r: 0x3FF, g: 0xFFC00, b: 0x3FF00000, a: 0xC0000000}},
	32: {name: "A8B8G8R8", masks: ddsMasks{bits: 32, r: 0xFF, g: 0xFF00, b: 0xFF0000, a: 0xFF000000}},
	33: {name: "X8B8G8R8", masks: ddsMasks{bits: 32, r: 0xFF, g: 0xFF00, b: 0xFF0000}},
	34: {name: "G16R16", masks: ddsMasks{bits: 32, r: 0xFFFF, g: 0xFFFF0000}},
	35: {name: "A2R10G10B10", masks: ddsMasks{bits: 32, r: 0x3FF00000, g: 0xFFC00, b: 0x3FF, a: 0xC0000000}},
	36: {name: "A16B16G16R16", format: vk.FormatR16G16B16A16Unorm},
	40: {name: "A8P8, with a palette,"}, 41: {name: "P8, with a palette,"},
	50: {name: "L8", masks: ddsMasks{bits: 8, r: 0xFF, g: 0xFF, b: 0xFF}},
	51: {name: "A8L8", masks: ddsMasks{bits: 16, r: 0xFF, g: 0xFF, b: 0xFF, a: 0xFF00}},
	52: {name: "A4L4", masks: ddsMasks{bits: 8, r: 0xF, g: 0xF, b: 0xF, a: 0xF0}},
	60: {name: "V8U8", masks: ddsMasks{bits: 16, r: 0xFF, g: 0xFF00, signed: [4]bool{true, true}}},
	61: {name: "L6V5U5", masks: ddsMasks{bits: 16, r: 0x1F, g: 0x3E0, b: 0xFC00, signed: [4]bool{true, true}}},
	62: {name: "X8L8V8U8", masks: ddsMasks{bits: 32, r: 0xFF, g: 0xFF00, b: 0xFF0000, signed: [4]bool{true, true}}},
	63: {name: "Q8W8V8U8", masks: ddsMasks{bits: 32, r: 0xFF, g: 0xFF00, b: 0xFF0000, a: 0xFF000000, signed: [4]bool{true, true, true, true}}},
	64: {name: "V16U16", masks: ddsMasks{bits: 32, r: 0xFFFF, g: 0xFFFF0000, signed: [4]bool{true, true}}},
	67: {name: "A2W10V10U10", masks: ddsMasks{bits: 32, r: 0x3FF, g: 0xFFC00, b: 0x3FF00000, a: 0xC0000000, signed: [4]bool{true, true, true}}},
	70: {name: "D16_LOCKABLE", format: vk.FormatD16Unorm}, 71: {name: "D32"}, 73: {name: "D15S1"}, 75: {name: "D24S8"}, 77: {name: "D24X8"},
	79: {name: "D24X4S4"}, 80: {name: "D16", format: vk.FormatD16Unorm},
	81: {name: "L16", masks: ddsMasks{bits: 16, r: 0xFFFF, g: 0xFFFF, b: 0xFFFF}},
	82: {name: "D32F_LOCKABLE", format: vk.FormatD32Sfloat}, 83: {name: "D24FS8"}, 84: {name: "D32_LOCKABLE"},
	85:  {name: "S8_LOCKABLE", format: vk.FormatS8Uint},
	110: {name: "Q16W16V16U16", format: vk.FormatR16G16B16A16Snorm},
	111: {name: "R16F", format: vk.FormatR16Sfloat}, 112: {name: "G16R16F", format: vk.FormatR16G16Sfloat},
	113: {name: "A16B16G16R16F", format: vk.FormatR16G16B16A16Sfloat}, 114: {name: "R32F", format: vk.FormatR32Sfloat},
	115: {name: "G32R32F", format: vk.FormatR32G32Sfloat}, 116: {name: "A32B32G32R32F", format: vk.FormatR32G32B32A32Sfloat},
	118: {name: "A1"}, 119: {name: "A2B10G10R10_XR_BIAS"},
}

// d3dCxV8U8 is the number of normals without their third component.
const d3dCxV8U8 = 117

// normals are two components of 8 bits with a sign, and a third one that makes their length 1: √(1 − U² − V²).
var normals = &stored{block: block{1, 1, 1, 2}, decode: func(dst []format.Texel, src []byte) {
	u, v := fp.SnormToFloat(int32(int8(src[0])), 8), fp.SnormToFloat(int32(int8(src[1])), 8)
	rest := 1 - float64(float64(u)*float64(u)) - float64(float64(v)*float64(v))
	dst[0] = format.Texel{math.Float32bits(u), math.Float32bits(v), math.Float32bits(float32(math.Sqrt(max(rest, 0)))), math.Float32bits(1)}
}}

// foreignFourCCs are codes that are known and not supported.
var foreignFourCCs = map[string]string{
	"ATC ": "Adreno's ATC", "ATCA": "Adreno's ATC", "ATCI": "Adreno's ATC", "PTC2": "PVRTC", "PTC4": "PVRTC", "PVR ": "PVRTC", "MET1": "MULTI2_ARGB8",
	"A2D5": "BC3 as a normal map", "NV12": "a video's planes", "YV12": "a video's planes",
}

// fourCCCode finds the format of a four-character code.
func fourCCCode(v uint32) (ddsCode, error) {
	name := string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
	if c, ok := fourCCs[name]; ok {
		c.name = name
		return c, nil
	}
	f, ok := d3dFormats[v]
	switch {
	case v == d3dCxV8U8:
		return ddsCode{name: "D3DFMT_CxV8U8", format: vk.FormatR32G32B32A32Sfloat, stored: normals}, nil
	case ok && f.masks.bits != 0:
		c, err := f.masks.code()
		c.name = "D3DFMT_" + f.name
		return c, err
	case ok && f.format != 0:
		return ddsCode{format: f.format}, nil
	case ok:
		return ddsCode{}, ddsUnsupported("pixel format D3DFMT_%s (%d) is not supported", f.name, v)
	case foreignFourCCs[name] != "":
		return ddsCode{}, ddsUnsupported("pixel format %q, %s, is not supported", name, foreignFourCCs[name])
	case v < 1<<16:
		return ddsCode{}, ddsUnsupported("pixel format D3DFMT %d", v)
	}
	return ddsCode{}, ddsUnsupported("pixel format %q", name)
}
