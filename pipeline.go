package pumice

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// ShaderModule is parsed and checked SPIR-V.
type ShaderModule struct{ core *core.ShaderModule }

// NewShaderModule parses SPIR-V, little- or big-endian. The bytes are not kept.
func (d *Device) NewShaderModule(spirv []byte) (*ShaderModule, error) {
	o, err := d.object().NewShaderModule(spirv, "")
	if err != nil {
		return nil, err
	}
	return &ShaderModule{o}, nil
}

// NewShaderModuleWords is NewShaderModule for words.
func (d *Device) NewShaderModuleWords(spirv []uint32) (*ShaderModule, error) {
	code := make([]byte, 0, 4*len(spirv))
	for _, w := range spirv {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return d.NewShaderModule(code)
}

// Close gives the module up; pipelines made from it stay.
func (m *ShaderModule) Close() error { return m.object().Close() }

// Constants are specialization constants by ID; values are bool, int32, uint32,
// int or float32.
type Constants map[uint32]any

// DescriptorBinding is one binding of a descriptor set layout.
type DescriptorBinding struct {
	Binding uint32
	Type    vk.DescriptorType
	// Count is the array size; 0 means 1.
	Count uint32
}

// DescriptorSetLayout lists the bindings of a descriptor set. Pipelines make
// their own from their shaders; explicit ones are for sets that several
// pipelines share and for dynamic offsets.
type DescriptorSetLayout struct{ core *core.DescriptorSetLayout }

// NewDescriptorSetLayout makes a layout.
func (d *Device) NewDescriptorSetLayout(bindings ...DescriptorBinding) (*DescriptorSetLayout, error) {
	list := make([]core.Binding, len(bindings))
	for i, b := range bindings {
		list[i] = core.Binding{Binding: b.Binding, Type: b.Type, Count: b.Count}
	}

	o, err := d.object().NewDescriptorSetLayout(list)
	if err != nil {
		return nil, err
	}
	return &DescriptorSetLayout{o}, nil
}

// PipelineLayout lists the set layouts of a pipeline.
type PipelineLayout struct{ core *core.PipelineLayout }

// NewPipelineLayout makes a layout from set layouts, by set number.
func (d *Device) NewPipelineLayout(sets ...*DescriptorSetLayout) (*PipelineLayout, error) {
	list := make([]*core.DescriptorSetLayout, len(sets))
	for i, s := range sets {
		list[i] = s.object()
	}

	o, err := d.object().NewPipelineLayout(list)
	if err != nil {
		return nil, err
	}
	return &PipelineLayout{o}, nil
}

// DescriptorSet holds descriptors. A command sees the set as it was when
// BindDescriptorSet was recorded, so a set may be changed and bound again.
type DescriptorSet struct{ core *core.DescriptorSet }

// NewDescriptorSet makes a set in which nothing is bound.
func (d *Device) NewDescriptorSet(layout *DescriptorSetLayout) (*DescriptorSet, error) {
	o, err := d.object().NewDescriptorSet(layout.object(), "")
	if err != nil {
		return nil, err
	}
	return &DescriptorSet{o}, nil
}

// Resource is what a descriptor can name: *Buffer, BufferRange, *BufferView,
// *Image, *ImageView, *Sampler, Texture, or nil for the null descriptor, which
// reads as zero and ignores writes.
type Resource interface{ isResource() }

// Texture is an image with a sampler (a combined image sampler).
type Texture struct {
	View    View
	Sampler *Sampler
}

func (*Buffer) isResource()     {}
func (BufferRange) isResource() {}
func (*BufferView) isResource() {}
func (*Image) isResource()      {}
func (*ImageView) isResource()  {}
func (*Sampler) isResource()    {}
func (Texture) isResource()     {}

// Bind puts resources into a binding, from its element 0 on.
func (s *DescriptorSet) Bind(binding uint32, resources ...Resource) error {
	return s.BindAt(binding, 0, resources...)
}

// BindAt puts resources into a binding from the given array element on.
func (s *DescriptorSet) BindAt(binding, element uint32, resources ...Resource) error {
	list := make([]core.Descriptor, len(resources))
	for i, r := range resources {
		if err := describe(r, &list[i]); err != nil {
			return err
		}
	}
	return s.object().Write(binding, element, list)
}

// Close gives the set up.
func (s *DescriptorSet) Close() error { return s.object().Close() }

// Shader is a shader of a pipeline; its zero value is none.
type Shader struct {
	// Code is SPIR-V; Module may be given instead.
	Code   []byte
	Module *ShaderModule
	// Entry names the entry point; "" means "main".
	Entry string
	// Constants specialize the shader.
	Constants Constants
	// SubgroupSize is how many invocations a subgroup of a compute, task or mesh shader has: a power
	// of two from 4 to 128; 0 means 8. In other stages a subgroup has room for 8, of which 4 are there.
	SubgroupSize uint32
}

// stage translates a shader.
func (s *Shader) stage(op string) (core.Stage, error) {
	constants, err := s.Constants.bytes(op)
	return core.Stage{
		Module: s.Module.object(), Code: s.Code, Entry: s.Entry, Constants: constants,
		SubgroupSize: s.SubgroupSize,
	}, err
}

// GraphicsPipelineDesc describes a graphics pipeline. A vertex shader and the
// attachment formats are enough; nil state means the defaults that each field
// states.
type GraphicsPipelineDesc struct {
	// Vertex starts the pipeline. TessControl and TessEvaluation, of patches of
	// PatchVertices vertices, and Geometry may follow it; zero means none.
	Vertex, TessControl, TessEvaluation, Geometry Shader
	PatchVertices                                 uint32
	// Mesh, perhaps after Task, stands in the place of Vertex to Geometry; it is
	// drawn with Pass.DrawMeshTasks.
	Task, Mesh Shader
	// Fragment ends it; without one only depth is drawn.
	Fragment Shader
	// DomainOrigin is where (0, 0) of the tessellator's domain lies.
	DomainOrigin vk.TessellationDomainOrigin
	// Layout fixes the descriptor set layouts; nil takes them from the shaders.
	Layout *PipelineLayout

	// ColorFormats, DepthFormat and StencilFormat are those of the attachments
	// that it draws to; 0 where there is none. A depth/stencil format stands in
	// both fields.
	ColorFormats  []vk.Format
	DepthFormat   vk.Format
	StencilFormat vk.Format
	// Samples is the number of rasterization samples; 0 means 1.
	Samples int
	// ViewMask is that of the passes it is used in (multiview).
	ViewMask uint32

	// VertexBindings, VertexAttributes and VertexDivisors are the vertex input
	// state.
	VertexBindings   []vk.VertexInputBindingDescription
	VertexAttributes []vk.VertexInputAttributeDescription
	VertexDivisors   []vk.VertexInputBindingDivisorDescription
	// InputAssembly nil means triangle lists, or patch lists where PatchVertices
	// is set.
	InputAssembly *vk.PipelineInputAssemblyStateCreateInfo
	// Viewport nil makes viewport and scissor dynamic; BeginRendering sets both
	// to the render area.
	Viewport *vk.PipelineViewportStateCreateInfo
	// Rasterization nil means filled, nothing culled. LineWidth 0 means 1.
	Rasterization *vk.PipelineRasterizationStateCreateInfo
	// Line is further state of lines.
	Line *vk.PipelineRasterizationLineStateCreateInfo
	// DepthClipDisable and ProvokingVertex are further rasterization state.
	DepthClipDisable bool
	ProvokingVertex  vk.ProvokingVertexModeEXT
	// Conservative rasterization; zero is off.
	Conservative vk.PipelineRasterizationConservativeStateCreateInfoEXT
	// SampleLocations are those of every pixel, one a sample, in [0, 1); nil
	// means the standard ones.
	SampleLocations []vk.SampleLocationEXT
	// FragmentSize is the pixels of a fragment: 1, 2 or 4 each way; zero is 1×1.
	FragmentSize vk.Extent2D
	// ShadingRate, if not zero, stands for FragmentSize: a size, several invocations a
	// pixel, or none.
	ShadingRate vk.FragmentShadingRateNV
	// ShadingRatePalette, up to 16 entries, makes shading rates those of
	// Rendering.ShadingRates, in all viewports; FragmentSize and ShadingRate mean
	// nothing then.
	ShadingRatePalette []vk.ShadingRatePaletteEntryNV
	// Multisample nil means all samples, no sample shading. Its
	// RasterizationSamples 0 means Samples.
	Multisample *vk.PipelineMultisampleStateCreateInfo
	// DepthStencil nil means: with a depth attachment, test LESS_OR_EQUAL and
	// write; no stencil test.
	DepthStencil *vk.PipelineDepthStencilStateCreateInfo
	// Blend nil means no blending, all components written, in every colour
	// attachment. If its Attachments has one element, it holds for all.
	Blend *vk.PipelineColorBlendStateCreateInfo
	// DynamicStates are the states that commands set.
	DynamicStates []vk.DynamicState
	// Name appears in errors.
	Name string
}

// info translates the description and fills in its defaults.
func (desc *GraphicsPipelineDesc) info() (*core.GraphicsPipelineInfo, error) {
	const op = "Device.NewGraphicsPipeline"
	info := &core.GraphicsPipelineInfo{
		PatchControlPoints: desc.PatchVertices, DomainOrigin: desc.DomainOrigin,
		Layout:        desc.Layout.object(),
		VertexInput:   vk.PipelineVertexInputStateCreateInfo{VertexBindingDescriptions: desc.VertexBindings, VertexAttributeDescriptions: desc.VertexAttributes},
		Divisors:      desc.VertexDivisors,
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Line:          desc.Line, ProvokingVertex: desc.ProvokingVertex,
		DynamicStates: desc.DynamicStates, Name: desc.Name,
		Rendering: vk.PipelineRenderingCreateInfo{ViewMask: desc.ViewMask, ColorAttachmentFormats: desc.ColorFormats,
			DepthAttachmentFormat: desc.DepthFormat, StencilAttachmentFormat: desc.StencilFormat},
	}
	for _, s := range []struct {
		from *Shader
		to   *core.Stage
	}{
		{&desc.Vertex, &info.Vertex}, {&desc.TessControl, &info.Control}, {&desc.TessEvaluation, &info.Evaluation}, {&desc.Geometry, &info.Geometry},
		{&desc.Task, &info.Task}, {&desc.Mesh, &info.Mesh}, {&desc.Fragment, &info.Fragment},
	} {
		var err error
		if *s.to, err = s.from.stage(op); err != nil {
			return nil, err
		}
	}
	if desc.InputAssembly != nil {
		info.InputAssembly = *desc.InputAssembly
	} else if desc.PatchVertices != 0 {
		info.InputAssembly.Topology = vk.PrimitiveTopologyPatchList
	}
	if desc.Viewport != nil {
		info.Viewport = *desc.Viewport
	} else {
		for _, s := range [][2]vk.DynamicState{{vk.DynamicStateViewport, vk.DynamicStateViewportWithCount}, {vk.DynamicStateScissor, vk.DynamicStateScissorWithCount}} {
			if !slices.Contains(info.DynamicStates, s[0]) && !slices.Contains(info.DynamicStates, s[1]) {
				info.DynamicStates = append(slices.Clip(info.DynamicStates), s[0])
			}
		}
	}
	if desc.Rasterization != nil {
		info.Rasterization = *desc.Rasterization
	}
	if info.Rasterization.LineWidth == 0 {
		info.Rasterization.LineWidth = 1
	}
	if desc.DepthClipDisable {
		off := false
		info.DepthClipEnable = &off
	}
	info.Conservative = desc.Conservative
	if desc.FragmentSize != (vk.Extent2D{}) {
		info.Rate = &core.ShadingRate{Size: desc.FragmentSize}
	}
	if desc.ShadingRate != 0 {
		info.Rate = &core.ShadingRate{Enum: &desc.ShadingRate}
	}
	if desc.ShadingRatePalette != nil {
		info.RateImage = &core.RateImage{Enable: true, Palettes: slices.Repeat([][]vk.ShadingRatePaletteEntryNV{desc.ShadingRatePalette}, core.MaxViewports)}
	}
	if desc.Multisample != nil {
		info.Multisample = *desc.Multisample
	}
	if info.Multisample.RasterizationSamples == 0 {
		if desc.Samples < 0 {
			return nil, &Error{Op: op, Rule: "VUID-VkPipelineMultisampleStateCreateInfo-rasterizationSamples-parameter", Detail: fmt.Sprintf("%d samples", desc.Samples)}
		}
		info.Multisample.RasterizationSamples = vk.SampleCountFlags(max(desc.Samples, 1))
	}
	if desc.SampleLocations != nil {
		info.SampleLocationsEnable = true
		info.SampleLocations = &core.SampleLocations{
			Samples: info.Multisample.RasterizationSamples, Grid: vk.Extent2D{Width: 1, Height: 1}, Locations: desc.SampleLocations,
		}
	}
	switch {
	case desc.DepthStencil != nil:
		info.DepthStencil = *desc.DepthStencil
	case desc.DepthFormat != vk.FormatUndefined:
		info.DepthStencil = vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLessOrEqual, MaxDepthBounds: 1}
	}
	if desc.Blend != nil {
		info.ColorBlend = *desc.Blend
	}
	if n := len(info.ColorBlend.Attachments); n < 2 && n != len(desc.ColorFormats) {
		state := Opaque()
		if n == 1 {
			state = info.ColorBlend.Attachments[0]
		}
		info.ColorBlend.Attachments = slices.Repeat([]vk.PipelineColorBlendAttachmentState{state}, len(desc.ColorFormats))
	}
	return info, nil
}

