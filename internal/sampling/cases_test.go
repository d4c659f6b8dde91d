package sampling

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The computed corner cases of the catalogue's §34, by number. Results are in
// the order R, M, E, B, K of address modes.

var fiveModes = [5]vk.SamplerAddressMode{repeat, mirrored, edge, border, mirrorK}

func TestCases01to17_Address(t *testing.T) {
	rules.Covers(t, "TC-01", "TC-02", "TC-03", "TC-04", "TC-05", "TC-06", "TC-07", "TC-08", "TC-09", "TC-10", "TC-12", "TC-13", "TC-14", "TC-15", "TC-16", "TC-17", "IMG-005", "IMG-006", "IMG-007", "IMG-009", "IMG-480", "IMG-481", "IMG-500", "IMG-505", "IMG-530", "IMG-531")
	v := imageA4(t)
	same := func(x float32) [5]float32 { return [5]float32{x, x, x, x, x} }
	for _, c := range []struct {
		tc     string
		filter vk.Filter
		s      float32
		want   [5]float32
	}{
		{"01", nearest, nan, same(10)},
		{"02", nearest, inf, [5]float32{10, 10, 40, 0, 40}},
		{"03", nearest, -inf, [5]float32{10, 10, 10, 0, 40}},
		{"04", nearest, 1, [5]float32{10, 40, 40, 0, 40}},
		{"05", nearest, 0.99999994, same(40)},
		{"06", nearest, float32(math.Copysign(0, -1)), same(10)},
		{"07", nearest, -1.4e-45, [5]float32{40, 10, 10, 0, 10}},
		{"08a", nearest, 0.25, same(20)},
		{"08b", nearest, 0.24999999, same(10)},
		{"09", nearest, 1.25, [5]float32{20, 30, 40, 0, 40}},
		{"10a", nearest, 1e10, [5]float32{10, 10, 40, 0, 40}},
		{"10b", nearest, -1e10, [5]float32{10, 10, 10, 0, 40}},
		{"10c", nearest, 3.4e38, [5]float32{10, 10, 40, 0, 40}},
		{"12", linear, 0, [5]float32{25, 10, 10, 5, 10}},
		{"13", linear, 0.125, same(10)},
		{"14", linear, 1, [5]float32{25, 40, 40, 20, 40}},
		{"15", linear, -0.125, [5]float32{40, 10, 10, 0, 10}},
		{"16", linear, -1, [5]float32{25, 40, 10, 0, 40}},
		{"17", linear, 1.125, [5]float32{10, 40, 40, 0, 40}},
	} {
		for i, m := range fiveModes {
			s := newSampler(t, resource.Sampler{MagFilter: c.filter, MinFilter: c.filter, AddressModeU: m})
			got := lane1{op: sampleOp(ir.Dim1D), coord: []float32{c.s}}.red(v, s)
			if got != c.want[i] {
				t.Errorf("TC %s %v: got %v, want %v", c.tc, m, got, c.want[i])
			}
		}
	}
}

func TestCase11_IMG004_ExactScaling(t *testing.T) {
	rules.Covers(t, "TC-11", "IMG-004", "IMG-475", "IMG-476")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(10, 1, 1)})
	for i := range 10 {
		setFloat(im, 0, 0, i, 0, float32(i))
	}
	got := lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.7}}.red(newView(t, im, resource.ViewDesc{}), newSampler(t, resource.Sampler{}))
	if got != 6 {
		t.Errorf("got %v, want 6", got)
	}
}

func TestCase19_IMG011_SnapCarries(t *testing.T) {
	rules.Covers(t, "TC-19", "IMG-011", "IMG-486")
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.62499}}).red(imageA4(t), s); got != 30 {
		t.Errorf("got %v, want 30", got)
	}
}

