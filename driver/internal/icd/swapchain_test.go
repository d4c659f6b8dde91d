package icd

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestSemaphore_SignaledAheadOfItsWait: programs acquire an image with a semaphore
// that the queue is still to wait for. Both waits end.
func TestSemaphore_SignaledAheadOfItsWait(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	var h abi.Semaphore
	create := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: &h}
	call(f, abi.OpCreateSemaphore, &create)
	want(t, "vkCreateSemaphore", create.Ret, vk.Success)
	s := d.semaphores.Get(uint64(h)).current()
	s.signal(0)
	s.signal(0)
	for wait, want := range []bool{true, true, false} {
		if got := s.passed(0); got != want {
			t.Errorf("after two signals, wait %d passes: %v, want %v", wait+1, got, want)
		}
	}
}

// headless is a surface without a window.
func (f *fixture) headless() (surface abi.SurfaceKHR) {
	f.t.Helper()
	create := abi.CreateHeadlessSurfaceEXTArgs{Instance: f.instance, PCreateInfo: &abi.HeadlessSurfaceCreateInfoEXT{}, PSurface: &surface}
	call(f, abi.OpCreateHeadlessSurfaceEXT, &create)
	want(f.t, "vkCreateHeadlessSurfaceEXT", create.Ret, vk.Success)
	return surface
}

// swapchain is one of pictures of 8x8 texels.
func (f *fixture) swapchain(surface abi.SurfaceKHR, images uint32, mode vk.PresentModeKHR) (chain abi.SwapchainKHR) {
	f.t.Helper()
	swap := abi.CreateSwapchainKHRArgs{Device: f.device, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{
		Surface: surface, MinImageCount: images, ImageFormat: vk.FormatB8G8R8A8Unorm, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageTransferDstBit, PresentMode: mode,
	}}
	call(f, abi.OpCreateSwapchainKHR, &swap)
	want(f.t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
	return chain
}

// TestSwapchain_Headless: images are acquired, presented and acquired again.
func TestSwapchain_Headless(t *testing.T) {
	f := newTest(t)
	surface := f.headless()
	var chain abi.SwapchainKHR
	info := abi.SwapchainCreateInfoKHR{
		Surface: surface, MinImageCount: 2, ImageFormat: vk.FormatB8G8R8A8Unorm, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageColorAttachmentBit | vk.ImageUsageTransferDstBit, PresentMode: vk.PresentModeImmediateKHR,
	}
	swap := abi.CreateSwapchainKHRArgs{Device: f.device, PCreateInfo: &info, PSwapchain: &chain}
	call(f, abi.OpCreateSwapchainKHR, &swap)
	want(t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	var index uint32
	acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, PImageIndex: &index}
	acquired := 0
	for call(f, abi.OpAcquireNextImageKHR, &acquire); acquire.Ret == vk.Success; call(f, abi.OpAcquireNextImageKHR, &acquire) {
		acquired++
	}
	want(t, "all images are taken", acquire.Ret, vk.NotReady)
	if acquired < 2 {
		t.Fatalf("%d images", acquired)
	}
	for n := range 5 {
		present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
		call(f, abi.OpQueuePresentKHR, &present)
		want(t, "vkQueuePresentKHR", present.Ret, vk.Success)
		acquire.Timeout = 120e9
		call(f, abi.OpAcquireNextImageKHR, &acquire)
		want(t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
		if n == 4 { // a new swapchain takes the old one's place
			info.OldSwapchain = chain
			old := chain
			call(f, abi.OpCreateSwapchainKHR, &swap)
			want(t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
			acquire.Swapchain = old
			call(f, abi.OpAcquireNextImageKHR, &acquire)
			want(t, "a retired swapchain", acquire.Ret, vk.ErrorOutOfDateKHR)
		}
	}
}

// resized is a window that has another size than its pictures.
type resized struct {
	width, height uint32
	shown         chan [2]int
}

func (w *resized) Extent(bool) (width, height uint32, ok bool) {
	return w.width, w.height, w.width != 0
}
func (w *resized) Close() {}
func (w *resized) Show(_ []byte, width, height, _ int) bool {
	w.shown <- [2]int{width, height}
	return true
}

// TestSwapchain_Resized: pictures of another size than the window are still shown, and
// the program is told; a window that is gone is an error.
func TestSwapchain_Resized(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	w := &resized{8, 8, make(chan [2]int, 2)}
	surface := abi.SurfaceKHR(d.instance.surfaces.Put(&Surface{window: w}))
	chain := f.swapchain(surface, 2, vk.PresentModeImmediateKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	for _, c := range []struct {
		width uint32
		want  vk.Result
	}{{8, vk.Success}, {5, vk.SuboptimalKHR}, {13, vk.SuboptimalKHR}, {0, vk.ErrorSurfaceLostKHR}} {
		var index uint32
		w.width = max(c.width, 1)
		acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 1e10, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &acquire)
		if acquire.Ret < 0 {
			t.Fatalf("width %d: acquiring: %v", c.width, acquire.Ret)
		}
		if c.width != 0 {
			want(t, "vkAcquireNextImageKHR", acquire.Ret, c.want)
		}
		w.width = c.width
		result := vk.Incomplete
		present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index, PResults: &result}}
		call(f, abi.OpQueuePresentKHR, &present)
		want(t, "vkQueuePresentKHR", present.Ret, c.want)
		want(t, "its result", result, c.want)
		if c.want >= 0 {
			if got := <-w.shown; got != [2]int{8, 8} {
				t.Errorf("width %d: a picture of %v", c.width, got)
			}
		}
	}
	call(f, abi.OpQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: queue})
	if len(w.shown) != 0 {
		t.Error("a picture for a window that is gone")
	}
}

