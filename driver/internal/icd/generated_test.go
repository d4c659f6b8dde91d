package icd

import (
	_ "embed"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/generated.vert.spv testdata/generated.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/generated.comp.spv testdata/generated.comp
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/generated.mesh.spv testdata/generated.mesh

var (
	//go:embed testdata/generated.vert.spv
	generatedVertex []byte
	//go:embed testdata/generated.comp.spv
	generatedCompute []byte
	//go:embed testdata/generated.mesh.spv
	generatedMesh []byte
)

// adding specializes constant 0 of a stage.
func adding(s abi.PipelineShaderStageCreateInfo, value uint32) abi.PipelineShaderStageCreateInfo {
	s.PSpecializationInfo = &abi.SpecializationInfo{MapEntryCount: 1, PMapEntries: &abi.SpecializationMapEntry{Size: 4}, DataSize: 4, PData: unsafe.Pointer(&value)}
	return s
}

// tokens makes a layout.
func (f *fixture) tokens(stages vk.ShaderStageFlags, stride uint32, tokens ...abi.IndirectCommandsLayoutTokenEXT) (h abi.IndirectCommandsLayoutEXT, r vk.Result) {
	f.t.Helper()
	a := abi.CreateIndirectCommandsLayoutEXTArgs{Device: f.device, PIndirectCommandsLayout: &h, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoEXT{
		ShaderStages: stages, IndirectStride: stride, TokenCount: uint32(len(tokens)), PTokens: unsafe.SliceData(tokens)}}
	call(f, abi.OpCreateIndirectCommandsLayoutEXT, &a)
	return h, a.Ret
}

func at(offset uint32, t vk.IndirectCommandsTokenTypeEXT) abi.IndirectCommandsLayoutTokenEXT {
	return abi.IndirectCommandsLayoutTokenEXT{Type: t, Offset: offset}
}

func pushing(offset uint32, t vk.IndirectCommandsTokenTypeEXT, first, size uint32) abi.IndirectCommandsLayoutTokenEXT {
	x := at(offset, t)
	*x.Data.PPushConstant() = &abi.IndirectCommandsPushConstantTokenEXT{UpdateRange: vk.PushConstantRange{StageFlags: vk.ShaderStageAll, Offset: first, Size: size}}
	return x
}

func indices(offset uint32, mode vk.IndirectCommandsInputModeFlagsEXT) abi.IndirectCommandsLayoutTokenEXT {
	x := at(offset, vk.IndirectCommandsTokenTypeIndexBufferEXT)
	*x.Data.PIndexBuffer() = &abi.IndirectCommandsIndexBufferTokenEXT{Mode: mode}
	return x
}

func vertices(offset, binding uint32) abi.IndirectCommandsLayoutTokenEXT {
	x := at(offset, vk.IndirectCommandsTokenTypeVertexBufferEXT)
	*x.Data.PVertexBuffer() = &abi.IndirectCommandsVertexBufferTokenEXT{VertexBindingUnit: binding}
	return x
}

func choosing(kind vk.IndirectExecutionSetInfoTypeEXT, stages vk.ShaderStageFlags) abi.IndirectCommandsLayoutTokenEXT {
	x := at(0, vk.IndirectCommandsTokenTypeExecutionSetEXT)
	*x.Data.PExecutionSet() = &abi.IndirectCommandsExecutionSetTokenEXT{Type: kind, ShaderStages: stages}
	return x
}

// executionSet makes a set of pipelines: the first, and those that follow it from 1 on.
func (f *fixture) executionSet(all ...abi.Pipeline) (h abi.IndirectExecutionSetEXT) {
	f.t.Helper()
	info := &abi.IndirectExecutionSetPipelineInfoEXT{InitialPipeline: all[0], MaxPipelineCount: uint32(len(all))}
	i := abi.IndirectExecutionSetCreateInfoEXT{Type: vk.IndirectExecutionSetInfoTypePipelinesEXT}
	*i.Info.PPipelineInfo() = info
	a := abi.CreateIndirectExecutionSetEXTArgs{Device: f.device, PCreateInfo: &i, PIndirectExecutionSet: &h}
	call(f, abi.OpCreateIndirectExecutionSetEXT, &a)
	want(f.t, "vkCreateIndirectExecutionSetEXT", a.Ret, vk.Success)
	for n, p := range all[1:] {
		w := abi.WriteIndirectExecutionSetPipelineEXT{Index: uint32(n) + 1, Pipeline: p}
		call(f, abi.OpUpdateIndirectExecutionSetPipelineEXT, &abi.UpdateIndirectExecutionSetPipelineEXTArgs{Device: f.device, IndirectExecutionSet: h, ExecutionSetWriteCount: 1, PExecutionSetWrites: &w})
	}
	return h
}

// halves puts an address into two words.
func halves(a uint64) (uint32, uint32) { return uint32(a), uint32(a >> 32) }

// feeding is a pipeline of the test's vertex shader with its constant; the stride of vertices is dynamic.
func (f *fixture) feeding(add uint32) abi.Pipeline {
	attribute := abi.VertexInputAttributeDescription{Format: vk.FormatR32Uint}
	binding := abi.VertexInputBindingDescription{Stride: 64}
	stride := vk.DynamicStateVertexInputBindingStride
	p, r := f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PVertexInputState = &abi.PipelineVertexInputStateCreateInfo{VertexBindingDescriptionCount: 1, PVertexBindingDescriptions: &binding, VertexAttributeDescriptionCount: 1, PVertexAttributeDescriptions: &attribute}
		i.PDynamicState = &abi.PipelineDynamicStateCreateInfo{DynamicStateCount: 1, PDynamicStates: &stride}
	}, adding(f.stage(vk.ShaderStageVertexBit, generatedVertex), add), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(f.t, "vkCreateGraphicsPipelines", r, vk.Success)
	return p
}

