package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// What is withheld is offered by its own name, or by that of all, and nothing else goes with it.
func TestOffer(t *testing.T) {
	const (
		sampled   = vk.FormatFeature2SampledImageBit
		storage   = vk.FormatFeature2StorageImageBit
		rates     = vk.FormatFeature2FragmentShadingRateAttachmentBitKHR
		color     = vk.FormatFeature2ColorAttachmentBit
		forceable = vk.FormatFeature2SampledImageYcbcrConversionChromaReconstructionExplicitForceableBit
	)
	for _, c := range []struct {
		format vk.Format
		usage  vk.ImageUsageFlags // that needs the feature; 0: none does
		bit    vk.FormatFeatureFlags2
		name   string // "": never withheld
	}{
		{vk.FormatA2B10G10R10SscaledPack32, vk.ImageUsageSampledBit, sampled, "VK_FORMAT_A2B10G10R10_SSCALED_PACK32"},
		{vk.FormatA2R10G10B10SscaledPack32, vk.ImageUsageSampledBit, sampled, "VK_FORMAT_A2R10G10B10_SSCALED_PACK32"},
		{vk.FormatA2B10G10R10SscaledPack32, vk.ImageUsageColorAttachmentBit, color, ""},
		{vk.FormatR16Uscaled, 0, vk.FormatFeature2BlitSrcBit, "VK_FORMAT_R16_USCALED"},
		{vk.FormatB8G8R8A8Sscaled, 0, vk.FormatFeature2BlitDstBit, "VK_FORMAT_B8G8R8A8_SSCALED"},
		{vk.FormatR16Uint, 0, vk.FormatFeature2BlitDstBit, ""},
		{vk.FormatA2B10G10R10UscaledPack32, vk.ImageUsageSampledBit, sampled, "VK_FORMAT_A2B10G10R10_USCALED_PACK32"},
		{vk.FormatB8G8R8A8Uscaled, vk.ImageUsageSampledBit, sampled, ""},
		{vk.FormatA2B10G10R10SintPack32, vk.ImageUsageStorageBit, storage, "VK_FORMAT_A2B10G10R10_SINT_PACK32"},
		{vk.FormatA2R10G10B10SintPack32, vk.ImageUsageStorageBit, storage, "VK_FORMAT_A2R10G10B10_SINT_PACK32"},
		{vk.FormatA2B10G10R10SintPack32, vk.ImageUsageSampledBit, sampled, ""},
		{vk.FormatA2B10G10R10UintPack32, vk.ImageUsageStorageBit, storage, ""},
		{vk.FormatR64Uint, vk.ImageUsageFragmentShadingRateAttachmentBitKHR, rates, "VK_FORMAT_R64_UINT"},
		{vk.FormatR32Uint, vk.ImageUsageFragmentShadingRateAttachmentBitKHR, rates, ""},
		{vk.FormatR64Uint, vk.ImageUsageSampledBit, sampled, ""},
		{vk.FormatR10X6UnormPack16, vk.ImageUsageColorAttachmentBit, color, "VK_FORMAT_R10X6_UNORM_PACK16"},
		{vk.FormatR12X4G12X4Unorm2Pack16, vk.ImageUsageColorAttachmentBit, color, "VK_FORMAT_R12X4G12X4_UNORM_2PACK16"},
		{vk.FormatR10X6UnormPack16, vk.ImageUsageSampledBit, sampled, ""},
		{vk.FormatG8B8R8_3Plane420Unorm, 0, forceable, "forceExplicitReconstruction"},
		{vk.FormatR8G8B8A8Unorm, 0, forceable, "forceExplicitReconstruction"},
		{vk.FormatG8B8R8_3Plane420Unorm, 0, vk.FormatFeature2MidpointChromaSamplesBit, ""},
	} {
		for _, offer := range []string{"", c.name, offerAll, "VK_AMD_shader_fragment_mask"} {
			f := newTest(t)
			f.driver.cfg.Offer = []string{offer}
			want := c.name == "" || offer == c.name || offer == offerAll
			var p3 abi.FormatProperties3
			p := abi.FormatProperties2{PNext: chained(f, &p3, p3.StructureType())}
			call(f, abi.OpGetPhysicalDeviceFormatProperties2, &abi.GetPhysicalDeviceFormatProperties2Args{PhysicalDevice: f.physical, Format: c.format, PFormatProperties: &p})
			var old vk.FormatProperties
			call(f, abi.OpGetPhysicalDeviceFormatProperties, &abi.GetPhysicalDeviceFormatPropertiesArgs{PhysicalDevice: f.physical, Format: c.format, PFormatProperties: &old})
			for what, got := range map[string]vk.FormatFeatureFlags2{
				"optimal": p3.OptimalTilingFeatures, "linear": p3.LinearTilingFeatures, "of 32 bits": vk.FormatFeatureFlags2(p.FormatProperties.OptimalTilingFeatures),
				"of Vulkan 1.0": vk.FormatFeatureFlags2(old.LinearTilingFeatures),
			} {
				if linear := what == "linear" || what == "of Vulkan 1.0"; linear && c.bit == rates {
					continue // such attachments are optimal
				}
				if got&c.bit != 0 != want {
					t.Errorf("%v, offered %q: %s features %v", c.format, offer, what, got)
				}
			}
			var texels abi.ImageFormatProperties
			a := abi.GetPhysicalDeviceImageFormatPropertiesArgs{PhysicalDevice: f.physical, Format: c.format, Type: vk.ImageType2D, Tiling: vk.ImageTilingOptimal, Usage: c.usage, PImageFormatProperties: &texels}
			if call(f, abi.OpGetPhysicalDeviceImageFormatProperties, &a); c.usage != 0 && a.Ret == vk.Success != want {
				t.Errorf("%v, offered %q: images for %v: %v", c.format, offer, c.usage, a.Ret)
			}
		}
	}
	buffer := func(offer ...string) vk.FormatFeatureFlags2 {
		return New(Config{Offer: offer}).formatProperties3(vk.FormatA2B10G10R10SintPack32).BufferFeatures & vk.FormatFeature2StorageTexelBufferBit
	}
	if buffer() != 0 || buffer(offerAll) == 0 {
		t.Error("storage texel buffers do not go with storage images")
	}
	vertex := func(f vk.Format, offer ...string) bool {
		return New(Config{Offer: offer}).formatProperties3(f).BufferFeatures&vk.FormatFeature2VertexBufferBit != 0
	}
	if vertex(vk.FormatR8G8B8A8Srgb) || vertex(vk.FormatR8G8B8A8Srgb, "VK_FORMAT_R8_SRGB") || !vertex(vk.FormatR8G8B8A8Srgb, "VK_FORMAT_R8G8B8A8_SRGB") || !vertex(vk.FormatA8B8G8R8SrgbPack32, offerAll) ||
		!vertex(vk.FormatR8G8B8A8Unorm) {
		t.Error("attributes of sRGB formats are not offered by the format's name, and by that of all, alone")
	}
	extension := func(offer ...string) bool {
		return findExtension(New(Config{Offer: offer}).deviceExtensions, "VK_AMD_shader_fragment_mask") != nil
	}
	if extension() || extension("VK_FORMAT_R10X6_UNORM_PACK16") || !extension("VK_AMD_shader_fragment_mask") || !extension(offerAll) {
		t.Error("VK_AMD_shader_fragment_mask is not offered by its name, and by that of all, alone")
	}
}

