package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// drmImage is what a program creates with a modifier.
func drmImage(f vk.Format, next unsafe.Pointer) *abi.ImageCreateInfo {
	return &abi.ImageCreateInfo{PNext: next, ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1,
		Samples: vk.SampleCount1Bit, Tiling: vk.ImageTilingDrmFormatModifierEXT, Usage: vk.ImageUsageHostTransferBit}
}

// modifiers is a chain with a list of modifiers.
func modifiers(f *fixture, list ...uint64) unsafe.Pointer {
	f.pin.Pin(&list[0])
	x := &abi.ImageDrmFormatModifierListCreateInfoEXT{DrmFormatModifierCount: uint32(len(list)), PDrmFormatModifiers: &list[0]}
	return chained(f, x, x.StructureType())
}

// places is a chain that says where planes lie.
func places(f *fixture, modifier uint64, planes ...vk.SubresourceLayout) unsafe.Pointer {
	f.pin.Pin(&planes[0])
	x := &abi.ImageDrmFormatModifierExplicitCreateInfoEXT{DrmFormatModifier: modifier, DrmFormatModifierPlaneCount: uint32(len(planes)), PPlaneLayouts: &planes[0]}
	return chained(f, x, x.StructureType())
}

// Every format that has LINEAR tiling has the LINEAR modifier, with the same features
// and a plane of memory for each of its own; others have none.
func TestModifiers_FormatsOfLinearTiling(t *testing.T) {
	f := newTest(t)
	some := 0
	for _, name := range format.All() {
		x, _ := format.Lookup(name)
		var full abi.FormatProperties3
		var list abi.DrmFormatModifierPropertiesListEXT
		var list2 abi.DrmFormatModifierPropertiesList2EXT
		p := abi.FormatProperties2{}
		ask := func() {
			p.PNext = chained(f, &full, full.StructureType())
			full.PNext = chained(f, &list, list.StructureType())
			list.PNext = chained(f, &list2, list2.StructureType())
			call(f, abi.OpGetPhysicalDeviceFormatProperties2, &abi.GetPhysicalDeviceFormatProperties2Args{PhysicalDevice: f.physical, Format: x.Format, PFormatProperties: &p})
		}
		ask()
		linear := full.LinearTilingFeatures != 0
		if n := uint32(abi.Bool(linear)); list.DrmFormatModifierCount != n || list2.DrmFormatModifierCount != n {
			t.Errorf("%v: %d and %d modifiers, linear tiling %v", x.Format, list.DrmFormatModifierCount, list2.DrmFormatModifierCount, linear)
		}
		room, room2 := make([]abi.DrmFormatModifierPropertiesEXT, 2), make([]abi.DrmFormatModifierProperties2EXT, 2)
		room[0].DrmFormatModifier, room2[0].DrmFormatModifier = 7, 7
		f.pin.Pin(&room[0])
		f.pin.Pin(&room2[0])
		list.DrmFormatModifierCount, list.PDrmFormatModifierProperties = 2, &room[0]
		list2.DrmFormatModifierCount, list2.PDrmFormatModifierProperties = 2, &room2[0]
		ask()
		if !linear {
			continue
		}
		some++
		planes := uint32(len(x.Planes))
		if room[0] != (abi.DrmFormatModifierPropertiesEXT{DrmFormatModifierPlaneCount: planes, DrmFormatModifierTilingFeatures: p.FormatProperties.LinearTilingFeatures}) ||
			room2[0] != (abi.DrmFormatModifierProperties2EXT{DrmFormatModifierPlaneCount: planes, DrmFormatModifierTilingFeatures: full.LinearTilingFeatures}) ||
			list.DrmFormatModifierCount != 1 || list2.DrmFormatModifierCount != 1 {
			t.Errorf("%v: %+v and %+v", x.Format, room[0], room2[0])
		}
	}
	if some < 100 {
		t.Errorf("%d formats have linear tiling", some)
	}
}

