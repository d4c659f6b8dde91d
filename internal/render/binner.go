package render

import (
	"slices"
	"time"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// binner is what a goroutine needs to take chunks from their primitives to their bins. What comes in
// is a chunk with the primitives that assembly made of a draw (see source), which go through the
// stages; a chunk with records, attributes, places or set-ups, and bins goes out. It knows nothing of
// tiles but where they lie.
type binner struct {
	x        *Executor
	plan     *passPlan
	stages   geometry.Worker
	stats    Stats    // of the pass so far
	watching *watcher // that looks at primitives near watched pixels

	// Primitives of the chunk that is being filled, and their vertices.
	prims     []assembly.Primitive
	inst      []uint32
	spans     []geometry.Span
	ids, wide []uint32
	chunk     *chunk // that goes on in the next round
	opened    int    // the first of its pieces that the stretch is of
	before    uint32 // and how many primitives precede that
	scissors  uint32 // drawPlan.scissors of those at work

	// Primitives on their way into the chunk.
	corners   corners
	rows      exec.Batch       // of programs of positions
	own       [3]raster.Vertex // of a primitive with a viewport of its own
	poly      raster.Polygon
	seg       raster.Segment
	point     raster.Point
	boxes     []tileBox // of the records of the chunk, none empty
	parts     []tileBox // of them, for sort
	reordered reordered
}

// prepare readies it for a pass, with the programs of the goroutine.
func (w *binner) prepare(p *passPlan, programs []*threads.Runner, watching *watcher) {
	w.plan, w.watching, w.stats, w.stages.Stats = p, watching, Stats{}, geometry.Stats{}
	w.stages.Retells = slices.ContainsFunc(p.pass.Watches, func(v *watch.Watch) bool { return v.Stages })
	if w.stages.Onlooker = nil; p.stores != nil {
		w.stages.Onlooker = p.stores
	}
	w.stages.Programs = geometry.Grow(w.stages.Programs, len(programs))
	for i, p := range programs {
		w.stages.Programs[i] = &p.Runner
	}
}

// end forgets the pass and returns what it counted.
func (w *binner) end() Stats {
	w.chunk, w.plan, w.stages.Feed, w.stages.Onlooker = nil, nil, geometry.Feed{}, nil
	clear(w.stages.Programs)
	w.stats.Stats = w.stages.Stats
	return w.stats
}

// vertices begins the next pieces of a chunk, as many as make up a stretch.
func (w *binner) vertices(c *chunk) error {
	f := &w.stages.Feed // in place: there may be a piece for every few primitives
	if c.draw.state.stages.Mesh != none {
		f.Draw, f.Params, f.Groups, w.opened = &c.draw.stages, c.params, c.groups, 0
		if w.stages.Retells {
			w.keepStores(c)
		}
		return w.stages.Begin()
	}
	start := time.Now()
	before := &piece{}
	if c.present > 0 {
		before = &c.pieces[c.present-1]
	}
	w.opened, w.before = c.present, before.n
	// Those that are watched are told apart by the draw.
	room := uint32(0)
	if len(w.plan.pass.Watches) == 0 {
		room = before.n + uint32(geometry.MaxVertices/c.draw.state.asm.Vertices())
	}
	for begin := true; ; begin = false {
		p := &c.pieces[c.present]
		c.present++
		if c.draw, c.Of = p.draw, &p.draw.Draw; w.stages.Retells {
			w.keepStores(c)
		}
		c.params, c.View = &p.params, p.params.View
		if f.Draw, f.Params = &p.draw.stages, c.params; f.Draw.State.Wide { // there is one piece
			f.IDs, f.Wide, f.Inst = c.ids, c.wide, c.inst
		} else {
			f.Primitives, f.Inst = w.prims[before.end:p.end], w.inst[before.end:p.end]
			f.Spans = w.spans[before.spans:p.spans]
		}
		err := error(nil)
		if begin {
			err = w.stages.Begin()
		} else {
			err = w.stages.Append()
		}
		if err != nil {
			return err
		}
		if before = p; c.present == len(c.pieces) || c.pieces[c.present].n > room {
			break
		}
	}
	w.stats.VertexNS += int64(time.Since(start))
	return nil
}

// advance takes a chunk through the stages to its bins until it is done or full.
func (w *binner) advance(c *chunk) error {
	for w.boxes = w.boxes[:0]; ; {
		if err := w.x.stopped(); err != nil {
			return err
		}
		b, err := w.stages.Next()
		if err != nil {
			return err
		}
		if b == nil {
			if c.present < len(c.pieces) {
				if err := w.vertices(c); err != nil {
					return err
				}
				continue
			}
			c.done = true
			break
		}
		w.commit(c, b)
		if c.bytes() >= w.x.chunkBytes || w.plan.notes.Load() > watch.MaxRound {
			c.full = true
			break
		}
	}
	w.sort(c)
	return nil
}
