package raster

import (
	"cmp"
	"slices"
)

// Untangle makes a clipped polygon one that the pieces of the fan around C[0]
// cover once. Clipping is exact but for rounding, and that turns slim polygons
// inside out: the cuts may end up in another order along a side than they should,
// and pieces that face the other way then overlap the rest. Where the polygon is
// still simple, another corner to start from is enough and no side changes; else
// its hull takes its place, for a clipped triangle is convex. Facing stays.
// It must be called before D is filled.
// RAS-242 primsrast-polygons-basic
func (p *Polygon) Untangle() {
	area := polygonArea(p)
	if area == 0 {
		return
	}
	for range p.N {
		if p.fans(area > 0) {
			return
		}
		first := p.C[0]
		copy(p.C[:], p.C[1:p.N])
		p.C[p.N-1] = first
	}
	p.hull(area > 0)
}

// fans reports whether the pieces of the fan around C[0] all turn the given way
// and together no more than once, with no corner where the way is open.
func (p *Polygon) fans(clockwise bool) bool {
	a, first := &p.C[0], &p.C[1]
	half := false // more than half a turn away from the first side
	for k := 1; k+1 < p.N; k++ {
		piece, turn := cross(a, &p.C[k], &p.C[k+1]), cross(a, first, &p.C[k+1])
		if !clockwise {
			piece, turn = -piece, -turn
		}
		if piece < 0 || piece == 0 && !a.sees(&p.C[k], &p.C[k+1]) || half && turn >= 0 {
			return false
		}
		half = half || turn < 0
	}
	return true
}

// sees reports whether b and c, on one line with a, lie on the same side of it.
func (a *Corner) sees(b, c *Corner) bool {
	return int64(b.X-a.X)*int64(c.X-a.X)+int64(b.Y-a.Y)*int64(c.Y-a.Y) > 0
}

// hull leaves the corners of the convex hull, turning the given way.
func (p *Polygon) hull(clockwise bool) {
	c := p.C[:p.N]
	slices.SortStableFunc(c, func(a, b Corner) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	var out [2 * MaxCorners]Corner
	n := 0
	add := func(v *Corner, floor int) {
		for n >= floor+2 && cross(&out[n-2], &out[n-1], v) <= 0 {
			n--
		}
		out[n] = *v
		n++
	}
	for i := range c {
		add(&c[i], 0)
	}
	n-- // the last one starts the way back
	for i, floor := len(c)-1, n; i >= 0; i-- {
		add(&c[i], floor)
	}
	n-- // the first one again
	if !clockwise {
		slices.Reverse(out[:n])
	}
	p.N = copy(p.C[:], out[:n])
}
