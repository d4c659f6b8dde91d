package core

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Pipeline is shaders and state compiled for drawing or dispatching. Immutable.
type Pipeline struct {
	object
	point    vk.PipelineBindPoint
	layout   *PipelineLayout
	mapped   [][]HeapMapping        // of the programs' resources; nil without heaps
	programs []*ir.Program          // of the stages in their order
	called   atomic.Pointer[string] // see SetName
	told     sync.Map               // the places that checkImages and checkedDraw have told of
	imaging  imageUses
	traces   map[ir.Stage]*tracedStage // with Config.Explain
	naming   sync.Once
	names    *render.Names // of interface variables, once somebody has asked
	pushing  sync.Once
	pushUses []pushUse // of programs, likewise
	ranging  sync.Once
	ranges   [][]constantAccess // of programs, by resource, likewise

	// Graphics.
	draw           *render.Pipeline // nil where vertex input is dynamic
	desc           render.PipelineDesc
	variants       variants
	static         render.DynamicState
	dynamic        dynSet       // states that commands set
	must           dynSet       // those that they have to set
	input          *vertexInput // nil where it is dynamic
	vertexMask     uint32       // vertex bindings that attributes read
	viewports      int          // 0: as many as commands set
	clipFollows    bool         // depth clip is on where depth clamp is off
	minShading     float32      // minSampleShading; 0 without sample shading
	colorFormats   []vk.Format
	depth, stencil vk.Format
	samples        int
	viewMask       uint32
	hasFragment    bool

	// Compute.
	compute exec.Routine
}

// GraphicsPipelineInfo describes a graphics pipeline
// (VkGraphicsPipelineCreateInfo with VkPipelineRenderingCreateInfo).
type GraphicsPipelineInfo struct {
	Vertex, Fragment Stage
	// Control and Evaluation (tessellation) and Geometry may be absent.
	Control, Evaluation, Geometry Stage
	// Mesh, perhaps after Task, stands in the place of Vertex to Geometry.
	Task, Mesh Stage

	PatchControlPoints uint32
	DomainOrigin       vk.TessellationDomainOrigin

	Layout           *PipelineLayout // nil: from the shaders
	VertexInput      vk.PipelineVertexInputStateCreateInfo
	Divisors         []vk.VertexInputBindingDivisorDescription
	InputAssembly    vk.PipelineInputAssemblyStateCreateInfo
	Viewport         vk.PipelineViewportStateCreateInfo
	Rasterization    vk.PipelineRasterizationStateCreateInfo
	Line             *vk.PipelineRasterizationLineStateCreateInfo
	DepthClipEnable  *bool // nil: !DepthClampEnable
	NegativeOneToOne bool  // clip space z from -w to w
	// Windows are discard rectangles, exclusive scissors, and what
	// viewports do besides; nil: nothing.
	Windows        *Windows
	Rate           *ShadingRate // nil: fragments of a pixel
	RateImage      *RateImage   // nil: none
	Stream         uint32       // rasterizationStream
	DepthBiasUnit  vk.DepthBiasRepresentationEXT
	DepthBiasExact bool
	Conservative   vk.PipelineRasterizationConservativeStateCreateInfoEXT
	// SampleLocations are custom locations, SampleLocationsEnable uses them.
	SampleLocations       *SampleLocations
	SampleLocationsEnable bool
	DepthClampRange       *[2]float32 // nil: that of the viewport
	ProvokingVertex       vk.ProvokingVertexModeEXT
	Multisample           vk.PipelineMultisampleStateCreateInfo
	Coverage              Coverage
	RepresentativeTest    bool // representativeFragmentTestEnable
	DepthStencil          vk.PipelineDepthStencilStateCreateInfo
	ColorBlend            vk.PipelineColorBlendStateCreateInfo
	// Advanced has what advanced blend operations need besides, the same for all
	// attachments; nil: premultiplied, uncorrelated.
	Advanced   *vk.PipelineColorBlendAdvancedStateCreateInfoEXT
	ColorWrite []bool // colorWriteEnable by attachment; nil: all on
	// Locations are the fragment output locations that go to each colour
	// attachment (VkRenderingAttachmentLocationInfo), vk.AttachmentUnused for
	// none; nil: location i to attachment i.
	Locations     []uint32
	DynamicStates []vk.DynamicState
	Rendering     vk.PipelineRenderingCreateInfo
	Name          string
}

