package icd

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// WindowSystem opens the windows behind surfaces, over connections of the
// application. The C front implements it; methods return nil where the window
// system's library cannot be loaded, and where the host has other window systems.
type WindowSystem interface {
	Xcb(connection unsafe.Pointer, window uint32) Window
	Xlib(display unsafe.Pointer, window uint64) Window
	Wayland(display, surface unsafe.Pointer) Window
	Win32(window uintptr) Window // of a handle, HWND
}

// A Window is where a surface shows pictures. One goroutine at a time.
type Window interface {
	// Extent returns the size in pixels, AnyExtent where the window takes that of
	// its pictures; ok is false when the window is gone. Unless a recent size will do, that
	// when the last picture was shown, the display is asked, which takes a while.
	Extent(recent bool) (width, height uint32, ok bool)
	// Show puts a picture on the window: rows of B8G8R8A8 texels, stride bytes
	// apart. It returns when pixels may be written again; false when the window
	// is gone.
	Show(pixels []byte, width, height, stride int) bool
	// Close gives up what Show needed; the window is the application's.
	Close()
}

// A Sharer is a Window whose system reads pictures where they lie, which saves copying them.
type Sharer interface {
	Window
	// Share offers the memory behind a file descriptor, which is the window's from then on. It returns
	// a name for it, or 0 where it is not taken.
	Share(fd int) (segment uint32)
	// ShowShared is Show of the picture at the beginning of a segment; stride is a multiple of 4.
	ShowShared(segment uint32, width, height, stride int) bool
	// Unshare takes a segment back.
	Unshare(segment uint32)
}

// Surface is a VkSurfaceKHR. A headless one has no window.
type Surface struct {
	window    Window
	presenter presentationEngine
	// showing is held while the window shows a picture: neither window nor picture
	// goes meanwhile.
	showing sync.Mutex
	gone    bool // under showing: window is closed
	// Under showing: pictures that are made of others, rows of B8G8R8A8 texels without gaps.
	converted, scaled []byte
}

// show shows a picture of a swapchain, unless surface or swapchain are destroyed by
// now: a program cannot know when a picture that it has presented is shown.
func (s *Surface) show(c *Swapchain, im *swapchainImage) (shown bool) {
	s.showing.Lock()
	defer s.showing.Unlock()
	if s.gone || c.gone.Load() {
		return false
	}
	width, height := int(c.extent.Width), int(c.extent.Height)
	pixels, pitch := im.memory.Bytes(), im.pitch
	switch {
	case !c.showable:
		return true
	case c.convert != nil:
		s.converted = sized(s.converted, 4*width*height)
		for y := range height {
			c.convert.row(s.converted[4*y*width:][:4*width], pixels[y*pitch:])
		}
		pixels, pitch = s.converted, 4*width
	}
	if scaled, w, h := s.scale(c, pixels, pitch); scaled != nil {
		return s.window.Show(scaled, w, h, 4*w)
	}
	if w, ok := s.window.(Sharer); ok && c.convert == nil && im.share(w) {
		return w.ShowShared(im.segment, width, height, pitch)
	}
	return s.window.Show(pixels, width, height, pitch)
}

// share offers the image's memory to the window, once; false where it is not taken.
func (im *swapchainImage) share(w Sharer) bool {
	if !im.offered {
		im.offered = true
		if fd, err := im.memory.Export(); im.shared && err == nil {
			im.segment = w.Share(fd)
		}
	}
	return im.segment != 0
}

// AnyExtent is the current extent of a surface whose size follows its swapchain.
const AnyExtent = 0xFFFFFFFF

// maxSwapchainExtent bounds both sides of a swapchain's images.
const maxSwapchainExtent = 16384

// presentModes are those of all surfaces. A swapchain can change between those of one list with
// each picture.
var (
	presentModes = []vk.PresentModeKHR{vk.PresentModeFifoKHR, vk.PresentModeImmediateKHR, vk.PresentModeMailboxKHR,
		vk.PresentModeFifoRelaxedKHR, vk.PresentModeFifoLatestReadyKHR}
	sharedPresentModes = []vk.PresentModeKHR{vk.PresentModeSharedDemandRefreshKHR, vk.PresentModeSharedContinuousRefreshKHR}
)

