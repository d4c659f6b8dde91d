package render

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// What is left of collected quads after later ones hid parts of them, and after
// compact made room, is what the samples' last writers own.
func TestHide_CompactKeepsLastWriters(t *testing.T) {
	const side = 16 // pixels of the tile
	for _, samples := range []int{1, 4} {
		r := rand.New(rand.NewPCG(1, uint64(samples)))
		w := &worker{plan: &passPlan{samples: samples}}
		w.plan.grid.shift = 4
		w.visible.prepare(side, samples)
		w.visible.room = 200
		w.full = make([]uint64, 1)
		last := map[[3]int]int{} // quad, bit → number of the writer
		setups := make([]raster.Setup, 3000)
		for n := range setups {
			q := raster.Quad{X: int32(r.IntN(side/2) * 2), Y: int32(r.IntN(side/2) * 2), Mask: wholeQuad * (1<<samples - 1)}
			if r.IntN(3) == 0 {
				q.Mask &= r.Uint64()
			}
			setups[n].Prim = uint32(n)
			if err := w.hide(nil, &setups[n], []raster.Quad{q}); err != nil {
				t.Fatal(err)
			}
			for bit := range 64 {
				if q.Mask>>bit&1 != 0 {
					last[[3]int{int(q.X), int(q.Y), bit}] = n
				}
			}
			if n%500 == 0 {
				checkOwners(t, w, last)
			}
		}
		checkOwners(t, w, last)
	}
}

func checkOwners(t *testing.T, w *worker, last map[[3]int]int) {
	t.Helper()
	left := map[[3]int]int{}
	before := -1
	for _, e := range w.visible.list {
		if int(e.setup.Prim) <= before {
			t.Fatal("out of order")
		}
		before = int(e.setup.Prim)
		for bit := range 64 {
			if e.quad.Mask>>bit&1 != 0 {
				at := [3]int{int(e.quad.X), int(e.quad.Y), bit}
				if _, twice := left[at]; twice {
					t.Fatalf("sample %v has two owners", at)
				}
				left[at] = before
			}
		}
	}
	if len(left) != len(last) {
		t.Fatalf("%d samples left, want %d", len(left), len(last))
	}
	for at, n := range last {
		if left[at] != n {
			t.Fatalf("sample %v belongs to quad %d, want %d", at, left[at], n)
		}
	}
}
