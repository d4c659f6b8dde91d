package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// usageFeatures says which feature of a format each usage of an image needs.
var usageFeatures = [...]struct {
	usage   vk.ImageUsageFlags
	feature vk.FormatFeatureFlags
}{
	{vk.ImageUsageTransferSrcBit, vk.FormatFeatureTransferSrcBit},
	{vk.ImageUsageTransferDstBit, vk.FormatFeatureTransferDstBit},
	{vk.ImageUsageHostTransferBit, vk.FormatFeatureTransferSrcBit},
	{vk.ImageUsageSampledBit, vk.FormatFeatureSampledImageBit},
	{vk.ImageUsageStorageBit, vk.FormatFeatureStorageImageBit},
	{vk.ImageUsageColorAttachmentBit, vk.FormatFeatureColorAttachmentBit},
	{vk.ImageUsageDepthStencilAttachmentBit, vk.FormatFeatureDepthStencilAttachmentBit},
	{vk.ImageUsageFragmentShadingRateAttachmentBitKHR, vk.FormatFeatureFragmentShadingRateAttachmentBitKHR},
	{vk.ImageUsageFragmentDensityMapBitEXT, vk.FormatFeatureFragmentDensityMapBitEXT},
	{vk.ImageUsageInputAttachmentBit, vk.FormatFeatureColorAttachmentBit | vk.FormatFeatureDepthStencilAttachmentBit},
}

// imageFormatProperties answers vkGetPhysicalDeviceImageFormatProperties. Linear
// images have one sample.
func (d *Driver) imageFormatProperties(f vk.Format, t vk.ImageType, tiling vk.ImageTiling, usage vk.ImageUsageFlags, flags vk.ImageCreateFlags) (abi.ImageFormatProperties, vk.Result) {
	none := abi.ImageFormatProperties{}
	have := core.NarrowFormatProperties(d.formatProperties3(f))
	features := have.OptimalTilingFeatures
	switch tiling {
	case vk.ImageTilingOptimal:
	case vk.ImageTilingLinear, vk.ImageTilingDrmFormatModifierEXT: // the modifier is LINEAR
		features = have.LinearTilingFeatures
	default:
		return none, vk.ErrorFormatNotSupported
	}
	if features == 0 || flags&vk.ImageCreateProtectedBit != 0 || !sparseImage(f, t, tiling, flags) ||
		flags&(vk.ImageCreateDisjointBit|vk.ImageCreateAliasBit) == vk.ImageCreateDisjointBit && features&vk.FormatFeatureDisjointBit == 0 {
		return none, vk.ErrorFormatNotSupported
	}
	extended := flags&vk.ImageCreateExtendedUsageBit != 0 // the usage of views in other formats
	for _, u := range usageFeatures {
		if usage&u.usage != 0 && features&u.feature == 0 && !extended {
			return none, vk.ErrorFormatNotSupported
		}
	}
	const texels, mutable = vk.ImageCreateBlockTexelViewCompatibleBit, vk.ImageCreateMutableFormatBit
	compressed := engine.Compressed(f)
	if x, _ := format.Lookup(f); x != nil && x.BlockDepth > 1 && t != vk.ImageType3D {
		return none, vk.ErrorFormatNotSupported // VK_EXT_texture_compression_astc_3d
	}
	if t == vk.ImageType1D && compressed || flags&texels != 0 && !(compressed && flags&mutable != 0) ||
		flags&vk.ImageCreateCubeCompatibleBit != 0 && t != vk.ImageType2D || flags&vk.ImageCreateAliasSingleLayerDescriptorBitKHR != 0 && t == vk.ImageType3D ||
		flags&(vk.ImageCreate2DArrayCompatibleBit|vk.ImageCreate2DViewCompatibleBitEXT) != 0 && t != vk.ImageType3D {
		return none, vk.ErrorFormatNotSupported
	}
	chroma := engine.NeedsConversion(f) // IMG-046: 2D, one level, one sample
	if chroma && t != vk.ImageType2D {
		return none, vk.ErrorFormatNotSupported
	}
	depthStencil := features&vk.FormatFeatureDepthStencilAttachmentBit != 0
	limits := engine.Limits()
	p := abi.ImageFormatProperties{
		MaxArrayLayers: limits.MaxImageArrayLayers, SampleCounts: vk.SampleCount1Bit, MaxResourceSize: 1 << 31,
	}
	switch t {
	case vk.ImageType1D:
		p.MaxExtent = vk.Extent3D{Width: limits.MaxImageDimension1D, Height: 1, Depth: 1}
	case vk.ImageType2D:
		p.MaxExtent = vk.Extent3D{Width: limits.MaxImageDimension2D, Height: limits.MaxImageDimension2D, Depth: 1}
	case vk.ImageType3D:
		n := limits.MaxImageDimension3D
		p.MaxExtent, p.MaxArrayLayers = vk.Extent3D{Width: n, Height: n, Depth: n}, 1
	default:
		return none, vk.ErrorFormatNotSupported
	}
	const cornered, cube = vk.ImageCreateCornerSampledBitNV, vk.ImageCreateCubeCompatibleBit
	const subsampled, density = vk.ImageCreateSubsampledBitEXT, vk.ImageUsageFragmentDensityMapBitEXT
	if (flags&subsampled != 0 || usage&density != 0) && (t != vk.ImageType2D || flags&cube != 0) || flags&subsampled != 0 && tiling != vk.ImageTilingOptimal {
		return none, vk.ErrorFormatNotSupported // VUID-VkImageCreateInfo-flags-02557, 02565 to 02567
	}
	if flags&cornered != 0 && (t == vk.ImageType1D || flags&cube != 0 || depthStencil) {
		return none, vk.ErrorFormatNotSupported
	}
	if chroma {
		p.MaxMipLevels = 1
		return p, vk.Success
	}
	for n := max(p.MaxExtent.Width, p.MaxExtent.Height, p.MaxExtent.Depth); n > 0; n >>= 1 {
		p.MaxMipLevels++
	}
	if flags&subsampled != 0 || tiling == vk.ImageTilingDrmFormatModifierEXT {
		p.MaxMipLevels = 1
	}
	attachment := features&(vk.FormatFeatureColorAttachmentBit|vk.FormatFeatureDepthStencilAttachmentBit) != 0
	if t == vk.ImageType2D && attachment && flags&(cube|cornered) == 0 && usage&density == 0 && tiling == vk.ImageTilingOptimal {
		p.SampleCounts = limits.FramebufferColorSampleCounts
		if usage&vk.ImageUsageStorageBit != 0 {
			p.SampleCounts = limits.StorageImageSampleCounts
		}
		if usage&vk.ImageUsageSampledBit != 0 && !depthStencil {
			p.SampleCounts = d.sampledCounts(p.SampleCounts)
		}
		if flags&vk.ImageCreateSparseResidencyBit != 0 { // the last feature: sparseResidency16Samples
			p.SampleCounts &= 2*vk.SampleCount16Bit - 1
		}
	}
	return p, vk.Success
}

