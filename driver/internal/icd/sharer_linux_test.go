package icd

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// sharingWindow maps the pictures that it is offered, unless it refuses, and notes the first byte of what it shows.
type sharingWindow struct {
	refuses  bool
	segments map[uint32][]byte
	shared   chan byte
	copied   chan byte
}

func (w *sharingWindow) Extent(bool) (width, height uint32, ok bool) { return 8, 8, true }
func (w *sharingWindow) Close()                                      {}

func (w *sharingWindow) Show(pixels []byte, _, _, _ int) bool {
	w.copied <- pixels[0]
	return true
}

func (w *sharingWindow) Share(fd int) uint32 {
	defer unix.Close(fd)
	b, err := unix.Mmap(fd, 0, 4*64, unix.PROT_READ, unix.MAP_SHARED)
	if w.refuses || err != nil {
		return 0
	}
	n := uint32(len(w.segments) + 7)
	w.segments[n] = b
	return n
}

func (w *sharingWindow) ShowShared(segment uint32, _, _, _ int) bool {
	w.shared <- w.segments[segment][0]
	return true
}

func (w *sharingWindow) Unshare(segment uint32) { delete(w.segments, segment) }

// TestSwapchain_Shared: a window that maps pictures sees what is in their memory, each is offered once and
// taken back with the swapchain; one that refuses gets copies.
func TestSwapchain_Shared(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		f := newTest(t)
		d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
		w := &sharingWindow{refuses, map[uint32][]byte{}, make(chan byte, 1), make(chan byte, 1)}
		surface := abi.SurfaceKHR(d.instance.surfaces.Put(&Surface{window: w}))
		chain := f.swapchain(surface, 2, vk.PresentModeImmediateKHR)
		images := d.swapchains.Get(uint64(chain)).images
		var queue abi.Queue
		call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
		for picture := range byte(5) {
			var index uint32
			acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 1e10, PImageIndex: &index}
			call(f, abi.OpAcquireNextImageKHR, &acquire)
			want(t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
			images[index].memory.Bytes()[0] = 100 + picture
			present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
			call(f, abi.OpQueuePresentKHR, &present)
			want(t, "vkQueuePresentKHR", present.Ret, vk.Success)
			shown := w.shared
			if refuses {
				shown = w.copied
			}
			if got := <-shown; got != 100+picture {
				t.Errorf("refuses: %v, picture %d: the window shows %d", refuses, picture, got)
			}
		}
		idle := abi.QueueWaitIdleArgs{Queue: queue}
		call(f, abi.OpQueueWaitIdle, &idle)
		if n := len(w.segments); !refuses && n != 2 {
			t.Errorf("%d segments of 2 images", n)
		}
		call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
		if n := len(w.segments); n != 0 || len(w.shared)+len(w.copied) != 0 {
			t.Errorf("refuses: %v: %d segments and %d pictures are left", refuses, n, len(w.shared)+len(w.copied))
		}
	}
}
