package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Corners in any order, as if rounding had mixed them up: no sample is in two
// pieces, and what was simple and convex keeps its corners.
// RAS-084, RAS-242
func TestUntangle(t *testing.T) {
	rules.Covers(t, "RAS-084", "RAS-242")
	rng := rand.New(rand.NewPCG(51, 52))
	for trial := range 4000 {
		scale := int32(1) // the smallest areas there are
		if trial%2 == 0 {
			scale = Subpixels
		}
		var p Polygon
		p.N = 3 + rng.IntN(5)
		for i := range p.N {
			p.C[i] = Corner{X: int32(rng.IntN(16)) * scale, Y: int32(rng.IntN(16)) * scale, InvW: 1}
		}
		if trial%4 < 2 { // around the first corner, perhaps more than once
			p.C[0] = Corner{X: 8 * scale, Y: 8 * scale, InvW: 1}
			angle, step := rng.Float64()*7, 1+1.5*rng.Float64()
			for i := 1; i < p.N; i++ {
				r := 2 + 5*rng.Float64()
				p.C[i].X, p.C[i].Y = int32(8+r*math.Cos(angle))*scale, int32(8+r*math.Sin(angle))*scale
				angle += step
			}
		}
		before, area := p, polygonArea(&p)
		p.Untangle()
		if again := p; area != 0 {
			if again.Untangle(); again != p {
				t.Fatalf("%v becomes %v, and that %v", before.C[:before.N], p.C[:p.N], again.C[:again.N])
			}
		}
		for i := range p.C {
			p.C[i].X, p.C[i].Y = p.C[i].X*Subpixels/scale, p.C[i].Y*Subpixels/scale
			before.C[i].X, before.C[i].Y = before.C[i].X*Subpixels/scale, before.C[i].Y*Subpixels/scale
			for k := range i { // the hull has each corner once
				if i < p.N && p.N < before.N && p.C[i] == p.C[k] {
					t.Fatalf("%v becomes %v", before.C[:before.N], p.C[:p.N])
				}
			}
		}
		for _, c := range p.C[:p.N] {
			if !slices.Contains(before.C[:before.N], c) {
				t.Fatalf("%v becomes %v", before.C[:before.N], p.C[:p.N])
			}
		}
		for _, c := range before.C[:before.N] {
			if p.N == before.N && !slices.Contains(p.C[:p.N], c) {
				t.Fatalf("%v becomes %v", before.C[:before.N], p.C[:p.N])
			}
		}
		area *= int64(Subpixels/scale) * int64(Subpixels/scale)
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
