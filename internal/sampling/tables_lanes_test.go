package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Each lane of a size query has its own level, and levels that the view lacks have no size.
func TestTables_IMG606_SizesOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-605", "IMG-606", "IMG-607", "IMG-611", "IMG-612")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(40, 24, 1), MipLevels: 6, ArrayLayers: 5})
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray), Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 4, BaseArrayLayer: 1, LayerCount: 3}})
	level := func(lane int) int { return []int{0, 3, 1, -1, 2, 4, math.MinInt32, math.MaxInt32, 3}[lane%9] }
	for lane, got := range many(ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D, Arrayed: true}, v, nil, 40, func(lane int) lane1 { return lane1{ilod: int32(level(lane)), hasLod: true} }) {
		want := format.Texel{}
		if l := level(lane); l >= 0 && l < 4 {
			want = format.Texel{uint32(max(40>>(l+1), 1)), uint32(max(24>>(l+1), 1)), 3}
		}
		if got != want {
			t.Errorf("lane %d, level %d: %v, want %v", lane, level(lane), got, want)
		}
	}
}

// Each lane of a quad has the level of detail of its own row and column, whole, halves between two levels, and beyond the last.
func TestTables_IMG609_LevelsOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-397", "IMG-398", "IMG-404", "IMG-425", "IMG-445", "IMG-448", "IMG-460", "IMG-462", "IMG-463", "IMG-609", "IMG-610")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(64, 64, 1), MipLevels: 5})
	v := newView(t, im, resource.ViewDesc{})
	r := rand.New(rand.NewPCG(609, 0))
	for range 400 {
		// Texels along each row and column of a quad; where x and y are alike the length is √2 of them.
		step := func() float64 { return math.Exp2(float64(r.IntN(9) - 2)) }
		rows, columns := [2]float64{step(), step()}, [2]float64{step(), step()}
		both := r.IntN(2) == 0
		op := ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}
		// Coordinates whose differences are these: x along rows, y along columns.
		var x, y [4]float32
		x[0], x[2] = 0, 3
		x[1], x[3] = float32(rows[0]/64), x[2]+float32(rows[1]/64)
		if columns[0] = 0; both { // x along columns, too, which then is as long
			rows[1] = rows[0]
			x = [4]float32{0, float32(rows[0] / 64), 0, float32(rows[0] / 64)}
			y = [4]float32{0, float32(rows[0] / 64), 0, float32(rows[0] / 64)}
		} else {
			x[2] = 0
			x[3] = float32(rows[1] / 64)
			x[1] = float32(rows[0] / 64)
		}
		a := quadArgs(op, x, y)
		for _, linearMips := range []bool{false, true} {
			s := resource.Sampler{MaxLod: 9}
			if linearMips {
				s.MipmapMode = vk.SamplerMipmapModeLinear
			}
			for c := range a.Out {
				a.Out[c] = make([]uint32, 4)
			}
			Run(a, v, newSampler(t, s), 4)
			for lane := range 4 {
				// dx of the lane's row, dy of its column, in texels.
				dx := [2]float64{float64(x[lane|1]-x[lane&^1]) * 64, float64(y[lane|1]-y[lane&^1]) * 64}
				dy := [2]float64{float64(x[lane|2]-x[lane&^2]) * 64, float64(y[lane|2]-y[lane&^2]) * 64}
				rho2 := max(dx[0]*dx[0]+dx[1]*dx[1], dy[0]*dy[0]+dy[1]*dy[1])
				lambda := math.Log2(rho2) / 2 // of a power of two or the sum of two: exact
				if f, _ := math.Frexp(rho2); f != .5 {
					continue
				}
				d := min(max(lambda, 0), 4)
				if !linearMips {
					d = math.Ceil(d+.5) - 1
				}
				got := floats(format.Texel{a.Out[0][lane], a.Out[1][lane]})
				if got[0] != float32(d) || got[1] != float32(lambda) {
					t.Fatalf("lane %d of %v, %v: %v, want %v and %v", lane, x, y, got[:2], d, lambda)
				}
			}
		}
	}
}

