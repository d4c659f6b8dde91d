package render

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// output adds an output of a constant to a shader.
func output(builtin ir.Builtin, typ ir.Type, v uint32) func(*ir.Program, *ir.Builder, [4]ir.Value) {
	return func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		p.Outputs = append(p.Outputs, inout(builtin, 0, 0, typ))
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.Const(typ, v))
	}
}

// depthStencilOf is what a sample of pixel (x, y) of the scene's D32S8 holds.
func (s *scene) depthStencilOf(x, y, sample int) (z float32, stencil byte) {
	d, st := s.depth.Image.Level(0, 0, 0), s.depth.Image.Level(1, 0, 0)
	z = math.Float32frombits(binary.LittleEndian.Uint32(d.Data[d.Offset(x, y, 0, sample):]))
	return z, st.Data[st.Offset(x, y, 0, sample)]
}

// The shader's mask leaves samples out, or with OverrideCoverageNV takes the place
// of the coverage; with sample shading an invocation decides about its own sample
// only; depth follows.
func TestRun_RAS315_SampleMask(t *testing.T) {
	rules.Covers(t, "RAS-315")
	for _, c := range []struct {
		override, sampled bool
		rate              rates.Shading
		mask, shader      uint32
		want              uint32
	}{
		{mask: 0b0111, shader: 0b1101, want: 0b0101},
		{mask: 0b0111, shader: 0b1101, override: true, want: 0b1101},
		{mask: 0b0111, shader: 0b1101, override: true, sampled: true, want: 0b0101},
		{mask: 0b0110, shader: 0b1110, sampled: true, want: 0b0110},
		{mask: 0b0111, shader: 0b1101_1101_1101_1101, rate: sized(2, 2), want: 0b0101},
		{mask: 0b0111, shader: 0b1101_1101_1101_1101, rate: sized(2, 2), override: true, want: 0b1101},
	} {
		s := newScene(t, 2, 2, 4, vk.FormatD32SfloatS8Uint)
		s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, c.shader))
		s.fs.OverrideCoverage = c.override
		s.state.SampleMask, s.state.SampleShadingEnable, s.state.ShadingRate = uint64(c.mask), c.sampled, c.rate
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 1, 1, 1), 8)
		s.run(t, Config{})
		colors, depths := uint32(0), uint32(0)
		l := s.color.Level(0, 0)
		for i := range 4 {
			if l.Data[l.Offset(1, 1, 0, i)] == 255 {
				colors |= 1 << i
			}
			if z, _ := s.depthStencilOf(1, 1, i); z == .5 {
				depths |= 1 << i
			}
		}
		if colors != c.want || depths != c.want {
			t.Errorf("%+v: colour %#b, depth %#b", c, colors, depths)
		}
	}
}

// With OverrideCoverageNV a fragment none of whose samples pass the depth test may
// have others that do: it is not dropped early.
func TestRun_RAS315_OverrideIsNotDroppedEarly(t *testing.T) {
	rules.Covers(t, "RAS-315")
	s := newScene(t, 2, 2, 4, vk.FormatD32Sfloat)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	s.state.SampleMask = 0b0001
	s.add(s.pipeline(t, 64), s.state, s.whole(.25, 0, 0, 0, 1), 8)
	s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, 0b1111))
	s.fs.OverrideCoverage = true
	s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	for i, want := range []float32{.25, .5, .5, .5} {
		if got := float(s.depth, 0, 0, i); got != want {
			t.Errorf("sample %d: depth %v, want %v", i, got, want)
		}
	}
}

