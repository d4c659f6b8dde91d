package sampling

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// floats2D is an R32 image of given texels, row by row.
func floats2D(t testing.TB, w, h int, texels ...float32) *resource.ImageView {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(uint32(w), uint32(h), 1)})
	for i, x := range texels {
		setFloat(im, 0, 0, i%w, i/w, x)
	}
	return newView(t, im, resource.ViewDesc{})
}

func processSampler(t testing.TB, mode vk.SamplerAddressMode, unnormalized bool, reduce vk.SamplerReductionMode) *resource.Sampler {
	return newSampler(t, resource.Sampler{AddressModeU: mode, AddressModeV: mode, UnnormalizedCoordinates: unnormalized, ImageProcessing: true, Reduction: reduce})
}

const average, smallest, largest = vk.SamplerReductionModeWeightedAverage, vk.SamplerReductionModeMin, vk.SamplerReductionModeMax

func (x lane1) process(second *resource.ImageView, v *resource.ImageView, s *resource.Sampler, ref, block []uint32) [4]float32 {
	a := x.args()
	a.Second = second
	for d := range ref {
		a.RefCoord[d] = ref[d : d+1]
	}
	for d := range block {
		a.Block[d] = block[d : d+1]
	}
	both(a, v, s, 1)
	return floats(format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]})
}

func TestBlockMatch_CatalogueVectors(t *testing.T) {
	rules.Covers(t, "IMG-670", "IMG-671", "IMG-672", "IMG-676", "IMG-072", "TC-80", "IMG-673", "IMG-674", "IMG-675", "IMG-677")
	target := floats2D(t, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	reference := floats2D(t, 2, 2, 1, 1, 1, 1)
	s := processSampler(t, border, true, average)
	block := []uint32{2, 2}
	sad := map[int32][4]float32{-1: {3, 3, 5, 5}, 0: {5, 8, 12, 9}, 1: {11, 20, 24, 15}, 2: {9, 15, 17, 11}}
	for y, row := range sad {
		for i, want := range row {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{int32(i) - 1, y}}
			got := x.process(reference, target, s, []uint32{0, 0}, block)
			if y < 0 || i == 0 {
				continue // coordinates are unsigned; see below
			}
			if got != [4]float32{want, 0, 0, 1} {
				t.Errorf("SAD at (%d, %d): %v, want %v", i-1, y, got, want)
			}
		}
	}
	for i, want := range []float32{26, 46, 31} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D}, icoord: []int32{int32(i), 0}}
		if got := x.process(reference, target, s, []uint32{0, 0}, block)[0]; got != want {
			t.Errorf("SSD at (%d, 0): %v, want %v", i, got, want)
		}
	}
	// A target shifted by one has the column and row at −1 inside.
	shifted := floats2D(t, 4, 4, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9)
	for y, row := range sad {
		for i, want := range row {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{int32(i), y + 1}}
			if got := x.process(reference, shifted, s, []uint32{0, 0}, block)[0]; got != want {
				t.Errorf("SAD at (%d, %d) of the shifted target: %v, want %v", i-1, y, got, want)
			}
		}
	}
}

