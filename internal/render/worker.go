package render

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// worker is the memory of one goroutine. Everything is allocated when a pass
// starts or while bins fill; tiles find it ready.
type worker struct {
	x     *Executor
	plan  *passPlan
	stats Stats
	occ   []uint64 // samples counted, by counter
	asked uint32   // see due

	programs programSet
	computes programSet
	scratch  *exec.Scratch   // of their threads
	byIndex  []*runner       // by passPlan.routines
	laters   map[any]*runner // see later

	binner binner

	// Tile side.
	setups      setups
	found       raster.Coverage // of a primitive in the tile
	depths      tileDepths
	tile        tileState
	batch       group
	placed      *placedBatch   // that takes places, of batches
	batches     []*placedBatch // the first one but for states whose rates differ
	asking      asked          // of all that waits in the others
	placedTests placedTests
	queue       testQueue

	occupied occupancy

	watching watcher

	visible visibility
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

// prepare readies a worker for a pass. Threads are made with their first batches.
func (w *worker) prepare(p *passPlan) {
	w.plan = p
	w.watching.w = w
	w.stats = Stats{}
	w.occ = grow(w.occ, len(p.pass.Occlusion))
	clear(w.occ)
	w.programs.trim()
	w.byIndex = grow(w.byIndex, len(p.routines))
	clear(w.laters)
	for i, r := range p.routines {
		w.byIndex[i] = w.program(r)
	}
	w.binner.prepare(p, w.byIndex, &w.watching)
	var last *drawState
	for i := range p.draws {
		if d := &p.draws[i]; d.fragment.Routine != none && d.state != last {
			last = d.state
			w.byIndex[d.fragment.Routine].bindColors(&d.state.link.outs, w.x)
		}
	}
	size := w.x.cfg.TileSize
	w.batch = group{group: none}
	w.preparePlaces(p)
	w.placedTests.places = grow(w.placedTests.places, size*size/ir.PlaceLanes)
	w.queue.prepare(p.words)
	w.visible.prepare(size, p.words)
	w.found.Grow(size, p.words)
	w.depths.prepare(size)
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

// tileState is the tile a worker is drawing.
type tileState struct {
	layer          int
	rect           raster.Rect // pixels, cut to the area
	color          [MaxColorAttachments]fragops.Surface
	depth, stencil fragops.Surface
	parts, split   []densityPart // with a density map: of the tile; those of a set-up, as its viewport makes them
	size           rate          // of fragments in the part that is drawn
	watched        bool          // a sample of it is
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
