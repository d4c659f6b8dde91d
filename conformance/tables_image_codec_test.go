package conformance

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The codecs by tables: texels and rows of every format, as names spell them.

// codecFormats are all formats whose texels are plain components of 32 bits or fewer, and those of depth and of stencil.
func codecFormats(t *testing.T) (list []*attachmentFormat, infos []*format.Info) {
	t.Helper()
	depth := map[vk.Format]*attachmentFormat{
		vk.FormatD16Unorm: {kind: "UNORM", bytes: 2, parts: [4]part{{0, 16}}}, vk.FormatX8D24UnormPack32: {kind: "UNORM", bytes: 4, parts: [4]part{{0, 24}}},
		vk.FormatD32Sfloat: {kind: "SFLOAT", bytes: 4, parts: [4]part{{0, 32}}}, vk.FormatS8Uint: {kind: "UINT", bytes: 1, parts: [4]part{{0, 8}}},
		// Of depth beside stencil, which is in a plane of its own.
		vk.FormatD16UnormS8Uint: {kind: "UNORM", bytes: 2, parts: [4]part{{0, 16}}}, vk.FormatD24UnormS8Uint: {kind: "UNORM", bytes: 4, parts: [4]part{{0, 24}}},
		vk.FormatD32SfloatS8Uint: {kind: "SFLOAT", bytes: 4, parts: [4]part{{0, 32}}},
	}
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		a := formatOf(f)
		if d := depth[f]; d != nil {
			a = d
			a.Format = f
		}
		if a == nil || info.Supported() != nil || max(a.parts[0].bits, a.parts[3].bits) > 32 {
			continue
		}
		list, infos = append(list, a), append(infos, info)
	}
	if len(list) != 49+12+28+12+11+1+1+7+6 { // IMG-750 … IMG-753, IMG-755 … IMG-758, IMG-762
		t.Errorf("%d formats", len(list))
	}
	return list, infos
}

// lanes is a texel as the device computes with it: floats or integers; what is missing is 0, and one in alpha.
func (a *attachmentFormat) lanes(texel []byte) (t format.Texel) {
	for c := range t {
		bits := a.parts[c].bits
		code := uint64(0)
		if bits > 0 {
			code = a.code(texel, c)
		}
		switch {
		case !a.integer() && bits > 0:
			t[c] = math.Float32bits(a.decoded(code, c))
		case a.kind == "SINT" && bits > 0:
			t[c] = uint32(int64(code<<(64-bits)) >> (64 - bits))
		case a.integer():
			if t[c] = uint32(code); bits == 0 {
				t[c] = uint32(c / 3)
			}
		default:
			t[c] = math.Float32bits(float32(c / 3))
		}
	}
	return t
}

// equalLanes compares texels; NaN is NaN but in formats of 32 bits, which keep it.
func (a *attachmentFormat) equalLanes(x, y format.Texel) bool {
	for c := range x {
		f, g := math.Float32frombits(x[c]), math.Float32frombits(y[c])
		if x[c] != y[c] && (a.integer() || f == f || g == g || a.parts[c].bits == 32) {
			return false
		}
	}
	return true
}

