package format

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Formats that Vulkan requires everyone to support (formats-properties, "Mandatory Format Support"), as far as images without
// compression and without Y′CBCR conversion go.
func TestImageFeatures_MandatoryFormats(t *testing.T) {
	rules.Covers(t, "IMG-260", "IMG-336", "IMG-768")
	const sampled = vk.FormatFeature2SampledImageBit | vk.FormatFeature2BlitSrcBit
	const linear = vk.FormatFeature2SampledImageFilterLinearBit
	const target = vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2BlitDstBit
	const blend = vk.FormatFeature2ColorAttachmentBlendBit
	const storage = vk.FormatFeature2StorageImageBit
	for f, want := range map[vk.Format]vk.FormatFeatureFlags2{
		vk.FormatB4G4R4A4UnormPack16:      sampled | linear,
		vk.FormatR5G6B5UnormPack16:        sampled | linear | target | blend,
		vk.FormatA1R5G5B5UnormPack16:      sampled | linear | target | blend,
		vk.FormatR8Unorm:                  sampled | linear | target | blend,
		vk.FormatR8Snorm:                  sampled | linear,
		vk.FormatR8Uint:                   sampled | target | vk.FormatFeature2SampledImageFilterMinmaxBit,
		vk.FormatR8G8B8A8Unorm:            sampled | linear | target | blend | storage,
		vk.FormatR8G8B8A8Srgb:             sampled | linear | target | blend,
		vk.FormatB8G8R8A8Unorm:            sampled | linear | target | blend,
		vk.FormatA2B10G10R10UnormPack32:   sampled | linear | target | blend,
		vk.FormatR16G16B16A16Sfloat:       sampled | linear | target | blend | storage,
		vk.FormatR16G16B16A16Uint:         sampled | target | storage,
		vk.FormatR32Uint:                  sampled | target | storage | vk.FormatFeature2StorageImageAtomicBit,
		vk.FormatR32G32B32A32Sfloat:       sampled | target | storage,
		vk.FormatB10G11R11UfloatPack32:    sampled | linear,
		vk.FormatE5B9G9R9UfloatPack32:     sampled | linear | vk.FormatFeature2BlitDstBit,
		vk.FormatD16Unorm:                 sampled | vk.FormatFeature2DepthStencilAttachmentBit | vk.FormatFeature2SampledImageDepthComparisonBit,
		vk.FormatD32Sfloat:                sampled | vk.FormatFeature2DepthStencilAttachmentBit | vk.FormatFeature2SampledImageDepthComparisonBit,
		vk.FormatD24UnormS8Uint:           vk.FormatFeature2DepthStencilAttachmentBit,
		vk.FormatS8Uint:                   vk.FormatFeature2DepthStencilAttachmentBit,
		vk.FormatR64Uint:                  vk.FormatFeature2TransferSrcBit | vk.FormatFeature2SampledImageBit | storage | vk.FormatFeature2StorageImageAtomicBit | vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit,
		vk.FormatR10X6G10X6Unorm2Pack16:   sampled | linear,
		vk.FormatR8G8B8A8Uscaled:          sampled | linear | target | blend | storage | vk.FormatFeature2SampledImageFilterMinmaxBit | transferFeatures,
		vk.FormatR64G64B64A64Sfloat:       transferFeatures | vk.FormatFeature2BlitSrcBit | linear,
		vk.FormatR64G64Sint:               transferFeatures | vk.FormatFeature2BlitSrcBit,
		vk.FormatA2R10G10B10SscaledPack32: sampled | linear | target | blend | transferFeatures,
		vk.FormatR16Unorm:                 sampled | linear | vk.FormatFeature2SampledImageDepthComparisonBit,
		vk.FormatBc1RgbUnormBlock:         sampled | linear,
		vk.FormatBc7SrgbBlock:             sampled | linear | vk.FormatFeature2TransferSrcBit | vk.FormatFeature2TransferDstBit,
		vk.FormatG8B8R8_3Plane420Unorm:    vk.FormatFeature2SampledImageBit | linear | conversionFeatures | transferFeatures | vk.FormatFeature2DisjointBit,
		vk.FormatG8B8G8R8_422Unorm:        vk.FormatFeature2SampledImageBit | linear | conversionFeatures | transferFeatures,
		// VK_EXT_rgba10x6_formats, and IMG-362.
		vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16: sampled | linear | target | blend | conversionFeatures,
		vk.FormatAstc4x4UnormBlock:                sampled | linear,
		vk.FormatAstc12x12SrgbBlock:               sampled | linear,
		vk.FormatAstc8x8SfloatBlock:               sampled | linear,
		vk.FormatEtc2R8G8B8A1SrgbBlock:            sampled | linear,
		vk.FormatEacR11G11SnormBlock:              sampled | linear,
		vk.FormatR8SfloatFpencodingFloat8e4m3ARM:  0,
	} {
		if got := mustLookup(t, f).ImageFeatures(vk.ImageTilingOptimal); got&want != want || want == 0 && got != 0 {
			t.Errorf("%v: lacks %v", f, want&^got)
		}
	}
}

