package raster

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// bigEdge is the edge function in integers without limit.
func bigEdge(a, b Corner, x, y int32) *big.Int {
	n := func(v int32) *big.Int { return big.NewInt(int64(v)) }
	sub := func(p, q int32) *big.Int { return new(big.Int).Sub(n(p), n(q)) }
	l := new(big.Int).Mul(sub(b.X, a.X), sub(y, a.Y))
	return l.Sub(l, new(big.Int).Mul(sub(b.Y, a.Y), sub(x, a.X)))
}

// inside is RAS-239 as the catalogue writes it, case by case.
func inside(p *Polygon, x, y int32) bool {
	area := bigEdge(p.C[0], p.C[1], p.C[2].X, p.C[2].Y).Sign()
	if area == 0 {
		return false
	}
	for i := range 3 {
		a, b := p.C[i], p.C[(i+1)%3]
		dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
		e := bigEdge(a, b, x, y).Sign()
		switch {
		case area > 0 && !(e > 0 || e == 0 && (dy < 0 || dy == 0 && dx > 0)):
			return false
		case area < 0 && !(e < 0 || e == 0 && (dy > 0 || dy == 0 && dx < 0)):
			return false
		}
	}
	return true
}

// randomCorner is near the 24 pixels of the tests, on a grid that makes ties
// likely, or anywhere in the guard band.
func randomCorner(rng *rand.Rand) Corner {
	c := Corner{InvW: 1}
	draw := func() int32 {
		switch rng.IntN(8) {
		case 0:
			return rng.Int32N(1<<29+1) - 1<<28
		case 1, 2:
			return rng.Int32N(24*256) - 256
		case 3:
			return []int32{-1 << 28, 1 << 28}[rng.IntN(2)]
		}
		return (rng.Int32N(26*16) - 16) * 16
	}
	c.X, c.Y = draw(), draw()
	return c
}

// Coverage is the exact test for every sample, whatever the tile, far into the
// guard band.
// RAS-003, RAS-238, RAS-239, RAS-244
func TestCover_RAS239_ExactOracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-003", "RAS-238", "RAS-239", "RAS-244")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-003, RAS-238, RAS-239, RAS-244", What: "coverage of triangles up to the ends of the guard band, any tile",
		Unit: "samples that differ", Why: "Vertices within ±2²⁸ subpixels: products below 2⁵⁹, sums below 2⁶⁰, exact in 64 bits."})
	rng := rand.New(rand.NewPCG(1, 2))
	r := Rect{0, 0, 24, 24}
	hits := 0
	for round := range rules.Cases(800, 20_000) {
		samples := int32(1) << rng.IntN(5)
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		tile := int32(8) << rng.IntN(4)
		got := coverage(t, fill(p, fillState(int(samples))), nil, r, samples, tile)
		var want []sampleAt
		ss := Samples(int(samples))
		step := int32(1)
		if samples > 1 {
			step = 1 + int32(round%3)
		}
		for y := r.Y0; y < r.Y1; y += step {
			for x := r.X0; x < r.X1; x += step {
				for k := range samples {
					if inside(p, x*256+ss.X[k], y*256+ss.Y[k]) {
						want = append(want, sampleAt{x, y, k})
					}
				}
			}
		}
		if step > 1 {
			got = slices.DeleteFunc(got, func(s sampleAt) bool { return s.x%step != 0 || s.y%step != 0 })
		}
		wrong := 0.0
		if !slices.Equal(got, want) {
			wrong = differing(got, want)
		}
		e.Add(wrong, func() string {
			return fmt.Sprintf("round %d, %d samples, %v: %d samples covered, want %d", round, samples, p.C[:3], len(got), len(want))
		})
		hits += len(want)
	}
	e.Done(t, 80)
	if hits < 1000 {
		t.Errorf("only %d samples were covered", hits)
	}
}

// exactPlane is the value at (x, y) of the linear function through three corners.
func exactPlane(p *Polygon, v [3]float64, x, y int32) *big.Rat {
	area := bigEdge(p.C[0], p.C[1], p.C[2].X, p.C[2].Y)
	sum := new(big.Rat)
	for k := range 3 {
		weight := new(big.Rat).SetFrac(bigEdge(p.C[(k+1)%3], p.C[(k+2)%3], x, y), area)
		value := new(big.Rat).SetFloat64(v[k])
		sum.Add(sum, weight.Mul(weight, value))
	}
	return sum
}