func TestCase20_ConstOffset(t *testing.T) {
	rules.Covers(t, "TC-20", "IMG-029", "IMG-502")
	for i, want := range [5]float32{30, 30, 40, 0, 40} {
		s := newSampler(t, resource.Sampler{AddressModeU: fiveModes[i]})
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.9}, offset: []int32{7}}).red(imageA4(t), s); got != want {
			t.Errorf("%v: got %v, want %v", fiveModes[i], got, want)
		}
	}
}

func TestCases21and22_OneTexelWide(t *testing.T) {
	rules.Covers(t, "TC-21", "TC-22", "IMG-557")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(1, 1, 1)})
	setFloat(im, 0, 0, 0, 0, 8)
	v := newView(t, im, resource.ViewDesc{})
	for _, m := range fiveModes {
		for _, f := range []vk.Filter{nearest, linear} {
			for _, x := range []float32{-3.7, 0, 0.3, 0.5, 1, 17.2, 1e30, inf, nan} {
				if m == border {
					continue
				}
				s := newSampler(t, resource.Sampler{MagFilter: f, MinFilter: f, AddressModeU: m})
				if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{x}}).red(v, s); got != 8 {
					t.Errorf("TC 21 %v %v s=%v: got %v", m, f, x, got)
				}
			}
		}
	}
	s := newSampler(t, resource.Sampler{MagFilter: linear, AddressModeU: border})
	for x, want := range map[float32]float32{0.5: 8, 1: 4} {
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{x}}).red(v, s); got != want {
			t.Errorf("TC 22 s=%v: got %v, want %v", x, got, want)
		}
	}
}

func TestCases23to33_Levels(t *testing.T) {
	rules.Covers(t, "TC-23", "TC-24", "TC-25", "TC-26", "TC-27", "TC-28", "TC-29", "TC-30", "TC-33", "TC-36", "IMG-008", "IMG-042", "IMG-044", "IMG-400", "IMG-447", "IMG-448", "IMG-449", "IMG-460", "IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-555")
	im := imageL3(t)
	whole := newView(t, im, resource.ViewDesc{})
	minLod := newView(t, im, resource.ViewDesc{MinLod: 1.5})
	upper := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}})
	const lin, near = vk.SamplerMipmapModeLinear, vk.SamplerMipmapModeNearest
	for _, c := range []struct {
		tc   string
		view *resource.ImageView
		s    resource.Sampler
		lod  float32
		want float32
	}{
		{"23 NEAREST", whole, resource.Sampler{MipmapMode: near, MaxLod: 9}, 0.5, 1},
		{"23 LINEAR", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9}, 0.5, 1.5},
		{"24", whole, resource.Sampler{MipmapMode: near, MaxLod: 9}, 1.5, 2},
		{"24 above", whole, resource.Sampler{MipmapMode: near, MaxLod: 9}, 1.500001, 3},
		{"25 last", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9}, 2, 3},
		{"25 beyond", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9}, 5, 3},
		{"25 below", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9}, -1, 1},
		{"26 LINEAR", minLod, resource.Sampler{MipmapMode: lin, MaxLod: 9}, 0, 2.5},
		{"26 NEAREST", minLod, resource.Sampler{MipmapMode: near, MaxLod: 9}, 0, 2},
		{"27 NEAREST", upper, resource.Sampler{MipmapMode: near, MaxLod: 9}, 0.5, 2},
		{"27 LINEAR", upper, resource.Sampler{MipmapMode: lin, MaxLod: 9}, 0.5, 2.5},
		{"28", whole, resource.Sampler{MipmapMode: near, MaxLod: 9, MipLodBias: -0.25}, 0.75, 1},
		{"29", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9, MinLod: 0.75}, 0, 1.75},
		{"33", whole, resource.Sampler{MipmapMode: near, MaxLod: 0.25, MinFilter: linear}, 7, 1},
		{"36", whole, resource.Sampler{MipmapMode: lin, MaxLod: 9, MinLod: 1}, nan, 2},
	} {
		got := lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.5, 0.5}, lod: c.lod}.red(c.view, newSampler(t, c.s))
		if got != c.want {
			t.Errorf("TC %s: got %v, want %v", c.tc, got, c.want)
		}
	}
	// A level that is no number, which infinite coordinates have, is the lowest, and −∞ for who asks.
	ask := quadArgs(ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}, [4]float32{inf, inf, inf, inf}, [4]float32{.5, .5, .5, .5})
	both(ask, whole, newSampler(t, resource.Sampler{MipmapMode: lin, MinLod: 1, MaxLod: 9}), 4)
	for lane := range 4 {
		if d, prime := math.Float32frombits(ask.Out[0][lane]), math.Float32frombits(ask.Out[1][lane]); d != 1 || prime != -inf {
			t.Errorf("TC 36: lane %d is told of level %v, λ' %v; want 1 and -Inf", lane, d, prime)
		}
	}
	op := sampleOp(ir.Dim2D)
	op.Lod, op.HasMinLod = ir.LodGrad, true
	zero := []float32{0, 0}
	got := lane1{op: op, coord: zero, dx: zero, dy: zero, minLod: 2}.red(whole, newSampler(t, resource.Sampler{MipmapMode: lin, MaxLod: 1}))
	if got != 2 {
		t.Errorf("TC 30: got %v, want 2", got)
	}
}

