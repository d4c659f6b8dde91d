package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// RAS-106: the standard sample locations, as the specification lists them.
func TestSamples_RAS106_Locations(t *testing.T) {
	rules.Covers(t, "RAS-106")
	for n, want := range map[int][][2]float64{
		1: {{0.5, 0.5}}, 2: {{0.75, 0.75}, {0.25, 0.25}}, 4: {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
		8: {{0.5625, 0.3125}, {0.4375, 0.6875}, {0.8125, 0.5625}, {0.3125, 0.1875}, {0.1875, 0.8125}, {0.0625, 0.4375}, {0.6875, 0.9375}, {0.9375, 0.0625}},
		16: {{0.5625, 0.5625}, {0.4375, 0.3125}, {0.3125, 0.625}, {0.75, 0.4375}, {0.1875, 0.375}, {0.625, 0.8125}, {0.8125, 0.6875}, {0.6875, 0.1875},
			{0.375, 0.875}, {0.5, 0.0625}, {0.25, 0.125}, {0.125, 0.75}, {0.0, 0.5}, {0.9375, 0.25}, {0.875, 0.9375}, {0.0625, 0.0}},
	} {
		ss := Samples(n)
		if ss.N != n || ss.Custom || len(want) != n {
			t.Errorf("%d samples: %+v", n, ss)
		}
		x0, x1, y0, y1 := int32(256), int32(0), int32(256), int32(0)
		for i, l := range want {
			if float64(ss.X[i])/256 != l[0] || float64(ss.Y[i])/256 != l[1] {
				t.Errorf("sample %d of %d at (%d, %d)/256, want %v", i, n, ss.X[i], ss.Y[i], l)
			}
			x0, x1, y0, y1 = min(x0, ss.X[i]), max(x1, ss.X[i]), min(y0, ss.Y[i]), max(y1, ss.Y[i])
		}
		if ss.X0 != x0 || ss.X1 != x1 || ss.Y0 != y0 || ss.Y1 != y1 {
			t.Errorf("%d samples lie in %d…%d, %d…%d; said %d…%d, %d…%d", n, x0, x1, y0, y1, ss.X0, ss.X1, ss.Y0, ss.Y1)
		}
	}
	for _, n := range []int{0, 3, 5, 48, 128, -1} {
		if Samples(n) != nil {
			t.Errorf("%d samples", n)
		}
	}
}

// setups are primitives of every kind.
func setups(rng *rand.Rand) (out []Setup, extra []HalfPlane) {
	corner := func() Corner {
		return Corner{X: rng.Int32N(12 * 256), Y: rng.Int32N(12 * 256), Z: rng.Float64(), InvW: 0.25 + rng.Float64(), L1: rng.Float64(), L2: rng.Float64() / 2}
	}
	for range 60 {
		p := polygon(corner(), corner(), corner())
		p.Provoking = uint8(rng.IntN(3))
		out = append(out, fill(p, fillState(1))...)
		out = append(out, fill(p, conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0))...)
		st := fillState(1)
		st.LineWidth = 1 + 3*rng.Float32()
		g := Segment{A: corner(), B: corner(), U0: float64(rng.IntN(2)) / 3, U1: 1}
		g.A.L1, g.B.L1, g.A.L2, g.B.L2 = 0, 1, 0, 0
		g.W = [2]float64{1 / g.A.InvW, 1 / g.B.InvW}
		for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeBresenham} {
			st.LineMode = mode
			out, extra = AppendSegment(out, extra, &g, st, 3)
		}
		pt := Point{Corner: corner(), Size: 1 + 4*rng.Float32()}
		pt.FX, pt.FY = float64(pt.X)/256+0.001, float64(pt.Y)/256-0.001
		out, extra = AppendPoint(out, extra, &pt, st, 4)
	}
	return out, extra
}

