package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CreateGraphicsPipelines is vkCreateGraphicsPipelines. Derivatives are pipelines
// like others.
func (d *Device) CreateGraphicsPipelines(a *abi.CreateGraphicsPipelinesArgs) vk.Result {
	infos := abi.Slice(a.PCreateInfos, a.CreateInfoCount)
	return d.createPipelines(a.PipelineCache, abi.Slice(a.PPipelines, a.CreateInfoCount), func(n int) request { return d.graphicsRequest(&infos[n]) })
}

func (d *Device) graphicsRequest(i *abi.GraphicsPipelineCreateInfo) request {
	return request{
		flags: pipelineFlags(i.Flags, i.PNext), next: i.PNext, point: vk.PipelineBindPointGraphics,
		stages:    stagesOf(partsOf(i), abi.Slice(i.PStages, i.StageCount)),
		libraries: d.librariesOf(i),
		build:     func(s *stages) (*core.Pipeline, *library, error) { return d.newGraphicsPipeline(i, s) },
	}
}

func (d *Device) newGraphicsPipeline(i *abi.GraphicsPipelineCreateInfo, s *stages) (*core.Pipeline, *library, error) {
	g := &graphics{in: i, parts: partsOf(i)}
	if g.has(preRasterization | fragmentShader) {
		if l := lookup(&d.pipelineLayouts, i.Layout); l != nil {
			g.layouts = append(g.layouts, l)
		}
	}
	if i.PDynamicState != nil {
		for _, x := range abi.Slice(i.PDynamicState.PDynamicStates, i.PDynamicState.DynamicStateCount) {
			if g.has(core.DynamicPart(x)) {
				g.out.DynamicStates = append(g.out.DynamicStates, x)
			}
		}
	}
	if err := d.renderingOf(g); err != nil {
		return nil, nil, err
	}
	for _, part := range []struct {
		of    vk.GraphicsPipelineLibraryFlagsEXT
		parse func() error
	}{
		{vertexInput, g.vertexInput}, {preRasterization, g.rasterization}, {preRasterization, g.tessellation},
		{preRasterization, g.viewport},
		{fragmentOutput | fragmentShader, g.multisample}, {fragmentShader, g.depthStencil}, {fragmentOutput, g.colorBlend},
	} {
		if g.has(part.of) {
			if err := part.parse(); err != nil {
				return nil, nil, err
			}
		}
	}
	g.shadingRate()
	for _, l := range d.librariesOf(i) {
		g.link(l)
	}
	if s != nil && pipelineFlags(i.Flags, i.PNext)&vk.PipelineCreate2LibraryBitKHR != 0 {
		for n := range s.of {
			if err := d.core.Precompile(s.of[n], s.as[n]); err != nil {
				return nil, nil, err
			}
		}
		return nil, &library{parts: g.parts, info: g.out, layouts: g.layouts, stages: s}, nil
	}
	for n, of := range s.of {
		switch s.as[n] {
		case vk.ShaderStageVertexBit:
			g.out.Vertex = of
		case vk.ShaderStageTessellationControlBit:
			g.out.Control = of
		case vk.ShaderStageTessellationEvaluationBit:
			g.out.Evaluation = of
		case vk.ShaderStageGeometryBit:
			g.out.Geometry = of
		case vk.ShaderStageTaskBitEXT:
			g.out.Task = of
		case vk.ShaderStageMeshBitEXT:
			g.out.Mesh = of
		case vk.ShaderStageFragmentBit:
			g.out.Fragment = of
		default:
			return nil, nil, vk.ErrorFeatureNotPresent
		}
	}
	if g.discards() {
		g.out.Fragment = core.Stage{}
	}
	var err error
	heap := slices.ContainsFunc(s.of, func(s core.Stage) bool { return s.Heap })
	if g.out.Layout, err = d.linkedLayout(i.Layout, g.layouts); err != nil && !heap {
		return nil, nil, err
	}
	p, err := d.core.NewGraphicsPipeline(&g.out)
	return p, nil, err
}

// graphics translates the state of a graphics pipeline. State that the pipeline
// does not use may hold anything, wild pointers too, and is not looked at.
type graphics struct {
	in      *abi.GraphicsPipelineCreateInfo
	out     core.GraphicsPipelineInfo
	parts   vk.GraphicsPipelineLibraryFlagsEXT
	layouts []*PipelineLayout // of the parts that have shaders
}

// has says that the pipeline has one of some parts, of its own or linked.
func (g *graphics) has(parts vk.GraphicsPipelineLibraryFlagsEXT) bool { return g.parts&parts != 0 }

func (g *graphics) dynamic(s ...vk.DynamicState) bool {
	return slices.ContainsFunc(s, func(s vk.DynamicState) bool { return slices.Contains(g.out.DynamicStates, s) })
}