// NewGraphicsPipeline compiles and links a pipeline.
func (d *Device) NewGraphicsPipeline(info *GraphicsPipelineInfo) (*Pipeline, error) {
	const op Op = "vkCreateGraphicsPipelines"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	p := &Pipeline{
		point:        vk.PipelineBindPointGraphics,
		colorFormats: slices.Clone(info.Rendering.ColorAttachmentFormats),
		depth:        info.Rendering.DepthAttachmentFormat,
		stencil:      info.Rendering.StencilAttachmentFormat,
		samples:      Samples(info.Multisample.RasterizationSamples),
		viewMask:     info.Rendering.ViewMask,
		hasFragment:  info.Fragment.present(),
	}
	p.dev, p.kind, p.name = d, "graphics pipeline", info.Name
	if err := p.setState(op, info); err != nil {
		return nil, err
	}
	if !info.Vertex.present() && !info.Mesh.present() {
		return nil, d.misuse(op, "VkGraphicsPipelineCreateInfo-stage-02096", "", "there is no vertex shader")
	}
	p.desc = render.PipelineDesc{Static: p.static, ColorFormats: p.colorFormats, DepthFormat: p.depth, StencilFormat: p.stencil, UnfedInputs: d.cfg.UnfedInputs}
	stages := []stageJob{
		{stage: info.Vertex, as: ir.StageVertex, to: &p.desc.Vertex}, {stage: info.Control, as: ir.StageControl, to: &p.desc.Control},
		{stage: info.Evaluation, as: ir.StageEvaluation, to: &p.desc.Evaluation}, {stage: info.Geometry, as: ir.StageGeometry, to: &p.desc.Geometry},
		{stage: info.Task, as: ir.StageTask, to: &p.desc.Task}, {stage: info.Mesh, as: ir.StageMesh, to: &p.desc.Mesh},
		{stage: info.Fragment, as: ir.StageFragment, to: &p.desc.Fragment},
	}
	stages = slices.DeleteFunc(stages, func(s stageJob) bool { return !s.stage.present() })
	if err := d.compileAll(op, stages); err != nil {
		return nil, err
	}
	for _, s := range stages {
		p.programs = append(p.programs, (*s.to).Program())
	}
	p.keepStages(stages)
	p.tellInterpreted(op, stages)
	if err := p.setResources(op, info.Layout, stages); err != nil {
		return nil, err
	}
	if info.Mesh.present() {
		// What vertices would need means nothing.
		p.dynamic.remove(dynVertexInput, dynStride, dynStream)
		p.must.remove(dynVertexInput, dynStride, dynTopology, dynRestart)
		var err error
		if p.draw, err = p.link(op, &vertexInput{}, 0); err != nil {
			return nil, err
		}
		return p, nil
	}
	if p.dynamic.has(dynVertexInput) {
		return p, nil
	}
	input, err := d.newVertexInput(op, info.VertexInput, info.Divisors)
	if err != nil {
		return nil, err
	}
	p.input, p.vertexMask = input, input.mask
	if p.draw, err = p.link(op, input, p.static.RasterizationStream); err != nil {
		return nil, err
	}
	return p, nil
}

// setResources decides where resources come from: heaps, where a shader was made for them, or sets.
func (p *Pipeline) setResources(op Op, l *PipelineLayout, stages []stageJob) error {
	p.checkOffsets(op)
	if slices.ContainsFunc(stages, func(s stageJob) bool { return s.stage.Heap }) {
		return p.setMappings(op, stages)
	}
	return p.setLayout(op, l)
}

