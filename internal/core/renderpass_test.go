package core

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/layers.vert.spv testdata/layers.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/layers.frag.spv testdata/layers.frag

const numbers = vk.FormatR32Uint

// target makes a 16×8 image and a view of it.
func target(t testing.TB, d *Device, f vk.Format, samples vk.SampleCountFlags, layers uint32) (*Image, *ImageView) {
	t.Helper()
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 16, Height: 8}, Samples: samples, ArrayLayers: layers}, nil, 0, ""))(t)
	return im, must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
}

// texels returns a layer of a 16×8 image of words.
func texels(t testing.TB, im *Image, layer int, aspect vk.ImageAspectFlags) []uint32 {
	t.Helper()
	raw := must(im.Read(ctx, Subresource{Layer: layer, Aspect: aspect}))(t)
	out := make([]uint32, len(raw)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out
}

// fillWords sets all of an image's words.
func fillWords(im *Image, v uint32) {
	for i := 0; i < len(im.mem.data); i += 4 {
		binary.LittleEndian.PutUint32(im.mem.data[i:], v)
	}
}

// fullscreen makes a pipeline that covers the whole viewport with a fragment
// shader of testdata.
func fullscreen(t testing.TB, d *Device, fragment string, r vk.PipelineRenderingCreateInfo, change func(*GraphicsPipelineInfo)) *Pipeline {
	t.Helper()
	write := vk.PipelineColorBlendAttachmentState{ColorWriteMask: vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit}
	info := &GraphicsPipelineInfo{
		Vertex: Stage{Code: shaderCode(t, "input.vert")}, Fragment: Stage{Code: shaderCode(t, fragment)},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}}},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		ColorBlend:    vk.PipelineColorBlendStateCreateInfo{Attachments: slices.Repeat([]vk.PipelineColorBlendAttachmentState{write}, len(r.ColorAttachmentFormats))},
		Rendering:     r,
	}
	if change != nil {
		change(info)
	}
	return must(d.NewGraphicsPipeline(info))(t)
}

func draw(c *CommandBuffer, p *Pipeline) {
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	c.Draw("Pass.Draw", 3, 1, 0, 0)
}

// inputSet makes a set of one input attachment.
func inputSet(t testing.TB, p *Pipeline, v *ImageView) *DescriptorSet {
	t.Helper()
	s := must(p.NewDescriptorSet(0))(t)
	if err := s.Write(0, 0, []Descriptor{{View: v}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func uintClear(v uint32) vk.ClearValue {
	return vk.ClearValue{Color: vk.ClearColorValue{Uint32: [4]uint32{v}}}
}

func attach(f vk.Format, samples vk.SampleCountFlags, load vk.AttachmentLoadOp) vk.AttachmentDescription2 {
	return vk.AttachmentDescription2{Format: f, Samples: samples, LoadOp: load, StencilLoadOp: load}
}

func ref(i uint32) vk.AttachmentReference2 { return vk.AttachmentReference2{Attachment: i} }

// The second subpass reads what the first has drawn, in the render area; the
// rest of the images stays.
func TestRenderPass_InputAttachment(t *testing.T) {
	rules.Covers(t, "IMG-032")
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	b, bv := target(t, d, numbers, 1, 1)
	fillWords(a, 1000)
	fillWords(b, 2000)
	rp := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{attach(numbers, 1, vk.AttachmentLoadOpClear), attach(numbers, 1, vk.AttachmentLoadOpClear)},
		Subpasses: []Subpass{
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}}},
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(vk.AttachmentUnused), ref(1)}, InputAttachments: []vk.AttachmentReference2{ref(0)}}},
		},
	}))(t)
	first := fullscreen(t, d, "number.frag", rp.Rendering(0), nil)
	second := fullscreen(t, d, "input1.frag", rp.Rendering(1), func(i *GraphicsPipelineInfo) {
		i.Viewport.Scissors[0].Extent.Width = 6 // the rest is only cleared
	})
	c := d.NewCommandBuffer()
	c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av, bv}, Area: vk.Rect2D{Offset: vk.Offset2D{X: 2, Y: 1}, Extent: vk.Extent2D{Width: 9, Height: 5}},
		Clear: []vk.ClearValue{uintClear(3), uintClear(4)}})
	draw(c, first)
	c.NextSubpass()
	c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, second, av), nil)
	draw(c, second)
	c.EndRenderPass()
	submit(t, d, c)
	gotA, gotB := texels(t, a, 0, 0), texels(t, b, 0, 0)
	for i := range gotA {
		x, y := i%16, i/16
		wantA, wantB := uint32(1000), uint32(2000)
		if x >= 2 && x < 11 && y >= 1 && y < 6 {
			wantA, wantB = uint32(x+16*y), 4
			if x < 6 {
				wantB = 2*wantA + 1
			}
		}
		if gotA[i] != wantA || gotB[i] != wantB {
			t.Fatalf("at %d,%d: %d and %d, want %d and %d", x, y, gotA[i], gotB[i], wantA, wantB)
		}
	}
}