// TestSwapchain_AcquireAheadOfSlowWork: while pictures wait for work that takes long, a
// program gets the image of the oldest at once, and its fence when that has been shown.
func TestSwapchain_AcquireAheadOfSlowWork(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	surface := f.headless()
	chain := f.swapchain(surface, 3, vk.PresentModeImmediateKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	var work abi.Semaphore
	made := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: &work}
	call(f, abi.OpCreateSemaphore, &made)
	newFence := func() (h abi.Fence) {
		a := abi.CreateFenceArgs{Device: f.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &h}
		call(f, abi.OpCreateFence, &a)
		want(t, "vkCreateFence", a.Ret, vk.Success)
		return h
	}
	acquire := func(fence abi.Fence, r vk.Result) (index uint32) {
		t.Helper()
		a := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Fence: fence, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &a)
		want(t, "vkAcquireNextImageKHR", a.Ret, r)
		return index
	}
	signaled := func(fence abi.Fence, timeout uint64) vk.Result {
		a := abi.WaitForFencesArgs{Device: f.device, FenceCount: 1, PFences: &fence, WaitAll: 1, Timeout: timeout}
		call(f, abi.OpWaitForFences, &a)
		return a.Ret
	}
	var taken [3]uint32
	for n := range taken {
		fence := newFence()
		taken[n] = acquire(fence, vk.Success)
		want(t, "the fence of a free image", signaled(fence, 0), vk.Success)
	}
	acquire(newFence(), vk.NotReady)
	order := []uint32{taken[1], taken[0]}
	for n, index := range order { // the first waits for work, the second for the first
		info := &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}
		if n == 0 {
			info.WaitSemaphoreCount, info.PWaitSemaphores = 1, &work
		}
		a := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: info}
		call(f, abi.OpQueuePresentKHR, &a)
		want(t, "vkQueuePresentKHR", a.Ret, vk.Success)
	}
	var fences [2]abi.Fence
	for n, index := range order {
		fences[n] = newFence()
		if got := acquire(fences[n], vk.Success); got != index {
			t.Errorf("image %d was acquired, want %d: it was presented first", got, index)
		}
		want(t, "the fence of an image not yet shown", signaled(fences[n], 0), vk.Timeout)
	}
	acquire(newFence(), vk.NotReady)
	// The first is presented once more, after its fence, as programs do that render first.
	var again abi.Semaphore
	made.PSemaphore = &again
	call(f, abi.OpCreateSemaphore, &made)
	a := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain,
		PImageIndices: &order[0], WaitSemaphoreCount: 1, PWaitSemaphores: &again}}
	call(f, abi.OpQueuePresentKHR, &a)
	want(t, "vkQueuePresentKHR", a.Ret, vk.Success)
	d.semaphores.Get(uint64(work)).current().signal(0)
	d.sync.broadcast()
	want(t, "the fence of an image shown", signaled(fences[0], 1e10), vk.Success)
	d.semaphores.Get(uint64(again)).current().signal(0)
	d.sync.broadcast()
	for _, fence := range fences {
		want(t, "the fence of an image shown", signaled(fence, 1e10), vk.Success)
	}
}

