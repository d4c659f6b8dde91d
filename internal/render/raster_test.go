package render

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func TestDepthBias_RAS260_Representations(t *testing.T) {
	rules.Covers(t, "RAS-259", "RAS-260", "RAS-263", "RAS-261", "RAS-262")
	const format, unorm, float = vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT, vk.DepthBiasRepresentationLeastRepresentableValueForceUnormEXT, vk.DepthBiasRepresentationFloatEXT
	for _, c := range []struct {
		f     fragops.DepthFormat
		r     vk.DepthBiasRepresentationEXT
		exact bool
		want  raster.BiasUnit
	}{
		{fragops.DepthNone, float, true, raster.BiasNone},
		{fragops.DepthD16, format, false, raster.BiasUnorm16}, {fragops.DepthD16, format, true, raster.BiasExact16},
		{fragops.DepthD24, unorm, false, raster.BiasUnorm24}, {fragops.DepthD24, unorm, true, raster.BiasExact24},
		{fragops.DepthD32, format, false, raster.BiasFloat32}, {fragops.DepthD32, format, true, raster.BiasFloat32},
		{fragops.DepthD32, unorm, false, raster.BiasUnorm24}, {fragops.DepthD32, unorm, true, raster.BiasExact24},
		{fragops.DepthD16, float, false, raster.BiasOne}, {fragops.DepthD32, float, true, raster.BiasOne},
		{fragops.DepthNone, format, false, raster.BiasNone}, {fragops.DepthNone, unorm, true, raster.BiasNone}, {fragops.DepthNone, float, false, raster.BiasNone},
		{fragops.DepthD16, unorm, false, raster.BiasUnorm16}, {fragops.DepthD16, unorm, true, raster.BiasExact16}, {fragops.DepthD16, float, true, raster.BiasOne},
		{fragops.DepthD24, format, false, raster.BiasUnorm24}, {fragops.DepthD24, format, true, raster.BiasExact24}, {fragops.DepthD24, float, false, raster.BiasOne},
		{fragops.DepthD24, float, true, raster.BiasOne}, {fragops.DepthD32, float, false, raster.BiasOne},
	} {
		if got := biasUnit(c.f, c.r, c.exact); got != c.want {
			t.Errorf("format %d, representation %d, exact %v: unit %d, want %d", c.f, c.r, c.exact, got, c.want)
		}
	}
}

// The vertices that PerVertexKHR inputs number, by topology and mode.
func TestBarycentric_RAS181_VertexOrder(t *testing.T) {
	rules.Covers(t, "RAS-180", "RAS-181", "RAS-182")
	const last = vk.ProvokingVertexModeLastVertexEXT
	for i, c := range []struct {
		topology vk.PrimitiveTopology
		mode     vk.ProvokingVertexModeEXT
		n        int
		want     [3]float32 // of the last primitive
	}{
		{vk.PrimitiveTopologyPointList, 0, 1, [3]float32{0, 0, 0}},
		{vk.PrimitiveTopologyLineList, 0, 2, [3]float32{0, 1, 1}},
		{vk.PrimitiveTopologyLineStrip, last, 3, [3]float32{1, 2, 2}},
		{vk.PrimitiveTopologyTriangleList, 0, 3, [3]float32{0, 1, 2}},
		{vk.PrimitiveTopologyTriangleStrip, 0, 4, [3]float32{1, 3, 2}},
		{vk.PrimitiveTopologyTriangleStrip, last, 4, [3]float32{2, 1, 3}},
		{vk.PrimitiveTopologyTriangleFan, 0, 4, [3]float32{2, 3, 0}},
		{vk.PrimitiveTopologyTriangleFan, last, 4, [3]float32{0, 2, 3}},
	} {
		s := newScene(t, 8, 8, 1, vk.FormatUndefined)
		p := &ir.Program{Stage: ir.StageFragment, Name: "vertices"}
		b := ir.NewBuilder(p)
		for k := range uint8(4) { // green of all three, and red of the first
			in := inout(ir.BuiltinNone, 0, 1, ir.F32)
			if in.Vertex = k + 1; k == 3 {
				in = inout(ir.BuiltinNone, 0, 0, ir.F32)
				in.Vertex = 1
			}
			p.Inputs = append(p.Inputs, in)
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(k), ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.OpImm(ir.OpInput, ir.F32, uint64(k)))
		}
		b.Finish()
		s.fs = p
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 1, 1)
		s.pass.Color[0].View = s.color
		s.state.Topology, s.state.ProvokingVertexMode = c.topology, c.mode
		var list []float32
		for i, q := range [][2]float32{{1, 1}, {7, 1}, {1, 7}, {7, 7}}[:c.n] {
			list = s.vert(list, q[0]+.5, q[1]+.5, 0, float32(10+i), float32(i), 0, 1)
		}
		if c.topology == vk.PrimitiveTopologyTriangleFan {
			list = nil
			for i, q := range [][2]float32{{1, 1}, {7, 1}, {7, 7}, {1, 7}}[:c.n] {
				list = s.vert(list, q[0]+.5, q[1]+.5, 0, float32(10+i), float32(i), 0, 1)
			}
		}
		lanes := 64 << (i & 1 << 1) // the interpreter, and machine code
		s.add(s.pipeline(t, lanes), s.state, list, 8)
		s.run(t, Config{Lanes: lanes})
		// A pixel of the last primitive.
		x, y := 5, 6
		switch c.topology {
		case vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyTriangleList:
			x, y = 1, 1
		case vk.PrimitiveTopologyLineList:
			x, y = 3, 1
		case vk.PrimitiveTopologyLineStrip:
			x, y = 4, 4
		case vk.PrimitiveTopologyTriangleFan:
			x, y = 2, 6
		}
		l := s.color.Level(0, 0)
		at := l.Offset(x, y, 0, 0)
		texel := s.color.Info.Decode(l.Data[at:])
		for k, want := range c.want {
			if got := math.Float32frombits(texel[k]); got != want {
				t.Errorf("%v, mode %d: vertex %d is %v, want %v", c.topology, c.mode, k, got, want)
			}
		}
		if got := math.Float32frombits(texel[3]); got != 10+c.want[0] {
			t.Errorf("%v, mode %d: red of vertex 0 is %v, want %v", c.topology, c.mode, got, 10+c.want[0])
		}
	}
}

