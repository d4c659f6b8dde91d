package geometry

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
)

// hashSize is the number of entries of the table that finds shared vertices: a
// power of two, more than twice the vertices of a feed.
const hashSize = 4096

// hashEntry holds a vertex of the current feed if epoch is the worker's.
type hashEntry struct {
	key   VertexKey
	epoch uint32
	local uint32
}

// Begin begins with w.Feed: shared vertices are found and shaded once.
func (w *Worker) Begin() error {
	if w.Feed.Draw.Mesh.Routine != None {
		w.mesh.reset()
		return nil
	}
	w.shaded.reset(0, 0)
	w.tess.at, w.tess.n, w.tess.sub, w.geom.in = 0, 0, 0, nil
	w.input = &w.shaded
	return w.Append()
}

// Append is Begin for another feed whose primitives follow in the stretch that Next gives: all feeds
// of a stretch have one state, which is not wide, and together no more vertices than one may have.
func (w *Worker) Append() error {
	f, b := &w.Feed, &w.shaded
	b.Spell()
	n := len(b.Primitives)
	switch {
	case f.Draw.State.Wide:
		w.shareWide()
		w.Stats.Assembled += uint64(len(f.IDs))
	case len(f.Spans) > 0:
		b.Spans, b.state, b.first = f.Spans, f.Draw.State, b.Rows
		w.Keys = w.Keys[:0]
	default:
		w.share()
	}
	n = b.Taken() - n
	w.Stats.Assembled += uint64(n)
	return w.shadeVertices(n)
}

// Next is the next stretch of the last stage before rasterization, nil at the end of the feed. It
// is good until Next or Begin is called again.
func (w *Worker) Next() (*Stretch, error) {
	if w.Feed.Draw.Mesh.Routine != None {
		return w.mesh.nextStretch(w)
	}
	if w.Feed.Draw.Geometry.Routine != None {
		return w.geom.nextStretch(w)
	}
	return w.nextInput()
}

// nextInput is the next stretch of the stages before the geometry shader.
func (w *Worker) nextInput() (*Stretch, error) {
	if w.Feed.Draw.Control.Routine != None {
		return w.tess.nextStretch(w)
	}
	b := w.input
	w.input = nil
	return b, nil
}

// share numbers the distinct vertices of a feed in order of first use.
func (w *Worker) share() {
	b, c := &w.shaded, &w.Feed
	w.Keys = w.Keys[:0]
	out := b.more(len(c.Primitives))
	least, most := ^uint32(0), uint32(0)
	for i := range c.Primitives {
		v := &c.Primitives[i].V
		least, most = min(least, v[0], v[1], v[2]), max(most, v[0], v[1], v[2])
	}
	if len(c.Primitives) > 0 && most-least < directSize {
		w.shareDirect(out, least)
		return
	}
	w.startShare()
	for i := range c.Primitives {
		p, q := &c.Primitives[i], &out[i]
		for k, v := range p.V[:p.N] {
			q.V[k] = uint32(b.Rows) + w.local(VertexKey{v, c.Inst[i]})
		}
		q.of(p)
	}
}

// of takes what a primitive has besides its first n rows.
func (q *Primitive) of(p *assembly.Primitive) {
	for k := p.N; k < 3; k++ {
		q.V[k] = q.V[0]
	}
	q.ID, q.N, q.Provoking, q.Flags, q.Stream = p.ID, p.N, p.Provoking, p.Flags, 0
}

// directSize is how far apart vertices of a feed may be to be found by a table of all of them.
const directSize = 1 << 14

// shareDirect is share for vertices from least on, that table direct has room for. An entry is the vertex's
// number and base; what is less than from is of a feed or an instance before.
func (w *Worker) shareDirect(out []Primitive, least uint32) {
	c := &w.Feed
	if w.direct == nil {
		w.direct = make([]uint32, directSize)
	}
	if w.base > math.MaxUint32-8*MaxVertices {
		clear(w.direct)
		w.base = 0
	}
	w.base++ // no empty entry is in
	base, from, n := w.base, w.base, uint32(0)
	zero := base - uint32(w.shaded.Rows)
	w.Keys = grow(w.Keys, 3*len(c.Primitives))
	keys, table, inst := w.Keys, (*[directSize]uint32)(w.direct), c.Inst[:len(c.Primitives)]
	for i := range c.Primitives {
		p, q := &c.Primitives[i], &out[i]
		instance := inst[i]
		if i > 0 && instance != inst[i-1] {
			from = base + n
		}
		for k, v := range &p.V { // where there are fewer, the last one again
			e := &table[(v-least)%directSize]
			if *e < from {
				*e = base + n
				keys[n].Vertex, keys[n].Instance = v, instance
				n++
			}
			q.V[k] = *e - zero
		}
		q.of(p)
	}
	w.Keys, w.base = keys[:n], base+n
}

