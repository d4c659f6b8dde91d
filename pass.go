package pumice

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Rendering describes a render pass (vkCmdBeginRendering).
type Rendering struct {
	// Color are the colour attachments by location; an element without a
	// Target is unused.
	Color []Attachment
	// Depth and Stencil may name the same depth/stencil target.
	Depth, Stencil *Attachment
	// Area is the render area in pixels; zero means all of the attachments.
	Area vk.Rect2D
	// Layers is the number of layers drawn to; 0 means 1.
	Layers int
	// ViewMask makes it a multiview pass.
	ViewMask uint32
	// Density is a fragment density map, an *Image or an *ImageView with usage
	// FRAGMENT_DENSITY_MAP; nil: none. It is stretched over the area from (0, 0) on;
	// its red and green say how many fragments there are to a pixel each way, from 1
	// down to 1/4. DensityOffsets move it, by layer of the map, in multiples of 8
	// pixels; none: not at all.
	Density        View
	DensityOffsets []vk.Offset2D
	// ShadingRates is a shading rate image, an *Image or an *ImageView of R8_UINT with
	// usage SHADING_RATE_IMAGE; nil: one of zeros. A texel for each 16×16 pixels names
	// an entry of the ShadingRatePalette of pipelines that have one.
	ShadingRates View
}

// Attachment is what a pass draws to.
type Attachment struct {
	// Target is an *Image (its level 0) or an *ImageView.
	Target View
	// Load says what happens to the contents at the beginning (zero: they are
	// kept), Store at the end (zero: they are stored).
	Load  vk.AttachmentLoadOp
	Store vk.AttachmentStoreOp
	// Clear is the value for vk.AttachmentLoadOpClear.
	Clear vk.ClearValue
	// Resolve is where the samples are resolved to at the end; nil: nowhere.
	// ResolveMode zero means AVERAGE, or SAMPLE_ZERO for integers, depth and
	// stencil.
	Resolve     View
	ResolveMode vk.ResolveModeFlags
}

// ClearTo describes a pass that clears target to c and draws to it.
func ClearTo(target View, c color.Color) Rendering {
	return Rendering{Color: []Attachment{{Target: target, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: ClearColor(formatOf(target), c)}}}}
}

// WithDepth adds a depth target, cleared to depth; a depth/stencil target is
// added as both, its stencil cleared to 0.
func (r Rendering) WithDepth(target View, depth float32) Rendering {
	a := &Attachment{Target: target, Load: vk.AttachmentLoadOpClear}
	a.Clear.DepthStencil.Depth = depth
	aspects := aspectsOf(target)
	if aspects&vk.ImageAspectStencilBit != 0 {
		r.Stencil = a
	}
	if aspects&vk.ImageAspectStencilBit == 0 || aspects&vk.ImageAspectDepthBit != 0 {
		r.Depth = a
	}
	return r
}

// WithResolve resolves the first colour attachment to target at the end.
func (r Rendering) WithResolve(target View) Rendering {
	r.Color = slices.Clone(r.Color)
	if len(r.Color) == 0 {
		r.Color = []Attachment{{}}
	}
	r.Color[0].Resolve = target
	return r
}

// info translates the description. Whoever has forgotten a target is told of it.
func (r *Rendering) info(d *core.Device) (info core.RenderingInfo, err error) {
	info = core.RenderingInfo{Area: r.Area, LayerCount: r.Layers, ViewMask: r.ViewMask, Color: make([]core.RenderingAttachment, len(r.Color))}
	for i := range r.Color {
		if info.Color[i], err = r.Color[i].info(d, fmt.Sprintf("colour attachment %d", i), false); err != nil {
			return info, err
		}
	}
	for _, a := range []struct {
		from *Attachment
		to   **core.RenderingAttachment
		what string
	}{{r.Depth, &info.Depth, "the depth attachment"}, {r.Stencil, &info.Stencil, "the stencil attachment"}} {
		if a.from == nil {
			continue
		}
		out, err := a.from.info(d, a.what, true)
		if err != nil {
			return info, err
		}
		*a.to = &out
	}
	info.Density, err = surface(d, r.Density, "the density map")
	return info, err
}

