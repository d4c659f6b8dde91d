package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// densityMap makes a map for 16×8 pixels: two texels of 8×8.
func densityMap(t testing.TB, d *Device, change func(*vk.ImageCreateInfo)) (*Image, *ImageView) {
	t.Helper()
	info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8Unorm, Extent: vk.Extent3D{Width: 2, Height: 1}, Usage: vk.ImageUsageFragmentDensityMapBitEXT | vk.ImageUsageTransferDstBit}
	if change != nil {
		change(&info)
	}
	im := must(d.NewImage(info, nil, 0, ""))(t)
	return im, must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
}

// numbered checks a picture of number.frag, whose texels are the centres of their
// fragments; sizes are those of the left and the right half.
func numbered(t *testing.T, what string, im *Image, left, right [2]int) {
	t.Helper()
	for i, got := range texels(t, im, 0, 0) {
		x, y, size := i%16, i/16, left
		if x >= 8 {
			size = right
		}
		w, h := size[0], size[1]
		if want := uint32(x-x%w+w/2) + 16*uint32(y-y%h+h/2); got != want {
			t.Fatalf("%s: %d,%d is %d, want %d in a fragment of %d×%d", what, x, y, got, want, w, h)
		}
	}
}

// The map is read when the pass is carried out: what is in it when its recording ends
// counts for nothing.
func TestDensity_RAS136_ReadAtExecution(t *testing.T) {
	rules.Covers(t, "RAS-136", "RAS-130")
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	m, mv := densityMap(t, d, nil)
	p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}, nil)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}, Density: mv})
	draw(c, p)
	c.EndRendering("end")
	if err := m.Write(ctx, Subresource{}, []byte{127, 63, 255, 127}); err != nil {
		t.Fatal(err)
	}
	submit(t, d, c)
	numbered(t, "the map", a, [2]int{2, 4}, [2]int{1, 2})
	moved := d.NewCommandBuffer()
	moved.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}, Density: mv})
	draw(moved, p)
	moved.DensityOffsets("end", []vk.Offset2D{{X: 8, Y: 16}})
	moved.EndRendering("end")
	submit(t, d, moved)
	numbered(t, "moved to the right", a, [2]int{2, 4}, [2]int{2, 4})
}

// Subsampled images hold each texel of a coarse fragment.
func TestDensity_IMG134_Subsampled(t *testing.T) {
	rules.Covers(t, "IMG-134")
	d := open(t)
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: numbers, Extent: vk.Extent3D{Width: 16, Height: 8}, Flags: vk.ImageCreateSubsampledBitEXT,
		Usage: vk.ImageUsageColorAttachmentBit | vk.ImageUsageSampledBit | vk.ImageUsageTransferSrcBit}, nil, 0, ""))(t)
	v := must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
	m, mv := densityMap(t, d, nil)
	p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}, nil)
	if err := m.Write(ctx, Subresource{}, []byte{127, 63, 255, 127}); err != nil {
		t.Fatal(err)
	}
	or := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}, func(i *GraphicsPipelineInfo) {
		i.ColorBlend.LogicOpEnable, i.ColorBlend.LogicOp = true, vk.LogicOpOr
	})
	for what, p := range map[string]*Pipeline{"subsampled": p, "subsampled, with what was there": or} { // 0
		fillWords(im, 0)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v}}, Density: mv})
		draw(c, p)
		c.EndRendering("end")
		submit(t, d, c)
		numbered(t, what, im, [2]int{2, 4}, [2]int{1, 2})
	}
}

