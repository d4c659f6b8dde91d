package render

import (
	"math"
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

// timedPieces is of how many pieces of a chunk one is timed, for all of them: many are small draws
// that take no longer than asking for the time does.
const timedPieces = 16

// vertices begins the next piece of a chunk: shared vertices are found and shaded once.
func (w *geometry) vertices(c *chunk) error {
	if c.draw.mesh.routine != none {
		w.mesh.reset()
		return nil
	}
	var start time.Time
	timed := c.present%timedPieces == 0
	if timed {
		start = time.Now()
	}
	// The next piece is the one at work.
	p, from, spans := &c.pieces[c.present], uint32(0), uint32(0)
	if c.present > 0 {
		from, spans = c.pieces[c.present-1].end, c.pieces[c.present-1].spans
	}
	c.present++
	c.draw, c.params = p.draw, p.params
	if !c.draw.state.staged {
		c.prims, c.inst, c.spans = w.prims[from:p.end], w.inst[from:p.end], w.spans[spans:p.spans]
	}
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
	w.tess.at, w.tess.n, w.tess.sub, w.geom.in = 0, 0, 0, nil
	if w.stats.Assembled += uint64(len(c.ids)); !c.draw.state.staged {
		w.stats.Assembled += uint64(w.shaded.taken())
	}
	w.input = &w.shaded
	if timed {
		w.stats.VertexNS += int64(time.Since(start)) * int64(min(len(c.pieces)-c.present+1, timedPieces))
	}
	return nil
}

// advance takes a chunk through the stages to its bins until it is done or full.
func (w *geometry) advance(c *chunk) error {
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
		if c.bytes() >= w.x.chunkBytes || w.plan.notes.Load() > maxRound {
			c.full = true
			break
		}
	}
	w.sort(c)
	return nil
}

// nextBlock is the next block of the last stage before rasterization, nil at the
// end of the chunk.
func (w *geometry) nextBlock(c *chunk) (*block, error) {
	if c.draw.mesh.routine != none {
		return w.mesh.nextBlock(w, c)
	}
	if c.draw.geometry.routine != none {
		return w.geom.nextBlock(w, c)
	}
	return w.nextInput(c)
}

// nextInput is the next block of the stages before the geometry shader.
func (w *geometry) nextInput(c *chunk) (*block, error) {
	if c.draw.control.routine != none {
		return w.tess.nextBlock(w, c)
	}
	b := w.input
	w.input = nil
	return b, nil
}

// share numbers the distinct vertices of a piece in order of first use.
func (w *geometry) share(c *chunk) {
	b := &w.shaded
	w.keys, b.spans, b.prims = w.keys[:0], nil, grow(b.prims, len(c.prims))
	least, most := ^uint32(0), uint32(0)
	for i := range c.prims {
		v := &c.prims[i].V
		least, most = min(least, v[0], v[1], v[2]), max(most, v[0], v[1], v[2])
	}
	if len(c.prims) > 0 && most-least < directSize {
		w.shareDirect(c, b.prims, least)
		return
	}
	w.startShare()
	for i := range c.prims {
		p, q := &c.prims[i], &b.prims[i]
		for k, v := range p.V[:p.N] {
			q.v[k] = w.local(vertexKey{v, c.inst[i]})
		}
		q.of(p)
	}
}

// of takes what a primitive has besides its first n rows.
func (q *prim) of(p *assembly.Primitive) {
	for k := p.N; k < 3; k++ {
		q.v[k] = q.v[0]
	}
	q.id, q.n, q.provoking, q.flags, q.stream = p.ID, p.N, p.Provoking, p.Flags, 0
}

// directSize is how far apart vertices of a piece may be to be found by a table of all of them.
const directSize = 1 << 14

// shareDirect is share for vertices from least on, that table direct has room for. An entry is the vertex's
// number and base; what is less than from is of a piece or an instance before.
func (w *geometry) shareDirect(c *chunk, out []prim, least uint32) {
	if w.direct == nil {
		w.direct = make([]uint32, directSize)
	}
	if w.base > math.MaxUint32-8*pieceVertices {
		clear(w.direct)
		w.base = 0
	}
	w.base++ // no empty entry is in
	base, from, n := w.base, w.base, uint32(0)
	w.keys = grow(w.keys, 3*len(c.prims))
	keys, table, inst := w.keys, (*[directSize]uint32)(w.direct), c.inst[:len(c.prims)]
	for i := range c.prims {
		p, q := &c.prims[i], &out[i]
		instance := inst[i]
		if i > 0 && instance != inst[i-1] {
			from = base + n
		}
		for k, v := range &p.V { // where there are fewer, the last one again
			e := &table[(v-least)%directSize]
			if *e < from {
				*e = base + n
				keys[n].vertex, keys[n].instance = v, instance
				n++
			}
			q.v[k] = *e - base
		}
		q.of(p)
	}
	w.keys, w.base = keys[:n], base+n
}

