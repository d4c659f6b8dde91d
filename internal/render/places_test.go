package render

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Which states are shaded in places, and in how many shares of a pixel's samples.
func TestPlaces_States(t *testing.T) {
	reads := func(builtin ir.Builtin, typ ir.Type) func(s *scene) {
		return func(s *scene) {
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
				if builtin == ir.BuiltinFragDepth {
					p.Outputs = append(p.Outputs, inout(builtin, 0, 0, typ))
					b.OpImm(ir.OpOutput, ir.Void, 4, color[0])
					return
				}
				p.Inputs = append(p.Inputs, inout(builtin, 0, 0, typ))
				v := b.OpImm(ir.OpInput, typ, uint64(len(p.Inputs)-1))
				switch typ {
				case ir.I32:
					v = b.Op(ir.OpS2F, ir.F32, v)
				case ir.Bool:
					v = b.Op(ir.OpSelect, ir.F32, v, b.F32(1), b.F32(0))
				}
				b.OpImm(ir.OpOutput, ir.Void, 0, v)
			})
		}
	}
	tested := func(s *scene) {
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	}
	shaded := func(invocations int) func(s *scene) {
		return func(s *scene) {
			s.state.SampleShadingOn, s.state.SampleShadingEnable, s.state.SampleInvocations = true, true, invocations
		}
	}
	both := func(a, b func(s *scene)) func(s *scene) { return func(s *scene) { a(s); b(s) } }
	centred := func(s *scene) {
		for i := range s.fs.Inputs {
			s.fs.Inputs[i].Aux = ir.AtCentroid
		}
	}
	interpolated := func(s *scene) {
		s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
			for mode := range uint64(3) {
				args := [][]ir.Value{nil, {b.I32(1)}, {color[1], color[2]}}[mode]
				b.OpImm(ir.OpOutput, ir.Void, mode, b.OpImm(ir.OpInterpolateAt, ir.F32, (mode+1)<<32, args...))
			}
		})
	}
	overrides := func(s *scene) {
		s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
			p.OverrideCoverage = true
			p.Outputs = append(p.Outputs, inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.I32(6))
		})
	}
	grid := func(s *scene) {
		s.state.SampleLocationsEnable = true
		s.state.SampleLocations = raster.CustomSamples(4, 2, 1, make([][2]float32, 8))
	}
	small := func(s *scene) { // two pixels have a word, and the last one of a row has half of one
		s.pass.Color = []Attachment{{View: newView(t, vk.FormatR8G8Unorm, 16, 16, 1, 1), Load: vk.AttachmentLoadOpClear}}
		s.state.Blend[0].BlendEnable = false
	}
	for name, c := range map[string]struct {
		samples, shares int // 0: quads
		make            func(s *scene)
	}{
		"plain":                              {1, 1, func(*scene) {}},
		"two samples":                        {2, 2, shaded(2)},
		"sixteen samples":                    {16, 16, shaded(16)},
		"three shares of eight":              {8, 3, shaded(3)},
		"two shares of sixteen":              {16, 2, shaded(2)},
		"sixteen at once":                    {16, 1, func(*scene) {}},
		"late tests of shares":               {16, 16, both(shaded(16), both(tested, func(s *scene) { s.state.AlphaToCoverageEnable = true }))},
		"larger fragments":                   {4, 1, both(tested, func(s *scene) { s.state.ShadingRate = sized(2, 4) })},
		"larger, of small texels":            {1, 1, both(small, func(s *scene) { s.state.ShadingRate = sized(2, 4) })},
		"larger, of one column":              {1, 1, both(small, func(s *scene) { s.state.ShadingRate = sized(1, 2) })},
		"larger, of words":                   {1, 1, func(s *scene) { s.state.ShadingRate = sized(2, 4) }},
		"masks after the depth test, larger": {4, 1, both(tested, both(reads(ir.BuiltinSampleMask, ir.I32), func(s *scene) { s.state.ShadingRate = sized(2, 4) }))},
		"masks of larger fragments":          {4, 1, both(reads(ir.BuiltinSampleMask, ir.I32), func(s *scene) { s.state.ShadingRate = sized(2, 4) })},
		"fragments of each size": {4, 1, both(reads(ir.BuiltinSampleMask, ir.I32), func(s *scene) {
			rateMap := newView(t, vk.FormatR8Uint, 2, 2, 1, 1)
			copy(rateMap.Level(0, 0).Data, []byte{0, 5})
			s.pass.Rate = &rates.Attachment{View: rateMap, Texel: vk.Extent2D{Width: 8, Height: 8}}
			s.state.RateCombiners[1] = vk.FragmentShadingRateCombinerOpReplaceKHR
		})},
		"a density map": {4, 4, func(s *scene) {
			s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 127} }), Framebuffer: s.pass.Area.Extent}
			s.state.SampleShadingEnable = true
		}},
		"locations of each pixel":     {2, 1, both(tested, inGrid)},
		"written depth":               {4, 1, both(tested, reads(ir.BuiltinFragDepth, ir.F32))},
		"interlock":                   {4, 1, both(tested, func(s *scene) { s.fs.Interlocked = true })},
		"PointCoord":                  {4, 1, reads(ir.BuiltinPointCoord, ir.F32)},
		"SampleID":                    {4, 4, both(shaded(4), reads(ir.BuiltinSampleID, ir.I32))},
		"SamplePosition":              {4, 4, both(shaded(4), reads(ir.BuiltinSamplePosition, ir.F32))},
		"SampleMask":                  {4, 1, reads(ir.BuiltinSampleMask, ir.I32)},
		"SampleMask after depth test": {4, 1, both(tested, reads(ir.BuiltinSampleMask, ir.I32))},
		"discard rectangles": {4, 1, both(tested, func(s *scene) {
			s.state.DiscardEnable, s.state.DiscardCount = true, 1
		})},
		"fewer colour samples": {8, 1, both(tested, func(s *scene) {
			s.pass.Color[0].View = newView(t, vk.FormatR8G8B8A8Unorm, 16, 16, 2, 1)
		})},
		"coverage modulation": {8, 1, func(s *scene) {
			s.pass.Color[0].View = newView(t, vk.FormatR8G8B8A8Unorm, 16, 16, 2, 1)
			s.pass.Samples, s.state.CoverageModulation = 8, vk.CoverageModulationModeRgbNV
		}},
		"coverage modulation of shares": {8, 4, both(shaded(4), func(s *scene) {
			s.pass.Color[0].View = newView(t, vk.FormatR8G8B8A8Unorm, 16, 16, 2, 1)
			s.pass.Samples, s.state.CoverageModulation = 8, vk.CoverageModulationModeRgbNV
			s.state.CoverageReduction = vk.CoverageReductionModeMergeNV
		})},
		"advanced blending": {4, 1, func(s *scene) {
			b := &s.state.Blend[0]
			b.ColorBlendOp, b.AlphaBlendOp = vk.BlendOpHslHueEXT, vk.BlendOpHslHueEXT
		}},
		"texels of three bytes": {1, 1, func(s *scene) {
			s.pass.Color[0].View = newView(t, vk.FormatR8G8B8Unorm, 16, 16, 1, 1)
		}},
		"texels of twelve bytes": {4, 1, func(s *scene) {
			s.pass.Color[0].View = newView(t, vk.FormatR32G32B32Sfloat, 16, 16, 4, 1)
		}},
		"smooth lines":            {4, 1, func(s *scene) { s.state.LineMode = vk.LineRasterizationModeRectangularSmooth }},
		"HelperInvocation":        {4, 1, reads(ir.BuiltinHelperInvocation, ir.Bool)},
		"BaryCoord":               {4, 1, reads(ir.BuiltinBaryCoord, ir.F32)},
		"FullyCovered":            {4, 1, reads(ir.BuiltinFullyCovered, ir.Bool)},
		"centroid":                {4, 1, centred},
		"centroid of shares":      {4, 2, both(shaded(2), centred)},
		"InterpolateAt":           {4, 1, interpolated},
		"InterpolateAt of shares": {4, 2, both(shaded(2), interpolated)},
		"shares with a grid":      {4, 4, both(shaded(4), grid)},
		"masks that override":     {4, 1, overrides},
		"late tests of no range": {4, 1, both(tested, func(s *scene) {
			s.state.AlphaToCoverageEnable, s.state.DepthClampEnable = true, true
			s.state.Viewports[0].MaxDepth = float32(math.NaN())
		})},
	} {
		s := newScene(t, 16, 16, c.samples, vk.FormatD32Sfloat)
		s.state.Blend[0].BlendEnable = true
		c.make(s)
		s.add(s.pipeline(t, 256), s.state, make([]float32, 24), 8)
		plan, err := newExecutor(Config{Threads: 1, Lanes: 256}).newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		shares := 0
		if p := plan.draws[0].state.Plan; p != nil {
			shares = len(p.Shares)
		}
		if shares != c.shares {
			t.Errorf("%s: %d shares, want %d", name, shares, c.shares)
		}
	}
}

