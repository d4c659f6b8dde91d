package core

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A resolve takes the first sample of integers and the mean of others, region by region and layer by layer, by a command and at the
// end of a pass; nothing else changes.
func TestResolveImage_RAS355_FirstOrMean(t *testing.T) {
	rules.Covers(t, "RC-70", "RAS-350", "RAS-355")
	d := open(t)
	r := rand.New(rand.NewPCG(35, 6))
	var (
		u8  = func(b []byte) float64 { return float64(b[0]) }
		s8  = func(b []byte) float64 { return float64(int8(b[0])) }
		u16 = func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }
		s16 = func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }
		u32 = func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }
		s32 = func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }
		f32 = func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	)
	for _, f := range []struct {
		format vk.Format
		size   int // of a component
		first  bool
		of     func(b []byte) float64
	}{
		{vk.FormatR8Uint, 1, true, u8}, {vk.FormatR8G8B8A8Uint, 1, true, u8}, {vk.FormatR8G8B8A8Sint, 1, true, s8}, {vk.FormatR16G16Uint, 2, true, u16}, {vk.FormatR16G16B16A16Sint, 2, true, s16},
		{vk.FormatR32Uint, 4, true, u32}, {vk.FormatR32G32Sint, 4, true, s32}, {vk.FormatR32G32B32A32Uint, 4, true, u32},
		{vk.FormatR8Unorm, 1, false, u8}, {vk.FormatR8G8B8A8Unorm, 1, false, u8}, {vk.FormatR8G8B8A8Snorm, 1, false, s8}, {vk.FormatR16G16Unorm, 2, false, u16}, {vk.FormatR16G16Snorm, 2, false, s16},
		{vk.FormatR32Sfloat, 4, false, f32}, {vk.FormatR32G32B32A32Sfloat, 4, false, f32},
	} {
		for _, samples := range []int{2, 4, 8} {
			const layers = 2
			src, srcView := target(t, d, f.format, vk.SampleCountFlags(samples), layers)
			a, av := target(t, d, f.format, 1, layers)
			b, _ := target(t, d, f.format, 1, layers)
			texel := src.res.Info.BlockBytes
			data := src.res.Data
			for i := 0; i < len(data); i += f.size {
				switch {
				case f.format == vk.FormatR32Sfloat || f.format == vk.FormatR32G32B32A32Sfloat:
					binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(r.IntN(2000)-1000)))
				default:
					for k := range f.size {
						data[i+k] = byte(r.Uint32())
					}
				}
				if f.of(data[i:]) == -128 && f.size == 1 || f.of(data[i:]) == -32768 && f.size == 2 {
					data[i] = 1 // another code for -1
				}
			}
			for i := range b.res.Data {
				a.res.Data[i], b.res.Data[i] = 0x55, 0x55
			}
			c := d.NewCommandBuffer()
			c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Offset: vk.Offset2D{X: 3, Y: 1}, Extent: vk.Extent2D{Width: 11, Height: 6}}, LayerCount: layers,
				Color: []RenderingAttachment{{View: srcView, Load: vk.AttachmentLoadOpLoad, Resolve: av}}})
			c.EndRendering("end")
			part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: layers}
			at := func(x, y int32) vk.Offset3D { return vk.Offset3D{X: x, Y: y} }
			c.ResolveImage(src, b, []vk.ImageResolve{
				{SrcSubresource: part, DstSubresource: part, SrcOffset: at(3, 1), DstOffset: at(3, 1), Extent: vk.Extent3D{Width: 11, Height: 2, Depth: 1}},
				{SrcSubresource: part, DstSubresource: part, SrcOffset: at(3, 3), DstOffset: at(3, 3), Extent: vk.Extent3D{Width: 11, Height: 4, Depth: 1}},
			})
			submit(t, d, c)
			for layer := range layers {
				from, by, in := src.res.Level(0, 0, layer), b.res.Level(0, 0, layer), a.res.Level(0, 0, layer)
				for i := range from.Width * from.Height {
					x, y := i%from.Width, i/from.Width
					inside := x >= 3 && x < 14 && y >= 1 && y < 7
					for k := 0; k < texel; k += f.size {
						sum := 0.0
						for s := range samples {
							sum += f.of(from.Data[from.Offset(x, y, 0, s)+k:])
						}
						mean := sum / float64(samples)
						ok := func(l *resource.Level) bool {
							got := f.of(l.Data[l.Offset(x, y, 0, 0)+k:])
							switch {
							case !inside:
								return l.Data[l.Offset(x, y, 0, 0)+k] == 0x55
							case f.first:
								return got == f.of(from.Data[from.Offset(x, y, 0, 0)+k:])
							case f.size == 4:
								return got == mean
							}
							return math.Abs(got-mean) <= .5 // to the nearest code
						}
						if !ok(&by) || !ok(&in) {
							t.Fatalf("%v, %d samples, layer %d, pixel (%d, %d), byte %d: by a command %v, at the end of a pass %v; samples have mean %v, the first is %v", f.format, samples, layer, x, y, k,
								f.of(by.Data[by.Offset(x, y, 0, 0)+k:]), f.of(in.Data[in.Offset(x, y, 0, 0)+k:]), mean, f.of(from.Data[from.Offset(x, y, 0, 0)+k:]))
						}
					}
				}
			}
		}
	}
}

