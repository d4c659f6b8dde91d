package render

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// layeredProgram writes Layer and ViewportIndex from InstanceIndex.
func layeredProgram() *ir.Program {
	p := vertexProgram(1)
	p.Body = ir.Block{}
	p.Insts = nil
	b := ir.NewBuilder(p)
	for slot := range uint64(8) {
		b.OpImm(ir.OpOutput, ir.Void, slot, b.OpImm(ir.OpInput, ir.F32, slot))
	}
	p.Inputs = append(p.Inputs, inout(ir.BuiltinInstanceIndex, 0, 0, ir.I32))
	p.Outputs = append(p.Outputs, inout(ir.BuiltinLayer, 0, 0, ir.I32), inout(ir.BuiltinViewportIndex, 0, 0, ir.I32))
	i := b.OpImm(ir.OpInput, ir.I32, 8)
	b.OpImm(ir.OpOutput, ir.Void, 8, i)
	b.OpImm(ir.OpOutput, ir.Void, 9, b.Op(ir.OpAnd, ir.I32, i, b.I32(1)))
	b.Finish()
	return p
}

func TestRun_RAS071_LayersAndViewports(t *testing.T) {
	rules.Covers(t, "RAS-071")
	s := newScene(t, 128, 128, 1, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR8G8B8A8Unorm, 128, 128, 1, 3)
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear}
	s.pass.Layers = 3
	s.vs = layeredProgram()
	s.state.ViewportCount = 2
	s.state.Viewports[1] = vk.Viewport{X: 64, Width: 64, Height: 128, MaxDepth: 1}
	s.state.Scissors[1] = s.state.Scissors[0]
	s.state.Scissors[1].Extent.Width = 127 // each viewport has its own: RAS-098
	p := s.pipeline(t, 64)
	// The fourth instance names a layer that does not exist: dropped.
	s.add(p, s.state, s.quad(nil, 0, 0, 128, 128, 0, red...), 8).Instances = 4
	st := s.run(t, Config{Threads: 1, TileSize: 16})
	if st.Fragments != 2*128*128+63*128 {
		t.Errorf("%d fragments", st.Fragments)
	}
	for _, c := range []struct {
		x, layer int
		want     byte
	}{{0, 0, 255}, {127, 0, 255}, {0, 1, 0}, {64, 1, 255}, {127, 1, 0}, {0, 2, 255}} {
		if got := pixel(s.color, c.x, 5, c.layer)[0]; got != c.want {
			t.Errorf("column %d of layer %d: red %d, want %d", c.x, c.layer, got, c.want)
		}
	}
}

// interpolating writes its input at an offset of a quarter pixel to the right.
func interpolating() *ir.Program {
	return fragmentProgram(func(_ *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		v := b.OpImm(ir.OpInterpolateAt, ir.F32, 0|3<<32, b.F32(.25), b.F32(0))
		b.OpImm(ir.OpOutput, ir.Void, 1, v)
	})
}

