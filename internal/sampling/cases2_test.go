package sampling

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// imageOf makes a 2D image of one row of encoded texels.
func imageOf(t testing.TB, f vk.Format, w, h uint32, texels ...format.Texel) *resource.Image {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(w, h, 1)})
	l := im.Level(0, 0, 0)
	for i, x := range texels {
		im.Info.Encode(l.Data[l.Offset(i%int(w), i/int(w), 0, 0):], x)
	}
	return im
}

func rgba(f ...float32) (t format.Texel) {
	for i := range f {
		t[i] = math.Float32bits(f[i])
	}
	return t
}

func drefOp() ir.ImageOp {
	op := sampleOp(ir.Dim2D)
	op.Dref = true
	return op
}

func TestCases51to54_Compare(t *testing.T) {
	rules.Covers(t, "TC-51", "TC-52", "TC-53", "TC-54", "IMG-297", "IMG-310", "IMG-312", "IMG-314", "IMG-316")
	for _, c := range []struct {
		f    vk.Format
		ref  float32
		op   vk.CompareOp
		want float32
	}{
		{vk.FormatD16Unorm, 1.5, vk.CompareOpEqual, 1},
		{vk.FormatD32Sfloat, 1.5, vk.CompareOpEqual, 0},
		{vk.FormatD32Sfloat, nan, vk.CompareOpLess, 0},
		{vk.FormatD32Sfloat, nan, vk.CompareOpGreaterOrEqual, 0},
		{vk.FormatD16Unorm, nan, vk.CompareOpNotEqual, 1},
		{vk.FormatD16Unorm, nan, vk.CompareOpAlways, 1},
		{vk.FormatD32Sfloat, 0, vk.CompareOpNever, 0},
		{vk.FormatD32Sfloat, 2, vk.CompareOpGreater, 1},
		{vk.FormatD32Sfloat, 1, vk.CompareOpLessOrEqual, 1},
	} {
		v := newView(t, imageOf(t, c.f, 1, 1, rgba(1)), resource.ViewDesc{})
		s := newSampler(t, resource.Sampler{CompareEnable: true, CompareOp: c.op})
		if got := (lane1{op: drefOp(), coord: []float32{0.5, 0.5}, dref: c.ref}).red(v, s); got != c.want {
			t.Errorf("%v %v ref %v: got %v, want %v", c.f, c.op, c.ref, got, c.want)
		}
	}
	// TC 53: fractions (.25, .5) lie at u = 0.75, v = 1.
	pcf := newView(t, imageOf(t, vk.FormatD32Sfloat, 2, 2, rgba(.25), rgba(.75), rgba(.5), rgba(.75)), resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, CompareEnable: true, CompareOp: vk.CompareOpLessOrEqual,
		AddressModeU: border, AddressModeV: border, BorderColor: vk.BorderColorFloatOpaqueWhite})
	if got := (lane1{op: drefOp(), coord: []float32{0.375, 0.5}, dref: 0.5}).red(pcf, s); got != 0.25*1+0.75*0.5 {
		t.Errorf("TC 53: got %v, want 0.625", got)
	}
	if got := (lane1{op: drefOp(), coord: []float32{5, 5}, dref: 0.9}).red(pcf, s); got != 1 {
		t.Errorf("TC 54: got %v", got)
	}
}

func TestCases55and56_ReductionAndSkippedTaps(t *testing.T) {
	rules.Covers(t, "TC-55", "TC-56", "IMG-533", "IMG-550", "IMG-552")
	for mode, want := range map[vk.SamplerReductionMode][2]float32{vk.SamplerReductionModeMin: {10, 10}, vk.SamplerReductionModeMax: {10, 20}} {
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, Reduction: mode})
		for i, x := range [2]float32{0.125, 0.25} {
			if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{x}}).red(imageA4(t), s); got != want[i] {
				t.Errorf("TC 55 %v s=%v: got %v, want %v", mode, x, got, want[i])
			}
		}
	}
	v := newView(t, imageOf(t, vk.FormatR32Sfloat, 2, 1, rgba(3), rgba(nan)), resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.25, 0.5}}).red(v, s); got != 3 {
		t.Errorf("TC 56: got %v", got)
	}
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.5, 0.5}}).run(v, s)[0]; got != canonicalNaN {
		t.Errorf("NaN tap: got %#x", got)
	}
}

