package icd

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// stage is a window that says which picture it shows, by its first byte, and goes on when it may.
type stage struct {
	width, height uint32
	shown         chan []byte
	next          chan struct{} // nil: at once
}

func (w *stage) Extent(bool) (width, height uint32, ok bool) { return w.width, w.height, true }
func (w *stage) Close()                                      {}
func (w *stage) Show(pixels []byte, width, height, stride int) bool {
	var picture []byte
	for y := range height {
		picture = append(picture, pixels[y*stride:][:4*width]...)
	}
	w.shown <- picture
	if w.next != nil {
		<-w.next
	}
	return true
}

// put acquires an image, unless it is kept, makes all its bytes b, and presents it.
func (f *fixture) put(queue abi.Queue, chain abi.SwapchainKHR, b byte, kept bool, next unsafe.Pointer) {
	f.t.Helper()
	var index uint32
	if !kept {
		fence := f.fence()
		acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 120e9, Fence: fence, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &acquire)
		want(f.t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
		wait := abi.WaitForFencesArgs{Device: f.device, FenceCount: 1, PFences: &fence, WaitAll: 1, Timeout: 120e9}
		call(f, abi.OpWaitForFences, &wait)
		want(f.t, "vkWaitForFences", wait.Ret, vk.Success)
	}
	s := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice).swapchains.Get(uint64(chain))
	for i := range s.images[index].memory.Bytes() {
		s.images[index].memory.Bytes()[i] = b
	}
	present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{PNext: next, SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
	call(f, abi.OpQueuePresentKHR, &present)
	want(f.t, "vkQueuePresentKHR", present.Ret, vk.Success)
}

// settled waits until the presentation engine has what was presented.
func (f *fixture) settled(queue abi.Queue) {
	f.t.Helper()
	idle := abi.QueueWaitIdleArgs{Queue: queue}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(f.t, "vkQueueWaitIdle", idle.Ret, vk.Success)
}

// staged is a surface on a stage, and the device's queue.
func (f *fixture) staged(w *stage) (abi.SurfaceKHR, abi.Queue) {
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	return abi.SurfaceKHR(d.instance.surfaces.Put(&Surface{window: w})), queue
}

// TestPresentModes_PicturesInOneCycle: of three pictures that come while one is shown, FIFO shows
// all, and a mailbox and FIFO_LATEST_READY the last (VkPresentModeKHR). A mailbox's picture makes
// way for one of another mode. The one image that program and display share is shown once more, as
// it is then.
func TestPresentModes_PicturesInOneCycle(t *testing.T) {
	const fifo, mailbox, latest = vk.PresentModeFifoKHR, vk.PresentModeMailboxKHR, vk.PresentModeFifoLatestReadyKHR
	const immediate, relaxed = vk.PresentModeImmediateKHR, vk.PresentModeFifoRelaxedKHR
	const demand = vk.PresentModeSharedDemandRefreshKHR
	for _, c := range []struct {
		modes [4]vk.PresentModeKHR
		want  []byte
	}{
		{[4]vk.PresentModeKHR{fifo, fifo, fifo, fifo}, []byte{1, 2, 3, 4}},
		{[4]vk.PresentModeKHR{relaxed, relaxed, relaxed, relaxed}, []byte{1, 2, 3, 4}},
		{[4]vk.PresentModeKHR{immediate, immediate, immediate, immediate}, []byte{1, 2, 3, 4}},
		{[4]vk.PresentModeKHR{mailbox, mailbox, mailbox, mailbox}, []byte{1, 4}},
		{[4]vk.PresentModeKHR{latest, latest, latest, latest}, []byte{1, 4}},
		{[4]vk.PresentModeKHR{fifo, fifo, mailbox, mailbox}, []byte{1, 2, 4}},
		{[4]vk.PresentModeKHR{fifo, mailbox, fifo, fifo}, []byte{1, 3, 4}},
		{[4]vk.PresentModeKHR{fifo, latest, latest, fifo}, []byte{1, 3, 4}},
		{[4]vk.PresentModeKHR{fifo, fifo, immediate, immediate}, []byte{1, 2, 3, 4}},
		{[4]vk.PresentModeKHR{demand, demand, demand, demand}, []byte{1, 4}},
	} {
		f := newTest(t)
		w := &stage{width: 8, height: 8, shown: make(chan []byte, 8), next: make(chan struct{})}
		surface, queue := f.staged(w)
		images := uint32(4)
		if shares(c.modes[0]) {
			images = 1
		}
		chain := f.swapchain(surface, images, c.modes[0])
		var got []byte
		fence := f.fence()
		for n, mode := range c.modes {
			how := &abi.SwapchainPresentModeInfoKHR{SwapchainCount: 1, PPresentModes: &mode}
			how.SType = how.StructureType()
			if n == len(c.modes)-1 {
				with := &abi.SwapchainPresentFenceInfoKHR{SwapchainCount: 1, PFences: &fence}
				with.SType = with.StructureType()
				how.PNext = unsafe.Pointer(with)
			}
			f.put(queue, chain, byte(1+n), n > 0 && images == 1, unsafe.Pointer(how))
			f.settled(queue)
			if n == 0 {
				got = append(got, (<-w.shown)[0]) // the window is busy with it until all are there
			}
		}
		close(w.next)
		wait := abi.WaitForFencesArgs{Device: f.device, FenceCount: 1, PFences: &fence, WaitAll: 1, Timeout: 120e9}
		call(f, abi.OpWaitForFences, &wait)
		want(t, "the last picture's fence", wait.Ret, vk.Success)
		call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
		for len(w.shown) > 0 {
			got = append(got, (<-w.shown)[0])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: pictures %v, want %v", c.modes, got, c.want)
		}
	}
}

