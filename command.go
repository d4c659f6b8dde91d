package pumice

import (
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CommandBuffer records commands. One goroutine at a time. It can be submitted
// any number of times; recording may go on after a submission, and Reset empties
// it. State (pipelines, sets, push constants) persists as in Vulkan, within and
// across passes, until Reset.
//
// Misuse is found when a command is recorded, except for the regions of copies,
// blits, resolves and clears of images: those are checked when the command runs,
// before it writes anything, and Submit returns what was found.
type CommandBuffer struct{ core *core.CommandBuffer }

// NewCommandBuffer makes an empty command buffer.
func (d *Device) NewCommandBuffer() *CommandBuffer {
	return &CommandBuffer{d.object().NewCommandBuffer()}
}

// Err returns the first recording error.
func (c *CommandBuffer) Err() error { return c.object().Err() }

// Reset empties the command buffer, its error included.
func (c *CommandBuffer) Reset() { c.object().Reset() }

// BeginLabel opens a region of commands with a name, which messages and explanations tell;
// EndLabel closes the one opened last (VK_EXT_debug_utils).
func (c *CommandBuffer) BeginLabel(name string) { c.object().BeginLabel(name) }

// EndLabel closes the region opened last.
func (c *CommandBuffer) EndLabel() { c.object().EndLabel() }

// BindPipeline selects the pipeline of the dispatches that follow.
func (c *CommandBuffer) BindPipeline(p *ComputePipeline) {
	c.object().BindPipeline("CommandBuffer.BindPipeline", vk.PipelineBindPointCompute, p.object())
}

// BindDescriptorSet binds a set for dispatches. dynamicOffsets has one element
// for each dynamic buffer descriptor of the set.
func (c *CommandBuffer) BindDescriptorSet(index int, s *DescriptorSet, dynamicOffsets ...uint32) {
	c.object().BindDescriptorSet("CommandBuffer.BindDescriptorSet", vk.PipelineBindPointCompute, index, s.object(), dynamicOffsets)
}

// PushConstants writes push constants at a byte offset: a []byte, or a value of
// fixed size as in Device.NewBufferFrom. Draws and dispatches share the block.
func (c *CommandBuffer) PushConstants(offset uint32, data any) {
	push(c.object(), "CommandBuffer.PushConstants", offset, data)
}

// Dispatch runs x×y×z workgroups.
func (c *CommandBuffer) Dispatch(x, y, z uint32) {
	c.object().Dispatch("CommandBuffer.Dispatch", [3]uint32{}, [3]uint32{x, y, z})
}

// DispatchIndirect reads the number of workgroups from b (three uint32).
func (c *CommandBuffer) DispatchIndirect(b *Buffer, offset uint64) {
	c.object().DispatchIndirect("CommandBuffer.DispatchIndirect", b.object(), offset)
}

// CopyBuffer copies regions; none means as much from the start as both have.
func (c *CommandBuffer) CopyBuffer(src, dst *Buffer, regions ...vk.BufferCopy) {
	c.object().CopyBuffer(src.object(), dst.object(), regions)
}

// CopyBufferToImage copies regions; none means level 0 of all layers, tightly
// packed from the start of the buffer. Zero fields of a region's subresource
// aspect and layer count mean the format's aspect and 1.
func (c *CommandBuffer) CopyBufferToImage(src *Buffer, dst *Image, regions ...vk.BufferImageCopy) {
	c.object().CopyBufferToImage(src.object(), dst.object(), regions)
}

// CopyImageToBuffer is the reverse of CopyBufferToImage.
func (c *CommandBuffer) CopyImageToBuffer(src *Image, dst *Buffer, regions ...vk.BufferImageCopy) {
	c.object().CopyImageToBuffer(src.object(), dst.object(), regions)
}

// CopyImage copies texels without conversion; no regions means all levels and
// layers of images of the same size.
func (c *CommandBuffer) CopyImage(src, dst *Image, regions ...vk.ImageCopy) {
	c.object().CopyImage(src.object(), dst.object(), regions)
}

// BlitImage copies with scaling and conversion; no regions means level 0 to
// level 0, all layers.
func (c *CommandBuffer) BlitImage(src, dst *Image, filter vk.Filter, regions ...vk.ImageBlit) {
	c.object().BlitImage(src.object(), dst.object(), filter, regions)
}

// ResolveImage makes single samples of a multisampled image; no regions means
// level 0, all layers.
func (c *CommandBuffer) ResolveImage(src, dst *Image, regions ...vk.ImageResolve) {
	c.object().ResolveImage(src.object(), dst.object(), regions)
}

// ClearColorImage clears ranges of a colour image; none means all of it.
func (c *CommandBuffer) ClearColorImage(im *Image, value vk.ClearColorValue, ranges ...vk.ImageSubresourceRange) {
	c.object().ClearColorImage(im.object(), value, ranges)
}

// ClearDepthStencilImage clears ranges of a depth/stencil image; none means all.
func (c *CommandBuffer) ClearDepthStencilImage(im *Image, value vk.ClearDepthStencilValue, ranges ...vk.ImageSubresourceRange) {
	c.object().ClearDepthStencilImage(im.object(), value, ranges)
}

// FillBuffer repeats a word; offset and size are multiples of 4, size
// vk.WholeSize means to the end.
func (c *CommandBuffer) FillBuffer(b *Buffer, offset, size uint64, word uint32) {
	c.object().FillBuffer(b.object(), offset, size, word)
}

// UpdateBuffer puts data (as in PushConstants) into a buffer. Multiples of 4
// bytes, at most 65536.
func (c *CommandBuffer) UpdateBuffer(b *Buffer, offset uint64, data any) {
	const op = "CommandBuffer.UpdateBuffer"
	raw, err := encode(op, data)
	if err != nil {
		c.object().Refuse(err)
		return
	}
	c.object().UpdateBuffer(b.object(), offset, raw)
}

// GenerateMipmaps fills levels 1 and up from level 0 with a linear filter.
func (c *CommandBuffer) GenerateMipmaps(im *Image) { c.object().GenerateMipmaps(im.object()) }

// PipelineBarrier is accepted and checked. It is never needed: commands of a
// device see the effects of all commands before them.
func (c *CommandBuffer) PipelineBarrier(barriers ...vk.MemoryBarrier2) {
	c.object().PipelineBarrier("CommandBuffer.PipelineBarrier", barriers)
}

// WriteTimestamp writes nanoseconds into a timestamp query when all commands
// before are done.
func (c *CommandBuffer) WriteTimestamp(p *QueryPool, query int) {
	c.object().WriteTimestamp(p.object(), query)
}

// BeginRendering begins a render pass; until its End, commands go to the Pass.
func (c *CommandBuffer) BeginRendering(r Rendering) *Pass {
	const op = "CommandBuffer.BeginRendering"
	d := c.device()
	info, err := r.info(d)
	if err != nil {
		c.object().Fail(err)
	}
	area := c.object().BeginRendering(info)
	c.object().DensityOffsets(op, r.DensityOffsets)
	rates, err := surface(d, r.ShadingRates, "the shading rate image")
	if err != nil {
		c.object().Fail(err)
	}
	c.object().BindShadingRateImage(rates)
	p := &Pass{c.object()}
	if c.object().Err() == nil {
		p.SetViewport(vk.Viewport{X: float32(area.Offset.X), Y: float32(area.Offset.Y),
			Width: float32(area.Extent.Width), Height: float32(area.Extent.Height), MaxDepth: 1})
		p.SetScissor(area)
	}
	return p
}
