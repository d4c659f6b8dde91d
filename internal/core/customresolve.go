package core

import (
	"context"

	"github.com/pumice-gpu/pumice/vk"
)

// A pass that draws the resolves of its attachments itself (VK_EXT_custom_resolve) is two: one of its attachments,
// and one of those that they are resolved to, whose shaders read the first as input attachments.

// customResolve takes the resolves out that draws carry out, and returns the pass that they belong to; nil
// where the pass has none. Whatever else happens to the attachments, that one reads them.
//
// VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT
func (info *RenderingInfo) customResolve() *RenderingInfo {
	if info.Flags&vk.RenderingCustomResolveBitEXT == 0 {
		return nil
	}
	part := &RenderingInfo{LayerCount: info.LayerCount, ViewMask: info.ViewMask, Flags: info.Flags &^ (vk.RenderingCustomResolveBitEXT | vk.RenderingResumingBit),
		Rate: info.Rate, RateTexel: info.RateTexel, Density: info.Density, framebuffer: info.framebuffer, before: info}
	take := func(a *RenderingAttachment) (out RenderingAttachment) {
		if a.View != nil && a.ResolveMode == vk.ResolveModeCustomBitEXT {
			out = RenderingAttachment{View: a.Resolve, Load: vk.AttachmentLoadOpDontCare, Store: vk.AttachmentStoreOpStore}
			a.Resolve, a.ResolveMode = nil, 0
		}
		a.Store = vk.AttachmentStoreOpStore
		return out
	}
	for i := range info.Color {
		part.Color = append(part.Color, take(&info.Color[i]))
	}
	if info.Depth != nil {
		d := take(info.Depth)
		part.Depth = &d
	}
	if info.Stencil != nil {
		s := take(info.Stencil)
		part.Stencil = &s
	}
	return part
}

// BeginCustomResolve has the draws that follow write what the attachments of the pass are resolved to.
//
// vkCmdBeginCustomResolveEXT
func (c *CommandBuffer) BeginCustomResolve() {
	op := c.op("vkCmdBeginCustomResolveEXT")
	if !c.ok(op, 1) {
		return
	}
	p := c.pass
	switch {
	case c.subpasses != nil || p.inherited:
		c.misuse(op, op.command()+"-commandBuffer-11517", "", "the pass was not begun by vkCmdBeginRendering")
	case p.before != nil:
		c.misuse(op, op.command()+"-None-11518", "", "custom resolves have begun already")
	case p.custom == nil:
		c.misuse(op, op.command()+"-None-11519", "begin the pass with VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT", "the pass has no custom resolves")
	case p.Flags&vk.RenderingSuspendingBit != 0:
		c.misuse(op, op.command()+"-None-11520", "", "the pass is to be suspended")
	default:
		c.pass = p.custom
		c.pass.locations = p.locations
		for i := range c.open {
			if c.open[i].inside == p {
				c.open[i].inside = c.pass
			}
		}
		c.emit(opCustomResolve, c.payload(p.custom))
	}
}

// beginCustomResolve ends the first part of a pass and begins the second, which goes on counting and capturing.
func (r *runner) beginCustomResolve(ctx context.Context, info *RenderingInfo) error {
	capturing := r.capturing
	err := r.endRendering(ctx)
	if begun := r.beginRendering(info); begun != nil {
		return begun
	}
	r.capturing = capturing
	return err
}
