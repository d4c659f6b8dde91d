package render

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// A band is a row of tiles of a layer. A pass clears its rows from side to side: a tile's are short
// pieces, which take memory four times as long. Workers do that a few bands ahead of the tiles that they
// draw, so that what they find there is still near.

// bands are those of a round that clears.
type bands struct {
	n       int // of the plan; 0 where nothing is to be cleared
	nx      int // tiles of one
	next    atomic.Int64
	cleared []atomic.Bool
	idle    []bool // those that nothing is drawn to; none where something may be drawn to all
}

// begin starts a round of a plan that draws in boxes.
func (b *bands) begin(plan *passPlan, boxes []tileBox, first bool) {
	g := &plan.Grid
	if b.n, b.nx, b.idle = 0, g.Nx, b.idle[:0]; !first || !plan.Clears || g.Tiles == 0 {
		return
	}
	b.n = g.Tiles / g.Nx
	if cap(b.cleared) < b.n {
		b.cleared = make([]atomic.Bool, b.n)
	}
	b.cleared = b.cleared[:b.n]
	for i := range b.cleared {
		b.cleared[i].Store(false)
	}
	b.next.Store(0)
	// What is resolved or watched is looked at, whether drawn to or not.
	if plan.Resolves || g.Nx < 2 || len(plan.pass.Watches) > 0 || slices.ContainsFunc(boxes, func(t tileBox) bool { return t.big() }) {
		return
	}
	b.idle = geometry.Grow(b.idle, b.n)
	for i := range b.idle {
		b.idle[i] = true
	}
	for i := range boxes {
		t := &boxes[i]
		for y := int(t.y0); y < int(t.y1) && t.x0 < t.x1; y++ {
			b.idle[int(t.layer)*g.Ny+y] = false
		}
	}
}

// soonCleared is how often a worker looks for a band that another one clears before it sleeps,
// clearWait how long it does.
const (
	soonCleared = 64
	clearWait   = 20 * time.Microsecond
)

// clearTo executes the load operations of bands until those of all workers are under way, the
// tile's being the first of them, and waits for that one, unless nothing is drawn to it.
func (w *worker) clearTo(tile int, draws bool) error {
	b := &w.x.bands
	if b.n == 0 {
		return nil
	}
	band := tile / b.nx
	for end := int64(min(band+len(w.x.workers), b.n)); b.next.Load() < end; {
		if k := int(b.next.Add(1) - 1); k < b.n {
			p := w.plan
			layer, r := p.Grid.Tile(k * b.nx)
			if r.X1 = p.Area.X1; p.pass.ViewMask == 0 || p.pass.ViewMask>>layer&1 != 0 {
				p.Load(layer, r.Intersect(p.Area))
			}
			b.cleared[k].Store(true)
		}
	}
	for k := 0; draws && !b.cleared[band].Load(); k++ {
		if err := w.x.during(nil, w.x.stopped()); err != nil {
			return err
		}
		if k < soonCleared {
			runtime.Gosched()
		} else { // other processes have the processor that clears
			time.Sleep(clearWait)
		}
	}
	return nil
}
