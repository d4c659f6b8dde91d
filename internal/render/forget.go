package render

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/futex"
)

// forgotten are routines whose pipelines are gone, until the executor has a moment.
type forgotten struct {
	running  sync.Mutex // held while a pass or dispatch runs
	mu       sync.Mutex
	routines []exec.Routine
	all      bool // there were too many
}

// maxForgotten bounds the routines that wait for the end of a pass or dispatch.
const maxForgotten = 4096

// Forget gives up what the executor keeps for routines, of pipelines that are gone. A routine that runs again is
// like one that has never run. It may be called at any time by any goroutine.
func (x *Executor) Forget(list ...exec.Routine) {
	f := &x.forgotten
	f.mu.Lock()
	if f.routines = append(f.routines, list...); len(f.routines) > maxForgotten {
		f.routines, f.all = nil, true
	}
	f.mu.Unlock()
	if f.running.TryLock() {
		defer f.running.Unlock()
		x.forget()
	}
}

// begin is called by what runs; the function that it returns when that ends.
func (x *Executor) begin() (end func()) {
	x.forgotten.running.Lock()
	x.forget()
	return x.forgotten.running.Unlock
}

// forget does what Forget has asked for. The caller holds running.
func (x *Executor) forget() {
	f := &x.forgotten
	f.mu.Lock()
	list, all := f.routines, f.all
	f.routines, f.all = nil, false
	f.mu.Unlock()
	if all || len(list) > 0 {
		x.kept = nil
	}
	if all {
		clear(x.Fusions)
		for _, w := range x.workers {
			w.threads.Clear()
		}
		return
	}
	for _, r := range list {
		x.drop(r)
		x.Common.Forget(r, x.drop)
	}
}

// drop forgets the threads of a routine.
func (x *Executor) drop(r exec.Routine) {
	if r == nil {
		return
	}
	for _, w := range x.workers {
		w.threads.Drop(r)
	}
}

// Close gives the memory of shaders' variables back, and ends what waits for work. Nothing runs,
// and nothing will.
func (x *Executor) Close() {
	defer x.begin()()
	for i := range x.crew.members {
		if m := &x.crew.members[i]; m.CompareAndSwap(waiting, gone) {
			futex.Wake(m)
		}
	}
	for _, w := range x.workers {
		w.threads.Close()
	}
}

// Routines are those of the pipeline's shaders.
func (p *Pipeline) Routines() (list []exec.Routine) {
	d := &p.desc
	for _, r := range [...]exec.Routine{d.Vertex, d.Control, d.Evaluation, d.Geometry, d.Task, d.Mesh, d.Fragment} {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}
