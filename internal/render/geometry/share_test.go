package geometry

import (
	"encoding/binary"
	"math"
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
			*c = Feed{Draw: &Draw{State: &State{Key: Key{Vertices: uint8(config.Vertices())}}}}
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
				if v, id, n := asm.Consecutive(0); !indexed && n == 0 && config.Consecutive() {
					c.Spans = append(c.Spans, Span{v, id, instance, 100 / uint32(config.Vertices())})
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
			if len(c.Spans) > 0 {
				b := &w.shaded
				b.Spans, b.state, b.first, w.Keys = c.Spans, c.Draw.State, 0, w.Keys[:0]
				b.Spell()
				one, size := 0, config.Vertices()
				all := lots{spans: c.Spans, size: uint32(size), room: make([]VertexKey, 64)}
				for left := len(w.shaded.Primitives) * size; left > 0; { // in batches of some number
					l := all.next(min(left, 7+left%50))
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
			} else {
				w.share()
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
// number of the chunk starts anew, whether they are near each other or not.
func TestShare_FirstUse(t *testing.T) {
	for _, far := range []uint32{9, 7 + directSize - 1, 7 + directSize} {
		w := Worker{Lanes: 256}
		for _, epoch := range []uint32{0, 5, math.MaxUint32} {
			w.epoch, w.base = epoch, max(w.base, epoch)
			w.Feed = Feed{Primitives: []assembly.Primitive{{V: [3]uint32{far, 7, far}, N: 3, ID: 4}, {V: [3]uint32{7, 8, 8}, N: 2, ID: 5, Provoking: 1}}, Inst: []uint32{0, 0}}
			w.shaded.reset(0, 0)
			w.share()
			if len(w.Keys) != 3 || w.Keys[0].Vertex != far || w.Keys[1].Vertex != 7 || w.Keys[2].Vertex != 8 {
				t.Errorf("after chunk %d: vertices %v", epoch, w.Keys)
			}
			if p := w.shaded.Primitives; p[0].V != [3]uint32{0, 1, 0} || p[1].V != [3]uint32{1, 2, 1} || p[1].ID != 5 || p[1].N != 2 || p[1].Provoking != 1 {
				t.Errorf("after chunk %d: primitives %+v", epoch, p)
			}
			if w.epoch == 0 && far == 7+directSize {
				t.Error("the number of empty entries is taken")
			}
			w.Feed.Inst = []uint32{0, 1} // another instance has vertices of its own
			w.shaded.Rows = 10           // and so has what follows in the stretch
			if w.share(); len(w.Keys) != 4 || w.Keys[2] != (VertexKey{7, 1}) || w.shaded.Primitives[3].V != [3]uint32{12, 13, 12} {
				t.Errorf("two instances: %v, %+v", w.Keys, w.shaded.Primitives)
			}
		}
	}
}