func TestBlockMatch_WindowGatherReduce(t *testing.T) {
	rules.Covers(t, "IMG-673", "IMG-674", "IMG-675", "IMG-187", "IMG-670", "IMG-671", "IMG-672", "IMG-676", "IMG-677")
	target := floats2D(t, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	reference := floats2D(t, 2, 2, 1, 1, 1, 1)
	block := []uint32{2, 2}
	s := *processSampler(t, border, true, average)
	s.Window = resource.BlockMatchWindow{Width: 2, Height: 2}
	op := ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true, Match: ir.MatchWindow}
	at := lane1{op: op, icoord: []int32{0, 0}}
	if got := at.process(reference, target, &s, []uint32{0, 0}, block); got != [4]float32{8, 0, 0, 0} {
		t.Errorf("window: %v, want (8, 0, 0, 0)", got)
	}
	s.Window.Max = true
	if got := at.process(reference, target, &s, []uint32{0, 0}, block); got != [4]float32{24, 1, 1, 0} {
		t.Errorf("largest in the window: %v, want (24, 1, 1, 0)", got)
	}
	// The first optimum counts, columns first.
	flat := floats2D(t, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	if got := at.process(reference, flat, &s, []uint32{0, 0}, block); got != [4]float32{0, 0, 0, 0} {
		t.Errorf("all alike: %v", got)
	}
	at.op.Match = ir.MatchGather
	if got := at.process(reference, target, &s, []uint32{0, 0}, block); got != [4]float32{8, 12, 9, 4} {
		t.Errorf("gather: %v, want (8, 12, 9, 4)", got)
	}
	at.op.Match = ir.MatchPlain
	for _, c := range []struct {
		mode vk.SamplerReductionMode
		sad  bool
		want float32
	}{{smallest, true, 0}, {largest, true, 4}, {smallest, false, 0}, {largest, false, 16}} {
		at.op.SAD = c.sad
		if got := at.process(reference, target, processSampler(t, border, true, c.mode), []uint32{0, 0}, block)[0]; got != c.want {
			t.Errorf("%v, SAD %v: %v, want %v", c.mode, c.sad, got, c.want)
		}
	}
	// Every component has a least and a largest difference of its own.
	four := func(texels ...[4]float32) *resource.ImageView {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(uint32(len(texels)), 1, 1)})
		l := im.Level(0, 0, 0)
		for i, x := range texels {
			for c, f := range x {
				binary.LittleEndian.PutUint32(l.Data[l.Offset(i, 0, 0, 0)+4*c:], math.Float32bits(f))
			}
		}
		return newView(t, im, resource.ViewDesc{})
	}
	a, b := four([4]float32{1, 9, 4, 20}, [4]float32{5, 3, 11, 7}), four([4]float32{3, 4, 1, 7}, [4]float32{1, 4, 1, 2})
	for _, c := range []struct { // differences 2, 5, 3, 13 and 4, 1, 10, 5
		mode vk.SamplerReductionMode
		sad  bool
		want [4]float32
	}{{smallest, true, [4]float32{2, 1, 3, 5}}, {largest, true, [4]float32{4, 5, 10, 13}}, {smallest, false, [4]float32{4, 1, 9, 25}}, {largest, false, [4]float32{16, 25, 100, 169}}} {
		at.op.SAD = c.sad
		if got := at.process(b, a, processSampler(t, border, true, c.mode), []uint32{0, 0}, []uint32{2, 1}); got != c.want {
			t.Errorf("four components, %v, SAD %v: %v, want %v", c.mode, c.sad, got, c.want)
		}
	}
	if got := at.process(reference, target, &s, []uint32{0, 0}, []uint32{0, 2})[0]; got != 0 {
		t.Errorf("an empty block: %v", got)
	}
}

func TestBoxFilter_Vector(t *testing.T) {
	rules.Covers(t, "IMG-660", "IMG-661", "IMG-662", "IMG-664", "IMG-665", "TC-80", "IMG-663")
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = float32(i%8 + 10*(i/8))
	}
	v := floats2D(t, 8, 8, texels...)
	op := ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}
	size := []uint32{one(2.75)[0], one(2.25)[0]}
	x := lane1{op: op, coord: []float32{4.125, 2.625}}
	if got := x.process(nil, v, processSampler(t, edge, true, average), nil, size)[0]; math.Abs(float64(got)-24.7474747) > 2e-6*24.7 {
		t.Errorf("%v, want 24.7474747", got)
	}
	for _, c := range []struct {
		mode vk.SamplerReductionMode
		want float32
	}{{smallest, 12}, {largest, 35}} {
		if got := x.process(nil, v, processSampler(t, edge, true, c.mode), nil, size)[0]; got != c.want {
			t.Errorf("%v: %v, want %v", c.mode, got, c.want)
		}
	}
	for _, u := range []float64{0, .25, 2.999, 7.5, -3.25} {
		for _, b := range []float64{.5, 1, 1.25, 2.75, 9, 64} {
			_, w := boxWeights(u, b)
			sum := 0.0
			for i := range w.n {
				sum += w.at(i)
			}
			if b >= 1 && math.Abs(sum-b) > 1e-12*b {
				t.Errorf("weights of a box of %v at %v sum to %v", b, u, sum)
			}
		}
	}
}

