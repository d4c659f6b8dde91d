package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// RAS-131, RAS-132: samples of a fragment of several pixels, as each of its pixels
// sees them.
func TestSamples_RAS131_Scaled(t *testing.T) {
	rules.Covers(t, "RAS-131", "RAS-132")
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
		for _, size := range [][2]int32{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {1, 4}, {4, 4}} {
			w, h := size[0], size[1]
			ss, standard := ScaledSamples(n, w, h), Samples(n)
			if w == 1 && h == 1 {
				if ss != standard {
					t.Errorf("fragments of one pixel: %+v", ss)
				}
				continue
			}
			x0, x1, y0, y1 := int32(math.MaxInt32), int32(math.MinInt32), int32(math.MaxInt32), int32(math.MinInt32)
			for y := range int32(8) {
				for x := range int32(8) {
					set := ss.Of(x, y)
					for i := range n {
						// The same place in the framebuffer from every pixel.
						gx, gy := x*256+set.X[i], y*256+set.Y[i]
						if gx != x/w*w*256+standard.X[i]*w || gy != y/h*h*256+standard.Y[i]*h {
							t.Fatalf("%d samples over %dx%d: sample %d from (%d, %d) at (%d, %d)", n, w, h, i, x, y, gx, gy)
						}
						if set.X[i] < set.X0 || set.X[i] > set.X1 || set.Y[i] < set.Y0 || set.Y[i] > set.Y1 {
							t.Fatalf("sample %d outside of its bounds: %+v", i, set)
						}
						x0, x1, y0, y1 = min(x0, set.X[i]), max(x1, set.X[i]), min(y0, set.Y[i]), max(y1, set.Y[i])
					}
				}
			}
			if ss.X0 != x0 || ss.X1 != x1 || ss.Y0 != y0 || ss.Y1 != y1 || ss.N != n {
				t.Errorf("%d samples over %dx%d: %d…%d, %d…%d, said %d…%d, %d…%d", n, w, h, x0, x1, y0, y1, ss.X0, ss.X1, ss.Y0, ss.Y1)
			}
		}
	}
	if ScaledSamples(3, 2, 2) != nil {
		t.Error("three samples")
	}
}

// weights are the barycentric weights of a position in a triangle, in binary64.
func weights(p *Polygon, x, y int32) [3]float64 {
	area := float64(cross(&p.C[0], &p.C[1], &p.C[2]))
	at := Corner{X: x, Y: y}
	return [3]float64{float64(cross(&at, &p.C[1], &p.C[2])) / area, float64(cross(&p.C[0], &at, &p.C[2])) / area, float64(cross(&p.C[0], &p.C[1], &at)) / area}
}

// RAS-077, RAS-079, RAS-080: what planes and the viewport leave of a triangle: each
// sample that is inside of all of them, and no other.
func TestCuts_RAS079_SampleBySample(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-079", "RAS-080")
	rng := rand.New(rand.NewPCG(77, 80))
	r := Rect{0, 0, 16, 16}
	cut, left := 0, 0
	for trial := range 240 {
		samples := []int{1, 4, 8}[trial%3]
		ss := Samples(samples)
		corner := func() Corner {
			return Corner{X: rng.Int32N(18*64)*4 - 256, Y: rng.Int32N(18*64)*4 - 256, InvW: 1}
		}
		p := polygon(corner(), corner(), corner())
		if cross(&p.C[0], &p.C[1], &p.C[2]) == 0 {
			continue
		}
		p.Cuts = rng.IntN(3)
		for i := range p.Cuts {
			for k := range 3 {
				p.D[i][k] = float64(rng.IntN(9) - 4)
			}
			if rng.IntN(8) == 0 {
				p.D[i][1], p.D[i][2] = p.D[i][0], p.D[i][0]
			}
		}
		st := fillState(samples)
		st.ViewRect = Rect{rng.Int32N(5 * 256), rng.Int32N(5 * 256), 10*256 + rng.Int32N(8*256), 10*256 + rng.Int32N(8*256)}
		// Sides anywhere, on samples, a subpixel beside them, between pixels.
		between, off := []int32{0, 15, 15, 255}[trial%4], []int32{0, 0, 1, 0}[trial%4]
		st.ViewRect = Rect{st.ViewRect.X0&^between + off, st.ViewRect.Y0&^between + off, st.ViewRect.X1&^between + off, st.ViewRect.Y1&^between + off}
		setups, extra := AppendPolygon(nil, nil, p, st, 0)
		var got [16][16][8]int
		for _, s := range coverage(t, setups, extra, r, int32(samples), 16) {
			got[s.y][s.x][s.sample]++
		}
		for y := range int32(16) {
			for x := range int32(16) {
				for s := range samples {
					px, py := x*256+ss.X[s], y*256+ss.Y[s]
					want, near := inside(p, px, py), false
					v := st.ViewRect
					want = want && px >= v.X0 && px < v.X1 && py >= v.Y0 && py < v.Y1
					w := weights(p, px, py)
					for i := range p.Cuts {
						d := w[0]*p.D[i][0] + w[1]*p.D[i][1] + w[2]*p.D[i][2]
						near = near || math.Abs(d) < 1e-5 && p.D[i][0]*p.D[i][0]+p.D[i][1]*p.D[i][1]+p.D[i][2]*p.D[i][2] > 0
						if d <= 0 {
							if want {
								cut++
							}
							want = false
						}
					}
					n, once := got[y][x][s], 0
					if want {
						left, once = left+1, 1
					}
					if !near && n != once {
						t.Fatalf("trial %d: sample %d of (%d, %d) covered %d times, want %v; cuts %v, view %+v", trial, s, x, y, n, want, p.D[:p.Cuts], v)
					}
				}
			}
		}
	}
	if cut < 1000 || left < 1000 {
		t.Errorf("%d samples cut, %d left: too few to tell", cut, left)
	}
}

