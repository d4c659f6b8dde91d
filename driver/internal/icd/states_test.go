package icd

import (
	_ "embed"
	"fmt"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.3 -o testdata/states.vert.spv testdata/states.vert
//go:generate glslangValidator -V --target-env vulkan1.3 -o testdata/states.frag.spv testdata/states.frag
//go:generate glslangValidator -V --target-env vulkan1.3 -o testdata/rates.vert.spv testdata/rates.vert
//go:generate glslangValidator -V --target-env vulkan1.3 -o testdata/rates.frag.spv testdata/rates.frag

var (
	//go:embed testdata/states.vert.spv
	statesVertex []byte
	//go:embed testdata/states.frag.spv
	statesFragment []byte
	//go:embed testdata/rates.vert.spv
	ratesVertex []byte
	//go:embed testdata/rates.frag.spv
	ratesFragment []byte
)

// stateScene draws triangles over two colour attachments of 8×4 pixels and one of depth and stencil, by the state of a
// pipeline or by commands.
type stateScene struct {
	f        *fixture
	viewport abi.PipelineViewportStateCreateInfo
	raster   abi.PipelineRasterizationStateCreateInfo
	depth    abi.PipelineDepthStencilStateCreateInfo
	blend    abi.PipelineColorBlendStateCreateInfo
	each     [2]abi.PipelineColorBlendAttachmentState
	dynamic  []vk.DynamicState
	clear    [4]float32 // of both attachments
	shaders  [2][]byte
	next     unsafe.Pointer // of the pipeline
	rates    unsafe.Pointer // of the pass
}

const (
	stateWidth, stateHeight = 8, 4
	statePixels             = stateWidth * stateHeight
)

var stateArea = vk.Rect2D{Extent: vk.Extent2D{Width: stateWidth, Height: stateHeight}}

func newStates(f *fixture) *stateScene {
	s := &stateScene{f: f, shaders: [2][]byte{statesVertex, statesFragment}, raster: abi.PipelineRasterizationStateCreateInfo{LineWidth: 1}}
	s.viewport = abi.PipelineViewportStateCreateInfo{ViewportCount: 1, PViewports: &vk.Viewport{Width: stateWidth, Height: stateHeight, MaxDepth: 1}, ScissorCount: 1, PScissors: &stateArea}
	for i := range s.each {
		s.each[i].ColorWriteMask = 15
	}
	return s
}

// drawn is what a scene left behind: colours, depths, stencil values.
type drawn struct {
	color   [2][statePixels][4]float32
	depth   [statePixels]float32
	stencil [statePixels]uint8
}

func (s *stateScene) image(format vk.Format, aspect vk.ImageAspectFlags, usage vk.ImageUsageFlags) (abi.Image, abi.ImageView) {
	s.f.t.Helper()
	return s.f.imageSized(format, vk.Extent3D{Width: stateWidth, Height: stateHeight, Depth: 1}, aspect, usage|vk.ImageUsageTransferSrcBit)
}

func (s *stateScene) pipeline() abi.Pipeline {
	f := s.f
	f.t.Helper()
	var stages [2]abi.PipelineShaderStageCreateInfo
	for i, code := range s.shaders {
		c := abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: &stages[i].Module,
			PCreateInfo: &abi.ShaderModuleCreateInfo{CodeSize: uint64(len(code)), PCode: (*uint32)(unsafe.Pointer(&code[0]))}}
		call(f, abi.OpCreateShaderModule, &c)
		want(f.t, "vkCreateShaderModule", c.Ret, vk.Success)
		stages[i].Stage, stages[i].PName = []vk.ShaderStageFlags{vk.ShaderStageVertexBit, vk.ShaderStageFragmentBit}[i], &append([]byte("main"), 0)[0]
	}
	var layout abi.PipelineLayout
	l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{}, PPipelineLayout: &layout}
	call(f, abi.OpCreatePipelineLayout, &l)
	want(f.t, "vkCreatePipelineLayout", l.Ret, vk.Success)
	formats := [2]vk.Format{vk.FormatR32G32B32A32Sfloat, vk.FormatR32G32B32A32Sfloat}
	rendering := abi.PipelineRenderingCreateInfo{PNext: s.next, ColorAttachmentCount: 2, PColorAttachmentFormats: &formats[0], DepthAttachmentFormat: vk.FormatD32SfloatS8Uint, StencilAttachmentFormat: vk.FormatD32SfloatS8Uint}
	rendering.SType = rendering.StructureType()
	s.blend.AttachmentCount, s.blend.PAttachments = 2, &s.each[0]
	info := abi.GraphicsPipelineCreateInfo{PNext: unsafe.Pointer(&rendering), StageCount: 2, PStages: &stages[0], Layout: layout,
		PVertexInputState: &abi.PipelineVertexInputStateCreateInfo{}, PInputAssemblyState: &abi.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		PViewportState: &s.viewport, PRasterizationState: &s.raster, PMultisampleState: &abi.PipelineMultisampleStateCreateInfo{RasterizationSamples: vk.SampleCount1Bit},
		PDepthStencilState: &s.depth, PColorBlendState: &s.blend}
	if len(s.dynamic) > 0 {
		info.PDynamicState = &abi.PipelineDynamicStateCreateInfo{DynamicStateCount: uint32(len(s.dynamic)), PDynamicStates: &s.dynamic[0]}
	}
	var p abi.Pipeline
	c := abi.CreateGraphicsPipelinesArgs{Device: f.device, CreateInfoCount: 1, PCreateInfos: &info, PPipelines: &p}
	call(f, abi.OpCreateGraphicsPipelines, &c)
	want(f.t, "vkCreateGraphicsPipelines", c.Ret, vk.Success)
	return p
}

