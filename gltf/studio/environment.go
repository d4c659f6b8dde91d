package studio

import (
	"context"
	"fmt"
	"image/color"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// The prefiltered environment: radianceSize texels a face edge, halved from
// level to level; roughness runs 0…1 over the levels.
const (
	radianceSize      = 128
	sheenRadianceSize = 64
	radianceLevels    = 6
	brdfSize          = 64
	// binary32: a little more memory, but no conversion for each sample.
	environmentFormat = vk.FormatR32G32B32A32Sfloat
	environmentTexel  = 16 // bytes
	irradianceTexels  = 9
)

// environment is the light of the studio in the form that pbr.frag reads.
type environment struct {
	radiance   *pumice.Image // cube, prefiltered
	brdf       *pumice.Image // split-sum table
	irradiance []byte        // 9 × vec4 of spherical harmonics, little-endian binary32
	sheen      lazyImage     // radiance for the distribution of sheen
	source     *pumice.Image // a user's environment, with levels; nil: the studio
	rotation   float32       // radians; of a user's panorama
	towards    lightDirections
}

// blankEnvironment makes the images.
func blankEnvironment(dev *pumice.Device) (*environment, error) {
	e := &environment{}
	var err error
	if e.radiance, err = dev.NewImage(pumice.ImageDesc{
		Format: environmentFormat, Width: radianceSize, Height: radianceSize,
		MipLevels: radianceLevels, Cube: true, Name: "studio radiance",
	}); err != nil {
		return nil, err
	}
	e.brdf, err = dev.NewImage(pumice.ImageDesc{
		Format: environmentFormat, Width: brdfSize, Height: brdfSize, Name: "studio BRDF table",
	})
	return e, err
}

// newEnvironment renders the studio on the device.
func newEnvironment(ctx context.Context, dev *pumice.Device) (*environment, error) {
	e, err := blankEnvironment(dev)
	if err != nil {
		return nil, err
	}
	cmd := dev.NewCommandBuffer()
	if err := e.recordRadiance(dev, cmd); err != nil {
		return nil, err
	}
	if err := recordFull(dev, cmd, brdfFrag, nil, e.brdf); err != nil {
		return nil, err
	}

	harmonics, err := dev.NewImage(pumice.ImageDesc{
		Format: environmentFormat, Width: irradianceTexels, Height: 1, Name: "studio irradiance",
	})
	if err != nil {
		return nil, err
	}
	defer harmonics.Close()
	if err := recordFull(dev, cmd, irradianceFrag, nil, harmonics); err != nil {
		return nil, err
	}

	if err := dev.Submit(ctx, cmd); err != nil {
		return nil, fmt.Errorf("studio environment: %w", err)
	}
	if e.irradiance, err = harmonics.Read(ctx, pumice.Subresource{}); err != nil {
		return nil, fmt.Errorf("studio environment: %w", err)
	}
	return e, nil
}

// recordRadiance draws the 6 faces of every level.
func (e *environment) recordRadiance(dev *pumice.Device, cmd *pumice.CommandBuffer) error {
	roughness := func(level int) float32 { return float32(level) / (radianceLevels - 1) }
	return recordLevels(dev, cmd, prefilterFrag, nil, e.radiance, radianceLevels, samples64, roughness)
}

func samples64(int) uint32 { return 64 }

// recordLevels draws all faces of the first levels of a cube with one of the prefiltering shaders, of
// which source is set 0, if it has one, with count samples a texel where a level's roughness is not 0.
func recordLevels(dev *pumice.Device, cmd *pumice.CommandBuffer, frag []byte, source *pumice.Texture, cube *pumice.Image, levels int, count func(level int) uint32, rough func(level int) float32) error {
	pipeline, set, err := filterPipeline(dev, frag, source)
	if err != nil {
		return err
	}
	if set != nil {
		defer set.Close()
	}
	for level := range levels {
		roughness, samples := rough(level), uint32(1)
		if roughness > 0 {
			samples = count(level)
		}
		for face := range 6 {
			view, err := cube.NewView(pumice.ViewDesc{
				Type: vk.ImageViewType2D, BaseLevel: level, Levels: 1, BaseLayer: face, Layers: 1,
			})
			if err != nil {
				return err
			}
			pass := cmd.BeginRendering(pumice.ClearTo(view, color.Transparent))
			pass.BindPipeline(pipeline)
			if set != nil {
				pass.BindDescriptorSet(0, set)
			}
			pass.PushConstants(0, struct {
				Face      int32
				Roughness float32
				Samples   uint32
			}{int32(face), roughness, samples})
			pass.Draw(3, 1)
			pass.End()
		}
	}
	return nil
}

// filterPipeline makes the pipeline of a filter, and its set 0 where it has a source.
func filterPipeline(dev *pumice.Device, frag []byte, source *pumice.Texture) (*pumice.GraphicsPipeline, *pumice.DescriptorSet, error) {
	pipeline, err := fullscreenPipeline(dev, frag, environmentFormat)
	if err != nil || source == nil {
		return pipeline, nil, err
	}
	set, err := pipeline.NewDescriptorSet(0)
	if err != nil {
		return nil, nil, err
	}
	if err := set.Bind(0, *source); err != nil {
		set.Close()
		return nil, nil, err
	}
	return pipeline, set, nil
}

// recordFull draws one full-screen triangle with the fragment shader; source is its set 0, if it has one.
func recordFull(dev *pumice.Device, cmd *pumice.CommandBuffer, frag []byte, source *pumice.Texture, target *pumice.Image) error {
	pipeline, set, err := filterPipeline(dev, frag, source)
	if err != nil {
		return err
	}
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Transparent))
	pass.BindPipeline(pipeline)
	if set != nil {
		pass.BindDescriptorSet(0, set)
		defer set.Close()
	}
	pass.Draw(3, 1)
	pass.End()
	return nil
}

func fullscreenPipeline(dev *pumice.Device, frag []byte, format vk.Format) (*pumice.GraphicsPipeline, error) {
	return dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: fullscreenVert}, Fragment: pumice.Shader{Code: frag}, ColorFormats: []vk.Format{format},
	})
}