// discards says that nothing is ever rasterized.
func (g *graphics) discards() bool {
	return g.out.Rasterization.RasterizerDiscardEnable && !g.dynamic(vk.DynamicStateRasterizerDiscardEnable)
}

// renderingOf takes the attachments from the render pass, or from
// VkPipelineRenderingCreateInfo.
func (d *Device) renderingOf(g *graphics) error {
	if g.in.RenderPass != 0 {
		p := lookup(&d.renderPasses, g.in.RenderPass)
		if p == nil || g.in.Subpass >= uint32(p.core.Subpasses()) {
			return vk.ErrorValidationFailed
		}
		g.out.Rendering = p.core.Rendering(int(g.in.Subpass))
		return nil
	}
	if r := abi.Find[abi.PipelineRenderingCreateInfo](g.in.PNext); r != nil {
		if g.has(preRasterization | fragmentShader) {
			g.out.Rendering.ViewMask = r.ViewMask
		}
		if g.has(fragmentOutput) { // else formats may be anything
			g.out.Rendering.DepthAttachmentFormat, g.out.Rendering.StencilAttachmentFormat = r.DepthAttachmentFormat, r.StencilAttachmentFormat
			g.out.Rendering.ColorAttachmentFormats = slices.Clone(abi.Slice(r.PColorAttachmentFormats, r.ColorAttachmentCount))
			customFormats(&g.out.Rendering, g.in.PNext)
		}
	}
	if l := abi.Find[abi.RenderingAttachmentLocationInfo](g.in.PNext); l != nil {
		g.out.Locations = locations(l)
	}
	return nil
}

// customFormats puts the formats of the attachments there that draws of custom resolves write
// (VkCustomResolveCreateInfoEXT), where those are meant.
func customFormats(out *vk.PipelineRenderingCreateInfo, next unsafe.Pointer) {
	if x := abi.Find[abi.CustomResolveCreateInfoEXT](next); x != nil && x.CustomResolve.True() {
		out.ColorAttachmentFormats = slices.Clone(abi.Slice(x.PColorAttachmentFormats, x.ColorAttachmentCount))
		out.DepthAttachmentFormat, out.StencilAttachmentFormat = x.DepthAttachmentFormat, x.StencilAttachmentFormat
	}
}

func (g *graphics) vertexInput() error {
	if a := g.in.PInputAssemblyState; a != nil {
		g.out.InputAssembly = vk.PipelineInputAssemblyStateCreateInfo{Topology: a.Topology, PrimitiveRestartEnable: a.PrimitiveRestartEnable.True()}
	}
	v := g.in.PVertexInputState
	if v == nil || g.dynamic(vk.DynamicStateVertexInputEXT) {
		return nil
	}
	g.out.VertexInput.VertexBindingDescriptions = slices.Clone(abi.Slice(v.PVertexBindingDescriptions, v.VertexBindingDescriptionCount))
	g.out.VertexInput.VertexAttributeDescriptions = slices.Clone(abi.Slice(v.PVertexAttributeDescriptions, v.VertexAttributeDescriptionCount))
	if x := abi.Find[abi.PipelineVertexInputDivisorStateCreateInfo](v.PNext); x != nil {
		g.out.Divisors = slices.Clone(abi.Slice(x.PVertexBindingDivisors, x.VertexBindingDivisorCount))
	}
	return nil
}

