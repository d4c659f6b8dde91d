package icd

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Swapchain is a VkSwapchainKHR: images that are copied to the surface's window
// when they are presented.
type Swapchain struct {
	device  *Device
	surface *Surface
	extent  vk.Extent2D
	scaling scaling
	images  []swapchainImage

	showable bool        // windows take the images' texels
	convert  *converter  // under surface.showing: makes them those of windows; nil: they are
	gone     atomic.Bool // destroyed; changes under surface.showing
	visible  time.Time   // under surface.presenter.mu: when the last picture was shown

	mu        sync.Mutex
	mode      vk.PresentModeKHR // of presentations that don't name another
	retired   bool
	next      int    // where the search for a free image begins
	turns     uint64 // presentations so far
	presented uint64 // the largest id of a picture shown, or replaced (VK_KHR_present_id)
	timings   timings
}

// swapchainImage is an image of a swapchain. One that a queue is still to show may be
// acquired again: its semaphore and fence are signaled when it has been shown.
type swapchainImage struct {
	handle   abi.Image
	memory   *core.Memory
	id       uint64    // of the memory, in reports
	pitch    int       // bytes from row to row
	shared   bool      // another process can map the memory
	offered  bool      // under surface.showing: it has been, to the window
	segment  uint32    // under surface.showing: the window's name for the memory; 0: none
	acquired bool      // by the program, which has not presented it since
	queued   int       // presentations that queues are still to carry out
	turn     uint64    // of the last of them, among the swapchain's
	since    time.Time // when the program asked for that one
	waiting  []acquisition
}

// patience is how long a program waits for an image that queues are to show twice already. Displays
// need less, so it does not run far ahead of them; and work may take longer than programs are ready
// to wait.
const patience = 500 * time.Millisecond

// early says that the program may acquire the image, though it is not free.
func (im *swapchainImage) early() bool { return im.queued < 2 || time.Since(im.since) >= patience }

// acquisition is what to signal when an image has been shown in a turn.
type acquisition struct {
	turn    uint64
	signals []*payload
}

// CreateSwapchainKHR is vkCreateSwapchainKHR.
func (d *Device) CreateSwapchainKHR(a *abi.CreateSwapchainKHRArgs) vk.Result {
	*a.PSwapchain = 0
	i := a.PCreateInfo
	if old := d.swapchains.Get(uint64(i.OldSwapchain)); old != nil {
		old.mu.Lock()
		old.retired = true
		old.mu.Unlock()
	}
	surface := d.instance.surfaces.Get(uint64(i.Surface))
	switch {
	case surface == nil:
		return vk.ErrorSurfaceLostKHR
	case d.lost.Load():
		return vk.ErrorDeviceLost
	}
	e := i.ImageExtent
	if e.Width == 0 || e.Height == 0 || e.Width > maxSwapchainExtent || e.Height > maxSwapchainExtent ||
		i.ImageArrayLayers != 1 || i.MinImageCount > 64 {
		return vk.ErrorInitializationFailed
	}
	s := &Swapchain{device: d, surface: surface, extent: e, mode: i.PresentMode, scaling: scalingOf(i.PNext)}
	s.convert, s.showable = newConverter(i.ImageFormat, i.ImageColorSpace)
	count := max(i.MinImageCount, 2)
	if shares(i.PresentMode) {
		count = 1
	}
	for range count {
		if err := s.addImage(i); err != nil {
			s.close()
			return result(err)
		}
	}
	return created(&d.swapchains, a.PSwapchain, s, nil)
}