func TestCases58to60_FetchOutside(t *testing.T) {
	rules.Covers(t, "TC-58", "TC-59", "TC-60", "IMG-200", "IMG-201", "IMG-202", "IMG-203", "IMG-300", "IMG-304", "IMG-575", "IMG-576", "IMG-579", "IMG-611")
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}
	for f, want := range map[vk.Format]format.Texel{
		vk.FormatR8Unorm: {3: oneFloat}, vk.FormatR8G8B8A8Unorm: {}, vk.FormatR32Uint: {3: 1},
	} {
		v := newView(t, imageOf(t, f, 4, 2, rgba(1, 1, 1, 1)), resource.ViewDesc{})
		for name, x := range map[string]lane1{
			"TC 58 i=-1":  {icoord: []int32{-1, 0}},
			"TC 58 i=W":   {icoord: []int32{4, 0}},
			"TC 59 level": {icoord: []int32{0, 0}, hasLod: true, ilod: 1},
			"level -1":    {icoord: []int32{0, 0}, hasLod: true, ilod: -1},
			"offset":      {icoord: []int32{0, 0}, offset: []int32{-1, 0}},
			"overflow":    {icoord: []int32{math.MaxInt32, 0}, offset: []int32{1, 0}},
			"minimum":     {icoord: []int32{0, math.MinInt32}, offset: []int32{0, -8}},
		} {
			x.op = op
			if got := x.run(v, nil); got != want {
				t.Errorf("%s of %v: got %v, want %v", name, f, got, want)
			}
		}
		inside := lane1{op: op, icoord: []int32{-2, 0}, offset: []int32{2, 0}}
		if got := inside.run(v, nil); got == want {
			t.Errorf("%v: the texel inside is missing", f)
		}
	}
	for _, k := range []ir.ImageKind{ir.ImageSample, ir.ImageGather, ir.ImageFetch, ir.ImageRead, ir.ImageAtomic, ir.ImageQuerySize, ir.ImageQueryLod, ir.ImageQueryLevels, ir.ImageQuerySamples} {
		x := lane1{op: ir.ImageOp{Kind: k, Dim: ir.Dim2D}, coord: []float32{0, 0}}
		if got := x.run(nil, &resource.Sampler{}); got != (format.Texel{}) {
			t.Errorf("TC 60 kind %d of the null descriptor: %v", k, got)
		}
	}
	lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D}, icoord: []int32{0, 0}, texel: []uint32{1}}.run(nil, nil)
}