// captured draws and returns what vertices have captured, four words each.
func (f *fixture) captured(pipeline abi.Pipeline, vertices int, commands func(cb abi.CommandBuffer)) []uint32 {
	f.t.Helper()
	_, to, out := f.addressed(4 * (vertices + 3)) // room for a triangle too many
	for i := range out {
		out[i] = 0xEEEE
	}
	buffer := abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: abi.DeviceAddressRangeKHR{Address: to, Size: uint64(4 * len(out))}}
	none := abi.BindTransformFeedbackBuffer2InfoEXT{}
	f.drawn(func(cb abi.CommandBuffer) {
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: pipeline})
		record(f, cb, abi.OpCmdBindTransformFeedbackBuffers2EXT, &abi.CmdBindTransformFeedbackBuffers2EXT{BindingCount: 1, PBindingInfos: &buffer})
		record(f, cb, abi.OpCmdBeginTransformFeedback2EXT, &abi.CmdBeginTransformFeedback2EXT{CounterRangeCount: 1, PCounterInfos: &none})
		commands(cb)
		record(f, cb, abi.OpCmdEndTransformFeedback2EXT, &abi.CmdEndTransformFeedback2EXT{})
	})
	if !slices.Equal(out[4*vertices:], slices.Repeat([]uint32{0xEEEE}, 12)) {
		f.t.Errorf("more than %d vertices are captured", vertices)
	}
	return out[:4*vertices]
}