func ratFloat(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// Depth stays within half an ulp of binary32 and 2^-34 of the largest depth of
// the primitive, for every covered sample; thin triangles included.
// RAS-006, RAS-247
func TestDepth_RAS247_ExactOracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-006", "RAS-247")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-006, RAS-247", What: "depth of covered samples, before clamping and encoding", Bound: 1,
		Unit: "½ ulp of binary32 + 2⁻³⁴ of the largest depth",
		Why:  "Gradients err by 4·2⁻⁵² of the range of depths times an aspect ratio that is at most 2¹⁴ (thinner triangles take exact numerators), in x and in y: 2⁻³⁵. One rounding to binary32 follows."})
	rng := rand.New(rand.NewPCG(3, 4))
	r, ss := Rect{0, 0, 64, 64}, Samples(4)
	thin := 0
	for range rules.Cases(3000, 60_000) {
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		if rng.IntN(3) == 0 { // a sliver through the tile
			p = polygon(at(-4000+rng.Float64(), 20), at(4100, 40+rng.Float64()), at(4100, 40.1+rng.Float64()))
		}
		var z [3]float64
		largest := 0.0
		for k := range 3 {
			z[k] = rng.Float64()
			p.C[k].Z = z[k]
			largest = max(largest, z[k])
		}
		for _, s := range fill(p, fillState(4)) {
			if s.Thin {
				thin++
			}
			var quads [1024]Quad
			n := s.Cover(quads[:], nil, r, ss)
			if n == 0 {
				continue
			}
			q := quads[rng.IntN(n)]
			var out [16]float32
			s.Depth([]Quad{q}, ss, out[:])
			for bit := range int32(64) {
				if q.Mask>>bit&1 == 0 {
					continue
				}
				lane, k := bit>>4, bit&15
				x, y := (q.X+lane&1)*256+ss.X[k], (q.Y+lane>>1)*256+ss.Y[k]
				want := ratFloat(exactPlane(p, z, x, y))
				got := out[lane*4+k]
				ulp := float64(math.Nextafter32(float32(want), 2) - float32(want))
				e.Add(math.Abs(float64(got)-want)/(ulp/2+largest*0x1p-34), func() string {
					return fmt.Sprintf("depth %v, want %v; %v at %d,%d (thin %v)", got, want, p.C[:3], x, y, s.Thin)
				})
				var one [1]float32
				if s.DepthAt([]int32{x}, []int32{y}, one[:]); one[0] != got {
					t.Fatalf("DepthAt %v, Depth %v", one[0], got)
				}
			}
		}
	}
	e.Done(t, 300)
	if thin < 10 {
		t.Errorf("only %d thin triangles", thin)
	}
}

// The pairs (i, j) stay within 2^-23 of the exact ones for covered samples, with
// w over a range of 2^20.
// RAS-245, RAS-246, RAS-247, RAS-288
func TestIJ_RAS246_ExactOracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-245", "RAS-246", "RAS-247", "RAS-288", "RAS-248")
	row := func(rule, what string) *rules.Exactness {
		return rules.Measure(rules.Row{Part: "Rasterization", Rules: rule, What: what, Bound: 1, Unit: "2⁻²³ of max(1, |exact|)",
			Why: "Planes err by 2⁻³⁴ of their range as depth does, and start at the corner with the smallest 1/w, so that range is no more than their values; a division and a rounding to binary32 add 2⁻²⁴."})
	}
	pairs, linears, ws := row("RAS-245, RAS-246", "perspective weights i, j of covered pixels, w over 2²⁰"), row("RAS-247", "linear weights"), row("RAS-247, RAS-288", "FragCoord.w")
	rng := rand.New(rand.NewPCG(5, 6))
	r, ss := Rect{0, 0, 64, 64}, Samples(1)
	for range rules.Cases(4000, 100_000) {
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		var inv [3]float64
		for k := range 3 {
			w := float64(float32(math.Exp2(rng.Float64()*20 - 10)))
			inv[k] = 1 / w
			p.C[k].InvW, p.W[k] = inv[k], w
		}
		for _, s := range fill(p, fillState(1)) {
			var quads [1024]Quad
			n := s.Cover(quads[:], nil, r, ss)
			if n == 0 {
				continue
			}
			q := quads[rng.IntN(n)]
			var i, j, li, lj, fx, fy, fz, fw [4]float32
			s.IJ([]Quad{q}, i[:], j[:])
			s.IJLinear([]Quad{q}, li[:], lj[:])
			s.FragCoord([]Quad{q}, fx[:], fy[:], fz[:], fw[:])
			for lane := range int32(4) {
				if q.Mask>>(16*lane)&1 == 0 {
					continue
				}
				x, y := (q.X+lane&1)*256+128, (q.Y+lane>>1)*256+128
				u := exactPlane(p, [3]float64{0, inv[1], 0}, x, y)
				v := exactPlane(p, [3]float64{0, 0, inv[2]}, x, y)
				w := exactPlane(p, inv, x, y)
				check := func(e *rules.Exactness, got float32, want float64) {
					e.Add(math.Abs(float64(got)-want)/(0x1p-23*max(1, math.Abs(want))), func() string {
						return fmt.Sprintf("got %v, want %v; %v thin %v", got, want, p.C[:3], s.Thin)
					})
				}
				check(pairs, i[lane], ratFloat(new(big.Rat).Quo(u, w)))
				check(pairs, j[lane], ratFloat(new(big.Rat).Quo(v, w)))
				check(linears, li[lane], ratFloat(exactPlane(p, [3]float64{0, 1, 0}, x, y)))
				check(linears, lj[lane], ratFloat(exactPlane(p, [3]float64{0, 0, 1}, x, y)))
				check(ws, fw[lane], ratFloat(w))
				if fx[lane] != float32(x)/256 || fy[lane] != float32(y)/256 {
					t.Fatalf("FragCoord %v,%v", fx[lane], fy[lane])
				}
				var ai, aj [1]float32
				if s.IJAt([]int32{x}, []int32{y}, ai[:], aj[:]); ai[0] != i[lane] || aj[0] != j[lane] {
					t.Fatal("IJAt differs from IJ")
				}
			}
		}
	}
	pairs.Done(t, 200)
	linears.Done(t, 200)
	ws.Done(t, 100)
}

