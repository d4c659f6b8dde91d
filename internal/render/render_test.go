package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

var (
	red   = []float32{1, 0, 0, 1}
	green = []float32{0, 1, 0, 1}
	white = []float32{1, 1, 1, 1}
)

func TestRun_RAS239_Triangle(t *testing.T) {
	rules.Covers(t, "RAS-239")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	var v []float32
	v = s.vert(v, 0, 0, 0, red...)
	v = s.vert(v, 2, 0, 0, red...)
	v = s.vert(v, 0, 2, 0, red...)
	s.add(p, s.state, v, 8)
	v = s.vert(nil, 2, 0, 0, green...)
	v = s.vert(v, 2, 2, 0, green...)
	v = s.vert(v, 0, 2, 0, green...)
	s.add(p, s.state, v, 8)
	st := s.run(t, Config{Threads: 1})
	for y := range 8 {
		for x := range 8 {
			want := [4]byte{}
			switch {
			case x == 0 && y == 0:
				want = [4]byte{255, 0, 0, 255}
			case x < 2 && y < 2:
				want = [4]byte{0, 255, 0, 255}
			}
			if got := pixel(s.color, x, y, 0); got != want {
				t.Errorf("pixel (%d,%d) = %v, want %v", x, y, got, want)
			}
		}
	}
	if st.Fragments != 4 || st.Primitives != 2 || st.Vertices != 6 {
		t.Errorf("stats %+v, want 4 fragments, 2 primitives, 6 vertices", st)
	}
}

func TestRun_RAS327_DepthOrder(t *testing.T) {
	rules.Covers(t, "RAS-327")
	for _, f := range []vk.Format{vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD32Sfloat, vk.FormatD24UnormS8Uint} {
		s := newScene(t, 16, 16, 1, f)
		p := s.pipeline(t, 64)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.add(p, s.state, s.quad(nil, 0, 0, 8, 16, .5, red...), 8)
		s.add(p, s.state, s.quad(nil, 0, 0, 16, 8, .75, green...), 8)
		s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, .5, white...), 8)
		s.run(t, Config{Threads: 2})
		for _, c := range []struct {
			x, y int
			want [4]byte
		}{{0, 0, [4]byte{255, 0, 0, 255}}, {12, 2, [4]byte{0, 255, 0, 255}}, {12, 12, [4]byte{}}} {
			if got := pixel(s.color, c.x, c.y, 0); got != c.want {
				t.Errorf("%v: pixel (%d,%d) = %v, want %v", f, c.x, c.y, got, c.want)
			}
		}
	}
}

func TestRun_RAS352_MultisampleResolve(t *testing.T) {
	rules.Covers(t, "RAS-106", "RAS-330", "RAS-352")
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	// Left of x = 0.5 in pixel 0: samples 0 and 2 (RAS-106, corner case 6).
	s.add(p, s.state, s.quad(nil, 0, 0, .5, 4, 0, white...), 8)
	out := newView(t, vk.FormatR8G8B8A8Unorm, 4, 4, 1, 1)
	s.pass.Color[0].Resolve, s.pass.Color[0].ResolveMode = out, vk.ResolveModeAverageBit
	s.pass.Occlusion = make([]uint64, 1)
	s.pass.Draws[0].Occlusion = 1
	s.run(t, Config{Threads: 1})
	if got, want := pixel(out, 0, 1, 0), [4]byte{128, 128, 128, 128}; got != want {
		t.Errorf("half covered pixel resolves to %v, want %v", got, want)
	}
	if got := pixel(out, 1, 1, 0); got != [4]byte{} {
		t.Errorf("uncovered pixel resolves to %v", got)
	}
	if s.pass.Occlusion[0] != 8 { // RAS-330
		t.Errorf("%d samples counted, want 8", s.pass.Occlusion[0])
	}
}

