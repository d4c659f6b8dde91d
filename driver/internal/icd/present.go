package icd

import (
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// presentation is what vkQueuePresentKHR says of one swapchain.
type presentation struct {
	index  int
	shown  bool // the window is there
	mode   vk.PresentModeKHR
	id     uint64 // 0: none
	turn   uint64 // of Swapchain.queue
	frame  int    // of the process, if somebody asks for frames; else 0
	fence  *payload
	timing *timing // what the program wants to know; nil: nothing
	google *abi.PresentTimeGOOGLE

	// When the program wants the picture to be visible: at a time, or, if relative, so long after the
	// swapchain's last one.
	relative bool
	at       time.Time
	after    time.Duration
}

// presentations reads the structs of extensions in the chain of a
// VkPresentInfoKHR: item n belongs to swapchain n.
type presentations struct {
	ids    []uint64
	modes  []vk.PresentModeKHR
	fences []abi.Fence
	times  []abi.PresentTimingInfoEXT
	google []abi.PresentTimeGOOGLE
}

func presentationsOf(next unsafe.Pointer) (p presentations) {
	if i := abi.Find[abi.PresentIdKHR](next); i != nil && i.PPresentIds != nil {
		p.ids = abi.Slice(i.PPresentIds, i.SwapchainCount)
	}
	if i := abi.Find[abi.PresentId2KHR](next); i != nil && i.PPresentIds != nil {
		p.ids = abi.Slice(i.PPresentIds, i.SwapchainCount)
	}
	if m := abi.Find[abi.SwapchainPresentModeInfoKHR](next); m != nil {
		p.modes = abi.Slice(m.PPresentModes, m.SwapchainCount)
	}
	if f := abi.Find[abi.SwapchainPresentFenceInfoKHR](next); f != nil {
		p.fences = abi.Slice(f.PFences, f.SwapchainCount)
	}
	if t := abi.Find[abi.PresentTimingsInfoEXT](next); t != nil && t.PTimingInfos != nil {
		p.times = abi.Slice(t.PTimingInfos, t.SwapchainCount)
	}
	if t := abi.Find[abi.PresentTimesInfoGOOGLE](next); t != nil && t.PTimes != nil {
		p.google = abi.Slice(t.PTimes, t.SwapchainCount)
	}
	return p
}

// of is the presentation of image index of swapchain n, which is s. ok is false where the
// swapchain has no room for the times that the program wants to know.
func (p *presentations) of(n int, s *Swapchain, index int) (out presentation, ok bool) {
	out.index, out.fence = index, p.fence(s.device, n)
	s.mu.Lock()
	out.mode = s.mode
	s.mu.Unlock()
	if n < len(p.ids) {
		out.id = p.ids[n]
	}
	if n < len(p.modes) {
		out.mode = p.modes[n]
	}
	if n < len(p.google) {
		t := p.google[n]
		out.google, out.at = &t, instant(t.DesiredPresentTime, uint64(monotonic()))
	}
	if n < len(p.times) {
		return out, s.schedule(&out, &p.times[n])
	}
	return out, true
}

// fence is the payload of swapchain n's fence, nil if it has none.
func (p *presentations) fence(d *Device, n int) *payload {
	if n < len(p.fences) {
		if f := d.fences.Get(uint64(p.fences[n])); f != nil {
			return f.current()
		}
	}
	return nil
}

// WaitForPresentKHR is vkWaitForPresentKHR: it waits until a picture of that id, or
// a later one, has been shown.
func (d *Device) WaitForPresentKHR(a *abi.WaitForPresentKHRArgs) vk.Result {
	return d.waitForPresent(a.Wait, a.Swapchain, a.PresentId, a.Timeout)
}

// WaitForPresent2KHR is vkWaitForPresent2KHR.
func (d *Device) WaitForPresent2KHR(a *abi.WaitForPresent2KHRArgs) vk.Result {
	return d.waitForPresent(a.Wait, a.Swapchain, a.PPresentWait2Info.PresentId, a.PPresentWait2Info.Timeout)
}

func (d *Device) waitForPresent(w *abi.Wait, h abi.SwapchainKHR, id, timeout uint64) vk.Result {
	s := d.swapchains.Get(uint64(h))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	return d.await(w, timeout, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.presented >= id
	})
}