// Samples of fragments with several pixels are tested after the shader, each with the depth at its own place, and have the
// fragment's colour: that at its centre.
func TestPlaces_RAS151_LargerFragmentsTestedLate(t *testing.T) {
	rules.Covers(t, "RAS-150", "RAS-151", "RAS-301")
	const size = 16
	places := map[int][][2]float32{1: {{.5, .5}}, 4: {{.375, .125}, {.875, .375}, {.125, .625}, {.625, .875}}} // RAS-106
	for samples, places := range places {
		for _, extent := range [][2]int{{2, 1}, {1, 2}, {2, 2}, {4, 2}, {2, 4}, {4, 4}} {
			s := newScene(t, size, size, samples, vk.FormatD32Sfloat)
			positionsOf(s)
			extend(s.fs, func(b *ir.Builder) { // never
				b.Op(ir.OpDemote, ir.Void)
			})
			last := s.fs.Body.Stmts[len(s.fs.Body.Stmts)-1]
			s.fs.Body.Stmts = s.fs.Body.Stmts[:len(s.fs.Body.Stmts)-1]
			s.fs.Insts = append(s.fs.Insts, ir.Inst{Op: ir.OpConst, Type: ir.Bool, Args: [3]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue}})
			never := ir.Value(len(s.fs.Insts) - 1)
			s.fs.Body.Stmts = append(s.fs.Body.Stmts, ir.Stmt{Inst: never}, ir.Stmt{Inst: ir.NoValue, If: &ir.If{Cond: never, Then: ir.Block{Stmts: []ir.Stmt{last}}}})
			s.fs.Demotes = true
			s.state.ShadingRate = sized(extent[0], extent[1])
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
			var list []float32
			for _, c := range [3][2]float32{{0, 0}, {64, 0}, {0, 64}} { // depth is x/128 + y/256
				list = s.vert(list, c[0], c[1], c[0]/128+c[1]/256, 1, 1, 1, 1)
			}
			s.add(s.pipeline(t, 256), s.state, list, 8)
			x := newExecutor(Config{Threads: 1, Lanes: 256})
			plan, err := x.newPlan(&s.pass)
			if err != nil {
				t.Fatal(err)
			}
			if st := plan.draws[0].state; !fragment.Tested(st.After) || st.Plan == nil || st.Plan.Rate == (rates.Rate{}) {
				t.Fatalf("%v: late %v, placed %v", extent, fragment.Tested(st.After), st.Plan != nil)
			}
			s.run(t, Config{Threads: 1, Lanes: 256})
			depth, color := s.depth.Level(0, 0), s.color.Level(0, 0)
			for y := range size {
				for px := range size {
					cx, cy := float64(px/extent[0]*extent[0])+float64(extent[0])/2, float64(y/extent[1]*extent[1])+float64(extent[1])/2
					want := [2]byte{byte(math.RoundToEven(min(cx/16, 1) * 255)), byte(math.RoundToEven(min(cy/16, 1) * 255))}
					for k, p := range places {
						z := math.Float32frombits(binary.LittleEndian.Uint32(depth.Data[depth.Offset(px, y, 0, k):]))
						if at := (float32(px)+p[0])/128 + (float32(y)+p[1])/256; z != at {
							t.Fatalf("%v, %d samples, pixel %d,%d, sample %d: depth %v, want %v", extent, samples, px, y, k, z, at)
						}
						if c := color.Data[color.Offset(px, y, 0, k):]; c[0] != want[0] || c[1] != want[1] {
							t.Fatalf("%v, %d samples, pixel %d,%d, sample %d: colour %v, want %v", extent, samples, px, y, k, c[:2], want)
						}
					}
				}
			}
		}
	}
}

