package sampling

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A layout is formats whose names begin alike: their fields from the lowest bit of the first byte
// on, a letter and a width each ("X6" is padding), and the numeric formats that there are of it.
type layout struct{ prefix, fields, numerics, suffix string }

const (
	eight   = "UNORM SNORM USCALED SSCALED UINT SINT SRGB"
	ten     = "UNORM SNORM USCALED SSCALED UINT SINT"
	sixteen = "UNORM SNORM USCALED SSCALED UINT SINT SFLOAT"
	thirty2 = "UINT SINT SFLOAT"
)

var (
	layouts8 = []layout{{"R8", "R8", eight, ""}, {"R8G8", "R8 G8", eight, ""}, {"R8G8B8", "R8 G8 B8", eight, ""}, {"B8G8R8", "B8 G8 R8", eight, ""}, {"R8G8B8A8", "R8 G8 B8 A8", eight, ""},
		{"B8G8R8A8", "B8 G8 R8 A8", eight, ""}, {"A8B8G8R8", "R8 G8 B8 A8", eight, "_PACK32"}}
	layouts10     = []layout{{"A2R10G10B10", "B10 G10 R10 A2", ten, "_PACK32"}, {"A2B10G10R10", "R10 G10 B10 A2", ten, "_PACK32"}}
	layouts16     = []layout{{"R16", "R16", sixteen, ""}, {"R16G16", "R16 G16", sixteen, ""}, {"R16G16B16", "R16 G16 B16", sixteen, ""}, {"R16G16B16A16", "R16 G16 B16 A16", sixteen, ""}}
	layouts32     = []layout{{"R32", "R32", thirty2, ""}, {"R32G32", "R32 G32", thirty2, ""}, {"R32G32B32", "R32 G32 B32", thirty2, ""}, {"R32G32B32A32", "R32 G32 B32 A32", thirty2, ""}}
	layoutsPacked = []layout{{"R4G4", "G4 R4", "UNORM", "_PACK8"}, {"A8", "A8", "UNORM", ""}, {"R4G4B4A4", "A4 B4 G4 R4", "UNORM", "_PACK16"}, {"B4G4R4A4", "A4 R4 G4 B4", "UNORM", "_PACK16"},
		{"A4R4G4B4", "B4 G4 R4 A4", "UNORM", "_PACK16"}, {"A4B4G4R4", "R4 G4 B4 A4", "UNORM", "_PACK16"}, {"R5G6B5", "B5 G6 R5", "UNORM", "_PACK16"}, {"B5G6R5", "R5 G6 B5", "UNORM", "_PACK16"},
		{"R5G5B5A1", "A1 B5 G5 R5", "UNORM", "_PACK16"}, {"B5G5R5A1", "A1 R5 G5 B5", "UNORM", "_PACK16"}, {"A1R5G5B5", "B5 G5 R5 A1", "UNORM", "_PACK16"}, {"A1B5G5R5", "R5 G5 B5 A1", "UNORM", "_PACK16"}}
	layoutsPadded = []layout{{"R10X6", "X6 R10", "UNORM", "_PACK16"}, {"R10X6G10X6", "X6 R10 X6 G10", "UNORM", "_2PACK16"}, {"R10X6G10X6B10X6A10X6", "X6 R10 X6 G10 X6 B10 X6 A10", "UNORM", "_4PACK16"},
		{"R12X4", "X4 R12", "UNORM", "_PACK16"}, {"R12X4G12X4", "X4 R12 X4 G12", "UNORM", "_2PACK16"}, {"R12X4G12X4B12X4A12X4", "X4 R12 X4 G12 X4 B12 X4 A12", "UNORM", "_4PACK16"}}
)

// fieldTexels are texels of a layout: codes in bytes, with padding of ones, what they stand for by IMG-240 … IMG-253,
// and the codes as a device writes them.
type fieldTexels struct {
	data, back []byte
	want       []format.Texel
	class      format.Class
}

const (
	rowTexels = 8
	untouched = 0xDEAD // what is in Out before
)

