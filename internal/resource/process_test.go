package resource

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// IMG-182, IMG-183: what a view of weights must not be, under the names of the rules.
func TestWeights_IMG182_NamesOfTheRules(t *testing.T) {
	rules.Covers(t, "IMG-182", "IMG-183")
	plain := ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 3, 1), MipLevels: 2, ArrayLayers: 4, Usage: vk.ImageUsageSampleWeightBitQCOM}
	// Separable weights of 4 phases: 4 · max(align(3, 4), 2) = 16 texels.
	separable := ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR8Unorm, Extent: extent(16, 1, 1), ArrayLayers: 3, Usage: vk.ImageUsageSampleWeightBitQCOM}
	good := WeightImage{CenterX: 2, CenterY: 1, Width: 3, Height: 2, Phases: 4}
	type args struct {
		d    ImageDesc
		v    ViewDesc
		w    WeightImage
		kind vk.ImageViewType
	}
	for name, c := range map[string]struct {
		change func(*args)
		vuid   string
	}{
		"good":              {func(*args) {}, ""},
		"separable":         {func(a *args) { a.d, a.kind, a.v.Range.LayerCount = separable, vk.ImageViewType1DArray, 2 }, ""},
		"usage":             {func(a *args) { a.d.Usage = vk.ImageUsageSampledBit }, "VkImageViewCreateInfo-pNext-06945"},
		"swizzle":           {func(a *args) { a.v.Components.R = vk.ComponentSwizzleG }, "VkImageViewCreateInfo-pNext-06946"},
		"aspect":            {func(a *args) { a.d.Format, a.v.Range.AspectMask = vk.FormatD16Unorm, vk.ImageAspectDepthBit }, "VkImageViewCreateInfo-pNext-06947"},
		"levels":            {func(a *args) { a.v.Range.LevelCount = 2 }, "VkImageViewCreateInfo-pNext-06948"},
		"type":              {func(a *args) { a.kind, a.v.Range.LayerCount = vk.ImageViewType2D, 1 }, "VkImageViewCreateInfo-pNext-06949"},
		"layers, separable": {func(a *args) { a.d, a.kind, a.v.Range.LayerCount = separable, vk.ImageViewType1DArray, 3 }, "VkImageViewCreateInfo-pNext-06951"},
		"narrow, separable": {func(a *args) {
			a.d, a.kind, a.v.Range.LayerCount, a.d.Extent.Width = separable, vk.ImageViewType1DArray, 2, 15
		}, "VkImageViewCreateInfo-pNext-06952"},
		"slices": {func(a *args) {
			a.d.Type, a.d.ArrayLayers, a.d.Extent.Depth, a.d.Flags = vk.ImageType3D, 1, 4, vk.ImageCreate2DArrayCompatibleBit
		}, "VkImageViewCreateInfo-pNext-06953"},
		"layers":              {func(a *args) { a.v.Range.LayerCount = 3 }, "VkImageViewCreateInfo-pNext-06954"},
		"narrow":              {func(a *args) { a.d.Extent.Width = 2 }, "VkImageViewCreateInfo-pNext-06955"},
		"flat":                {func(a *args) { a.d.Extent.Height = 1 }, "VkImageViewCreateInfo-pNext-06956"},
		"wide filter":         {func(a *args) { a.w.Width = MaxBlock + 1 }, "VkImageViewSampleWeightCreateInfoQCOM-filterSize-06958"},
		"high filter":         {func(a *args) { a.w.Height = MaxBlock + 1 }, "VkImageViewSampleWeightCreateInfoQCOM-filterSize-06959"},
		"centre to the right": {func(a *args) { a.w.CenterX = 3 }, "VkImageViewSampleWeightCreateInfoQCOM-filterCenter-06960"},
		"centre below":        {func(a *args) { a.w.CenterY = 2 }, "VkImageViewSampleWeightCreateInfoQCOM-filterCenter-06961"},
		"two phases":          {func(a *args) { a.w.Phases = 2 }, "VkImageViewSampleWeightCreateInfoQCOM-numPhases-06962"},
		"too many phases":     {func(a *args) { a.w.Phases = 4 * MaxWeightPhases }, "VkImageViewSampleWeightCreateInfoQCOM-numPhases-06963"},
	} {
		a := args{d: plain, w: good, kind: vk.ImageViewType2DArray, v: ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 4}}}
		c.change(&a)
		a.v.Type, a.v.Weights = &a.kind, a.w
		_, err := NewView(mustImage(t, a.d), a.v)
		if c.vuid == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c.vuid != "" {
			wantVUID(t, name, err, c.vuid)
		}
	}
	many := plain
	many.Samples, many.MipLevels = 4, 1
	kind := vk.ImageViewType2DArray
	_, err := NewView(mustImage(t, many), ViewDesc{Type: &kind, Weights: good})
	if u := new(UnsupportedError); !errors.As(err, &u) {
		t.Errorf("samples: %v", err)
	}
}

