package raster

import "math"

// minArea is the common area, in pixels, from which on a pixel is part of a
// smooth line: above what rounding makes of pixels that only touch it.
const minArea = 0x1p-32

// point2 is a position relative to a line: along it and across it, pixels.
type point2 struct{ q, k float64 }

// LineCoverage is the part of a pixel's square that a smooth line covers, 0 to 1;
// 1 for everything else. A pattern leaves out slices of unit length.
// RAS-228, RAS-229 primsrast-lines-smooth
func (s *Setup) LineCoverage(x, y int32) float32 {
	if s.Square != squareSmooth {
		return 1
	}
	return float32(s.lineArea(x, y))
}

func (s *Setup) lineArea(x, y int32) float64 {
	dx, dy := int64(s.Q[0]-s.P[0]), int64(s.Q[1]-s.P[1])
	length := math.Sqrt(float64(dx*dx + dy*dy)) // subpixels
	// The square turned into the line's axes.
	var square [4]point2
	for i := range square {
		vx := int64(x)<<SubpixelBits + int64((i&1^i>>1)<<SubpixelBits) - int64(s.P[0])
		vy := int64(y)<<SubpixelBits + int64(i>>1<<SubpixelBits) - int64(s.P[1])
		square[i] = point2{
			float64(vx*dx+vy*dy) / length / Subpixels,
			float64(dx*vy-dy*vx) / length / Subpixels,
		}
	}
	half := s.Point[2] / 2
	from, to := s.Point[0], s.Point[1]
	if s.Stipple.Factor == 0 {
		return boxArea(&square, from, to, half)
	}
	lo, hi := square[0].q, square[0].q
	for _, p := range square[1:] {
		lo, hi = min(lo, p.q), max(hi, p.q)
	}
	lo, hi = max(lo, from), min(hi, to)
	if lo >= hi {
		return 0
	}
	// Slices of one counter each; a square is cut by three at most.
	start := float64(float64(s.Phase) / StippleUnits)
	area := 0.0
	for m := math.Floor(start + lo); m < start+hi; m++ {
		if s.Stipple.keeps(int64(m)) {
			area += boxArea(&square, max(from, m-start), min(to, m+1-start), half)
		}
	}
	return area
}

// boxArea is the area that a convex quadrilateral of area 1 has in common with
// the box q0 <= q <= q1, -half <= k <= half.
func boxArea(square *[4]point2, q0, q1, half float64) float64 {
	if q0 >= q1 {
		return 0
	}
	var a, b [8]point2
	n := copy(a[:], square[:])
	inside := true
	for _, p := range square {
		inside = inside && p.q >= q0 && p.q <= q1 && p.k >= -half && p.k <= half
	}
	if inside {
		return 1
	}
	for side := range 4 {
		d := func(p point2) float64 {
			switch side {
			case 0:
				return p.q - q0
			case 1:
				return q1 - p.q
			case 2:
				return p.k + half
			}
			return half - p.k
		}
		m := 0
		for i := range n {
			p, o := a[i], a[(i+1)%n]
			dp, do := d(p), d(o)
			if dp >= 0 && m < len(b) {
				b[m] = p
				m++
			}
			if (dp >= 0) != (do >= 0) && m < len(b) {
				t := dp / (dp - do)
				b[m] = point2{p.q + float64(t*(o.q-p.q)), p.k + float64(t*(o.k-p.k))}
				m++
			}
		}
		a, n = b, m
		if n < 3 {
			return 0
		}
	}
	sum := 0.0
	for i := 1; i+1 < n; i++ {
		u, v := point2{a[i].q - a[0].q, a[i].k - a[0].k}, point2{a[i+1].q - a[0].q, a[i+1].k - a[0].k}
		sum += float64(u.q*v.k) - float64(u.k*v.q)
	}
	return min(math.Abs(sum)/2, 1)
}

// thinSmooth drops the pixels of a block that a smooth line only touches.
func (s *Setup) thinSmooth(c *coverer) {
	for k := range int64(BlockPixels * BlockPixels) {
		x, y := placeOf(k)
		if c.mask[0]>>k&1 != 0 && s.lineArea(c.x+int32(x), c.y+int32(y)) < minArea {
			for i := range c.mask[:c.ss.N] { // a square has all samples, or none
				c.mask[i] &^= 1 << k
			}
		}
	}
}