// Whatever asks for a value at a position gets the same bits: for whole quads, lists
// of positions and samples, through kernels and one by one.
// RAS-247, RAS-283, RAS-285
func TestEval_EveryWayTheSame(t *testing.T) {
	rules.Covers(t, "RAS-285", "RAS-247", "RAS-283", "RAS-284")
	rng := rand.New(rand.NewPCG(28, 5))
	list, extra := setups(rng)
	grid := make([][2]float32, 4*4*4)
	for i := range grid {
		grid[i] = [2]float32{rng.Float32(), rng.Float32()}
	}
	sets := []*SampleSet{Samples(1), Samples(2), Samples(4), Samples(16), CustomSamples(1, 1, 1, grid), CustomSamples(2, 1, 1, grid), CustomSamples(4, 4, 4, grid), CustomSamples(2, 2, 2, grid)}
	kinds, thin := map[Kind]int{}, 0
	for trial := range list {
		s := &list[trial]
		kinds[s.Kind]++
		if s.Kind == KindTriangle && rng.IntN(4) == 0 {
			s.Thin = true // as if it were: both ways must agree
			s.P, s.Q = [2]int32{rng.Int32N(900) + 1, -rng.Int32N(900)}, [2]int32{rng.Int32N(900), rng.Int32N(900) + 1}
			for _, p := range []*Plane{&s.U, &s.V, &s.W, &s.Z} {
				p.GX, p.GY = p.GX*0x1p-10, p.GY*0x1p-10
			}
			thin++
		}
		quads := make([]Quad, 1+trial%11)
		for k := range quads {
			quads[k] = Quad{X: 2 * rng.Int32N(8), Y: 2 * rng.Int32N(8), Mask: rng.Uint64()}
		}
		n := 4 * len(quads)
		x, y, sx, sy := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		centerPositions(quads, x, y)
		for l := range n {
			q := quads[l/4]
			if x[l] != (q.X+int32(l%2))*256+128 || y[l] != (q.Y+int32(l%4/2))*256+128 {
				t.Fatalf("lane %d of %+v has its centre at (%d, %d)", l, q, x[l], y[l])
			}
		}
		floats := func() []float32 { return make([]float32, n) }
		i, j := floats(), floats()
		s.IJLinearAt(x, y, i, j)
		if s.Kind != KindPoint {
			for l := range n {
				dx, dy := s.pairDelta(x[l], y[l])
				if i[l] != float32(s.U.at(dx, dy)*s.LinearU) || j[l] != float32(s.V.at(dx, dy)*s.LinearV) {
					t.Fatalf("setup %d: linear pair (%v, %v)", trial, i[l], j[l])
				}
			}
		}
		fx, fy := floats(), floats()
		s.FragCoordAt(x, y, fx, fy, floats(), floats())
		s.PointCoordAt(x, y, i, j)
		for l := range n {
			if fx[l] != float32(x[l])/256 || fy[l] != float32(y[l])/256 || s.Kind != KindPoint && (i[l] != 0 || j[l] != 0) {
				t.Fatalf("setup %d: FragCoord (%v, %v), PointCoord (%v, %v)", trial, fx[l], fy[l], i[l], j[l])
			}
			if s.Kind == KindPoint {
				if u := 0.5 + (float64(x[l])/256-s.Point[0])/s.Point[2]; math.Abs(u-float64(i[l])) > 1e-5*math.Max(1, math.Abs(u)) {
					t.Fatalf("setup %d: PointCoord %v, want %v", trial, i[l], u)
				}
			}
		}
		for _, ss := range sets {
			z := make([]float32, n*ss.N)
			s.Depth(quads, ss, z)
			px, py, one := make([]int32, n), make([]int32, n), floats()
			for sample := range ss.N {
				SamplePositions(quads, ss, sample, px, py)
				s.DepthAt(px, py, one)
				for l := range n {
					q := quads[l/4]
					qx, qy := q.X+int32(l%2), q.Y+int32(l%4/2)
					of := ss
					if ss.Grid != nil {
						of = &ss.Grid[qy%4*4+qx%4]
					}
					if px[l] != qx*256+of.X[sample] || py[l] != qy*256+of.Y[sample] {
						t.Fatalf("sample %d of pixel (%d, %d) at (%d, %d)", sample, qx, qy, px[l], py[l])
					}
					if z[l*ss.N+sample] != one[l] {
						t.Fatalf("setup %d: depth of sample %d is %v and %v", trial, sample, z[l*ss.N+sample], one[l])
					}
				}
			}
			// RAS-284: the centre where it is inside or nothing is covered, else the
			// first covered sample.
			for k := range quads {
				quads[k].Mask = rng.Uint64() & rng.Uint64() & (uint64(1<<ss.N-1) * 0x0001_0001_0001_0001)
				if k%3 == 0 {
					quads[k].Mask |= uint64(1<<ss.N-1) << 16
				}
			}
			s.centroidPositions(quads, extra, ss, px, py)
			for l := range n {
				q := quads[l/4]
				m := q.Mask >> (16 * (l % 4)) & (1<<ss.N - 1)
				wx, wy := x[l], y[l]
				whole := ss.N == 1 && !ss.Custom || s.Square != squareNone || s.Kind == KindBresenham || m == 0 || m == 1<<ss.N-1 && !ss.Custom
				if !whole && !s.Contains(extra, wx, wy) {
					first := 0
					for m>>first&1 == 0 {
						first++
					}
					SamplePositions(quads, ss, first, sx, sy)
					wx, wy = sx[l], sy[l]
				}
				if px[l] != wx || py[l] != wy {
					t.Fatalf("setup %d, %d samples, mask %#x: centroid (%d, %d), want (%d, %d)", trial, ss.N, m, px[l], py[l], wx, wy)
				}
			}
		}
	}
	if len(kinds) < 4 || thin == 0 {
		t.Errorf("kinds %v, %d thin", kinds, thin)
	}
}

