package format

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// exact is the number that the low bits of raw stand for, by the catalogue's formulas in float64 (sRGB, floats and integers follow
// package fp, which has its own tests).
func exact(c Component, raw uint64) float64 {
	u := raw & (1<<c.Bits - 1)
	s := int64(u)
	if u>>(c.Bits-1) == 1 {
		s -= 1 << c.Bits
	}
	switch c.Numeric {
	case NumericUnorm:
		return float64(u) / float64(uint64(1)<<c.Bits-1)
	case NumericSnorm:
		return max(float64(s)/float64(uint64(1)<<(c.Bits-1)-1), -1)
	case NumericUscaled, NumericUint:
		return float64(u)
	case NumericSscaled, NumericSint:
		return float64(s)
	case NumericSrgb:
		return float64(fp.SrgbToLinear(uint8(u)))
	case NumericSfloat:
		return float64(fp.HalfToFloat(uint16(u)))
	}
	return math.NaN()
}

func value(class Class, lane uint32) float64 {
	switch class {
	case ClassSint:
		return float64(int32(lane))
	case ClassUint:
		return float64(lane)
	}
	return float64(math.Float32frombits(lane))
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// Every code of every format of 16 bits or fewer: each component has its number, missing ones are 0 and 1, and the texel comes back
// from Encode in its canonical form, which decodes to the same again.
func TestDecode_EveryCode_Formats8And16Bits(t *testing.T) {
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-257")
	count := 0
	for _, f := range All() {
		i := mustLookup(t, f)
		if i.Supported() != nil || i.Compressed || i.BlockBytes > 2 {
			continue
		}
		count++
		n := i.BlockBytes
		for code := range uint64(1) << (8 * n) {
			src := []byte{byte(code), byte(code >> 8)}[:n]
			got := i.Decode(src)
			changed := false
			own := uint64(0)
			for k, c := range i.Components {
				want := 0.0
				if k == 3 {
					want = 1
				}
				if c.Kind != KindNone {
					want = float64(float32(exact(c, code>>c.Shift)))
					own |= (1<<c.Bits - 1) << c.Shift
					raw := code >> c.Shift & (1<<c.Bits - 1)
					changed = changed || c.Numeric == NumericSnorm && raw == 1<<(c.Bits-1) || want != want
				}
				if !same(value(i.Class, got[k]), want) {
					t.Fatalf("%v %#x: component %d is %g, want %g", f, code, k, value(i.Class, got[k]), want)
				}
			}
			var back [2]byte
			i.Encode(back[:n], got)
			if !changed && load(back[:n]) != code&own {
				t.Fatalf("%v %#x: comes back as %#x", f, code, load(back[:n]))
			}
			if again := i.Decode(back[:n]); again != got {
				t.Fatalf("%v %#x: %v comes back as %v", f, code, got, again)
			}
		}
	}
	if count != 37 {
		t.Errorf("%d formats were tried, the table has 37 of this size", count)
	}
}

// randomTexels fills lanes with numbers that matter: in range, beyond it, special.
func randomTexels(r *rand.Rand, class Class, n int) []Texel {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, -2, 1e9, -1e9, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-8, 65504}
	out := make([]Texel, n)
	for k := range out {
		for c := range out[k] {
			switch {
			case class != ClassFloat && r.IntN(2) == 0:
				out[k][c] = uint32(int32(r.IntN(600) - 300))
			case class != ClassFloat:
				out[k][c] = r.Uint32()
			case r.IntN(3) == 0:
				out[k][c] = math.Float32bits(special[r.IntN(len(special))])
			default:
				out[k][c] = math.Float32bits(r.Float32()*2.5 - 1.25)
			}
		}
	}
	return out
}

