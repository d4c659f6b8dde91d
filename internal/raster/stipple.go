package raster

import (
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// Stipple is the pattern of stippled lines. The zero value means none.
type Stipple struct {
	Factor  int32 // 1 to 256; 0: lines are not stippled
	Pattern uint16
}

// StippleUnits is the number of units of a stipple phase in a pixel, or in a
// fragment of a Bresenham line.
const StippleUnits = 1 << 16

// Period is the phase after which the pattern repeats.
func (p *Stipple) Period() int32 { return 16 * p.Factor * StippleUnits }

// keeps says whether the bit of the pattern at counter s is set.
// RAS-221 primsrast-lines-stipple
func (p *Stipple) keeps(s int64) bool {
	return p.Pattern>>(uint64(s)/uint64(p.Factor)%16)&1 != 0
}

// Advance is the phase by which a segment moves the pattern on: its length, or
// for a Bresenham line the number of its fragments. Sums of it, taken modulo
// Period, do not depend on how a strip is split.
// RAS-222, RAS-223, RAS-224 primsrast-lines-stipple
func (st *State) Advance(ax, ay, bx, by int32) int32 {
	dx, dy := int64(bx-ax), int64(by-ay)
	var units int64
	if st.bresenham() {
		s := Setup{P: [2]int32{ax, ay}, Q: [2]int32{bx, by}, Point: [3]float64{2: wholeWidth(quantizeSize(st.LineWidth, maxLineWidth))}}
		w := s.newDiamondWalk()
		units = w.fragments() * StippleUnits
	} else {
		units = int64(math.RoundToEven(float64(math.Sqrt(float64(dx*dx+dy*dy)) * (StippleUnits / Subpixels))))
	}
	return int32(units % int64(st.Stipple.Period()))
}

// bresenham says that lines follow the diamond-exit rule: relaxed ones do where
// they are one pixel wide and there is one sample; conservative ones never do
// (RAS-272).
// RAS-194, RAS-195, RAS-370 primsrast-lines-bresenham
func (st *State) bresenham() bool {
	relaxed := st.relaxed() && st.Samples == 1 && quantizeSize(st.LineWidth, maxLineWidth) == sizeUnits
	return (st.LineMode == vk.LineRasterizationModeBresenham || relaxed) && st.Conservative == vk.ConservativeRasterizationModeDisabledEXT
}

// relaxed says that lines are not the strict ones.
// RAS-195
func (st *State) relaxed() bool { return st.Relaxed && st.LineMode == vk.LineRasterizationModeDefault }

// parallelogram says that lines are parallelograms: those that are relaxed and do
// not follow the diamond-exit rule.
// RAS-195, RAS-196, RAS-371 primsrast-lines-basic
func (st *State) parallelogram() bool { return st.relaxed() && !st.bresenham() }

// Shift moves the pattern of a stippled line by a phase that was not known when
// it was set up.
func (s *Setup) Shift(phase int32) {
	if s.Stipple.Factor != 0 {
		s.Phase = (s.Phase + phase) % s.Stipple.Period()
	}
}

// counter is s at a position in subpixels: whole pixels from the start of the
// strip, along the line.
// RAS-223 primsrast-lines-stipple
func (s *Setup) counter(x, y int32) int64 {
	return int64(math.Floor(float64(float64(s.Phase)/StippleUnits) + float64(s.along(x, y))))
}

// along is the distance from the first end in pixels, of the position's
// projection on the line.
func (s *Setup) along(x, y int32) float64 {
	dx, dy := int64(s.Q[0]-s.P[0]), int64(s.Q[1]-s.P[1])
	q := int64(x-s.P[0])*dx + int64(y-s.P[1])*dy
	return float64(q) / math.Sqrt(float64(dx*dx+dy*dy)) / Subpixels
}

// thinStippled drops the samples of a block of a rectangular line that the pattern leaves out.
// RAS-223 primsrast-lines-stipple
func (s *Setup) thinStippled(c *coverer) {
	for k := range int64(BlockPixels * BlockPixels) {
		x, y := placeOf(k)
		px, py := c.x+int32(x), c.y+int32(y)
		set := c.ss.Of(px, py)
		for i := range c.mask[:c.ss.N] {
			sx, sy := px<<SubpixelBits+set.X[i], py<<SubpixelBits+set.Y[i]
			if c.mask[i]>>k&1 != 0 && !s.Stipple.keeps(s.counter(sx, sy)) {
				c.mask[i] &^= 1 << k
			}
		}
	}
}

// start is the major coordinate of the fragment that a walk produces first: the
// pixel whose diamond holds the start is the first column or the one before it.
// RAS-215 primsrast-lines-bresenham
func (w *diamondWalk) start() int64 {
	lo, hi := w.columns()
	if w.d[0] >= 0 {
		if w.hasFirst {
			return min(w.first[0], lo)
		}
		return lo
	}
	if w.hasFirst {
		return max(w.first[0], hi)
	}
	return hi
}

// columns are the major coordinates whose centres lie in the half-open range of
// the line: lo to hi, none where lo > hi.
func (w *diamondWalk) columns() (lo, hi int64) {
	return (w.lo + Subpixels/2 - 1) >> SubpixelBits, (w.hi+Subpixels/2-1)>>SubpixelBits - 1
}

// fragments is the number of base fragments.
func (w *diamondWalk) fragments() int64 {
	lo, hi := w.columns()
	n := hi - lo + 1
	if w.hasFirst && (w.first[0] < lo || w.first[0] > hi) {
		n++
	}
	if w.drop {
		if _, ok := w.produced(w.last); ok {
			n--
		}
	}
	return n
}