func (l *layout) texels(numeric string) (r fieldTexels) {
	total := 0
	for _, f := range strings.Fields(l.fields) {
		n, _ := strconv.Atoi(f[1:])
		total += n
	}
	one := uint32(oneFloat)
	switch numeric {
	case "UINT":
		one, r.class = 1, format.ClassUint
	case "SINT":
		one, r.class = 1, format.ClassSint
	}
	for k := range rowTexels {
		code, back, at := make([]byte, total/8), make([]byte, total/8), 0
		put := func(dst []byte, n int, v uint64) {
			for i := range n {
				dst[(at+i)/8] |= byte(v>>i&1) << ((at + i) % 8)
			}
		}
		t := format.Texel{3: one}
		for i, f := range strings.Fields(l.fields) {
			n, _ := strconv.Atoi(f[1:])
			if f[0] == 'X' {
				put(code, n, 1<<n-1)
			} else {
				kind := numeric
				if kind == "SRGB" && f[0] == 'A' {
					kind = "UNORM"
				}
				x := fieldCodes(kind, n)[(k+3*i)%rowTexels]
				put(code, n, x)
				t[strings.IndexByte("RGBA", f[0])] = fieldNumber(kind, n, x)
				if kind == "SNORM" && x == 1<<(n-1) {
					x++ // both stand for −1
				}
				put(back, n, x)
			}
			at += n
		}
		r.data, r.back, r.want = append(r.data, code...), append(r.back, back...), append(r.want, t)
	}
	return r
}

// fieldCodes are eight codes of a component: least, largest, and between.
func fieldCodes(numeric string, n int) [rowTexels]uint64 {
	most := uint64(1)<<n - 1
	switch {
	case numeric == "SFLOAT" && n == 32:
		return [...]uint64{0, 0x3F800000, 0xBF800001, 0x7F800000, 0x00800000, 0x40490FDB, 0xC2F6E979, 0x7F7FFFFF}
	case numeric == "SFLOAT":
		return [...]uint64{0, 1, 0x3C00, 0xC001, 0x7C00, 0x3555, 0x83FF, 0x7BFF}
	case numeric == "UFLOAT":
		m := n - 5
		return [...]uint64{0, 1, 15 << m, 16<<m | 1, 31 << m, 31<<m - 1, 14<<m | 3, 1 << m}
	}
	half := uint64(1) << (n - 1)
	return [...]uint64{0, 1 & most, most, half, half - 1, 0x5A5A5A5A & most, 0x33333333 & most, most - 1}
}

// fieldNumber is what a code stands for: IMG-241 … IMG-248.
func fieldNumber(numeric string, n int, code uint64) uint32 {
	signed := int64(code<<(64-n)) >> (64 - n)
	f := 0.0
	switch numeric {
	case "UNORM":
		f = float64(code) / float64(uint64(1)<<n-1)
	case "SNORM":
		f = max(float64(signed)/float64(uint64(1)<<(n-1)-1), -1)
	case "USCALED":
		f = float64(code)
	case "SSCALED":
		f = float64(signed)
	case "SRGB":
		f = srgbNumber(float64(code) / 255)
	case "SFLOAT":
		if n == 32 {
			return uint32(code)
		}
		if f = smallFloat(code&0x7FFF, 10); code>>15 != 0 {
			f = -f
		}
	case "UFLOAT":
		f = smallFloat(code, n-5)
	case "UINT":
		return uint32(code)
	default: // SINT
		return uint32(signed)
	}
	return math.Float32bits(float32(f))
}