func TestRun_RAS286_InterpolateAtOffset(t *testing.T) {
	rules.Covers(t, "RAS-286")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 1, 1)
	s.pass.Color[0].View = s.color
	s.fs = interpolating()
	var v []float32
	for _, c := range [6][2]float32{{0, 0}, {8, 0}, {0, 8}, {8, 0}, {8, 8}, {0, 8}} {
		v = s.vert(v, c[0], c[1], 0, c[0], 0, 0, 1) // red = x
	}
	s.add(s.pipeline(t, 64), s.state, v, 8)
	s.run(t, Config{Threads: 1})
	l := s.color.Level(0, 0)
	for _, p := range [][2]int{{3, 2}, {2, 5}, {7, 0}, {0, 7}} { // on both sides of the diagonal, in all places of a quad
		at := l.Data[l.Offset(p[0], p[1], 0, 0):]
		r, g := math.Float32frombits(binary.LittleEndian.Uint32(at)), math.Float32frombits(binary.LittleEndian.Uint32(at[4:]))
		if x := float32(p[0]); r != x+.5 || g != x+.75 {
			t.Errorf("pixel %v: at the centre %v, a quarter pixel to the right %v; want %v, %v", p, r, g, x+.5, x+.75)
		}
	}
	// Of barycentrics: the second vertex's weight of a triangle whose sides are 8 long is an eighth of x.
	s.pass.Draws = nil
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		in := inout(ir.BuiltinBaryCoord, 0, 1, ir.F32)
		in.Interp = ir.Perspective
		p.Inputs = append(p.Inputs, in)
		v := b.OpImm(ir.OpInterpolateAt, ir.F32, uint64(len(p.Inputs)-1)|3<<32, b.F32(.25), b.F32(0))
		b.OpImm(ir.OpOutput, ir.Void, 1, v)
	})
	s.add(s.pipeline(t, 64), s.state, v[:3*8], 8)
	s.run(t, Config{Threads: 1})
	for _, x := range []int{0, 1, 4} {
		if g := math.Float32frombits(binary.LittleEndian.Uint32(l.Data[l.Offset(x, 2, 0, 0)+4:])); g != (float32(x)+.75)/8 {
			t.Errorf("weight of pixel %d,2 a quarter pixel to the right: %v, want %v", x, g, (float32(x)+.75)/8)
		}
	}
}

// Integers are never interpolated, though a program asks for it: they are those of the
// provoking vertex.
func TestRun_RAS069_IntegersAreFlat(t *testing.T) {
	rules.Covers(t, "RAS-069")
	for mode, want := range map[vk.ProvokingVertexModeEXT]float32{vk.ProvokingVertexModeFirstVertexEXT: 3, vk.ProvokingVertexModeLastVertexEXT: 9} {
		s := newScene(t, 8, 8, 1, vk.FormatUndefined)
		p := &ir.Program{Stage: ir.StageFragment, Name: "integer"}
		b := ir.NewBuilder(p)
		for c := range uint32(4) {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 0, c, ir.I32))
			p.Inputs[c].Interp = ir.Perspective
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.Op(ir.OpBitcast, ir.F32, b.OpImm(ir.OpInput, ir.I32, uint64(c))))
		}
		b.Finish()
		s.fs = p
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 1, 1)
		s.pass.Color[0].View = s.color
		s.state.ProvokingVertexMode = mode
		var v []float32
		for i, c := range [3][2]float32{{0, 0}, {16, 0}, {0, 16}} {
			x := []float32{3, 5, 9}[i]
			v = s.vert(v, c[0], c[1], 0, x, -x, 2*x, 7*x)
		}
		s.add(s.pipeline(t, 64), s.state, v, 8)
		s.run(t, Config{Threads: 1})
		for _, p := range [][2]int{{0, 0}, {7, 0}, {0, 7}} {
			for c, k := range []float32{1, -1, 2, 7} {
				if got := component(s.color, 8*p[1]+p[0], c); got != k*want {
					t.Errorf("mode %d, pixel %v, component %d: the bits of %v, want those of %v", mode, p, c, got, k*want)
				}
			}
		}
	}
}

func TestRun_RAS342_DualSource(t *testing.T) {
	rules.Covers(t, "RAS-342")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.pass.Color[0].ClearColor = texel(1, 1, 1, 1)
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		for c := range uint32(3) {
			io := inout(ir.BuiltinNone, 0, c, ir.F32)
			io.Index = 1
			p.Outputs = append(p.Outputs, io)
			b.OpImm(ir.OpOutput, ir.Void, uint64(4+c), color[(c+1)%3])
		}
	})
	blend := &s.state.Blend[0]
	blend.BlendEnable, blend.SrcColorBlendFactor, blend.DstColorBlendFactor = true, vk.BlendFactorZero, vk.BlendFactorSrc1Color
	blend.SrcAlphaBlendFactor, blend.DstAlphaBlendFactor = vk.BlendFactorSrc1Alpha, vk.BlendFactorZero
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, 4, 0, 1, .2, .4, 1), 8)
	s.run(t, Config{Threads: 1})
	// Second source (.2, .4, 1), its missing alpha 0.
	if got, want := pixel(s.color, 1, 1, 0), [4]byte{51, 102, 255, 0}; got != want {
		t.Errorf("pixel %v, want %v", got, want)
	}
}