// RAS-246, RAS-255: beside a primitive, where 1/w is not positive, the pair is that of
// the provoking vertex.
func TestDivide_RAS255_Provoking(t *testing.T) {
	rules.Covers(t, "RAS-246", "RAS-255")
	for provoking, want := range [][2]float32{{0, 0}, {1, 0}, {0, 1}} {
		s := Setup{Provoking: uint8(provoking)}
		for _, w := range []float64{0, -1, math.NaN(), math.Copysign(0, -1)} {
			if i, j := s.divide(3, 4, w); i != want[0] || j != want[1] {
				t.Errorf("provoking %d, 1/w %v: (%v, %v)", provoking, w, i, j)
			}
		}
		if i, j := s.divide(3, 4, 0x1p-40); i != 3*0x1p40 || j != 4*0x1p40 {
			t.Errorf("a small 1/w: (%v, %v)", i, j)
		}
	}
}

// RAS-115, RAS-117: locations are clamped into the pixel and rounded to subpixels.
func TestSamples_RAS117_Snapped(t *testing.T) {
	rules.Covers(t, "RAS-117", "RAS-115")
	for in, want := range map[float32]int32{0: 0, -3: 0, 0.5: 128, 0.25: 64, 1: 255, 7: 255, 255. / 256: 255, 1.5 / 256: 2, 2.5 / 256: 2, 0.4 / 256: 0} {
		if got := snapLocation(in); got != want {
			t.Errorf("%v becomes %d, want %d", in, got, want)
		}
	}
	if got := snapLocation(float32(math.NaN())); got != 0 {
		t.Errorf("NaN becomes %d", got)
	}
	ss := CustomSamples(2, 2, 1, [][2]float32{{0.125, 0.25}, {0.5, 0.75}, {0, 0.0625}, {0.875, 0.5}})
	if ss.X0 != 0 || ss.X1 != 224 || ss.Y0 != 16 || ss.Y1 != 192 || !ss.Custom || ss.Of(5, 3).X[1] != 224 || ss.Of(4, 7).X[1] != 128 {
		t.Errorf("%+v", *ss)
	}
	one := CustomSamples(1, 1, 1, [][2]float32{{0.125, 0.25}})
	if one.X0 != 32 || one.X1 != 32 || one.Y0 != 64 || one.Y1 != 64 || one.Grid != nil || one.Of(3, 3) != one {
		t.Errorf("%+v", *one)
	}
}

