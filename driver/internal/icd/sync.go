package icd

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// A notifier wakes everybody who waits for some fence, semaphore or queue of a
// device. Waiters take the channel, look at what they wait for, and only then
// sleep, so that no change is missed.
type notifier struct {
	mu sync.Mutex
	ch chan struct{}
}

// changed returns a channel that the next broadcast closes.
func (n *notifier) changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch == nil {
		n.ch = make(chan struct{})
	}
	return n.ch
}

func (n *notifier) broadcast() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch != nil {
		close(n.ch)
		n.ch = nil
	}
}

// await waits until ready says so: VK_SUCCESS; VK_TIMEOUT after timeout
// nanoseconds; VK_ERROR_DEVICE_LOST when the device is lost meanwhile.
func (d *Device) await(timeout uint64, ready func() bool) vk.Result {
	var expired <-chan time.Time
	for {
		changed := d.sync.changed()
		switch {
		case ready():
			return vk.Success
		case d.lost.Load():
			return vk.ErrorDeviceLost
		case timeout == 0:
			return vk.Timeout
		}
		if expired == nil && timeout <= math.MaxInt64 {
			t := time.NewTimer(time.Duration(timeout))
			defer t.Stop()
			expired = t.C
		}
		select {
		case <-changed:
		case <-expired:
			timeout = 0 // one last look
		}
	}
}

// Fence is a VkFence.
type Fence struct{ signaled atomic.Bool }

// CreateFence is vkCreateFence.
func (d *Device) CreateFence(a *abi.CreateFenceArgs) vk.Result {
	f := &Fence{}
	f.signaled.Store(a.PCreateInfo.Flags&vk.FenceCreateSignaledBit != 0)
	return created(&d.fences, a.PFence, f, nil)
}

// DestroyFence is vkDestroyFence.
func (d *Device) DestroyFence(a *abi.DestroyFenceArgs) { d.fences.Take(uint64(a.Fence)) }

// ResetFences is vkResetFences.
func (d *Device) ResetFences(a *abi.ResetFencesArgs) vk.Result {
	for _, h := range abi.Slice(a.PFences, a.FenceCount) {
		if f := d.fences.Get(uint64(h)); f != nil {
			f.signaled.Store(false)
		}
	}
	return vk.Success
}

// GetFenceStatus is vkGetFenceStatus.
func (d *Device) GetFenceStatus(a *abi.GetFenceStatusArgs) vk.Result {
	f := d.fences.Get(uint64(a.Fence))
	switch {
	case f == nil:
		return vk.ErrorValidationFailed
	case f.signaled.Load():
		return vk.Success
	case d.lost.Load():
		return vk.ErrorDeviceLost
	}
	return vk.NotReady
}

// WaitForFences is vkWaitForFences. Handles that lead nowhere are as good as
// signaled.
func (d *Device) WaitForFences(a *abi.WaitForFencesArgs) vk.Result {
	handles := abi.Slice(a.PFences, a.FenceCount)
	return d.await(a.Timeout, func() bool {
		for _, h := range handles {
			f := d.fences.Get(uint64(h))
			if signaled := f == nil || f.signaled.Load(); signaled != a.WaitAll.True() {
				return signaled
			}
		}
		return a.WaitAll.True()
	})
}

// Semaphore is a VkSemaphore. The value of a binary one is how many of its signals
// nobody has waited for: 0 or 1, as long as programs keep to the rules. Those that
// acquire an image with a semaphore whose last wait is still to come lose nothing.
type Semaphore struct {
	timeline bool
	value    atomic.Uint64
}

// signal sets a timeline semaphore to a value, and a binary one to signaled. Tell
// the device's notifier afterwards.
func (s *Semaphore) signal(value uint64) {
	if s.timeline {
		s.value.Store(value)
	} else {
		s.value.Add(1)
	}
}

// passed says whether a wait is over; that of a binary semaphore takes its signal.
func (s *Semaphore) passed(value uint64) bool {
	for {
		v := s.value.Load()
		switch {
		case s.timeline:
			return v >= value
		case v == 0:
			return false
		case s.value.CompareAndSwap(v, v-1):
			return true
		}
	}
}

// CreateSemaphore is vkCreateSemaphore.
func (d *Device) CreateSemaphore(a *abi.CreateSemaphoreArgs) vk.Result {
	s := &Semaphore{}
	if t := abi.Find[abi.SemaphoreTypeCreateInfo](a.PCreateInfo.PNext); t != nil && t.SemaphoreType == vk.SemaphoreTypeTimeline {
		s.timeline = true
		s.value.Store(t.InitialValue)
	}
	return created(&d.semaphores, a.PSemaphore, s, nil)
}

// DestroySemaphore is vkDestroySemaphore.
func (d *Device) DestroySemaphore(a *abi.DestroySemaphoreArgs) {
	d.semaphores.Take(uint64(a.Semaphore))
}

// GetSemaphoreCounterValue is vkGetSemaphoreCounterValue.
func (d *Device) GetSemaphoreCounterValue(a *abi.GetSemaphoreCounterValueArgs) vk.Result {
	s := d.semaphores.Get(uint64(a.Semaphore))
	if s == nil {
		return vk.ErrorValidationFailed
	}
	*a.PValue = s.value.Load()
	if d.lost.Load() {
		return vk.ErrorDeviceLost
	}
	return vk.Success
}

// WaitSemaphores is vkWaitSemaphores.
func (d *Device) WaitSemaphores(a *abi.WaitSemaphoresArgs) vk.Result {
	i := a.PWaitInfo
	handles, values := abi.Slice(i.PSemaphores, i.SemaphoreCount), abi.Slice(i.PValues, i.SemaphoreCount)
	any := i.Flags&vk.SemaphoreWaitAnyBit != 0
	return d.await(a.Timeout, func() bool {
		for n, h := range handles {
			s := d.semaphores.Get(uint64(h))
			if reached := s == nil || s.value.Load() >= values[n]; reached == any {
				return reached
			}
		}
		return !any
	})
}

// SignalSemaphore is vkSignalSemaphore.
func (d *Device) SignalSemaphore(a *abi.SignalSemaphoreArgs) vk.Result {
	s := d.semaphores.Get(uint64(a.PSignalInfo.Semaphore))
	if s == nil || !s.timeline {
		return vk.ErrorValidationFailed
	}
	s.value.Store(a.PSignalInfo.Value)
	d.sync.broadcast()
	return vk.Success
}
