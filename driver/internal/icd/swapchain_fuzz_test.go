package icd

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// fickle is a window that changes its size, is gone and takes its time.
type fickle struct{ width, shows atomic.Uint32 }

func (w *fickle) Extent(bool) (width, height uint32, ok bool) {
	n := w.width.Load()
	return n, 8, n != 0
}

func (w *fickle) Close() {}

func (w *fickle) Show(pixels []byte, width, height, stride int) bool {
	if height > 0 && len(pixels) < (height-1)*stride+4*width {
		panic("a picture of fewer bytes than it says")
	}
	if w.shows.Add(1)%7 == 0 {
		time.Sleep(50 * time.Microsecond)
	}
	return w.width.Load() != 0
}

// chains is a run of FuzzSwapchain.
type chains struct {
	filler
	f        *fixture
	window   *fickle
	surfaces []abi.SurfaceKHR
	list     []abi.SwapchainKHR // living and destroyed ones
	queue    abi.Queue
	fence    abi.Fence
	id       uint64
}

// FuzzSwapchain creates, acquires, presents, waits, releases, replaces and destroys in
// any order, on a window that changes and one that there is not: each call ends, with a
// result that it may have, and nothing is touched that is not there.
func FuzzSwapchain(f *testing.F) {
	for i := range 24 {
		f.Add(anyProgram(uint32(i)*2654435761+7, 60+10*i))
	}
	log := &reports{}
	driver := New(Config{Threads: 1, GuardMemory: memory.Guard, MemoryLimit: 64 << 20, Log: log})
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 2048 {
			return
		}
		slow := time.AfterFunc(2*time.Minute, func() { panic("a call does not end") })
		defer slow.Stop()
		log.take()
		s := &chains{filler: filler{left: program}, f: &fixture{t: t, driver: driver}, window: &fickle{}}
		s.window.width.Store(8)
		s.open()
		for len(s.left) > 0 {
			s.step()
			if text := log.take(); strings.Contains(text, "defect of the driver") {
				t.Fatal(text)
			}
		}
		s.close()
		if text := log.take(); strings.Contains(text, "defect of the driver") {
			t.Fatal(text)
		}
	})
}

func (s *chains) open() {
	f := s.f
	call(f, abi.OpCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{}, PInstance: &f.instance})
	n := uint32(1)
	call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
	f.device = f.openWith(nil)
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &s.queue})
	s.fence = f.fence()
	instance := resolve(&f.driver.instances, unsafe.Pointer(f.instance), abi.LevelInstance)
	s.surfaces = []abi.SurfaceKHR{f.headless(), abi.SurfaceKHR(instance.surfaces.Put(&Surface{window: s.window})), 0}
}

func (s *chains) close() {
	f := s.f
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: f.instance})
}

// any is a swapchain, now and then one that is destroyed or never was.
func (s *chains) any() abi.SwapchainKHR {
	if len(s.list) == 0 || s.below(12) == 11 {
		return abi.SwapchainKHR(s.number())
	}
	return s.list[len(s.list)-1-s.below(min(3, len(s.list)))]
}

// may fails the test if a call had a result that its kind of call cannot have.
func (s *chains) may(what string, got vk.Result, results ...vk.Result) {
	for _, r := range append(results, vk.Success, vk.ErrorValidationFailed, vk.ErrorOutOfHostMemory, vk.ErrorOutOfDeviceMemory, vk.ErrorDeviceLost, vk.ErrorSurfaceLostKHR) {
		if got == r {
			return
		}
	}
	s.f.t.Fatalf("%s: %v", what, got)
}