func TestRun_RAS100_BlendingInPrimitiveOrder(t *testing.T) {
	rules.Covers(t, "RAS-100", "RAS-369", "RAS-101", "RAS-102")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	blend := &s.state.Blend[0]
	blend.BlendEnable = true
	blend.SrcColorBlendFactor, blend.DstColorBlendFactor = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha
	blend.SrcAlphaBlendFactor, blend.DstAlphaBlendFactor = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha
	p := s.pipeline(t, 64)
	info := s.color.Info
	c, err := fragops.NewColor(fragops.ColorDesc{Info: info, State: *blend, WriteEnable: true})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 4)
	var v []float32
	for i := range 100 {
		col := []float32{float32(i%3) / 2, float32(i%5) / 4, float32(i%7) / 6, float32(i%11) / 10}
		v = s.quad(v, 0, 0, 8, 8, 0, col...)
		var src [4][]uint32
		for k := range src {
			src[k] = []uint32{math.Float32bits(col[k])}
		}
		c.Write(&fragops.Surface{Data: want}, []fragops.Fragment{{Mask: 1}}, &src, nil)
	}
	s.add(p, s.state, v, 8)
	s.run(t, Config{Threads: 2, Lanes: 64})
	for y := range 8 {
		for x := range 8 {
			if got := pixel(s.color, x, y, 0); !bytes.Equal(got[:], want) {
				t.Fatalf("pixel (%d,%d) = %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestRun_TinyTrianglesShareBatches(t *testing.T) {
	s := newScene(t, 64, 64, 1, vk.FormatUndefined)
	p := s.pipeline(t, 256)
	var v []float32
	for i := range 256 {
		x, y := float32(i%32*2), float32(i/32*2)
		v = s.vert(v, x, y, 0, red...)
		v = s.vert(v, x+1.2, y, 0, red...)
		v = s.vert(v, x, y+1.2, 0, red...)
	}
	s.add(p, s.state, v, 8)
	st := s.run(t, Config{Threads: 1, Lanes: 256})
	if st.Fragments != 256 || st.Batches > 5 { // 4 of quads; places keep room for a whole block
		t.Errorf("%d fragments in %d batches, want 256 in 4 or 5", st.Fragments, st.Batches)
	}
}

func TestRun_IndexedVerticesAreShadedOnce(t *testing.T) {
	s := newScene(t, 64, 64, 1, vk.FormatUndefined)
	p := s.pipeline(t, 256)
	const n = 11 // 10×10 cells, 200 triangles: one chunk
	var v []float32
	var idx []byte
	for y := range n {
		for x := range n {
			v = s.vert(v, float32(x*6), float32(y*6), 0, red...)
		}
	}
	for y := range n - 1 {
		for x := range n - 1 {
			a := y*n + x
			for _, i := range [6]int{a, a + 1, a + n, a + 1, a + n + 1, a + n} {
				idx = binary.LittleEndian.AppendUint16(idx, uint16(i))
			}
		}
	}
	d := s.add(p, s.state, v, 8)
	d.Index, d.Count = &IndexBuffer{Data: idx, Type: vk.IndexTypeUint16}, uint32(len(idx)/2)
	st := s.run(t, Config{Threads: 1})
	if st.Vertices != n*n || st.VerticesIn != 600 || st.Fragments != 3600 {
		t.Errorf("%d of %d vertices shaded, %d fragments; want 121 of 600, 3600", st.Vertices, st.VerticesIn, st.Fragments)
	}
}

// instancedProgram moves location 0 by location 2 (instanced) and passes
// location 1 on.
func instancedProgram() *ir.Program {
	p := &ir.Program{Stage: ir.StageVertex, Name: "instanced"}
	b := ir.NewBuilder(p)
	input := func(l, c uint32) ir.Value {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, l, c, ir.F32))
		return b.OpImm(ir.OpInput, ir.F32, uint64(len(p.Inputs)-1))
	}
	output := func(io ir.IO, v ir.Value) {
		p.Outputs = append(p.Outputs, io)
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), v)
	}
	for c := range uint32(4) {
		output(inout(ir.BuiltinPosition, 0, c, ir.F32), b.Op(ir.OpFAdd, ir.F32, input(0, c), input(2, c)))
		output(inout(ir.BuiltinNone, 0, c, ir.F32), input(1, c))
	}
	b.Finish()
	return p
}

