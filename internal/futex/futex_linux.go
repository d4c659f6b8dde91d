package futex

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations on words of this process alone.
const (
	private = 128
	wait    = 0 | private
	wake    = 1 | private
)

// Sleep waits as long as a word is what it is, at most for some time, until Wake says that it has
// changed; now and then for no reason. It reports false when the time is over. The goroutine keeps
// its thread meanwhile.
func Sleep(word *atomic.Uint32, is uint32, most time.Duration) bool {
	t := unix.NsecToTimespec(int64(most))
	_, _, e := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), wait,
		uintptr(is), uintptr(unsafe.Pointer(&t)), 0, 0)
	return e == 0 || e == unix.EAGAIN || e == unix.EINTR
}

// Wake wakes one goroutine that sleeps on a word.
func Wake(word *atomic.Uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), wake, 1, 0, 0, 0)
}