// Sampled colour images have up to 16 samples unless more are offered; attachments, and images with
// depths, have 64.
func TestOffer_SampleCounts(t *testing.T) {
	const few, all = 2*vk.SampleCount16Bit - 1, 2*vk.SampleCount64Bit - 1
	for _, c := range []struct {
		offer string
		want  vk.SampleCountFlags
	}{{"", few}, {"VK_FORMAT_R8G8B8A8_UNORM", few}, {"sampledImageColorSampleCounts", all}, {offerAll, all}} {
		f := newTest(t)
		f.driver.cfg.Offer = []string{c.offer}
		var p abi.PhysicalDeviceProperties
		call(f, abi.OpGetPhysicalDeviceProperties, &abi.GetPhysicalDevicePropertiesArgs{PhysicalDevice: f.physical, PProperties: &p})
		if l := p.Limits; l.SampledImageColorSampleCounts != c.want || l.SampledImageIntegerSampleCounts != c.want ||
			l.FramebufferColorSampleCounts != all || l.SampledImageDepthSampleCounts != all || l.SampledImageStencilSampleCounts != all {
			t.Errorf("offered %q: limits %v, %v", c.offer, l.SampledImageColorSampleCounts, l.SampledImageIntegerSampleCounts)
		}
		const color, depth = vk.ImageUsageColorAttachmentBit, vk.ImageUsageDepthStencilAttachmentBit
		for _, i := range []struct {
			format vk.Format
			usage  vk.ImageUsageFlags
			want   vk.SampleCountFlags
		}{
			{vk.FormatR8G8B8A8Unorm, color, all},
			{vk.FormatR8G8B8A8Unorm, color | vk.ImageUsageInputAttachmentBit, all},
			{vk.FormatR8G8B8A8Unorm, color | vk.ImageUsageSampledBit, c.want},
			{vk.FormatR32Uint, color | vk.ImageUsageSampledBit, c.want},
			{vk.FormatD32Sfloat, depth | vk.ImageUsageSampledBit, all},
		} {
			got, r := f.driver.imageFormatProperties(i.format, vk.ImageType2D, vk.ImageTilingOptimal, i.usage, 0)
			if r != vk.Success || got.SampleCounts != i.want {
				t.Errorf("offered %q, %v for %v: %v, samples %v, want %v", c.offer, i.format, i.usage, r, got.SampleCounts, i.want)
			}
		}
	}
}

