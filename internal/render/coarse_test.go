package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// RAS-151, RAS-310, RAS-311: all pixels of a larger fragment are tested with the depth and the reference of its one
// invocation, and a later fragment meets what an earlier one has left.
func TestCoarse_RAS151_TestsOfTheInvocation(t *testing.T) {
	rules.Covers(t, "RAS-151", "RAS-310", "RAS-311")
	for _, samples := range []int{1, 2, 16} {
		s := newScene(t, 24, 24, samples, vk.FormatD32SfloatS8Uint)
		s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
			at := func(c uint32) ir.Value {
				p.Inputs = append(p.Inputs, inout(ir.BuiltinFragCoord, 0, c, ir.F32))
				return b.OpImm(ir.OpInput, ir.F32, uint64(len(p.Inputs)-1))
			}
			out := func(builtin ir.Builtin, t ir.Type, v ir.Value) {
				p.Outputs = append(p.Outputs, inout(builtin, 0, 0, t))
				b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), v)
			}
			x, y := at(0), at(1)
			// Red makes the second draw's depths larger: it fails everywhere.
			depth := b.Op(ir.OpFAdd, ir.F32, b.Op(ir.OpFMul, ir.F32, x, b.F32(1./64)), b.Op(ir.OpFMul, ir.F32, y, b.F32(1./2048)))
			out(ir.BuiltinFragDepth, ir.F32, b.Op(ir.OpFAdd, ir.F32, depth, b.Op(ir.OpFMul, ir.F32, color[0], b.F32(.5))))
			out(ir.BuiltinFragStencilRef, ir.I32, b.Op(ir.OpF2U, ir.I32, b.Op(ir.OpFAdd, ir.F32, x, b.Op(ir.OpFMul, ir.F32, y, b.F32(8)))))
		})
		s.state.ShadingRate = sized(4, 2)
		if samples == 16 {
			s.state.ShadingRate = sized(2, 2)
		}
		w, h := 1<<s.state.ShadingRate.W, 1<<s.state.ShadingRate.H
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.state.StencilTestEnable = true
		s.state.Front = vk.StencilOpState{PassOp: vk.StencilOpReplace, DepthFailOp: vk.StencilOpIncrementAndWrap, CompareOp: vk.CompareOpAlways, CompareMask: 0xFF, WriteMask: 0xFF}
		s.state.Back = s.state.Front
		s.pass.Depth.ClearDepth = 1
		s.pass.Stencil = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear}
		p := s.pipeline(t, 64)
		s.add(p, s.state, append(s.whole(0, 0, 0, 0, 1), s.whole(0, 1, 0, 0, 1)...), 8)
		s.run(t, Config{Threads: 1})
		for y := range s.height {
			for x := range s.width {
				cx, cy := x-x%w+w/2, y-y%h+h/2
				for i := range samples {
					depth, stencil := s.depthStencilOf(x, y, i)
					if want := float32(cx)/64 + float32(cy)/2048; depth != want || stencil != byte(cx+8*cy+1) {
						t.Fatalf("sample %d of %d of %d,%d: depth %v and stencil %d, want %v and %d", i, samples, x, y, depth, stencil, want, byte(cx+8*cy+1))
					}
				}
			}
		}
	}
}