// strictOracle is RAS-200 in integers without limit.
func strictOracle(a, b Corner, width256 int64, x, y int32) bool {
	n := big.NewInt
	mul := func(p, q *big.Int) *big.Int { return new(big.Int).Mul(p, q) }
	dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	vx, vy := int64(x)-int64(a.X), int64(y)-int64(a.Y)
	l2 := new(big.Int).Add(mul(n(dx), n(dx)), mul(n(dy), n(dy)))
	q := new(big.Int).Add(mul(n(vx), n(dx)), mul(n(vy), n(dy)))
	k := new(big.Int).Sub(mul(n(dx), n(vy)), mul(n(dy), n(vx)))
	owned := func(nx, ny int64) bool { return nx > 0 || nx == 0 && ny > 0 }
	if l2.Sign() == 0 || q.Sign() < 0 || q.Cmp(l2) > 0 ||
		q.Sign() == 0 && !owned(dx, dy) || q.Cmp(l2) == 0 && !owned(-dx, -dy) {
		return false
	}
	c := mul(n(4), mul(k, k)).Cmp(mul(n(width256*width256), l2))
	if c != 0 {
		return c < 0
	}
	if k.Sign() < 0 {
		return owned(-dy, dx)
	}
	return owned(dy, -dx)
}

// RAS-200 with any width, anywhere in the guard band.
func TestLine_RAS200_ExactOracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-200", "RAS-199", "RAS-201", "RAS-202")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-199, RAS-200, RAS-201", What: "coverage of rectangular lines of any width, up to the ends of the guard band",
		Unit: "samples that differ", Why: "Both sides of 4k² ≤ W²·L² are integers below 2¹²⁸; the largest k is found once a line, exactly."})
	rng := rand.New(rand.NewPCG(7, 8))
	r := Rect{0, 0, 24, 24}
	hits := 0
	for range rules.Cases(800, 20_000) {
		g := &Segment{A: randomCorner(rng), B: randomCorner(rng), U1: 1}
		st := fillState(1 << rng.IntN(3))
		width := int64(1 + rng.IntN(20*128))
		if rng.IntN(2) == 0 {
			width = 128 * int64(1+rng.IntN(3))
		}
		st.LineWidth = float32(width) / 128
		got := coverage(t, lines(g, st), nil, r, int32(st.Samples), 16)
		ss := Samples(st.Samples)
		var want []sampleAt
		for y := r.Y0; y < r.Y1; y++ {
			for x := r.X0; x < r.X1; x++ {
				for k := range int32(st.Samples) {
					if strictOracle(g.A, g.B, 2*width, x*256+ss.X[k], y*256+ss.Y[k]) {
						want = append(want, sampleAt{x, y, k})
					}
				}
			}
		}
		wrong := 0.0
		if !slices.Equal(got, want) {
			wrong = differing(got, want)
		}
		e.Add(wrong, func() string {
			return fmt.Sprintf("%v to %v, width %d/128: %d samples, want %d", g.A, g.B, width, len(got), len(want))
		})
		hits += len(want)
	}
	e.Done(t, 80)
	if hits < 1000 {
		t.Errorf("only %d samples", hits)
	}
}

