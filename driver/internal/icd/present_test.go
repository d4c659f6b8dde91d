package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestPresent_IdsFencesAndModes: waiting for a picture's id ends when it is shown and
// not before, its fence is signaled, and what surfaces tell.
func TestPresent_IdsFencesAndModes(t *testing.T) {
	f := newTest(t)
	surface := f.headless()
	modes := make([]vk.PresentModeKHR, 8)
	same := &abi.SurfacePresentModeCompatibilityKHR{PresentModeCount: 8, PPresentModes: &modes[0]}
	same.SType = same.StructureType()
	of := &abi.SurfacePresentModeKHR{PresentMode: vk.PresentModeMailboxKHR}
	of.SType = of.StructureType()
	caps := abi.GetPhysicalDeviceSurfaceCapabilities2KHRArgs{PhysicalDevice: f.physical, PSurfaceInfo: &abi.PhysicalDeviceSurfaceInfo2KHR{PNext: unsafe.Pointer(of), Surface: surface},
		PSurfaceCapabilities: &abi.SurfaceCapabilities2KHR{PNext: unsafe.Pointer(same)}}
	call(f, abi.OpGetPhysicalDeviceSurfaceCapabilities2KHR, &caps)
	if caps.Ret != vk.Success || int(same.PresentModeCount) != len(presentModes) || modes[0] != vk.PresentModeMailboxKHR || modes[2] != vk.PresentModeFifoKHR {
		t.Errorf("%v: modes %v", caps.Ret, modes[:same.PresentModeCount])
	}

	chain := f.swapchain(surface, 2, vk.PresentModeFifoKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	var index uint32
	acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 120e9, PImageIndex: &index}
	call(f, abi.OpAcquireNextImageKHR, &acquire)
	want(t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)

	wait := abi.WaitForPresentKHRArgs{Device: f.device, Swapchain: chain, PresentId: 7}
	call(f, abi.OpWaitForPresentKHR, &wait)
	want(t, "before the picture", wait.Ret, vk.Timeout)
	var fence abi.Fence
	made := abi.CreateFenceArgs{Device: f.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &fence}
	call(f, abi.OpCreateFence, &made)
	want(t, "vkCreateFence", made.Ret, vk.Success)
	id, mode := uint64(7), vk.PresentModeImmediateKHR
	ids := &abi.PresentIdKHR{SwapchainCount: 1, PPresentIds: &id}
	ids.SType = ids.StructureType()
	fences := &abi.SwapchainPresentFenceInfoKHR{PNext: unsafe.Pointer(ids), SwapchainCount: 1, PFences: &fence}
	fences.SType = fences.StructureType()
	how := &abi.SwapchainPresentModeInfoKHR{PNext: unsafe.Pointer(fences), SwapchainCount: 1, PPresentModes: &mode}
	how.SType = how.StructureType()
	present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{PNext: unsafe.Pointer(how), SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
	call(f, abi.OpQueuePresentKHR, &present)
	want(t, "vkQueuePresentKHR", present.Ret, vk.Success)
	wait.Timeout = 120e9
	call(f, abi.OpWaitForPresentKHR, &wait)
	want(t, "vkWaitForPresentKHR", wait.Ret, vk.Success)
	fenced := abi.WaitForFencesArgs{Device: f.device, FenceCount: 1, PFences: &fence, WaitAll: 1, Timeout: 120e9}
	call(f, abi.OpWaitForFences, &fenced)
	want(t, "the fence", fenced.Ret, vk.Success)
	s := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice).swapchains.Get(uint64(chain))
	if !s.surface.presenter.began.IsZero() {
		t.Error("a picture for at once waited like those in FIFO mode")
	}
	// The mode that a presentation names is that of those after it.
	f.put(queue, chain, 1, false, nil)
	f.settled(queue)
	s.mu.Lock()
	if s.mode != mode {
		t.Errorf("the next picture is presented as %v", s.mode)
	}
	s.mu.Unlock()
	later := abi.WaitForPresent2KHRArgs{Device: f.device, Swapchain: chain, PPresentWait2Info: &abi.PresentWait2InfoKHR{PresentId: 8}}
	call(f, abi.OpWaitForPresent2KHR, &later)
	want(t, "a picture that has not come", later.Ret, vk.Timeout)
}

