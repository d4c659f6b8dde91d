package webgpu

import (
	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// A renderPass records draws into a pass of Pumice. Where the pass could not begin, it ignores
// them, and EndEncoding has the error.
type renderPass struct {
	e *commandEncoder
	p *pumice.Pass // nil: it did not begin
}

func (e *commandEncoder) viewOf(op string, v hal.TextureView) *textureView {
	x, ok := v.(*textureView)
	if !ok || x.d != e.d {
		e.fail(foreign(op, e.label, "texture view"))
		return nil
	}
	return x
}

func (e *commandEncoder) BeginRenderPass(desc *hal.RenderPassDescriptor) hal.RenderPassEncoder {
	const op = "CommandEncoder.BeginRenderPass"
	var r pumice.Rendering
	w, h := 0, 0 // of the attachments, which are all of one size
	if desc.TimestampWrites != nil {
		e.fail(missing(op, desc.Label, "timestamp queries here"))
	}
	for _, c := range desc.ColorAttachments {
		var a pumice.Attachment
		if c.View != nil {
			v := e.viewOf(op, c.View)
			if v == nil {
				return &renderPass{e: e}
			}
			w, h = v.width, v.height
			a = pumice.Attachment{Target: v.v, Load: loadOpOf(c.LoadOp), Store: storeOpOf(c.StoreOp)}
			a.Clear.Color = clearColor(v.format, c.ClearValue)
			if c.ResolveTarget != nil {
				to := e.viewOf(op, c.ResolveTarget)
				if to == nil {
					return &renderPass{e: e}
				}
				a.Resolve = to.v
			}
		}
		r.Color = append(r.Color, a)
	}
	if a := desc.DepthStencilAttachment; a != nil {
		v := e.viewOf(op, a.View)
		if v == nil {
			return &renderPass{e: e}
		}
		w, h = v.width, v.height
		clear := vk.ClearValue{
			DepthStencil: vk.ClearDepthStencilValue{Depth: a.DepthClearValue, Stencil: a.StencilClearValue},
		}
		if v.format.HasDepth() {
			r.Depth = &pumice.Attachment{
				Target: v.v,
				Load:   loadOpOf(a.DepthLoadOp),
				Store:  storeOpOf(a.DepthStoreOp),
				Clear:  clear,
			}
		}
		if v.format.HasStencil() {
			r.Stencil = &pumice.Attachment{
				Target: v.v,
				Load:   loadOpOf(a.StencilLoadOp),
				Store:  storeOpOf(a.StencilStoreOp),
				Clear:  clear,
			}
		}
	}
	p := &renderPass{e, e.cmd.BeginRendering(r)}
	p.SetViewport(0, 0, float32(w), float32(h), 0, 1)
	p.SetBlendConstant(&gputypes.Color{})
	p.SetStencilReference(0)
	return p
}

func (p *renderPass) End() {
	if p.p != nil {
		p.p.End()
	}
}

func (p *renderPass) SetPipeline(x hal.RenderPipeline) {
	g, ok := x.(*renderPipeline)
	if !ok || g.d != p.e.d {
		p.e.fail(foreign("RenderPassEncoder.SetPipeline", p.e.label, "pipeline"))
	} else if p.p != nil {
		p.p.BindPipeline(g.p)
	}
}

func (p *renderPass) SetBindGroup(index uint32, x hal.BindGroup, offsets []uint32) {
	g, ok := x.(*bindGroup)
	if !ok || g.d != p.e.d {
		p.e.fail(foreign("RenderPassEncoder.SetBindGroup", p.e.label, "bind group"))
	} else if p.p != nil {
		p.p.BindDescriptorSet(int(index), g.set, offsets...)
	}
}

func (p *renderPass) SetVertexBuffer(slot uint32, b hal.Buffer, offset uint64) {
	if x := p.e.bufferOf("RenderPassEncoder.SetVertexBuffer", b); x != nil && p.p != nil {
		p.p.BindVertexBuffer(slot, x, offset)
	}
}

func (p *renderPass) SetIndexBuffer(b hal.Buffer, format gputypes.IndexFormat, offset uint64) {
	if x := p.e.bufferOf("RenderPassEncoder.SetIndexBuffer", b); x != nil && p.p != nil {
		p.p.BindIndexBuffer(x, offset, indexTypeOf(format))
	}
}

// SetViewport turns y, which goes up in WebGPU's clip space: a viewport of negative height.
func (p *renderPass) SetViewport(x, y, width, height, minDepth, maxDepth float32) {
	if p.p != nil {
		p.p.SetViewport(
			vk.Viewport{
				X:        x,
				Y:        y + height,
				Width:    width,
				Height:   -height,
				MinDepth: minDepth,
				MaxDepth: maxDepth,
			},
		)
	}
}

func (p *renderPass) SetScissorRect(x, y, width, height uint32) {
	if p.p != nil {
		p.p.SetScissor(
			vk.Rect2D{
				Offset: vk.Offset2D{X: int32(x), Y: int32(y)},
				Extent: vk.Extent2D{Width: width, Height: height},
			},
		)
	}
}

func (p *renderPass) SetBlendConstant(c *gputypes.Color) {
	if p.p != nil && c != nil {
		p.p.SetBlendConstants([4]float32{float32(c.R), float32(c.G), float32(c.B), float32(c.A)})
	}
}

func (p *renderPass) SetStencilReference(reference uint32) {
	if p.p != nil {
		p.p.SetStencilReference(vk.StencilFaceFrontAndBack, reference)
	}
}

func (p *renderPass) Draw(vertexCount, instanceCount, firstVertex, firstInstance uint32) {
	if p.p != nil {
		p.p.DrawRange(vertexCount, instanceCount, firstVertex, firstInstance)
	}
}

func (p *renderPass) DrawIndexed(
	indexCount, instanceCount, firstIndex uint32,
	baseVertex int32,
	firstInstance uint32,
) {
	if p.p != nil {
		p.p.DrawIndexed(indexCount, instanceCount, firstIndex, baseVertex, firstInstance)
	}
}

func (p *renderPass) DrawIndirect(b hal.Buffer, offset uint64) {
	if x := p.e.bufferOf("RenderPassEncoder.DrawIndirect", b); x != nil && p.p != nil {
		p.p.DrawIndirect(x, offset, 1, 16)
	}
}

func (p *renderPass) DrawIndexedIndirect(b hal.Buffer, offset uint64) {
	if x := p.e.bufferOf("RenderPassEncoder.DrawIndexedIndirect", b); x != nil && p.p != nil {
		p.p.DrawIndexedIndirect(x, offset, 1, 20)
	}
}

// A renderBundle is what its encoder was told, to be told to passes.
type renderBundle []func(hal.RenderPassEncoder)

func (b *renderBundle) Destroy() {}

func (p *renderPass) ExecuteBundle(x hal.RenderBundle) {
	b, ok := x.(*renderBundle)
	if !ok {
		p.e.fail(foreign("RenderPassEncoder.ExecuteBundle", p.e.label, "render bundle"))
		return
	}
	for _, f := range *b {
		f(p)
	}
}

func (d *device) CreateRenderBundleEncoder(
	*hal.RenderBundleEncoderDescriptor,
) (hal.RenderBundleEncoder, error) {
	return &renderBundleEncoder{}, nil
}

func (d *device) DestroyRenderBundle(hal.RenderBundle) {}

type renderBundleEncoder struct{ told renderBundle }

func (e *renderBundleEncoder) tell(f func(hal.RenderPassEncoder)) { e.told = append(e.told, f) }

func (e *renderBundleEncoder) SetPipeline(x hal.RenderPipeline) {
	e.tell(func(p hal.RenderPassEncoder) { p.SetPipeline(x) })
}

func (e *renderBundleEncoder) SetBindGroup(index uint32, group hal.BindGroup, offsets []uint32) {
	offsets = append([]uint32(nil), offsets...)
	e.tell(func(p hal.RenderPassEncoder) { p.SetBindGroup(index, group, offsets) })
}

func (e *renderBundleEncoder) SetVertexBuffer(slot uint32, b hal.Buffer, offset uint64) {
	e.tell(func(p hal.RenderPassEncoder) { p.SetVertexBuffer(slot, b, offset) })
}

func (e *renderBundleEncoder) SetIndexBuffer(
	b hal.Buffer,
	format gputypes.IndexFormat,
	offset uint64,
) {
	e.tell(func(p hal.RenderPassEncoder) { p.SetIndexBuffer(b, format, offset) })
}

func (e *renderBundleEncoder) Draw(vertexCount, instanceCount, firstVertex, firstInstance uint32) {
	e.tell(
		func(p hal.RenderPassEncoder) { p.Draw(vertexCount, instanceCount, firstVertex, firstInstance) },
	)
}

func (e *renderBundleEncoder) DrawIndexed(
	indexCount, instanceCount, firstIndex uint32,
	baseVertex int32,
	firstInstance uint32,
) {
	e.tell(func(p hal.RenderPassEncoder) {
		p.DrawIndexed(indexCount, instanceCount, firstIndex, baseVertex, firstInstance)
	})
}

func (e *renderBundleEncoder) Finish() hal.RenderBundle { return &e.told }
