package meshfile

import (
	"context"
	"errors"
	"math"
	"testing"
)

// fill cuts an outline and returns its triangles.
func fill(t *testing.T, p []vec) (triangles [][3]int, whole bool) {
	t.Helper()
	c := cutter{r: &newReading(nil).Reader, steps: earSteps}
	whole, err := c.triangles(p, newell(p), func(a, b, d int) error {
		triangles = append(triangles, [3]int{a, b, d})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return triangles, whole
}

// What fills an outline has its area, and all triangles turn as it does: no part is filled twice.
func TestPolygon_AreaAndSides(t *testing.T) {
	flat := func(xy ...float64) (p []vec) {
		for i := 0; i < len(xy); i += 2 {
			p = append(p, vec{xy[i], xy[i+1], 0})
		}
		return p
	}
	shapes := map[string]struct {
		outline []vec
		area    float64
	}{
		"triangle":         {flat(0, 0, 1, 0, 0, 1), 0.5},
		"square":           {flat(0, 0, 1, 0, 1, 1, 0, 1), 1},
		"arrow":            {flat(0, 0, 2, 2, 0, 1, -2, 2), 2},
		"arrow from notch": {flat(0, 1, -2, 2, 0, 0, 2, 2), 2},
		"L":                {flat(0, 0, 3, 0, 3, 1, 1, 1, 1, 3, 0, 3), 5},
		"comb":             {flat(0, 0, 5, 0, 5, 3, 4, 3, 4, 1, 3, 1, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3), 11},
		"clockwise":        {flat(0, 3, 1, 3, 1, 1, 3, 1, 3, 0, 0, 0), 5},
		"points in a line": {flat(0, 0, 1, 0, 2, 0, 2, 1, 1, 0.5, 0, 1), 1.5},
		"hole by a bridge": {flat(0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1), 12},
	}
	spiral := []vec{}
	for i := range 60 {
		a, r := float64(i)*0.3, 1+float64(i)*0.1
		spiral = append(spiral, vec{r * math.Cos(a), r * math.Sin(a), 0})
	}
	for i := 59; i >= 0; i-- {
		a, r := float64(i)*0.3, 0.5+float64(i)*0.1
		spiral = append(spiral, vec{r * math.Cos(a), r * math.Sin(a), 0})
	}
	shapes["spiral"] = struct {
		outline []vec
		area    float64
	}{spiral, math.Abs(newell(spiral)[2]) / 2}
	for name, s := range shapes {
		// In three planes: the axes change places, which keeps the sense of turning.
		for turn := range 3 {
			p := make([]vec, len(s.outline))
			for i, v := range s.outline {
				p[i] = vec{v[(3-turn)%3], v[(4-turn)%3], v[(5-turn)%3]}
			}
			n := newell(p)
			triangles, whole := fill(t, p)
			if !whole || len(triangles) != len(p)-2 {
				t.Errorf("%s: %d triangles of %d corners, whole %v", name, len(triangles), len(p), whole)
			}
			sum := 0.0
			for _, f := range triangles {
				side := p[f[1]].Sub(p[f[0]]).Cross(p[f[2]].Sub(p[f[0]])).Dot(n)
				if side < -1e-9 {
					t.Errorf("%s, turn %d: triangle %v is turned over", name, turn, f)
				}
				sum += side / 2 / math.Sqrt(n.Dot(n))
			}
			if math.Abs(sum-s.area) > 1e-9 {
				t.Errorf("%s, turn %d: area %v, want %v", name, turn, sum, s.area)
			}
		}
	}
}

// An outline that makes each ear hard to find ends, and a context ends it before.
func TestPolygon_WorkIsBounded(t *testing.T) {
	const n = 20000
	p := make([]vec, 0, n)
	for i := range n { // a comb whose teeth cross
		p = append(p, vec{float64(i * 7919 % n), float64(i*104729%n) * float64(1-2*(i%2)), 0})
	}
	c := cutter{r: &newReading(nil).Reader, steps: 1 << 22}
	count := 0
	if _, err := c.triangles(p, newell(p), func(_, _, _ int) error { count++; return nil }); err != nil {
		t.Fatal(err)
	}
	if count != n-2 {
		t.Errorf("%d triangles, want %d", count, n-2)
	}
	r := newReading(nil)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r.Ctx = ctx
	c = cutter{r: &r.Reader, steps: earSteps}
	if _, err := c.triangles(p, newell(p), func(_, _, _ int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
