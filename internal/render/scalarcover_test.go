package render

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// The scalar pass: which samples of a pixel a shape covers.

// covered is the samples of a pixel that the shape covers.
func (d *drawing) covered(x, y int32) (mask uint64) {
	if d.s.Square != 0 { // decided by squares: the oracles of package raster hold Find
		var b raster.Coverage
		b.Grow(raster.BlockPixels, raster.WordsOf(d.samples, false))
		d.s.Find(&b, d.extra, raster.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1}, d.set)
		eachSample(&b, func(_, _, sample int32) { mask |= 1 << sample })
		return mask
	}
	if d.s.Kind == raster.KindBresenham {
		if d.bresenham == nil {
			d.walk()
		}
		if d.bresenham[[2]int64{int64(x), int64(y)}] {
			return 1<<d.samples - 1 // RAS-219
		}
		return 0
	}
	at := d.set.Of(x, y)
	for k := range d.samples {
		sx, sy := x<<8+at.X[k], y<<8+at.Y[k]
		in := false
		if d.corners != nil {
			in = triangleCovers(d.corners, int64(sx), int64(sy))
		} else {
			in = d.s.Contains(d.extra, sx, sy)
		}
		if v := d.geo.ViewRect; d.filled && (sx < v.X0 || sx >= v.X1 || sy < v.Y0 || sy >= v.Y1) {
			in = false // RAS-080
		}
		if in && d.s.Kind == raster.KindLine && d.s.Stipple.Factor != 0 {
			dx, dy := float64(d.s.Q[0]-d.s.P[0]), float64(d.s.Q[1]-d.s.P[1])
			along := (float64(sx-d.s.P[0])*dx + float64(sy-d.s.P[1])*dy) / math.Sqrt(dx*dx+dy*dy) / 256
			in = d.keeps(int64(math.Floor(float64(d.s.Phase)/raster.StippleUnits + along)))
		}
		if in {
			mask |= 1 << k
		}
	}
	return mask
}

// keeps is RAS-221.
func (d *drawing) keeps(counter int64) bool {
	b := (counter/int64(d.s.Stipple.Factor)%16 + 16) % 16
	return d.s.Stipple.Pattern>>b&1 != 0
}

// triangleCovers is RAS-239 as the catalogue has it.
func triangleCovers(c []raster.Corner, x, y int64) bool {
	edge := func(a, b *raster.Corner, x, y int64) int64 {
		return (int64(b.X)-int64(a.X))*(y-int64(a.Y)) - (int64(b.Y)-int64(a.Y))*(x-int64(a.X))
	}
	area := edge(&c[0], &c[1], int64(c[2].X), int64(c[2].Y))
	for i := range c {
		a, b := &c[i], &c[(i+1)%3]
		e, nx, ny := edge(a, b, x, y), a.Y-b.Y, b.X-a.X
		if area < 0 {
			e, nx, ny = -e, -nx, -ny
		}
		if e < 0 || e == 0 && !(nx > 0 || nx == 0 && ny > 0) {
			return false
		}
	}
	return area != 0
}

// walk finds the pixels of a Bresenham line: the closed form of RAS-213, in the
// order of RAS-215, with the pattern, the window of clipping and the runs of wide
// lines.
func (d *drawing) walk() {
	d.bresenham = map[[2]int64]bool{}
	a, b := [2]int64{int64(d.s.P[0]), int64(d.s.P[1])}, [2]int64{int64(d.s.Q[0]), int64(d.s.Q[1])}
	width := int64(d.s.Point[2])
	major := 0
	if abs(b[1]-a[1]) > abs(b[0]-a[0]) {
		major = 1
	}
	minor := 1 - major
	shift := (width - 1) * 128
	a[minor], b[minor] = a[minor]-shift, b[minor]-shift
	d0, d1 := b[major]-a[major], b[minor]-a[minor]
	pixels := map[int64]int64{} // minor by major
	for j := floorDiv(min(a[major], b[major])-128, 256); j <= floorDiv(max(a[major], b[major]), 256); j++ {
		c := j*256 + 128
		if c < min(a[major], b[major]) || c >= max(a[major], b[major]) {
			continue
		}
		num, den := a[minor]*d0+d1*(c-a[major]), 256*d0
		if den < 0 {
			num, den = -num, -den
		}
		i := floorDiv(num, den)
		if i*den == num && !(major == 0 && d1 != 0 && d1 > 0 == (d0 > 0)) {
			i--
		}
		pixels[j] = i
	}
	if p, ok := diamondAt(a); ok {
		pixels[p[major]] = p[minor]
	}
	if p, ok := diamondAt(b); ok && pixels[p[major]] == p[minor] {
		delete(pixels, p[major])
	}
	var order []int64
	for j := range pixels {
		order = append(order, j)
	}
	slices.Sort(order)
	if d0 < 0 {
		slices.Reverse(order)
	}
	for n, j := range order {
		i := pixels[j]
		at := [2]int32{}
		at[major], at[minor] = int32(j*256+128), int32(i*256+128+shift)
		if !d.s.Contains(d.extra, at[0], at[1]) { // RAS-220
			continue
		}
		if d.s.Stipple.Factor != 0 && !d.keeps(int64(d.s.Phase/raster.StippleUnits)+int64(n)) { // RAS-222
			continue
		}
		for k := range width { // RAS-217
			var pixel [2]int64
			pixel[major], pixel[minor] = j, i+k
			d.bresenham[pixel] = true
		}
	}
}

func abs(x int64) int64 { return max(x, -x) }

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// diamondAt is the pixel whose diamond holds p.
// RAS-212
func diamondAt(p [2]int64) (pixel [2]int64, ok bool) {
	c, r := floorDiv(p[0], 256), floorDiv(p[1], 256)
	for x := c - 1; x <= c; x++ {
		dx, dy := p[0]-(x*256+128), p[1]-(r*256+128)
		if m := abs(dx) + abs(dy); m < 128 || m == 128 && dx > 0 {
			return [2]int64{x, r}, true
		}
	}
	return pixel, false
}
