package resource

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Each rule of Y′CBCR conversions, of samplers that have one and of images of their formats, broken alone.
func TestYcbcr_EachRule(t *testing.T) {
	rules.Covers(t, "IMG-046", "IMG-165", "IMG-167", "IMG-336")
	conversion := YcbcrConversion{Format: vk.FormatG8B8R8_3Plane420Unorm, Model: vk.SamplerYcbcrModelConversionYcbcr709, Range: vk.SamplerYcbcrRangeItuNarrow, ChromaFilter: vk.FilterLinear}
	made, err := NewYcbcrConversion(conversion)
	if err != nil {
		t.Fatal(err)
	}
	for _, location := range []vk.ChromaLocation{vk.ChromaLocationCositedEven, vk.ChromaLocationMidpoint} {
		c := conversion
		c.XChromaOffset, c.YChromaOffset = location, vk.ChromaLocationMidpoint-location
		if _, err := NewYcbcrConversion(c); err != nil {
			t.Errorf("chroma at %v: %v", location, err)
		}
	}
	for _, c := range []struct {
		name, vuid string
		change     func(c *YcbcrConversion)
	}{
		{"integers", "VkSamplerYcbcrConversionCreateInfo-format-04061", func(c *YcbcrConversion) { c.Format = vk.FormatR8G8B8A8Uint }},
		{"blocks", "VkSamplerYcbcrConversionCreateInfo-format-01650", func(c *YcbcrConversion) { c.Format = vk.FormatBc7UnormBlock }},
		{"depth", "VkSamplerYcbcrConversionCreateInfo-format-01650", func(c *YcbcrConversion) { c.Format = vk.FormatD16Unorm }},
		{"model", "VkSamplerYcbcrConversionCreateInfo-ycbcrModel-parameter", func(c *YcbcrConversion) { c.Model = 5 }},
		{"range", "VkSamplerYcbcrConversionCreateInfo-ycbcrRange-parameter", func(c *YcbcrConversion) { c.Range = 2 }},
		{"x", "VkSamplerYcbcrConversionCreateInfo-xChromaOffset-parameter", func(c *YcbcrConversion) { c.XChromaOffset = 2 }},
		{"y", "VkSamplerYcbcrConversionCreateInfo-xChromaOffset-parameter", func(c *YcbcrConversion) { c.YChromaOffset = 2 }},
		{"filter", "VkSamplerYcbcrConversionCreateInfo-chromaFilter-parameter", func(c *YcbcrConversion) { c.ChromaFilter = vk.FilterCubicEXT }},
		{"components", "VkComponentMapping-r-parameter", func(c *YcbcrConversion) { c.Components.R = 9 }},
	} {
		x := conversion
		c.change(&x)
		_, err := NewYcbcrConversion(x)
		wantVUID(t, c.name, err, c.vuid)
	}

	const edge, repeat = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeRepeat
	sampler := Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: made}
	if _, err := NewSampler(sampler); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(s *Sampler){
		"u": func(s *Sampler) { s.AddressModeU = repeat }, "v": func(s *Sampler) { s.AddressModeV = repeat }, "w": func(s *Sampler) { s.AddressModeW = repeat },
		"anisotropy":   func(s *Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 },
		"unnormalized": func(s *Sampler) { s.UnnormalizedCoordinates = true },
	} {
		s := sampler
		change(&s)
		_, err := NewSampler(s)
		wantVUID(t, name, err, "VkSamplerCreateInfo-addressModeU-01646")
	}

	image := ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_3Plane420Unorm, Extent: extent(8, 6, 1)}
	im := mustImage(t, image)
	for plane, want := range [3][2]int{{8, 6}, {4, 3}, {4, 3}} {
		if l := im.Level(plane, 0, 0); l.Width != want[0] || l.Height != want[1] {
			t.Errorf("plane %d is %dx%d", plane, l.Width, l.Height)
		}
	}
	for _, c := range []struct {
		name, vuid string
		change     func(d *ImageDesc)
	}{
		{"3D", "VkImageCreateInfo-format-06412", func(d *ImageDesc) { d.Type = vk.ImageType3D }},
		{"levels", "VkImageCreateInfo-format-06410", func(d *ImageDesc) { d.MipLevels = 2 }},
		{"samples", "VkImageCreateInfo-format-06411", func(d *ImageDesc) { d.Samples = 4 }},
		{"width of 420", "VkImageCreateInfo-format-04712", func(d *ImageDesc) { d.Extent.Width = 7 }},
		{"width of 422", "VkImageCreateInfo-format-04712", func(d *ImageDesc) { d.Format, d.Extent.Width = vk.FormatG8B8G8R8_422Unorm, 7 }},
		{"height of 420", "VkImageCreateInfo-format-04713", func(d *ImageDesc) { d.Extent.Height = 5 }},
		{"one plane", "VkImageCreateInfo-format-01577", func(d *ImageDesc) { d.Format, d.Flags = vk.FormatG8B8G8R8_422Unorm, vk.ImageCreateDisjointBit }},
		{"blocks", "VkImageCreateInfo-flags-01572", func(d *ImageDesc) {
			d.Flags = vk.ImageCreateMutableFormatBit | vk.ImageCreateBlockTexelViewCompatibleBit
		}},
	} {
		d := image
		c.change(&d)
		_, err := NewImage(d)
		wantVUID(t, c.name, err, c.vuid)
	}
	for _, f := range []vk.Format{vk.FormatG8B8G8R8_422Unorm, vk.FormatG8B8R8_2Plane422Unorm, vk.FormatG8B8R8_3Plane444Unorm} {
		if _, err := NewImage(ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(8, 5, 1)}); err != nil {
			t.Errorf("%v of height 5: %v", f, err)
		}
	}
}
