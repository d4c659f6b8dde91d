package render

import (
	"time"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// drawTile draws the round's list of a tile, which in the first round has been cleared; in the last it resolves.
func (w *worker) drawTile(t int, first, last bool) error {
	p := w.plan
	layer, full := p.grid.tile(t)
	if m := p.pass.ViewMask; m != 0 && m>>layer&1 == 0 {
		return nil
	}
	r := full.Intersect(p.area)
	w.tile.layer, w.tile.rect = layer, r
	w.setups.n = 0
	w.tile.bind()
	w.tile.beginDepths(first && p.depth.clears(layer, p))
	if p.density != nil {
		w.tile.parts = p.density.parts(w.tile.parts[:0], p.density.layer(p.pass, layer), r)
	}
	x, y := (full.X0-p.grid.x0)>>p.grid.shift, (full.Y0-p.grid.y0)>>p.grid.shift
	if w.tile.watched = p.watched(layer, r); w.tile.watched && first {
		p.tellLoads(layer, r)
	}
	drawn := false
	chunks, list := &w.setups.chunks, &w.setups.list
	w.x.binned.tile(chunks, x, y, int32(layer))
	for i, ok := chunks.next(); ok; i, ok = chunks.next() {
		c := w.x.pool[i]
		if c.draw.draw.Clear != nil {
			if w.due() && w.x.Stopped() {
				return w.x.during(c.draw, w.x.stopped())
			}
			if err := w.finishTile(); err != nil {
				return err
			}
			w.tile.forgetDepths()
			before := p.values()
			if p.clearTile(c.draw.draw.Clear, layer, r); w.tile.watched {
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
	w.tile.settleAll()
	if drawn {
		w.stats.Tiles++
	}
	if last && p.resolves {
		start := time.Now()
		if err := w.tile.resolve(layer, r); err != nil {
			return w.x.during(nil, err)
		}
		w.stats.ResolveNS += int64(time.Since(start))
	}
	return nil
}

// finishTile shades all that waits.
func (w *worker) finishTile() error {
	if err := w.runQueue(); err != nil {
		return err
	}
	if err := w.shadeVisible(); err != nil {
		return err
	}
	return w.frags.flush()
}

// drawChunk draws what w.setups.list has of a chunk, in order.
func (w *worker) drawChunk(c *chunk) error {
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
		for _, s := range run {
			if int(c.recs[s.Prim].layer) != w.tile.layer && !w.plan.bare {
				continue // a big one
			}
			if w.due() && w.x.Stopped() {
				return w.x.during(c.draw, w.x.stopped())
			}
			switch {
			case w.tile.watched && c.book.byRec[int(s.Prim)] != nil:
				err = w.watching.draw(c, s)
			case direct:
				err = w.drawDirect(c, s)
			default:
				err = c.draw.state.draw(w, c, s)
			}
			if err != nil {
				return err
			}
		}
		if direct {
			w.dropRun()
		}
	}
}

// startChunk finishes what a draw may not overtake. Tests at once may not
// overtake late tests that wait in the batch; collected fragments only wait for
// draws that overwrite the same attachments, or none.
func (w *worker) startChunk(d *drawPlan) error {
	st := d.state
	if q := &w.queue; len(q.places) > 0 && (q.state != st || q.group != d.group) {
		if err := w.runQueue(); err != nil {
			return err
		}
	}
	return st.end.start(w, d)
}

// drawSetup covers, tests early where that is allowed, and hands the fragments
// on.
//
// RAS-300 fragops
func (w *worker) drawSetup(c *chunk, s *raster.Setup) error {
	st := c.draw.state
	rec := &c.recs[s.Prim]
	// RAS-307 fragops-scissor: integers, so a pixel rectangle.
	r := w.tile.rect.Intersect(st.scissor[rec.viewport])

	if r = r.Intersect(s.Bounds); r.Empty() {
		return nil
	}
	tests := &st.before[rec.viewport] // RAS-301, RAS-303 fragops
	early, counter := tests.Active(), c.draw.counts[0]
	w.tile.depths.small = false
	if early && tests.Decides(!s.FrontFacing) && w.hidden(s, st.ss, tests, r) {
		return nil
	}
	b := &w.found
	if s.FindCut(b, c.extra, r, st.ss) {
		settled := !early || r == w.tile.rect && len(w.queue.places) == 0
		if st.all != nil && settled && (!early || w.tile.passesAll(s, st, tests)) {
			if counter != 0 { // RAS-330 fragops-samplecount
				w.frags.occ[counter-1] += uint64(r.X1-r.X0) * uint64(r.Y1-r.Y0) * uint64(w.plan.samples)
			}
			return st.all.all(w, c, s, r)
		}
		b.AddAll(r)
	}
	for _, cut := range st.cuts {
		cut(w, c, s)
	}
	if early {
		if err := w.testBlocks(c, s, st, tests); err != nil {
			return err
		}
	}
	if len(b.Blocks) == 0 {
		return nil
	}
	w.expectLate(s, st, &st.after[rec.viewport]) // RAS-301
	if counter != 0 {
		w.frags.occ[counter-1] += b.Count()
	}
	return st.end.found(w, c, s, r)
}

// maskSamples is the sample mask test of w.found.
//
// RAS-309 fragops
func (w *worker) maskSamples(c *chunk, _ *raster.Setup) {
	b, mask := &w.found, c.draw.state.sampleMask
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