func TestFeatures_NotClaimed(t *testing.T) {
	rules.Covers(t, "IMG-768")
	for _, c := range []struct {
		f   vk.Format
		not vk.FormatFeatureFlags2
	}{
		{vk.FormatR8G8B8A8Srgb, vk.FormatFeature2StorageImageBit},
		{vk.FormatR8Uint, vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2ColorAttachmentBlendBit},
		{vk.FormatE5B9G9R9UfloatPack32, vk.FormatFeature2ColorAttachmentBit},
		{vk.FormatS8Uint, vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageDepthComparisonBit},
		{vk.FormatR64Uint, vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterMinmaxBit | vk.FormatFeature2BlitDstBit},
		{vk.FormatR64G64Uint, vk.FormatFeature2SampledImageBit | vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2BlitDstBit},
		{vk.FormatR64Sfloat, vk.FormatFeature2SampledImageBit | vk.FormatFeature2SampledImageFilterMinmaxBit | vk.FormatFeature2BlitDstBit},
		{vk.FormatR8Uscaled, vk.FormatFeature2SampledImageDepthComparisonBit | vk.FormatFeature2StorageImageAtomicBit},
		{vk.FormatBc7UnormBlock, vk.FormatFeature2StorageImageBit | vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2BlitDstBit},
		{vk.FormatR12X4G12X4B12X4A12X4Unorm4Pack16, vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2StorageImageBit | vk.FormatFeature2BlitSrcBit}, // IMG-768
		{vk.FormatG8B8R8_3Plane420Unorm, vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2StorageImageBit | vk.FormatFeature2BlitSrcBit},
		{vk.FormatG8B8G8R8_422Unorm, vk.FormatFeature2DisjointBit},
		{vk.FormatR8G8B8A8Srgb, vk.FormatFeature2MidpointChromaSamplesBit},
	} {
		if got := mustLookup(t, c.f).ImageFeatures(vk.ImageTilingOptimal) & c.not; got != 0 {
			t.Errorf("%v: claims %v", c.f, got)
		}
	}
	d := mustLookup(t, vk.FormatD32Sfloat)
	if d.ImageFeatures(vk.ImageTilingLinear) != d.ImageFeatures(vk.ImageTilingOptimal) || d.BufferFeatures() != 0 || d.ImageFeatures(vk.ImageTilingDrmFormatModifierEXT) != 0 {
		t.Error("depth with linear tiling or modifiers, or in buffers")
	}
	if mustLookup(t, vk.FormatBc7UnormBlock).BufferFeatures() != 0 {
		t.Error("blocks in typed buffers")
	}
	for _, f := range []vk.Format{vk.FormatR32G32B32Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Sscaled, vk.FormatA2B10G10R10UnormPack32, vk.FormatR8G8B8A8Srgb} {
		if mustLookup(t, f).BufferFeatures()&vk.FormatFeature2VertexBufferBit == 0 {
			t.Errorf("%v is no vertex format", f)
		}
	}
}

// Scaled formats are drawn to, blended, filtered, blitted and stored as the floats that they read as, all of them alike.
func TestImageFeatures_RAS339_Scaled(t *testing.T) {
	rules.Covers(t, "IMG-260", "RAS-339")
	const want = targetFeatures | vk.FormatFeature2ColorAttachmentBlendBit | vk.FormatFeature2StorageImageBit |
		vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterMinmaxBit | vk.FormatFeature2SampledImageFilterCubicBit
	n := 0
	for _, f := range All() {
		i := mustLookup(t, f)
		if !strings.Contains(i.Name, "SCALED") {
			continue
		}
		n++
		if got := i.ImageFeatures(vk.ImageTilingOptimal); got&want != want {
			t.Errorf("%v lacks %v", f, want&^got)
		}
	}
	if n != 2*(7+2+4) { // IMG-750, IMG-751, IMG-752
		t.Errorf("%d formats", n)
	}
}
