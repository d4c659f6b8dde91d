package icd

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// A payload is what a semaphore or fence stands for at a time. It is a cell of our
// own, a cell in memory that other devices and processes see, too (an opaque file
// descriptor), or a file that somebody makes readable (a sync file).
type payload struct {
	cell  *cell
	block *memory.Block // of a shared cell
	file  int           // 1 + descriptor of a sync file, 0: none
	own   cell
	shown atomic.Pointer[abi.Poll] // where C sees it, it holds the value instead of the cell; else nil

	mu    sync.Mutex
	files []int // sync files that were exported, to be raised with the signal
}

// cell is the state of a payload. All who share it run the same driver.
type cell struct {
	magic   uint32
	kind    payloadKind
	changes atomic.Uint32 // counted up with each change: what sleepers watch
	_       uint32
	// value is the value of a timeline semaphore; of a fence, 1 where it is
	// signaled; of a binary semaphore, how many of its signals nobody has waited
	// for: 0 or 1, as long as programs keep to the rules. Those that acquire an
	// image with a semaphore whose last wait is still to come lose nothing.
	value atomic.Uint64
}

type payloadKind uint32

const (
	payloadBinary payloadKind = 1 + iota
	payloadTimeline
	payloadFence
)

const (
	cellMagic = 0x50756D31
	cellPage  = 4096 // bytes of a file that holds a cell
)

func newPayload(kind payloadKind, value uint64) *payload {
	p := &payload{}
	p.cell = &p.own
	p.cell.kind = kind
	p.cell.value.Store(value)
	return p
}

// sharedMemory is where shared cells come from; they are few and small.
var sharedMemory = memory.New(memory.Config{})

// newSharedPayload makes a payload that can be exported.
func newSharedPayload(kind payloadKind, value uint64) (*payload, error) {
	block, err := sharedMemory.AllocShared(cellPage)
	if err != nil {
		return nil, vk.ErrorOutOfHostMemory
	}
	p := sharedPayload(block)
	p.cell.magic, p.cell.kind = cellMagic, kind
	p.cell.value.Store(value)
	return p, nil
}

// importPayload makes a payload of a descriptor that export has returned. If there
// is no error, the descriptor is closed.
func importPayload(fd int, kind payloadKind) (*payload, error) {
	own, err := memory.DuplicateFD(fd)
	if err != nil {
		return nil, vk.ErrorInvalidExternalHandle
	}
	block, err := sharedMemory.ImportShared(own, cellPage)
	if err != nil {
		memory.CloseFD(own)
		return nil, vk.ErrorInvalidExternalHandle
	}
	p := sharedPayload(block)
	if p.cell.magic != cellMagic || p.cell.kind != kind {
		return nil, vk.ErrorInvalidExternalHandle
	}
	memory.CloseFD(fd)
	return p, nil
}

// sharedPayload is a payload in a block, which goes when nobody refers to it.
func sharedPayload(block *memory.Block) *payload {
	p := &payload{block: block, cell: (*cell)(unsafe.Pointer(unsafe.SliceData(block.Bytes())))}
	runtime.AddCleanup(p, func(b *memory.Block) { _ = b.Free() }, block)
	return p
}

// importSyncFile makes a payload of a sync file, which belongs to it if there is no
// error; -1 is one that has been signaled.
func importSyncFile(fd int, kind payloadKind) (*payload, error) {
	if fd == -1 {
		return newPayload(kind, 1), nil
	}
	if !memory.Pollable(fd) {
		return nil, vk.ErrorInvalidExternalHandle
	}
	p := newPayload(kind, 0)
	p.file = fd + 1
	runtime.AddCleanup(p, memory.CloseFD, fd)
	return p, nil
}

// foreign says that others than this device may change the payload.
func (p *payload) foreign() bool { return p.block != nil || p.file != 0 }

// set changes the value and wakes those who wait elsewhere. Tell the device's
// notifier afterwards.
func (p *payload) set(value uint64) {
	p.mu.Lock()
	p.state().Store(value)
	p.mu.Unlock()
	p.changed()
}

// state is where the value is.
func (p *payload) state() *atomic.Uint64 {
	if s := p.shown.Load(); s != nil {
		return &s.Value
	}
	return &p.cell.value
}

