package geometry

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/assembly"
)

// Stages before rasterization exchange stretches: ordered runs of primitives with
// what their vertices hold. A stage that amplifies is a cursor on the worker; each
// call of its next gives one stretch of bounded size, so that no stage ever holds
// all that a draw grows to.

// Primitive is a primitive of the last stage before rasterization.
type Primitive struct {
	V         [3]uint32 // rows of the stretch; the first n are used
	ID        uint32    // PrimitiveId as fragments see it
	N         uint8     // 1 point, 2 line, 3 triangle
	Provoking uint8     // position in v
	Flags     uint8     // of assembly.Primitive
	Stream    uint8     // vertex stream
}

// Stretch is a run of primitives between two stages, in order.
type Stretch struct {
	// Out[slot][row] is output slot of a vertex; slots are those of the stage
	// that made the stretch.
	Rows int
	Out  [][]uint32
	// Primitives are what comes after the last stage takes; Size vertices (rows) each, or 0 where
	// Primitives have them, with their numbers are what the next stage takes.
	Primitives []Primitive
	Size       int
	// Spans, where there are some, stand for the last primitives, of a state, until Spell is called:
	// most that nobody sees are never spelled. Their vertices are the rows, or else, nil, rows of their
	// order from row first on.
	Spans []Span
	state *State
	first int
	rows  []uint32
	verts []uint32
	ids   []uint32
	// OfPrimitive[slot][i] is output slot of Primitives[i] of a mesh.
	OfPrimitive [][]uint32
}

// resetPrimitives empties the outputs of primitives.
func (b *Stretch) resetPrimitives(slots int) {
	b.OfPrimitive = Grow(b.OfPrimitive, slots)
	for i := range b.OfPrimitive {
		b.OfPrimitive[i] = b.OfPrimitive[i][:0]
	}
}

// reset empties the stretch for slots of at most rows rows, keeping its memory.
func (b *Stretch) reset(slots, rows int) {
	b.Primitives, b.verts, b.ids, b.Size, b.Spans = b.Primitives[:0], b.verts[:0], b.ids[:0], 0, nil
	b.Rows = 0
	b.extend(slots, rows)
}

// extend makes room for so many rows more.
func (b *Stretch) extend(slots, rows int) {
	b.Out = Grow(b.Out, slots)
	for i, out := range b.Out {
		b.Out[i] = slices.Grow(out[:b.Rows], rows)[:b.Rows+rows]
	}
}

// more appends n primitives and returns them, contents undefined.
func (b *Stretch) more(n int) []Primitive {
	at := len(b.Primitives)
	b.Primitives = slices.Grow(b.Primitives, n)[:at+n]
	return b.Primitives[at:]
}

// put copies n lanes of each slot to the rows from at.
func (b *Stretch) put(out [][]uint32, at, n int) {
	for slot := range b.Out {
		copy(b.Out[slot][at:at+n], out[slot][:n])
	}
	b.Rows = max(b.Rows, at+n)
}

// Taken is how many primitives come after the last stage.
func (b *Stretch) Taken() int {
	n := len(b.Primitives)
	for i := range b.Spans {
		n += int(b.Spans[i].Count)
	}
	return n
}

// Spell makes Primitives of Spans.
func (b *Stretch) Spell() {
	if len(b.Spans) == 0 {
		return
	}
	n, row, rows := b.state.Vertices, uint32(b.first), b.rows
	size, provoking := uint32(n), provokingOf(b.state.LastProvokes, n, false)
	second, third := min(size-1, 1), (size-1)&2 // the first one again, where there are fewer
	for _, s := range b.Spans {
		out := b.more(int(s.Count))
		for i := range out {
			q := &out[i] // field by field: a struct would be made elsewhere and copied
			if q.V[0], q.V[1], q.V[2] = row, row+second, row+third; rows != nil {
				q.V[0], q.V[1], q.V[2] = rows[row], rows[row+second], rows[row+third]
			}
			q.ID, q.N, q.Provoking = s.ID+uint32(i), n, provoking
			q.Flags, q.Stream = assembly.FlagRunStart, 0
			row += size
		}
	}
	b.Spans = nil
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
func (s *strips) push(p *Primitive, row uint32, joined bool) bool {
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
	p.N, p.Flags = s.n, assembly.FlagRunStart
	odd := s.n == 3 && k%2 == 1
	switch {
	case s.n == 1:
		p.V = [3]uint32{row, row, row}
	case s.n == 2:
		p.V = [3]uint32{b, row, row}
		if k > 1 {
			p.Flags = 0
		}
	case odd:
		p.V = [3]uint32{a, row, b}
	default:
		p.V = [3]uint32{a, b, row}
	}
	p.Provoking = provokingOf(s.last, s.n, odd)
	return true
}
