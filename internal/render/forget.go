package render

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Between passes a worker keeps the threads of what it has run. They go when their pipeline does, or when they are
// too many or too large: a thread has rows for its inputs and outputs, which may be half a megabyte.
const (
	maxPrograms     = 256
	maxProgramBytes = 16 << 20
)

// programSet is the programs that a worker keeps.
type programSet struct {
	of    map[exec.Routine]*runner
	bytes int
}

func newProgramSet() programSet { return programSet{of: map[exec.Routine]*runner{}} }

// trim forgets all programs where they are too many. No pass is under way.
func (s *programSet) trim() {
	if len(s.of) > maxPrograms || s.bytes > maxProgramBytes {
		clear(s.of)
		s.bytes = 0
	}
}

func (s *programSet) add(r exec.Routine, p *runner) {
	s.of[r] = p
	s.bytes += p.bytes()
}

func (s *programSet) drop(r exec.Routine) {
	if p := s.of[r]; p != nil {
		delete(s.of, r)
		s.bytes -= p.bytes()
	}
}

// bytes are those of the program's rows, about.
func (p *runner) bytes() int {
	n := 4*(p.lanes+16)*(len(p.in)+len(p.out)) + len(p.shared) + len(p.runner.Shared) + 4096
	if ops := len(p.ir.ImageOps); ops > 0 { // rows for what they look up, and decoded blocks
		n += 128<<10 + 64*p.lanes*ops
	}
	return n
}

// program is the worker's program of a routine, for fragments and vertices.
func (h *threads) program(r exec.Routine) *runner {
	p := h.programs.of[r]
	if p == nil {
		p = newRunner(r, h.x.cfg.fragments(), h.scratch)
		h.programs.add(r, p)
	}
	return p
}

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
	if all {
		clear(x.fusions)
		for _, w := range x.workers {
			w.threads.programs, w.threads.computes = newProgramSet(), newProgramSet()
		}
		return
	}
	for _, r := range list {
		x.drop(r)
		if len(x.fusions) == 0 {
			continue
		}
		for k, f := range x.fusions {
			if k.shader == r {
				delete(x.fusions, k)
				for _, r := range f.routines {
					x.drop(r)
				}
			}
		}
	}
}

// drop forgets the threads of a routine.
func (x *Executor) drop(r exec.Routine) {
	if r == nil {
		return
	}
	for _, w := range x.workers {
		w.threads.programs.drop(r)
		w.threads.computes.drop(r)
	}
}

// Close gives the memory of shaders' variables back. Nothing runs, and nothing will.
func (x *Executor) Close() {
	defer x.begin()()
	for _, w := range x.workers {
		w.threads.programs, w.threads.computes = newProgramSet(), newProgramSet()
		w.threads.scratch.Free()
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