// addImage makes one image with memory of its own.
func (s *Swapchain) addImage(i *abi.SwapchainCreateInfoKHR) error {
	d := s.device
	info := vk.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: i.ImageFormat,
		Extent:    vk.Extent3D{Width: s.extent.Width, Height: s.extent.Height, Depth: 1},
		MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit,
	}
	info.Usage, _ = imageUsage(i.ImageUsage, i.PNext)
	if i.Flags&vk.SwapchainCreateMutableFormatBitKHR != 0 {
		info.Flags |= vk.ImageCreateMutableFormatBit | vk.ImageCreateExtendedUsageBit
	}
	if i.Flags&vk.SwapchainCreateMultisampledRenderToSingleSampledBitEXT != 0 {
		info.Flags |= vk.ImageCreateMultisampledRenderToSingleSampledBitEXT
	}
	name, ordinal := d.driver.frames.explain.name("swapchain")
	im, err := d.core.NewUnboundImage(info, name)
	if err != nil {
		return err
	}
	memory, shared, err := s.newMemory(im.Requirements().Size)
	if err != nil {
		_ = im.Close()
		return err
	}
	layout := vk.SubresourceLayout{}
	if err = im.Bind(memory, 0); err == nil {
		layout, err = im.SubresourceLayout(core.Subresource{})
	}
	if err != nil {
		_, _ = im.Close(), memory.Close()
		return err
	}
	h := d.images.Put(&Image{core: im, info: info, ordinal: ordinal})
	id := d.memoryIDs.Add(1)
	d.report(vk.DeviceMemoryReportEventTypeAllocateEXT, deviceHeap, id, memory.Size(), vk.ObjectTypeImage, h)
	s.images = append(s.images, swapchainImage{handle: abi.Image(h), memory: memory, id: id, pitch: int(layout.RowPitch), shared: shared})
	return nil
}

// newMemory makes memory for an image, shared where the window may want that.
func (s *Swapchain) newMemory(size uint64) (m *core.Memory, shared bool, err error) {
	if _, ok := s.surface.window.(Sharer); ok {
		if m, err := s.device.core.NewSharedMemory(size); err == nil {
			return m, true, nil
		}
	}
	m, err = s.device.core.NewMemory(size)
	return m, false, err
}

// bindSwapchainImage binds an image made with VkImageSwapchainCreateInfoKHR to the
// memory of one of the swapchain's.
func (d *Device) bindSwapchainImage(image abi.Image, of *abi.BindImageMemorySwapchainInfoKHR) vk.Result {
	im, s := lookup(&d.images, image), d.swapchains.Get(uint64(of.Swapchain))
	if im == nil || s == nil || int(of.ImageIndex) >= len(s.images) {
		return vk.ErrorValidationFailed
	}
	return result(im.core.Bind(s.images[of.ImageIndex].memory, 0))
}

// DestroySwapchainKHR is vkDestroySwapchainKHR.
func (d *Device) DestroySwapchainKHR(a *abi.DestroySwapchainKHRArgs) {
	if s := d.swapchains.Take(uint64(a.Swapchain)); s != nil {
		s.close()
	}
}

func (s *Swapchain) close() {
	s.surface.showing.Lock()
	s.gone.Store(true)
	for n := range s.images {
		if im := &s.images[n]; im.segment != 0 && !s.surface.gone {
			s.surface.window.(Sharer).Unshare(im.segment)
		}
	}
	s.surface.showing.Unlock()
	s.surface.presenter.forget(s)
	for n := range s.images {
		im := &s.images[n]
		if o := s.device.images.Take(uint64(im.handle)); o != nil {
			_ = o.core.Close()
		}
		s.device.report(vk.DeviceMemoryReportEventTypeFreeEXT, deviceHeap, im.id, im.memory.Size(), vk.ObjectTypeImage, uint64(im.handle))
		_ = im.memory.Close()
	}
}

// GetSwapchainImagesKHR is vkGetSwapchainImagesKHR.
func (d *Device) GetSwapchainImagesKHR(a *abi.GetSwapchainImagesKHRArgs) vk.Result {
	s := d.swapchains.Get(uint64(a.Swapchain))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	handles := make([]abi.Image, len(s.images))
	for n := range s.images {
		handles[n] = s.images[n].handle
	}
	return abi.Enumerate(a.PSwapchainImageCount, a.PSwapchainImages, handles)
}

// AcquireNextImageKHR is vkAcquireNextImageKHR.
func (d *Device) AcquireNextImageKHR(a *abi.AcquireNextImageKHRArgs) vk.Result {
	return d.acquire(a.Wait, a.Swapchain, a.Timeout, a.Semaphore, a.Fence, a.PImageIndex)
}

