package meshfile

import "math"

// cutter makes triangles of polygons.
type cutter struct {
	r      *Reader
	steps  int          // left for ears; then what is left of a polygon becomes a fan
	flat   [][2]float64 // the outline in its plane
	next   []int32
	prev   []int32
	reflex []bool
	work   int // since the context was asked
}

// earSteps bounds the work of all polygons of a file: some seconds.
const earSteps = 1 << 29

// newell is twice a polygon's area along its normal by the right-hand rule, whether its corners lie in a plane or not.
func newell(p []vec) vec {
	var n vec
	if len(p) == 0 {
		return n
	}
	o := p[0]
	for i := 1; i+1 < len(p); i++ {
		n = n.Add(p[i].Sub(o).Cross(p[i+1].Sub(o)))
	}
	return n
}

// triangles calls f with the corners of triangles that fill the polygon, in its winding. Convex polygons become a fan of the first
// corner, others lose their ears one by one, seen along the normal. whole is false where the outline crosses itself,
// or took too long: what was left of it was made a fan.
func (c *cutter) triangles(p []vec, normal vec, f func(a, b, c int) error) (whole bool, err error) {
	n := len(p)
	fan := func(list func(i int) int, n int) error {
		for i := 1; i+1 < n; i++ {
			if err := f(list(0), list(i), list(i+1)); err != nil {
				return err
			}
		}
		return nil
	}
	same := func(i int) int { return i }
	if n <= 3 {
		return true, fan(same, n)
	}
	if err := c.room(n); err != nil {
		return false, err
	}
	c.project(p, normal)
	concave := 0
	for i := range n {
		c.prev[i], c.next[i] = int32((i+n-1)%n), int32((i+1)%n)
		c.reflex[i] = c.turn(int(c.prev[i]), i, int(c.next[i])) < 0
		if c.reflex[i] {
			concave++
		}
	}
	if concave == 0 {
		return true, fan(same, n)
	}
	at, left, tried := 0, n, 0
	for left > 3 {
		if tried > left || c.steps <= 0 {
			break
		}
		a, b := int(c.prev[at]), int(c.next[at])
		ear, err := c.ear(a, at, b, left)
		if err != nil {
			return false, err
		}
		if !ear {
			at, tried = b, tried+1
			continue
		}
		if err := f(a, at, b); err != nil {
			return false, err
		}
		c.next[a], c.prev[b] = int32(b), int32(a)
		for _, i := range [2]int{a, b} {
			c.reflex[i] = c.turn(int(c.prev[i]), i, int(c.next[i])) < 0
		}
		left, tried, at = left-1, 0, b
	}
	rest := make([]int, 0, 3)
	if left > 3 {
		rest = make([]int, 0, left)
	}
	for i := at; len(rest) < left; i = int(c.next[i]) {
		rest = append(rest, i)
	}
	return left == 3, fan(func(i int) int { return rest[i] }, left)
}

// room makes the slices long enough.
func (c *cutter) room(n int) error {
	if n > len(c.flat) {
		if err := c.r.take(int64(2*n), cornerBytes, "a polygon"); err != nil {
			return err
		}
		c.free()
		c.flat, c.next, c.prev, c.reflex = make([][2]float64, 2*n), make([]int32, 2*n), make([]int32, 2*n), make([]bool, 2*n)
	}
	return nil
}

// cornerBytes is what the slices take a corner, with those of what is left when no ear is found.
const cornerBytes = 2*8 + 2*4 + 1 + 8

// free gives the slices up.
func (c *cutter) free() {
	c.r.Drop(cornerBytes * int64(len(c.flat)))
	c.flat, c.next, c.prev, c.reflex = nil, nil, nil, nil
}

// project leaves the axis out along which the normal is longest, so that the outline turns to the left.
func (c *cutter) project(p []vec, normal vec) {
	k := 0
	for i := 1; i < 3; i++ {
		if math.Abs(normal[i]) > math.Abs(normal[k]) {
			k = i
		}
	}
	u, v := (k+1)%3, (k+2)%3
	if normal[k] < 0 {
		u, v = v, u
	}
	for i, at := range p {
		c.flat[i] = [2]float64{at[u], at[v]}
	}
}

// turn is twice the area of a triangle in the plane: above 0 where it turns to the left.
func (c *cutter) turn(i, j, k int) float64 {
	a, b, d := c.flat[i], c.flat[j], c.flat[k]
	return float64((b[0]-a[0])*(d[1]-a[1])) - float64((b[1]-a[1])*(d[0]-a[0]))
}

// ear reports whether the corner can be cut off: it turns to the left, and no other corner that does not lies in it.
func (c *cutter) ear(a, at, b, left int) (bool, error) {
	c.steps -= left
	if c.work += left; c.work > 1<<20 {
		c.work = 0
		if err := c.r.stopped(); err != nil {
			return false, err
		}
	}
	area := c.turn(a, at, b)
	if area < 0 {
		return false, nil
	}
	if area == 0 {
		return true, nil // covers nothing
	}
	for i := int(c.next[b]); i != a; i = int(c.next[i]) {
		if !c.reflex[i] {
			continue
		}
		p := c.flat[i]
		if p == c.flat[a] || p == c.flat[at] || p == c.flat[b] {
			continue // an outline that touches itself there, as around a hole that is joined to it
		}
		if c.turn(a, at, i) >= 0 && c.turn(at, b, i) >= 0 && c.turn(b, a, i) >= 0 {
			return false, nil
		}
	}
	return true, nil
}
