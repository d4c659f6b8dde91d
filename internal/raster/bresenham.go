package raster

// bresenham sets up a Bresenham line; width is in 1/128 pixel. P and Q are its
// ends, Point[2] its width in whole pixels.
// RAS-217 primsrast-lines-bresenham
func (s *Setup) bresenham(a, b *Corner, width int32) {
	s.Kind = KindBresenham
	s.Point[2] = wholeWidth(width)
	w := s.newDiamondWalk()
	s.Bounds = w.bounds()
}

// wholeWidth is the width of a Bresenham line in pixels.
// RAS-217 primsrast-lines-bresenham
func wholeWidth(width int32) float64 {
	return float64(max(1, (width+sizeUnits/2)/sizeUnits))
}

// diamondWalk finds the pixels of a Bresenham line; index 0 is the axis along
// which there is at most one pixel for each coordinate (the major axis).
type diamondWalk struct {
	xMajor         bool
	a, d           [2]int64 // start and difference, major and minor
	lo, hi         int64    // subpixel range of centres along the major axis
	first          [2]int64 // the pixel whose diamond holds the start
	last           int64    // the major coordinate of the one that holds the end
	lastMinor      int64    // and its minor one
	hasFirst, drop bool
	width          int64
}

// newDiamondWalk prepares the walk, with the line shifted so that a run of width
// pixels from each pixel is centred on it.
// RAS-209, RAS-217 primsrast-lines-bresenham
func (s *Setup) newDiamondWalk() (w diamondWalk) {
	ax, ay := int64(s.P[0]), int64(s.P[1])
	bx, by := int64(s.Q[0]), int64(s.Q[1])
	dx, dy := bx-ax, by-ay
	w.xMajor = max(dy, -dy) <= max(dx, -dx)
	w.width = int64(s.Point[2])
	shift := (w.width - 1) * (Subpixels / 2)
	if w.xMajor {
		ay, by = ay-shift, by-shift
		w.a, w.d = [2]int64{ax, ay}, [2]int64{dx, dy}
	} else {
		ax, bx = ax-shift, bx-shift
		w.a, w.d = [2]int64{ay, ax}, [2]int64{dy, dx}
	}
	first, hasFirst := diamondPixel(ax, ay)
	last, drop := diamondPixel(bx, by)
	if !w.xMajor {
		first[0], first[1] = first[1], first[0]
		last[0], last[1] = last[1], last[0]
	}
	w.first, w.hasFirst, w.last, w.lastMinor, w.drop = first, hasFirst, last[0], last[1], drop
	w.lo, w.hi = min(w.a[0], w.a[0]+w.d[0]), max(w.a[0], w.a[0]+w.d[0])
	return w
}

// bounds is the pixels that the walk can reach: those of its line, and those to the
// left and above, which have what lies on the border between them; the last one of
// the minor axis starts a run.
func (w *diamondWalk) bounds() Rect {
	minor := min(w.a[1], w.a[1]+w.d[1])
	r := Rect{
		int32(w.lo>>SubpixelBits) - 1, int32(minor>>SubpixelBits) - 1,
		int32(w.hi>>SubpixelBits) + 1, int32((minor+max(w.d[1], -w.d[1]))>>SubpixelBits + w.width),
	}
	if !w.xMajor {
		r = Rect{r.Y0, r.X0, r.Y1, r.X1}
	}
	return r
}

// diamondPixel is the pixel whose diamond holds (x, y) after the shift by
// -(eps, eps^2): the one with |dx|+|dy| < 1/2 pixel, or = 1/2 and dx > 0.
// RAS-210, RAS-212 primsrast-lines-bresenham
func diamondPixel(x, y int64) (pixel [2]int64, ok bool) {
	column, row := x>>SubpixelBits, y>>SubpixelBits
	for c := column - 1; c <= column; c++ {
		dx, dy := x-(c<<SubpixelBits+Subpixels/2), y-(row<<SubpixelBits+Subpixels/2)
		m := max(dx, -dx) + max(dy, -dy)
		if m < Subpixels/2 || m == Subpixels/2 && dx > 0 {
			return [2]int64{c, row}, true
		}
	}
	return pixel, false
}

