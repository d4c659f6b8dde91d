package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A device has either kind of shading rates, not both.
func TestShadingRates_RAS152_ExcludeEachOther(t *testing.T) {
	rules.Covers(t, "RAS-152")
	f := newTest(t)
	for _, c := range []struct {
		image, coarse, pipeline, primitive, attachment abi.Bool32
		want                                           vk.Result
	}{
		{1, 1, 0, 0, 0, vk.Success}, {0, 0, 1, 1, 1, vk.Success}, {0, 1, 1, 1, 1, vk.Success},
		{1, 0, 1, 0, 0, vk.ErrorFeatureNotPresent}, {1, 0, 0, 1, 0, vk.ErrorFeatureNotPresent}, {1, 0, 0, 0, 1, vk.ErrorFeatureNotPresent},
	} {
		image := &abi.PhysicalDeviceShadingRateImageFeaturesNV{ShadingRateImage: c.image, ShadingRateCoarseSampleOrder: c.coarse}
		rates := &abi.PhysicalDeviceFragmentShadingRateFeaturesKHR{PipelineFragmentShadingRate: c.pipeline, PrimitiveFragmentShadingRate: c.primitive, AttachmentFragmentShadingRate: c.attachment}
		image.SType, rates.SType = image.StructureType(), rates.StructureType()
		image.PNext = unsafe.Pointer(rates)
		f.pin.Pin(rates)
		priority := float32(1)
		queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
		var h abi.Device
		a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(image), QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}, PDevice: &h}
		if call(f, abi.OpCreateDevice, &a); a.Ret != c.want {
			t.Errorf("%+v: %v", c, a.Ret)
		}
		if a.Ret == vk.Success {
			call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
		}
	}
}

// A device that is told to limits the sizes of fragments, and says so.
func TestFragmentShadingRates_RAS138_RestrictedSet(t *testing.T) {
	rules.Covers(t, "RAS-137", "RAS-138")
	for setting, want := range map[uint32]uint32{0: 256, 15: 256, 16: 16, 32: 32, 64: 64, 256: 256, 512: 256} {
		f := newTest(t)
		f.driver.cfg.CoverageSamples = New(Config{CoverageSamples: setting}).cfg.CoverageSamples
		p := &abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{}
		p.SType = p.StructureType()
		f.pin.Pin(p)
		all := abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(p)}
		all.SType = all.StructureType()
		call(f, abi.OpGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &all})
		if p.MaxFragmentShadingRateCoverageSamples != want {
			t.Errorf("%d: maxFragmentShadingRateCoverageSamples %d, want %d", setting, p.MaxFragmentShadingRateCoverageSamples, want)
		}
		list := make([]abi.PhysicalDeviceFragmentShadingRateKHR, 9)
		n := uint32(len(list))
		call(f, abi.OpGetPhysicalDeviceFragmentShadingRatesKHR, &abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs{PhysicalDevice: f.physical, PFragmentShadingRateCount: &n, PFragmentShadingRates: &list[0]})
		if n != 9 {
			t.Errorf("%d: %d rates", setting, n)
		}
		for _, r := range list[:8] {
			for s := uint32(1); s <= 16; s *= 2 {
				fits := r.FragmentSize.Width*r.FragmentSize.Height*s <= want
				if (uint32(r.SampleCounts)&s != 0) != fits {
					t.Errorf("%d: %v has samples %#x", setting, r.FragmentSize, r.SampleCounts)
				}
			}
		}
		// {2,2} and {2,1} of 1 and 4 samples are mandatory.
		if list[4].SampleCounts&5 != 5 || list[5].SampleCounts&5 != 5 {
			t.Errorf("%d: 2×2 has %#x, 2×1 %#x", setting, list[4].SampleCounts, list[5].SampleCounts)
		}
	}
}

// Larger fragments of shaders with SampleMask or an interlock mode are offered by their name, and by that of all, and the
// device then has them.
func TestFragmentShadingRates_RAS148_SampleMask(t *testing.T) {
	rules.Covers(t, "RAS-148")
	for offer, want := range map[string]bool{"": false, "VK_KHR_extended_flags": false, maskedRates: true, offerAll: true} {
		f := newTest(t)
		f.driver.cfg.Offer = []string{offer}
		p := &abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{}
		p.SType = p.StructureType()
		f.pin.Pin(p)
		all := abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(p)}
		all.SType = all.StructureType()
		get := abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &all}
		call(f, abi.OpGetPhysicalDeviceProperties2, &get)
		if got := p.FragmentShadingRateWithShaderSampleMask.True(); got != want {
			t.Errorf("offered %q: the property is %v", offer, got)
		}
		// The tests of interlocks look at this property, read SampleMask, and don't look at that one.
		if got := p.FragmentShadingRateWithFragmentShaderInterlock.True(); got != want {
			t.Errorf("offered %q: the property of interlocks is %v", offer, got)
		}
		d := &Device{driver: f.driver, instance: &Instance{driver: f.driver}}
		if got := !d.config(1).PixelMasks; got != want {
			t.Errorf("offered %q: the device has them: %v", offer, got)
		}
	}
}