// run clears the attachments (depth to 0.25, stencil to 5), sets states, and draws what draws say: first vertex, instance.
func (s *stateScene) run(set func(cb abi.CommandBuffer), draws ...[2]uint32) *drawn {
	f := s.f
	f.t.Helper()
	var images [3]abi.Image
	var colors [2]abi.RenderingAttachmentInfo
	for i := range colors {
		images[i], colors[i].ImageView = s.image(vk.FormatR32G32B32A32Sfloat, vk.ImageAspectColorBit, vk.ImageUsageColorAttachmentBit)
		colors[i].LoadOp = vk.AttachmentLoadOpClear
		*colors[i].ClearValue.Color().Float32() = s.clear
	}
	deep := abi.RenderingAttachmentInfo{LoadOp: vk.AttachmentLoadOpClear}
	images[2], deep.ImageView = s.image(vk.FormatD32SfloatS8Uint, vk.ImageAspectDepthBit|vk.ImageAspectStencilBit, vk.ImageUsageDepthStencilAttachmentBit)
	deep.ClearValue.DepthStencil().Depth, deep.ClearValue.DepthStencil().Stencil = .25, 5
	p := s.pipeline()
	cb := f.begin()
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{PNext: s.rates, RenderArea: stateArea, LayerCount: 1,
		ColorAttachmentCount: 2, PColorAttachments: &colors[0], PDepthAttachment: &deep, PStencilAttachment: &deep}})
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
	if set != nil {
		set(cb)
	}
	for _, d := range draws {
		record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1, FirstVertex: d[0], FirstInstance: d[1]})
	}
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	var out drawn
	copied := func(im abi.Image, aspect vk.ImageAspectFlags, words int) []uint32 {
		b, data := f.buffer(words)
		record(f, cb, abi.OpCmdCopyImageToBuffer, &abi.CmdCopyImageToBuffer{SrcImage: im, DstBuffer: b, RegionCount: 1,
			PRegions: &vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: aspect, LayerCount: 1}, ImageExtent: vk.Extent3D{Width: stateWidth, Height: stateHeight, Depth: 1}}})
		return data
	}
	var data [4][]uint32
	for i := range colors {
		data[i] = copied(images[i], vk.ImageAspectColorBit, 4*statePixels)
	}
	data[2], data[3] = copied(images[2], vk.ImageAspectDepthBit, statePixels), copied(images[2], vk.ImageAspectStencilBit, statePixels/4)
	f.run(cb)
	for i := range colors {
		copy(unsafe.Slice((*uint32)(unsafe.Pointer(&out.color[i])), 4*statePixels), data[i])
	}
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(&out.depth)), statePixels), data[2])
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(&out.stencil)), statePixels/4), data[3])
	return &out
}

