package render

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// MaxViewports, MaxColorAttachments, MaxVertexBindings and
// MaxVertexAttributes are the limits of this package.
const (
	MaxViewports        = 16
	MaxColorAttachments = tile.MaxColorAttachments
	MaxVertexBindings   = 32
	MaxVertexAttributes = 32

	MaxDiscardRectangles = 16

	// MaxDualSourceAttachments is maxFragmentDualSrcAttachments: there is one second source (RAS-342).
	MaxDualSourceAttachments = 1
)

// PipelineDesc describes a graphics pipeline to NewPipeline.
type PipelineDesc struct {
	// Vertex is required; the others may be nil, Control and Evaluation
	// (tessellation) together.
	Vertex, Control, Evaluation, Geometry, Fragment exec.Routine
	// Mesh, perhaps after Task, stands in the place of Vertex to Geometry.
	Task, Mesh exec.Routine
	// Bindings, Attributes and Divisors are the vertex input state.
	Bindings   []vk.VertexInputBindingDescription
	Attributes []vk.VertexInputAttributeDescription
	Divisors   []vk.VertexInputBindingDivisorDescription
	// UnfedInputs allows vertex inputs of which Attributes has no location: they read as
	// zero in all components (vertexAttributeRobustness, maintenance9).
	UnfedInputs bool
	// Static is the state of the pipeline; DefaultState gives a start.
	Static DynamicState
	// ColorFormats, DepthFormat and StencilFormat are those of the
	// attachments; FormatUndefined where there is none.
	ColorFormats  []vk.Format
	DepthFormat   vk.Format
	StencilFormat vk.Format
}

