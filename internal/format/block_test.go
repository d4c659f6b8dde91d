package format

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// blocks returns n random blocks of the largest size.
func blocks(n int) [][]byte {
	r := rand.New(rand.NewPCG(5, 6))
	out := make([][]byte, n)
	for i := range out {
		out[i] = make([]byte, 16)
		for k := range out[i] {
			out[i][k] = byte(r.Uint32())
		}
	}
	return out
}

// Decode, DecodeRow and the cache give the texels of DecodeBlock, in every compressed format that is supported.
func TestDecodeBlock_EveryFormat_OneAnswer_IMG254(t *testing.T) {
	rules.Covers(t, "IMG-254")
	var cache BlockCache
	for _, f := range All() {
		i := mustLookup(t, f)
		if !i.Compressed || i.Supported() != nil {
			continue
		}
		n := i.BlockTexels()
		if n > MaxBlockTexels {
			t.Fatalf("%v: %d texels", f, n)
		}
		for range 2 { // a second time from the cache
			for _, src := range blocks(20) {
				want, row := make([]Texel, n), make([]Texel, n+1)
				for k := range want {
					want[k] = Texel{1, 2, 3, 4}
				}
				i.DecodeBlock(want, src)
				i.DecodeRow(row, src[:i.BlockBytes])
				if got := i.Decode(src); got != want[0] || row[0] != want[0] || row[n-1] != want[n-1] || row[n] != (Texel{}) {
					t.Fatalf("%v: first texel %x, want %x", f, got, want[0])
				}
				for k := range want {
					x, y, z := k%i.BlockWidth, k/i.BlockWidth%i.BlockHeight, k/i.BlockWidth/i.BlockHeight
					if got := cache.Texel(i, src, x+3*i.BlockWidth, y+i.BlockHeight, z+2*i.BlockDepth); got != want[k] {
						t.Fatalf("%v: cached texel %d is %x, want %x", f, k, got, want[k])
					}
				}
			}
		}
	}
}

// IMG-761: what the numeric format of an ASTC format makes of blocks of one colour: LDR 0, 1/2 and 1, as fractions that
// are truncated to half floats and as sRGB codes, and HDR, which SFLOAT alone has.
func TestDecodeBlock_IMG761_Profiles(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-761", "IMG-765", "IMG-876", "IMG-878", "IMG-879")
	ldr := []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff}
	hdr := []byte{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x42, 0, 0x38, 0, 0x3c}
	magenta := floats(1, 0, 1, 1)
	for f, want := range map[vk.Format][2]Texel{
		vk.FormatAstc4x4UnormBlock: {floats(0, .5, 1, 1), magenta}, vk.FormatAstc4x4SrgbBlock: {floats(0, .2158605, 1, 1), magenta}, vk.FormatAstc4x4SfloatBlock: {floats(0, .5, 1, 1), floats(0, 3, .5, 1)},
		vk.FormatAstc3x3x3UnormBlockEXT: {floats(0, .5, 1, 1), magenta}, vk.FormatAstc3x3x3SfloatBlockEXT: {floats(0, .5, 1, 1), floats(0, 3, .5, 1)},
	} {
		for k, src := range [][]byte{ldr, hdr} {
			if got := mustLookup(t, f).Decode(src); got != want[k] {
				t.Errorf("%v, block %d: %x, want %x", f, k, got, want[k])
			}
		}
	}
}

// A block that changes in place is decoded again.
func TestBlockCache_MemoryChanges_NotStale(t *testing.T) {
	i := mustLookup(t, vk.FormatBc4UnormBlock)
	var cache BlockCache
	src := make([]byte, 8)
	before := cache.Texel(i, src, 0, 0, 0)
	src[0] = 255
	if after := cache.Texel(i, src, 0, 0, 0); after == before || after[0] != oneFloat {
		t.Errorf("%x, then %x", before, after)
	}
}

