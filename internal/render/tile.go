package render

import (
	"math/bits"
	"time"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// drawTile draws the round's list of a tile, which in the first round has been cleared; in the last it resolves.
func (w *worker) drawTile(t int, first, last bool) error {
	p := w.plan
	layer, full := p.Grid.Tile(t)
	if m := p.pass.ViewMask; m != 0 && m>>layer&1 == 0 {
		return nil
	}
	r := full.Intersect(p.Area)
	w.setups.n = 0
	w.tile.Bind(layer, r, first && p.Depth.Clears(layer, &p.Plan))
	if p.density != nil {
		w.parts = p.density.parts(w.parts[:0], p.density.layer(p.pass, layer), r)
	}
	x, y := (full.X0-p.Grid.X0)>>p.Grid.Shift, (full.Y0-p.Grid.Y0)>>p.Grid.Shift
	if w.watched = p.watched(layer, r); w.watched && first {
		p.tellLoads(layer, r)
	}
	w.watching.at = noted{}
	drawn := false
	chunks, list := &w.setups.chunks, &w.setups.list
	w.x.binned.tile(chunks, x, y, int32(layer))
	for i, ok := chunks.next(); ok; i, ok = chunks.next() {
		c := w.x.pool[i]
		w.watching.chunk = int(i)
		if c.draw.state == nil && c.draw.draw.Clear != nil {
			if err := w.due(c.Of); err != nil {
				return err
			}
			if err := w.finishTile(); err != nil {
				return err
			}
			w.tile.Forget()
			if w.watched {
				w.watching.settle(none)
			}
			before := p.values()
			if p.clearTile(c.draw.draw.Clear, layer, r); w.watched {
				p.tellClear(c.draw, layer, r, before)
			}
			continue
		}
		if c.bins.tile(list, x, y, int32(layer)); len(list.list) == 0 && len(list.big) == 0 {
			continue
		}
		drawn = true
		if err := w.drawChunk(c); err != nil {
			return err
		}
	}
	if err := w.finishTile(); err != nil {
		return err
	}
	w.watching.storing = nil
	if w.watched {
		w.tile.Forget()
		w.watching.chunk = w.x.ready
		w.watching.settle(none)
	}
	w.tile.SettleAll()
	if drawn {
		w.stats.Tiles++
	}
	if last && p.Resolves {
		start := time.Now()
		if err := w.tile.Resolve(layer, r); err != nil {
			return w.x.during(nil, err)
		}
		w.stats.ResolveNS += int64(time.Since(start))
	}
	return nil
}

// finishTile shades all that waits.
func (w *worker) finishTile() error {
	if err := w.x.during(nil, w.tile.Finish()); err != nil {
		return err
	}
	if err := w.shadeVisible(); err != nil {
		return err
	}
	return w.frags.Flush()
}

// drawChunk draws what w.setups.list has of a chunk, in order.
func (w *worker) drawChunk(c *chunk) error {
	if w.plan.stores != nil {
		if err := w.enterStores(c); err != nil {
			return err
		}
	}
	if err := w.startChunk(c.draw); err != nil {
		return err
	}
	for {
		run, err := w.nextSetups(c)
		if err != nil || len(run) == 0 {
			return err
		}
		direct, err := w.takeWay(c.draw, run)
		if err != nil {
			return err
		}
		if direct {
			if err := w.drawDirect(c, run); err != nil {
				return err
			}
			w.dropRun()
			continue
		}
		for _, s := range run {
			if int(c.Recs[s.Prim].Layer) != w.tile.Layer && !w.plan.bare {
				continue // a big one
			}
			if err := w.due(c.Of); err != nil {
				return err
			}
			if w.watched && c.book.ByRec[int(s.Prim)] != nil {
				err = w.watching.draw(c, s)
			} else {
				err = w.drawSetup(c, s)
			}
			if err != nil {
				return err
			}
		}
	}
}

// startChunk finishes what a draw may not overtake. Tests at once may not
// overtake late tests that wait in the batch; collected fragments only wait for
// draws that overwrite the same attachments, or none.
func (w *worker) startChunk(d *drawPlan) error {
	if w.asking != d.Group {
		if err := w.x.during(nil, w.tile.Finish()); err != nil {
			return err
		}
		w.asking = d.Group
	}
	f, hidden := &w.frags, d.state.End == fragment.Hidden
	if d.state.End == fragment.Shaded || hidden && w.visible.targets != d.state.targets {
		if err := w.shadeVisible(); err != nil {
			return err
		}
	}
	if d.state.End == fragment.Shaded {
		return f.Start(&d.Draw)
	}
	if hidden { // what is collected stays where the draw overwrites the same attachments
		w.visible.targets = d.state.targets
	}
	// What is tested after shading may not be overtaken by tests at once, nor what has come directly for
	// another group.
	b := &f.Batch
	if b.Draw != nil && (fragment.Tested(b.Draw.State.After) || f.Waiting.Within && b.Group != d.Group) {
		return f.Flush()
	}
	return nil
}

// drawSetup covers, tests early where that is allowed, and hands the fragments
// on.
//
// RAS-300 fragops
func (w *worker) drawSetup(c *chunk, s *raster.Setup) error {
	st := c.draw.state
	switch {
	case w.plan.density != nil:
		return w.drawDense(c, s)
	case st.Once:
		return w.drawApart(c, s)
	}
	rec := &c.Recs[s.Prim]
	r := w.window(rec.Scissor).Intersect(s.Bounds)
	if r.Empty() {
		return nil
	}
	tests := &st.Before[rec.Viewport] // RAS-301, RAS-303 fragops
	early, counter := tests.Active(), c.draw.Counts[0]
	if w.tile.Hides(s, st.Locations, tests, r) {
		return nil
	}
	b := &w.found
	if s.FindCut(b, c.Extra, r, st.Locations) {
		if st.all && (!early || w.tile.PassesAll(s, st.Locations, tests, r)) {
			if counter != 0 { // RAS-330 fragops-samplecount
				w.frags.Counted[counter-1] += uint64(r.X1-r.X0) * uint64(r.Y1-r.Y0) * uint64(w.plan.Samples)
			}
			switch {
			case st.End == fragment.Shaded:
				return w.frags.ShadeAll(&c.Primitives, s, r)
			case r == w.tile.Rect && st.End == fragment.Hidden:
				w.hideAll(c, s) // and nothing waits: its blocks would, too
				return nil
			}
			early, counter = false, 0
		}
		b.AddAll(r)
	}
	w.cut(c, s)
	late := &st.After[rec.Viewport]
	if early {
		e := st.early(c, s, tests, late)
		if err := w.x.during(nil, w.tile.Test(b, s, &e)); err != nil {
			return err
		}
	}
	if len(b.Blocks) == 0 {
		return nil
	}
	for k := 0; k < len(b.Blocks) && late.Active(); k++ { // RAS-301
		o := &b.Blocks[k]
		w.tile.Expect(s, st.Locations, late, st.Link.Outs.Depth != none, o.X, o.Y)
	}
	if counter != 0 {
		w.frags.Counted[counter-1] += b.Count()
	}
	if st.End == fragment.Hidden && b.All && r == w.tile.Rect {
		w.hideAll(c, s)
		return nil
	}
	for k := range b.Blocks {
		o := &b.Blocks[k]
		if err := w.take(c, s, o.X, o.Y, o.Whole, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}

// window is the pixels of the tile in a scissor, which has integers, so that they are a rectangle.
//
// RAS-307 fragops-scissor
func (w *worker) window(scissor uint32) raster.Rect {
	return w.tile.Rect.Intersect(w.plan.scissors[scissor])
}

// early is what tests before shading take of a set-up.
func (s *drawState) early(c *chunk, of *raster.Setup, t, late *fragops.DepthStencil) tile.Early {
	bounds := t.DepthTest && t.DepthWrite && t.Decides(!of.FrontFacing)
	return tile.Early{
		Of: c, Tests: t, Locations: s.Locations, AtOnce: late.Active(),
		Asked: bounds || s.Shader != nil || c.draw.draw.Occlusion != 0,
	}
}

// passed goes on with the samples of a block that have passed early tests: of is the set-up's chunk.
func (w *worker) passed(of any, s *raster.Setup, x, y int32, whole bool, words []uint64) error {
	c := of.(*chunk)
	st := c.draw.state
	w.tile.Expect(s, st.Locations, &st.After[c.Recs[s.Prim].Viewport], st.Link.Outs.Depth != none, x, y)
	if n := c.draw.Counts[0]; n != 0 {
		for _, m := range words[:w.plan.Samples] {
			w.frags.Counted[n-1] += uint64(bits.OnesCount64(m))
		}
	}
	return w.take(c, s, x, y, whole, words)
}

// take goes on with the samples of a block that nothing waits for any more: words are as in
// raster.Coverage.
func (w *worker) take(c *chunk, s *raster.Setup, x, y int32, whole bool, words []uint64) error {
	switch c.draw.state.End {
	case fragment.Hidden:
		return w.hideBlock(c, s, x, y, whole, words)
	case fragment.Shaded:
		return w.frags.ShadeBlock(&c.Primitives, s, x, y, words)
	}
	return nil
}

// cut takes from w.found what windows, rates and the sample mask leave out.
func (w *worker) cut(c *chunk, s *raster.Setup) {
	st := c.draw.state
	if st.windows != nil {
		st.windows.cut(&w.found, c.Recs[s.Prim].Viewport)
	}
	if st.drops {
		w.dropBlocks(c, s)
	}
	if st.masks {
		w.maskSamples(st.SampleMask)
	}
}

// maskSamples is the sample mask test of w.found.
//
// RAS-309 fragops
func (w *worker) maskSamples(mask uint64) {
	b := &w.found
	b.All = false
	n := 0
	for k := range b.Blocks {
		words := b.Mask(k)
		for sample := range words {
			if mask>>sample&1 == 0 {
				words[sample] = 0
			}
		}
		if b.Pixels(k) != 0 {
			b.Blocks[k].Whole = false
			b.Move(n, k)
			n++
		}
	}
	b.Cut(n)
}
