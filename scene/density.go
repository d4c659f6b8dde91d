package scene

import (
	"context"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// region is the pixels of a texel of a density map each way.
const region = 8

// checkDensity checks the density map.
func (s *Scene) checkDensity() error {
	if len(s.Density) == 0 {
		return nil
	}
	width, height := (s.Size[0]+region-1)/region, (s.Size[1]+region-1)/region
	for _, row := range s.Density {
		if len(s.Density) != height || len(row) != width {
			return errorf("a density map of %d rows, one of %d texels; %d rows of %d, one for 8 × 8 pixels", len(s.Density), len(row), height, width)
		}
		for _, t := range row {
			for _, n := range t {
				if n != 1 && n != 2 && n != 4 {
					return errorf("fragments of %d × %d pixels; 1, 2 or 4 each way", t[0], t[1])
				}
			}
		}
	}
	return nil
}

// area is the pixels of a fragment at a pixel, as the density map has it.
func (s *Scene) area(x, y int) (w, h int) {
	if len(s.Density) == 0 {
		return 1, 1
	}
	t := s.Density[y/region][x/region]
	return t[0], t[1]
}

// densityMap makes the image.
func (s *Scene) densityMap(ctx context.Context, dev *pumice.Device) (*pumice.Image, error) {
	m, err := dev.NewImage(pumice.ImageDesc{
		Format: vk.FormatR8G8Unorm, Width: len(s.Density[0]), Height: len(s.Density),
		Usage: vk.ImageUsageFragmentDensityMapBitEXT | vk.ImageUsageTransferDstBit,
	})
	if err != nil {
		return nil, err
	}
	var texels []byte
	for _, row := range s.Density {
		for _, t := range row {
			texels = append(texels, byte(255/t[0]), byte(255/t[1]))
		}
	}
	if err := m.Write(ctx, pumice.Subresource{}, texels); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}
