package render

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
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

// directFor is up to how many instructions a shader has by default (see lengthOf) whose primitives
// are drawn directly; on an average, their boxes have fewer pixels than directPixels.
const directFor, directPixels = 100, 16 * 16

// addDirect finds out how fragments of the state are shaded that nothing precedes.
func (s *drawState) addDirect(pl *passPlan) error {
	shader := s.pipe.desc.Fragment.Program()
	if pl.shadeHidden || s.placed.single || len(s.placed.smoothed) > 0 || lengthOf(shader) > pl.x.directFor {
		return nil
	}
	switch p := s.placed; {
	case !tested(s.tests), tested(s.after) && p.tail.Tested && p.fused[0] != none && s.link.outs.depth == none && !p.tail.Tests.Referenced:
		s.direct = p
		return nil
	case s.counts > 0, p.takes != lowered.CoverageKey{}, p.live, len(p.shares) > 1, p.rate != rates.Rate{}: // masks: discarded fragments store depths
		return nil
	}
	d := *s.placed
	d.constants, d.surfaces, d.size, d.tail = slices.Clip(d.shares[0].constants), nil, d.inputs.Size, lowered.Tail{}
	d.packs, d.after = s.packs(pl, shader, true), s.tests
	err := d.fuse(pl, s, true)
	if d.tail.Tested && d.tail.Count > 0 { // else no colour is stored, and no program has the tests
		s.direct = &d
	}
	return err
}

// tested says that tests of depth or stencil are there.
func tested(tests []fragops.DepthStencil) bool {
	for i := range tests {
		if tests[i].Active() {
			return true
		}
	}
	return false
}

// takeWay says whether a run of set-ups is drawn directly. What waits on the other way is brought
// so far that nothing overtakes it.
func (w *worker) takeWay(d *drawPlan, run []*raster.Setup) (direct bool, err error) {
	st := d.state
	if direct = st.direct != nil && !w.watched; direct {
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
	if direct && st.direct != st.placed && st.direct.fused[0] == none {
		st.direct.fusion.lanes.Add(int64(ir.PlaceLanes * len(run)))
		direct = false
	}
	if direct {
		return true, w.enterDirect(d)
	}
	if w.frags.placed.direct != nil { // it is not tested yet
		err = w.frags.flush()
		w.frags.placed.direct = nil
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
	tested := st.direct != st.placed
	if tested != (w.frags.placed.direct != nil) {
		if err := w.frags.flush(); err != nil {
			return err
		}
	}
	if err := w.frags.startGroup(d); err != nil {
		return err
	}
	if p := w.frags.placed; len(p.places) == 0 { // that of a rate is not that of the draw before
		if p.direct = nil; tested {
			p.direct = st.direct
		}
	}
	return nil
}

// drawDirect is drawSetup for a run of what comes directly.
//
// RAS-300 fragops
func (w *worker) drawDirect(c *chunk, run []*raster.Setup) error {
	st, of, window := c.draw.state, uint32(math.MaxUint32), raster.Rect{}
	near := w.plan.Words == 1 && st.windows == nil && !st.drops && !st.masks && c.draw.counts[0] == 0
	for _, s := range run {
		rec := &c.recs[s.Prim]
		if int(rec.layer) != w.tile.Layer && !w.plan.bare {
			continue // a big one
		}
		if err := w.due(c.draw); err != nil {
			return err
		}
		if rec.scissor != of {
			of, window = rec.scissor, w.window(rec.scissor)
		}
		r := window.Intersect(s.Bounds)
		if r.Empty() {
			continue
		}
		err, tests := error(nil), &st.tests[rec.viewport]
		if near && s.Near(r, st.ss) {
			err = w.drawNear(c, s, tests, r)
		} else {
			err = w.drawFound(c, s, tests, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drawFound is drawDirect of a set-up in pixels of the tile.
func (w *worker) drawFound(
	c *chunk, s *raster.Setup, tests *fragops.DepthStencil, r raster.Rect,
) error {
	st, b := c.draw.state, &w.found
	if w.tile.Hides(s, st.ss, tests, r) {
		return nil
	}
	s.Find(b, c.extra, r, st.ss)
	w.cut(c, s)
	if n := c.draw.counts[0]; n != 0 && !tests.Active() { // else see countPlaces
		w.frags.occ[n-1] += b.Count()
	}
	for k := range b.Blocks {
		o := &b.Blocks[k]
		zf := tile.DepthsIn(s, st.ss, tests, o.Rect().Intersect(r))
		if err := w.drawBlock(c, s, tests, zf, o.X, o.Y, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}

// drawNear is drawFound where one sample of all pixels of a few blocks is looked for: for all of
// them, one range of depths is close enough.
func (w *worker) drawNear(
	c *chunk, s *raster.Setup, tests *fragops.DepthStencil, r raster.Rect,
) error {
	st, zf, found := c.draw.state, fragops.DepthRange{}, false
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			if w.near[0] = s.Inside(r, x, y, st.ss, 0); w.near[0] == 0 {
				continue
			}
			if !found {
				zf, found = tile.DepthsIn(s, st.ss, tests, r), true
			}
			if err := w.drawBlock(c, s, tests, zf, x, y, w.near[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawBlock hands a block to the batch, unless its tests fail.
func (w *worker) drawBlock(
	c *chunk, s *raster.Setup, tests *fragops.DepthStencil, zf fragops.DepthRange,
	x, y int32, words []uint64,
) error {
	if err := w.frags.roomForBlock(); err != nil { // before anything is expected of this one
		return err
	}
	if w.tile.FailsBlock(s, tests, zf, x, y) {
		return nil
	}
	return w.frags.shadeBlock(c, s, x, y, words)
}