// RAS-379: of any 2^k samples that follow a multiple of 2^k, each rectangle of area 2^-k whose sides are
// powers of two has one, and all together have their mean in the centre of the pixel. So each column
// and each row of as many as there are samples has one.
func TestSamples_RAS379_Nets(t *testing.T) {
	rules.Covers(t, "RAS-107", "RAS-379")
	for _, n := range []int{32, 64} {
		ss := Samples(n)
		sumX, sumY := int32(0), int32(0)
		for i := range n {
			sumX, sumY = sumX+ss.X[i], sumY+ss.Y[i]
			if step := int32(256 / n); ss.X[i]%step != step/2 || ss.Y[i]%step != step/2 {
				t.Errorf("sample %d of %d at (%d, %d)/256", i, n, ss.X[i], ss.Y[i])
			}
		}
		if sumX != int32(128*n) || sumY != int32(128*n) {
			t.Errorf("mean of %d samples at (%d, %d)/%d", n, sumX, sumY, 256*n)
		}
		for k := 0; 1<<k <= n; k++ {
			for first := 0; first < n; first += 1 << k {
				for wide := range k + 1 { // columns 2^-wide wide
					seen := map[[2]int32]bool{}
					for i := first; i < first+1<<k; i++ {
						seen[[2]int32{ss.X[i] >> (8 - wide), ss.Y[i] >> (8 - k + wide)}] = true
					}
					if len(seen) != 1<<k {
						t.Errorf("samples %d to %d of %d lie in %d of %d rectangles", first, first+1<<k-1, n, len(seen), 1<<k)
					}
				}
			}
		}
	}
	// The first eight, as worked out by hand from the scrambled matrices.
	for i, want := range [][2]int32{{60, 30}, {0, 62}, {34, 46}, {30, 14}, {51, 54}, {15, 22}, {45, 6}, {17, 38}} {
		if ss := Samples(64); ss.X[i] != 4*want[0]+2 || ss.Y[i] != 4*want[1]+2 {
			t.Errorf("sample %d at (%d, %d)/256, want %v/64", i, ss.X[i], ss.Y[i], want)
		}
	}
}

// Below the parabola y = 128 - x²/128, every number of samples is in some pixel: few of them are met
// at once. Of points that are not scrambled, some numbers are in none.
func TestSamples_RAS379_EveryCount(t *testing.T) {
	rules.Covers(t, "RAS-379")
	for _, n := range []int{32, 64} {
		ss, seen := Samples(n), map[int]bool{}
		for y := range int64(128) {
			for x := range int64(128) {
				below := 0
				for i := range n {
					if x, y := 256*x+int64(ss.X[i]), 256*y+int64(ss.Y[i]); 32768*y < 32768*32768-x*x {
						below++
					}
				}
				seen[below] = true
			}
		}
		if len(seen) != n+1 {
			t.Errorf("%d of %d numbers of samples occur", len(seen), n+1)
		}
	}
}

// Half of a pixel, a quarter and an eighth of it cover as many of its samples, wherever they lie at a
// multiple of their size: with 64 samples exactly their part.
func TestSamples_RAS379_Parts(t *testing.T) {
	rules.Covers(t, "RAS-114", "RAS-379")
	for _, n := range []int{32, 64} {
		for log := range 4 {
			for across := range log + 1 {
				w, h := int32(256>>across), int32(256>>(log-across))
				for x := int32(256); x < 512; x += w {
					for y := int32(256); y < 512; y += h {
						at := func(x, y int32) Corner { return Corner{X: x, Y: y, InvW: 1} }
						a, b, c, d := at(x, y), at(x+w, y), at(x+w, y+h), at(x, y+h)
						st, count := fillState(n), 0
						for _, p := range []*Polygon{{N: 3, C: [MaxCorners]Corner{a, b, c}}, {N: 3, C: [MaxCorners]Corner{a, c, d}}} {
							for _, s := range fill(p, st) {
								var found Coverage
								found.Grow(8, WordsOf(n, false))
								s.Find(&found, nil, Rect{0, 0, 8, 8}, Samples(n))
								count += int(found.Count())
							}
						}
						if count != n>>log {
							t.Errorf("%d×%d/256 at %d,%d covers %d of %d samples", w, h, x, y, count, n)
						}
					}
				}
			}
		}
	}
}