// A smooth line of half coverage: its alpha of 1 becomes ½, which keeps two samples
// of four, and is stored as 1 afterwards. The second output keeps its alpha.
func TestRun_RAS319_SmoothThenCoverageThenOne(t *testing.T) {
	rules.Covers(t, "RAS-316", "RAS-317", "RAS-318", "RAS-319")
	for _, c := range []struct {
		toCoverage, toOne bool
		samples           int // that are drawn
		alpha             float32
		filled            bool // a triangle, of alpha ½, by machine code
	}{
		{false, false, 4, .5, false}, {true, false, 2, .5, false}, {true, true, 2, 1, false}, {false, true, 4, 1, false},
		{false, false, 4, .5, true}, {true, false, 2, .5, true}, {true, true, 2, 1, true}, {false, true, 4, 1, true},
	} {
		s := newScene(t, 8, 8, 4, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 4, 1)
		other := newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 4, 1)
		s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear}, {View: other, Load: vk.AttachmentLoadOpClear}}
		s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
			for k := range uint32(4) {
				p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 1, k, ir.F32))
				b.OpImm(ir.OpOutput, ir.Void, uint64(4+k), b.F32(.75))
			}
		})
		s.state.Topology, s.state.LineMode = vk.PrimitiveTopologyLineList, vk.LineRasterizationModeRectangularSmooth
		s.state.AlphaToCoverageEnable, s.state.AlphaToOneEnable = c.toCoverage, c.toOne
		list, lanes := s.vert(s.vert(nil, 0, 3, 0, 1, 1, 1, 1), 4, 3, 0, 1, 1, 1, 1), 64
		if c.filled {
			list, lanes = s.whole(0, 1, 1, 1, .5), 256
			s.state.Topology, s.state.LineMode = vk.PrimitiveTopologyTriangleList, vk.LineRasterizationModeDefault
		}
		s.add(s.pipeline(t, lanes), s.state, list, 8)
		s.run(t, Config{Lanes: lanes})
		l, o := s.color.Level(0, 0), other.Level(0, 0)
		for i := range 4 {
			at := l.Offset(1, 2, 0, i)
			alpha := math.Float32frombits(binary.LittleEndian.Uint32(l.Data[at+12:]))
			second := math.Float32frombits(binary.LittleEndian.Uint32(o.Data[at+12:]))
			want, wantSecond := c.alpha, float32(.75)
			if i >= c.samples {
				want, wantSecond = 0, 0
			}
			if alpha != want || second != wantSecond {
				t.Errorf("%+v: sample %d has alpha %v and %v, want %v and %v", c, i, alpha, second, want, wantSecond)
			}
		}
	}
}

// Integers at location 0 have no alpha: no step refers to them.
func TestRun_RAS316_IntegerOutputs(t *testing.T) {
	rules.Covers(t, "RAS-316")
	s := covered(t, vk.FormatR32Uint, 4, 4, 15)
	s.fs = constantOutput(ir.I32, 9)
	s.state.AlphaToCoverageEnable, s.state.AlphaToOneEnable = true, true
	s.cover(t)
	for i := range 4 {
		l := s.color.Level(0, 0)
		if got := binary.LittleEndian.Uint32(l.Data[l.Offset(0, 0, 0, i):]); got != 9 {
			t.Errorf("sample %d is %d, want 9", i, got)
		}
	}
}

