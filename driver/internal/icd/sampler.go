package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// CreateSampler is vkCreateSampler.
func (d *Device) CreateSampler(a *abi.CreateSamplerArgs) vk.Result {
	s := &Sampler{}
	info, extra, err := d.samplerParts(a.PCreateInfo)
	if err == nil {
		s.core, err = d.core.NewSamplerWith(info, extra)
	}
	if err == nil && info.Flags&vk.SamplerCreateDescriptorBufferCaptureReplayBitEXT != 0 {
		err = s.core.Capture(replayedNumber(a.PCreateInfo.PNext))
	}
	return created(&d.samplers, a.PSampler, s, err)
}

// samplerParts reads a VkSamplerCreateInfo with its chain.
func (d *Device) samplerParts(i *abi.SamplerCreateInfo) (info vk.SamplerCreateInfo, extra core.SamplerExtra, err error) {
	samplerInfo(&info, i)
	if r := abi.Find[abi.SamplerReductionModeCreateInfo](i.PNext); r != nil {
		extra.Reduction = r.ReductionMode
	}
	if c := abi.Find[abi.SamplerCustomBorderColorCreateInfoEXT](i.PNext); c != nil {
		extra.Border.Float32, extra.Border.Uint32 = *c.CustomBorderColor.Float32(), *c.CustomBorderColor.Uint32()
		extra.BorderFormat, extra.HasBorder = c.Format, true
	}
	if m := abi.Find[abi.SamplerBorderColorComponentMappingCreateInfoEXT](i.PNext); m != nil {
		extra.BorderMapping = &resource.BorderMapping{Components: m.Components, Srgb: m.Srgb.True()}
	}
	if w := abi.Find[abi.SamplerCubicWeightsCreateInfoQCOM](i.PNext); w != nil {
		extra.Cubic = w.CubicWeights
	}
	if w := abi.Find[abi.SamplerBlockMatchWindowCreateInfoQCOM](i.PNext); w != nil {
		extra.Window = resource.BlockMatchWindow{
			Width: int(min(w.WindowExtent.Width, resource.MaxBlock)), Height: int(min(w.WindowExtent.Height, resource.MaxBlock)),
			Max: w.WindowCompareMode == vk.BlockMatchWindowCompareModeMaxQCOM,
		}
	}
	if c := abi.Find[abi.SamplerYcbcrConversionInfo](i.PNext); c != nil && c.Conversion != 0 {
		y := lookup(&d.ycbcrConversions, c.Conversion)
		if y == nil {
			return info, extra, vk.ErrorValidationFailed
		}
		extra.Ycbcr = y.conversion
	}
	return info, extra, nil
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

// YcbcrConversion is a VkSamplerYcbcrConversion. Samplers made with it live on
// when it is destroyed.
type YcbcrConversion struct {
	conversion *resource.YcbcrConversion
}

// CreateSamplerYcbcrConversion is vkCreateSamplerYcbcrConversion.
func (d *Device) CreateSamplerYcbcrConversion(a *abi.CreateSamplerYcbcrConversionArgs) vk.Result {
	i := a.PCreateInfo
	c := resource.YcbcrConversion{
		Format: i.Format, Model: i.YcbcrModel, Range: i.YcbcrRange, Components: i.Components,
		XChromaOffset: i.XChromaOffset, YChromaOffset: i.YChromaOffset, ChromaFilter: i.ChromaFilter,
		ForceExplicit: i.ForceExplicitReconstruction.True(),
	}
	if g := abi.Find[abi.SamplerYcbcrConversionYcbcrDegammaCreateInfoQCOM](i.PNext); g != nil {
		c.YDegamma, c.CbCrDegamma = g.EnableYDegamma.True(), g.EnableCbCrDegamma.True()
	}
	y := &YcbcrConversion{}
	var err error
	y.conversion, err = d.core.NewYcbcrConversion(c)
	return created(&d.ycbcrConversions, a.PYcbcrConversion, y, err)
}

// DestroySamplerYcbcrConversion is vkDestroySamplerYcbcrConversion.
func (d *Device) DestroySamplerYcbcrConversion(a *abi.DestroySamplerYcbcrConversionArgs) {
	d.ycbcrConversions.Take(uint64(a.YcbcrConversion))
}

// imageFeatures are the features that rules of image instructions depend on, as the program has enabled them.
//
// IMG-102, IMG-106, IMG-109, IMG-115, IMG-117, IMG-158, IMG-170, IMG-175, IMG-176, IMG-188
func (d *Device) imageFeatures() core.ImageFeatures {
	off := func(feature string, extensions ...string) bool {
		for _, x := range extensions {
			if d.extensions[x] { // which has no feature to enable
				return false
			}
		}
		return !d.enabled[feature]
	}
	return core.ImageFeatures{
		NoBorderColorSwizzle:        off("borderColorSwizzleFromImage"),
		NoCustomBorderColors:        off("customBorderColors"),
		NoCustomBorderWithoutFormat: off("customBorderColorWithoutFormat"),
		NoSamplerFilterMinmax:       off("samplerFilterMinmax", "VK_EXT_sampler_filter_minmax"),
		NoMirrorClampToEdge:         off("samplerMirrorClampToEdge", "VK_KHR_sampler_mirror_clamp_to_edge"),
		NoNonSeamless:               off("nonSeamlessCubeMap"),
		NoMinLod:                    off("minLod"),
		NoRgba10x6:                  off("formatRgba10x6WithoutYCbCrSampler"),
		NoBlockMatchExtendedClamp:   off("blockMatchExtendedClampToEdge"),
		NoOffsetOperand:             off("maintenance8"),
		CubicOnly2D:                 !d.extensions["VK_EXT_filter_cubic"],
	}
}
