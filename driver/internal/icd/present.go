package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// presentation is what vkQueuePresentKHR says of one swapchain.
type presentation struct {
	index int
	shown bool // the window is there
	mode  vk.PresentModeKHR
	id    uint64 // 0: none
	turn  uint64 // of Swapchain.queue
	frame int    // of the process, if somebody asks for frames; else 0
}

// presentations reads the structs of extensions in the chain of a
// VkPresentInfoKHR: item n belongs to swapchain n.
type presentations struct {
	ids    []uint64
	modes  []vk.PresentModeKHR
	fences []abi.Fence
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
	return p
}

// of is the presentation of swapchain n, which is s.
func (p *presentations) of(n int, s *Swapchain) (out presentation) {
	out.mode = s.mode
	if n < len(p.ids) {
		out.id = p.ids[n]
	}
	if n < len(p.modes) {
		out.mode = p.modes[n]
	}
	return out
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

// fillSurfaceCapabilities answers the structs in the chain of
// VkSurfaceCapabilities2KHR. A swapchain can change its mode from picture to
// picture; pictures are never scaled.
func fillSurfaceCapabilities(out *abi.SurfaceCapabilities2KHR) {
	for s := range abi.Chain(out.PNext) {
		switch s.SType {
		case vk.StructureTypeSurfacePresentScalingCapabilitiesKHR:
			c := (*abi.SurfacePresentScalingCapabilitiesKHR)(unsafe.Pointer(s))
			c.SupportedPresentScaling, c.SupportedPresentGravityX, c.SupportedPresentGravityY = 0, 0, 0
			c.MinScaledImageExtent, c.MaxScaledImageExtent = out.SurfaceCapabilities.MinImageExtent, out.SurfaceCapabilities.MaxImageExtent
		case vk.StructureTypeSurfacePresentModeCompatibilityKHR:
			c := (*abi.SurfacePresentModeCompatibilityKHR)(unsafe.Pointer(s))
			abi.Enumerate(&c.PresentModeCount, c.PPresentModes, presentModes[:])
		case vk.StructureTypeSurfaceProtectedCapabilitiesKHR:
			(*abi.SurfaceProtectedCapabilitiesKHR)(unsafe.Pointer(s)).SupportsProtected = 0
		case vk.StructureTypeSurfaceCapabilitiesPresentId2KHR:
			(*abi.SurfaceCapabilitiesPresentId2KHR)(unsafe.Pointer(s)).PresentId2Supported = 1
		case vk.StructureTypeSurfaceCapabilitiesPresentWait2KHR:
			(*abi.SurfaceCapabilitiesPresentWait2KHR)(unsafe.Pointer(s)).PresentWait2Supported = 1
		default: // nothing that is offered
		}
	}
}
