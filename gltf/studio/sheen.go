package studio

import (
	"context"
	"fmt"
	"sync"

	"github.com/pumice-gpu/pumice"
)

// sheenSize is the edge of the table of sheen's albedo.
const sheenSize = 32

// lazyImage is an image that is drawn when it is first needed.
type lazyImage struct {
	mu    sync.Mutex
	image *pumice.Image
}

// get returns the image, which record draws into.
func (l *lazyImage) get(ctx context.Context, dev *pumice.Device, desc pumice.ImageDesc, record func(*pumice.CommandBuffer, *pumice.Image) error) (*pumice.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.image != nil {
		return l.image, nil
	}
	image, err := dev.NewImage(desc)
	if err != nil {
		return nil, err
	}
	cmd := dev.NewCommandBuffer()
	if err = record(cmd, image); err == nil {
		err = dev.Submit(ctx, cmd)
	}
	if err != nil {
		image.Close()
		return nil, fmt.Errorf("%s: %w", desc.Name, err)
	}
	l.image = image
	return image, nil
}

// sheenAlbedo returns the table of how much white sheen reflects, by n·v and roughness.
func (r *Renderer) sheenAlbedo(ctx context.Context) (*pumice.Image, error) {
	return r.sheen.get(ctx, r.dev, pumice.ImageDesc{
		Format: environmentFormat, Width: sheenSize, Height: sheenSize, Name: "albedo of sheen",
	}, func(cmd *pumice.CommandBuffer, table *pumice.Image) error {
		return recordFull(r.dev, cmd, sheenFrag, nil, table)
	})
}

// sheenRadiance returns the environment filtered for sheen.
func (e *environment) sheenRadiance(ctx context.Context, r *Renderer) (*pumice.Image, error) {
	dev, frag, levels := r.dev, prefilterSheenFrag, radianceLevels
	var source *pumice.Texture
	if e.source != nil {
		source = &pumice.Texture{View: e.source, Sampler: r.clamp}
		frag, levels = prefilterImageSheenFrag, imageLevels
	}
	return e.sheen.get(ctx, dev, pumice.ImageDesc{
		Format: environmentFormat, Width: sheenRadianceSize, Height: sheenRadianceSize,
		MipLevels: levels, Cube: true, Name: "radiance of sheen",
	}, func(cmd *pumice.CommandBuffer, cube *pumice.Image) error {
		return recordLevels(dev, cmd, frag, source, cube, levels, samples64, func(level int) float32 {
			return max(float32(level)/float32(levels-1), 0.05)
		})
	})
}
