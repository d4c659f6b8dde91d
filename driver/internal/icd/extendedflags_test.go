package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// VK_KHR_extended_flags: flags of 64 bits stand in the place of those of 32, which are zero here, in queries and in images.
func TestExtendedFlags(t *testing.T) {
	f := newTest(t)
	flags := func(v vk.ImageCreateFlags2KHR, next unsafe.Pointer) unsafe.Pointer {
		s := &abi.ImageCreateFlags2CreateInfoKHR{Flags: v, PNext: next}
		return chained(f, s, s.StructureType())
	}
	usage := func(v vk.ImageUsageFlags2KHR, next unsafe.Pointer) unsafe.Pointer {
		s := &abi.ImageUsageFlags2CreateInfoKHR{Usage: v, PNext: next}
		return chained(f, s, s.StructureType())
	}
	stencil := func(v vk.ImageUsageFlags2KHR, next unsafe.Pointer) unsafe.Pointer {
		s := &abi.ImageStencilUsage2CreateInfoKHR{StencilUsage: v, PNext: next}
		return chained(f, s, s.StructureType())
	}
	const sampled, storage, color = vk.ImageUsage2SampledBitKHR, vk.ImageUsage2StorageBitKHR, vk.ImageUsage2ColorAttachmentBitKHR
	const cube = vk.ImageCreate2CubeCompatibleBitKHR
	for name, c := range map[string]struct {
		format vk.Format
		next   unsafe.Pointer
		layers uint32 // that images may have at least
		want   vk.Result
	}{
		"sampled":            {vk.FormatR8G8B8A8Unorm, usage(sampled, nil), 1, vk.Success},
		"no storage of sRGB": {vk.FormatR8G8B8A8Srgb, usage(storage, nil), 0, vk.ErrorFormatNotSupported},
		"a cube":             {vk.FormatR8G8B8A8Unorm, usage(sampled, flags(cube, nil)), 6, vk.Success},
		"64 bits of usage":   {vk.FormatR8G8B8A8Unorm, usage(sampled|1<<40, nil), 0, vk.ErrorFormatNotSupported},
		"64 bits of flags":   {vk.FormatR8G8B8A8Unorm, usage(sampled, flags(1<<40, nil)), 0, vk.ErrorFormatNotSupported},
		"64 bits of stencil": {vk.FormatS8Uint, usage(sampled, stencil(1<<40, nil)), 0, vk.ErrorFormatNotSupported},
		"colours of stencil": {vk.FormatS8Uint, usage(sampled, stencil(color, nil)), 0, vk.ErrorFormatNotSupported},
		"stencil sampled":    {vk.FormatS8Uint, usage(sampled, stencil(sampled, nil)), 1, vk.Success},
	} {
		out := abi.ImageFormatProperties2{}
		a := abi.GetPhysicalDeviceImageFormatProperties2Args{PhysicalDevice: f.physical, PImageFormatProperties: &out,
			PImageFormatInfo: &abi.PhysicalDeviceImageFormatInfo2{PNext: c.next, Format: c.format, Type: vk.ImageType2D}}
		call(f, abi.OpGetPhysicalDeviceImageFormatProperties2, &a)
		if a.Ret != c.want || out.ImageFormatProperties.MaxArrayLayers < c.layers {
			t.Errorf("%s: %v and %d layers, want %v", name, a.Ret, out.ImageFormatProperties.MaxArrayLayers, c.want)
		}
		if name == "a cube" && out.ImageFormatProperties.SampleCounts != 1 {
			t.Errorf("cubes have samples %v", out.ImageFormatProperties.SampleCounts)
		}
	}

	// An image whose usage and kind the chain alone tells.
	create := &abi.ImageCreateInfo{PNext: usage(vk.ImageUsage2TransferDstBitKHR|sampled, flags(cube, nil)), ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm,
		Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}, MipLevels: 1, ArrayLayers: 6, Samples: vk.SampleCount1Bit}
	if i := imageInfo(create); i.Flags != vk.ImageCreateCubeCompatibleBit || i.Usage != vk.ImageUsageTransferDstBit|vk.ImageUsageSampledBit {
		t.Errorf("%+v", i)
	}
	create.PNext = stencil(vk.ImageUsage2InputAttachmentBitKHR, nil)
	create.Usage, create.Flags = vk.ImageUsageSampledBit, vk.ImageCreateMutableFormatBit
	if i := imageInfo(create); i.Flags != vk.ImageCreateMutableFormatBit || i.Usage != vk.ImageUsageSampledBit|vk.ImageUsageInputAttachmentBit {
		t.Errorf("%+v", i)
	}

	// Sparse images, and what has no bits yet.
	if !hasSparse {
		return
	}
	for want, u := range map[uint32]vk.ImageUsageFlags2KHR{0: sampled | 1<<40, 1: sampled} {
		var n uint32
		call(f, abi.OpGetPhysicalDeviceSparseImageFormatProperties2, &abi.GetPhysicalDeviceSparseImageFormatProperties2Args{PhysicalDevice: f.physical, PPropertyCount: &n,
			PFormatInfo: &abi.PhysicalDeviceSparseImageFormatInfo2{PNext: usage(u, nil), Format: vk.FormatR8G8B8A8Unorm, Type: vk.ImageType2D, Samples: 1}})
		if n != want {
			t.Errorf("%d sparse properties of usage %x, want %d", n, u, want)
		}
	}
	p := abi.FormatProperties4KHR{LinearTilingFeatures: 7, OptimalTilingFeatures: 7, BufferFeatures: 7}
	call(f, abi.OpGetPhysicalDeviceFormatProperties2, &abi.GetPhysicalDeviceFormatProperties2Args{PhysicalDevice: f.physical, Format: vk.FormatR8Unorm,
		PFormatProperties: &abi.FormatProperties2{PNext: chained(f, &p, p.StructureType())}})
	if p.LinearTilingFeatures|p.OptimalTilingFeatures|p.BufferFeatures != 0 {
		t.Errorf("%+v", p)
	}
}