// info translates the attachment; meant says that there is one only to have a target.
func (a *Attachment) info(d *core.Device, what string, meant bool) (out core.RenderingAttachment, err error) {
	out = core.RenderingAttachment{ResolveMode: a.ResolveMode, Load: a.Load, Store: a.Store, Clear: a.Clear}
	if a.Target == nil && (meant || a.Resolve != nil || a.Load == vk.AttachmentLoadOpClear) {
		d.Warn("CommandBuffer.BeginRendering", "nil object", "set its Target, or leave the attachment out", "%s has no Target: nothing is drawn to it", what)
	}
	if out.View, err = surface(d, a.Target, "the target of "+what); err != nil {
		return out, err
	}
	out.Resolve, err = surface(d, a.Resolve, "the resolve target of "+what)
	return out, err
}

// surface returns what an attachment draws to; nil for nil.
func surface(d *core.Device, v View, what string) (*core.ImageView, error) {
	const op = "CommandBuffer.BeginRendering"
	switch v := v.(type) {
	case nil:
		return nil, nil
	case *Image:
		if v.object() != nil {
			return v.core.Surface()
		}
	case *ImageView:
		if v.object() != nil {
			return v.core, nil
		}
	default:
		return nil, d.Tell(&Error{Op: op, Rule: "View", Detail: fmt.Sprintf("%s is a view of type %T", what, v)})
	}
	return nil, d.Tell(&Error{Op: op, Rule: "nil object", Detail: fmt.Sprintf("%s is a %T that is nil", what, v), Hint: "check the error of the call that made it"})
}

// Pass records the commands of a render pass. State that a pipeline has not
// made dynamic comes from the pipeline. Viewport 0 and scissor 0 begin as the
// render area.
type Pass struct{ core *core.CommandBuffer }

// End ends the pass.
func (p *Pass) End() { p.object().EndRendering("Pass.End") }

// BeginLabel opens a region of the pass's commands with a name; see CommandBuffer.BeginLabel.
func (p *Pass) BeginLabel(name string) { p.object().BeginLabel(name) }

// EndLabel closes the region opened last.
func (p *Pass) EndLabel() { p.object().EndLabel() }

// BindPipeline selects the pipeline of the draws that follow.
func (p *Pass) BindPipeline(g *GraphicsPipeline) {
	p.object().BindPipeline("Pass.BindPipeline", vk.PipelineBindPointGraphics, g.object())
}

// BindDescriptorSet binds a set for draws. dynamicOffsets has one element for
// each dynamic buffer descriptor of the set.
func (p *Pass) BindDescriptorSet(index int, s *DescriptorSet, dynamicOffsets ...uint32) {
	p.object().BindDescriptorSet("Pass.BindDescriptorSet", vk.PipelineBindPointGraphics, index, s.object(), dynamicOffsets)
}

// PushConstants writes push constants at a byte offset: a []byte, or a value of
// fixed size as in Device.NewBufferFrom.
func (p *Pass) PushConstants(offset uint32, data any) {
	push(p.object(), "Pass.PushConstants", offset, data)
}

// BindVertexBuffer binds the bytes of b from offset on to a vertex binding. A nil
// buffer reads as zero.
func (p *Pass) BindVertexBuffer(binding uint32, b *Buffer, offset uint64) {
	p.object().BindVertexBuffer(binding, b.object(), offset, vk.WholeSize, nil)
}

// BindVertexBufferStride is BindVertexBuffer for pipelines that make the stride
// dynamic (DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE); stride is in bytes.
func (p *Pass) BindVertexBufferStride(binding uint32, b *Buffer, offset uint64, stride uint32) {
	p.object().BindVertexBuffer(binding, b.object(), offset, vk.WholeSize, &stride)
}

// BindIndexBuffer binds indices from offset on.
func (p *Pass) BindIndexBuffer(b *Buffer, offset uint64, t vk.IndexType) {
	p.object().BindIndexBuffer(b.object(), offset, vk.WholeSize, t)
}

// Draw draws vertices 0…vertices−1 of instances 0…instances−1.
func (p *Pass) Draw(vertices, instances uint32) {
	p.object().Draw("Pass.Draw", vertices, instances, 0, 0)
}

// DrawRange draws with first vertex and first instance.
func (p *Pass) DrawRange(vertices, instances, firstVertex, firstInstance uint32) {
	p.object().Draw("Pass.DrawRange", vertices, instances, firstVertex, firstInstance)
}

