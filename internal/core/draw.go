package core

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// BindVertexBuffer binds size bytes (vk.WholeSize: the rest) of b from offset to
// a vertex binding. b nil is the null buffer, which reads as zero. stride not nil
// sets the stride too (vkCmdBindVertexBuffers2).
func (c *CommandBuffer) BindVertexBuffer(binding uint32, b *Buffer, offset, size uint64, stride *uint32) {
	op := c.op("vkCmdBindVertexBuffers")
	if !c.ok(op, 0) {
		return
	}
	if binding >= render.MaxVertexBindings {
		c.misuse(op, "vkCmdBindVertexBuffers-firstBinding-00624", "", "vertex binding %d; %d is the limit", binding, render.MaxVertexBindings)
		return
	}
	step, set := uint32(0), uint32(0)
	if stride != nil {
		step, set = *stride, 1
		c.stride |= 1 << binding
	}
	object := noObject
	if b != nil {
		if !c.try(b.need(c.dev, op, "vkCmdBindVertexBuffers-pBuffers-00627", vk.BufferUsageVertexBufferBit)) {
			return
		}
		data, err := b.slice(op, "vkCmdBindVertexBuffers-pOffsets-00626", offset, size)
		if !c.try(err) {
			return
		}
		object, offset, size = c.object(b), min(offset, b.Size()), uint64(len(data))
	}
	c.vertex |= 1 << binding
	c.emit(opVertexBuffer, binding, object, lo(offset), hi(offset), lo(size), hi(size), step, set)
}

// BindIndexBuffer binds indices from offset on. b nil is the null buffer, whose
// indices are zero.
func (c *CommandBuffer) BindIndexBuffer(b *Buffer, offset, size uint64, t vk.IndexType) {
	op := c.op("vkCmdBindIndexBuffer")
	if !c.ok(op, 0) {
		return
	}
	align := uint64(0)
	switch t {
	case vk.IndexTypeUint8:
		align = 1
	case vk.IndexTypeUint16:
		align = 2
	case vk.IndexTypeUint32:
		align = 4
	default:
		c.misuse(op, "vkCmdBindIndexBuffer-indexType-08786", "", "index type %v", t)
		return
	}
	if offset%align != 0 {
		c.misuse(op, "vkCmdBindIndexBuffer-offset-08783", "", "offset %d is no multiple of %d", offset, align)
		return
	}
	if b == nil {
		c.indexed = true
		c.emit(opIndexBuffer, noObject, 0, 0, 0, 0, uint32(t))
		return
	}
	if !c.try(b.need(c.dev, op, "vkCmdBindIndexBuffer-buffer-08784", vk.BufferUsageIndexBufferBit)) {
		return
	}
	data, err := b.slice(op, "vkCmdBindIndexBuffer-offset-08782", offset, size)
	if !c.try(err) {
		return
	}
	c.indexed = true
	offset = min(offset, b.Size())
	c.emit(opIndexBuffer, c.object(b), lo(offset), hi(offset), lo(uint64(len(data))), hi(uint64(len(data))), uint32(t))
}

// SetPrimitiveRestartIndex sets the index that restarts primitives, until the next
// index buffer is bound.
//
// RAS-054 vkCmdSetPrimitiveRestartIndexEXT
func (c *CommandBuffer) SetPrimitiveRestartIndex(index uint32) {
	if c.ok("vkCmdSetPrimitiveRestartIndexEXT", 0) {
		c.emit(opRestartIndex, index)
	}
}

// Draw draws vertices.
func (c *CommandBuffer) Draw(op Op, vertices, instances, firstVertex, firstInstance uint32) {
	if c.ok(op, 1) && c.checkVertices(op) && c.checkDraw(op) {
		c.emit(opDraw, vertices, instances, firstVertex, firstInstance)
	}
}

// DrawIndexed draws with indices.
func (c *CommandBuffer) DrawIndexed(op Op, indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	if c.ok(op, 1) && c.checkVertices(op) && c.checkDraw(op) && c.checkIndexed(op) {
		c.emit(opDrawIndexed, indices, instances, firstIndex, uint32(vertexOffset), firstInstance)
	}
}

func (c *CommandBuffer) checkIndexed(op Op) bool {
	if !c.indexed {
		c.misuse(op, "vkCmdDrawIndexed-None-07312", "call vkCmdBindIndexBuffer before", "no index buffer is bound")
	}
	return c.err == nil
}

// DrawIndirect draws with parameters from b; counts, if not nil, holds how many,
// and count is then their maximum.
func (c *CommandBuffer) DrawIndirect(op Op, indexed bool, b *Buffer, offset uint64, count, stride uint32, counts *Buffer, countOffset uint64) {
	switch {
	case !c.ok(op, 1) || !c.checkVertices(op) || !c.checkDraw(op):
	case !indexed:
		c.drawIndirect(op, 16, 0, b, offset, count, stride, counts, countOffset)
	case c.checkIndexed(op):
		c.drawIndirect(op, 20, 1, b, offset, count, stride, counts, countOffset)
	}
}

