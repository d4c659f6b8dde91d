package resource

import (
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/vk"
)

// Limits of image processing (IMG-012).
const (
	MaxWeightPhases = 1024
	MaxBlock        = 64 // of weights, boxes, blocks and windows, each dimension
)

// WeightImage says how a view holds the weights of a filter
// (VkImageViewSampleWeightCreateInfoQCOM). The zero value holds none.
type WeightImage struct {
	CenterX, CenterY int
	Width, Height    int // texels of the filter
	Phases           int
}

// Root is the number of phases of one dimension.
func (w *WeightImage) Root() int { return 1 << (bits.Len(uint(w.Phases|1)) / 2) }

// BlockMatchWindow is where and how block matches search
// (VkSamplerBlockMatchWindowCreateInfoQCOM).
type BlockMatchWindow struct {
	Width, Height int
	Max           bool // the largest metric wins, not the smallest
}

// checkWeights is IMG-182 and IMG-183.
func (v *ImageView) checkWeights(w *WeightImage) error {
	const op = "NewView"
	if *w == (WeightImage{}) {
		return nil
	}
	root := w.Root()
	width, height, _ := v.Extent(0)
	switch {
	case v.Image.Usage&vk.ImageUsageSampleWeightBitQCOM == 0:
		return usage(op, "VkImageViewCreateInfo-pNext-06945", "the image was made without %v", vk.ImageUsageSampleWeightBitQCOM)
	case Swizzled(v.Components):
		return usage(op, "VkImageViewCreateInfo-pNext-06946", "a swizzle")
	case v.Aspect != vk.ImageAspectColorBit:
		return usage(op, "VkImageViewCreateInfo-pNext-06947", "%v", v.Aspect)
	case v.Levels != 1:
		return usage(op, "VkImageViewCreateInfo-pNext-06948", "%d levels", v.Levels)
	case v.Type != vk.ImageViewType1DArray && v.Type != vk.ImageViewType2DArray:
		return usage(op, "VkImageViewCreateInfo-pNext-06949", "%v", v.Type)
	case v.Type == vk.ImageViewType1DArray && v.Layers != 2:
		return usage(op, "VkImageViewCreateInfo-pNext-06951", "%d layers of separable weights", v.Layers)
	case v.Type == vk.ImageViewType2DArray && v.Image.Type != vk.ImageType2D:
		return usage(op, "VkImageViewCreateInfo-pNext-06953", "an image of %v", v.Image.Type)
	case v.Image.Samples != 1: // which no rule of a view forbids, but no instruction reads
		return &UnsupportedError{Op: op, What: fmt.Sprintf("an image of weights with %d samples", v.Image.Samples)}
	case w.Width < 1 || w.Width > MaxBlock:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-filterSize-06958", "a filter of %dx%d; up to %d each are supported", w.Width, w.Height, MaxBlock)
	case w.Height < 1 || w.Height > MaxBlock:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-filterSize-06959", "a filter of %dx%d; up to %d each are supported", w.Width, w.Height, MaxBlock)
	case w.CenterX < 0 || w.CenterX >= w.Width:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-filterCenter-06960", "centre (%d,%d) of a filter of %dx%d", w.CenterX, w.CenterY, w.Width, w.Height)
	case w.CenterY < 0 || w.CenterY >= w.Height:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-filterCenter-06961", "centre (%d,%d) of a filter of %dx%d", w.CenterX, w.CenterY, w.Width, w.Height)
	case w.Phases > MaxWeightPhases:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-numPhases-06963", "%d phases; up to %d are supported", w.Phases, MaxWeightPhases)
	case w.Phases < 1 || root*root != w.Phases:
		return usage(op, "VkImageViewSampleWeightCreateInfoQCOM-numPhases-06962", "%d phases, which is no square of a power of two", w.Phases)
	case v.Type == vk.ImageViewType1DArray && width < w.Phases*max((w.Width+3)&^3, w.Height):
		return usage(op, "VkImageViewCreateInfo-pNext-06952", "a width of %d for %d phases of a filter of %dx%d", width, w.Phases, w.Width, w.Height)
	case v.Type == vk.ImageViewType2DArray && v.Layers < w.Phases:
		return usage(op, "VkImageViewCreateInfo-pNext-06954", "%d layers of %d phases", v.Layers, w.Phases)
	case v.Type == vk.ImageViewType2DArray && width < w.Width:
		return usage(op, "VkImageViewCreateInfo-pNext-06955", "an image of %dx%d for a filter of %dx%d", width, height, w.Width, w.Height)
	case v.Type == vk.ImageViewType2DArray && height < w.Height:
		return usage(op, "VkImageViewCreateInfo-pNext-06956", "an image of %dx%d for a filter of %dx%d", width, height, w.Width, w.Height)
	}
	return nil
}

// checkProcessing is IMG-180: samplers of image processing are plain ones.
//
// IMG-670
func checkProcessing(d *Sampler) error {
	const op = "NewSampler"
	plain := func(m vk.SamplerAddressMode) bool {
		return m == vk.SamplerAddressModeClampToEdge || m == vk.SamplerAddressModeClampToBorder
	}
	switch {
	case !d.ImageProcessing:
	case d.MinFilter != vk.FilterNearest || d.MagFilter != vk.FilterNearest:
		return usage(op, "VkSamplerCreateInfo-flags-06964", "%v and %v with IMAGE_PROCESSING; both are NEAREST", d.MinFilter, d.MagFilter)
	case d.MipmapMode != vk.SamplerMipmapModeNearest:
		return usage(op, "VkSamplerCreateInfo-flags-06965", "%v with IMAGE_PROCESSING", d.MipmapMode)
	case d.MinLod != 0 || d.MaxLod != 0:
		return usage(op, "VkSamplerCreateInfo-flags-06966", "LOD range %v…%v with IMAGE_PROCESSING; both are 0", d.MinLod, d.MaxLod)
	case !plain(d.AddressModeU) || !plain(d.AddressModeV):
		return usage(op, "VkSamplerCreateInfo-flags-06967", "%v and %v with IMAGE_PROCESSING; they clamp to edge or border", d.AddressModeU, d.AddressModeV)
	case (d.AddressModeU == vk.SamplerAddressModeClampToBorder || d.AddressModeV == vk.SamplerAddressModeClampToBorder) && d.BorderColor != vk.BorderColorFloatTransparentBlack:
		return usage(op, "VkSamplerCreateInfo-flags-06968", "%v with IMAGE_PROCESSING", d.BorderColor)
	case d.AnisotropyEnable:
		return usage(op, "VkSamplerCreateInfo-flags-06969", "anisotropy with IMAGE_PROCESSING")
	case d.CompareEnable:
		return usage(op, "VkSamplerCreateInfo-flags-06970", "a comparison with IMAGE_PROCESSING")
	}
	return nil
}