// TestMailbox_FencesInOrder: the fence of a picture that was replaced is not signaled before that
// of the picture being shown (VkSwapchainPresentFenceInfoKHR).
func TestMailbox_FencesInOrder(t *testing.T) {
	f := newTest(t)
	w := &stage{width: 8, height: 8, shown: make(chan []byte, 8), next: make(chan struct{})}
	surface, queue := f.staged(w)
	chain := f.swapchain(surface, 4, vk.PresentModeMailboxKHR)
	var fences [3]abi.Fence
	signaled := func(n int) bool {
		a := abi.GetFenceStatusArgs{Device: f.device, Fence: fences[n]}
		call(f, abi.OpGetFenceStatus, &a)
		return a.Ret == vk.Success
	}
	for n := range fences {
		fences[n] = f.fence()
		with := &abi.SwapchainPresentFenceInfoKHR{SwapchainCount: 1, PFences: &fences[n]}
		with.SType = with.StructureType()
		f.put(queue, chain, byte(1+n), false, unsafe.Pointer(with))
		f.settled(queue)
		if n == 0 {
			<-w.shown
		}
	}
	if signaled(1) || signaled(0) {
		t.Errorf("before the first picture is shown: fences %v, %v", signaled(0), signaled(1))
	}
	close(w.next)
	wait := abi.WaitForFencesArgs{Device: f.device, FenceCount: 3, PFences: &fences[0], WaitAll: 1, Timeout: 120e9}
	call(f, abi.OpWaitForFences, &wait)
	want(t, "all fences", wait.Ret, vk.Success)
	if got := <-w.shown; got[0] != 3 || len(w.shown) != 0 {
		t.Errorf("picture %d, want 3; %d more", got[0], len(w.shown))
	}
}

// TestPresentRequest_Due: when pictures are shown, of a display whose last cycle began at 100 ms.
func TestPresentRequest_Due(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	cycle := at(100).Add(refreshDuration)
	zero := time.Time{}
	for _, c := range []struct {
		what    string
		p       presentation
		visible time.Time
		want    time.Time
	}{
		{"FIFO", presentation{shown: true, mode: vk.PresentModeFifoKHR}, zero, cycle},
		{"immediate", presentation{shown: true, mode: vk.PresentModeImmediateKHR}, zero, zero},
		{"demand", presentation{shown: true, mode: vk.PresentModeSharedDemandRefreshKHR}, zero, zero},
		{"not shown", presentation{mode: vk.PresentModeFifoKHR}, zero, zero},
		{"at a time", presentation{shown: true, mode: vk.PresentModeFifoKHR, at: at(200)}, zero, at(200)},
		{"at a time in the cycle", presentation{shown: true, mode: vk.PresentModeFifoKHR, at: at(101)}, zero, cycle},
		{"immediate, at a time", presentation{shown: true, mode: vk.PresentModeImmediateKHR, at: at(200)}, zero, at(200)},
		{"immediate, in years", presentation{shown: true, mode: vk.PresentModeImmediateKHR, at: start.Add(1 << 62)}, zero, at(150).Add(maxTargetDelay)},
		{"after the last", presentation{shown: true, mode: vk.PresentModeFifoKHR, relative: true, after: time.Second}, at(300), at(1300)},
		{"after none", presentation{shown: true, mode: vk.PresentModeFifoKHR, relative: true, after: time.Second}, zero, cycle},
		{"in years", presentation{shown: true, mode: vk.PresentModeFifoKHR, at: start.Add(1 << 62)}, zero, at(150).Add(maxTargetDelay)},
	} {
		r := &presentRequest{presentation: c.p, swapchain: &Swapchain{device: d, surface: &Surface{}, visible: c.visible}, first: at(150)}
		if got := r.due(at(100)); !got.Equal(c.want) {
			t.Errorf("%s: %v after the start, want %v", c.what, got.Sub(start), c.want.Sub(start))
		}
	}
}

