package render

import "github.com/pumice-gpu/pumice/internal/assembly"

// Stages before rasterization exchange blocks: ordered runs of primitives with
// what their vertices hold. A stage that amplifies is a cursor on the worker; each
// call of its next gives one block of bounded size, so that no stage ever holds
// all that a chunk grows to.

// prim is a primitive of the last stage before rasterization.
type prim struct {
	v         [3]uint32 // rows of the block; the first n are used
	id        uint32    // PrimitiveId as fragments see it
	n         uint8     // 1 point, 2 line, 3 triangle
	provoking uint8     // position in v
	flags     uint8     // of assembly.Primitive
	stream    uint8     // vertex stream
}

// block is a run of primitives between two stages, in order.
type block struct {
	// out[slot][row] is output slot of a vertex; slots are those of the stage
	// that made the block.
	rows int
	out  [][]uint32
	// prims are what commit takes; size vertices (rows) each, or 0 where prims have them, with
	// their numbers are what the next stage takes.
	prims []prim
	size  int
	// spans, where there are some, stand for prims of size vertices, in rows of their order, count in all
	// (see spell).
	spans     []span
	count     int
	provoking uint8
	verts     []uint32
	ids       []uint32
	// primitive[slot][i] is output slot of primitive prims[i] of a mesh.
	primitive [][]uint32
}

// resetPrimitives empties the outputs of primitives.
func (b *block) resetPrimitives(slots int) {
	for len(b.primitive) < slots {
		b.primitive = append(b.primitive, nil)
	}
	b.primitive = b.primitive[:slots]
	for i := range b.primitive {
		b.primitive[i] = b.primitive[i][:0]
	}
}

// reset empties the block for slots of at most rows rows, keeping its memory.
func (b *block) reset(slots, rows int) {
	b.prims, b.verts, b.ids, b.size = b.prims[:0], b.verts[:0], b.ids[:0], 0
	b.resetRows(slots, rows)
}

// resetRows is reset for a block whose primitives are there already.
func (b *block) resetRows(slots, rows int) {
	b.rows = 0
	if cap(b.out) < slots {
		b.out = append(b.out[:cap(b.out)], make([][]uint32, slots-cap(b.out))...)
	}
	b.out = b.out[:slots]
	for i := range b.out {
		b.out[i] = grow(b.out[i], rows)
	}
}

// put copies n lanes of each slot to the rows from at.
func (b *block) put(out [][]uint32, at, n int) {
	for slot := range b.out {
		copy(b.out[slot][at:at+n], out[slot][:n])
	}
	b.rows = max(b.rows, at+n)
}

// taken is how many primitives commit takes.
func (b *block) taken() int {
	if len(b.spans) > 0 {
		return b.count
	}
	return len(b.prims)
}

// spell makes prims of spans.
func (b *block) spell() {
	b.prims = grow(b.prims, b.count)
	for i, at := 0, (spanCursor{spans: b.spans}); i < b.count; i++ {
		at.prim(b, &b.prims[i], uint32(i))
	}
	b.spans = nil
}

// spanCursor finds primitives of spans, in ascending order.
type spanCursor struct {
	spans []span
	first uint32 // primitives before the first of spans
}

// prim makes primitive i of a block.
func (s *spanCursor) prim(b *block, q *prim, i uint32) {
	for i-s.first >= s.spans[0].count {
		s.first += s.spans[0].count
		s.spans = s.spans[1:]
	}
	size := uint32(b.size)
	row, second, third := i*size, min(size-1, 1), (size-1)&2 // the first one again, where there are fewer
	q.v[0], q.v[1], q.v[2] = row, row+second, row+third      // field by field: a struct would be made elsewhere and copied
	q.id, q.n, q.provoking, q.flags, q.stream = s.spans[0].id+i-s.first, uint8(size), b.provoking, assembly.FlagRunStart, 0
}

// provokingOf is the position of the provoking vertex in a primitive of n
// vertices; of triangles in a strip the odd ones, as assembly orders them.
func provokingOf(last bool, n uint8, odd bool) uint8 {
	switch {
	case !last || n == 1:
		return 0
	case odd:
		return 1
	}
	return n - 1
}

// strips forms the primitives of strips, one vertex at a time.
type strips struct {
	n    uint8 // vertices of a primitive
	last bool  // provoking vertex last
	// Of the present strip: its length and last two rows.
	length uint32
	before [2]uint32
}

// push takes the next vertex, a row; false while no primitive is complete.
// RAS-046, RAS-047, RAS-059, RAS-060, RAS-061 drawing-primitive-topologies
func (s *strips) push(p *prim, row uint32, joined bool) bool {
	if !joined {
		s.length = 0
	}
	k := s.length
	s.length++
	a, b := s.before[0], s.before[1]
	s.before = [2]uint32{b, row}
	if k+1 < uint32(s.n) {
		return false
	}
	p.n, p.flags = s.n, assembly.FlagRunStart
	odd := s.n == 3 && k%2 == 1
	switch {
	case s.n == 1:
		p.v = [3]uint32{row, row, row}
	case s.n == 2:
		p.v = [3]uint32{b, row, row}
		if k > 1 {
			p.flags = 0
		}
	case odd:
		p.v = [3]uint32{a, row, b}
	default:
		p.v = [3]uint32{a, b, row}
	}
	p.provoking = provokingOf(s.last, s.n, odd)
	return true
}