func (g *graphics) rasterization() error {
	r := g.in.PRasterizationState
	if r == nil {
		g.out.Rasterization.LineWidth = 1
		return nil // all of it is dynamic
	}
	g.out.Rasterization = vk.PipelineRasterizationStateCreateInfo{
		DepthClampEnable: r.DepthClampEnable.True(), RasterizerDiscardEnable: r.RasterizerDiscardEnable.True(),
		PolygonMode: r.PolygonMode, CullMode: r.CullMode, FrontFace: r.FrontFace, DepthBiasEnable: r.DepthBiasEnable.True(),
		DepthBiasConstantFactor: r.DepthBiasConstantFactor, DepthBiasClamp: r.DepthBiasClamp,
		DepthBiasSlopeFactor: r.DepthBiasSlopeFactor, LineWidth: r.LineWidth,
	}
	if g.discards() {
		g.out.Rasterization.PolygonMode, g.out.Rasterization.LineWidth = vk.PolygonModeFill, 1
		return nil
	}
	// RAS-015: zeros stand for what is not chained.
	for s := range abi.Chain(r.PNext) {
		switch s.SType {
		case vk.StructureTypePipelineRasterizationLineStateCreateInfo:
			l := (*abi.PipelineRasterizationLineStateCreateInfo)(unsafe.Pointer(s))
			g.out.Line = &vk.PipelineRasterizationLineStateCreateInfo{
				LineRasterizationMode: l.LineRasterizationMode, StippledLineEnable: l.StippledLineEnable.True(),
				LineStippleFactor: l.LineStippleFactor, LineStipplePattern: l.LineStipplePattern,
			}
		case vk.StructureTypePipelineRasterizationDepthClipStateCreateInfoEXT:
			on := (*abi.PipelineRasterizationDepthClipStateCreateInfoEXT)(unsafe.Pointer(s)).DepthClipEnable.True()
			g.out.DepthClipEnable = &on
		case vk.StructureTypePipelineRasterizationProvokingVertexStateCreateInfoEXT:
			g.out.ProvokingVertex = (*abi.PipelineRasterizationProvokingVertexStateCreateInfoEXT)(unsafe.Pointer(s)).ProvokingVertexMode
		case vk.StructureTypeDepthBiasRepresentationInfoEXT:
			b := (*abi.DepthBiasRepresentationInfoEXT)(unsafe.Pointer(s))
			g.out.DepthBiasUnit, g.out.DepthBiasExact = b.DepthBiasRepresentation, b.DepthBiasExact.True()
		case vk.StructureTypePipelineRasterizationStateStreamCreateInfoEXT:
			g.out.Stream = (*abi.PipelineRasterizationStateStreamCreateInfoEXT)(unsafe.Pointer(s)).RasterizationStream
		case vk.StructureTypePipelineRasterizationConservativeStateCreateInfoEXT:
			k := (*abi.PipelineRasterizationConservativeStateCreateInfoEXT)(unsafe.Pointer(s))
			g.out.Conservative.ConservativeRasterizationMode = k.ConservativeRasterizationMode
			if k.ConservativeRasterizationMode == vk.ConservativeRasterizationModeOverestimateEXT {
				g.out.Conservative.ExtraPrimitiveOverestimationSize = k.ExtraPrimitiveOverestimationSize
			}
		default: // nothing that is offered
		}
	}
	return nil
}

func (g *graphics) tessellation() error {
	t := g.in.PTessellationState
	has := func(s abi.PipelineShaderStageCreateInfo) bool {
		return s.Stage == vk.ShaderStageTessellationControlBit || s.Stage == vk.ShaderStageTessellationEvaluationBit
	}
	if t == nil || !slices.ContainsFunc(abi.Slice(g.in.PStages, g.in.StageCount), has) {
		return nil // may be anything
	}
	g.out.PatchControlPoints = t.PatchControlPoints
	if o := abi.Find[abi.PipelineTessellationDomainOriginStateCreateInfo](t.PNext); o != nil {
		g.out.DomainOrigin = o.DomainOrigin
	}
	return nil
}

func (g *graphics) viewport() error {
	v := g.in.PViewportState
	if v == nil || g.discards() {
		return nil
	}
	g.windows(v)
	g.rateImage(v)
	if c := abi.Find[abi.PipelineViewportDepthClipControlCreateInfoEXT](v.PNext); c != nil {
		g.out.NegativeOneToOne = c.NegativeOneToOne.True()
	}
	if c := abi.Find[abi.PipelineViewportDepthClampControlCreateInfoEXT](v.PNext); c != nil {
		g.out.DepthClampRange = depthClampRange(c.DepthClampMode, c.PDepthClampRange)
	}
	limit := engine.Limits().MaxViewports
	if v.ViewportCount > limit || v.ScissorCount > limit {
		return vk.ErrorValidationFailed
	}
	switch {
	case g.dynamic(vk.DynamicStateViewportWithCount):
	case g.dynamic(vk.DynamicStateViewport): // the number counts
		g.out.Viewport.Viewports = make([]vk.Viewport, v.ViewportCount)
	default:
		g.out.Viewport.Viewports = slices.Clone(abi.Slice(v.PViewports, v.ViewportCount))
	}
	switch {
	case g.dynamic(vk.DynamicStateScissorWithCount):
	case g.dynamic(vk.DynamicStateScissor):
		g.out.Viewport.Scissors = make([]vk.Rect2D, v.ScissorCount)
	default:
		g.out.Viewport.Scissors = slices.Clone(abi.Slice(v.PScissors, v.ScissorCount))
	}
	return nil
}