// Samples of an input attachment, by their numbers and by the fragment mask, and a resolve at the end of the first subpass.
func TestRenderPass_MultisampledInput(t *testing.T) {
	rules.Covers(t, "RAS-123", "RAS-124", "RAS-125")
	d := open(t)
	_, av := target(t, d, numbers, 4, 1)
	b, bv := target(t, d, numbers, 1, 1)
	r, rv := target(t, d, numbers, 1, 1)
	rp := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{attach(numbers, 4, vk.AttachmentLoadOpDontCare), attach(numbers, 1, vk.AttachmentLoadOpDontCare), attach(numbers, 1, vk.AttachmentLoadOpDontCare)},
		Subpasses: []Subpass{
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}, ResolveAttachments: []vk.AttachmentReference2{ref(2)}}},
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(1)}, InputAttachments: []vk.AttachmentReference2{ref(0)}, PreserveAttachments: []uint32{2}}},
		},
	}))(t)
	if rp.Samples(0) != 4 || rp.Samples(1) != 1 {
		t.Errorf("%d and %d samples", rp.Samples(0), rp.Samples(1))
	}
	first := fullscreen(t, d, "samplenumber.frag", rp.Rendering(0), func(i *GraphicsPipelineInfo) { i.Multisample.RasterizationSamples = 4 })
	sampler := must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
	for shader, want := range map[string]uint32{
		"inputms.frag":      41,        // samples 1 and 4
		"fragmentmask.frag": 4321_1234, // all, of the attachment and of the image
	} {
		second := fullscreen(t, d, shader, rp.Rendering(1), nil)
		set := inputSet(t, second, av)
		if shader == "fragmentmask.frag" {
			if err := set.Write(1, 0, []Descriptor{{View: av, Sampler: sampler}}); err != nil {
				t.Fatal(err)
			}
		}
		c := d.NewCommandBuffer()
		c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av, bv, rv}})
		draw(c, first)
		c.NextSubpass()
		c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, set, nil)
		draw(c, second)
		c.EndRenderPass()
		submit(t, d, c)
		for i, v := range texels(t, b, 0, 0) {
			if v != want {
				t.Fatalf("%s: texel %d is %d, want %d", shader, i, v, want)
			}
		}
	}
	for i, v := range texels(t, r, 0, 0) {
		if v != 1 {
			t.Fatalf("resolved texel %d is %d, want 1", i, v)
		}
	}
}

// Depth resolves to the target and its stencil, which does not, is cleared.
func TestRenderPass_DepthResolve(t *testing.T) {
	rules.Covers(t, "RAS-350", "RAS-351", "RAS-354")
	d := open(t)
	const f = vk.FormatD32SfloatS8Uint
	_, av := target(t, d, f, 4, 1)
	r, rv := target(t, d, f, 1, 1)
	resolved := ref(1)
	depth := ref(0)
	rp := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{attach(f, 4, vk.AttachmentLoadOpClear), attach(f, 1, vk.AttachmentLoadOpClear)},
		Subpasses: []Subpass{{SubpassDescription2: vk.SubpassDescription2{DepthStencilAttachment: &depth}, DepthStencilResolve: &resolved,
			DepthResolveMode: vk.ResolveModeMaxBit}},
	}))(t)
	ds := func(z float32, s uint32) vk.ClearValue {
		return vk.ClearValue{DepthStencil: vk.ClearDepthStencilValue{Depth: z, Stencil: s}}
	}
	c := d.NewCommandBuffer()
	c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av, rv}, Clear: []vk.ClearValue{ds(0.5, 7), ds(0.25, 3)}})
	c.EndRenderPass()
	submit(t, d, c)
	for i, v := range texels(t, r, 0, vk.ImageAspectDepthBit) {
		if v != 0x3F000000 {
			t.Fatalf("depth %d is %#x, want 0.5", i, v)
		}
	}
	if s := must(r.Read(ctx, Subresource{Aspect: vk.ImageAspectStencilBit}))(t); !bytes.Equal(s, bytes.Repeat([]byte{3}, 128)) {
		t.Errorf("stencil is %v…, want 3", s[:8])
	}
}

