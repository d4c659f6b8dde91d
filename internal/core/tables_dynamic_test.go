package core

import (
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Dynamic and static state by tables: every element of every list, and floats bit by bit.

// A listState is a dynamic state with an element for each viewport, attachment or rectangle.
type listState struct {
	s       vk.DynamicState
	limit   int
	first   bool                                           // the first element's number is in front
	words   func(v uint32) []uint32                        // of an element of value v, below 1000
	set     func(s *render.DynamicState, at int, v uint32) // what they set
	counted func(s *render.DynamicState, end int)
}

var listStates = []listState{
	{vk.DynamicStateViewport, 16, false, func(v uint32) []uint32 {
		f := math.Float32bits
		x := float32(v)
		return []uint32{f(x), f(x + 1), f(x + 2), f(x + 3), f(x + 4), f(x + 5)}
	}, func(s *render.DynamicState, at int, v uint32) {
		x := float32(v)
		s.Viewports[at] = vk.Viewport{X: x, Y: x + 1, Width: x + 2, Height: x + 3, MinDepth: x + 4, MaxDepth: x + 5}
	}, func(s *render.DynamicState, end int) { s.ViewportCount = end }},
	{vk.DynamicStateScissor, 16, false, rectangleWords, func(s *render.DynamicState, at int, v uint32) { s.Scissors[at] = rectangleOf(v) }, nil},
	{vk.DynamicStateDiscardRectangleEXT, 16, true, rectangleWords, func(s *render.DynamicState, at int, v uint32) { s.DiscardRectangles[at] = rectangleOf(v) },
		func(s *render.DynamicState, end int) { s.DiscardCount = end }},
	{vk.DynamicStateExclusiveScissorNV, 16, true, rectangleWords, func(s *render.DynamicState, at int, v uint32) { s.ExclusiveScissors[at] = rectangleOf(v) }, nil},
	{vk.DynamicStateExclusiveScissorEnableNV, 16, true, func(uint32) []uint32 { return []uint32{1} },
		func(s *render.DynamicState, at int, v uint32) { s.ExclusiveEnable |= 1 << at }, nil},
	{vk.DynamicStateViewportSwizzleNV, 16, true, func(v uint32) []uint32 { return []uint32{v % 8, (v + 1) % 8, (v + 2) % 8, (v + 3) % 8} },
		func(s *render.DynamicState, at int, v uint32) {
			of := func(k uint32) vk.ViewportCoordinateSwizzleNV { return vk.ViewportCoordinateSwizzleNV((v + k) % 8) }
			s.ViewportSwizzle[at] = vk.ViewportSwizzleNV{X: of(0), Y: of(1), Z: of(2), W: of(3)}
		}, nil},
	{vk.DynamicStateViewportWScalingNV, 16, true, func(v uint32) []uint32 {
		return []uint32{math.Float32bits(float32(v)), math.Float32bits(-float32(v) - .5)}
	}, func(s *render.DynamicState, at int, v uint32) {
		s.WScaling[at] = vk.ViewportWScalingNV{Xcoeff: float32(v), Ycoeff: -float32(v) - .5}
	}, nil},
	{vk.DynamicStateViewportShadingRatePaletteNV, 16, true, func(v uint32) []uint32 { // of 1 to 16 entries
		words := []uint32{v%16 + 1}
		for k := range v%16 + 1 {
			words = append(words, (v+k)%12)
		}
		return words
	}, func(s *render.DynamicState, at int, v uint32) {
		s.Palettes[at] = rates.Palette{N: uint8(v%16 + 1)}
		for k := range v%16 + 1 {
			s.Palettes[at].Entries[k] = uint8((v + k) % 12)
		}
	}, nil},
	{vk.DynamicStateColorBlendEnableEXT, 16, true, func(uint32) []uint32 { return []uint32{1} },
		func(s *render.DynamicState, at int, v uint32) { s.Blend[at].BlendEnable = true }, nil},
	{vk.DynamicStateColorWriteMaskEXT, 16, true, func(v uint32) []uint32 { return []uint32{v%15 + 1} },
		func(s *render.DynamicState, at int, v uint32) {
			s.Blend[at].ColorWriteMask = vk.ColorComponentFlags(v%15 + 1)
		}, nil},
	{vk.DynamicStateColorBlendEquationEXT, 16, true, func(v uint32) []uint32 {
		return []uint32{v%18 + 1, (v+1)%18 + 1, v%4 + 1, (v+2)%18 + 1, (v+3)%18 + 1, (v+1)%4 + 1}
	}, func(s *render.DynamicState, at int, v uint32) {
		f := func(k uint32) vk.BlendFactor { return vk.BlendFactor((v+k)%18 + 1) }
		s.Blend[at] = vk.PipelineColorBlendAttachmentState{SrcColorBlendFactor: f(0), DstColorBlendFactor: f(1), ColorBlendOp: vk.BlendOp(v%4 + 1),
			SrcAlphaBlendFactor: f(2), DstAlphaBlendFactor: f(3), AlphaBlendOp: vk.BlendOp((v+1)%4 + 1)}
	}, nil},
	{vk.DynamicStateColorBlendAdvancedEXT, 16, true, func(v uint32) []uint32 {
		return []uint32{uint32(vk.BlendOpZeroEXT) + v%46, v % 2, v / 2 % 2, v % 3, v / 4 % 2}
	}, func(s *render.DynamicState, at int, v uint32) {
		op := vk.BlendOpZeroEXT + vk.BlendOp(v%46)
		s.Blend[at].ColorBlendOp, s.Blend[at].AlphaBlendOp = op, op
		s.Advanced[at] = fragops.AdvancedBlend{SrcStraight: v%2 == 0, DstStraight: v/2%2 == 0, Overlap: vk.BlendOverlapEXT(v % 3), ClampResults: v/4%2 != 0}
	}, nil},
}

func rectangleWords(v uint32) []uint32 { return []uint32{v, ^v, v + 2, v + 3} }

func rectangleOf(v uint32) vk.Rect2D {
	return vk.Rect2D{Offset: vk.Offset2D{X: int32(v), Y: -1 - int32(v)}, Extent: vk.Extent2D{Width: v + 2, Height: v + 3}}
}

// Commands set each element that they name and no other, from each first one on; so do pipelines that
// made the state dynamic.
func TestTables_RAS040_EveryElement(t *testing.T) {
	rules.Covers(t, "RAS-020", "RAS-028", "RAS-040", "RAS-041", "RAS-043")
	for _, l := range listStates {
		m, ok := dynOf(l.s)
		if !ok {
			t.Fatalf("%v is unknown", l.s)
		}
		for first := range l.limit {
			if first > 0 && !l.first {
				break
			}
			for n := 1; first+n <= l.limit; n++ {
				var words []uint32
				var want, got, merged render.DynamicState
				if l.first {
					words = append(words, uint32(first))
				}
				for i := range n {
					v := uint32(37*first + 11*i + n)
					words = append(words, l.words(v)...)
					l.set(&want, first+i, v)
				}
				if l.counted != nil {
					l.counted(&want, first+n)
				}
				if m.apply(&got, words); got != want {
					t.Fatalf("%v, %d elements from %d on: %+v, want %+v", l.s, n, first, got, want)
				}
				if m.merge(&merged, &got); merged != want {
					t.Fatalf("%v, %d elements from %d on, in a pipeline: %+v, want %+v", l.s, n, first, merged, want)
				}
			}
		}
	}
	// Exclusive scissors go off one by one.
	m, _ := dynOf(vk.DynamicStateExclusiveScissorEnableNV)
	for at := range uint32(16) {
		s := render.DynamicState{ExclusiveEnable: 0xffff}
		if m.apply(&s, []uint32{at, 0}); s.ExclusiveEnable != 0xffff&^(1<<at) {
			t.Errorf("exclusive scissor %d off: %#x are on", at, s.ExclusiveEnable)
		}
	}
}

// Floats of commands come through bit by bit: zeros of either sign, NaN, the smallest and the largest.
func TestTables_RAS036_FloatsBitByBit(t *testing.T) {
	rules.Covers(t, "RAS-029", "RAS-035", "RAS-036", "RAS-037", "RAS-040", "RAS-042", "RAS-043", "RAS-044")
	type state = render.DynamicState
	bits := []uint32{0, 1 << 31, 1, 1<<31 | 1, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345}
	for _, c := range []struct {
		s    vk.DynamicState
		n    int      // floats
		head []uint32 // words before them
		tail []uint32
		of   func(*state) []float32
	}{
		{vk.DynamicStateLineWidth, 1, nil, nil, func(s *state) []float32 { return []float32{s.LineWidth} }},
		{vk.DynamicStateDepthBias, 3, nil, []uint32{0, 0}, func(s *state) []float32 { return []float32{s.DepthBiasConstant, s.DepthBiasClamp, s.DepthBiasSlope} }},
		{vk.DynamicStateDepthClampRangeEXT, 2, []uint32{1}, nil, func(s *state) []float32 { return s.DepthClampRange[:] }},
		{vk.DynamicStateExtraPrimitiveOverestimationSizeEXT, 1, nil, nil, func(s *state) []float32 { return []float32{s.ExtraOverestimation} }},
		{vk.DynamicStateViewport, 6, nil, nil, func(s *state) []float32 {
			v := s.Viewports[0]
			return []float32{v.X, v.Y, v.Width, v.Height, v.MinDepth, v.MaxDepth}
		}},
		{vk.DynamicStateViewportWScalingNV, 2, []uint32{3}, nil, func(s *state) []float32 { return []float32{s.WScaling[3].Xcoeff, s.WScaling[3].Ycoeff} }},
		{vk.DynamicStateDepthBounds, 2, nil, nil, func(s *state) []float32 { return []float32{s.MinDepthBounds, s.MaxDepthBounds} }},
		{vk.DynamicStateBlendConstants, 4, nil, nil, func(s *state) []float32 { return s.BlendConstants[:] }},
		{vk.DynamicStateCoverageModulationTableNV, MaxSamples, nil, nil, func(s *state) []float32 { return s.CoverageTable[:] }},
	} {
		m, _ := dynOf(c.s)
		for start := range bits {
			words := slices.Clone(c.head)
			var want []uint32
			for i := range c.n {
				want = append(want, bits[(start+i)%len(bits)])
			}
			words = append(append(words, want...), c.tail...)
			var set, merged state
			m.apply(&set, words)
			m.merge(&merged, &set)
			for _, s := range []*state{&set, &merged} {
				for i, f := range c.of(s) {
					if got := math.Float32bits(f); got != want[i] {
						t.Errorf("%v: number %d is %#x, want %#x", c.s, i, got, want[i])
					}
				}
			}
		}
	}
	// A table has the factors that were given, from 1 to 64.
	m, _ := dynOf(vk.DynamicStateCoverageModulationTableNV)
	for n := 1; n <= MaxSamples; n++ {
		s := state{CoverageTableCount: MaxSamples}
		var want [MaxSamples]float32
		var words []uint32
		for i := range s.CoverageTable {
			s.CoverageTable[i] = 9
		}
		for i := range n {
			want[i] = float32(i+1) / 128
			words = append(words, math.Float32bits(want[i]))
		}
		if m.apply(&s, words); s.CoverageTable != want || int(s.CoverageTableCount) != n {
			t.Errorf("a table of %d: %v, %d", n, s.CoverageTable, s.CoverageTableCount)
		}
	}
}

// Sample locations of every number of samples and every grid, static and by a command: the pixel's row and column in the
// grid select its samples, in 256ths of a pixel.
func TestTables_RAS026_EveryGrid(t *testing.T) {
	rules.Covers(t, "RAS-026")
	d := open(t)
	for _, samples := range []vk.SampleCountFlags{1, 2, 4, 8, 16} {
		for _, w := range []int{1, 2, 4} {
			for _, h := range []int{1, 2, 4} {
				n := int(samples)
				l := SampleLocations{Samples: samples, Grid: vk.Extent2D{Width: uint32(w), Height: uint32(h)}}
				code := func(k int) (x, y int32) { return int32(7*k+3) % 256, int32(11*k+5) % 256 }
				for k := range n * w * h {
					x, y := code(k)
					l.Locations = append(l.Locations, vk.SampleLocationEXT{X: float32(x) / 256, Y: float32(y) / 256})
				}
				c := d.NewCommandBuffer()
				c.SetSampleLocations(l)
				c.SetState(vk.DynamicStateSampleLocationsEnableEXT, 1)
				r := &runner{dev: &Device{}, bindings: newBindings(nil)}
				if err := r.run(ctx, c.words); err != nil || c.Err() != nil {
					t.Fatal(err, c.Err())
				}
				for _, dynamic := range []bool{false, true} {
					p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) {
						i.Multisample.RasterizationSamples = samples
						if i.DynamicStates = []vk.DynamicState{vk.DynamicStateSampleLocationsEXT, vk.DynamicStateSampleLocationsEnableEXT}; !dynamic {
							i.DynamicStates, i.SampleLocations, i.SampleLocationsEnable = nil, &l, true
						}
					})
					s := r.resolve(p)
					if !s.SampleLocationsEnable || s.SampleLocations == nil {
						t.Fatalf("dynamic %v: %+v", dynamic, s.SampleLocations)
					}
					wantLocations(t, s.SampleLocations, n, w, h, code)
				}
			}
		}
	}
}

