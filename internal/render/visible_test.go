package render

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
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

// What a set-up hides by covering a whole tile is not collected first; the picture
// is that of shading everything.
func TestRun_RAS305_WholeTiles(t *testing.T) {
	rules.Covers(t, "RAS-305")
	for seed := range uint64(30) {
		samples := []int{1, 4}[seed%2]
		var want []byte
		shaded := [2]uint64{}
		for i, all := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(seed, 10))
			s := newScene(t, 50, 40, samples, vk.FormatUndefined)
			p := s.pipeline(t, 64)
			for range 12 {
				st := s.state
				switch rng.IntN(8) {
				case 0:
					st.SampleMask = 1
				case 1:
					st.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 5}, Extent: vk.Extent2D{Width: 40, Height: 40}}
				case 2:
					st.ColorWrite = 0
				}
				var v []float32
				for range 1 + rng.IntN(4) {
					c := []float32{rng.Float32(), rng.Float32(), rng.Float32(), 1}
					x, y, size := 50*rng.Float32(), 40*rng.Float32(), 10*rng.Float32()
					if rng.IntN(2) == 0 {
						x, y, size = -60, -60, 400
					}
					v = s.vert(v, x, y, .5, c...)
					v = s.vert(v, x+size, y, .5, c...)
					v = s.vert(v, x, y+size, .5, rng.Float32(), 0, 0, 1)
				}
				d := s.add(p, st, v, 8)
				d.Occlusion = rng.IntN(2)
			}
			s.pass.Occlusion = make([]uint64, 1)
			x := New(Config{Threads: 1, TileSize: 16})
			x.shadeHidden = all
			st, err := x.Run(context.Background(), &s.pass)
			if err != nil {
				t.Fatal(err)
			}
			got := append(slices.Clone(s.color.Image.Data), fmt.Sprint(s.pass.Occlusion)...)
			if shaded[i] = st.Fragments; i == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: differs at byte %d", seed, firstDifference(got, want))
			}
		}
		if shaded[1]*2 > shaded[0] && shaded[0] > 20000 {
			t.Errorf("seed %d: %d of %d fragments are shaded", seed, shaded[1], shaded[0])
		}
	}
}