// DrawMeshTasks draws x·y·z workgroups of the pipeline's task shader, or of its
// mesh shader.
func (p *Pass) DrawMeshTasks(x, y, z uint32) {
	p.object().DrawMeshTasks("Pass.DrawMeshTasks", [3]uint32{x, y, z})
}

// DrawIndexed draws with indices; vertexOffset is added to each.
func (p *Pass) DrawIndexed(indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	p.object().DrawIndexed("Pass.DrawIndexed", indices, instances, firstIndex, vertexOffset, firstInstance)
}

// DrawIndirect draws count times with VkDrawIndirectCommand structures from b,
// stride bytes apart.
func (p *Pass) DrawIndirect(b *Buffer, offset uint64, count, stride uint32) {
	p.object().DrawIndirect("Pass.DrawIndirect", false, b.object(), offset, count, stride, nil, 0)
}

// DrawIndexedIndirect likewise with VkDrawIndexedIndirectCommand.
func (p *Pass) DrawIndexedIndirect(b *Buffer, offset uint64, count, stride uint32) {
	p.object().DrawIndirect("Pass.DrawIndexedIndirect", true, b.object(), offset, count, stride, nil, 0)
}

// DrawIndirectCount takes the number of draws from countBuffer, at most
// maxCount.
func (p *Pass) DrawIndirectCount(b *Buffer, offset uint64, countBuffer *Buffer, countOffset uint64, maxCount, stride uint32) {
	p.object().DrawIndirectCount("Pass.DrawIndirectCount", false, b.object(), offset, countBuffer.object(), countOffset, maxCount, stride)
}

// DrawIndexedIndirectCount likewise with VkDrawIndexedIndirectCommand.
func (p *Pass) DrawIndexedIndirectCount(b *Buffer, offset uint64, countBuffer *Buffer, countOffset uint64, maxCount, stride uint32) {
	p.object().DrawIndirectCount("Pass.DrawIndexedIndirectCount", true, b.object(), offset, countBuffer.object(), countOffset, maxCount, stride)
}

// ClearAttachments clears rectangles of attachments; no rectangles means the
// render area.
func (p *Pass) ClearAttachments(attachments []vk.ClearAttachment, rects ...vk.ClearRect) {
	p.object().ClearAttachments(attachments, rects)
}

// BeginQuery counts samples that pass into an occlusion query until EndQuery.
func (p *Pass) BeginQuery(pool *QueryPool, query int) { p.object().BeginQuery(pool.object(), query) }

// EndQuery ends a query of this pass.
func (p *Pass) EndQuery(pool *QueryPool, query int) { p.object().EndQuery(pool.object(), query) }

// The Set methods are vkCmdSet…: they set state that the bound pipeline has made
// dynamic.

// set sets a dynamic state from words, as core.CommandBuffer.SetState takes them.
func (p *Pass) set(s vk.DynamicState, words ...uint32) { p.object().SetState(s, words...) }

// SetViewport sets viewports from index 0 on (and their count).
func (p *Pass) SetViewport(viewports ...vk.Viewport) { p.object().SetViewport(viewports) }

// SetScissor sets scissors from index 0 on (and their count).
func (p *Pass) SetScissor(scissors ...vk.Rect2D) { p.object().SetScissor(scissors) }

// SetLineWidth sets the line width in pixels.
func (p *Pass) SetLineWidth(width float32) {
	p.set(vk.DynamicStateLineWidth, math.Float32bits(width))
}

// SetDepthBias sets the depth bias.
func (p *Pass) SetDepthBias(constant, clamp, slope float32) {
	p.set(vk.DynamicStateDepthBias, math.Float32bits(constant), math.Float32bits(clamp), math.Float32bits(slope))
}

// SetBlendConstants sets the blend constants (R, G, B, A).
func (p *Pass) SetBlendConstants(rgba [4]float32) {
	p.set(vk.DynamicStateBlendConstants, math.Float32bits(rgba[0]), math.Float32bits(rgba[1]),
		math.Float32bits(rgba[2]), math.Float32bits(rgba[3]))
}

// SetDepthBounds sets the bounds of the depth bounds test.
func (p *Pass) SetDepthBounds(lo, hi float32) {
	p.set(vk.DynamicStateDepthBounds, math.Float32bits(lo), math.Float32bits(hi))
}

