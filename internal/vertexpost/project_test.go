package vertexpost

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Set-up is binary64: divide and viewport of positions of any magnitude come out as
// exact arithmetic has them, to a few units in the last place.
func TestProject_RAS001_Precision(t *testing.T) {
	rules.Covers(t, "RAS-001", "RAS-091", "RAS-092", "RAS-093")
	rng := rand.New(rand.NewPCG(61, 62))
	s := newScene(8)
	exact := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
	for range 2000 {
		v := vk.Viewport{X: rng.Float32() * 100, Y: rng.Float32() * 100, Width: 1 + rng.Float32()*4000, Height: 1 + rng.Float32()*4000, MinDepth: rng.Float32(), MaxDepth: rng.Float32()}
		s.view(v)
		scale := float32(math.Exp2(float64(rng.IntN(100) - 50))) // up to 2^50 and down to 2^-50
		w := scale * (.1 + rng.Float32())
		p := vertex(w*(2*rng.Float32()-1), w*(2*rng.Float32()-1), w*rng.Float32(), w)
		list := []raster.Vertex{p}
		s.config.Project(list)
		view := s.config.Viewport
		for k, got := range [2]float64{float64(list[0].X) / 256, list[0].Z} {
			of, mul, add := p.Pos[0], view.ScaleX, view.OffsetX
			tolerance := 1. / 512 * 1.0001 // snapped
			if k == 1 {
				of, mul, add = p.Pos[2], view.ScaleZ, view.OffsetZ
				tolerance = 1e-15
			}
			want := exact(float64(of))
			want.Quo(want, exact(float64(w)))
			want.Mul(want, exact(mul))
			want.Add(want, exact(add))
			f, _ := want.Float64()
			if math.Abs(got-f) > tolerance {
				t.Fatalf("%v in %+v: number %d is %v, want %v", p.Pos, v, k, got, f)
			}
		}
	}
	// Nothing that is no number stops anything.
	for _, bad := range []float32{nan, inf, -inf} {
		for k := range 4 {
			p := framebuffer(1, 1)
			p.Pos[k] = bad
			if got := s.triangle(t, p, framebuffer(7, 1), framebuffer(1, 7)); got != nil {
				t.Errorf("%v at %d: %v", bad, k, rows(got))
			}
		}
	}
}

// Positions are rounded to 1/256 pixel, ties to even, after the viewport.
func TestProject_RAS002_Snaps(t *testing.T) {
	rules.Covers(t, "RAS-002")
	s := newScene(8)
	for units, want := range map[float64]int32{0: 0, 10: 10, 10.5: 10, 11.5: 12, 11.25: 11, 11.75: 12, -10.5: -10, -11.5: -12} {
		// x is units/256 pixel: 4·x + 4 = units/256.
		x := float32((units/256 - 4) / 4)
		list := []raster.Vertex{vertex(x, x, 0, 1)}
		s.config.Project(list)
		if list[0].X != want || list[0].Y != want {
			t.Errorf("%v/256 pixel becomes %d, %d, want %d", units, list[0].X, list[0].Y, want)
		}
	}
}

// What lies inside passes as it is; what is cut has corners on the edge, as many as
// sides are left; what has fewer than three is dropped.
func TestClip_RAS084_Polygons(t *testing.T) {
	rules.Covers(t, "RAS-081", "RAS-082", "RAS-084", "RAS-087", "RAS-242")
	s := newScene(8)
	s.config.Outline = true // all planes clip
	clip := func(v ...raster.Vertex) (p raster.Polygon, ok bool) {
		s.config.Project(v)
		ok = s.config.Triangle(&p, &v[0], &v[1], &v[2])
		return p, ok
	}
	for name, c := range map[string]struct {
		v    [3][2]float32
		want [][2]int32 // pixels, from the first corner on
	}{
		"inside":         {[3][2]float32{{1, 1}, {7, 1}, {1, 7}}, [][2]int32{{1, 1}, {7, 1}, {1, 7}}},
		"one corner cut": {[3][2]float32{{1, 1}, {7, 1}, {1, 13}}, [][2]int32{{1, 8}, {1, 1}, {7, 1}, {0, 8}}},
		"little cut":     {[3][2]float32{{1, 1}, {7, 1}, {1, 9}}, [][2]int32{{1, 8}, {1, 1}, {7, 1}, {0, 8}}},
		"all sides":      {[3][2]float32{{-80, -80}, {800, -80}, {-80, 800}}, [][2]int32{{0, 0}, {8, 0}, {8, 8}, {0, 8}}},
		"beside":         {[3][2]float32{{9, 1}, {20, 1}, {9, 9}}, nil},
		"past a corner":  {[3][2]float32{{-6, 2}, {2, -6}, {-6, -6}}, nil},
	} {
		p, ok := clip(framebuffer(c.v[0][0], c.v[0][1]), framebuffer(c.v[1][0], c.v[1][1]), framebuffer(c.v[2][0], c.v[2][1]))
		if ok != (c.want != nil) {
			t.Errorf("%s: left %v", name, ok)
			continue
		}
		if !ok {
			continue
		}
		if p.N != len(c.want) {
			t.Errorf("%s: %d corners, want %d", name, p.N, len(c.want))
			continue
		}
		for k, q := range p.C[:p.N] {
			given := slices.ContainsFunc(c.v[:], func(v [2]float32) bool { return q.X == int32(v[0])*256 && q.Y == int32(v[1])*256 })
			if made := p.Made>>k&1 != 0; made == given {
				t.Errorf("%s: clipping made corner %+v: %v", name, q, made)
			}
		}
		// From whatever corner on, in order.
		found := false
		for from := range p.N {
			match := true
			for k, q := range c.want {
				at := p.C[(from+k)%p.N]
				x, y := q[0]*256, q[1]*256
				if name == "one corner cut" && k == 3 { // on the slope from 7, 1 to 1, 13: at y = 8
					x = 3*256 + 128
				}
				if name == "little cut" && k == 3 { // from 7, 1 to 1, 9
					x = 256 + 192
				}
				match = match && at.X == x && at.Y == y
			}
			found = found || match
		}
		if !found {
			t.Errorf("%s: corners %v, want %v", name, p.C[:p.N], c.want)
		}
	}
}