// addSurface finishes a vkCreate*SurfaceKHR.
func (i *Instance) addSurface(out *abi.SurfaceKHR, w Window, headless bool) vk.Result {
	if w == nil && !headless {
		*out = 0
		return vk.ErrorInitializationFailed
	}
	return created(&i.surfaces, out, &Surface{window: w}, nil)
}

// CreateHeadlessSurfaceEXT is vkCreateHeadlessSurfaceEXT.
func (i *Instance) CreateHeadlessSurfaceEXT(a *abi.CreateHeadlessSurfaceEXTArgs) vk.Result {
	return i.addSurface(a.PSurface, nil, true)
}

// CreateXcbSurfaceKHR is vkCreateXcbSurfaceKHR.
func (i *Instance) CreateXcbSurfaceKHR(a *abi.CreateXcbSurfaceKHRArgs) vk.Result {
	ws := i.driver.cfg.Windows
	if ws == nil {
		return i.addSurface(a.PSurface, nil, false)
	}
	return i.addSurface(a.PSurface, ws.Xcb(a.PCreateInfo.Connection, a.PCreateInfo.Window), false)
}

// CreateXlibSurfaceKHR is vkCreateXlibSurfaceKHR.
func (i *Instance) CreateXlibSurfaceKHR(a *abi.CreateXlibSurfaceKHRArgs) vk.Result {
	ws := i.driver.cfg.Windows
	if ws == nil {
		return i.addSurface(a.PSurface, nil, false)
	}
	return i.addSurface(a.PSurface, ws.Xlib(a.PCreateInfo.Dpy, a.PCreateInfo.Window), false)
}

// CreateWaylandSurfaceKHR is vkCreateWaylandSurfaceKHR.
func (i *Instance) CreateWaylandSurfaceKHR(a *abi.CreateWaylandSurfaceKHRArgs) vk.Result {
	ws := i.driver.cfg.Windows
	if ws == nil {
		return i.addSurface(a.PSurface, nil, false)
	}
	return i.addSurface(a.PSurface, ws.Wayland(a.PCreateInfo.Display, a.PCreateInfo.Surface), false)
}

// GetPhysicalDeviceWaylandPresentationSupportKHR is
// vkGetPhysicalDeviceWaylandPresentationSupportKHR.
func (p *PhysicalDevice) GetPhysicalDeviceWaylandPresentationSupportKHR(*abi.GetPhysicalDeviceWaylandPresentationSupportKHRArgs) abi.Bool32 {
	return abi.Bool(true)
}

// CreateWin32SurfaceKHR is vkCreateWin32SurfaceKHR.
func (i *Instance) CreateWin32SurfaceKHR(a *abi.CreateWin32SurfaceKHRArgs) vk.Result {
	ws := i.driver.cfg.Windows
	if ws == nil {
		return i.addSurface(a.PSurface, nil, false)
	}
	return i.addSurface(a.PSurface, ws.Win32(a.PCreateInfo.Hwnd), false)
}

// GetPhysicalDeviceWin32PresentationSupportKHR is vkGetPhysicalDeviceWin32PresentationSupportKHR.
func (p *PhysicalDevice) GetPhysicalDeviceWin32PresentationSupportKHR(*abi.GetPhysicalDeviceWin32PresentationSupportKHRArgs) abi.Bool32 {
	return abi.Bool(true)
}

// DestroySurfaceKHR is vkDestroySurfaceKHR.
func (i *Instance) DestroySurfaceKHR(a *abi.DestroySurfaceKHRArgs) {
	if s := i.surfaces.Take(uint64(a.Surface)); s != nil && s.window != nil {
		s.showing.Lock()
		defer s.showing.Unlock()
		s.gone = true
		s.window.Close()
	}
}

