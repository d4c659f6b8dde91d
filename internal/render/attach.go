package render

import (
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// attachments resolves the attachments of the pass.
func (pl *passPlan) attachments() error {
	if len(pl.pass.Color) > MaxColorAttachments {
		return &PassError{Draw: -1, What: fmt.Sprintf("%d colour attachments", len(pl.pass.Color)), Rule: "RAS-007", Fix: "use at most 8"}
	}
	if pl.Samples == 0 { // the pass does not say: as many as the attachment with most
		pl.Samples = 1
		for i := range pl.pass.Color {
			if v := pl.pass.Color[i].View; v != nil {
				pl.Samples = max(pl.Samples, v.Image.Samples)
			}
		}
		for _, a := range []*Attachment{pl.pass.Depth, pl.pass.Stencil} {
			if a != nil && a.View != nil {
				pl.Samples = max(pl.Samples, a.View.Image.Samples)
			}
		}
	}
	for i := range pl.pass.Color {
		a := &pl.pass.Color[i]
		if a.View == nil {
			continue
		}
		at, err := pl.newAttachment(a, vk.ImageAspectColorBit)
		if err != nil {
			return err
		}
		a.View.Info.Encode(at.Value[:at.Bytes], a.ClearColor)
		pl.Color[i] = at
	}
	if a := pl.pass.Depth; a != nil && a.View != nil {
		at, err := pl.newAttachment(a, vk.ImageAspectDepthBit)
		if err != nil {
			return err
		}
		if pl.DepthFormat, err = fragops.DepthFormatOf(a.View.Image.Format); err != nil {
			return &PassError{Draw: -1, What: "depth attachment of format " + a.View.Image.Format.String(), Rule: "RAS-006", Fix: "use a format with depth", Err: err}
		}
		putDepth(at, pl.DepthFormat, a.ClearDepth)
		pl.Depth = at
	}
	if a := pl.pass.Stencil; a != nil && a.View != nil {
		at, err := pl.newAttachment(a, vk.ImageAspectStencilBit)
		if err != nil {
			return err
		}
		at.Value[0] = byte(a.ClearStencil)
		pl.Stencil = at
	}
	return nil
}

// putDepth encodes a clear value; clears are not limited to a viewport's range.
func putDepth(at *tile.Attachment, f fragops.DepthFormat, z float32) {
	code := fragops.EncodeDepth(f, z)
	if f == fragops.DepthD16 {
		binary.LittleEndian.PutUint16(at.Value[:], uint16(code))
		return
	}
	binary.LittleEndian.PutUint32(at.Value[:], code)
}

// newAttachment looks up the memory of an aspect of a view.
func (pl *passPlan) newAttachment(
	a *Attachment, aspect vk.ImageAspectFlags,
) (*tile.Attachment, error) {
	at := &tile.Attachment{
		Mode: a.ResolveMode, Clear: a.Load == vk.AttachmentLoadOpClear, LoadMask: ^uint32(0),
	}
	if a.LoadMask != 0 && pl.pass.ViewMask != 0 {
		at.LoadMask = a.LoadMask
	}
	var err error
	if at.Surfaces, at.Info, err = pl.surfaces(a.View, aspect); err != nil {
		return nil, err
	}
	at.Bytes = at.Surfaces[0].SampleBytes
	at.Samples = a.View.Image.Samples
	if at.Samples > pl.Samples && aspect == vk.ImageAspectColorBit {
		return nil, &PassError{Draw: -1, What: fmt.Sprintf("attachment of %d samples in a pass of %d", at.Samples, pl.Samples), Rule: "RAS-334", Fix: "give colour no more samples than the pass has"}
	}
	at.Spread = a.Spread && a.Load == vk.AttachmentLoadOpLoad
	pl.Clears = pl.Clears || at.Spread
	color := aspect == vk.ImageAspectColorBit
	renders := at.Info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2ColorAttachmentBit != 0
	if at.Info.Supported() != nil || color && !renders {
		return nil, &PassError{Draw: -1, What: "attachment of format " + a.View.Format.String(), Rule: "RAS-337", Fix: "use a renderable format"}
	}
	if a.Resolve != nil && a.ResolveMode != vk.ResolveModeNone {
		if err := fragops.CheckResolve(a.ResolveMode, aspect); err != nil {
			return nil, &PassError{Draw: -1, What: "resolve", Err: err}
		}
		var info *format.Info
		if at.Resolve, info, err = pl.surfaces(a.Resolve, aspect); err != nil {
			return nil, err
		}
		if a.Resolve.Image.Samples != 1 || info.BlockBytes != at.Info.BlockBytes {
			return nil, &PassError{Draw: -1, What: fmt.Sprintf("resolve of %s to %s with %d samples", at.Info.Name, info.Name, a.Resolve.Image.Samples), Rule: "RAS-350", Fix: "resolve to an image of the same format with one sample"}
		}
		pl.Resolves = true
		if at.Reduced = at.Info; a.SkipTransfer {
			at.Reduced = at.Info.WithoutTransfer()
		}
	}
	pl.Clears = pl.Clears || at.Clear
	return at, nil
}

// surfaces returns the memory of one aspect of a view, by layer.
func (pl *passPlan) surfaces(v *resource.ImageView, aspect vk.ImageAspectFlags) ([]fragops.Surface, *format.Info, error) {
	if pl.Layers > v.Layers {
		return nil, nil, &PassError{Draw: -1, What: fmt.Sprintf("%d layers to draw, %d in the view", pl.Layers, v.Layers), Rule: "VUID-VkRenderingInfo-viewMask-06069", Fix: "make a view with as many layers"}
	}
	if !v.Image.Bound() {
		return nil, nil, &PassError{Draw: -1, What: "attachment without memory", Rule: "VUID-VkImageViewCreateInfo-image-01020", Fix: "bind memory to the image"}
	}
	info := v.Info
	var list []fragops.Surface
	for layer := range pl.Layers {
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

// clearTile executes a Clear on the part of a tile.
func (pl *passPlan) clearTile(c *Clear, layer int, in raster.Rect) {
	for _, cr := range c.Rects {
		r := rectOf(cr.Rect).Intersect(in)
		if r.Empty() || pl.pass.ViewMask == 0 && (uint32(layer) < cr.BaseArrayLayer || uint32(layer)-cr.BaseArrayLayer >= cr.LayerCount) {
			continue
		}
		if pl.pass.ViewMask != 0 && pl.pass.ViewMask>>layer&1 == 0 {
			continue
		}
		var value [tile.MaxTexel]byte
		if c.Aspect&vk.ImageAspectColorBit != 0 {
			if a := pl.Color[c.ColorAttachment]; a != nil {
				a.Info.Encode(value[:a.Bytes], c.Color)
				a.Fill(layer, r, value[:a.Bytes])
			}
		}
		if c.Aspect&vk.ImageAspectDepthBit != 0 && pl.Depth != nil {
			at := tile.Attachment{}
			putDepth(&at, pl.DepthFormat, c.Depth)
			pl.Depth.Fill(layer, r, at.Value[:pl.Depth.Bytes])
		}
		if c.Aspect&vk.ImageAspectStencilBit != 0 && pl.Stencil != nil {
			value[0] = byte(c.Stencil)
			pl.Stencil.Fill(layer, r, value[:1])
		}
	}
}
