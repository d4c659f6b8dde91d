package geometry

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/vk"
)

// Each primitive of a chunk gets the vertices that it names, and each vertex of an
// instance is there once, with indices and without, in all topologies.
func TestShare_EachVertexOnce(t *testing.T) {
	indices := make([]byte, 0, 2000)
	for i := range uint32(500) {
		indices = binary.LittleEndian.AppendUint32(indices, 7+i*i%90)
	}
	w := Worker{Lanes: 256}
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyTriangleFan; topology++ {
		for _, indexed := range []bool{false, true} {
			config, c := assembly.Config{Topology: topology}, &w.Feed
			*c = Feed{Draw: &Draw{State: &State{Key: Key{Vertices: uint8(config.Vertices())}}}, Params: &Params{First: 40}}
			if indexed {
				c.Draw.Indices, c.Draw.IndexSize, c.Params = indices, 4, &Params{First: 3, BaseVertex: 5}
			}
			var asm assembly.Assembler
			if err := asm.Reset(config); err != nil {
				t.Fatal(err)
			}
			want := map[VertexKey]bool{}
			for instance := range uint32(3) {
				if asm.Vertices(40, 100); indexed {
					if err := asm.Indices(indices, 4, 3, 100, 5); err != nil {
						t.Fatal(err)
					}
				}
				if at, id, n := asm.Consecutive(0); n == 0 && config.Consecutive() {
					c.Spans = append(c.Spans, Span{at, id, instance, 100 / uint32(config.Vertices())})
				}
				prims := make([]assembly.Primitive, 120)
				for _, p := range prims[:asm.Next(prims)] {
					c.Primitives, c.Inst = append(c.Primitives, p), append(c.Inst, instance)
					for _, v := range p.V[:p.N] {
						want[VertexKey{v, instance}] = true
					}
				}
			}
			w.shaded.reset(0, 0)
			w.share()
			if w.shaded.Spell(); len(c.Spans) > 0 && !indexed {
				one, size := 0, config.Vertices()
				all := lots{spans: c.Spans, first: 40, size: uint32(size), room: make([]VertexKey, 64)}
				for left := len(w.shaded.Primitives) * size; left > 0; { // in batches of some number
					var l lot
					all.next(&l, min(left, 7+left%50))
					for i := range l.n {
						w.Keys = append(w.Keys, l.key(i))
					}
					if left -= l.n; l.keys == nil {
						one++
					}
				}
				if one == 0 {
					t.Errorf("%v: no batch is of one span", topology)
				}
			}
			if len(w.Keys) != len(want) {
				t.Errorf("%v, indexed: %v: %d vertices, want %d", topology, indexed, len(w.Keys), len(want))
			}
			for i, q := range w.shaded.Primitives {
				p := c.Primitives[i]
				for k := range q.V {
					if key := w.Keys[q.V[k]]; k < int(p.N) && key != (VertexKey{p.V[k], c.Inst[i]}) || k >= int(p.N) && q.V[k] != q.V[0] {
						t.Fatalf("%v, indexed: %v: vertex %d of primitive %d is %v of %v", topology, indexed, k, i, key, p)
					}
				}
				if q.ID != p.ID || q.N != p.N || q.Provoking != p.Provoking || q.Flags != p.Flags || q.Stream != 0 {
					t.Fatalf("%v, indexed: %v: %+v of %+v", topology, indexed, q, p)
				}
				w.shaded.Primitives[i].Stream = 3 // whatever was there before
			}
		}
	}
}

// Vertices of a chunk are numbered in the order of their first use, also when the
// numbers of the table start anew, whether they are near each other or not.
func TestShare_FirstUse(t *testing.T) {
	for _, far := range []uint32{9, 7 + 1<<28} {
		w := Worker{Lanes: 256}
		for _, base := range []uint32{0, 5, math.MaxUint32} {
			w.base = max(w.base, base)
			w.Feed = Feed{Draw: &Draw{State: &State{}}, Primitives: []assembly.Primitive{{V: [3]uint32{far, 7, far}, N: 3, ID: 4}, {V: [3]uint32{7, 8, 8}, N: 2, ID: 5, Provoking: 1}}, Inst: []uint32{0, 0}}
			w.shaded.reset(0, 0)
			w.share()
			if len(w.Keys) != 3 || w.Keys[0].Vertex != far || w.Keys[1].Vertex != 7 || w.Keys[2].Vertex != 8 {
				t.Errorf("from %d: vertices %v", base, w.Keys)
			}
			if p := w.shaded.Primitives; p[0].V != [3]uint32{0, 1, 0} || p[1].V != [3]uint32{1, 2, 1} || p[1].ID != 5 || p[1].N != 2 || p[1].Provoking != 1 {
				t.Errorf("from %d: primitives %+v", base, p)
			}
			w.Feed.Inst = []uint32{0, 1} // another instance has vertices of its own
			w.shaded.Rows = 10           // and so has what follows in the stretch
			if w.share(); len(w.Keys) != 4 || w.Keys[2] != (VertexKey{7, 1}) || w.shaded.Primitives[3].V != [3]uint32{12, 13, 12} {
				t.Errorf("two instances: %v, %+v", w.Keys, w.shaded.Primitives)
			}
		}
	}
}

// Vertices that the table has in one place are told apart.
func TestNumber_AnyVertices(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 3))
	var w Worker
	for round := range 50 {
		w.Keys, w.shaded.Rows = w.Keys[:0], round
		v, rows := make([]uint32, MaxVertices), map[uint32]uint32{}
		for i := range v {
			if v[i] = r.Uint32() &^ 15; i%2 > 0 { // so that all of a line of entries are full
				v[i] = v[r.IntN(i)]
			}
		}
		got := slices.Clone(v)
		w.number(got, 9)
		for i, x := range v {
			if _, ok := rows[x]; !ok {
				rows[x] = uint32(round + len(rows))
			}
			if key := w.Keys[got[i]-uint32(round)]; got[i] != rows[x] || key != (VertexKey{x, 9}) {
				t.Fatalf("vertex %#x is row %d of %v, want %d", x, got[i], key, rows[x])
			}
		}
		if len(w.Keys) != len(rows) {
			t.Fatalf("%d vertices, want %d", len(w.Keys), len(rows))
		}
	}
}

// Indices of any size name vertices, and what is beyond their memory is 0.
func TestDraw_Index(t *testing.T) {
	for size, data := range map[int][]byte{1: {9, 0x81, 3}, 2: {0, 9, 1, 0x82, 3, 0}, 4: {0, 0, 0, 9, 1, 2, 3, 0x84, 5, 6, 7, 8}} {
		d := Draw{Indices: data, IndexSize: size}
		for first := range uint64(5) {
			for n := range 5 {
				got := make([]uint32, n)
				d.index(got, first, 7)
				for i, v := range got {
					if want := assembly.Index(data, size, first+uint64(i)) + 7; v != want {
						t.Errorf("%d bytes: vertex %d from %d is %#x, want %#x", size, i, first, v, want)
					}
				}
			}
		}
		got := make([]uint32, 2)
		if d.index(got, 1<<33-2, ^uint32(0)); got[0] != ^uint32(0) || got[1] != ^uint32(0) {
			t.Errorf("%d bytes: far beyond: %#x", size, got)
		}
	}
}
