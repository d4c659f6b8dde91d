package faces

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/pumice-gpu/pumice/vk"
)

func floats(v [4]uint32) (f [4]float32) {
	for i, x := range v {
		f[i] = math.Float32frombits(x)
	}
	return f
}

func ints(v [4]uint32) (n [4]int32) {
	for i, x := range v {
		n[i] = int32(x)
	}
	return n
}

func floatBytes(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func bits(v ...float32) (w [4]uint32) {
	for i, f := range v {
		w[i] = math.Float32bits(f)
	}
	return w
}

const (
	side     = 96
	vertices = 96
)

// soup are vertices for soup.vert: position 16 bytes, colour 4, uv 8, pad 4.
func soup(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	at := func() float32 { return float32(math.Floor((r.Float64()*2.4-1.2)*64) / 64) }
	var b []byte
	for range vertices {
		w := float32(1)
		if r.IntN(4) == 0 {
			w = 0.5 + r.Float32()*2
		}
		b = append(b, floatBytes(at()*w, at()*w, r.Float32()*w, w)...)
		b = binary.LittleEndian.AppendUint32(b, r.Uint32())
		b = append(b, floatBytes(at()*2, at()*2, 0)...)
	}
	return b
}

// instances of soup.vert: offset, scale, tint.
func instances() []byte {
	return floatBytes(0, 0, 1, 0.5, 0.25, -0.125, 0.5, 0.9, -0.375, 0.5, -0.75, 0.1)
}

func indices(seed uint64) (b []byte) {
	r := rand.New(rand.NewPCG(seed, 4))
	for range 120 {
		v := uint16(r.IntN(vertices))
		if r.IntN(12) == 0 {
			v = 0xffff
		}
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

func texels(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 5))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// push are the push constants of soup.vert.
func push(pointSize float32) []byte {
	return floatBytes(0.875, 0.25, -0.25, 0.875, 0.25, 0.5, 0, 0.75, pointSize, 1.5, 0.25, 0.0625)
}

// The buffers and images that soups have.
const (
	bufVertices, bufInstances, bufIndices, bufCommands = 0, 1, 2, 3

	imTarget, imTexture0, imTexture1 = 0, 1, 2
)

// base is a scene of one draw of a soup to one attachment; change makes it
// another.
func base(name string, change func(s *Scene, g *Graphics, p *Pass, d *Draw)) *Scene {
	s := &Scene{
		Name:    name,
		Buffers: [][]byte{soup(1), instances(), indices(2), nil},
		Images: []Image{
			{Format: vk.FormatR8G8B8A8Unorm, Width: side, Height: side, Texel: 4},
			{Format: vk.FormatR8G8B8A8Unorm, Width: 32, Height: 16, Levels: 6, Texel: 4, Texels: texels(1, 32*16*4)},
			{Format: vk.FormatR8G8B8A8Srgb, Width: 9, Height: 13, Texel: 4, Texels: texels(2, 9*13*4)},
		},
		Samplers: []Sampler{
			{Filter: vk.FilterLinear, Mip: vk.SamplerMipmapModeLinear, Address: vk.SamplerAddressModeRepeat},
			{Filter: vk.FilterNearest, Address: vk.SamplerAddressModeMirroredRepeat},
		},
	}
	for _, v := range []uint32{36, 2, 6, 0, 1, 24, 1, 3, 1, 0} { // two commands of 20 bytes
		s.Buffers[bufCommands] = binary.LittleEndian.AppendUint32(s.Buffers[bufCommands], v)
	}
	s.Graphics = []Graphics{{
		Vertex: "soup.vert", Fragment: "color.one.frag", Push: 48,
		Set: []vk.DescriptorType{vk.DescriptorTypeCombinedImageSampler, vk.DescriptorTypeCombinedImageSampler},
		Bindings: []vk.VertexInputBindingDescription{
			{Binding: 0, Stride: 32, InputRate: vk.VertexInputRateVertex}, {Binding: 1, Stride: 16, InputRate: vk.VertexInputRateInstance},
		},
		Attributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32A32Sfloat}, {Location: 1, Format: vk.FormatR8G8B8A8Unorm, Offset: 16},
			{Location: 2, Format: vk.FormatR32G32Sfloat, Offset: 20}, {Location: 3, Binding: 1, Format: vk.FormatR32G32B32A32Sfloat},
		},
		Topology: vk.PrimitiveTopologyTriangleList,
		Blend:    []vk.PipelineColorBlendAttachmentState{{ColorWriteMask: 15}},
		Colors:   []vk.Format{vk.FormatR8G8B8A8Unorm},
	}}
	pass := &Pass{
		Colors: []Attachment{{Image: imTarget, Resolve: None, Load: vk.AttachmentLoadOpClear, Clear: bits(0.25, 0.5, 0.75, 1)}},
		Depth:  None, Width: side, Height: side,
		Draws: []Draw{{
			Push: push(5), Vertices: []int{bufVertices, bufInstances},
			Set: []Binding{
				{Type: vk.DescriptorTypeCombinedImageSampler, Image: imTexture0, Sampler: 0},
				{Type: vk.DescriptorTypeCombinedImageSampler, Image: imTexture1, Sampler: 1},
			},
			Indices: None, Indirect: None, Query: None,
			Viewport: vk.Viewport{X: 3, Y: -2.5, Width: side - 5, Height: side + 1.25, MaxDepth: 1},
			Scissor:  vk.Rect2D{Offset: vk.Offset2D{X: 2, Y: 1}, Extent: vk.Extent2D{Width: side - 9, Height: side}},
			Count:    vertices, Instances: 2,
		}},
	}
	for level := 1; level < 6; level++ {
		w, h := int32(max(32>>level, 1)), int32(max(16>>level, 1))
		s.Steps = append(s.Steps, &Blit{From: imTexture0, FromLevel: level - 1, To: imTexture0, ToLevel: level,
			Source: [4]int32{0, 0, int32(max(32>>(level-1), 1)), int32(max(16>>(level-1), 1))}, Target: [4]int32{0, 0, w, h}, Filter: vk.FilterLinear})
	}
	s.Steps = append(s.Steps, pass)
	if change != nil {
		change(s, &s.Graphics[0], pass, &pass.Draws[0])
	}
	return s
}