// show lets C see the payload of a new fence or timeline semaphore that nobody else may
// change, among those of its kind.
func (p *payload) show(list *[abi.Polls]abi.Poll, handle uint64) {
	i := uint32(handle) - 1
	if i >= abi.Polls || p.foreign() || p.cell.kind == payloadBinary {
		return
	}
	list[i].Value.Store(p.cell.value.Load())
	list[i].Handle.Store(handle)
	p.shown.Store(&list[i])
}

func (p *payload) changed() {
	if p.block != nil {
		p.cell.changes.Add(1)
		memory.WakeWord(&p.cell.changes)
		runtime.KeepAlive(p)
	}
}

// value is the state now.
func (p *payload) value() uint64 {
	if p.file != 0 && memory.Readable(p.file-1, 0) {
		return 1
	}
	v := p.state().Load()
	runtime.KeepAlive(p)
	return v
}

// hide ends what show has begun: C asks Go again.
func (p *payload) hide() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.shown.Load(); s != nil {
		s.Handle.Store(0)
		p.cell.value.Store(s.Value.Load())
		p.shown.Store(nil)
	}
}

// signal sets a timeline semaphore to a value, and others to signaled.
func (p *payload) signal(value uint64) {
	switch p.cell.kind {
	case payloadTimeline:
		p.set(value)
	case payloadFence:
		p.set(1)
	case payloadBinary:
		p.cell.value.Add(1)
		p.changed()
	}
	p.raise()
}

// raise makes the sync files readable that copies of the payload were exported to.
func (p *payload) raise() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fd := range p.files {
		memory.RaiseSignal(fd)
		memory.CloseFD(fd)
	}
	p.files = nil
}

// export raises fd, which belongs to the payload from now on, when the payload is
// signaled, by whomever.
func (p *payload) export(d *Device, fd int) {
	if p.foreign() {
		go func() {
			d.await(nil, math.MaxUint64, func() bool { return p.passed(0) }, p) // a lost device ends the wait, too
			memory.RaiseSignal(fd)
			memory.CloseFD(fd)
		}()
		return
	}
	p.mu.Lock()
	p.files = append(p.files, fd)
	p.mu.Unlock()
	if p.passed(0) {
		p.raise()
	}
}

// passed says whether a wait is over; that of a binary semaphore takes its signal.
func (p *payload) passed(value uint64) bool {
	switch {
	case p.cell.kind == payloadTimeline:
		return p.value() >= value
	case p.file != 0 || p.cell.kind == payloadFence:
		return p.value() != 0
	}
	for {
		v := p.cell.value.Load()
		if v == 0 {
			return false
		}
		if p.cell.value.CompareAndSwap(v, v-1) {
			runtime.KeepAlive(p)
			return true
		}
	}
}

// watchPeriod is how long a watcher sleeps at most: it does not know when the wait
// is over.
const watchPeriod = 50 * time.Millisecond

// watch tells n of changes that others make, until stop.
func (p *payload) watch(n *notifier, stop *atomic.Bool) {
	for {
		seen := p.cell.changes.Load()
		n.broadcast() // who looks now has seen everything up to seen
		if stop.Load() {
			break
		}
		if p.file == 0 {
			memory.WaitWord(&p.cell.changes, seen, watchPeriod)
		} else if memory.Readable(p.file-1, watchPeriod) {
			n.broadcast()
			break
		}
	}
	runtime.KeepAlive(p)
}

// A holder is the place for payloads in a semaphore or fence. A temporary payload
// hides the permanent one until it has been waited for, or the fence is reset.
//
// synchronization-semaphores-importing, synchronization-fences-importing
type holder struct {
	mu                   sync.Mutex
	permanent, temporary *payload
}

// hide is that of the permanent payload.
func (h *holder) hide() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.permanent.hide()
}

// current is the payload that operations act on.
func (h *holder) current() *payload {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.temporary != nil {
		return h.temporary
	}
	return h.permanent
}

// take is current for a wait, or a reset, after which the permanent payload is back.
func (h *holder) take() *payload {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.temporary
	if p == nil {
		return h.permanent
	}
	h.temporary = nil
	return p
}

// hand takes the present payload out, as copying it to a file does, and leaves one
// that is not signaled.
func (h *holder) hand() *payload {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.temporary
	if p != nil {
		h.temporary = nil
		return p
	}
	h.permanent.hide()
	p = h.permanent
	h.permanent = newPayload(p.cell.kind, 0)
	return p
}

// put imports a payload.
func (h *holder) put(p *payload, temporary bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.permanent.hide()
	if temporary {
		h.temporary = p
	} else {
		h.permanent, h.temporary = p, nil
	}
}
