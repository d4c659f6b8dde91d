package geometry

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/assembly"
)

// hashSize is the number of entries of the table that finds shared vertices: a
// power of two, more than twice the vertices of a feed.
const hashSize = 4096

// hashEntry is a vertex, and its number from base on.
type hashEntry struct{ vertex, number uint32 }

// Begin begins with w.Feed: shared vertices are found and shaded once.
func (w *Worker) Begin() error {
	if w.Feed.Draw.State.Mesh != None {
		w.mesh.reset()
		return nil
	}
	w.shaded.reset(0, 0)
	w.Programs[w.Feed.Draw.State.Vertex].Told.Begin()
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
	w.share()
	if n = b.Taken() - n; f.Draw.State.Wide {
		n = len(f.IDs)
	}
	w.Stats.Assembled += uint64(n)
	return w.shadeVertices(n)
}

// Next is the next stretch of the last stage before rasterization, nil at the end of the feed. It
// is good until Next or Begin is called again.
func (w *Worker) Next() (*Stretch, error) {
	if w.Feed.Draw.State.Mesh != None {
		return w.mesh.nextStretch(w)
	}
	if w.Feed.Draw.State.Geometry != None {
		return w.geom.nextStretch(w)
	}
	return w.nextInput()
}

// nextInput is the next stretch of the stages before the geometry shader.
func (w *Worker) nextInput() (*Stretch, error) {
	if w.Feed.Draw.State.Control != None {
		return w.tess.nextStretch(w)
	}
	b := w.input
	w.input = nil
	return b, nil
}

// share numbers the distinct vertices of a feed in order of first use.
func (w *Worker) share() {
	b, f := &w.shaded, &w.Feed
	size := int(f.Draw.State.Vertices)
	w.Keys = w.Keys[:0]
	switch {
	case f.Draw.State.Wide:
		b.Size, b.verts, b.ids = size, append(b.verts[:0], f.Wide...), append(b.ids[:0], f.IDs...)
		w.numberAll(b.verts, f.Inst, size)
	case len(f.Spans) > 0:
		b.Spans, b.state, b.first, b.rows = f.Spans, f.Draw.State, b.Rows, nil
		if f.Draw.IndexSize == 0 {
			return // no vertex is twice there
		}
		b.first, b.rows = 0, w.numbers[:0]
		for _, s := range f.Spans {
			n := len(b.rows)
			b.rows = slices.Grow(b.rows, int(s.Count)*size)[:n+int(s.Count)*size]
			f.Draw.index(b.rows[n:], uint64(f.Params.First)+uint64(s.First), f.Params.BaseVertex)
			w.number(b.rows[n:], s.Instance)
		}
		w.numbers = b.rows
	default:
		rows := Grow(w.numbers, 3*len(f.Primitives))
		w.numbers = rows
		for i := range f.Primitives {
			copy(rows[3*i:], f.Primitives[i].V[:])
		}
		w.numberAll(rows, f.Inst, 3)
		out := b.more(len(f.Primitives))
		for i := range out {
			p, q := &f.Primitives[i], &out[i] // field by field: a struct would be made elsewhere and copied
			q.V[0], q.V[1], q.V[2] = rows[3*i], rows[3*i+1], rows[3*i+2]
			for k := p.N; k < 3; k++ {
				q.V[k] = q.V[0]
			}
			q.ID, q.N, q.Provoking, q.Flags, q.Stream = p.ID, p.N, p.Provoking, p.Flags, 0
		}
	}
}

// index fills dst with the vertices that indices name, from number first on.
func (d *Draw) index(dst []uint32, first uint64, base uint32) {
	size := uint64(d.IndexSize)
	if (first+uint64(len(dst)))*size > uint64(len(d.Indices)) {
		for i := range dst {
			dst[i] = assembly.Index(d.Indices, d.IndexSize, first+uint64(i)) + base
		}
		return
	}
	switch data := d.Indices[first*size:]; size {
	case 1:
		for i, v := range data[:len(dst)] {
			dst[i] = uint32(v) + base
		}
	case 2:
		for i := range dst {
			dst[i] = uint32(binary.LittleEndian.Uint16(data[2*i:])) + base
		}
	default:
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint32(data[4*i:]) + base
		}
	}
}

// numberAll is number for the vertices of primitives of that size, where inst are their instances.
func (w *Worker) numberAll(v, inst []uint32, size int) {
	for from := 0; from*size < len(v); {
		to := from + 1
		for to*size < len(v) && inst[to] == inst[from] {
			to++
		}
		w.number(v[from*size:to*size], inst[from])
		from = to
	}
}