// IMG-663: a box of one texel is the bilinear filter.
func TestBoxFilter_OneTexelIsBilinear(t *testing.T) {
	rules.Covers(t, "IMG-663", "IMG-660", "IMG-661", "IMG-662", "IMG-664", "IMG-665")
	r := rand.New(rand.NewPCG(15, 16))
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = r.Float32()
	}
	v := floats2D(t, 8, 8, texels...)
	size := []uint32{one(1)[0], one(1)[0]}
	bilinear := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge})
	for range 500 {
		p := []float32{float32(r.IntN(10*256)-256) / 2048, float32(r.IntN(10*256)-256) / 2048}
		got := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: p}.process(nil, v, processSampler(t, edge, false, average), nil, size)[0]
		want := lane1{op: sampleOp(ir.Dim2D), coord: p}.red(v, bilinear)
		if math.Abs(float64(got-want)) > 1e-6 {
			t.Fatalf("at %v: %v, bilinear %v", p, got, want)
		}
	}
}

func weightView(t testing.TB, kind vk.ImageViewType, w, h uint32, layers int, info resource.WeightImage, value func(x, y, layer int) float32) *resource.ImageView {
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(w, h, 1), ArrayLayers: layers, Usage: vk.ImageUsageSampleWeightBitQCOM}
	if kind == vk.ImageViewType1DArray {
		d.Type = vk.ImageType1D
	}
	im := newImage(t, d)
	for l := range layers {
		for y := range int(h) {
			for x := range int(w) {
				setFloat(im, 0, l, x, y, value(x, y, l))
			}
		}
	}
	return newView(t, im, resource.ViewDesc{Type: viewType(kind), Weights: info})
}

func TestWeighted_PhasesAndTaps(t *testing.T) {
	rules.Covers(t, "IMG-650", "IMG-651", "IMG-652", "IMG-653", "IMG-655", "IMG-656", "IMG-654")
	// One tap; its weight tells the phase, the texel the column.
	v := floats2D(t, 8, 1, 0, 1, 2, 3, 4, 5, 6, 7)
	op := ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}
	info := resource.WeightImage{CenterX: 1, Width: 2, Height: 1, Phases: 16}
	for _, c := range []struct {
		u      float32
		i0, ph int
	}{{4.5, 3, 0}, {4.74, 3, 0}, {4.75, 3, 1}, {4.99, 3, 1}, {5.0, 4, 2}, {5.25, 4, 3}, {5.49, 4, 3}, {5.5, 4, 0}} {
		for first := range 2 {
			w := weightView(t, vk.ImageViewType2DArray, 2, 1, 16, info, func(x, _, layer int) float32 {
				if x != first {
					return 0
				}
				return float32(100 * (layer + 1))
			})
			got := lane1{op: op, coord: []float32{c.u, 0.5}}.process(w, v, processSampler(t, edge, true, average), nil, nil)[0]
			if want := float32(100 * (c.ph + 1) * (c.i0 + first)); got != want {
				t.Errorf("u = %v, tap %d: %v, want %v", c.u, first, got, want)
			}
		}
	}
	// Borders are transparent black, edges clamp; weights of 0 do not reduce.
	all := weightView(t, vk.ImageViewType2DArray, 2, 1, 1, resource.WeightImage{CenterX: 1, Width: 2, Height: 1, Phases: 1}, func(int, int, int) float32 { return 1 })
	left := weightView(t, vk.ImageViewType2DArray, 2, 1, 1, resource.WeightImage{CenterX: 1, Width: 2, Height: 1, Phases: 1}, func(x, _, _ int) float32 { return float32(1 - x) })
	ones := floats2D(t, 2, 1, 5, 7)
	for _, c := range []struct {
		w    *resource.ImageView
		mode vk.SamplerAddressMode
		red  vk.SamplerReductionMode
		u    float32
		want float32
	}{{all, border, average, 0.5, 5}, {all, edge, average, 0.5, 10}, {all, edge, largest, 1.5, 7}, {left, edge, largest, 1.5, 5}, {left, edge, smallest, 1.5, 5}} {
		if got := (lane1{op: op, coord: []float32{c.u, 0.5}}).process(c.w, ones, processSampler(t, c.mode, true, c.red), nil, nil)[0]; got != c.want {
			t.Errorf("%v, %v: %v, want %v", c.mode, c.red, got, c.want)
		}
	}
}