func TestRun_InstancesAndDivisor(t *testing.T) {
	s := newScene(t, 16, 4, 1, vk.FormatUndefined)
	s.vs = instancedProgram()
	d := PipelineDesc{
		Vertex: compile(t, s.vs, 64), Fragment: compile(t, s.fs, 64), Static: s.state,
		Bindings: []vk.VertexInputBindingDescription{{Stride: 32}, {Binding: 1, Stride: 16, InputRate: vk.VertexInputRateInstance}},
		Attributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32A32Sfloat}, {Location: 1, Format: vk.FormatR32G32B32A32Sfloat, Offset: 16},
			{Location: 2, Binding: 1, Format: vk.FormatR32G32B32A32Sfloat},
		},
		Divisors: []vk.VertexInputBindingDivisorDescription{{Binding: 1, Divisor: 2}},
	}
	p, err := NewPipeline(d)
	if err != nil {
		t.Fatal(err)
	}
	draw := s.add(p, s.state, s.quad(nil, 0, 0, 2, 4, 0, red...), 8)
	var offsets []byte
	for i := range 4 {
		for _, f := range [4]float32{float32(i) * .5, 0, 0, 0} {
			offsets = binary.LittleEndian.AppendUint32(offsets, math.Float32bits(f))
		}
	}
	draw.VertexBuffers = append(draw.VertexBuffers, VertexBuffer{Data: offsets})
	draw.FirstInstance, draw.Instances = 1, 4 // elements 1, 1, 2, 2: 4 and 8 pixels to the right
	x := newExecutor(Config{Threads: 1})
	x.DirectFor = 0
	st, err := x.Run(context.Background(), &s.pass)
	if err != nil {
		t.Fatal(err)
	}
	if st.Primitives != 8 || st.Fragments != 16 || st.Vertices != 24 { // pairs of instances coincide: half is hidden
		t.Errorf("stats %+v, want 8 primitives, 16 fragments, 24 vertices", st)
	}
	for x := range 16 {
		want := x == 4 || x == 5 || x == 8 || x == 9
		if got := pixel(s.color, x, 2, 0)[0] == 255; got != want {
			t.Errorf("column %d drawn: %v", x, got)
		}
	}
}

func TestNewPipeline_MissingProducer(t *testing.T) {
	fs := fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 7, 0, ir.F32))
	})
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	_, err := NewPipeline(PipelineDesc{
		Vertex: compile(t, s.vs, 64), Fragment: compile(t, fs, 64), Bindings: []vk.VertexInputBindingDescription{{Stride: 32}},
		Attributes: []vk.VertexInputAttributeDescription{{Format: vk.FormatR32G32B32A32Sfloat}, {Location: 1, Format: vk.FormatR32G32B32A32Sfloat}},
	})
	if e := (*PipelineError)(nil); !errors.As(err, &e) || e.Rule != "interfaces-iointerfaces-matching" {
		t.Errorf("error %v, want a *PipelineError about matching", err)
	}
}

// discarding demotes every lane.
func discarding(early bool) *ir.Program {
	p := fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) { b.Op(ir.OpDemote, ir.Void) })
	p.Demotes, p.EarlyFragmentTests = true, early
	return p
}

func TestRun_RAS301_EarlyTestsWriteDepthOfDiscardedFragments(t *testing.T) {
	rules.Covers(t, "RC-64", "RAS-301")
	for _, early := range []bool{false, true} {
		s := newScene(t, 4, 4, 1, vk.FormatD32Sfloat)
		s.fs = discarding(early)
		p := s.pipeline(t, 64)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, .5, red...), 8).Occlusion = 1
		s.pass.Occlusion = make([]uint64, 1)
		s.run(t, Config{Threads: 1})
		z, n := float32(1), uint64(0)
		if early {
			z, n = .5, 16
		}
		got := math.Float32frombits(binary.LittleEndian.Uint32(s.depth.Image.Data))
		if got != z || s.pass.Occlusion[0] != n || pixel(s.color, 1, 1, 0) != [4]byte{} {
			t.Errorf("early %v: depth %v, count %d, colour %v; want %v, %d, nothing", early, got, s.pass.Occlusion[0], pixel(s.color, 1, 1, 0), z, n)
		}
	}
}

// Without the depth and stencil that a fragment finds, an input attachment would
// show what its own tests wrote.
func TestDrawState_RAS303_InputAttachmentsAreReadBeforeTheTestsWrite(t *testing.T) {
	rules.Covers(t, "RAS-303")
	for _, c := range []struct {
		tests fragops.DepthStencil
		want  bool
	}{
		{fragops.DepthStencil{}, false},
		{fragops.DepthStencil{DepthTest: true}, false},
		{fragops.DepthStencil{DepthWrite: true}, false},
		{fragops.DepthStencil{DepthTest: true, DepthWrite: true}, true},
		{fragops.DepthStencil{StencilTest: true}, true},
	} {
		for _, sees := range []bool{true, false} {
			s := drawState{State: fragment.State{Tests: []fragops.DepthStencil{c.tests}}}
			if got := s.mayReadTests(sees); got != (c.want && sees) {
				t.Errorf("%+v, reads attachments %v: %v", c.tests, sees, got)
			}
		}
	}
}