// What a test stops does not reach the next: each row stops samples at one step and
// says what the later ones must not have done.
func TestRun_RAS300_Order(t *testing.T) {
	rules.Covers(t, "RAS-300", "RAS-320", "RAS-322", "RAS-328", "RAS-303", "RAS-304", "RAS-330")
	const all = uint64(16)
	op := vk.StencilOpState{FailOp: vk.StencilOpReplace, PassOp: vk.StencilOpInvert, DepthFailOp: vk.StencilOpIncrementAndClamp, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 7}
	for name, c := range map[string]struct {
		change  func(*scene)
		z       float32
		stencil byte
		count   uint64
		color   byte
	}{
		"all pass":           {func(s *scene) {}, .5, 255, all, 255},
		"discard rectangle":  {func(s *scene) { s.state.DiscardEnable, s.state.DiscardCount = true, 1 }, 1, 0, 0, 0},
		"scissor":            {func(s *scene) { s.state.Scissors[0] = vk.Rect2D{} }, 1, 0, 0, 0},
		"exclusive scissor":  {func(s *scene) { s.state.ExclusiveEnable, s.state.ExclusiveScissors[0] = 1, rect(0, 0, 9, 9) }, 1, 0, 0, 0},
		"sample mask":        {func(s *scene) { s.state.SampleMask = 0 }, 1, 0, 0, 0},
		"shader's mask":      {func(s *scene) { s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, 0)) }, 1, 0, 0, 0},
		"demoted":            {func(s *scene) { s.fs = discarding(false) }, 1, 0, 0, 0},
		"demoted, early":     {func(s *scene) { s.fs = discarding(true) }, .5, 255, all, 0},
		"alpha to coverage":  {func(s *scene) { s.state.AlphaToCoverageEnable = true }, 1, 0, 0, 0},
		"depth bounds":       {func(s *scene) { s.state.DepthBoundsTestEnable, s.state.MaxDepthBounds = true, .75 }, 1, 0, 0, 0},
		"stencil":            {func(s *scene) { s.state.Front.CompareOp = vk.CompareOpNever }, 1, 7, 0, 0},
		"depth":              {func(s *scene) { s.state.DepthCompareOp = vk.CompareOpGreater }, 1, 1, 0, 0},
		"no depth test":      {func(s *scene) { s.state.DepthTestEnable, s.state.DepthCompareOp = false, vk.CompareOpNever }, 1, 255, all, 255},
		"no depth write":     {func(s *scene) { s.state.DepthWriteEnable = false }, 1, 255, all, 255},
		"no stencil test":    {func(s *scene) { s.state.StencilTestEnable, s.state.Front.CompareOp = false, vk.CompareOpNever }, .5, 0, all, 255},
		"nothing is written": {func(s *scene) { s.state.ColorWrite = 0 }, .5, 255, all, 0},
	} {
		s := newScene(t, 2, 2, 4, vk.FormatD32SfloatS8Uint)
		s.pass.Occlusion = []uint64{0}
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.state.StencilTestEnable, s.state.Front, s.state.Back = true, op, op
		c.change(s)
		s.state.Back = s.state.Front
		s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 1, 1, 0), 8).Occlusion = 1
		s.run(t, Config{})
		z, st := s.depthStencilOf(1, 0, 2)
		if got := pixel(s.color, 1, 0, 0)[0]; z != c.z || st != c.stencil || s.pass.Occlusion[0] != c.count || got != c.color {
			t.Errorf("%s: depth %v, stencil %d, %d samples, red %d; want %v, %d, %d, %d", name, z, st, s.pass.Occlusion[0], got, c.z, c.stencil, c.count, c.color)
		}
	}
}

// The shader's reference is cut to the bits of the stencil.
func TestRun_RAS311_StencilReference(t *testing.T) {
	rules.Covers(t, "RAS-311")
	for _, rate := range []rates.Shading{{}, sized(2, 2)} {
		s := newScene(t, 2, 2, 1, vk.FormatD32SfloatS8Uint)
		s.fs = fragmentProgram(output(ir.BuiltinFragStencilRef, ir.I32, 0x1F5))
		s.state.ShadingRate = rate
		s.state.StencilTestEnable = true
		s.state.Front = vk.StencilOpState{PassOp: vk.StencilOpReplace, CompareOp: vk.CompareOpEqual, CompareMask: 0x0F, WriteMask: 0xFF, Reference: 7}
		s.state.Back = s.state.Front
		st := s.depth.Image.Level(1, 0, 0)
		s.pass.Stencil = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearStencil: 0x35}
		s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8)
		s.run(t, Config{})
		if st.Data[0] != 0xF5 || st.Data[3] != 0xF5 {
			t.Errorf("rate %v: stencil %#x, want 0xf5", rate, st.Data[:4])
		}
	}
}

// Compare mask, write mask and reference are those of the face.
func TestRun_RAS324_MasksOfEachFace(t *testing.T) {
	rules.Covers(t, "RAS-321", "RAS-324")
	s := newScene(t, 4, 2, 1, vk.FormatD32SfloatS8Uint)
	s.fs = nil
	s.state.StencilTestEnable = true
	s.pass.Stencil = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearStencil: 0x55}
	s.state.Front = vk.StencilOpState{PassOp: vk.StencilOpReplace, FailOp: vk.StencilOpZero, CompareOp: vk.CompareOpEqual, CompareMask: 0x0F, WriteMask: 0xF0, Reference: 0xA5}
	s.state.Back = vk.StencilOpState{PassOp: vk.StencilOpReplace, FailOp: vk.StencilOpZero, CompareOp: vk.CompareOpEqual, CompareMask: 0xF0, WriteMask: 0x0F, Reference: 0x5A}
	p := s.pipeline(t, 64)
	list := s.quad(nil, 0, 0, 2, 2, 0, 0, 0, 0, 0) // as it comes: front or back
	right := s.quad(nil, 4, 0, 2, 2, 0, 0, 0, 0, 0)
	s.add(p, s.state, append(list, right...), 8)
	s.run(t, Config{})
	_, a := s.depthStencilOf(0, 0, 0)
	_, b := s.depthStencilOf(3, 0, 0)
	if min(a, b) != 0x5A || max(a, b) != 0xA5 {
		t.Errorf("stencil %#x and %#x, want 0x5a and 0xa5", a, b)
	}
}

