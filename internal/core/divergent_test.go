package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/divergent.frag.spv testdata/divergent.frag

// quadDivergentImplicitLod: fragments of a quad sample images of their own, at the level
// of detail that the coordinates of the quad give: two texels a pixel are level 1.
func TestSample_IMG402_DivergentImagesInAQuad(t *testing.T) {
	rules.Covers(t, "IMG-402", "IMG-403")
	d := open(t)
	p := fullscreen(t, d, "divergent.frag", numberFormats, nil)
	s := must(d.NewSampler(vk.SamplerCreateInfo{MaxLod: 10}, 0))(t)
	set := must(p.NewDescriptorSet(0))(t)
	for k := range uint32(2) {
		im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 16, Height: 16}, MipLevels: 2}, nil, 0, ""))(t)
		fillWords(im, 100+k)
		c := d.NewCommandBuffer()
		c.ClearColorImage(im, vk.ClearColorValue{Uint32: [4]uint32{200 + k}}, []vk.ImageSubresourceRange{{AspectMask: vk.ImageAspectColorBit, BaseMipLevel: 1, LevelCount: 1, LayerCount: 1}})
		submit(t, d, c)
		if err := set.Write(0, k, []Descriptor{{View: must(d.NewImageView(im, resource.ViewDesc{}, ""))(t), Sampler: s}}); err != nil {
			t.Fatal(err)
		}
	}
	a, av := target(t, d, numbers, 1, 1)
	b := d.NewCommandBuffer()
	b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	b.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, set, nil)
	draw(b, p)
	b.EndRendering("end")
	submit(t, d, b)
	for i, got := range texels(t, a, 0, 0) { // centres are at halves, two of which are one
		if want := uint32(200 + (i%16+i/16+1)&1); got != want {
			t.Fatalf("(%d, %d) is %d, want %d", i%16, i/16, got, want)
		}
	}
}