// TestSwapchain_Flags: swapchains can have all flags whose extensions are there, and what their
// images are made with follows from them.
func TestSwapchain_Flags(t *testing.T) {
	f := newTest(t)
	surface := f.headless()
	flags := &abi.SwapchainFlagsSurfaceCapabilitiesEXT{}
	flags.SType = flags.StructureType()
	caps := abi.GetPhysicalDeviceSurfaceCapabilities2KHRArgs{PhysicalDevice: f.physical, PSurfaceInfo: &abi.PhysicalDeviceSurfaceInfo2KHR{Surface: surface},
		PSurfaceCapabilities: &abi.SurfaceCapabilities2KHR{PNext: unsafe.Pointer(flags)}}
	call(f, abi.OpGetPhysicalDeviceSurfaceCapabilities2KHR, &caps)
	want(t, "vkGetPhysicalDeviceSurfaceCapabilities2KHR", caps.Ret, vk.Success)
	all := vk.SwapchainCreateSplitInstanceBindRegionsBitKHR | vk.SwapchainCreateMutableFormatBitKHR | vk.SwapchainCreateDeferredMemoryAllocationBitKHR |
		vk.SwapchainCreatePresentId2BitKHR | vk.SwapchainCreatePresentWait2BitKHR | vk.SwapchainCreateMultisampledRenderToSingleSampledBitEXT |
		vk.SwapchainCreatePresentTimingBitEXT
	if have := flags.SwapchainSupportedFlags &^ vk.SwapchainCreateProtectedBitKHR; have != all {
		t.Errorf("flags %v, want %v", have, all)
	}
	var chain abi.SwapchainKHR
	swap := abi.CreateSwapchainKHRArgs{Device: f.device, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{Flags: all,
		Surface: surface, MinImageCount: 2, ImageFormat: vk.FormatB8G8R8A8Unorm, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageColorAttachmentBit, PresentMode: vk.PresentModeFifoKHR,
	}}
	call(f, abi.OpCreateSwapchainKHR, &swap)
	want(t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	im := d.images.Get(uint64(d.swapchains.Get(uint64(chain)).images[0].handle))
	if wanted := vk.ImageCreateMutableFormatBit | vk.ImageCreateExtendedUsageBit | vk.ImageCreateMultisampledRenderToSingleSampledBitEXT; im.info.Flags != wanted {
		t.Errorf("images with flags %v, want %v", im.info.Flags, wanted)
	}
}

// TestSwapchain_Storage: shaders may store to images of swapchains. Those of sRGB formats, which
// cannot be stored to, need a view of another format, and so a swapchain whose images have such
// (wsi-swapchain, VkSwapchainCreateFlagBitsKHR).
func TestSwapchain_Storage(t *testing.T) {
	f := newTest(t)
	surface := f.headless()
	var capabilities vk.SurfaceCapabilitiesKHR
	caps := abi.GetPhysicalDeviceSurfaceCapabilitiesKHRArgs{PhysicalDevice: f.physical, Surface: surface, PSurfaceCapabilities: &capabilities}
	call(f, abi.OpGetPhysicalDeviceSurfaceCapabilitiesKHR, &caps)
	if want(t, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", caps.Ret, vk.Success); capabilities.SupportedUsageFlags&vk.ImageUsageStorageBit == 0 {
		t.Errorf("usage %v", capabilities.SupportedUsageFlags)
	}
	formats := []vk.Format{vk.FormatB8G8R8A8Unorm, vk.FormatB8G8R8A8Srgb}
	list := &abi.ImageFormatListCreateInfo{ViewFormatCount: 2, PViewFormats: &formats[0]}
	list.SType = list.StructureType()
	f.pin.Pin(&formats[0])
	for _, c := range []struct {
		format vk.Format
		flags  vk.SwapchainCreateFlagsKHR
		works  bool
	}{
		{vk.FormatB8G8R8A8Unorm, 0, true}, {vk.FormatB8G8R8A8Srgb, 0, false}, {vk.FormatB8G8R8A8Srgb, vk.SwapchainCreateMutableFormatBitKHR, true},
	} {
		info := &abi.SwapchainCreateInfoKHR{Flags: c.flags, Surface: surface, MinImageCount: 2, ImageFormat: c.format, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
			ImageArrayLayers: 1, ImageUsage: vk.ImageUsageStorageBit, PresentMode: vk.PresentModeFifoKHR}
		if c.flags != 0 {
			info.PNext = unsafe.Pointer(list)
		}
		var chain abi.SwapchainKHR
		swap := abi.CreateSwapchainKHRArgs{Device: f.device, PSwapchain: &chain, PCreateInfo: info}
		call(f, abi.OpCreateSwapchainKHR, &swap)
		if (swap.Ret == vk.Success) != c.works {
			t.Errorf("%v with flags %v: %v", c.format, c.flags, swap.Ret)
		}
		if swap.Ret != vk.Success {
			continue
		}
		n, images := uint32(2), [2]abi.Image{}
		call(f, abi.OpGetSwapchainImagesKHR, &abi.GetSwapchainImagesKHRArgs{Device: f.device, Swapchain: chain, PSwapchainImageCount: &n, PSwapchainImages: &images[0]})
		var v abi.ImageView
		usage := &abi.ImageViewUsageCreateInfo{Usage: vk.ImageUsageStorageBit}
		view := abi.CreateImageViewArgs{Device: f.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{PNext: chained(f, usage, usage.StructureType()), Image: images[0],
			ViewType: vk.ImageViewType2D, Format: vk.FormatB8G8R8A8Unorm, SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}}}
		call(f, abi.OpCreateImageView, &view)
		want(t, "vkCreateImageView", view.Ret, vk.Success)
	}
}
