package raster

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// strip sets up the segments between points as a strip.
func strip(st *State, list bool, p ...[2]float64) (out []Setup) {
	phase := int32(0)
	for i := range len(p) - 1 {
		g := segmentAt(p[i][0], p[i][1], p[i+1][0], p[i+1][1])
		if list {
			phase = 0
		}
		g.Phase = phase
		phase = (phase + st.Advance(g.A.X, g.A.Y, g.B.X, g.B.Y)) % st.Stipple.Period()
		out = append(out, lines(g, st)...)
	}
	return out
}

// Corner cases 39 and 40.
// RAS-221, RAS-223, RAS-224, RAS-225
func TestStipple_RAS223_Rectangular(t *testing.T) {
	rules.Covers(t, "RAS-221", "RAS-223", "RAS-224", "RAS-225", "RC-39", "RC-40")
	st := fillState(1)
	st.Stipple = Stipple{1, 0x5555}
	points := [][2]float64{{0, .5}, {1.5, .5}, {5, .5}}
	wantPixels(t, "strip", strip(st, false, points...), nil, "0,0 2,0 4,0")
	wantPixels(t, "list", strip(st, true, points...), nil, "0,0 1,0 3,0")
	st.Stipple.Factor = 2
	wantPixels(t, "factor 2", strip(st, false, [2]float64{0, .5}, [2]float64{8, .5}), nil, "0,0 1,0 4,0 5,0")
	st.Stipple = Stipple{256, 0x0002}
	wantPixels(t, "factor 256", strip(st, false, [2]float64{-254, .5}, [2]float64{300, .5})[:1], nil, "2,0 3,0 4,0 5,0 6,0 7,0 8,0 9,0 10,0 11,0 12,0 13,0 14,0 15,0")
}

// RAS-215, RAS-222: production order, dropped ends, runs of wide lines.
func TestStipple_RAS222_Bresenham(t *testing.T) {
	rules.Covers(t, "RAS-215", "RAS-222")
	st := bresenham
	st.Stipple = Stipple{1, 0x5555}
	wantPixels(t, "forth", strip(&st, false, [2]float64{.5, .5}, [2]float64{5.5, .5}), nil, "0,0 2,0 4,0")
	wantPixels(t, "back", strip(&st, false, [2]float64{5.5, .5}, [2]float64{.5, .5}), nil, "1,0 3,0 5,0")
	wantPixels(t, "strip", strip(&st, false, [2]float64{.5, .5}, [2]float64{3.5, .5}, [2]float64{6.5, 3.5}), nil, "0,0 2,0 4,1")
	wantPixels(t, "list", strip(&st, true, [2]float64{.5, .5}, [2]float64{3.5, .5}, [2]float64{6.5, 3.5}), nil, "0,0 2,0 3,0 5,2")
	st.LineWidth = 2
	wantPixels(t, "wide", strip(&st, false, [2]float64{.5, 1.5}, [2]float64{4.5, 1.5}), nil, "0,0 2,0 0,1 2,1")
}

// The number of fragments that a phase moves on by is that of the fragments.
// RAS-222
func TestStipple_RAS222_AdvanceCountsFragments(t *testing.T) {
	rules.Covers(t, "RAS-222")
	rng := rand.New(rand.NewPCG(31, 32))
	st := bresenham
	st.Stipple = Stipple{256, 0xffff}
	for range 3000 {
		grid := int32(1) << rng.IntN(8)
		random := func() int32 { return 256 + rng.Int32N(14*256/grid+1)*grid }
		g := &Segment{A: Corner{X: random(), Y: random(), InvW: 1}, B: Corner{X: random(), Y: random(), InvW: 1}, U1: 1}
		got := int(st.Advance(g.A.X, g.A.Y, g.B.X, g.B.Y) / StippleUnits)
		if want := len(coverage(t, lines(g, &st), nil, Rect{0, 0, 16, 16}, 1, 64)); got != want {
			t.Fatalf("%v to %v: %d fragments, want %d", g.A, g.B, got, want)
		}
	}
}

