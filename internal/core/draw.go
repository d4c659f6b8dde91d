package core

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// BindVertexBuffer binds size bytes (vk.WholeSize: the rest) of b from offset to
// a vertex binding. b nil is the null buffer, which reads as zero. stride not nil
// sets the stride too (vkCmdBindVertexBuffers2).
func (c *CommandBuffer) BindVertexBuffer(binding uint32, b *Buffer, offset, size uint64, stride *uint32) {
	const op = "Pass.BindVertexBuffer"
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
	const op = "Pass.BindIndexBuffer"
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
	if c.ok("Pass.SetPrimitiveRestartIndex", 0) {
		c.emit(opRestartIndex, index)
	}
}

// Draw draws vertices.
func (c *CommandBuffer) Draw(op string, vertices, instances, firstVertex, firstInstance uint32) {
	if c.ok(op, 1) && c.checkVertices(op) && c.checkDraw(op) {
		c.emit(opDraw, vertices, instances, firstVertex, firstInstance)
	}
}

// DrawIndexed draws with indices.
func (c *CommandBuffer) DrawIndexed(op string, indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	if c.ok(op, 1) && c.checkVertices(op) && c.checkDraw(op) && c.checkIndexed(op) {
		c.emit(opDrawIndexed, indices, instances, firstIndex, uint32(vertexOffset), firstInstance)
	}
}

func (c *CommandBuffer) checkIndexed(op string) bool {
	if !c.indexed {
		c.misuse(op, "vkCmdDrawIndexed-None-07312", "call BindIndexBuffer before", "no index buffer is bound")
	}
	return c.err == nil
}

// DrawIndirect draws with parameters from b; counts, if not nil, holds how many,
// and count is then their maximum.
func (c *CommandBuffer) DrawIndirect(op string, indexed bool, b *Buffer, offset uint64, count, stride uint32, counts *Buffer, countOffset uint64) {
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
func (c *CommandBuffer) drawIndirect(op string, size uint64, flag uint32, b *Buffer, offset uint64, count, stride uint32, counts *Buffer, countOffset uint64) {
	if !c.try(b.need(c.dev, op, vulkanCommand(op)+"-buffer-02709", vk.BufferUsageIndirectBufferBit)) {
		return
	}
	if offset%4 != 0 {
		c.misuse(op, vulkanCommand(op)+"-offset-02710", "", "offset %d is no multiple of 4", offset)
		return
	}
	if (count > 1 || counts != nil) && (stride%4 != 0 || uint64(stride) < size) {
		c.misuse(op, vulkanCommand(op)+"-drawCount-00476", "", "stride %d; a multiple of 4 from %d is needed", stride, size)
		return
	}
	if count > 0 && !c.try(b.inRange(op, vulkanCommand(op)+"-drawCount-00488", offset, uint64(stride)*uint64(count-1)+size)) {
		return
	}
	at := noObject
	if counts != nil {
		if !c.try(counts.need(c.dev, op, vulkanCommand(op)+"-countBuffer-02715", vk.BufferUsageIndirectBufferBit)) ||
			!c.try(counts.inRange(op, vulkanCommand(op)+"-countBufferOffset-04129", countOffset, 4)) {
			return
		}
		if countOffset%4 != 0 {
			c.misuse(op, vulkanCommand(op)+"-countBufferOffset-02716", "", "count offset %d is no multiple of 4", countOffset)
			return
		}
		at = c.object(counts)
	}
	c.emit(opDrawIndirect, flag, c.object(b), lo(offset), hi(offset), count, stride, at, lo(countOffset), hi(countOffset))
}

// DrawIndirectCount takes the number of draws from counts, at most maxCount.
func (c *CommandBuffer) DrawIndirectCount(op string, indexed bool, b *Buffer, offset uint64, counts *Buffer, countOffset uint64, maxCount, stride uint32) {
	if counts == nil {
		c.misuse(op, "vkCmdDrawIndirectCount-countBuffer-parameter", "", "the count buffer is nil")
		return
	}
	c.DrawIndirect(op, indexed, b, offset, maxCount, stride, counts, countOffset)
}

// checkDraw checks that everything that a draw needs is there.
func (c *CommandBuffer) checkDraw(op string) bool {
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
		err := c.dev.misuse(op, vulkanCommand(op)+"-None-"+dynRules[m], "call its Set method before", "%s makes %v dynamic and nothing has set it", p.label(), dynStates[m])
		if !c.tolerant || missing.and(dynVital) != (dynSet{}) {
			return c.try(err)
		}
	}
	mask := p.vertexMask
	if p.dynamic.has(dynVertexInput) {
		mask = c.input.mask
	}
	if missing := mask &^ c.vertex; missing != 0 {
		c.misuse(op, vulkanCommand(op)+"-None-04007", "call BindVertexBuffer before", "no buffer is bound to vertex binding %d", bits.TrailingZeros32(missing))
		return false
	}
	if p.dynamic.has(dynStride) && mask&^c.stride != 0 {
		c.misuse(op, vulkanCommand(op)+"-None-04913", "", "no stride is set for vertex binding %d", bits.TrailingZeros32(mask&^c.stride))
		return false
	}
	if p.viewports == 0 && p.must.has(dynViewport) && p.must.has(dynScissor) && c.viewports != c.scissors {
		c.misuse(op, vulkanCommand(op)+"-viewportCount-03419", "", "%d viewports and %d scissors", c.viewports, c.scissors)
		return false
	}
	return c.checkFormats(op, p)
}