// setLayout takes or makes the pipeline layout.
func (p *Pipeline) setLayout(op Op, l *PipelineLayout) (err error) {
	for _, prog := range p.programs {
		if slices.ContainsFunc(prog.Resources, func(r ir.Resource) bool { return r.Heap }) {
			return p.dev.misuse(op, "VkShaderModuleCreateInfo-pCode-08740", "make it with DESCRIPTOR_HEAP", "the %s shader reads a descriptor heap, for which the pipeline was not made", stageName(prog.Stage))
		}
		if prog.PushBytes > MaxPushBytes {
			return p.dev.misuse(op, "VkPushConstantRange-size-00298", "", "%d bytes of push constants; %d is the limit", prog.PushBytes, MaxPushBytes)
		}
	}
	if l == nil {
		p.layout, err = p.dev.layoutFor(op, p.programs)
		return err
	}
	if err := l.use(p.dev, op); err != nil {
		return err
	}
	for _, prog := range p.programs {
		if err := l.covers(op, prog); err != nil {
			return err
		}
	}
	p.layout = l
	return nil
}

// setState checks the fixed-function state and fills in p.static.
func (p *Pipeline) setState(op Op, info *GraphicsPipelineInfo) error {
	d := p.dev
	for _, s := range info.DynamicStates {
		m, ok := dynOf(s)
		if !ok {
			return d.unsupported(op, "VkPipelineDynamicStateCreateInfo-pDynamicStates-parameter", "", "dynamic state %v", s)
		}
		if p.dynamic.has(m) && s != vk.DynamicStateViewportWithCount && s != vk.DynamicStateScissorWithCount {
			return d.misuse(op, "VkPipelineDynamicStateCreateInfo-pDynamicStates-01442", "", "%v appears twice", s)
		}
		p.dynamic.add(m)
	}
	s := render.DefaultState()
	s.DepthUnrestricted, s.RelaxedLines = d.cfg.DepthUnrestricted, d.cfg.RelaxedLines
	s.CoverageReduction = d.coverageReduction()
	if r := info.DepthClampRange; r != nil {
		s.DepthClampUser, s.DepthClampRange = true, *r
	}
	s.Topology, s.PrimitiveRestart = info.InputAssembly.Topology, info.InputAssembly.PrimitiveRestartEnable
	s.PatchControlPoints, s.DomainOrigin = info.PatchControlPoints, info.DomainOrigin
	if n := s.PatchControlPoints; info.Control.present() && !p.dynamic.has(dynPatchControlPoints) && (n == 0 || n > lower.MaxPatchVertices) {
		return d.misuse(op, "VkPipelineTessellationStateCreateInfo-patchControlPoints-01214", "", "patches of %d control points; 1 to %d are supported", n, lower.MaxPatchVertices)
	}
	if (s.Topology == vk.PrimitiveTopologyPatchList) != info.Control.present() && !p.dynamic.has(dynTopology) {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-pStages-08888", "patch lists go with tessellation shaders", "topology %v", s.Topology)
	}
	if err := p.viewportState(op, info, &s); err != nil {
		return err
	}
	if err := p.rasterState(op, info, &s); err != nil {
		return err
	}
	if err := p.outputState(op, info, &s); err != nil {
		return err
	}
	p.static = s
	p.must = p.needed()
	return nil
}