// Each sequence binds its pipeline, push constants, indices and vertices, and draws; as many as
// memory says, but no more than were asked for.
func TestGenerated_TokensOfIndexedDraws(t *testing.T) {
	const graphics = vk.ShaderStageVertexBit | vk.ShaderStageFragmentBit
	for _, mode := range []vk.IndirectCommandsInputModeFlagsEXT{vk.IndirectCommandsInputModeVulkanIndexBufferEXT, vk.IndirectCommandsInputModeDxgiIndexBufferEXT} {
		f := newTest(t)
		kinds := []uint32{uint32(vk.IndexTypeUint16), uint32(vk.IndexTypeUint8), uint32(vk.IndexTypeUint32)}
		if mode == vk.IndirectCommandsInputModeDxgiIndexBufferEXT {
			kinds = []uint32{57, 62, 42} // DXGI_FORMAT_R16_UINT, R8_UINT, R32_UINT
		}
		a, b := f.feeding(0), f.feeding(3)
		layout, r := f.tokens(graphics, 72,
			choosing(vk.IndirectExecutionSetInfoTypePipelinesEXT, graphics),
			pushing(4, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 8),
			pushing(4, vk.IndirectCommandsTokenTypeSequenceIndexEXT, 8, 4),
			indices(12, mode),
			vertices(28, 0),
			at(44, vk.IndirectCommandsTokenTypeDrawIndexedEXT))
		want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
		set := f.executionSet(a, b)
		_, from, w := f.addressed(128)
		copy(w[100:], []uint32{500, 501, 502, 503, 600, 0, 601, 0, 602, 0, 603, 0}) // vertices: one word apart, and two
		w[112], w[113], w[114] = 2<<16|1, 3, 1|2<<8|0<<16                           // indices 1, 2, 3 of 16 bits; 1, 2, 0 of 8
		w[120] = 2                                                                  // sequences
		sequence := func(n int, pipeline, x, y uint32, index, size, kind uint32, vertex, stride uint32, draw ...uint32) {
			il, ih := halves(from + uint64(4*index))
			vl, vh := halves(from + uint64(4*vertex))
			copy(w[18*n:], append([]uint32{pipeline, x, y, il, ih, size, kind, vl, vh, 64, stride}, draw...))
		}
		sequence(0, 1, 7, 8, 112, 8, kinds[0], 100, 4, 3, 1, 0, 0, 5)
		sequence(1, 0, 1, 1, 114, 4, kinds[1], 104, 8, 3, 1, 0, 1, 0)
		sequence(2, 0, 9, 9, 112, 8, kinds[2], 100, 4, 3, 1, 0, 0, 0)
		requirements := abi.MemoryRequirements2{}
		call(f, abi.OpGetGeneratedCommandsMemoryRequirementsEXT, &abi.GetGeneratedCommandsMemoryRequirementsEXTArgs{Device: f.device, PMemoryRequirements: &requirements,
			PInfo: &abi.GeneratedCommandsMemoryRequirementsInfoEXT{IndirectExecutionSet: set, IndirectCommandsLayout: layout, MaxSequenceCount: 3}})
		if m := requirements.MemoryRequirements; m.Size != 0 || m.Alignment == 0 || m.MemoryTypeBits == 0 {
			t.Errorf("preprocessing takes %+v", m)
		}
		info := &abi.GeneratedCommandsInfoEXT{ShaderStages: graphics, IndirectExecutionSet: set, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 72 * 3,
			MaxSequenceCount: 3, SequenceCountAddress: from + 4*120}
		got := f.captured(a, 6, func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdPreprocessGeneratedCommandsEXT, &abi.CmdPreprocessGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
			record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
		})
		if want := []uint32{
			15, 300, 501, 1050, 15, 300, 502, 2050, 15, 300, 503, 3050,
			2, 1, 602, 2000, 2, 1, 603, 3000, 2, 1, 601, 1000,
		}; !slices.Equal(got, want) {
			t.Errorf("mode %v: captured\n%v, want\n%v", mode, got, want)
		}
		call(f, abi.OpDestroyIndirectExecutionSetEXT, &abi.DestroyIndirectExecutionSetEXTArgs{Device: f.device, IndirectExecutionSet: set})
		call(f, abi.OpDestroyIndirectCommandsLayoutEXT, &abi.DestroyIndirectCommandsLayoutEXTArgs{Device: f.device, IndirectCommandsLayout: layout})
	}
}