// Opaque is the blend state of an attachment without blending.
func Opaque() vk.PipelineColorBlendAttachmentState {
	return vk.PipelineColorBlendAttachmentState{ColorWriteMask: writeAll}
}

// AlphaBlend is the blend state for colours that are not premultiplied:
// source·alpha + destination·(1−alpha); alpha accumulates coverage.
func AlphaBlend() vk.PipelineColorBlendAttachmentState {
	return vk.PipelineColorBlendAttachmentState{
		BlendEnable:         true,
		SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		ColorWriteMask: writeAll,
	}
}

const writeAll = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

// GraphicsPipeline is shaders and state compiled for drawing.
type GraphicsPipeline struct{ core *core.Pipeline }

// NewGraphicsPipeline compiles a pipeline.
func (d *Device) NewGraphicsPipeline(desc GraphicsPipelineDesc) (*GraphicsPipeline, error) {
	info, err := desc.info()
	if err != nil {
		return nil, err
	}

	o, err := d.object().NewGraphicsPipeline(info)
	if err != nil {
		return nil, err
	}
	return &GraphicsPipeline{o}, nil
}

// DescriptorSetLayout returns the layout of a set; nil where the pipeline uses
// none of that number.
func (p *GraphicsPipeline) DescriptorSetLayout(set int) *DescriptorSetLayout {
	return wrapLayout(p.object().Layout().Set(set))
}