func (p *Pipeline) viewportState(op Op, info *GraphicsPipelineInfo, s *render.DynamicState) error {
	v, d := &info.Viewport, p.dev
	if len(v.Viewports) > render.MaxViewports || len(v.Scissors) > render.MaxViewports {
		return d.misuse(op, "VkPipelineViewportStateCreateInfo-viewportCount-01218", "", "more than %d viewports", render.MaxViewports)
	}
	if !p.dynamic.has(dynViewport) && len(v.Viewports) == 0 && !info.Rasterization.RasterizerDiscardEnable {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-pDynamicStates-04130", "give viewports or make them dynamic", "there is no viewport")
	}
	if !p.dynamic.has(dynScissor) && len(v.Scissors) == 0 && !info.Rasterization.RasterizerDiscardEnable {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-pDynamicStates-04131", "give scissors or make them dynamic", "there is no scissor")
	}
	if !p.dynamic.hasAny(dynViewport, dynScissor) && len(v.Viewports) != len(v.Scissors) {
		return d.misuse(op, "VkPipelineViewportStateCreateInfo-scissorCount-04134", "", "%d viewports and %d scissors", len(v.Viewports), len(v.Scissors))
	}
	copy(s.Viewports[:], v.Viewports)
	copy(s.Scissors[:], v.Scissors)
	// What commands set, and what nothing is rasterized with, means nothing here.
	rasterizes := !info.Rasterization.RasterizerDiscardEnable || p.dynamic.has(dynDiscard)
	for i := range v.Viewports {
		if rasterizes && !p.dynamic.has(dynViewport) {
			if err := d.checkViewport(op, &s.Viewports[i]); err != nil {
				return err
			}
		}
	}
	for i := range v.Scissors {
		if rasterizes && !p.dynamic.has(dynScissor) {
			if err := d.mendScissor(op, &pipelineScissor, &s.Scissors[i]); err != nil {
				return err
			}
		}
	}
	s.ViewportCount = max(len(v.Viewports), len(v.Scissors))
	if !slices.Contains(info.DynamicStates, vk.DynamicStateViewportWithCount) && !slices.Contains(info.DynamicStates, vk.DynamicStateScissorWithCount) {
		p.viewports = s.ViewportCount
	}
	s.DepthNegativeOneToOne = info.NegativeOneToOne
	return nil
}