// Bounds of levels that lie between two weights of mipmaps, and halfway between two levels, round as levels do.
func TestTables_IMG464_BoundsBetweenWeights(t *testing.T) {
	rules.Covers(t, "IMG-011", "IMG-400", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-460", "IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466", "IMG-556")
	r := rand.New(rand.NewPCG(464, 0))
	v := solid(t, ir.Dim2D, vk.FormatR32Sfloat, func(level, _ int) [4]float32 { return [4]float32{float32(256 * level)} })
	for _, mode := range []vk.SamplerMipmapMode{vk.SamplerMipmapModeNearest, vk.SamplerMipmapModeLinear} {
		for k := 0; k < 1024+3; k += 1 + r.IntN(40) { // halves of 1/256 of a level, and their neighbours
			for _, at := range []float32{float32(k) / 512, math.Nextafter32(float32(k)/512, 9), math.Nextafter32(float32(k)/512, -9)} {
				for _, s := range []resource.Sampler{{MinLod: at, MaxLod: 9}, {MinLod: -9, MaxLod: at}, {MinLod: at, MaxLod: at}, {MinLod: -9, MaxLod: 9}} {
					s.MipmapMode, s.MagFilter, s.MinFilter = mode, linear, linear
					op, x := sampleOp(ir.Dim2D), lane1{coord: []float32{.3, .6}}
					switch {
					case s.MinLod >= 0 || at < 0:
						x.lod = -1
					case s.MaxLod < 9:
						x.lod = 8
					default:
						x.lod = at
					}
					d := max(float64(x.lod), float64(s.MinLod))
					d = min(max(min(d, float64(s.MaxLod)), 0), 2)
					want := float32(256 * (math.Ceil(d+.5) - 1))
					if mode == vk.SamplerMipmapModeLinear {
						want = float32(math.RoundToEven(256 * d))
					}
					if x.op = op; x.red(v, newSampler(t, s)) != want {
						t.Fatalf("%v, bounds %v and %v, level %v: %v, want %v", mode, s.MinLod, s.MaxLod, x.lod, x.red(v, newSampler(t, s)), want)
					}
				}
			}
		}
	}
	// Biases are clamped together, and to 16 exactly: λ = ±(16 − 2.5) before lies halfway between two levels behind.
	big := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(16, 16, 1), MipLevels: 5})
	for level := range 5 {
		l := big.Level(0, level, 0)
		for i := range l.Width * l.Height {
			copy(l.Data[l.Offset(i%l.Width, i/l.Width, 0, 0):], float32Bytes(float32(level)))
		}
	}
	for _, c := range []struct {
		exponent      float64 // of a derivative along both x and y, in texels: λ is half more
		sampler, bias float32
		want          float32
	}{{-14, 0, 16, 2}, {-14, 16, 16, 2}, {-14, 16, 0, 2}, {-14, 9, 9, 2}, {-14, 15, 1, 2}, {-14, 16, -1, 1}, {18, 0, -16, 2}, {18, -16, -16, 2}, {18, -9, -9, 2}, {18, -15, -2, 2}, {18, -16, 1, 3}} {
		op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodBias}
		d := float32(math.Exp2(c.exponent) / 16)
		a := quadArgs(op, [4]float32{0, d, 0, d}, [4]float32{0, d, 0, d})
		b := one(c.bias)[0]
		a.Lod = []uint32{b, b, b, b}
		both(a, newView(t, big, resource.ViewDesc{}), newSampler(t, resource.Sampler{MaxLod: 9, MipLodBias: c.sampler}), 4)
		for lane := range 4 {
			if got := math.Float32frombits(a.Out[0][lane]); got != c.want {
				t.Errorf("2^%v texels, biases %v and %v, lane %d: level %v, want %v", c.exponent, c.sampler, c.bias, lane, got, c.want)
			}
		}
	}
}