// Front faces and culling, of pipelines and by commands: vertices 0 to 2 are counterclockwise.
func TestStates_RAS031_FrontFace(t *testing.T) {
	rules.Covers(t, "RAS-031", "RAS-032", "RAS-233", "RAS-234", "RAS-235")
	f := newTest(t)
	for _, face := range []vk.FrontFace{vk.FrontFaceCounterClockwise, vk.FrontFaceClockwise} {
		for _, cull := range []vk.CullModeFlags{vk.CullModeNone, vk.CullModeFrontBit, vk.CullModeBackBit, vk.CullModeFrontAndBack} {
			for first := uint32(0); first < 6; first += 3 {
				front := (first == 0) == (face == vk.FrontFaceCounterClockwise)
				shown := cull == vk.CullModeNone || front && cull == vk.CullModeBackBit || !front && cull == vk.CullModeFrontBit
				s := newStates(f)
				s.raster.FrontFace, s.raster.CullMode = face, cull
				if got := s.run(nil, [2]uint32{first}); (got.color[0][0][0] == 1) != shown {
					t.Errorf("%v, culling %v, vertex %d: drawn %v", face, cull, first, !shown)
				}
				// The pipeline says the contrary.
				s.raster.FrontFace, s.raster.CullMode = 1-face, vk.CullModeFrontAndBack&^cull
				s.dynamic = []vk.DynamicState{vk.DynamicStateFrontFace, vk.DynamicStateCullMode}
				got := s.run(func(cb abi.CommandBuffer) {
					record(f, cb, abi.OpCmdSetFrontFace, &abi.CmdSetFrontFace{FrontFace: face})
					record(f, cb, abi.OpCmdSetCullMode, &abi.CmdSetCullMode{CullMode: cull})
				}, [2]uint32{first})
				if (got.color[0][0][0] == 1) != shown {
					t.Errorf("%v, culling %v by commands, vertex %d: drawn %v", face, cull, first, !shown)
				}
			}
		}
	}
}

// What depth bias counts in is said with it, and is the format's least step where nothing says so.
// The triangles have depth 1/2, whose step is 2^-24 with 32-bit floats.
func TestStates_RAS266_DepthBias2(t *testing.T) {
	rules.Covers(t, "RAS-266")
	f := newTest(t)
	for name, c := range map[string]struct {
		constant float32
		unit     *abi.DepthBiasRepresentationInfoEXT
		want     float32
	}{
		"nothing said":  {1 << 20, nil, .5 + 1./16},
		"format":        {1 << 20, &abi.DepthBiasRepresentationInfoEXT{DepthBiasRepresentation: vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT}, .5 + 1./16},
		"float":         {.125, &abi.DepthBiasRepresentationInfoEXT{DepthBiasRepresentation: vk.DepthBiasRepresentationFloatEXT}, .625},
		"float, exact":  {.125, &abi.DepthBiasRepresentationInfoEXT{DepthBiasRepresentation: vk.DepthBiasRepresentationFloatEXT, DepthBiasExact: 1}, .625},
		"nothing, zero": {0, nil, .5},
	} {
		s := newStates(f)
		s.raster.DepthBiasEnable = 1
		s.depth.DepthTestEnable, s.depth.DepthWriteEnable, s.depth.DepthCompareOp = 1, 1, vk.CompareOpAlways
		s.dynamic = []vk.DynamicState{vk.DynamicStateDepthBias}
		got := s.run(func(cb abi.CommandBuffer) {
			info := abi.DepthBiasInfoEXT{DepthBiasConstantFactor: c.constant}
			if c.unit != nil {
				c.unit.SType = c.unit.StructureType()
				info.PNext = unsafe.Pointer(c.unit)
			}
			record(f, cb, abi.OpCmdSetDepthBias2EXT, &abi.CmdSetDepthBias2EXT{PDepthBiasInfo: &info})
		}, [2]uint32{})
		if got.depth[0] != c.want || got.depth[statePixels-1] != c.want {
			t.Errorf("%s: depth %v, want %v", name, got.depth[0], c.want)
		}
	}
}

// Nothing is drawn with a sample mask of 0, and everything with none, which is all ones (maintenance10).
func TestStates_RAS024_SampleMask(t *testing.T) {
	rules.Covers(t, "RAS-024")
	f := newTest(t)
	zero, one := uint32(0), uint32(1)
	for _, c := range []struct {
		masks []*uint32
		want  float32 // depth: that of the triangle, or what was there
	}{{[]*uint32{&zero}, .25}, {[]*uint32{&zero, &one}, .5}, {[]*uint32{&zero, nil}, .5}, {[]*uint32{nil, &zero}, .25}} {
		s := newStates(f)
		s.depth.DepthTestEnable, s.depth.DepthWriteEnable, s.depth.DepthCompareOp = 1, 1, vk.CompareOpAlways
		s.dynamic = []vk.DynamicState{vk.DynamicStateSampleMaskEXT}
		got := s.run(func(cb abi.CommandBuffer) {
			for _, m := range c.masks {
				record(f, cb, abi.OpCmdSetSampleMaskEXT, &abi.CmdSetSampleMaskEXT{Samples: vk.SampleCount1Bit, PSampleMask: m})
			}
		}, [2]uint32{})
		if got.depth[0] != c.want || got.depth[statePixels-1] != c.want {
			t.Errorf("masks %v: depth %v, want %v", c.masks, got.depth[0], c.want)
		}
	}
}

