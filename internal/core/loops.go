package core

import "github.com/pumice-gpu/pumice/vk"

// loops says whether an attachment of the pass may be read by its shaders
// (feedback loops): what was drawn before a barrier must then be in memory.
//
// rendering-feedback-loop
func (r *runner) loops() bool {
	is := func(a *RenderingAttachment) bool {
		return a != nil && a.View != nil && a.View.image.res.Usage&vk.ImageUsageAttachmentFeedbackLoopBitEXT != 0
	}
	for i := range r.info.Color {
		if is(&r.info.Color[i]) {
			return true
		}
	}
	return is(r.info.Depth) || is(r.info.Stencil)
}
