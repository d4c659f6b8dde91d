package core

import (
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Attachments of one sample that are drawn with several
// (VK_EXT_multisampled_render_to_single_sampled) have an image of their own during
// the pass: it begins with the texels of the attachment in all samples, and is
// resolved to it in the end.

// maxTransientBytes bounds such an image.
const maxTransientBytes = 1 << 31

// multisample gives the attachments of a pass such images.
func (r *runner) multisample(info *RenderingInfo) error {
	made := map[*ImageView]*resource.ImageView{} // depth and stencil may share one
	give := func(from *RenderingAttachment, to *render.Attachment) error {
		if from == nil || from.View == nil || !from.single {
			return nil
		}
		v := made[from.View]
		if v == nil {
			var err error
			if v, err = r.transient(from.View.view, info.Samples); err != nil {
				return err
			}
			made[from.View] = v
		}
		to.View, to.Spread = v, true
		return nil
	}
	for i := range info.Color {
		if err := give(&info.Color[i], &r.pass.Color[i]); err != nil {
			return err
		}
	}
	if err := give(info.Depth, r.pass.Depth); err != nil {
		return err
	}
	return give(info.Stencil, r.pass.Stencil)
}

// transient makes an image like that of a view, with samples.
func (r *runner) transient(v *resource.ImageView, samples int) (*resource.ImageView, error) {
	w, h, _ := v.Extent(0)
	im, err := resource.NewImage(resource.ImageDesc{
		Type: vk.ImageType2D, Format: v.Image.Format, Extent: vk.Extent3D{Width: uint32(w), Height: uint32(h), Depth: 1},
		Samples: samples, ArrayLayers: v.Layers, Flags: vk.ImageCreateMutableFormatBit, Usage: v.Image.Usage,
	})
	if err != nil {
		return nil, r.dev.wrap(r.op, err)
	}
	if im.Layout.Size > maxTransientBytes {
		return nil, r.dev.unsupported(r.op, "VkMultisampledRenderToSingleSampledInfoEXT-rasterizationSamples-06878", "use fewer samples", "%d samples of an attachment take %d bytes", samples, im.Layout.Size)
	}
	im.Data = make([]byte, im.Layout.Size)
	typ := vk.ImageViewType2DArray
	out, err := resource.NewView(im, resource.ViewDesc{Type: &typ, Format: v.Format, Range: vk.ImageSubresourceRange{
		AspectMask: im.Info.Aspects, LevelCount: 1, LayerCount: uint32(v.Layers),
	}})
	if err != nil {
		return nil, r.dev.wrap(r.op, err)
	}
	return out, nil
}