// Blend state of each attachment: constants, equations, masks and switches go where they belong.
func TestStates_RAS043_Blending(t *testing.T) {
	rules.Covers(t, "RAS-043", "RAS-337", "RAS-340", "RAS-347")
	f := newTest(t)
	constants := [4]float32{.25, .5, 2, 4}
	factors := func(a *abi.PipelineColorBlendAttachmentState) {
		a.BlendEnable, a.SrcColorBlendFactor, a.SrcAlphaBlendFactor = 1, vk.BlendFactorConstantColor, vk.BlendFactorConstantAlpha
	}
	a, b := [4]float32{1, .5, .25, .125}, [4]float32{.125, .25, .5, 1} // what the shader writes
	scaled := [2][4]float32{{.25, .25, .5, .5}, {.03125, .125, 1, 4}}
	check := func(what string, got *drawn, want [2][4]float32) {
		t.Helper()
		for i := range want {
			if got.color[i][0] != want[i] || got.color[i][statePixels-1] != want[i] {
				t.Errorf("%s, attachment %d: %v, want %v", what, i, got.color[i][0], want[i])
			}
		}
	}
	s := newStates(f)
	factors(&s.each[0])
	factors(&s.each[1])
	s.blend.BlendConstants = constants
	check("constants", s.run(nil, [2]uint32{}), scaled)
	s.blend.BlendConstants = [4]float32{9, 8, 7, 6}
	s.dynamic = []vk.DynamicState{vk.DynamicStateBlendConstants}
	check("constants by command", s.run(func(cb abi.CommandBuffer) {
		record(f, cb, abi.OpCmdSetBlendConstants, &abi.CmdSetBlendConstants{BlendConstants: constants})
	}, [2]uint32{}), scaled)

	// dst - src of colour and src + dst/2 … of alpha: all six of an equation differ.
	equation := vk.ColorBlendEquationEXT{SrcColorBlendFactor: vk.BlendFactorConstantColor, DstColorBlendFactor: vk.BlendFactorOne, ColorBlendOp: vk.BlendOpReverseSubtract,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorConstantAlpha, AlphaBlendOp: vk.BlendOpSubtract}
	s = newStates(f)
	s.clear, s.blend.BlendConstants = [4]float32{8, 8, 8, 8}, constants
	s.each[1] = abi.PipelineColorBlendAttachmentState{BlendEnable: 1, SrcColorBlendFactor: equation.SrcColorBlendFactor, DstColorBlendFactor: equation.DstColorBlendFactor, ColorBlendOp: equation.ColorBlendOp,
		SrcAlphaBlendFactor: equation.SrcAlphaBlendFactor, DstAlphaBlendFactor: equation.DstAlphaBlendFactor, AlphaBlendOp: equation.AlphaBlendOp, ColorWriteMask: 15}
	of := func(c [4]float32) [4]float32 {
		return [4]float32{8 - c[0]*.25, 8 - c[1]*.5, 8 - c[2]*2, c[3] - 8*4}
	}
	check("equation", s.run(nil, [2]uint32{}), [2][4]float32{a, of(b)})
	s.each[1] = abi.PipelineColorBlendAttachmentState{}
	s.dynamic = []vk.DynamicState{vk.DynamicStateColorBlendEnableEXT, vk.DynamicStateColorBlendEquationEXT, vk.DynamicStateColorWriteMaskEXT, vk.DynamicStateColorWriteEnableEXT}
	for on := range 2 {
		for _, mask := range [][2]vk.ColorComponentFlags{{15, 15}, {1, 14}, {10, 5}, {8, 2}} {
			for _, enabled := range [][2]abi.Bool32{{1, 1}, {1, 0}, {0, 1}} {
				enable, equations := [2]abi.Bool32{}, [2]vk.ColorBlendEquationEXT{{}, {}}
				enable[on], equations[on] = 1, equation
				got := s.run(func(cb abi.CommandBuffer) {
					// One by one, from the last.
					for i := 1; i >= 0; i-- {
						n := uint32(i)
						record(f, cb, abi.OpCmdSetColorBlendEnableEXT, &abi.CmdSetColorBlendEnableEXT{FirstAttachment: n, AttachmentCount: 1, PColorBlendEnables: &enable[i]})
						record(f, cb, abi.OpCmdSetColorBlendEquationEXT, &abi.CmdSetColorBlendEquationEXT{FirstAttachment: n, AttachmentCount: 1, PColorBlendEquations: &equations[i]})
						record(f, cb, abi.OpCmdSetColorWriteMaskEXT, &abi.CmdSetColorWriteMaskEXT{FirstAttachment: n, AttachmentCount: 1, PColorWriteMasks: &mask[i]})
					}
					record(f, cb, abi.OpCmdSetColorWriteEnableEXT, &abi.CmdSetColorWriteEnableEXT{AttachmentCount: 2, PColorWriteEnables: &enabled[0]})
				}, [2]uint32{})
				want := [2][4]float32{a, b}
				want[on] = of(want[on])
				for i := range want {
					for c := range 4 {
						if enabled[i] == 0 || mask[i]>>c&1 == 0 {
							want[i][c] = 8
						}
					}
				}
				check(fmt.Sprintf("blending of %d by commands, masks %v, writes %v", on, mask, enabled), got, want)
			}
		}
	}
}

