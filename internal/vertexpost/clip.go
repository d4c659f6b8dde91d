package vertexpost

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// clipVertex is a vertex of a polygon in clip space, with the weights of the
// second and third vertex of the triangle.
type clipVertex struct {
	x, y, z, w float64
	l1, l2     float64
	by         float64 // what the position is divided by
	made       bool    // by clipping
}

// cutAt is the point of the edge from a to b where a plane whose values at its
// ends are da and db is zero. Swapping the ends swaps the two weights and changes
// no bit: the triangles on both sides of an edge get the same point, whichever way
// they go along it.
// RAS-082, RAS-083 vertexpostproc-clipping
func cutAt(a, b *clipVertex, da, db float64) clipVertex {
	// Neither weight is one minus the other: next to a vertex far away, the weight
	// of the near one is all that counts.
	t, s := db/(db-da), da/(da-db)
	mix := func(p, q float64) float64 { return float64(t*p) + float64(s*q) }
	return clipVertex{mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), mix(a.w, b.w), mix(a.l1, b.l1), mix(a.l2, b.l2), mix(a.by, b.by), true}
}

// clipBuffer holds a polygon, the one it is cut to, and the values of the plane
// that cuts it.
type clipBuffer struct {
	n    int
	v, t [raster.MaxCorners]clipVertex
	d    [raster.MaxCorners]float64
}

// clip cuts the polygon with the half-space d >= 0, d being set for each vertex.
// RAS-081, RAS-084 vertexpostproc-clipping
func (p *clipBuffer) clip() {
	if p.n == 0 {
		return
	}
	n := 0
	last := p.n - 1
	for i := range p.n {
		a, b := &p.v[last], &p.v[i]
		da, db := p.d[last], p.d[i]
		if (da >= 0) != (db >= 0) && n < len(p.t) {
			p.t[n] = cutAt(a, b, da, db)
			n++
		}
		if db >= 0 && n < len(p.t) {
			p.t[n] = *b
			n++
		}
		last = i
	}
	copy(p.v[:n], p.t[:n])
	p.n = n
}

// clipToGuard cuts off what lies beyond the guard band or behind the eye. Guard
// planes come first: together they imply w >= 0 without cancellation.
// RAS-003, RAS-081 vertexpostproc-clipping
func (c *Config) clipToGuard(p *clipBuffer) {
	for side := range 4 {
		for i := range p.n {
			p.d[i] = c.guardValue(&p.v[i], side)
		}
		p.clip()
	}
	for i := range p.n {
		p.d[i] = wValue(&p.v[i])
	}
	p.clip()
}

// guardValue is the value of guard plane 0 to 3 (left, right, top, bottom).
func (c *Config) guardValue(v *clipVertex, side int) float64 {
	view := &c.Viewport
	var f float64
	if side < 2 {
		f = float64(view.ScaleX*v.x) + float64(view.OffsetX*v.by)
	} else {
		f = float64(view.ScaleY*v.y) + float64(view.OffsetY*v.by)
	}
	if side&1 != 0 {
		f = -f
	}
	return float64(raster.GuardBand*v.by) + f
}

func wValue(v *clipVertex) float64 { return v.by - MinW }

// clipTriangle is Triangle for what must be clipped geometrically. planes are
// those of near, far and user planes that cut it.
func (c *Config) clipTriangle(dst *raster.Polygon, v [3]*raster.Vertex, planes raster.Outcode) bool {
	var p clipBuffer
	p.n = 3
	for i := range v {
		p.v[i] = c.loadVertex(v[i])
	}
	p.v[1].l1, p.v[2].l2 = 1, 1
	c.clipToGuard(&p)
	if c.Outline {
		c.clipToVolume(&p, v, planes)
	}
	if p.n < 3 {
		return false
	}
	dst.N, dst.Cuts, dst.ZMax, dst.Made = p.n, 0, 0, 0
	for i := range p.n {
		if p.v[i].made {
			dst.Made |= 1 << i
		}
		dst.C[i] = c.corner(&p.v[i])
		dst.ZMax = max(dst.ZMax, math.Abs(dst.C[i].Z))
		dst.W[i%3], dst.Size[i%3] = c.divisorOf(v[i%3]), v[i%3].Size
	}
	dst.ZMax = min(dst.ZMax, c.Viewport.DepthLimit)
	if c.Outline {
		return true
	}
	if dst.Untangle(); planes == 0 {
		return true
	}
	return c.cuts(dst, v, planes)
}

func (c *Config) loadVertex(v *raster.Vertex) clipVertex {
	return clipVertex{
		x: float64(v.Pos[0]), y: float64(v.Pos[1]), z: float64(v.Pos[2]), w: float64(v.Pos[3]), by: c.divisorOf(v),
	}
}

// clipToVolume cuts the polygon with the sides of the view volume and with the
// near, far and user planes in planes.
// RAS-087 vertexpostproc-clipping
func (c *Config) clipToVolume(p *clipBuffer, v [3]*raster.Vertex, planes raster.Outcode) {
	for planes |= outView; planes != 0; planes &= planes - 1 {
		bit := planes & -planes
		values := c.planeValues(v, bit)
		for i := range p.n {
			p.d[i] = c.volumeValue(&p.v[i], values, bit)
		}
		p.clip()
	}
}

// volumeValue is the value of a plane of the clip volume: from the position for
// planes of the view volume, from the weights and the values at the vertices of
// the triangle for user planes.
func (c *Config) volumeValue(q *clipVertex, d [3]float64, bit raster.Outcode) float64 {
	switch bit {
	case raster.OutLeft:
		return q.w + q.x
	case raster.OutRight:
		return q.w - q.x
	case raster.OutTop:
		return q.w + q.y
	case raster.OutBottom:
		return q.w - q.y
	case raster.OutNear:
		if c.NegativeOneToOne {
			return q.z + q.w
		}
		return q.z
	case raster.OutFar:
		return q.w - q.z
	}
	l0 := 1 - q.l1 - q.l2
	return float64(float64(l0*d[0])+float64(q.l1*d[1])) + float64(q.l2*d[2])
}

// corner projects a vertex of a clipped polygon; for a vertex of the triangle it
// gives what Project gave. Rounding may leave a cut behind the eye; it is put where
// the plane is that cut it.
func (c *Config) corner(v *clipVertex) raster.Corner {
	by := max(v.by, MinW)
	xf, yf := c.screen(v.x, v.y, by)
	return raster.Corner{
		X: snap(clampGuard(xf)), Y: snap(clampGuard(yf)),
		Z: c.depth(v.z, by), InvW: 1 / by,
		L1: v.l1, L2: v.l2,
	}
}

// clampGuard takes away what rounding put beyond the guard band.
func clampGuard(f float64) float64 {
	return max(-raster.GuardBand, min(raster.GuardBand, f))
}
