package studio

import (
	"context"
	"encoding/binary"
	"fmt"
	"image/color"
	"math"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// Panorama is light from all sides, as a picture of longitude and latitude: the top row is
// straight up (+y), the middle of the picture is what a camera of yaw 0 looks at (-z), and what
// lies to its right (+x) is to the right of that.
type Panorama struct {
	Width, Height int
	Pixels        []float32 // linear red, green and blue, row by row; not negative, finite
	Rotation      float64   // degrees that the surroundings are turned to the left (counter-clockwise seen from above)
	Intensity     float64   // what light is multiplied by; 0 means 1
}

// Environment is the surroundings of a model as Renderers draw with it: View.Environment. It
// may be used by several goroutines, but must not be closed before they are done.
type Environment struct {
	light    environment
	panorama *pumice.Image
}

const (
	// Faces of cubes of a user's environment: of what is filtered, and of the result.
	sourceSize      = 256
	imageSize       = 256
	imageLevels     = 7
	panoramaMost    = 2048 // texels in width: wider ones are halved
	brightestPixel  = 65504
	panoramaExtents = 1 << 17
)

// NewEnvironment filters a panorama for diffuse and glossy surfaces. The pixels are not kept.
func (r *Renderer) NewEnvironment(ctx context.Context, p Panorama) (*Environment, error) {
	if p.Width < 1 || p.Height < 1 || p.Width > panoramaExtents || p.Height > panoramaExtents || len(p.Pixels) != 3*p.Width*p.Height {
		return nil, fmt.Errorf("studio: a panorama of %d × %d pixels has %d numbers", p.Width, p.Height, len(p.Pixels))
	}
	e := &Environment{}
	if err := e.make(ctx, r, p); err != nil {
		e.Close()
		return nil, fmt.Errorf("studio: environment of %d × %d pixels: %w", p.Width, p.Height, err)
	}
	return e, nil
}

// Close frees the environment's device memory.
func (e *Environment) Close() {
	for _, im := range []*pumice.Image{e.light.radiance, e.light.source, e.light.sheen.image, e.panorama} {
		if im != nil {
			im.Close()
		}
	}
	*e = Environment{}
}

func (e *Environment) make(ctx context.Context, r *Renderer, p Panorama) (err error) {
	dev := r.dev
	texels, width, height, err := p.shrunk(r.budget)
	if err != nil {
		return err
	}
	defer r.budget.Drop(int64(cap(texels)))
	if e.panorama, err = dev.NewImage(pumice.ImageDesc{
		Format: environmentFormat, Width: width, Height: height, MipLevels: pumice.AllMips, Name: "panorama",
	}); err != nil {
		return err
	}
	if err := e.panorama.Write(ctx, pumice.Subresource{}, texels); err != nil {
		return err
	}
	cube := func(size, levels int, name string) (*pumice.Image, error) {
		return dev.NewImage(pumice.ImageDesc{Format: environmentFormat, Width: size, Height: size, MipLevels: levels, Cube: true, Name: name})
	}
	if e.light.source, err = cube(sourceSize, pumice.AllMips, "environment"); err != nil {
		return err
	}
	if e.light.radiance, err = cube(imageSize, imageLevels, "radiance of the environment"); err != nil {
		return err
	}
	harmonics, err := dev.NewImage(pumice.ImageDesc{Format: environmentFormat, Width: 9, Height: 1, Name: "irradiance of the environment"})
	if err != nil {
		return err
	}
	defer harmonics.Close()

	cmd := dev.NewCommandBuffer()
	cmd.GenerateMipmaps(e.panorama)
	panorama := &pumice.Texture{View: e.panorama, Sampler: r.around}
	rotation := float32(p.Rotation * math.Pi / 180)
	if err := recordLevels(dev, cmd, panoramaFrag, panorama, e.light.source, 1, samples64, func(int) float32 { return rotation }); err != nil {
		return err
	}
	cmd.GenerateMipmaps(e.light.source)
	source := &pumice.Texture{View: e.light.source, Sampler: r.clamp}
	if err := recordLevels(dev, cmd, prefilterImageFrag, source, e.light.radiance, imageLevels, imageSamples, func(level int) float32 { return float32(level) / (imageLevels - 1) }); err != nil {
		return err
	}
	if err := recordFull(dev, cmd, irradianceImageFrag, source, harmonics); err != nil {
		return err
	}
	if err := dev.Submit(ctx, cmd); err != nil {
		return err
	}
	e.light.brdf, e.light.rotation = r.environment.brdf, rotation
	e.light.irradiance, err = harmonics.Read(ctx, pumice.Subresource{})
	return err
}

// imageSamples are fewer where lobes are narrow and texels many.
func imageSamples(level int) uint32 { return 16 << level }

func aroundSampler() pumice.SamplerDesc {
	s := pumice.LinearSampler(vk.SamplerAddressModeClampToEdge)
	s.AddressModeU = vk.SamplerAddressModeRepeat
	return s
}

// shrunk returns the panorama as texels of the device, halved until it is not too wide. They are
// charged to the budget.
func (p *Panorama) shrunk(b *budget.Budget) (texels []byte, width, height int, err error) {
	step := 1
	for p.Width/step > panoramaMost || p.Height/step > panoramaMost {
		step *= 2
	}
	width, height = max(p.Width/step, 1), max(p.Height/step, 1)
	need := 16 * int64(width) * int64(height)
	if err := b.Take(need); err != nil {
		return nil, 0, 0, err
	}
	intensity := p.Intensity
	if intensity == 0 {
		intensity = 1
	}
	texels = make([]byte, 0, need)
	for y := range height {
		for x := range width {
			var sum [3]float64
			n := 0
			for j := y * step; j < min((y+1)*step, p.Height); j++ {
				for i := x * step; i < min((x+1)*step, p.Width); i++ {
					for c, v := range p.Pixels[3*(j*p.Width+i):][:3] {
						sum[c] += float64(v)
					}
					n++
				}
			}
			for c := range 3 {
				v := float64(sum[c]/float64(n)) * intensity
				if !(v > 0) {
					v = 0
				}
				texels = binary.LittleEndian.AppendUint32(texels, math.Float32bits(float32(math.Min(v, brightestPixel))))
			}
			texels = binary.LittleEndian.AppendUint32(texels, math.Float32bits(1))
		}
	}
	return texels, width, height, nil
}

// light returns what a view is lit by.
func (v *View) light(r *Renderer) *environment {
	if v.Environment != nil {
		return &v.Environment.light
	}
	return r.environment
}

// skyKey is what changes the pipeline of a sky.
type skyKey struct {
	target shape // its samples and format count
	behind bool
	tone   Tone
}

func skyOf(s shape, behind bool) skyKey {
	return skyKey{target: shape{samples: s.samples, linear: s.linear}, behind: behind}
}

// recordSky draws the environment behind everything, if the view wants it.
func (r *Renderer) recordSky(pass *pumice.Pass, v *View, camera *sight, target shape, behind bool) error {
	if !v.ShowEnvironment {
		return nil
	}
	key := skyOf(target, behind)
	key.tone = v.tone(target)
	pipeline, err := r.skyPipeline(key)
	if err != nil {
		return err
	}
	set, err := pipeline.NewDescriptorSet(0)
	if err != nil {
		return err
	}
	defer set.Close()
	e := v.light(r)
	panorama, sharp := r.white, float32(0)
	if v.Environment != nil && v.EnvironmentBlur == 0 {
		panorama, sharp = v.Environment.panorama, 1
	}
	for i, image := range []*pumice.Image{e.radiance, panorama} {
		sampler := r.clamp
		if i == 1 {
			sampler = r.around
		}
		if err := set.Bind(uint32(i), pumice.Texture{View: image, Sampler: sampler}); err != nil {
			return err
		}
	}
	inverse, ok := camera.viewProjection().Inverse()
	if !ok {
		return fmt.Errorf("studio: the camera's projection has no inverse")
	}
	pass.BindPipeline(pipeline)
	pass.BindDescriptorSet(0, set)
	pass.PushConstants(0, struct {
		Inverse                      mat.Mat4
		Blur, Sharp, Rotation, Light float32
	}{inverse.Single(), float32(math.Max(0, math.Min(v.EnvironmentBlur, 1))), sharp, e.rotation, v.strength() * v.exposure()})
	pass.Draw(3, 1)
	return nil
}

func (r *Renderer) skyPipeline(k skyKey) (*pumice.GraphicsPipeline, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.skies[k]; p != nil {
		return p, nil
	}
	p, err := r.dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex:       pumice.Shader{Code: fullscreenVert},
		Fragment:     pumice.Shader{Code: skyFrag, Constants: pumice.Constants{29: k.behind, 30: uint32(k.tone), 31: k.behind || k.target.linear}},
		ColorFormats: []vk.Format{passFormat(k.target, k.behind)}, DepthFormat: depthFormat, Samples: k.target.samples,
		DepthStencil: &vk.PipelineDepthStencilStateCreateInfo{},
		Name:         "environment",
	})
	if err == nil {
		r.skies[k] = p
	}
	return p, err
}

// background returns what the passes clear to: under a sky it does not show.
func (v *View) background() color.NRGBA {
	if v.ShowEnvironment {
		return color.NRGBA{A: 255}
	}
	return v.Background
}
