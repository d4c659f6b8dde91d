package texture

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Offsets in a DDS file: the magic number, DDS_HEADER of 124 bytes with a
// DDS_PIXELFORMAT of 32, perhaps DDS_HEADER_DXT10 of 20, texels.
const (
	ddsHeight     = 12
	ddsWidth      = 16
	ddsDepth      = 24
	ddsMipMaps    = 28
	ddsPixel      = 76
	ddsCaps2      = 112
	ddsHeader     = 128
	ddsDX10Header = 20
)

// Flags of DDS_PIXELFORMAT, of dwCaps2 and of DDS_HEADER_DXT10.
const (
	ddpfAlpha     = 0x2 // only alpha
	ddpfFourCC    = 0x4
	ddpfRGB       = 0x40
	ddpfLuminance = 0x20000
	ddsCubeMap    = 0x200
	ddsAllFaces   = 0xFC00
	ddsVolume     = 0x200000
	dx10Cube      = 0x4
	dx10Texture1D = 2
	dx10Texture3D = 4
)

func parseDDS(data []byte) (*source, error) {
	bad := func(format string, args ...any) error { return &Error{Kind: "DDS", Msg: fmt.Sprintf(format, args...)} }
	if len(data) < ddsHeader {
		return nil, bad("%d bytes are no header", len(data))
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	if word(4) != 124 || word(ddsPixel) != 32 {
		return nil, bad("headers of %d and %d bytes; 124 and 32 are right", word(4), word(ddsPixel))
	}
	s := &source{}
	f := &s.File
	*f = File{Kind: "DDS", Width: count(word(ddsWidth)), Height: count(word(ddsHeight)), Levels: max(1, count(word(ddsMipMaps))), Layers: 1, Plain: true}
	if f.Levels > 32 {
		return nil, bad("%d levels", f.Levels)
	}
	at := ddsHeader
	if word(ddsPixel+4)&ddpfFourCC != 0 && string(data[ddsPixel+8:ddsPixel+12]) == "DX10" {
		if len(data) < ddsHeader+ddsDX10Header {
			return nil, bad("the file ends in the second header")
		}
		at += ddsDX10Header
		id, ok := dxgiFormats[word(ddsHeader)]
		if !ok {
			return nil, &Error{Kind: "DDS", Msg: fmt.Sprintf("DXGI format %d", word(ddsHeader)), Unsupported: true}
		}
		f.Format = id
		layers := word(ddsHeader + 12)
		if layers > maxLayers {
			return nil, bad("%d layers", layers)
		}
		f.Layers, f.Array = max(1, int(layers)), layers > 1
		switch word(ddsHeader + 4) {
		case dx10Texture1D:
			f.Height = 0
		case dx10Texture3D:
			f.Depth = count(word(ddsDepth))
			if f.Layers > 1 {
				return nil, bad("an array of 3D images")
			}
		}
		if word(ddsHeader+8)&dx10Cube != 0 {
			f.Cube = true
			f.Layers *= 6
		}
	} else {
		id, ok := ddsFormat(word, string(data[ddsPixel+8:ddsPixel+12]))
		if !ok {
			return nil, &Error{Kind: "DDS", Msg: fmt.Sprintf("pixel format %q with %d bits and masks %#x %#x %#x %#x", data[ddsPixel+8:ddsPixel+12], word(ddsPixel+12), word(ddsPixel+16), word(ddsPixel+20), word(ddsPixel+24), word(ddsPixel+28)), Unsupported: true}
		}
		f.Format = id
		switch caps := word(ddsCaps2); {
		case caps&ddsVolume != 0:
			f.Depth = count(word(ddsDepth))
		case caps&ddsCubeMap != 0 && caps&ddsAllFaces != ddsAllFaces:
			return nil, &Error{Kind: "DDS", Msg: "a cube without all faces", Unsupported: true}
		case caps&ddsCubeMap != 0:
			f.Cube, f.Layers = true, 6
		}
	}
	if f.Height == 0 && f.Depth != 0 {
		return nil, bad("depth without height")
	}
	s.load = func(_ context.Context, opt Options) error {
		info, _ := format.Lookup(f.Format)
		levels, layers := f.wanted(opt)
		at := at
		for layer := range layers { // each with its levels
			for level := range levels {
				n := f.levelBytes(info, level)
				if int64(len(data)-at) < n {
					return bad("the file ends in level %d of layer %d", level, layer)
				}
				f.data[level*layers+layer] = data[at : int64(at)+n]
				at += int(n)
			}
		}
		return nil
	}
	return s, nil
}

// ddsFormat finds the format of a DDS_PIXELFORMAT.
func ddsFormat(word func(int) uint32, fourCC string) (vk.Format, bool) {
	flags := word(ddsPixel + 4)
	if flags&ddpfFourCC != 0 {
		if f, ok := d3dFormats[word(ddsPixel+8)]; ok {
			return f, true
		}
		f, ok := fourCCFormats[fourCC]
		return f, ok
	}
	if flags&(ddpfRGB|ddpfLuminance|ddpfAlpha) == 0 {
		return 0, false
	}
	f, ok := maskFormats[ddsMasks{word(ddsPixel + 12), word(ddsPixel + 16), word(ddsPixel + 20), word(ddsPixel + 24), word(ddsPixel + 28)}]
	return f, ok
}

// ddsMasks are the bits of a texel and the masks of its components.
type ddsMasks struct{ bits, r, g, b, a uint32 }

// maskFormats are the formats told by masks. Those without alpha have bits there
// that mean nothing; a view's component mapping can set them to one.
var maskFormats = map[ddsMasks]vk.Format{
	{32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000}:     vk.FormatB8G8R8A8Unorm,
	{32, 0xFF0000, 0xFF00, 0xFF, 0}:              vk.FormatB8G8R8A8Unorm,
	{32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000}:     vk.FormatR8G8B8A8Unorm,
	{32, 0xFF, 0xFF00, 0xFF0000, 0}:              vk.FormatR8G8B8A8Unorm,
	{32, 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000}: vk.FormatA2B10G10R10UnormPack32,
	{32, 0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000}: vk.FormatA2R10G10B10UnormPack32,
	{32, 0xFFFF, 0xFFFF0000, 0, 0}:               vk.FormatR16G16Unorm,
	{24, 0xFF0000, 0xFF00, 0xFF, 0}:              vk.FormatB8G8R8Unorm,
	{24, 0xFF, 0xFF00, 0xFF0000, 0}:              vk.FormatR8G8B8Unorm,
	{16, 0xF800, 0x7E0, 0x1F, 0}:                 vk.FormatR5G6B5UnormPack16,
	{16, 0x7C00, 0x3E0, 0x1F, 0x8000}:            vk.FormatA1R5G5B5UnormPack16,
	{16, 0xF00, 0xF0, 0xF, 0xF000}:               vk.FormatA4R4G4B4UnormPack16,
	{16, 0xFFFF, 0, 0, 0}:                        vk.FormatR16Unorm,
	{16, 0xFF, 0, 0, 0xFF00}:                     vk.FormatR8G8Unorm,
	{16, 0xFF, 0xFF00, 0, 0}:                     vk.FormatR8G8Unorm,
	{8, 0xFF, 0, 0, 0}:                           vk.FormatR8Unorm,
	{8, 0, 0, 0, 0xFF}:                           vk.FormatA8UnormKHR,
}

var fourCCFormats = map[string]vk.Format{
	"DXT1": vk.FormatBc1RgbaUnormBlock, "DXT2": vk.FormatBc2UnormBlock, "DXT3": vk.FormatBc2UnormBlock,
	"DXT4": vk.FormatBc3UnormBlock, "DXT5": vk.FormatBc3UnormBlock,
	"ATI1": vk.FormatBc4UnormBlock, "BC4U": vk.FormatBc4UnormBlock, "BC4S": vk.FormatBc4SnormBlock,
	"ATI2": vk.FormatBc5UnormBlock, "BC5U": vk.FormatBc5UnormBlock, "BC5S": vk.FormatBc5SnormBlock,
}

// d3dFormats are numbers of D3DFORMAT where a four-character code would stand.
var d3dFormats = map[uint32]vk.Format{
	36: vk.FormatR16G16B16A16Unorm, 110: vk.FormatR16G16B16A16Snorm, 111: vk.FormatR16Sfloat, 112: vk.FormatR16G16Sfloat,
	113: vk.FormatR16G16B16A16Sfloat, 114: vk.FormatR32Sfloat, 115: vk.FormatR32G32Sfloat, 116: vk.FormatR32G32B32A32Sfloat,
}

// dxgiFormats are the numbers of DXGI_FORMAT.
var dxgiFormats = map[uint32]vk.Format{
	2: vk.FormatR32G32B32A32Sfloat, 3: vk.FormatR32G32B32A32Uint, 4: vk.FormatR32G32B32A32Sint,
	6: vk.FormatR32G32B32Sfloat, 7: vk.FormatR32G32B32Uint, 8: vk.FormatR32G32B32Sint,
	10: vk.FormatR16G16B16A16Sfloat, 11: vk.FormatR16G16B16A16Unorm, 12: vk.FormatR16G16B16A16Uint, 13: vk.FormatR16G16B16A16Snorm, 14: vk.FormatR16G16B16A16Sint,
	16: vk.FormatR32G32Sfloat, 17: vk.FormatR32G32Uint, 18: vk.FormatR32G32Sint,
	24: vk.FormatA2B10G10R10UnormPack32, 25: vk.FormatA2B10G10R10UintPack32, 26: vk.FormatB10G11R11UfloatPack32,
	28: vk.FormatR8G8B8A8Unorm, 29: vk.FormatR8G8B8A8Srgb, 30: vk.FormatR8G8B8A8Uint, 31: vk.FormatR8G8B8A8Snorm, 32: vk.FormatR8G8B8A8Sint,
	34: vk.FormatR16G16Sfloat, 35: vk.FormatR16G16Unorm, 36: vk.FormatR16G16Uint, 37: vk.FormatR16G16Snorm, 38: vk.FormatR16G16Sint,
	40: vk.FormatD32Sfloat, 41: vk.FormatR32Sfloat, 42: vk.FormatR32Uint, 43: vk.FormatR32Sint,
	49: vk.FormatR8G8Unorm, 50: vk.FormatR8G8Uint, 51: vk.FormatR8G8Snorm, 52: vk.FormatR8G8Sint,
	54: vk.FormatR16Sfloat, 55: vk.FormatD16Unorm, 56: vk.FormatR16Unorm, 57: vk.FormatR16Uint, 58: vk.FormatR16Snorm, 59: vk.FormatR16Sint,
	61: vk.FormatR8Unorm, 62: vk.FormatR8Uint, 63: vk.FormatR8Snorm, 64: vk.FormatR8Sint, 65: vk.FormatA8UnormKHR,
	67: vk.FormatE5B9G9R9UfloatPack32,
	71: vk.FormatBc1RgbaUnormBlock, 72: vk.FormatBc1RgbaSrgbBlock, 74: vk.FormatBc2UnormBlock, 75: vk.FormatBc2SrgbBlock,
	77: vk.FormatBc3UnormBlock, 78: vk.FormatBc3SrgbBlock, 80: vk.FormatBc4UnormBlock, 81: vk.FormatBc4SnormBlock,
	83: vk.FormatBc5UnormBlock, 84: vk.FormatBc5SnormBlock, 85: vk.FormatR5G6B5UnormPack16, 86: vk.FormatA1R5G5B5UnormPack16,
	87: vk.FormatB8G8R8A8Unorm, 88: vk.FormatB8G8R8A8Unorm, 91: vk.FormatB8G8R8A8Srgb, 93: vk.FormatB8G8R8A8Srgb,
	95: vk.FormatBc6hUfloatBlock, 96: vk.FormatBc6hSfloatBlock, 98: vk.FormatBc7UnormBlock, 99: vk.FormatBc7SrgbBlock,
	115: vk.FormatA4R4G4B4UnormPack16,
}