// Values at the vertices, weighted with BaryCoordKHR, make what is interpolated;
// the weights make one.
func TestBarycentric_RAS185_WeightsInterpolate(t *testing.T) {
	rules.Covers(t, "RAS-184", "RAS-185", "RAS-186")
	for _, linear := range []bool{false, true} {
		s := newScene(t, 16, 16, 1, vk.FormatUndefined)
		p := &ir.Program{Stage: ir.StageFragment, Name: "weights"}
		b := ir.NewBuilder(p)
		interp := ir.Perspective
		if linear {
			interp = ir.Linear
		}
		input := func(io ir.IO) ir.Value {
			io.Interp = interp
			p.Inputs = append(p.Inputs, io)
			return b.OpImm(ir.OpInput, ir.F32, uint64(len(p.Inputs)-1))
		}
		sum, one := b.F32(0), b.F32(0)
		for k := range uint8(3) {
			w := input(inout(ir.BuiltinBaryCoord, 0, uint32(k), ir.F32))
			in := inout(ir.BuiltinNone, 0, 0, ir.F32)
			in.Vertex = k + 1
			sum = b.Op(ir.OpFAdd, ir.F32, sum, b.Op(ir.OpFMul, ir.F32, w, input(in)))
			one = b.Op(ir.OpFAdd, ir.F32, one, w)
		}
		for c, v := range []ir.Value{sum, input(inout(ir.BuiltinNone, 0, 0, ir.F32)), one, b.F32(1)} {
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
		}
		b.Finish()
		s.fs = p
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 16, 16, 1, 1)
		s.pass.Color[0].View = s.color
		list := []float32{-1, -1, 0, 1, 3, 0, 0, 1, 6, -2, 0, 2, 5, 0, 0, 1, -4, 12, 0, 4, 9, 0, 0, 1}
		s.add(s.pipeline(t, 64), s.state, list, 8)
		s.run(t, Config{})
		l := s.color.Level(0, 0)
		drawn := 0
		for y := range 16 {
			for x := range 16 {
				texel := s.color.Info.Decode(l.Data[l.Offset(x, y, 0, 0):])
				if texel[3] == 0 {
					continue
				}
				drawn++
				// Three products and sums of values up to 9, in binary32.
				if d := math.Float32frombits(texel[0]) - math.Float32frombits(texel[1]); d > 1e-5 || d < -1e-5 {
					t.Fatalf("linear %v, %d,%d: %v by weights, %v interpolated", linear, x, y, math.Float32frombits(texel[0]), math.Float32frombits(texel[1]))
				}
				if d := math.Float32frombits(texel[2]) - 1; d > 1e-6 || d < -1e-6 {
					t.Fatalf("linear %v, %d,%d: the weights make %v", linear, x, y, math.Float32frombits(texel[2]))
				}
			}
		}
		if drawn < 50 {
			t.Errorf("%d pixels are drawn", drawn)
		}
	}
}

