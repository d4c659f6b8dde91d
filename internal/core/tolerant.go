package core

import (
	"errors"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// A command buffer of the Go API stops at the first broken rule. The driver's go
// on: Vulkan leaves the behaviour open, and programs with a harmless mistake are
// many. The command is reported and left out, the others stay.

// Tolerate makes Submit leave out commands that turn out to break a rule when
// they are carried out; Config.Debug is told.
func (c *CommandBuffer) Tolerate() { c.tolerant = true }

// Drop forgets a recording error that is a broken rule, so that what follows is
// recorded. Errors that are not the command's fault stay.
func (c *CommandBuffer) Drop() {
	if c.err != nil && droppable(c.err) {
		c.err = nil
	}
}

// Misuse records and reports a broken rule that the caller has found; rule as in
// Error, without the prefix "VUID-".
func (c *CommandBuffer) Misuse(op Op, rule, detail string) { c.misuse(op, rule, "", "%s", detail) }

// Finish checks that nothing is left open at the end of recording.
func (c *CommandBuffer) Finish(op Op) {
	switch {
	case c.err != nil:
	case c.pass != nil && !c.pass.inherited:
		c.misuse(op, "vkEndCommandBuffer-None-06991", "", "inside a render pass")
	case c.openAny():
		c.misuse(op, "vkEndCommandBuffer-commandBuffer-00061", "", "a query is open")
	}
}

// droppable says that an error is about one command only.
func droppable(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Err == nil || errors.Is(e.Err, ErrClosed) || errors.Is(e.Err, ErrUnsupported))
}

// unused says that a pipeline or pass without an attachment fits others that have
// it (VK_EXT_dynamic_rendering_unused_attachments). In the Go API that would hide
// a mistake.
func (c *CommandBuffer) unused(f vk.Format) bool { return c.tolerant && f == vk.FormatUndefined }

// leaveUnused switches off what attachments need that the pipeline does not have:
// the pass may have them.
//
// dynamicrendering-unused-attachments
func (p *Pipeline) leaveUnused(s *render.DynamicState) {
	for i := range s.Blend {
		if i >= len(p.colorFormats) || p.colorFormats[i] == vk.FormatUndefined {
			s.ColorWrite &^= 1 << i
		}
	}
	if p.depth == vk.FormatUndefined {
		s.DepthTestEnable, s.DepthBoundsTestEnable = false, false
	}
	if p.stencil == vk.FormatUndefined {
		s.StencilTestEnable = false
	}
}
