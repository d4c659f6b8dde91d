package render

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
	w := stageWorker{lanes: 256}
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyTriangleFan; topology++ {
		for _, indexed := range []bool{false, true} {
			config, c := assembly.Config{Topology: topology}, &w.feed
			*c = feed{draw: &stageDraw{state: &stageState{stageKey: stageKey{vertices: uint8(config.Vertices())}}}}
			var asm assembly.Assembler
			if err := asm.Reset(config); err != nil {
				t.Fatal(err)
			}
			want := map[vertexKey]bool{}
			for instance := range uint32(3) {
				if asm.Vertices(40, 100); indexed {
					if err := asm.Indices(indices, 4, 3, 100, 5); err != nil {
						t.Fatal(err)
					}
				}
				if v, id, n := asm.Consecutive(0); !indexed && n == 0 && config.Consecutive() {
					c.spans = append(c.spans, span{v, id, instance, 100 / uint32(config.Vertices())})
				}
				prims := make([]assembly.Primitive, 120)
				for _, p := range prims[:asm.Next(prims)] {
					c.prims, c.inst = append(c.prims, p), append(c.inst, instance)
					for _, v := range p.V[:p.N] {
						want[vertexKey{v, instance}] = true
					}
				}
			}
			if len(c.spans) > 0 {
				w.shareNone()
				b, one := &w.shaded, 0
				all := lots{spans: b.spans, size: uint32(b.size), room: make([]vertexKey, 64)}
				for left := b.count * b.size; left > 0; { // in batches of some number
					l := all.next(min(left, 7+left%50))
					for i := range l.n {
						w.keys = append(w.keys, l.key(i))
					}
					if left -= l.n; l.keys == nil {
						one++
					}
				}
				if one == 0 {
					t.Errorf("%v: no batch is of one span", topology)
				}
				b.spell()
			} else {
				w.share()
			}
			if len(w.keys) != len(want) {
				t.Errorf("%v, indexed: %v: %d vertices, want %d", topology, indexed, len(w.keys), len(want))
			}
			for i, q := range w.shaded.prims {
				p := c.prims[i]
				for k := range q.v {
					if key := w.keys[q.v[k]]; k < int(p.N) && key != (vertexKey{p.V[k], c.inst[i]}) || k >= int(p.N) && q.v[k] != q.v[0] {
						t.Fatalf("%v, indexed: %v: vertex %d of primitive %d is %v of %v", topology, indexed, k, i, key, p)
					}
				}
				if q.id != p.ID || q.n != p.N || q.provoking != p.Provoking || q.flags != p.Flags || q.stream != 0 {
					t.Fatalf("%v, indexed: %v: %+v of %+v", topology, indexed, q, p)
				}
				w.shaded.prims[i].stream = 3 // whatever was there before
			}
		}
	}
}

// Vertices of a chunk are numbered in the order of their first use, also when the
// number of the chunk starts anew, whether they are near each other or not.
func TestShare_FirstUse(t *testing.T) {
	for _, far := range []uint32{9, 7 + directSize - 1, 7 + directSize} {
		w := stageWorker{lanes: 256}
		for _, epoch := range []uint32{0, 5, math.MaxUint32} {
			w.epoch, w.base = epoch, max(w.base, epoch)
			w.feed = feed{prims: []assembly.Primitive{{V: [3]uint32{far, 7, far}, N: 3, ID: 4}, {V: [3]uint32{7, 8, 8}, N: 2, ID: 5, Provoking: 1}}, inst: []uint32{0, 0}}
			w.share()
			if len(w.keys) != 3 || w.keys[0].vertex != far || w.keys[1].vertex != 7 || w.keys[2].vertex != 8 {
				t.Errorf("after chunk %d: vertices %v", epoch, w.keys)
			}
			if p := w.shaded.prims; p[0].v != [3]uint32{0, 1, 0} || p[1].v != [3]uint32{1, 2, 1} || p[1].id != 5 || p[1].n != 2 || p[1].provoking != 1 {
				t.Errorf("after chunk %d: primitives %+v", epoch, p)
			}
			if w.epoch == 0 && far == 7+directSize {
				t.Error("the number of empty entries is taken")
			}
			w.feed.inst = []uint32{0, 1} // another instance has vertices of its own
			if w.share(); len(w.keys) != 4 || w.keys[2] != (vertexKey{7, 1}) || w.shaded.prims[1].v != [3]uint32{2, 3, 2} {
				t.Errorf("two instances: %v", w.keys)
			}
		}
	}
}
