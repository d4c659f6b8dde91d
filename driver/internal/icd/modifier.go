package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Images with a Linux DRM format modifier lie as it says (VK_EXT_image_drm_format_modifier).
// There is one modifier, which has LINEAR tiling with planes wherever programs want them.

// modLinear is DRM_FORMAT_MOD_LINEAR.
const modLinear = 0

// linearModifier says whether a chain asks for image capabilities with modLinear.
func linearModifier(next unsafe.Pointer) bool {
	m := abi.Find[abi.PhysicalDeviceImageDrmFormatModifierInfoEXT](next)
	return m != nil && m.DrmFormatModifier == modLinear
}

// planesOf are the planes of a format's images, in their contents and in their memory.
func planesOf(f vk.Format) []format.Plane {
	if info, ok := format.Lookup(f); ok {
		return info.Planes
	}
	return nil
}

// fillModifiers answers for the modifiers of a format, in a struct that asks for them:
// features are those of LINEAR tiling.
func fillModifiers(s *abi.Structure, f vk.Format, linear vk.FormatFeatureFlags2) {
	var list []abi.DrmFormatModifierPropertiesEXT
	var list2 []abi.DrmFormatModifierProperties2EXT
	if linear != 0 {
		n := uint32(len(planesOf(f)))
		list2 = []abi.DrmFormatModifierProperties2EXT{{DrmFormatModifier: modLinear, DrmFormatModifierPlaneCount: n, DrmFormatModifierTilingFeatures: linear}}
		list = []abi.DrmFormatModifierPropertiesEXT{{DrmFormatModifier: modLinear, DrmFormatModifierPlaneCount: n, DrmFormatModifierTilingFeatures: core.NarrowFormatProperties(vk.FormatProperties3{LinearTilingFeatures: linear}).LinearTilingFeatures}}
	}
	switch s.SType {
	case (*abi.DrmFormatModifierPropertiesListEXT)(nil).StructureType():
		l := (*abi.DrmFormatModifierPropertiesListEXT)(unsafe.Pointer(s))
		_ = abi.Enumerate(&l.DrmFormatModifierCount, l.PDrmFormatModifierProperties, list)
	case (*abi.DrmFormatModifierPropertiesList2EXT)(nil).StructureType():
		l := (*abi.DrmFormatModifierPropertiesList2EXT)(unsafe.Pointer(s))
		_ = abi.Enumerate(&l.DrmFormatModifierCount, l.PDrmFormatModifierProperties, list2)
	}
}

// imagePlaces is where the planes of an image lie that a program makes with a
// modifier: nil, where that is left to the driver.
func imagePlaces(i *abi.ImageCreateInfo) ([]vk.SubresourceLayout, error) {
	if i.Tiling != vk.ImageTilingDrmFormatModifierEXT {
		return nil, nil
	}
	if x := abi.Find[abi.ImageDrmFormatModifierExplicitCreateInfoEXT](i.PNext); x != nil {
		if x.DrmFormatModifier != modLinear || int(x.DrmFormatModifierPlaneCount) != len(planesOf(i.Format)) {
			return nil, vk.ErrorValidationFailed // VUID-VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifier-02264, 02265
		}
		return append([]vk.SubresourceLayout{}, abi.Slice(x.PPlaneLayouts, x.DrmFormatModifierPlaneCount)...), nil
	}
	if l := abi.Find[abi.ImageDrmFormatModifierListCreateInfoEXT](i.PNext); l != nil && slices.Contains(abi.Slice(l.PDrmFormatModifiers, l.DrmFormatModifierCount), modLinear) {
		return nil, nil
	}
	return nil, vk.ErrorValidationFailed // VUID-VkImageCreateInfo-tiling-02261, VkImageDrmFormatModifierListCreateInfoEXT-pDrmFormatModifiers-02263
}

// memoryPlane is the aspect of a format's plane that a plane of an image's memory is.
// Other aspects are themselves.
func memoryPlane(info *vk.ImageCreateInfo, aspect vk.ImageAspectFlags) vk.ImageAspectFlags {
	for i, p := range planesOf(info.Format) {
		if info.Tiling == vk.ImageTilingDrmFormatModifierEXT && aspect == vk.ImageAspectMemoryPlane0BitEXT<<i {
			return p.Aspect
		}
	}
	return aspect
}

// GetImageDrmFormatModifierPropertiesEXT is vkGetImageDrmFormatModifierPropertiesEXT.
func (d *Device) GetImageDrmFormatModifierPropertiesEXT(a *abi.GetImageDrmFormatModifierPropertiesEXTArgs) vk.Result {
	a.PProperties.DrmFormatModifier = modLinear
	if im := lookup(&d.images, a.Image); im == nil || im.info.Tiling != vk.ImageTilingDrmFormatModifierEXT {
		return vk.ErrorValidationFailed // VUID-vkGetImageDrmFormatModifierPropertiesEXT-image-02272
	}
	return vk.Success
}