// RAS-205, RAS-206, corner case 43: perspective and linear at the middle.
func TestLine_RAS206_Attributes(t *testing.T) {
	rules.Covers(t, "RC-43", "RAS-205", "RAS-206")
	g := segmentAt(.5, .5, 8.5, .5)
	g.A.InvW, g.B.InvW, g.W = 1, 1./3, [2]float64{1, 3}
	s := lines(g, fillState(1))[0]
	x, y := []int32{4*256 + 128}, []int32{128}
	var i, j [1]float32
	if s.IJAt(x, y, i[:], j[:]); i[0] != .25 || j[0] != 0 {
		t.Errorf("perspective %v, %v", i, j)
	}
	if s.IJLinearAt(x, y, i[:], j[:]); i[0] != .5 || j[0] != 0 {
		t.Errorf("linear %v, %v", i, j)
	}
	// Across the line nothing changes.
	var k [1]float32
	if s.IJAt(x, []int32{-300}, k[:], j[:]); k[0] != .25 {
		t.Errorf("beside the line %v", k)
	}
}

// diamondOracle is RAS-211 with the shift by -(eps, eps^2) done in integers: a
// subpixel is 2^40 units, eps 2^20 and eps^2 one. Along (x+y, x-y) the diamond is
// an open square.
func diamondOracle(a, b Corner, x, y int64) bool {
	const unit, eps, half = 1 << 40, 1 << 20, 128 << 40
	rel := func(c Corner) (p, q int64) {
		dx := (int64(c.X)-x*256-128)*unit - eps
		dy := (int64(c.Y)-y*256-128)*unit - 1
		return dx + dy, dx - dy
	}
	ap, aq := rel(a)
	bp, bq := rel(b)
	if max(bp, -bp) < half && max(bq, -bq) < half {
		return false
	}
	// The open interval of the parameter in which the segment is inside.
	lo, hi := new(big.Rat), big.NewRat(1, 1)
	for _, e := range [][2]int64{{ap, bp}, {aq, bq}} {
		d := e[1] - e[0]
		if d == 0 {
			if max(e[0], -e[0]) >= half {
				return false
			}
			continue
		}
		t0, t1 := big.NewRat(-half-e[0], d), big.NewRat(half-e[0], d)
		if t0.Cmp(t1) > 0 {
			t0, t1 = t1, t0
		}
		if t0.Cmp(lo) > 0 {
			lo = t0
		}
		if t1.Cmp(hi) < 0 {
			hi = t1
		}
	}
	return lo.Cmp(hi) < 0
}

// RAS-210, RAS-211, RAS-212, RAS-213, RAS-214 against the rule itself.
func TestLine_RAS211_DiamondOracle(t *testing.T) {
	rules.Covers(t, "RAS-210", "RAS-211", "RAS-212", "RAS-213", "RAS-214")
	rng := rand.New(rand.NewPCG(15, 16))
	r := Rect{0, 0, 8, 8}
	for range 400 {
		grid := int32(1) << rng.IntN(8)
		random := func() Corner {
			return Corner{X: rng.Int32N(8*256/grid+1) * grid, Y: rng.Int32N(8*256/grid+1) * grid, InvW: 1}
		}
		g := &Segment{A: random(), B: random(), U1: 1}
		if g.A == g.B {
			continue
		}
		want := diamonds(g.A, g.B, r)
		if got := coverage(t, lines(g, &bresenham), nil, r, 1, 4); !slices.Equal(got, want) {
			t.Fatalf("%v to %v: got %s, want %s", g.A, g.B, pixels(got), pixels(want))
		}
	}
}

// Any rectangle asked for, odd ones too, gives its part of the same coverage.
func TestCover_OddRectangles(t *testing.T) {
	rules.Covers(t, "RAS-097", "RAS-098", "RAS-244", "RAS-361", "RAS-367")
	rng := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		for _, setups := range [][]Setup{fill(p, fillState(4)), lines(&Segment{A: p.C[0], B: p.C[1], U1: 1}, &bresenham)} {
			whole := coverage(t, setups, nil, Rect{0, 0, 24, 24}, 4, 64)
			x, y := rng.Int32N(24), rng.Int32N(24)
			r := Rect{x, y, x + 1 + rng.Int32N(24-x), y + 1 + rng.Int32N(24-y)}
			want := slices.DeleteFunc(whole, func(s sampleAt) bool { return s.x < r.X0 || s.x >= r.X1 || s.y < r.Y0 || s.y >= r.Y1 })
			if got := coverage(t, setups, nil, r, 4, 64); !slices.Equal(got, want) {
				t.Fatalf("%+v: %d samples, want %d", r, len(got), len(want))
			}
		}
	}
}