// A fully set pattern changes nothing, at any sample count.
func TestStipple_RAS221_AllOnes(t *testing.T) {
	rules.Covers(t, "RAS-221")
	rng := rand.New(rand.NewPCG(33, 34))
	for range 200 {
		g := &Segment{A: randomCorner(rng), B: randomCorner(rng), U1: 1}
		st := fillState(4)
		st.LineWidth = 3
		want := coverage(t, lines(g, st), nil, Rect{0, 0, 24, 24}, 4, 64)
		st.Stipple = Stipple{3, 0xffff}
		if got := coverage(t, lines(g, st), nil, Rect{0, 0, 24, 24}, 4, 8); !slices.Equal(got, want) {
			t.Fatalf("%v to %v: %d samples, want %d", g.A, g.B, len(got), len(want))
		}
	}
}

// Corner case 41; the areas add up to length times width.
// RAS-228, RAS-229
func TestSmooth_RAS229_Area(t *testing.T) {
	rules.Covers(t, "RAS-228", "RAS-229", "RC-41")
	st := fillState(1)
	st.LineMode = vk.LineRasterizationModeRectangularSmooth
	s := lines(segmentAt(0, 3, 4, 3), st)
	wantPixels(t, "between rows", s, nil, "0,2 1,2 2,2 3,2 0,3 1,3 2,3 3,3")
	if a, b := s[0].LineCoverage(1, 2), s[0].LineCoverage(1, 3); a != .5 || b != .5 {
		t.Errorf("%v and %v, want a half each", a, b)
	}
	s = lines(segmentAt(0, 2.5, 4, 2.5), st)
	wantPixels(t, "on a row", s, nil, "0,2 1,2 2,2 3,2")
	if a := s[0].LineCoverage(1, 2); a != 1 {
		t.Errorf("%v of a pixel inside", a)
	}
	s = lines(segmentAt(0, 0, 4, 4), st)
	near := func(got float32, want float64) bool { return math.Abs(float64(got)-want) < 1e-4 }
	if a, b := s[0].LineCoverage(1, 1), s[0].LineCoverage(2, 1); !near(a, .914214) || !near(b, .25) {
		t.Errorf("diagonal: %v and %v, want 0.9142 and 0.25", a, b)
	}
	rng := rand.New(rand.NewPCG(35, 36))
	for range 100 {
		x0, y0, x1, y1 := 4+8*rng.Float64(), 4+8*rng.Float64(), 4+8*rng.Float64(), 4+8*rng.Float64()
		st.LineWidth = 0.25 + 2*rng.Float32()
		for _, pattern := range []uint16{0, 0x5555, 0xffff} {
			st.Stipple = Stipple{Pattern: pattern}
			if pattern != 0 {
				st.Stipple.Factor = 1
			}
			g := segmentAt(x0, y0, x1, y1)
			s := lines(g, st)
			sum := 0.0
			for _, p := range coverage(t, s, nil, Rect{0, 0, 16, 16}, 1, 8) {
				sum += float64(s[0].LineCoverage(p.x, p.y))
			}
			length := math.Hypot(float64(g.B.X-g.A.X), float64(g.B.Y-g.A.Y)) / 256
			width := float64(quantizeSize(st.LineWidth, maxLineWidth)) / 128
			if pattern == 0x5555 {
				n := math.Floor(length)
				on := math.Ceil(n / 2)
				if math.Mod(n, 2) == 0 {
					on += length - n
				}
				length = on
			}
			if math.Abs(sum-length*width) > 1e-4 {
				t.Fatalf("pattern %#x: area %v, want %v", pattern, sum, length*width)
			}
		}
	}
}

func conservative(mode vk.ConservativeRasterizationModeEXT, extra float32) *State {
	st := fillState(4)
	st.Conservative, st.ExtraSize = mode, extra
	return st
}

// onePerPixel checks that all samples of pixels are covered, and keeps one.
func onePerPixel(t *testing.T, list []sampleAt) (out []sampleAt) {
	t.Helper()
	for i := 0; i < len(list); i += 4 {
		for k := range int32(4) {
			if want := (sampleAt{list[i].x, list[i].y, k}); list[i+int(k)] != want {
				t.Fatalf("sample %+v, want %+v", list[i+int(k)], want)
			}
		}
		out = append(out, list[i])
	}
	return out
}

