package memory

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A process may have a limit on its addresses (RLIMIT_AS, "ulimit -v") or its data
// (RLIMIT_DATA). Go's runtime ends the process when it meets one. So blocks leave room
// for it and for the host, and callers ask before they let the Go heap grow. Where
// there is no limit, all this costs the look at one pointer.

const (
	// keepRoom is left of the limits by every mapping here: for threads, for the host's
	// allocator, and for what Go maps besides its heap.
	keepRoom = 24 << 20
	// heapArena is what Go's heap grows by. Of the first one, Go uses a part of random
	// size.
	heapArena = 64 << 20
	// leastHeap is what the heap gets at least. It grows by one arena for it at most.
	leastHeap = 40 << 20
	// heapMargin is left of the Go heap for calls that do not ask.
	heapMargin = 8 << 20
	// unlimited is a limit that is none: systems write several large numbers for that.
	unlimited = 1 << 62
)

// bounds are the limits as they were when the last Allocator was made; nil: none.
var bounds atomic.Pointer[limits]

// Room is how many bytes of addresses and of data the process may still take, at least
// 0; false where it has no limit.
func Room() (int64, bool) {
	l := bounds.Load()
	if l == nil {
		return 0, false
	}
	return l.room()
}

// checkRoom says why n bytes may not be mapped.
func checkRoom(n int64) error {
	room, ok := Room()
	if !ok || n <= room-keepRoom {
		return nil
	}
	return &SystemError{Size: n, Err: &RoomError{Room: room}}
}

// RoomError says that a mapping would leave the process too little of its limit.
type RoomError struct {
	Room int64 // bytes that the process may still take
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("the process may take %d MiB more of its limit (ulimit -v, ulimit -d), of which %d MiB are kept free; raise the limit", e.Room>>20, keepRoom>>20)
}

// heapReserved says that ReserveHeap has set the Go heap's bounds.
var heapReserved atomic.Bool

// HeapBounded says that HeapShort may be true.
func HeapBounded() bool { return heapReserved.Load() }

// HeapShort says that of what ReserveHeap has given the Go heap, n bytes are not left. It
// collects garbage to find out.
func HeapShort(n int64) bool {
	if !HeapBounded() {
		return false
	}
	for range 2 { // what a sync.Pool holds survives one collection
		if heapFree() >= n+heapMargin {
			return false
		}
		runtime.GC()
	}
	return heapFree() < n+heapMargin
}

// heapFree is how many bytes the Go heap can give out without growing, in whole pages.
func heapFree() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() + s[1].Value.Uint64())
}

// ReserveHeap is for a process that has a limit: the Go heap gets a quarter of what is
// left, in which it is bounded from now on, as far as callers ask HeapShort. It grows by
// that much at once: the system gives it addresses, no memory, and nobody else gets
// them. Without a limit, nothing happens.
func ReserveHeap() {
	room, ok := Room()
	if !ok || heapReserved.Swap(true) {
		return
	}
	n := max(room/4/heapArena*heapArena, leastHeap)
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	runtime.KeepAlive(make([]byte, n)) // the heap keeps its addresses
	debug.SetMemoryLimit(min(int64(s[0].Value.Uint64())+n, debug.SetMemoryLimit(-1)))
}