// The struct of enums counts where it says so, and then that of sizes does not.
func TestPipeline_RAS154_EnumsOrSizes(t *testing.T) {
	rules.Covers(t, "RAS-154")
	for _, kind := range []vk.FragmentShadingRateTypeNV{vk.FragmentShadingRateTypeFragmentSizeNV, vk.FragmentShadingRateTypeEnumsNV} {
		size := &abi.PipelineFragmentShadingRateStateCreateInfoKHR{FragmentSize: vk.Extent2D{Width: 2, Height: 1}, CombinerOps: [2]vk.FragmentShadingRateCombinerOpKHR{1, 2}}
		enum := &abi.PipelineFragmentShadingRateEnumStateCreateInfoNV{ShadingRateType: kind, ShadingRate: vk.FragmentShadingRate4InvocationsPerPixelNV, CombinerOps: [2]vk.FragmentShadingRateCombinerOpKHR{3, 4}, PNext: unsafe.Pointer(size)}
		size.SType, enum.SType = size.StructureType(), enum.StructureType()
		g := graphics{in: &abi.GraphicsPipelineCreateInfo{PNext: unsafe.Pointer(enum)}, parts: preRasterization}
		g.shadingRate()
		r := g.out.Rate
		if kind == vk.FragmentShadingRateTypeEnumsNV {
			if r == nil || r.Enum == nil || *r.Enum != vk.FragmentShadingRate4InvocationsPerPixelNV || r.Combiners != enum.CombinerOps {
				t.Errorf("enums: %+v", r)
			}
		} else if r == nil || r.Enum != nil || r.Size != size.FragmentSize || r.Combiners != size.CombinerOps {
			t.Errorf("sizes: %+v", r)
		}
	}
}

// Palettes and orders of a pipeline, and lists that lie about their length.
func TestPipeline_RAS160_ShadingRateImage(t *testing.T) {
	rules.Covers(t, "RAS-160", "RAS-170")
	entries := [3]vk.ShadingRatePaletteEntryNV{8, 9, 10}
	palettes := [2]abi.ShadingRatePaletteNV{{ShadingRatePaletteEntryCount: 2, PShadingRatePaletteEntries: &entries[0]}, {ShadingRatePaletteEntryCount: 1, PShadingRatePaletteEntries: &entries[2]}}
	locations := [2]abi.CoarseSampleLocationNV{{PixelX: 1}, {}}
	custom := abi.CoarseSampleOrderCustomNV{ShadingRate: 6, SampleCount: 1, SampleLocationCount: 2, PSampleLocations: &locations[0]}
	order := &abi.PipelineViewportCoarseSampleOrderStateCreateInfoNV{SampleOrderType: vk.CoarseSampleOrderTypeCustomNV, CustomSampleOrderCount: 1, PCustomSampleOrders: &custom}
	image := &abi.PipelineViewportShadingRateImageStateCreateInfoNV{ShadingRateImageEnable: 1, ViewportCount: 2, PShadingRatePalettes: &palettes[0], PNext: unsafe.Pointer(order)}
	order.SType, image.SType = order.StructureType(), image.StructureType()
	g := graphics{in: &abi.GraphicsPipelineCreateInfo{}, parts: preRasterization}
	if g.rateImage(&abi.PipelineViewportStateCreateInfo{}); g.out.RateImage != nil {
		t.Errorf("nothing: %+v", g.out.RateImage)
	}
	g.rateImage(&abi.PipelineViewportStateCreateInfo{PNext: unsafe.Pointer(image)})
	r := g.out.RateImage
	if r == nil || !r.Enable || len(r.Palettes) != 2 || len(r.Palettes[0]) != 2 || r.Palettes[0][1] != 9 || r.Palettes[1][0] != 10 ||
		r.Order != vk.CoarseSampleOrderTypeCustomNV || len(r.Custom) != 1 || r.Custom[0].Entry != 6 || r.Custom[0].Samples != 1 || r.Custom[0].Locations[0].PixelX != 1 {
		t.Errorf("%+v", r)
	}
}