// GetPhysicalDeviceSurfaceSupportKHR is vkGetPhysicalDeviceSurfaceSupportKHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfaceSupportKHR(a *abi.GetPhysicalDeviceSurfaceSupportKHRArgs) vk.Result {
	*a.PSupported = abi.Bool(a.QueueFamilyIndex < uint32(len(queueFamilies)))
	return vk.Success
}

// GetPhysicalDeviceXcbPresentationSupportKHR is vkGetPhysicalDeviceXcbPresentationSupportKHR.
func (p *PhysicalDevice) GetPhysicalDeviceXcbPresentationSupportKHR(*abi.GetPhysicalDeviceXcbPresentationSupportKHRArgs) abi.Bool32 {
	return abi.Bool(true)
}

// GetPhysicalDeviceXlibPresentationSupportKHR is vkGetPhysicalDeviceXlibPresentationSupportKHR.
func (p *PhysicalDevice) GetPhysicalDeviceXlibPresentationSupportKHR(*abi.GetPhysicalDeviceXlibPresentationSupportKHRArgs) abi.Bool32 {
	return abi.Bool(true)
}

// capabilities returns what swapchains of the surface can be.
func (s *Surface) capabilities() (vk.SurfaceCapabilitiesKHR, vk.Result) {
	c := vk.SurfaceCapabilitiesKHR{
		MinImageCount:           2,
		CurrentExtent:           vk.Extent2D{Width: AnyExtent, Height: AnyExtent},
		MinImageExtent:          vk.Extent2D{Width: 1, Height: 1},
		MaxImageExtent:          vk.Extent2D{Width: maxSwapchainExtent, Height: maxSwapchainExtent},
		MaxImageArrayLayers:     1,
		SupportedTransforms:     vk.SurfaceTransformIdentityBitKHR,
		CurrentTransform:        vk.SurfaceTransformIdentityBitKHR,
		SupportedCompositeAlpha: vk.CompositeAlphaOpaqueBitKHR | vk.CompositeAlphaInheritBitKHR,
		SupportedUsageFlags: vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit | vk.ImageUsageSampledBit |
			vk.ImageUsageStorageBit | vk.ImageUsageColorAttachmentBit | vk.ImageUsageInputAttachmentBit,
	}
	if s.window != nil {
		w, h, ok := s.window.Extent(false)
		if !ok {
			return c, vk.ErrorSurfaceLostKHR
		}
		if w != AnyExtent {
			c.CurrentExtent = vk.Extent2D{Width: w, Height: h}
			c.MinImageExtent, c.MaxImageExtent = c.CurrentExtent, c.CurrentExtent
		}
	}
	return c, vk.Success
}

// GetPhysicalDeviceSurfaceCapabilitiesKHR is vkGetPhysicalDeviceSurfaceCapabilitiesKHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfaceCapabilitiesKHR(a *abi.GetPhysicalDeviceSurfaceCapabilitiesKHRArgs) (r vk.Result) {
	s := p.instance.surfaces.Get(uint64(a.Surface))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	*a.PSurfaceCapabilities, r = s.capabilities()
	return r
}

// GetPhysicalDeviceSurfaceCapabilities2KHR is vkGetPhysicalDeviceSurfaceCapabilities2KHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfaceCapabilities2KHR(a *abi.GetPhysicalDeviceSurfaceCapabilities2KHRArgs) (r vk.Result) {
	s := p.instance.surfaces.Get(uint64(a.PSurfaceInfo.Surface))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	c := &a.PSurfaceCapabilities.SurfaceCapabilities
	*c, r = s.capabilities()
	modes := slices.Clone(presentModes)
	if m := abi.Find[abi.SurfacePresentModeKHR](a.PSurfaceInfo.PNext); m != nil {
		if shares(m.PresentMode) {
			modes = slices.Clone(sharedPresentModes)
			c.MinImageCount, c.MaxImageCount = 1, 1
		}
		if n := slices.Index(modes, m.PresentMode); n > 0 { // first, for those who have room for few
			modes[0], modes[n] = modes[n], modes[0]
		}
	}
	s.fillCapabilities(a.PSurfaceCapabilities, modes)
	if u := abi.Find[abi.ImageUsageFlags2CreateInfoKHR](a.PSurfaceCapabilities.PNext); u != nil {
		u.Usage = vk.ImageUsageFlags2KHR(a.PSurfaceCapabilities.SurfaceCapabilities.SupportedUsageFlags)
	}
	return r
}