// drawIndirect records a draw whose parameters are structures of size bytes; flag
// is 1 for indexed ones.
func (c *CommandBuffer) drawIndirect(op Op, size uint64, flag uint32, b *Buffer, offset uint64, count, stride uint32, counts *Buffer, countOffset uint64) {
	if !c.try(b.need(c.dev, op, op.command()+"-buffer-02709", vk.BufferUsageIndirectBufferBit)) {
		return
	}
	if offset%4 != 0 {
		c.misuse(op, op.command()+"-offset-02710", "", "offset %d is no multiple of 4", offset)
		return
	}
	if (count > 1 || counts != nil) && (stride%4 != 0 || uint64(stride) < size) {
		c.misuse(op, op.command()+"-drawCount-00476", "", "stride %d; a multiple of 4 from %d is needed", stride, size)
		return
	}
	if count > 0 && !c.try(b.inRange(op, op.command()+"-drawCount-00488", offset, uint64(stride)*uint64(count-1)+size)) {
		return
	}
	at := noObject
	if counts != nil {
		if !c.try(counts.need(c.dev, op, op.command()+"-countBuffer-02715", vk.BufferUsageIndirectBufferBit)) ||
			!c.try(counts.inRange(op, op.command()+"-countBufferOffset-04129", countOffset, 4)) {
			return
		}
		if countOffset%4 != 0 {
			c.misuse(op, op.command()+"-countBufferOffset-02716", "", "count offset %d is no multiple of 4", countOffset)
			return
		}
		at = c.object(counts)
	}
	c.emit(opDrawIndirect, flag, c.object(b), lo(offset), hi(offset), count, stride, at, lo(countOffset), hi(countOffset))
}

// DrawIndirectCount takes the number of draws from counts, at most maxCount.
func (c *CommandBuffer) DrawIndirectCount(op Op, indexed bool, b *Buffer, offset uint64, counts *Buffer, countOffset uint64, maxCount, stride uint32) {
	if counts == nil {
		c.misuse(op, "vkCmdDrawIndirectCount-countBuffer-parameter", "", "the count buffer is nil")
		return
	}
	c.DrawIndirect(op, indexed, b, offset, maxCount, stride, counts, countOffset)
}

// checkDraw checks that everything that a draw needs is there.
func (c *CommandBuffer) checkDraw(op Op) bool {
	if !c.useObjects(op) || !c.checkBindings(op, vk.PipelineBindPointGraphics) {
		return false
	}
	p := c.pipelines[vk.PipelineBindPointGraphics]
	missing := p.must.without(c.dynamic)
	if c.discards && p.dynamic.has(dynDiscard) {
		missing = missing.and(dynDiscarding)
	}
	if missing != (dynSet{}) {
		m := missing.first()
		err := c.dev.misuse(op, op.command()+"-None-"+dynamicStates[m].unset.rule,
			"call "+string(dynamicStates[m].command)+" before", "%s makes %v dynamic and nothing has set it", p.label(), dynamicStates[m].state)
		if !c.tolerant || missing.and(dynVital) != (dynSet{}) {
			return c.try(err)
		}
	}
	mask := p.vertexMask
	if p.dynamic.has(dynVertexInput) {
		mask = c.input.mask
	}
	if missing := mask &^ c.vertex; missing != 0 {
		c.misuse(op, op.command()+"-None-04007", "call vkCmdBindVertexBuffers before", "no buffer is bound to vertex binding %d", bits.TrailingZeros32(missing))
		return false
	}
	if p.dynamic.has(dynStride) && mask&^c.stride != 0 {
		c.misuse(op, op.command()+"-pStrides-04913", "", "no stride is set for vertex binding %d", bits.TrailingZeros32(mask&^c.stride))
		return false
	}
	if p.viewports == 0 && p.must.has(dynViewport) && p.must.has(dynScissor) && c.viewports != c.scissors {
		c.misuse(op, op.command()+"-viewportCount-03419", "", "%d viewports and %d scissors", c.viewports, c.scissors)
		return false
	}
	return c.checkFormats(op, p)
}

// checkFormats checks the pipeline's attachments against those of the pass.
func (c *CommandBuffer) checkFormats(op Op, p *Pipeline) bool {
	pass := c.pass
	samples := p.samples
	if p.dynamic.has(dynSamples) {
		if samples = c.samples; samples == 0 { // with shader objects, where nothing is rasterized
			samples = pass.samples
		}
	}
	if pass.samples != 0 && samples != pass.samples && !(c.dev.mixes(pass) && samples >= pass.colorSamples) {
		c.misuse(op, op.command()+"-multisampledRenderToSingleSampled-07285", "set VkPipelineMultisampleStateCreateInfo::rasterizationSamples", "%s has %d samples, the attachments %d", p.label(), samples, pass.samples)
		return false
	}
	if p.viewMask != pass.ViewMask {
		c.misuse(op, op.command()+"-viewMask-06178", "", "%s has view mask %#x, the pass %#x", p.label(), p.viewMask, pass.ViewMask)
		return false
	}
	for i := range max(len(p.colorFormats), len(pass.colors)) {
		var have, want vk.Format
		if i < len(pass.colors) {
			have = pass.colors[i]
		}
		if i < len(p.colorFormats) {
			want = p.colorFormats[i]
		}
		if have != want && !c.unused(want) && !(have == vk.FormatUndefined || i >= len(p.colorFormats) && !p.hasFragment) {
			c.misuse(op, op.command()+"-dynamicRenderingUnusedAttachments-08911", "set VkPipelineRenderingCreateInfo::pColorAttachmentFormats", "colour attachment %d is %v, %s has %v", i, have, p.label(), want)
			return false
		}
	}
	for _, t := range []struct {
		have, want vk.Format
		what       string
		rule       string
	}{
		{pass.depth, p.depth, "depth", "dynamicRenderingUnusedAttachments-08914"},
		{pass.stencil, p.stencil, "stencil", "dynamicRenderingUnusedAttachments-08917"},
	} {
		if t.have != t.want && !c.unused(t.have) && !c.unused(t.want) {
			c.misuse(op, op.command()+"-"+t.rule, "set VkPipelineRenderingCreateInfo::depthAttachmentFormat and VkPipelineRenderingCreateInfo::stencilAttachmentFormat", "the %s attachment is %v, %s has %v", t.what, t.have, p.label(), t.want)
			return false
		}
	}
	return true
}
