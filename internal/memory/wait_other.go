//go:build !linux && !windows

package memory

import (
	"sync/atomic"
	"time"
)

// WaitWord sleeps for a moment: nobody shares words here.
func WaitWord(_ *atomic.Uint32, _ uint32, timeout time.Duration) { time.Sleep(timeout) }

// WakeWord has nobody to wake.
func WakeWord(*atomic.Uint32) {}

// Mapped says whether all pages of b are mapped in the process, which only Linux and Windows tell.
func Mapped([]byte) bool { return false }