// Stencil state of either face, of pipelines and by commands. Stencil values begin as 5.
func TestStates_RAS039_Stencil(t *testing.T) {
	rules.Covers(t, "RAS-039", "RAS-040", "RAS-320", "RAS-321", "RAS-322")
	f := newTest(t)
	front := abi.StencilOpState{FailOp: vk.StencilOpZero, PassOp: vk.StencilOpReplace, DepthFailOp: vk.StencilOpInvert, CompareOp: vk.CompareOpLess, CompareMask: 0x0F, WriteMask: 0x3F, Reference: 0x32}
	back := abi.StencilOpState{FailOp: vk.StencilOpIncrementAndClamp, PassOp: vk.StencilOpDecrementAndWrap, DepthFailOp: vk.StencilOpReplace, CompareOp: vk.CompareOpGreater, CompareMask: 0xF7, WriteMask: 0x77, Reference: 0x18}
	for _, c := range []struct {
		what  string
		first uint32
		depth bool // the depth test passes
		alter func(front, back *abi.StencilOpState)
		color bool
		want  uint8
	}{
		{"front passes", 0, true, nil, true, 0x32},                                                                         // 2 < 5
		{"front fails", 0, true, func(f, _ *abi.StencilOpState) { f.CompareMask = 0x32 }, false, 0},                        // 0x32 < 0
		{"front is behind", 0, false, nil, false, 0x3A},                                                                    // ~5 & 0x3F
		{"back passes", 3, true, nil, true, 4},                                                                             // 0x10 > 5
		{"back fails", 3, true, func(_, b *abi.StencilOpState) { b.CompareOp = vk.CompareOpLess }, false, 6},               //
		{"back is behind", 3, false, nil, false, 0x10},                                                                     // 0x18 & 0x77
		{"back's reference", 3, true, func(_, b *abi.StencilOpState) { b.Reference = 4 }, false, 6},                        // 4 > 5
		{"back's compare mask", 3, true, func(_, b *abi.StencilOpState) { b.CompareMask = 0x0E }, true, 4},                 // 8 > 4
		{"back's write mask", 3, true, func(_, b *abi.StencilOpState) { b.WriteMask = 0xF0 }, true, 5},                     // 4 of bits that stay
		{"front's write mask", 0, true, func(f, _ *abi.StencilOpState) { f.WriteMask = 0x30 }, true, 0x35},                 //
		{"front fails, back's too", 0, true, func(f, _ *abi.StencilOpState) { f.CompareOp = vk.CompareOpNever }, false, 0}, //
	} {
		a, b := front, back
		if c.alter != nil {
			c.alter(&a, &b)
		}
		s := newStates(f)
		s.depth = abi.PipelineDepthStencilStateCreateInfo{DepthTestEnable: 1, DepthCompareOp: vk.CompareOpLess, StencilTestEnable: 1, Front: a, Back: b}
		if c.depth { // what is drawn is at 0.5, behind
			s.depth.DepthCompareOp = vk.CompareOpGreater
		}
		check := func(how string, got *drawn) {
			t.Helper()
			if (got.color[0][3][0] == 1) != c.color || got.stencil[0] != c.want || got.stencil[statePixels-1] != c.want {
				t.Errorf("%s, %s: drawn %v, stencil %#x; want %v, %#x", c.what, how, got.color[0][3][0] == 1, got.stencil[0], c.color, c.want)
			}
		}
		check("by the pipeline", s.run(nil, [2]uint32{c.first}))
		depth := s.depth.DepthCompareOp
		s.depth = abi.PipelineDepthStencilStateCreateInfo{DepthCompareOp: vk.CompareOpNever}
		s.dynamic = []vk.DynamicState{vk.DynamicStateDepthTestEnable, vk.DynamicStateDepthCompareOp, vk.DynamicStateStencilTestEnable, vk.DynamicStateStencilOp,
			vk.DynamicStateStencilCompareMask, vk.DynamicStateStencilWriteMask, vk.DynamicStateStencilReference}
		check("by commands", s.run(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetDepthTestEnable, &abi.CmdSetDepthTestEnable{DepthTestEnable: 1})
			record(f, cb, abi.OpCmdSetDepthCompareOp, &abi.CmdSetDepthCompareOp{DepthCompareOp: depth})
			record(f, cb, abi.OpCmdSetStencilTestEnable, &abi.CmdSetStencilTestEnable{StencilTestEnable: 1})
			for face, o := range map[vk.StencilFaceFlags]*abi.StencilOpState{vk.StencilFaceFrontBit: &a, vk.StencilFaceBackBit: &b} {
				record(f, cb, abi.OpCmdSetStencilOp, &abi.CmdSetStencilOp{FaceMask: face, FailOp: o.FailOp, PassOp: o.PassOp, DepthFailOp: o.DepthFailOp, CompareOp: o.CompareOp})
				record(f, cb, abi.OpCmdSetStencilCompareMask, &abi.CmdSetStencilCompareMask{FaceMask: face, CompareMask: o.CompareMask})
				record(f, cb, abi.OpCmdSetStencilWriteMask, &abi.CmdSetStencilWriteMask{FaceMask: face, WriteMask: o.WriteMask})
				record(f, cb, abi.OpCmdSetStencilReference, &abi.CmdSetStencilReference{FaceMask: face, Reference: o.Reference})
			}
		}, [2]uint32{c.first}))
	}
}

