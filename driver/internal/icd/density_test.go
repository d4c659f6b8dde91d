package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// A device has density maps or fragment shading rates, not both.
func TestDensity_NotWithShadingRates(t *testing.T) {
	f := newTest(t)
	for _, c := range []struct {
		density, pipeline, primitive, attachment abi.Bool32
		want                                     vk.Result
	}{
		{1, 0, 0, 0, vk.Success}, {0, 1, 1, 1, vk.Success},
		{1, 1, 0, 0, vk.ErrorFeatureNotPresent}, {1, 0, 1, 0, vk.ErrorFeatureNotPresent}, {1, 0, 0, 1, vk.ErrorFeatureNotPresent},
	} {
		rates := &abi.PhysicalDeviceFragmentShadingRateFeaturesKHR{PipelineFragmentShadingRate: c.pipeline, PrimitiveFragmentShadingRate: c.primitive, AttachmentFragmentShadingRate: c.attachment}
		rates.SType = rates.StructureType()
		maps := &abi.PhysicalDeviceFragmentDensityMapFeaturesEXT{FragmentDensityMap: c.density}
		maps.SType, maps.PNext = maps.StructureType(), unsafe.Pointer(rates)
		priority := float32(1)
		queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
		var h abi.Device
		a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(maps), QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}, PDevice: &h}
		call(f, abi.OpCreateDevice, &a)
		want(t, "vkCreateDevice", a.Ret, c.want)
		if h != nil {
			call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
		}
	}
}

// Chains of passes reach the engine, which tells what is wrong with them.
func TestDensity_Chains(t *testing.T) {
	f := newTest(t)
	_, v := f.image()
	told := f.heard()
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v, LoadOp: vk.AttachmentLoadOpClear}
	area := vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}
	m := &abi.RenderingFragmentDensityMapAttachmentInfoEXT{ImageView: v}
	m.SType = m.StructureType()
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{PNext: unsafe.Pointer(m), RenderArea: area, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a}})
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{RenderArea: area, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a}})
	offset := vk.Offset2D{X: 8}
	o := &abi.RenderPassFragmentDensityMapOffsetEndInfoEXT{FragmentDensityOffsetCount: 1, PFragmentDensityOffsets: &offset}
	o.SType = o.StructureType()
	record(f, cb, abi.OpCmdEndRendering2KHR, &abi.CmdEndRendering2KHR{PRenderingEndInfo: &abi.RenderingEndInfoKHR{PNext: unsafe.Pointer(o)}})
	f.run(cb)
	if wanted := []string{"VUID-VkRenderingFragmentDensityMapAttachmentInfoEXT-imageView-06158", "VUID-VkRenderPassFragmentDensityMapOffsetEndInfoEXT-fragmentDensityMapAttachment-06504"}; !slices.Equal(*told, wanted) {
		t.Errorf("told of %q, want %q", *told, wanted)
	}
	of := &abi.RenderPassFragmentDensityMapCreateInfoEXT{FragmentDensityMapAttachment: abi.AttachmentReference{Attachment: 7}}
	of.SType = of.StructureType()
	var h abi.RenderPass
	one := abi.CreateRenderPassArgs{Device: f.device, PRenderPass: &h, PCreateInfo: &abi.RenderPassCreateInfo{PNext: unsafe.Pointer(of), SubpassCount: 1, PSubpasses: &abi.SubpassDescription{}}}
	call(f, abi.OpCreateRenderPass, &one)
	two := abi.CreateRenderPass2Args{Device: f.device, PRenderPass: &h, PCreateInfo: &abi.RenderPassCreateInfo2{PNext: unsafe.Pointer(of), SubpassCount: 1, PSubpasses: &abi.SubpassDescription2{}}}
	call(f, abi.OpCreateRenderPass2, &two)
	if more := (*told)[2:]; len(more) != 2 || more[0] != "VUID-VkRenderPassCreateInfo2-fragmentDensityMapAttachment-06472" || more[1] != more[0] || one.Ret == vk.Success || two.Ret == vk.Success {
		t.Errorf("render passes without the attachment: %v, %v, told of %q", one.Ret, two.Ret, more)
	}
}

// What a format and its images can be.
func TestDensity_Formats(t *testing.T) {
	const density, subsampled = vk.ImageUsageFragmentDensityMapBitEXT, vk.ImageCreateSubsampledBitEXT
	newTest(t)
	for _, c := range []struct {
		format  vk.Format
		typ     vk.ImageType
		usage   vk.ImageUsageFlags
		flags   vk.ImageCreateFlags
		want    vk.Result
		samples vk.SampleCountFlags
		levels  bool
	}{
		{vk.FormatR8G8Unorm, vk.ImageType2D, density, 0, vk.Success, 1, true},
		{vk.FormatR8G8Unorm, vk.ImageType2D, density | vk.ImageUsageColorAttachmentBit, 0, vk.Success, 1, true},
		{vk.FormatR8G8Unorm, vk.ImageType3D, density, 0, vk.ErrorFormatNotSupported, 0, false},
		{vk.FormatR8Uint, vk.ImageType2D, density, 0, vk.ErrorFormatNotSupported, 0, false},
		{vk.FormatR8G8Unorm, vk.ImageType2D, vk.ImageUsageFragmentShadingRateAttachmentBitKHR, 0, vk.ErrorFormatNotSupported, 0, false},
		{vk.FormatR8G8B8A8Unorm, vk.ImageType2D, vk.ImageUsageColorAttachmentBit, subsampled, vk.Success, 127, false},
		{vk.FormatR8G8B8A8Unorm, vk.ImageType2D, vk.ImageUsageColorAttachmentBit, subsampled | vk.ImageCreateCubeCompatibleBit, vk.ErrorFormatNotSupported, 0, false},
	} {
		p, r := newTest(t).driver.imageFormatProperties(c.format, c.typ, vk.ImageTilingOptimal, c.usage, c.flags)
		if r != c.want || p.SampleCounts != c.samples || r == vk.Success && (p.MaxMipLevels > 1) != c.levels {
			t.Errorf("%v %v %v %v: %v, samples %v, %d levels", c.format, c.typ, c.usage, c.flags, r, p.SampleCounts, p.MaxMipLevels)
		}
	}
}
