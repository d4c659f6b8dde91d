package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Blocks of primitives with short edges, and of those that cover all of their bounds, are those that
// Go finds, wherever the block is and however wide the line.
func TestKernels_ShortEdges(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no kernel on this machine")
	}
	wide := haveAVX512
	defer func() { haveAVX512, haveAVX2 = wide, true }()
	rng := rand.New(rand.NewPCG(65, 66))
	short, exact, blocks, near := 0, 0, 0, 0
	for n := range 40_000 {
		samples := 1 << rng.IntN(5)
		st, ss := fillState(samples), Samples(samples)
		size := int32(1) << (4 + rng.IntN(13))
		corner := func() Corner {
			return Corner{X: rng.Int32N(size) + 1<<22, Y: rng.Int32N(size) - 1<<20, InvW: 1}
		}
		var list []Setup
		switch {
		case n%11 == 0:
			point := &Point{Corner: corner(), Size: float32(math.Exp2(rng.Float64() * 6))}
			list, _ = AppendPoint(nil, nil, point, st, 0)
		case n%2 == 0:
			list, _ = AppendPolygon(nil, nil, polygon(corner(), corner(), corner()), st, 0)
		default:
			st.LineWidth = float32(math.Exp2(rng.Float64() * 10))
			list, _ = AppendSegment(nil, nil, &Segment{A: corner(), B: corner(), U1: 1, W: [2]float64{1, 1}}, st, 0)
		}
		for i := range list {
			s := &list[i]
			if s.short {
				short++
			}
			if s.exact {
				exact++
			}
			got, want := Coverage{each: WordsOf(ss.N, false)}, Coverage{each: WordsOf(ss.N, false)}
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
				haveAVX512, haveAVX2 = wide && n%3 > 0, true
				if in := r.Intersect(s.Bounds); s.Near(in, ss) {
					near++
					var list [1 + NearBlocks]NearBlock
					found := list[1:s.FindNear(list[:], 1, 7, in, ss)]
					for i, o := range want.Blocks {
						m := want.Mask(i)[0]
						if m == 0 {
							continue
						}
						if block := (NearBlock{[1]uint64{m}, o.X, o.Y, 7}); len(found) == 0 || found[0] != block {
							t.Fatalf("%+v in %+v: next are %x, want %x", s, in, found, block)
						}
						found = found[1:]
					}
					if len(found) > 0 {
						t.Fatalf("%+v in %+v: %x are too many", s, in, found)
					}
				}
			}
		}
	}
	if short < 10_000 || exact < 500 || blocks < 50_000 || near < 5_000 {
		t.Errorf("%d set-ups are short, %d exact, %d blocks, %d near", short, exact, blocks, near)
	}
}