func (p *Pipeline) rasterState(op Op, info *GraphicsPipelineInfo, s *render.DynamicState) error {
	r, d := &info.Rasterization, p.dev
	switch r.PolygonMode {
	case vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV:
	default:
		return d.misuse(op, "VkPipelineRasterizationStateCreateInfo-polygonMode-parameter", "", "polygon mode %d", r.PolygonMode)
	}
	width := r.LineWidth
	if !(width >= minLineWidth && width <= maxLineWidth) {
		width = 1 // matters to lines only
	}
	if width != r.LineWidth && !p.dynamic.has(dynLineWidth) && drawsLines(s.Topology, r.PolygonMode) {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-pDynamicStates-00749", "see VkPhysicalDeviceLimits::lineWidthRange", "line width %v", r.LineWidth)
	}
	s.RasterizerDiscard, s.PolygonMode, s.CullMode, s.FrontFace = r.RasterizerDiscardEnable, r.PolygonMode, r.CullMode, r.FrontFace // RAS-010, RAS-011, RAS-012
	s.DepthClampEnable = r.DepthClampEnable
	if info.DepthClipEnable != nil { // RAS-076; else see clipFollows
		s.DepthClipEnable = *info.DepthClipEnable
	}
	s.DepthBiasEnable, s.DepthBiasConstant, s.DepthBiasClamp, s.DepthBiasSlope = r.DepthBiasEnable, r.DepthBiasConstantFactor, r.DepthBiasClamp, r.DepthBiasSlopeFactor // RAS-013
	s.LineWidth, s.ProvokingVertexMode = width, info.ProvokingVertex                                                                                                    // RAS-014
	if l := info.Line; l != nil {
		switch l.LineRasterizationMode {
		case vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth:
		default:
			return d.misuse(op, "VkPipelineRasterizationLineStateCreateInfo-lineRasterizationMode-parameter", "", "line rasterization mode %d", l.LineRasterizationMode)
		}
		if l.StippledLineEnable && !p.dynamic.has(dynStipple) && (l.LineStippleFactor < 1 || l.LineStippleFactor > 256) {
			return d.misuse(op, "VkGraphicsPipelineCreateInfo-stippledLineEnable-02767", "use 1 to 256", "stipple factor %d", l.LineStippleFactor)
		}
		// RAS-015; RAS-227: lines of all modes can be stippled.
		s.LineMode, s.LineStippleEnable, s.LineStippleFactor, s.LineStipplePattern = l.LineRasterizationMode, l.StippledLineEnable, l.LineStippleFactor, l.LineStipplePattern
	}
	s.RasterizationStream = info.Stream // RAS-015
	info.Windows.apply(s)
	if r := info.Rate; r != nil && !p.dynamic.has(dynShadingRate) {
		var err error
		if s.ShadingRate, err = r.check(d, op, &pipelineSize); err != nil {
			return err
		}
		s.RateCombiners = r.Combiners
	}
	s.RateEnums = d.cfg.RateEnums
	if err := info.RateImage.apply(d, op, p, s); err != nil {
		return err
	}
	s.DepthBiasUnit, s.DepthBiasExact = info.DepthBiasUnit, info.DepthBiasExact // RAS-015
	if k := &info.Conservative; k.ConservativeRasterizationMode != vk.ConservativeRasterizationModeDisabledEXT {
		if !(k.ExtraPrimitiveOverestimationSize >= 0 && k.ExtraPrimitiveOverestimationSize <= raster.MaxExtraOverestimation) {
			return d.misuse(op, "VkPipelineRasterizationConservativeStateCreateInfoEXT-extraPrimitiveOverestimationSize-01769", "", "extra size of %v pixels", k.ExtraPrimitiveOverestimationSize)
		}
		s.ConservativeMode, s.ExtraOverestimation = k.ConservativeRasterizationMode, k.ExtraPrimitiveOverestimationSize
	}
	s.SampleLocationsEnable = info.SampleLocationsEnable
	if l := info.SampleLocations; l != nil && !p.dynamic.has(dynSampleLocations) {
		n, err := l.check(d, op)
		if err != nil {
			return err
		}
		s.SampleLocations = l.set(n)
	}
	m := &info.Multisample
	if n := m.RasterizationSamples; n != 0 && !p.dynamic.has(dynSamples) && (n&sampleCounts == 0 || bits.OnesCount32(uint32(n)) != 1) {
		const rule = "VkPipelineMultisampleStateCreateInfo-rasterizationSamples-parameter"
		return d.unsupported(op, rule, "use a power of two up to 64", "%v", n)
	}
	if !(m.MinSampleShading >= 0 && m.MinSampleShading <= 1) {
		return d.misuse(op, "VkPipelineMultisampleStateCreateInfo-minSampleShading-00786", "", "minSampleShading %v", m.MinSampleShading)
	}
	s.SampleMask = sampleMask(m.SampleMask)
	if m.SampleShadingEnable { // RAS-017
		p.minShading = m.MinSampleShading
	}
	p.clipFollows = info.DepthClipEnable == nil && !p.dynamic.has(dynDepthClip) // RAS-009, RAS-015
	s.SampleShadingOn = m.SampleShadingEnable
	p.sampleShading(s, p.samples)
	s.AlphaToCoverageEnable, s.AlphaToOneEnable = m.AlphaToCoverageEnable, m.AlphaToOneEnable // RAS-019
	s.RepresentativeFragmentTest = info.RepresentativeTest
	return info.Coverage.apply(d, op, s)
}

// sampleShading is how often pixels of so many samples are shaded: where the least number is no power of two, the next
// one, as GPUs do and programs take for granted, so that invocations have as many samples each. Once needs no sample
// shading.
//
// RAS-175, RAS-176 primsrast-sampleshading
func (p *Pipeline) sampleShading(s *render.DynamicState, samples int) {
	least := uint(math.Ceil(float64(p.minShading) * float64(samples)))
	s.SampleInvocations = 1 << bits.Len(least-1) // of none it is 0: the bit is shifted out
	s.SampleShadingEnable = s.SampleInvocations > 1
}

