package geometry

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Stretches keep their memory, not what was in them.
func TestStretch_Reset(t *testing.T) {
	var b Stretch
	b.reset(2, 8)
	b.put([][]uint32{{1, 2, 3, 4}, {5, 6, 7, 8}}, 3, 3)
	b.put([][]uint32{{9}, {9}}, 0, 1)
	if b.Rows != 6 || !slices.Equal(b.Out[0], []uint32{9, 0, 0, 1, 2, 3, 0, 0}) || !slices.Equal(b.Out[1][3:6], []uint32{5, 6, 7}) {
		t.Errorf("%d rows: %v", b.Rows, b.Out)
	}
	b.Primitives, b.ids, b.verts, b.Size = make([]Primitive, 2), make([]uint32, 2), make([]uint32, 2), 3
	b.resetPrimitives(3)
	b.OfPrimitive[1] = append(b.OfPrimitive[1], 7)
	room := &b.Out[0][0]
	b.reset(1, 4)
	b.resetPrimitives(2)
	if b.Rows != 0 || b.Size != 0 || len(b.Primitives)+len(b.ids)+len(b.verts) != 0 || len(b.Out) != 1 || len(b.Out[0]) != 4 || &b.Out[0][0] != room || len(b.OfPrimitive) != 2 || len(b.OfPrimitive[1]) != 0 {
		t.Errorf("%+v", b)
	}
	if b.reset(3, 9); len(b.Out) != 3 || len(b.Out[0]) != 9 || len(b.Out[2]) != 9 {
		t.Errorf("%d slots", len(b.Out))
	}
}

// stripRow is primitive i of a strip of length vertices, which makes primitives of n vertices, with
// the position of its last vertex in the strip; nil: there is no such primitive.
// drawing-point-lists, drawing-line-strips, drawing-triangle-strips
func stripRow(n, i, length int) (v []int, last int) {
	switch {
	case i+n > length:
		return nil, 0
	case n == 3: // vᵢ, vᵢ₊₍₁₊ᵢ%₂₎, vᵢ₊₍₂₋ᵢ%₂₎
		return []int{i, i + 1 + i%2, i + 2 - i%2}, 2 - i%2
	}
	return []int{i, i + 1}[:n], n - 1
}

// RAS-046, RAS-047, RAS-049: strips of an emitting shader are those of the table for
// as many vertices.
func TestStrips_RAS046_AsTheTable(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-047", "RAS-049", "RAS-059", "RAS-060", "RAS-061")
	for n := uint8(1); n <= 3; n++ {
		for _, last := range []bool{false, true} {
			s := strips{n: n, last: last}
			row := uint32(5)
			for _, length := range []int{1, 4, 2, 7, 3} {
				at, base := 0, row
				for k := range length {
					var p Primitive
					if !s.push(&p, row, k > 0) {
						row++
						continue
					}
					row++
					want, first := stripRow(int(n), at, length)
					if !last {
						first = 0
					}
					ok := p.N == n && int(p.Provoking) == first && (p.Flags == assembly.FlagRunStart) == (n != 2 || at == 0)
					for k, v := range want {
						ok = ok && p.V[k] == base+uint32(v)
					}
					if !ok || want == nil {
						t.Errorf("%d vertices, last %v, primitive %d of %d: %+v, want %v", n, last, at, length, p, want)
					}
					at++
				}
				if more, _ := stripRow(int(n), at, length); more != nil {
					t.Errorf("%d vertices: %d primitives of a strip of %d", n, at, length)
				}
			}
		}
	}
	for n, want := range map[uint8]uint8{1: 0, 2: 1, 3: 2} {
		if provokingOf(false, n, false) != 0 || provokingOf(true, n, false) != want {
			t.Errorf("provoking vertices of %d: %d and %d", n, provokingOf(false, n, false), provokingOf(true, n, false))
		}
	}
}
