//go:build unix

package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS returns the largest resident size of this process so far, in bytes.
func peakRSS() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