// TestRun_RAS342_SecondSourceAlone: the shader writes the second source only, and
// the factors want nothing of the first.
func TestRun_RAS342_SecondSourceAlone(t *testing.T) {
	rules.Covers(t, "RAS-342")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.pass.Color[0].ClearColor = texel(1, 1, 1, 1)
	p := &ir.Program{Stage: ir.StageFragment, Name: "second"}
	b := ir.NewBuilder(p)
	for c := range uint32(4) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		io := inout(ir.BuiltinNone, 0, c, ir.F32)
		io.Index = 1
		p.Outputs = append(p.Outputs, io)
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.OpImm(ir.OpInput, ir.F32, uint64(c)))
	}
	b.Finish()
	s.fs = p
	blend := &s.state.Blend[0]
	blend.BlendEnable, blend.SrcColorBlendFactor, blend.DstColorBlendFactor = true, vk.BlendFactorZero, vk.BlendFactorSrc1Color
	blend.SrcAlphaBlendFactor, blend.DstAlphaBlendFactor = vk.BlendFactorZero, vk.BlendFactorSrc1Alpha
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, 4, 0, .2, .4, 1, .6), 8)
	s.run(t, Config{Threads: 1})
	if got, want := pixel(s.color, 1, 1, 0), [4]byte{51, 102, 255, 153}; got != want {
		t.Errorf("pixel %v, want the second source, %v", got, want)
	}
}

func TestRun_RAS018_SampleMaskAndScissor(t *testing.T) {
	rules.Covers(t, "RAS-018")
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	s.state.SampleMask = 0b0100
	s.state.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 3, Y: 3}, Extent: vk.Extent2D{Width: 1, Height: 2}}
	s.pass.Occlusion = make([]uint64, 1)
	s.fs = nil
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 8, 8, 0, red...), 8).Occlusion = 1
	s.run(t, Config{Threads: 1})
	if s.pass.Occlusion[0] != 2 {
		t.Errorf("%d samples, want 2", s.pass.Occlusion[0])
	}
}

// TestRun_RAS305_HiddenFragmentsAreNotShaded: but only what is hidden in every
// attachment is.
func TestRun_RAS305_HiddenFragmentsAreNotShaded(t *testing.T) {
	rules.Covers(t, "RAS-305", "RAS-359")
	s := newScene(t, 32, 32, 4, vk.FormatD32Sfloat)
	second := newView(t, vk.FormatR8G8B8A8Unorm, 32, 32, 4, 1)
	s.pass.Color = append(s.pass.Color, Attachment{View: second, Load: vk.AttachmentLoadOpClear})
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		for c := range uint32(4) {
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 1, c, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(4+c), color[c])
		}
	})
	p := s.pipeline(t, 64)
	s.add(p, s.state, s.quad(nil, 0, 0, 32, 32, .5, white...), 8) // hidden
	s.add(p, s.state, s.quad(nil, 0, 0, 32, 32, .5, red...), 8)
	first := s.state
	first.ColorWrite = 1
	s.add(p, first, s.quad(nil, 0, 0, 32, 32, .5, green...), 8)
	st := s.run(t, Config{Threads: 1, TileSize: 16})
	if a, b := pixel(s.color, 9, 9, 0), pixel(second, 9, 9, 0); a != [4]byte{0, 255, 0, 255} || b != [4]byte{255, 0, 0, 255} {
		t.Errorf("attachments hold %v and %v, want green and red", a, b)
	}
	if edge := uint64(2 * 32); st.Fragments < 2*1024 || st.Fragments > 2*(1024+edge) { // diagonals are shaded twice
		t.Errorf("%d fragments shaded, want two layers", st.Fragments)
	}
}

