package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Where primitives are small and shading is short, what is done in order to shade less costs more than it
// saves: a run of tests, a list of what is visible. Such primitives go directly into the batch, and the
// program that shades them tests them, too. What a shader without effects of its own does to fragments
// that tests take away leaves no trace, so which of the two comes first is ours to choose.
//
// RAS-300, RAS-305 fragops

// directFor is up to how many instructions a shader has by default (see lengthOf) whose primitives are drawn directly;
// on an average, their boxes have fewer pixels than directPixels.
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
	case s.counts > 0, p.takes != lowered.CoverageKey{}, p.live, len(p.shares) > 1, p.rate != rate{}: // masks: discarded fragments store depths
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

// takeWay says whether a run of set-ups is drawn directly. What waits on the other way is brought so far that nothing
// overtakes it.
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
	return false, w.leaveDirect()
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

// leaveDirect lets nothing wait that has come directly and is not tested yet.
func (w *worker) leaveDirect() error {
	if w.frags.placed.direct == nil {
		return nil
	}
	err := w.frags.flush()
	w.frags.placed.direct = nil
	return err
}

// drawDirect is drawSetup for what comes directly.
//
// RAS-300 fragops
func (w *worker) drawDirect(c *chunk, s *raster.Setup) error {
	st, b := c.draw.state, &w.found
	rec := &c.recs[s.Prim]
	// RAS-307 fragops-scissor: integers, so a pixel rectangle.
	r := w.tile.Rect.Intersect(w.plan.scissors[rec.scissor]).Intersect(s.Bounds)
	if r.Empty() {
		return nil
	}
	tests := &st.tests[rec.viewport]
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
		if err := w.frags.roomForBlock(); err != nil { // before anything is expected of this one
			return err
		}
		if w.tile.FailsBlock(s, st.ss, tests, o) {
			continue
		}
		if err := w.frags.shadeBlock(c, s, o.X, o.Y, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}