// Depth and stencil of one slice of a 3D image are attachments of their own.
func TestRendering_DepthStencilSlices(t *testing.T) {
	d := open(t)
	const aspects = vk.ImageAspectDepthBit | vk.ImageAspectStencilBit
	im := must(d.NewImage(vk.ImageCreateInfo{Flags: vk.ImageCreate2DArrayCompatibleBit, ImageType: vk.ImageType3D, Tiling: vk.ImageTilingLinear,
		Format: vk.FormatD16UnormS8Uint, Extent: vk.Extent3D{Width: 3, Height: 2, Depth: 4}, MipLevels: 1, ArrayLayers: 1}, nil, 0, ""))(t)
	flat := vk.ImageViewType2D
	c := d.NewCommandBuffer()
	for z := range uint32(3) { // and not the last
		v := must(d.NewImageView(im, resource.ViewDesc{Type: &flat, Range: vk.ImageSubresourceRange{AspectMask: aspects, LevelCount: 1, BaseArrayLayer: z, LayerCount: 1}}, ""))(t)
		a := RenderingAttachment{View: v, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{DepthStencil: vk.ClearDepthStencilValue{Depth: float32(z) / 65535, Stencil: 10 + z}}}
		c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 3, Height: 2}}, LayerCount: 1, Depth: &a, Stencil: &a})
		c.EndRendering("end")
	}
	submit(t, d, c)
	depth, stencil := im.res.Level(0, 0, 0), im.res.Level(1, 0, 0)
	for z := range 4 {
		for i := range 6 {
			x, y := i%3, i/3
			got := [2]int{int(binary.LittleEndian.Uint16(depth.Data[depth.Offset(x, y, z, 0):])), int(stencil.Data[stencil.Offset(x, y, z, 0)])}
			want := [2]int{z, 10 + z}
			if z == 3 {
				want = [2]int{}
			}
			if got != want {
				t.Errorf("slice %d, (%d, %d): %v, want %v", z, x, y, got, want)
			}
		}
	}
}