func (s *chains) step() {
	f := s.f
	switch s.below(10) {
	case 0, 1:
		s.create()
	case 2, 3, 4:
		var index uint32
		a := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: s.any(), Timeout: uint64(s.below(3)) * 1e5, PImageIndex: &index}
		if s.below(4) == 0 {
			call(f, abi.OpResetFences, &abi.ResetFencesArgs{Device: f.device, FenceCount: 1, PFences: &s.fence})
			a.Fence = s.fence
		}
		call(f, abi.OpAcquireNextImageKHR, &a)
		s.may("vkAcquireNextImageKHR", a.Ret, vk.NotReady, vk.Timeout, vk.SuboptimalKHR, vk.ErrorOutOfDateKHR)
	case 5, 6:
		s.present()
	case 7:
		a := abi.WaitForPresentKHRArgs{Device: f.device, Swapchain: s.any(), PresentId: s.number(), Timeout: uint64(s.below(3)) * 1e5}
		call(f, abi.OpWaitForPresentKHR, &a)
		s.may("vkWaitForPresentKHR", a.Ret, vk.Timeout, vk.SuboptimalKHR, vk.ErrorOutOfDateKHR)
	case 8:
		indices := [4]uint32{uint32(s.number()), 0, 1, 2}
		a := abi.ReleaseSwapchainImagesKHRArgs{Device: f.device, PReleaseInfo: &abi.ReleaseSwapchainImagesInfoKHR{Swapchain: s.any(), ImageIndexCount: uint32(s.below(5)), PImageIndices: &indices[0]}}
		call(f, abi.OpReleaseSwapchainImagesKHR, &a)
		s.may("vkReleaseSwapchainImagesKHR", a.Ret)
	case 9:
		switch s.below(5) {
		case 3:
			a := abi.SetSwapchainPresentTimingQueueSizeEXTArgs{Device: f.device, Swapchain: s.any(), Size: uint32(s.below(5))}
			call(f, abi.OpSetSwapchainPresentTimingQueueSizeEXT, &a)
			s.may("vkSetSwapchainPresentTimingQueueSizeEXT", a.Ret, vk.NotReady)
		case 4:
			var stages [3][4]abi.PresentStageTimeEXT
			var out [3]abi.PastPresentationTimingEXT
			for i := range out {
				out[i].PPresentStages, out[i].PresentStageCount = &stages[i][0], uint32(s.below(5))
			}
			a := abi.GetPastPresentationTimingEXTArgs{Device: f.device,
				PPastPresentationTimingInfo:       &abi.PastPresentationTimingInfoEXT{Flags: vk.PastPresentationTimingFlagsEXT(s.below(4)), Swapchain: s.any()},
				PPastPresentationTimingProperties: &abi.PastPresentationTimingPropertiesEXT{PresentationTimingCount: uint32(s.below(4)), PPresentationTimings: &out[0]}}
			call(f, abi.OpGetPastPresentationTimingEXT, &a)
			s.may("vkGetPastPresentationTimingEXT", a.Ret, vk.Incomplete)
		case 0:
			s.window.width.Store(uint32(s.below(20)))
		case 1:
			call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: s.any()})
		case 2:
			var n uint32
			images := make([]abi.Image, 4)
			a := abi.GetSwapchainImagesKHRArgs{Device: f.device, Swapchain: s.any(), PSwapchainImageCount: &n}
			call(f, abi.OpGetSwapchainImagesKHR, &a)
			n, a.PSwapchainImages = min(n, uint32(s.below(5))), &images[0]
			call(f, abi.OpGetSwapchainImagesKHR, &a)
			s.may("vkGetSwapchainImagesKHR", a.Ret, vk.Incomplete)
		}
	}
}