// number replaces vertices of an instance by their rows, and appends the distinct ones to Keys. What
// an entry of the table has below base is of other vertices.
func (w *Worker) number(v []uint32, instance uint32) {
	if w.base > math.MaxUint32-8*MaxVertices || w.base == 0 {
		w.table, w.base = new([hashSize]hashEntry), 1 // no empty entry is in
	}
	first, base, n, table := len(w.Keys), w.base, uint32(0), w.table
	w.Keys = slices.Grow(w.Keys, len(v))
	keys, zero := w.Keys[first:first+len(v)], base-uint32(w.shaded.Rows+first)
	for i, x := range v {
		at := x>>4*0x9E3779B1>>24<<4 | x&15 // vertices that follow each other lie side by side
		e := &table[at%hashSize]
		for e.number >= base && e.vertex != x {
			at++
			e = &table[at%hashSize]
		}
		if e.number < base {
			e.vertex, e.number = x, base+n
			keys[n].Vertex, keys[n].Instance = x, instance
			n++
		}
		v[i] = e.number - zero
	}
	w.Keys, w.base = w.Keys[:first+int(n)], base+n
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
	first uint32 // of the draw, which spans count from
	size  uint32
	from  uint32      // vertices of the first span that are done
	room  []VertexKey // for those of several spans
}

// next makes l the next n vertices.
func (s *lots) next(l *lot, n int) {
	if len(s.spans) == 0 {
		l.keys, l.n, s.keys = s.keys[:n], n, s.keys[n:]
		return
	}
	l.n = n
	for done := 0; ; {
		p := &s.spans[0]
		first, left := s.first+p.First+s.from, p.Count*s.size-s.from
		m := min(uint32(n-done), left)
		if s.from += m; m == left {
			s.spans, s.from = s.spans[1:], 0
		}
		if int(m) == n && first+m > first { // which has not come to the end of all numbers
			l.first, l.instance = first, p.Instance
			return
		}
		for k := range m {
			s.room[done+int(k)] = VertexKey{first + k, p.Instance}
		}
		if done += int(m); done == n {
			l.keys = s.room[:n]
			return
		}
	}
}

// shadeVertices runs the vertex shader on the vertices of the feed, which has so many primitives.
func (w *Worker) shadeVertices(primitives int) error {
	c := &w.Feed
	st, link := c.Draw.State, c.Draw.State.Link
	p := w.Programs[st.Vertex]
	n, b := len(w.Keys), &w.shaded
	all := &w.lots
	all.keys, all.spans, all.from = w.Keys, nil, 0
	if len(b.Spans) > 0 && b.rows == nil {
		all.spans, all.first, all.size, w.Keys = b.Spans, c.Params.First, uint32(st.Vertices), Grow(w.Keys, w.Lanes)
		all.room, n = w.Keys, primitives*int(st.Vertices)
	}
	first := b.Rows
	b.extend(len(p.Out), n)
	w.vertexOut = Grow(w.vertexOut, len(p.Out))
	w.vertexLanes.In, w.vertexLanes.Out = p.In, w.vertexOut
	for at := 0; at < n; at += w.Lanes {
		var l lot
		all.next(&l, min(w.Lanes, n-at))
		if err := w.lay(p, &l); err != nil {
			return err
		}
		for slot := range b.Out {
			w.vertexOut[slot] = b.Out[slot][first+at:][:l.n]
		}
		// What the shader does not write must not depend on an earlier batch.
		for _, slot := range link.VertexMay {
			clear(w.vertexOut[slot])
		}
		w.vertexLanes.N = l.n
		in := c.Draw.Vertex
		if w.Onlooker != nil {
			in = w.Onlooker.Before(p, in)
		}
		if err := p.Run(in, &w.vertexLanes); err != nil {
			return err
		}
		if w.Onlooker != nil {
			own := l
			w.after(func(lane int) string { return w.vertexName(own.key(lane)) })
		}
	}
	b.Rows += n
	w.Stats.Vertices += uint64(n)
	return nil
}

// lay makes the inputs of a vertex shader those of vertices.
func (w *Worker) lay(p *Runner, l *lot) error {
	st := w.Feed.Draw.State
	last := l.last()
	for i := range st.Link.Fetch {
		decoder := None
		if len(st.Decoders) > 0 {
			decoder = st.Decoders[i]
		}
		if err := w.fetch(&st.Link.Fetch[i], decoder, p.In, l, last); err != nil {
			return err
		}
	}
	for _, v := range st.Link.Builtins {
		w.Feed.Params.fillBuiltin(p.In[v.Slot], v.Builtin, l)
	}
	return nil
}

// vertexKey is the vertex in a row of what the vertex shader wrote.
func (w *Worker) vertexKey(row uint32) VertexKey {
	f := &w.Feed
	if f.Draw.State.Wide || len(f.Spans) == 0 || f.Draw.IndexSize > 0 {
		return w.Keys[row]
	}
	size := uint32(f.Draw.State.Vertices)
	for _, s := range f.Spans {
		if n := s.Count * size; row < n {
			return VertexKey{f.Params.First + s.First + row, s.Instance}
		} else {
			row -= n
		}
	}
	return VertexKey{}
}