// Texel buffers of any length, none included, in every lane: what is outside reads as a missing texel and is not written.
func TestTables_IMG302_ElementsOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-302", "IMG-305", "IMG-321", "IMG-578", "IMG-607")
	for _, f := range []vk.Format{vk.FormatR32Uint, vk.FormatR64Uint, vk.FormatR8Unorm, vk.FormatR32G32B32A32Sfloat} {
		info := mustInfo(f)
		for k := range 8 {
			length, shift := k/2, k%2 // neighbours ask for the same element, or do not
			data := make([]byte, length*info.BlockBytes+info.BlockBytes-1)
			for i := range data {
				data[i] = byte(i*7 + 1)
			}
			b, err := resource.NewBufferView(f, data)
			if err != nil {
				t.Fatal(err)
			}
			const n = 12
			element := func(lane int) int { return []int{0, 0, 1, 2, 3, 4, -1, math.MinInt32, 2, 2, 1, 0, 3}[lane+shift] }
			args := func(kind ir.ImageKind) *Args {
				a := &Args{Op: &ir.ImageOp{Kind: kind, Dim: ir.DimBuffer, Wide: f == vk.FormatR64Uint && kind != ir.ImageQuerySize}}
				if info.Class == format.ClassUint {
					a.Op.Result = ir.ClassUint
				}
				a.Coord[0] = make([]uint32, n)
				for c := range a.Out {
					a.Out[c], a.Texel[c] = make([]uint32, n), make([]uint32, n)
				}
				for lane := range n {
					a.Coord[0][lane] = uint32(int32(element(lane)))
				}
				return a
			}
			a := args(ir.ImageQuerySize)
			RunBuffer(a, b, 0, n)
			if slices.ContainsFunc(a.Out[0], func(x uint32) bool { return x != uint32(length) }) {
				t.Errorf("%v, %d elements: sizes %v", f, length, a.Out[0])
			}
			a = args(ir.ImageFetch)
			RunBuffer(a, b, 0, n)
			for lane := range n {
				i, bytes := element(lane), make([]byte, 16)
				in := i >= 0 && i < length
				if in {
					copy(bytes, data[i*info.BlockBytes:][:info.BlockBytes])
				}
				word := func(k int) uint32 {
					return uint32(bytes[4*k]) | uint32(bytes[4*k+1])<<8 | uint32(bytes[4*k+2])<<16 | uint32(bytes[4*k+3])<<24
				}
				var want format.Texel
				switch f {
				case vk.FormatR32Uint:
					want = format.Texel{word(0), 0, 0, 1}
				case vk.FormatR64Uint: // both words, what components are the number, and which are one
					want = format.Texel{word(0), word(1), 1, 8}
				case vk.FormatR8Unorm:
					want = format.Texel{one(float32(float64(bytes[0]) / 255))[0], 0, 0, one(1)[0]}
				default:
					want = format.Texel{word(0), word(1), word(2), word(3)}
				}
				got := format.Texel{a.Out[0][lane], a.Out[1][lane], a.Out[2][lane], a.Out[3][lane]}
				if got != want {
					t.Errorf("%v, %d elements, lane %d, element %d: %x, want %x", f, length, lane, i, got, want)
				}
			}
			if a.Op.Wide {
				continue
			}
			before := slices.Clone(data)
			a = args(ir.ImageWrite)
			for lane := range n {
				for c := range a.Texel {
					a.Texel[c][lane] = one(1)[0]
				}
			}
			RunBuffer(a, b, 0, n)
			for i := range data {
				at := i / info.BlockBytes
				written := at < length && slices.ContainsFunc([]int{0, 1, 2, 3}, func(e int) bool { return e == at })
				if !written && data[i] != before[i] {
					t.Errorf("%v, %d elements: byte %d is %#x", f, length, i, data[i])
				}
			}
		}
	}
}

// Boxes have up to 64 texels either way; of what is larger, none at all, or no number, nothing is left.
func TestTables_IMG185_SizesOfBoxes(t *testing.T) {
	rules.Covers(t, "IMG-185", "IMG-660", "IMG-661", "IMG-662", "IMG-663", "IMG-664", "IMG-665")
	v := floats2D(t, 2, 2, 3, 3, 3, 3)
	x := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: []float32{1, 1}}
	for size, want := range map[float32]float32{1: 3, 1.5: 3, 63.5: 3, 64: 3, math.Nextafter32(64, 99): 0, 65: 0, 0: 0, -1: 0, inf: 0, -inf: 0} {
		for d := range 2 {
			block := []uint32{one(1)[0], one(1)[0]}
			block[d] = one(size)[0]
			if got := x.process(nil, v, processSampler(t, edge, true, average), nil, block)[0]; got != want {
				t.Errorf("%v along %d: %v, want %v", size, d, got, want)
			}
			block[d] = one(nan)[0]
			if got := x.process(nil, v, processSampler(t, edge, true, average), nil, block); got != [4]float32{} {
				t.Errorf("no number along %d: %v", d, got)
			}
		}
	}
}

// A block match on depth has the component that depth is.
func TestTables_IMG672_DifferencesOfDepths(t *testing.T) {
	rules.Covers(t, "IMG-072", "IMG-671", "IMG-672", "IMG-673")
	view := func(f vk.Format, x float32) *resource.ImageView {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(1, 1, 1)})
		setFloat(im, 0, 0, 0, 0, x)
		return newView(t, im, resource.ViewDesc{})
	}
	for _, f := range []vk.Format{vk.FormatD32Sfloat, vk.FormatR32Sfloat} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{0, 0}}
		if got := x.process(view(f, .25), view(f, 1), processSampler(t, edge, true, average), []uint32{0, 0}, []uint32{1, 1}); got != [4]float32{.75, 0, 0, 1} {
			t.Errorf("%v: %v", f, got)
		}
	}
}