// srgbNumber is the sRGB transfer function: IMG-248.
func srgbNumber(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// smallFloat is a float of five bits of exponent and m of mantissa.
func smallFloat(code uint64, m int) float64 {
	e, f := int(code>>m), float64(code&(1<<m-1))
	switch e {
	case 0:
		return math.Ldexp(f, -14-m)
	case 31:
		return math.Inf(1)
	}
	return math.Ldexp(f+float64(uint64(1)<<m), e-15-m)
}

// named finds a format by its name behind VK_FORMAT_.
func named(t testing.TB, name string) *format.Info {
	for _, f := range format.All() {
		if i := mustInfo(f); i.Name == "VK_FORMAT_"+name {
			return i
		}
	}
	t.Fatalf("no VK_FORMAT_%s", name)
	return nil
}

// many runs an instruction for n lanes; in gives the operands of a lane.
func many(op ir.ImageOp, v *resource.ImageView, s *resource.Sampler, n int, in func(lane int) lane1) []format.Texel {
	return masked(op, v, s, n, nil, in)
}

// masked is many where some lanes take part, all where on is nil; the others keep untouched. No operand has room
// behind the last lane.
func masked(op ir.ImageOp, v *resource.ImageView, s *resource.Sampler, n int, on func(lane int) bool, in func(lane int) lane1) []format.Texel {
	var a *Args
	join := func(to, from [][]uint32) {
		for i := range to {
			to[i] = slices.Clip(append(to[i], from[i]...))
		}
	}
	var mask []uint32
	for lane := range n {
		x := in(lane)
		x.op = op
		b := x.args()
		if on != nil {
			mask = append(mask, -uint32(btoi(on(lane))))
		}
		if a == nil {
			a = b
			continue
		}
		join(a.Coord[:], b.Coord[:])
		join(a.Texel[:], b.Texel[:])
		join(a.DX[:], b.DX[:])
		join(a.DY[:], b.DY[:])
		join(a.Offset[:], b.Offset[:])
		one := [][]uint32{a.Lod, a.Dref, a.SampleIndex}
		join(one, [][]uint32{b.Lod, b.Dref, b.SampleIndex})
		a.Lod, a.Dref, a.SampleIndex = one[0], one[1], one[2]
	}
	a.Mask = slices.Clip(mask)
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
		for lane := range n {
			a.Out[c][lane] = untouched
		}
	}
	both(a, v, s, n)
	out := make([]format.Texel, n)
	for lane := range out {
		out[lane] = format.Texel{a.Out[0][lane], a.Out[1][lane], a.Out[2][lane], a.Out[3][lane]}
	}
	return out
}

// holdFormats reads a row of texels of each format, by fetches, by samples and as rows, and writes it.
func holdFormats(t *testing.T, list ...layout) {
	t.Helper()
	for _, l := range list {
		for _, numeric := range strings.Fields(l.numerics) {
			holdRow(t, named(t, l.prefix+"_"+numeric+l.suffix), l.texels(numeric))
		}
	}
}

func holdRow(t *testing.T, info *format.Info, r fieldTexels) {
	t.Helper()
	f := info.Format
	if info.BlockBytes*rowTexels != len(r.data) || info.Class != r.class {
		t.Errorf("%v: texels of %d bytes, class %d; want %d bytes, class %d", f, info.BlockBytes, info.Class, len(r.data)/rowTexels, r.class)
		return
	}
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(rowTexels, 1, 1)})
	v := newView(t, im, resource.ViewDesc{})
	level := im.Level(0, 0, 0)
	copy(level.Data[level.Offset(0, 0, 0, 0):], r.data)
	fetched := many(ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, v, nil, rowTexels, func(k int) lane1 { return lane1{icoord: []int32{int32(k), 0}} })
	sampled := many(sampleOp(ir.Dim2D), v, newSampler(t, resource.Sampler{}), rowTexels, func(k int) lane1 { return lane1{coord: []float32{(float32(k) + .5) / rowTexels, .5}} })
	row, back := make([]format.Texel, rowTexels), make([]byte, len(r.data))
	info.DecodeRow(row, r.data)
	info.EncodeRow(back, r.want)
	for k, want := range r.want {
		if fetched[k] != want || sampled[k] != want || row[k] != want || info.Decode(r.data[k*info.BlockBytes:]) != want {
			t.Errorf("%v, % x: %x by a fetch, %x by a sample, %x in a row; want %x", f, r.data[k*info.BlockBytes:(k+1)*info.BlockBytes], fetched[k], sampled[k], row[k], want)
		}
	}
	if !bytes.Equal(back, r.back) {
		t.Errorf("%v: a row is % x, want % x", f, back, r.back)
	}
	clear(level.Data)
	many(ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: [...]ir.Class{ir.ClassFloat, ir.ClassSint, ir.ClassUint}[r.class]}, v, nil, rowTexels, func(k int) lane1 {
		return lane1{icoord: []int32{int32(k), 0}, texel: r.want[k][:]}
	})
	if got := level.Data[level.Offset(0, 0, 0, 0):][:len(r.back)]; !bytes.Equal(got, r.back) {
		t.Errorf("%v: written % x, want % x", f, got, r.back)
	}
}

func TestFormats_IMG750_8Bits(t *testing.T) {
	rules.Covers(t, "IMG-750", "IMG-767", "IMG-578")
	holdFormats(t, layouts8...)
}