func TestCases67to70_BorderAndSwizzle(t *testing.T) {
	rules.Covers(t, "TC-67", "TC-68", "TC-69", "TC-70", "IMG-073", "IMG-290", "IMG-291", "IMG-293", "IMG-294", "IMG-325", "IMG-327")
	sample := func(v *resource.ImageView, s resource.Sampler, x float32) format.Texel {
		s.AddressModeU, s.AddressModeV = border, border
		return lane1{op: sampleOp(ir.Dim2D), coord: []float32{x, 0.5}}.run(v, newSampler(t, s))
	}
	srgb := newView(t, imageOf(t, vk.FormatR8G8B8A8Srgb, 1, 1), resource.ViewDesc{})
	for _, filter := range []vk.Filter{nearest, linear} {
		if got := sample(srgb, resource.Sampler{MagFilter: filter, BorderColor: vk.BorderColorFloatOpaqueWhite}, 7); got != rgba(1, 1, 1, 1) {
			t.Errorf("TC 67: %v", floats(got))
		}
		custom := resource.Sampler{MagFilter: filter, BorderColor: vk.BorderColorFloatCustomEXT, CustomBorderColor: rgba(.5, .25, .3, .7)}
		if got := sample(srgb, custom, 7); got != custom.CustomBorderColor {
			t.Errorf("TC 67 custom %v: %v", filter, floats(got))
		}
		unorm := newView(t, imageOf(t, vk.FormatR8G8B8A8Unorm, 1, 1, rgba(1, 1, 1, 1)), resource.ViewDesc{})
		if got := sample(unorm, custom, 7); got != custom.CustomBorderColor {
			t.Errorf("custom border of UNORM %v: %v", filter, floats(got))
		}
	}
	rg := newView(t, imageOf(t, vk.FormatR8G8Unorm, 1, 1), resource.ViewDesc{})
	if got := sample(rg, resource.Sampler{}, 7); got != rgba(0, 0, 0, 1) {
		t.Errorf("TC 68: %v", floats(got))
	}
	a8 := newView(t, imageOf(t, vk.FormatA8Unorm, 1, 1, rgba(0, 0, 0, .2)), resource.ViewDesc{})
	if got := sample(a8, resource.Sampler{BorderColor: vk.BorderColorFloatOpaqueBlack}, 7); got != rgba(0, 0, 0, 1) {
		t.Errorf("TC 69 border: %v", floats(got))
	}
	if got := sample(a8, resource.Sampler{}, 0.5); got != rgba(0, 0, 0, float32(51)/255) {
		t.Errorf("TC 69 texel: %v", floats(got))
	}
	d := newView(t, imageOf(t, vk.FormatD32Sfloat, 1, 1, rgba(.25)), resource.ViewDesc{
		Components: vk.ComponentMapping{R: vk.ComponentSwizzleOne, G: vk.ComponentSwizzleG, A: vk.ComponentSwizzleZero}})
	if got := sample(d, resource.Sampler{}, 0.5); got != rgba(1, 0, 0, 0) {
		t.Errorf("TC 70: %v", floats(got))
	}
}

func TestCase73_Unnormalized(t *testing.T) {
	rules.Covers(t, "TC-73", "IMG-477")
	for mode, want := range map[vk.SamplerAddressMode]float32{edge: 10, border: 0} {
		s := newSampler(t, resource.Sampler{UnnormalizedCoordinates: true, AddressModeU: mode, AddressModeV: edge})
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{-0.1}}).red(imageA4(t), s); got != want {
			t.Errorf("%v: got %v, want %v", mode, got, want)
		}
	}
}

// IMG-453: the base level, also of views that have more.
func TestLevels_IMG453_Unnormalized(t *testing.T) {
	rules.Covers(t, "IMG-453")
	for _, filter := range []vk.Filter{nearest, linear} {
		s := newSampler(t, resource.Sampler{UnnormalizedCoordinates: true, AddressModeU: edge, AddressModeV: edge, MagFilter: filter, MinFilter: filter})
		for _, lod := range []ir.LodMode{ir.LodZero, ir.LodExplicit} {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: lod}, coord: []float32{2.5, 1.5}, lod: 2, hasLod: lod == ir.LodExplicit}
			if got := x.red(newView(t, imageL3(t), resource.ViewDesc{}), s); got != 1 {
				t.Errorf("filter %v, mode %d: level %v", filter, lod, got-1)
			}
		}
	}
}

