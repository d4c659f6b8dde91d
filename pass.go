package pumice

import (
	"context"
	"image/color"

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
func ClearTo(target View, c color.Color) Rendering { return Rendering{} }

// WithDepth adds a depth target, cleared to depth; a depth/stencil target is
// added as both, its stencil cleared to 0.
func (r Rendering) WithDepth(target View, depth float32) Rendering { return r }

// WithResolve resolves the first colour attachment to target at the end.
func (r Rendering) WithResolve(target View) Rendering { return r }

// Pass records the commands of a render pass. State that a pipeline has not
// made dynamic comes from the pipeline. Viewport 0 and scissor 0 begin as the
// render area.
type Pass struct{}

// End ends the pass.
func (p *Pass) End() {}

// BindPipeline selects the pipeline of the draws that follow.
func (p *Pass) BindPipeline(g *GraphicsPipeline) {}

// BindDescriptorSet binds a set for draws. dynamicOffsets has one element for
// each dynamic buffer descriptor of the set.
func (p *Pass) BindDescriptorSet(index int, s *DescriptorSet, dynamicOffsets ...uint32) {}

// PushConstants writes push constants at a byte offset: a []byte, or a value of
// fixed size as in Device.NewBufferFrom.
func (p *Pass) PushConstants(offset uint32, data any) {}

// BindVertexBuffer binds the bytes of b from offset on to a vertex binding.
func (p *Pass) BindVertexBuffer(binding uint32, b *Buffer, offset uint64) {}

// BindIndexBuffer binds indices from offset on.
func (p *Pass) BindIndexBuffer(b *Buffer, offset uint64, t vk.IndexType) {}

// Draw draws vertices 0…vertices−1 of instances 0…instances−1.
func (p *Pass) Draw(vertices, instances uint32) {}

// DrawRange draws with first vertex and first instance.
func (p *Pass) DrawRange(vertices, instances, firstVertex, firstInstance uint32) {}

// DrawIndexed draws with indices; vertexOffset is added to each.
func (p *Pass) DrawIndexed(indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
}

// DrawIndirect draws count times with VkDrawIndirectCommand structures from b,
// stride bytes apart.
func (p *Pass) DrawIndirect(b *Buffer, offset uint64, count, stride uint32) {}

// DrawIndexedIndirect likewise with VkDrawIndexedIndirectCommand.
func (p *Pass) DrawIndexedIndirect(b *Buffer, offset uint64, count, stride uint32) {}

// DrawIndirectCount takes the number of draws from countBuffer, at most
// maxCount.
func (p *Pass) DrawIndirectCount(b *Buffer, offset uint64, countBuffer *Buffer, countOffset uint64, maxCount, stride uint32) {
}

// DrawIndexedIndirectCount likewise with VkDrawIndexedIndirectCommand.
func (p *Pass) DrawIndexedIndirectCount(b *Buffer, offset uint64, countBuffer *Buffer, countOffset uint64, maxCount, stride uint32) {
}

// ClearAttachments clears rectangles of attachments; no rectangles means the
// render area.
func (p *Pass) ClearAttachments(attachments []vk.ClearAttachment, rects ...vk.ClearRect) {}

// BeginQuery counts samples that pass into an occlusion query until EndQuery.
func (p *Pass) BeginQuery(pool *QueryPool, query int) {}

// EndQuery ends a query of this pass.
func (p *Pass) EndQuery(pool *QueryPool, query int) {}

// The Set methods are vkCmdSet…: they set state that the bound pipeline has made
// dynamic.

// SetViewport sets viewports from index 0 on (and their count).
func (p *Pass) SetViewport(viewports ...vk.Viewport) {}

// SetScissor sets scissors from index 0 on (and their count).
func (p *Pass) SetScissor(scissors ...vk.Rect2D) {}

// SetLineWidth sets the line width in pixels.
func (p *Pass) SetLineWidth(width float32) {}

// SetDepthBias sets the depth bias.
func (p *Pass) SetDepthBias(constant, clamp, slope float32) {}

// SetBlendConstants sets the blend constants (R, G, B, A).
func (p *Pass) SetBlendConstants(rgba [4]float32) {}

// SetDepthBounds sets the bounds of the depth bounds test.
func (p *Pass) SetDepthBounds(lo, hi float32) {}

// SetStencilCompareMask sets a mask for faces.
func (p *Pass) SetStencilCompareMask(faces vk.StencilFaceFlags, mask uint32) {}

// SetStencilWriteMask sets a mask for faces.
func (p *Pass) SetStencilWriteMask(faces vk.StencilFaceFlags, mask uint32) {}

// SetStencilReference sets the reference for faces.
func (p *Pass) SetStencilReference(faces vk.StencilFaceFlags, ref uint32) {}

// SetStencilOp sets the stencil operations for faces.
func (p *Pass) SetStencilOp(faces vk.StencilFaceFlags, fail, pass, depthFail vk.StencilOp, compare vk.CompareOp) {
}

// SetStencilTestEnable switches the stencil test.
func (p *Pass) SetStencilTestEnable(on bool) {}

// SetDepthTestEnable switches the depth test.
func (p *Pass) SetDepthTestEnable(on bool) {}

// SetDepthWriteEnable switches depth writes.
func (p *Pass) SetDepthWriteEnable(on bool) {}

// SetDepthCompareOp sets the depth comparison.
func (p *Pass) SetDepthCompareOp(op vk.CompareOp) {}

// SetDepthBoundsTestEnable switches the depth bounds test.
func (p *Pass) SetDepthBoundsTestEnable(on bool) {}

// SetDepthBiasEnable switches the depth bias.
func (p *Pass) SetDepthBiasEnable(on bool) {}

// SetCullMode sets which faces are culled.
func (p *Pass) SetCullMode(mode vk.CullModeFlags) {}

// SetFrontFace sets which winding is front-facing.
func (p *Pass) SetFrontFace(f vk.FrontFace) {}

// SetPrimitiveTopology sets the topology.
func (p *Pass) SetPrimitiveTopology(t vk.PrimitiveTopology) {}

// SetPrimitiveRestartEnable switches primitive restart.
func (p *Pass) SetPrimitiveRestartEnable(on bool) {}

// SetRasterizerDiscardEnable switches rasterizer discard.
func (p *Pass) SetRasterizerDiscardEnable(on bool) {}

// QueryPool holds query results.
type QueryPool struct{}

// NewQueryPool makes count queries of type OCCLUSION or TIMESTAMP. A query is
// reset whenever it begins or is written.
func (d *Device) NewQueryPool(t vk.QueryType, count int) (*QueryPool, error) { return nil, errStub }

// Results returns all results, after all work submitted before.
func (q *QueryPool) Results(ctx context.Context) ([]uint64, error) { return nil, errStub }

// Close gives the pool up.
func (q *QueryPool) Close() error { return errStub }