// Every bit of every format, all codes of components of 8 bits and fewer, special ones of others; texels and rows.
func TestTables_IMG750_EveryCodec(t *testing.T) {
	rules.Covers(t, "IMG-050", "IMG-240", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-251", "IMG-252", "IMG-253", "IMG-257",
		"IMG-320", "IMG-321", "IMG-374", "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380", "IMG-381", "IMG-382", "IMG-383",
		"IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-762", "IMG-766", "IMG-767")
	r := rand.New(rand.NewPCG(7, 50))
	list, infos := codecFormats(t)
	for n, a := range list {
		info := infos[n]
		texels := rules.Cases(300, 3000)
		if testing.Short() {
			texels = 90
		}
		src := make([]byte, texels*a.bytes)
		for k := range src {
			src[k] = byte(r.Uint32())
		}
		for k := range texels {
			texel := src[k*a.bytes:][:a.bytes]
			for c := range 4 {
				bits := a.parts[c].bits
				switch special := k % 9; {
				case bits == 0 || special > 3:
				case bits <= 8:
					a.put(texel, c, uint64(k/4*(c+1))&(1<<bits-1))
				default:
					a.put(texel, c, []uint64{0, 1<<bits - 1, 1 << (bits - 1), 1<<(bits-1) - 1}[special])
				}
			}
		}
		want := make([]format.Texel, texels)
		for k := range want {
			want[k] = a.lanes(src[k*a.bytes:][:a.bytes])
			if got := info.Decode(src[k*a.bytes:][:a.bytes]); !a.equalLanes(got, want[k]) {
				t.Fatalf("%v % x: %x, want %x", a.Format, src[k*a.bytes:][:a.bytes], got, want[k])
			}
		}
		for length := range 6 {
			row := make([]format.Texel, length+1)
			info.DecodeRow(row[:length], src)
			for k := range length {
				if !a.equalLanes(row[k], want[k]) {
					t.Fatalf("%v, texel %d of %d: %x, want %x", a.Format, k, length, row[k], want[k])
				}
			}
			if row[length] != (format.Texel{}) {
				t.Errorf("%v: a row of %d goes on", a.Format, length)
			}
		}

		// Floats at changes of codes, integers around every power of two.
		var values [][4]float32
		if a.integer() {
			for k := range 33 {
				var v [4]float32
				for c := range v {
					x := uint32(uint64(1)<<k) + uint32(k*5+c*3)%3 - 1
					if (k+c)%2 == 1 {
						x = -x
					}
					v[c] = math.Float32frombits(x)
				}
				values = append(values, v)
			}
		} else {
			values = a.colours()
			if step := len(values)/200 + 1; testing.Short() && step > 1 {
				for k := range values {
					if k < 40 || k%step == n%step {
						values[k/step] = values[k]
					}
				}
				values = values[:len(values)/step]
			}
		}
		guard := func(n int) []byte { return bytes.Repeat([]byte{0xA5}, n+3) }
		row, in, codes := guard(len(values)*a.bytes), []format.Texel(nil), []byte(nil)
		for _, v := range values {
			var x format.Texel
			for c := range x {
				if x[c] = math.Float32bits(v[c]); v[c] != v[c] {
					x[c] = 0x7FC00000
				}
				if a.integer() { // NaN is none here
					x[c] = math.Float32bits(v[c])
				}
			}
			wanted := a.texel(v)
			one := guard(a.bytes)
			if info.Encode(one[:a.bytes], x); !bytes.Equal(one[:a.bytes], wanted) || !bytes.Equal(one[a.bytes:], guard(0)) {
				t.Fatalf("%v, %v: % x, want % x", a.Format, v, one, wanted)
			}
			in, codes = append(in, x), append(codes, wanted...)
		}
		if info.EncodeRow(row[:len(codes)], in); !bytes.Equal(row[:len(codes)], codes) || !bytes.Equal(row[len(codes):], guard(0)) {
			t.Errorf("%v: a row differs from its texels", a.Format)
		}
		for length := range 6 {
			row := guard(length * a.bytes)
			if info.EncodeRow(row[:length*a.bytes], in); !bytes.Equal(row[:length*a.bytes], codes[:length*a.bytes]) || !bytes.Equal(row[length*a.bytes:], guard(0)) {
				t.Errorf("%v: a row of %d differs from its texels", a.Format, length)
			}
		}
	}
}

// The planes and aspects of formats of depth and stencil, and of several planes: each is read as the format that the registry names.
func TestTables_IMG322_EveryAspect(t *testing.T) {
	rules.Covers(t, "IMG-322", "IMG-758")
	const color, depth, stencil = vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit
	of := map[vk.Format]map[vk.ImageAspectFlags]vk.Format{
		vk.FormatD16Unorm: {depth: vk.FormatD16Unorm}, vk.FormatX8D24UnormPack32: {depth: vk.FormatX8D24UnormPack32}, vk.FormatD32Sfloat: {depth: vk.FormatD32Sfloat},
		vk.FormatS8Uint: {stencil: vk.FormatS8Uint}, vk.FormatD16UnormS8Uint: {depth: vk.FormatD16Unorm, stencil: vk.FormatS8Uint},
		vk.FormatD24UnormS8Uint: {depth: vk.FormatX8D24UnormPack32, stencil: vk.FormatS8Uint}, vk.FormatD32SfloatS8Uint: {depth: vk.FormatD32Sfloat, stencil: vk.FormatS8Uint},
		vk.FormatR8G8B8A8Unorm: {color: vk.FormatR8G8B8A8Unorm}, vk.FormatR32Sfloat: {color: vk.FormatR32Sfloat}, vk.FormatBc1RgbUnormBlock: {color: vk.FormatBc1RgbUnormBlock},
		vk.FormatG8B8R8_2Plane420Unorm: {color: vk.FormatG8B8R8_2Plane420Unorm, vk.ImageAspectPlane0Bit: vk.FormatR8Unorm, vk.ImageAspectPlane1Bit: vk.FormatR8G8Unorm},
		vk.FormatG16B16R16_3Plane444Unorm: {color: vk.FormatG16B16R16_3Plane444Unorm, vk.ImageAspectPlane0Bit: vk.FormatR16Unorm, vk.ImageAspectPlane1Bit: vk.FormatR16Unorm,
			vk.ImageAspectPlane2Bit: vk.FormatR16Unorm},
		vk.FormatG8B8G8R8_422Unorm: {color: vk.FormatG8B8G8R8_422Unorm},
	}
	for f, want := range of {
		info, _ := format.Lookup(f)
		for _, a := range []vk.ImageAspectFlags{color, depth, stencil, depth | stencil, vk.ImageAspectPlane0Bit, vk.ImageAspectPlane1Bit, vk.ImageAspectPlane2Bit} {
			wanted, some := want[a]
			if a == depth|stencil && len(want) == 2 && want[depth] != 0 { // all there is
				wanted, some = f, true
			}
			if got, ok := info.ForAspect(a); ok != some || ok && got.Format != wanted {
				t.Errorf("%v of %v: %v %v, want %v %v", a, f, got, ok, wanted, some)
			}
		}
	}
}