// TestSwapchain_AcquireTwoPicturesAhead: of images that are in the queue twice, none is acquired
// before one has been shown, or patience is at its end.
func TestSwapchain_AcquireTwoPicturesAhead(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	chain := f.swapchain(f.headless(), 2, vk.PresentModeFifoKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	var work [4]abi.Semaphore // one for each picture
	for n := range work {
		made := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: &work[n]}
		call(f, abi.OpCreateSemaphore, &made)
		want(t, "vkCreateSemaphore", made.Ret, vk.Success)
	}
	acquire := func(timeout uint64, r vk.Result) (index uint32) {
		t.Helper()
		a := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: timeout, Fence: f.fence(), PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &a)
		want(t, "vkAcquireNextImageKHR", a.Ret, r)
		return index
	}
	done := func(n int) {
		d.semaphores.Get(uint64(work[n])).current().signal(0)
		d.sync.broadcast()
	}
	presented := time.Now()
	for n := range work {
		index := acquire(0, vk.Success)
		a := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index,
			WaitSemaphoreCount: 1, PWaitSemaphores: &work[n]}}
		call(f, abi.OpQueuePresentKHR, &a)
		want(t, "vkQueuePresentKHR", a.Ret, vk.Success)
	}
	acquire(0, vk.NotReady)
	acquire(1e6, vk.Timeout)
	done(0)
	if got := acquire(1e11, vk.Success); got != 0 {
		t.Errorf("image %d was acquired, want 0: it was shown", got)
	}
	acquire(1e11, vk.Success) // the other: who waits longer has a reason
	if waited := time.Since(presented); waited < patience {
		t.Errorf("an image that is in the queue twice was acquired after %v", waited)
	}
	for n := range work {
		done(n)
	}
}

// slowWindow shows a picture when it is let to, and looks at it then.
type slowWindow struct {
	begun, end chan struct{}
	closed     atomic.Bool
	bad        atomic.Int32
}

func (w *slowWindow) Extent(bool) (width, height uint32, ok bool) { return 8, 8, true }
func (w *slowWindow) Close()                                      { w.closed.Store(true) }
func (w *slowWindow) Show(pixels []byte, _, height, stride int) bool {
	if len(pixels) < (height-1)*stride+4*8 || w.closed.Load() {
		w.bad.Add(1)
		return false
	}
	w.begun <- struct{}{}
	<-w.end
	_ = string(pixels) // read while they are shown
	return true
}

// A program cannot know when its picture is shown. Swapchain and surface can go before
// it is, which waits for the picture being shown and drops the others.
func TestDestroySwapchain_PicturesStillToBeShown(t *testing.T) {
	f := newTest(t)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	f.driver.cfg.HeapMemory = false // memory that is given back cannot be read
	f.device = f.open()
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	w := &slowWindow{begun: make(chan struct{}), end: make(chan struct{})}
	surface := abi.SurfaceKHR(d.instance.surfaces.Put(&Surface{window: w}))
	chain := f.swapchain(surface, 3, vk.PresentModeImmediateKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	for range 2 {
		var index uint32
		acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 1e10, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &acquire)
		want(t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
		present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
		call(f, abi.OpQueuePresentKHR, &present)
		want(t, "vkQueuePresentKHR", present.Ret, vk.Success)
	}
	<-w.begun // the first picture is being shown, the second waits
	destroyed := make(chan struct{})
	go func() {
		call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
		call(f, abi.OpDestroySurfaceKHR, &abi.DestroySurfaceKHRArgs{Instance: f.instance, Surface: surface})
		close(destroyed)
	}()
	select {
	case <-destroyed:
		t.Error("the swapchain went while its picture was being shown")
	case <-time.After(20 * time.Millisecond):
	}
	close(w.end)
	for done := false; !done; {
		select {
		case <-w.begun: // the second picture came first
		case <-destroyed:
			done = true
		}
	}
	idle := abi.QueueWaitIdleArgs{Queue: queue}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(t, "vkQueueWaitIdle", idle.Ret, vk.Success)
	if n := w.bad.Load(); n != 0 || !w.closed.Load() {
		t.Errorf("%d pictures of a swapchain, or on a window, that is gone; closed: %v", n, w.closed.Load())
	}
}
