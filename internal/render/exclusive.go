package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/raster"
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

// occupancy says which pixel quads of the tile the batch has fragments of: those
// whose entry is the batch's number.
type occupancy struct {
	number uint32
	at     []uint32
}

// quadInBlock is the first quad of a block's pixels, which come by quads.
const quadInBlock = 0xF

// take claims the pixel quads of a rectangle of pixels for the batch; false if it
// has one already. With pixels it is a block, of which it claims those that have one.
func (o *occupancy) take(shift uint, r raster.Rect, pixels ...uint64) bool {
	if n := 1 << (2*shift - 2); len(o.at) != n {
		o.at, o.number = make([]uint32, n), 1
	}
	mask := int32(1)<<shift - 1
	each := func(f func(at *uint32) bool) bool {
		for y := r.Y0; y < r.Y1; y += 2 {
			for x := r.X0; x < r.X1; x += 2 {
				if len(pixels) > 0 && pixels[0]>>(raster.BlockPixels*(y-r.Y0)+2*(x-r.X0))&quadInBlock == 0 {
					continue
				}
				if !f(&o.at[int(y&mask>>1)<<(shift-1)|int(x&mask>>1)]) {
					return false
				}
			}
		}
		return true
	}
	if !each(func(at *uint32) bool { return *at != o.number }) {
		return false
	}
	return each(func(at *uint32) bool { *at = o.number; return true })
}

// reserve makes room in the batch for fragments in a rectangle of pixels, or the pixels of a block: what is
// in the batch runs first where they share a pixel quad.
func (f *fragments) reserve(r raster.Rect, pixels ...uint64) error {
	o, shift := &f.occupied, f.plan.Grid.Shift
	if o.take(shift, r, pixels...) { // RAS-101, RAS-313 fragops-shader-interlock
		return nil
	}
	if err := f.flush(); err != nil {
		return err
	}
	o.take(shift, r, pixels...)
	return nil
}

// release forgets the pixels of a batch that has run.
func (o *occupancy) release() {
	if o.number++; o.number == 0 {
		clear(o.at)
		o.number = 1
	}
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