// Viewports and scissors by number, of pipelines and by commands that begin with any: each instance draws to its own.
func TestStates_RAS307_ViewportsAndScissors(t *testing.T) {
	rules.Covers(t, "RAS-307", "RAS-080", "RAS-084")
	f := newTest(t)
	viewports := [3]vk.Viewport{{Width: 4, Height: 4, MaxDepth: 1}, {X: 4, Width: 4, Height: 4, MaxDepth: .5}, {Y: 2, Width: 8, Height: 2, MinDepth: 1, MaxDepth: .75}}
	scissors := [3]vk.Rect2D{{Offset: vk.Offset2D{X: 1, Y: 1}, Extent: vk.Extent2D{Width: 5, Height: 1}}, {Offset: vk.Offset2D{X: 5}, Extent: vk.Extent2D{Width: 1, Height: 3}}, {Offset: vk.Offset2D{X: 2}, Extent: vk.Extent2D{Width: 4, Height: 3}}}
	depths := [3]float32{.5, .25, .875}
	check := func(what string, got *drawn, instance int) {
		t.Helper()
		for i := range statePixels {
			x, y := i%stateWidth, i/stateWidth
			inside := func(x0, y0, w, h int) bool { return x >= x0 && x < x0+w && y >= y0 && y < y0+h }
			v, s := viewports[instance], scissors[instance]
			in := inside(int(v.X), int(v.Y), int(v.Width), int(v.Height)) && inside(int(s.Offset.X), int(s.Offset.Y), int(s.Extent.Width), int(s.Extent.Height))
			z := float32(.25)
			if in {
				z = depths[instance]
			}
			if (got.color[1][i][3] == 1) != in || got.depth[i] != z {
				t.Errorf("%s, viewport %d, pixel (%d, %d): drawn %v, depth %v; want %v, %v", what, instance, x, y, !in, got.depth[i], in, z)
			}
		}
	}
	for instance := range 3 {
		s := newStates(f)
		s.depth.DepthTestEnable, s.depth.DepthWriteEnable, s.depth.DepthCompareOp = 1, 1, vk.CompareOpAlways
		s.viewport = abi.PipelineViewportStateCreateInfo{ViewportCount: 3, PViewports: &viewports[0], ScissorCount: 3, PScissors: &scissors[0]}
		draw := [2]uint32{0, uint32(instance)}
		check("by the pipeline", s.run(nil, draw), instance)
		s.viewport.PViewports, s.viewport.PScissors = nil, nil
		s.dynamic = []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor}
		check("by commands", s.run(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetViewport, &abi.CmdSetViewport{FirstViewport: 1, ViewportCount: 2, PViewports: &viewports[1]})
			record(f, cb, abi.OpCmdSetViewport, &abi.CmdSetViewport{ViewportCount: 1, PViewports: &viewports[0]})
			record(f, cb, abi.OpCmdSetScissor, &abi.CmdSetScissor{ScissorCount: 2, PScissors: &scissors[0]})
			record(f, cb, abi.OpCmdSetScissor, &abi.CmdSetScissor{FirstScissor: 2, ScissorCount: 1, PScissors: &scissors[2]})
		}, draw), instance)
		s.viewport.ViewportCount, s.viewport.ScissorCount = 0, 0
		s.dynamic = []vk.DynamicState{vk.DynamicStateViewportWithCount, vk.DynamicStateScissorWithCount}
		check("with their count", s.run(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetViewportWithCount, &abi.CmdSetViewportWithCount{ViewportCount: 3, PViewports: &viewports[0]})
			record(f, cb, abi.OpCmdSetScissorWithCount, &abi.CmdSetScissorWithCount{ScissorCount: 3, PScissors: &scissors[0]})
		}, draw), instance)
	}
}

