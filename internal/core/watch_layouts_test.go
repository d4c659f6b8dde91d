package core

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator --quiet -V --target-env vulkan1.2 testdata/fetch.frag -o testdata/fetch.frag.spv

// Where layouts are tracked, what is watched tells of transitions that need not keep its contents, of those that begin
// at another layout than the image has, and of draws that read an image in a layout that it is not in; the verdict
// names them where they matter.
func TestWatch_IMG110_Layouts(t *testing.T) {
	rules.Covers(t, "IMG-110")
	const (
		undefined = vk.ImageLayoutUndefined
		general   = vk.ImageLayoutGeneral
		read      = vk.ImageLayoutShaderReadOnlyOptimal
		drawn     = vk.ImageLayoutColorAttachmentOptimal
		format    = vk.FormatR8G8B8A8Unorm
	)
	d := must(Open(Config{Threads: 1, TrackLayouts: true, Debug: func(Message) {}}))(t)
	defer d.Close()
	all := vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: vk.RemainingMipLevels, LayerCount: vk.RemainingArrayLayers}
	pipeline := fullscreen(t, d, "fetch.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{format}}, nil)
	for _, c := range []struct {
		name           string
		texture        vk.ImageLayout // that the texture is in when the draw reads it
		before, after  vk.ImageLayout // from which the target goes to COLOR_ATTACHMENT before the pass, and to GENERAL after it
		events         string         // of the target
		want, dislikes string         // in the verdict
	}{
		{"as it should be", read, undefined, drawn, "barrier load draw", " wrote it last: 0, 0, 0, 0", "barrier"},
		{"the texture's barrier is missing", drawn, undefined, drawn, "barrier load draw",
			"draw 0: set 0, binding 0 reads image texture in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL; a subresource is in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL: a barrier is missing", "UNDEFINED"},
		{"the contents are given up after the draw", read, undefined, undefined, "barrier load draw barrier", "a transition from UNDEFINED to VK_IMAGE_LAYOUT_GENERAL need not keep the contents", "missing"},
		{"a transition from another layout", read, undefined, read, "barrier load draw barrier",
			"a transition from VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL to VK_IMAGE_LAYOUT_GENERAL; it is in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL: another barrier is missing", "UNDEFINED"},
	} {
		new := func(name string) (*Image, *ImageView) {
			im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: format, Extent: vk.Extent3D{Width: 16, Height: 8}}, nil, 0, name))(t)
			return im, must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
		}
		texture, sampled := new("texture")
		target, view := new("target")
		set := must(pipeline.NewDescriptorSet(0))(t)
		if err := set.Write(0, 0, []Descriptor{{View: sampled, Layout: read, Sampler: must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)}}); err != nil {
			t.Fatal(err)
		}
		b := d.NewCommandBuffer()
		b.TransitionImage("barrier", texture, all, undefined, c.texture)
		b.TransitionImage("barrier", target, all, c.before, drawn)
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view, Load: vk.AttachmentLoadOpClear}}})
		b.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, set, nil)
		draw(b, pipeline)
		b.EndRendering("end")
		b.TransitionImage("barrier", target, all, c.after, general)
		w := must(d.Watch("watch", []WatchPoint{{Image: target, X: 3, Y: 3}, {Image: texture}}))(t)
		submit(t, d, b)
		es := w.End()
		var kinds []string
		for _, e := range es[0].Events {
			kinds = append(kinds, string(e.Kind))
			if e.Kind == explain.Barrier && (e.Outcome != explain.Unchanged || e.Before != e.After) {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		if got := strings.Join(kinds, " "); got != c.events {
			t.Errorf("%s: events %s, want %s", c.name, got, c.events)
		}
		verdict := strings.Join(es[0].Verdict, "\n")
		if !strings.Contains(verdict, c.want) || strings.Contains(verdict, c.dislikes) {
			t.Errorf("%s:\n%s\nwant %q, and no %q", c.name, verdict, c.want, c.dislikes)
		}
		if e := es[1].Events; len(e) != 1 || e[0].Kind != explain.Barrier {
			t.Errorf("%s: the texture's events %+v", c.name, e)
		}
	}
}

// A resolve by a command names its rule, and a copy does not.
func TestWatch_RAS355_ResolvesAndCopies(t *testing.T) {
	d := open(t)
	many, _ := target(t, d, vk.FormatR8G8B8A8Unorm, 4, 1)
	one, _ := target(t, d, vk.FormatR8G8B8A8Unorm, 1, 1)
	other, _ := target(t, d, vk.FormatR8G8B8A8Unorm, 1, 1)
	for name, c := range map[string]struct {
		record func(b *CommandBuffer)
		named  bool
	}{
		"resolve": {func(b *CommandBuffer) { b.ResolveImage(many, one, nil) }, true},
		"copy":    {func(b *CommandBuffer) { b.CopyImage(other, one, nil) }, false},
	} {
		b := d.NewCommandBuffer()
		c.record(b)
		w := must(d.Watch("watch", []WatchPoint{{Image: one}}))(t)
		submit(t, d, b)
		events := w.End()[0].Events
		if len(events) != 1 || len(events[0].Steps) != 1 || (events[0].Steps[0].Rule == "RAS-355") != c.named {
			t.Errorf("%s: %+v", name, events)
		}
	}
}