// RAS-084, RAS-246: the pieces of a clipped polygon carry the weights of its corners,
// in perspective and without.
func TestPieces_RAS246_WeightsOfCorners(t *testing.T) {
	rules.Covers(t, "RAS-246", "RAS-084")
	rng := rand.New(rand.NewPCG(84, 246))
	for trial := range 120 {
		v := [3][2]float64{{rng.Float64() * 900, rng.Float64() * 900}, {rng.Float64() * 900, 1000 + rng.Float64()*900}, {1000 + rng.Float64()*900, rng.Float64() * 1900}}
		if trial%2 == 1 {
			v[1], v[2] = v[2], v[1]
		}
		w := [3]float64{1, 1, 1}
		if trial%3 != 0 {
			w = [3]float64{0.5 + rng.Float64(), 0.5 + rng.Float64(), 0.5 + rng.Float64()}
		}
		at := func(l1, l2 float64) Corner {
			l := [3]float64{1 - l1 - l2, l1, l2}
			var x, y, sum float64
			for k := range l {
				x, y, sum = x+l[k]*w[k]*v[k][0], y+l[k]*w[k]*v[k][1], sum+l[k]*w[k]
			}
			return Corner{X: int32(math.Round(x / sum * 256)), Y: int32(math.Round(y / sum * 256)), InvW: 1 / sum, L1: l1, L2: l2, Z: l1/4 + l2/2}
		}
		// Two corners are cut off.
		p := &Polygon{N: 5, W: w}
		p.C[0], p.C[1], p.C[2], p.C[3], p.C[4] = at(0.25, 0), at(0.75, 0), at(0.75, 0.25), at(0, 1), at(0, 0.25)
		st := fillState(1)
		st.ViewRect = Rect{-1 << 27, -1 << 27, 1 << 27, 1 << 27}
		setups, _ := AppendPolygon(nil, nil, p, st, 0)
		if len(setups) != 3 {
			t.Fatalf("trial %d: %d pieces", trial, len(setups))
		}
		for n := range setups {
			for _, k := range []int{0, n + 1, n + 2} {
				c := &p.C[k]
				i, j := make([]float32, 1), make([]float32, 1)
				setups[n].IJAt([]int32{c.X}, []int32{c.Y}, i, j)
				if math.Abs(float64(i[0])-c.L1) > 1e-4 || math.Abs(float64(j[0])-c.L2) > 1e-4 {
					t.Fatalf("trial %d: piece %d has (%v, %v) at corner %d, want (%v, %v)", trial, n, i[0], j[0], k, c.L1, c.L2)
				}
				x, y, z, iw := make([]float32, 1), make([]float32, 1), make([]float32, 1), make([]float32, 1)
				setups[n].FragCoordAt([]int32{c.X}, []int32{c.Y}, x, y, z, iw)
				if math.Abs(float64(iw[0])-c.InvW) > 1e-5*c.InvW || math.Abs(float64(z[0])-c.Z) > 1e-5 {
					t.Fatalf("trial %d: piece %d has depth %v and 1/w %v at corner %d, want %v and %v", trial, n, z[0], iw[0], k, c.Z, c.InvW)
				}
			}
		}
	}
}