func TestCases78and79_Queries(t *testing.T) {
	rules.Covers(t, "TC-78", "TC-79", "IMG-605", "IMG-606", "IMG-609", "IMG-610")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(13, 5, 1), MipLevels: 4})
	v := newView(t, im, resource.ViewDesc{})
	for level, want := range [5][2]uint32{{13, 5}, {6, 2}, {3, 1}, {1, 1}, {0, 0}} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D}, hasLod: true, ilod: int32(level)}
		if got := x.run(v, nil); got[0] != want[0] || got[1] != want[1] {
			t.Errorf("TC 79 level %d: %v, want %v", level, got, want)
		}
	}
	query := func(mip vk.SamplerMipmapMode, dx float32) [2]float32 {
		a := &Args{Op: &ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}, Quads: true}
		f := math.Float32bits
		a.Coord[0], a.Coord[1] = []uint32{0, f(dx), 0, f(dx)}, make([]uint32, 4)
		a.Out[0], a.Out[1] = make([]uint32, 4), make([]uint32, 4)
		both(a, newView(t, imageOf8x8(t), resource.ViewDesc{}), newSampler(t, resource.Sampler{MipmapMode: mip, MaxLod: 1000}), 4)
		return [2]float32{math.Float32frombits(a.Out[0][3]), math.Float32frombits(a.Out[1][3])}
	}
	for _, c := range []struct {
		dx   float32
		mip  vk.SamplerMipmapMode
		want [2]float32
	}{
		{0.25, vk.SamplerMipmapModeNearest, [2]float32{1, 1}},
		{float32(math.Sqrt(8)) / 8, vk.SamplerMipmapModeLinear, [2]float32{1.5, 1.5}},
		{1.0 / 64, vk.SamplerMipmapModeLinear, [2]float32{0, -3}},
		{0, vk.SamplerMipmapModeLinear, [2]float32{0, -inf}},
	} {
		got := query(c.mip, c.dx)
		for i := range got {
			if got[i] != c.want[i] && !(math.Abs(float64(got[i]-c.want[i])) < 1e-6) {
				t.Errorf("TC 78 dx %v: %v, want %v", c.dx, got, c.want)
			}
		}
	}
	arr := newView(t, newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 1), ArrayLayers: 12, Flags: vk.ImageCreateCubeCompatibleBit}),
		resource.ViewDesc{Type: viewType(vk.ImageViewTypeCubeArray)})
	if got := (lane1{op: ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.DimCube, Arrayed: true}}).run(arr, nil); got[0] != 4 || got[1] != 4 || got[2] != 2 {
		t.Errorf("cube array: %v", got)
	}
}

func imageOf8x8(t testing.TB) *resource.Image {
	return newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(8, 8, 1), MipLevels: 4})
}

func TestFetch_IMG580_Multisample(t *testing.T) {
	rules.Covers(t, "IMG-205", "IMG-301", "IMG-575", "IMG-580")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: extent(2, 2, 1), Samples: 4})
	l := im.Level(0, 0, 0)
	for s := range 4 {
		l.Data[l.Offset(1, 1, 0, s)] = byte(10 + s)
	}
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, MS: true, HasSample: true}
	for s, want := range map[int32]uint32{0: 10, 3: 13, 4: 0, -1: 0} {
		if got := (lane1{op: op, icoord: []int32{1, 1}, sample: s}).run(newView(t, im, resource.ViewDesc{}), nil)[0]; got != want {
			t.Errorf("sample %d: got %d, want %d", s, got, want)
		}
	}
	// Writes to samples that are not there change none.
	before := bytes.Clone(im.Data)
	store := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, MS: true, HasSample: true}
	for _, s := range []int32{-1, 4, 5} {
		lane1{op: store, icoord: []int32{1, 0}, sample: s, texel: []uint32{77}}.run(newView(t, im, resource.ViewDesc{}), nil)
		if !bytes.Equal(im.Data, before) {
			t.Errorf("sample %d of 4 was written", s)
		}
	}
}

func TestWrite_IMG372to381(t *testing.T) {
	rules.Covers(t, "IMG-030", "IMG-305", "IMG-372", "IMG-578")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: extent(2, 1, 1), ArrayLayers: 2})
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray), Range: vk.ImageSubresourceRange{BaseArrayLayer: 1}})
	op := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Arrayed: true}
	for _, c := range [][3]int32{{1, 0, 1}, {1, 0, -1}, {2, 0, 0}, {-1, 0, 0}, {0, 1, 0}} { // outside
		lane1{op: op, icoord: c[:], texel: []uint32{9}}.run(v, nil)
	}
	for _, b := range im.Data {
		if b != 0 {
			t.Fatal("a write outside the view landed")
		}
	}
	lane1{op: op, icoord: []int32{1, 0, 0}, texel: []uint32{300}}.run(v, nil)
	if l := im.Level(0, 0, 1); l.Data[1] != 255 || l.Data[0] != 0 { // TC 65
		t.Errorf("stored %v", l.Data)
	}
}