// A token may draw as often as memory says, up to maxDrawCount, with parameters elsewhere.
func TestGenerated_CountedDraws(t *testing.T) {
	f := newTest(t)
	p := f.feeding(0)
	_, from, w := f.addressed(64)
	copy(w[40:], []uint32{700, 701, 702, 703, 704, 705})
	w[48], w[49] = 1<<16, 2
	copy(w[8:], []uint32{3, 1, 0, 0, 0, 3, 1, 3, 0, 0, 3, 1, 0, 0, 0}) // parameters, 20 bytes apart
	lo, hi := halves(from + 4*8)
	copy(w, []uint32{lo, hi, 20, 3}) // three draws
	for _, c := range []struct {
		kind vk.IndirectCommandsTokenTypeEXT
		most uint32
		want []uint32
	}{
		{vk.IndirectCommandsTokenTypeDrawCountEXT, 2, []uint32{0, 0, 700, 0, 0, 0, 701, 1000, 0, 0, 702, 2000, 0, 0, 703, 3001, 0, 0, 704, 4001, 0, 0, 705, 5001}},
		{vk.IndirectCommandsTokenTypeDrawIndexedCountEXT, 1, []uint32{0, 0, 700, 0, 0, 0, 701, 1000, 0, 0, 702, 2000}},
		{vk.IndirectCommandsTokenTypeDrawCountEXT, 0, nil},
	} {
		layout, r := f.tokens(vk.ShaderStageAllGraphics, 16, at(0, c.kind))
		want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
		info := &abi.GeneratedCommandsInfoEXT{ShaderStages: vk.ShaderStageAllGraphics, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 16, MaxSequenceCount: 1, MaxDrawCount: c.most}
		stride := abi.BindVertexBuffer3InfoKHR{SetStride: 1, AddressRange: steps(from, 40, 6, 1)}
		got := f.captured(p, len(c.want)/4, func(cb abi.CommandBuffer) {
			zero := [12]byte{}
			record(f, cb, abi.OpCmdPushConstants, &abi.CmdPushConstants{Size: 12, PValues: unsafe.Pointer(&zero)})
			record(f, cb, abi.OpCmdBindVertexBuffers3KHR, &abi.CmdBindVertexBuffers3KHR{BindingCount: 1, PBindingInfos: &stride})
			record(f, cb, abi.OpCmdBindIndexBuffer3KHR, &abi.CmdBindIndexBuffer3KHR{PInfo: &abi.BindIndexBuffer3InfoKHR{AddressRange: span(from, 48, 2), IndexType: vk.IndexTypeUint16}})
			record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %d at most: captured\n%v, want\n%v", c.kind, c.most, got, c.want)
		}
	}
}

// Dispatches choose among pipelines, and among shader objects.
func TestGenerated_Dispatches(t *testing.T) {
	const compute = vk.ShaderStageComputeBit
	f := newTest(t)
	b, data := f.storage(16)
	var p [2]program
	for i := range p {
		q, r := f.program(generatedCompute, 0, nil, nil, b)
		want(t, "vkCreateComputePipelines", r, vk.Success)
		c := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &q.pipeline, PCreateInfos: &abi.ComputePipelineCreateInfo{
			Layout: q.layout, Stage: adding(f.stage(compute, generatedCompute), uint32(i))}}
		call(f, abi.OpCreateComputePipelines, &c)
		want(t, "vkCreateComputePipelines", c.Ret, vk.Success)
		p[i] = q
	}
	set := f.executionSet(p[0].pipeline, p[1].pipeline)
	var shaders [2]abi.ShaderEXT
	storage := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: compute})
	for i := range shaders {
		s := adding(abi.PipelineShaderStageCreateInfo{}, uint32(i+5))
		a := abi.CreateShadersEXTArgs{Device: f.device, CreateInfoCount: 1, PShaders: &shaders[i], PCreateInfos: &abi.ShaderCreateInfoEXT{
			Stage: compute, CodeType: vk.ShaderCodeTypeSpirvEXT, CodeSize: uint64(len(generatedCompute)), PCode: unsafe.Pointer(&generatedCompute[0]), PName: &append([]byte("main"), 0)[0],
			SetLayoutCount: 1, PSetLayouts: &storage, PSpecializationInfo: s.PSpecializationInfo}}
		call(f, abi.OpCreateShadersEXT, &a)
		want(t, "vkCreateShadersEXT", a.Ret, vk.Success)
	}
	objects := &abi.IndirectExecutionSetShaderInfoEXT{ShaderCount: 1, PInitialShaders: &shaders[0], MaxShaderCount: 2}
	i := abi.IndirectExecutionSetCreateInfoEXT{Type: vk.IndirectExecutionSetInfoTypeShaderObjectsEXT}
	*i.Info.PShaderInfo() = objects
	var ofShaders abi.IndirectExecutionSetEXT
	c := abi.CreateIndirectExecutionSetEXTArgs{Device: f.device, PCreateInfo: &i, PIndirectExecutionSet: &ofShaders}
	call(f, abi.OpCreateIndirectExecutionSetEXT, &c)
	want(t, "vkCreateIndirectExecutionSetEXT", c.Ret, vk.Success)
	call(f, abi.OpUpdateIndirectExecutionSetShaderEXT, &abi.UpdateIndirectExecutionSetShaderEXTArgs{Device: f.device, IndirectExecutionSet: ofShaders, ExecutionSetWriteCount: 1,
		PExecutionSetWrites: &abi.WriteIndirectExecutionSetShaderEXT{Index: 1, Shader: shaders[1]}})

	_, from, w := f.addressed(64)
	copy(w, []uint32{1, 0, 40, 2, 1, 1, 0, 1, 50, 1, 3, 1}) // pipeline, push constants, workgroups
	run := func(kind vk.IndirectExecutionSetInfoTypeEXT, set abi.IndirectExecutionSetEXT) {
		layout, r := f.tokens(compute, 24, choosing(kind, compute), pushing(4, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 8),
			pushing(12, vk.IndirectCommandsTokenTypeSequenceIndexEXT, 8, 4), at(12, vk.IndirectCommandsTokenTypeDispatchEXT))
		want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
		info := &abi.GeneratedCommandsInfoEXT{ShaderStages: compute, IndirectExecutionSet: set, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 48, MaxSequenceCount: 2}
		cb := f.begin()
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p[0].pipeline})
		f.pin.Pin(&p[0].set)
		record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: p[0].layout, DescriptorSetCount: 1, PDescriptorSets: &p[0].set})
		record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
		f.run(cb)
	}
	run(vk.IndirectExecutionSetInfoTypePipelinesEXT, set)
	if got := data[:2]; !slices.Equal(got, []uint32{2140, 3051}) {
		t.Errorf("pipelines: %v", got)
	}
	run(vk.IndirectExecutionSetInfoTypeShaderObjectsEXT, ofShaders)
	if got := data[:2]; !slices.Equal(got, []uint32{2640, 3551}) {
		t.Errorf("shaders: %v", got)
	}
}

