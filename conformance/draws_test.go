package conformance

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// topologies are all but patches, which need tessellation.
var topologies = []vk.PrimitiveTopology{
	vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip,
	vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan,
	vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency,
	vk.PrimitiveTopologyTriangleListWithAdjacency, vk.PrimitiveTopologyTriangleStripWithAdjacency,
}

// pass records one render pass of several draws.
func (s *stream) pass(first bool) {
	load := vk.AttachmentLoadOpLoad
	if first {
		load = vk.AttachmentLoadOpClear
	}
	r := s.rendering(load)
	if s.chance(0.2) {
		x, y := s.IntN(s.width/2), s.IntN(s.height/2)
		r.Area = vk.Rect2D{Offset: vk.Offset2D{X: int32(x), Y: int32(y)},
			Extent: vk.Extent2D{Width: uint32(s.width - x - s.IntN(8)), Height: uint32(s.height - y - s.IntN(8))}}
	}
	// Everything that is made on the device is made before recording begins.
	type prepared struct {
		pipeline *pumice.GraphicsPipeline
		set      *pumice.DescriptorSet
	}
	draws := make([]prepared, 2+s.IntN(5))
	for i := range draws {
		draws[i].pipeline, draws[i].set = s.pipeline(nil)
	}

	p := s.cmd.BeginRendering(r)
	query := s.query < 3 && s.chance(0.5)
	if query {
		p.BeginQuery(s.queries, s.query)
	}
	for _, d := range draws {
		p.BindPipeline(d.pipeline)
		if d.set != nil {
			p.BindDescriptorSet(0, d.set)
		}
		s.dynamicState(p)
		s.draw(p)
		if s.chance(0.1) {
			s.clearAttachments(p, r.Area)
		}
	}
	if query {
		p.EndQuery(s.queries, s.query)
		s.query++
	}
	p.End()
	s.step()
}

// rendering describes a pass on all attachments.
func (s *stream) rendering(load vk.AttachmentLoadOp) pumice.Rendering {
	var r pumice.Rendering
	for i, im := range s.colors {
		a := pumice.Attachment{Target: im, Load: load}
		a.Clear.Color = vk.ClearColorValue{
			Float32: [4]float32{s.between(0, 1), s.between(0, 1), s.between(0, 1), s.between(0, 1)}, Uint32: [4]uint32{s.Uint32()},
		}
		if s.resolves[i] != nil {
			a.Resolve = s.resolves[i]
		}
		r.Color = append(r.Color, a)
	}
	if s.depth != nil {
		a := &pumice.Attachment{Target: s.depth, Load: load}
		a.Clear.DepthStencil = vk.ClearDepthStencilValue{Depth: pick(s, float32(1), 0.5), Stencil: uint32(s.IntN(4))}
		r.Depth = a
		if s.depthFormat != vk.FormatD16Unorm {
			r.Stencil = a
		}
	}
	return r
}

// pipeline makes a pipeline with random state, of which change (may be nil) has
// the last word, and its descriptor set if it has one.
func (s *stream) pipeline(change func(*pumice.GraphicsPipelineDesc)) (*pumice.GraphicsPipeline, *pumice.DescriptorSet) {
	d := pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(s.t, "soup.vert")}, Samples: s.samples,
		VertexBindings: []vk.VertexInputBindingDescription{
			{Binding: 0, Stride: soupStride, InputRate: vk.VertexInputRateVertex},
			{Binding: 1, Stride: 16, InputRate: vk.VertexInputRateInstance},
		},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32A32Sfloat},
			{Location: 1, Format: vk.FormatR8G8B8A8Unorm, Offset: 16},
			{Location: 2, Format: vk.FormatR32G32Sfloat, Offset: 20},
			{Location: 3, Binding: 1, Format: vk.FormatR32G32B32A32Sfloat},
		},
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: pick(s, topologies...)},
		Rasterization: &vk.PipelineRasterizationStateCreateInfo{
			CullMode:         pick(s, vk.CullModeNone, vk.CullModeNone, vk.CullModeBackBit, vk.CullModeFrontBit),
			FrontFace:        pick(s, vk.FrontFaceClockwise, vk.FrontFaceCounterClockwise),
			DepthClampEnable: s.chance(0.2), LineWidth: 1,
			DepthBiasEnable: s.chance(0.2), DepthBiasConstantFactor: s.between(-8, 8), DepthBiasSlopeFactor: s.between(-2, 2),
		},
		Multisample:   &vk.PipelineMultisampleStateCreateInfo{AlphaToCoverageEnable: s.chance(0.1), AlphaToOneEnable: s.chance(0.1)},
		DynamicStates: []vk.DynamicState{vk.DynamicStateBlendConstants, vk.DynamicStateStencilReference},
	}
	if s.chance(0.5) {
		switch d.InputAssembly.Topology {
		case vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan,
			vk.PrimitiveTopologyLineStripWithAdjacency, vk.PrimitiveTopologyTriangleStripWithAdjacency:
			d.InputAssembly.PrimitiveRestartEnable = true
		default: // lists cannot restart
		}
	}
	if s.chance(0.2) {
		d.ProvokingVertex = vk.ProvokingVertexModeLastVertexEXT
	}
	if s.chance(0.2) {
		d.Multisample.SampleMask = []uint32{0xa | uint32(s.IntN(16))}
	}
	if s.chance(0.3) {
		d.VertexDivisors = []vk.VertexInputBindingDivisorDescription{{Binding: 1, Divisor: uint32(s.IntN(3))}}
	}
	formats := make([]vk.Format, len(s.colors))
	for i, im := range s.colors {
		formats[i] = im.Desc().Format
	}
	d.ColorFormats, d.DepthFormat = formats, s.depthFormat
	if s.depthFormat != vk.FormatD16Unorm {
		d.StencilFormat = s.depthFormat
	}
	textured := s.fragmentShader(&d)
	if s.depth != nil {
		d.DepthStencil = s.depthStencil()
	}
	if change != nil {
		change(&d)
	}
	p, err := s.dev.NewGraphicsPipeline(d)
	check(s, p, err)
	if !textured {
		return p, nil
	}
	set, err := p.NewDescriptorSet(0)
	check(s, set, err)
	for i, im := range s.textures {
		if err := set.Bind(uint32(i), pumice.Texture{View: im, Sampler: s.sampler()}); err != nil {
			s.t.Fatal(err)
		}
	}
	return p, set
}

