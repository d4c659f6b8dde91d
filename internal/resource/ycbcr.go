package resource

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// NewYcbcrConversion checks a sampler Y′CBCR conversion (IMG-167) and returns a
// copy. Errors are *UsageError and *UnsupportedError.
//
// IMG-336
func NewYcbcrConversion(d YcbcrConversion) (*YcbcrConversion, error) {
	const op = "NewYcbcrConversion"
	info, ok := format.Lookup(d.Format)
	if !ok || info.Numeric != format.NumericUnorm {
		return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-format-04061", "%v is not a UNORM format", d.Format)
	}
	if info.ImageFeatures(vk.ImageTilingOptimal)&(vk.FormatFeature2MidpointChromaSamplesBit|vk.FormatFeature2CositedChromaSamplesBit) == 0 {
		return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-format-01650", "%v has no Y′CBCR conversion", d.Format)
	}
	if d.Model < vk.SamplerYcbcrModelConversionRgbIdentity || d.Model > vk.SamplerYcbcrModelConversionYcbcr2020 {
		return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-ycbcrModel-parameter", "model %d", d.Model)
	}
	if d.Range != vk.SamplerYcbcrRangeItuFull && d.Range != vk.SamplerYcbcrRangeItuNarrow {
		return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-ycbcrRange-parameter", "range %d", d.Range)
	}
	for _, c := range [2]vk.ChromaLocation{d.XChromaOffset, d.YChromaOffset} {
		if c != vk.ChromaLocationCositedEven && c != vk.ChromaLocationMidpoint {
			return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-xChromaOffset-parameter", "chroma location %d", c)
		}
	}
	if d.ChromaFilter != vk.FilterNearest && d.ChromaFilter != vk.FilterLinear {
		return nil, usage(op, "VkSamplerYcbcrConversionCreateInfo-chromaFilter-parameter", "filter %d", d.ChromaFilter)
	}
	if err := checkComponents(d.Components); err != nil {
		return nil, err
	}
	if err := checkMapping(&d, info); err != nil {
		return nil, err
	}
	return &d, nil
}

// mappedFrom resolves IDENTITY to the component's own letter.
func mappedFrom(s, own vk.ComponentSwizzle) vk.ComponentSwizzle {
	if s == vk.ComponentSwizzleIdentity {
		return own
	}
	return s
}

// checkMapping applies the rules of the components.
func checkMapping(d *YcbcrConversion, info *format.Info) error {
	const op = "NewYcbcrConversion"
	const letterR, letterG, letterB, letterA = vk.ComponentSwizzleR, vk.ComponentSwizzleG, vk.ComponentSwizzleB, vk.ComponentSwizzleA
	m := d.Components
	r, g, b, a := mappedFrom(m.R, letterR), mappedFrom(m.G, letterG), mappedFrom(m.B, letterB), mappedFrom(m.A, letterA)
	if info.Chroma == "422" || info.Chroma == "420" {
		switch {
		case g != letterG:
			return usage(op, "VkSamplerYcbcrConversionCreateInfo-components-02581", "components.g is %v", m.G)
		case a != letterA && a != vk.ComponentSwizzleOne && a != vk.ComponentSwizzleZero:
			return usage(op, "VkSamplerYcbcrConversionCreateInfo-components-02582", "components.a is %v", m.A)
		case r != letterR && r != letterB:
			return usage(op, "VkSamplerYcbcrConversionCreateInfo-components-02583", "components.r is %v", m.R)
		case b != letterB && b != letterR:
			return usage(op, "VkSamplerYcbcrConversionCreateInfo-components-02584", "components.b is %v", m.B)
		case (r == letterR) != (b == letterB):
			return usage(op, "VkSamplerYcbcrConversionCreateInfo-components-02585", "components.r is %v and components.b is %v", m.R, m.B)
		}
	}
	if d.Model != vk.SamplerYcbcrModelConversionRgbIdentity {
		for _, s := range [3]vk.ComponentSwizzle{r, g, b} {
			if s < letterR || info.Components[s-letterR].Kind == format.KindNone {
				return usage(op, "VkSamplerYcbcrConversionCreateInfo-ycbcrModel-01655", "%v of %v with %v", s, d.Format, d.Model)
			}
			bits := info.Components[s-letterR].Bits
			if d.Range == vk.SamplerYcbcrRangeItuNarrow && bits < 8 {
				return usage(op, "VkSamplerYcbcrConversionCreateInfo-ycbcrRange-02748", "ITU_NARROW with components of %d bits", bits)
			}
		}
	}
	if d.YDegamma || d.CbCrDegamma {
		for _, c := range info.Components {
			if c.Kind != format.KindNone && c.Bits != 8 {
				return usage(op, "VkSamplerYcbcrConversionCreateInfo-pNext-09209", "degamma of %v, whose components do not have 8 bits", d.Format)
			}
		}
	}
	return nil
}

// checkConversion applies the rules of samplers with a conversion (IMG-165).
func checkConversion(d *Sampler) error {
	const op = "NewSampler"
	const edge = vk.SamplerAddressModeClampToEdge
	switch {
	case d.Ycbcr == nil:
	case d.AddressModeU != edge || d.AddressModeV != edge || d.AddressModeW != edge:
		return usage(op, "VkSamplerCreateInfo-addressModeU-01646", "%v, %v, %v; samplers with a Y′CBCR conversion clamp to the edge", d.AddressModeU, d.AddressModeV, d.AddressModeW)
	case d.AnisotropyEnable:
		return usage(op, "VkSamplerCreateInfo-addressModeU-01646", "anisotropy with a Y′CBCR conversion")
	case d.UnnormalizedCoordinates:
		return usage(op, "VkSamplerCreateInfo-addressModeU-01646", "unnormalized coordinates with a Y′CBCR conversion")
	case d.Reduction != vk.SamplerReductionModeWeightedAverage:
		return usage(op, "VkSamplerCreateInfo-None-01647", "%v with a Y′CBCR conversion", d.Reduction)
	}
	return nil
}