// Blocks of two texels: each component of each format, at its bits (IMG-047, IMG-763).
func TestTables_IMG763_EveryBit(t *testing.T) {
	rules.Covers(t, "IMG-047", "IMG-763")
	r := rand.New(rand.NewPCG(7, 63))
	for f, order := range map[vk.Format]string{
		vk.FormatG8B8G8R8_422Unorm: "GBGR", vk.FormatB8G8R8G8_422Unorm: "BGRG", vk.FormatG16B16G16R16_422Unorm: "GBGR", vk.FormatB16G16R16G16_422Unorm: "BGRG",
		vk.FormatG10X6B10X6G10X6R10X6_422Unorm4Pack16: "GBGR", vk.FormatB10X6G10X6R10X6G10X6_422Unorm4Pack16: "BGRG",
		vk.FormatG12X4B12X4G12X4R12X4_422Unorm4Pack16: "GBGR", vk.FormatB12X4G12X4R12X4G12X4_422Unorm4Pack16: "BGRG",
	} {
		info, _ := format.Lookup(f)
		bits := map[string]int{"8B": 8, "8G": 8, "10": 10, "12": 12, "16": 16}[f.String()[len("VK_FORMAT_G"):][:2]]
		for range 50 {
			src := make([]byte, 8)
			for k := range src {
				src[k] = byte(r.Uint32())
			}
			want := [2]format.Texel{}
			greens := 0
			for k, name := range order {
				code := uint32(src[k])
				if bits > 8 {
					code = uint32(binary.LittleEndian.Uint16(src[2*k:])) >> (16 - bits)
				}
				v := math.Float32bits(float32(float64(code) / float64(uint32(1)<<bits-1)))
				switch name {
				case 'G':
					want[greens][1] = v
					greens++
				case 'R':
					want[0][0], want[1][0] = v, v
				case 'B':
					want[0][2], want[1][2] = v, v
				}
			}
			want[0][3], want[1][3] = math.Float32bits(1), math.Float32bits(1)
			var got [2]format.Texel
			if info.DecodeBlock(got[:], src); got != want {
				t.Fatalf("%v % x: %x, want %x", f, src, got, want)
			}
		}
	}
}

// Scaled formats are blended, filtered and stored as floats (IMG-260, RAS-339), all of them alike.
func TestTables_RAS339_ScaledFormats(t *testing.T) {
	rules.Covers(t, "IMG-260", "RAS-339")
	const want = vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2ColorAttachmentBlendBit | vk.FormatFeature2BlitDstBit | vk.FormatFeature2StorageImageBit |
		vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterMinmaxBit | vk.FormatFeature2SampledImageFilterCubicBit
	n := 0
	for _, f := range format.All() {
		a := formatOf(f)
		if a == nil || a.kind != "USCALED" && a.kind != "SSCALED" {
			continue
		}
		n++
		info, _ := format.Lookup(f)
		if got := info.ImageFeatures(vk.ImageTilingOptimal); got&want != want {
			t.Errorf("%v lacks %v", f, want&^got)
		}
	}
	if n != 2*(7+2+4) {
		t.Errorf("%d formats", n)
	}
}