// checkFormats checks the pipeline's attachments against those of the pass.
func (c *CommandBuffer) checkFormats(op string, p *Pipeline) bool {
	pass := c.pass
	samples := p.samples
	if p.dynamic.has(dynSamples) {
		if samples = c.samples; samples == 0 { // with shader objects, where nothing is rasterized
			samples = pass.samples
		}
	}
	if pass.samples != 0 && samples != pass.samples && !(c.dev.mixes(pass) && samples >= pass.colorSamples) {
		c.misuse(op, vulkanCommand(op)+"-multisampledRenderToSingleSampled-07285", "set GraphicsPipelineDesc.Samples", "%s has %d samples, the attachments %d", p.label(), samples, pass.samples)
		return false
	}
	if p.viewMask != pass.ViewMask {
		c.misuse(op, vulkanCommand(op)+"-viewMask-06178", "", "%s has view mask %#x, the pass %#x", p.label(), p.viewMask, pass.ViewMask)
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
			c.misuse(op, vulkanCommand(op)+"-dynamicRenderingUnusedAttachments-08911", "set GraphicsPipelineDesc.ColorFormats", "colour attachment %d is %v, %s has %v", i, have, p.label(), want)
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
			c.misuse(op, vulkanCommand(op)+"-"+t.rule, "set GraphicsPipelineDesc.DepthFormat and StencilFormat", "the %s attachment is %v, %s has %v", t.what, t.have, p.label(), t.want)
			return false
		}
	}
	return true
}

// set records a dynamic state.
func (c *CommandBuffer) set(op string, m dynState, words ...uint32) {
	if c.ok(op, 0) {
		c.dynamic.add(m)
		c.words = append(c.words, uint32(opDynamic)<<24|uint32(1+len(words)), uint32(m))
		c.words = append(c.words, words...)
	}
}

// SetViewport sets viewports from 0 on, and their count.
func (c *CommandBuffer) SetViewport(viewports []vk.Viewport) {
	const op = "Pass.SetViewport"
	if !c.ok(op, 0) {
		return
	}
	if len(viewports) == 0 || len(viewports) > render.MaxViewports {
		c.misuse(op, "vkCmdSetViewportWithCount-viewportCount-03394", "", "%d viewports", len(viewports))
		return
	}
	var words []uint32
	for _, v := range viewports {
		if !(v.Width > 0 && v.Width <= 32768) || !(v.Height >= -32768 && v.Height <= 32768) {
			c.misuse(op, "VkViewport-width-01770", "", "viewport of %v×%v", v.Width, v.Height)
			return
		}
		if !inBounds(v.X) || !inBounds(v.Y) || !inBounds(v.X+v.Width) || !inBounds(v.Y+v.Height) {
			c.misuse(op, "VkViewport-x-01774", "", "viewport at %v,%v", v.X, v.Y)
			return
		}
		if !c.try(c.dev.mendDepth(op, "VkViewport-minDepth-01234", "a viewport's depth of", &v.MinDepth, &v.MaxDepth)) {
			return
		}
		for _, f := range [6]float32{v.X, v.Y, v.Width, v.Height, v.MinDepth, v.MaxDepth} {
			words = append(words, math.Float32bits(f))
		}
	}
	c.viewports = len(viewports)
	c.set(op, dynViewport, words...)
}

