package scene

import (
	"context"
	"slices"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// shadingRates are the words for rates.
var shadingRates = map[string]vk.FragmentShadingRateNV{
	"": 0, "1x1": vk.FragmentShadingRate1InvocationPerPixelNV, "1x2": vk.FragmentShadingRate1InvocationPer1X2PixelsNV,
	"2x1": vk.FragmentShadingRate1InvocationPer2X1PixelsNV, "2x2": vk.FragmentShadingRate1InvocationPer2X2PixelsNV,
	"2x4": vk.FragmentShadingRate1InvocationPer2X4PixelsNV, "4x2": vk.FragmentShadingRate1InvocationPer4X2PixelsNV,
	"4x4": vk.FragmentShadingRate1InvocationPer4X4PixelsNV, "2_per_pixel": vk.FragmentShadingRate2InvocationsPerPixelNV,
	"4_per_pixel": vk.FragmentShadingRate4InvocationsPerPixelNV, "8_per_pixel": vk.FragmentShadingRate8InvocationsPerPixelNV,
	"16_per_pixel": vk.FragmentShadingRate16InvocationsPerPixelNV, "none": vk.FragmentShadingRateNoInvocationsNV,
}

// rateWords and ratePalette are the entries of the palette: texels of the image number
// them.
var (
	rateWords   = [...]string{"none", "16_per_pixel", "8_per_pixel", "4_per_pixel", "2_per_pixel", "1x1", "2x1", "1x2", "2x2", "4x2", "2x4", "4x4"}
	ratePalette = [...]vk.ShadingRatePaletteEntryNV{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
)

// checkRates checks the shading rate image.
func (s *Scene) checkRates() error {
	for _, row := range s.Rates {
		if len(row) != len(s.Rates[0]) || len(row) == 0 {
			return errorf("rows of %d and %d rates", len(s.Rates[0]), len(row))
		}
		for _, word := range row {
			if _, err := pick("rate", word, shadingRates); err != nil || word == "" {
				return errorf("rate %q of the image is unknown", brief(word, 40))
			}
		}
	}
	return nil
}

// rateImage makes the shading rate image.
func (s *Scene) rateImage(ctx context.Context, dev *pumice.Device) (*pumice.Image, error) {
	m, err := dev.NewImage(pumice.ImageDesc{
		Format: vk.FormatR8Uint, Width: len(s.Rates[0]), Height: len(s.Rates),
		Usage: vk.ImageUsageShadingRateImageBitNV | vk.ImageUsageTransferDstBit,
	})
	if err != nil {
		return nil, err
	}
	var texels []byte
	for _, row := range s.Rates {
		for _, word := range row {
			texels = append(texels, byte(slices.Index(rateWords[:], word)))
		}
	}
	if err := m.Write(ctx, pumice.Subresource{}, texels); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}
