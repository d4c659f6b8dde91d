package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// CmdDraw is vkCmdDraw.
func (r *Recorder) CmdDraw(c *abi.CmdDraw) {
	r.core.Draw("vkCmdDraw", c.VertexCount, c.InstanceCount, c.FirstVertex, c.FirstInstance)
}

// CmdDrawIndexed is vkCmdDrawIndexed.
func (r *Recorder) CmdDrawIndexed(c *abi.CmdDrawIndexed) {
	r.core.DrawIndexed("vkCmdDrawIndexed", c.IndexCount, c.InstanceCount, c.FirstIndex, c.VertexOffset, c.FirstInstance)
}

// CmdDrawIndirect is vkCmdDrawIndirect.
func (r *Recorder) CmdDrawIndirect(c *abi.CmdDrawIndirect) {
	r.core.DrawIndirect("vkCmdDrawIndirect", false, r.buffer(c.Buffer), c.Offset, c.DrawCount, c.Stride, nil, 0)
}

// CmdDrawIndexedIndirect is vkCmdDrawIndexedIndirect.
func (r *Recorder) CmdDrawIndexedIndirect(c *abi.CmdDrawIndexedIndirect) {
	r.core.DrawIndirect("vkCmdDrawIndexedIndirect", true, r.buffer(c.Buffer), c.Offset, c.DrawCount, c.Stride, nil, 0)
}

// CmdDrawIndirectCount is vkCmdDrawIndirectCount.
func (r *Recorder) CmdDrawIndirectCount(c *abi.CmdDrawIndirectCount) {
	r.core.DrawIndirectCount("vkCmdDrawIndirectCount", false, r.buffer(c.Buffer), c.Offset, r.buffer(c.CountBuffer), c.CountBufferOffset, c.MaxDrawCount, c.Stride)
}

// CmdDrawIndexedIndirectCount is vkCmdDrawIndexedIndirectCount.
func (r *Recorder) CmdDrawIndexedIndirectCount(c *abi.CmdDrawIndexedIndirectCount) {
	r.core.DrawIndirectCount("vkCmdDrawIndexedIndirectCount", true, r.buffer(c.Buffer), c.Offset, r.buffer(c.CountBuffer), c.CountBufferOffset, c.MaxDrawCount, c.Stride)
}

// CmdDispatch is vkCmdDispatch.
func (r *Recorder) CmdDispatch(c *abi.CmdDispatch) {
	r.core.Dispatch("vkCmdDispatch", [3]uint32{}, [3]uint32{c.GroupCountX, c.GroupCountY, c.GroupCountZ})
}

// CmdDispatchBase is vkCmdDispatchBase.
func (r *Recorder) CmdDispatchBase(c *abi.CmdDispatchBase) {
	r.core.Dispatch("vkCmdDispatchBase", [3]uint32{c.BaseGroupX, c.BaseGroupY, c.BaseGroupZ}, [3]uint32{c.GroupCountX, c.GroupCountY, c.GroupCountZ})
}

// CmdDispatchIndirect is vkCmdDispatchIndirect.
func (r *Recorder) CmdDispatchIndirect(c *abi.CmdDispatchIndirect) {
	r.core.DispatchIndirect("vkCmdDispatchIndirect", r.buffer(c.Buffer), c.Offset)
}

// CmdDrawMultiEXT is vkCmdDrawMultiEXT.
func (r *Recorder) CmdDrawMultiEXT(c *abi.CmdDrawMultiEXT) {
	if c.PVertexInfo == nil {
		return
	}
	for n := range uintptr(c.DrawCount) {
		i := (*abi.MultiDrawInfoEXT)(unsafe.Add(unsafe.Pointer(c.PVertexInfo), n*uintptr(c.Stride)))
		r.core.DrawMulti("vkCmdDrawMultiEXT", uint32(n), i.VertexCount, c.InstanceCount, i.FirstVertex, c.FirstInstance)
	}
}

// CmdDrawMultiIndexedEXT is vkCmdDrawMultiIndexedEXT.
func (r *Recorder) CmdDrawMultiIndexedEXT(c *abi.CmdDrawMultiIndexedEXT) {
	if c.PIndexInfo == nil {
		return
	}
	for n := range uintptr(c.DrawCount) {
		i := (*abi.MultiDrawIndexedInfoEXT)(unsafe.Add(unsafe.Pointer(c.PIndexInfo), n*uintptr(c.Stride)))
		offset := i.VertexOffset
		if c.PVertexOffset != nil {
			offset = *c.PVertexOffset
		}
		r.core.DrawMultiIndexed("vkCmdDrawMultiIndexedEXT", uint32(n), i.IndexCount, c.InstanceCount, i.FirstIndex, offset, c.FirstInstance)
	}
}
