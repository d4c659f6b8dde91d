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
	radianceSize   = 128
	radianceLevels = 6
	brdfSize       = 64
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
	if err := e.recordRadiance(dev, cmd, radianceLevels); err != nil {
		return nil, err
	}
	if err := recordFull(dev, cmd, brdfFrag, e.brdf); err != nil {
		return nil, err
	}

	harmonics, err := dev.NewImage(pumice.ImageDesc{
		Format: environmentFormat, Width: irradianceTexels, Height: 1, Name: "studio irradiance",
	})
	if err != nil {
		return nil, err
	}
	defer harmonics.Close()
	if err := recordFull(dev, cmd, irradianceFrag, harmonics); err != nil {
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

// recordRadiance draws the 6 faces of the first levels.
func (e *environment) recordRadiance(dev *pumice.Device, cmd *pumice.CommandBuffer, levels int) error {
	pipeline, err := fullscreenPipeline(dev, prefilterFrag, environmentFormat)
	if err != nil {
		return err
	}
	for level := range levels {
		roughness := float32(level) / (radianceLevels - 1)
		samples := uint32(1)
		if level > 0 {
			samples = 64
		}
		for face := range 6 {
			view, err := e.radiance.NewView(pumice.ViewDesc{
				Type: vk.ImageViewType2D, BaseLevel: level, Levels: 1, BaseLayer: face, Layers: 1,
			})
			if err != nil {
				return err
			}
			pass := cmd.BeginRendering(pumice.ClearTo(view, color.Transparent))
			pass.BindPipeline(pipeline)
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

// recordFull draws one full-screen triangle with the fragment shader.
func recordFull(dev *pumice.Device, cmd *pumice.CommandBuffer, frag []byte, target *pumice.Image) error {
	pipeline, err := fullscreenPipeline(dev, frag, environmentFormat)
	if err != nil {
		return err
	}
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Transparent))
	pass.BindPipeline(pipeline)
	pass.Draw(3, 1)
	pass.End()
	return nil
}

func fullscreenPipeline(dev *pumice.Device, frag []byte, format vk.Format) (*pumice.GraphicsPipeline, error) {
	return dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: fullscreenVert}, Fragment: pumice.Shader{Code: frag}, ColorFormats: []vk.Format{format},
	})
}
