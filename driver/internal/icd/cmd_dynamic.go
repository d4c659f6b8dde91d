package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// maxViewports bounds what vkCmdSetViewport may name.
const maxViewports = 16

// CmdSetViewport is vkCmdSetViewport. Package core takes all viewports at once;
// those that nothing has set yet are like the first that something has.
func (r *Recorder) CmdSetViewport(c *abi.CmdSetViewport) {
	if uint64(c.FirstViewport)+uint64(c.ViewportCount) > maxViewports || c.ViewportCount == 0 {
		r.misuse("vkCmdSetViewport", "vkCmdSetViewport-firstViewport-01223", "too many viewports")
		return
	}
	r.viewports = place(r.viewports, int(c.FirstViewport), abi.Slice(c.PViewports, c.ViewportCount))
	r.core.SetViewport(r.viewports)
}

// CmdSetScissor is vkCmdSetScissor.
func (r *Recorder) CmdSetScissor(c *abi.CmdSetScissor) {
	if uint64(c.FirstScissor)+uint64(c.ScissorCount) > maxViewports || c.ScissorCount == 0 {
		r.misuse("vkCmdSetScissor", "vkCmdSetScissor-firstScissor-00592", "too many scissors")
		return
	}
	r.scissors = place(r.scissors, int(c.FirstScissor), abi.Slice(c.PScissors, c.ScissorCount))
	r.core.SetScissor(r.scissors)
}

// place puts v at index first of list, which grows as needed.
func place[T any](list []T, first int, v []T) []T {
	for len(v) > 0 && len(list) < first+len(v) {
		list = append(list, v[0])
	}
	copy(list[min(first, len(list)):], v)
	return list
}

// CmdSetViewportWithCount is vkCmdSetViewportWithCount.
func (r *Recorder) CmdSetViewportWithCount(c *abi.CmdSetViewportWithCount) {
	r.viewports = append(r.viewports[:0], abi.Slice(c.PViewports, min(c.ViewportCount, maxViewports+1))...)
	r.core.SetViewport(r.viewports)
}

// CmdSetScissorWithCount is vkCmdSetScissorWithCount.
func (r *Recorder) CmdSetScissorWithCount(c *abi.CmdSetScissorWithCount) {
	r.scissors = append(r.scissors[:0], abi.Slice(c.PScissors, min(c.ScissorCount, maxViewports+1))...)
	r.core.SetScissor(r.scissors)
}

// CmdSetLineWidth is vkCmdSetLineWidth.
func (r *Recorder) CmdSetLineWidth(c *abi.CmdSetLineWidth) { r.core.SetLineWidth(c.LineWidth) }

// CmdSetDepthBias is vkCmdSetDepthBias.
func (r *Recorder) CmdSetDepthBias(c *abi.CmdSetDepthBias) {
	r.core.SetDepthBias(c.DepthBiasConstantFactor, c.DepthBiasClamp, c.DepthBiasSlopeFactor)
}

// CmdSetBlendConstants is vkCmdSetBlendConstants.
func (r *Recorder) CmdSetBlendConstants(c *abi.CmdSetBlendConstants) {
	r.core.SetBlendConstants(c.BlendConstants)
}

// CmdSetDepthBounds is vkCmdSetDepthBounds.
func (r *Recorder) CmdSetDepthBounds(c *abi.CmdSetDepthBounds) {
	r.core.SetDepthBounds(c.MinDepthBounds, c.MaxDepthBounds)
}

// CmdSetStencilCompareMask is vkCmdSetStencilCompareMask.
func (r *Recorder) CmdSetStencilCompareMask(c *abi.CmdSetStencilCompareMask) {
	r.core.SetStencilCompareMask(c.FaceMask, c.CompareMask)
}

// CmdSetStencilWriteMask is vkCmdSetStencilWriteMask.
func (r *Recorder) CmdSetStencilWriteMask(c *abi.CmdSetStencilWriteMask) {
	r.core.SetStencilWriteMask(c.FaceMask, c.WriteMask)
}