func TestCase31_IMG446_BiasClamp(t *testing.T) {
	rules.Covers(t, "TC-31", "IMG-446")
	// Through a quad whose coordinates are 2^-17 apart: of four texels that is a level of −15. Biases of 14 and 4 make it 1, not 3.
	a := quadArgs(ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodBias}, [4]float32{.5, .5 + 0x1p-17, .5, .5 + 0x1p-17}, [4]float32{.5, .5, .5 + 0x1p-17, .5 + 0x1p-17})
	a.Lod = []uint32{math.Float32bits(4), math.Float32bits(4), math.Float32bits(4), math.Float32bits(4)}
	both(a, newView(t, imageL3(t), resource.ViewDesc{}), newSampler(t, resource.Sampler{MipLodBias: 14, MaxLod: 9}), 4)
	for lane, got := range a.Out[0] {
		if math.Float32frombits(got) != 2 {
			t.Errorf("lane %d: %v, want 2", lane, math.Float32frombits(got))
		}
	}
	p := lodParams{bias: 14}
	if got := p.biasLod(1, 4); got != 17 {
		t.Errorf("got %v, want 17", got)
	}
	p.bias = -14
	if got := p.biasLod(1, -4); got != -15 {
		t.Errorf("got %v, want -15", got)
	}
}

func TestCase32_IMG451_MagOrMin(t *testing.T) {
	rules.Covers(t, "TC-32", "IMG-451")
	s := newSampler(t, resource.Sampler{MagFilter: nearest, MinFilter: linear, MaxLod: 1})
	for lod, want := range map[float32]float32{0: 30, 1e-6: 25} {
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}, lod: lod}).red(imageA4(t), s); got != want {
			t.Errorf("Lod %v: got %v, want %v", lod, got, want)
		}
	}
}

func TestCase37_IMG484_Layers(t *testing.T) {
	rules.Covers(t, "TC-37", "IMG-484")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(1, 1, 1), ArrayLayers: 8})
	for i := range 8 {
		setFloat(im, 0, i, 0, 0, float32(i))
	}
	array := vk.ImageViewType2DArray
	v := newView(t, im, resource.ViewDesc{Type: &array})
	op := sampleOp(ir.Dim2D)
	op.Arrayed = true
	for a, want := range map[float32]float32{0.5: 0, 1.5: 2, 2.5: 2, -0.5: 0, nan: 0, 1e9: 7, inf: 7, -inf: 0} {
		if got := (lane1{op: op, coord: []float32{.5, .5, a}}).red(v, newSampler(t, resource.Sampler{})); got != want {
			t.Errorf("layer %v: %v, want %v", a, got, want)
		}
	}
	for a, want := range map[float64]int{0.5: 0, 1.5: 2, 2.5: 2, -0.5: 0, math.NaN(): 0, 1e9: 7, math.Inf(1): 7, math.Inf(-1): 0} {
		if got := layerIndex(a, 8); got != want {
			t.Errorf("a=%v: got %d, want %d", a, got, want)
		}
	}
}