// fragmentShader chooses a shader and blending that fit the attachments, and
// reports whether it reads textures.
func (s *stream) fragmentShader(d *pumice.GraphicsPipelineDesc) (textured bool) {
	state := func() vk.PipelineColorBlendAttachmentState {
		b := vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}
		if s.chance(0.25) {
			b.ColorWriteMask = vk.ColorComponentFlags(s.IntN(16))
		}
		if s.chance(0.6) {
			factor := func() vk.BlendFactor { return vk.BlendFactor(s.IntN(int(vk.BlendFactorSrcAlphaSaturate) + 1)) }
			op := func() vk.BlendOp {
				return pick(s, vk.BlendOpAdd, vk.BlendOpSubtract, vk.BlendOpReverseSubtract, vk.BlendOpMin, vk.BlendOpMax)
			}
			b.BlendEnable = true
			b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp = factor(), factor(), op()
			b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = factor(), factor(), op()
		}
		return b
	}
	d.Blend = &vk.PipelineColorBlendStateCreateInfo{}
	for range d.ColorFormats {
		d.Blend.Attachments = append(d.Blend.Attachments, state())
	}
	if s.chance(0.2) {
		d.Blend.LogicOpEnable, d.Blend.LogicOp = true, vk.LogicOp(s.IntN(int(vk.LogicOpSet)+1))
	}
	if d.ColorFormats[0] == vk.FormatR32Uint {
		d.Fragment.Code = spv(s.t, "integer.frag")
		d.Blend.Attachments[0].BlendEnable = false
		d.Multisample.AlphaToCoverageEnable, d.Multisample.AlphaToOneEnable = false, false
		return false
	}
	switch s.IntN(8) {
	case 0:
		d.Fragment.Code = spv(s.t, "depth.frag")
	case 1:
		d.Fragment.Code = spv(s.t, "sample.frag")
	case 2:
		if len(d.ColorFormats) > 1 {
			break
		}
		d.Fragment.Code = spv(s.t, "dual.frag")
		b := &d.Blend.Attachments[0]
		b.BlendEnable = true
		b.SrcColorBlendFactor = pick(s, vk.BlendFactorSrc1Color, vk.BlendFactorOneMinusSrc1Alpha)
		b.DstColorBlendFactor = pick(s, vk.BlendFactorOneMinusSrc1Color, vk.BlendFactorSrc1Alpha)
	default:
	}
	if d.Fragment.Code == nil {
		d.Fragment.Code = spv(s.t, "color.frag")
		d.Fragment.Constants = pumice.Constants{0: int32(s.IntN(8))}
		return true
	}
	return false
}

func (s *stream) depthStencil() *vk.PipelineDepthStencilStateCreateInfo {
	compare := func() vk.CompareOp {
		return pick(s, vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOpLessOrEqual, vk.CompareOpAlways, vk.CompareOpGreater, vk.CompareOpNotEqual, vk.CompareOpAlways, vk.CompareOpEqual, vk.CompareOpGreaterOrEqual)
	}
	face := func() vk.StencilOpState {
		op := func() vk.StencilOp { return vk.StencilOp(s.IntN(int(vk.StencilOpDecrementAndWrap) + 1)) }
		return vk.StencilOpState{
			FailOp: op(), PassOp: op(), DepthFailOp: op(), CompareOp: compare(),
			CompareMask: uint32(s.IntN(256)), WriteMask: uint32(s.IntN(256)),
		}
	}
	return &vk.PipelineDepthStencilStateCreateInfo{
		DepthTestEnable: s.chance(0.8), DepthWriteEnable: s.chance(0.7), DepthCompareOp: compare(),
		StencilTestEnable: s.depthFormat != vk.FormatD16Unorm && s.chance(0.6), Front: face(), Back: face(),
		DepthBoundsTestEnable: s.chance(0.1), MinDepthBounds: s.between(0, 0.3), MaxDepthBounds: s.between(0.7, 1),
	}
}

