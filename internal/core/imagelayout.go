package core

import (
	"context"
	"fmt"
	"sync"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// Texels lie where they lie in every layout. Programs make mistakes with layouts all
// the same, and want to be told where other devices would fail: with
// Config.TrackLayouts each subresource has the layout that transitions in the
// queue's order gave it, and shaders' descriptors are held against it. The results
// stay what they are.
//
// IMG-110, IMG-114 resources-image-layouts

// imageLayouts are the layouts of an image's subresources; nil before the first
// transition.
type imageLayouts struct {
	mu sync.Mutex
	at []vk.ImageLayout // by plane, level, layer (or slice)
}

// someLayout is that of subresources of which nothing is known, or nothing asked:
// attachments inside of their render pass.
const someLayout = vk.ImageLayout(-1)

// eachLayout calls f with the place of each subresource in a range, and its plane's
// aspect. The caller holds the lock.
func (im *Image) eachLayout(r vk.ImageSubresourceRange, f func(at *vk.ImageLayout, aspect vk.ImageAspectFlags)) {
	l, res := &im.layouts, im.res
	layers := res.ArrayLayers
	// IMG-887: slices are subresources of their own. Only 3D images have the flag (VUID-VkImageCreateInfo-flags-00950).
	slices := im.dev.cfg.Maintenance9 && res.Flags&vk.ImageCreate2DArrayCompatibleBit != 0
	if slices {
		layers = int(res.Extent.Depth)
	}

	if l.at == nil {
		l.at = make([]vk.ImageLayout, len(res.Layout.Planes)*res.MipLevels*layers)
		for i := range l.at {
			l.at[i] = im.initial
		}
	}
	clamp := func(base, n uint32, all int) (from, to int) {
		from = min(int(base), all)
		if n == vk.RemainingMipLevels { // the same number for layers
			return from, all
		}
		return from, int(min(uint64(from)+uint64(n), uint64(all)))
	}
	level0, level1 := clamp(r.BaseMipLevel, r.LevelCount, res.MipLevels)
	layer0, layer1 := clamp(r.BaseArrayLayer, r.LayerCount, layers)
	if res.Type == vk.ImageType3D && !slices { // IMG-887
		layer0, layer1 = 0, 1 // slices have no layouts of their own
	}
	for p := range res.Layout.Planes {
		aspect := res.Layout.Planes[p].Aspect
		if aspect&r.AspectMask == 0 && r.AspectMask&res.Info.Aspects&vk.ImageAspectColorBit == 0 {
			continue
		}
		for level := level0; level < level1; level++ {
			for layer := layer0; layer < layer1; layer++ {
				f(&l.at[(p*res.MipLevels+level)*layers+layer], aspect)
			}
		}
	}
}

// aspectLayout is what a layout means for one aspect: those that tell of depth and
// stencil apart are the same for one of them.
func aspectLayout(l vk.ImageLayout, aspect vk.ImageAspectFlags) vk.ImageLayout {
	switch {
	case aspect == vk.ImageAspectDepthBit:
		switch l {
		case vk.ImageLayoutDepthStencilReadOnlyOptimal, vk.ImageLayoutDepthReadOnlyStencilAttachmentOptimal:
			return vk.ImageLayoutDepthReadOnlyOptimal
		case vk.ImageLayoutDepthStencilAttachmentOptimal, vk.ImageLayoutDepthAttachmentStencilReadOnlyOptimal:
			return vk.ImageLayoutDepthAttachmentOptimal
		}
	case aspect == vk.ImageAspectStencilBit:
		switch l {
		case vk.ImageLayoutDepthStencilReadOnlyOptimal, vk.ImageLayoutDepthAttachmentStencilReadOnlyOptimal:
			return vk.ImageLayoutStencilReadOnlyOptimal
		case vk.ImageLayoutDepthStencilAttachmentOptimal, vk.ImageLayoutDepthReadOnlyStencilAttachmentOptimal:
			return vk.ImageLayoutStencilAttachmentOptimal
		case vk.ImageLayoutDepthReadOnlyOptimal, vk.ImageLayoutDepthAttachmentOptimal:
			return someLayout // a layout of its own was given elsewhere
		}
	}
	return l
}

// transition is an image layout transition. Those between queue families are told
// twice, and happen once. found: the image is in another layout than from says, in wrong.
func (im *Image) transition(op Op, r vk.ImageSubresourceRange, from, to vk.ImageLayout) (wrong vk.ImageLayout, found bool) {
	im.layouts.mu.Lock()
	im.eachLayout(r, func(at *vk.ImageLayout, aspect vk.ImageAspectFlags) {
		f, t := aspectLayout(from, aspect), aspectLayout(to, aspect)
		if now := *at; from != vk.ImageLayoutUndefined && f != someLayout && now != someLayout && now != f && now != t {
			wrong, found = now, true
		}
		*at = t
	})
	im.layouts.mu.Unlock()
	if found {
		_ = im.dev.misuse(op, "VkImageMemoryBarrier2-oldLayout-01197", "say which layout it is in, or UNDEFINED", "a transition of %s from %v, which is in %v", im.label(), from, wrong)
	}
	return wrong, found
}

// TransitionImage records a transition of subresources from a layout, or UNDEFINED, to
// another. It does nothing but with Config.TrackLayouts.
func (c *CommandBuffer) TransitionImage(op Op, im *Image, r vk.ImageSubresourceRange, from, to vk.ImageLayout) {
	if !c.dev.cfg.TrackLayouts || im == nil || from == to || c.pass != nil || !c.ok(op, -1) {
		return
	}
	c.transfer(func(_ context.Context, run *runner) error {
		wrong, found := im.transition(op, r, from, to)
		if w := run.dev.watcher; w != nil {
			w.transition(run, op, im, r, from, to, wrong, found)
		}
		return nil
	}, im)
}

// Transition is TransitionImage on the host, at once.
func (im *Image) Transition(op Op, r vk.ImageSubresourceRange, from, to vk.ImageLayout) {
	if im != nil && im.dev.cfg.TrackLayouts {
		im.transition(op, r, from, to)
	}
}

// transitionViews records the transitions of a render pass' attachments at its
// beginning, from their initial layouts, or at its end, to the final ones. What they
// are in between is not held against descriptors: input attachments have the layouts
// of their references.
func (c *CommandBuffer) transitionViews(op Op, b *RenderPassBegin, end bool) {
	if !c.dev.cfg.TrackLayouts {
		return
	}
	for i, v := range b.Views {
		if v == nil {
			continue
		}
		a := &b.Pass.attachments[i]
		from, to := a.InitialLayout, someLayout
		if end {
			from, to = someLayout, a.FinalLayout
		}
		c.TransitionImage(op, v.image, subresources(v.view), from, to)
	}
}

// subresources are what a view shows.
func subresources(v *resource.ImageView) vk.ImageSubresourceRange {
	layer, layers := v.BaseLayer, v.Layers
	if v.Type == vk.ImageViewType3D {
		layer, layers = v.Slices()
	}
	return vk.ImageSubresourceRange{AspectMask: v.Aspect, BaseMipLevel: uint32(v.BaseLevel), LevelCount: uint32(v.Levels),
		BaseArrayLayer: uint32(layer), LayerCount: uint32(layers)}
}

// checkLayouts holds the image descriptors that a program uses against the layouts of
// their subresources, and reports the first of a binding that differs, once a
// pipeline, binding and view. It returns what differs.
func (r *runner) checkLayouts(b *bindPoint, program int) (texts []string) {
	p := b.pipeline.programs[program]
	for i := range p.Resources {
		res := &p.Resources[i]
		switch res.Kind {
		case ir.SampledImage, ir.CombinedImageSampler, ir.StorageImage, ir.InputAttachment:
		default:
			continue
		}
		owners := b.slotOf(program, i).owners
		if len(owners) != 1 {
			continue // which elements of an array are accessed is not known here
		}
		if o := &owners[0]; o.view != nil && o.layout != vk.ImageLayoutUndefined {
			if text := r.checkLayout(b.pipeline, program, o, res); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// layoutPlace is a binding of a pipeline's stage, the view in it, and the layouts that a program was told of.
type layoutPlace struct {
	program      int
	view         uint64
	set, binding uint32
	want, have   vk.ImageLayout
}

func (r *runner) checkLayout(p *Pipeline, program int, o *owner, res *ir.Resource) string {
	im, view := o.view.image, o.view.view
	if res.Kind == ir.StorageImage {
		view = o.view.storage
	}
	im.layouts.mu.Lock()
	var wrong vk.ImageLayout
	found, first, differ := false, someLayout, false
	im.eachLayout(subresources(view), func(at *vk.ImageLayout, aspect vk.ImageAspectFlags) {
		if *at != someLayout && first == someLayout {
			first = *at
		}
		differ = differ || *at != someLayout && *at != first
		if want := aspectLayout(o.layout, aspect); *at != someLayout && want != someLayout && *at != want {
			wrong, found = *at, true
		}
	})
	im.layouts.mu.Unlock()
	if !found {
		return ""
	}
	text := fmt.Sprintf("set %d, binding %d reads %s in %v; a subresource is in %v", res.Set, res.Binding, im.label(), o.layout, wrong)
	if _, told := p.told.LoadOrStore(layoutPlace{program, view.Number(), res.Set, res.Binding, o.layout, wrong}, true); told {
		return text
	}
	names := catalogue.Name("IMG-110")
	if differ && im.res.Disjoint() && view.Ycbcr != nil { // planes of one level and layer
		names += "; " + catalogue.Name("IMG-114")
	}
	_ = r.dev.misuse(r.op, "vkCmdDraw-None-09600", "a barrier gives it the layout that the descriptor names", "%s: %s (%s)", p.describe(), text, names)
	return text
}
