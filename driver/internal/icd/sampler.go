package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// CreateSampler is vkCreateSampler.
func (d *Device) CreateSampler(a *abi.CreateSamplerArgs) vk.Result {
	var info vk.SamplerCreateInfo
	var reduction vk.SamplerReductionMode
	samplerInfo(&info, a.PCreateInfo)
	if r := abi.Find[abi.SamplerReductionModeCreateInfo](a.PCreateInfo.PNext); r != nil {
		reduction = r.ReductionMode
	}
	var border vk.ClearColorValue
	if c := abi.Find[abi.SamplerCustomBorderColorCreateInfoEXT](a.PCreateInfo.PNext); c != nil {
		border.Float32, border.Uint32 = *c.CustomBorderColor.Float32(), *c.CustomBorderColor.Uint32()
	}
	s := &Sampler{}
	var err error
	switch c := abi.Find[abi.SamplerYcbcrConversionInfo](a.PCreateInfo.PNext); {
	case c != nil && c.Conversion != 0:
		err = vk.ErrorFeatureNotPresent // samplerYcbcrConversion
	default:
		s.core, err = d.core.NewCustomSampler(info, reduction, border)
	}
	return created(&d.samplers, a.PSampler, s, err)
}

// samplerInfo copies a VkSamplerCreateInfo. Numbers that count only with some
// switch on may be anything with it off.
func samplerInfo(out *vk.SamplerCreateInfo, i *abi.SamplerCreateInfo) {
	*out = vk.SamplerCreateInfo{
		Flags: i.Flags, MagFilter: i.MagFilter, MinFilter: i.MinFilter, MipmapMode: i.MipmapMode,
		AddressModeU: i.AddressModeU, AddressModeV: i.AddressModeV, AddressModeW: i.AddressModeW,
		MipLodBias: i.MipLodBias, MinLod: i.MinLod, MaxLod: i.MaxLod, BorderColor: i.BorderColor,
		AnisotropyEnable: i.AnisotropyEnable.True(), CompareEnable: i.CompareEnable.True(), CompareOp: i.CompareOp,
		UnnormalizedCoordinates: i.UnnormalizedCoordinates.True(),
	}
	if out.AnisotropyEnable {
		out.MaxAnisotropy = i.MaxAnisotropy
	}
}

// DestroySampler is vkDestroySampler.
func (d *Device) DestroySampler(a *abi.DestroySamplerArgs) {
	destroy(&d.samplers, a.Sampler, func(s *Sampler) object { return s.core })
}

// CreateSamplerYcbcrConversion is vkCreateSamplerYcbcrConversion, which Vulkan
// 1.1 has even where the feature samplerYcbcrConversion is off.
func (d *Device) CreateSamplerYcbcrConversion(a *abi.CreateSamplerYcbcrConversionArgs) vk.Result {
	*a.PYcbcrConversion = 0
	return vk.ErrorFeatureNotPresent
}

// DestroySamplerYcbcrConversion is vkDestroySamplerYcbcrConversion.
func (d *Device) DestroySamplerYcbcrConversion(*abi.DestroySamplerYcbcrConversionArgs) {}
