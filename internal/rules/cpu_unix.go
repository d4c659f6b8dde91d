//go:build unix

package rules

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, over all threads: what
// benchmarks divide by, so that other work on the machine counts less.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