// Depth beyond the viewport: clamped to its range or a user's, or left alone where
// the attachment can hold it.
func TestRun_RAS326_DepthClamp(t *testing.T) {
	rules.Covers(t, "RAS-326")
	for _, c := range []struct {
		format vk.Format
		change func(*DynamicState)
		z      float32
		want   uint32
	}{
		{vk.FormatD32Sfloat, func(d *DynamicState) { d.DepthClampEnable = true }, 1.5, math.Float32bits(.75)},
		{vk.FormatD32Sfloat, func(d *DynamicState) { d.DepthClampEnable = true }, -.5, math.Float32bits(.25)},
		{vk.FormatD32Sfloat, func(d *DynamicState) {
			d.DepthClampEnable, d.DepthClampUser, d.DepthClampRange = true, true, [2]float32{.375, .5}
		}, 1.5, math.Float32bits(.5)},
		{vk.FormatD32Sfloat, func(d *DynamicState) { d.Viewports[0].MinDepth, d.Viewports[0].MaxDepth = 0, 1 }, 1.5, math.Float32bits(1)},
		{vk.FormatD32Sfloat, func(d *DynamicState) {
			d.DepthUnrestricted, d.Viewports[0].MinDepth, d.Viewports[0].MaxDepth = true, 0, 2
		}, .75, math.Float32bits(1.5)},
		{vk.FormatD16Unorm, func(d *DynamicState) {
			d.DepthUnrestricted, d.Viewports[0].MinDepth, d.Viewports[0].MaxDepth = true, 0, 2
		}, .75, 65535},
		{vk.FormatD16Unorm, func(d *DynamicState) { d.DepthClampEnable = true }, 1.5, 49151},
	} {
		s := newScene(t, 2, 2, 1, c.format)
		s.fs = nil
		s.state.DepthClipEnable = false
		s.state.Viewports[0].MinDepth, s.state.Viewports[0].MaxDepth = .25, .75
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
		c.change(&s.state)
		s.add(s.pipeline(t, 64), s.state, s.whole(c.z, 0, 0, 0, 0), 8)
		s.run(t, Config{})
		l := s.depth.Level(0, 0)
		word := [4]byte{}
		copy(word[:], l.Data[:l.Bytes])
		if got := binary.LittleEndian.Uint32(word[:]); got != c.want {
			t.Errorf("%v, z %v: %#x, want %#x", c.format, c.z, got, c.want)
		}
	}
}

// Each sample has the depth of its own place, and is tested with it.
func TestRun_RAS329_DepthOfEachSample(t *testing.T) {
	rules.Covers(t, "RAS-104", "RAS-329")
	const size, samples = 4, 16
	s := newScene(t, size, size, samples, vk.FormatD32Sfloat)
	s.fs = nil
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
	p := s.pipeline(t, 64)
	at := func(x, y float32) float32 { return x/16 + y/32 } // exact
	var list []float32
	for _, c := range [3][2]float32{{0, 0}, {16, 0}, {0, 16}} {
		list = s.vert(list, c[0], c[1], at(c[0], c[1]))
	}
	for i := range 3 { // the colour that nothing reads
		list = append(list[:4+8*i], append([]float32{0, 0, 0, 0}, list[4+8*i:]...)...)
	}
	s.add(p, s.state, list, 8)
	s.run(t, Config{})
	ss := raster.Samples(samples)
	for y := range int32(size) {
		for x := range int32(size) {
			set := ss.Of(x, y)
			for i := range samples {
				fx, fy := float32(x)+float32(set.X[i])/raster.Subpixels, float32(y)+float32(set.Y[i])/raster.Subpixels
				if got := float(s.depth, int(x), int(y), i); got != at(fx, fy) {
					t.Fatalf("%d,%d sample %d: depth %v, want %v", x, y, i, got, at(fx, fy))
				}
			}
		}
	}
}

