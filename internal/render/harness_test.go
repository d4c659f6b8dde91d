package render

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// compile makes a routine of a program built by hand.
func compile(t testing.TB, p *ir.Program, lanes int) exec.Routine {
	t.Helper()
	r, err := vm.New(vm.Options{Lanes: lanes}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func inout(builtin ir.Builtin, location, component uint32, typ ir.Type) ir.IO {
	return ir.IO{Builtin: builtin, Location: location, Component: component, Type: typ}
}

// vertexProgram passes location 0 to Position and locations 1..varyings to
// locations 0..varyings-1.
func vertexProgram(varyings int) *ir.Program {
	p := &ir.Program{Stage: ir.StageVertex, Name: "pass"}
	b := ir.NewBuilder(p)
	for loc := range 1 + varyings {
		for c := range uint32(4) {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, uint32(loc), c, ir.F32))
			out := inout(ir.BuiltinPosition, 0, c, ir.F32)
			if loc > 0 {
				out = inout(ir.BuiltinNone, uint32(loc-1), c, ir.F32)
			}
			p.Outputs = append(p.Outputs, out)
			slot := uint64(len(p.Inputs) - 1)
			b.OpImm(ir.OpOutput, ir.Void, slot, b.OpImm(ir.OpInput, ir.F32, slot))
		}
	}
	b.Finish()
	return p
}

// fragmentProgram writes location 0 to colour 0. more, if given, adds to the
// program; it gets the four colour components.
func fragmentProgram(more func(p *ir.Program, b *ir.Builder, color [4]ir.Value)) *ir.Program {
	p := &ir.Program{Stage: ir.StageFragment, Name: "color"}
	b := ir.NewBuilder(p)
	var color [4]ir.Value
	for c := range uint32(4) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		color[c] = b.OpImm(ir.OpInput, ir.F32, uint64(c))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), color[c])
	}
	if more != nil {
		more(p, b, color)
	}
	b.Finish()
	return p
}

// extend adds to a program that is finished what f builds.
func extend(p *ir.Program, f func(b *ir.Builder)) {
	var more ir.Program
	b := ir.NewBuilder(&more)
	f(b)
	b.Finish()
	base := ir.Value(len(p.Insts))
	for _, in := range more.Insts {
		for k, a := range in.Args {
			if a >= 0 {
				in.Args[k] = a + base
			}
		}
		p.Insts = append(p.Insts, in)
	}
	for _, s := range more.Body.Stmts {
		p.Body.Stmts = append(p.Body.Stmts, ir.Stmt{Inst: s.Inst + base})
	}
}

// newView makes an image and a view of all of it.
func newView(t testing.TB, f vk.Format, width, height, samples, layers int) *resource.ImageView {
	t.Helper()
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: uint32(width), Height: uint32(height), Depth: 1}, Samples: samples, ArrayLayers: layers})
	if err != nil {
		t.Fatal(err)
	}
	im.Data = make([]byte, im.Layout.Size)
	typ := vk.ImageViewType2D
	if layers > 1 {
		typ = vk.ImageViewType2DArray
	}
	v, err := resource.NewView(im, resource.ViewDesc{Type: &typ, Format: f, Range: vk.ImageSubresourceRange{AspectMask: im.Info.Aspects, LevelCount: 1, LayerCount: uint32(layers)}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scene is a pass with one pipeline, ready to be varied.
type scene struct {
	width, height, samples int
	state                  DynamicState
	vs, fs                 *ir.Program
	color                  *resource.ImageView
	depth                  *resource.ImageView
	pass                   Pass
	// layered, rates: the vertex shader writes Layer and ViewportIndex, or
	// PrimitiveShadingRate.
	layered, rates bool
	// masked, relative: a mask of viewports in the place of an index; layers count
	// from that of the viewport.
	masked, relative bool
	palette          *resource.ImageView // of shading rates
}

func newScene(t testing.TB, width, height, samples int, depth vk.Format) *scene {
	s := &scene{width: width, height: height, samples: samples, state: DefaultState(), vs: vertexProgram(1), fs: fragmentProgram(nil)}
	s.state.ViewportCount = 1
	s.state.Viewports[0] = vk.Viewport{Width: float32(width), Height: float32(height), MaxDepth: 1}
	s.state.Scissors[0] = vk.Rect2D{Extent: vk.Extent2D{Width: uint32(width), Height: uint32(height)}}
	s.pass.Area = s.state.Scissors[0]
	s.color = newView(t, vk.FormatR8G8B8A8Unorm, width, height, samples, 1)
	s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear}}
	if depth != vk.FormatUndefined {
		s.depth = newView(t, depth, width, height, samples, 1)
		a := &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1}
		s.pass.Depth = a
		if s.depth.Image.PlaneOf(vk.ImageAspectStencilBit) >= 0 {
			s.pass.Stencil = a
		}
	}
	return s
}

