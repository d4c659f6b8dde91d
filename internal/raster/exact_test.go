package raster

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Triangles on both sides of an edge: no sample is hit twice, none missed, at any
// number of samples, against the sign of exact cross products.
func TestPairs_RAS237_SharedEdges(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-237", "RAS-238", "RAS-239", "RAS-243")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-237, RAS-238, RAS-239, RAS-243", What: "coverage of pairs of triangles that share an edge, 1 to 64 samples",
		Unit: "samples hit twice or missed", Why: "Edge functions are integers below 2⁶⁰ and the rule for ties is part of their constant: no rounding."})
	rng := rand.New(rand.NewPCG(51, 52))
	r := Rect{0, 0, 8, 8}
	for round, pairs := 0, rules.Cases(5000, 1_000_000); pairs > 0; round++ {
		ss := Samples(1 << (round % 7))
		st := fillState(ss.N)
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: rng.Int32N(10*256/grid)*grid - 256, Y: rng.Int32N(10*256/grid)*grid - 256, InvW: 1}
		}
		a, b, c, d := random(), random(), random(), random()
		left, right := cross(&a, &b, &c), cross(&a, &b, &d)
		if left == 0 || right == 0 || left > 0 == (right > 0) {
			continue
		}
		pairs--
		wrong := 0
		var hits [8][8][MaxSamples]uint8
		for _, p := range []*Polygon{shuffled(rng, a, b, c), shuffled(rng, b, a, d)} {
			for _, s := range fill(p, st) {
				b := s.found(nil, r, ss)
				for k, o := range b.Blocks {
					for sample, m := range b.Mask(k) {
						for ; m != 0; m &= m - 1 {
							x, y := placeOf(int64(bits.TrailingZeros64(m)))
							hits[o.Y+int32(y)][o.X+int32(x)][sample]++
						}
					}
				}
			}
		}
		for y := range int32(8) {
			for x := range int32(8) {
				for k := range ss.N {
					s := Corner{X: x<<8 + ss.X[k], Y: y<<8 + ss.Y[k]}
					// Inside the quadrilateral, the shared edge counted in.
					e, inside := cross(&a, &b, &s), false
					in := func(p, q, third *Corner) bool { // strictly on third's side of pq
						return cross(p, q, &s) > 0 == (cross(p, q, third) > 0) && cross(p, q, &s) != 0
					}
					switch {
					case e == 0:
						inside = in(&b, &c, &a) && in(&a, &c, &b)
					case e > 0 == (left > 0):
						inside = in(&b, &c, &a) && in(&a, &c, &b)
					default:
						inside = in(&b, &d, &a) && in(&a, &d, &b)
					}
					if h := hits[y][x][k]; h > 1 || inside && h != 1 {
						wrong++
					}
				}
			}
		}
		e.Add(float64(wrong), func() string { return fmt.Sprintf("%v %v %v %v, %d samples", a, b, c, d, ss.N) })
	}
	e.Done(t, 500)
}

// Bresenham lines against the search of diamonds that they leave.
func TestLine_RAS216_ManySegments(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-209", "RAS-210", "RAS-211", "RAS-212", "RAS-213", "RAS-214", "RAS-216")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-209 – RAS-216", What: "pixels of Bresenham lines against a search for the diamonds that the segment leaves",
		Unit: "pixels that differ", Why: "The row of a column is a quotient of integers below 2⁵⁹, rounded down; diamonds of the ends are tested in integers."})
	rng := rand.New(rand.NewPCG(53, 54))
	r := Rect{0, 0, 8, 8}
	for n := rules.Cases(300, 100_000); n > 0; {
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: rng.Int32N(8*256/grid+1) * grid, Y: rng.Int32N(8*256/grid+1) * grid, InvW: 1}
		}
		g := &Segment{A: random(), B: random(), U1: 1}
		if g.A == g.B {
			continue
		}
		n--
		want := diamonds(g.A, g.B, r)
		got := coverage(t, lines(g, &bresenham), nil, r, 1, 8)
		e.Add(differing(got, want), func() string { return fmt.Sprintf("%v to %v: got %s, want %s", g.A, g.B, pixels(got), pixels(want)) })
	}
	e.Done(t, 30)
}

// differing is how many samples are in one list only.
func differing(a, b []sampleAt) float64 {
	n := 0
	for _, s := range a {
		if !slices.Contains(b, s) {
			n++
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			n++
		}
	}
	return float64(n)
}