// countingScene has a shader that adds one to what its pixel has.
func countingScene(t *testing.T) *scene {
	s := newScene(t, 20, 20, 1, vk.FormatUndefined)
	p := &ir.Program{Stage: ir.StageFragment, Name: "count", TileImages: true, Resources: []ir.Resource{{Kind: ir.TileImage, Count: 1}}}
	b := ir.NewBuilder(p)
	var at []ir.Value
	for c := range uint32(2) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinFragCoord, 0, c, ir.F32))
		at = append(at, b.Op(ir.OpF2S, ir.I32, b.OpImm(ir.OpInput, ir.F32, uint64(c))))
	}
	p.ImageOps = []ir.ImageOp{{Kind: ir.ImageFetch, Dim: ir.Dim2D, Arrayed: true, MS: true, Sampler: -1, Coords: 3, GradCoords: 2, HasSample: true, Results: 4}}
	texel := b.OpMore(ir.OpImage, ir.F32, 0, []ir.Value{b.I32(0), at[0], at[1], b.I32(0), b.I32(0)})
	sum := b.Op(ir.OpFAdd, ir.F32, texel, b.F32(1.0/255))
	for c := range uint32(4) {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), sum)
	}
	b.Finish()
	s.fs = p
	return s
}

// Shaders that read what earlier fragments of their pixel wrote: 100 triangles on
// each other, each adding one.
func TestRun_RAS312_TileImagesAreCoherent(t *testing.T) {
	rules.Covers(t, "RAS-101", "RAS-102", "RAS-312")
	s := countingScene(t)
	var list []float32
	for range 100 {
		list = s.quad(list, 0, 0, 20, 20, 0, 1, 1, 1, 1)
	}
	pipe := s.pipeline(t, 256)
	ctx := &exec.Context{Resources: make([][]exec.Descriptor, 1)}
	s.add(pipe, s.state, list[:len(list)/2], 8).Fragment = ctx
	s.add(pipe, s.state, list[len(list)/2:], 8).Fragment = ctx
	for _, c := range []Config{{Threads: 1}, {Threads: 3, TileSize: 16, Lanes: 64}} {
		s.run(t, c)
		for y := range 20 {
			for x := range 20 {
				if got := pixel(s.color, x, y, 0)[0]; got != 100 {
					t.Fatalf("%+v: %d,%d is %d, want 100", c, x, y, got)
				}
			}
		}
	}
}

// A batch that is full when a fragment comes has no claim on its pixels: the next
// one has, and a second fragment of them waits for it.
func TestRun_RAS312_FullBatches(t *testing.T) {
	rules.Covers(t, "RAS-312")
	const lanes = 64
	s := countingScene(t)
	var list []float32
	one := func(x, y float32) { list = s.quad(list, x, y, x+1, y+1, 0, 1, 1, 1, 1) }
	for k := range lanes / 4 {
		one(float32(k%4*4), float32(k/4*4))
	}
	one(18, 18)
	one(18, 18)
	s.add(s.pipeline(t, lanes), s.state, list, 8).Fragment = &exec.Context{Resources: make([][]exec.Descriptor, 1)}
	s.run(t, Config{Threads: 1, Lanes: lanes})
	if got := pixel(s.color, 18, 18, 0)[0]; got != 2 {
		t.Errorf("two fragments count to %d", got)
	}
}

// A block whose tests after shading are others than those of what waits lets that go first, and has a
// claim on its pixels all the same: two triangles of the back, after one of the front elsewhere.
func TestRun_RAS312_LateTests(t *testing.T) {
	rules.Covers(t, "RAS-312")
	for _, lanes := range []int{64, 128, 256} {
		s := countingScene(t)
		s.fs.Demotes = true // so that tests come late
		s.depth = newView(t, vk.FormatD32SfloatS8Uint, 20, 20, 1, 1)
		s.pass.Depth = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1}
		s.pass.Stencil = s.pass.Depth
		s.state.StencilTestEnable = true
		s.state.Front.CompareOp, s.state.Back.CompareOp = vk.CompareOpAlways, vk.CompareOpAlways
		s.state.Back.PassOp = vk.StencilOpIncrementAndClamp
		list := s.quad(nil, 0, 0, 4, 4, 0.5, 1, 1, 1, 1)[:3*8]
		back := s.quad(nil, 12, 12, 16, 16, 0.5, 1, 1, 1, 1)
		for range 2 { // the other way around
			list = append(append(append(list, back[:8]...), back[16:24]...), back[8:16]...)
		}
		draw := s.add(s.pipeline(t, lanes), s.state, list, 8)
		draw.Fragment = &exec.Context{Resources: make([][]exec.Descriptor, 1)}
		s.run(t, Config{Threads: 1, Lanes: lanes})
		for at, want := range map[int]byte{1: 1, 13: 2} {
			if got := pixel(s.color, at, at, 0)[0]; got != want {
				t.Errorf("%d lanes: fragments of %d,%d count to %d, want %d", lanes, at, at, got, want)
			}
		}
	}
}