// RAS-271, RAS-273: what has no area or length, overestimated, has the values of its
// provoking vertex.
func TestConservative_RAS271_ProvokingValues(t *testing.T) {
	rules.Covers(t, "RAS-197", "RAS-271", "RAS-273")
	st := fillState(1)
	st.Conservative = vk.ConservativeRasterizationModeOverestimateEXT
	for provoking := range uint8(3) {
		for order := range 3 { // which corner lies between the others
			places := [3][2]float64{{1.5, 1.5}, {5.5, 5.5}, {3.5, 3.5}}
			var c [3]Corner
			for k := range c {
				q := places[(k+order)%3]
				c[k] = at(q[0], q[1])
				c[k].Z, c[k].InvW = float64(k)/4, 1/float64(k+1)
			}
			p := polygon(c[0], c[1], c[2])
			p.Provoking = provoking
			for range order { // corners may start anywhere
				p.C[0], p.C[1], p.C[2] = p.C[1], p.C[2], p.C[0]
			}
			setups, extra := AppendPolygon(nil, nil, p, st, 9)
			if len(setups) != 1 {
				t.Fatalf("%d set-ups", len(setups))
			}
			wantPixels(t, "the diagonal", setups, extra, pixels(coverage(t, setups, extra, Rect{0, 0, 16, 16}, 1, 16)))
			for _, pos := range [][2]int32{{384, 384}, {0, 4000}} {
				i, j, li, lj, z, w := valuesAt(&setups[0], pos[0], pos[1])
				want := [3][2]float32{{0, 0}, {1, 0}, {0, 1}}[provoking]
				if i != want[0] || j != want[1] || li != i || lj != j || z != float32(provoking)/4 || w != 1/float32(provoking+1) {
					t.Errorf("provoking %d, order %d: (%v, %v), linear (%v, %v), depth %v, 1/w %v", provoking, order, i, j, li, lj, z, w)
				}
			}
		}
		g := segmentAt(3.5, 3.5, 3.5, 3.5)
		g.B.Z, g.A.InvW, g.B.InvW = 0.5, 0.25, 0.25
		st.ProvokingLast = provoking == 1
		setups, _ := AppendSegment(nil, nil, g, st, 5)
		if len(setups) != 1 || setups[0].Prim != 5 || !setups[0].FrontFacing || setups[0].Z.C != map[bool]float64{true: 0.5}[st.ProvokingLast] {
			t.Errorf("a line without length: %+v", setups)
		}
		last := map[bool]float32{true: 1}[st.ProvokingLast]
		if i, j, li, lj, _, _ := valuesAt(&setups[0], 1000, -700); i != last || j != 0 || li != last || lj != 0 {
			t.Errorf("a line without length: (%v, %v), linear (%v, %v), want (%v, 0)", i, j, li, lj, last)
		}
	}
	st.Conservative = 0
	if setups, _ := AppendSegment(nil, nil, segmentAt(3.5, 3.5, 3.5, 3.5), st, 5); len(setups) != 0 {
		t.Error("a line without length is drawn")
	}
}

func TestRect_EmptyAndIntersect(t *testing.T) {
	for r, want := range map[Rect]bool{{0, 0, 1, 1}: false, {0, 0, 0, 1}: true, {0, 0, 1, 0}: true, {5, 0, 4, 1}: true, {0, 5, 1, 4}: true, {-2, -2, -1, -1}: false} {
		if r.Empty() != want {
			t.Errorf("%+v is empty: %v", r, !want)
		}
	}
	if got := (Rect{0, 1, 10, 11}).Intersect(Rect{2, -1, 12, 7}); got != (Rect{2, 1, 10, 7}) {
		t.Errorf("%+v", got)
	}
}

// RAS-206, RAS-246: along a line in perspective the weight of the second vertex is that
// of clip space, at both ends and between, whichever end is nearer.
func TestLine_RAS206_Perspective(t *testing.T) {
	rules.Covers(t, "RAS-206", "RAS-246", "RAS-231")
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeBresenham} {
		for _, w := range [][2]float64{{1, 4}, {4, 1}, {2, 2}, {0.5, 8}} {
			g := segmentAt(1.5, 2.5, 13.5, 2.5)
			g.W = w
			g.A.InvW, g.B.InvW, g.A.Z, g.B.Z = 1/w[0], 1/w[1], 0.25, 0.75
			st := fillState(1)
			st.LineMode = mode
			setups, _ := AppendSegment(nil, nil, g, st, 0)
			if len(setups) != 1 {
				t.Fatal("no line")
			}
			for _, x := range []float64{1.5, 4.5, 7.5, 13.5} {
				s := (x - 1.5) / 12
				i, j, fx, fy, fz, fw := []float32{9}, []float32{9}, []float32{9}, []float32{9}, []float32{9}, []float32{9}
				at, y := []int32{int32(x * 256)}, []int32{2*256 + 128}
				setups[0].IJAt(at, y, i, j)
				setups[0].FragCoordAt(at, y, fx, fy, fz, fw)
				want := s / w[1] / ((1-s)/w[0] + s/w[1])
				if math.Abs(float64(i[0])-want) > 1e-6 || j[0] != 0 || math.Abs(float64(fz[0])-(0.25+0.5*s)) > 1e-6 || math.Abs(float64(fw[0])-((1-s)/w[0]+s/w[1])) > 1e-6 {
					t.Errorf("mode %v, w %v, at %v: (%v, %v), want %v; depth %v, 1/w %v", mode, w, x, i[0], j[0], want, fz[0], fw[0])
				}
				setups[0].IJLinearAt(at, y, i, j)
				if math.Abs(float64(i[0])-s) > 1e-6 || j[0] != 0 {
					t.Errorf("mode %v, w %v, at %v: noperspective (%v, %v), want %v", mode, w, x, i[0], j[0], s)
				}
			}
		}
	}
}

