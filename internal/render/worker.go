package render

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// worker is the memory of one goroutine: a room for each part of the road, and the walk over the
// primitives of a tile, which finds what they cover, tests it before shading and hands it on.
// Everything is allocated when a pass starts or while bins fill; tiles find it ready.
type worker struct {
	x     *Executor
	plan  *passPlan
	stats Stats
	asked uint32 // see due

	threads  threads
	binner   binner
	tile     tile
	frags    fragments
	watching watcher

	// Of the walk.
	setups  setups
	found   raster.Coverage // of a primitive in the tile
	queue   testQueue
	visible visibility
}

// threads are the runners of a worker's programs, which all of its rooms use: those of a pass by
// their numbers, and what few passes need once somebody asks for it.
type threads struct {
	x        *Executor
	plan     *passPlan
	programs programSet
	computes programSet
	scratch  *exec.Scratch   // of their threads
	byIndex  []*runner       // by passPlan.routines
	laters   map[any]*runner // see later
}

// prepare finds the runners of a pass.
func (h *threads) prepare(p *passPlan) {
	h.plan = p
	h.programs.trim()
	h.byIndex = grow(h.byIndex, len(p.routines))
	clear(h.laters)
	for i, r := range p.routines {
		h.byIndex[i] = h.program(r)
	}
}

// runner is a routine's thread with its lane arrays.
type runner struct {
	ir      *ir.Program
	routine exec.Routine
	lanes   int
	scratch *exec.Scratch
	thread  exec.Thread // nil before the first run
	in, out [][]uint32
	// colors[i] is colour output i as the writers want it: missing
	// components are constant lanes. second is the dual source.
	colors [MaxColorAttachments][4][]uint32
	second [4][]uint32
	shared []byte          // workgroup memory of compute
	placed placed          // of compute, task and mesh shaders
	runner geometry.Runner // for the stages before rasterization: the same rows
}

// newWorker is a worker of an executor.
func newWorker(x *Executor) *worker {
	first := new(placedBatch)
	w := &worker{
		x: x,
		threads: threads{
			x: x, programs: newProgramSet(), computes: newProgramSet(),
			scratch: exec.NewScratch(x.cfg.Scratch), laters: map[any]*runner{},
		},
		binner: binner{
			x: x, stages: geometry.Worker{Lanes: x.cfg.Lanes},
			prims: make([]assembly.Primitive, maxVertices), inst: make([]uint32, maxVertices),
			spans: make([]geometry.Span, maxVertices),
			ids:   make([]uint32, minPrimitives), wide: make([]uint32, wideVertices),
		},
		frags: fragments{x: x, placed: first, batches: []*placedBatch{first}},
	}
	w.tile = tile{x: x, threads: &w.threads}
	w.frags.threads, w.frags.tile, w.frags.watching = &w.threads, &w.tile, &w.watching
	w.watching.w = w
	return w
}

// prepare readies a worker for a pass. Threads are made with their first batches.
func (w *worker) prepare(p *passPlan) {
	size := w.x.cfg.TileSize
	w.plan, w.stats = p, Stats{}
	w.threads.prepare(p)
	w.binner.prepare(p, w.threads.byIndex, &w.watching)
	w.tile.prepare(p, size)
	w.frags.prepare(p)
	w.queue.prepare(p.words)
	w.visible.prepare(size, p.words)
	w.found.Grow(size, p.words)
}

func newRunner(r exec.Routine, lanes int, s *exec.Scratch) *runner {
	p := r.Program()
	if p.Places() { // its rows are those of other programs
		c := &runner{ir: p, routine: r, lanes: lanes, scratch: s}
		c.runner = geometry.Runner{IR: p, Lanes: lanes, Run: c.run}
		return c
	}
	lanes = max(lanes, int(p.Shape.PatchVertices+3)&^3)
	if p.Stage == ir.StageTask || p.Stage == ir.StageMesh { // a workgroup is a batch
		lanes = int(p.LocalSize[0]*p.LocalSize[1]*p.LocalSize[2]+3) &^ 3
	}
	c := &runner{ir: p, routine: r, lanes: lanes, scratch: s}
	c.in, c.out = geometry.Rows(len(p.Inputs), lanes), geometry.Rows(len(p.Outputs), lanes)
	c.runner = geometry.Runner{IR: p, In: c.in, Out: c.out, Lanes: lanes, Run: c.run, Lay: c.layGroup}
	return c
}

// run runs a batch. The thread is made with the first one: which of the programs of a state a tile
// needs shows late, and machine code is made with a routine's first thread.
func (p *runner) run(ctx *exec.Context, b *exec.Batch) error {
	if p.thread == nil {
		p.thread = exec.NewThread(p.routine, p.scratch, p.lanes)
	}
	return p.thread.Run(ctx, b)
}

// bindColors points the colour outputs at their lanes.
func (p *runner) bindColors(o *fragmentOutputs, x *Executor) {
	bind := func(c *colorSlots) (list [4][]uint32) {
		for k, slot := range c.slot {
			switch {
			case slot != none:
				list[k] = p.out[slot]
			case k < 3:
				list[k] = x.zeros
			case c.integer:
				list[k] = x.ones
			default:
				list[k] = x.floatOnes
			}
		}
		return list
	}
	for i := range o.color {
		p.colors[i] = bind(&o.color[i])
	}
	p.second = bind(&o.second)
	if o.second.slot[3] == none { // RAS-342: what is unwritten of the second source is 0
		p.second[3] = x.zeros
	}
}

// parallel runs f on n workers, at most all, and returns the first error. A panic becomes
// a *WorkerError.
func (x *Executor) parallel(n int, f func(w *worker) error) error {
	n = min(n, len(x.workers))
	if n <= 1 {
		x.guard(x.workers[0], f)
		return x.takeError()
	}
	var wg sync.WaitGroup
	for _, w := range x.workers[1:n] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x.guard(w, f)
		}()
	}
	x.guard(x.workers[0], f) // here: nobody has to be woken for it, and the stack has grown already
	wg.Wait()
	return x.takeError()
}

// guard runs f and keeps its error or panic.
func (x *Executor) guard(w *worker, f func(w *worker) error) {
	defer func() {
		if v := recover(); v != nil {
			x.fail(&WorkerError{Value: v, Stack: string(debug.Stack())})
		}
	}()
	// Memory may be the application's, which may take it away.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := f(w); err != nil && err != errStop {
		x.fail(err)
	}
}

// fail keeps the first error and tells the workers to stop.
func (x *Executor) fail(err error) {
	x.errMu.Lock()
	defer x.errMu.Unlock()
	if x.err == nil {
		x.err = err
	}
	x.failed.Store(true)
}

// takeError returns the error of a phase and clears it.
func (x *Executor) takeError() error {
	x.errMu.Lock()
	defer x.errMu.Unlock()
	err := x.err
	x.err = nil
	x.failed.Store(false)
	return err
}

// counter hands out numbers to workers.
type counter struct{ n atomic.Int64 }

func (c *counter) next() int { return int(c.n.Add(1) - 1) }
