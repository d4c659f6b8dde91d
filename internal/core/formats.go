package core

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// FormatProperties says what images and buffers of a format can be used for: the
// table of package format, read as features. All zero for formats that are not
// supported.
func (d *Device) FormatProperties(f vk.Format) vk.FormatProperties {
	info, ok := format.Lookup(f)
	if !ok || info.Supported() != nil {
		return vk.FormatProperties{}
	}
	const transfer = vk.FormatFeatureTransferSrcBit | vk.FormatFeatureTransferDstBit
	depthStencil := vk.ImageAspectDepthBit | vk.ImageAspectStencilBit
	switch {
	case info.Aspects&depthStencil != 0:
		p := vk.FormatFeatureFlags(transfer | vk.FormatFeatureSampledImageBit | vk.FormatFeatureDepthStencilAttachmentBit | vk.FormatFeatureBlitSrcBit | vk.FormatFeatureBlitDstBit)
		return vk.FormatProperties{OptimalTilingFeatures: p, LinearTilingFeatures: p}
	case info.Aspects != vk.ImageAspectColorBit:
		return vk.FormatProperties{}
	case info.Compressed:
		p := vk.FormatFeatureFlags(transfer | vk.FormatFeatureSampledImageBit | vk.FormatFeatureBlitSrcBit | vk.FormatFeatureSampledImageFilterLinearBit)
		return vk.FormatProperties{OptimalTilingFeatures: p, LinearTilingFeatures: p}
	}
	p := vk.FormatFeatureFlags(transfer | vk.FormatFeatureSampledImageBit | vk.FormatFeatureBlitSrcBit)
	var buffer vk.FormatFeatureFlags
	buffer = vk.FormatFeatureVertexBufferBit | vk.FormatFeatureUniformTexelBufferBit
	if info.Class == format.ClassFloat {
		p |= vk.FormatFeatureSampledImageFilterLinearBit
	}
	switch info.Numeric {
	case format.NumericUscaled, format.NumericSscaled, format.NumericNone, format.NumericSfixed, format.NumericBool:
	default:
		if wide := info.Components[0].Bits > 32; wide {
			break
		}
		if info.Numeric != format.NumericSrgb {
			p |= vk.FormatFeatureStorageImageBit
			buffer |= vk.FormatFeatureStorageTexelBufferBit
		}
		if !info.SharedExponent() {
			p |= vk.FormatFeatureColorAttachmentBit | vk.FormatFeatureBlitDstBit
			if info.Class == format.ClassFloat {
				p |= vk.FormatFeatureColorAttachmentBlendBit
			}
		}
	}
	if f == vk.FormatR32Uint || f == vk.FormatR32Sint {
		p |= vk.FormatFeatureStorageImageAtomicBit
		buffer |= vk.FormatFeatureStorageTexelBufferAtomicBit
	}
	return vk.FormatProperties{OptimalTilingFeatures: p, LinearTilingFeatures: p, BufferFeatures: buffer}
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
		{vk.FormatFeatureDepthStencilAttachmentBit, vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageInputAttachmentBit | vk.ImageUsageTransientAttachmentBit},
	} {
		if features&t.feature != 0 {
			usage |= t.usage
		}
	}
	return usage
}