// A render pass object has one map for all of its subpasses, and offsets that are told
// at its end.
func TestDensity_Subpasses(t *testing.T) {
	rules.Covers(t, "RAS-136")
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	b, bv := target(t, d, numbers, 1, 1)
	m, mv := densityMap(t, d, nil)
	if err := m.Write(ctx, Subresource{}, []byte{255, 255, 63, 127}); err != nil {
		t.Fatal(err)
	}
	density := ref(2)
	map2 := attach(vk.FormatR8G8Unorm, 1, vk.AttachmentLoadOpLoad)
	map2.StoreOp = vk.AttachmentStoreOpDontCare
	rp := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{attach(numbers, 1, vk.AttachmentLoadOpClear), attach(numbers, 1, vk.AttachmentLoadOpClear), map2},
		Subpasses: []Subpass{
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}}},
			{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(1)}}},
		},
		Density: &density,
	}))(t)
	p := fullscreen(t, d, "number.frag", rp.Rendering(0), nil)
	for _, offset := range []int32{0, -8} {
		c := d.NewCommandBuffer()
		// The framebuffer, not the area, says how large regions are.
		c.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{av, bv, mv}, Extent: vk.Extent2D{Width: 16, Height: 8}, Clear: []vk.ClearValue{{}, {}, {}}})
		draw(c, p)
		c.NextSubpass()
		draw(c, p)
		if offset != 0 {
			c.DensityOffsets("end", []vk.Offset2D{{X: offset}})
		}
		c.EndRenderPass()
		submit(t, d, c)
		left := [2]int{1, 1}
		if offset != 0 {
			left = [2]int{4, 2}
		}
		numbered(t, "first", a, left, [2]int{4, 2})
		numbered(t, "second", b, left, [2]int{4, 2})
	}
}

