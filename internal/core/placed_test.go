package core

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// placedPair is an image as the device lays it out, and the same one whose rows have
// gaps between them, in memory that is full of gapByte.
type placedPair struct {
	t                     *testing.T
	d                     *Device
	what                  string
	tight, placed         *Image
	host                  []byte
	offset, row, used, of int // bytes of a row with and without its gap; rows
}

const gapByte = 0xA5

// each records f for both images, and compares all texels. Gaps must stay as they are.
func (p *placedPair) each(what string, f func(c *CommandBuffer, im *Image, v *ImageView)) {
	p.t.Helper()
	for _, im := range []*Image{p.tight, p.placed} {
		b := p.d.NewCommandBuffer()
		f(b, im, must(p.d.NewImageView(im, resource.ViewDesc{}, ""))(p.t))
		submit(p.t, p.d, b)
	}
	want := must(p.tight.Read(ctx, Subresource{}))(p.t)
	if got := must(p.placed.Read(ctx, Subresource{}))(p.t); !bytes.Equal(got, want) {
		p.t.Errorf("%s: other texels after %s", p.what, what)
	}
	for i, b := range p.host {
		w, at := byte(gapByte), i-p.offset
		if at >= 0 && at < p.of*p.row && at%p.row < p.used {
			w = want[at/p.row*p.used+at%p.row]
		}
		if b != w {
			p.t.Fatalf("%s: byte %d is %#x after %s, want %#x", p.what, i, b, what, w)
		}
	}
}

// sampled compares what both are filtered to.
func (p *placedPair) sampled(s *Sampler) {
	p.t.Helper()
	in := &ImageInstruction{Kind: ImageSample, Mode: LodExplicit}
	for n := range 64 {
		in.Coords = append(in.Coords, [4]float32{float32(n%8)*0.171 - 0.1, float32(n/8)*0.171 - 0.1})
	}
	var results [2][][4]uint32
	for i, im := range []*Image{p.tight, p.placed} {
		var err error
		if results[i], _, err = p.d.RunImage(ctx, "sample", in, must(p.d.NewImageView(im, resource.ViewDesc{}, ""))(p.t), s); err != nil {
			p.t.Fatal(err)
		}
	}
	if !slices.Equal(results[0], results[1]) {
		p.t.Errorf("%s: sampled to other colours", p.what)
	}
}

// An image whose rows have gaps between them, at any place, takes copies, clears, blits
// and draws as any other does, and is sampled to the same bits.
func TestPlacedImage_SameTexels_GapsUntouched(t *testing.T) {
	const width, height = 13, 7
	for _, engine := range Engines {
		d := must(Open(Config{HeapMemory: true, Threads: 2, Engine: engine}))(t)
		linear := must(d.NewSampler(vk.SamplerCreateInfo{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear}, 0))(t)
		part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
		for f, place := range map[vk.Format]vk.SubresourceLayout{
			vk.FormatR8Unorm:            {Offset: 3, RowPitch: width + 2},
			vk.FormatR8G8B8Unorm:        {Offset: 1, RowPitch: 3*width + 1},
			vk.FormatB5G6R5UnormPack16:  {Offset: 10, RowPitch: 2*width + 6},
			vk.FormatR8G8B8A8Srgb:       {Offset: 4, RowPitch: 4*width + 12},
			vk.FormatR16G16B16A16Sfloat: {Offset: 8, RowPitch: 8*width + 8},
			vk.FormatR32G32B32A32Sfloat: {Offset: 16, RowPitch: 16 * (width + 1)},
			vk.FormatBc7UnormBlock:      {Offset: 16, RowPitch: 16 * 5},
		} {
			info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: width, Height: height, Depth: 1}, MipLevels: 1, ArrayLayers: 1}
			p := &placedPair{t: t, d: d, what: engine + ", " + f.String(), tight: must(d.NewImage(info, nil, 0, "tight"))(t),
				placed: must(d.NewPlacedImage(info, []vk.SubresourceLayout{place}, "placed"))(t), host: bytes.Repeat([]byte{gapByte}, 1<<12),
				offset: int(place.Offset), row: int(place.RowPitch), of: height}
			if p.used = width * p.tight.res.Info.BlockBytes; f == vk.FormatBc7UnormBlock {
				p.of, p.used = 2, 4*16
			}
			if err := p.placed.Bind(must(d.ImportMemory(p.host, nil))(t), 0); err != nil {
				t.Fatal(err)
			}
			texels := make([]byte, p.of*p.used)
			_, _ = rand.NewChaCha8([32]byte{byte(f)}).Read(texels)
			buffer := must(d.NewBuffer(vk.BufferCreateInfo{Size: uint64(len(texels)), Usage: vk.BufferUsageTransferSrcBit}, nil, 0, ""))(t)
			if err := buffer.Write(ctx, 0, texels); err != nil {
				t.Fatal(err)
			}
			p.each("vkCmdCopyBufferToImage", func(c *CommandBuffer, im *Image, _ *ImageView) {
				c.CopyBufferToImage(buffer, im, []vk.BufferImageCopy{{ImageSubresource: part, ImageExtent: info.Extent}})
			})
			p.sampled(linear)
			if p.of == 2 {
				continue // of blocks
			}
			over := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
				i.Viewport.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 1}, Extent: vk.Extent2D{Width: width - 2, Height: height - 2}}
				a := &i.ColorBlend.Attachments[0]
				a.BlendEnable, a.SrcColorBlendFactor, a.DstColorBlendFactor = true, vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha
			})
			p.each("a draw", func(c *CommandBuffer, _ *Image, v *ImageView) {
				c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v, Load: vk.AttachmentLoadOpLoad}}})
				draw(c, over)
				c.EndRendering("end")
			})
			p.sampled(linear)
			p.each("vkCmdBlitImage", func(c *CommandBuffer, im *Image, _ *ImageView) { // a part of each onto another
				c.BlitImage(im, im, vk.FilterLinear, []vk.ImageBlit{{SrcSubresource: part, DstSubresource: part,
					SrcOffsets: [2]vk.Offset3D{{Y: 4}, {X: width, Y: height, Z: 1}}, DstOffsets: [2]vk.Offset3D{{X: 7}, {X: width, Y: 3, Z: 1}}}})
			})
			p.each("a clear of a pass", func(c *CommandBuffer, _ *Image, v *ImageView) {
				c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{.25, .5, .75, 1}}}}}})
				c.EndRendering("end")
			})
			p.each("vkCmdClearColorImage", func(c *CommandBuffer, im *Image, _ *ImageView) {
				c.ClearColorImage(im, vk.ClearColorValue{Float32: [4]float32{.75, .5, .25, 1}}, []vk.ImageSubresourceRange{{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
			})
		}
		_ = d.Close()
	}
}