// TestRun_RAS303_UnsureFragmentsAreNotDropped: with NOT_EQUAL, what fails
// against memory may pass against what waits in the batch.
func TestRun_RAS303_UnsureFragmentsAreNotDropped(t *testing.T) {
	rules.Covers(t, "RAS-303")
	s := newScene(t, 4, 4, 1, vk.FormatD32Sfloat)
	s.fs = holes()
	p := s.pipeline(t, 64)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpNotEqual
	s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, .5, red...), 8)
	s.add(p, s.state, s.quad(s.quad(nil, 0, 0, 4, 4, .25, 1, 1, 0, 1), 0, 0, 4, 4, .5, white...), 8)
	s.run(t, Config{Threads: 1})
	if got := pixel(s.color, 1, 1, 0); got != [4]byte{255, 255, 255, 255} {
		t.Errorf("pixel %v, want white: its depth differs from the .25 below it", got)
	}
}

// TestRun_RAS349_UnwrittenOutputs: the shader writes green and alpha only where
// red is large; elsewhere they are 0 and 1, whatever the batch before left.
func TestRun_RAS349_UnwrittenOutputs(t *testing.T) {
	rules.Covers(t, "RAS-349")
	p := &ir.Program{Stage: ir.StageFragment, Name: "partial"}
	b := ir.NewBuilder(p)
	for c := range uint32(4) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
	}
	r := b.OpImm(ir.OpInput, ir.F32, 0)
	b.OpImm(ir.OpOutput, ir.Void, 0, r)
	b.If(b.Op(ir.OpFLt, ir.Bool, b.F32(.5), r), func() {
		b.OpImm(ir.OpOutput, ir.Void, 1, r)
		b.OpImm(ir.OpOutput, ir.Void, 3, b.F32(0))
	}, nil)
	b.Finish()
	s := newScene(t, 64, 64, 1, vk.FormatUndefined)
	s.fs = p
	pipe := s.pipeline(t, 64)
	s.add(pipe, s.state, s.quad(nil, 0, 0, 64, 64, 0, 1, 1, 1, 1), 8)
	s.add(pipe, s.state, s.quad(nil, 0, 0, 64, 64, 0, .2, 1, 1, 1), 8)
	s.run(t, Config{Threads: 1})
	if got, want := pixel(s.color, 20, 20, 0), [4]byte{51, 0, 0, 255}; got != want {
		t.Errorf("pixel %v, want %v", got, want)
	}
}

func TestRun_RAS354_DepthStencilResolve(t *testing.T) {
	rules.Covers(t, "RAS-354")
	s := newScene(t, 4, 4, 4, vk.FormatD32SfloatS8Uint)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	s.state.StencilTestEnable = true
	s.state.Front = vk.StencilOpState{PassOp: vk.StencilOpReplace, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 9}
	s.state.Back = s.state.Front
	s.fs = nil
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, .5, 4, .25, red...), 8) // samples 0 and 2 of column 0
	out := newView(t, vk.FormatD32SfloatS8Uint, 4, 4, 1, 1)
	depth, stencil := *s.pass.Depth, *s.pass.Depth
	depth.Resolve, depth.ResolveMode = out, vk.ResolveModeAverageBit
	stencil.Resolve, stencil.ResolveMode = out, vk.ResolveModeMaxBit
	s.pass.Depth, s.pass.Stencil = &depth, &stencil
	s.run(t, Config{Threads: 1})
	z := math.Float32frombits(binary.LittleEndian.Uint32(out.Image.Level(0, 0, 0).Data))
	if st := out.Image.Level(1, 0, 0).Data; z != .625 || st[0] != 9 || st[1] != 0 {
		t.Errorf("depth %v, stencil %v; want .625, 9, 0", z, st[:2])
	}
}