// AcquireNextImage2KHR is vkAcquireNextImage2KHR.
func (d *Device) AcquireNextImage2KHR(a *abi.AcquireNextImage2KHRArgs) vk.Result {
	i := a.PAcquireInfo
	return d.acquire(a.Wait, i.Swapchain, i.Timeout, i.Semaphore, i.Fence, a.PImageIndex)
}

func (d *Device) acquire(w *abi.Wait, h abi.SwapchainKHR, timeout uint64, semaphore abi.Semaphore, fence abi.Fence, out *uint32) vk.Result {
	s := d.swapchains.Get(uint64(h))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	state := s.state()
	if state < 0 {
		return state
	}
	var signals []*payload
	if x := d.semaphores.Get(uint64(semaphore)); x != nil {
		signals = append(signals, x.current())
	}
	if f := d.fences.Get(uint64(fence)); f != nil {
		signals = append(signals, f.current())
	}
	index := 0
	r := d.await(w, timeout, func() (ok bool) {
		index, ok = s.take(signals)
		return ok
	})
	if r != vk.Success {
		if r == vk.Timeout && timeout == 0 {
			r = vk.NotReady
		}
		return r
	}
	*out = uint32(index)
	d.sync.broadcast()
	return state
}

// take acquires an image: a free one, or else the one that will be free first, even
// where a queue has yet to show it after work that takes long. Programs take a time-out
// for a device that hangs. It signals the payloads, now or when the image is free. None
// is ready where all are ahead of the display (early).
func (s *Swapchain) take(signals []*payload) (index int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := uint64(0) // the turn after which the image is free
	for n := range s.images {
		at := (s.next + n) % len(s.images)
		im := &s.images[at]
		turn := im.turn
		if im.queued == 0 {
			turn = 0
		}
		if !im.acquired && im.early() && (!ok || turn < first) {
			index, first, ok = at, turn, true
		}
	}
	if !ok {
		return 0, false
	}
	im := &s.images[index]
	im.acquired, s.next = true, index+1
	if im.waiting = append(im.waiting, acquisition{im.turn, signals}); im.queued == 0 {
		im.free(im.turn)
	}
	return index, true
}

// free signals what waits for the image to have been shown in a turn. The program may
// have presented it once more since.
func (im *swapchainImage) free(turn uint64) {
	for len(im.waiting) > 0 && im.waiting[0].turn <= turn {
		for _, p := range im.waiting[0].signals {
			p.signal(0)
		}
		im.waiting = im.waiting[1:]
	}
}

// queue notes a presentation that present will carry out: its turn, and its mode, which is that of
// later ones, too. The program keeps a shared presentable image.
func (s *Swapchain) queue(p *presentation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	im := &s.images[p.index]
	s.turns++
	s.mode, p.turn = p.mode, s.turns
	im.acquired, im.queued, im.turn, im.since = shares(p.mode), im.queued+1, s.turns, time.Now()
	if !im.early() {
		time.AfterFunc(patience, s.device.sync.broadcast)
	}
}

// state says whether pictures of the swapchain still fit its window: those of another
// size are shown as far as they go, unless the program has said how.
func (s *Swapchain) state() vk.Result {
	s.mu.Lock()
	retired := s.retired
	s.mu.Unlock()
	if retired {
		return vk.ErrorOutOfDateKHR
	}
	if s.surface.window == nil {
		return vk.Success
	}
	w, h, ok := s.surface.window.Extent(true)
	switch {
	case !ok:
		return vk.ErrorSurfaceLostKHR
	case s.scaling.how == 0 && w != AnyExtent && (w != s.extent.Width || h != s.extent.Height):
		return vk.SuboptimalKHR
	}
	return vk.Success
}

// worse is the result of vkQueuePresentKHR where presentations have these two results.
func worse(a, b vk.Result) vk.Result {
	for _, r := range [...]vk.Result{vk.ErrorSurfaceLostKHR, vk.ErrorOutOfDateKHR, vk.ErrorPresentTimingQueueFullEXT, vk.SuboptimalKHR} {
		if a == r || b == r {
			return r
		}
	}
	return a
}