// What a pass counts of its primitives.
func TestStats_Primitives(t *testing.T) {
	rules.Covers(t, "RAS-359")
	s := newScene(t, 16, 16, 1, vk.FormatUndefined)
	s.state.CullMode = vk.CullModeBackBit
	s.state.FrontFace = vk.FrontFaceClockwise
	s.state.DepthClipEnable = true
	p := s.pipeline(t, 64)
	var v []float32
	triangle := func(z [3]float32, c ...[2]float32) {
		for k, c := range c {
			v = s.vert(v, c[0], c[1], z[k], red...)
		}
	}
	triangle([3]float32{0, 0, 0}, [2]float32{1, 1}, [2]float32{9, 1}, [2]float32{1, 9})     // drawn
	triangle([3]float32{0, 0, 0}, [2]float32{1, 1}, [2]float32{1, 9}, [2]float32{9, 1})     // culled
	triangle([3]float32{-1, .5, .5}, [2]float32{1, 1}, [2]float32{9, 1}, [2]float32{1, 9})  // cut by the near plane
	triangle([3]float32{-1, -1, -1}, [2]float32{1, 1}, [2]float32{9, 1}, [2]float32{1, 9})  // before it
	triangle([3]float32{0, 0, 0}, [2]float32{20, 1}, [2]float32{29, 1}, [2]float32{20, 9})  // beside the viewport
	triangle([3]float32{0, 0, 0}, [2]float32{1, 1}, [2]float32{1.2, 1}, [2]float32{1, 1.2}) // between samples
	s.add(p, s.state, v, 8)
	st := s.run(t, Config{Threads: 1})
	if st.Assembled != 6 || st.VerticesIn != 18 || st.Primitives != 6 || st.Clipped != 4 || st.Rasterized != 2 || st.Tiles != 1 {
		t.Errorf("%+v", st)
	}
}

// RAS-305: all fragments are shaded where a query wants them counted.
func TestStats_CountAll(t *testing.T) {
	rules.Covers(t, "RAS-305")
	for _, all := range []bool{false, true} {
		s := newScene(t, 16, 16, 1, vk.FormatUndefined)
		p := s.pipeline(t, 64)
		for range 3 {
			s.add(p, s.state, s.quad(nil, 0, 0, 16, 16, 0, red...), 8)
		}
		s.pass.CountAll = all
		if n := s.run(t, Config{Threads: 1}).Fragments; n != map[bool]uint64{false: 256, true: 3 * 256}[all] {
			t.Errorf("count all %v: %d fragments", all, n)
		}
	}
}

// RAS-303, RAS-305: of shaders that change a fragment's depth, all fragments are shaded, unless the test can't pass
// whatever they say and nobody sees that they run; of those that take coverage only, those that a depth test would
// drop are left out.
func TestStats_RAS305_WhatNobodySees(t *testing.T) {
	rules.Covers(t, "RAS-303", "RAS-305", "RAS-325")
	deep := func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, 4, color[0])
	}
	for name, c := range map[string]struct {
		never  bool // compares with NEVER, else LESS
		change func(s *scene)
		want   uint64
	}{
		"never":               {true, func(*scene) {}, 0},
		"never, counted":      {true, func(s *scene) { s.pass.CountAll = true }, 256},
		"never, writes":       {true, func(s *scene) { s.fs.WritesMemory = true }, 256},
		"never, prints":       {true, func(s *scene) { s.fs.Prints = make([]ir.Print, 1) }, 256},
		"its depth":           {false, func(*scene) {}, 256},
		"demotes, behind":     {false, func(s *scene) { s.fs = fragmentProgram(nil); s.fs.Demotes = true }, 0},
		"demotes, no test":    {false, func(s *scene) { s.fs = fragmentProgram(nil); s.fs.Demotes, s.state.DepthTestEnable = true, false }, 256},
		"demotes, and writes": {false, func(s *scene) { s.fs = fragmentProgram(nil); s.fs.Demotes, s.fs.WritesMemory = true, true }, 256},
	} {
		s := newScene(t, 16, 16, 1, vk.FormatD32Sfloat)
		s.pass.Depth.ClearDepth = .25
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		if c.never {
			s.state.DepthCompareOp = vk.CompareOpNever
		}
		s.fs = fragmentProgram(deep)
		c.change(s)
		s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 0, 0, 1), 8)
		if st := s.run(t, Config{Threads: 1}); st.Fragments != c.want {
			t.Errorf("%s: %d fragments, want %d", name, st.Fragments, c.want)
		}
	}
}