// Corner cases 46 to 48. Underestimation leaves out pixels that touch the boundary
// from inside: of corner case 48, whose pixels all do, nothing is left until the
// triangle is a little larger.
// RAS-268, RAS-270, RAS-271, RAS-275, RAS-276
func TestConservative_RAS270_CornerCases(t *testing.T) {
	rules.Covers(t, "RAS-268", "RAS-270", "RAS-271", "RAS-275", "RAS-276", "RC-46", "RC-47", "RC-48", "RAS-279")
	over, under := conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0), conservative(vk.ConservativeRasterizationModeUnderestimateEXT, 0)
	for _, c := range []struct {
		p    *Polygon
		st   *State
		cull vk.CullModeFlags
		want string
	}{
		{triangleAt(1, 1, 2, 1, 1, 2), over, 0, "0,0 1,0 2,0 0,1 1,1 2,1 0,2 1,2"},
		{triangleAt(.5, .5, 2.5, .5, .5, .5), over, 0, "0,0 1,0 2,0"},
		{triangleAt(.5, .5, 2.5, .5, .5, .5), over, vk.CullModeBackBit, ""},
		{triangleAt(0, 0, 4, 0, 0, 4), under, 0, ""},
		{triangleAt(-1./64, -1./64, 4+3./64, -1./64, -1./64, 4+3./64), under, 0, "0,0 1,0 2,0 0,1 1,1 0,2"},
		{triangleAt(-1./64, 4+3./64, 4+3./64, -1./64, -1./64, -1./64), under, 0, "0,0 1,0 2,0 0,1 1,1 0,2"},
		{triangleAt(.5, .5, 2.5, .5, .5, .5), under, 0, ""},
	} {
		st := *c.st
		st.CullMode = c.cull
		s, extra := AppendPolygon(nil, nil, c.p, &st, 0)
		list := onePerPixel(t, coverage(t, s, extra, Rect{0, 0, 16, 16}, 4, 8))
		if got := pixels(list); got != c.want {
			t.Errorf("%v %v: got %q, want %q", st.Conservative, c.p.C[:3], got, c.want)
		}
		if c.st == under {
			for _, p := range list {
				if !s[0].FullyCovered(extra, p.x, p.y) {
					t.Errorf("%d,%d is not fully covered", p.x, p.y)
				}
			}
		}
	}
	s, extra := AppendPolygon(nil, nil, triangleAt(-1, 0, 4, 0, -1, 5), over, 0)
	if !s[0].FullyCovered(extra, 0, 1) || s[0].FullyCovered(extra, 0, 0) || s[0].FullyCovered(extra, 3, 0) || s[0].FullyCovered(extra, 4, 4) {
		t.Error("FullyCoveredEXT under overestimation")
	}
}

// squareMeets says, in exact arithmetic, whether a convex polygon and a closed square,
// subpixels, have a point in common: the polygon is cut with the four sides.
func squareMeets(corners []Corner, x0, y0, x1, y1 int64) bool {
	type vec [2]*big.Rat
	var poly []vec
	for _, c := range corners {
		poly = append(poly, vec{big.NewRat(int64(c.X), 1), big.NewRat(int64(c.Y), 1)})
	}
	for side := range 4 {
		axis, limit, sign := side&1, [4]int64{x0, y0, x1, y1}[side], int64(1-side/2*2)
		d := func(v vec) *big.Rat {
			r := new(big.Rat).Sub(v[axis], big.NewRat(limit, 1))
			return r.Mul(r, big.NewRat(sign, 1))
		}
		var out []vec
		for i, a := range poly {
			b := poly[(i+1)%len(poly)]
			da, db := d(a), d(b)
			if da.Sign() >= 0 {
				out = append(out, a)
			}
			if da.Sign()*db.Sign() < 0 {
				t := new(big.Rat).Quo(da, new(big.Rat).Sub(da, db))
				var v vec
				for k := range 2 {
					v[k] = new(big.Rat).Add(a[k], new(big.Rat).Mul(t, new(big.Rat).Sub(b[k], a[k])))
				}
				out = append(out, v)
			}
		}
		if poly = out; len(poly) == 0 {
			return false
		}
	}
	return true
}