// VkPhysicalDeviceImageDrmFormatModifierInfoEXT: any modifier may be asked for.
func TestModifiers_ImageFormatProperties(t *testing.T) {
	f := newTest(t)
	ask := func(tiling vk.ImageTiling, flags vk.ImageCreateFlags, next unsafe.Pointer) (abi.ImageFormatProperties, vk.Result) {
		var p abi.ImageFormatProperties2
		a := abi.GetPhysicalDeviceImageFormatProperties2Args{PhysicalDevice: f.physical, PImageFormatProperties: &p, PImageFormatInfo: &abi.PhysicalDeviceImageFormatInfo2{
			PNext: next, Format: vk.FormatR8G8B8A8Unorm, Type: vk.ImageType2D, Tiling: tiling, Usage: vk.ImageUsageSampledBit, Flags: flags}}
		call(f, abi.OpGetPhysicalDeviceImageFormatProperties2, &a)
		return p.ImageFormatProperties, a.Ret
	}
	of := func(m uint64) unsafe.Pointer {
		x := &abi.PhysicalDeviceImageDrmFormatModifierInfoEXT{DrmFormatModifier: m}
		return chained(f, x, x.StructureType())
	}
	const drm = vk.ImageTilingDrmFormatModifierEXT
	linear, _ := ask(vk.ImageTilingLinear, 0, nil)
	got, r := ask(drm, 0, of(0))
	linear.MaxMipLevels = 1
	if want(t, "the LINEAR modifier", r, vk.Success); got != linear {
		t.Errorf("%+v, want %+v", got, linear)
	}
	for name, next := range map[string]unsafe.Pointer{"none": nil, "DRM_FORMAT_MOD_INVALID": of(1<<56 - 1), "I915_FORMAT_MOD_X_TILED": of(1<<56 | 1)} {
		got, r := ask(drm, 0, next)
		want(t, name, r, vk.ErrorFormatNotSupported)
		if got != (abi.ImageFormatProperties{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	_, r = ask(drm, vk.ImageCreateSparseBindingBit, of(0))
	want(t, "sparse memory", r, vk.ErrorFormatNotSupported)
	old := abi.GetPhysicalDeviceImageFormatPropertiesArgs{PhysicalDevice: f.physical, Format: vk.FormatR8G8B8A8Unorm, Type: vk.ImageType2D, Tiling: drm,
		Usage: vk.ImageUsageSampledBit, PImageFormatProperties: &abi.ImageFormatProperties{MaxMipLevels: 9}}
	call(f, abi.OpGetPhysicalDeviceImageFormatProperties, &old)
	want(t, "the query of Vulkan 1.0", old.Ret, vk.ErrorFormatNotSupported)
}

func TestModifiers_Creation(t *testing.T) {
	f := newTest(t)
	plane := vk.SubresourceLayout{Offset: 8, RowPitch: 20}
	for name, c := range map[string]struct {
		next unsafe.Pointer
		r    vk.Result
	}{
		"a list with LINEAR":     {modifiers(f, 1<<56|1, 0), vk.Success},
		"a list without LINEAR":  {modifiers(f, 1<<56|1), vk.ErrorValidationFailed},
		"nothing":                {nil, vk.ErrorValidationFailed},
		"LINEAR with a layout":   {places(f, 0, plane), vk.Success},
		"another with a layout":  {places(f, 1<<56|1, plane), vk.ErrorValidationFailed},
		"LINEAR with two planes": {places(f, 0, plane, plane), vk.ErrorValidationFailed},
		"rows that overlap":      {places(f, 0, vk.SubresourceLayout{RowPitch: 12}), vk.ErrorInvalidDrmFormatModifierPlaneLayoutEXT},
	} {
		var h abi.Image
		a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: drmImage(vk.FormatR8G8B8A8Unorm, c.next)}
		call(f, abi.OpCreateImage, &a)
		want(t, name, a.Ret, c.r)
		p := abi.ImageDrmFormatModifierPropertiesEXT{DrmFormatModifier: 7}
		g := abi.GetImageDrmFormatModifierPropertiesEXTArgs{Device: f.device, Image: h, PProperties: &p}
		call(f, abi.OpGetImageDrmFormatModifierPropertiesEXT, &g)
		if made := c.r == vk.Success; made != (g.Ret == vk.Success) || made && p.DrmFormatModifier != 0 {
			t.Errorf("%s: modifier %#x, %v", name, p.DrmFormatModifier, g.Ret)
		}
	}
}

// Planes of memory lie where the program has them, and say so; the same before the
// image is made.
func TestModifiers_PlanesOfMemory(t *testing.T) {
	f := newTest(t)
	luma, chroma := vk.SubresourceLayout{Offset: 24, RowPitch: 6}, vk.SubresourceLayout{Offset: 4, RowPitch: 8}
	info := drmImage(vk.FormatG8B8R8_2Plane420Unorm, places(f, 0, luma, chroma))
	var h abi.Image
	a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: info}
	call(f, abi.OpCreateImage, &a)
	want(t, "vkCreateImage", a.Ret, vk.Success)
	for i, w := range []vk.SubresourceLayout{{Offset: 24, Size: 24, RowPitch: 6}, {Offset: 4, Size: 16, RowPitch: 8}, {}} {
		s := abi.ImageSubresource{AspectMask: vk.ImageAspectMemoryPlane0BitEXT << i}
		var l vk.SubresourceLayout
		call(f, abi.OpGetImageSubresourceLayout, &abi.GetImageSubresourceLayoutArgs{Device: f.device, Image: h, PSubresource: &s, PLayout: &l})
		l.ArrayPitch, l.DepthPitch = 0, 0 // undefined for what is no array, and not 3D
		if l != w {
			t.Errorf("plane %d: %+v, want %+v", i, l, w)
		}
		var l2 abi.SubresourceLayout2
		call(f, abi.OpGetDeviceImageSubresourceLayout, &abi.GetDeviceImageSubresourceLayoutArgs{Device: f.device, PLayout: &l2,
			PInfo: &abi.DeviceImageSubresourceInfo{PCreateInfo: info, PSubresource: &abi.ImageSubresource2{ImageSubresource: s}}})
		l2.SubresourceLayout.ArrayPitch, l2.SubresourceLayout.DepthPitch = 0, 0
		if l2.SubresourceLayout != w {
			t.Errorf("plane %d of an image to be: %+v, want %+v", i, l2.SubresourceLayout, w)
		}
	}
	m, at := f.memory(4096)
	bind := abi.BindImageMemoryArgs{Device: f.device, Image: h, Memory: m}
	call(f, abi.OpBindImageMemory, &bind)
	want(t, "vkBindImageMemory", bind.Ret, vk.Success)
	texels := [8]byte{10, 11, 12, 13, 14, 15, 16, 17}
	in := abi.CopyMemoryToImageArgs{Device: f.device, PCopyMemoryToImageInfo: &abi.CopyMemoryToImageInfo{DstImage: h, RegionCount: 1,
		PRegions: &abi.MemoryToImageCopy{PHostPointer: unsafe.Pointer(&texels[0]), ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectPlane1Bit, LayerCount: 1},
			ImageExtent: vk.Extent3D{Width: 2, Height: 2, Depth: 1}}}}
	call(f, abi.OpCopyMemoryToImage, &in)
	want(t, "vkCopyMemoryToImage", in.Ret, vk.Success)
	if got := *(*[16]byte)(unsafe.Add(at, 4)); got != [16]byte{10, 11, 12, 13, 0, 0, 0, 0, 14, 15, 16, 17} {
		t.Errorf("the second plane holds %v", got)
	}
}

