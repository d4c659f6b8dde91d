package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// What is too short for the values is refused before a kernel writes behind it.
func TestKernels_ShortSlices(t *testing.T) {
	var s Setup
	quads := make([]Quad, 8)
	f := func(n int) []float32 { return make([]float32, n, 64) }
	for name, call := range map[string]func(){
		"depth":       func() { s.Depth(quads, Samples(1), f(31)[:31:31]) },
		"Interpolate": func() { Interpolate(make([]uint32, 32), 1, 2, 3, f(32), f(31)[:31:31]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing is refused", name)
				}
			}()
			call()
		}()
	}
}

// On a machine without AVX2 the same functions give the same bits.
func TestKernels_WithoutAVX2(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-246", "RAS-247", "RAS-249", "RAS-329")
	if !haveAVX2 {
		t.Skip("no kernels on this machine")
	}
	defer func() { haveAVX2 = true }()
	rng := rand.New(rand.NewPCG(63, 64))
	list, _ := setups(rng)
	quads := []Quad{{0, 0, 1}, {2, 4, 1}, {8, 6, 1}}
	values := func(s *Setup) (out []uint32) {
		i, j, z := make([]float32, 12), make([]float32, 12), make([]float32, 48)
		s.IJ(quads, i, j)
		s.Depth(quads, Samples(4), z)
		for _, f := range slices.Concat(i, j, z) {
			out = append(out, math.Float32bits(f))
		}
		var dst [11]uint32
		Interpolate(dst[:], 1, 2, 5, i, j)
		return append(out, dst[:]...)
	}
	for k := range list {
		haveAVX2 = true
		want := values(&list[k])
		haveAVX2 = false
		if got := values(&list[k]); !slices.Equal(got, want) {
			t.Fatalf("set-up %d: %x, with kernels %x", k, got, want)
		}
	}
}

// Blocks of primitives with short edges are those that Go finds, wherever the block is and
// however wide the line.
func TestKernels_ShortEdges(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no kernel on this machine")
	}
	wide := haveAVX512
	defer func() { haveAVX512, haveAVX2 = wide, true }()
	rng := rand.New(rand.NewPCG(65, 66))
	short, blocks := 0, 0
	for n := range 40_000 {
		samples := 1 << rng.IntN(5)
		st, ss := fillState(samples), Samples(samples)
		size := int32(1) << (4 + rng.IntN(13))
		corner := func() Corner {
			return Corner{X: rng.Int32N(size) + 1<<22, Y: rng.Int32N(size) - 1<<20, InvW: 1}
		}
		var list []Setup
		if n%2 == 0 {
			list, _ = AppendPolygon(nil, nil, polygon(corner(), corner(), corner()), st, 0)
		} else {
			st.LineWidth = float32(math.Exp2(rng.Float64() * 10))
			list, _ = AppendSegment(nil, nil, &Segment{A: corner(), B: corner(), U1: 1, W: [2]float64{1, 1}}, st, 0)
		}
		for i := range list {
			s := &list[i]
			if s.short {
				short++
			}
			var got, want Coverage
			for range 4 {
				x, y := s.Bounds.X0+rng.Int32N(s.Bounds.X1-s.Bounds.X0), s.Bounds.Y0+rng.Int32N(s.Bounds.Y1-s.Bounds.Y0)
				r := Rect{x, y, x&^7 + 1 + rng.Int32N(48), y&^7 + 1 + rng.Int32N(48)}
				haveAVX512, haveAVX2 = wide && n%3 > 0, true
				s.Find(&got, nil, r, ss)
				haveAVX512, haveAVX2 = false, false
				s.Find(&want, nil, r, ss)
				for i := range want.Blocks { // bounds of values do not always see it
					want.Blocks[i].Whole = want.Blocks[i].Whole || i < len(got.Blocks) && got.Blocks[i].Whole && want.Pixels(i) == ^uint64(0)
				}
				if !slices.Equal(got.Blocks, want.Blocks) || !slices.Equal(got.words, want.words) {
					t.Fatalf("%+v in %+v: %v %x, want %v %x", s, r, got.Blocks, got.words, want.Blocks, want.words)
				}
				blocks += len(want.Blocks)
			}
		}
	}
	if short < 10_000 || blocks < 50_000 {
		t.Errorf("%d set-ups are short, %d blocks", short, blocks)
	}
}