// gridPlace is where a sample of a pixel is in it: another place in each pixel of four by four.
func gridPlace(x, y, sample int) [2]float32 {
	return [2]float32{float32(1+x%4*2+7*sample) / 16, float32(2+y%4*3+x%4*sample) / 16}
}

// inGrid gives samples these places.
func inGrid(s *scene) {
	var list [][2]float32
	for i := range 16 * s.samples {
		list = append(list, gridPlace(i/s.samples%4, i/s.samples/4, i%s.samples))
	}
	s.state.SampleLocationsEnable, s.state.SampleLocations = true, raster.CustomSamples(s.samples, 4, 4, list)
}

// Where samples lie in places of their own in each pixel of a grid, tests before and after the shader have the depths there,
// whatever the size of fragments.
func TestPlaces_RAS116_DepthsInAGrid(t *testing.T) {
	rules.Covers(t, "RAS-116", "RAS-151", "RAS-301")
	const size = 12
	for _, late := range []bool{false, true} {
		for _, extent := range [][2]int{{1, 1}, {2, 1}, {4, 4}} {
			s := newScene(t, size, size, 2, vk.FormatD32Sfloat)
			inGrid(s)
			s.state.AlphaToCoverageEnable = late
			s.state.ShadingRate = sized(extent[0], extent[1])
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
			var list []float32
			for _, c := range [3][2]float32{{0, 0}, {64, 0}, {0, 64}} { // depth is x/128 + y/256
				list = s.vert(list, c[0], c[1], c[0]/128+c[1]/256, 1, 1, 1, 1)
			}
			s.add(s.pipeline(t, 256), s.state, list, 8)
			plan, err := newExecutor(Config{Threads: 1, Lanes: 256}).newPlan(&s.pass)
			if err != nil {
				t.Fatal(err)
			}
			if st := plan.draws[0].state; fragment.Tested(st.After) != late || st.Plan == nil {
				t.Fatalf("%v: late %v, placed %v", extent, fragment.Tested(st.After), st.Plan != nil)
			}
			s.run(t, Config{Threads: 1, Lanes: 256})
			depth := s.depth.Level(0, 0)
			for y := range size {
				for x := range size {
					for k := range 2 {
						z := math.Float32frombits(binary.LittleEndian.Uint32(depth.Data[depth.Offset(x, y, 0, k):]))
						at := gridPlace(x, y, k)
						if want := (float32(x)+at[0])/128 + (float32(y)+at[1])/256; z != want {
							t.Fatalf("late %v, %v, pixel %d,%d, sample %d: depth %v, want %v", late, extent, x, y, k, z, want)
						}
					}
				}
			}
		}
	}
}