// TestRun_RAS302_SampleMaskInputIgnoresTheDepthTest: without
// PostDepthCoverage the input shows coverage before depth, with it what depth has left.
func TestRun_RAS302_SampleMaskInputIgnoresTheDepthTest(t *testing.T) {
	rules.Covers(t, "RAS-302")
	for post, hidden := range map[bool]byte{false: 0b1011, true: 0b1010} {
		s := newScene(t, 4, 4, 4, vk.FormatD32Sfloat)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		p := s.pipeline(t, 64)
		s.add(p, s.state, s.quad(nil, 0, 0, .5, 4, .25, red...), 8) // hides samples 0 and 2
		s.fs = sampleProgram()
		s.fs.SampleRate, s.fs.PostDepthCoverage, s.fs.EarlyFragmentTests = false, post, post
		state := s.state
		state.SampleMask = 0b1011
		s.add(s.pipeline(t, 64), state, s.whole(.5, red...), 8)
		s.run(t, Config{Threads: 1})
		for i := range 16 {
			want := [2]byte{0, hidden}
			if i%4 > 0 {
				want[1] = 0b1011
			}
			l := s.color.Level(0, 0)
			if got := [2]byte(l.Data[l.Offset(i%4, i/4, 0, 1):]); got != want {
				t.Errorf("post depth %v, pixel %d,%d, sample 1: id and mask %v, want %v", post, i%4, i/4, got, want)
			}
		}
	}
}

// With PostDepthCoverage SampleMask has what the fragment's own tests have left, not what later fragments leave of that.
func TestRun_RAS302_WhatHidesASampleLaterDoesNotShow(t *testing.T) {
	rules.Covers(t, "RAS-302")
	s := newScene(t, 4, 4, 4, vk.FormatD32Sfloat)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	over := s.pipeline(t, 64)
	s.fs = sampleProgram()
	s.fs.SampleRate, s.fs.PostDepthCoverage, s.fs.EarlyFragmentTests = false, true, true
	s.add(s.pipeline(t, 64), s.state, s.whole(.5, red...), 8)
	s.add(over, s.state, s.quad(nil, 0, 0, .5, 4, .25, red...), 8) // hides samples 0 and 2 of the first column
	s.run(t, Config{Threads: 1})
	for i := range 16 {
		l := s.color.Level(0, 0)
		if got := l.Data[l.Offset(i%4, i/4, 0, 1)+1]; got != 0b1111 {
			t.Errorf("pixel %d,%d: mask %#b, want all four", i%4, i/4, got)
		}
	}
}

// cancelling is a routine whose first batch cancels a context.
type cancelling struct {
	exec.Routine
	cancel context.CancelFunc
}

type cancellingThread struct {
	exec.Thread
	cancel context.CancelFunc
}

func (c *cancelling) NewThread(n int) exec.Thread {
	return &cancellingThread{c.Routine.NewThread(n), c.cancel}
}

func (c *cancellingThread) Run(ctx *exec.Context, b *exec.Batch) error {
	c.cancel()
	return c.Thread.Run(ctx, b)
}

func TestRun_CancelledAfterABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newScene(t, 256, 256, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	p.desc.Fragment = &cancelling{p.desc.Fragment, cancel}
	s.add(p, s.state, s.quad(nil, 0, 0, 256, 256, 0, red...), 8)
	st, err := newExecutor(Config{Threads: 1, TileSize: 16}).Run(ctx, &s.pass)
	var during *DrawError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &during) || during.Draw != 0 || st.Batches != 1 || st.Tiles != 0 {
		t.Errorf("error %v after %d batches and %d tiles, want cancellation of draw 0 after a batch", err, st.Batches, st.Tiles)
	}
}

// A pass that ends in the middle of a tile leaves nothing that the next one takes for its own: blocks whose depths
// wait to be stored, for one.
func TestRun_AfterACancelledOne(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := newExecutor(Config{Threads: 1, TileSize: 64})
	scene := func(depth vk.Format) (*scene, *Pipeline) {
		s := newScene(t, 64, 64, 1, depth)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
		return s, s.pipeline(t, 64)
	}
	s, p := scene(vk.FormatD32Sfloat)
	p.desc.Fragment = &cancelling{p.desc.Fragment, cancel}
	s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0.5, red...), 8)
	if _, err := x.Run(ctx, &s.pass); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want cancellation", err)
	}
	for _, depth := range []vk.Format{vk.FormatUndefined, vk.FormatD32Sfloat} {
		s, p := scene(depth)
		s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0.5, red...), 8)
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Errorf("the next pass, depth %v: %v", depth, err)
		}
	}
}

