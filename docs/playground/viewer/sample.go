package viewer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/vk"
)

// Texture says what Sample reads.
type Texture struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Levels int    `json:"levels"`
}

// builtinExtent is the built-in texture's edge in texels.
const builtinExtent = 8

// BuiltinTexture gives Sample the built-in texture: few texels, all different.
func (v *Viewer) BuiltinTexture(ctx context.Context) (*Texture, error) {
	im, err := v.dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: builtinExtent, Height: builtinExtent, MipLevels: pumice.AllMips})
	if err != nil {
		return nil, err
	}
	var data []byte
	for y := range builtinExtent {
		for x := range builtinExtent {
			c := [3]byte{byte(36 * x), byte(36 * y), byte(252 - 18*(x+y))}
			if (x+y)%2 == 1 {
				c = [3]byte{c[1]/2 + 128, c[2]/2 + 128, c[0]/2 + 128}
			}
			data = append(data, c[0], c[1], c[2], 255)
		}
	}
	if err = im.Write(ctx, pumice.Subresource{}, data); err == nil {
		err = im.GenerateMipmaps()
	}
	return v.useTexture("8 × 8 colours", im, err)
}

// LoadTexture gives Sample a file of package imagefile, with all levels.
func (v *Viewer) LoadTexture(ctx context.Context, name string, data []byte) (*Texture, error) {
	f, err := imagefile.Decode(ctx, bytes.NewReader(data), imagefile.Options{Budget: v.budget, Upload: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.Cube || f.Array || f.Depth > 1 || f.Height == 0 {
		return nil, fmt.Errorf("%s: the page shows plain 2D images; pumice sample takes cubes, arrays and volumes", name)
	}
	im, err := f.Upload(v.dev)
	return v.useTexture(name, im, err)
}

// useTexture puts an image in the place of the one before.
func (v *Viewer) useTexture(name string, im *pumice.Image, err error) (*Texture, error) {
	if err != nil {
		if im != nil {
			err = errors.Join(err, im.Close())
		}
		return nil, err
	}
	if v.texture != nil {
		if err := v.texture.Close(); err != nil {
			return nil, err
		}
	}
	v.texture = im
	d := im.Desc()
	return &Texture{Name: name, Format: d.Format.String(), Width: d.Width, Height: d.Height, Levels: max(1, d.MipLevels)}, nil
}

// Sampler is how the texture is read; words as in pumice sample.
type Sampler struct {
	Filter string  `json:"filter"`
	Wrap   string  `json:"wrap"`
	Lod    float32 `json:"lod"`
}

func (v *Viewer) sampler(ctx context.Context, s Sampler) (t pumice.Texture, o pumice.SampleOptions, err error) {
	if v.texture == nil {
		if _, err := v.BuiltinTexture(ctx); err != nil {
			return t, o, err
		}
	}
	modes := map[string]vk.SamplerAddressMode{
		"repeat": vk.SamplerAddressModeRepeat, "mirrored": vk.SamplerAddressModeMirroredRepeat,
		"clamp": vk.SamplerAddressModeClampToEdge, "border": vk.SamplerAddressModeClampToBorder,
	}
	filters := map[string]vk.Filter{"nearest": vk.FilterNearest, "linear": vk.FilterLinear, "cubic": vk.FilterCubicEXT}
	mode, ok := modes[s.Wrap]
	filter, known := filters[s.Filter]
	if !ok || !known || math.IsNaN(float64(s.Lod)) {
		return t, o, fmt.Errorf("a sampler with filter %.20q, wrap %.20q, level of detail %v", s.Filter, s.Wrap, s.Lod)
	}
	d := pumice.SamplerDesc{MagFilter: filter, MinFilter: filter, AddressModeU: mode, AddressModeV: mode, AddressModeW: mode}
	if filter == vk.FilterLinear {
		d.MipmapMode = vk.SamplerMipmapModeLinear
	}
	sampler, err := v.dev.NewSampler(d)
	return pumice.Texture{View: v.texture, Sampler: sampler}, pumice.SampleOptions{Lod: s.Lod}, err
}

// The picture of Samples shows the coordinates from -½ to 1½ each way.
const (
	samplesFrom  = -0.5
	samplesRange = 2
)

// SampleCoord is what a pixel of the picture of Samples, size pixels an edge, shows.
func SampleCoord(pixel, size int) float32 {
	return samplesFrom + float32(float32(samplesRange)*(float32(pixel)+0.5))/float32(size)
}

// Samples draws what the sampler gives at size × size coordinates.
func (v *Viewer) Samples(ctx context.Context, s Sampler, size int) (*image.NRGBA, error) {
	if err := checkExtent(size, size); err != nil {
		return nil, err
	}
	t, o, err := v.sampler(ctx, s)
	if err != nil {
		return nil, err
	}
	defer t.Sampler.Close()
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	at := make([]pumice.Coord, size)
	for y := range size {
		for x := range size {
			at[x] = pumice.Coord{SampleCoord(x, size), SampleCoord(y, size)}
		}
		texels, err := v.dev.Sample(ctx, t, at, o)
		if err != nil {
			return nil, err
		}
		for x, texel := range texels {
			for c, f := range texel.Float() {
				out.Pix[y*out.Stride+4*x+c] = uint8(math.RoundToEven(float64(255 * max(0, min(1, f)))))
			}
		}
	}
	return out, nil
}

// Answer is one sample, and how it came about.
type Answer struct {
	At    string        `json:"at"`
	Texel string        `json:"texel"`
	Steps []pumice.Step `json:"steps"`
}

// Explain tells how the sampler comes to its value at a coordinate.
func (v *Viewer) Explain(ctx context.Context, s Sampler, u, w float32) (*Answer, error) {
	t, o, err := v.sampler(ctx, s)
	if err != nil {
		return nil, err
	}
	defer t.Sampler.Close()
	texel, steps, err := v.dev.ExplainSample(ctx, t, []pumice.Coord{{u, w}}, 0, o)
	if err != nil {
		return nil, err
	}
	return &Answer{At: fmt.Sprintf("%g, %g", u, w), Texel: texel.String(), Steps: steps}, nil
}
