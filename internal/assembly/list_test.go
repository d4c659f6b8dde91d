package assembly

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Triangles of a list come out the same whether they are taken one vertex at a time
// (as lists that may restart are) or all together, in portions of any size, at the end
// of memory too.
func TestNext_TriangleListTogether(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-053")
	r := rand.New(rand.NewPCG(46, 1))
	for range 2000 {
		size := []int{0, 1, 2, 4}[r.IntN(4)]
		data := make([]byte, r.IntN(200))
		for i := 0; size != 0 && i+size <= len(data); i += size {
			index := uint32(r.IntN(200)) // nothing that restarts
			copy(data[i:i+size], binary.LittleEndian.AppendUint32(nil, index))
		}
		first, count, offset := uint32(r.IntN(40)), uint32(r.IntN(80)), int32(r.IntN(9)-4)
		mode := vk.ProvokingVertexModeEXT(r.IntN(2))
		var got [2][]Primitive
		for k := range got {
			var a Assembler
			if err := a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleList, Provoking: mode, Restart: k == 0}); err != nil {
				t.Fatal(err)
			}
			for range 2 { // instances
				if size == 0 {
					a.Vertices(first, count)
				} else if err := a.Indices(data, size, first, count, offset); err != nil {
					t.Fatal(err)
				}
				for {
					portion := make([]Primitive, 1+r.IntN(12))
					n := a.Next(portion)
					if n == 0 {
						break
					}
					got[k] = append(got[k], portion[:n]...)
				}
			}
		}
		if size == 0 || count < 3 {
			if len(got[0]) != 2*int(count/3) {
				t.Fatalf("%d triangles of %d vertices", len(got[0])/2, count)
			}
		}
		if d := cmp.Diff(got[0], got[1]); d != "" {
			t.Fatalf("indices of %d bytes from %d, %d of %d bytes: %s", size, first, count, len(data), d)
		}
	}
}

// Consecutive primitives are those of Next, in portions of any size.
func TestConsecutive_AsNext(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-057")
	r := rand.New(rand.NewPCG(46, 2))
	for topology := range vk.PrimitiveTopologyPatchList {
		for _, last := range []bool{false, true} {
			c := Config{Topology: topology}
			if last {
				c.Provoking = vk.ProvokingVertexModeLastVertexEXT
			}
			if lists := topology == vk.PrimitiveTopologyPointList || topology == vk.PrimitiveTopologyLineList || topology == vk.PrimitiveTopologyTriangleList; c.Consecutive() != lists {
				t.Fatalf("%v: consecutive %v", topology, !lists)
			} else if !lists {
				continue
			}
			for count := range uint32(40) {
				var a Assembler
				if err := a.Reset(c); err != nil {
					t.Fatal(err)
				}
				var want, got []Primitive
				for range 2 { // instances
					a.Vertices(7, count)
					portion := make([]Primitive, 40)
					want = append(want, portion[:a.Next(portion)]...)
				}
				for range 2 {
					for a.Vertices(7, count); !a.Done(); {
						v, id, n := a.Consecutive(1 + r.IntN(9))
						for i := range uint32(n) {
							size := uint32(c.Vertices())
							p := Primitive{ID: id + i, N: uint8(size), Flags: FlagRunStart}
							for k := range uint32(3) {
								p.V[k] = v + i*size + min(k, size-1)
							}
							if last {
								p.Provoking = p.N - 1
							}
							got = append(got, p)
						}
						if n == 0 && !a.Done() {
							t.Fatal("nothing, but not done")
						}
					}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%v, %d vertices: %s", topology, count, d)
				}
			}
		}
	}
}