// Errors that have rules name them.
func TestRun_RefusesWhatDoesNotFit(t *testing.T) {
	rules.Covers(t, "RAS-007", "RAS-016", "RAS-040", "RAS-334", "RAS-337", "RAS-350", "RAS-357")
	number := map[string]string{"compressed": "RAS-337", "colour with too many samples": "RAS-334", "colour of depth": "RAS-337",
		"resolve to several samples": "RAS-350", "resolve to another format": "RAS-350", "17 attachments": "RAS-007", "area beyond any framebuffer": "RAS-007", "three samples": "RAS-016", "128 samples": "RAS-016",
		"no viewport": "RAS-040", "17 viewports": "RAS-040", "no counter": "RAS-357", "less than no counter": "RAS-357"}
	for name, change := range map[string]func(s *scene){
		"area beyond the attachment": func(s *scene) { s.pass.Area.Extent.Width = 9 },
		"area below the attachment":  func(s *scene) { s.pass.Area.Extent.Height = 9 },
		"no memory":                  func(s *scene) { s.color.Image.Data = nil },
		"compressed":                 func(s *scene) { s.pass.Color[0].View = newView(t, vk.FormatBc1RgbaUnormBlock, 8, 8, 1, 1) },
		"depth without memory": func(s *scene) {
			s.pass.Depth = &Attachment{View: newView(t, vk.FormatD32Sfloat, 8, 8, 1, 1)}
			s.pass.Depth.View.Image.Data = nil
		},
		"stencil without memory": func(s *scene) {
			s.pass.Stencil = &Attachment{View: newView(t, vk.FormatS8Uint, 8, 8, 1, 1)}
			s.pass.Stencil.View.Image.Data = nil
		},
		"colours as depth":   func(s *scene) { s.pass.Depth = &s.pass.Color[0] },
		"depth of no depth":  func(s *scene) { s.pass.Depth = &Attachment{View: newView(t, vk.FormatS8Uint, 8, 8, 1, 1)} },
		"depth as stencil":   func(s *scene) { s.pass.Stencil = &Attachment{View: newView(t, vk.FormatD32Sfloat, 8, 8, 1, 1)} },
		"density of samples": func(s *scene) { s.pass.Density = &DensityMap{View: newView(t, vk.FormatR8G8Unorm, 8, 8, 4, 1)} },
		"rates without memory": func(s *scene) {
			s.pass.Rate = &rates.Attachment{View: newView(t, vk.FormatR8Uint, 8, 8, 1, 1), Texel: vk.Extent2D{Width: 8, Height: 8}}
			s.pass.Rate.View.Image.Data = nil
		},
		"density without memory": func(s *scene) {
			s.pass.Density = &DensityMap{View: newView(t, vk.FormatR8G8Unorm, 8, 8, 1, 1)}
			s.pass.Density.View.Image.Data = nil
		},
		"17 attachments":              func(s *scene) { s.pass.Color = make([]Attachment, MaxColorAttachments+1) },
		"area beyond any framebuffer": func(s *scene) { s.pass.Color, s.pass.Area.Offset.X = nil, 32761 },
		"three samples":               func(s *scene) { s.pass.Color, s.pass.Samples = nil, 3 },
		"128 samples":                 func(s *scene) { s.pass.Color, s.pass.Samples = nil, 128 },
		"17 viewports":                func(s *scene) { s.pass.Draws[0].State.ViewportCount = 17 },
		"less than no counter":        func(s *scene) { s.pass.Draws[0].Occlusion = -1 },
		"no viewport":                 func(s *scene) { s.pass.Draws[0].State.ViewportCount = 0 },
		"colour with too many samples": func(s *scene) {
			s.pass.Samples, s.pass.Color[0].View = 1, newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 4, 1)
		},
		"colour of depth": func(s *scene) { s.pass.Color[0].View = newView(t, vk.FormatD16Unorm, 8, 8, 1, 1) },
		"resolve to several samples": func(s *scene) {
			s.pass.Color[0].Resolve, s.pass.Color[0].ResolveMode = newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 4, 1), vk.ResolveModeAverageBit
		},
		"resolve to another format": func(s *scene) {
			s.pass.Color[0].Resolve, s.pass.Color[0].ResolveMode = newView(t, vk.FormatR8Unorm, 8, 8, 1, 1), vk.ResolveModeAverageBit
		},
		"layers beyond the view": func(s *scene) { s.pass.Layers = 2 },
		"no counter":             func(s *scene) { s.pass.Draws[0].Occlusion = 1 },
		"patches":                func(s *scene) { s.pass.Draws[0].State.Topology = vk.PrimitiveTopologyPatchList },
		"advanced blending": func(s *scene) {
			s.pass.Draws[0].State.Blend[0].BlendEnable, s.pass.Draws[0].State.Blend[0].ColorBlendOp = true, vk.BlendOpDstEXT
		},
		"missing descriptors": func(s *scene) {
			fs := fragmentProgram(nil)
			fs.Resources = []ir.Resource{{Kind: ir.UniformBuffer, Count: 1}}
			s.fs = fs
			s.pass.Draws[0].Pipeline = s.pipeline(t, 64)
		},
		"clear of nothing": func(s *scene) {
			s.pass.Draws[0].Clear = &Clear{Aspect: vk.ImageAspectColorBit, ColorAttachment: MaxColorAttachments}
		},
	} {
		s := newScene(t, 8, 8, 1, vk.FormatUndefined)
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 8, 8, 0, red...), 8)
		change(s)
		_, err := newExecutor(Config{Threads: 1}).Run(context.Background(), &s.pass)
		ofDraw := map[string]bool{"no viewport": true, "17 viewports": true, "less than no counter": true, "no counter": true, "patches": true, "advanced blending": true, "missing descriptors": true, "clear of nothing": true}
		if e := (*PassError)(nil); !errors.As(err, &e) || e.Draw != map[bool]int{true: 0, false: -1}[ofDraw[name]] {
			t.Errorf("%s: error %v, want a *PassError", name, err)
		} else if state := (*fragops.StateError)(nil); number[name] != "" && e.Rule != number[name] && (!errors.As(err, &state) || state.Rule != number[name]) {
			t.Errorf("%s: %v, want %s", name, err, number[name])
		}
	}
}

