package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Commands that lie in memory (VK_EXT_device_generated_commands) are carried out as they
// stand there: nothing is prepared, so preprocessing does nothing and takes no memory.

// IndirectCommandsLayout is a VkIndirectCommandsLayoutEXT.
type IndirectCommandsLayout struct{ core *core.GeneratedLayout }

// IndirectExecutionSet is a VkIndirectExecutionSetEXT.
type IndirectExecutionSet struct{ core *core.ExecutionSet }

// GetGeneratedCommandsMemoryRequirementsEXT is vkGetGeneratedCommandsMemoryRequirementsEXT.
func (d *Device) GetGeneratedCommandsMemoryRequirementsEXT(a *abi.GetGeneratedCommandsMemoryRequirementsEXTArgs) {
	a.PMemoryRequirements.MemoryRequirements = vk.MemoryRequirements{Alignment: 4, MemoryTypeBits: memoryTypeBits}
}

// CreateIndirectCommandsLayoutEXT is vkCreateIndirectCommandsLayoutEXT. Sequences run in
// their order, whatever flags allow; layouts of push constants are not needed.
func (d *Device) CreateIndirectCommandsLayoutEXT(a *abi.CreateIndirectCommandsLayoutEXTArgs) vk.Result {
	i := a.PCreateInfo
	var tokens []core.GeneratedToken
	for _, t := range abi.Slice(i.PTokens, i.TokenCount) {
		tokens = append(tokens, generatedToken(&t))
	}
	l := &IndirectCommandsLayout{}
	var err error
	l.core, err = d.core.NewGeneratedLayout(tokens, i.IndirectStride)
	return created(&d.indirectLayouts, a.PIndirectCommandsLayout, l, err)
}

// generatedToken translates a token. A union without what it should lead to is as one of zeros.
func generatedToken(t *abi.IndirectCommandsLayoutTokenEXT) core.GeneratedToken {
	out := core.GeneratedToken{Type: t.Type, Offset: t.Offset}
	switch t.Type { // push data are push constants
	case vk.IndirectCommandsTokenTypePushDataEXT:
		out.Type = vk.IndirectCommandsTokenTypePushConstantEXT
	case vk.IndirectCommandsTokenTypePushDataSequenceIndexEXT:
		out.Type = vk.IndirectCommandsTokenTypeSequenceIndexEXT
	}
	switch out.Type {
	case vk.IndirectCommandsTokenTypePushConstantEXT, vk.IndirectCommandsTokenTypeSequenceIndexEXT:
		if p := *t.Data.PPushConstant(); p != nil {
			out.Push, out.PushSize = p.UpdateRange.Offset, p.UpdateRange.Size
		}
	case vk.IndirectCommandsTokenTypeVertexBufferEXT:
		if p := *t.Data.PVertexBuffer(); p != nil {
			out.Binding = p.VertexBindingUnit
		}
	case vk.IndirectCommandsTokenTypeIndexBufferEXT:
		if p := *t.Data.PIndexBuffer(); p != nil {
			out.DXGI = p.Mode == vk.IndirectCommandsInputModeDxgiIndexBufferEXT
		}
	case vk.IndirectCommandsTokenTypeExecutionSetEXT:
		if p := *t.Data.PExecutionSet(); p != nil {
			out.Shaders, out.Stages = p.Type == vk.IndirectExecutionSetInfoTypeShaderObjectsEXT, p.ShaderStages
		}
	}
	return out
}

// DestroyIndirectCommandsLayoutEXT is vkDestroyIndirectCommandsLayoutEXT.
func (d *Device) DestroyIndirectCommandsLayoutEXT(a *abi.DestroyIndirectCommandsLayoutEXTArgs) {
	destroy(&d.indirectLayouts, a.IndirectCommandsLayout, func(l *IndirectCommandsLayout) object { return l.core })
}