// Draws choose shaders for each stage where shaders are bound, and no pipeline.
func TestGenerated_ShadersOfDraws(t *testing.T) {
	const stages = vk.ShaderStageVertexBit | vk.ShaderStageFragmentBit
	f := newTest(t)
	object := func(bit vk.ShaderStageFlags, code []byte, add uint32) (h abi.ShaderEXT) {
		a := abi.CreateShadersEXTArgs{Device: f.device, CreateInfoCount: 1, PShaders: &h, PCreateInfos: &abi.ShaderCreateInfoEXT{
			Stage: bit, CodeType: vk.ShaderCodeTypeSpirvEXT, CodeSize: uint64(len(code)), PCode: unsafe.Pointer(&code[0]), PName: &append([]byte("main"), 0)[0],
			PSpecializationInfo: adding(abi.PipelineShaderStageCreateInfo{}, add).PSpecializationInfo}}
		call(f, abi.OpCreateShadersEXT, &a)
		want(t, "vkCreateShadersEXT", a.Ret, vk.Success)
		return h
	}
	first, second, white := object(vk.ShaderStageVertexBit, generatedVertex, 1), object(vk.ShaderStageVertexBit, generatedVertex, 4), object(vk.ShaderStageFragmentBit, whiteShader, 0)
	bound := []abi.ShaderEXT{first, white}
	i := abi.IndirectExecutionSetCreateInfoEXT{Type: vk.IndirectExecutionSetInfoTypeShaderObjectsEXT}
	*i.Info.PShaderInfo() = &abi.IndirectExecutionSetShaderInfoEXT{ShaderCount: 2, PInitialShaders: &bound[0], MaxShaderCount: 3}
	var set abi.IndirectExecutionSetEXT
	c := abi.CreateIndirectExecutionSetEXTArgs{Device: f.device, PCreateInfo: &i, PIndirectExecutionSet: &set}
	call(f, abi.OpCreateIndirectExecutionSetEXT, &c)
	want(t, "vkCreateIndirectExecutionSetEXT", c.Ret, vk.Success)
	call(f, abi.OpUpdateIndirectExecutionSetShaderEXT, &abi.UpdateIndirectExecutionSetShaderEXTArgs{Device: f.device, IndirectExecutionSet: set, ExecutionSetWriteCount: 1,
		PExecutionSetWrites: &abi.WriteIndirectExecutionSetShaderEXT{Index: 2, Shader: second}})
	layout, r := f.tokens(stages, 36, choosing(vk.IndirectExecutionSetInfoTypeShaderObjectsEXT, stages),
		pushing(8, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 12), at(20, vk.IndirectCommandsTokenTypeDrawEXT))
	want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
	_, from, w := f.addressed(64)
	copy(w, []uint32{2, 1, 3, 4, 5, 3, 1, 0, 0, 0, 1, 6, 7, 8, 3, 1, 1, 0}) // the second vertex shader, then the first
	copy(w[40:], []uint32{700, 701, 702, 703})
	info := &abi.GeneratedCommandsInfoEXT{ShaderStages: stages, IndirectExecutionSet: set, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 72, MaxSequenceCount: 2}
	vertices := abi.BindVertexBuffer3InfoKHR{SetStride: 1, AddressRange: steps(from, 40, 4, 1)}
	attribute := abi.VertexInputAttributeDescription2EXT{Format: vk.FormatR32Uint}
	binding := abi.VertexInputBindingDescription2EXT{Stride: 4, Divisor: 1}
	viewport, scissor := vk.Viewport{Width: 8, Height: 8, MaxDepth: 1}, abi.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}
	bits := []vk.ShaderStageFlags{vk.ShaderStageVertexBit, vk.ShaderStageFragmentBit}
	got := f.captured(f.feeding(9), 6, func(cb abi.CommandBuffer) {
		record(f, cb, abi.OpCmdBindShadersEXT, &abi.CmdBindShadersEXT{StageCount: 2, PStages: &bits[0], PShaders: &bound[0]})
		record(f, cb, abi.OpCmdSetVertexInputEXT, &abi.CmdSetVertexInputEXT{VertexBindingDescriptionCount: 1, PVertexBindingDescriptions: &binding, VertexAttributeDescriptionCount: 1, PVertexAttributeDescriptions: &attribute})
		record(f, cb, abi.OpCmdSetPrimitiveTopology, &abi.CmdSetPrimitiveTopology{PrimitiveTopology: vk.PrimitiveTopologyTriangleList})
		record(f, cb, abi.OpCmdSetViewportWithCount, &abi.CmdSetViewportWithCount{ViewportCount: 1, PViewports: &viewport})
		record(f, cb, abi.OpCmdSetScissorWithCount, &abi.CmdSetScissorWithCount{ScissorCount: 1, PScissors: &scissor})
		record(f, cb, abi.OpCmdBindVertexBuffers3KHR, &abi.CmdBindVertexBuffers3KHR{BindingCount: 1, PBindingInfos: &vertices})
		record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
	})
	if want := []uint32{
		7, 405, 700, 0, 7, 405, 701, 1000, 7, 405, 702, 2000,
		13, 108, 701, 1000, 13, 108, 702, 2000, 13, 108, 703, 3000,
	}; !slices.Equal(got, want) {
		t.Errorf("captured\n%v, want\n%v", got, want)
	}
}