func (p *Pipeline) outputState(op Op, info *GraphicsPipelineInfo, s *render.DynamicState) error {
	d := p.dev
	if n := len(p.colorFormats); n > render.MaxColorAttachments {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-renderPass-06058", "", "%d colour attachments; %d is the limit", n, render.MaxColorAttachments)
	}
	for i, f := range p.colorFormats {
		if f != vk.FormatUndefined && d.FormatProperties(f).OptimalTilingFeatures&vk.FormatFeatureColorAttachmentBit == 0 {
			return d.misuse(op, "VkGraphicsPipelineCreateInfo-renderPass-06582", "", "colour attachment %d: %v cannot be drawn to", i, f)
		}
	}
	for _, t := range []struct {
		f      vk.Format
		aspect vk.ImageAspectFlags
		rule   string
	}{
		{p.depth, vk.ImageAspectDepthBit, "VkGraphicsPipelineCreateInfo-renderPass-06587"},
		{p.stencil, vk.ImageAspectStencilBit, "VkGraphicsPipelineCreateInfo-renderPass-06588"},
	} {
		if t.f == vk.FormatUndefined {
			continue
		}
		if info, ok := format.Lookup(t.f); !ok || info.Aspects&t.aspect == 0 {
			return d.misuse(op, t.rule, "", "%v has no %v", t.f, t.aspect)
		}
	}
	z := &info.DepthStencil
	s.DepthTestEnable, s.DepthWriteEnable, s.DepthCompareOp = z.DepthTestEnable, z.DepthWriteEnable, z.DepthCompareOp
	s.DepthBoundsTestEnable, s.MinDepthBounds, s.MaxDepthBounds = z.DepthBoundsTestEnable, z.MinDepthBounds, z.MaxDepthBounds
	s.StencilTestEnable, s.Front, s.Back = z.StencilTestEnable, z.Front, z.Back
	b := &info.ColorBlend
	s.LogicOpEnable, s.LogicOp, s.BlendConstants = b.LogicOpEnable, b.LogicOp, b.BlendConstants
	s.ColorWrite = colorWrites(info.ColorWrite)
	if a := info.Advanced; a != nil {
		for i := range s.Advanced {
			s.Advanced[i] = fragops.AdvancedBlend{SrcStraight: !a.SrcPremultiplied, DstStraight: !a.DstPremultiplied, Overlap: a.BlendOverlap}
		}
	}
	for i, at := range info.Locations[:min(len(info.Locations), len(s.Location))] {
		s.Location[i] = render.NoLocation
		if at < render.MaxColorAttachments {
			s.Location[i] = uint8(at) + 1
		}
	}
	allBlend := p.dynamic.has(dynBlendEnable) && p.dynamic.has(dynBlendEquation) && p.dynamic.has(dynColorWriteMask)
	if len(b.Attachments) != len(p.colorFormats) && !allBlend && p.hasFragment && !s.RasterizerDiscard {
		return d.misuse(op, "VkGraphicsPipelineCreateInfo-renderPass-06055", "", "%d blend states for %d colour attachments", len(b.Attachments), len(p.colorFormats))
	}
	for i, a := range b.Attachments[:min(len(b.Attachments), len(s.Blend))] {
		if i < len(p.colorFormats) && a.BlendEnable && !p.dynamic.has(dynBlendEnable) && p.colorFormats[i] != vk.FormatUndefined && d.FormatProperties(p.colorFormats[i]).OptimalTilingFeatures&vk.FormatFeatureColorAttachmentBlendBit == 0 {
			return d.misuse(op, "VkGraphicsPipelineCreateInfo-renderPass-06062", "", "blending in colour attachment %d, %v", i, p.colorFormats[i])
		}
		s.Blend[i] = a
	}
	return nil
}

// ComputePipelineInfo describes a compute pipeline.
type ComputePipelineInfo struct {
	Stage  Stage
	Layout *PipelineLayout // nil: from the shader
	Name   string
}