// CmdSetStencilReference is vkCmdSetStencilReference.
func (r *Recorder) CmdSetStencilReference(c *abi.CmdSetStencilReference) {
	r.core.SetStencilReference(c.FaceMask, c.Reference)
}

// CmdSetStencilOp is vkCmdSetStencilOp.
func (r *Recorder) CmdSetStencilOp(c *abi.CmdSetStencilOp) {
	r.core.SetStencilOp(c.FaceMask, c.FailOp, c.PassOp, c.DepthFailOp, c.CompareOp)
}

// CmdSetCullMode is vkCmdSetCullMode.
func (r *Recorder) CmdSetCullMode(c *abi.CmdSetCullMode) { r.core.SetCullMode(c.CullMode) }

// CmdSetFrontFace is vkCmdSetFrontFace.
func (r *Recorder) CmdSetFrontFace(c *abi.CmdSetFrontFace) { r.core.SetFrontFace(c.FrontFace) }

// CmdSetPrimitiveTopology is vkCmdSetPrimitiveTopology.
func (r *Recorder) CmdSetPrimitiveTopology(c *abi.CmdSetPrimitiveTopology) {
	r.core.SetPrimitiveTopology(c.PrimitiveTopology)
}

// CmdSetDepthTestEnable is vkCmdSetDepthTestEnable.
func (r *Recorder) CmdSetDepthTestEnable(c *abi.CmdSetDepthTestEnable) {
	r.core.SetDepthTestEnable(c.DepthTestEnable.True())
}

// CmdSetDepthWriteEnable is vkCmdSetDepthWriteEnable.
func (r *Recorder) CmdSetDepthWriteEnable(c *abi.CmdSetDepthWriteEnable) {
	r.core.SetDepthWriteEnable(c.DepthWriteEnable.True())
}

// CmdSetDepthCompareOp is vkCmdSetDepthCompareOp.
func (r *Recorder) CmdSetDepthCompareOp(c *abi.CmdSetDepthCompareOp) {
	r.core.SetDepthCompareOp(c.DepthCompareOp)
}

// CmdSetDepthBoundsTestEnable is vkCmdSetDepthBoundsTestEnable.
func (r *Recorder) CmdSetDepthBoundsTestEnable(c *abi.CmdSetDepthBoundsTestEnable) {
	r.core.SetDepthBoundsTestEnable(c.DepthBoundsTestEnable.True())
}

// CmdSetStencilTestEnable is vkCmdSetStencilTestEnable.
func (r *Recorder) CmdSetStencilTestEnable(c *abi.CmdSetStencilTestEnable) {
	r.core.SetStencilTestEnable(c.StencilTestEnable.True())
}

// CmdSetRasterizerDiscardEnable is vkCmdSetRasterizerDiscardEnable.
func (r *Recorder) CmdSetRasterizerDiscardEnable(c *abi.CmdSetRasterizerDiscardEnable) {
	r.core.SetRasterizerDiscardEnable(c.RasterizerDiscardEnable.True())
}

// CmdSetDepthBiasEnable is vkCmdSetDepthBiasEnable.
func (r *Recorder) CmdSetDepthBiasEnable(c *abi.CmdSetDepthBiasEnable) {
	r.core.SetDepthBiasEnable(c.DepthBiasEnable.True())
}

// CmdSetPrimitiveRestartEnable is vkCmdSetPrimitiveRestartEnable.
func (r *Recorder) CmdSetPrimitiveRestartEnable(c *abi.CmdSetPrimitiveRestartEnable) {
	r.core.SetPrimitiveRestartEnable(c.PrimitiveRestartEnable.True())
}

// CmdSetPrimitiveRestartIndexEXT is vkCmdSetPrimitiveRestartIndexEXT.
func (r *Recorder) CmdSetPrimitiveRestartIndexEXT(c *abi.CmdSetPrimitiveRestartIndexEXT) {
	r.core.SetPrimitiveRestartIndex(c.PrimitiveRestartIndex)
}
