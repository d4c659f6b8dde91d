package render

import (
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/internal/futex"
)

// A pass is phases of a millisecond and less, each of all workers. So workers but the first one
// wait for the next phase in the system for a while, and each wakes some others before it begins.

// wakes is how many others a worker wakes.
const wakes = 4

// lingers is how long a worker waits before its goroutine ends: a few frames.
const lingers = 50 * time.Millisecond

// What a member of the crew does.
const (
	gone    = iota // it has no goroutine
	waiting        // for another phase
	working
)

// crew are the goroutines of an executor's workers but the first one, whose place is empty.
type crew struct {
	members []atomic.Uint32 // what each does
	// stays: members wait. Where addresses are limited, there are no threads for that.
	stays bool
	n     int // workers of this phase, and what they do
	f     func(w *worker) error
	left  atomic.Int32 // members at work
	done  chan struct{}
}

// start begins a phase of n workers, the first one of which is the caller.
func (x *Executor) start(n int, f func(w *worker) error) {
	c := &x.crew
	c.n, c.f = n, f
	c.left.Store(int32(n - 1))
	x.wake(0)
}

// finish waits for the others of a phase.
func (c *crew) finish() {
	<-c.done
	c.f = nil
}

// wake has those begin that worker i wakes.
func (x *Executor) wake(i int) {
	c := &x.crew
	for k := wakes*i + 1; k <= wakes*(i+1) && k < c.n; k++ {
		switch m := &c.members[k]; m.Swap(working) {
		case gone:
			go x.work(k)
		case waiting:
			futex.Wake(m)
		}
	}
}

// work is the goroutine of worker i.
func (x *Executor) work(i int) {
	c := &x.crew
	m := &c.members[i]
	for {
		x.wake(i)
		x.guard(x.workers[i], c.f)
		m.Store(waiting)
		if c.left.Add(-1) == 0 {
			c.done <- struct{}{}
		}
		for m.Load() == waiting {
			if (!c.stays || !futex.Sleep(m, waiting, lingers)) && m.CompareAndSwap(waiting, gone) {
				return
			}
		}
		if m.Load() == gone { // see Close
			return
		}
	}
}
