package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// IMG-110: each subresource has the layout that the last transition in the queue's order
// gave it; a descriptor that names another is reported, and the shader runs on.
func TestImageLayouts_IMG110_TrackedPerSubresource(t *testing.T) {
	rules.Covers(t, "IMG-110")
	const (
		undefined = vk.ImageLayoutUndefined
		general   = vk.ImageLayoutGeneral
		read      = vk.ImageLayoutShaderReadOnlyOptimal
		target    = vk.ImageLayoutColorAttachmentOptimal
		reads     = "VUID-vkCmdDraw-None-09600"
		moves     = "VUID-VkImageMemoryBarrier2-oldLayout-01197"
	)
	var told []string
	d, err := Open(Config{Threads: 1, TrackLayouts: true, Debug: func(m Message) { told = append(told, m.Rule) }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	out := bufferOf(t, d, 0)
	pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "layout.comp")}}))(t)
	sampler := must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
	levels := func(first, n uint32) vk.ImageSubresourceRange {
		return vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, BaseMipLevel: first, LevelCount: n, LayerCount: vk.RemainingArrayLayers}
	}
	type move struct {
		r        vk.ImageSubresourceRange
		from, to vk.ImageLayout
	}
	for _, c := range []struct {
		name  string
		moves []move
		want  []string
	}{
		{"never moved", nil, []string{reads}},
		{"all moved", []move{{levels(0, vk.RemainingMipLevels), undefined, read}}, nil},
		{"level by level", []move{{levels(0, 1), undefined, read}, {levels(1, 1), undefined, read}}, nil},
		{"one level only", []move{{levels(1, 1), undefined, read}}, []string{reads}},
		{"moved on", []move{{levels(0, 2), undefined, read}, {levels(1, 1), read, general}}, []string{reads}},
		{"moved from where it is not", []move{{levels(0, 2), general, read}}, []string{moves}},
		{"given and taken by two queue families", []move{{levels(0, 2), undefined, general}, {levels(0, 2), general, read}, {levels(0, 2), general, read}}, nil},
		{"aspects that it lacks", []move{{vk.ImageSubresourceRange{AspectMask: vk.ImageAspectDepthBit, LevelCount: 2, LayerCount: 1}, undefined, read}}, []string{reads}},
	} {
		im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 2, Height: 2}, MipLevels: 2}, nil, 0, ""))(t)
		set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
		if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: out}}},
			DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: must(d.NewImageView(im, resource.ViewDesc{}, ""))(t), Layout: read, Sampler: sampler}}}); err != nil {
			t.Fatal(err)
		}
		told = nil
		b := d.NewCommandBuffer()
		for _, m := range c.moves {
			b.TransitionImage("barrier", im, m.r, m.from, m.to)
		}
		b.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
		b.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		b.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
		submit(t, d, b)
		if !slices.Equal(told, c.want) {
			t.Errorf("%s: told %v, want %v", c.name, told, c.want)
		}
	}

	// A render pass moves its attachments by itself.
	pass := must(d.NewRenderPass(RenderPassInfo{
		Attachments: []vk.AttachmentDescription2{{Format: vk.FormatR8Unorm, Samples: vk.SampleCount1Bit, LoadOp: vk.AttachmentLoadOpClear, InitialLayout: general, FinalLayout: read}},
		Subpasses:   []Subpass{{SubpassDescription2: vk.SubpassDescription2{ColorAttachments: []vk.AttachmentReference2{{Layout: target, AspectMask: vk.ImageAspectColorBit}}}}},
	}))(t)
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 2, Height: 2}}, nil, 0, ""))(t)
	view := must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
	run := func(want ...string) {
		t.Helper()
		told = nil
		b := d.NewCommandBuffer()
		b.BeginRenderPass(RenderPassBegin{Pass: pass, Views: []*ImageView{view}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 2, Height: 2}}})
		b.EndRenderPass()
		b.TransitionImage("barrier", im, levels(0, 1), read, general)
		submit(t, d, b)
		if !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	}
	run(moves) // from UNDEFINED
	run()
	im.Transition("host", levels(0, 1), general, target)
	run(moves)
}

// With maintenance 9, transitions of a 3D image that can be an array of 2D images move
// the slices that they name; without, and of other images, all of them.
func TestImageLayouts_Maintenance9_Slices(t *testing.T) {
	rules.Covers(t, "IMG-887")
	const read, reads = vk.ImageLayoutShaderReadOnlyOptimal, "VUID-vkCmdDraw-None-09600"
	slices3 := func(first, n uint32) vk.ImageSubresourceRange {
		return vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, BaseArrayLayer: first, LayerCount: n}
	}
	flat, solid := vk.ImageViewType2D, vk.ImageViewType3D
	array := vk.ImageCreateFlags(vk.ImageCreate2DArrayCompatibleBit | vk.ImageCreate2DViewCompatibleBitEXT)
	for name, c := range map[string]struct {
		nine  bool
		flags vk.ImageCreateFlags
		moved vk.ImageSubresourceRange
		view  resource.ViewDesc
		want  bool // to hear of it
	}{
		"the slice":                     {true, array, slices3(1, 1), resource.ViewDesc{Type: &flat, Range: slices3(1, 1)}, false},
		"another slice":                 {true, array, slices3(2, 1), resource.ViewDesc{Type: &flat, Range: slices3(1, 1)}, true},
		"all slices":                    {true, array, slices3(0, vk.RemainingArrayLayers), resource.ViewDesc{Type: &flat, Range: slices3(2, 1)}, false},
		"one of a whole view":           {true, array, slices3(0, 1), resource.ViewDesc{Type: &solid}, true},
		"slices that count for storage": {true, array, slices3(1, 2), resource.ViewDesc{Type: &solid, Range: slices3(0, 1), FirstSlice: 1, SliceCount: 2}, true},
		"no array":                      {true, vk.ImageCreate2DViewCompatibleBitEXT, slices3(0, 1), resource.ViewDesc{Type: &flat, Range: slices3(2, 1)}, false},
		"another without the feature":   {false, array, slices3(0, 1), resource.ViewDesc{Type: &flat, Range: slices3(2, 1)}, false},
	} {
		var told []string
		d, err := Open(Config{Threads: 1, Maintenance9: c.nine, TrackLayouts: true, Debug: func(m Message) { told = append(told, m.Rule) }})
		if err != nil {
			t.Fatal(err)
		}
		pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "layout.comp")}}))(t)
		im := must(d.NewImage(vk.ImageCreateInfo{Flags: c.flags, ImageType: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 2, Height: 2, Depth: 3}}, nil, 0, ""))(t)
		set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
		if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: bufferOf(t, d, 0)}}},
			DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: must(d.NewImageView(im, c.view, ""))(t), Layout: read, Sampler: must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)}}}); err != nil {
			t.Fatal(err)
		}
		b := d.NewCommandBuffer()
		b.TransitionImage("barrier", im, c.moved, vk.ImageLayoutUndefined, read)
		b.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
		b.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		b.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
		submit(t, d, b)
		if slices.Contains(told, reads) != c.want || len(told) > 1 {
			t.Errorf("%s: told %v", name, told)
		}
		d.Close()
	}
}
