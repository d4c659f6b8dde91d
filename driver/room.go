//go:build linux

package main

/*
#cgo LDFLAGS: -Wl,--wrap=mmap -Wl,--wrap=malloc -Wl,--wrap=free

#include "front.h"

int pumice_give_room(void);
*/
import "C"

import (
	"runtime"
	"sync"

	"github.com/pumice-gpu/pumice/internal/memory"
)

const (
	// workerRoom are the addresses that the process should have left for each worker.
	workerRoom = 128 << 20
	// spareThreads are those of Go that no worker has: for calls of the application, and
	// for those that wait in the system.
	spareThreads = 6
)

// confine readies the process for workers that many at most, and returns how many there
// may be, with their threads in p where addresses are limited. GOMAXPROCS is two more: with busy goroutines on every P, a call from the
// application waits for milliseconds until one of them is preempted.
//
// Where addresses are limited, what Go would end the process for want of is taken now:
// heap, and threads. Besides its own addresses and the library's 55 MiB, a client
// needs 1,372 MiB of them for a device with little memory and one worker (measured);
// 1,392 is what to ask for, and with 160 MiB more it does not matter what glibc keeps
// for threads.
func confine(workers int, p *pool) int {
	memory.ReadLimits()
	room, confined := memory.Room()
	if confined {
		workers = int(max(1, min(int64(workers), room/workerRoom)))
	}
	runtime.GOMAXPROCS(workers + procs)
	if !confined {
		collectLater()
		return workers
	}
	startThreads(workers + procs + spareThreads)
	p.workers = workers
	memory.ReserveHeap()
	C.pumice_give_room()
	return workers
}

// startThreads makes Go have n threads, which it keeps.
func startThreads(n int) {
	var started, done sync.WaitGroup
	started.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread() // nobody else may run here until all do
			defer runtime.UnlockOSThread()
			started.Done()
			started.Wait()
		})
	}
	done.Wait()
}