func wantLocations(t *testing.T, set *raster.SampleSet, n, w, h int, code func(int) (x, y int32)) {
	t.Helper()
	for py := range 9 {
		for px := range 9 {
			at := set.Of(int32(px), int32(py))
			for i := range n {
				if x, y := code((py%h*w+px%w)*n + i); at.N != n || at.X[i] != x || at.Y[i] != y {
					t.Fatalf("a grid of %d×%d, sample %d of %d of pixel %d,%d: %d,%d, want %d,%d", w, h, i, n, px, py, at.X[i], at.Y[i], x, y)
				}
			}
		}
	}
}

// The bounds of viewports: -65536 and 65535 are in, for each end of each axis, and the next numbers are not.
func TestTables_RAS007_ViewportBounds(t *testing.T) {
	rules.Covers(t, "RAS-007")
	d := open(t)
	l := d.Limits()
	if l.ViewportBoundsRange != [2]float32{-65536, 65535} || l.PointSizeRange != [2]float32{1. / 128, 8192} || l.LineWidthRange != [2]float32{1. / 128, 1024} {
		t.Errorf("limits %v, %v, %v", l.ViewportBoundsRange, l.PointSizeRange, l.LineWidthRange)
	}
	const most = 65535
	nan := float32(math.NaN())
	for _, c := range []struct {
		at, size float32
		ok       bool
	}{
		{-65536, 1, true}, {math.Nextafter32(-65536, -1e9), 1, false}, {math.Nextafter32(-65536, 0), 1, true},
		{most - 1, 1, true}, {most - .5, .5, true}, {most - 1, math.Nextafter32(1, 2), true}, // rounded to the bound
		{most - 1, 1.0078125, false}, {math.Nextafter32(most, 1e9), .0009765625, false}, {most, .0078125, false}, {most, math.SmallestNonzeroFloat32, true}, {65536, 1, false},
		{nan, 1, false}, {float32(math.Inf(1)), 1, false}, {float32(math.Inf(-1)), 1, false}, {-65536, 32768, true}, {0, 1, true},
	} {
		for axis := range 2 {
			v := vk.Viewport{Width: 1, Height: 1, MaxDepth: 1}
			if axis == 0 {
				v.X, v.Width = c.at, c.size
			} else {
				v.Y, v.Height = c.at, c.size
			}
			b := d.NewCommandBuffer()
			b.SetViewport([]vk.Viewport{v})
			if want := "VUID-VkViewport-x-01774"; c.ok && b.Err() != nil || !c.ok && rule(b.Err()) != want {
				t.Errorf("axis %d, from %v on, %v: %v", axis, c.at, c.size, b.Err())
			}
		}
	}
	// Of a height below zero the upper end is the lower one.
	for at, ok := range map[float32]bool{-65535: true, -65536: false, most: true, 65536: false} {
		b := d.NewCommandBuffer()
		b.SetViewport([]vk.Viewport{{Y: at, Width: 1, Height: -1, MaxDepth: 1}})
		if (b.Err() == nil) != ok {
			t.Errorf("from %v up: %v", at, b.Err())
		}
	}
}
