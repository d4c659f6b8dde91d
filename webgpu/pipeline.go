package webgpu

import (
	"context"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

type shaderModule struct {
	d      *device
	m      *pumice.ShaderModule
	source string // WGSL, "" where it came as SPIR-V
	label  string
}

// CreateShaderModule compiles WGSL, or takes SPIR-V as it is. Positions are WebGPU's in both, y up;
// passes turn them by their viewport.
func (d *device) CreateShaderModule(desc *hal.ShaderModuleDescriptor) (hal.ShaderModule, error) {
	const op = "Device.CreateShaderModule"
	s := &shaderModule{d: d, source: desc.Source.WGSL, label: desc.Label}
	var err error
	switch {
	case s.source != "":
		s.m, err = s.compile(nil)
	case len(desc.Source.SPIRV) > 0:
		s.m, err = d.dev.NewShaderModuleWords(desc.Source.SPIRV)
	default:
		return nil, missing(op, desc.Label, "shaders in other languages than WGSL and SPIR-V")
	}
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	return s, nil
}

// compile makes a module of the source with values of its overrides.
func (s *shaderModule) compile(constants map[string]float64) (*pumice.ShaderModule, error) {
	name := s.label
	if name == "" {
		name = "shader"
	}
	o := shader.Options{
		Name:       name + ".wgsl",
		Language:   shader.WGSL,
		VulkanClip: true,
		Constants:  constants,
	}
	compile := shader.Compile
	if c := s.d.backend.cfg.Compiler; c != nil {
		compile = c.Compile
	}
	code, err := compile(context.Background(), s.source, o)
	if err != nil {
		return nil, err
	}
	return s.d.dev.NewShaderModule(code)
}

func (s *shaderModule) Destroy() { _ = s.m.Close() }

func (d *device) DestroyShaderModule(s hal.ShaderModule) { destroy(s) }

// shaderOf is a stage of a pipeline.
func (d *device) shaderOf(
	op, label string,
	m hal.ShaderModule,
	entry string,
) (pumice.Shader, error) {
	s, ok := m.(*shaderModule)
	if !ok || s.d != d {
		return pumice.Shader{}, foreign(op, label, "shader module")
	}
	return pumice.Shader{Module: s.m, Entry: entry}, nil
}

// layoutOf is the layout of a pipeline; nil: from its shaders.
func (d *device) layoutOf(op, label string, l hal.PipelineLayout) (*pumice.PipelineLayout, error) {
	if l == nil {
		return nil, nil
	}
	x, ok := l.(*pipelineLayout)
	if !ok || x.d != d {
		return nil, foreign(op, label, "pipeline layout")
	}
	return x.layout, nil
}

type computePipeline struct {
	d *device
	p *pumice.ComputePipeline
}

func (d *device) CreateComputePipeline(
	desc *hal.ComputePipelineDescriptor,
) (hal.ComputePipeline, error) {
	const op = "Device.CreateComputePipeline"
	sh, err := d.shaderOf(op, desc.Label, desc.Compute.Module, desc.Compute.EntryPoint)
	if err != nil {
		return nil, err
	}
	if len(desc.Compute.Constants) > 0 {
		m := desc.Compute.Module.(*shaderModule) // as shaderOf has seen
		if m.source == "" {
			return nil, missing(op, desc.Label, "pipeline constants here for modules that came as SPIR-V")
		}
		if sh.Module, err = m.compile(desc.Compute.Constants); err != nil {
			return nil, failed(op, desc.Label, err)
		}
		defer func() { _ = sh.Module.Close() }() // the pipeline stays
	}
	layout, err := d.layoutOf(op, desc.Label, desc.Layout)
	if err != nil {
		return nil, err
	}
	p, err := d.dev.NewComputePipeline(
		pumice.ComputePipelineDesc{Compute: sh, Layout: layout, Name: desc.Label},
	)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	return &computePipeline{d, p}, nil
}

func (p *computePipeline) Destroy() { _ = p.p.Close() }

func (d *device) DestroyComputePipeline(p hal.ComputePipeline) { destroy(p) }

type renderPipeline struct {
	d *device
	p *pumice.GraphicsPipeline
}

func (d *device) CreateRenderPipeline(
	desc *hal.RenderPipelineDescriptor,
) (hal.RenderPipeline, error) {
	const op = "Device.CreateRenderPipeline"
	g := pumice.GraphicsPipelineDesc{Name: desc.Label, Samples: int(max(desc.Multisample.Count, 1)),
		DynamicStates: []vk.DynamicState{vk.DynamicStateBlendConstants, vk.DynamicStateStencilReference}}
	var err error
	if g.Layout, err = d.layoutOf(op, desc.Label, desc.Layout); err != nil {
		return nil, err
	}
	v := &desc.Vertex
	if g.Vertex, err = d.shaderOf(op, desc.Label, v.Module, v.EntryPoint); err != nil {
		return nil, err
	}
	if err = vertexInput(&g, op, desc); err != nil {
		return nil, err
	}
	strip := desc.Primitive.Topology == gputypes.PrimitiveTopologyLineStrip ||
		desc.Primitive.Topology == gputypes.PrimitiveTopologyTriangleStrip
	g.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{
		Topology:               topologyOf(desc.Primitive.Topology),
		PrimitiveRestartEnable: strip,
	}
	g.Rasterization = &vk.PipelineRasterizationStateCreateInfo{
		DepthClampEnable: desc.Primitive.UnclippedDepth,
		CullMode:         cullOf(desc.Primitive.CullMode),
		FrontFace:        frontFaceOf(desc.Primitive.FrontFace),
		LineWidth:        1,
	}
	g.Multisample = &vk.PipelineMultisampleStateCreateInfo{
		AlphaToCoverageEnable: desc.Multisample.AlphaToCoverageEnabled,
	}
	if m := desc.Multisample.Mask; m != 0 { // wgpu's zero value means all
		g.Multisample.SampleMask = []uint32{uint32(m), uint32(m >> 32)}[:(g.Samples+31)/32]
	}
	if s := desc.DepthStencil; s != nil {
		depthStencil(&g, s)
	}
	if f := desc.Fragment; f != nil {
		if g.Fragment, err = d.shaderOf(op, desc.Label, f.Module, f.EntryPoint); err != nil {
			return nil, err
		}
		g.Blend = &vk.PipelineColorBlendStateCreateInfo{}
		for _, t := range f.Targets {
			g.ColorFormats = append(g.ColorFormats, vkFormat(t.Format))
			g.Blend.Attachments = append(g.Blend.Attachments, blendOf(t))
		}
	}
	p, err := d.dev.NewGraphicsPipeline(g)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	return &renderPipeline{d, p}, nil
}

// vertexInput sets bindings, which are the slots of buffers, and attributes.
func vertexInput(
	g *pumice.GraphicsPipelineDesc,
	op string,
	desc *hal.RenderPipelineDescriptor,
) error {
	for slot, b := range desc.Vertex.Buffers {
		if b.StepMode == gputypes.VertexStepModeVertexBufferNotUsed {
			continue
		}
		in := vk.VertexInputBindingDescription{Binding: uint32(slot), Stride: uint32(b.ArrayStride)}
		if b.StepMode == gputypes.VertexStepModeInstance {
			in.InputRate = vk.VertexInputRateInstance
		}
		g.VertexBindings = append(g.VertexBindings, in)
		for _, a := range b.Attributes {
			if a.Format == gputypes.VertexFormatUndefined || int(a.Format) > len(vertexFormats) {
				return missing(op, desc.Label, "vertex format %d", a.Format)
			}
			g.VertexAttributes = append(g.VertexAttributes, vk.VertexInputAttributeDescription{
				Location: a.ShaderLocation, Binding: uint32(slot),
				Format: vertexFormats[a.Format-1], Offset: uint32(a.Offset)})
		}
	}
	return nil
}

// depthStencil sets the tests. Where a test decides and writes nothing, it is off.
func depthStencil(g *pumice.GraphicsPipelineDesc, s *hal.DepthStencilState) {
	face := func(f hal.StencilFaceState) vk.StencilOpState {
		return vk.StencilOpState{
			FailOp:      stencilOpOf(f.FailOp),
			DepthFailOp: stencilOpOf(f.DepthFailOp),
			PassOp:      stencilOpOf(f.PassOp),
			CompareOp:   compareOf(f.Compare),
			CompareMask: s.StencilReadMask,
			WriteMask:   s.StencilWriteMask,
		}
	}
	d := &vk.PipelineDepthStencilStateCreateInfo{
		DepthCompareOp: compareOf(s.DepthCompare),
		Front:          face(s.StencilFront),
		Back:           face(s.StencilBack),
	}
	if s.Format.HasDepth() {
		g.DepthFormat = vkFormat(s.Format)
		d.DepthWriteEnable = s.DepthWriteEnabled
		d.DepthTestEnable = s.DepthWriteEnabled || d.DepthCompareOp != vk.CompareOpAlways
	}
	if s.Format.HasStencil() {
		g.StencilFormat = vkFormat(s.Format)
		d.StencilTestEnable = true
	}
	g.DepthStencil = d
	r := g.Rasterization
	r.DepthBiasEnable = s.DepthBias != 0 || s.DepthBiasSlopeScale != 0
	r.DepthBiasConstantFactor, r.DepthBiasSlopeFactor, r.DepthBiasClamp = float32(
		s.DepthBias,
	), s.DepthBiasSlopeScale, s.DepthBiasClamp
}

func blendOf(t gputypes.ColorTargetState) vk.PipelineColorBlendAttachmentState {
	a := vk.PipelineColorBlendAttachmentState{
		ColorWriteMask: vk.ColorComponentFlags(t.WriteMask),
	} // the same bits
	if b := t.Blend; b != nil {
		a.BlendEnable = true
		a.SrcColorBlendFactor = factorOf(b.Color.SrcFactor, gputypes.BlendFactorOne)
		a.DstColorBlendFactor = factorOf(b.Color.DstFactor, gputypes.BlendFactorZero)
		a.SrcAlphaBlendFactor = factorOf(b.Alpha.SrcFactor, gputypes.BlendFactorOne)
		a.DstAlphaBlendFactor = factorOf(b.Alpha.DstFactor, gputypes.BlendFactorZero)
		a.ColorBlendOp, a.AlphaBlendOp = blendOpOf(b.Color.Operation), blendOpOf(b.Alpha.Operation)
	}
	return a
}

func (p *renderPipeline) Destroy() { _ = p.p.Close() }

func (d *device) DestroyRenderPipeline(p hal.RenderPipeline) { destroy(p) }
