package abi

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/vk"
)

// LoaderMagic is what the loader wants in the first word of a new dispatchable
// object (ICD_LOADER_MAGIC); it puts its dispatch table there.
const LoaderMagic = 0x01CDC0DE

// Dispatchable is what all dispatchable handles point to, outside the Go heap.
// front.h has the same struct.
type Dispatchable struct {
	Loader uintptr // the loader's
	ID     uint64  // the object's handle in its pool; 0 once destroyed
	Kind   Level   // what kind of object
	_      [7]byte
}

// Stream is a VkCommandBuffer as the C encoder sees it; front.h has the same
// struct. Records go to At…End, what they point to goes to CopyAt…CopyEnd; an
// empty rest makes C ask Go for more.
type Stream struct {
	Dispatchable
	At, End         unsafe.Pointer
	CopyAt, CopyEnd unsafe.Pointer
	Records         uint64
	Result          vk.Result // the first failure of recording
	held            atomic.Uint32
}

// Hold lets nobody else move where records and copies go until Release. C holds a stream while it adds a record; Hold
// goes on without where that takes longer than it can.
func (s *Stream) Hold() {
	for range 1 << 20 {
		if s.held.CompareAndSwap(0, 1) {
			return
		}
		runtime.Gosched()
	}
}

// Release ends Hold.
func (s *Stream) Release() { s.held.Store(0) }

// CommandHeader begins every record.
type CommandHeader struct {
	Op   Op
	Size uint32 // of the record in bytes, a multiple of 8
}

// Wait is what C sleeps for between two tries of a call; front.h has the same
// struct. A call without one waits where it is.
type Wait struct {
	Word  *Word  // sleep until Word.Changes is no longer Seen; nil: the call is done
	Seen  uint32 // Word.Changes before the state was looked at
	Begun uint32 // not the first try: Deadline is set
	// Deadline is when the call gives up, Until when this sleep ends at the latest,
	// in nanoseconds of CLOCK_MONOTONIC; math.MaxInt64: never.
	Deadline, Until int64
}

// Word is outside the Go heap. Who changes something counts Changes up, and wakes
// those who sleep for it, if there are any.
type Word struct {
	Changes, Sleepers atomic.Uint32
}

// Polls is how many fences and semaphores each of a device C can look at by itself.
const Polls = 512

// DeviceHandle is a VkDevice as C sees it; front.h has the same struct.
type DeviceHandle struct {
	Dispatchable
	Board *Board
}

// Board shows C the state of fences and semaphores, so that programs that ask again and
// again need not enter Go: element i is that of handles whose lower half is i+1. It
// lies outside the Go heap; front.h has the same struct.
type Board struct {
	Word       *Word         // what who waits for any of this sleeps for
	Lost       atomic.Uint32 // the device is lost: ask Go
	_          uint32
	Fences     [Polls]Poll
	Semaphores [Polls]Poll // of timeline semaphores
}

// Poll is the state of the object Handle; of another, ask Go.
type Poll struct{ Handle, Value atomic.Uint64 }
