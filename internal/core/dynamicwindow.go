package core

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Dynamic states of rectangles and viewports: VK_EXT_discard_rectangles,
// VK_NV_scissor_exclusive, VK_NV_viewport_swizzle, VK_NV_clip_space_w_scaling.

// applyWindow sets one of these states from the words of its command; lists have
// their first element's number in front.
func (m dynState) applyWindow(s *render.DynamicState, w []uint32) {
	f := math.Float32frombits
	rects := func(list []vk.Rect2D) int {
		n := len(w) / 4
		for i := range n {
			v := w[1+4*i:]
			list[int(w[0])+i] = vk.Rect2D{Offset: vk.Offset2D{X: int32(v[0]), Y: int32(v[1])}, Extent: vk.Extent2D{Width: v[2], Height: v[3]}}
		}
		return int(w[0]) + n
	}
	switch m {
	case dynDiscardRectangles: // RAS-041
		s.DiscardCount = max(s.DiscardCount, rects(s.DiscardRectangles[:]))
	case dynDiscardEnable: // RAS-041
		s.DiscardEnable = w[0] != 0
	case dynDiscardMode: // RAS-041
		s.DiscardMode = vk.DiscardRectangleModeEXT(w[0])
	case dynExclusiveScissor: // RAS-041
		rects(s.ExclusiveScissors[:]) // which switches none on: the pipeline's count does, or a state of its own
	case dynExclusiveEnable: // RAS-041
		for i, on := range w[1:] {
			bit := uint32(1) << (int(w[0]) + i)
			if s.ExclusiveEnable &^= bit; on != 0 {
				s.ExclusiveEnable |= bit
			}
		}
	case dynSwizzle: // RAS-040
		for i, v := range w[1:] {
			s.ViewportSwizzle[int(w[0])+i] = vk.ViewportSwizzleNV{
				X: vk.ViewportCoordinateSwizzleNV(v & 7), Y: vk.ViewportCoordinateSwizzleNV(v >> 3 & 7),
				Z: vk.ViewportCoordinateSwizzleNV(v >> 6 & 7), W: vk.ViewportCoordinateSwizzleNV(v >> 9 & 7),
			}
		}
	case dynWScaling: // RAS-040
		for i := range len(w) / 2 {
			s.WScaling[int(w[0])+i] = vk.ViewportWScalingNV{Xcoeff: f(w[1+2*i]), Ycoeff: f(w[2+2*i])}
		}
	case dynWScalingEnable: // RAS-040
		s.WScalingEnable = w[0] != 0
	}
}

// mergeWindow copies one of these states.
func (m dynState) mergeWindow(dst, src *render.DynamicState) {
	switch m {
	case dynDiscardRectangles: // RAS-041
		dst.DiscardRectangles = src.DiscardRectangles
		if dst.DiscardCount == 0 { // else the pipeline says how many
			dst.DiscardCount = src.DiscardCount
		}
	case dynDiscardEnable: // RAS-041
		dst.DiscardEnable = src.DiscardEnable
	case dynDiscardMode: // RAS-041
		dst.DiscardMode = src.DiscardMode
	case dynExclusiveScissor: // RAS-041
		dst.ExclusiveScissors = src.ExclusiveScissors
	case dynExclusiveEnable: // RAS-041
		dst.ExclusiveEnable = src.ExclusiveEnable
	case dynSwizzle: // RAS-040
		dst.ViewportSwizzle = src.ViewportSwizzle
	case dynWScaling: // RAS-040
		dst.WScaling = src.WScaling
	case dynWScalingEnable: // RAS-040
		dst.WScalingEnable = src.WScalingEnable
	}
}

// list records elements of a state that has room for limit, words each.
func (c *CommandBuffer) list(op, rule string, m dynState, first uint32, n, limit int, words []uint32) {
	if uint64(first)+uint64(n) > uint64(limit) || n == 0 {
		c.misuse(op, rule, "", "elements %d+%d; %d are supported", first, n, limit)
		return
	}
	c.set(op, m, append([]uint32{first}, words...)...)
}

