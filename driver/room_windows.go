//go:build cgo

package main

import "runtime"

// confine readies the process for workers that many, and returns how many there may be: the system
// bounds neither addresses nor threads.
func confine(workers int, _ *pool) int {
	runtime.GOMAXPROCS(workers + procs)
	collectLater()
	return workers
}

// pool is Go's threads, which it makes when it wants them.
type pool struct{}

func (*pool) ready(workers int) int { return workers }