// SamplePosition is that of the custom locations; and they may change within a pass:
// what was stored stays.
func TestRun_RAS119_SamplePosition(t *testing.T) {
	rules.Covers(t, "RAS-115", "RAS-119", "RAS-121")
	s := covered(t, vk.FormatR32G32B32A32Sfloat, 2, 2, 3)
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		for k := range uint32(2) {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinSamplePosition, 0, k, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.OpImm(ir.OpInput, ir.F32, uint64(4+k)))
		}
	})
	s.fs.SampleRate = true
	p := s.pipeline(t, 64)
	custom := s.state
	custom.SampleLocations = raster.CustomSamples(2, 1, 1, [][2]float32{{.125, .25}, {.5, .875}})
	off := custom // with locations that are not switched on
	custom.SampleLocationsEnable, custom.SampleMask = true, 1
	off.SampleMask = 2
	s.add(p, custom, s.whole(0, 1, 1, 1, 1), 8)
	s.add(p, off, s.whole(0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	for i, want := range [2][2]float32{{.125, .25}, {.25, .25}} {
		if x, y := component(s.color, i, 0), component(s.color, i, 1); x != want[0] || y != want[1] {
			t.Errorf("sample %d is at %v,%v, want %v", i, x, y, want)
		}
	}
}

// Places of samples that differ from pixel to pixel: those of a grid of four by one.
func TestRun_RAS119_EveryPixel(t *testing.T) {
	rules.Covers(t, "RAS-115", "RAS-119", "RAS-291")
	s := newScene(t, 16, 4, 2, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 16, 4, 2, 1)
	s.pass.Color[0].View = s.color
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		for k := range uint32(2) {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinSamplePosition, 0, k, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.OpImm(ir.OpInput, ir.F32, uint64(4+k)))
		}
	})
	s.fs.SampleRate = true
	place := func(x, sample int) [2]float32 {
		return [2]float32{float32(1+x%4+8*sample) / 16, float32(3+2*(x%4)) / 16}
	}
	var list [][2]float32
	for x := range 4 {
		list = append(list, place(x, 0), place(x, 1))
	}
	s.state.SampleLocationsEnable, s.state.SampleLocations = true, raster.CustomSamples(2, 4, 1, list)
	s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	for i := range 128 {
		x, y, sample := i/2%16, i/32, i%2
		if got, want := four(s.color, x, y, sample), place(x, sample); got[0] != want[0] || got[1] != want[1] {
			t.Errorf("pixel %d,%d, sample %d is at %v, want %v", x, y, sample, got[:2], want)
		}
	}
}

// A resolve happens after the last draw, inside the render area only, layer by layer.
func TestRun_RAS350_ResolveOfTheArea(t *testing.T) {
	rules.Covers(t, "RAS-350")
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 4, 2)
	out := newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 1, 2)
	for i := range out.Image.Data {
		out.Image.Data[i] = 7
	}
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear, ClearColor: texel(0, 0, 0, 0), Resolve: out, ResolveMode: vk.ResolveModeAverageBit}
	s.pass.Layers, s.pass.Area = 2, rect(1, 2, 5, 3)
	p := s.pipeline(t, 64)
	s.add(p, s.state, s.whole(0, 1, 1, 1, 1), 8)
	s.pass.Draws[0].Barrier = true
	half := s.state
	half.SampleMask = 0b0011
	s.add(p, half, s.whole(0, 0, 0, 0, 0), 8)
	s.run(t, Config{TileSize: 16})
	for layer, inside := range []byte{128, 0} {
		for y := range 8 {
			for x := range 8 {
				want := byte(7)
				if x >= 1 && x < 6 && y >= 2 && y < 5 {
					want = inside
				}
				if got := pixel(out, x, y, layer)[0]; got != want {
					t.Errorf("layer %d, %d,%d: %d, want %d", layer, x, y, got, want)
				}
			}
		}
	}
}