// shareNone is share for spans, whose primitives have no vertices in common.
func (w *geometry) shareNone(c *chunk) {
	b := &w.shaded
	w.keys, b.spans, b.count, b.size = w.keys[:0], c.spans, 0, c.draw.state.asm.Vertices()
	for i := range c.spans {
		b.count += int(c.spans[i].count)
	}
	b.provoking = provokingOf(c.draw.state.asm.Provoking == vk.ProvokingVertexModeLastVertexEXT, uint8(b.size), false)
}

// shareWide is share for primitives with all their vertices.
func (w *geometry) shareWide(c *chunk) {
	w.startShare()
	b := &w.shaded
	b.spans = nil
	b.size, b.prims = c.draw.state.asm.Vertices(), b.prims[:0]
	b.verts, b.ids = grow(b.verts, len(c.ids)*b.size), append(b.ids[:0], c.ids...)
	for i, v := range c.wide[:len(b.verts)] {
		b.verts[i] = w.local(vertexKey{v, c.inst[i/b.size]})
	}
}

// startShare empties the table of shared vertices.
func (w *geometry) startShare() {
	w.epoch++
	if w.epoch == 0 {
		clear(w.table)
		w.epoch = 1
	}
	w.keys = w.keys[:0]
}

// local returns the number of a vertex in the chunk.
func (w *geometry) local(key vertexKey) uint32 {
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

// lot is the vertices of a batch: keys, or else n that follow each other from vertex first on.
type lot struct {
	keys            []vertexKey
	first, instance uint32
	n               int
}

// key is that of a vertex.
func (l *lot) key(i int) vertexKey {
	if l.keys != nil {
		return l.keys[i]
	}
	return vertexKey{l.first + uint32(i), l.instance}
}

// last is the largest vertex index.
func (l *lot) last() uint32 {
	if l.keys == nil {
		return l.first + uint32(l.n-1)
	}
	last := uint32(0)
	for i := range l.keys {
		last = max(last, l.keys[i].vertex)
	}
	return last
}

// lots are the vertices of a piece, batch by batch: of keys, or of spans, primitives of size vertices each.
type lots struct {
	keys  []vertexKey
	spans []span
	size  uint32
	from  uint32      // vertices of the first span that are done
	room  []vertexKey // for those of several spans
}

// next are the next n vertices.
func (s *lots) next(n int) (l lot) {
	if len(s.spans) == 0 {
		l.keys, l.n, s.keys = s.keys[:n], n, s.keys[n:]
		return l
	}
	l.n = n
	for done := 0; ; {
		p := &s.spans[0]
		first, left := p.vertex+s.from, p.count*s.size-s.from
		m := min(uint32(n-done), left)
		if s.from += m; m == left {
			s.spans, s.from = s.spans[1:], 0
		}
		if int(m) == n && first+m > first { // which has not come to the end of all numbers
			l.first, l.instance = first, p.instance
			return l
		}
		for k := range m {
			s.room[done+int(k)] = vertexKey{first + k, p.instance}
		}
		if done += int(m); done == n {
			l.keys = s.room[:n]
			return l
		}
	}
}

// shadeVertices runs the vertex shader on the chunk's vertices.
func (w *geometry) shadeVertices(c *chunk) error {
	link := c.draw.state.link
	p := w.programs[c.draw.vertex.routine]
	n := len(w.keys)
	b := &w.shaded
	all := lots{keys: w.keys, spans: b.spans}
	if len(b.spans) > 0 {
		n, all.size, w.keys = b.count*b.size, uint32(b.size), grow(w.keys, w.x.cfg.Lanes)
		all.room = w.keys
	}
	b.resetRows(len(p.out), n)
	w.vertexOut = grow(w.vertexOut, len(p.out))
	w.vertexLanes = exec.Batch{In: p.in, Out: w.vertexOut}
	for at := 0; at < n; at += w.x.cfg.Lanes {
		l := all.next(min(w.x.cfg.Lanes, n-at))
		last := l.last()
		for i := range link.fetch {
			decoder := none
			if len(c.draw.state.decoders) > 0 {
				decoder = c.draw.state.decoders[i]
			}
			if err := w.fetch(&link.fetch[i], decoder, p.in, &l, last, c); err != nil {
				return err
			}
		}
		for _, v := range link.builtins {
			c.params.fillBuiltin(p.in[v.slot], v.builtin, &l)
		}
		for slot := range b.out {
			w.vertexOut[slot] = b.out[slot][at : at+l.n]
		}
		// What the shader does not write must not depend on an earlier batch.
		for _, slot := range link.vertexMay {
			clear(w.vertexOut[slot])
		}
		w.vertexLanes.N = l.n
		if err := p.run(c.draw.vertex.ctx, &w.vertexLanes); err != nil {
			return err
		}
	}
	b.rows = n
	w.stats.Vertices += uint64(n)
	return nil
}