// SetStencilCompareMask sets a mask for faces.
func (p *Pass) SetStencilCompareMask(faces vk.StencilFaceFlags, mask uint32) {
	p.set(vk.DynamicStateStencilCompareMask, uint32(faces), mask)
}

// SetStencilWriteMask sets a mask for faces.
func (p *Pass) SetStencilWriteMask(faces vk.StencilFaceFlags, mask uint32) {
	p.set(vk.DynamicStateStencilWriteMask, uint32(faces), mask)
}

// SetStencilReference sets the reference for faces.
func (p *Pass) SetStencilReference(faces vk.StencilFaceFlags, ref uint32) {
	p.set(vk.DynamicStateStencilReference, uint32(faces), ref)
}

// SetStencilOp sets the stencil operations for faces.
func (p *Pass) SetStencilOp(faces vk.StencilFaceFlags, fail, pass, depthFail vk.StencilOp, compare vk.CompareOp) {
	p.set(vk.DynamicStateStencilOp, uint32(faces), uint32(fail), uint32(pass), uint32(depthFail), uint32(compare))
}

// SetStencilTestEnable switches the stencil test.
func (p *Pass) SetStencilTestEnable(on bool) { p.set(vk.DynamicStateStencilTestEnable, core.Word(on)) }

// SetDepthTestEnable switches the depth test.
func (p *Pass) SetDepthTestEnable(on bool) { p.set(vk.DynamicStateDepthTestEnable, core.Word(on)) }

// SetDepthWriteEnable switches depth writes.
func (p *Pass) SetDepthWriteEnable(on bool) { p.set(vk.DynamicStateDepthWriteEnable, core.Word(on)) }

// SetDepthCompareOp sets the depth comparison.
func (p *Pass) SetDepthCompareOp(op vk.CompareOp) { p.set(vk.DynamicStateDepthCompareOp, uint32(op)) }

// SetDepthBoundsTestEnable switches the depth bounds test.
func (p *Pass) SetDepthBoundsTestEnable(on bool) {
	p.set(vk.DynamicStateDepthBoundsTestEnable, core.Word(on))
}

// SetDepthBiasEnable switches the depth bias.
func (p *Pass) SetDepthBiasEnable(on bool) { p.set(vk.DynamicStateDepthBiasEnable, core.Word(on)) }

// SetCullMode sets which faces are culled.
func (p *Pass) SetCullMode(mode vk.CullModeFlags) { p.set(vk.DynamicStateCullMode, uint32(mode)) }

// SetFrontFace sets which winding is front-facing.
func (p *Pass) SetFrontFace(f vk.FrontFace) { p.set(vk.DynamicStateFrontFace, uint32(f)) }

// SetPrimitiveTopology sets the topology.
func (p *Pass) SetPrimitiveTopology(t vk.PrimitiveTopology) {
	p.set(vk.DynamicStatePrimitiveTopology, uint32(t))
}

// SetPrimitiveRestartEnable switches primitive restart.
func (p *Pass) SetPrimitiveRestartEnable(on bool) {
	p.set(vk.DynamicStatePrimitiveRestartEnable, core.Word(on))
}

// SetPrimitiveRestartIndex sets the index that restarts primitives; binding an index buffer
// brings back the largest index of its type.
func (p *Pass) SetPrimitiveRestartIndex(index uint32) { p.object().SetPrimitiveRestartIndex(index) }

// SetRasterizerDiscardEnable switches rasterizer discard.
func (p *Pass) SetRasterizerDiscardEnable(on bool) {
	p.set(vk.DynamicStateRasterizerDiscardEnable, core.Word(on))
}

// QueryPool holds query results.
type QueryPool struct{ core *core.QueryPool }

// NewQueryPool makes count queries of type OCCLUSION or TIMESTAMP. A query is
// reset whenever it begins or is written.
func (d *Device) NewQueryPool(t vk.QueryType, count int) (*QueryPool, error) {
	o, err := d.object().NewQueryPool(t, count)
	if err != nil {
		return nil, err
	}
	return &QueryPool{o}, nil
}

// Results returns all results, after all work submitted before.
func (q *QueryPool) Results(ctx context.Context) ([]uint64, error) { return q.object().Results(ctx) }

// Close gives the pool up.
func (q *QueryPool) Close() error { return q.object().Close() }