// Blocks that share their first half are different blocks.
func TestBlockCache_SecondHalf_IsPartOfTheKey(t *testing.T) {
	i := mustLookup(t, vk.FormatBc5UnormBlock)
	var cache BlockCache
	src := make([]byte, 16)
	for n := range 1000 {
		src[8], src[15] = byte(n), byte(n>>3)
		if got, want := cache.Texel(i, src, 0, 0, 0), i.Decode(src); got != want {
			t.Fatalf("%x: %x, want %x", src, got, want)
		}
	}
}

func TestDecode_WhatIsNotSupported_IsSafe(t *testing.T) {
	rules.Covers(t, "IMG-254")
	for _, f := range All() {
		i := mustLookup(t, f)
		if i.Supported() == nil && !i.Compressed {
			continue
		}
		buf, row := make([]byte, 64), make([]Texel, 4)
		i.Decode(buf)
		i.DecodeRow(row, buf)
		buf[0] = 7
		i.Encode(buf, Texel{})
		i.EncodeRow(buf, row)
		if buf[0] != 7 {
			t.Errorf("%v: Encode wrote", f)
		}
		if i.Supported() != nil {
			i.DecodeBlock(row, buf)
		}
	}
}

func TestDecodeBlock_AllocatesNothing(t *testing.T) {
	i := mustLookup(t, vk.FormatBc7SrgbBlock)
	src := blocks(1)[0]
	sum := uint32(0)
	var cache BlockCache
	if n := testing.AllocsPerRun(10, func() {
		cache.info = nil
		var dst [16]Texel
		i.DecodeBlock(dst[:], src)
		sum += dst[3][0] + i.Decode(src)[0] + cache.Texel(i, src, 1, 2, 0)[0]
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkBlockCache(b *testing.B) {
	i, _ := Lookup(vk.FormatBc7UnormBlock)
	src := blocks(2)
	var cache BlockCache
	for k := 0; b.Loop(); k++ {
		cache.Texel(i, src[k&1], k>>1&3, k>>3&3, 0)
	}
	b.ReportMetric(float64(b.N)/1e6/b.Elapsed().Seconds(), "Mtexels/s")
}

// IMG-047: word order G0,B,G1,R and B,G0,R,G1; even columns read G0, odd ones G1.
func TestDecode422_BothOrders(t *testing.T) {
	rules.Covers(t, "IMG-047", "IMG-763")
	// Codes 1/5, 2/5, 3/5 and 4/5 of ten and twelve bits that have no exact ones; bits below are padding.
	word := func(bits int, codes ...int) (src []byte) {
		for _, c := range codes {
			w := c<<(16-bits) | (1<<(16-bits) - 1)
			src = append(src, byte(w), byte(w>>8))
		}
		return src
	}
	for _, c := range []struct {
		f    vk.Format
		bits int
		src  []byte
	}{
		{vk.FormatG10X6B10X6G10X6R10X6_422Unorm4Pack16, 10, word(10, 205, 409, 614, 818)}, {vk.FormatB10X6G10X6R10X6G10X6_422Unorm4Pack16, 10, word(10, 409, 205, 818, 614)},
		{vk.FormatG12X4B12X4G12X4R12X4_422Unorm4Pack16, 12, word(12, 819, 1638, 2457, 3276)}, {vk.FormatB12X4G12X4R12X4G12X4_422Unorm4Pack16, 12, word(12, 1638, 819, 3276, 2457)},
	} {
		codes := map[int][4]float64{10: {205, 614, 409, 818}, 12: {819, 2457, 1638, 3276}}[c.bits]
		of := func(k int) uint32 { return math.Float32bits(float32(codes[k] / float64(int(1)<<c.bits-1))) }
		var got [2]Texel
		mustLookup(t, c.f).DecodeBlock(got[:], c.src)
		if want := [2]Texel{{of(3), of(0), of(2), oneFloat}, {of(3), of(1), of(2), oneFloat}}; got != want {
			t.Errorf("%v: %x, want %x", c.f, got, want)
		}
	}
	for _, c := range []struct {
		f   vk.Format
		src []byte
	}{
		{vk.FormatG8B8G8R8_422Unorm, []byte{51, 102, 153, 204}},
		{vk.FormatB8G8R8G8_422Unorm, []byte{102, 51, 204, 153}},
		{vk.FormatG16B16G16R16_422Unorm, []byte{51, 51, 102, 102, 153, 153, 204, 204}},
		{vk.FormatB16G16R16G16_422Unorm, []byte{102, 102, 51, 51, 204, 204, 153, 153}},
	} {
		i := mustLookup(t, c.f)
		var got [2]Texel
		i.DecodeBlock(got[:], c.src)
		for x, g := range [2]float32{0.2, 0.6} {
			want := Texel{math.Float32bits(0.8), math.Float32bits(g), math.Float32bits(0.4), oneFloat}
			if got[x] != want {
				t.Errorf("%v, column %d: %x, want %x", c.f, x, got[x], want)
			}
		}
	}
}

// VK_EXT_astc_decode_mode: a row of its own for each mode, which the cache keeps apart.
func TestDecodingTo_LessPrecision(t *testing.T) {
	rules.Covers(t, "IMG-878", "IMG-879", "IMG-881", "IMG-883")
	i := mustLookup(t, vk.FormatAstc4x4UnormBlock)
	block := []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x34, 0x12, 0x00, 0x80, 0xff, 0xff, 0x00, 0xff} // IMG-881's void
	var cache BlockCache
	for f, want := range map[vk.Format]Texel{
		vk.FormatR16G16B16A16Sfloat: {math.Float32bits(0x1.234p-4), math.Float32bits(0.5), oneFloat, math.Float32bits(0xff00 / 65536.)},
		vk.FormatR8G8B8A8Unorm:      {math.Float32bits(float32(0x12) / 255), math.Float32bits(float32(0x80) / 255), oneFloat, oneFloat},
	} {
		row, ok := i.DecodingTo(f)
		if !ok {
			t.Fatalf("no mode %v", f)
		}
		for range 2 {
			if got := cache.Texel(row, block, 1, 2, 0); got != want {
				t.Errorf("%v: %x, want %x", f, got, want)
			}
		}
	}
	// HDR is no colour of an LDR format, whatever it is decoded to.
	hdr := append([]byte(nil), block...)
	hdr[1] |= 2
	for _, f := range []vk.Format{vk.FormatR16G16B16A16Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatE5B9G9R9UfloatPack32} {
		row, _ := i.DecodingTo(f)
		if got, want := cache.Texel(row, hdr, 1, 2, 0), (Texel{oneFloat, 0, oneFloat, oneFloat}); got != want {
			t.Errorf("HDR to %v: %x, want %x", f, got, want)
		}
	}
	row, _ := i.DecodingTo(vk.FormatE5B9G9R9UfloatPack32)
	if got := cache.Texel(row, block, 0, 0, 0); got[3] != oneFloat || got == cache.Texel(i, block, 0, 0, 0) {
		t.Errorf("shared exponent: %x", got)
	}
	// Formats that are not ASTC's, and sRGB, have no modes.
	for _, f := range All() {
		row := mustLookup(t, f)
		for _, to := range []vk.Format{vk.FormatR16G16B16A16Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatE5B9G9R9UfloatPack32} {
			got, ok := row.DecodingTo(to)
			if modes := strings.HasPrefix(row.Name, "VK_FORMAT_ASTC") && row.Numeric != NumericSrgb && to != vk.FormatR16G16B16A16Sfloat; !ok || (got != row) != modes {
				t.Errorf("%v to %v: %v, a row of its own %v, want %v", f, to, ok, got != row, modes)
			}
		}
	}
	if _, ok := i.DecodingTo(vk.FormatR8Unorm); ok {
		t.Error("a mode R8_UNORM")
	}
}
