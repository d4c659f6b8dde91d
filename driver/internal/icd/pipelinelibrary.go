package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// The parts of graphics pipelines that libraries are made of
// (pipelines-graphics-subsets).
const (
	vertexInput      = vk.GraphicsPipelineLibraryVertexInputInterfaceBitEXT
	preRasterization = vk.GraphicsPipelineLibraryPreRasterizationShadersBitEXT
	fragmentShader   = vk.GraphicsPipelineLibraryFragmentShaderBitEXT
	fragmentOutput   = vk.GraphicsPipelineLibraryFragmentOutputInterfaceBitEXT
	allParts         = vertexInput | preRasterization | fragmentShader | fragmentOutput
)

// A library is parts of a graphics pipeline: state that was translated, and
// shaders that are compiled. Linking puts states together.
type library struct {
	parts   vk.GraphicsPipelineLibraryFlagsEXT
	info    core.GraphicsPipelineInfo
	layouts []*PipelineLayout
	stages  *stages
}

// partsOf are the parts that a VkGraphicsPipelineCreateInfo itself describes.
//
// VkGraphicsPipelineLibraryCreateInfoEXT
func partsOf(i *abi.GraphicsPipelineCreateInfo) vk.GraphicsPipelineLibraryFlagsEXT {
	if l := abi.Find[abi.GraphicsPipelineLibraryCreateInfoEXT](i.PNext); l != nil {
		return l.Flags & allParts
	}
	linked := abi.Find[abi.PipelineLibraryCreateInfoKHR](i.PNext)
	if linked != nil && linked.LibraryCount > 0 || pipelineFlags(i.Flags, i.PNext)&vk.PipelineCreate2LibraryBitKHR != 0 {
		return 0
	}
	return allParts
}

// stagesOf leaves out shaders of parts that are not described.
func stagesOf(parts vk.GraphicsPipelineLibraryFlagsEXT, infos []abi.PipelineShaderStageCreateInfo) []abi.PipelineShaderStageCreateInfo {
	var out []abi.PipelineShaderStageCreateInfo
	for _, s := range infos {
		part := vk.GraphicsPipelineLibraryFlagsEXT(preRasterization)
		if s.Stage == vk.ShaderStageFragmentBit {
			part = fragmentShader
		}
		if parts&part != 0 {
			out = append(out, s)
		}
	}
	return out
}

// librariesOf are the libraries that a pipeline links. Handles of others are left
// out.
func (d *Device) librariesOf(i *abi.GraphicsPipelineCreateInfo) (out []*library) {
	l := abi.Find[abi.PipelineLibraryCreateInfoKHR](i.PNext)
	if l == nil {
		return nil
	}
	for _, h := range abi.Slice(l.PLibraries, l.LibraryCount) {
		if p := lookup(&d.pipelines, h); p != nil && p.library != nil {
			out = append(out, p.library)
		}
	}
	return out
}

// link takes over the parts of a library.
func (g *graphics) link(l *library) {
	out, in := &g.out, &l.info
	for _, s := range in.DynamicStates {
		if !g.dynamic(s) {
			out.DynamicStates = append(out.DynamicStates, s)
		}
	}
	if l.parts&vertexInput != 0 {
		out.VertexInput, out.Divisors, out.InputAssembly = in.VertexInput, in.Divisors, in.InputAssembly
	}
	if l.parts&preRasterization != 0 {
		out.PatchControlPoints, out.DomainOrigin = in.PatchControlPoints, in.DomainOrigin
		out.Viewport, out.Rasterization, out.Line = in.Viewport, in.Rasterization, in.Line
		out.DepthClipEnable, out.NegativeOneToOne, out.ProvokingVertex = in.DepthClipEnable, in.NegativeOneToOne, in.ProvokingVertex
		out.Windows, out.RateImage = in.Windows, in.RateImage
		out.Conservative, out.Stream, out.Rate = in.Conservative, in.Stream, in.Rate
		out.DepthBiasUnit, out.DepthBiasExact = in.DepthBiasUnit, in.DepthBiasExact
		out.DepthClampRange = in.DepthClampRange
	}
	if l.parts&fragmentShader != 0 {
		out.DepthStencil, out.RepresentativeTest = in.DepthStencil, in.RepresentativeTest
		if !g.has(fragmentOutput) {
			out.Multisample, out.Coverage = in.Multisample, in.Coverage
			out.SampleLocations, out.SampleLocationsEnable = in.SampleLocations, in.SampleLocationsEnable
		}
	}
	if l.parts&fragmentOutput != 0 {
		out.Advanced, out.Coverage = in.Advanced, in.Coverage
		out.ColorBlend, out.ColorWrite, out.Multisample, out.Locations = in.ColorBlend, in.ColorWrite, in.Multisample, in.Locations
		out.SampleLocations, out.SampleLocationsEnable = in.SampleLocations, in.SampleLocationsEnable
		views := out.Rendering.ViewMask
		out.Rendering = in.Rendering
		out.Rendering.ViewMask |= views
	} else {
		out.Rendering.ViewMask |= in.Rendering.ViewMask
	}
	g.parts |= l.parts
	g.layouts = append(g.layouts, l.layouts...)
}

// linkedLayout is the layout of a pipeline: its own, or what its libraries' say
// together (PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS).
func (d *Device) linkedLayout(h abi.PipelineLayout, of []*PipelineLayout) (*core.PipelineLayout, error) {
	if l := lookup(&d.pipelineLayouts, h); l != nil {
		return l.core, nil
	}
	if len(of) == 0 {
		return nil, vk.ErrorValidationFailed
	}
	var sets []*core.DescriptorSetLayout
	for _, l := range of {
		for n, s := range l.sets {
			if n == len(sets) {
				sets = append(sets, nil)
			}
			if s.core != nil {
				sets[n] = s.core
			}
		}
	}
	return d.core.NewPipelineLayout(sets)
}
