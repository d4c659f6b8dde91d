package render

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What is left of collected blocks after later ones hid parts of them, and after
// compact made room, is what the samples' last writers own.
func TestHide_CompactKeepsLastWriters(t *testing.T) {
	rules.Covers(t, "RAS-100", "RAS-305")
	const side = 16 // pixels of the tile
	for _, samples := range []int{1, 4} {
		r := rand.New(rand.NewPCG(1, uint64(samples)))
		w := &worker{plan: &passPlan{Pass: fragment.Pass{Plan: tile.Plan{Samples: samples, Words: raster.WordsOf(samples, false)}}}}
		w.plan.Grid.Shift, w.tile.Plan = 4, &w.plan.Plan
		w.visible.prepare(side, w.plan.Words)
		w.visible.room = 300 // compacted where at most 150 are left
		w.found.Grow(side, w.plan.Words)
		st := raster.State{Samples: samples, ViewRect: raster.Rect{X1: side * raster.Subpixels, Y1: side * raster.Subpixels}}
		last := map[[3]int32]int{} // pixel and sample → number of the writer
		for n := range 3000 {
			p := raster.Polygon{N: 3, W: [3]float64{1, 1, 1}}
			big := r.IntN(20) == 0
			for i := range 3 {
				p.C[i] = raster.Corner{X: r.Int32N(side * raster.Subpixels), Y: r.Int32N(side * raster.Subpixels), InvW: 1}
				if big {
					p.C[i].X, p.C[i].Y = int32(i&1)*60*raster.Subpixels, int32(i>>1)*60*raster.Subpixels
				}
			}
			list, extra := raster.AppendPolygon(nil, nil, &p, &st, uint32(n))
			for k := range list {
				s := &list[k]
				s.Find(&w.found, extra, raster.Rect{X1: side, Y1: side}, raster.Samples(samples))
				eachSample(&w.found, func(x, y, sample int32) { last[[3]int32{x, y, sample}] = n })
				for k, o := range w.found.Blocks {
					if err := w.hideBlock(nil, s, o.X, o.Y, o.Whole, w.found.Words(k)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if n%500 == 0 {
				checkOwners(t, w, last)
			}
		}
		checkOwners(t, w, last)
	}
}

// eachSample calls f for the samples of blocks.
func eachSample(b *raster.Coverage, f func(x, y, sample int32)) {
	for k, o := range b.Blocks {
		eachOf(o.X, o.Y, b.Mask(k), f)
	}
}

// eachOf calls f for the samples of a block's masks.
func eachOf(x, y int32, masks []uint64, f func(x, y, sample int32)) {
	for sample, m := range masks {
		for ; m != 0; m &= m - 1 {
			at := int32(bits.TrailingZeros64(m))
			f(x+at>>2&3<<1+at&1, y+at>>4<<1+at>>1&1, int32(sample))
		}
	}
}

func checkOwners(t *testing.T, w *worker, last map[[3]int32]int) {
	t.Helper()
	left := map[[3]int32]int{}
	before, live := -1, 0
	for i, e := range w.visible.list {
		if e.setup == nil {
			continue
		}
		live++
		if int(e.setup.Prim) < before {
			t.Fatal("out of order")
		}
		before = int(e.setup.Prim)
		eachOf(e.x, e.y, w.visible.wordsOf(i)[:w.plan.Samples], func(x, y, sample int32) {
			at := [3]int32{x, y, sample}
			if _, twice := left[at]; twice {
				t.Fatalf("sample %v has two owners", at)
			}
			left[at] = before
		})
	}
	if live != w.visible.live {
		t.Fatalf("%d elements have something left, not %d", live, w.visible.live)
	}
	if len(left) != len(last) {
		t.Fatalf("%d samples left, want %d", len(left), len(last))
	}
	for at, n := range last {
		if left[at] != n {
			t.Fatalf("sample %v belongs to %d, want %d", at, left[at], n)
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
			x := newExecutor(Config{Threads: 1, TileSize: 32})
			x.shadeHidden, x.DirectFor = all, 0
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

// Inputs at centroids are those of what the primitive covers, whatever has been hidden
// of it since.
func TestRun_RAS284_CentroidsOfHiddenFragments(t *testing.T) {
	rules.Covers(t, "RAS-284")
	var want []byte
	for i, all := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(11, 12))
		s := newScene(t, 32, 32, 4, vk.FormatUndefined)
		for k := range s.fs.Inputs {
			s.fs.Inputs[k].Aux = ir.AtCentroid
		}
		var v []float32
		for range 600 {
			x, y := 32*rng.Float32(), 32*rng.Float32()
			for range 3 {
				v = s.vert(v, x+6*rng.Float32(), y+6*rng.Float32(), .5, rng.Float32(), rng.Float32(), rng.Float32(), 1)
			}
		}
		s.add(s.pipeline(t, 64), s.state, v, 8)
		x := newExecutor(Config{Threads: 1, Lanes: 64})
		x.shadeHidden = all
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = s.color.Image.Data
		} else if !bytes.Equal(s.color.Image.Data, want) {
			t.Fatalf("differs at byte %d", firstDifference(s.color.Image.Data, want))
		}
	}
}