// NewComputePipeline compiles a pipeline.
func (d *Device) NewComputePipeline(info *ComputePipelineInfo) (*Pipeline, error) {
	const op Op = "vkCreateComputePipelines"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if !info.Stage.present() {
		return nil, d.misuse(op, "VkComputePipelineCreateInfo-stage-00701", "", "there is no compute shader")
	}
	p := &Pipeline{point: vk.PipelineBindPointCompute}
	p.dev, p.kind, p.name = d, "compute pipeline", info.Name
	stages := []stageJob{{stage: info.Stage, as: ir.StageCompute, to: &p.compute}}
	if err := d.compileAll(op, stages); err != nil {
		return nil, err
	}
	r := p.compute
	p.programs = []*ir.Program{r.Program()}
	p.keepStages(stages)
	size := r.Program().LocalSize
	if n := uint64(size[0]) * uint64(size[1]) * uint64(size[2]); n == 0 || n > exec.MaxLanes {
		return nil, d.misuse(op, "RuntimeSpirv-x-06432", "", "a workgroup of %d invocations; %d is the limit", n, exec.MaxLanes)
	}
	p.tellInterpreted(op, stages)
	if err := p.setResources(op, info.Layout, stages); err != nil {
		return nil, err
	}
	return p, nil
}

// Layout returns the pipeline's layout.
func (p *Pipeline) Layout() *PipelineLayout {
	if p == nil {
		return nil
	}
	return p.layout
}

// NewDescriptorSet makes a set for a set number of the pipeline.
func (p *Pipeline) NewDescriptorSet(set int) (*DescriptorSet, error) {
	if p == nil {
		return nil, nilObject("vkAllocateDescriptorSets", "pipeline")
	}
	return p.dev.NewDescriptorSet(p.layout.Set(set), p.name)
}

// Close gives the pipeline up.
func (p *Pipeline) Close() error {
	if p != nil && !p.closed.Swap(true) {
		p.dev.executor.Forget(p.routines()...)
	}
	return nil
}

// routines are those of the pipeline's stages.
func (p *Pipeline) routines() []exec.Routine {
	switch {
	case p == nil:
		return nil
	case p.compute != nil:
		return []exec.Routine{p.compute}
	case p.draw != nil:
		return p.draw.Routines()
	}
	p.variants.mu.Lock()
	defer p.variants.mu.Unlock()
	for _, form := range p.variants.forms {
		return form.Routines()
	}
	return nil
}

// Windows is VkPipelineDiscardRectangleStateCreateInfoEXT and the structs of
// VK_NV_scissor_exclusive, VK_NV_viewport_swizzle and VK_NV_clip_space_w_scaling.
type Windows struct {
	DiscardMode       vk.DiscardRectangleModeEXT
	DiscardRectangles []vk.Rect2D
	ExclusiveScissors []vk.Rect2D
	Swizzles          []vk.ViewportSwizzleNV
	WScalingEnable    bool
	WScalings         []vk.ViewportWScalingNV
}

// apply puts the windows into static state.
func (w *Windows) apply(s *render.DynamicState) {
	if w == nil {
		return
	}
	s.DiscardMode, s.DiscardCount = w.DiscardMode, copy(s.DiscardRectangles[:], w.DiscardRectangles)
	s.DiscardEnable = s.DiscardCount > 0
	s.ExclusiveEnable = 1<<copy(s.ExclusiveScissors[:], w.ExclusiveScissors) - 1
	for i, x := range w.Swizzles[:min(len(w.Swizzles), len(s.ViewportSwizzle))] {
		s.ViewportSwizzle[i] = vk.ViewportSwizzleNV{X: x.X & 7, Y: x.Y & 7, Z: x.Z & 7, W: x.W & 7}
	}
	s.WScalingEnable = w.WScalingEnable
	copy(s.WScaling[:], w.WScalings)
}
