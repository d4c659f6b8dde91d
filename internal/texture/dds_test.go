package texture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/texture"
	"github.com/pumice-gpu/pumice/vk"
)

// ddsFile is a DDS file of one level.
type ddsFile struct {
	width, height          uint32
	flags, fourCC, bits    uint32
	r, g, b, a             uint32
	caps2, levels, depth   uint32
	dx10, dimension        uint32 // DXGI_FORMAT
	misc, layers, alpha    uint32
	pitch, header, pixel32 uint32
}

func (d ddsFile) file(texels ...byte) []byte {
	b := make([]byte, 128, 160)
	copy(b, "DDS ")
	word := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	if d.dx10 != 0 {
		d.flags, d.fourCC = 4, four("DX10")
	}
	for at, v := range map[int]uint32{
		4: 124 + d.header, 12: max(1, d.height), 16: max(1, d.width), 20: d.pitch, 24: d.depth, 28: d.levels, 76: 32 + d.pixel32, 80: d.flags, 84: d.fourCC,
		88: d.bits, 92: d.r, 96: d.g, 100: d.b, 104: d.a, 112: d.caps2,
	} {
		word(at, v)
	}
	if d.dx10 != 0 {
		for _, v := range []uint32{d.dx10, max(3, d.dimension), d.misc, d.layers, d.alpha} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return append(b, texels...)
}

func four(name string) uint32 { return binary.LittleEndian.Uint32([]byte(name)) }

// texel returns a texel of the first level of the first layer, the bits of its numbers.
func texel(t *testing.T, f *texture.File, x int) format.Texel {
	t.Helper()
	info, ok := format.Lookup(f.Format)
	if !ok {
		t.Fatalf("format %v", f.Format)
	}
	var block [format.MaxBlockTexels]format.Texel
	if info.BlockWidth > 1 {
		info.DecodeBlock(block[:], f.Level(0, 0))
		return block[x]
	}
	return info.Decode(f.Level(0, 0)[x*info.BlockBytes:])
}

// Every format of Direct3D 9, and those of DXGI, against numbers from the tables of Microsoft's pages: D3DFORMAT and DXGI_FORMAT name
// components with their bits (the former from the highest, the latter from the lowest), luminance is red, green and blue, what X
// names means nothing. Missing colours are 0 and missing alpha is 1, as in Vulkan.
func TestDDS_TexelsOfEveryFormat(t *testing.T) {
	type rgba = [4]float64
	const rgb, rgbA, lum, lumA, onlyA, bump, bumpLum = 0x40, 0x41, 0x20000, 0x20001, 2, 0x80000, 0x40000
	d3d := func(n uint32) ddsFile { return ddsFile{flags: 4, fourCC: n} }
	cc := func(s string) ddsFile { return d3d(four(s)) }
	dx := func(n uint32) ddsFile { return ddsFile{dx10: n} }
	pair := func(f ddsFile) ddsFile { f.width = 2; return f }
	block := func(f ddsFile) ddsFile { f.width, f.height = 4, 4; return f }
	masks := func(flags, bits, r, g, b, a uint32) ddsFile {
		return ddsFile{flags: flags, bits: bits, r: r, g: g, b: b, a: a}
	}
	le := binary.LittleEndian
	half := func(v ...uint16) (b []byte) {
		for _, v := range v {
			b = le.AppendUint16(b, v)
		}
		return b
	}
	word := func(v ...uint32) (b []byte) {
		for _, v := range v {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	float := func(v ...float32) (b []byte) {
		for _, v := range v {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	const h1, h2, hHalf, hQuarter = 0x3C00, 0x4000, 0x3800, 0x3400 // 1, 2, 0.5 and 0.25 of 16 bits
	bc1 := []byte{0x00, 0xF8, 0xE0, 0x07, 0, 0, 0, 0}              // pure red
	bc4 := []byte{255, 0, 0, 0, 0, 0, 0, 0}                        // 1
	two := append(bytes.Clone(bc4), 0, 0, 0, 0, 0, 0, 0, 0)        // 1 and 0
	bc3 := append(bytes.Clone(bc4), bc1...)                        // red, alpha 1
	cyan := append([]byte{51, 0, 0, 0, 0, 0, 0, 0}, 0xFF, 0x07, 0, 0, 0, 0, 0, 0)
	for _, c := range []struct {
		name string
		file ddsFile
		data []byte
		want rgba
	}{
		{"R8G8B8", d3d(20), []byte{51, 102, 255}, rgba{1, .4, .2, 1}},
		{"A8R8G8B8", d3d(21), word(0x33FF6600), rgba{1, .4, 0, .2}},
		{"X8R8G8B8", d3d(22), word(0x33FF6600), rgba{1, .4, 0, 1}},
		{"R5G6B5", d3d(23), half(31<<11 | 21<<5), rgba{1, 21. / 63, 0, 1}},
		{"X1R5G5B5", d3d(24), half(0x7C1F), rgba{1, 0, 1, 1}},
		{"X1R5G5B5 set", d3d(24), half(0x8000 | 10<<5), rgba{0, 10. / 31, 0, 1}},
		{"A1R5G5B5", d3d(25), half(10<<10 | 20<<5 | 30), rgba{10. / 31, 20. / 31, 30. / 31, 0}},
		{"A4R4G4B4", d3d(26), half(0x3F5A), rgba{1, 5. / 15, 10. / 15, 3. / 15}},
		{"R3G3B2", d3d(27), []byte{5<<5 | 2<<2 | 1}, rgba{5. / 7, 2. / 7, 1. / 3, 1}},
		{"A8", d3d(28), []byte{51}, rgba{0, 0, 0, .2}},
		{"A8R3G3B2", d3d(29), half(0x3300 | 7<<5 | 1<<2 | 2), rgba{1, 1. / 7, 2. / 3, .2}},
		{"X4R4G4B4", d3d(30), half(0x0F5A), rgba{1, 5. / 15, 10. / 15, 1}},
		{"A2B10G10R10", d3d(31), word(1<<30 | 1023<<20 | 341<<10), rgba{0, 1. / 3, 1, 1. / 3}},
		{"A8B8G8R8", d3d(32), word(0x330066FF), rgba{1, .4, 0, .2}},
		{"X8B8G8R8", d3d(33), word(0x330066FF), rgba{1, .4, 0, 1}},
		{"G16R16", d3d(34), word(0x3333FFFF), rgba{1, .2, 0, 1}},
		{"A2R10G10B10", d3d(35), word(2<<30 | 1023<<20 | 341<<10), rgba{1, 1. / 3, 0, 2. / 3}},
		{"A16B16G16R16", d3d(36), half(0xFFFF, 0x3333, 0, 0x6666), rgba{1, .2, 0, .4}},
		{"L8", d3d(50), []byte{0x40}, rgba{64. / 255, 64. / 255, 64. / 255, 1}},
		{"A8L8", d3d(51), half(0x3366), rgba{.4, .4, .4, .2}},
		{"A4L4", d3d(52), []byte{0x84}, rgba{4. / 15, 4. / 15, 4. / 15, 8. / 15}},
		{"V8U8", d3d(60), []byte{127, 0x81}, rgba{1, -1, 0, 1}},
		{"V8U8 least", d3d(60), []byte{0x80, 0}, rgba{-1, 0, 0, 1}},
		{"L6V5U5", d3d(61), half(21<<10 | 0x11<<5 | 15), rgba{1, -1, 21. / 63, 1}},
		{"X8L8V8U8", d3d(62), word(0xAA66817F), rgba{1, -1, .4, 1}},
		{"Q8W8V8U8", d3d(63), []byte{127, 0x81, 0, 0x80}, rgba{1, -1, 0, -1}},
		{"V16U16", d3d(64), half(0x7FFF, 0x8001), rgba{1, -1, 0, 1}},
		{"A2W10V10U10", d3d(67), word(1<<30 | 0x201<<20 | 511), rgba{1, 0, -1, 1. / 3}},
		{"CxV8U8", d3d(117), []byte{0, 127}, rgba{0, 1, 0, 1}},
		{"CxV8U8 up", d3d(117), []byte{0, 0}, rgba{0, 0, 1, 1}},
		{"CxV8U8 too long", d3d(117), []byte{0x80, 0x80}, rgba{-1, -1, 0, 1}},
		{"D16", d3d(80), half(0x3333), rgba{.2, 0, 0, 1}},
		{"L16", d3d(81), half(0x3333), rgba{.2, .2, .2, 1}},
		{"D32F_LOCKABLE", d3d(82), float(.25), rgba{.25, 0, 0, 1}},
		{"Q16W16V16U16", d3d(110), half(0x7FFF, 0x8001, 0, 0x8000), rgba{1, -1, 0, -1}},
		{"R16F", d3d(111), half(h2), rgba{2, 0, 0, 1}},
		{"G16R16F", d3d(112), half(h2, hQuarter), rgba{2, .25, 0, 1}},
		{"A16B16G16R16F", d3d(113), half(h2, h1, hQuarter, hHalf), rgba{2, 1, .25, .5}},
		{"R32F", d3d(114), float(-3), rgba{-3, 0, 0, 1}},
		{"G32R32F", d3d(115), float(-3, 4), rgba{-3, 4, 0, 1}},
		{"A32B32G32R32F", d3d(116), float(-3, 4, .5, 2), rgba{-3, 4, .5, 2}},
		{"R8G8_B8G8", pair(cc("RGBG")), []byte{255, 51, 102, 0}, rgba{1, .2, .4, 1}},
		{"G8R8_G8B8", pair(cc("GRGB")), []byte{51, 255, 0, 102}, rgba{1, .2, .4, 1}},
		{"UYVY grey", pair(cc("UYVY")), []byte{128, 235, 128, 16}, rgba{1, 1, 1, 1}},
		{"UYVY dark grey", pair(cc("UYVY")), []byte{128, 126, 128, 16}, rgba{128. / 255, 128. / 255, 128. / 255, 1}}, // 110/219 of 255 is 128.1
		{"YUY2 black", pair(cc("YUY2")), []byte{16, 128, 235, 128}, rgba{0, 0, 0, 1}},
		// BT.601: Y′ of red is 0.299, CR 0.5; 16 + 219·0.299 = 81, CB 128 − 224·0.168736 = 90, CR 240. In 8 bits back: 254, 0, 0 or so.
		{"UYVY red", pair(cc("UYVY")), []byte{90, 81, 240, 81}, rgba{254. / 255, 0, 0, 1}},
		{"DXT1", block(cc("DXT1")), bc1, rgba{1, 0, 0, 1}},
		{"DXT2", block(cc("DXT2")), append(bytes.Repeat([]byte{0x33}, 8), bc1...), rgba{1, 0, 0, .2}},
		{"DXT3", block(cc("DXT3")), append(bytes.Repeat([]byte{0x33}, 8), bc1...), rgba{1, 0, 0, .2}},
		{"DXT4", block(cc("DXT4")), bc3, rgba{1, 0, 0, 1}},
		{"DXT5", block(cc("DXT5")), cyan, rgba{0, 1, 1, .2}},
		{"RXGB", block(cc("RXGB")), cyan, rgba{.2, 1, 1, 1}},
		{"xGBR", block(cc("xGBR")), cyan, rgba{.2, 1, 1, 1}},
		{"RxBG", block(cc("RxBG")), cyan, rgba{0, .2, 1, 1}},
		{"RBxG", block(cc("RBxG")), cyan, rgba{0, .2, 1, 1}},
		{"xRBG", block(cc("xRBG")), cyan, rgba{1, .2, 1, 1}},
		{"RGxB", block(cc("RGxB")), cyan, rgba{0, 1, .2, 1}},
		{"xGxR", block(cc("xGxR")), cyan, rgba{.2, 1, 0, 1}},
		{"ATI1", block(cc("ATI1")), bc4, rgba{1, 0, 0, 1}},
		{"BC4U", block(cc("BC4U")), bc4, rgba{1, 0, 0, 1}},
		{"BC4S", block(cc("BC4S")), []byte{0x81, 0, 0, 0, 0, 0, 0, 0}, rgba{-1, 0, 0, 1}},
		{"ATI2", block(cc("ATI2")), two, rgba{1, 0, 0, 1}},
		{"A2XY", block(cc("A2XY")), two, rgba{1, 0, 0, 1}},
		{"BC5U", block(cc("BC5U")), two, rgba{1, 0, 0, 1}},
		{"BC5S", block(cc("BC5S")), append([]byte{0x81, 0, 0, 0, 0, 0, 0, 0}, 127, 0, 0, 0, 0, 0, 0, 0), rgba{-1, 1, 0, 1}},

		// Masks.
		{"masks L8", masks(lum, 8, 0xFF, 0, 0, 0), []byte{0x40}, rgba{64. / 255, 64. / 255, 64. / 255, 1}},
		{"masks L8, three", masks(lum, 8, 0xFF, 0xFF, 0xFF, 0), []byte{0x40}, rgba{64. / 255, 64. / 255, 64. / 255, 1}},
		{"masks L16", masks(lum, 16, 0xFFFF, 0, 0, 0), half(0x3333), rgba{.2, .2, .2, 1}},
		{"masks A8L8", masks(lumA, 16, 0xFF, 0, 0, 0xFF00), half(0x3366), rgba{.4, .4, .4, .2}},
		{"masks A4L4", masks(lumA, 8, 0xF, 0, 0, 0xF0), []byte{0x84}, rgba{4. / 15, 4. / 15, 4. / 15, 8. / 15}},
		{"masks A8", masks(onlyA, 8, 0, 0, 0, 0xFF), []byte{51}, rgba{0, 0, 0, .2}},
		{"masks A8, and red", masks(onlyA, 8, 0xFF, 0, 0, 0xFF), []byte{51}, rgba{0, 0, 0, .2}},
		{"masks V8U8", masks(bump, 16, 0xFF, 0xFF00, 0, 0), []byte{127, 0x81}, rgba{1, -1, 0, 1}},
		{"masks Q8W8V8U8", masks(bump, 32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000), []byte{127, 0x81, 0, 0x80}, rgba{1, -1, 0, -1}},
		{"masks V16U16", masks(bump, 32, 0xFFFF, 0xFFFF0000, 0, 0), half(0x7FFF, 0x8001), rgba{1, -1, 0, 1}},
		{"masks A2W10V10U10", masks(bump, 32, 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000), word(1<<30 | 0x201<<20 | 511), rgba{1, 0, -1, 1. / 3}},
		{"masks L6V5U5", masks(bumpLum, 16, 0x1F, 0x3E0, 0xFC00, 0), half(21<<10 | 0x11<<5 | 15), rgba{1, -1, 21. / 63, 1}},
		{"masks X8R8G8B8", masks(rgb, 32, 0xFF0000, 0xFF00, 0xFF, 0), word(0x00FF4020), rgba{1, 64. / 255, 32. / 255, 1}},
		{"masks X8B8G8R8", masks(rgb, 32, 0xFF, 0xFF00, 0xFF0000, 0), word(0x002040FF), rgba{1, 64. / 255, 32. / 255, 1}},
		{"masks R8G8B8", masks(rgb, 24, 0xFF0000, 0xFF00, 0xFF, 0), []byte{51, 102, 255}, rgba{1, .4, .2, 1}},
		{"masks B8G8R8", masks(rgb, 24, 0xFF, 0xFF00, 0xFF0000, 0), []byte{51, 102, 255}, rgba{.2, .4, 1, 1}},
		{"masks in 24 bits", masks(rgbA, 24, 0x3F, 0xFC0, 0x3F000, 0xFC0000), []byte{63, 0, 84}, rgba{1, 0, 0, 21. / 63}},
		{"masks X1R5G5B5", masks(rgb, 16, 0x7C00, 0x3E0, 0x1F, 0), half(0x7C1F), rgba{1, 0, 1, 1}},
		{"masks X1B5G5R5", masks(rgb, 16, 0x1F, 0x3E0, 0x7C00, 0), half(0x03FF), rgba{1, 1, 0, 1}},
		{"masks R5G5B5A1", masks(rgbA, 16, 0xF800, 0x7C0, 0x3E, 1), half(10<<11 | 20<<6 | 30<<1), rgba{10. / 31, 20. / 31, 30. / 31, 0}},
		{"masks X4R4G4B4", masks(rgb, 16, 0xF00, 0xF0, 0xF, 0), half(0x0F5A), rgba{1, 5. / 15, 10. / 15, 1}},
		{"masks R4G4B4X4", masks(rgb, 16, 0xF000, 0xF00, 0xF0, 0), half(0xF5A0), rgba{1, 5. / 15, 10. / 15, 1}},
		{"masks R3G3B2", masks(rgb, 8, 0xE0, 0x1C, 3, 0), []byte{5<<5 | 2<<2 | 1}, rgba{5. / 7, 2. / 7, 1. / 3, 1}},
		{"masks A8R3G3B2", masks(rgbA, 16, 0xE0, 0x1C, 3, 0xFF00), half(0x3300 | 7<<5 | 1<<2 | 2), rgba{1, 1. / 7, 2. / 3, .2}},
		{"masks X2R10G10B10", masks(rgb, 32, 0x3FF00000, 0xFFC00, 0x3FF, 0), word(1023<<20 | 341<<10), rgba{1, 1. / 3, 0, 1}},
		{"masks G16R16", masks(rgb, 32, 0xFFFF, 0xFFFF0000, 0, 0), word(0x3333FFFF), rgba{1, .2, 0, 1}},
		{"masks of 11, 11 and 10", masks(rgb, 32, 0x7FF, 0x3FF800, 0xFFC00000, 0), word(2047 | 341<<22), rgba{1, 0, 1. / 3, 1}},
		{"masks of all 32", masks(rgb, 32, 0xFFFFFFFF, 0, 0, 0), word(0xFFFFFFFF), rgba{1, 0, 0, 1}},
		{"masks without flags", masks(0, 32, 0xFF0000, 0xFF00, 0xFF, 0), word(0x00FF4020), rgba{1, 64. / 255, 32. / 255, 1}},

		// DXGI: typeless ones, and those that Vulkan names otherwise or not at all.
		{"DXGI R32G32B32A32_TYPELESS", dx(1), float(-3, 4, .5, 2), rgba{-3, 4, .5, 2}},
		{"DXGI R16G16B16A16_TYPELESS", dx(9), half(0xFFFF, 0x3333, 0, 0x6666), rgba{1, .2, 0, .4}},
		{"DXGI R10G10B10A2_TYPELESS", dx(23), word(1<<30 | 1023<<20 | 341<<10), rgba{0, 1. / 3, 1, 1. / 3}},
		{"DXGI R11G11B10_FLOAT", dx(26), word(0x3C0 | 0x400<<11), rgba{1, 2, 0, 1}},
		{"DXGI R8G8B8A8_TYPELESS", dx(27), []byte{255, 102, 0, 51}, rgba{1, .4, 0, .2}},
		{"DXGI R16G16_TYPELESS", dx(33), half(0xFFFF, 0x3333), rgba{1, .2, 0, 1}},
		{"DXGI R32_TYPELESS", dx(39), float(-3), rgba{-3, 0, 0, 1}},
		{"DXGI R24_UNORM_X8_TYPELESS", dx(46), word(0xAA333333), rgba{.2, 0, 0, 1}},
		{"DXGI R8G8_TYPELESS", dx(48), []byte{255, 51}, rgba{1, .2, 0, 1}},
		{"DXGI R16_TYPELESS", dx(53), half(0x3333), rgba{.2, 0, 0, 1}},
		{"DXGI R8_TYPELESS", dx(60), []byte{51}, rgba{.2, 0, 0, 1}},
		{"DXGI A8", dx(65), []byte{51}, rgba{0, 0, 0, .2}},
		{"DXGI R9G9B9E5", dx(67), word(16<<27 | 256), rgba{1, 0, 0, 1}}, // 256/512 · 2^(16−15)
		{"DXGI R8G8_B8G8", pair(dx(68)), []byte{255, 51, 102, 0}, rgba{1, .2, .4, 1}},
		{"DXGI G8R8_G8B8", pair(dx(69)), []byte{51, 255, 0, 102}, rgba{1, .2, .4, 1}},
		{"DXGI BC1_TYPELESS", block(dx(70)), bc1, rgba{1, 0, 0, 1}},
		{"DXGI BC3_TYPELESS", block(dx(76)), cyan, rgba{0, 1, 1, .2}},
		{"DXGI BC5_TYPELESS", block(dx(82)), two, rgba{1, 0, 0, 1}},
		{"DXGI B5G6R5", dx(85), half(31<<11 | 21<<5), rgba{1, 21. / 63, 0, 1}},
		{"DXGI B5G5R5A1", dx(86), half(10<<10 | 20<<5 | 30), rgba{10. / 31, 20. / 31, 30. / 31, 0}},
		{"DXGI B8G8R8A8", dx(87), word(0x33FF6600), rgba{1, .4, 0, .2}},
		{"DXGI B8G8R8X8", dx(88), word(0x33FF6600), rgba{1, .4, 0, 1}},
		{"DXGI B8G8R8A8_TYPELESS", dx(90), word(0x33FF6600), rgba{1, .4, 0, .2}},
		{"DXGI B8G8R8X8_TYPELESS", dx(92), word(0x33FF6600), rgba{1, .4, 0, 1}},
		{"DXGI B8G8R8X8_UNORM_SRGB", dx(93), word(0x33FF00FF), rgba{1, 0, 1, 1}},
		{"DXGI YUY2", pair(dx(107)), []byte{235, 128, 16, 128}, rgba{1, 1, 1, 1}},
		{"DXGI Y210", pair(dx(108)), half(64<<6, 512<<6, 940<<6, 512<<6), rgba{0, 0, 0, 1}},
		{"DXGI Y216", pair(dx(109)), half(235<<8, 128<<8, 16<<8, 128<<8), rgba{1, 1, 1, 1}},
		{"DXGI B4G4R4A4", dx(115), half(0x3F5A), rgba{1, 5. / 15, 10. / 15, 3. / 15}},
		// A void extent of one colour: 0xFFFF, 0, 0, 0xFFFF.
		{"DXGI ASTC_5X4", ddsFile{dx10: 138, width: 5, height: 4}, []byte{0xFC, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF}, rgba{1, 0, 0, 1}},
		{"DXGI A4B4G4R4", dx(191), half(0xF5A3), rgba{1, 5. / 15, 10. / 15, 3. / 15}},
	} {
		o := options()
		f, err := texture.Decode(t.Context(), c.file.file(c.data...), o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if used := o.Budget.Used(); used != f.Charge {
			t.Errorf("%s: %d bytes are charged, %d stay", c.name, used, f.Charge)
		}
		got := texel(t, f, 0)
		for i, want := range c.want {
			bound := 0.0
			if strings.Contains(c.name, "red") { // 1/255 of coding
				bound = 1. / 255
			}
			if v := math.Float32frombits(got[i]); math.Abs(float64(v)-float64(float32(want))) > bound {
				t.Errorf("%s (%v): component %d is %v, want %v", c.name, f.Format, i, v, want)
			}
		}
		// Pictures of them have the same numbers.
		if list, err := texture.Pictures(t.Context(), c.file.file(c.data...), false); err == nil && !strings.Contains(c.name, "red") {
			for i, want := range c.want {
				if got := list[0].Pix[i]; got != byte(math.Round(255*float64(float32(want)))) {
					t.Errorf("%s as a picture: component %d is %d, want %v of 255", c.name, i, got, want)
				}
			}
		}
	}
}

// The second texel of a pair has its own green, or its own Y′.
func TestDDS_SecondTexelOfAPair(t *testing.T) {
	for name, c := range map[string]struct {
		data [4]byte
		want [4]float32
	}{
		"RGBG": {[4]byte{255, 0, 51, 102}, [4]float32{1, .4, .2, 1}},
		"GRGB": {[4]byte{0, 255, 102, 51}, [4]float32{1, .4, .2, 1}},
		"UYVY": {[4]byte{128, 16, 128, 235}, [4]float32{1, 1, 1, 1}},
		"YUY2": {[4]byte{16, 128, 235, 128}, [4]float32{1, 1, 1, 1}},
	} {
		// Three texels: of the second pair only one is in the picture.
		file := ddsFile{width: 3, flags: 4, fourCC: four(name)}.file(append(c.data[:], c.data[:]...)...)
		f, err := texture.Decode(t.Context(), file, options())
		if err != nil || len(f.Level(0, 0)) != 12 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if got := math.Float32frombits(texel(t, f, 1)[i]); got != want {
				t.Errorf("%s: component %d is %v, want %v", name, i, got, want)
			}
		}
	}
}

// What cannot be had is named, as the page of its format does.
func TestDDS_NamesWhatIsNotSupported(t *testing.T) {
	d3d := func(n uint32) ddsFile { return ddsFile{flags: 4, fourCC: n} }
	for want, f := range map[string]ddsFile{
		"D3DFMT_P8": d3d(41), "D3DFMT_A8P8": d3d(40), "D3DFMT_D24S8": d3d(75), "D3DFMT_A1 ": d3d(118), "D3DFMT 200": d3d(200),
		"Adreno's ATC": d3d(four("ATCI")), "PVRTC": d3d(four("PTC4")), `"ABCD"`: d3d(four("ABCD")), "with a palette": {flags: 0x20, bits: 8}, "Y′CBCR": {flags: 0x200, bits: 32, r: 0xFF},
		"R1_UNORM (66)": {dx10: 66}, "DXGI_FORMAT_AYUV": {dx10: 100}, "DXGI_FORMAT_NV11": {dx10: 110}, "several planes": {dx10: 103}, "DXGI_FORMAT_V408": {dx10: 132},
		"R10G10B10_XR_BIAS_A2_UNORM": {dx10: 89}, "depth and stencil": {dx10: 45}, "DXGI_FORMAT_R32G8X24_TYPELESS": {dx10: 19}, "DXGI format 120": {dx10: 120},
	} {
		_, err := texture.Decode(t.Context(), f.file(make([]byte, 64)...), options())
		var e *texture.Error
		if !errors.As(err, &e) || !e.Unsupported || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v; want one that names %q", err, want)
		}
	}
}

// l8 is a file of grey texels.
var l8 = ddsFile{flags: 0x20000, bits: 8, r: 0xFF}

func TestDDS_LevelsAndFaces(t *testing.T) {
	levels := func(f ddsFile, width, height, levels uint32) ddsFile {
		f.width, f.height, f.levels = width, height, levels
		return f
	}
	texels := make([]byte, 16+4+1)
	for i := range texels {
		texels[i] = byte(i + 1)
	}
	for name, c := range map[string]struct {
		file   []byte
		levels int
		warns  string
	}{
		"whole":        {levels(l8, 4, 4, 3).file(texels...), 3, ""},
		"none told":    {levels(l8, 4, 4, 0).file(texels...), 1, ""},
		"fewer":        {levels(l8, 4, 4, 2).file(texels...), 2, ""},
		"too many":     {levels(l8, 4, 4, 9).file(texels...), 3, "9 levels"},
		"2³² − 1":      {levels(l8, 4, 4, 1<<32-1).file(texels...), 3, "levels"},
		"last cut":     {levels(l8, 4, 4, 3).file(texels[:20]...), 2, "level 2 of 3"},
		"all cut":      {levels(l8, 4, 4, 3).file(texels[:19]...), 1, "level 1 of 3"},
		"pitch":        {ddsFile{flags: 0x20000, bits: 8, r: 0xFF, width: 4, height: 4, pitch: 1 << 31}.file(texels...), 1, ""},
		"pixel format": {ddsFile{flags: 0x20000, bits: 8, r: 0xFF, width: 4, height: 4, pixel32: 1<<32 - 8}.file(texels...), 1, "24 bytes"},
	} {
		f, err := texture.Decode(t.Context(), c.file, options())
		if err != nil || f.Levels != c.levels || len(f.Texels()) != c.levels || (len(f.Warnings) > 0) != (c.warns != "") || !strings.Contains(strings.Join(f.Warnings, "; "), c.warns) {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		at := 0
		for level := range f.Levels {
			n := 16 >> (2 * level)
			if got := f.Level(level, 0); len(got) != 4*n || got[0] != texels[at] || got[1] != texels[at] || got[3] != 255 {
				t.Errorf("%s: level %d is %v", name, level, got)
			}
			at += n
		}
	}

	// +X, −Y and −Z of a cube: the others are black and transparent.
	const faces = 0x200 | 0x400 | 0x2000 | 0x8000
	for name, file := range map[string]ddsFile{
		"as Vulkan has it": {flags: 0x41, bits: 32, r: 0xFF, g: 0xFF00, b: 0xFF0000, a: 0xFF000000, caps2: faces},
		"grey":             {flags: 0x20000, bits: 8, r: 0xFF, caps2: faces},
	} {
		n := int(file.bits / 8)
		o := options()
		f, err := texture.Decode(t.Context(), file.file(append(append(bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{2}, n)...), bytes.Repeat([]byte{3}, n)...)...), o)
		if err != nil || !f.Cube || f.Layers != 6 || len(f.Warnings) != 1 || o.Budget.Used() != f.Charge {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		for face, want := range []byte{1, 0, 0, 2, 0, 3} {
			if got := f.Level(0, face)[0]; got != want {
				t.Errorf("%s: face %d is %d, want %d", name, face, got, want)
			}
		}
	}
}

// A volume and an array of grey texels, a line, and what the alpha mode tells.
func TestDDS_ShapesOfExpandedTexels(t *testing.T) {
	texels := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	volume := l8
	volume.width, volume.height, volume.depth, volume.caps2, volume.levels = 2, 2, 2, 0x200000, 2
	f, err := texture.Decode(t.Context(), volume.file(texels...), options())
	if err != nil || f.Depth != 2 || f.Levels != 2 || f.Level(0, 0)[4*7] != 8 || f.Level(1, 0)[0] != 9 {
		t.Errorf("volume: %+v, %v", f, err)
	}
	// DXGI 93: sRGB without alpha, two layers of two levels.
	array := ddsFile{dx10: 93, width: 2, height: 1, levels: 2, layers: 2}
	bgrx := make([]byte, 0, 24)
	for i := range 6 {
		bgrx = append(bgrx, byte(i), byte(i+10), byte(i+20), 0)
	}
	f, err = texture.Decode(t.Context(), array.file(bgrx...), options())
	if err != nil || f.Layers != 2 || !f.Array || f.Format != vk.FormatB8G8R8A8Srgb || !bytes.Equal(f.Level(0, 1), []byte{3, 13, 23, 255, 4, 14, 24, 255}) || !bytes.Equal(f.Level(1, 1), []byte{5, 15, 25, 255}) {
		t.Errorf("array: %+v, %v", f, err)
	}
	f, err = texture.Decode(t.Context(), ddsFile{dx10: 28, alpha: 2}.file(1, 2, 3, 4), options())
	if err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "premultiplied") || !bytes.Equal(f.Level(0, 0), []byte{1, 2, 3, 4}) {
		t.Errorf("alpha mode: %+v, %v", f, err)
	}
}

func TestDDS_Hostile(t *testing.T) {
	masks := func(bits, r, g, b, a uint32) ddsFile { return ddsFile{flags: 0x41, bits: bits, r: r, g: g, b: b, a: a} }
	huge := l8
	huge.width, huge.height = 1<<16, 1<<16
	wide := l8
	wide.width = 1<<32 - 1
	cube := l8
	cube.width, cube.height, cube.caps2 = 2, 1, 0xFE00
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"no bits", "0 bits", masks(0, 0xFF, 0, 0, 0).file(1)},
		{"12 bits", "12 bits", masks(12, 0xF, 0xF0, 0xF00, 0).file(1, 2)},
		{"64 bits", "64 bits", masks(64, 0xF, 0xF0, 0xF00, 0).file(make([]byte, 8)...)},
		{"no masks", "masks 0x0", masks(32, 0, 0, 0, 0).file(1, 2, 3, 4)},
		{"a mask outside", "in the texel", masks(16, 0x10000, 0xF0, 0xF, 0).file(1, 2)},
		{"a mask in pieces", "lie together", masks(16, 0xF0F, 0xF0, 0, 0).file(1, 2)},
		{"no texels", "ends in level 0", l8.file()},
		{"a picture of 16 GB", "needs", huge.file(1)},
		{"2³² − 1 texels", "up to 65536", wide.file(1)},
		{"a cube that is none", "a cube of", cube.file(make([]byte, 12)...)},
		{"header", "124 are right", ddsFile{header: 1}.file(1)},
		{"half a DX10 header", "second header", ddsFile{dx10: 28}.file()[:140]},
		{"2³² − 1 layers", "layers", ddsFile{dx10: 28, layers: 1<<32 - 1}.file(1)},
		{"array of volumes", "array of 3D", ddsFile{dx10: 28, dimension: 4, layers: 2}.file(1)},
		{"block cut", "ends in level 0", ddsFile{flags: 4, fourCC: four("RXGB"), width: 5, height: 5}.file(make([]byte, 63)...)},
		{"pair cut", "ends in level 0", ddsFile{flags: 4, fourCC: four("YUY2"), width: 3}.file(make([]byte, 7)...)},
	} {
		o := options()
		_, err := texture.Decode(t.Context(), c.data, o)
		var e *texture.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || o.Budget.Used() != 0 {
			t.Errorf("%s: error %v; want one that says %q; %d bytes stay charged", c.name, err, c.want, o.Budget.Used())
		}
	}
	// Texels that grow need their memory: 64 grey ones are 256 bytes, and their place 24.
	grey := l8
	grey.width, grey.height = 8, 8
	for limit, want := range map[int64]bool{279: false, 280: true} {
		_, err := texture.Decode(t.Context(), grey.file(make([]byte, 64)...), texture.Options{Budget: budget.New(limit, "the test's limit")})
		if (err == nil) != want {
			t.Errorf("%d bytes: %v", limit, err)
		}
	}
}

// pairsKTX2 is a KTX 2 file of one texel with key/value data.
func pairsKTX2(f vk.Format, pairs []string, texel ...byte) []byte {
	var kvd []byte
	for _, p := range pairs {
		kvd = binary.LittleEndian.AppendUint32(kvd, uint32(len(p)))
		kvd = append(kvd, p...)
		for len(kvd)%4 != 0 {
			kvd = append(kvd, 0)
		}
	}
	b := []byte("\xABKTX 20\xBB\r\n\x1A\n")
	for _, v := range []uint32{uint32(f), 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 104, uint32(len(kvd)), 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range []uint64{uint64(104 + len(kvd)), uint64(len(texel)), uint64(len(texel))} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return append(append(b, kvd...), texel...)
}

func TestKTX2_Swizzle(t *testing.T) {
	f32 := func(v ...float32) string { return fmt.Sprint(v) }
	for _, c := range []struct {
		format  vk.Format
		swizzle string
		texel   []byte
		to      vk.Format
		want    string
	}{
		{vk.FormatR8Unorm, "rrr1", []byte{51}, vk.FormatR8G8B8A8Unorm, f32(.2, .2, .2, 1)},
		{vk.FormatR8Unorm, "r001", []byte{51}, vk.FormatR8Unorm, f32(.2, 0, 0, 1)},
		{vk.FormatR8G8Unorm, "rrrg", []byte{51, 102}, vk.FormatR8G8B8A8Unorm, f32(.2, .2, .2, .4)},
		{vk.FormatR8G8B8A8Unorm, "rgba", []byte{51, 102, 0, 255}, vk.FormatR8G8B8A8Unorm, f32(.2, .4, 0, 1)},
		{vk.FormatR8G8B8A8Unorm, "bgr1", []byte{51, 102, 0, 0}, vk.FormatR8G8B8A8Unorm, f32(0, .4, .2, 1)},
		{vk.FormatR8G8B8A8Unorm, "01ag", []byte{51, 102, 0, 255}, vk.FormatR8G8B8A8Unorm, f32(0, 1, 1, .4)},
		{vk.FormatR8G8B8A8Srgb, "bgra", []byte{255, 0, 0, 51}, vk.FormatR8G8B8A8Srgb, f32(0, 0, 1, .2)},
		// Alpha has no transfer function: as a colour it keeps its number.
		{vk.FormatR8G8B8A8Srgb, "argb", []byte{255, 0, 0, 51}, vk.FormatR32G32B32A32Sfloat, f32(.2, 1, 0, 0)},
		{vk.FormatR5G6B5UnormPack16, "bgr1", []byte{0x1F, 0xA8}, vk.FormatR32G32B32A32Sfloat, f32(1, 0, 21./31, 1)},
		{vk.FormatR16Unorm, "rrr1", []byte{0x33, 0x33}, vk.FormatR16G16B16A16Unorm, f32(.2, .2, .2, 1)},
		{vk.FormatR8G8Snorm, "gr01", []byte{127, 0x81}, vk.FormatR8G8B8A8Snorm, f32(-1, 1, 0, 1)},
		{vk.FormatR16Sfloat, "rrr1", []byte{0, 0x40}, vk.FormatR16G16B16A16Sfloat, f32(2, 2, 2, 1)},
		{vk.FormatR32Sfloat, "1rr0", []byte{0, 0, 0, 0x40}, vk.FormatR32G32B32A32Sfloat, f32(1, 2, 2, 0)},
		{vk.FormatBc4UnormBlock, "rrr1", []byte{255, 0, 0, 0, 0, 0, 0, 0}, vk.FormatR32G32B32A32Sfloat, f32(1, 1, 1, 1)},
	} {
		f, err := texture.Decode(t.Context(), pairsKTX2(c.format, []string{"KTXswizzle\x00" + c.swizzle + "\x00"}, c.texel...), options())
		if err != nil || f.Format != c.to || len(f.Warnings) != 0 {
			t.Errorf("%v %s: %+v, %v", c.format, c.swizzle, f, err)
			continue
		}
		got := make([]float32, 4)
		for i, v := range texel(t, f, 0) {
			got[i] = math.Float32frombits(v)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v %s: %v, want %s", c.format, c.swizzle, got, c.want)
		}
	}
	f, err := texture.Decode(t.Context(), pairsKTX2(vk.FormatR8G8Uint, []string{"KTXswizzle\x00gr11\x00"}, 3, 200), options())
	if err != nil || f.Format != vk.FormatR8G8B8A8Uint || !bytes.Equal(f.Level(0, 0), []byte{200, 3, 1, 1}) {
		t.Errorf("integers: %+v, %v", f, err)
	}
	// A decoded file, and its picture.
	etc := withPairs(read(t, "etc1s.ktx2"), "KTXswizzle\x00b0r1\x00")
	plain, err := texture.Decode(t.Context(), read(t, "etc1s.ktx2"), options())
	if err != nil {
		t.Fatal(err)
	}
	f, err = texture.Decode(t.Context(), etc, options())
	if err != nil || f.Format != plain.Format {
		t.Fatalf("ETC1S: %v", err)
	}
	list, err := texture.Pictures(t.Context(), etc, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(plain.Level(0, 0)); i += 4 {
		old := plain.Level(0, 0)[i:]
		if want := []byte{old[2], 0, old[0], 255}; !bytes.Equal(f.Level(0, 0)[i:i+4], want) || !bytes.Equal(list[0].Pix[i:i+4], want) {
			t.Fatalf("texel %d is %v, in the picture %v, want %v", i/4, f.Level(0, 0)[i:i+4], list[0].Pix[i:i+4], want)
		}
	}
}

// withPairs appends key/value data.
func withPairs(file []byte, pair string) []byte {
	file = put(file, 56, 4, uint64(len(file)))
	file = put(file, 60, 4, uint64(4+len(pair)))
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(pair))), pair...)
}

func TestKTX2_KeyValuesThatAreNone(t *testing.T) {
	good := pairsKTX2(vk.FormatR8Unorm, []string{"KTXswizzle\x00rrr1\x00"}, 51)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"outside":         {put(good, 56, 4, 1<<32-1), "lie outside"},
		"a long pair":     {put(good, 104, 4, 1<<32-1), "4294967295 bytes"},
		"no end of a key": {pairsKTX2(vk.FormatR8Unorm, []string{"KTXswizzle"}, 51), "key without end"},
		"three letters":   {pairsKTX2(vk.FormatR8Unorm, []string{"KTXswizzle\x00rgb\x00"}, 51), "is not four of"},
		"other letters":   {pairsKTX2(vk.FormatR8Unorm, []string{"KTXswizzle\x00xyzw\x00"}, 51), "is not four of"},
		"orientation":     {pairsKTX2(vk.FormatR8Unorm, []string{"KTXorientation\x00ru\x00"}, 51), "not rd"},
	} {
		f, err := texture.Decode(t.Context(), c.data, options())
		if err != nil || f.Format != vk.FormatR8Unorm || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], c.want) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	for f, n := range map[vk.Format]int{vk.FormatD16Unorm: 2, vk.FormatR64Uint: 8, vk.FormatG8B8G8R8_422Unorm: 4} {
		_, err := texture.Decode(t.Context(), pairsKTX2(f, []string{"KTXswizzle\x00grb1\x00"}, make([]byte, n)...), options())
		var e *texture.Error
		if !errors.As(err, &e) || !e.Unsupported || !strings.Contains(err.Error(), "swizzle") {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// The blocks of UASTC HDR 4×4 are ASTC's, whether the file names Vulkan's format or not.
func TestKTX2_UASTCHDR(t *testing.T) {
	uastc := read(t, "uastc.ktx2")
	f, err := texture.Decode(t.Context(), put(uastc, int(binary.LittleEndian.Uint32(uastc[48:]))+12, 1, 167), options())
	at := int(binary.LittleEndian.Uint64(uastc[80:]))
	if err != nil || f.Format != vk.FormatAstc4x4SfloatBlock || !bytes.Equal(f.Level(0, 0)[:16], uastc[at:at+16]) {
		t.Errorf("%+v, %v", f, err)
	}
}
