package icd

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// A notifier wakes everybody who waits for some fence, semaphore or queue of a
// device. Waiters take the channel, look at what they wait for, and only then
// sleep, so that no change is missed.
type notifier struct {
	mu   sync.Mutex
	ch   chan struct{}
	word *abi.Word // for threads of the host, which sleep in C; nil without a device
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
	if n.word == nil {
		return
	}
	n.word.Changes.Add(1)
	if n.word.Sleepers.Load() != 0 {
		memory.WakeWord(&n.word.Changes)
	}
}

// sleep returns the word to sleep for.
func (n *notifier) sleep() *abi.Word {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.word
}

// close returns the word, of which nobody is told any more.
func (n *notifier) close() *abi.Word {
	n.mu.Lock()
	defer n.mu.Unlock()
	word := n.word
	n.word = nil
	return word
}

// brief is how long a thread of the host waits in Go at first: small work is done sooner than the
// thread, gone to C, would be woken. Signals of the host come that much later.
const brief = 200 * time.Microsecond

// pollPeriod is how long a thread of the host sleeps for something that changes
// without a broadcast.
const pollPeriod = time.Millisecond

// try waits briefly for what a thread of the host waits for, as await does. If it is
// not ready then, w says for what to sleep until the next try: in C, where the host's
// handlers of signals may run. polled is for changes without a broadcast.
func (d *Device) try(w *abi.Wait, timeout uint64, ready func() bool, polled bool) vk.Result {
	word := d.sync.sleep()
	if word == nil {
		return vk.ErrorDeviceLost // destroyed meanwhile
	}
	if w.Begun == 0 {
		if r := d.await(nil, min(timeout, uint64(brief)), ready); r != vk.Timeout || timeout <= uint64(brief) {
			return r
		}
		timeout -= uint64(brief)
	}
	seen := word.Changes.Load()
	switch {
	case d.lost.Load():
		return vk.ErrorDeviceLost
	case ready():
		return vk.Success
	}
	now := monotonic()
	switch {
	case w.Begun == 0:
		w.Begun, w.Deadline = 1, math.MaxInt64
		if timeout < uint64(math.MaxInt64-now) {
			w.Deadline = now + int64(timeout)
		}
	case now >= w.Deadline:
		return vk.Timeout
	}
	w.Word, w.Seen, w.Until = word, seen, w.Deadline
	if polled {
		w.Until = min(w.Deadline, now+int64(pollPeriod))
	}
	return vk.Timeout
}

