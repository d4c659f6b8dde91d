package render

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// crowdedPass draws primitives from a pixel to all of a tile over each other, some dozens of about
// one size in turn, with depths that are often equal.
func crowdedPass(t *testing.T, seed uint64) *scene {
	r := rand.New(rand.NewPCG(seed, 31))
	s := newScene(t, 64, 48, []int{1, 4}[seed%2], []vk.Format{vk.FormatD32Sfloat, vk.FormatD24UnormS8Uint, vk.FormatD16Unorm}[seed%3])
	s.pass.Occlusion = make([]uint64, 2)
	early := holes()
	early.EarlyFragmentTests = true
	var pipes []*Pipeline
	for _, fs := range []*ir.Program{fragmentProgram(nil), variedProgram(), holes(), early, nil} {
		s.fs = fs
		pipes = append(pipes, s.pipeline(t, 256))
	}
	less := r.IntN(2) == 0
	for range 16 {
		st := s.state
		st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = r.IntN(6) > 0, r.IntN(4) > 0, vk.CompareOpLess
		if !less {
			st.DepthCompareOp = vk.CompareOpGreater
		}
		if r.IntN(3) == 0 {
			st.DepthCompareOp = vk.CompareOp(r.IntN(8))
		}
		st.Blend[0].BlendEnable = r.IntN(3) == 0
		st.Blend[0].SrcColorBlendFactor, st.Blend[0].DstColorBlendFactor = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha
		st.StencilTestEnable = r.IntN(3) == 0
		st.Front = vk.StencilOpState{PassOp: vk.StencilOpIncrementAndWrap, CompareOp: vk.CompareOp(r.IntN(8)), CompareMask: 255, WriteMask: 255, Reference: uint32(r.IntN(4))}
		st.Back = st.Front
		st.Back.Reference = uint32(r.IntN(4))
		st.Scissors[0].Offset.X = int32(r.IntN(2) * 3)
		var v []float32
		for range 1 + r.IntN(3) {
			size := []float32{2, 6, 30, 200}[r.IntN(4)]
			for range 32 {
				x, y := 64*r.Float32()-size/2, 48*r.Float32()-size/2
				z := float32(r.IntN(9)) / 8
				slope := float32(r.IntN(3)) / 16
				thin := float32(1)
				if r.IntN(8) == 0 {
					thin = .002
				}
				for _, k := range [2][3]int{{0, 1, 2}, {0, 2, 1}}[r.IntN(2)] {
					v = s.vert(v, x+float32(k&1)*size, y+float32(k>>1)*size*thin+float32(k&1)*size/2, z+slope*r.Float32(), r.Float32(), r.Float32(), r.Float32(), r.Float32())
				}
			}
		}
		s.add(pipes[r.IntN(len(pipes))], st, v, 8).Occlusion = r.IntN(3)
	}
	return s
}

// Primitives that are drawn directly, tested by the program that shades them, leave what tests
// before shading leave, whichever of them go which way.
func TestRun_RAS300_DirectPrimitives(t *testing.T) {
	rules.Covers(t, "RAS-300", "RAS-305")
	taken := 0
	compare := func(name string, make func() *scene, tile int) {
		var want []byte
		for _, pixels := range []int{-1, 1 << 30, 50, 800} {
			s := make()
			x := newExecutor(Config{Threads: 1, Lanes: 256, TileSize: tile})
			x.FuseAfter, x.DirectFor, x.directPixels = 0, 1<<30, pixels
			if pixels == 800 {
				x.PacksFrom = 0
			}
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
			got := append(bytes.Clone(s.color.Image.Data), s.depth.Image.Data...)
			got = append(got, fmt.Sprint(s.pass.Occlusion)...)
			if want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s, boxes of %d pixels: differs at byte %d, colour has %d", name, pixels, firstDifference(got, want), len(s.color.Image.Data))
			}
			plan, err := x.newPlan(&s.pass)
			if err != nil {
				t.Fatal(err)
			}
			for i := range plan.draws {
				if st := plan.draws[i].state; st.Direct != nil && st.Direct != st.Plan && st.Direct.Fused[0] != none {
					taken++
				}
			}
		}
	}
	for seed := range uint64(24) {
		compare(fmt.Sprintf("crowd %d", seed), func() *scene { return crowdedPass(t, seed) }, []int{64, 16, 32}[seed/6%3])
		if seed%3 == 0 {
			compare(fmt.Sprintf("pass %d", seed), func() *scene { return randomPass(t, seed, 256) }, 32)
		}
	}
	if taken < 200 {
		t.Errorf("only %d states are drawn directly", taken)
	}
}

// A triangle that is drawn directly is nearer than one that covered the tile before, and than one
// that covers it afterwards: what is known of all of the tile's depths is known no longer.
func TestRun_RAS327_DirectInFrontOfWhole(t *testing.T) {
	rules.Covers(t, "RAS-327")
	x := newExecutor(Config{Threads: 1, Lanes: 256, TileSize: 64})
	x.FuseAfter, x.DirectFor, x.directPixels = 0, 1<<30, 256
	s := newScene(t, 64, 64, 1, vk.FormatD32Sfloat)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	p := s.pipeline(t, 256)
	for _, c := range []struct {
		at, size, z float32
		color       []float32
	}{{0, 200, .75, red}, {20, 9, .25, green}, {0, 200, .5, red}} {
		v := s.vert(nil, c.at, c.at, c.z, c.color...)
		v = s.vert(v, c.at+c.size, c.at, c.z, c.color...)
		s.add(p, s.state, s.vert(v, c.at, c.at+c.size, c.z, c.color...), 8)
	}
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	if a, b := pixel(s.color, 21, 21, 0), pixel(s.color, 40, 40, 0); a[1] != 255 || a[0] != 0 || b[0] != 255 || b[1] != 0 {
		t.Errorf("in the small triangle %v, beside it %v; want green and red", a, b)
	}
}