// RAS-268, RAS-269, RAS-270, RAS-271, RAS-275, RAS-280 against exact rationals,
// triangles without area too.
func TestConservative_RAS270_ExactOracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-268", "RAS-269", "RAS-270", "RAS-271", "RAS-275", "RAS-280")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-268 – RAS-271, RAS-275, RAS-280", What: "conservative coverage of triangles, over- and underestimated, against clipping in rationals",
		Unit: "pixels that differ", Why: "A square's decisive corner lies on the grid of vertices, so each of its edge functions is an integer below 2⁶⁰."})
	rng := rand.New(rand.NewPCG(37, 38))
	r := Rect{0, 0, 8, 8}
	for range rules.Cases(1500, 100_000) {
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: rng.Int32N(8*256/grid+1) * grid, Y: rng.Int32N(8*256/grid+1) * grid, InvW: 1}
		}
		p := polygon(random(), random(), random())
		if rng.IntN(4) == 0 {
			p.C[2].X, p.C[2].Y = 2*p.C[1].X-p.C[0].X, 2*p.C[1].Y-p.C[0].Y
		}
		extra := float32(rng.IntN(3)) / 4
		grow := int64(extra * 256)
		var over, under []sampleAt
		for y := range r.Y1 {
			for x := range r.X1 {
				px, py := int64(x)*256, int64(y)*256
				if squareMeets(p.C[:3], px-grow, py-grow, px+256+grow, py+256+grow) {
					over = append(over, sampleAt{x, y, 0})
				}
				in := polygonArea(p) != 0
				for c := range int64(4) {
					for i := range 3 {
						a, b := &p.C[i], &p.C[(i+1)%3]
						v := int64(b.X-a.X)*(py+c>>1*256-int64(a.Y)) - int64(b.Y-a.Y)*(px+c&1*256-int64(a.X))
						in = in && v != 0 && v > 0 == (polygonArea(p) > 0)
					}
				}
				if in {
					under = append(under, sampleAt{x, y, 0})
				}
			}
		}
		s, ex := AppendPolygon(nil, nil, p, conservative(vk.ConservativeRasterizationModeOverestimateEXT, extra), 0)
		wantFullyCovered(t, s, ex, r, under)
		got := onePerPixel(t, coverage(t, s, ex, r, 4, 8))
		e.Add(differing(got, over), func() string {
			return fmt.Sprintf("over %v, extra %v: got %s, want %s", p.C[:3], extra, pixels(got), pixels(over))
		})
		s, ex = AppendPolygon(nil, nil, p, conservative(vk.ConservativeRasterizationModeUnderestimateEXT, extra), 0)
		wantFullyCovered(t, s, ex, r, under)
		got = onePerPixel(t, coverage(t, s, ex, r, 4, 8))
		e.Add(differing(got, under), func() string { return fmt.Sprintf("under %v: got %s, want %s", p.C[:3], pixels(got), pixels(under)) })
	}
	e.Done(t, 200)
}

// wantFullyCovered checks that the pixels of r that are fully covered are those of a
// list.
// RAS-276
func wantFullyCovered(t *testing.T, setups []Setup, extra []HalfPlane, r Rect, want []sampleAt) {
	t.Helper()
	for i := range setups {
		n := 0
		for y := r.Y0; y < r.Y1; y++ {
			for x := r.X0; x < r.X1; x++ {
				in := n < len(want) && want[n] == sampleAt{x, y, 0}
				if in {
					n++
				}
				if got := setups[i].FullyCovered(extra, x, y); got != in {
					t.Fatalf("%+v: pixel %d,%d is fully covered: %v", setups[i], x, y, got)
				}
			}
		}
	}
}