// inBounds checks viewportBoundsRange (RAS-007).
func inBounds(v float32) bool { return v >= -65536 && v <= 65535 }

// SetScissor sets scissors from 0 on, and their count.
func (c *CommandBuffer) SetScissor(scissors []vk.Rect2D) {
	const op = "Pass.SetScissor"
	if !c.ok(op, 0) {
		return
	}
	if len(scissors) == 0 || len(scissors) > render.MaxViewports {
		c.misuse(op, "vkCmdSetScissorWithCount-scissorCount-03397", "", "%d scissors", len(scissors))
		return
	}
	var words []uint32
	for _, s := range scissors {
		if !c.try(c.mendScissor(op, &s)) {
			return
		}
		words = append(words, uint32(s.Offset.X), uint32(s.Offset.Y), s.Extent.Width, s.Extent.Height)
	}
	c.scissors = len(scissors)
	c.set(op, dynScissor, words...)
}

// SetLineWidth sets the line width.
func (c *CommandBuffer) SetLineWidth(width float32) {
	const op = "Pass.SetLineWidth"
	if !c.ok(op, 0) {
		return
	}
	if !(width >= minLineWidth && width <= maxLineWidth) {
		if !c.try(c.dev.harmless(op, "vkCmdSetLineWidth-lineWidth-00788", "see Limits.LineWidthRange", "line width %v", width)) {
			return
		}
		if width = min(max(width, minLineWidth), maxLineWidth); width != width {
			width = 1
		}
	}
	c.set(op, dynLineWidth, math.Float32bits(width))
}

// SetFloats records a state of floats.
func (c *CommandBuffer) setFloats(op string, m dynState, v ...float32) {
	words := make([]uint32, len(v))
	for i, f := range v {
		words[i] = math.Float32bits(f)
	}
	c.set(op, m, words...)
}

// SetDepthBias sets the depth bias in its default representation.
func (c *CommandBuffer) SetDepthBias(constant, clamp, slope float32) {
	c.SetDepthBiasAs(constant, clamp, slope, vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT, false)
}

// SetDepthBiasAs sets the depth bias; unit says what constant is counted in.
func (c *CommandBuffer) SetDepthBiasAs(constant, clamp, slope float32, unit vk.DepthBiasRepresentationEXT, exact bool) {
	const op = "Pass.SetDepthBias"
	if unit < 0 || unit > vk.DepthBiasRepresentationFloatEXT {
		c.misuse(op, "VkDepthBiasRepresentationInfoEXT-depthBiasRepresentation-parameter", "", "representation %d", unit)
		return
	}
	word := uint32(0)
	if exact {
		word = 1
	}
	c.set(op, dynDepthBias, math.Float32bits(constant), math.Float32bits(clamp), math.Float32bits(slope), uint32(unit), word)
}

// SetBlendConstants sets the blend constants.
func (c *CommandBuffer) SetBlendConstants(rgba [4]float32) {
	c.setFloats("Pass.SetBlendConstants", dynBlendConstants, rgba[:]...)
}

// depth says whether a depth may be asked for: between 0 and 1, or with
// Config.DepthUnrestricted any number.
func (d *Device) depth(z float32) bool { return z >= 0 && z <= 1 || z == z && d.cfg.DepthUnrestricted }

// SetDepthBounds sets the bounds of the depth bounds test.
func (c *CommandBuffer) SetDepthBounds(low, high float32) {
	const op = "Pass.SetDepthBounds"
	if !c.ok(op, 0) {
		return
	}
	if !c.try(c.dev.mendDepth(op, "vkCmdSetDepthBounds-minDepthBounds-00600", "a depth bound of", &low, &high)) {
		return
	}
	c.setFloats(op, dynDepthBounds, low, high)
}

// SetStencilCompareMask sets the compare mask of faces.
func (c *CommandBuffer) SetStencilCompareMask(faces vk.StencilFaceFlags, mask uint32) {
	c.set("Pass.SetStencilCompareMask", dynStencilCompareMask, uint32(faces), mask)
}

// SetStencilWriteMask sets the write mask of faces.
func (c *CommandBuffer) SetStencilWriteMask(faces vk.StencilFaceFlags, mask uint32) {
	c.set("Pass.SetStencilWriteMask", dynStencilWriteMask, uint32(faces), mask)
}

// SetStencilReference sets the reference of faces.
func (c *CommandBuffer) SetStencilReference(faces vk.StencilFaceFlags, ref uint32) {
	c.set("Pass.SetStencilReference", dynStencilReference, uint32(faces), ref)
}