// Footprints of few probes: k of them lie four texels apart, each in the middle of one texel.
func TestTables_IMG639_FootprintsOfFewProbes(t *testing.T) {
	rules.Covers(t, "IMG-561", "IMG-630", "IMG-633", "IMG-634", "IMG-635", "IMG-636", "IMG-637", "IMG-638", "IMG-639")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(256, 256, 1)})
	v := newView(t, im, resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, AnisotropyEnable: true, MaxAnisotropy: 16})
	for k := 1; k <= 16; k++ {
		for d := range 2 {
			at := [2]int{100, 77}
			x := lane1{op: ir.ImageOp{Kind: ir.ImageFootprint, Dim: ir.Dim2D, Granularity: 1, Lod: ir.LodGrad}, dx: []float32{0, 0}, dy: []float32{0, 0}}
			x.dx[d], x.dy[1-d] = float32(4*k)/256, 4./256
			for i := range at {
				x.coord = append(x.coord, (float32(at[i])+.5)/256)
			}
			var texels [][3]int
			for i := range k { // IMG-561
				p := [3]int{at[0], at[1]}
				p[d] += 4*i - 2*(k-1)
				texels = append(texels, p)
			}
			want := map[[3]int]bool{}
			got := footprintParts(v, s, x)
			code := max(int(got.Granularity), 1)
			size, ok := map[int][3]int{1: {2, 2, 1}, 2: {4, 2, 1}, 3: {4, 4, 1}, 4: {8, 4, 1}, 5: {8, 8, 1}, 6: {16, 8, 1}, 7: {16, 16, 1}}[code]
			if !ok {
				t.Fatalf("%d probes along %d: granularity %d", k, d, code)
			}
			for _, p := range texels {
				want[[3]int{p[0] / size[0] * size[0], p[1] / size[1] * size[1]}] = true
			}
			groups := decode(ir.Dim2D, 1, got)
			for p := range want {
				if !groups[p] {
					t.Errorf("%d probes along %d: the group at %v is missing in %+v", k, d, p, got)
				}
			}
			if len(groups) != len(want) {
				t.Errorf("%d probes along %d: %d groups, want %d", k, d, len(groups), len(want))
			}
		}
	}
}

// Conversions that change no code may take each component from one, zero or another.
func TestTables_IMG353_ComponentsOfConversions(t *testing.T) {
	rules.Covers(t, "IMG-351", "IMG-352", "IMG-353", "IMG-362")
	im := imageOf(t, vk.FormatR8G8B8A8Unorm, 1, 1, rgba(51./255, 102./255, 153./255, 204./255))
	v := newView(t, im, resource.ViewDesc{})
	from := map[vk.ComponentSwizzle]float32{vk.ComponentSwizzleR: 51. / 255, vk.ComponentSwizzleG: 102. / 255, vk.ComponentSwizzleB: 153. / 255, vk.ComponentSwizzleA: 204. / 255, vk.ComponentSwizzleZero: 0, vk.ComponentSwizzleOne: 1}
	for _, rng := range []vk.SamplerYcbcrRange{vk.SamplerYcbcrRangeItuFull, vk.SamplerYcbcrRangeItuNarrow} {
		for c := range 4 {
			for s, x := range from {
				m := [4]vk.ComponentSwizzle{}
				m[c] = s
				conv := resource.YcbcrConversion{Format: vk.FormatR8G8B8A8Unorm, Range: rng, Components: vk.ComponentMapping{R: m[0], G: m[1], B: m[2], A: m[3]}}
				want := [4]float32{51. / 255, 102. / 255, 153. / 255, 204. / 255}
				want[c] = x
				if got := floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}.run(v, ycbcrSampler(t, nearest, conv))); got != want {
					t.Errorf("%v, component %d from %v: %v, want %v", rng, c, s, got, want)
				}
			}
		}
	}
}