// RAS-272, RAS-273, RAS-274
func TestConservative_RAS272_LinesAndPoints(t *testing.T) {
	rules.Covers(t, "RAS-272", "RAS-273", "RAS-274")
	over, under := conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0), conservative(vk.ConservativeRasterizationModeUnderestimateEXT, 0)
	pixelsOf := func(s []Setup) string {
		return pixels(onePerPixel(t, coverage(t, s, nil, Rect{0, 0, 16, 16}, 4, 8)))
	}
	over.LineMode = vk.LineRasterizationModeBresenham // the rectangle is used all the same
	if got, want := pixelsOf(lines(segmentAt(1.5, 1.5, 3.5, 1.5), over)), "1,0 2,0 3,0 1,1 2,1 3,1 1,2 2,2 3,2"; got != want {
		t.Errorf("line: got %q, want %q", got, want)
	}
	if got, want := pixelsOf(lines(segmentAt(1.5, 1.75, 1.5, 1.75), over)), "0,1 1,1 2,1 0,2 1,2 2,2"; got != want {
		t.Errorf("line without length: got %q, want %q", got, want)
	}
	under.LineWidth = 3
	for _, c := range []struct {
		y0, y1 float64
		want   string
	}{
		{2.5, 2.5, "1,2 2,2"}, {2.75, 2.75, "1,2 2,2 1,3 2,3"},
		{2, 3.5, "1,2 2,2 2,3"}, // a slope whose sides lie between positions
	} {
		s := lines(segmentAt(.5, c.y0, 3.5, c.y1), under)
		if got := pixelsOf(s); got != c.want {
			t.Errorf("line underestimated: got %q, want %q", got, c.want)
		}
		over.LineWidth = 3
		o := lines(segmentAt(.5, c.y0, 3.5, c.y1), over)
		over.LineWidth = 1
		for y := range int32(6) {
			for x := range int32(6) {
				in := slices.Contains(coverage(t, s, nil, Rect{0, 0, 16, 16}, 4, 8), sampleAt{x, y, 0})
				if a, b := s[0].FullyCovered(nil, x, y), o[0].FullyCovered(nil, x, y); a != in || b != in {
					t.Errorf("line at %v, %v: pixel %d,%d is underestimated %v; fully covered %v and %v", c.y0, c.y1, x, y, in, a, b)
				}
			}
		}
	}
	point := func(x, y float64, size float32, st *State) []Setup {
		s, _ := AppendPoint(nil, nil, &Point{Corner: at(x, y), FX: x, FY: y, Size: size}, st, 0)
		return s
	}
	if got, want := pixelsOf(point(2, 2, 2, over)), "0,0 1,0 2,0 3,0 0,1 1,1 2,1 3,1 0,2 1,2 2,2 3,2 0,3 1,3 2,3 3,3"; got != want {
		t.Errorf("point: got %q, want %q", got, want)
	}
	for size, want := range map[float32]string{2: "", 2.25: "1,1 2,1 1,2 2,2", 3: "1,1 2,1 1,2 2,2"} {
		if got := pixelsOf(point(2, 2, size, under)); got != want {
			t.Errorf("point of %v underestimated: got %q, want %q", size, got, want)
		}
	}
}

// RAS-279: of pixels that the viewport cuts, all that it touches or none.
func TestConservative_RAS279_Viewport(t *testing.T) {
	rules.Covers(t, "RAS-254", "RAS-279")
	over, under := conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0), conservative(vk.ConservativeRasterizationModeUnderestimateEXT, 0)
	view := Rect{128, 256, 640, 768} // x 0.5 to 2.5, y 1 to 3
	for st, want := range map[*State]string{over: "0,1 1,1 2,1 0,2 1,2 2,2", under: "1,1 1,2"} {
		st.ViewRect = view
		s, extra := AppendPolygon(nil, nil, triangleAt(-9, -9, 30, -9, -9, 30), st, 0)
		if got := pixels(onePerPixel(t, coverage(t, s, extra, Rect{0, 0, 16, 16}, 4, 8))); got != want {
			t.Errorf("%v: got %q, want %q", st.Conservative, got, want)
		}
	}
	// What the viewport cuts is not covered fully; boxes of triangles end at it too,
	// and neither fills pixels that only touch its sides.
	over.ExtraSize = .5
	for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeFillRectangleNV} {
		for st, want := range map[*State]string{over: "0,1 1,1 2,1 0,2 1,2 2,2", under: "1,1 1,2"} {
			st.ViewRect, st.PolygonMode = view, mode
			s, extra := AppendPolygon(nil, make([]HalfPlane, 2), triangleAt(-9, -9, 30, -9, -9, 30), st, 0)
			if got := pixels(onePerPixel(t, coverage(t, s, extra, Rect{0, 0, 16, 16}, 4, 8))); got != want {
				t.Errorf("%v, %v: got %q, want %q", mode, st.Conservative, got, want)
			}
			for x, want := range []bool{false, true, false} {
				if got := s[0].FullyCovered(extra, int32(x), 1); got != want {
					t.Errorf("%v, %v: pixel %d,1 fully covered %v", mode, st.Conservative, x, got)
				}
			}
		}
	}
	over.ExtraSize, over.PolygonMode, under.PolygonMode = 0, vk.PolygonModeFill, vk.PolygonModeFill
	// A plane that cuts: at x = 1.5.
	for st, want := range map[*State]string{over: "0,0 1,0", under: "0,0"} {
		st.ViewRect = Rect{0, 0, 4 * 256, 256}
		p := triangleAt(-9, -9, 30, -9, -9, 30)
		p.Cuts = 1
		for k, c := range p.C[:3] {
			p.D[0][k] = float64(384 - c.X)
		}
		s, extra := AppendPolygon(nil, nil, p, st, 0)
		if got := pixels(onePerPixel(t, coverage(t, s, extra, Rect{0, 0, 16, 16}, 4, 8))); got != want {
			t.Errorf("a cut, %v: got %q, want %q", st.Conservative, got, want)
		}
	}
}