// NewDescriptorSet makes a set for set number set of the pipeline.
func (p *GraphicsPipeline) NewDescriptorSet(set int) (*DescriptorSet, error) {
	o, err := p.object().NewDescriptorSet(set)
	if err != nil {
		return nil, err
	}
	return &DescriptorSet{o}, nil
}

// Close gives the pipeline up.
func (p *GraphicsPipeline) Close() error { return p.object().Close() }

// ComputePipelineDesc describes a compute pipeline.
type ComputePipelineDesc struct {
	Compute Shader
	// Layout fixes the descriptor set layouts; nil takes them from the shader.
	Layout *PipelineLayout
	// Name appears in errors.
	Name string
}

// ComputePipeline is a compiled compute shader.
type ComputePipeline struct{ core *core.Pipeline }

// NewComputePipeline compiles a pipeline.
func (d *Device) NewComputePipeline(desc ComputePipelineDesc) (*ComputePipeline, error) {
	stage, err := desc.Compute.stage("Device.NewComputePipeline")
	if err != nil {
		return nil, err
	}

	o, err := d.object().NewComputePipeline(&core.ComputePipelineInfo{
		Stage: stage, Layout: desc.Layout.object(), Name: desc.Name,
	})
	if err != nil {
		return nil, err
	}
	return &ComputePipeline{o}, nil
}

// DescriptorSetLayout returns the layout of a set; nil where the pipeline uses
// none of that number.
func (p *ComputePipeline) DescriptorSetLayout(set int) *DescriptorSetLayout {
	return wrapLayout(p.object().Layout().Set(set))
}

// NewDescriptorSet makes a set for set number set of the pipeline.
func (p *ComputePipeline) NewDescriptorSet(set int) (*DescriptorSet, error) {
	o, err := p.object().NewDescriptorSet(set)
	if err != nil {
		return nil, err
	}
	return &DescriptorSet{o}, nil
}

// Close gives the pipeline up.
func (p *ComputePipeline) Close() error { return p.object().Close() }