// QueuePresentKHR is vkQueuePresentKHR.
func (q *Queue) QueuePresentKHR(a *abi.QueuePresentKHRArgs) vk.Result {
	d, i := q.device, a.PPresentInfo
	chains, indices := abi.Slice(i.PSwapchains, i.SwapchainCount), abi.Slice(i.PImageIndices, i.SwapchainCount)
	results := abi.Slice(i.PResults, i.SwapchainCount)
	if i.PResults == nil {
		results = nil
	}
	if d.lost.Load() {
		for n := range results {
			results[n] = vk.ErrorDeviceLost
		}
		return vk.ErrorDeviceLost
	}
	list := []submission{{waits: d.semaphoreValues(abi.Slice(i.PWaitSemaphores, i.WaitSemaphoreCount), nil, true)}}
	more := presentationsOf(i.PNext)
	frame := d.driver.frames.next()
	worst := vk.Success
	for n, h := range chains {
		r := vk.ErrorSurfaceLostKHR
		if s := d.swapchains.Get(uint64(h)); s != nil && int(indices[n]) < len(s.images) {
			index := int(indices[n])
			r = s.state()
			if r == vk.ErrorOutOfDateKHR && s.retired {
				r = vk.Success // images of a retired swapchain may still be presented
			}
			p, ok := more.of(n, s, index)
			if !ok && r >= 0 {
				r = vk.ErrorPresentTimingQueueFullEXT
			}
			p.shown = r >= 0
			s.queue(&p)
			if n == 0 {
				p.frame = frame
			}
			list = append(list, submission{run: func() { s.present(p) }})
		} else if f := more.fence(d, n); f != nil {
			list = append(list, submission{fence: f})
		}
		if results != nil {
			results[n] = r
		}
		worst = worse(worst, r)
	}
	var dealt atomic.Bool
	if d.driver.frames.awaited(frame) {
		list = append(list, submission{run: func() { dealt.Store(true) }})
	}
	if r := q.enqueue(list, 0); r != vk.Success {
		return r
	}
	if d.driver.frames.awaited(frame) {
		d.await(nil, uint64(10*time.Second), dealt.Load) // no longer: what the queue waits for may be the program's to do
	}
	return worst
}

// present has an image shown and given back; that of a lost device unshown. Who asks for
// frames does not wait for a display that nobody sees.
func (s *Swapchain) present(p presentation) {
	if p.frame != 0 && !s.device.lost.Load() {
		s.device.driver.frames.presented(s, &s.images[p.index], p.frame)
		if s.surface.window == nil && !shares(p.mode) {
			p.mode = vk.PresentModeImmediateKHR
		}
	}
	p.timing.reach(vk.PresentStageQueueOperationsEndBitEXT, time.Now())
	s.surface.presenter.hand(&presentRequest{presentation: p, swapchain: s})
}

// GetSwapchainStatusKHR is vkGetSwapchainStatusKHR.
func (d *Device) GetSwapchainStatusKHR(a *abi.GetSwapchainStatusKHRArgs) vk.Result {
	s := d.swapchains.Get(uint64(a.Swapchain))
	switch {
	case s == nil:
		return vk.ErrorSurfaceLostKHR
	case d.lost.Load():
		return vk.ErrorDeviceLost
	}
	return s.state()
}

// SetHdrMetadataEXT is vkSetHdrMetadataEXT: no display here could make use of it.
func (d *Device) SetHdrMetadataEXT(*abi.SetHdrMetadataEXTArgs) {}

// ReleaseSwapchainImagesKHR is vkReleaseSwapchainImagesKHR: acquired images go
// back unshown.
func (d *Device) ReleaseSwapchainImagesKHR(a *abi.ReleaseSwapchainImagesKHRArgs) vk.Result {
	i := a.PReleaseInfo
	s := d.swapchains.Get(uint64(i.Swapchain))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	s.mu.Lock()
	for _, n := range abi.Slice(i.PImageIndices, i.ImageIndexCount) {
		if int(n) < len(s.images) {
			s.images[n].acquired = false
		}
	}
	s.mu.Unlock()
	d.sync.broadcast()
	return vk.Success
}