// Corner case 59.
// RAS-254
func TestFillRectangle_RAS254(t *testing.T) {
	rules.Covers(t, "RAS-254", "RC-59")
	st := fillState(1)
	st.PolygonMode = vk.PolygonModeFillRectangleNV
	wantPixels(t, "box", fill(triangleAt(1, 1, 3, 1, 1, 4), st), nil, "1,1 2,1 1,2 2,2 1,3 2,3")
	wantPixels(t, "half-open", fill(triangleAt(.5, .5, 2.5, .5, .5, 2.5), st), nil, "0,0 1,0 0,1 1,1")
	if s, _ := AppendPolygon([]Setup{{Prim: 9}}, nil, triangleAt(1, 1, 2, 2, 3, 3), st, 0); len(s) != 1 || s[0].Prim != 9 {
		t.Errorf("no area, but a rectangle, or nothing of what was there: %+v", s)
	}
	st.ViewRect = Rect{0, 0, 256, 256}
	if s, _ := AppendPolygon([]Setup{{Prim: 9}}, nil, triangleAt(2, 2, 3, 2, 2, 3), st, 0); len(s) != 1 || s[0].Prim != 9 {
		t.Errorf("beside the viewport: %+v", s)
	}
}

// RAS-115, RAS-116, RAS-117
func TestSampleLocations_RAS116_Grid(t *testing.T) {
	rules.Covers(t, "RAS-115", "RAS-116", "RAS-117", "RAS-105")
	nan := float32(math.NaN())
	ss := CustomSamples(2, 2, 1, [][2]float32{{0, 0}, {1, nan}, {.5, .5}, {.25, .75}})
	if a := ss.Of(4, 3); a.X[0] != 0 || a.X[1] != 255 || a.Y[1] != 0 {
		t.Errorf("even column: %+v", a)
	}
	if a := ss.Of(5, 3); a.X[0] != 128 || a.Y[1] != 192 {
		t.Errorf("odd column: %+v", a)
	}
	if ss.X0 != 0 || ss.X1 != 255 || ss.Y0 != 0 || ss.Y1 != 192 {
		t.Errorf("bounds %+v", ss)
	}
	// Sample by sample against the positions.
	rng := rand.New(rand.NewPCG(39, 40))
	locations := make([][2]float32, 4*4*2)
	for i := range locations {
		locations[i] = [2]float32{rng.Float32(), rng.Float32()}
	}
	for trial := range 200 {
		if trial == 100 {
			ss = CustomSamples(2, 4, 4, locations)
		}
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		if cross(&p.C[0], &p.C[1], &p.C[2]) == 0 {
			continue
		}
		st := fillState(2)
		st.Locations = ss
		s := fill(p, st)
		var want, got []sampleAt
		for y := range int32(24) {
			for x := range int32(24) {
				set := ss.Of(x, y)
				for k := range int32(2) {
					if len(s) > 0 && s[0].Contains(nil, x<<8+set.X[k], y<<8+set.Y[k]) {
						want = append(want, sampleAt{x, y, k})
					}
				}
			}
		}
		dst := make([]Quad, 256)
		for i := range s {
			for _, q := range dst[:s[i].Cover(dst, nil, Rect{0, 0, 24, 24}, ss)] {
				for bit := range int32(64) {
					if q.Mask>>bit&1 != 0 {
						got = append(got, sampleAt{q.X + bit>>4&1, q.Y + bit>>5, bit & 15})
					}
				}
			}
		}
		slices.SortFunc(got, compareSamples)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %d samples, want %d", p.C[:3], len(got), len(want))
		}
	}
}