// TestDestroySwapchain_PictureForLater: a swapchain does not wait for the time that its program
// wanted, and its fence is signaled.
func TestDestroySwapchain_PictureForLater(t *testing.T) {
	f := newTest(t)
	w := &stage{width: 8, height: 8, shown: make(chan []byte, 8)}
	surface, queue := f.staged(w)
	chain := f.swapchain(surface, 2, vk.PresentModeFifoKHR)
	fence := f.fence()
	fences := &abi.SwapchainPresentFenceInfoKHR{SwapchainCount: 1, PFences: &fence}
	fences.SType = fences.StructureType()
	when := &abi.PresentTimingsInfoEXT{PNext: unsafe.Pointer(fences), SwapchainCount: 1, PTimingInfos: &abi.PresentTimingInfoEXT{TargetTime: 1 << 63}}
	when.SType = when.StructureType()
	f.put(queue, chain, 1, false, unsafe.Pointer(when))
	f.settled(queue)
	begun := time.Now()
	call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
	if took := time.Since(begun); took > maxTargetDelay/2 {
		t.Errorf("it took %v", took)
	}
	status := abi.GetFenceStatusArgs{Device: f.device, Fence: fence}
	call(f, abi.OpGetFenceStatus, &status)
	want(t, "the fence", status.Ret, vk.Success)
	if len(w.shown) != 0 {
		t.Error("the picture was shown")
	}
}

// TestSharedPresentableImage: one image, acquired once, is shown with each presentation, or again
// and again (VK_KHR_shared_presentable_image).
func TestSharedPresentableImage(t *testing.T) {
	for _, mode := range sharedPresentModes {
		f := newTest(t)
		w := &stage{width: 8, height: 8, shown: make(chan []byte), next: nil}
		surface, queue := f.staged(w)
		caps := abi.GetPhysicalDeviceSurfaceCapabilities2KHRArgs{PhysicalDevice: f.physical, PSurfaceCapabilities: &abi.SurfaceCapabilities2KHR{}}
		of := &abi.SurfacePresentModeKHR{PresentMode: mode}
		of.SType = of.StructureType()
		caps.PSurfaceInfo = &abi.PhysicalDeviceSurfaceInfo2KHR{PNext: unsafe.Pointer(of), Surface: surface}
		call(f, abi.OpGetPhysicalDeviceSurfaceCapabilities2KHR, &caps)
		if c := caps.PSurfaceCapabilities.SurfaceCapabilities; c.MinImageCount != 1 || c.MaxImageCount != 1 {
			t.Errorf("%v: %d to %d images, want 1", mode, c.MinImageCount, c.MaxImageCount)
		}
		chain := f.swapchain(surface, 1, mode)
		for n := range 2 {
			f.put(queue, chain, byte(1+n), n > 0, nil)
			if got := (<-w.shown)[0]; got != byte(1+n) && mode == vk.PresentModeSharedDemandRefreshKHR {
				t.Errorf("%v: picture %d, want %d", mode, got, 1+n)
			}
		}
		var index uint32
		again := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &again)
		want(t, "acquiring the image again", again.Ret, vk.NotReady)
		status := abi.GetSwapchainStatusKHRArgs{Device: f.device, Swapchain: chain}
		call(f, abi.OpGetSwapchainStatusKHR, &status)
		want(t, "vkGetSwapchainStatusKHR", status.Ret, vk.Success)
		if mode == vk.PresentModeSharedContinuousRefreshKHR {
			for range 3 {
				<-w.shown
			}
		}
		w.width = 9
		call(f, abi.OpGetSwapchainStatusKHR, &status)
		want(t, "of another size", status.Ret, vk.SuboptimalKHR)
		destroyed := make(chan struct{})
		go func() {
			call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
			close(destroyed)
		}()
		for done := false; !done; {
			select {
			case <-w.shown: // as it goes
			case <-destroyed:
				done = true
			}
		}
		select {
		case <-w.shown:
			t.Errorf("%v: the picture of a swapchain that is gone", mode)
		case <-time.After(3 * refreshDuration):
		}
	}
}

// TestWorse_Order: the order of results of vkQueuePresentKHR.
func TestWorse_Order(t *testing.T) {
	order := []vk.Result{vk.ErrorSurfaceLostKHR, vk.ErrorOutOfDateKHR, vk.ErrorPresentTimingQueueFullEXT, vk.SuboptimalKHR, vk.Success}
	for i, a := range order {
		for j, b := range order {
			if got := worse(a, b); got != order[min(i, j)] {
				t.Errorf("%v and %v: %v", a, b, got)
			}
		}
	}
}