// shareWide is share for primitives with all their vertices.
func (w *Worker) shareWide() {
	w.startShare()
	b, c := &w.shaded, &w.Feed
	b.Size = int(c.Draw.State.Vertices)
	b.verts, b.ids = grow(b.verts, len(c.IDs)*b.Size), append(b.ids[:0], c.IDs...)
	for i, v := range c.Wide[:len(b.verts)] {
		b.verts[i] = w.local(VertexKey{v, c.Inst[i/b.Size]})
	}
}

// startShare empties the table of shared vertices.
func (w *Worker) startShare() {
	w.epoch++
	if w.table == nil {
		w.table = make([]hashEntry, hashSize)
	}
	if w.epoch == 0 {
		clear(w.table)
		w.epoch = 1
	}
	w.Keys = w.Keys[:0]
}

// local returns the number of a vertex in the feed.
func (w *Worker) local(key VertexKey) uint32 {
	// Vertices that follow each other lie side by side.
	h := (key.Vertex>>4*0x9E3779B1^key.Instance*0x85EBCA77)>>24<<4 | key.Vertex&15
	for i := h; ; i++ {
		e := &w.table[i%hashSize]
		if e.epoch != w.epoch {
			n := uint32(len(w.Keys))
			e.key.Vertex, e.key.Instance, e.epoch, e.local = key.Vertex, key.Instance, w.epoch, n
			w.Keys = append(w.Keys, key)
			return n
		}
		if e.key == key {
			return e.local
		}
	}
}

// lot is the vertices of a batch: keys, or else n that follow each other from vertex first on.
type lot struct {
	keys            []VertexKey
	first, instance uint32
	n               int
}

// key is that of a vertex.
func (l *lot) key(i int) VertexKey {
	if l.keys != nil {
		return l.keys[i]
	}
	return VertexKey{l.first + uint32(i), l.instance}
}

// last is the largest vertex index.
func (l *lot) last() uint32 {
	if l.keys == nil {
		return l.first + uint32(l.n-1)
	}
	last := uint32(0)
	for i := range l.keys {
		last = max(last, l.keys[i].Vertex)
	}
	return last
}

// lots are the vertices of a feed, batch by batch: of keys, or of spans, primitives of size vertices each.
type lots struct {
	keys  []VertexKey
	spans []Span
	size  uint32
	from  uint32      // vertices of the first span that are done
	room  []VertexKey // for those of several spans
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
		first, left := p.Vertex+s.from, p.Count*s.size-s.from
		m := min(uint32(n-done), left)
		if s.from += m; m == left {
			s.spans, s.from = s.spans[1:], 0
		}
		if int(m) == n && first+m > first { // which has not come to the end of all numbers
			l.first, l.instance = first, p.Instance
			return l
		}
		for k := range m {
			s.room[done+int(k)] = VertexKey{first + k, p.Instance}
		}
		if done += int(m); done == n {
			l.keys = s.room[:n]
			return l
		}
	}
}

// shadeVertices runs the vertex shader on the vertices of the feed, which has so many primitives.
func (w *Worker) shadeVertices(primitives int) error {
	c := &w.Feed
	st, link := c.Draw.State, c.Draw.State.Link
	p := w.Programs[c.Draw.Vertex.Routine]
	n, b := len(w.Keys), &w.shaded
	all := lots{keys: w.Keys}
	if len(b.Spans) > 0 {
		all.spans, all.size, w.Keys = b.Spans, uint32(st.Vertices), grow(w.Keys, w.Lanes)
		all.room, n = w.Keys, primitives*int(st.Vertices)
	}
	first := b.Rows
	b.extend(len(p.Out), n)
	w.vertexOut = grow(w.vertexOut, len(p.Out))
	w.vertexLanes = exec.Batch{In: p.In, Out: w.vertexOut}
	for at := 0; at < n; at += w.Lanes {
		l := all.next(min(w.Lanes, n-at))
		last := l.last()
		for i := range link.Fetch {
			decoder := None
			if len(st.Decoders) > 0 {
				decoder = st.Decoders[i]
			}
			if err := w.fetch(&link.Fetch[i], decoder, p.In, &l, last); err != nil {
				return err
			}
		}
		for _, v := range link.Builtins {
			c.Params.fillBuiltin(p.In[v.Slot], v.Builtin, &l)
		}
		for slot := range b.Out {
			w.vertexOut[slot] = b.Out[slot][first+at:][:l.n]
		}
		// What the shader does not write must not depend on an earlier batch.
		for _, slot := range link.VertexMay {
			clear(w.vertexOut[slot])
		}
		w.vertexLanes.N = l.n
		if err := p.Run(c.Draw.Vertex.Ctx, &w.vertexLanes); err != nil {
			return err
		}
	}
	b.Rows += n
	w.Stats.Vertices += uint64(n)
	return nil
}