// IMG-182, IMG-183: the numbers of an image of weights, at and past each of their ends.
func TestNewView_IMG182_Weights(t *testing.T) {
	rules.Covers(t, "IMG-182", "IMG-183")
	array := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(64, 64, 1), ArrayLayers: 1024, MipLevels: 1, Usage: vk.ImageUsageSampleWeightBitQCOM})
	row := mustImage(t, ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR8Unorm, Extent: extent(32, 1, 1), ArrayLayers: 2, Usage: vk.ImageUsageSampleWeightBitQCOM})
	const view, filter = "VkImageViewCreateInfo-pNext-0", "VkImageViewSampleWeightCreateInfoQCOM-"
	for _, c := range []struct {
		im     *Image
		layers uint32 // 0 are all
		w      WeightImage
		vuid   string
	}{
		{array, 0, WeightImage{Width: 64, Height: 64, Phases: 1024, CenterX: 63, CenterY: 63}, ""},
		{array, 0, WeightImage{Width: 1, Height: 1, Phases: 4}, ""},
		{array, 0, WeightImage{Width: 1, Height: 1, Phases: 4096}, filter + "numPhases-06963"},
		{array, 0, WeightImage{Width: 1, Height: 1, Phases: 1025}, filter + "numPhases-06963"},
		{array, 0, WeightImage{Width: 1, Height: 1, Phases: 9}, filter + "numPhases-06962"},
		{array, 0, WeightImage{Width: 1, Height: 1}, filter + "numPhases-06962"},
		{array, 0, WeightImage{Width: 65, Height: 1, Phases: 1}, filter + "filterSize-06958"},
		{array, 0, WeightImage{Width: 1, Height: 65, Phases: 1}, filter + "filterSize-06959"},
		{array, 0, WeightImage{Height: 1, Phases: 1}, filter + "filterSize-06958"},
		{array, 0, WeightImage{Width: 1, Phases: 1}, filter + "filterSize-06959"},
		{array, 0, WeightImage{Width: 3, Height: 5, Phases: 1, CenterX: 3}, filter + "filterCenter-06960"},
		{array, 0, WeightImage{Width: 3, Height: 5, Phases: 1, CenterY: 5}, filter + "filterCenter-06961"},
		{array, 0, WeightImage{Width: 3, Height: 5, Phases: 1, CenterX: -1}, filter + "filterCenter-06960"},
		{array, 0, WeightImage{Width: 3, Height: 5, Phases: 1, CenterY: -1}, filter + "filterCenter-06961"},
		{array, 3, WeightImage{Width: 1, Height: 1, Phases: 4}, view + "6954"},
		{array, 4, WeightImage{Width: 1, Height: 1, Phases: 4}, ""},
		{row, 0, WeightImage{Width: 8, Height: 5, Phases: 4}, ""},
		{row, 0, WeightImage{Width: 9, Height: 1, Phases: 4}, view + "6952"},
		{row, 0, WeightImage{Width: 1, Height: 9, Phases: 4}, view + "6952"},
		{row, 0, WeightImage{Width: 29, Height: 32, Phases: 1}, ""},
		{row, 1, WeightImage{Width: 1, Height: 1, Phases: 1}, view + "6951"},
	} {
		kind := vk.ImageViewType2DArray
		if c.im.Type == vk.ImageType1D {
			kind = vk.ImageViewType1DArray
		}
		_, err := NewView(c.im, ViewDesc{Type: &kind, Weights: c.w, Range: vk.ImageSubresourceRange{LayerCount: c.layers}})
		name := fmt.Sprintf("%d layers, %+v", c.layers, c.w)
		if c.vuid != "" {
			wantVUID(t, name, err, c.vuid)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	small := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 3, 1), Usage: vk.ImageUsageSampleWeightBitQCOM})
	kind := vk.ImageViewType2DArray
	if _, err := NewView(small, ViewDesc{Type: &kind, Weights: WeightImage{Width: 4, Height: 3, Phases: 1}}); err != nil {
		t.Error(err)
	}
}

// IMG-180: what samplers of image processing have not.
func TestNewSampler_IMG180_Processing(t *testing.T) {
	rules.Covers(t, "IMG-180")
	const edge, border = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder
	plain := Sampler{ImageProcessing: true, AddressModeU: edge, AddressModeV: border, AddressModeW: edge}
	if _, err := NewSampler(plain); err != nil {
		t.Error(err)
	}
	for i, c := range []struct {
		vuid string
		with func(s *Sampler)
	}{
		{"06964", func(s *Sampler) { s.MagFilter = vk.FilterLinear }},
		{"06964", func(s *Sampler) { s.MinFilter = vk.FilterLinear }},
		{"06965", func(s *Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear }},
		{"06966", func(s *Sampler) { s.MaxLod = 1 }},
		{"06966", func(s *Sampler) { s.MinLod = -1 }},
		{"06967", func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeRepeat }},
		{"06967", func(s *Sampler) { s.AddressModeV = vk.SamplerAddressModeMirroredRepeat }},
		{"06968", func(s *Sampler) { s.BorderColor = vk.BorderColorFloatOpaqueBlack }},
		{"06968", func(s *Sampler) {
			s.AddressModeU, s.AddressModeV, s.BorderColor = border, edge, vk.BorderColorIntTransparentBlack
		}},
		{"06969", func(s *Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }},
		{"06970", func(s *Sampler) { s.CompareEnable = true }},
	} {
		s := plain
		c.with(&s)
		_, err := NewSampler(s)
		wantVUID(t, fmt.Sprint("case ", i), err, "VkSamplerCreateInfo-flags-"+c.vuid)
	}
}