// Planes of a disjoint image are bound by their aspects as planes of memory.
func TestModifiers_Disjoint(t *testing.T) {
	f := newTest(t)
	info := drmImage(vk.FormatG8B8R8_2Plane420Unorm, places(f, 0, vk.SubresourceLayout{RowPitch: 4}, vk.SubresourceLayout{Offset: 512, RowPitch: 4}))
	info.Flags = vk.ImageCreateDisjointBit
	var h abi.Image
	a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: info}
	call(f, abi.OpCreateImage, &a)
	want(t, "vkCreateImage", a.Ret, vk.Success)
	var last unsafe.Pointer
	for i, least := range []uint64{16, 512 + 8} {
		aspect := vk.ImageAspectMemoryPlane0BitEXT << i
		p := abi.ImagePlaneMemoryRequirementsInfo{PlaneAspect: aspect}
		var r, before abi.MemoryRequirements2
		call(f, abi.OpGetImageMemoryRequirements2, &abi.GetImageMemoryRequirements2Args{Device: f.device, PMemoryRequirements: &r,
			PInfo: &abi.ImageMemoryRequirementsInfo2{PNext: chained(f, &p, p.StructureType()), Image: h}})
		call(f, abi.OpGetDeviceImageMemoryRequirements, &abi.GetDeviceImageMemoryRequirementsArgs{Device: f.device, PMemoryRequirements: &before,
			PInfo: &abi.DeviceImageMemoryRequirements{PCreateInfo: info, PlaneAspect: aspect}})
		if n := r.MemoryRequirements.Size; n < least || n >= least+512 || before.MemoryRequirements != r.MemoryRequirements {
			t.Errorf("plane %d: %+v, and before %+v; it has %d bytes", i, r.MemoryRequirements, before.MemoryRequirements, least)
		}
		m, at := f.memory(4096)
		last = at
		b := abi.BindImagePlaneMemoryInfo{PlaneAspect: aspect}
		bind := abi.BindImageMemory2Args{Device: f.device, BindInfoCount: 1, PBindInfos: &abi.BindImageMemoryInfo{PNext: chained(f, &b, b.StructureType()), Image: h, Memory: m}}
		call(f, abi.OpBindImageMemory2, &bind)
		want(t, "vkBindImageMemory2", bind.Ret, vk.Success)
	}
	texels := [2]byte{10, 11}
	in := abi.CopyMemoryToImageArgs{Device: f.device, PCopyMemoryToImageInfo: &abi.CopyMemoryToImageInfo{DstImage: h, RegionCount: 1,
		PRegions: &abi.MemoryToImageCopy{PHostPointer: unsafe.Pointer(&texels[0]), ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectPlane1Bit, LayerCount: 1},
			ImageOffset: vk.Offset3D{X: 1, Y: 1}, ImageExtent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}}}
	call(f, abi.OpCopyMemoryToImage, &in)
	want(t, "vkCopyMemoryToImage", in.Ret, vk.Success)
	if got := *(*[2]byte)(unsafe.Add(last, 512+4+2)); got != texels {
		t.Errorf("the second plane holds %v", got)
	}
}