// surfaceFormats are those of all surfaces of the instance.
func (p *PhysicalDevice) surfaceFormats() []vk.SurfaceFormatKHR {
	return surfaceFormats(p.instance.extensions["VK_EXT_swapchain_colorspace"])
}

// GetPhysicalDeviceSurfaceFormatsKHR is vkGetPhysicalDeviceSurfaceFormatsKHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfaceFormatsKHR(a *abi.GetPhysicalDeviceSurfaceFormatsKHRArgs) vk.Result {
	return abi.Enumerate(a.PSurfaceFormatCount, a.PSurfaceFormats, p.surfaceFormats())
}

// GetPhysicalDeviceSurfaceFormats2KHR is vkGetPhysicalDeviceSurfaceFormats2KHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfaceFormats2KHR(a *abi.GetPhysicalDeviceSurfaceFormats2KHRArgs) vk.Result {
	formats := p.surfaceFormats()
	if a.PSurfaceFormats == nil {
		*a.PSurfaceFormatCount = uint32(len(formats))
		return vk.Success
	}
	out := abi.Slice(a.PSurfaceFormats, *a.PSurfaceFormatCount)
	n := 0
	for ; n < len(out) && n < len(formats); n++ {
		out[n].SurfaceFormat = formats[n] // sType and pNext are the caller's
	}
	*a.PSurfaceFormatCount = uint32(n)
	if n < len(formats) {
		return vk.Incomplete
	}
	return vk.Success
}

// GetPhysicalDeviceSurfacePresentModesKHR is vkGetPhysicalDeviceSurfacePresentModesKHR.
func (p *PhysicalDevice) GetPhysicalDeviceSurfacePresentModesKHR(a *abi.GetPhysicalDeviceSurfacePresentModesKHRArgs) vk.Result {
	return abi.Enumerate(a.PPresentModeCount, a.PPresentModes, slices.Concat(presentModes, sharedPresentModes))
}

// GetPhysicalDevicePresentRectanglesKHR is vkGetPhysicalDevicePresentRectanglesKHR.
func (p *PhysicalDevice) GetPhysicalDevicePresentRectanglesKHR(a *abi.GetPhysicalDevicePresentRectanglesKHRArgs) vk.Result {
	s := p.instance.surfaces.Get(uint64(a.Surface))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	c, r := s.capabilities()
	if r != vk.Success {
		return r
	}
	return abi.Enumerate(a.PRectCount, a.PRects, []abi.Rect2D{{Extent: c.CurrentExtent}})
}

// GetDeviceGroupPresentCapabilitiesKHR is vkGetDeviceGroupPresentCapabilitiesKHR.
func (d *Device) GetDeviceGroupPresentCapabilitiesKHR(a *abi.GetDeviceGroupPresentCapabilitiesKHRArgs) vk.Result {
	c := a.PDeviceGroupPresentCapabilities
	c.PresentMask = [len(c.PresentMask)]uint32{1}
	c.Modes = vk.DeviceGroupPresentModeLocalBitKHR
	return vk.Success
}

// GetDeviceGroupSurfacePresentModesKHR is vkGetDeviceGroupSurfacePresentModesKHR.
func (d *Device) GetDeviceGroupSurfacePresentModesKHR(a *abi.GetDeviceGroupSurfacePresentModesKHRArgs) vk.Result {
	*a.PModes = vk.DeviceGroupPresentModeLocalBitKHR
	return vk.Success
}