// TestRun_HostileCounts must end at once.
func TestRun_HostileCounts(t *testing.T) {
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	d := s.add(p, s.state, s.quad(nil, 0, 0, 8, 8, 0, red...), 8)
	d.Count, d.Instances = 2, math.MaxUint32
	d = s.add(p, s.state, nil, 8)
	d.Indirect = &Indirect{Buffer: make([]byte, 16), Offset: math.MaxUint64 - 3, DrawCount: math.MaxUint32, Stride: 16}
	d = s.add(p, s.state, nil, 8)
	d.Indirect = &Indirect{Buffer: make([]byte, 16), DrawCount: math.MaxUint32}
	d = s.add(p, s.state, nil, 8)
	d.Count, d.Index = 300, &IndexBuffer{Data: []byte{1}, Type: vk.IndexTypeUint16}
	d.VertexOffset = math.MinInt32
	s.run(t, Config{Threads: 2})
	if err := newExecutor(Config{}).Dispatch(context.Background(), nil, fakeCompute{}, &exec.Context{}, [3]uint32{}, [3]uint32{1 << 16, 1, 1}); err == nil {
		t.Error("65536 workgroups are accepted")
	}
}

// fakeCompute is a routine that is never run.
type fakeCompute struct{ exec.Routine }

func (fakeCompute) Program() *ir.Program {
	return &ir.Program{Stage: ir.StageCompute, LocalSize: [3]uint32{1, 1, 1}}
}