func rectWords(list []vk.Rect2D) (words []uint32) {
	for _, r := range list {
		words = append(words, uint32(r.Offset.X), uint32(r.Offset.Y), r.Extent.Width, r.Extent.Height)
	}
	return words
}

// SetDiscardRectangles sets discard rectangles from first on.
func (c *CommandBuffer) SetDiscardRectangles(first uint32, list []vk.Rect2D) {
	c.list("Pass.SetDiscardRectangles", "vkCmdSetDiscardRectangleEXT-firstDiscardRectangle-00585", dynDiscardRectangles, first, len(list), render.MaxDiscardRectangles, rectWords(list))
}

// SetDiscardRectangleEnable switches discard rectangles.
func (c *CommandBuffer) SetDiscardRectangleEnable(on bool) {
	c.toggle("Pass.SetDiscardRectangleEnable", dynDiscardEnable, on)
}

// SetDiscardRectangleMode says which side of discard rectangles is kept.
func (c *CommandBuffer) SetDiscardRectangleMode(v vk.DiscardRectangleModeEXT) {
	c.enum("Pass.SetDiscardRectangleMode", "vkCmdSetDiscardRectangleModeEXT-discardRectangleMode-parameter", dynDiscardMode, int64(v), 0, int64(vk.DiscardRectangleModeExclusiveEXT))
}

// SetExclusiveScissor sets exclusive scissors from first on.
func (c *CommandBuffer) SetExclusiveScissor(first uint32, list []vk.Rect2D) {
	c.list("Pass.SetExclusiveScissor", "vkCmdSetExclusiveScissorNV-firstExclusiveScissor-02034", dynExclusiveScissor, first, len(list), render.MaxViewports, rectWords(list))
}

// SetExclusiveScissorEnable switches exclusive scissors from first on.
func (c *CommandBuffer) SetExclusiveScissorEnable(first uint32, list []bool) {
	words := make([]uint32, len(list))
	for i, on := range list {
		if on {
			words[i] = 1
		}
	}
	c.list("Pass.SetExclusiveScissorEnable", "vkCmdSetExclusiveScissorEnableNV-firstExclusiveScissor", dynExclusiveEnable, first, len(list), render.MaxViewports, words)
}

// SetViewportSwizzle sets the swizzles of viewports from first on.
func (c *CommandBuffer) SetViewportSwizzle(first uint32, list []vk.ViewportSwizzleNV) {
	const op = "Pass.SetViewportSwizzle"
	var words []uint32
	for _, s := range list {
		word := uint32(0)
		for i, v := range [4]vk.ViewportCoordinateSwizzleNV{s.X, s.Y, s.Z, s.W} {
			if v < 0 || v > vk.ViewportCoordinateSwizzleNegativeWNV {
				c.misuse(op, "VkViewportSwizzleNV-x-parameter", "", "swizzle %d", v)
				return
			}
			word |= uint32(v) << (3 * i)
		}
		words = append(words, word)
	}
	c.list(op, "vkCmdSetViewportSwizzleNV-firstViewport", dynSwizzle, first, len(list), render.MaxViewports, words)
}

// SetViewportWScaling sets the W scaling of viewports from first on.
func (c *CommandBuffer) SetViewportWScaling(first uint32, list []vk.ViewportWScalingNV) {
	var words []uint32
	for _, s := range list {
		words = append(words, math.Float32bits(s.Xcoeff), math.Float32bits(s.Ycoeff))
	}
	c.list("Pass.SetViewportWScaling", "vkCmdSetViewportWScalingNV-firstViewport-01324", dynWScaling, first, len(list), render.MaxViewports, words)
}

// SetViewportWScalingEnable switches W scaling.
func (c *CommandBuffer) SetViewportWScalingEnable(on bool) {
	c.toggle("Pass.SetViewportWScalingEnable", dynWScalingEnable, on)
}
