package render

import (
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
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

// filter drops the pixels that the rectangles kill. They are whole pixels, so the
// test of samples is one of pixels.
func (w *windows) filter(quads []raster.Quad, viewport uint16) int {
	n := 0
	for _, q := range quads {
		for lane := range int32(4) {
			x, y := q.X+lane&1, q.Y+lane>>1
			if !w.keeps(x, y, viewport) {
				q.Mask &^= 0xffff << (16 * lane)
			}
		}
		if q.Mask != 0 {
			quads[n] = q
			n++
		}
	}
	return n
}

func (w *windows) keeps(x, y int32, viewport uint16) bool {
	if len(w.discard) > 0 && w.inDiscard(x, y) != w.inclusive {
		return false
	}
	return w.exclusive == nil || !contains(w.exclusive[viewport], x, y)
}

// inDiscard says that a pixel is inside a discard rectangle.
func (w *windows) inDiscard(x, y int32) bool {
	for i := range w.discard {
		if contains(w.discard[i], x, y) {
			return true
		}
	}
	return false
}

// tell tells why a pixel is not kept.
func (w *windows) tell(f *explain.Fragment, v *Watch, viewport uint16) {
	switch {
	case len(w.discard) == 0 || w.inDiscard(v.X, v.Y) == w.inclusive:
		r := w.exclusive[viewport]
		miss(f, "RAS-308", "inside the exclusive scissor, which goes from (%d, %d) to (%d, %d)", r.X0, r.Y0, r.X1-1, r.Y1-1)
	case w.inclusive:
		miss(f, "RAS-306", "outside of all discard rectangles, whose mode is INCLUSIVE")
	default:
		miss(f, "RAS-306", "inside a discard rectangle, whose mode is EXCLUSIVE")
	}
}
