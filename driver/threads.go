//go:build linux

package main

/*
#include "front.h"
*/
import "C"

import (
	"runtime"
	"sync"
)

// Go's runtime ends the process when it cannot make a thread, as where RLIMIT_NPROC or a container's pids.max says so. It
// keeps those that it has made. So all that workers, calls of the application and what waits in the system may need are made
// before there is a device.

// pool is Go's threads.
type pool struct {
	mu      sync.Mutex
	workers int // for which there are threads; 0 before the first device
}

// ready makes threads for workers that many, and returns for how many there are: fewer where the system lets the process have
// fewer, 0 where there are none. What it has once it keeps.
func (p *pool) ready(workers int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers == 0 {
		most := workers + procs + spareThreads
		if workers -= most - int(C.pumice_spare_threads(C.int(most))); workers < 1 {
			return 0
		}
		runtime.GOMAXPROCS(workers + procs)
		startThreads(workers + procs + spareThreads)
		p.workers = workers
	}
	return min(workers, p.workers)
}