func (g *graphics) multisample() error {
	m := g.in.PMultisampleState
	if m == nil || g.discards() {
		return nil
	}
	g.out.Multisample = vk.PipelineMultisampleStateCreateInfo{
		RasterizationSamples: m.RasterizationSamples, SampleShadingEnable: m.SampleShadingEnable.True(),
		AlphaToCoverageEnable: m.AlphaToCoverageEnable.True(), AlphaToOneEnable: m.AlphaToOneEnable.True(),
	}
	if g.dynamic(vk.DynamicStateRasterizationSamplesEXT) {
		g.out.Multisample.RasterizationSamples = vk.SampleCount1Bit // the number given here may be any
	}
	if m.SampleShadingEnable.True() {
		g.out.Multisample.MinSampleShading = m.MinSampleShading
	}
	if m.PSampleMask != nil && !g.dynamic(vk.DynamicStateSampleMaskEXT) {
		words := sampleMaskWords(m.RasterizationSamples)
		g.out.Multisample.SampleMask = slices.Clone(abi.Slice(m.PSampleMask, words))
	}
	g.coverage(m)
	if l := abi.Find[abi.PipelineSampleLocationsStateCreateInfoEXT](m.PNext); l != nil {
		g.out.SampleLocationsEnable = l.SampleLocationsEnable.True()
		if (g.out.SampleLocationsEnable || g.dynamic(vk.DynamicStateSampleLocationsEnableEXT)) && !g.dynamic(vk.DynamicStateSampleLocationsEXT) {
			locations := sampleLocations(&l.SampleLocationsInfo)
			g.out.SampleLocations = &locations
		}
	}
	return nil
}

func (g *graphics) depthStencil() error {
	if x := abi.Find[abi.PipelineRepresentativeFragmentTestStateCreateInfoNV](g.in.PNext); x != nil {
		g.out.RepresentativeTest = x.RepresentativeFragmentTestEnable.True()
	}
	r := &g.out.Rendering
	z := g.in.PDepthStencilState
	if z == nil || g.discards() || g.has(fragmentOutput) && r.DepthAttachmentFormat == vk.FormatUndefined && r.StencilAttachmentFormat == vk.FormatUndefined {
		return nil
	}
	g.out.DepthStencil = vk.PipelineDepthStencilStateCreateInfo{
		DepthTestEnable: z.DepthTestEnable.True(), DepthWriteEnable: z.DepthWriteEnable.True(), DepthCompareOp: z.DepthCompareOp,
		DepthBoundsTestEnable: z.DepthBoundsTestEnable.True(), StencilTestEnable: z.StencilTestEnable.True(),
		Front: z.Front, Back: z.Back, MinDepthBounds: z.MinDepthBounds, MaxDepthBounds: z.MaxDepthBounds,
	}
	return nil
}

func (g *graphics) colorBlend() error {
	b := g.in.PColorBlendState
	formats := g.out.Rendering.ColorAttachmentFormats
	if b == nil || g.discards() || len(formats) == 0 {
		// Missing blend states write nothing: package core wants one an attachment.
		if !g.discards() {
			g.out.ColorBlend.Attachments = make([]vk.PipelineColorBlendAttachmentState, len(formats))
		}
		return nil
	}
	g.out.ColorBlend = vk.PipelineColorBlendStateCreateInfo{LogicOpEnable: b.LogicOpEnable.True(), LogicOp: b.LogicOp, BlendConstants: b.BlendConstants}
	if b.AttachmentCount > engine.Limits().MaxColorAttachments {
		return vk.ErrorValidationFailed
	}
	if w := abi.Find[abi.PipelineColorWriteCreateInfoEXT](b.PNext); w != nil {
		for _, on := range abi.Slice(w.PColorWriteEnables, min(w.AttachmentCount, b.AttachmentCount)) {
			g.out.ColorWrite = append(g.out.ColorWrite, on.True())
		}
	}
	if a := abi.Find[abi.PipelineColorBlendAdvancedStateCreateInfoEXT](b.PNext); a != nil {
		g.out.Advanced = &vk.PipelineColorBlendAdvancedStateCreateInfoEXT{
			SrcPremultiplied: a.SrcPremultiplied.True(), DstPremultiplied: a.DstPremultiplied.True(), BlendOverlap: a.BlendOverlap,
		}
	}
	for _, x := range abi.Slice(b.PAttachments, b.AttachmentCount) {
		g.out.ColorBlend.Attachments = append(g.out.ColorBlend.Attachments, vk.PipelineColorBlendAttachmentState{
			BlendEnable:         x.BlendEnable.True(),
			SrcColorBlendFactor: x.SrcColorBlendFactor, DstColorBlendFactor: x.DstColorBlendFactor, ColorBlendOp: x.ColorBlendOp,
			SrcAlphaBlendFactor: x.SrcAlphaBlendFactor, DstAlphaBlendFactor: x.DstAlphaBlendFactor, AlphaBlendOp: x.AlphaBlendOp,
			ColorWriteMask: x.ColorWriteMask,
		})
	}
	return nil
}
