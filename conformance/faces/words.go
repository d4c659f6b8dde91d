package faces

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// What the words of a step begin with; driver/testdata/faces.c has the same.
const (
	stepEnd = iota
	stepPass
	stepDispatch
	stepBlit
	stepClear
	stepResolve
	stepFill
)

// words are written one after the other, in 32 bits each, little-endian.
type words struct{ b []byte }

func (w *words) put(v ...uint32) {
	for _, x := range v {
		w.b = binary.LittleEndian.AppendUint32(w.b, x)
	}
}

func (w *words) int(v ...int) {
	for _, x := range v {
		w.put(uint32(int32(x)))
	}
}

func (w *words) float(v ...float32) {
	for _, x := range v {
		w.put(math.Float32bits(x))
	}
}

func (w *words) bool(v ...bool) {
	for _, x := range v {
		if x {
			w.put(1)
		} else {
			w.put(0)
		}
	}
}

// bytes are their number and then they, filled up to words.
func (w *words) bytes(data []byte) {
	w.int(len(data))
	w.b = append(w.b, data...)
	for len(w.b)%4 != 0 {
		w.b = append(w.b, 0)
	}
}

// Words encodes a scene; code returns a shader's SPIR-V.
func (s *Scene) Words(code func(name string) ([]byte, error)) ([]byte, error) {
	w := &words{}
	w.int(len(s.Buffers))
	for _, b := range s.Buffers {
		w.bytes(b)
	}
	w.int(len(s.Images))
	for i := range s.Images {
		im := &s.Images[i]
		w.int(int(im.Format), im.Width, im.Height, max(im.Levels, 1), max(im.Samples, 1), im.Texel)
		w.bool(im.depth(), im.Format == vk.FormatD32SfloatS8Uint)
		w.bytes(im.Texels)
	}
	w.int(len(s.Samplers))
	for _, x := range s.Samplers {
		w.int(int(x.Filter), int(x.Mip), int(x.Address))
	}
	w.int(len(s.Graphics))
	for i := range s.Graphics {
		if err := w.graphics(&s.Graphics[i], code); err != nil {
			return nil, err
		}
	}
	w.int(len(s.Compute))
	for _, c := range s.Compute {
		spv, err := code(c.Shader)
		if err != nil {
			return nil, err
		}
		w.bytes(spv)
		w.types(c.Set)
		w.int(c.Push)
	}
	w.int(s.Queries)
	for _, step := range s.Steps {
		w.step(step)
	}
	w.put(stepEnd)
	return w.b, nil
}

func (w *words) types(set []vk.DescriptorType) {
	w.int(len(set))
	for _, t := range set {
		w.int(int(t))
	}
}

func (w *words) graphics(g *Graphics, code func(name string) ([]byte, error)) error {
	for _, name := range []string{g.Vertex, g.Fragment} {
		spv, err := code(name)
		if err != nil {
			return err
		}
		w.bytes(spv)
	}
	w.put(uint32(g.Mode))
	w.types(g.Set)
	w.int(g.Push)
	w.int(len(g.Bindings))
	for _, b := range g.Bindings {
		w.put(b.Binding, b.Stride, uint32(b.InputRate))
	}
	w.int(len(g.Attributes))
	for _, a := range g.Attributes {
		w.put(a.Location, a.Binding, uint32(a.Format), a.Offset)
	}
	w.put(uint32(g.Topology))
	w.bool(g.Restart)
	w.put(uint32(g.Polygon), uint32(g.Cull), uint32(g.Front))
	w.int(max(g.Samples, 1))
	z := &g.Depth
	w.bool(z.DepthTestEnable, z.DepthWriteEnable)
	w.put(uint32(z.DepthCompareOp))
	w.bool(z.DepthBoundsTestEnable, z.StencilTestEnable)
	for _, f := range [2]vk.StencilOpState{z.Front, z.Back} {
		w.put(uint32(f.FailOp), uint32(f.PassOp), uint32(f.DepthFailOp), uint32(f.CompareOp), f.CompareMask, f.WriteMask, f.Reference)
	}
	w.float(z.MinDepthBounds, z.MaxDepthBounds)
	w.bool(g.Logic != nil)
	logic := vk.LogicOpClear
	if g.Logic != nil {
		logic = *g.Logic
	}
	w.put(uint32(logic))
	w.int(len(g.Blend))
	for _, b := range g.Blend {
		w.bool(b.BlendEnable)
		w.put(uint32(b.SrcColorBlendFactor), uint32(b.DstColorBlendFactor), uint32(b.ColorBlendOp),
			uint32(b.SrcAlphaBlendFactor), uint32(b.DstAlphaBlendFactor), uint32(b.AlphaBlendOp), uint32(b.ColorWriteMask))
	}
	w.int(len(g.Colors))
	for _, f := range g.Colors {
		w.put(uint32(f))
	}
	w.put(uint32(g.DepthFormat), uint32(g.stencilFormat()))
	return nil
}

func (w *words) set(set []Binding) {
	w.int(len(set))
	for _, b := range set {
		w.int(int(b.Type), b.Buffer, b.Image, b.Sampler)
	}
}

func (w *words) step(step Step) {
	switch s := step.(type) {
	case *Pass:
		w.put(stepPass)
		w.int(len(s.Colors))
		for _, c := range s.Colors {
			w.int(c.Image, c.Resolve, int(c.Load))
			w.put(c.Clear[:]...)
		}
		w.int(s.Depth, int(s.DepthLoad))
		w.float(s.ClearDepth)
		w.put(s.ClearStencil)
		w.int(s.Width, s.Height, len(s.Draws))
		for i := range s.Draws {
			w.draw(&s.Draws[i])
		}
	case *Dispatch:
		w.put(stepDispatch)
		w.int(s.Pipeline)
		w.set(s.Set)
		w.bytes(s.Push)
		w.put(s.X, s.Y, s.Z)
	case *Blit:
		w.put(stepBlit)
		w.int(s.From, s.FromLevel, s.To, s.ToLevel)
		for _, v := range append(s.Source[:], s.Target[:]...) {
			w.put(uint32(v))
		}
		w.put(uint32(s.Filter))
	case *Clear:
		w.put(stepClear)
		w.int(s.Image)
		w.put(s.Value[:]...)
	case *Resolve:
		w.put(stepResolve)
		w.int(s.From, s.To)
	case *Fill:
		w.put(stepFill)
		w.int(s.Buffer)
		w.put(uint32(s.Offset), uint32(s.Size), s.Word)
	}
}

func (w *words) draw(d *Draw) {
	w.int(d.Pipeline)
	w.set(d.Set)
	w.bytes(d.Push)
	w.int(len(d.Vertices))
	w.int(d.Vertices...)
	w.int(d.Indices, int(d.IndexType))
	w.float(d.Viewport.X, d.Viewport.Y, d.Viewport.Width, d.Viewport.Height, d.Viewport.MinDepth, d.Viewport.MaxDepth)
	w.put(uint32(d.Scissor.Offset.X), uint32(d.Scissor.Offset.Y), d.Scissor.Extent.Width, d.Scissor.Extent.Height)
	w.put(d.Count, d.Instances, d.First, uint32(d.VertexOffset), d.FirstInstance)
	w.int(d.Indirect)
	w.put(d.IndirectCount)
	w.int(d.Query)
	w.put(d.Stencil)
	w.float(d.BlendConstants[:]...)
}