// InterpolateAtSample takes coverage indices of all pixels of a fragment, those of the last pixel first; what is beyond
// them is the last one.
func TestPlaces_RAS286_SamplesOfLargerFragments(t *testing.T) {
	rules.Covers(t, "RAS-110", "RAS-286")
	const size = 8
	places := map[int][][2]int{1: {{8, 8}}, 4: {{6, 2}, {14, 6}, {2, 10}, {10, 14}}} // RAS-106, sixteenths
	for samples, places := range places {
		for _, extent := range [][2]int{{1, 2}, {2, 2}, {4, 4}} {
			pixels := extent[0] * extent[1]
			for _, index := range []int{0, 1, samples, samples*pixels - 1, samples * pixels} {
				s := newScene(t, size, size, samples, vk.FormatUndefined)
				s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
					for k := range uint64(2) {
						v := b.OpImm(ir.OpInterpolateAt, ir.F32, inputs.AtSample<<32|k, b.I32(uint32(index)))
						b.OpImm(ir.OpOutput, ir.Void, k, v)
					}
				})
				s.state.ShadingRate = sized(extent[0], extent[1])
				var list []float32
				for _, c := range [3][2]float32{{0, 0}, {64, 0}, {0, 64}} { // a sixteenth of a pixel is one code
					list = s.vert(list, c[0], c[1], 0, c[0]*16/255, c[1]*16/255, 0, 1)
				}
				s.add(s.pipeline(t, 256), s.state, list, 8)
				s.run(t, Config{Threads: 1, Lanes: 256})
				at := min(index, samples*pixels-1)
				pixel, sample := pixels-1-at/samples, places[at%samples]
				color := s.color.Level(0, 0)
				for y := range size {
					for x := range size {
						fx, fy := x/extent[0]*extent[0]+pixel%extent[0], y/extent[1]*extent[1]+pixel/extent[0]
						want := [2]byte{byte(16*fx + sample[0]), byte(16*fy + sample[1])}
						if c := color.Data[color.Offset(x, y, 0, 0):]; c[0] != want[0] || c[1] != want[1] {
							t.Fatalf("%v, index %d of %d samples, pixel %d,%d: %v, want %v", extent, index, samples, x, y, c[:2], want)
						}
					}
				}
			}
		}
	}
}

