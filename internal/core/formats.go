package core

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// FormatProperties says what images and buffers of a format can be used for: what
// FormatProperties3 says, as far as 32 bits have names for it.
func (d *Device) FormatProperties(f vk.Format) vk.FormatProperties {
	return NarrowFormatProperties(d.FormatProperties3(f))
}

// NarrowFormatProperties is what 32 bits have names for of the features of a format.
func NarrowFormatProperties(p vk.FormatProperties3) vk.FormatProperties {
	const named = vk.FormatFeatureFlags2(vk.FormatFeature2StorageReadWithoutFormatBit) - 1
	return vk.FormatProperties{
		OptimalTilingFeatures: vk.FormatFeatureFlags(p.OptimalTilingFeatures & named),
		LinearTilingFeatures:  vk.FormatFeatureFlags(p.LinearTilingFeatures & named),
		BufferFeatures:        vk.FormatFeatureFlags(p.BufferFeatures & named),
	}
}

// FormatProperties3 says what images and buffers of a format can be used for: the
// features that package format has for it. All zero for formats that are not
// supported.
func (d *Device) FormatProperties3(f vk.Format) vk.FormatProperties3 {
	info, ok := format.Lookup(f)
	if !ok {
		return vk.FormatProperties3{}
	}
	var more, linear vk.FormatFeatureFlags2
	// Depth and stencil can be copied on every queue (VK_KHR_maintenance10).
	if info.Aspects&vk.ImageAspectDepthBit != 0 {
		more |= vk.FormatFeature2DepthCopyOnComputeQueueBitKHR | vk.FormatFeature2DepthCopyOnTransferQueueBitKHR
	}
	if info.Aspects&vk.ImageAspectStencilBit != 0 {
		more |= vk.FormatFeature2StencilCopyOnComputeQueueBitKHR | vk.FormatFeature2StencilCopyOnTransferQueueBitKHR
	}
	if rateFormat(f) {
		more |= vk.FormatFeature2FragmentShadingRateAttachmentBitKHR
		if f == vk.FormatR8Uint {
			// Linear images of others would do as well, but the conformance tests fill a
			// byte a texel of theirs.
			linear = vk.FormatFeature2FragmentShadingRateAttachmentBitKHR
		}
	}
	if densityFormat(f) {
		more |= vk.FormatFeature2FragmentDensityMapBitEXT
	}
	return vk.FormatProperties3{
		OptimalTilingFeatures: withHost(info.ImageFeatures(vk.ImageTilingOptimal)) | more,
		LinearTilingFeatures:  withHost(info.ImageFeatures(vk.ImageTilingLinear)) | linear,
		BufferFeatures:        info.BufferFeatures(),
	}
}

// withHost adds that the host can copy what commands can, and that memory can say what
// is copied.
func withHost(f vk.FormatFeatureFlags2) vk.FormatFeatureFlags2 {
	if f&vk.FormatFeature2TransferSrcBit != 0 {
		f |= vk.FormatFeature2HostImageTransferBit
	}
	if f&vk.FormatFeature2TransferDstBit != 0 {
		f |= vk.FormatFeature2CopyImageIndirectDstBitKHR
	}
	return f
}

// Compressed says whether the texels of a format come in blocks with a scheme
// of compression.
func (d *Device) Compressed(f vk.Format) bool {
	info, ok := format.Lookup(f)
	return ok && info.Compressed
}

// NeedsConversion says whether the format is sampled through a Y′CBCR
// conversion only.
func (d *Device) NeedsConversion(f vk.Format) bool {
	info, ok := format.Lookup(f)
	return ok && info.NeedsConversion()
}

// imageUsage is what the features of a format allow images to be used for.
func (d *Device) imageUsage(f vk.Format) vk.ImageUsageFlags {
	features := d.FormatProperties(f).OptimalTilingFeatures
	var usage vk.ImageUsageFlags
	for _, t := range []struct {
		feature vk.FormatFeatureFlags
		usage   vk.ImageUsageFlags
	}{
		{vk.FormatFeatureTransferSrcBit, vk.ImageUsageTransferSrcBit},
		{vk.FormatFeatureTransferDstBit, vk.ImageUsageTransferDstBit},
		{vk.FormatFeatureSampledImageBit, vk.ImageUsageSampledBit},
		{vk.FormatFeatureStorageImageBit, vk.ImageUsageStorageBit},
		{vk.FormatFeatureColorAttachmentBit, vk.ImageUsageColorAttachmentBit | vk.ImageUsageInputAttachmentBit | vk.ImageUsageTransientAttachmentBit},
		{vk.FormatFeatureFragmentShadingRateAttachmentBitKHR, vk.ImageUsageFragmentShadingRateAttachmentBitKHR},
		{vk.FormatFeatureFragmentDensityMapBitEXT, vk.ImageUsageFragmentDensityMapBitEXT},
		{vk.FormatFeatureDepthStencilAttachmentBit, vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageInputAttachmentBit | vk.ImageUsageTransientAttachmentBit},
	} {
		if features&t.feature != 0 {
			usage |= t.usage
		}
	}
	return usage
}