// await waits until ready says so: VK_SUCCESS; VK_TIMEOUT after timeout
// nanoseconds; VK_ERROR_DEVICE_LOST once the device is lost, whatever ready says: what
// has been signaled since may stand for work that was left out. With w it is one try;
// see try. payloads are those that ready looks at, for the sake of which others share.
//
// devsandqueues-lost-device
func (d *Device) await(w *abi.Wait, timeout uint64, ready func() bool, payloads ...*payload) vk.Result {
	if w != nil {
		return d.try(w, timeout, ready, slices.ContainsFunc(payloads, (*payload).foreign))
	}
	var expired <-chan time.Time
	var stop *atomic.Bool
	for {
		changed := d.sync.changed()
		switch {
		case d.lost.Load():
			return vk.ErrorDeviceLost
		case ready():
			return vk.Success
		case timeout == 0:
			return vk.Timeout
		}
		if stop == nil {
			stop = new(atomic.Bool)
			defer stop.Store(true)
			for _, p := range payloads {
				if p.foreign() {
					go p.watch(&d.sync, stop)
				}
			}
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
type Fence struct{ holder }

// CreateFence is vkCreateFence.
func (d *Device) CreateFence(a *abi.CreateFenceArgs) vk.Result {
	f := &Fence{}
	value := uint64(a.PCreateInfo.Flags & vk.FenceCreateSignaledBit)
	var err error
	if x := abi.Find[abi.ExportFenceCreateInfo](a.PCreateInfo.PNext); x != nil && x.HandleTypes&vk.ExternalFenceHandleTypeOpaqueFdBit != 0 {
		f.permanent, err = newSharedPayload(payloadFence, value)
	} else {
		f.permanent = newPayload(payloadFence, value)
	}
	r := created(&d.fences, a.PFence, f, err)
	if r == vk.Success {
		f.permanent.show(&d.board.Fences, uint64(*a.PFence))
	}
	return r
}

// signaled says whether the fence is signaled.
func (f *Fence) signaled() bool { return f.current().value() != 0 }

// DestroyFence is vkDestroyFence.
func (d *Device) DestroyFence(a *abi.DestroyFenceArgs) {
	if f := d.fences.Take(uint64(a.Fence)); f != nil {
		f.hide()
	}
}

// ResetFences is vkResetFences.
func (d *Device) ResetFences(a *abi.ResetFencesArgs) vk.Result {
	for _, h := range abi.Slice(a.PFences, a.FenceCount) {
		if f := d.fences.Get(uint64(h)); f != nil {
			f.take() // a temporary payload goes with its state
			f.current().set(0)
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
	case d.lost.Load():
		return vk.ErrorDeviceLost
	case f.signaled():
		return vk.Success
	}
	return vk.NotReady
}

// WaitForFences is vkWaitForFences. Handles that lead nowhere are as good as
// signaled.
func (d *Device) WaitForFences(a *abi.WaitForFencesArgs) vk.Result {
	handles := abi.Slice(a.PFences, a.FenceCount)
	var payloads []*payload
	for _, h := range handles {
		if f := d.fences.Get(uint64(h)); f != nil && f.current().foreign() {
			payloads = append(payloads, f.current())
		}
	}
	return d.await(a.Wait, a.Timeout, func() bool {
		for _, h := range handles {
			f := d.fences.Get(uint64(h))
			if signaled := f == nil || f.signaled(); signaled != a.WaitAll.True() {
				return signaled
			}
		}
		return a.WaitAll.True()
	}, payloads...)
}

// Semaphore is a VkSemaphore.
type Semaphore struct {
	timeline bool
	holder
}

func (s *Semaphore) kind() payloadKind {
	if s.timeline {
		return payloadTimeline
	}
	return payloadBinary
}

// CreateSemaphore is vkCreateSemaphore.
func (d *Device) CreateSemaphore(a *abi.CreateSemaphoreArgs) vk.Result {
	s := &Semaphore{}
	value := uint64(0)
	if t := abi.Find[abi.SemaphoreTypeCreateInfo](a.PCreateInfo.PNext); t != nil && t.SemaphoreType == vk.SemaphoreTypeTimeline {
		s.timeline, value = true, t.InitialValue
	}
	var err error
	if x := abi.Find[abi.ExportSemaphoreCreateInfo](a.PCreateInfo.PNext); x != nil && x.HandleTypes&vk.ExternalSemaphoreHandleTypeOpaqueFdBit != 0 {
		s.permanent, err = newSharedPayload(s.kind(), value)
	} else {
		s.permanent = newPayload(s.kind(), value)
	}
	r := created(&d.semaphores, a.PSemaphore, s, err)
	if r == vk.Success {
		s.permanent.show(&d.board.Semaphores, uint64(*a.PSemaphore))
	}
	return r
}

// DestroySemaphore is vkDestroySemaphore.
func (d *Device) DestroySemaphore(a *abi.DestroySemaphoreArgs) {
	if s := d.semaphores.Take(uint64(a.Semaphore)); s != nil {
		s.hide()
	}
}

// GetSemaphoreCounterValue is vkGetSemaphoreCounterValue.
func (d *Device) GetSemaphoreCounterValue(a *abi.GetSemaphoreCounterValueArgs) vk.Result {
	s := d.semaphores.Get(uint64(a.Semaphore))
	if s == nil {
		return vk.ErrorValidationFailed
	}
	*a.PValue = s.current().value()
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
	var payloads []*payload
	for _, h := range handles {
		if s := d.semaphores.Get(uint64(h)); s != nil && s.current().foreign() {
			payloads = append(payloads, s.current())
		}
	}
	return d.await(a.Wait, a.Timeout, func() bool {
		for n, h := range handles {
			s := d.semaphores.Get(uint64(h))
			if reached := s == nil || s.current().value() >= values[n]; reached == any {
				return reached
			}
		}
		return !any
	}, payloads...)
}

// SignalSemaphore is vkSignalSemaphore.
func (d *Device) SignalSemaphore(a *abi.SignalSemaphoreArgs) vk.Result {
	s := d.semaphores.Get(uint64(a.PSignalInfo.Semaphore))
	if s == nil || !s.timeline {
		return vk.ErrorValidationFailed
	}
	s.current().signal(a.PSignalInfo.Value)
	d.sync.broadcast()
	return vk.Success
}
