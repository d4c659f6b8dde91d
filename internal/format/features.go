package format

import "github.com/pumice-gpu/pumice/vk"

// Features of formats (Annex A.3), restricted to what the codecs of this package carry: a feature is claimed only where every texel
// operation it promises can be done with Decode and Encode. Not claimed for any format: video, fragment density and
// shading-rate attachments, acceleration structures.

const (
	transferFeatures = vk.FormatFeature2TransferSrcBit | vk.FormatFeature2TransferDstBit
	sampledFeatures  = vk.FormatFeature2SampledImageBit | vk.FormatFeature2BlitSrcBit
	filterFeatures   = vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterMinmaxBit | vk.FormatFeature2SampledImageFilterCubicBit
	// processFeatures are those of textures that VK_QCOM_image_processing filters and matches.
	processFeatures = vk.FormatFeature2WeightSampledImageBitQCOM | vk.FormatFeature2BlockMatchingBitQCOM | vk.FormatFeature2BoxFilterSampledBitQCOM
	targetFeatures  = vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2BlitDstBit
	// conversionFeatures are D14's choice (IMG-336): everything but reconstruction that is always explicit.
	conversionFeatures = vk.FormatFeature2MidpointChromaSamplesBit | vk.FormatFeature2CositedChromaSamplesBit |
		vk.FormatFeature2SampledImageYcbcrConversionLinearFilterBit | vk.FormatFeature2SampledImageYcbcrConversionSeparateReconstructionFilterBit |
		vk.FormatFeature2SampledImageYcbcrConversionChromaReconstructionExplicitForceableBit
	formatlessFeatures = vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit
	storageFeatures    = vk.FormatFeature2StorageImageBit | formatlessFeatures
)

// ImageFeatures returns what images of the format can be used for. Linear and optimal tiling are the same memory here.
func (i *Info) ImageFeatures(tiling vk.ImageTiling) vk.FormatFeatureFlags2 {
	if i.Supported() != nil {
		return 0
	}
	switch tiling {
	case vk.ImageTilingOptimal, vk.ImageTilingLinear:
	default:
		return 0 // DRM format modifiers
	}
	switch {
	case i.Aspects&vk.ImageAspectColorBit == 0:
		return i.depthStencilFeatures()
	case i.NeedsConversion():
		f := transferFeatures | vk.FormatFeature2SampledImageBit | vk.FormatFeature2SampledImageFilterLinearBit | conversionFeatures
		if i.MultiPlanar() {
			f |= vk.FormatFeature2DisjointBit
		}
		return f
	}
	switch {
	case i.wide() && i.atomic():
		return transferFeatures | sampledFeatures | storageFeatures | vk.FormatFeature2StorageImageAtomicBit
	case i.wide():
		// A Texel has no room for 64 bits: copies move bytes, and blits go to narrower formats.
		f := transferFeatures | vk.FormatFeature2BlitSrcBit
		if i.Class == ClassFloat {
			f |= vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterCubicBit
		}
		return f
	}
	f := transferFeatures | sampledFeatures
	if i.Compressed {
		return f | filterFeatures | processFeatures // there are no encoders
	}
	switch i.Numeric {
	case NumericUnorm, NumericSnorm, NumericSfloat, NumericUfloat:
		f |= filterFeatures | storageFeatures
		f |= vk.FormatFeature2BlitDstBit
		if !i.SharedExponent() {
			// Components of E5B9G9R9 can't be masked one by one (RAS-347).
			f |= vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2ColorAttachmentBlendBit
		}
	case NumericUscaled, NumericSscaled: // integers that read, blend and are stored as floats (IMG-260, RAS-339)
		f |= filterFeatures | targetFeatures | vk.FormatFeature2ColorAttachmentBlendBit | storageFeatures
	case NumericSrgb:
		f |= filterFeatures | targetFeatures | vk.FormatFeature2ColorAttachmentBlendBit
	case NumericUint, NumericSint: // no sums, but minima and maxima
		f |= targetFeatures | storageFeatures | vk.FormatFeature2SampledImageFilterMinmaxBit
	}
	if i.ComponentCount == 1 && i.Components[0].Kind == KindR && (i.Numeric == NumericUnorm || i.Numeric == NumericSfloat) {
		f |= vk.FormatFeature2SampledImageDepthComparisonBit // what red holds may be a depth
	}
	if i.Numeric == NumericUnorm {
		f |= conversionFeatures // IMG-362
	}
	if i.Class == ClassFloat {
		f |= processFeatures | vk.FormatFeature2WeightImageBitQCOM
	}
	if i.atomic() {
		f |= vk.FormatFeature2StorageImageAtomicBit
	}
	return f
}

func (i *Info) depthStencilFeatures() vk.FormatFeatureFlags2 {
	f := transferFeatures | sampledFeatures | vk.FormatFeature2BlitDstBit | vk.FormatFeature2DepthStencilAttachmentBit
	if i.Depth() {
		f |= filterFeatures | vk.FormatFeature2SampledImageDepthComparisonBit
	}
	return f
}

// BufferFeatures returns what typed buffers and vertex attributes of the format can be used for.
func (i *Info) BufferFeatures() vk.FormatFeatureFlags2 {
	switch {
	case i.wide() && i.atomic():
		return vk.FormatFeature2VertexBufferBit | vk.FormatFeature2UniformTexelBufferBit | vk.FormatFeature2StorageTexelBufferBit | vk.FormatFeature2StorageTexelBufferAtomicBit | formatlessFeatures
	case i.wide():
		return vk.FormatFeature2VertexBufferBit
	}
	if i.Supported() != nil || i.Compressed || i.Aspects != vk.ImageAspectColorBit || i.NeedsConversion() {
		return 0
	}
	f := vk.FormatFeature2VertexBufferBit | vk.FormatFeature2UniformTexelBufferBit
	switch i.Numeric {
	case NumericSrgb:
		return f // what is written is no colour for eyes
	case NumericUnorm, NumericSnorm, NumericSfloat, NumericUfloat, NumericUint, NumericSint:
		f |= vk.FormatFeature2StorageTexelBufferBit | formatlessFeatures
	}
	if i.atomic() {
		f |= vk.FormatFeature2StorageTexelBufferAtomicBit
	}
	return f
}

// wide says that components have 64 bits.
func (i *Info) wide() bool { return i.Components[0].Bits == 64 }

// atomic says that storage atomics exist (IMG-596): one component of 32 bits, or an integer of 64.
func (i *Info) atomic() bool {
	return i.ComponentCount == 1 && i.Aspects == vk.ImageAspectColorBit &&
		(i.Components[0].Bits == 32 || i.Components[0].Bits == 64 && i.Numeric != NumericSfloat)
}