// Rows and columns of taps: weights 1, 10, 100 down a column of texels, 1, 2 and 4 along a row, from the
// filter's centre on. A weight of 0 is a product like any other: 0·∞ is no number.
func TestWeighted_IMG650_RowsAndColumns(t *testing.T) {
	rules.Covers(t, "IMG-650", "IMG-651", "IMG-652", "IMG-655")
	var texels []float32
	for y := range 6 {
		for x := range 4 {
			texels = append(texels, float32(x+7*y))
		}
	}
	v := floats2D(t, 4, 6, texels...)
	info := resource.WeightImage{CenterX: 0, CenterY: 1, Width: 3, Height: 3, Phases: 1}
	w := weightView(t, vk.ImageViewType2DArray, 3, 3, 1, info, func(x, y, _ int) float32 { return []float32{1, 2, 4}[x] * []float32{1, 10, 100}[y] })
	op := ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}
	s := processSampler(t, edge, true, average)
	for _, at := range [][2]int{{0, 2}, {1, 3}, {2, 1}, {3, 5}, {0, 0}} {
		want := float32(0)
		for y := range 3 {
			for x := range 3 {
				i, j := min(at[0]+x, 3), min(max(at[1]-1+y, 0), 5)
				want += []float32{1, 2, 4}[x] * []float32{1, 10, 100}[y] * float32(i+7*j)
			}
		}
		x := lane1{op: op, coord: []float32{float32(at[0]) + 0.25, float32(at[1]) + 0.75}}
		if got := x.process(w, v, s, nil, nil)[0]; got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	none := weightView(t, vk.ImageViewType2DArray, 2, 1, 1, resource.WeightImage{Width: 2, Height: 1, Phases: 1}, func(x, _, _ int) float32 { return float32(x) })
	if got := (lane1{op: op, coord: []float32{0.5, 0.5}}).process(none, floats2D(t, 2, 1, inf, 3), s, nil, nil)[0]; got == got {
		t.Errorf("0·∞ + 3 is %v", got)
	}
}

// IMG-186: blocks of up to 64 texels either way; of larger ones, and of empty ones, the result is 0.
func TestBlockMatch_IMG186_LargestBlock(t *testing.T) {
	rules.Covers(t, "IMG-186", "IMG-187", "IMG-671", "IMG-674")
	target, reference := floats2D(t, 65, 65), floats2D(t, 65, 65)
	for y := range 65 {
		for x := range 65 {
			setFloat(target.Image, 0, 0, x, y, 1)
		}
	}
	op := ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}
	for block, want := range map[[2]uint32]float32{{64, 1}: 64, {1, 64}: 64, {64, 64}: 4096, {65, 1}: 0, {1, 65}: 0, {65, 65}: 0, {0, 1}: 0, {1, 0}: 0} {
		if got := (lane1{op: op, icoord: []int32{0, 0}}).process(reference, target, processSampler(t, edge, true, average), []uint32{0, 0}, block[:])[0]; got != want {
			t.Errorf("a block of %v: %v, want %v", block, got, want)
		}
	}
	// Nor do windows have more columns or rows: what is beyond is not looked at.
	setFloat(target.Image, 0, 0, 64, 0, 0)
	setFloat(target.Image, 0, 0, 0, 64, 0)
	s := *processSampler(t, edge, true, average)
	op.Match = ir.MatchWindow
	for _, w := range []resource.BlockMatchWindow{{Width: 70, Height: 1}, {Width: 1, Height: 70}} {
		s.Window = w
		if got := (lane1{op: op, icoord: []int32{0, 0}}).process(reference, target, &s, []uint32{0, 0}, []uint32{1, 1}); got != [4]float32{1, 0, 0, 0} {
			t.Errorf("a window of %d×%d: %v", w.Width, w.Height, got)
		}
	}
}

