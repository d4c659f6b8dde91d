package raster

import (
	"math/rand/v2"
	"testing"
)

// Corners in any order, as if rounding had mixed them up: no sample is in two
// pieces, and what was simple and convex keeps its corners.
// RAS-084, RAS-242
func TestUntangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for range 2000 {
		var p Polygon
		p.N = 3 + rng.IntN(5)
		for i := range p.N {
			p.C[i] = Corner{X: int32(rng.IntN(16)) * Subpixels, Y: int32(rng.IntN(16)) * Subpixels, InvW: 1}
		}
		before, area := p, polygonArea(&p)
		p.Untangle()
		if after := polygonArea(&p); (after > 0) != (area > 0) || (after < 0) != (area < 0) {
			t.Fatalf("area %d became %d", area, after)
		}
		if before.N == 3 && p.C != before.C {
			t.Fatalf("a triangle became %v", p.C)
		}
		st := State{Samples: 1, LineWidth: 1, ViewRect: Rect{X1: 16 * Subpixels, Y1: 16 * Subpixels}}
		setups, extra := AppendPolygon(nil, nil, &p, &st, 0)
		seen := map[sampleAt]bool{}
		for _, at := range coverage(t, setups, extra, Rect{X1: 16, Y1: 16}, 1, 16) {
			if seen[at] {
				t.Fatalf("%v is covered twice: %v", at, before.C[:before.N])
			}
			seen[at] = true
		}
	}
}