// Images that are bound block by block lie in columns, those of 16 samples of 16 bytes in columns of 16 pixels: tiles are as
// narrow, so that programs on places reach them as they do others.
func TestPlaces_IMG231_ColumnsOfSparseImages(t *testing.T) {
	rules.Covers(t, "IMG-231")
	const side, samples = 40, 16
	sparse := func(f vk.Format, samples int) *resource.ImageView {
		im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: side, Height: side, Depth: 1}, Samples: samples,
			Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit})
		if err != nil {
			t.Fatal(err)
		}
		im.Data = make([]byte, im.Layout.Size)
		typ := vk.ImageViewType2D
		v, err := resource.NewView(im, resource.ViewDesc{Type: &typ, Format: f, Range: vk.ImageSubresourceRange{AspectMask: im.Info.Aspects, LevelCount: 1, LayerCount: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, late := range []bool{false, true} {
		s := newScene(t, side, side, samples, vk.FormatUndefined)
		s.color, s.depth = sparse(vk.FormatR32G32B32A32Sfloat, samples), sparse(vk.FormatD32Sfloat, samples)
		resolved := newView(t, vk.FormatR32G32B32A32Sfloat, side, side, 1, 1)
		s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear, Resolve: resolved, ResolveMode: vk.ResolveModeAverageBit}}
		s.pass.Depth = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1}
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.state.AlphaToCoverageEnable = late
		b := &s.state.Blend[0]
		b.BlendEnable, b.SrcColorBlendFactor, b.DstColorBlendFactor = true, vk.BlendFactorOne, vk.BlendFactorOne
		list := s.quad(nil, 3, 5, 37, 29, .5, .25, 0, 0, 1)
		list = s.quad(list, 10, 0, 20, 40, .25, .5, 0, 0, 1)
		list = s.quad(list, 0, 0, 40, 40, .75, 2, 0, 0, 1)
		s.add(s.pipeline(t, 256), s.state, list, 8)
		x := newExecutor(Config{Threads: 2, Lanes: 256, TileSize: 64})
		plan, err := x.newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		if plan.draws[0].state.Plan == nil || plan.Grid.Shift != 4 {
			t.Errorf("late %v: places %v, tiles of %d pixels", late, plan.draws[0].state.Plan != nil, 1<<plan.Grid.Shift)
		}
		s.run(t, Config{Threads: 2, Lanes: 256, TileSize: 64})
		c, d, r := s.color.Level(0, 0), s.depth.Level(0, 0), resolved.Level(0, 0)
		for y := range side {
			for x := range side {
				color, depth := float32(2), float32(.75)
				first, second := x >= 3 && x < 37 && y >= 5 && y < 29, x >= 10 && x < 20
				switch {
				case first && second:
					color, depth = .75, .25
				case first:
					color, depth = .25, .5
				case second:
					color, depth = .5, .25
				}
				red := func(p []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(p)) }
				for k := range samples {
					if got, z := red(c.Data[c.Offset(x, y, 0, k):]), red(d.Data[d.Offset(x, y, 0, k):]); got != color || z != depth {
						t.Fatalf("late %v: sample %d of (%d, %d) has red %v and depth %v, want %v and %v", late, k, x, y, got, z, color, depth)
					}
				}
				if got := red(r.Data[r.Offset(x, y, 0, 0):]); got != color {
					t.Fatalf("late %v: (%d, %d) is resolved to %v, want %v", late, x, y, got, color)
				}
			}
		}
	}
}