// Every comparison of stencil values and of depths, below, at and above; and every operation on the least and largest value.
func TestStates_RAS325_EveryOperator(t *testing.T) {
	rules.Covers(t, "RAS-321", "RAS-322", "RAS-323", "RAS-325")
	f := newTest(t)
	// Whether an operator passes where the reference is less, equal, greater.
	passes := [8][3]bool{
		vk.CompareOpNever: {}, vk.CompareOpLess: {true, false, false}, vk.CompareOpEqual: {false, true, false}, vk.CompareOpLessOrEqual: {true, true, false},
		vk.CompareOpGreater: {false, false, true}, vk.CompareOpNotEqual: {true, false, true}, vk.CompareOpGreaterOrEqual: {false, true, true}, vk.CompareOpAlways: {true, true, true},
	}
	for op, want := range passes {
		for i, reference := range []uint32{0x14, 0x15, 0x16} { // 4, 5 and 6 under the mask, which leaves 5 of 5
			for first := uint32(0); first < 6; first += 3 {
				s := newStates(f)
				state := abi.StencilOpState{CompareOp: vk.CompareOp(op), CompareMask: 0x0F, WriteMask: 0xFF, Reference: reference, PassOp: vk.StencilOpZero, FailOp: vk.StencilOpReplace}
				none := abi.StencilOpState{CompareOp: vk.CompareOp(7 - op), FailOp: vk.StencilOpInvert}
				s.depth = abi.PipelineDepthStencilStateCreateInfo{StencilTestEnable: 1, Front: state, Back: none}
				if first == 3 {
					s.depth.Front, s.depth.Back = none, state
				}
				stencil := uint8(reference)
				if want[i] {
					stencil = 0
				}
				if got := s.run(nil, [2]uint32{first}); (got.color[0][9][0] == 1) != want[i] || got.stencil[9] != stencil {
					t.Errorf("%v of %d and 5, vertex %d: drawn %v, stencil %#x; want %v, %#x", vk.CompareOp(op), reference&15, first, !want[i], got.stencil[9], want[i], stencil)
				}
			}
		}
		for i, z := range []float32{.125, .25, .5} { // against 0.25
			s := newStates(f)
			s.viewport.PViewports = &vk.Viewport{Width: stateWidth, Height: stateHeight, MaxDepth: 2 * z}
			s.depth = abi.PipelineDepthStencilStateCreateInfo{DepthTestEnable: 1, DepthWriteEnable: 1, DepthCompareOp: vk.CompareOp(op)}
			depth := float32(.25)
			if want[i] {
				depth = z
			}
			if got := s.run(nil, [2]uint32{}); (got.color[0][9][0] == 1) != want[i] || got.depth[9] != depth {
				t.Errorf("%v of %v and 0.25: drawn %v, depth %v; want %v, %v", vk.CompareOp(op), z, !want[i], got.depth[9], want[i], depth)
			}
		}
	}
	// On 0, 5, 254 and 255; the reference is 0x5A.
	for op, want := range [8][4]uint8{
		vk.StencilOpKeep: {0, 5, 254, 255}, vk.StencilOpZero: {}, vk.StencilOpReplace: {0x5A, 0x5A, 0x5A, 0x5A}, vk.StencilOpIncrementAndClamp: {1, 6, 255, 255},
		vk.StencilOpDecrementAndClamp: {0, 4, 253, 254}, vk.StencilOpInvert: {255, 250, 1, 0}, vk.StencilOpIncrementAndWrap: {1, 6, 255, 0}, vk.StencilOpDecrementAndWrap: {255, 4, 253, 254},
	} {
		for i, value := range []uint32{0, 5, 254, 255} {
			for when := range 3 { // it fails, its depth test fails, both pass
				s := newStates(f)
				ops := [3]vk.StencilOp{vk.StencilOpInvert, vk.StencilOpInvert, vk.StencilOpInvert}
				ops[when] = vk.StencilOp(op)
				s.depth = abi.PipelineDepthStencilStateCreateInfo{DepthTestEnable: 1, DepthCompareOp: vk.CompareOpAlways, StencilTestEnable: 1,
					Front: abi.StencilOpState{FailOp: ops[0], DepthFailOp: ops[1], PassOp: ops[2], CompareOp: vk.CompareOpAlways, WriteMask: 0xFF, Reference: 0x5A}}
				switch when {
				case 0:
					s.depth.Front.CompareOp = vk.CompareOpNever
				case 1:
					s.depth.DepthCompareOp = vk.CompareOpNever
				}
				s.dynamic = []vk.DynamicState{vk.DynamicStateStencilReference, vk.DynamicStateStencilOp}
				front := vk.StencilFaceFrontBit
				got := s.run(func(cb abi.CommandBuffer) {
					set := func(fail, depthFail, pass vk.StencilOp, c vk.CompareOp, reference uint32) {
						record(f, cb, abi.OpCmdSetStencilReference, &abi.CmdSetStencilReference{FaceMask: front, Reference: reference})
						record(f, cb, abi.OpCmdSetStencilOp, &abi.CmdSetStencilOp{FaceMask: front, FailOp: fail, DepthFailOp: depthFail, PassOp: pass, CompareOp: c})
					}
					replace := vk.StencilOpReplace
					set(replace, replace, replace, vk.CompareOpAlways, value)
					record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
					set(ops[0], ops[1], ops[2], s.depth.Front.CompareOp, 0x5A)
				}, [2]uint32{})
				if got.stencil[20] != want[i] {
					t.Errorf("%v of %d, case %d: %d, want %d", vk.StencilOp(op), value, when, got.stencil[20], want[i])
				}
			}
		}
	}
}