func TestDensity_BadUse(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	_, layers := target(t, d, numbers, 1, 4)
	_, mv := densityMap(t, d, nil)
	_, several := densityMap(t, d, func(i *vk.ImageCreateInfo) { i.ArrayLayers = 2 })
	_, subsampled := densityMap(t, d, func(i *vk.ImageCreateInfo) { i.Flags = vk.ImageCreateSubsampledBitEXT })
	_, plain := densityMap(t, d, func(i *vk.ImageCreateInfo) { i.Usage = vk.ImageUsageSampledBit })
	wide := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: numbers, Extent: vk.Extent3D{Width: 80, Height: 40}}, nil, 0, ""))(t)
	wv := must(d.NewImageView(wide, resource.ViewDesc{}, ""))(t)
	begin := func(color, density *ImageView, change func(*RenderingInfo), then ...func(*CommandBuffer)) error {
		info := RenderingInfo{Color: []RenderingAttachment{{View: color}}, Density: density}
		if change != nil {
			change(&info)
		}
		c := d.NewCommandBuffer()
		c.BeginRendering(info)
		for _, f := range then {
			f(c)
		}
		return c.Err()
	}
	views := func(n uint32) func(*RenderingInfo) {
		return func(i *RenderingInfo) { i.ViewMask = 1<<n - 1 }
	}
	perLayer := func(i *RenderingInfo) { i.LayerCount, i.Flags = 4, vk.RenderingPerLayerFragmentDensityBitVALVE }
	moves := func(given []vk.Offset2D, want ...vk.Offset2D) error { // of a map by layer
		return begin(layers, several, perLayer, func(c *CommandBuffer) {
			if c.DensityOffsets("end", given); !slices.Equal(c.pass.densityOffsets, want) {
				t.Errorf("a map by layer, of two, is moved by %v: %v", given, c.pass.densityOffsets)
			}
		})
	}
	offsets := func(o ...vk.Offset2D) func(*CommandBuffer) {
		return func(c *CommandBuffer) { c.DensityOffsets("end", o) }
	}
	image := func(change func(*vk.ImageCreateInfo)) error {
		info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8Unorm, Extent: vk.Extent3D{Width: 8, Height: 8}}
		change(&info)
		_, err := d.NewImage(info, nil, 0, "")
		return err
	}
	pass := func(load vk.AttachmentLoadOp, store vk.AttachmentStoreOp, density uint32) error {
		a := attach(vk.FormatR8G8Unorm, 1, load)
		a.StoreOp = store
		r := ref(density)
		_, err := d.NewRenderPass(RenderPassInfo{
			Attachments: []vk.AttachmentDescription2{attach(numbers, 1, 0), a}, Density: &r,
			Subpasses: []Subpass{{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{ref(0)}}}},
		})
		return err
	}
	const none, clear, discard, store = vk.AttachmentLoadOpDontCare, vk.AttachmentLoadOpClear, vk.AttachmentStoreOpDontCare, vk.AttachmentStoreOpStore
	const attached, end = "VUID-VkRenderingFragmentDensityMapAttachmentInfoEXT-", "VUID-VkRenderPassFragmentDensityMapOffsetEndInfoEXT-"
	const object = "VUID-VkRenderPassFragmentDensityMapCreateInfoEXT-fragmentDensityMapAttachment-"
	for _, c := range []struct {
		want string
		err  error
	}{
		{"", begin(av, mv, nil, offsets(vk.Offset2D{X: 8, Y: -16}))},
		{"", begin(layers, several, views(2), offsets(vk.Offset2D{}, vk.Offset2D{X: 8}))},
		{"", begin(layers, mv, views(4), offsets(vk.Offset2D{X: 8}))},
		{"", begin(layers, several, perLayer)},
		{"", moves([]vk.Offset2D{{X: 8}, {Y: 16}}, vk.Offset2D{X: 8}, vk.Offset2D{Y: 16})},
		{"", moves([]vk.Offset2D{{X: 8}}, vk.Offset2D{X: 8}, vk.Offset2D{X: 8})},
		{"", moves([]vk.Offset2D{{X: 8}, {Y: 16}, {X: 24}}, vk.Offset2D{X: 8}, vk.Offset2D{Y: 16})}, // told
		{attached + "imageView-06158", begin(av, plain, nil)},
		{attached + "imageView-06159", begin(av, subsampled, nil)},
		{"VUID-VkRenderingInfo-imageView-06108", begin(layers, several, views(4))},
		{"", begin(av, several, nil)}, // told
		{"VUID-VkRenderingInfo-pNext-06112", begin(wv, mv, nil)},
		{"VUID-VkRenderingInfo-pNext-06114", begin(wv, mv, func(i *RenderingInfo) { i.Area.Extent = vk.Extent2D{Width: 64, Height: 40} })},
		{end + "fragmentDensityMapAttachment-06504", begin(av, nil, nil, offsets(vk.Offset2D{}))},
		{end + "fragmentDensityOffsetCount-06510", begin(layers, several, views(2), offsets(vk.Offset2D{}))},
		{end + "x-06512", begin(av, mv, nil, offsets(vk.Offset2D{X: 4}))},
		{end + "x-06512", begin(av, mv, nil, offsets(vk.Offset2D{Y: 9}))},
		{"", pass(none, discard, 1)},
		{object + "02548", pass(none, discard, 0)},
		{object + "02550", pass(clear, discard, 1)},
		{object + "02551", pass(none, store, 1)},
		{"VUID-VkRenderPassCreateInfo2-fragmentDensityMapAttachment-06472", pass(none, discard, 2)},
		{"VUID-VkImageCreateInfo-flags-02557", image(func(i *vk.ImageCreateInfo) { i.Usage, i.Samples = vk.ImageUsageFragmentDensityMapBitEXT, 4 })},
		{"VUID-VkImageCreateInfo-flags-02566", image(func(i *vk.ImageCreateInfo) { i.Flags, i.MipLevels = vk.ImageCreateSubsampledBitEXT, 2 })},
		{"VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251", image(func(i *vk.ImageCreateInfo) {
			i.Format, i.Usage = vk.FormatR8G8Uint, vk.ImageUsageFragmentDensityMapBitEXT
		})},
	} {
		if rule(c.err) != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// The map's view is an object of the pass like others: a closed one is told of.
func TestDensity_ClosedView(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	_, mv := densityMap(t, d, nil)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}, Density: mv})
	c.EndRendering("end")
	mv.Close()
	if err := d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{c}); err == nil {
		t.Error("a closed density map was used")
	}
}