// Writes go on in the view's format whatever type the shader names: integers of the other sign saturate, floats
// are encoded, and blocks are not written.
func TestWrite_IMG370_OtherTypes(t *testing.T) {
	rules.Covers(t, "IMG-074", "IMG-370", "IMG-371", "IMG-374", "IMG-381", "IMG-382", "IMG-383")
	const signed, unsigned, float = ir.ClassSint, ir.ClassUint, ir.ClassFloat
	f := math.Float32bits
	for _, c := range []struct {
		f     vk.Format
		class ir.Class
		texel []uint32
		want  format.Texel
	}{
		{vk.FormatR32G32Uint, signed, []uint32{0xFFFFFFF9, 7}, format.Texel{0, 7, 0, 1}},
		{vk.FormatR32G32Sint, unsigned, []uint32{0xFFFFFFF9, 7}, format.Texel{0x7FFFFFFF, 7, 0, 1}},
		{vk.FormatR32G32Uint, unsigned, []uint32{0xFFFFFFF9, 7}, format.Texel{0xFFFFFFF9, 7, 0, 1}},
		{vk.FormatR32G32Sint, signed, []uint32{0xFFFFFFF9, 7}, format.Texel{0xFFFFFFF9, 7, 0, 1}},
		{vk.FormatR8G8B8A8Uint, signed, []uint32{300, 0xFFFFFFFF}, format.Texel{255, 0, 0, 0}},
		{vk.FormatR8G8B8A8Sint, unsigned, []uint32{300, 0xFFFFFFFF, 5}, format.Texel{127, 127, 5, 0}},
		{vk.FormatR8G8B8A8Snorm, float, []uint32{f(1), f(-2)}, rgba(1, -1, 0, 0)},
		{vk.FormatR8Unorm, float, []uint32{f(1), f(1), f(1), f(1)}, rgba(1, 0, 0, 1)},
	} {
		im := imageOf(t, c.f, 3, 1)
		for i := range im.Data {
			im.Data[i] = 0xA5
		}
		before := bytes.Clone(im.Data)
		v := newView(t, im, resource.ViewDesc{})
		lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: c.class}, icoord: []int32{1, 0}, texel: c.texel}.run(v, nil)
		n := im.Info.BlockBytes
		if got := im.Info.Decode(im.Data[n:]); got != c.want {
			t.Errorf("%v, class %d, %x: %x, want %x", c.f, c.class, c.texel, got, c.want)
		}
		if !bytes.Equal(im.Data[:n], before[:n]) || !bytes.Equal(im.Data[2*n:], before[2*n:]) {
			t.Errorf("%v: the texels beside are %x", c.f, im.Data)
		}
	}
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(4, 4, 1)})
	lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: float}, icoord: []int32{1, 0}, texel: []uint32{f(1), f(1), f(1), f(1)}}.run(newView(t, im, resource.ViewDesc{}), nil)
	if !bytes.Equal(im.Data, make([]byte, len(im.Data))) {
		t.Errorf("a block was written: %x", im.Data)
	}
}