// Each subpass has its own views; a view is cleared by the first subpass that has
// it, and views in no mask stay.
func TestRenderPass_ViewMasks(t *testing.T) {
	rules.Covers(t, "RAS-072")
	d := open(t)
	a, av := target(t, d, numbers, 1, 4)
	b, bv := target(t, d, numbers, 1, 4)
	fillWords(a, 1000)
	fillWords(b, 1000)
	use := func(mask, color uint32, input ...vk.AttachmentReference2) Subpass {
		return Subpass{SubpassDescription2: vk.SubpassDescription2{ViewMask: mask, ColorAttachments: []vk.AttachmentReference2{ref(color)}, InputAttachments: input}}
	}
	rp := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{attach(numbers, 1, vk.AttachmentLoadOpClear), attach(numbers, 1, vk.AttachmentLoadOpClear)},
		Subpasses:   []Subpass{use(0b0001, 0), use(0b1001, 0), use(0b1001, 1, ref(0))},
	}))(t)
	first := fullscreen(t, d, "number.frag", rp.Rendering(0), nil)
	third := fullscreen(t, d, "input.frag", rp.Rendering(2), nil)
	c := d.NewCommandBuffer()
	c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av, bv}, Clear: []vk.ClearValue{uintClear(50), uintClear(60)}})
	draw(c, first)
	c.NextSubpass() // clears view 3, leaves view 0
	c.NextSubpass()
	c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, third, av), nil)
	draw(c, third)
	c.EndRenderPass()
	submit(t, d, c)
	for layer, want := range [][2]uint32{{17, 35}, {1000, 1000}, {1000, 1000}, {50, 101}} {
		if got := [2]uint32{texels(t, a, layer, 0)[17], texels(t, b, layer, 0)[17]}; got != want {
			t.Errorf("layer %d: %v, want %v", layer, got, want)
		}
	}
}

// A pass that is suspended and resumed clears once and resolves once.
func TestRendering_SuspendAndResume(t *testing.T) {
	d := open(t)
	a, av := target(t, d, numbers, 4, 1)
	r, rv := target(t, d, numbers, 1, 1)
	fillWords(r, 9)
	info := func(flags vk.RenderingFlags) RenderingInfo {
		return RenderingInfo{Flags: flags, Color: []RenderingAttachment{{View: av, Resolve: rv, ResolveMode: vk.ResolveModeSampleZeroBit, Load: vk.AttachmentLoadOpClear, Clear: uintClear(77)}}}
	}
	p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}, func(i *GraphicsPipelineInfo) {
		i.Multisample.RasterizationSamples = 4
		i.Viewport.Scissors[0].Extent.Width = 8
	})
	c := d.NewCommandBuffer()
	c.BeginRendering(info(vk.RenderingSuspendingBit))
	draw(c, p)
	c.EndRendering("end")
	submit(t, d, c)
	if got := texels(t, r, 0, 0)[0]; got != 9 {
		t.Errorf("the suspended pass resolved: %d", got)
	}
	c = d.NewCommandBuffer()
	c.BeginRendering(info(vk.RenderingResumingBit))
	c.EndRendering("end")
	submit(t, d, c)
	if got := texels(t, r, 0, 0); got[17] != 17 || got[15] != 77 {
		t.Errorf("the resumed pass resolved %d and %d, want 17 and 77 (%d)", got[17], got[15], len(a.mem.data))
	}
}

// Fragments read what earlier draws of the same pass wrote, after a barrier.
func TestRendering_LocalRead(t *testing.T) {
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	r := vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}
	p, q := fullscreen(t, d, "number.frag", r, nil), fullscreen(t, d, "input.frag", r, nil)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	draw(c, p)
	c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, q, av), nil)
	for range 2 {
		c.PipelineBarrier("barrier", nil)
		draw(c, q)
	}
	c.EndRendering("end")
	submit(t, d, c)
	for i, v := range texels(t, a, 0, 0) {
		if want := uint32(4*i + 3); v != want {
			t.Fatalf("texel %d is %d, want %d", i, v, want)
		}
	}
}

