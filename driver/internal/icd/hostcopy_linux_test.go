package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// hostImage makes an image for host copies: 5×3 texels of a byte, two layers.
func (f *fixture) hostImage() (h abi.Image) {
	f.t.Helper()
	create := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: &abi.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 5, Height: 3, Depth: 1}, MipLevels: 1, ArrayLayers: 2,
		Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageHostTransferBit,
	}}
	call(f, abi.OpCreateImage, &create)
	want(f.t, "vkCreateImage", create.Ret, vk.Success)
	m, _ := f.memory(4096)
	bind := abi.BindImageMemoryArgs{Device: f.device, Image: h, Memory: m}
	call(f, abi.OpBindImageMemory, &bind)
	want(f.t, "vkBindImageMemory", bind.Ret, vk.Success)
	return h
}

func TestHostImageCopy_ThereAndBack(t *testing.T) {
	f := newTest(t)
	a, b := f.hostImage(), f.hostImage()
	layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 2}
	whole := vk.Extent3D{Width: 5, Height: 3, Depth: 1}
	data := make([]byte, 6*4+6*2+5) // rows of 6, layers of 4 rows
	for i := range data {
		data[i] = byte(i)
	}
	in := abi.CopyMemoryToImageArgs{Device: f.device, PCopyMemoryToImageInfo: &abi.CopyMemoryToImageInfo{DstImage: a, RegionCount: 1,
		PRegions: &abi.MemoryToImageCopy{PHostPointer: unsafe.Pointer(&data[0]), MemoryRowLength: 6, MemoryImageHeight: 4, ImageSubresource: layers, ImageExtent: whole}}}
	call(f, abi.OpCopyMemoryToImage, &in)
	want(t, "vkCopyMemoryToImage", in.Ret, vk.Success)
	move := abi.CopyImageToImageArgs{Device: f.device, PCopyImageToImageInfo: &abi.CopyImageToImageInfo{SrcImage: a, DstImage: b, RegionCount: 1,
		PRegions: &abi.ImageCopy2{SrcSubresource: layers, DstSubresource: layers, Extent: whole}}}
	call(f, abi.OpCopyImageToImage, &move)
	want(t, "vkCopyImageToImage", move.Ret, vk.Success)

	size := abi.SubresourceHostMemcpySize{}
	layout := abi.SubresourceLayout2{PNext: chained(f, &size, size.StructureType())}
	call(f, abi.OpGetImageSubresourceLayout2, &abi.GetImageSubresourceLayout2Args{Device: f.device, Image: b,
		PSubresource: &abi.ImageSubresource2{ImageSubresource: abi.ImageSubresource{AspectMask: vk.ImageAspectColorBit}}, PLayout: &layout})
	if size.Size != 15 {
		t.Errorf("%d bytes of a subresource", size.Size)
	}
	out := make([]byte, 31)
	out[30] = 99
	back := abi.CopyImageToMemoryArgs{Device: f.device, PCopyImageToMemoryInfo: &abi.CopyImageToMemoryInfo{SrcImage: b, Flags: vk.HostImageCopyMemcpyBit, RegionCount: 1,
		PRegions: &abi.ImageToMemoryCopy{PHostPointer: unsafe.Pointer(&out[0]), ImageSubresource: layers, ImageExtent: whole}}}
	call(f, abi.OpCopyImageToMemory, &back)
	want(t, "vkCopyImageToMemory", back.Ret, vk.Success)
	if got := []byte{out[0], out[4], out[5], out[14], out[15], out[29], out[30]}; !slices.Equal(got, []byte{0, 4, 6, 16, 24, 40, 99}) {
		t.Errorf("texels %v", got)
	}
	in.PCopyMemoryToImageInfo.PRegions.ImageExtent.Width = 6
	call(f, abi.OpCopyMemoryToImage, &in)
	want(t, "a region outside of the image", in.Ret, vk.ErrorValidationFailed)
}

func TestHostImageCopy_LayoutsGoToTheApplicationsArrays(t *testing.T) {
	f := newTest(t)
	var p abi.PhysicalDeviceHostImageCopyProperties
	query := abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: chained(f, &p, p.StructureType())}}
	call(f, abi.OpGetPhysicalDeviceProperties2, &query)
	if int(p.CopySrcLayoutCount) != len(hostLayouts) || p.PCopySrcLayouts != nil || p.IdenticalMemoryTypeRequirements != 1 {
		t.Errorf("%+v", p)
	}
	room := make([]vk.ImageLayout, 3)
	f.pin.Pin(&room[0])
	p.CopyDstLayoutCount, p.PCopyDstLayouts = 2, &room[0]
	call(f, abi.OpGetPhysicalDeviceProperties2, &query)
	if p.CopyDstLayoutCount != 2 || room[1] != hostLayouts[1] || room[2] != 0 {
		t.Errorf("%+v, %v", p, room)
	}
	all := make([]vk.ImageLayout, 64)
	f.pin.Pin(&all[0])
	p.CopyDstLayoutCount, p.PCopyDstLayouts = 64, &all[0]
	call(f, abi.OpGetPhysicalDeviceProperties2, &query)
	all = all[:p.CopyDstLayoutCount]
	for _, l := range []vk.ImageLayout{vk.ImageLayoutAttachmentFeedbackLoopOptimalEXT, vk.ImageLayoutFragmentShadingRateAttachmentOptimalKHR, vk.ImageLayoutFragmentDensityMapOptimalEXT} {
		if !slices.Contains(all, l) {
			t.Errorf("%v is missing", l)
		}
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != int(p.CopyDstLayoutCount) || all[0] == vk.ImageLayoutUndefined {
		t.Errorf("layouts %v", all)
	}
}
