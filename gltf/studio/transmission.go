package studio

import (
	"context"
	"fmt"
	"image/color"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/vk"
)

// What is seen through a surface is what lies on the screen behind it: all that is opaque is
// drawn once more, in linear light before tone mapping, with levels for rough surfaces.

// behindFormat holds light, premultiplied.
const behindFormat = vk.FormatR16G16B16A16Sfloat

// passFormat is that of the colours of a pass: of the picture, or of the scene behind.
func passFormat(s shape, behind bool) vk.Format {
	if behind {
		return behindFormat
	}
	return s.format()
}

// behindTargets are the images of the scene behind transmissive surfaces.
type behindTargets struct {
	samples *pumice.Image // nil where there is one sample a pixel
	levels  *pumice.Image
}

func (b *behindTargets) close() {
	for _, im := range []*pumice.Image{b.samples, b.levels} {
		if im != nil {
			im.Close()
		}
	}
	*b = behindTargets{}
}

// ensureBehind makes the images where a picture first needs them.
func (t *targets) ensureBehind(dev *pumice.Device) (err error) {
	if t.behind.levels != nil {
		return nil
	}
	if t.samples > 1 {
		if t.behind.samples, err = dev.NewImage(pumice.ImageDesc{
			Format: behindFormat, Width: t.width, Height: t.height, Samples: t.samples, Name: "scene behind",
		}); err != nil {
			return err
		}
	}
	t.behind.levels, err = dev.NewImage(pumice.ImageDesc{
		Format: behindFormat, Width: t.width, Height: t.height, MipLevels: pumice.AllMips, Name: "levels of the scene behind",
	})
	return err
}

// behindPass describes the pass that draws the scene behind.
func (t *targets) behindPass(background color.NRGBA, tone Tone) (pumice.Rendering, error) {
	c := pumice.ClearColor(colorFormat, color.NRGBA{background.R, background.G, background.B, 255})
	alpha := float32(background.A) / 255
	shining := [3]float32(c.Float32[:3])
	if !t.linear {
		shining = tone.before(shining)
	}
	for i := range 3 {
		c.Float32[i] = float32(shining[i] * alpha)
	}
	c.Float32[3] = alpha
	level, err := t.behind.levels.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Levels: 1})
	if err != nil {
		return pumice.Rendering{}, err
	}
	to := pumice.Attachment{Target: level, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: c}}
	if t.behind.samples != nil {
		to.Target, to.Resolve = t.behind.samples, level
	}
	return pumice.Rendering{Color: []pumice.Attachment{to}}.WithDepth(t.depth, 1), nil
}

// layerSet makes the set that layers.frag reads the scene from: behind is nil in the pass that
// draws what is behind.
func (r *Renderer) layerSet(ctx context.Context, e *environment, behind *pumice.Image, sheen bool) (*pumice.DescriptorSet, error) {
	radiance, albedo := e.radiance, e.brdf // never read where there is no sheen
	if sheen {
		var err error
		if radiance, err = e.sheenRadiance(ctx, r); err != nil {
			return nil, err
		}
		if albedo, err = r.sheenAlbedo(ctx); err != nil {
			return nil, err
		}
	}
	if behind == nil {
		behind = r.white
	}
	set, err := r.dev.NewDescriptorSet(r.layers.scene)
	if err != nil {
		return nil, err
	}
	for i, image := range []*pumice.Image{radiance, albedo, behind} {
		if err := set.Bind(uint32(i), pumice.Texture{View: image, Sampler: r.clamp}); err != nil {
			set.Close()
			return nil, err
		}
	}
	return set, nil
}

// drawRank is the order in which draws are recorded.
type drawRank uint8

const (
	rankOpaque  drawRank = iota
	rankThrough          // shows what is opaque through itself
	rankBlend
)

func rankOf(mt *material) drawRank {
	switch {
	case mt.source.AlphaMode == gltf.AlphaBlend:
		return rankBlend
	case mt.layers&layerTransmission != 0:
		return rankThrough
	default:
		return rankOpaque
	}
}

// recordBehind draws what is seen through transmissive surfaces, where there are any, and makes
// the set of the frame that materials with extensions read.
func (r *Renderer) recordBehind(ctx context.Context, cmd *pumice.CommandBuffer, t *targets, f *frameSet, m *Model, draws []draw, v *View, camera *sight, shadow *shadowed) error {
	var all layerBits
	for i := range draws {
		all |= draws[i].key.layers
	}
	if all == 0 {
		return nil
	}
	sheen := all&layerSheen != 0
	if all&layerTransmission == 0 {
		var err error
		f.layers, err = r.layerSet(ctx, v.light(r), nil, sheen)
		return err
	}
	if err := t.ensureBehind(r.dev); err != nil {
		return fmt.Errorf("what is seen through surfaces of %s: %w", m.doc.File, err)
	}
	plain, err := r.layerSet(ctx, v.light(r), nil, sheen)
	if err != nil {
		return err
	}
	defer plain.Close() // commands keep what was bound
	if f.layers, err = r.layerSet(ctx, v.light(r), t.behind.levels, sheen); err != nil {
		return err
	}
	to, err := t.behindPass(v.background(), v.Tone)
	if err != nil {
		return err
	}
	pass := cmd.BeginRendering(to)
	if err := r.recordSky(pass, v, camera, t.shape, true); err != nil {
		return err
	}
	for i := range draws {
		d := &draws[i]
		if d.rank != rankOpaque {
			continue
		}
		key := d.key
		key.behind = true
		pipeline, err := r.pipeline(key)
		if err != nil {
			return err
		}
		pass.BindPipeline(pipeline)
		d.record(pass, camera, f.set, plain)
	}
	if err := r.drawGround(pass, shadow, camera, f.set, t.shape, true); err != nil {
		return err
	}
	pass.End()
	cmd.GenerateMipmaps(t.behind.levels)
	return nil
}