// Fragments see what others write by tile images, by input attachments that are attachments of the pass or lie in their memory, and by
// sparse ones, of which that is not known; not by other input attachments.
func TestPlan_Sees(t *testing.T) {
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.Resources = []ir.Resource{{Kind: ir.SampledImage, Count: 1}, {Kind: ir.InputAttachment, Count: 2}}
	})
	p := s.pipeline(t, 64)
	image := func(data []byte, flags vk.ImageCreateFlags) *resource.ImageView {
		im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1})
		if err == nil {
			err = im.Bind(data[:im.Layout.Size])
		}
		if err != nil {
			t.Fatal(err)
		}
		im.Flags = flags
		v, err := resource.NewView(im, resource.ViewDesc{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	own := make([]byte, 1<<12)
	for name, c := range map[string]struct {
		sampled, input *resource.ImageView
		want           bool
	}{
		"nothing":         {nil, nil, false},
		"another":         {nil, image(own, 0), false},
		"the attachment":  {nil, s.color, true},
		"sampled":         {s.color, nil, false},
		"the same memory": {nil, image(s.color.Image.Data, 0), true},
		"sparse":          {nil, image(own, vk.ImageCreateSparseBindingBit), true},
	} {
		pl := passPlan{pass: &Pass{Color: []Attachment{{View: s.color}}}}
		d := Draw{Pipeline: p, Fragment: &exec.Context{Resources: [][]exec.Descriptor{{{View: c.sampled}}, {{}, {View: c.input}}}}}
		if got := pl.sees(&d); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		d.Fragment = nil
		if pl.sees(&d) {
			t.Errorf("%s: without descriptors", name)
		}
	}
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.Resources = []ir.Resource{{Kind: ir.TileImage, Count: 1}}
	})
	if pl := (passPlan{pass: &Pass{}}); !pl.sees(&Draw{Pipeline: s.pipeline(t, 64)}) {
		t.Error("tile images")
	}
}

func TestRun_RAS310_FragDepth(t *testing.T) {
	rules.Covers(t, "RAS-310")
	s := newScene(t, 4, 4, 1, vk.FormatD32Sfloat)
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, 4, color[0])
	})
	p := s.pipeline(t, 64)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, .9, .25, 0, 0, 1), 8)
	s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, .1, .5, 1, 0, 1), 8)
	s.run(t, Config{Threads: 1})
	got := math.Float32frombits(binary.LittleEndian.Uint32(s.depth.Image.Data))
	if got != .25 || pixel(s.color, 2, 2, 0)[1] != 0 {
		t.Errorf("depth %v, colour %v; want .25 and no green", got, pixel(s.color, 2, 2, 0))
	}
}

func TestRun_RAS317_AlphaToCoverage(t *testing.T) {
	rules.Covers(t, "RAS-317")
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	s.state.AlphaToCoverageEnable, s.state.AlphaToOneEnable = true, true
	p := s.pipeline(t, 64)
	s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, 0, 1, 1, 1, .5), 8)
	s.run(t, Config{Threads: 1})
	got := s.color.Image.Data[:16]
	want := []byte{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}
	if !bytes.Equal(got, want) {
		t.Errorf("samples %v, want %v", got, want)
	}
}

// sampleProgram writes SampleID/4 to red and the bits of SampleMask to green.
func sampleProgram() *ir.Program {
	p := fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinSampleID, 0, 0, ir.I32), inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
		id := b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, 4))
		mask := b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, 5))
		b.OpImm(ir.OpOutput, ir.Void, 0, b.Op(ir.OpFDiv, ir.F32, id, b.F32(255)))
		b.OpImm(ir.OpOutput, ir.Void, 1, b.Op(ir.OpFDiv, ir.F32, mask, b.F32(255)))
	})
	p.SampleRate = true
	return p
}

func TestRun_RAS177_SampleShading(t *testing.T) {
	rules.Covers(t, "RAS-177")
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	s.fs = sampleProgram()
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, 4, 0, red...), 8)
	st := s.run(t, Config{Threads: 1})
	for i := range 4 {
		if got, want := [2]byte(s.color.Image.Data[4*i:]), [2]byte{byte(i), 1 << i}; got != want {
			t.Errorf("sample %d: id and mask %v, want %v", i, got, want)
		}
	}
	if st.Fragments != 64 {
		t.Errorf("%d invocations, want 64", st.Fragments)
	}
}