// Mesh shaders get workgroups, from the sequence itself or from elsewhere.
func TestGenerated_MeshTasks(t *testing.T) {
	const stages = vk.ShaderStageMeshBitEXT | vk.ShaderStageFragmentBit
	f := newTest(t)
	p, r := f.graphics(nil, f.stage(vk.ShaderStageMeshBitEXT, generatedMesh), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	_, from, w := f.addressed(64)
	copy(w[40:], []uint32{1, 1, 1, 2, 1, 1}) // workgroups of two draws
	lo, hi := halves(from + 4*40)
	sequence := vk.IndirectCommandsTokenTypeSequenceIndexEXT
	for _, c := range []struct {
		name  string
		token vk.IndirectCommandsTokenTypeEXT
		data  []uint32 // the draw and the sequence that are shown; what draws
		want  int
	}{
		{"two workgroups", vk.IndirectCommandsTokenTypeDrawMeshTasksEXT, []uint32{0, 1, 2, 1, 1}, 64},
		{"one", vk.IndirectCommandsTokenTypeDrawMeshTasksEXT, []uint32{0, 1, 1, 1, 1}, 0},
		{"another sequence", vk.IndirectCommandsTokenTypeDrawMeshTasksEXT, []uint32{0, 2, 2, 1, 1}, 0},
		{"the second of two draws", vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT, []uint32{1, 1, lo, hi, 12, 2}, 64},
		{"the first of two draws", vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT, []uint32{0, 1, lo, hi, 12, 2}, 0},
		{"one draw", vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT, []uint32{1, 1, lo, hi, 12, 1}, 0},
	} {
		layout, r := f.tokens(stages, 4*8, pushing(0, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 8), pushing(8, sequence, 8, 4), at(8, c.token))
		want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
		copy(w, make([]uint32, 8)) // sequence 0 shows nothing, and draws nothing
		copy(w[8:], c.data)
		info := &abi.GeneratedCommandsInfoEXT{ShaderStages: stages, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 64, MaxSequenceCount: 2, MaxDrawCount: 9}
		if n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
		}); n != c.want {
			t.Errorf("%s: %d texels are drawn, want %d", c.name, n, c.want)
		}
	}
}

