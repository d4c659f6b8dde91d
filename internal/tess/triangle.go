package tess

// triangles divides the triangle: concentric triangles, and the strips between
// them.
// tessellation-triangle-tessellation
func (t *Tessellator) triangles(outer [4]float32, inner [2]float32) {
	s := t.config.Spacing
	one := true
	for k, level := range outer[:3] {
		n, f := segments(s, level)
		one = one && n == 1
		t.edges[k].divide(n, f)
	}
	if n, _ := segments(s, inner[0]); n == 1 && one {
		t.triangle(t.point(0, 0, One), t.point(One, 0, 0), t.point(0, One, 0))
		return
	}
	in := &t.inner[0]
	in.divide(more(s, inner[0]))
	n := len(*in) - 1
	// The outermost ring has its own levels: v = 0, w = 0, u = 0.
	for side, k := range [3]int{1, 2, 0} {
		for _, at := range t.edges[k][:len(t.edges[k])-1] {
			t.onSide(side, at, 0)
		}
	}
	var ring ring
	ring.count = uint32(len(t.Points))
	for side, k := range [3]int{1, 2, 0} {
		ring.at[side] = t.edges[k]
	}
	for k := 1; 2*k <= n; k++ {
		next := t.inside(k, n)
		t.between(&ring, &next)
		ring = next
	}
	if n%2 == 1 { // the innermost is a triangle
		t.triangle(ring.first, ring.first+1, ring.first+2)
	}
}

// ring is the points of a concentric triangle, from the corner w = 1 on around
// v = 0, w = 0 and u = 0, and their positions on each side.
type ring struct {
	first, count uint32
	at           [3][]int32
}

// onSide adds a point of a side at a distance of 2·third from the edge.
func (t *Tessellator) onSide(side int, at, third int32) {
	a, b, c := One-at-third, at-third, 2*third
	switch side {
	case 0: // from w = 1 to u = 1
		t.point(b, c, a)
	case 1: // from u = 1 to v = 1
		t.point(a, b, c)
	case 2: // from v = 1 to w = 1
		t.point(c, a, b)
	}
}

// inside adds the ring that goes through vertex k of the subdivided edges, of n
// segments.
func (t *Tessellator) inside(k, n int) ring {
	in := t.inner[0]
	r := ring{first: uint32(len(t.Points))}
	if 2*k == n { // a point, the centre
		t.point(One/3, One/3, One-2*(One/3))
		r.count = 1
		for side := range r.at {
			r.at[side] = in[k : k+1]
		}
		return r
	}
	third := (in[k] + 1) / 3
	for side := range 3 {
		t.onSide(side, 3*third, third) // corners have equal distances from two edges
		for _, at := range in[k+1 : n-k] {
			t.onSide(side, at, third)
		}
		r.at[side] = in[k : n-k+1]
	}
	r.count = uint32(len(t.Points)) - r.first
	return r
}

// between fills the area between two rings.
func (t *Tessellator) between(outer, inner *ring) {
	var from [2]uint32
	walk := func(dst []corner, r *ring, side int, from *uint32) []corner {
		for _, at := range r.at[side] {
			dst = append(dst, corner{r.first + *from%r.count, at})
			*from++
		}
		*from-- // sides share their corners
		return dst
	}
	for side := range 3 {
		t.outer = walk(t.outer[:0], outer, side, &from[0])
		t.inset = walk(t.inset[:0], inner, side, &from[1])
		t.stitch(t.outer, t.inset)
	}
}
