package render

import (
	"math"
	"time"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// hashSize is the number of entries of the table that finds shared vertices: a
// power of two, more than twice the vertices of a chunk.
const hashSize = 4096

// hashEntry holds a vertex of the current chunk if epoch is the worker's.
type hashEntry struct {
	key   vertexKey
	epoch uint32
	local uint32
}

// vertices takes a chunk from primitives to bins: shared vertices are found,
// shaded once, and their primitives clipped, set up and binned.
func (w *worker) vertices(c *chunk) error {
	w.share(c)
	start := time.Now()
	if err := w.shadeVertices(c); err != nil {
		return err
	}
	w.stats.VertexNS += int64(time.Since(start))
	w.stats.Primitives += uint64(len(c.prims))
	if c.draw.state.discard {
		return nil // RAS-066
	}
	w.setup(c)
	c.bin(&w.plan.grid)
	return nil
}

// share numbers the distinct vertices of a chunk in order of first use.
func (w *worker) share(c *chunk) {
	w.epoch++
	if w.epoch == 0 {
		clear(w.table)
		w.epoch = 1
	}
	w.keys = w.keys[:0]
	c.recs = grow(c.recs, len(c.prims))
	for i := range c.prims {
		p := &c.prims[i]
		r := &c.recs[i]
		for k := range int(p.N) {
			r.v[k] = w.local(vertexKey{p.V[k], c.inst[i]})
		}
		for k := int(p.N); k < 3; k++ {
			r.v[k] = r.v[0]
		}
		r.provoking = r.v[p.Provoking]
		r.id = p.ID
		r.layer, r.viewport = 0, 0
	}
}

// local returns the number of a vertex in the chunk.
func (w *worker) local(key vertexKey) uint32 {
	h := key.vertex*0x9E3779B1 ^ key.instance*0x85EBCA77
	for i := h >> 20; ; i++ {
		e := &w.table[i%hashSize]
		if e.epoch != w.epoch {
			*e = hashEntry{key, w.epoch, uint32(len(w.keys))}
			w.keys = append(w.keys, key)
			return e.local
		}
		if e.key == key {
			return e.local
		}
	}
}

// shadeVertices runs the vertex shader on the chunk's vertices.
func (w *worker) shadeVertices(c *chunk) error {
	link := c.draw.state.link
	p := w.byIndex[c.draw.vertex]
	n := len(w.keys)
	w.verts = grow(w.verts, n)
	w.layers, w.views = grow(w.layers, n), grow(w.views, n)
	c.attrs = grow(c.attrs, n*len(link.attrs))
	w.vertexLanes = exec.Batch{In: p.in, Out: p.out}
	for at := 0; at < n; at += w.x.cfg.Lanes {
		keys := w.keys[at:min(at+w.x.cfg.Lanes, n)]
		for i := range link.fetch {
			link.fetch[i].fetch(p.in, keys, c)
		}
		for _, v := range link.builtins {
			c.params.fillBuiltin(p.in[v.slot], v.builtin, keys)
		}
		// What the shader does not write must not depend on an earlier batch.
		for _, slot := range link.vertexMay {
			clear(p.out[slot][:len(keys)])
		}
		w.vertexLanes.N = len(keys)
		if err := p.thread.Run(c.draw.vertexCtx, &w.vertexLanes); err != nil {
			return err
		}
		w.stats.Vertices += uint64(len(keys))
		w.collect(c, p.out, at, len(keys))
	}
	return nil
}

// collect copies the outputs of a batch: positions for set-up, attributes for
// the fragments.
func (w *worker) collect(c *chunk, out [][]uint32, at, n int) {
	link := c.draw.state.link
	stride := len(link.attrs)
	for k, slot := range link.attrs {
		src := out[slot][:n]
		for i, v := range src {
			c.attrs[(at+i)*stride+k] = v
		}
	}
	vs := &link.vs
	for i := range n {
		v := &w.verts[at+i]
		*v = raster.Vertex{Size: 1}
		for k, slot := range vs.position {
			if slot != none {
				v.Pos[k] = math.Float32frombits(out[slot][i])
			}
		}
		if vs.size != none {
			v.Size = math.Float32frombits(out[vs.size][i])
		}
		for k, slot := range vs.clip {
			if slot != none {
				v.Dist[k] = math.Float32frombits(out[slot][i])
			}
		}
		for k, slot := range vs.cull {
			if slot != none {
				v.Dist[len(vs.clip)+k] = math.Float32frombits(out[slot][i])
			}
		}
	}
	copyLanes(w.layers[at:at+n], out, vs.layer)
	copyLanes(w.views[at:at+n], out, vs.viewport)
}

// copyLanes copies a slot's lanes, or zeros where there is none.
func copyLanes(dst []uint32, out [][]uint32, slot int) {
	if slot == none {
		clear(dst)
		return
	}
	copy(dst, out[slot])
}

// setup clips the primitives of a chunk and makes their set-ups.
func (w *worker) setup(c *chunk) {
	st := c.draw.state
	several := st.link.vs.viewport != none
	if !several {
		st.post[0].Project(w.verts)
	}
	for i := range c.recs {
		r, p := &c.recs[i], &c.prims[i]
		layer, viewport := w.layers[r.provoking], w.views[r.provoking]
		if w.plan.pass.ViewMask != 0 {
			layer = c.params.view // RAS-072
		}
		// RAS-070, RAS-071: out of range drops the primitive.
		if layer >= uint32(w.plan.layers) || viewport >= uint32(len(st.post)) {
			continue
		}
		r.layer, r.viewport = uint16(layer), uint16(viewport)
		v := [3]*raster.Vertex{&w.verts[r.v[0]], &w.verts[r.v[1]], &w.verts[r.v[2]]}
		if several {
			for k := range v {
				w.own[k] = *v[k]
				v[k] = &w.own[k]
			}
			st.post[viewport].Project(w.own[:p.N])
		}
		before := len(c.setups)
		w.primitive(c, p, uint32(i), int(viewport), v)
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
func (w *worker) primitive(c *chunk, p *assembly.Primitive, rec uint32, viewport int, v [3]*raster.Vertex) {
	st := c.draw.state
	post, state := &st.post[viewport], &st.raster[viewport]
	switch p.N {
	case 3:
		w.poly.Provoking = p.Provoking
		if post.Triangle(&w.poly, v[0], v[1], v[2]) {
			w.stats.Clipped++
			c.setups, c.extra = raster.AppendPolygon(c.setups, c.extra, &w.poly, state, rec)
		}
	case 2:
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
	r := s.Bounds.Intersect(scissor)
	if r.Empty() {
		return tileBox{}
	}
	g := &w.plan.grid
	return tileBox{
		x0: (r.X0 - g.x0) >> g.shift, y0: (r.Y0 - g.y0) >> g.shift,
		x1: (r.X1-1-g.x0)>>g.shift + 1, y1: (r.Y1-1-g.y0)>>g.shift + 1, layer: layer,
	}
}
