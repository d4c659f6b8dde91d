package memory

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Where the system has them; they have been in it since Windows 8.
var (
	base          = windows.NewLazySystemDLL("kernelbase.dll")
	waitOnAddress = base.NewProc("WaitOnAddress")
	wakeByAddress = base.NewProc("WakeByAddressAll")
)

// WaitWord sleeps while *word is old, until somebody calls WakeWord in this process, or timeout is
// over. It may also return for no reason.
func WaitWord(word *atomic.Uint32, old uint32, timeout time.Duration) {
	// Rounded up: no wait is a question.
	milliseconds := min(max(0, timeout+time.Millisecond-1)/time.Millisecond, 1<<30)
	_, _, _ = waitOnAddress.Call(uintptr(unsafe.Pointer(word)), uintptr(unsafe.Pointer(&old)),
		unsafe.Sizeof(old), uintptr(milliseconds))
}

// WakeWord wakes everybody in this process who waits for word to change.
func WakeWord(word *atomic.Uint32) { _, _, _ = wakeByAddress.Call(uintptr(unsafe.Pointer(word))) }