// GetPhysicalDeviceImageFormatProperties is vkGetPhysicalDeviceImageFormatProperties.
func (p *PhysicalDevice) GetPhysicalDeviceImageFormatProperties(a *abi.GetPhysicalDeviceImageFormatPropertiesArgs) (r vk.Result) {
	if a.Tiling == vk.ImageTilingDrmFormatModifierEXT {
		*a.PImageFormatProperties = abi.ImageFormatProperties{} // which modifier, nobody can say here
		return vk.ErrorFormatNotSupported
	}
	*a.PImageFormatProperties, r = p.instance.driver.imageFormatProperties(a.Format, a.Type, a.Tiling, a.Usage, a.Flags)
	return r
}

// GetPhysicalDeviceImageFormatProperties2 is vkGetPhysicalDeviceImageFormatProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceImageFormatProperties2(a *abi.GetPhysicalDeviceImageFormatProperties2Args) (r vk.Result) {
	i := a.PImageFormatInfo
	flags, flagsKnown := imageFlags(i.Flags, i.PNext)
	usage, usageKnown := imageUsage(i.Usage, i.PNext)
	if !flagsKnown || !usageKnown {
		return vk.ErrorFormatNotSupported
	}
	var external abi.ExternalMemoryProperties
	if x := abi.Find[abi.PhysicalDeviceExternalImageFormatInfo](i.PNext); x != nil && x.HandleType != 0 {
		if external = p.instance.driver.externalMemory(x.HandleType); external.ExternalMemoryFeatures == 0 || flags&imageSparse != 0 {
			return vk.ErrorFormatNotSupported
		}
	}
	if o := abi.Find[abi.ExternalImageFormatProperties](a.PImageFormatProperties.PNext); o != nil {
		o.ExternalMemoryProperties = external
	}
	if i.Tiling == vk.ImageTilingDrmFormatModifierEXT && !linearModifier(i.PNext) {
		a.PImageFormatProperties.ImageFormatProperties = abi.ImageFormatProperties{}
		return vk.ErrorFormatNotSupported
	}
	a.PImageFormatProperties.ImageFormatProperties, r = p.instance.driver.imageFormatProperties(i.Format, i.Type, i.Tiling, usage, flags)
	if h := abi.Find[abi.HostImageCopyDevicePerformanceQuery](a.PImageFormatProperties.PNext); h != nil {
		h.OptimalDeviceAccess, h.IdenticalMemoryLayout = 1, 1
	}
	if y := abi.Find[abi.SamplerYcbcrConversionImageFormatProperties](a.PImageFormatProperties.PNext); y != nil {
		y.CombinedImageSamplerDescriptorCount = 1
	}
	fillCompression(a.PImageFormatProperties.PNext, compressionOf(i.PNext))
	if g := abi.Find[abi.TextureLODGatherFormatPropertiesAMD](a.PImageFormatProperties.PNext); g != nil {
		g.SupportsTextureGatherLODBiasAMD = 1
	}
	if c := abi.Find[abi.FilterCubicImageViewImageFormatPropertiesEXT](a.PImageFormatProperties.PNext); c != nil {
		cubic := p.instance.driver.formatProperties3(i.Format).OptimalTilingFeatures&vk.FormatFeature2SampledImageFilterCubicBit != 0
		c.FilterCubic, c.FilterCubicMinmax = abi.Bool(cubic), abi.Bool(cubic)
	}
	return r
}

// compressionOf is what a description of an image asks for: no image is
// compressed, and one that must not be says so (VK_EXT_image_compression_control).
func compressionOf(next unsafe.Pointer) vk.ImageCompressionFlagsEXT {
	if c := abi.Find[abi.ImageCompressionControlEXT](next); c != nil {
		return c.Flags & vk.ImageCompressionDisabledEXT
	}
	return vk.ImageCompressionDefaultEXT
}

func fillCompression(next unsafe.Pointer, flags vk.ImageCompressionFlagsEXT) {
	if p := abi.Find[abi.ImageCompressionPropertiesEXT](next); p != nil {
		p.ImageCompressionFlags, p.ImageCompressionFixedRateFlags = flags, vk.ImageCompressionFixedRateNoneEXT
	}
}
