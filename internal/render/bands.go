package render

import (
	"runtime"
	"sync/atomic"
)

// A band is a row of tiles of a layer. A pass clears its rows from side to side: a tile's are short
// pieces, which take memory four times as long. Workers do that a few bands ahead of the tiles that they
// draw, so that what they find there is still near.

// bands are those of a round that clears.
type bands struct {
	n       int // of the plan; 0 where nothing is to be cleared
	nx      int // tiles of one
	next    counter
	cleared []atomic.Bool
}

// begin starts a round of a plan.
func (b *bands) begin(plan *passPlan, clears bool) {
	if b.n, b.nx = 0, plan.Grid.Nx; !clears || plan.Grid.Tiles == 0 {
		return
	}
	b.n = plan.Grid.Tiles / plan.Grid.Nx
	if cap(b.cleared) < b.n {
		b.cleared = make([]atomic.Bool, b.n)
	}
	b.cleared = b.cleared[:b.n]
	for i := range b.cleared {
		b.cleared[i].Store(false)
	}
	b.next.n.Store(0)
}

// clearTo executes the load operations of bands until those of all workers are under way, the
// tile's being the first of them, and waits for that one, unless nothing is drawn to it.
func (w *worker) clearTo(tile int, draws bool) error {
	b := &w.x.bands
	if b.n == 0 {
		return nil
	}
	band := tile / b.nx
	for end := int64(min(band+len(w.x.workers), b.n)); b.next.n.Load() < end; {
		if k := b.next.next(); k < b.n {
			p := w.plan
			layer, r := p.Grid.Tile(k * b.nx)
			if r.X1 = p.Area.X1; p.pass.ViewMask == 0 || p.pass.ViewMask>>layer&1 != 0 {
				p.Load(layer, r.Intersect(p.Area))
			}
			b.cleared[k].Store(true)
		}
	}
	for draws && !b.cleared[band].Load() {
		if w.x.Stopped() {
			return w.x.during(nil, w.x.stopped())
		}
		runtime.Gosched()
	}
	return nil
}

// idleBands says for each band whether the round does nothing but clear it; nothing where none is so.
func (x *Executor) idleBands(list []bool, plan *passPlan, first bool) []bool {
	g := &plan.Grid
	if !first || !plan.Clears || plan.Resolves || g.Nx < 2 {
		return list[:0]
	}
	list = grow(list, g.Tiles/g.Nx)
	for i := range list {
		list[i] = true
	}
	for i := range x.boxes {
		b := &x.boxes[i]
		if b.big() {
			return list[:0]
		}
		for y := int(b.y0); y < int(b.y1) && b.x0 < b.x1; y++ {
			list[int(b.layer)*g.Ny+y] = false
		}
	}
	return list
}