// RAS-115: sample locations count while they are enabled.
func TestState_RAS115_LocationsEnabled(t *testing.T) {
	rules.Covers(t, "RAS-115", "RAS-120")
	for _, enabled := range []bool{false, true} {
		s := newScene(t, 4, 4, 1, vk.FormatUndefined)
		p := s.pipeline(t, 64)
		s.state.SampleLocations, s.state.SampleLocationsEnable = raster.CustomSamples(1, 1, 1, [][2]float32{{.125, .125}}), enabled
		s.add(p, s.state, s.quad(nil, 1, 1, 1.25, 1.25, 0, red...), 8) // holds that sample, not the centre
		s.run(t, Config{Threads: 1})
		if got := pixel(s.color, 1, 1, 0) != [4]byte{}; got != enabled {
			t.Errorf("enabled %v: drawn %v", enabled, got)
		}
	}
	// Enabled, and none are given.
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.state.SampleLocationsEnable = true
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 1.5, 1.5, 1.75, 1.75, 0, red...), 8)
	s.run(t, Config{Threads: 1})
	if pixel(s.color, 1, 1, 0) == [4]byte{} {
		t.Error("enabled without locations: the standard one is not covered")
	}
}

// What the sample mask leaves of blocks that a primitive covers as a whole is no whole block:
// what comes behind it passes where the other samples are.
func TestRun_RAS309_MaskedBlocks(t *testing.T) {
	rules.Covers(t, "RAS-309", "RAS-327", "RAS-330")
	for _, lanes := range []int{64, 256} { // the interpreter, and machine code
		s := newScene(t, 32, 32, 4, vk.FormatD32Sfloat)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.pass.Occlusion = make([]uint64, 2)
		p, masked := s.pipeline(t, lanes), s.state
		masked.SampleMask = 0b0100
		s.add(p, masked, s.whole(.25, 1, 0, 0, 1), 8).Occlusion = 1
		s.add(p, s.state, s.whole(.5, 0, 1, 0, 1), 8).Occlusion = 2
		s.run(t, Config{Lanes: lanes, Threads: 1})
		if got := s.pass.Occlusion; got[0] != 32*32 || got[1] != 3*32*32 {
			t.Errorf("%d lanes: %v samples, want %v", lanes, got, []int{32 * 32, 3 * 32 * 32})
		}
	}
}

// A vertex shader that writes no Position draws nothing, and nothing breaks.
func TestCommit_NoPosition(t *testing.T) {
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	s.vs = &ir.Program{Stage: ir.StageVertex, Name: "nowhere"}
	b := ir.NewBuilder(s.vs)
	for c := range uint32(4) {
		s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.F32(1))
	}
	b.Finish()
	d := s.add(s.pipeline(t, 64), s.state, nil, 8)
	d.Count = 6
	if st := s.run(t, Config{Threads: 1}); st.Fragments != 0 || st.Assembled != 2 || st.Rasterized != 0 {
		t.Errorf("%+v", st)
	}
}

// A triangle so thin that its inputs are sums of exact products lies over one of the same draw that is
// not, and under a third one, where fragments have several pixels.
func TestRun_RAS150_ThinAmongOthers(t *testing.T) {
	rules.Covers(t, "RAS-150", "RAS-299")
	s := newScene(t, 2048, 2, 1, vk.FormatUndefined)
	s.state.ShadingRate = sized(2, 2)
	triangle := func(list []float32, color []float32, corners ...[2]float32) []float32 {
		for _, c := range corners {
			list = s.vert(list, c[0], c[1], 0, color...)
		}
		return list
	}
	green, blue := []float32{0, 1, 0, 1}, []float32{0, 0, 1, 1}
	list := triangle(nil, red, [2]float32{0, 0}, [2]float32{4096, 0}, [2]float32{0, 4})
	list = triangle(list, green, [2]float32{0, .49}, [2]float32{2048, .49}, [2]float32{2048, .51}) // rows of centres
	list = triangle(list, blue, [2]float32{2040, 0}, [2]float32{2056, 0}, [2]float32{2040, 16})
	s.add(s.pipeline(t, 64), s.state, list, 8)
	s.run(t, Config{Threads: 1})
	for x, want := range map[int][2][4]byte{
		0:    {{255, 0, 0, 255}, {255, 0, 0, 255}},
		2030: {{0, 255, 0, 255}, {255, 0, 0, 255}},
		2045: {{0, 0, 255, 255}, {0, 0, 255, 255}},
	} {
		for y := range want {
			if got := pixel(s.color, x, y, 0); [4]byte(got) != want[y] {
				t.Errorf("%d,%d is %v, want %v", x, y, got, want[y])
			}
		}
	}
}