// DynamicState is the complete state of a draw apart from its shaders and
// vertex layout: each field is what the pipeline fixed or, where the pipeline
// made it dynamic, what the command buffer set (RAS-020). Core resolves this;
// package render doesn't know which is which.
type DynamicState struct {
	// Input assembly.
	Topology         vk.PrimitiveTopology
	PrimitiveRestart bool

	// Tessellation: vertices of a patch, and how its domain lies.
	PatchControlPoints uint32
	DomainOrigin       vk.TessellationDomainOrigin

	// Viewports and scissors: the first ViewportCount of each are in use.
	Viewports     [MaxViewports]vk.Viewport
	Scissors      [MaxViewports]vk.Rect2D
	ViewportCount int
	// DepthNegativeOneToOne selects clip space z in [-w, w] (RAS-093).
	DepthNegativeOneToOne bool

	// ViewportSwizzle and WScaling are by viewport.
	ViewportSwizzle [MaxViewports]vk.ViewportSwizzleNV
	WScalingEnable  bool
	WScaling        [MaxViewports]vk.ViewportWScalingNV
	// Discard rectangles: the first DiscardCount; exclusive scissors by viewport,
	// bit i of ExclusiveEnable switches that of viewport i on.
	DiscardEnable     bool
	DiscardMode       vk.DiscardRectangleModeEXT
	DiscardRectangles [MaxDiscardRectangles]vk.Rect2D
	DiscardCount      int
	ExclusiveScissors [MaxViewports]vk.Rect2D
	ExclusiveEnable   uint32

	// Rasterization.
	RasterizerDiscard bool
	PolygonMode       vk.PolygonMode
	CullMode          vk.CullModeFlags
	FrontFace         vk.FrontFace
	DepthClampEnable  bool
	DepthClipEnable   bool // where no depth-clip state is given: !DepthClampEnable (RAS-076)
	// DepthClampUser clamps to DepthClampRange instead of the viewport's depth range.
	DepthClampUser  bool
	DepthClampRange [2]float32
	// DepthUnrestricted leaves depth in floating point as it is where nothing clamps
	// it (VK_EXT_depth_range_unrestricted).
	DepthUnrestricted   bool
	DepthBiasEnable     bool
	DepthBiasConstant   float32
	DepthBiasClamp      float32
	DepthBiasSlope      float32
	DepthBiasUnit       vk.DepthBiasRepresentationEXT
	DepthBiasExact      bool
	LineWidth           float32
	LineMode            vk.LineRasterizationMode
	RelaxedLines        bool // relaxedLineRasterization
	LineStippleEnable   bool
	LineStippleFactor   uint32
	LineStipplePattern  uint16
	ProvokingVertexMode vk.ProvokingVertexModeEXT
	// RasterizationStream is the vertex stream that is rasterized; it is that of
	// the pipeline's static state.
	RasterizationStream uint32
	// Conservative rasterization; ExtraOverestimation is in pixels.
	ConservativeMode    vk.ConservativeRasterizationModeEXT
	ExtraOverestimation float32

	// Multisampling. SampleMask bit i belongs to sample i.
	SampleMask          uint64
	SampleShadingEnable bool // more than one invocation a fragment is asked for
	// SampleInvocations is how many of them a pixel that is covered whole gets; 0
	// is one for each sample.
	SampleInvocations int
	// SampleShadingOn: the pipeline enables sample shading, of however many
	// samples, which keeps fragments to a pixel (RAS-148).
	SampleShadingOn       bool
	AlphaToCoverageEnable bool
	AlphaToOneEnable      bool
	// SampleLocations are custom sample locations, used if enabled. The number
	// of samples must be that of the draw (RAS-115).
	SampleLocations       *raster.SampleSet
	SampleLocationsEnable bool

	// CoverageReduction says how coverage becomes that of colour samples where
	// there are fewer. CoverageModulation multiplies colours by the part that is
	// covered, or, if enabled, by the first CoverageTableCount elements of a table.
	CoverageReduction   vk.CoverageReductionModeNV
	CoverageModulation  vk.CoverageModulationModeNV
	CoverageTableEnable bool
	CoverageTable       [fragops.MaxSamples]float32
	CoverageTableCount  uint8
	// CoverageToColor stores coverage masks in place of the output of a location.
	CoverageToColor         bool
	CoverageToColorLocation uint32
	// RepresentativeFragmentTest allows to leave out fragments of a primitive of
	// which others pass. None are left out (RAS-314).
	RepresentativeFragmentTest bool

	// ShadingRate is the pipeline's rate; RateCombiners combine it with those of
	// primitives and attachment, which are enums if RateEnums is set (RAS-155).
	ShadingRate   rates.Shading
	RateCombiners [2]vk.FragmentShadingRateCombinerOpKHR
	RateEnums     bool
	// The shading rate image, which stands in the place of these rates where it is
	// enabled; Palettes are by viewport, SampleOrder nil is the default.
	RateImageEnable bool
	RateImage       *resource.ImageView
	Palettes        [MaxViewports]rates.Palette
	SampleOrder     *rates.Order

	// Depth and stencil. Front and Back hold masks and reference too.
	DepthTestEnable       bool
	DepthWriteEnable      bool
	DepthCompareOp        vk.CompareOp
	DepthBoundsTestEnable bool
	MinDepthBounds        float32
	MaxDepthBounds        float32
	StencilTestEnable     bool
	Front, Back           vk.StencilOpState

	// Blending. Blend[i] is that of colour attachment i; bit i of ColorWrite
	// is its colorWriteEnable.
	LogicOpEnable  bool
	LogicOp        vk.LogicOp
	Blend          [MaxColorAttachments]vk.PipelineColorBlendAttachmentState
	BlendConstants [4]float32
	// Advanced has what advanced blend operations need besides.
	Advanced   [MaxColorAttachments]fragops.AdvancedBlend
	ColorWrite uint32
	// Location says which fragment output goes to colour attachment i: 0 means
	// that of location i, n > 0 that of location n - 1, NoLocation none.
	Location [MaxColorAttachments]uint8
}

// NoLocation marks a colour attachment that no fragment output goes to.
const NoLocation = 255

// DefaultState is state in which every value is the one that changes the
// drawing least: triangle lists, no culling, all samples, no tests, no
// blending, all components of all attachments written, no viewport yet.
func DefaultState() DynamicState {
	s := DynamicState{
		Topology:        vk.PrimitiveTopologyTriangleList,
		DepthClipEnable: true,
		LineWidth:       1,
		SampleMask:      ^uint64(0),
		MaxDepthBounds:  1,
		ColorWrite:      ^uint32(0),
	}
	for i := range s.ViewportSwizzle {
		s.ViewportSwizzle[i] = vertexpost.Identity
	}
	for i := range s.Blend {
		s.Blend[i].ColorWriteMask = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit
	}
	return s
}

// Pipeline is a checked and linked pipeline; immutable, safe for concurrent
// use. NewPipeline makes one.
type Pipeline struct {
	desc PipelineDesc
	link linkage
}