func (s *chains) create() {
	if len(s.list) > 12 {
		return
	}
	var chain abi.SwapchainKHR
	info := &abi.SwapchainCreateInfoKHR{
		Surface: s.surfaces[s.below(3)], MinImageCount: uint32(1 + s.below(4)), ImageFormat: vk.FormatB8G8R8A8Unorm,
		ImageExtent: vk.Extent2D{Width: 8, Height: 8}, ImageArrayLayers: 1, ImageUsage: vk.ImageUsageTransferDstBit, PresentMode: slices.Concat(presentModes, sharedPresentModes)[s.below(7)],
	}
	if s.below(3) == 0 {
		scale := &abi.SwapchainPresentScalingCreateInfoKHR{ScalingBehavior: 1 << s.below(4), PresentGravityX: 1 << s.below(4), PresentGravityY: 1 << s.below(4)}
		scale.SType = scale.StructureType()
		info.PNext = unsafe.Pointer(scale)
	}
	switch s.below(8) {
	case 0:
		info.ImageExtent.Width = uint32(s.below(40))
	case 1:
		info.MinImageCount, info.ImageArrayLayers = uint32(s.number()), uint32(s.number())
	case 2:
		info.ImageFormat, info.ImageUsage = vk.Format(s.below(200)), vk.ImageUsageFlags(s.number())
	case 3:
		info.Flags, info.PresentMode = vk.SwapchainCreateFlagsKHR(s.below(32)), vk.PresentModeKHR(s.number())
	}
	if s.below(3) == 0 {
		info.OldSwapchain = s.any()
	}
	a := abi.CreateSwapchainKHRArgs{Device: s.f.device, PSwapchain: &chain, PCreateInfo: info}
	call(s.f, abi.OpCreateSwapchainKHR, &a)
	s.may("vkCreateSwapchainKHR", a.Ret, vk.ErrorNativeWindowInUseKHR, vk.ErrorInitializationFailed, vk.ErrorFormatNotSupported, vk.ErrorFeatureNotPresent)
	if a.Ret == vk.Success {
		s.list = append(s.list, chain)
	}
}

// present presents images of up to two swapchains.
func (s *chains) present() {
	n := 1 + s.below(2)
	list, results := [2]abi.SwapchainKHR{s.any(), s.any()}, [2]vk.Result{}
	indices := [2]uint32{uint32(s.below(4)), uint32(s.number())}
	info := &abi.PresentInfoKHR{SwapchainCount: uint32(n), PSwapchains: &list[0], PImageIndices: &indices[0]}
	if s.below(2) == 0 {
		info.PResults = &results[0]
	}
	if s.below(2) == 0 {
		s.id++
		ids := [2]uint64{s.id, s.number()}
		chain := &abi.PresentIdKHR{SwapchainCount: uint32(n), PPresentIds: &ids[0]}
		chain.SType = chain.StructureType()
		info.PNext = unsafe.Pointer(chain)
	}
	if s.below(3) == 0 {
		times := [2]abi.PresentTimingInfoEXT{}
		for i := range times {
			times[i] = abi.PresentTimingInfoEXT{Flags: vk.PresentTimingInfoFlagsEXT(s.below(4)), TimeDomainId: uint64(s.below(3)), PresentStageQueries: vk.PresentStageFlagsEXT(s.number())}
			if times[i].TargetTime = s.number(); s.below(2) == 0 {
				times[i].TargetTime = 0
			}
		}
		chain := &abi.PresentTimingsInfoEXT{PNext: info.PNext, SwapchainCount: uint32(n), PTimingInfos: &times[0]}
		chain.SType = chain.StructureType()
		info.PNext = unsafe.Pointer(chain)
	}
	if s.below(4) == 0 {
		modes := [2]vk.PresentModeKHR{presentModes[s.below(5)], presentModes[s.below(5)]}
		chain := &abi.SwapchainPresentModeInfoKHR{PNext: info.PNext, SwapchainCount: uint32(n), PPresentModes: &modes[0]}
		chain.SType = chain.StructureType()
		info.PNext = unsafe.Pointer(chain)
	}
	a := abi.QueuePresentKHRArgs{Queue: s.queue, PPresentInfo: info}
	call(s.f, abi.OpQueuePresentKHR, &a)
	s.may("vkQueuePresentKHR", a.Ret, vk.SuboptimalKHR, vk.ErrorOutOfDateKHR, vk.ErrorPresentTimingQueueFullEXT)
}