// RAS-271: a polygon without area, overestimated, covers the pixels whose closed
// squares it touches: exactly, in any direction, for any order of its corners.
func TestConservative_RAS271_Touched(t *testing.T) {
	rules.Covers(t, "RAS-271", "RAS-267")
	st := fillState(1)
	st.Conservative = vk.ConservativeRasterizationModeOverestimateEXT
	for _, c := range [][4]int32{{384, 384, 1408, 1408}, {384, 1408, 1408, 384}, {300, 700, 3000, 700}, {700, 300, 700, 3000}, {512, 256, 512, 1024}, {100, 130, 3300, 1730}, {3300, 130, 100, 1730}, {640, 640, 640, 640}} {
		x0, y0, x1, y1 := c[0], c[1], c[2], c[3]
		for order := range 3 {
			places := [3][2]int32{{x0, y0}, {x1, y1}, {(x0 + x1) / 2, (y0 + y1) / 2}}
			var q [3]Corner
			for k := range q {
				q[k] = Corner{X: places[(k+order)%3][0], Y: places[(k+order)%3][1], InvW: 1}
			}
			setups, extra := AppendPolygon(nil, nil, polygon(q[0], q[1], q[2]), st, 0)
			got := map[[2]int32]bool{}
			for _, s := range coverage(t, setups, extra, Rect{0, 0, 16, 16}, 1, 16) {
				got[[2]int32{s.x, s.y}] = true
			}
			for py := range int32(16) {
				for px := range int32(16) {
					// The segment and the square in whole numbers: boxes that meet, and
					// corners of the square on both sides of the line.
					lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
					for k := range int32(4) {
						e := int64(x1-x0)*int64(py*256+k/2*256-y0) - int64(y1-y0)*int64(px*256+k%2*256-x0)
						lo, hi = min(lo, e), max(hi, e)
					}
					want := lo <= 0 && hi >= 0 && max(x0, x1) >= px*256 && min(x0, x1) <= px*256+256 && max(y0, y1) >= py*256 && min(y0, y1) <= py*256+256
					if got[[2]int32{px, py}] != want {
						t.Errorf("%v, order %d: pixel (%d, %d) covered %v", c, order, px, py, !want)
					}
				}
			}
		}
	}
}

// RAS-189: a point covers the samples of a half-open square, those on its left and
// upper sides and not those on the others.
func TestPoint_RAS189_HalfOpen(t *testing.T) {
	rules.Covers(t, "RAS-189")
	rng := rand.New(rand.NewPCG(18, 9))
	on := 0
	for trial := range 200 {
		samples := []int{1, 2, 4, 8}[trial%4]
		ss := Samples(samples)
		size := 1 + rng.IntN(5)
		p := Point{Corner: Corner{X: 16 * rng.Int32N(160), Y: 16 * rng.Int32N(160), InvW: 1}, Size: float32(size) / 2}
		p.FX, p.FY = float64(p.X)/256, float64(p.Y)/256
		k := int32(size) * 64 // half of the size, subpixels
		setups, extra := AppendPoint(nil, nil, &p, fillState(samples), 0)
		var got [16][16][8]bool
		for _, s := range coverage(t, setups, extra, Rect{0, 0, 16, 16}, int32(samples), 16) {
			got[s.y][s.x][s.sample] = true
		}
		for y := range int32(16) {
			for x := range int32(16) {
				for s := range samples {
					sx, sy := x*256+ss.X[s], y*256+ss.Y[s]
					want := p.X-k <= sx && sx < p.X+k && p.Y-k <= sy && sy < p.Y+k
					if sx == p.X+k || sy == p.Y+k {
						on++
					}
					if got[y][x][s] != want {
						t.Fatalf("a point of %v at (%v, %v): sample %d of (%d, %d) covered %v", p.Size, p.FX, p.FY, s, x, y, !want)
					}
				}
			}
		}
	}
	if on < 100 {
		t.Errorf("%d samples on the open sides", on)
	}
}