// checkMesh checks the stages of a mesh pipeline.
func (d *PipelineDesc) checkMesh() error {
	if d.Vertex != nil || d.Control != nil || d.Evaluation != nil || d.Geometry != nil {
		return &PipelineError{What: "a mesh shader with vertex, tessellation or geometry shaders", Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-02095", Fix: "leave the others out"}
	}
	if d.Mesh.Program().Stage != ir.StageMesh || d.Task != nil && d.Task.Program().Stage != ir.StageTask {
		return &PipelineError{What: "a mesh or task stage is no shader of its kind", Rule: "VUID-VkPipelineShaderStageCreateInfo-stage-00706", Fix: "give a mesh shader, and a task shader or none"}
	}
	for _, r := range [...]exec.Routine{d.Task, d.Mesh} {
		if r == nil {
			continue
		}
		n := uint64(1)
		for _, x := range r.Program().LocalSize {
			n *= uint64(x)
		}
		if n == 0 || n > exec.MaxLanes {
			return &PipelineError{What: fmt.Sprintf("workgroup of %v invocations", r.Program().LocalSize), Rule: "maxMeshWorkGroupInvocations", Fix: "use fewer"}
		}
	}
	return nil
}

// writesMemory says that a stage before rasterization has effects of its own.
func (p *Pipeline) writesMemory() bool {
	for _, r := range [...]exec.Routine{p.desc.Vertex, p.desc.Control, p.desc.Evaluation, p.desc.Geometry, p.desc.Task, p.desc.Mesh} {
		if r != nil && r.Program().WritesMemory {
			return true
		}
	}
	return false
}

// Static is the state that the pipeline was made with; the start from which
// core overrides what is dynamic.
func (p *Pipeline) Static() DynamicState { return p.desc.Static }

// NewPipeline checks a pipeline and links the interfaces of its stages. The
// slices of d are not kept. Errors are *PipelineError.
func NewPipeline(d PipelineDesc) (*Pipeline, error) {
	if d.Mesh != nil {
		if err := d.checkMesh(); err != nil {
			return nil, err
		}
	} else if d.Vertex == nil || d.Vertex.Program().Stage != ir.StageVertex {
		return nil, &PipelineError{What: "no vertex shader", Rule: "VUID-VkGraphicsPipelineCreateInfo-stage-02096", Fix: "give a vertex stage"}
	}
	if d.Fragment != nil && d.Fragment.Program().Stage != ir.StageFragment {
		return nil, &PipelineError{What: "the fragment stage is no fragment shader", Rule: "VUID-VkPipelineShaderStageCreateInfo-stage-00706", Fix: "give a fragment shader or none"}
	}
	if (d.Control == nil) != (d.Evaluation == nil) {
		return nil, &PipelineError{What: "one tessellation shader without the other", Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-00729", Fix: "give a control and an evaluation shader"}
	}
	if d.Control != nil && (d.Control.Program().Stage != ir.StageControl || d.Evaluation.Program().Stage != ir.StageEvaluation) {
		return nil, &PipelineError{What: "a tessellation stage is no shader of its kind", Rule: "VUID-VkPipelineShaderStageCreateInfo-stage-00706", Fix: "give a control and an evaluation shader"}
	}
	if d.Geometry != nil && d.Geometry.Program().Stage != ir.StageGeometry {
		return nil, &PipelineError{What: "the geometry stage is no geometry shader", Rule: "VUID-VkPipelineShaderStageCreateInfo-stage-00706", Fix: "give a geometry shader or none"}
	}
	if len(d.ColorFormats) > MaxColorAttachments || len(d.Attributes) > MaxVertexAttributes || len(d.Bindings) > MaxVertexBindings {
		return nil, &PipelineError{What: fmt.Sprintf("%d colour attachments, %d attributes, %d bindings", len(d.ColorFormats), len(d.Attributes), len(d.Bindings)), Rule: "RAS-007", Fix: "use at most 8, 32 and 32"}
	}
	if d.Static.RasterizationStream >= ir.MaxStreams {
		return nil, &PipelineError{What: fmt.Sprintf("rasterization stream %d", d.Static.RasterizationStream), Rule: "VUID-VkPipelineRasterizationStateStreamCreateInfoEXT-rasterizationStream-02325", Fix: fmt.Sprintf("use 0 to %d", ir.MaxStreams-1)}
	}
	l, err := link(&d)
	if err != nil {
		return nil, err
	}
	d.Bindings, d.Attributes, d.Divisors = nil, nil, nil // link has what is needed
	d.ColorFormats = slices.Clone(d.ColorFormats)
	return &Pipeline{desc: d, link: l}, nil
}
