package raster

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// within says that d·√n ≤ w·|m| in exact arithmetic; d may have either sign.
func within(d, n, w, m int64) bool {
	a := new(big.Int).Mul(big.NewInt(d), big.NewInt(d))
	a.Mul(a, big.NewInt(n))
	b := new(big.Int).Mul(big.NewInt(w), big.NewInt(m))
	b.Mul(b, b)
	c := a.Cmp(b)
	return d < 0 || c <= 0
}

// Conservative lines against the theorem of separating axes in integers:
// a square touches the closed rectangle unless an axis of either lies between them;
// it lies inside if its four corners do.
func TestConservative_RAS272_ExactOracle(t *testing.T) {
	rules.Covers(t, "RAS-269", "RAS-272", "RAS-275", "RAS-267")
	rng := rand.New(rand.NewPCG(71, 72))
	r := Rect{0, 0, 10, 10}
	for range rules.Cases(600, 100_000) {
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: 256 + rng.Int32N(8*256/grid+1)*grid, Y: 256 + rng.Int32N(8*256/grid+1)*grid, InvW: 1}
		}
		g := &Segment{A: random(), B: random(), U1: 1, W: [2]float64{1, 1}}
		if rng.IntN(3) == 0 { // directions whose lengths are whole numbers
			n := 1 + rng.Int32N(100)
			g.B.X, g.B.Y = g.A.X+3*n, g.A.Y-4*n
		}
		dx, dy := int64(g.B.X-g.A.X), int64(g.B.Y-g.A.Y)
		l2 := dx*dx + dy*dy
		if l2 == 0 {
			continue
		}
		width := int64(1+rng.IntN(6)) * 64 // half subpixels: half a pixel to three
		extra := float32(rng.IntN(3)) / 4
		e := int64(extra * 256)
		var over, under []sampleAt
		for y := range r.Y1 {
			for x := range r.X1 {
				touches, inside := true, true
				// The square's corners along and across the line, grown and not.
				for _, grown := range []int64{e, 0} {
					var q, k [4]int64
					for c := range int64(4) {
						px, py := int64(x)*256-grown+c&1*(256+2*grown)-int64(g.A.X), int64(y)*256-grown+c>>1*(256+2*grown)-int64(g.A.Y)
						q[c], k[c] = px*dx+py*dy, dx*py-dy*px
					}
					if grown == 0 {
						for c := range 4 {
							inside = inside && q[c] > 0 && q[c] < l2 && crossBelow(k[c], width, l2)
						}
					}
					if grown != e {
						continue
					}
					lo, hi := slices.Min(k[:]), slices.Max(k[:])
					touches = slices.Max(q[:]) >= 0 && slices.Min(q[:]) <= l2 && !crossAbove(lo, width, l2) && !crossAbove(-hi, width, l2)
					// Axes of the square: the rectangle reaches |dy|·w/l beyond its ends.
					x0, x1 := int64(x)*256-e, int64(x+1)*256+e
					y0, y1 := int64(y)*256-e, int64(y+1)*256+e
					touches = touches &&
						within(int64(min(g.A.X, g.B.X))-x1, l2, width, dy) && within(x0-int64(max(g.A.X, g.B.X)), l2, width, dy) &&
						within(int64(min(g.A.Y, g.B.Y))-y1, l2, width, dx) && within(y0-int64(max(g.A.Y, g.B.Y)), l2, width, dx)
				}
				if touches {
					over = append(over, sampleAt{x, y, 0})
				}
				if inside {
					under = append(under, sampleAt{x, y, 0})
				}
			}
		}
		for mode, want := range map[vk.ConservativeRasterizationModeEXT][]sampleAt{
			vk.ConservativeRasterizationModeOverestimateEXT: over, vk.ConservativeRasterizationModeUnderestimateEXT: under,
		} {
			st := conservative(mode, extra)
			st.LineWidth = float32(width) / 128
			s := lines(g, st)
			if got := onePerPixel(t, coverage(t, s, nil, r, 4, 8)); !slices.Equal(got, want) {
				t.Fatalf("%v, %v to %v, width %v, extra %v: got %s, want %s", mode, g.A, g.B, st.LineWidth, extra, pixels(got), pixels(want))
			}
			wantFullyCovered(t, s, nil, r, under)
			// Bounds are the pixels that touch the box of the rectangle, by the axes of
			// squares again; underestimated ones are not grown.
			e := e
			if mode == vk.ConservativeRasterizationModeUnderestimateEXT {
				e = 0
			}
			for v := int64(-6); v < 18; v++ {
				lo, hi := v*256-e, (v+1)*256+e
				inX := within(int64(min(g.A.X, g.B.X))-hi, l2, width, dy) && within(lo-int64(max(g.A.X, g.B.X)), l2, width, dy)
				inY := within(int64(min(g.A.Y, g.B.Y))-hi, l2, width, dx) && within(lo-int64(max(g.A.Y, g.B.Y)), l2, width, dx)
				if b := s[0].Bounds; inX != (int64(b.X0) <= v && v < int64(b.X1)) || inY != (int64(b.Y0) <= v && v < int64(b.Y1)) {
					t.Fatalf("%v, %v to %v, width %v, extra %v: bounds %+v, not at %d", mode, g.A, g.B, st.LineWidth, extra, b, v)
				}
			}
		}
	}
}