// Attachments may be larger than the framebuffer, in texels and layers; a resolve
// target only has to hold the render area.
func TestRendering_SmallerResolveTarget(t *testing.T) {
	rules.Covers(t, "RAS-350")
	d := open(t)
	_, av := target(t, d, numbers, 4, 3)
	r := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: numbers, Extent: vk.Extent3D{Width: 8, Height: 4}}, nil, 0, ""))(t)
	rv := must(d.NewImageView(r, resource.ViewDesc{}, ""))(t)
	begin := func(width uint32) *CommandBuffer {
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: width, Height: 4}},
			Color: []RenderingAttachment{{View: av, Resolve: rv, ResolveMode: vk.ResolveModeSampleZeroBit, Load: vk.AttachmentLoadOpClear, Clear: uintClear(6)}}})
		c.EndRendering("end")
		return c
	}
	submit(t, d, begin(8))
	if got := texels(t, r, 0, 0); got[0] != 6 || got[31] != 6 {
		t.Errorf("resolved %v", got)
	}
	if err := begin(9).Err(); rule(err) != "VUID-VkRenderingInfo-pNext-06079" {
		t.Errorf("an area beyond the target: %v", err)
	}
}

func TestRenderPass_BadUse(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	_, small := target(t, d, vk.FormatR8Uint, 1, 1)
	one := []Subpass{{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}}}}
	_, bad := d.NewRenderPass(RenderPassInfo{Subpasses: one})
	_, none := d.NewRenderPass(RenderPassInfo{})
	rp := must(d.NewRenderPass(RenderPassInfo{Attachments: []vk.AttachmentDescription2{attach(numbers, 1, 0)}, Subpasses: append(one, one...)}))(t)
	run := func(f func(c *CommandBuffer)) error {
		c := d.NewCommandBuffer()
		f(c)
		return c.Err()
	}
	begin := func(c *CommandBuffer, v *ImageView) {
		c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{v}})
	}
	for want, err := range map[string]error{
		"VUID-VkRenderPassCreateInfo2-attachment-03051":         bad,
		"VUID-VkRenderPassCreateInfo2-subpassCount-arraylength": none,
		"VUID-VkFramebufferCreateInfo-pAttachments-00880":       run(func(c *CommandBuffer) { begin(c, small) }),
		"VUID-VkFramebufferCreateInfo-attachmentCount-00876":    run(func(c *CommandBuffer) { c.BeginRenderPass(RenderPassBegin{Pass: rp}) }),
		"VUID-vkCmdEndRenderPass2-None-03103":                   run(func(c *CommandBuffer) { begin(c, av); c.EndRenderPass() }),
		"VUID-vkCmdNextSubpass2-None-03102":                     run(func(c *CommandBuffer) { begin(c, av); c.NextSubpass(); c.NextSubpass() }),
		"VUID-vkCmdEndRendering-None-06161":                     run(func(c *CommandBuffer) { begin(c, av); c.EndRendering("end") }),
		"renderpass":                                            run(func(c *CommandBuffer) { c.NextSubpass() }),
		"VUID-VkRenderPassBeginInfo-renderPass-parameter":       run(func(c *CommandBuffer) { c.BeginRenderPass(RenderPassBegin{}) }),
	} {
		if rule(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// RAS-071: a pass that nothing is attached to has no layers to choose from, so primitives
// of all layers are shaded, whatever the number of layers it says; with an attachment,
// those beyond them are dropped.
func TestLayers_RAS071_WithoutAttachments(t *testing.T) {
	rules.Covers(t, "RAS-071")
	for _, c := range []struct {
		layers   int
		attached bool
		want     uint32
	}{{1, false, 1 | 1<<6 | 1<<12 | 1<<18}, {4, false, 1 | 1<<6 | 1<<12 | 1<<18}, {1, true, 1}, {4, true, 1 | 1<<6}} {
		d := open(t)
		info := RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}, LayerCount: c.layers}
		var formats vk.PipelineRenderingCreateInfo
		if c.attached {
			_, av := target(t, d, numbers, 1, 4)
			info.Color, formats = []RenderingAttachment{{View: av}}, numberFormats
		}
		p := fullscreen(t, d, "layers.frag", formats, func(i *GraphicsPipelineInfo) { i.Vertex.Code = shaderCode(t, "layers.vert") })
		im, view := target(t, d, numbers, 1, 1)
		cb := d.NewCommandBuffer()
		cb.BeginRendering(info)
		cb.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		cb.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, p, view), nil)
		cb.Draw("Pass.Draw", 3, 4, 0, 0)
		cb.EndRendering("end")
		submit(t, d, cb)
		for i, v := range texels(t, im, 0, 0) {
			if v != c.want {
				t.Fatalf("%+v: texel %d is %#x", c, i, v)
			}
		}
	}
}