// fillCapabilities answers the structs in the chain of VkSurfaceCapabilities2KHR, for swapchains
// that use some of modes.
func (s *Surface) fillCapabilities(out *abi.SurfaceCapabilities2KHR, modes []vk.PresentModeKHR) {
	for x := range abi.Chain(out.PNext) {
		p := unsafe.Pointer(x)
		switch x.SType {
		case vk.StructureTypeSurfacePresentScalingCapabilitiesKHR:
			c := (*abi.SurfacePresentScalingCapabilitiesKHR)(p)
			c.SupportedPresentScaling, c.SupportedPresentGravityX, c.SupportedPresentGravityY = scalings, gravity, gravity
			c.MinScaledImageExtent = vk.Extent2D{Width: 1, Height: 1}
			c.MaxScaledImageExtent = vk.Extent2D{Width: maxSwapchainExtent, Height: maxSwapchainExtent}
		case vk.StructureTypeSurfacePresentModeCompatibilityKHR:
			c := (*abi.SurfacePresentModeCompatibilityKHR)(p)
			abi.Enumerate(&c.PresentModeCount, c.PPresentModes, modes)
		case vk.StructureTypeSurfaceProtectedCapabilitiesKHR:
			(*abi.SurfaceProtectedCapabilitiesKHR)(p).SupportsProtected = 0
		case vk.StructureTypeSurfaceCapabilitiesPresentId2KHR:
			(*abi.SurfaceCapabilitiesPresentId2KHR)(p).PresentId2Supported = 1
		case vk.StructureTypeSurfaceCapabilitiesPresentWait2KHR:
			(*abi.SurfaceCapabilitiesPresentWait2KHR)(p).PresentWait2Supported = 1
		case vk.StructureTypePresentTimingSurfaceCapabilitiesEXT:
			c := (*abi.PresentTimingSurfaceCapabilitiesEXT)(p)
			c.PresentTimingSupported, c.PresentAtAbsoluteTimeSupported, c.PresentAtRelativeTimeSupported = 1, 1, 1
			c.PresentStageQueries = s.stages()
		case vk.StructureTypeSharedPresentSurfaceCapabilitiesKHR:
			(*abi.SharedPresentSurfaceCapabilitiesKHR)(p).SharedPresentSupportedUsageFlags = out.SurfaceCapabilities.SupportedUsageFlags
		case vk.StructureTypeSharedPresentSurfaceCapabilities2KHR:
			(*abi.SharedPresentSurfaceCapabilities2KHR)(p).SharedPresentSupportedUsageFlags = vk.ImageUsageFlags2KHR(out.SurfaceCapabilities.SupportedUsageFlags)
		case vk.StructureTypeSwapchainFlagsSurfaceCapabilitiesEXT:
			(*abi.SwapchainFlagsSurfaceCapabilitiesEXT)(p).SwapchainSupportedFlags = swapchainFlags()
		default: // nothing that is offered
		}
	}
}

// swapchainFlags are the flags that swapchains may have.
func swapchainFlags() vk.SwapchainCreateFlagsKHR {
	flags := vk.SwapchainCreateSplitInstanceBindRegionsBitKHR | vk.SwapchainCreateMutableFormatBitKHR | vk.SwapchainCreateDeferredMemoryAllocationBitKHR |
		vk.SwapchainCreatePresentId2BitKHR | vk.SwapchainCreatePresentWait2BitKHR | vk.SwapchainCreateMultisampledRenderToSingleSampledBitEXT |
		vk.SwapchainCreatePresentTimingBitEXT
	if supported("protectedMemory") {
		flags |= vk.SwapchainCreateProtectedBitKHR
	}
	return flags
}
