//go:build !linux

package futex

import (
	"sync/atomic"
	"time"
)

// Sleep returns false at once.
func Sleep(*atomic.Uint32, uint32, time.Duration) bool { return false }

// Wake has nobody to wake.
func Wake(*atomic.Uint32) {}