// Resolves of sRGB samples with and without the transfer function, by a command and by a pass of either kind: codes 10 to 40 have the mean 25, and their values another one.
func TestResolve_RAS353_TransferFunction(t *testing.T) {
	rules.Covers(t, "RAS-353")
	d := open(t)
	const f = vk.FormatR8G8B8A8Srgb
	part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	region := []vk.ImageResolve{{SrcSubresource: part, DstSubresource: part, Extent: vk.Extent3D{Width: 16, Height: 8, Depth: 1}}}
	for _, skip := range []bool{false, true} {
		src, srcView := target(t, d, f, 4, 1)
		for i := range src.res.Data {
			src.res.Data[i] = byte(10 * (i/4%4 + 1)) // samples lie beside each other
		}
		var images []*Image
		var views []*ImageView
		for range 3 {
			im, v := target(t, d, f, 1, 1)
			images, views = append(images, im), append(views, v)
		}
		to := attach(f, 1, vk.AttachmentLoadOpDontCare)
		flags := vk.ResolveImageEnableTransferFunctionBitKHR
		if to.Flags = vk.AttachmentDescriptionResolveEnableTransferFunctionBitKHR; skip {
			to.Flags, flags = vk.AttachmentDescriptionResolveSkipTransferFunctionBitKHR, vk.ResolveImageSkipTransferFunctionBitKHR
		}
		rp := must(d.NewRenderPass(RenderPassInfo{
			Attachments: []vk.AttachmentDescription2{attach(f, 4, vk.AttachmentLoadOpLoad), to},
			Subpasses:   []Subpass{{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}, ResolveAttachments: []vk.AttachmentReference2{ref(1)}}}},
		}))(t)
		c := d.NewCommandBuffer()
		c.ResolveImageMode(src, images[0], region, vk.ResolveModeAverageBit, vk.ResolveModeNone, flags)
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: srcView, Load: vk.AttachmentLoadOpLoad, Resolve: views[1], SkipTransfer: skip}}})
		c.EndRendering("end")
		c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{srcView, views[2]}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}, Clear: make([]vk.ClearValue, 2)})
		c.EndRenderPass()
		submit(t, d, c)
		for way, im := range images {
			for i, got := range texels(t, im, 0, 0) {
				// Values of 10, 20, 30 and 40 in thousandths: 3.035, 6.995, 12.983, 21.219; their mean is 11.058, which is code 27. Alpha has none.
				want := uint32(0x191B1B1B)
				if skip {
					want = 0x19191919
				}
				if got != want {
					t.Fatalf("skip %v, way %d, texel %d: %x, want %x", skip, way, i, got, want)
				}
			}
		}
	}
}

// The same where several samples are drawn to an attachment of one, whose own description says so: 0.5 is code 188,
// half of the samples have it, and the others 0. The mean of codes is 94; that of values 0.2514, code 137.
func TestResolve_RAS353_TransferFunctionOfSingleSampled(t *testing.T) {
	rules.Covers(t, "RAS-353")
	d := open(t)
	const f = vk.FormatR8G8B8A8Srgb
	for flags, want := range map[vk.AttachmentDescriptionFlags]uint32{
		0: 137, vk.AttachmentDescriptionResolveEnableTransferFunctionBitKHR: 137, vk.AttachmentDescriptionResolveSkipTransferFunctionBitKHR: 94,
	} {
		a, av := target(t, d, f, 1, 1)
		at := attach(f, 1, vk.AttachmentLoadOpClear)
		at.Flags = flags
		rp := must(d.NewRenderPass(RenderPassInfo{Attachments: []vk.AttachmentDescription2{at},
			Subpasses: []Subpass{{Samples: 4, SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}}}}}))(t)
		p := fullscreen(t, d, "half.frag", rp.Rendering(0), func(i *GraphicsPipelineInfo) {
			i.Multisample.RasterizationSamples, i.Multisample.SampleMask = 4, []uint32{0b0101}
		})
		c := d.NewCommandBuffer()
		c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}, Clear: make([]vk.ClearValue, 1)})
		draw(c, p)
		c.EndRenderPass()
		submit(t, d, c)
		for i, got := range texels(t, a, 0, 0) {
			if got&0xFF != want {
				t.Fatalf("%v, texel %d: %d, want %d", flags, i, got&0xFF, want)
			}
		}
	}
}
