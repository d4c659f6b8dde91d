package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: load operations, clears and resolves.

// each calls f for every sample of an aspect of a view in a rectangle.
func each(v *resource.ImageView, aspect vk.ImageAspectFlags, layer int, area vk.Rect2D, f func(mem []byte)) {
	if v == nil {
		return
	}
	r := rectOf(area).Intersect(raster.Rect{X1: int32(v.Level(0, 0).Width), Y1: int32(v.Level(0, 0).Height)})
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x++ {
			for k := range v.Image.Samples {
				if mem := plane(v, aspect, layer, x, y, k); mem != nil {
					f(mem)
				}
			}
		}
	}
}

// load does the load operations of a layer.
func (r *scalar) load(layer int) {
	p := &r.s.pass
	for i := range p.Color {
		if a := &p.Color[i]; a.Load == vk.AttachmentLoadOpClear && a.View != nil {
			each(a.View, vk.ImageAspectColorBit, layer, p.Area, func(mem []byte) { a.View.Info.Encode(mem, a.ClearColor) })
		}
	}
	if a := p.Depth; a != nil && a.Load == vk.AttachmentLoadOpClear {
		n := r.depthBits()
		each(a.View, vk.ImageAspectDepthBit, layer, p.Area, func(mem []byte) {
			if n == 24 {
				mem[3] = 0 // what clears leave in the byte without meaning
			}
			storeCode(mem, n, r.code(a.ClearDepth, n))
		})
	}
	if a := p.Stencil; a != nil && a.Load == vk.AttachmentLoadOpClear {
		each(a.View, vk.ImageAspectStencilBit, layer, p.Area, func(mem []byte) { mem[0] = byte(a.ClearStencil) })
	}
}

// clear is vkCmdClearAttachments.
func (r *scalar) clear(c *Clear, layers int) {
	p := &r.s.pass
	for _, cr := range c.Rects {
		for layer := range layers {
			if p.ViewMask != 0 && p.ViewMask>>layer&1 == 0 || p.ViewMask == 0 && (layer < int(cr.BaseArrayLayer) || layer >= int(cr.BaseArrayLayer+cr.LayerCount)) {
				continue
			}
			area := rectOf(cr.Rect).Intersect(rectOf(p.Area))
			rect := vk.Rect2D{Offset: vk.Offset2D{X: area.X0, Y: area.Y0}, Extent: vk.Extent2D{Width: uint32(max(area.X1-area.X0, 0)), Height: uint32(max(area.Y1-area.Y0, 0))}}
			if c.Aspect&vk.ImageAspectColorBit != 0 {
				v := p.Color[c.ColorAttachment].View
				each(v, vk.ImageAspectColorBit, layer, rect, func(mem []byte) { v.Info.Encode(mem, c.Color) })
			}
			if n := r.depthBits(); c.Aspect&vk.ImageAspectDepthBit != 0 && n != 0 {
				each(r.s.depth, vk.ImageAspectDepthBit, layer, rect, func(mem []byte) {
					if n == 24 {
						mem[3] = 0
					}
					storeCode(mem, n, r.code(c.Depth, n))
				})
			}
			if c.Aspect&vk.ImageAspectStencilBit != 0 {
				each(r.s.depth, vk.ImageAspectStencilBit, layer, rect, func(mem []byte) { mem[0] = byte(c.Stencil) })
			}
		}
	}
}

// resolve is the end of the pass in a layer.
// RAS-350 – RAS-354
func (r *scalar) resolve(layer int) {
	p := &r.s.pass
	area := rectOf(p.Area)
	for i := range p.Color {
		a := &p.Color[i]
		if a.View == nil || a.Resolve == nil || a.ResolveMode == vk.ResolveModeNone {
			continue
		}
		info := a.View.Info
		for y := area.Y0; y < area.Y1; y++ {
			for x := area.X0; x < area.X1; x++ {
				to := plane(a.Resolve, vk.ImageAspectColorBit, layer, x, y, 0)[:info.BlockBytes]
				if info.Class != format.ClassFloat || a.ResolveMode == vk.ResolveModeSampleZeroBit {
					copy(to, plane(a.View, vk.ImageAspectColorBit, layer, x, y, 0))
					continue
				}
				var t format.Texel
				for c := range t {
					sum, best := 0.0, 0.0
					for k := range a.View.Image.Samples {
						v := float64(math.Float32frombits(info.Decode(plane(a.View, vk.ImageAspectColorBit, layer, x, y, k))[c]))
						sum += v
						if k == 0 || a.ResolveMode == vk.ResolveModeMinBit && v < best || a.ResolveMode == vk.ResolveModeMaxBit && v > best {
							best = v
						}
					}
					if a.ResolveMode == vk.ResolveModeAverageBit {
						best = sum / float64(a.View.Image.Samples)
					}
					t[c] = math.Float32bits(float32(best))
				}
				info.Encode(to, t)
			}
		}
	}
	a := p.Depth
	if a == nil || a.Resolve == nil || a.ResolveMode == vk.ResolveModeNone {
		return
	}
	n := r.depthBits()
	for y := area.Y0; y < area.Y1; y++ {
		for x := area.X0; x < area.X1; x++ {
			sum, best := 0.0, 0.0
			code := uint32(0)
			for k := range r.samples {
				c := loadCode(plane(a.View, vk.ImageAspectDepthBit, layer, x, y, k), n)
				v := depthOf(c, n)
				sum += v
				if k == 0 || a.ResolveMode == vk.ResolveModeMinBit && v < best || a.ResolveMode == vk.ResolveModeMaxBit && v > best {
					best, code = v, c
				}
			}
			if a.ResolveMode == vk.ResolveModeAverageBit {
				code = r.code(float32(sum/float64(r.samples)), n)
			}
			storeCode(plane(a.Resolve, vk.ImageAspectDepthBit, layer, x, y, 0), n, code)
		}
	}
}