// at is the minor coordinate of the pixel at major coordinate j, if there is one.
// RAS-211, RAS-216 primsrast-lines-bresenham
func (w *diamondWalk) at(j int64) (minor int64, ok bool) {
	minor, ok = w.produced(j)
	return minor, ok && !(w.drop && w.last == j)
}

// produced is at before the pixel that holds the end is taken away: where there is
// one at that major coordinate it is that one, as the line changes more along the
// major axis than between two diamonds side by side.
// RAS-213, RAS-214 primsrast-lines-bresenham
func (w *diamondWalk) produced(j int64) (minor int64, ok bool) {
	centre := j<<SubpixelBits + Subpixels/2
	if w.lo <= centre && centre < w.hi {
		num := w.a[1]*w.d[0] + w.d[1]*(centre-w.a[0])
		den := w.d[0] << SubpixelBits
		if den < 0 {
			num, den = -num, -den
		}
		minor = num / den
		rest := num % den
		if rest < 0 {
			minor--
		}
		if rest == 0 && !w.ownsTies() {
			minor--
		}
		ok = true
	}
	if w.hasFirst && w.first[0] == j {
		minor, ok = w.first[1], true
	}
	return minor, ok
}

// ownsTies says that a line on the border between two pixels is in the one behind it.
func (w *diamondWalk) ownsTies() bool {
	return w.xMajor && w.d[1] != 0 && (w.d[1] > 0) == (w.d[0] > 0)
}

// coverBresenham is Find for Bresenham lines in r: all samples of each pixel.
// RAS-219, RAS-220 primsrast-lines-bresenham
func (s *Setup) coverBresenham(b *Coverage, r Rect) {
	if r.Empty() {
		return
	}
	w := s.newDiamondWalk()
	from, to := int64(r.X0), int64(r.X1)
	if !w.xMajor {
		from, to = int64(r.Y0), int64(r.Y1)
	}
	start := w.start()
	for j := from; j < to; j++ {
		i, ok := w.at(j)
		if !ok || !s.inWindow(&w, j, i) {
			continue
		}
		// RAS-222: one step of the pattern a base fragment.
		if s.Stipple.Factor != 0 && !s.Stipple.keeps(int64(s.Phase/StippleUnits)+max(j-start, start-j)) {
			continue
		}
		major, minor, width := int32(j), int32(i), int32(w.width) // they fit: ends are int32 in subpixels
		run := Rect{major, minor, major + 1, minor + width}
		if !w.xMajor {
			run = Rect{minor, major, minor + width, major + 1}
		}
		if run = run.Intersect(r); !run.Empty() {
			b.addPixels(run)
		}
	}
}

// inWindow tests the centre of a base pixel, in its place on the line that is not
// shifted, against the part of the line that clipping left.
// RAS-220 primsrast-lines-bresenham
func (s *Setup) inWindow(w *diamondWalk, major, minor int64) bool {
	x, y := major<<SubpixelBits+Subpixels/2, minor<<SubpixelBits+Subpixels/2+(w.width-1)*(Subpixels/2)
	if !w.xMajor {
		x, y = y, x
	}
	for i := range s.edges[:s.edgeCount] {
		e := &s.edges[i]
		if int64(e.A)*x+int64(e.B)*y+e.C < 0 {
			return false
		}
	}
	return true
}

// runDelta is the position that i and j are evaluated at, relative to the
// reference point: with the line shifted as newDiamondWalk does, the centre of the
// pixel that the run starts from; where there is no run, the centre of the pixel.
// RAS-218 primsrast-lines-bresenham
func (s *Setup) runDelta(x, y int32) (dx, dy float64) {
	w := s.newDiamondWalk()
	major, minor := &x, &y
	if !w.xMajor {
		major, minor = minor, major
	}
	start, ok := w.at(int64(*major >> SubpixelBits))
	if !ok {
		return s.delta(x, y)
	}
	*major = *major&^(Subpixels-1) + Subpixels/2
	// The line back in place is the start moved by the shift.
	*minor = int32(start<<SubpixelBits + Subpixels/2 + (w.width-1)*(Subpixels/2))
	return float64(x - s.RefX), float64(y - s.RefY)
}
