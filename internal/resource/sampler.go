package resource

import "github.com/pumice-gpu/pumice/vk"

// Limits of samplers (IMG-012).
const (
	MaxSamplerLodBias    = 16
	MaxSamplerAnisotropy = 16
)

// Limits of offsets: of samples and fetches, and of gathers (IMG-012).
const (
	MinTexelOffset, MaxTexelOffset             = -8, 7
	MinTexelGatherOffset, MaxTexelGatherOffset = -32, 31
)

// NewSampler checks sampler state and returns a copy. Errors are *UsageError and *UnsupportedError.
func NewSampler(d Sampler) (*Sampler, error) {
	for _, check := range []func(*Sampler) error{checkEnums, checkLod, checkUnnormalized, checkConversion, checkProcessing} {
		if err := check(&d); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

func checkEnums(d *Sampler) error {
	const op = "NewSampler"
	for _, f := range [2]vk.Filter{d.MagFilter, d.MinFilter} {
		switch f {
		case vk.FilterNearest, vk.FilterLinear:
		case vk.FilterCubicEXT:
			if d.AnisotropyEnable {
				return usage(op, "VkSamplerCreateInfo-magFilter-01081", "%v with anisotropy", f)
			}
		default:
			return usage(op, "VkSamplerCreateInfo-magFilter-parameter", "filter %d", f)
		}
	}
	for _, m := range [3]vk.SamplerAddressMode{d.AddressModeU, d.AddressModeV, d.AddressModeW} {
		switch m {
		case vk.SamplerAddressModeRepeat, vk.SamplerAddressModeMirroredRepeat, vk.SamplerAddressModeClampToEdge,
			vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeMirrorClampToEdge:
		default:
			return usage(op, "VkSamplerCreateInfo-addressModeU-parameter", "address mode %d", m)
		}
	}
	switch d.MipmapMode {
	case vk.SamplerMipmapModeNearest, vk.SamplerMipmapModeLinear:
	default:
		return usage(op, "VkSamplerCreateInfo-mipmapMode-parameter", "mipmap mode %d", d.MipmapMode)
	}
	if d.CompareOp < vk.CompareOpNever || d.CompareOp > vk.CompareOpAlways {
		return usage(op, "VkSamplerCreateInfo-compareEnable-01080", "compare operator %d", d.CompareOp)
	}
	switch d.Reduction {
	case vk.SamplerReductionModeWeightedAverage:
	case vk.SamplerReductionModeMin, vk.SamplerReductionModeMax, vk.SamplerReductionModeWeightedAverageRangeclampQCOM:
		if d.CompareEnable {
			return usage(op, "VkSamplerCreateInfo-compareEnable-01423", "a comparison with %v", d.Reduction)
		}
	default:
		return usage(op, "VkSamplerReductionModeCreateInfo-reductionMode-parameter", "reduction mode %d", d.Reduction)
	}
	if d.CubicWeights < vk.CubicFilterWeightsCatmullRomQCOM || d.CubicWeights > vk.CubicFilterWeightsMitchellNetravaliQCOM {
		return usage(op, "VkSamplerCubicWeightsCreateInfoQCOM-cubicWeights-parameter", "cubic weights %d", d.CubicWeights)
	}
	switch d.BorderColor {
	case vk.BorderColorFloatTransparentBlack, vk.BorderColorIntTransparentBlack, vk.BorderColorFloatOpaqueBlack,
		vk.BorderColorIntOpaqueBlack, vk.BorderColorFloatOpaqueWhite, vk.BorderColorIntOpaqueWhite,
		vk.BorderColorFloatCustomEXT, vk.BorderColorIntCustomEXT:
	default:
		return usage(op, "VkSamplerCreateInfo-addressModeU-01078", "border color %d", d.BorderColor)
	}
	return nil
}

func checkLod(d *Sampler) error {
	const op = "NewSampler"
	if !(d.MipLodBias >= -MaxSamplerLodBias && d.MipLodBias <= MaxSamplerLodBias) {
		return usage(op, "VkSamplerCreateInfo-mipLodBias-01069", "bias %v outside ±%d", d.MipLodBias, MaxSamplerLodBias)
	}
	if !(d.MaxLod >= d.MinLod) {
		return usage(op, "VkSamplerCreateInfo-maxLod-01973", "maxLod %v below minLod %v", d.MaxLod, d.MinLod)
	}
	if d.AnisotropyEnable && !(d.MaxAnisotropy >= 1 && d.MaxAnisotropy <= MaxSamplerAnisotropy) {
		return usage(op, "VkSamplerCreateInfo-anisotropyEnable-01071", "maxAnisotropy %v outside 1…%d", d.MaxAnisotropy, MaxSamplerAnisotropy)
	}
	return nil
}

// checkUnnormalized applies the rules of samplers with unnormalized coordinates.
//
// IMG-027
func checkUnnormalized(d *Sampler) error {
	const op = "NewSampler"
	if !d.UnnormalizedCoordinates {
		return nil
	}
	edge := func(m vk.SamplerAddressMode) bool {
		return m == vk.SamplerAddressModeClampToEdge || m == vk.SamplerAddressModeClampToBorder
	}
	switch {
	case d.MinFilter != d.MagFilter: // IMG-123, IMG-453
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01072", "minFilter and magFilter differ")
	case d.MipmapMode != vk.SamplerMipmapModeNearest: // IMG-124
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01073", "%v", d.MipmapMode)
	case d.MinLod != 0 || d.MaxLod != 0: // IMG-125, IMG-427, IMG-453
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01074", "LOD range %v…%v; both must be 0", d.MinLod, d.MaxLod)
	case !edge(d.AddressModeU) || !edge(d.AddressModeV): // IMG-126
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01075", "%v and %v; both must clamp to edge or border", d.AddressModeU, d.AddressModeV)
	case d.AnisotropyEnable: // IMG-127
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01076", "anisotropy")
	case d.CompareEnable: // IMG-127
		return usage(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01077", "a comparison")
	}
	return nil
}