// Products of which the tests ask more than the extensions do stand in no list unless they are
// offered.
func TestOffer_Products(t *testing.T) {
	type types struct {
		factor, result vk.ComponentTypeKHR
		saturates      abi.Bool32
		depth          uint32 // of lists that say it
	}
	const (
		brain, e4m3 = vk.ComponentTypeBfloat16KHR, vk.ComponentTypeFloat8E4m3EXT
		e5m2, sint8 = vk.ComponentTypeFloat8E5m2EXT, vk.ComponentTypeSint8KHR
		uint8       = vk.ComponentTypeUint8KHR
	)
	const vectors, matrices, older, flexible = 0, 1, 2, 3 // lists
	cases := []struct {
		name  string // "": never withheld
		types types
		lists []int
	}{
		{"cooperativeVectorUint8", types{uint8, vk.ComponentTypeUint32KHR, 0, 0}, []int{vectors}},
		{"", types{uint8, vk.ComponentTypeUint32KHR, 0, 16}, []int{matrices, older, flexible}},
		{"cooperativeMatrixBfloat16Results", types{brain, brain, 0, 32}, []int{matrices}},
		{"cooperativeMatrixBfloat16Results", types{brain, brain, 0, 8}, []int{flexible}},
		{"", types{vk.ComponentTypeFloat16KHR, vk.ComponentTypeFloat16KHR, 0, 8}, []int{flexible}},
		{"", types{brain, brain, 0, 16}, []int{matrices, flexible}},
		{"cooperativeMatrixSint8Results", types{sint8, sint8, 0, 16}, []int{matrices, older, flexible}},
		{"cooperativeMatrixSint8Results", types{vk.ComponentTypeSint32KHR, sint8, 0, 16},
			[]int{matrices, older, flexible}},
		{"", types{sint8, sint8, 1, 16}, []int{matrices, flexible}},
		{"", types{vk.ComponentTypeSint32KHR, sint8, 1, 16}, []int{matrices, flexible}},
		{"cooperativeMatrixFloat8Results", types{e4m3, e4m3, 0, 16}, []int{matrices, flexible}},
		{"cooperativeMatrixFloat8Results", types{e5m2, e5m2, 0, 16}, []int{matrices, flexible}},
	}
	offers := []string{"", offerAll}
	for _, c := range cases {
		offers = append(offers, c.name)
	}
	for _, offer := range offers {
		f := newTest(t)
		f.driver.cfg.Offer = []string{offer}
		var found [4]map[types]bool
		for i := range found {
			found[i] = map[types]bool{}
		}
		const room = 999
		v, n := make([]abi.CooperativeVectorPropertiesNV, room), uint32(room)
		call(f, abi.OpGetPhysicalDeviceCooperativeVectorPropertiesNV,
			&abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs{
				PhysicalDevice: f.physical, PPropertyCount: &n, PProperties: &v[0],
			})
		for _, p := range v[:n] {
			found[vectors][types{p.InputType, p.ResultType, 0, 0}] = true
		}
		m, n := make([]abi.CooperativeMatrixPropertiesKHR, room), uint32(room)
		call(f, abi.OpGetPhysicalDeviceCooperativeMatrixPropertiesKHR,
			&abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs{
				PhysicalDevice: f.physical, PPropertyCount: &n, PProperties: &m[0],
			})
		for _, p := range m[:n] {
			found[matrices][types{p.AType, p.ResultType, p.SaturatingAccumulation, p.KSize}] = true
		}
		o, n := make([]abi.CooperativeMatrixPropertiesNV, room), uint32(room)
		call(f, abi.OpGetPhysicalDeviceCooperativeMatrixPropertiesNV,
			&abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs{
				PhysicalDevice: f.physical, PPropertyCount: &n, PProperties: &o[0],
			})
		for _, p := range o[:n] {
			found[older][types{p.AType, p.DType, 0, p.KSize}] = true
		}
		x, n := make([]abi.CooperativeMatrixFlexibleDimensionsPropertiesNV, room), uint32(room)
		call(f, abi.OpGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV,
			&abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs{
				PhysicalDevice: f.physical, PPropertyCount: &n, PProperties: &x[0],
			})
		for _, p := range x[:n] {
			found[flexible][types{p.AType, p.ResultType, p.SaturatingAccumulation,
				p.KGranularity}] = true
		}
		for _, c := range cases {
			want := c.name == "" || offer == c.name || offer == offerAll
			for _, list := range c.lists {
				if found[list][c.types] != want {
					t.Errorf("offered %q: list %d has %v: %v", offer, list, c.types, !want)
				}
			}
		}
	}
}
