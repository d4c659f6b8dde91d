package render

import (
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// windows are the rectangles that discard fragments besides the scissor.
type windows struct {
	discard   []raster.Rect
	inclusive bool          // fragments inside none of discard are killed, else those inside any
	exclusive []raster.Rect // by viewport; empty: none
}

// addWindows resolves discard rectangles and exclusive scissors.
//
// RAS-306 fragops-discard-rectangles, RAS-308 fragops-exclusive-scissor
func (s *drawState) addWindows() {
	d := s.dynamic
	var w windows
	if d.DiscardEnable {
		for _, r := range d.DiscardRectangles[:min(d.DiscardCount, MaxDiscardRectangles)] {
			w.discard = append(w.discard, rectOf(r))
		}
		w.inclusive = d.DiscardMode == 0
	}
	if d.ExclusiveEnable != 0 {
		w.exclusive = make([]raster.Rect, len(s.post))
		for i := range w.exclusive {
			if d.ExclusiveEnable>>i&1 != 0 {
				w.exclusive[i] = rectOf(d.ExclusiveScissors[i])
			}
		}
	}
	if len(w.discard) > 0 || w.exclusive != nil {
		s.windows = &w
	}
}

// cut takes out of blocks what the rectangles kill. They are of whole pixels, so the test of
// samples is one of pixels.
func (w *windows) cut(b *raster.Coverage, viewport uint16) {
	n := 0
	for k := range b.Blocks {
		o := &b.Blocks[k]
		if keep := w.pixels(o.X, o.Y, viewport); keep != ^uint64(0) {
			b.All, o.Whole = false, false
			words := b.Words(k)
			for i := range words {
				words[i] &= keep
			}
			if b.Pixels(k) == 0 {
				continue
			}
		}
		b.Move(n, k)
		n++
	}
	b.Cut(n)
}

// pixels is those of the block at (x, y) that the rectangles do not kill.
func (w *windows) pixels(x, y int32, viewport uint16) uint64 {
	block := raster.Rect{X0: x, Y0: y, X1: x + raster.BlockPixels, Y1: y + raster.BlockPixels}
	in := func(r raster.Rect) uint64 {
		if r = r.Intersect(block); r.Empty() {
			return 0
		}
		return raster.PixelsIn(r, x, y)
	}
	keep := ^uint64(0)
	if len(w.discard) > 0 {
		any := uint64(0)
		for i := range w.discard {
			any |= in(w.discard[i])
		}
		if keep = any; !w.inclusive {
			keep = ^any
		}
	}
	if w.exclusive != nil {
		keep &^= in(w.exclusive[viewport])
	}
	return keep
}

// inDiscard says that a pixel is inside a discard rectangle.
func (w *windows) inDiscard(x, y int32) bool {
	for i := range w.discard {
		if watch.Contains(w.discard[i], x, y) {
			return true
		}
	}
	return false
}

// keeps says that the rectangles keep a pixel.
func (w *windows) keeps(x, y int32, viewport int) bool {
	if len(w.discard) > 0 && w.inDiscard(x, y) != w.inclusive {
		return false
	}
	return w.exclusive == nil || !watch.Contains(w.exclusive[viewport], x, y)
}

// tell tells why a pixel is not kept.
func (w *windows) tell(f *explain.Fragment, v *watch.Watch, viewport uint16) {
	switch {
	case len(w.discard) == 0 || w.inDiscard(v.X, v.Y) == w.inclusive:
		r := w.exclusive[viewport]
		watch.Miss(f, "RAS-308", "inside the exclusive scissor, which goes from (%d, %d) to (%d, %d)", r.X0, r.Y0, r.X1-1, r.Y1-1)
	case w.inclusive:
		watch.Miss(f, "RAS-306", "outside of all discard rectangles, whose mode is INCLUSIVE")
	default:
		watch.Miss(f, "RAS-306", "inside a discard rectangle, whose mode is EXCLUSIVE")
	}
}
