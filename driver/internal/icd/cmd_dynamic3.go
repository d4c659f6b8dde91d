package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// States of VK_EXT_extended_dynamic_state2 and 3, vertex_input_dynamic_state,
// color_write_enable and line_rasterization.

// CmdSetVertexInputEXT is vkCmdSetVertexInputEXT.
func (r *Recorder) CmdSetVertexInputEXT(c *abi.CmdSetVertexInputEXT) {
	var info vk.PipelineVertexInputStateCreateInfo
	var divisors []vk.VertexInputBindingDivisorDescription
	for _, b := range abi.Slice(c.PVertexBindingDescriptions, c.VertexBindingDescriptionCount) {
		info.VertexBindingDescriptions = append(info.VertexBindingDescriptions, vk.VertexInputBindingDescription{Binding: b.Binding, Stride: b.Stride, InputRate: b.InputRate})
		if b.Divisor != 1 && b.InputRate == vk.VertexInputRateInstance {
			divisors = append(divisors, vk.VertexInputBindingDivisorDescription{Binding: b.Binding, Divisor: b.Divisor})
		}
	}
	for _, a := range abi.Slice(c.PVertexAttributeDescriptions, c.VertexAttributeDescriptionCount) {
		info.VertexAttributeDescriptions = append(info.VertexAttributeDescriptions, vk.VertexInputAttributeDescription{Location: a.Location, Binding: a.Binding, Format: a.Format, Offset: a.Offset})
	}
	r.core.SetVertexInput(info, divisors)
}

// CmdSetDepthClampEnableEXT is vkCmdSetDepthClampEnableEXT.
func (r *Recorder) CmdSetDepthClampEnableEXT(c *abi.CmdSetDepthClampEnableEXT) {
	r.core.SetDepthClampEnable(c.DepthClampEnable.True())
}

// CmdSetDepthClipEnableEXT is vkCmdSetDepthClipEnableEXT.
func (r *Recorder) CmdSetDepthClipEnableEXT(c *abi.CmdSetDepthClipEnableEXT) {
	r.core.SetDepthClipEnable(c.DepthClipEnable.True())
}

// CmdSetDepthClipNegativeOneToOneEXT is vkCmdSetDepthClipNegativeOneToOneEXT.
func (r *Recorder) CmdSetDepthClipNegativeOneToOneEXT(c *abi.CmdSetDepthClipNegativeOneToOneEXT) {
	r.core.SetDepthClipNegativeOneToOne(c.NegativeOneToOne.True())
}

// CmdSetPolygonModeEXT is vkCmdSetPolygonModeEXT.
func (r *Recorder) CmdSetPolygonModeEXT(c *abi.CmdSetPolygonModeEXT) {
	r.core.SetPolygonMode(c.PolygonMode)
}

// CmdSetRasterizationSamplesEXT is vkCmdSetRasterizationSamplesEXT.
func (r *Recorder) CmdSetRasterizationSamplesEXT(c *abi.CmdSetRasterizationSamplesEXT) {
	r.core.SetRasterizationSamples(c.RasterizationSamples)
}

// CmdSetSampleMaskEXT is vkCmdSetSampleMaskEXT. There are at most 32 samples; without a mask it has them all (RAS-024).
func (r *Recorder) CmdSetSampleMaskEXT(c *abi.CmdSetSampleMaskEXT) {
	mask := ^uint32(0)
	if c.PSampleMask != nil {
		mask = *c.PSampleMask
	}
	r.core.SetSampleMask(mask)
}

// CmdSetAlphaToCoverageEnableEXT is vkCmdSetAlphaToCoverageEnableEXT.
func (r *Recorder) CmdSetAlphaToCoverageEnableEXT(c *abi.CmdSetAlphaToCoverageEnableEXT) {
	r.core.SetAlphaToCoverageEnable(c.AlphaToCoverageEnable.True())
}

// CmdSetAlphaToOneEnableEXT is vkCmdSetAlphaToOneEnableEXT.
func (r *Recorder) CmdSetAlphaToOneEnableEXT(c *abi.CmdSetAlphaToOneEnableEXT) {
	r.core.SetAlphaToOneEnable(c.AlphaToOneEnable.True())
}

