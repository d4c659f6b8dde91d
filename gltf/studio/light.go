package studio

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice"
)

// The light of the studio as a file: it takes the most time of New, and is the same
// bytes on every machine.

// lightMagic begins the file; the number changes with what the shaders read.
const lightMagic = "pumice studio light 1\n"

// Light returns the studio's light, for NewLit: some 2 MB, the same on every machine for
// one version of this package.
func (r *Renderer) Light(ctx context.Context) ([]byte, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	out := []byte(lightMagic)
	err := r.environment.each(func(im *pumice.Image, sub pumice.Subresource) error {
		data, err := im.Read(ctx, sub)
		out = append(out, data...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("studio: reading the light: %w", err)
	}
	return append(out, r.environment.irradiance...), nil
}

// NewLit is New with what Light gave, which saves computing it. Bytes of another
// version, or of anything else, are an error.
func NewLit(ctx context.Context, dev *pumice.Device, light []byte) (*Renderer, error) {
	return newRenderer(ctx, dev, func(ctx context.Context, dev *pumice.Device) (*environment, error) {
		rest, ok := bytes.CutPrefix(light, []byte(lightMagic))
		if !ok {
			return nil, fmt.Errorf("the light is not one of this version, which begin with %q", lightMagic)
		}
		e, err := blankEnvironment(dev)
		if err != nil {
			return nil, err
		}
		err = e.each(func(im *pumice.Image, sub pumice.Subresource) error {
			d := im.Desc()
			size := max(1, d.Width>>sub.Level) * max(1, d.Height>>sub.Level) * environmentTexel
			if len(rest) < size {
				return fmt.Errorf("the light ends in the midst of the %s", d.Name)
			}
			data := rest[:size]
			rest = rest[size:]
			return im.Write(ctx, sub, data)
		})
		if err == nil && len(rest) != irradianceTexels*environmentTexel {
			err = fmt.Errorf("the light has %d bytes of irradiance, want %d", len(rest), irradianceTexels*environmentTexel)
		}
		e.irradiance = bytes.Clone(rest)
		return e, err
	})
}

// each visits the levels and layers of the images.
func (e *environment) each(f func(*pumice.Image, pumice.Subresource) error) error {
	for _, im := range []*pumice.Image{e.radiance, e.brdf} {
		d := im.Desc()
		for level := range max(1, d.MipLevels) {
			for layer := range max(1, d.Layers) {
				if err := f(im, pumice.Subresource{Level: level, Layer: layer}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