// What an instruction tells of a lane it tells of each of a quad.
func TestTables_IMG605_AccountsOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-032", "IMG-605", "IMG-606", "IMG-607", "IMG-609", "IMG-610")
	v := newView(t, imageL3(t), resource.ViewDesc{})
	cube := sampleOp(ir.DimCube) // of a view that has one layer
	s := newSampler(t, resource.Sampler{MaxLod: 9})
	b, err := resource.NewBufferView(vk.FormatR32Uint, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := resource.NewBufferView(vk.FormatR64Uint, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	for lane := range 4 {
		for name, c := range map[string]struct {
			op   ir.ImageOp
			lod  []uint32
			of   *resource.BufferView
			rule string
			want string
		}{
			"size":            {ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D}, []uint32{0, 1, 2, 1}, nil, "IMG-605", fmt.Sprint("the size of level ", []int{0, 1, 2, 1}[lane])},
			"no size":         {ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D}, []uint32{3, 4, 5, 6}, nil, "IMG-606", fmt.Sprintf("the view has no level %d: zeros", 3+lane)},
			"level of detail": {ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}, nil, nil, "IMG-609", "level 0, λ′ = 0"},
			"misfit":          {cube, []uint32{0, 0, 0, 0}, nil, "IMG-002", "the view does not fit the instruction, and nothing of it can be read: zeros"},
			"element":         {ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer, Result: ir.ClassUint}, nil, b, "IMG-032", fmt.Sprintf("element %d of 4", lane)},
			"wide element":    {ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer, Result: ir.ClassUint, Wide: true}, nil, wide, "IMG-032", fmt.Sprintf("element %d of 4", lane)},
		} {
			a := quadArgs(c.op, [4]float32{0, .25, 0, .25}, [4]float32{0, 0, .25, .25}, [4]float32{})
			a.Lod, a.Trace, a.Mask = c.lod, new(Trace), make([]uint32, 4)
			a.Mask[lane] = 1
			if c.of != nil {
				a.Coord[0] = []uint32{0, 1, 2, 3}
				RunBuffer(a, c.of, 0, 4)
			} else {
				Run(a, v, s, 4)
			}
			found := false
			for _, step := range a.Trace.Steps {
				found = found || step.Rule == c.rule && step.Text == c.want
			}
			if !found {
				t.Errorf("%s, lane %d: %v, want %s %q", name, lane, a.Trace.Steps, c.rule, c.want)
			}
		}
	}
}

// What a size query of an image of weights tells of each lane.
func TestTables_IMG611_AccountsOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-607", "IMG-611")
	weights := weightView(t, vk.ImageViewType2DArray, 5, 3, 4, resource.WeightImage{Width: 5, Height: 3, Phases: 4}, func(int, int, int) float32 { return 1 })
	for lane := range 4 {
		a := quadArgs(ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D, Arrayed: true}, [4]float32{}, [4]float32{})
		a.Trace, a.Mask = new(Trace), make([]uint32, 4)
		a.Mask[lane] = 1
		Run(a, weights, nil, 4)
		if got := [3]uint32{a.Out[0][lane], a.Out[1][lane], a.Out[2][lane]}; got != [3]uint32{5, 3, 4} {
			t.Errorf("lane %d: %v", lane, got)
		}
		told := 0
		for _, step := range a.Trace.Steps {
			if step.Rule == "IMG-607" && step.Text == "the size of the first level" {
				told++
			}
		}
		if told != 1 {
			t.Errorf("lane %d: %v", lane, a.Trace.Steps)
		}
	}
}

// The reference of a comparison stays what it is where the format is not normalized, the sign of a zero included, and is
// clamped where it is.
func TestTables_IMG312_ReferenceOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-312")
	s := newSampler(t, resource.Sampler{CompareEnable: true, CompareOp: vk.CompareOpLessOrEqual})
	negative := float32(math.Copysign(0, -1))
	for f, want := range map[vk.Format]map[float32]string{
		vk.FormatD32Sfloat: {negative: "reference -0 LESS_OR_EQUAL 0: 1", -2: "reference -2 LESS_OR_EQUAL 0: 1", 2: "reference 2 LESS_OR_EQUAL 0: 0"},
		vk.FormatD16Unorm:  {-2: "reference 0 LESS_OR_EQUAL 0: 1", 2: "reference 1 LESS_OR_EQUAL 0: 0"},
	} {
		v := newView(t, imageOf(t, f, 1, 1), resource.ViewDesc{})
		for dref, text := range want {
			for lane := range 4 {
				op := sampleOp(ir.Dim2D)
				op.Dref = true
				a := quadArgs(op, [4]float32{}, [4]float32{})
				a.Dref, a.Trace, a.Mask = slices.Repeat([]uint32{math.Float32bits(dref)}, 4), new(Trace), make([]uint32, 4)
				a.Mask[lane] = 1
				Run(a, v, s, 4)
				if !slices.ContainsFunc(a.Trace.Steps, func(s Step) bool { return s.Text == text }) {
					t.Errorf("%v, lane %d: %v, want %q", f, lane, a.Trace.Steps, text)
				}
			}
		}
	}
}
