package render

import (
	"time"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/vk"
)

// hashSize is the number of entries of the table that finds shared vertices: a
// power of two, more than twice the vertices of a piece.
const hashSize = 4096

// hashEntry holds a vertex of the current piece if epoch is the worker's.
type hashEntry struct {
	key   vertexKey
	epoch uint32
	local uint32
}

// vertices begins the next piece of a chunk: shared vertices are found and shaded once.
func (w *worker) vertices(c *chunk) error {
	if c.draw.mesh.routine != none {
		w.mesh.reset()
		return nil
	}
	start := time.Now()
	w.take(c)
	switch {
	case c.draw.state.staged:
		w.shareWide(c)
	case len(c.spans) > 0:
		w.shareNone(c)
	default:
		w.share(c)
	}
	if err := w.shadeVertices(c); err != nil {
		return err
	}
	w.tess.reset()
	w.geom.reset()
	if w.stats.Assembled += uint64(len(c.ids)); !c.draw.state.staged {
		w.stats.Assembled += uint64(len(w.shaded.prims))
	}
	w.input = &w.shaded
	w.stats.VertexNS += int64(time.Since(start))
	return nil
}

// take makes the next piece of a chunk the one at work.
func (w *worker) take(c *chunk) {
	p, from, spans := &c.pieces[c.present], uint32(0), uint32(0)
	if c.present > 0 {
		from, spans = c.pieces[c.present-1].end, c.pieces[c.present-1].spans
	}
	c.present++
	c.draw, c.params = p.draw, p.params
	if !c.draw.state.staged {
		c.prims, c.inst, c.spans = w.prims[from:p.end], w.inst[from:p.end], w.spans[spans:p.spans]
	}
}

// advance takes a chunk through the stages to its bins until it is done or full.
func (w *worker) advance(c *chunk) error {
	for w.boxes = w.boxes[:0]; ; {
		if err := w.x.stopped(); err != nil {
			return err
		}
		b, err := w.nextBlock(c)
		if err != nil {
			return err
		}
		if b == nil {
			if c.present < len(c.pieces) {
				if err := w.vertices(c); err != nil {
					return err
				}
				continue
			}
			c.done = true
			break
		}
		w.commit(c, b)
		if c.bytes() >= w.x.chunkBytes {
			c.full = true
			break
		}
	}
	w.sort(c)
	return nil
}

// nextBlock is the next block of the last stage before rasterization, nil at the
// end of the chunk.
func (w *worker) nextBlock(c *chunk) (*block, error) {
	if c.draw.mesh.routine != none {
		return w.mesh.nextBlock(w, c)
	}
	if c.draw.geometry.routine != none {
		return w.geom.nextBlock(w, c)
	}
	return w.nextInput(c)
}

// nextInput is the next block of the stages before the geometry shader.
func (w *worker) nextInput(c *chunk) (*block, error) {
	if c.draw.control.routine != none {
		return w.tess.nextBlock(w, c)
	}
	b := w.input
	w.input = nil
	return b, nil
}

// share numbers the distinct vertices of a piece in order of first use. Without indices,
// primitives have vertices in common with the one before only.
func (w *worker) share(c *chunk) {
	w.startShare()
	indexed := c.draw.draw.Index != nil
	w.shaded.prims = grow(w.shaded.prims, len(c.prims))
	out := w.shaded.prims
	for i := range c.prims {
		p, q, inst := &c.prims[i], &out[i], c.inst[i]
		alone := i == 0 || c.inst[i-1] != inst
		for k, v := range p.V[:p.N] {
			if !alone { // most meshes have an edge in common with the one before
				before, found := &c.prims[i-1].V, &out[i-1].v // one by one: a range over it would be one over a copy
				switch v {
				case before[0]:
					q.v[k] = found[0]
					continue
				case before[1]:
					q.v[k] = found[1]
					continue
				case before[2]:
					q.v[k] = found[2]
					continue
				}
			}
			if key := (vertexKey{v, inst}); indexed {
				q.v[k] = w.local(key)
			} else {
				q.v[k] = uint32(len(w.keys))
				w.keys = append(w.keys, key)
			}
		}
		for k := p.N; k < 3; k++ {
			q.v[k] = q.v[0]
		}
		q.id, q.n, q.provoking, q.flags, q.stream = p.ID, p.N, p.Provoking, p.Flags, 0
	}
}