// pipeline builds the scene's pipeline: one vec4 attribute per vertex input
// location, tightly packed.
func (s *scene) pipeline(t testing.TB, lanes int) *Pipeline {
	t.Helper()
	locations := uint32(0)
	for _, io := range s.vs.Inputs {
		if io.Builtin == ir.BuiltinNone {
			locations = max(locations, io.Location+1)
		}
	}
	d := PipelineDesc{Vertex: compile(t, s.vs, lanes), Static: s.state, Bindings: []vk.VertexInputBindingDescription{{Stride: 16 * locations}}}
	for l := range locations {
		d.Attributes = append(d.Attributes, vk.VertexInputAttributeDescription{Location: l, Format: vk.FormatR32G32B32A32Sfloat, Offset: 16 * l})
	}
	if s.fs != nil {
		d.Fragment = compile(t, s.fs, lanes)
	}
	p, err := NewPipeline(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// add appends a draw of vertices given as float32 words.
func (s *scene) add(p *Pipeline, state DynamicState, vertices []float32, stride int) *Draw {
	data := make([]byte, 4*len(vertices))
	for i, v := range vertices {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
	}
	s.pass.Draws = append(s.pass.Draws, Draw{
		Pipeline: p, State: &state, VertexBuffers: []VertexBuffer{{Data: data}}, Count: uint32(len(vertices) / stride), Instances: 1,
	})
	return &s.pass.Draws[len(s.pass.Draws)-1]
}

// newExecutor is New with an engine: machine code, which shades in places, unless batches have 64
// lanes. With 128, places are packed, and primitives drawn directly, whatever the shader and their size.
// Two threads, or four, run what processors without AVX-512 do.
func newExecutor(c Config) *Executor {
	opt := vm.Options{Lanes: c.Lanes, Native: c.Lanes != 64}
	if c.Threads > 0 && c.Threads%2 == 0 {
		opt.Vectors = 256
	}
	c.Engine = vm.New(opt)
	x := New(c)
	if c.Lanes == 128 {
		x.PacksFrom, x.DirectFor, x.directPixels = 0, 1<<30, 1<<30
	}
	return x
}

func (s *scene) run(t testing.TB, c Config) Stats {
	t.Helper()
	st, err := newExecutor(c).Run(context.Background(), &s.pass)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// vert appends a vertex at framebuffer position (x, y) with depth z.
func (s *scene) vert(list []float32, x, y, z float32, color ...float32) []float32 {
	list = append(list, 2*x/float32(s.width)-1, 2*y/float32(s.height)-1, z, 1)
	return append(list, color...)
}

// quad appends two triangles that cover a rectangle.
func (s *scene) quad(list []float32, x0, y0, x1, y1, z float32, color ...float32) []float32 {
	for _, c := range [6][2]float32{{x0, y0}, {x1, y0}, {x0, y1}, {x1, y0}, {x1, y1}, {x0, y1}} {
		list = s.vert(list, c[0], c[1], z, color...)
	}
	return list
}

// pixel is the bytes of a pixel of a view's layer, sample 0.
func pixel(v *resource.ImageView, x, y, layer int) [4]byte {
	l := v.Level(0, layer)
	return [4]byte(l.Data[l.Offset(x, y, 0, 0):])
}

// texel makes a float texel.
func texel(v ...float32) (t format.Texel) {
	for i, f := range v {
		t[i] = math.Float32bits(f)
	}
	return t
}