// Rows, single texels and the rule by fields, where it applies, give the same bits for every supported format; lengths that do not
// fit end the row.
func TestRows_SameBitsAsSingleTexels(t *testing.T) {
	rules.Covers(t, "IMG-240", "IMG-257", "IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-762")
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range All() {
		i := mustLookup(t, f)
		if i.Supported() != nil || i.Compressed || i.MultiPlanar() || i.BlockWidth > 1 {
			continue
		}
		const texels = 37
		n := i.texelBytes()
		src := make([]byte, texels*n+n-1)
		for k := range src {
			src[k] = byte(r.Uint32())
		}
		got := make([]Texel, texels+3)
		i.DecodeRow(got, src)
		fields := i.codec.decode
		if i.BlockBytes <= 8 && i.Components[0].Bits < 64 && !i.SharedExponent() {
			fields = decodeFields
		}
		for k := range texels {
			one := i.Decode(src[k*n : (k+1)*n])
			if got[k] != one || one != fields(i, src[k*n:(k+1)*n]) {
				t.Fatalf("%v, texel %d: row %x, single %x, fields %x", f, k, got[k], one, fields(i, src[k*n:(k+1)*n]))
			}
		}
		if got[texels] != (Texel{}) {
			t.Errorf("%v: the row went past its source", f)
		}

		in := randomTexels(r, i.Class, texels)
		row := bytes.Repeat([]byte{0xa5}, texels*n+n-1)
		i.EncodeRow(row, append(in, in[0], in[1]))
		encode := i.codec.encode
		if i.BlockBytes <= 8 && i.Components[0].Bits < 64 && !i.SharedExponent() {
			encode = encodeFields
		}
		for k := range texels {
			one, byFields := bytes.Repeat([]byte{0xa5}, n+1), make([]byte, n)
			i.Encode(one[:n], in[k])
			encode(i, byFields, in[k])
			if !bytes.Equal(row[k*n:(k+1)*n], one[:n]) || !bytes.Equal(one[:n], byFields) || one[n] != 0xa5 {
				t.Fatalf("%v, texel %x: row %x, single %x, fields %x", f, in[k], row[k*n:(k+1)*n], one, byFields)
			}
		}
		for _, b := range row[texels*n:] {
			if b != 0xa5 {
				t.Errorf("%v: the row went past its destination", f)
			}
		}
	}
}

// Encoding what was decoded, and decoding it again, changes nothing more.
func TestRoundTrip_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380", "IMG-381", "IMG-382")
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range All() {
		i := mustLookup(t, f)
		if i.Supported() != nil || i.Compressed || i.MultiPlanar() || i.BlockWidth > 1 || i.Components[0].Bits == 64 {
			continue
		}
		n := i.texelBytes()
		src, back := make([]byte, n), make([]byte, n)
		for range 500 {
			for k := range src {
				src[k] = byte(r.Uint32())
			}
			first := i.Decode(src)
			i.Encode(back, first)
			if second := i.Decode(back); second != first {
				t.Fatalf("%v %x: %x, then %x", f, src, first, second)
			}
		}
	}
}

func floats(r, g, b, a float32) Texel {
	return Texel{math.Float32bits(r), math.Float32bits(g), math.Float32bits(b), math.Float32bits(a)}
}