func TestAtomics_IMG592(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-592", "IMG-596", "IMG-597", "IMG-598")
	f := math.Float32bits
	for _, c := range []struct {
		op             ir.AtomicOp
		old, v, cmp, w uint32
	}{
		{ir.AtomicAdd, 0xFFFFFFFF, 2, 0, 1}, {ir.AtomicAnd, 6, 3, 0, 2}, {ir.AtomicOr, 6, 3, 0, 7}, {ir.AtomicXor, 6, 3, 0, 5},
		{ir.AtomicSMin, 1, 0xFFFFFFFF, 0, 0xFFFFFFFF}, {ir.AtomicSMax, 1, 0xFFFFFFFF, 0, 1},
		{ir.AtomicUMin, 1, 0xFFFFFFFF, 0, 1}, {ir.AtomicUMax, 1, 0xFFFFFFFF, 0, 0xFFFFFFFF},
		{ir.AtomicExchange, 4, 5, 0, 5}, {ir.AtomicLoad, 4, 5, 0, 4}, {ir.AtomicStore, 4, 5, 0, 5},
		{ir.AtomicCompareExchange, 4, 5, 4, 5}, {ir.AtomicCompareExchange, 4, 5, 3, 4},
		{ir.AtomicFAdd, f(1.5), f(2), 0, f(3.5)},
		{ir.AtomicFMin, f(1.5), f(-2), 0, f(-2)}, {ir.AtomicFMax, f(1.5), f(-2), 0, f(1.5)}, {ir.AtomicFMin, f(1.5), 0x7FC00001, 0, f(1.5)}, {ir.AtomicFMax, 0x7FC00001, f(1.5), 0, f(1.5)},
	} {
		im := imageOf(t, vk.FormatR32Uint, 1, 1, format.Texel{c.old})
		v := newView(t, im, resource.ViewDesc{})
		x := lane1{op: ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: c.op}, icoord: []int32{0, 0}, texel: []uint32{c.v, c.cmp}}
		if c.op != ir.AtomicStore { // which gives nothing as a routine
			x.op.Results = 1
		}
		old := x.run(v, nil)[0]
		if got := im.Info.Decode(im.Data)[0]; got != c.w || old != c.old {
			t.Errorf("op %d: old %#x new %#x, want %#x and %#x", c.op, old, got, c.old, c.w)
		}
		x.icoord = []int32{1, 0}
		if got := x.run(v, nil)[0]; got != 0 { // IMG-598
			t.Errorf("op %d outside returned %d", c.op, got)
		}
	}
}

func TestAtomics_IMG590_Linearizable(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-591")
	im := imageOf(t, vk.FormatR32Uint, 1, 1)
	v := newView(t, im, resource.ViewDesc{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				lane1{op: ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: ir.AtomicUMax + 0}, icoord: []int32{0, 0}, texel: []uint32{0}}.how(Run, v, nil)
				lane1{op: ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: ir.AtomicAdd}, icoord: []int32{0, 0}, texel: []uint32{1}}.how(Run, v, nil)
			}
		})
	}
	wg.Wait()
	if got := im.Info.Decode(im.Data)[0]; got != 2000 {
		t.Errorf("counted %d", got)
	}
}

// IMG-591: of each kind of operation, by four at a time, none is lost and none seen twice: what the texel
// held, from the first value to the last, are the values that were put there.
func TestAtomics_IMG591_NoneIsLost(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-591", "IMG-592")
	const goroutines, each = 4, 8
	all := ^uint32(0)
	for _, c := range []struct {
		op          ir.AtomicOp
		first, last uint32
		v           func(bit uint32) uint32
	}{
		{ir.AtomicAdd, 0, all, func(b uint32) uint32 { return b }}, {ir.AtomicOr, 0, all, func(b uint32) uint32 { return b }}, {ir.AtomicXor, 0, all, func(b uint32) uint32 { return b }},
		{ir.AtomicAnd, all, 0, func(b uint32) uint32 { return ^b }}, {ir.AtomicUMax, 0, 1 << 31, func(b uint32) uint32 { return b }}, {ir.AtomicUMin, all, 1, func(b uint32) uint32 { return b }},
		{ir.AtomicExchange, 0, 0, func(b uint32) uint32 { return b }}, {ir.AtomicStore, 0, 0, func(b uint32) uint32 { return b }},
	} {
		im := imageOf(t, vk.FormatR32Uint, 1, 1, format.Texel{c.first})
		v := newView(t, im, resource.ViewDesc{})
		run := func(op ir.AtomicOp, x uint32) uint32 {
			return lane1{op: ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: op}, icoord: []int32{0, 0}, texel: []uint32{x}}.how(Run, v, nil)[0]
		}
		var olds [goroutines * each]uint32
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range each {
					olds[g*each+i] = run(c.op, c.v(1<<(g*each+i)))
				}
			})
		}
		wg.Wait()
		last := run(ir.AtomicLoad, 99)
		if c.op == ir.AtomicExchange || c.op == ir.AtomicStore {
			seen := last | c.first
			for _, old := range olds {
				if seen&old != 0 {
					t.Errorf("op %d: %#x was seen twice", c.op, old)
				}
				seen |= old
			}
			last, c.last = seen, all
		}
		if last != c.last {
			t.Errorf("op %d left %#x, want %#x", c.op, last, c.last)
		}
		if c.op == ir.AtomicAdd || c.op == ir.AtomicOr || c.op == ir.AtomicXor || c.op == ir.AtomicAnd { // each changes the texel
			slices.Sort(olds[:])
			if len(slices.Compact(olds[:])) != goroutines*each {
				t.Errorf("op %d: a value was seen twice", c.op)
			}
		}
	}
}