// Layouts that cannot be, and what memory must not say: told, and left out.
func TestGenerated_Refused(t *testing.T) {
	const compute = vk.ShaderStageComputeBit
	f := newTest(t)
	dispatch := at(0, vk.IndirectCommandsTokenTypeDispatchEXT)
	for name, tokens := range map[string][]abi.IndirectCommandsLayoutTokenEXT{
		"none":                  {},
		"17 tokens":             append(slices.Repeat([]abi.IndirectCommandsLayoutTokenEXT{pushing(0, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 4)}, 16), dispatch),
		"no action":             {pushing(0, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 4)},
		"an action before":      {dispatch, dispatch},
		"beyond push constants": {pushing(0, vk.IndirectCommandsTokenTypePushConstantEXT, core.MaxPushBytes, 4), dispatch},
		"a far offset":          {at(2048, vk.IndirectCommandsTokenTypeDispatchEXT)},
		"an odd offset":         {at(2, vk.IndirectCommandsTokenTypeDispatchEXT)},
		"ray tracing":           {at(0, vk.IndirectCommandsTokenTypeTraceRays2EXT)},
		"a wide number":         {pushing(0, vk.IndirectCommandsTokenTypeSequenceIndexEXT, 0, 8), dispatch},
	} {
		if h, r := f.tokens(compute, 64, tokens...); r == vk.Success || h != 0 {
			t.Errorf("%s: %v", name, r)
		}
	}
	if h, r := f.tokens(compute, 2052, dispatch); r == vk.Success || h != 0 {
		t.Errorf("a wide stride: %v", r)
	}

	b, data := f.storage(16)
	p, r := f.program(generatedCompute, 0, nil, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	set := f.executionSet(p.pipeline)
	layout, r := f.tokens(compute, 24, choosing(vk.IndirectExecutionSetInfoTypePipelinesEXT, compute), pushing(4, vk.IndirectCommandsTokenTypePushConstantEXT, 0, 8), at(12, vk.IndirectCommandsTokenTypeDispatchEXT))
	want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
	_, from, w := f.addressed(12)
	copy(w, []uint32{0, 0, 40, 1, 1, 1, 5, 1, 50, 1, 1, 1}) // the second asks for pipeline 5
	told := f.heard()
	good := abi.GeneratedCommandsInfoEXT{ShaderStages: compute, IndirectExecutionSet: set, IndirectCommandsLayout: layout, IndirectAddress: from, IndirectAddressSize: 24, MaxSequenceCount: 1}
	infos := []abi.GeneratedCommandsInfoEXT{good, good, good, good, good, good}
	infos[0].IndirectAddress += 4 * 12    // behind the buffer
	infos[1].SequenceCountAddress = 4096  // nobody's
	infos[2].MaxSequenceCount = 2         // and pipeline 5
	infos[3].IndirectExecutionSet = 0     // chosen from nothing
	infos[4].IndirectCommandsLayout = 0   // no layout
	infos[5].MaxSequenceCount = 1<<20 + 1 // too many
	for n := range infos {
		clear(data)
		cb := f.begin()
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p.pipeline})
		f.pin.Pin(&p.set)
		record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: p.layout, DescriptorSetCount: 1, PDescriptorSets: &p.set})
		record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: &infos[n]})
		f.run(cb)
		if wanted := map[bool]uint32{n == 2: 1040}[true]; data[0] != wanted || data[1] != 0 {
			t.Errorf("case %d has written %v", n, data[:2])
		}
	}
	if want := []string{"VUID-VkGeneratedCommandsInfoEXT-indirectAddress-parameter", "VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-parameter",
		"VUID-VkGeneratedCommandsInfoEXT-indirectExecutionSet-parameter", "VUID-VkGeneratedCommandsInfoEXT-indirectCommandsLayout-11083",
		"VUID-VkGeneratedCommandsInfoEXT-indirectCommandsLayout-parameter", "VUID-VkGeneratedCommandsInfoEXT-maxSequenceCount-11067"}; !slices.Equal(*told, want) {
		t.Errorf("told of %q", *told)
	}
}