// Runs of small primitives are drawn directly: those that a tile looks at in vain don't count.
func TestTakeWay_MeanOfBoxes(t *testing.T) {
	box := func(x, y, size int32) *raster.Setup {
		return &raster.Setup{Bounds: raster.Rect{X0: x, Y0: y, X1: x + size, Y1: y + size}}
	}
	thin := box(0, 0, 4)
	thin.Thin = true
	for name, c := range map[string]struct {
		run  []*raster.Setup
		want bool
	}{
		"small":             {[]*raster.Setup{box(0, 0, 8), box(20, 3, 15)}, true},
		"large":             {[]*raster.Setup{box(0, 0, 16)}, false},
		"one of them large": {[]*raster.Setup{box(0, 0, 8), box(0, 0, 30)}, false},
		"in part":           {[]*raster.Setup{box(-80, -80, 90)}, true},
		"elsewhere":         {[]*raster.Setup{box(-100, 30, 8), box(30, 200, 8), box(0, 0, 30)}, false},
		"thin":              {[]*raster.Setup{box(0, 0, 8), thin}, false},
	} {
		x := newExecutor(Config{Threads: 1})
		w := x.workers[0]
		w.plan, w.tile.Rect = &passPlan{Pass: fragment.Pass{Plan: tile.Plan{Samples: 1}}}, raster.Rect{X1: 64, Y1: 64}
		w.tile.Plan, w.frags.Pass = &w.plan.Plan, &w.plan.Pass
		st := &drawState{State: fragment.State{Plan: &fragment.Plan{}, Program: none}}
		st.Direct = st.Plan
		d := &drawPlan{Draw: fragment.Draw{State: &st.State}, state: st}
		if got, err := w.takeWay(d, c.run); got != c.want || err != nil {
			t.Errorf("%s: direct is %v, %v", name, got, err)
		}
	}
}

// What is drawn directly is tested, too, behind a draw of fragments of several pixels, whose batch
// is not the one that waits next.
func TestRun_RAS301_DirectBehindRates(t *testing.T) {
	rules.Covers(t, "RAS-301", "RAS-327")
	s := newScene(t, 32, 32, 1, vk.FormatD32Sfloat)
	p := s.pipeline(t, 256)
	rated := s.state
	rated.RateImageEnable = true
	rated.Palettes[0] = rates.Palette{N: 1, Entries: [rates.PaletteSize]uint8{uint8(vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV)}}
	tested := s.state
	tested.DepthTestEnable, tested.DepthWriteEnable, tested.DepthCompareOp = true, true, vk.CompareOpLess
	triangle := func(v []float32, at, z float32, color []float32) []float32 {
		v = s.vert(s.vert(v, at, at, z, color...), at+8, at, z, color...)
		return s.vert(v, at, at+8, z, color...)
	}
	s.add(p, rated, triangle(nil, 2, .5, green), 8)
	s.add(p, tested, triangle(triangle(nil, 16, .25, green), 16, .75, red), 8)
	x := newExecutor(Config{Threads: 1, Lanes: 256})
	x.FuseAfter, x.DirectFor, x.directPixels = 0, 1<<30, 1<<30
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	if a, b := pixel(s.color, 17, 17, 0), pixel(s.color, 3, 3, 0); a[0] != 0 || a[1] != 255 || b[1] != 255 {
		t.Errorf("the nearer triangle is %v, the one of 2×2 pixels %v", a, b)
	}
}

// Where all colours are switched off, a shader that writes depth runs without a program that has
// the tests.
func TestRun_RAS305_DirectWithoutColour(t *testing.T) {
	rules.Covers(t, "RAS-305")
	s := newScene(t, 32, 32, 1, vk.FormatD32Sfloat)
	s.fs = deep()
	s.fs.EarlyFragmentTests = true
	p := s.pipeline(t, 256)
	s.state.DepthTestEnable, s.state.DepthCompareOp, s.state.ColorWrite = true, vk.CompareOpLess, 0
	s.pass.Occlusion = make([]uint64, 1)
	var v []float32
	for _, z := range []float32{.5, 1.5} { // the second is clipped
		v = s.vert(s.vert(s.vert(v, 8, 8, z, red...), 12, 8, z, red...), 8, 12, z, red...)
	}
	s.add(p, s.state, v, 8).Occlusion = 1
	x := newExecutor(Config{Threads: 1, Lanes: 256})
	x.FuseAfter, x.DirectFor, x.directPixels = 0, 1<<30, 1<<30
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	// Of the 4 × 4 pixels six have their centre inside, and four on the long edge, which is no top or
	// left one.
	if n := s.pass.Occlusion[0]; n != 6 {
		t.Errorf("%d samples pass", n)
	}
}
