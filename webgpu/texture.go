package webgpu

import (
	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

type texture struct {
	handle
	im     *pumice.Image
	format gputypes.TextureFormat
	volume bool // of three dimensions: layers are slices
	label  string
	flat   gputypes.TextureViewDimension // of a view that names none
}

func (d *device) CreateTexture(desc *hal.TextureDescriptor) (hal.Texture, error) {
	const op = "Device.CreateTexture"
	f, ok := lookUp(desc.Format)
	if !ok {
		return nil, missing(op, desc.Label, "texture format %d", desc.Format)
	}
	w, h, n := desc.Size.Width, max(desc.Size.Height, 1), max(desc.Size.DepthOrArrayLayers, 1)
	i := pumice.ImageDesc{Format: f.vk, Width: int(w), MipLevels: int(max(desc.MipLevelCount, 1)),
		Samples: int(max(desc.SampleCount, 1)), Name: desc.Label}
	t := &texture{format: desc.Format, label: desc.Label}
	switch desc.Dimension {
	case gputypes.TextureDimension1D:
		i.Layers, t.flat = int(n), gputypes.TextureViewDimension1D
	case gputypes.TextureDimension3D:
		i.Height, i.Depth, t.volume, t.flat = int(h), int(n), true, gputypes.TextureViewDimension3D
	default:
		i.Height, i.Layers, t.flat = int(h), int(n), gputypes.TextureViewDimension2D
		if n > 1 {
			t.flat = gputypes.TextureViewDimension2DArray
		}
		i.Cube = n%6 == 0 && w == h && i.Samples == 1
	}
	if len(desc.ViewFormats) > 0 {
		i.Flags |= vk.ImageCreateMutableFormatBit
	}
	var err error
	if t.im, err = d.dev.NewImage(i); err != nil {
		return nil, failed(op, desc.Label, err)
	}
	t.handle = d.named(t)
	return t, nil
}

func (t *texture) Destroy() {
	t.forget()
	_ = t.im.Close()
}

// CurrentUsage is 0: there are no layouts.
func (t *texture) CurrentUsage() gputypes.TextureUsage { return 0 }

// Work that uses the texture keeps its memory.
func (t *texture) AddPendingRef() {}
func (t *texture) DecPendingRef() {}

func (d *device) DestroyTexture(t hal.Texture) { destroy(t) }

type textureView struct {
	handle
	v             *pumice.ImageView
	format        gputypes.TextureFormat
	width, height int // of its first level
}

func (d *device) CreateTextureView(
	ht hal.Texture,
	desc *hal.TextureViewDescriptor,
) (hal.TextureView, error) {
	const op = "Device.CreateTextureView"
	t, ok := ht.(*texture)
	if desc == nil {
		desc = &hal.TextureViewDescriptor{}
	}
	if !ok || t.d != d {
		return nil, foreign(op, desc.Label, "texture")
	}
	dim, format := desc.Dimension, desc.Format
	if dim == gputypes.TextureViewDimensionUndefined {
		dim = t.flat
	}
	if format == gputypes.TextureFormatUndefined {
		format = t.format
	}
	v := pumice.ViewDesc{
		Format:    vkFormat(format),
		BaseLevel: int(desc.BaseMipLevel),
		BaseLayer: int(desc.BaseArrayLayer),
		Levels:    int(desc.MipLevelCount),
		Layers:    int(desc.ArrayLayerCount),
		Aspect:    aspectOf(t.format, desc.Aspect),
	}
	if v.Type, ok = viewTypeOf(dim); !ok || v.Format == 0 {
		return nil, missing(op, desc.Label, "views of dimension %d and format %d", dim, format)
	}
	if desc.ArrayLayerCount == 0 { // all that the dimension has
		switch dim {
		case gputypes.TextureViewDimension1D,
			gputypes.TextureViewDimension2D,
			gputypes.TextureViewDimension3D:
			v.Layers = 1
		case gputypes.TextureViewDimensionCube:
			v.Layers = 6
		}
	}
	x, err := t.im.NewView(v)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	i := t.im.Desc()
	r := &textureView{
		v:      x,
		format: format,
		width:  max(i.Width>>v.BaseLevel, 1),
		height: max(i.Height>>v.BaseLevel, 1),
	}
	r.handle = d.named(r)
	return r, nil
}

func (v *textureView) Destroy() {
	v.forget()
	_ = v.v.Close()
}

func (d *device) DestroyTextureView(v hal.TextureView) { destroy(v) }

// place is where a copy begins in a texture: a level, an aspect, and layers or slices.
func (t *texture) place(
	at hal.ImageCopyTexture,
	size hal.Extent3D,
) (vk.ImageSubresourceLayers, vk.Offset3D, vk.Extent3D) {
	l := vk.ImageSubresourceLayers{
		AspectMask: aspectOf(t.format, at.Aspect),
		MipLevel:   at.MipLevel,
		LayerCount: 1,
	}
	o := vk.Offset3D{X: int32(at.Origin.X), Y: int32(at.Origin.Y)}
	e := vk.Extent3D{Width: size.Width, Height: max(size.Height, 1), Depth: 1}
	if n := max(size.DepthOrArrayLayers, 1); t.volume {
		o.Z, e.Depth = int32(at.Origin.Z), n
	} else {
		l.BaseArrayLayer, l.LayerCount = at.Origin.Z, n
	}
	return l, o, e
}

// region is a copy between a buffer and a texture.
func (t *texture) region(op string, c hal.BufferTextureCopy) (vk.BufferImageCopy, error) {
	f, _ := lookUp(t.format)
	bytes := aspectBytes(t.format, c.TextureBase.Aspect)
	if bytes == 0 {
		return vk.BufferImageCopy{}, missing(op, t.label,
			"copies of all aspects of format %s: WebGPU copies one", t.format)
	}
	r := vk.BufferImageCopy{
		BufferOffset:      c.BufferLayout.Offset,
		BufferRowLength:   c.BufferLayout.BytesPerRow / bytes * f.width,
		BufferImageHeight: c.BufferLayout.RowsPerImage * f.height,
	}
	if c.BufferLayout.BytesPerRow%bytes != 0 {
		return r, missing(op, t.label, "rows of %d bytes in copies of format %s, whose blocks have %d",
			c.BufferLayout.BytesPerRow, t.format, bytes)
	}
	r.ImageSubresource, r.ImageOffset, r.ImageExtent = t.place(c.TextureBase, c.Size)
	if r.BufferImageHeight < r.ImageExtent.Height {
		r.BufferImageHeight = 0 // one image: rows do not matter
	}
	return r, nil
}
