package render

import (
	"runtime/debug"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// worker is the memory of one goroutine: a room for each part of the road, and the walk over the
// primitives of a tile, which finds what they cover, tests it before shading and hands it on.
// Everything is allocated when a pass starts or while bins fill; tiles find it ready.
type worker struct {
	x     *Executor
	plan  *passPlan
	stats Stats
	asked uint32 // see due

	threads  threads.Threads
	binner   binner
	tile     tile.Tile
	frags    fragment.Worker
	watching watcher

	// Of the walk.
	setups  setups
	found   raster.Coverage // of a primitive in the tile
	near    nearBlocks      // and of those of a run that are drawn directly
	visible visibility
	asking  int           // the group of draws of which tests wait
	watched bool          // a sample of the tile is
	parts   []densityPart // with a density map: of the tile
	split   []densityPart // and those of a set-up, as its viewport makes them
}

// newWorker is a worker of an executor.
func newWorker(x *Executor) *worker {
	w := &worker{
		x:       x,
		threads: threads.New(fragment.Lanes, x.cfg.Scratch),
		binner: binner{
			x: x, stages: geometry.Worker{Lanes: x.cfg.Lanes},
			prims: make([]assembly.Primitive, maxVertices), inst: make([]uint32, maxVertices),
			spans: make([]geometry.Span, maxVertices),
			ids:   make([]uint32, minPrimitives), wide: make([]uint32, wideVertices),
		},
	}
	w.tile = tile.Tile{
		Threads: &w.threads, Passed: w.passed, Fail: func(err error) { x.fail(x.during(nil, err)) },
	}
	w.frags = fragment.NewWorker(&w.threads, &w.tile, &w.watching, x.during, x.stopped)
	w.watching.w = w
	return w
}

// prepare readies a worker for a pass. Threads are made with their first batches.
func (w *worker) prepare(p *passPlan) {
	size := w.x.cfg.TileSize
	w.plan, w.stats, w.watching.storing = p, Stats{}, nil
	w.threads.Begin(&p.List)
	w.binner.prepare(p, w.threads.By, &w.watching)
	w.tile.Prepare(&p.Plan, size)
	w.frags.Prepare(&p.Pass)
	w.visible.prepare(size, p.Words)
	w.found.Grow(size, p.Words)
}

// parallel runs f on n workers, at most all, and returns the first error, which is forgotten then.
// A panic becomes a *WorkerError.
func (x *Executor) parallel(n int, f func(w *worker) error) error {
	n = min(n, len(x.workers))
	if n > 1 {
		x.start(n, f)
	}
	x.guard(x.workers[0], f) // here: nobody has to be woken for it, and the stack has grown already
	if n > 1 {
		x.crew.finish()
	}
	x.errMu.Lock()
	defer x.errMu.Unlock()
	err := x.err
	x.err = nil
	x.failed.Store(false)
	return err
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