// IMG-654: separable weights, against their products in 2D layers.
func TestWeighted_SeparableIsTheProduct(t *testing.T) {
	rules.Covers(t, "IMG-654", "IMG-655", "IMG-650", "IMG-651", "IMG-652", "IMG-653", "IMG-656")
	for _, c := range []struct{ phase, n, at int }{{0, 3, 3}, {1, 0, 4}, {3, 3, 15}, {0, 4, 16}, {2, 6, 26}} {
		if got := 4*4*(c.n/4) + c.phase*4 + c.n%4; got != c.at {
			t.Errorf("offset of weight %d in phase %d: %d, want %d", c.n, c.phase, got, c.at)
		}
	}
	r := rand.New(rand.NewPCG(17, 18))
	texels := make([]float32, 100)
	for i := range texels {
		texels[i] = float32(r.IntN(16))
	}
	v := floats2D(t, 10, 10, texels...)
	const root = 4
	info := resource.WeightImage{CenterX: 2, CenterY: 1, Width: 5, Height: 6, Phases: root * root}
	line := weightView(t, vk.ImageViewType1DArray, root*root*8, 1, 2, info, func(x, _, layer int) float32 { return float32((x*7 + layer*3) % 5) })
	place := func(phase, n int) int { return root*4*(n/4) + phase*4 + n%4 }
	full := weightView(t, vk.ImageViewType2DArray, 5, 6, root*root, info, func(x, y, layer int) float32 {
		k, l := place(layer%root, x), place(layer/root, y)
		return float32((k * 7 % 5) * ((l*7 + 3) % 5))
	})
	op := ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}
	for range 300 {
		p := []float32{r.Float32() * 10, r.Float32() * 10}
		s := processSampler(t, edge, true, average)
		a, b := (lane1{op: op, coord: p}).process(line, v, s, nil, nil), (lane1{op: op, coord: p}).process(full, v, s, nil, nil)
		if a[0] != b[0] {
			t.Fatalf("at %v: %v, %v", p, a, b)
		}
	}
}

// Whatever coordinates, blocks and images: nothing panics, and work is bounded.
func TestProcess_Hostile(t *testing.T) {
	v := floats2D(t, 3, 3, 1, 2, 3)
	w := weightView(t, vk.ImageViewType2DArray, 64, 64, 1, resource.WeightImage{Width: 64, Height: 64, Phases: 1}, func(int, int, int) float32 { return 1 })
	for _, x := range []float32{nan, inf, -inf, 3e38, -1e9, 0} {
		for _, kind := range []ir.ImageKind{ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch} {
			for _, block := range [][]uint32{{0, 0}, {1 << 31, 5}, {64, 64}, {one(nan)[0], one(inf)[0]}, {one(-3)[0], one(64)[0]}, {one(1e-30)[0], one(0.1)[0]}} {
				bits := []int32{int32(math.Float32bits(x)), -1}
				for _, second := range []*resource.ImageView{nil, v, w} {
					s := *processSampler(t, border, true, average)
					s.Window = resource.BlockMatchWindow{Width: 3, Height: 2}
					for m := range ir.MatchForm(3) {
						op := ir.ImageOp{Kind: kind, Dim: ir.Dim2D, Match: m}
						lane1{op: op, coord: []float32{x, 1}}.process(second, v, &s, []uint32{1 << 31, 3}, block)
						lane1{op: op, icoord: bits}.process(second, v, &s, []uint32{0, 7}, block)
					}
				}
			}
		}
	}
}