// Codes of shading rates, of primitives and of attachments: what shaders see of them, and where fragments lie. Codes of sizes that must not
// be used are those of 4.
func TestStates_RAS143_EveryRate(t *testing.T) {
	rules.Covers(t, "RAS-143", "RAS-144", "RAS-150", "RAS-291")
	f := newTest(t)
	sizes := [16][2]int{{1, 1}, {1, 2}, {1, 4}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {2, 4}, {4, 1}, {4, 2}, {4, 4}, {4, 4}, {4, 1}, {4, 2}, {4, 4}, {4, 4}}
	codes := [16]float32{0, 1, 2, 2, 4, 5, 6, 6, 8, 9, 10, 10, 8, 9, 10, 10}
	for code := range uint32(16) {
		for _, attached := range []bool{false, true} {
			s := newStates(f)
			s.shaders = [2][]byte{ratesVertex, ratesFragment}
			rate := abi.PipelineFragmentShadingRateStateCreateInfoKHR{FragmentSize: vk.Extent2D{Width: 1, Height: 1}}
			rate.SType = rate.StructureType()
			s.next = unsafe.Pointer(&rate)
			draw := [2]uint32{0, code}
			rate.CombinerOps[0] = vk.FragmentShadingRateCombinerOpReplaceKHR
			if attached {
				draw[1] = 0
				rate.CombinerOps = [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKeepKHR, vk.FragmentShadingRateCombinerOpReplaceKHR}
				s.rates = s.attachedRate(code)
			}
			got := s.run(nil, draw)
			for i := range statePixels {
				w, h := sizes[code][0], sizes[code][1]
				x, y := i%stateWidth/w*w, i/stateWidth/h*h
				// FragSizeEXT is 1×1: there is no density map.
				seen, at := [4]float32{codes[code], 1, 1, 1}, [4]float32{float32(x) + float32(w)/2, float32(y) + float32(h)/2, 0, 1}
				if got.color[0][i] != seen || got.color[1][i] != at {
					t.Errorf("code %d, of an attachment %v, pixel %d: %v at %v, want %v at %v", code, attached, i, got.color[0][i], got.color[1][i], seen, at)
					break
				}
			}
		}
	}
}