// Values by hand, for what the exhaustive tests do not reach.
func TestDecode_KnownTexels(t *testing.T) {
	rules.Covers(t, "IMG-050", "IMG-064", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-250", "IMG-251",
		"IMG-252", "IMG-253", "IMG-257", "IMG-320", "IMG-321", "IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-756", "IMG-757", "IMG-758", "IMG-762",
		"IMG-766", "IMG-767")
	for _, c := range []struct {
		f    vk.Format
		src  []byte
		want Texel
	}{
		{vk.FormatR8G8B8A8Unorm, []byte{0, 128, 255, 64}, floats(0, 128/255., 1, 64/255.)},
		{vk.FormatB8G8R8A8Unorm, []byte{0, 128, 255, 64}, floats(1, 128/255., 0, 64/255.)},
		{vk.FormatR8G8B8Unorm, []byte{255, 0, 51}, floats(1, 0, .2, 1)},
		{vk.FormatR8G8B8A8Srgb, []byte{188, 255, 0, 51}, floats(.50288646, 1, 0, .2)},
		{vk.FormatA8Unorm, []byte{51}, floats(0, 0, 0, .2)},
		{vk.FormatR10X6UnormPack16, []byte{0xc0, 0xff}, floats(1, 0, 0, 1)}, // IMG-251
		{vk.FormatA2B10G10R10UnormPack32, []byte{0xff, 0x03, 0, 0xc0}, floats(1, 0, 0, 1)},
		{vk.FormatA2R10G10B10UnormPack32, []byte{0xff, 0x03, 0, 0x40}, floats(0, 0, 1, 1/3.)},
		{vk.FormatA2B10G10R10SnormPack32, []byte{0x01, 0x02, 0, 0xc0}, floats(-1, 0, 0, -1)}, // IMG-766
		{vk.FormatA2B10G10R10SintPack32, []byte{0x01, 0x02, 0, 0x80}, Texel{0xfffffe01, 0, 0, 0xfffffffe}},
		{vk.FormatB10G11R11UfloatPack32, []byte{0xc0, 0x03, 0x1e, 0x78}, floats(1, 1, 1, 1)}, // IMG-246
		{vk.FormatE5B9G9R9UfloatPack32, []byte{0x66, 0x9a, 0xcd, 0x74}, floats(.099609375, .2001953125, .2998046875, 1)},
		{vk.FormatR16G16B16A16Sfloat, []byte{0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c}, floats(1, -2, 0x1p-24, float32(math.Inf(1)))},
		{vk.FormatR32G32Sfloat, []byte{0, 0, 0x80, 0x3f, 0x01, 0, 0xa0, 0x7f}, Texel{oneFloat, 0x7fa00001, 0, oneFloat}}, // IMG-247
		{vk.FormatR32G32B32Uint, []byte{1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, Texel{1, 2, 0xffffffff, 1}},
		{vk.FormatR8Sint, []byte{0x80}, Texel{0xffffff80, 0, 0, 1}},
		{vk.FormatR16G16Sscaled, []byte{0xff, 0xff, 0x00, 0x80}, floats(-1, -32768, 0, 1)},
		{vk.FormatR16G16B16Unorm, []byte{0xff, 0xff, 0, 0, 0, 0x80}, floats(1, 0, 32768/65535., 1)},
		{vk.FormatR64Sint, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, Texel{0xfffffffe, 0, 0, 1}},
		{vk.FormatR64Uint, []byte{0, 0, 0, 0, 1, 0, 0, 0}, Texel{0xffffffff, 0, 0, 1}},
		{vk.FormatD16Unorm, []byte{0xff, 0xff}, floats(1, 0, 0, 1)},
		{vk.FormatX8D24UnormPack32, []byte{0, 0, 0x80, 0xee}, floats(8388608/16777215., 0, 0, 1)}, // IMG-253, X bits ignored
		{vk.FormatD24UnormS8Uint, []byte{0xff, 0xff, 0xff, 0xee}, floats(1, 0, 0, 1)},
		{vk.FormatD32SfloatS8Uint, []byte{0, 0, 0, 0x3f}, floats(.5, 0, 0, 1)},
		{vk.FormatS8Uint, []byte{200}, Texel{200, 0, 0, 1}},
	} {
		i := mustLookup(t, c.f)
		if got := i.Decode(c.src); got != c.want {
			t.Errorf("%v: got %x, want %x", c.f, got, c.want)
		}
	}
}

func TestEncode_KnownTexels(t *testing.T) {
	rules.Covers(t, "IMG-050", "IMG-374", "IMG-375", "IMG-376", "IMG-377", "IMG-380", "IMG-381", "IMG-382", "IMG-383")
	for _, c := range []struct {
		f    vk.Format
		in   Texel
		want []byte
	}{
		{vk.FormatR8G8B8A8Unorm, floats(-1, .5, 2, float32(math.NaN())), []byte{0, 128, 255, 0}},
		{vk.FormatB8G8R8A8Srgb, floats(.5, 0, 1, .5), []byte{255, 0, 188, 128}},
		{vk.FormatR5G6B5UnormPack16, floats(1, 0, .5, 0), []byte{0x10, 0xf8}},
		{vk.FormatR10X6G10X6Unorm2Pack16, floats(1, 0, 0, 0), []byte{0xc0, 0xff, 0, 0}},
		{vk.FormatR8Uint, Texel{300}, []byte{255}}, // IMG-381
		{vk.FormatR8Sint, Texel{0xfffffed4}, []byte{0x80}},
		{vk.FormatA2B10G10R10UintPack32, Texel{2000, 5, 0, 9}, []byte{0xff, 0x17, 0, 0xc0}},
		{vk.FormatA8Unorm, floats(1, 1, 1, .2), []byte{51}},
		{vk.FormatX8D24UnormPack32, floats(.5, 0, 0, 0), []byte{0, 0, 0x80, 0}},
		{vk.FormatD24UnormS8Uint, floats(1, 0, 0, 0), []byte{0xff, 0xff, 0xff, 0}},
		{vk.FormatS8Uint, Texel{256}, []byte{255}},
		{vk.FormatR64Sfloat, floats(1, 0, 0, 0), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{vk.FormatR8Uscaled, floats(2.5, 0, 0, 0), []byte{2}},
		{vk.FormatR16Sscaled, floats(-40000, 0, 0, 0), []byte{0, 0x80}},
		{vk.FormatR8Snorm, floats(-1, 0, 0, 0), []byte{0x81}},
	} {
		i := mustLookup(t, c.f)
		got := make([]byte, len(c.want))
		i.Encode(got, c.in)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%v: got %x, want %x", c.f, got, c.want)
		}
	}
}

// IMG-754: components of 8 bytes, in the order of the name; what is missing is 0, and 1 in alpha.
func TestWide_IMG754_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-754", "IMG-259")
	for n, name := range []string{"R64", "R64G64", "R64G64B64", "R64G64B64A64"} {
		for numeric, c := range map[string]struct {
			one    uint64
			values [4]uint64
			lanes  [5]uint32 // what those and a missing alpha are in lanes: rounded, or the nearest
		}{
			"UINT":   {1, [4]uint64{7, 1<<63 + 5, 1<<32 - 1, 1 << 32}, [5]uint32{7, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1}},
			"SINT":   {1, [4]uint64{^uint64(6), 1 << 62, 1 << 63, 1<<31 - 1}, [5]uint32{^uint32(6), 1<<31 - 1, 1 << 31, 1<<31 - 1, 1}},
			"SFLOAT": {0x3ff0000000000000, [4]uint64{0xc000000000000000, 0x3ff8000000000000, 0x7ff0000000000000, 0x3fd0000000000000}, [5]uint32{0xc0000000, 0x3fc00000, 0x7f800000, 0x3e800000, oneFloat}},
		} {
			var i *Info
			for _, f := range All() {
				if x := mustLookup(t, f); x.Name == "VK_FORMAT_"+name+"_"+numeric {
					i = x
				}
			}
			if i == nil || i.BlockBytes != 8*(n+1) {
				t.Fatalf("%s_%s: %+v", name, numeric, i)
			}
			var texel []byte
			want, lanes := Wide{3: c.one}, Texel{3: c.lanes[4]}
			for k := range n + 1 {
				want[k], lanes[k] = c.values[k], c.lanes[k]
				for b := range 8 {
					texel = append(texel, byte(c.values[k]>>(8*b)))
				}
			}
			if got, ok := i.Decode64(texel); !ok || got != want {
				t.Errorf("%v: %x, want %x", i.Format, got, want)
			}
			if got := i.Decode(texel); got != lanes {
				t.Errorf("%v in lanes: %x, want %x", i.Format, got, lanes)
			}
			back := make([]byte, len(texel)+1)
			if !i.Encode64(back, want) || !bytes.Equal(back[:len(texel)], texel) || back[len(texel)] != 0 {
				t.Errorf("%v: encoded % x, want % x", i.Format, back, texel)
			}
		}
	}
}

