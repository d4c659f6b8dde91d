package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Where primitives are small and shading is short, what is done in order to shade less costs more
// than it saves: a run of tests, a list of what is visible. Such primitives go directly into the
// batch, and the program that shades them tests them, too. What a shader without effects of its own
// does to fragments that tests take away leaves no trace, so which of the two comes first is ours
// to choose.
//
// RAS-300, RAS-305 fragops

// directPixels is how many pixels the boxes of primitives that are drawn directly have at most, on an
// average, by default.
const directPixels = 16 * 16

// takeWay says whether a run of set-ups is drawn directly. What waits on the other way is brought
// so far that nothing overtakes it.
func (w *worker) takeWay(d *drawPlan, run []*raster.Setup) (direct bool, err error) {
	st := d.state
	if direct = st.Direct != nil && !w.watched; direct {
		pixels, n := 0, 0
		for _, s := range run {
			if r := s.Bounds.Intersect(w.tile.Rect); !r.Empty() { // else it is one of those that all tiles look at
				pixels += int(r.X1-r.X0) * int(r.Y1-r.Y0)
				n++
			}
			direct = direct && !s.Warped() // no fused program takes those
		}
		direct = direct && pixels < w.x.directPixels*n
	}
	if direct && st.Direct != st.Plan && st.Direct.Fused[0] == none {
		st.Direct.Fusion.Lanes.Add(int64(ir.PlaceLanes * len(run)))
		direct = false
	}
	if direct {
		return true, w.enterDirect(d)
	}
	if p := w.frags.Waiting; p.Within { // it is not tested yet
		err = w.frags.Flush()
		p.Plan, p.Within = w.frags.Batch.Draw.State.Plan, false
	}
	return false, err
}

// enterDirect prepares for what comes directly.
func (w *worker) enterDirect(d *drawPlan) error {
	st := d.state
	if err := w.x.during(nil, w.tile.Finish()); err != nil {
		return err
	}
	if err := w.shadeVisible(); err != nil {
		return err
	}
	within := st.Direct != st.Plan
	if within != w.frags.Waiting.Within {
		if err := w.frags.Flush(); err != nil {
			return err
		}
	}
	if err := w.frags.Start(&d.Draw); err != nil {
		return err
	}
	if p := w.frags.Waiting; len(p.Places) == 0 { // that of a rate is not that of the draw before
		p.Plan, p.Within = st.Direct, within
	}
	return nil
}

// drawDirect is drawSetup for a run of what comes directly.
//
// RAS-300 fragops
func (w *worker) drawDirect(c *chunk, run []*raster.Setup) error {
	st, of, window := c.draw.state, uint32(math.MaxUint32), raster.Rect{}
	w.near.n = 0
	near := w.plan.Words == 1 && st.windows == nil && !st.drops && !st.masks && c.draw.Counts[0] == 0
	for k, s := range run {
		rec := &c.Recs[s.Prim]
		if int(rec.Layer) != w.tile.Layer && !w.plan.bare {
			continue // a big one
		}
		if err := w.due(c.Of); err != nil {
			return err
		}
		if rec.Scissor != of {
			of, window = rec.Scissor, w.window(rec.Scissor)
		}
		r, tests := window.Intersect(s.Bounds), &st.Tests[rec.Viewport]
		switch {
		case r.Empty():
		case near && s.Near(r, st.Locations):
			b := &w.near
			b.zf[k&(maxRun-1)] = tile.DepthsIn(s, st.Locations, tests, r)
			b.n = s.FindNear(b.list[:], b.n, int32(k), r, st.Locations)
		default:
			if err := w.drawNear(c, run); err != nil { // which come before
				return err
			}
			if err := w.drawFound(c, s, tests, r); err != nil {
				return err
			}
		}
	}
	return w.drawNear(c, run)
}

// drawFound is drawDirect of a set-up in pixels of the tile.
func (w *worker) drawFound(
	c *chunk, s *raster.Setup, tests *fragops.DepthStencil, r raster.Rect,
) error {
	st, b := c.draw.state, &w.found
	if w.tile.Hides(s, st.Locations, tests, r) {
		return nil
	}
	s.Find(b, c.Extra, r, st.Locations)
	w.cut(c, s)
	if n := c.draw.Counts[0]; n != 0 && !tests.Active() { // else see countPlaces
		w.frags.Counted[n-1] += b.Count()
	}
	for k := range b.Blocks {
		o := &b.Blocks[k]
		zf := tile.DepthsIn(s, st.Locations, tests, o.Rect().Intersect(r))
		if err := w.drawBlock(c, s, tests, zf, o.X, o.Y, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}

// nearBlocks are what set-ups of a run cover of which one sample of all pixels of a few blocks is
// looked for. All are found before the first one is drawn: nothing waits for what a kernel finds of
// one, or guesses whether that is anything.
type nearBlocks struct {
	list [maxRun * raster.NearBlocks]raster.NearBlock // of set-ups, by their number
	n    int
	zf   [maxRun]fragops.DepthRange // of set-ups: for all of their blocks, one is close enough
}

// drawNear is drawFound of what was found of set-ups of a run.
func (w *worker) drawNear(c *chunk, run []*raster.Setup) error {
	st, b := c.draw.state, &w.near
	n := b.n
	b.n = 0
	for i := range b.list[:n] {
		e := &b.list[i]
		s := run[e.Of]
		tests, zf := &st.Tests[c.Recs[s.Prim].Viewport], b.zf[e.Of&(maxRun-1)]
		if err := w.frags.MakeRoom(); err != nil { // before anything is expected of this one
			return err
		}
		if w.tile.FailsBlock(s, tests, zf, e.X, e.Y) {
			continue
		}
		err := w.frags.AddBlock(&c.Primitives, s, e.X, e.Y, e.Words[:], e.Words[0])
		if err != nil {
			return err
		}
	}
	return nil
}

// drawBlock hands a block to the batch, unless its tests fail.
func (w *worker) drawBlock(
	c *chunk, s *raster.Setup, tests *fragops.DepthStencil, zf fragops.DepthRange,
	x, y int32, words []uint64,
) error {
	if err := w.frags.MakeRoom(); err != nil { // before anything is expected of this one
		return err
	}
	if w.tile.FailsBlock(s, tests, zf, x, y) {
		return nil
	}
	return w.frags.ShadeBlock(&c.Primitives, s, x, y, words)
}
