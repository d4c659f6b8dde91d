package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Shaders with interlocks, and those that read what the pass draws to, see what earlier
// fragments of their pixel have done: a batch holds no pixel twice then, and
// batches run one after the other.

// sees says that a draw's fragments may read what fragments of the pass write: by tile images, or by input
// attachments that are attachments of the pass, too.
func (pl *passPlan) sees(d *Draw) bool {
	f := d.Pipeline.desc.Fragment
	if f == nil {
		return false
	}
	for i, r := range f.Program().Resources {
		switch {
		case r.Kind == ir.TileImage:
			return true
		case r.Kind != ir.InputAttachment || d.Fragment == nil || i >= len(d.Fragment.Resources):
		case slices.ContainsFunc(d.Fragment.Resources[i], func(x exec.Descriptor) bool { return x.View != nil && pl.drawsTo(x.View.Image) }):
			return true
		}
	}
	return false
}

// drawsTo says that an attachment of the pass has an image, or memory that the image may have, too.
func (pl *passPlan) drawsTo(im *resource.Image) bool {
	if im.Flags&vk.ImageCreateSparseBindingBit != 0 { // its pages may be anybody's
		return true
	}
	has := func(v *resource.ImageView) bool {
		return v != nil && (v.Image == im || v.Image.Flags&vk.ImageCreateSparseBindingBit != 0 || memory.Overlap(v.Image.Data, im.Data))
	}
	for i := range pl.pass.Color {
		if a := &pl.pass.Color[i]; has(a.View) || has(a.Resolve) {
			return true
		}
	}
	for _, a := range []*Attachment{pl.pass.Depth, pl.pass.Stencil} {
		if a != nil && (has(a.View) || has(a.Resolve)) {
			return true
		}
	}
	return false
}

// tileImages adds the attachments that a shader reads to its descriptors.
//
// RAS-312 fragops-shader-tileimage-reads
func (pl *passPlan) tileImages(c *exec.Context, p *ir.Program) (*exec.Context, error) {
	if !slices.ContainsFunc(p.Resources, func(r ir.Resource) bool { return r.Kind == ir.TileImage }) {
		return c, nil
	}
	own := *c
	own.Resources = slices.Clone(c.Resources)
	for i, r := range p.Resources {
		if r.Kind != ir.TileImage {
			continue
		}
		list := make([]exec.Descriptor, r.Count)
		for k := range list {
			var err error
			if list[k].View, err = pl.tileView(int(r.Binding) + k); err != nil {
				return nil, &PassError{Draw: -1, What: "tile image", Rule: "RAS-312", Err: err}
			}
		}
		own.Resources[i] = list
	}
	return &own, nil
}

// tileView is the view of an attachment, nil where there is none.
func (pl *passPlan) tileView(binding int) (*resource.ImageView, error) {
	aspect := func(a *Attachment, aspect vk.ImageAspectFlags) (*resource.ImageView, error) {
		if a == nil || a.View == nil {
			return nil, nil
		}
		v, typ := a.View, vk.ImageViewType2DArray
		return resource.NewView(v.Image, resource.ViewDesc{Type: &typ, Format: v.Format, Range: vk.ImageSubresourceRange{
			AspectMask: aspect, BaseMipLevel: uint32(v.BaseLevel), LevelCount: 1, BaseArrayLayer: uint32(v.BaseLayer), LayerCount: uint32(v.Layers),
		}})
	}
	switch {
	case binding == ir.TileDepth:
		return aspect(pl.pass.Depth, vk.ImageAspectDepthBit)
	case binding == ir.TileStencil:
		return aspect(pl.pass.Stencil, vk.ImageAspectStencilBit)
	case binding < len(pl.pass.Color):
		return pl.pass.Color[binding].View, nil
	}
	return nil, nil
}