// SampleMask of fragments of several pixels has what the primitive covers, whatever an early depth test takes away.
func TestPlaces_RAS302_LargerBeforeTheDepthTest(t *testing.T) {
	rules.Covers(t, "RAS-290", "RAS-302")
	for _, post := range []bool{false, true} {
		s := newScene(t, 4, 4, 4, vk.FormatD32Sfloat)
		maskShader(t, s)
		s.fs.PostDepthCoverage = post
		s.fs.EarlyFragmentTests = post
		s.state.ShadingRate = sized(2, 1)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		near := s.state
		near.SampleMask = 1
		p := s.pipeline(t, 64)
		s.add(p, near, s.big(.125), 8)
		s.add(p, s.state, s.big(.5), 8)
		s.run(t, Config{Threads: 1})
		want := float32(0xFF)
		if post {
			want = 0xEE
		}
		if got := float(s.color, 1, 1, 1); got != want {
			t.Errorf("after the test %v: mask %#x, want %#x", post, int(got), int(want))
		}
	}
}

// interpolateAtSample of fragments of several pixels takes the sample with a coverage index: the lower right pixel has the
// first ones.
func TestPlaces_RAS285_SamplesOfLargerFragments(t *testing.T) {
	rules.Covers(t, "RAS-112", "RAS-285")
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	p := &ir.Program{Stage: ir.StageFragment, Name: "at"}
	b := ir.NewBuilder(p)
	base := inout(ir.BuiltinNone, 0, 0, ir.F32)
	base.Interp = ir.Perspective
	p.Inputs = []ir.IO{base}
	for c, index := range []uint32{2, 5, 12, 99} {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.OpImm(ir.OpInterpolateAt, ir.F32, 0|2<<32, b.I32(index)))
	}
	b.Finish()
	s.fs = p
	s.floats(t)
	s.state.ShadingRate = sized(2, 2)
	var list []float32
	for _, c := range [][2]float32{{0, 0}, {64, 0}, {0, 64}} { // the varying is x + 64y
		list = s.vert(list, c[0], c[1], 0, c[0]+64*c[1], 0, 0, 1)
	}
	s.add(s.pipeline(t, 64), s.state, list, 8)
	plan, err := newExecutor(Config{Threads: 1, Lanes: 64}).newPlan(&s.pass)
	if err != nil || plan.draws[0].state.Plan == nil {
		t.Fatalf("placed %v, %v", plan.draws[0].state.Plan != nil, err)
	}
	s.run(t, Config{})
	at := func(x, y float32) float32 { return 4 + x + 64*(2+y) }
	want := [4]float32{at(1.125, 1.625), at(.875, 1.375), at(.375, .125), at(.625, .875)} // RAS-106
	if got := four(s.color, 5, 2, 0); got != want {
		t.Errorf("at samples: %v, want %v", got, want)
	}
}

// A shader that writes depth on one of its paths leaves the interpolated one on the other, fused with
// its inputs or not, also where each sample has an invocation.
func TestRun_RAS310_DepthOfOnePath(t *testing.T) {
	rules.Covers(t, "RAS-310")
	for _, lanes := range []int{64, 256} {
		for _, fuseAfter := range []int64{math.MaxInt64, 0} {
			s := newScene(t, 8, 8, 4, vk.FormatD32Sfloat)
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
				p.SampleRate = true
				p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
				b.If(b.Op(ir.OpFLt, ir.Bool, color[0], b.F32(.5)), func() {
					b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.F32(.25))
				}, nil)
			})
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
			list := s.quad(nil, 0, 0, 4, 8, 0.5, 0, 0, 0, 1)
			s.add(s.pipeline(t, lanes), s.state, s.quad(list, 4, 0, 8, 8, 0.5, 1, 0, 0, 1), 8)
			x := newExecutor(Config{Threads: 1, Lanes: lanes})
			x.FuseAfter = fuseAfter
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
			l := s.depth.Level(0, 0)
			for at, want := range map[int]float32{1: 0.25, 6: 0.5} {
				for sample := range 4 {
					data := l.Data[l.Offset(at, 3, 0, sample):]
					if got := math.Float32frombits(binary.LittleEndian.Uint32(data)); got != want {
						t.Errorf("%d lanes, fused after %d: sample %d of %d,3 has depth %v, want %v", lanes, fuseAfter, sample, at, got, want)
					}
				}
			}
		}
	}
}