func TestCases38to45_Cube(t *testing.T) {
	rules.Covers(t, "TC-38", "TC-39", "TC-40", "TC-41", "TC-42", "TC-43", "TC-44", "TC-45", "IMG-023", "IMG-043", "IMG-215", "IMG-216", "IMG-220", "IMG-411", "IMG-413", "IMG-415", "IMG-503")
	v := imageC2(t)
	for _, c := range []struct {
		tc        string
		dir       []float32
		near, lin float32
	}{
		{"38", []float32{1, 0, 0}, 11, 5.5},
		{"39", []float32{1, 0, 1}, 411, 205.5},
		{"40", []float32{1, 1, 1}, 401, 204},
		{"41", []float32{1, 1, 0}, 211, 103.25},
		{"42", []float32{-1, -1, -1}, 511, 310.333333},
		{"44", []float32{0, 0, 0}, 400, -1},
	} {
		near, lin := newSampler(t, resource.Sampler{}), newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
		x := lane1{op: sampleOp(ir.DimCube), coord: c.dir}
		if got := x.red(v, near); got != c.near {
			t.Errorf("TC %s NEAREST: got %v, want %v", c.tc, got, c.near)
		}
		if got := x.red(v, lin); c.lin >= 0 && got != c.lin {
			t.Errorf("TC %s LINEAR: got %v, want %v", c.tc, got, c.lin)
		}
	}
	op := ir.ImageOp{Kind: ir.ImageGather, Dim: ir.DimCube}
	if got := floats(lane1{op: op, coord: []float32{1, 1, 1}}.run(v, newSampler(t, resource.Sampler{}))); got != [4]float32{401, 0, 204, 211} {
		t.Errorf("TC 43: got %v", got)
	}
	// TC 45: 255.201 with exact fractions; 8-bit fractions move it by at
	// most half a step of the slope across the edge (410 − 111 ≈ 300 a texel).
	lin := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{-1, 0, 0.999}}).red(v, lin); math.Abs(float64(got)-255.201) > 300.0/512 {
		t.Errorf("TC 45: got %v", got)
	}
}

func TestCases47and48_Gather(t *testing.T) {
	rules.Covers(t, "TC-47", "TC-48", "IMG-515", "IMG-516", "IMG-517", "IMG-521")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(2, 2, 1)})
	for i := range 4 {
		setFloat(im, 0, 0, i%2, i/2, float32(i+1))
	}
	op := ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}
	s := newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge})
	if got := floats(lane1{op: op, coord: []float32{0.5, 0.5}}.run(newView(t, im, resource.ViewDesc{}), s)); got != [4]float32{3, 4, 2, 1} {
		t.Errorf("TC 47: got %v", got)
	}
	im = newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
	for i := range 4 {
		setFloat(im, 0, 0, i, 0, float32(10*i+10))
	}
	if got := floats(lane1{op: op, coord: []float32{0.375, 0.5}}.run(newView(t, im, resource.ViewDesc{}), s)); got != [4]float32{20, 30, 30, 20} {
		t.Errorf("TC 48: got %v", got)
	}
	// IMG-517: one of ConstOffsets is the last component of a gather with it.
	if got := floats(lane1{op: op, coord: []float32{0.375, 0.5}, offset: []int32{2, 0}}.run(newView(t, im, resource.ViewDesc{}), s)); got[3] != 40 {
		t.Errorf("offset: got %v", got)
	}
}
