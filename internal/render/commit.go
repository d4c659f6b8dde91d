package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// commit takes a block of the last stage before rasterization into the chunk: what
// fragments need of its vertices, and the set-ups of its primitives. Blocks come
// in key order; everything that primitives do on their way to the tiles, whatever
// stages made them, begins here.
func (w *worker) commit(c *chunk, b *block) {
	w.stats.Primitives += uint64(len(b.prims))
	st := c.draw.state
	if c.draw.draw.Feedback != nil || w.plan.pass.CountStreams {
		w.capture(c, b)
	}
	if st.discard || len(b.prims) == 0 {
		return // RAS-066
	}
	w.collect(c, b)
	base, first := uint32(c.rows), len(c.recs)
	c.rows += b.rows
	id := st.link.primitiveID
	c.recs = growTo(c.recs, first+len(b.prims))
	for i := range b.prims {
		p, r := &b.prims[i], &c.recs[first+i]
		*r = primRec{v: [3]uint32{base + p.v[0], base + p.v[1], base + p.v[2]}, id: p.id, n: p.n, first: p.provoking}
		if st.lastProvokes() {
			r.first = (p.provoking + 1) % p.n // RAS-182: the provoking vertex comes last
		}
		r.provoking = r.v[p.provoking]
		if id != none {
			r.id = b.out[id][p.v[p.provoking]]
		}
	}
	for i := range b.prims {
		for _, slot := range st.link.flat {
			c.flat = append(c.flat, b.primitive[slot][i])
		}
	}
	w.setup(c, b, first)
}

// collect copies what set-up and fragments need of a block's vertices.
func (w *worker) collect(c *chunk, b *block) {
	link := c.draw.state.link
	n, stride, at := b.rows, len(link.attrs), len(c.attrs)
	c.attrs = growTo(c.attrs, at+n*stride)
	for k, slot := range link.attrs {
		to := at + k
		for _, v := range b.out[slot][:n] {
			c.attrs[to] = v
			to += stride
		}
	}
	w.verts = grow(w.verts, n)
	w.layers, w.views, w.rates = grow(w.layers, n), grow(w.views, n), grow(w.rates, n)
	vs := &link.vs
	var position [4][]uint32
	for k, slot := range vs.position {
		if slot == none {
			w.noPosition = growTo(w.noPosition, n) // zeros
			position[k] = w.noPosition[:n]
		} else {
			position[k] = b.out[slot][:n]
		}
	}
	x, y, z, q := position[0], position[1], position[2], position[3]
	for i := range w.verts {
		v := &w.verts[i]
		v.Pos = [4]float32{math.Float32frombits(x[i]), math.Float32frombits(y[i]), math.Float32frombits(z[i]), math.Float32frombits(q[i])}
		v.Size = 1
	}
	if vs.size != none {
		for i, x := range b.out[vs.size][:n] {
			w.verts[i].Size = math.Float32frombits(x)
		}
	}
	distances := func(first int, slots []int) {
		for k, slot := range slots {
			if slot != none {
				for i, x := range b.out[slot][:n] {
					w.verts[i].Dist[first+k] = math.Float32frombits(x)
				}
			}
		}
	}
	distances(0, vs.clip)
	distances(len(vs.clip), vs.cull)
	copyLanes(w.layers, b.out, vs.layer)
	copyLanes(w.views, b.out, vs.viewport)
	copyLanes(w.rates, b.out, vs.rate)
}

// copyLanes copies a slot's lanes, or zeros where there is none.
func copyLanes(dst []uint32, out [][]uint32, slot int) {
	if slot == none {
		clear(dst)
		return
	}
	copy(dst, out[slot])
}

// setup clips the primitives of a block, whose records begin at first, and makes
// their set-ups.
func (w *worker) setup(c *chunk, b *block, first int) {
	st := c.draw.state
	of := &st.link.ofPrimitive
	several := st.link.vs.viewport != none || of.viewport != none
	if !several {
		st.post[0].Project(w.verts)
	}
	for i := range b.prims {
		r, p := &c.recs[first+i], &b.prims[i]
		if p.stream != st.link.stream {
			continue // RAS-062
		}
		from := p.v[p.provoking]
		layer, viewport, rate := w.layers[from], w.views[from], w.rates[from]
		if st.pipe.desc.Mesh != nil {
			r.id, layer, viewport, rate = of.take(b, i)
		}
		if w.plan.pass.ViewMask != 0 {
			layer = c.params.view // RAS-072
		}
		// RAS-070, RAS-071: out of range drops the primitive.
		if layer >= uint32(w.plan.layers) || viewport >= uint32(len(st.post)) {
			continue
		}
		r.layer, r.viewport, r.rate = uint16(layer), uint16(viewport), uint8(rate)
		v := [3]*raster.Vertex{&w.verts[p.v[0]], &w.verts[p.v[1]], &w.verts[p.v[2]]}
		if several {
			for k := range v {
				w.own[k] = *v[k]
				v[k] = &w.own[k]
			}
			st.post[viewport].Project(w.own[:p.n])
		}
		before := len(c.setups)
		w.primitive(c, p, uint32(first+i), int(viewport), v)
		if len(c.setups) > before {
			w.stats.Rasterized++
		}
		// Set-ups that no tile can see are dropped at once.
		kept := before
		for k := before; k < len(c.setups); k++ {
			box := w.box(&c.setups[k], st.scissor[viewport], int32(layer))
			if box.x0 >= box.x1 {
				continue
			}
			c.boxes = append(c.boxes, box)
			if kept != k {
				c.setups[kept] = c.setups[k]
			}
			kept++
		}
		c.setups = c.setups[:kept]
	}
}

// primitive clips one primitive and appends its set-ups to the chunk.
func (w *worker) primitive(c *chunk, p *prim, rec uint32, viewport int, v [3]*raster.Vertex) {
	st := c.draw.state
	post, state := &st.post[viewport], &st.raster[viewport]
	switch p.n {
	case 3:
		w.poly.Provoking = p.provoking
		if post.Triangle(&w.poly, v[0], v[1], v[2]) {
			w.stats.Clipped++
			c.setups, c.extra = raster.AppendPolygon(c.setups, c.extra, &w.poly, state, rec)
		}
	case 2:
		if state.Stipple.Factor != 0 {
			c.stipple(&w.seg, p.flags, state, v[0], v[1])
		}
		if post.Line(&w.seg, v[0], v[1]) {
			w.stats.Clipped++
			c.setups, c.extra = raster.AppendSegment(c.setups, c.extra, &w.seg, state, rec)
		}
	default:
		if post.Point(&w.point, v[0]) {
			w.stats.Clipped++
			c.setups, c.extra = raster.AppendPoint(c.setups, c.extra, &w.point, state, rec)
		}
	}
}

// box returns the tiles that a set-up may touch.
func (w *worker) box(s *raster.Setup, scissor raster.Rect, layer int32) tileBox {
	r := w.bounds(s).Intersect(scissor)
	if r.Empty() {
		return tileBox{}
	}
	g := &w.plan.grid
	return tileBox{
		x0: (r.X0 - g.x0) >> g.shift, y0: (r.Y0 - g.y0) >> g.shift,
		x1: (r.X1-1-g.x0)>>g.shift + 1, y1: (r.Y1-1-g.y0)>>g.shift + 1, layer: layer,
	}
}

// growTo returns s with length n, keeping its contents.
func growTo[T any](s []T, n int) []T {
	if cap(s) < n {
		return append(s, make([]T, n-len(s))...)
	}
	return s[:n]
}