func TestBuffers_IMG302(t *testing.T) {
	rules.Covers(t, "IMG-304", "IMG-305")
	rules.Covers(t, "IMG-032", "IMG-302", "IMG-607")
	b, err := resource.NewBufferView(vk.FormatR32G32Uint, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 9})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int32]format.Texel{0: {1, 2, 0, 1}, 1: {3, 4, 0, 1}, 2: {0, 0, 0, 1}, -1: {0, 0, 0, 1}, math.MaxInt32: {0, 0, 0, 1}} {
		a := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}, icoord: []int32{i}}.args()
		RunBuffer(a, b, 0, 1)
		if got := (format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}); got != want {
			t.Errorf("element %d: got %v, want %v", i, got, want)
		}
	}
	a := lane1{op: ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.DimBuffer}}.args()
	RunBuffer(a, b, 0, 1)
	if a.Out[0][0] != 2 {
		t.Errorf("size %d", a.Out[0][0])
	}
	// Codes 10 and 255 of sRGB are 10/255/12.92 and 1; alpha is linear.
	if b, err = resource.NewBufferView(vk.FormatB8G8R8A8Srgb, []byte{0, 255, 10, 51}); err != nil {
		t.Fatal(err)
	}
	a = lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}, icoord: []int32{0}}.args()
	RunBuffer(a, b, 0, 1)
	for c, want := range []float32{float32(10 / 255. / 12.92), 1, 0, 51 / 255.} {
		if got := math.Float32frombits(a.Out[c][0]); got != want {
			t.Errorf("sRGB, component %d: %v, want %v", c, got, want)
		}
	}
}

// IMG-311, for a reference below, at and above the texel.
func TestCompare_IMG311_AllOperators(t *testing.T) {
	rules.Covers(t, "IMG-311")
	for op, want := range [8][3]bool{
		vk.CompareOpNever: {}, vk.CompareOpLess: {true, false, false}, vk.CompareOpEqual: {false, true, false},
		vk.CompareOpLessOrEqual: {true, true, false}, vk.CompareOpGreater: {false, false, true}, vk.CompareOpNotEqual: {true, false, true},
		vk.CompareOpGreaterOrEqual: {false, true, true}, vk.CompareOpAlways: {true, true, true},
	} {
		for i, ref := range [3]float32{0.25, 0.5, 0.75} {
			if got := fp.Compare(vk.CompareOp(op), ref, 0.5); got != want[i] {
				t.Errorf("%v, reference %v: %v", vk.CompareOp(op), ref, got)
			}
		}
	}
}

// IMG-201, IMG-520 and IMG-579: levels below the view's minLod do not exist for
// fetches and gathers.
func TestMinLod_FetchAndGather(t *testing.T) {
	rules.Covers(t, "IMG-044", "IMG-201", "IMG-520", "IMG-579")
	im := imageL3(t)
	s := newSampler(t, resource.Sampler{})
	for minLod, want := range map[float32][3]float32{0.5: {1, 2, 1}, 1: {0, 2, 0}, 1.5: {0, 2, 0}} {
		v := newView(t, im, resource.ViewDesc{MinLod: minLod})
		for level := range 2 {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{0, 0}, hasLod: true, ilod: int32(level)}
			if got := x.red(v, nil); got != want[level] {
				t.Errorf("minLod %v, fetch of level %d: %v", minLod, level, got)
			}
		}
		if got := (lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, coord: []float32{.5, .5}}).red(v, s); got != want[2] {
			t.Errorf("minLod %v, gather: %v", minLod, got)
		}
	}
}