// enum records a state of one enum value that must lie in lo…hi.
func (c *CommandBuffer) enum(op, rule string, m dynState, v, low, high int64) {
	if v < low || v > high {
		c.misuse(op, rule, "", "value %d", v)
		return
	}
	c.set(op, m, uint32(v))
}

// SetStencilOp sets the operations of faces.
func (c *CommandBuffer) SetStencilOp(faces vk.StencilFaceFlags, fail, pass, depthFail vk.StencilOp, compare vk.CompareOp) {
	const op = "Pass.SetStencilOp"
	for _, o := range [3]vk.StencilOp{fail, pass, depthFail} {
		if o < vk.StencilOpKeep || o > vk.StencilOpDecrementAndWrap {
			c.misuse(op, "vkCmdSetStencilOp-failOp-parameter", "", "stencil operation %d", o)
			return
		}
	}
	if compare < vk.CompareOpNever || compare > vk.CompareOpAlways {
		c.misuse(op, "vkCmdSetStencilOp-compareOp-parameter", "", "compare operator %d", compare)
		return
	}
	c.set(op, dynStencilOp, uint32(faces), uint32(fail), uint32(pass), uint32(depthFail), uint32(compare))
}

// SetCullMode sets which faces are culled.
func (c *CommandBuffer) SetCullMode(v vk.CullModeFlags) {
	c.enum("Pass.SetCullMode", "vkCmdSetCullMode-cullMode-parameter", dynCullMode, int64(v), 0, 3)
}

// SetFrontFace sets the winding of front faces.
func (c *CommandBuffer) SetFrontFace(v vk.FrontFace) {
	c.enum("Pass.SetFrontFace", "vkCmdSetFrontFace-frontFace-parameter", dynFrontFace, int64(v), 0, 1)
}

// SetPrimitiveTopology sets the topology.
func (c *CommandBuffer) SetPrimitiveTopology(v vk.PrimitiveTopology) {
	c.enum("Pass.SetPrimitiveTopology", "vkCmdSetPrimitiveTopology-primitiveTopology-parameter", dynTopology, int64(v), 0, int64(vk.PrimitiveTopologyPatchList))
}

// SetDepthCompareOp sets the depth comparison.
func (c *CommandBuffer) SetDepthCompareOp(v vk.CompareOp) {
	c.enum("Pass.SetDepthCompareOp", "vkCmdSetDepthCompareOp-depthCompareOp-parameter", dynDepthCompare, int64(v), 0, int64(vk.CompareOpAlways))
}

func (c *CommandBuffer) toggle(op string, m dynState, on bool) {
	v := uint32(0)
	if on {
		v = 1
	}
	c.set(op, m, v)
}

// SetStencilTestEnable switches the stencil test.
func (c *CommandBuffer) SetStencilTestEnable(on bool) {
	c.toggle("Pass.SetStencilTestEnable", dynStencilTest, on)
}

// SetDepthTestEnable switches the depth test.
func (c *CommandBuffer) SetDepthTestEnable(on bool) {
	c.toggle("Pass.SetDepthTestEnable", dynDepthTest, on)
}

// SetDepthWriteEnable switches depth writes.
func (c *CommandBuffer) SetDepthWriteEnable(on bool) {
	c.toggle("Pass.SetDepthWriteEnable", dynDepthWrite, on)
}

// SetDepthBoundsTestEnable switches the depth bounds test.
func (c *CommandBuffer) SetDepthBoundsTestEnable(on bool) {
	c.toggle("Pass.SetDepthBoundsTestEnable", dynDepthBoundsTest, on)
}

// SetDepthBiasEnable switches the depth bias.
func (c *CommandBuffer) SetDepthBiasEnable(on bool) {
	c.toggle("Pass.SetDepthBiasEnable", dynDepthBiasEnable, on)
}

// SetPrimitiveRestartEnable switches primitive restart.
func (c *CommandBuffer) SetPrimitiveRestartEnable(on bool) {
	c.toggle("Pass.SetPrimitiveRestartEnable", dynRestart, on)
}

// SetRasterizerDiscardEnable switches rasterizer discard.
func (c *CommandBuffer) SetRasterizerDiscardEnable(on bool) {
	const op = "Pass.SetRasterizerDiscardEnable"
	if c.ok(op, 0) {
		c.discards = on
		c.toggle(op, dynDiscard, on)
	}
}