func TestRun_ClearsIndirectLayersAndViews(t *testing.T) {
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 1, 3)
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear, ClearColor: texel(0, 0, 1, 1)}
	s.pass.ViewMask = 0b101
	p := s.pipeline(t, 64)
	d := s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, 0, red...), 8)
	var rec []byte
	for _, w := range []uint32{6, 1, 0, 0, 99, 3, 1, 3, 0, 99} { // the second record draws the second triangle again
		rec = binary.LittleEndian.AppendUint32(rec, w)
	}
	d.Indirect = &Indirect{Buffer: rec, DrawCount: 100, Stride: 20, Count: []byte{2, 0, 0, 0}}
	s.pass.Draws = append(s.pass.Draws, Draw{Clear: &Clear{Aspect: vk.ImageAspectColorBit, Color: texel(0, 1, 0, 1),
		Rects: []vk.ClearRect{{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: 2, Height: 8}}, LayerCount: 1}}}})
	st := s.run(t, Config{Threads: 2})
	if st.Primitives != 6 {
		t.Errorf("%d primitives, want 3 in each of 2 views", st.Primitives)
	}
	for _, c := range []struct {
		x, y, layer int
		want        [4]byte
	}{
		{0, 0, 0, [4]byte{0, 255, 0, 255}}, {3, 3, 0, [4]byte{255, 0, 0, 255}}, {6, 6, 2, [4]byte{0, 0, 255, 255}}, {3, 3, 2, [4]byte{255, 0, 0, 255}}, {3, 3, 1, [4]byte{}},
	} {
		if got := pixel(s.color, c.x, c.y, c.layer); got != c.want {
			t.Errorf("pixel (%d,%d) of layer %d = %v, want %v", c.x, c.y, c.layer, got, c.want)
		}
	}
}

// panicking is a routine whose threads panic.
type panicking struct{ exec.Routine }
type panickingThread struct{}

func (panicking) NewThread(int) exec.Thread                  { return panickingThread{} }
func (panickingThread) Run(*exec.Context, *exec.Batch) error { panic("broken invariant") }

func TestRun_PanicBecomesAnError(t *testing.T) {
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	p.desc.Fragment = panicking{p.desc.Fragment}
	s.add(p, s.state, s.quad(nil, 0, 0, 8, 8, 0, red...), 8)
	x := newExecutor(Config{Threads: 2})
	_, err := x.Run(context.Background(), &s.pass)
	if e := (*WorkerError)(nil); !errors.As(err, &e) {
		t.Fatalf("error %v, want a *WorkerError", err)
	}
	s.pass.Draws = nil
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Errorf("the next pass fails: %v", err)
	}
}

func TestRun_CancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newExecutor(Config{Threads: 2}).Run(ctx, &Pass{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestDispatch_Ids writes every invocation's ids to a buffer.
func TestDispatch_Ids(t *testing.T) {
	p := &ir.Program{Stage: ir.StageCompute, Name: "ids", LocalSize: [3]uint32{3, 2, 1}, WritesMemory: true,
		Resources: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}}
	b := ir.NewBuilder(p)
	in := func(builtin ir.Builtin, c uint32) ir.Value {
		p.Inputs = append(p.Inputs, inout(builtin, 0, c, ir.I32))
		return b.OpImm(ir.OpInput, ir.I32, uint64(len(p.Inputs)-1))
	}
	x, y, z := in(ir.BuiltinGlobalInvocationID, 0), in(ir.BuiltinGlobalInvocationID, 1), in(ir.BuiltinGlobalInvocationID, 2)
	groups := in(ir.BuiltinNumWorkgroups, 0)
	index := in(ir.BuiltinLocalInvocationIndex, 0)
	// at = (z*4*2 + y)*(3*groups) + x, value = index + 1
	row := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, z, b.I32(8)), y)
	at := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, row, b.Op(ir.OpIMul, ir.I32, groups, b.I32(3))), x)
	b.OpImm(ir.OpStoreBuffer, ir.Void, 0, b.I32(0), b.Op(ir.OpIMul, ir.I32, at, b.I32(4)), b.Op(ir.OpIAdd, ir.I32, index, b.I32(1)))
	b.Finish()
	r := compile(t, p, 64)
	for _, lanes := range []int{64, 4} {
		data := make([]byte, 4*(5*3)*(4*2)*2)
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: data}}}}
		if err := newExecutor(Config{Threads: 2, Lanes: lanes}).Dispatch(context.Background(), nil, r, ctx, [3]uint32{}, [3]uint32{5, 4, 2}); err != nil {
			t.Fatal(err)
		}
		for i := range len(data) / 4 {
			x, y := i%15, i/15%8
			if got, want := binary.LittleEndian.Uint32(data[4*i:]), uint32(y%2*3+x%3+1); got != want {
				t.Fatalf("lanes %d: invocation (%d,%d): %d, want %d", lanes, x, y, got, want)
			}
		}
	}
}
