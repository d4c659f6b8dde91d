package render

import (
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// Defaults of Config.
const (
	defaultTileSize = 64
	defaultLanes    = 256
	defaultBinBytes = 8 << 20
	minBinBytes     = 1 << 20
)

// keptPlans bounds the draws whose memory is kept for the next pass.
const keptPlans = 1 << 16

// Executor runs passes and dispatches on its workers. One goroutine at a time
// may use it: a queue owns one.
type Executor struct {
	cfg     Config
	workers []*worker
	crew    crew
	fragment.Common
	// shadeHidden shades fragments that later ones hide; for tests.
	shadeHidden  bool
	directPixels int // with DirectFor, says what is drawn directly; all or nothing in tests

	forgotten forgotten

	ctx    context.Context // of the pass or dispatch; workers only read it
	breath breath
	errMu  sync.Mutex
	err    error
	failed atomic.Bool

	// Of the current round. mu guards source, chunks and used; it is taken
	// once a chunk, never inside a tile.
	mu       sync.Mutex
	source   source
	kept     []*keptPass   // the last one kept is the last
	plans    []drawPlan    // memory for those of the next pass,
	scissors []raster.Rect // and for these
	pool     []*chunk      // all chunks there are
	chunks   int           // pool[:chunks] are this round's, in API order
	ready    int           // pool[:ready] can be drawn: all but the last are done
	// binned are those that can be drawn, by tile; boxes is where they draw.
	binned bins
	boxes  []tileBox
	bands  bands
	used   int64 // bytes of finished chunks
	phase  int32 // stipple phase at the end of the last chunk
	// chunkBytes is the size at which a chunk that goes on growing is drawn.
	chunkBytes int64
	tiles      atomic.Int64 // the next tile, or part, that nobody has
}

// New makes an Executor. Values out of range are moved into it.
func New(cfg Config) *Executor {
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	cfg.Threads = min(cfg.Threads, 1024)
	if cfg.TileSize <= 0 {
		cfg.TileSize = defaultTileSize
	}
	cfg.TileSize = 1 << (bits.Len(uint(min(max(cfg.TileSize, 16), 256))) - 1)
	if cfg.Lanes <= 0 {
		cfg.Lanes = defaultLanes
	}
	cfg.Lanes = min(max(cfg.Lanes&^3, 4), exec.MaxLanes)
	if cfg.BinBytes <= 0 {
		cfg.BinBytes = defaultBinBytes
	}
	cfg.BinBytes = max(cfg.BinBytes, minBinBytes)
	if cfg.CoverageSamples <= 0 {
		cfg.CoverageSamples = rates.MaxCoverageSamples
	}
	x := &Executor{
		cfg: cfg, ctx: context.Background(), Common: fragment.NewCommon(cfg.Engine), directPixels: directPixels,
		chunkBytes: cfg.BinBytes / int64(cfg.Threads),
	}
	_, confined := memory.Room()
	x.crew.members, x.crew.stays = make([]atomic.Uint32, cfg.Threads), !confined
	x.crew.done = make(chan struct{}, 1)
	for range cfg.Threads {
		x.workers = append(x.workers, newWorker(x))
	}
	return x
}

// Config returns the configuration with defaults filled in.
func (x *Executor) Config() Config { return x.cfg }

// Run draws the pass. When it returns an error the contents of the attachments
// are undefined; errors are *PassError, *DrawError with that of ctx or what an engine
// returns, and *WorkerError after a panic.
func (x *Executor) Run(ctx context.Context, p *Pass) (stats Stats, err error) {
	defer x.begin()()
	if x.ctx = ctx; ctx.Err() != nil {
		return stats, x.during(nil, ctx.Err())
	}
	// On a worker, so that a panic here becomes an error as well.
	var plan *passPlan
	err = x.parallel(1, func(*worker) (err error) {
		if plan, err = x.newPlan(p); err != nil {
			return err
		}
		for _, w := range x.workers {
			w.prepare(plan)
		}
		x.source = source{x: x, plan: plan, asm: x.source.asm}
		return nil
	})
	if err != nil {
		return stats, err
	}
	watched := len(p.Watches) > 0
	if watched {
		for _, v := range p.Watches {
			v.Begin(&plan.Plan, len(p.Watches))
		}
	}
	for first, last := true, false; err == nil && !last; first = false {
		if last, err = x.bin(&stats); err != nil {
			break
		}
		if err = x.draw(plan, first, last, &stats); watched {
			plan.collect(x.pool[:x.ready])
		}
	}
	if watched && err == nil {
		plan.endWatches()
	}
	for _, c := range x.pool[:x.chunks] {
		c.reset()
	}
	x.chunks, x.ready = 0, 0
	for _, w := range x.workers {
		stats.Add(w.binner.end())
		stats.Add(w.stats)
		f := &w.frags.Stats
		stats.Add(Stats{Fragments: f.Fragments, Batches: f.Batches, Lanes: f.Lanes})
		for i, n := range w.frags.Counted {
			if err == nil {
				p.Occlusion[i] += n
			}
		}
		w.plan, w.threads.List, w.tile.Plan, w.frags.Pass = nil, nil, nil, nil
	}
	stats.VerticesIn, x.source.plan = x.source.named, nil
	if clear(plan.draws); cap(plan.draws) <= keptPlans {
		x.plans, x.scissors = plan.draws[:0], plan.scissors
	}
	return stats, err
}

// Share calls f for parts that make up [0, n) on the workers, each of them several
// times, and returns the first error. Between parts it looks whether ctx has ended.
func (x *Executor) Share(ctx context.Context, n int, f func(from, to int) error) error {
	x.ctx = ctx
	x.tiles.Store(0)
	step := max(n/(turns*len(x.workers)), 1)
	return x.parallel(min(len(x.workers), n), func(*worker) error {
		for {
			from := int(x.tiles.Add(1)-1) * step
			if from >= n {
				return nil
			}
			if err := x.stopped(); err != nil {
				return err
			}
			if err := f(from, min(from+step, n)); err != nil {
				return err
			}
		}
	})
}

// aloneVertices is up to how many vertices of a pass wait for one worker no longer than for another
// to wake up.
const aloneVertices = 256

// bin fills the bins of a round. last says that the pass has ended.
func (x *Executor) bin(stats *Stats) (last bool, err error) {
	start := time.Now()
	x.retire()
	if x.source.barrier && x.chunks == 0 {
		x.source.pass()
	}
	workers := len(x.workers)
	if x.source.plan.vertices <= aloneVertices || x.source.plan.stores != nil {
		workers = 1
	}
	err = x.parallel(workers, func(w *worker) error {
		g := &w.binner
		for {
			c, err := g.startChunks()
			if err != nil || c == nil {
				return err
			}
			if err := g.advance(c); err != nil {
				return x.during(c.Of, err)
			}
			if c.done {
				g.chunk = nil
			}
			x.mu.Lock()
			x.used += c.bytes()
			x.mu.Unlock()
		}
	})
	for x.ready = 0; x.ready < x.chunks; {
		if x.ready++; !x.pool[x.ready-1].done {
			break
		}
	}
	x.carryStipple()
	if err == nil {
		x.boxes = x.boxes[:0]
		for i, c := range x.pool[:x.ready] {
			b := c.box()
			b.item = uint32(i)
			x.boxes = append(x.boxes, b)
		}
		x.binned.sort(x.boxes)
		x.commitFeedback(stats)
	}
	stats.Rounds++
	stats.BinNS += int64(time.Since(start))
	last = x.source.done() && x.ready == x.chunks && (x.chunks == 0 || x.pool[x.chunks-1].done)
	return last, err
}

// retire takes the chunks that have been drawn out of the round. One that is not
// done stays, empty, before those that come after it.
func (x *Executor) retire() {
	n := x.ready
	if n > 0 && !x.pool[n-1].done {
		n--
		x.pool[n].empty()
	}
	drawn := slices.Clone(x.pool[:n])
	for _, c := range drawn {
		c.reset()
	}
	copy(x.pool, x.pool[n:x.chunks])
	copy(x.pool[x.chunks-n:], drawn)
	x.chunks, x.used = x.chunks-n, 0
	for _, c := range x.pool[:x.chunks] {
		x.used += c.bytes()
	}
}

// startChunks returns the chunk that the worker goes on with, or the next one,
// its vertices shaded; nil at the end of the round.
func (w *binner) startChunks() (*chunk, error) {
	for {
		if c := w.chunk; c != nil {
			if c.full {
				return nil, nil
			}
			return c, nil
		}
		c, err := w.x.nextChunk(w)
		if err != nil || c == nil {
			return nil, err
		}
		if c.draw.state == nil {
			c.done = true
			c.release()
			continue
		}
		err = w.vertices(c)
		c.release()
		if err != nil {
			return nil, w.x.during(c.Of, err)
		}
		w.chunk = c
	}
}

// nextChunk returns the next chunk of the pass, or nil at the end of the round.
// Its primitives are in the memory of w.
func (x *Executor) nextChunk(w *binner) (*chunk, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.used >= x.cfg.BinBytes || x.source.plan.notes.Load() > watch.MaxRound || x.source.barrier || x.source.done() {
		return nil, nil
	}
	if x.chunks == len(x.pool) {
		x.pool = append(x.pool, &chunk{})
	}
	c := x.pool[x.chunks]
	c.reset()
	c.prims, c.inst, c.spans, c.ids, c.wide = w.prims[:0], w.inst[:0], w.spans[:0], w.ids[:0], w.wide[:0]
	ok, err := x.source.next(c)
	if !ok || err != nil {
		return nil, err
	}
	x.chunks++
	return c, nil
}

// draw draws the tiles of a round.
func (x *Executor) draw(plan *passPlan, first, last bool, stats *Stats) error {
	start := time.Now()
	x.tiles.Store(0)
	visit := first && plan.Clears || last && plan.Resolves
	if !visit && x.ready == 0 {
		return nil
	}
	x.bands.begin(plan, x.boxes, first)
	workers := min(len(x.workers), plan.Grid.Tiles)
	if plan.stores != nil {
		workers = 1
	}
	err := x.parallel(workers, func(w *worker) error {
		for {
			if err := x.stopped(); err != nil {
				return x.during(x.latest(), err)
			}
			t := int(x.tiles.Add(1) - 1)
			if t >= plan.Grid.Tiles {
				return nil
			}
			draws := len(x.bands.idle) == 0 || !x.bands.idle[t/plan.Grid.Nx]
			if err := w.clearTo(t, draws); err != nil {
				return err
			}
			if !draws {
				continue
			}
			if err := w.drawTile(t, first, last); err != nil {
				return err
			}
		}
	})
	stats.TileNS += int64(time.Since(start))
	return err
}