// CmdSetLogicOpEnableEXT is vkCmdSetLogicOpEnableEXT.
func (r *Recorder) CmdSetLogicOpEnableEXT(c *abi.CmdSetLogicOpEnableEXT) {
	r.core.SetLogicOpEnable(c.LogicOpEnable.True())
}

// CmdSetLogicOpEXT is vkCmdSetLogicOpEXT.
func (r *Recorder) CmdSetLogicOpEXT(c *abi.CmdSetLogicOpEXT) { r.core.SetLogicOp(c.LogicOp) }

// CmdSetColorWriteEnableEXT is vkCmdSetColorWriteEnableEXT.
func (r *Recorder) CmdSetColorWriteEnableEXT(c *abi.CmdSetColorWriteEnableEXT) {
	r.core.SetColorWriteEnable(each(c.PColorWriteEnables, c.AttachmentCount, truth))
}

// Mesa's zink sets the states of no attachment in passes that have none. An
// attachmentCount of zero is not valid, and harmless.

// CmdSetColorBlendEnableEXT is vkCmdSetColorBlendEnableEXT.
func (r *Recorder) CmdSetColorBlendEnableEXT(c *abi.CmdSetColorBlendEnableEXT) {
	if c.AttachmentCount == 0 {
		return
	}
	r.core.SetColorBlendEnable(c.FirstAttachment, each(c.PColorBlendEnables, c.AttachmentCount, truth))
}

func truth(b *abi.Bool32) bool { return b.True() }

// CmdSetColorBlendEquationEXT is vkCmdSetColorBlendEquationEXT.
func (r *Recorder) CmdSetColorBlendEquationEXT(c *abi.CmdSetColorBlendEquationEXT) {
	if c.AttachmentCount == 0 {
		return
	}
	r.core.SetColorBlendEquation(c.FirstAttachment, abi.Slice(c.PColorBlendEquations, c.AttachmentCount))
}

// CmdSetColorWriteMaskEXT is vkCmdSetColorWriteMaskEXT.
func (r *Recorder) CmdSetColorWriteMaskEXT(c *abi.CmdSetColorWriteMaskEXT) {
	if c.AttachmentCount == 0 {
		return
	}
	r.core.SetColorWriteMask(c.FirstAttachment, abi.Slice(c.PColorWriteMasks, c.AttachmentCount))
}

// CmdSetProvokingVertexModeEXT is vkCmdSetProvokingVertexModeEXT.
func (r *Recorder) CmdSetProvokingVertexModeEXT(c *abi.CmdSetProvokingVertexModeEXT) {
	r.core.SetProvokingVertexMode(c.ProvokingVertexMode)
}

// CmdSetLineRasterizationModeEXT is vkCmdSetLineRasterizationModeEXT.
func (r *Recorder) CmdSetLineRasterizationModeEXT(c *abi.CmdSetLineRasterizationModeEXT) {
	r.core.SetLineRasterizationMode(c.LineRasterizationMode)
}

// CmdSetLineStippleEnableEXT is vkCmdSetLineStippleEnableEXT.
func (r *Recorder) CmdSetLineStippleEnableEXT(c *abi.CmdSetLineStippleEnableEXT) {
	r.core.SetLineStippleEnable(c.StippledLineEnable.True())
}

// CmdSetLineStipple is vkCmdSetLineStipple.
func (r *Recorder) CmdSetLineStipple(c *abi.CmdSetLineStipple) {
	r.core.SetLineStipple(c.LineStippleFactor, c.LineStipplePattern)
}

// CmdSetPatchControlPointsEXT is vkCmdSetPatchControlPointsEXT.
func (r *Recorder) CmdSetPatchControlPointsEXT(c *abi.CmdSetPatchControlPointsEXT) {
	r.core.SetPatchControlPoints(c.PatchControlPoints)
}

// CmdSetTessellationDomainOriginEXT is vkCmdSetTessellationDomainOriginEXT.
func (r *Recorder) CmdSetTessellationDomainOriginEXT(c *abi.CmdSetTessellationDomainOriginEXT) {
	r.core.SetTessellationDomainOrigin(c.DomainOrigin)
}