// shareNone is share for spans, whose primitives have no vertices in common.
func (w *worker) shareNone(c *chunk) {
	n := uint32(0)
	for i := range c.spans {
		n += c.spans[i].count
	}
	size := uint32(c.draw.state.asm.Vertices())
	w.keys, w.shaded.prims = grow(w.keys, int(n*size)), grow(w.shaded.prims, int(n))
	provoking := provokingOf(c.draw.state.asm.Provoking == vk.ProvokingVertexModeLastVertexEXT, uint8(size), false)
	keys, prims, row := w.keys, w.shaded.prims, uint32(0)
	for i := range c.spans {
		s := &c.spans[i]
		for k := range keys[:s.count*size] {
			keys[k] = vertexKey{s.vertex + uint32(k), s.instance}
		}
		second, third := min(size-1, 1), (size-1)&2 // the first one again, where there are fewer
		for k := range prims[:s.count] {
			q := &prims[k] // field by field: a struct would be made elsewhere and copied
			q.v[0], q.v[1], q.v[2] = row, row+second, row+third
			q.id, q.n, q.provoking, q.flags, q.stream = s.id+uint32(k), uint8(size), provoking, assembly.FlagRunStart, 0
			row += size
		}
		keys, prims = keys[s.count*size:], prims[s.count:]
	}
}

// shareWide is share for primitives with all their vertices.
func (w *worker) shareWide(c *chunk) {
	w.startShare()
	b := &w.shaded
	b.size, b.prims = c.draw.state.asm.Vertices(), b.prims[:0]
	b.verts, b.ids = grow(b.verts, len(c.ids)*b.size), append(b.ids[:0], c.ids...)
	for i, v := range c.wide[:len(b.verts)] {
		b.verts[i] = w.local(vertexKey{v, c.inst[i/b.size]})
	}
}

// startShare empties the table of shared vertices.
func (w *worker) startShare() {
	w.epoch++
	if w.epoch == 0 {
		clear(w.table)
		w.epoch = 1
	}
	w.keys = w.keys[:0]
}

// local returns the number of a vertex in the chunk.
func (w *worker) local(key vertexKey) uint32 {
	// Vertices that follow each other lie side by side.
	h := (key.vertex>>4*0x9E3779B1^key.instance*0x85EBCA77)>>24<<4 | key.vertex&15
	for i := h; ; i++ {
		e := &w.table[i%hashSize]
		if e.epoch != w.epoch {
			n := uint32(len(w.keys))
			e.key.vertex, e.key.instance, e.epoch, e.local = key.vertex, key.instance, w.epoch, n
			w.keys = append(w.keys, key)
			return n
		}
		if e.key == key {
			return e.local
		}
	}
}

// shadeVertices runs the vertex shader on the chunk's vertices.
func (w *worker) shadeVertices(c *chunk) error {
	link := c.draw.state.link
	p := w.byIndex[c.draw.vertex.routine]
	n := len(w.keys)
	b := &w.shaded
	b.resetRows(len(p.out), n)
	w.vertexOut = grow(w.vertexOut, len(p.out))
	w.vertexLanes = exec.Batch{In: p.in, Out: w.vertexOut}
	for at := 0; at < n; at += w.x.cfg.Lanes {
		keys := w.keys[at:min(at+w.x.cfg.Lanes, n)]
		last := lastVertex(keys)
		for i := range link.fetch {
			link.fetch[i].fetch(p.in, keys, last, c)
		}
		for _, v := range link.builtins {
			c.params.fillBuiltin(p.in[v.slot], v.builtin, keys)
		}
		for slot := range b.out {
			w.vertexOut[slot] = b.out[slot][at : at+len(keys)]
		}
		// What the shader does not write must not depend on an earlier batch.
		for _, slot := range link.vertexMay {
			clear(w.vertexOut[slot])
		}
		w.vertexLanes.N = len(keys)
		if err := p.run(c.draw.vertex.ctx, &w.vertexLanes); err != nil {
			return err
		}
	}
	b.rows = n
	w.stats.Vertices += uint64(n)
	return nil
}