func TestFormats_IMG751_10Bits(t *testing.T) {
	rules.Covers(t, "IMG-751", "IMG-766")
	holdFormats(t, layouts10...)
}

func TestFormats_IMG752_16Bits(t *testing.T) {
	rules.Covers(t, "IMG-752", "IMG-578")
	holdFormats(t, layouts16...)
}

func TestFormats_IMG753_32Bits(t *testing.T) {
	rules.Covers(t, "IMG-753", "IMG-578")
	holdFormats(t, layouts32...)
}

func TestFormats_IMG755_IMG756_Packed(t *testing.T) {
	rules.Covers(t, "IMG-755", "IMG-756")
	holdFormats(t, layoutsPacked...)
}

func TestFormats_IMG757_PackedFloats(t *testing.T) {
	rules.Covers(t, "IMG-757")
	holdFormats(t, layout{"B10G11R11", "R11 G11 B10", "UFLOAT", "_PACK32"})
	// Mantissas times 2^(E−24); one of each texel has its highest bit.
	var r fieldTexels
	for _, x := range [rowTexels][4]uint32{{16, 1, 256, 511}, {0, 256, 3, 0}, {31, 511, 256, 300}, {15, 256, 256, 256}, {24, 0, 0, 511}, {8, 300, 200, 100}, {1, 0, 256, 0}, {30, 511, 511, 511}} {
		r.data = binary.LittleEndian.AppendUint32(r.data, x[0]<<27|x[3]<<18|x[2]<<9|x[1])
		t := format.Texel{3: oneFloat}
		for c := range 3 {
			t[c] = math.Float32bits(float32(math.Ldexp(float64(x[1+c]), int(x[0])-24)))
		}
		r.want = append(r.want, t)
	}
	r.back = r.data
	holdRow(t, named(t, "E5B9G9R9_UFLOAT_PACK32"), r)
}

func TestFormats_IMG762_Padded(t *testing.T) {
	rules.Covers(t, "IMG-762")
	holdFormats(t, layoutsPadded...)
}

// IMG-758: each aspect by itself, in bytes of its own plane.
func TestFormats_IMG758_DepthStencil(t *testing.T) {
	rules.Covers(t, "IMG-758", "IMG-322")
	d16, d24, d32, s8 := []byte{0x34, 0x12}, []byte{0x56, 0x34, 0x12, 0xEE}, []byte{0, 0, 0, 0x3F}, []byte{200}
	depth := map[int]uint32{2: fieldNumber("UNORM", 16, 0x1234), 4: fieldNumber("UNORM", 24, 0x123456), 5: math.Float32bits(.5)}
	for name, c := range map[string]struct {
		bytes  int // nominal
		planes [2][]byte
		depth  uint32
	}{
		"D16_UNORM": {2, [2][]byte{d16}, depth[2]}, "X8_D24_UNORM_PACK32": {4, [2][]byte{d24}, depth[4]}, "D32_SFLOAT": {4, [2][]byte{d32}, depth[5]}, "S8_UINT": {1, [2][]byte{nil, s8}, 0},
		"D16_UNORM_S8_UINT": {3, [2][]byte{d16, s8}, depth[2]}, "D24_UNORM_S8_UINT": {4, [2][]byte{d24, s8}, depth[4]}, "D32_SFLOAT_S8_UINT": {5, [2][]byte{d32, s8}, depth[5]},
	} {
		info := named(t, name)
		if info.BlockBytes != c.bytes {
			t.Errorf("%s: %d bytes, want %d", name, info.BlockBytes, c.bytes)
		}
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(3, 1, 1)})
		plane := 0
		for i, data := range c.planes {
			if data == nil {
				continue
			}
			aspect, want := vk.ImageAspectDepthBit, format.Texel{c.depth, 0, 0, oneFloat}
			if i == 1 {
				aspect, want = vk.ImageAspectStencilBit, format.Texel{200, 0, 0, 1}
			}
			l := im.Level(plane, 0, 0)
			copy(l.Data[2*len(data):], data)
			plane++
			v := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: aspect}})
			if got := (lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{2, 0}}).run(v, nil); got != want {
				t.Errorf("%s, %v: %x, want %x", name, aspect, got, want)
			}
		}
	}
}
