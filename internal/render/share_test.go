package render

import (
	"encoding/binary"
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
	w := &newExecutor(Config{Threads: 1}).workers[0].geometry
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyTriangleFan; topology++ {
		for _, indexed := range []bool{false, true} {
			c := &chunk{draw: &drawPlan{draw: &Draw{}, state: &drawState{asm: assembly.Config{Topology: topology}}}}
			if indexed {
				c.draw.draw.Index = &IndexBuffer{}
			}
			var asm assembly.Assembler
			if err := asm.Reset(c.draw.state.asm); err != nil {
				t.Fatal(err)
			}
			want := map[vertexKey]bool{}
			for instance := range uint32(3) {
				if asm.Vertices(40, 100); indexed {
					if err := asm.Indices(indices, 4, 3, 100, 5); err != nil {
						t.Fatal(err)
					}
				}
				if v, id, n := asm.Consecutive(0); !indexed && n == 0 && c.draw.state.asm.Consecutive() {
					c.spans = append(c.spans, span{v, id, instance, 100 / uint32(c.draw.state.asm.Vertices())})
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
				w.shareNone(c)
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
				w.share(c)
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