// CreateIndirectExecutionSetEXT is vkCreateIndirectExecutionSetEXT.
func (d *Device) CreateIndirectExecutionSetEXT(a *abi.CreateIndirectExecutionSetEXTArgs) vk.Result {
	i, s := a.PCreateInfo, &IndirectExecutionSet{}
	var first *core.Pipeline
	var shaders []*core.ShaderObject
	count := uint32(0)
	if p := *i.Info.PPipelineInfo(); i.Type == vk.IndirectExecutionSetInfoTypePipelinesEXT && p != nil {
		x := lookup(&d.pipelines, p.InitialPipeline)
		if x == nil || x.core == nil {
			*a.PIndirectExecutionSet = 0
			return vk.ErrorValidationFailed
		}
		first, count = x.core, p.MaxPipelineCount
	}
	if p := *i.Info.PShaderInfo(); i.Type == vk.IndirectExecutionSetInfoTypeShaderObjectsEXT && p != nil {
		for _, h := range abi.Slice(p.PInitialShaders, p.ShaderCount) {
			shaders = append(shaders, d.shaderObject(h))
		}
		count = p.MaxShaderCount
	}
	var err error
	s.core, err = d.core.NewExecutionSet(first, shaders, int(min(count, core.MaxExecutionSet+1)))
	return created(&d.executionSets, a.PIndirectExecutionSet, s, err)
}

// shaderObject is package core's object of a shader, or nil.
func (d *Device) shaderObject(h abi.ShaderEXT) *core.ShaderObject {
	if s := lookup(&d.shaders, h); s != nil {
		return s.core
	}
	return nil
}

// DestroyIndirectExecutionSetEXT is vkDestroyIndirectExecutionSetEXT.
func (d *Device) DestroyIndirectExecutionSetEXT(a *abi.DestroyIndirectExecutionSetEXTArgs) {
	destroy(&d.executionSets, a.IndirectExecutionSet, func(s *IndirectExecutionSet) object { return s.core })
}

// UpdateIndirectExecutionSetPipelineEXT is vkUpdateIndirectExecutionSetPipelineEXT.
func (d *Device) UpdateIndirectExecutionSetPipelineEXT(a *abi.UpdateIndirectExecutionSetPipelineEXTArgs) {
	s := lookup(&d.executionSets, a.IndirectExecutionSet)
	for _, w := range abi.Slice(a.PExecutionSetWrites, a.ExecutionSetWriteCount) {
		if p := lookup(&d.pipelines, w.Pipeline); s != nil && p != nil && p.core != nil {
			s.core.SetPipeline(w.Index, p.core)
		}
	}
}

// UpdateIndirectExecutionSetShaderEXT is vkUpdateIndirectExecutionSetShaderEXT.
func (d *Device) UpdateIndirectExecutionSetShaderEXT(a *abi.UpdateIndirectExecutionSetShaderEXTArgs) {
	s := lookup(&d.executionSets, a.IndirectExecutionSet)
	for _, w := range abi.Slice(a.PExecutionSetWrites, a.ExecutionSetWriteCount) {
		if o := d.shaderObject(w.Shader); s != nil && o != nil {
			s.core.SetShader(w.Index, o)
		}
	}
}

// CmdPreprocessGeneratedCommandsEXT is vkCmdPreprocessGeneratedCommandsEXT.
func (r *Recorder) CmdPreprocessGeneratedCommandsEXT(*abi.CmdPreprocessGeneratedCommandsEXT) {}

// CmdExecuteGeneratedCommandsEXT is vkCmdExecuteGeneratedCommandsEXT.
func (r *Recorder) CmdExecuteGeneratedCommandsEXT(c *abi.CmdExecuteGeneratedCommandsEXT) {
	i := c.PGeneratedCommandsInfo
	if i == nil {
		return
	}
	g := core.Generated{Address: i.IndirectAddress, Count: i.MaxSequenceCount, CountAddress: i.SequenceCountAddress, MaxDraws: i.MaxDrawCount}
	if l := lookup(&r.device.indirectLayouts, i.IndirectCommandsLayout); l != nil {
		g.Layout = l.core
	}
	if s := lookup(&r.device.executionSets, i.IndirectExecutionSet); s != nil {
		g.Set = s.core
	}
	r.core.ExecuteGenerated(g)
}
