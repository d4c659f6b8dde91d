package render

import (
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// attachments resolves the attachments of the pass.
func (pl *passPlan) attachments() error {
	if len(pl.pass.Color) > MaxColorAttachments {
		return &PassError{Draw: -1, What: fmt.Sprintf("%d colour attachments", len(pl.pass.Color)), Rule: "RAS-007", Fix: "use at most 8"}
	}
	pl.countSamples()
	for i := range pl.pass.Color {
		a := &pl.pass.Color[i]
		if a.View == nil {
			continue
		}
		at, err := pl.newAttachment(a, vk.ImageAspectColorBit)
		if err != nil {
			return err
		}
		a.View.Info.Encode(at.value[:at.bytes], a.ClearColor)
		pl.color[i] = at
	}
	if a := pl.pass.Depth; a != nil && a.View != nil {
		at, err := pl.newAttachment(a, vk.ImageAspectDepthBit)
		if err != nil {
			return err
		}
		if pl.depthFormat, err = fragops.DepthFormatOf(a.View.Image.Format); err != nil {
			return &PassError{Draw: -1, What: "depth attachment of format " + a.View.Image.Format.String(), Rule: "RAS-006", Fix: "use a format with depth", Err: err}
		}
		putDepth(at, pl.depthFormat, a.ClearDepth)
		pl.depth = at
	}
	if a := pl.pass.Stencil; a != nil && a.View != nil {
		at, err := pl.newAttachment(a, vk.ImageAspectStencilBit)
		if err != nil {
			return err
		}
		at.value[0] = byte(a.ClearStencil)
		pl.stencil = at
	}
	return nil
}

// countSamples finds the number of rasterization samples where the pass does not
// say: that of the attachment with most.
func (pl *passPlan) countSamples() {
	if pl.samples != 0 {
		return
	}
	pl.samples = 1
	for i := range pl.pass.Color {
		if v := pl.pass.Color[i].View; v != nil {
			pl.samples = max(pl.samples, v.Image.Samples)
		}
	}
	for _, a := range []*Attachment{pl.pass.Depth, pl.pass.Stencil} {
		if a != nil && a.View != nil {
			pl.samples = max(pl.samples, a.View.Image.Samples)
		}
	}
}

// putDepth encodes a clear value; clears are not limited to a viewport's range.
func putDepth(at *attachment, f fragops.DepthFormat, z float32) {
	code := fragops.EncodeDepth(f, z)
	if f == fragops.DepthD16 {
		binary.LittleEndian.PutUint16(at.value[:], uint16(code))
		return
	}
	binary.LittleEndian.PutUint32(at.value[:], code)
}

// newAttachment looks up the memory of an aspect of a view.
func (pl *passPlan) newAttachment(a *Attachment, aspect vk.ImageAspectFlags) (*attachment, error) {
	at := &attachment{mode: a.ResolveMode, clear: a.Load == vk.AttachmentLoadOpClear, loadMask: ^uint32(0)}
	if a.LoadMask != 0 && pl.pass.ViewMask != 0 {
		at.loadMask = a.LoadMask
	}
	var err error
	if at.surfaces, at.info, err = pl.surfaces(a.View, aspect); err != nil {
		return nil, err
	}
	at.bytes = at.surfaces[0].SampleBytes
	at.samples = a.View.Image.Samples
	if at.samples > pl.samples && aspect == vk.ImageAspectColorBit {
		return nil, &PassError{Draw: -1, What: fmt.Sprintf("attachment of %d samples in a pass of %d", at.samples, pl.samples), Rule: "RAS-334", Fix: "give colour no more samples than the pass has"}
	}
	at.spread = a.Spread && a.Load == vk.AttachmentLoadOpLoad
	pl.clears = pl.clears || at.spread
	color := aspect == vk.ImageAspectColorBit
	renders := at.info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2ColorAttachmentBit != 0
	if at.info.Supported() != nil || color && !renders {
		return nil, &PassError{Draw: -1, What: "attachment of format " + a.View.Format.String(), Rule: "RAS-337", Fix: "use a renderable format"}
	}
	if a.Resolve != nil && a.ResolveMode != vk.ResolveModeNone {
		if err := fragops.CheckResolve(a.ResolveMode, aspect); err != nil {
			return nil, &PassError{Draw: -1, What: "resolve", Err: err}
		}
		var info *format.Info
		if at.resolve, info, err = pl.surfaces(a.Resolve, aspect); err != nil {
			return nil, err
		}
		if a.Resolve.Image.Samples != 1 || info.BlockBytes != at.info.BlockBytes {
			return nil, &PassError{Draw: -1, What: fmt.Sprintf("resolve of %s to %s with %d samples", at.info.Name, info.Name, a.Resolve.Image.Samples), Rule: "RAS-350", Fix: "resolve to an image of the same format with one sample"}
		}
		pl.resolves = true
		if at.reduced = at.info; a.SkipTransfer {
			at.reduced = at.info.WithoutTransfer()
		}
	}
	pl.clears = pl.clears || at.clear
	return at, nil
}

// surfaces returns the memory of one aspect of a view, by layer.
func (pl *passPlan) surfaces(v *resource.ImageView, aspect vk.ImageAspectFlags) ([]fragops.Surface, *format.Info, error) {
	if pl.layers > v.Layers {
		return nil, nil, &PassError{Draw: -1, What: fmt.Sprintf("%d layers to draw, %d in the view", pl.layers, v.Layers), Rule: "VUID-VkRenderingInfo-viewMask-06069", Fix: "make a view with as many layers"}
	}
	if !v.Image.Bound() {
		return nil, nil, &PassError{Draw: -1, What: "attachment without memory", Rule: "VUID-VkImageViewCreateInfo-image-01020", Fix: "bind memory to the image"}
	}
	info := v.Info
	var list []fragops.Surface
	for layer := range pl.layers {
		l := v.Level(0, layer)
		if aspect != vk.ImageAspectColorBit {
			plane := v.Image.PlaneOf(aspect)
			if plane < 0 {
				return nil, nil, &PassError{Draw: -1, What: fmt.Sprintf("format %v has no aspect %v", v.Image.Format, aspect), Rule: "VUID-VkRenderingInfo-pDepthAttachment-06547", Fix: "use a view that has it"}
			}
			info = v.Image.Layout.Planes[plane].Info
			l = v.PlaneLevel(plane, 0, layer)
		}
		if a := rectOf(pl.pass.Area); int(a.X1) > l.Width || int(a.Y1) > l.Height {
			return nil, nil, &PassError{Draw: -1, What: fmt.Sprintf("render area %+v in a level of %d×%d", pl.pass.Area, l.Width, l.Height), Rule: "VUID-VkRenderingInfo-pNext-06079", Fix: "keep the area inside the attachments"}
		}
		if l.Compressed() {
			return nil, nil, &PassError{Draw: -1, What: "attachment of format " + v.Format.String(), Rule: "RAS-337", Fix: "use a format that is not compressed"}
		}
		list = append(list, fragops.Surface{Data: l.Data, RowPitch: l.RowPitch, TexelPitch: l.TexelPitch, SampleBytes: l.Bytes, Columns: l.Columns}) // RAS-104
	}
	return list, info, nil
}

// load clears a rectangle of the attachments whose load operation says so.
func (pl *passPlan) load(layer int, r raster.Rect) {
	for _, a := range pl.color {
		if a.clears(layer, pl) {
			a.fill(layer, r, a.value[:a.bytes])
		}
		a.spreadTexels(layer, r)
	}
	pl.depth.spreadTexels(layer, r)
	pl.stencil.spreadTexels(layer, r)
	if pl.depth.clears(layer, pl) {
		pl.depth.fill(layer, r, pl.depth.value[:pl.depth.bytes])
	}
	if pl.stencil.clears(layer, pl) {
		pl.stencil.fill(layer, r, pl.stencil.value[:1])
	}
}

// spreadTexels gives all samples of a rectangle the texels of the resolve target.
func (a *attachment) spreadTexels(layer int, r raster.Rect) {
	if a == nil || !a.spread || a.resolve == nil {
		return
	}
	a.rows(layer, r, func(single, samples []byte, width int) {
		pitch, from := len(samples)/max(width, 1), len(single)/max(width, 1)
		s := &a.surfaces[layer]
		for x := range width {
			for at := 0; at+s.SampleBytes <= pitch; at += s.SampleBytes {
				copy(samples[x*pitch+at:][:a.bytes], single[x*from:][:a.bytes])
			}
		}
	})
}

// clears says whether the load operation clears a layer, which is the view in
// multiview passes.
func (a *attachment) clears(layer int, pl *passPlan) bool {
	return a != nil && a.clear && (pl.pass.ViewMask == 0 || a.loadMask>>layer&1 != 0)
}

// fill stores a texel in all samples of a rectangle.
func (a *attachment) fill(layer int, r raster.Rect, value []byte) {
	s := &a.surfaces[layer]
	width := s.Side(int(r.X0), int(r.X1-r.X0))
	n := width * s.TexelPitch
	if n <= 0 || r.Y0 >= r.Y1 {
		return
	}
	if rest := r; r.X0+int32(width) < r.X1 {
		rest.X0 += int32(width)
		defer a.fill(layer, rest, value)
	}
	start := s.Offset(int(r.X0), int(r.Y0), 0)
	if n == s.RowPitch {
		n *= int(r.Y1 - r.Y0)
		r.Y1 = r.Y0 + 1
	}
	first := s.Data[start : start+n]
	memory.Repeat(first, copy(first, value))
	for y := int(r.Y0) + 1; y < int(r.Y1); y++ {
		start += s.RowPitch
		copy(s.Data[start:start+n], first)
	}
}

// clearTile executes a Clear on the part of a tile.
func (pl *passPlan) clearTile(c *Clear, layer int, tile raster.Rect) {
	for _, cr := range c.Rects {
		r := rectOf(cr.Rect).Intersect(tile)
		if r.Empty() || pl.pass.ViewMask == 0 && (uint32(layer) < cr.BaseArrayLayer || uint32(layer)-cr.BaseArrayLayer >= cr.LayerCount) {
			continue
		}
		if pl.pass.ViewMask != 0 && pl.pass.ViewMask>>layer&1 == 0 {
			continue
		}
		var value [maxTexel]byte
		if c.Aspect&vk.ImageAspectColorBit != 0 {
			if a := pl.color[c.ColorAttachment]; a != nil {
				a.info.Encode(value[:a.bytes], c.Color)
				a.fill(layer, r, value[:a.bytes])
			}
		}
		if c.Aspect&vk.ImageAspectDepthBit != 0 && pl.depth != nil {
			at := attachment{}
			putDepth(&at, pl.depthFormat, c.Depth)
			pl.depth.fill(layer, r, at.value[:pl.depth.bytes])
		}
		if c.Aspect&vk.ImageAspectStencilBit != 0 && pl.stencil != nil {
			value[0] = byte(c.Stencil)
			pl.stencil.fill(layer, r, value[:1])
		}
	}
}

// resolve resolves the tile at the end of the pass.
//
// RAS-350 renderpass-resolve-operations
func (t *tile) resolve(layer int, r raster.Rect) error {
	pl := t.plan
	for _, a := range pl.color {
		switch {
		case a == nil || a.resolve == nil:
		case a.resolver != none:
			if err := t.resolveColor(a, layer, r); err != nil {
				return err
			}
		default:
			a.rows(layer, r, func(dst, src []byte, width int) {
				fragops.ResolveColor(a.reduced, a.mode, dst, src, width, a.samples)
			})
		}
	}
	if a := pl.depth; a != nil && a.resolve != nil {
		a.rows(layer, r, func(dst, src []byte, width int) {
			fragops.ResolveDepth(pl.depthFormat, a.mode, dst, src, width, a.samples)
		})
	}
	if a := pl.stencil; a != nil && a.resolve != nil {
		a.rows(layer, r, func(dst, src []byte, width int) {
			fragops.ResolveStencil(a.mode, dst, src, width, a.samples)
		})
	}
	return nil
}

// rows calls f for each row of a rectangle in source and resolve target, or what of
// it lies side by side.
func (a *attachment) rows(layer int, r raster.Rect, f func(dst, src []byte, width int)) {
	s, d := &a.surfaces[layer], &a.resolve[layer]
	for y := int(r.Y0); y < int(r.Y1); y++ {
		for x := int(r.X0); x < int(r.X1); {
			width := s.Side(x, d.Side(x, int(r.X1)-x))
			so, do := s.Offset(x, y, 0), d.Offset(x, y, 0)
			f(d.Data[do:do+width*d.TexelPitch], s.Data[so:so+width*s.TexelPitch], width)
			x += width
		}
	}
}