func (s *stream) dynamicState(p *pumice.Pass) {
	v := vk.Viewport{X: s.between(-10, 20), Y: s.between(-10, 20), Width: s.between(1, 1.3*float64(s.width)),
		Height: s.between(1, 1.3*float64(s.height)), MaxDepth: 1}
	if s.chance(0.4) { // upside down
		v.Y, v.Height = float32(s.height)-v.Y, -v.Height
	}
	if s.chance(0.3) {
		v.MinDepth, v.MaxDepth = s.between(0, 1), s.between(0, 1)
	}
	p.SetViewport(v)
	scissor := vk.Rect2D{Extent: vk.Extent2D{Width: uint32(s.width), Height: uint32(s.height)}}
	if s.chance(0.4) {
		scissor.Offset = vk.Offset2D{X: int32(s.IntN(s.width / 2)), Y: int32(s.IntN(s.height / 2))}
		scissor.Extent = vk.Extent2D{Width: uint32(1 + s.IntN(s.width)), Height: uint32(1 + s.IntN(s.height))}
	}
	p.SetScissor(scissor)
	p.SetBlendConstants([4]float32{s.between(0, 1), s.between(0, 1), s.between(0, 1), s.between(0, 1)})
	p.SetStencilReference(vk.StencilFaceFrontAndBack, uint32(s.IntN(4)))
	sin, cos := math.Sincos(float64(s.IntN(8)) * math.Pi / 4)
	p.PushConstants(0, [12]float32{
		float32(cos), float32(sin), float32(-sin), float32(cos),
		s.between(-1, 1), s.between(-1, 1), 0, s.between(0.5, 2),
		pick(s, float32(1), s.between(0.5, 20)), s.between(-1, 6), s.between(0, 0.5), s.between(-0.2, 0.2),
	})
}

func (s *stream) draw(p *pumice.Pass) {
	p.BindVertexBuffer(0, s.vertices, 0)
	p.BindVertexBuffer(1, s.instance, 0)
	n, inst := 3+uint32(s.IntN(80)), 1+uint32(s.IntN(3))
	indices, kind := s.index16, vk.IndexTypeUint16
	if s.chance(0.5) {
		indices, kind = s.index32, vk.IndexTypeUint32
	}
	p.BindIndexBuffer(indices, 0, kind)
	switch s.IntN(6) {
	case 0:
		p.DrawRange(n, inst, uint32(s.IntN(100)), uint32(s.IntN(2)))
	case 1:
		p.DrawIndexed(n, inst, uint32(s.IntN(300)), 0, uint32(s.IntN(2)))
	case 2:
		p.DrawIndexed(n, 1, uint32(s.IntN(300)), int32(-s.IntN(3)), 0) // an offset runs below and past the vertices
	case 3:
		p.DrawIndirect(s.indirect, 0, 1+uint32(s.IntN(4)), 20)
	case 4:
		p.DrawIndexedIndirect(s.indirect, 0, 1+uint32(s.IntN(4)), 20)
	case 5: // the number of draws is an instance count of the commands
		p.DrawIndirectCount(s.indirect, 0, s.indirect, 4, 4, 20)
	}
}

// clearAttachments clears four by four pixels in the middle of the attachments, or
// what of them lies in the area of the pass, of which a clear may not leave any out;
// an area without an extent is all.
func (s *stream) clearAttachments(p *pumice.Pass, area vk.Rect2D) {
	list := []vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit, ClearValue: vk.ClearValue{
		Color: vk.ClearColorValue{Float32: [4]float32{s.between(0, 1), 0.5, 0.25, 1}, Uint32: [4]uint32{s.Uint32()}},
	}}}
	if s.depth != nil {
		list = append(list, vk.ClearAttachment{AspectMask: vk.ImageAspectDepthBit, ClearValue: vk.ClearValue{
			DepthStencil: vk.ClearDepthStencilValue{Depth: s.between(0, 1)},
		}})
	}
	x0, y0 := s.width/2, s.height/2
	x1, y1 := x0+4, y0+4
	if area.Extent.Width > 0 {
		x0, y0 = max(x0, int(area.Offset.X)), max(y0, int(area.Offset.Y))
		x1 = min(x1, int(area.Offset.X)+int(area.Extent.Width))
		y1 = min(y1, int(area.Offset.Y)+int(area.Extent.Height))
	}
	if x0 >= x1 || y0 >= y1 {
		return
	}
	p.ClearAttachments(slices.Clip(list), vk.ClearRect{LayerCount: 1, Rect: vk.Rect2D{
		Offset: vk.Offset2D{X: int32(x0), Y: int32(y0)}, Extent: vk.Extent2D{Width: uint32(x1 - x0), Height: uint32(y1 - y0)},
	}})
}
