package assembly

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

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
						at, id, n := a.Consecutive(1 + r.IntN(9))
						for i := range uint32(n) {
							size := uint32(c.Vertices())
							p := Primitive{ID: id + i, N: uint8(size), Flags: FlagRunStart}
							for k := range uint32(3) {
								p.V[k] = 7 + at + i*size + min(k, size-1)
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