// withDepth gives a scene a depth attachment.
func withDepth(s *Scene, g *Graphics, p *Pass, f vk.Format, texel int) {
	s.Images = append(s.Images, Image{Format: f, Width: side, Height: side, Samples: g.Samples, Texel: texel})
	g.DepthFormat, p.Depth, p.DepthLoad, p.ClearDepth, p.ClearStencil = f, len(s.Images)-1, vk.AttachmentLoadOpClear, 0.875, 3
	g.Depth = vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLess}
}

// multisampled makes the target one of n samples, resolved to what was the target.
func multisampled(s *Scene, g *Graphics, p *Pass, n int) {
	s.Images = append(s.Images, Image{Format: g.Colors[0], Width: side, Height: side, Samples: n, Texel: 4})
	g.Samples, p.Colors[0].Image, p.Colors[0].Resolve = n, len(s.Images)-1, imTarget
}

func blend(src, dst vk.BlendFactor, op vk.BlendOp) vk.PipelineColorBlendAttachmentState {
	return vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: src, DstColorBlendFactor: dst, ColorBlendOp: op,
		SrcAlphaBlendFactor: dst, DstAlphaBlendFactor: src, AlphaBlendOp: vk.BlendOpMax, ColorWriteMask: 15}
}

// Scenes returns the scenes. Together they reach most of the fixed functions and
// all ways to draw that both faces have.
func Scenes() (all []*Scene) {
	add := func(name string, change func(s *Scene, g *Graphics, p *Pass, d *Draw)) {
		all = append(all, base(name, change))
	}
	for mode, name := range []string{"colours", "textures", "levels", "gradients and gathers", "derivatives", "discards", "loops", "fetches and identities"} {
		add("fragments: "+name, func(_ *Scene, g *Graphics, _ *Pass, _ *Draw) { g.Mode = int32(mode) })
	}
	for topology, name := range []string{"points", "lines", "line strips", "triangles", "triangle strips", "triangle fans"} {
		add("indexed "+name, func(_ *Scene, g *Graphics, _ *Pass, d *Draw) {
			g.Topology = vk.PrimitiveTopology(topology)
			g.Restart = topology == 2 || topology >= 4
			d.Indices, d.IndexType, d.Count, d.First, d.VertexOffset, d.FirstInstance = bufIndices, vk.IndexTypeUint16, 110, 4, -1, 1
			d.Instances = 1
		})
	}
	add("vertex colours in sRGB", func(_ *Scene, g *Graphics, _ *Pass, _ *Draw) { g.Attributes[1].Format = vk.FormatR8G8B8A8Srgb })
	add("indirect draws", func(_ *Scene, _ *Graphics, _ *Pass, d *Draw) { d.Indirect, d.IndirectCount = bufCommands, 1 })
	add("indexed indirect draws", func(_ *Scene, _ *Graphics, _ *Pass, d *Draw) {
		d.Indices, d.IndexType, d.Indirect, d.IndirectCount = bufIndices, vk.IndexTypeUint16, bufCommands, 2
	})
	add("wire frames, culled", func(_ *Scene, g *Graphics, _ *Pass, _ *Draw) {
		g.Polygon, g.Cull, g.Front = vk.PolygonModeLine, vk.CullModeBackBit, vk.FrontFaceClockwise
	})
	add("depth and occlusion", func(s *Scene, g *Graphics, p *Pass, d *Draw) {
		withDepth(s, g, p, vk.FormatD32Sfloat, 4)
		s.Queries, d.Query = 2, 0
		again := *d
		again.Query, again.Viewport.MinDepth = 1, 0.5
		p.Draws = append(p.Draws, again)
	})
	add("depth from the shader", func(s *Scene, g *Graphics, p *Pass, d *Draw) {
		withDepth(s, g, p, vk.FormatD16Unorm, 2)
		g.Fragment, g.Set, d.Set = "depth.one.frag", nil, nil
	})
	add("stencil", func(s *Scene, g *Graphics, p *Pass, d *Draw) {
		withDepth(s, g, p, vk.FormatD32SfloatS8Uint, 4)
		g.Depth.StencilTestEnable, d.Stencil = true, 5
		g.Depth.Front = vk.StencilOpState{FailOp: vk.StencilOpIncrementAndWrap, PassOp: vk.StencilOpReplace, DepthFailOp: vk.StencilOpInvert, CompareOp: vk.CompareOpNotEqual, CompareMask: 7, WriteMask: 0xf}
		g.Depth.Back = vk.StencilOpState{FailOp: vk.StencilOpDecrementAndClamp, PassOp: vk.StencilOpZero, DepthFailOp: vk.StencilOpKeep, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255}
	})
	add("blending with constants", func(_ *Scene, g *Graphics, _ *Pass, d *Draw) {
		g.Blend[0], d.BlendConstants = blend(vk.BlendFactorConstantColor, vk.BlendFactorOneMinusSrcAlpha, vk.BlendOpReverseSubtract), [4]float32{0.25, 0.5, 1, 0.75}
	})
	add("two sources", func(_ *Scene, g *Graphics, _ *Pass, d *Draw) {
		g.Fragment, g.Set, d.Set = "dual.frag", nil, nil
		g.Blend[0] = blend(vk.BlendFactorSrc1Color, vk.BlendFactorOneMinusSrc1Color, vk.BlendOpAdd)
	})
	add("integers and logic operations", func(s *Scene, g *Graphics, p *Pass, d *Draw) {
		s.Images[imTarget].Format, g.Colors[0] = vk.FormatR32Uint, vk.FormatR32Uint
		g.Fragment, g.Set, d.Set, p.Colors[0].Clear = "integer.one.frag", nil, nil, [4]uint32{0xcafe}
		xor := vk.LogicOpXor
		g.Logic = &xor
	})
	add("two attachments", func(s *Scene, g *Graphics, p *Pass, _ *Draw) {
		s.Images = append(s.Images, Image{Format: vk.FormatR16G16B16A16Sfloat, Width: side, Height: side, Texel: 8})
		g.Fragment = "color.frag"
		g.Colors, g.Blend = append(g.Colors, vk.FormatR16G16B16A16Sfloat), append(g.Blend, blend(vk.BlendFactorOne, vk.BlendFactorOne, vk.BlendOpSubtract))
		p.Colors = append(p.Colors, Attachment{Image: len(s.Images) - 1, Resolve: None, Load: vk.AttachmentLoadOpClear, Clear: bits(1, 2, 3, 4)})
	})
	add("four samples, resolved", func(s *Scene, g *Graphics, p *Pass, _ *Draw) { multisampled(s, g, p, 4) })
	add("eight samples with depth", func(s *Scene, g *Graphics, p *Pass, _ *Draw) {
		multisampled(s, g, p, 8)
		withDepth(s, g, p, vk.FormatD32Sfloat, 4)
	})
	add("shading by sample", func(s *Scene, g *Graphics, p *Pass, d *Draw) {
		multisampled(s, g, p, 4)
		g.Fragment, g.Set, d.Set = "sample.one.frag", nil, nil
	})
	add("compute before drawing", func(s *Scene, _ *Graphics, _ *Pass, _ *Draw) {
		s.Compute = []Compute{{Shader: "stir.comp", Push: 8, Set: []vk.DescriptorType{vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageImage}}}
		stir := &Dispatch{X: 3, Y: 1, Z: 1, Push: append([]byte{7, 0, 0, 0}, floatBytes(0.0625)...), Set: []Binding{
			{Type: vk.DescriptorTypeStorageBuffer, Buffer: bufVertices}, {Type: vk.DescriptorTypeStorageImage, Image: len(s.Images)},
		}}
		s.Images = append(s.Images, Image{Format: vk.FormatR8G8B8A8Unorm, Width: 16, Height: 8, Texel: 4, Texels: texels(3, 16*8*4)})
		s.Steps = append([]Step{stir, stir}, s.Steps...)
	})
	add("blits, fills and clears", func(s *Scene, _ *Graphics, _ *Pass, _ *Draw) {
		s.Steps = append(s.Steps,
			&Clear{Image: imTexture1, Value: bits(0.1, 0.6, 0.3, 0.5)},
			&Blit{From: imTarget, To: imTexture1, Source: [4]int32{90, 3, 5, 80}, Target: [4]int32{1, 2, 8, 11}, Filter: vk.FilterLinear},
			&Fill{Buffer: bufIndices, Offset: 16, Size: 64, Word: 0xdeadbeef})
	})
	return all
}
