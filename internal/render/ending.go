package render

import "github.com/pumice-gpu/pumice/internal/raster"

// An ending is what becomes of samples that tests before shading have left.
type ending interface {
	// start finishes what a draw may not overtake before its first set-up in a tile.
	start(w *worker, d *drawPlan) error
	// block takes the samples of a block: words are as in raster.Coverage.
	block(w *worker, c *chunk, s *raster.Setup, x, y int32, whole bool, words []uint64) error
	// found takes those of w.found, which lie in r.
	found(w *worker, c *chunk, s *raster.Setup, r raster.Rect) error
	// all takes all samples of r.
	all(w *worker, c *chunk, s *raster.Setup, r raster.Rect) error
}

// endTested is the ending of samples that only tests see.
type endTested struct{}

func (endTested) start(w *worker, d *drawPlan) error { return w.keepOrder(d) }

func (endTested) block(*worker, *chunk, *raster.Setup, int32, int32, bool, []uint64) error {
	return nil
}

func (endTested) found(*worker, *chunk, *raster.Setup, raster.Rect) error { return nil }

func (endTested) all(*worker, *chunk, *raster.Setup, raster.Rect) error { return nil }

// endHidden is the ending of fragments that only overwrite colour: later ones may hide them.
type endHidden struct{}

// start keeps what is collected only where the draw overwrites the same attachments.
func (endHidden) start(w *worker, d *drawPlan) error {
	if w.visible.targets != d.state.targets {
		if err := w.shadeVisible(); err != nil {
			return err
		}
		w.visible.targets = d.state.targets
	}
	return w.keepOrder(d)
}

func (endHidden) block(
	w *worker, c *chunk, s *raster.Setup, x, y int32, whole bool, words []uint64,
) error {
	return w.hideBlock(c, s, x, y, whole, words)
}

func (e endHidden) found(w *worker, c *chunk, s *raster.Setup, r raster.Rect) error {
	if w.found.All && r == w.tile.rect {
		return e.all(w, c, s, r)
	}
	return w.hide(c, s)
}

func (endHidden) all(w *worker, c *chunk, s *raster.Setup, r raster.Rect) error {
	if r == w.tile.rect {
		w.hideAll(c, s) // and nothing waits: its blocks would, too
		return nil
	}
	w.found.AddAll(r)
	return w.hide(c, s)
}

// endShaded is the ending of all others.
type endShaded struct{}

func (endShaded) start(w *worker, d *drawPlan) error {
	if err := w.shadeVisible(); err != nil {
		return err
	}
	return w.frags.startGroup(d)
}

func (endShaded) block(
	w *worker, c *chunk, s *raster.Setup, x, y int32, _ bool, words []uint64,
) error {
	return w.frags.shadeBlock(c, s, x, y, words)
}

func (endShaded) found(w *worker, c *chunk, s *raster.Setup, _ raster.Rect) error {
	b := &w.found
	for k := range b.Blocks {
		if err := w.frags.shadeBlock(c, s, b.Blocks[k].X, b.Blocks[k].Y, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}

func (endShaded) all(w *worker, c *chunk, s *raster.Setup, r raster.Rect) error {
	return w.frags.shadeAll(c, s, r)
}

// keepOrder shades what waits where tests at once may not overtake it: what is tested after shading,
// and what has come directly for another group.
func (w *worker) keepOrder(d *drawPlan) error {
	f, b := &w.frags, &w.frags.batch
	if f.placesWait() && (tested(b.draw.state.after) || f.placed.direct != nil && b.group != d.group) {
		return f.flush()
	}
	return nil
}