// The side of a line passes less than a unit of its edge function by the corner of a
// pixel: inside is inside.
// RAS-275, RAS-276
func TestConservative_RAS276_NearlyOnTheSide(t *testing.T) {
	rules.Covers(t, "RAS-275", "RAS-276")
	// Half the width is 300, times the length 600000.075; the corner is at 600000.
	g := &Segment{A: Corner{X: 512, Y: 212, InvW: 1}, B: Corner{X: 2512, Y: 213, InvW: 1}, U1: 1}
	for _, mode := range []vk.ConservativeRasterizationModeEXT{vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT} {
		st := conservative(mode, 0)
		st.LineWidth = 300. / 128
		s := lines(g, st)[0]
		if !s.OpenSides || !s.FullyCovered(nil, 2, 1) || len(coverage(t, []Setup{s}, nil, Rect{2, 1, 3, 2}, 4, 8)) != 4 {
			t.Errorf("%v: open sides %v, fully covered %v", mode, s.OpenSides, s.FullyCovered(nil, 2, 1))
		}
		// What cuts a primitive, here at x = 3, takes in what lies on it, whatever its own sides do.
		s = fill(triangleAt(-9, -9, 30, -9, -9, 30), st)[0]
		s.extraCount = 1
		if cut := []HalfPlane{{A: 1, C: -3 * Subpixels}}; s.FullyCovered(cut, 2, 1) || !s.FullyCovered(cut, 3, 1) {
			t.Errorf("%v, cut at a side: pixels %v and %v", mode, s.FullyCovered(cut, 2, 1), s.FullyCovered(cut, 3, 1))
		}
	}
}

// Relaxed lines, conservatively: the squares that their parallelogram touches.
// RAS-203, RAS-268, RAS-272
func TestConservative_RAS203_Parallelograms(t *testing.T) {
	rules.Covers(t, "RAS-203", "RAS-268", "RAS-272", "RAS-275", "RAS-371")
	rng := rand.New(rand.NewPCG(203, 272))
	r := Rect{0, 0, 10, 10}
	for range fewer(100) {
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: 512 + rng.Int32N(6*256/grid+1)*grid, Y: 512 + rng.Int32N(6*256/grid+1)*grid, InvW: 1}
		}
		g := &Segment{A: random(), B: random(), U1: 1, W: [2]float64{1, 1}}
		if g.A == g.B {
			continue
		}
		st := conservative(vk.ConservativeRasterizationModeOverestimateEXT, float32(rng.IntN(3))/4)
		half := 64 * (1 + rng.Int32N(5)) // of the width, subpixels
		st.Relaxed, st.LineWidth = true, float32(half)/128
		e := int64(st.ExtraSize * 256)
		c := []Corner{g.A, g.B, g.B, g.A}
		for k := range c {
			off := half
			if k > 1 {
				off = -half
			}
			if dx, dy := g.B.X-g.A.X, g.B.Y-g.A.Y; max(dx, -dx) < max(dy, -dy) {
				c[k].X += off
			} else {
				c[k].Y += off
			}
		}
		var want []sampleAt
		for y := range r.Y1 {
			for x := range r.X1 {
				if px, py := int64(x)*256, int64(y)*256; squareMeets(c, px-e, py-e, px+256+e, py+256+e) {
					want = append(want, sampleAt{x, y, 0})
				}
			}
		}
		if got := onePerPixel(t, coverage(t, lines(g, st), nil, r, 4, 8)); !slices.Equal(got, want) {
			t.Fatalf("%v to %v, width %v, extra %v: got %s, want %s", g.A, g.B, st.LineWidth, st.ExtraSize, pixels(got), pixels(want))
		}
	}
}

// crossBelow says that |k| < w·√l2, crossAbove that k > w·√l2.
func crossBelow(k, w, l2 int64) bool { return compareCross(max(k, -k), w, l2) < 0 }
func crossAbove(k, w, l2 int64) bool { return k > 0 && compareCross(k, w, l2) > 0 }

func compareCross(k, w, l2 int64) int {
	a := new(big.Int).Mul(big.NewInt(k), big.NewInt(k))
	b := new(big.Int).Mul(big.NewInt(w), big.NewInt(w))
	return a.Cmp(b.Mul(b, big.NewInt(l2)))
}