// Zeros of both signs and NaN keep what they are in lanes, in each component.
func TestWide_IMG754_SpecialFloats(t *testing.T) {
	rules.Covers(t, "IMG-754")
	i := mustLookup(t, vk.FormatR64G64B64A64Sfloat)
	special := []struct {
		bits uint64
		lane uint32
	}{{0, 0}, {1 << 63, 1 << 31}, {0x7FF8000000000000, 0x7FC00000}, {0xFFF0000000000000, 0xFF800000}}
	for first := range special {
		var texel []byte
		var want Texel
		for k := range want {
			s := special[(first+k)%4]
			texel, want[k] = binary.LittleEndian.AppendUint64(texel, s.bits), s.lane
		}
		if got := i.Decode(texel); got != want {
			t.Errorf("% x: %x, want %x", texel, got, want)
		}
	}
}

func TestWide_FloatsAndIntegers_AreExact(t *testing.T) {
	rules.Covers(t, "IMG-259")
	i := mustLookup(t, vk.FormatR64G64Uint)
	want := Wide{1<<63 + 5, math.MaxUint64, 0, 1}
	buf := make([]byte, 16)
	if !i.Encode64(buf, want) {
		t.Fatal("Encode64 refused a 64-bit format")
	}
	if got, ok := i.Decode64(buf); !ok || got != want {
		t.Errorf("got %x, want %x", got, want)
	}
	if _, ok := mustLookup(t, vk.FormatR32Uint).Decode64(buf); ok {
		t.Error("Decode64 took a 32-bit format")
	}
}

func BenchmarkDecodeRow(b *testing.B) {
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR8Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR5G6B5UnormPack16} {
		b.Run(f.String(), func(b *testing.B) {
			i, _ := Lookup(f)
			dst, src := make([]Texel, 256), make([]byte, 256*i.BlockBytes)
			for b.Loop() {
				i.DecodeRow(dst, src)
			}
			b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtexels/s")
		})
	}
}

func BenchmarkEncodeRow(b *testing.B) {
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR8Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR5G6B5UnormPack16} {
		b.Run(f.String(), func(b *testing.B) {
			i, _ := Lookup(f)
			dst, src := make([]byte, 256*i.BlockBytes), make([]Texel, 256)
			for k := range src {
				src[k] = floats(float32(k)/255, .25, .5, .75)
			}
			for b.Loop() {
				i.EncodeRow(dst, src)
			}
			b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtexels/s")
		})
	}
}
