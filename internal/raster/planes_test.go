package raster

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// valuesAt are the pairs and FragCoord's z and w at a position.
func valuesAt(s *Setup, x, y int32) (i, j, li, lj, z, w float32) {
	var a [4][1]float32
	px, py := []int32{x}, []int32{y}
	s.IJAt(px, py, a[0][:], a[1][:])
	s.IJLinearAt(px, py, a[2][:], a[3][:])
	i, j, li, lj = a[0][0], a[1][0], a[2][0], a[3][0]
	s.FragCoordAt(px, py, a[0][:], a[1][:], a[2][:], a[3][:])
	return i, j, li, lj, a[2][0], a[3][0]
}

// At its corners a triangle has the weights of its corners, in perspective and
// without, depth and 1/w, whatever corners have the same w; so have its sides and its
// corners in the other polygon modes.
// RAS-245, RAS-246, RAS-247, RAS-253
func TestPlanes_RAS246_AtCorners(t *testing.T) {
	rules.Covers(t, "RAS-245", "RAS-246", "RAS-247", "RAS-253", "RAS-254", "RAS-248", "RAS-368")
	for _, w := range [][3]float64{{1, 1, 1}, {2, 2, 2}, {2, 2, 8}, {2, 8, 2}, {8, 2, 2}, {1, 2, 4}, {4, 2, 1}, {2, 4, 1}} {
		for _, corners := range [][6]float64{{1.5, 2.5, 9.5, 3.5, 4.5, 11.5}, {1.5, 2.5, 4.5, 11.5, 9.5, 3.5}, {0.5, 0.5, 800.5, 1.5, 1600.5, 2.4921875}} {
			p := triangleAt(corners[0], corners[1], corners[2], corners[3], corners[4], corners[5])
			for k := range 3 {
				p.W[k], p.C[k].InvW, p.C[k].Z = w[k], 1/w[k], []float64{.25, .5, .875}[k]
			}
			for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeFillRectangleNV, vk.PolygonModeLine, vk.PolygonModePoint} {
				st := fillState(1)
				st.PolygonMode = mode
				list := fill(p, st)
				for n := range list {
					for k, want := range [3][2]float32{{0, 0}, {1, 0}, {0, 1}} {
						if mode == vk.PolygonModeLine && k == (n+2)%3 || mode == vk.PolygonModePoint && k != n {
							continue // not on this side, or another corner
						}
						i, j, li, lj, z, iw := valuesAt(&list[n], p.C[k].X, p.C[k].Y)
						near := func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6 }
						if !near(i, want[0]) || !near(j, want[1]) || !near(li, want[0]) || !near(lj, want[1]) || !near(z, float32(p.C[k].Z)) || !near(iw, float32(p.C[k].InvW)) {
							t.Errorf("w %v, %v, part %d at corner %d: (%v, %v), linear (%v, %v), z %v, 1/w %v", w, mode, n, k, i, j, li, lj, z, iw)
						}
					}
				}
			}
		}
	}
}

// Planes start at the first of the corners with the smallest 1/w, where it loses
// least.
func TestPlanes_ReferenceCorner(t *testing.T) {
	rules.Covers(t, "RAS-245", "RAS-207", "RAS-231")
	for inv, want := range map[[3]float64]int{
		{1, 1, 1}: 0, {1, 2, 3}: 0, {2, 1, 3}: 1, {3, 2, 1}: 2, {2, 1, 1}: 1, {1, 2, 1}: 0, {1, 1, 2}: 0, {3, 1, 2}: 1, {2, 3, 1}: 2, {1, 3, 2}: 0,
	} {
		p := triangleAt(1, 2, 9, 3, 4, 11)
		g := segmentAt(1, 2, 9, 3)
		for k := range 3 {
			p.C[k].InvW = inv[k]
		}
		g.A.InvW, g.B.InvW = inv[0], inv[1]
		if s := fill(p, fillState(1))[0]; s.RefX != p.C[want].X || s.RefY != p.C[want].Y {
			t.Errorf("1/w %v: planes start at (%d, %d)", inv, s.RefX, s.RefY)
		}
		c := &g.A
		if inv[1] < inv[0] {
			c = &g.B
		}
		if s := lines(g, fillState(1))[0]; s.RefX != c.X || s.RefY != c.Y {
			t.Errorf("1/w %v: a line's planes start at (%d, %d)", inv, s.RefX, s.RefY)
		}
	}
}

// Exact numerators take over for slivers in any direction, and for no triangle of
// ordinary shape.
func TestPlanes_Thin(t *testing.T) {
	rules.Covers(t, "RAS-245", "RAS-246", "RAS-247")
	for _, c := range []struct {
		p    *Polygon
		want bool
	}{
		{triangleAt(.5, .5, 800.5, 1.5, 1600.5, 2.4921875), true}, {triangleAt(0, 0, 4, 0, 0, 4), false}, {triangleAt(0, 0, 500, 0, 0, 500), false}, {triangleAt(0, 0, 1000, 0, 1000, 1), false},
		{triangleAt(0, .5, 1000, .5, 1000, .5+1./64), true}, {triangleAt(.5, 0, .5, 1000, .5+1./64, 1000), true},
		{triangleAt(0, 0, 1000, 1000, 1000, 1000+1./64), true}, {triangleAt(0, 0, -1000, 1000, -1000, 1000+1./64), true},
	} {
		if s := fill(c.p, fillState(1))[0]; s.Thin != c.want {
			t.Errorf("%v: thin %v", c.p.C[:3], s.Thin)
		}
	}
}

// A half-plane keeps where its function is positive; one without a gradient keeps all
// or nothing, and what is out of range stays on its side.
// RAS-077, RAS-078
func TestQuantize_RAS078_Sides(t *testing.T) {
	rules.Covers(t, "RAS-078", "RAS-077")
	c := &Corner{X: 1000, Y: -700}
	inf := math.Inf(1)
	for _, g := range [][2]float64{{0, 0}, {inf, 1}, {1, -inf}, {math.NaN(), 0}} {
		for d, want := range map[float64]HalfPlane{1: {}, 1e-300: {}, 0: {C: -1}, -1: {C: -1}} {
			if got := quantize(g[0], g[1], d, c); got != want {
				t.Errorf("gradient %v and %v: %+v", g, d, got)
			}
		}
	}
	for d, want := range map[float64]bool{0: false, 1e-290: true, -1e-290: false, 1: true} { // too small to have a direction
		if got := quantize(1e-310, -1e-310, d, c); got.A != 0 || got.B != 0 || (got.C >= 0) != want {
			t.Errorf("nearly no gradient and %v: %+v", d, got)
		}
	}
	at := func(h HalfPlane, x, y int32) bool { return int64(h.A)*int64(x)+int64(h.B)*int64(y)+h.C >= 0 }
	const far = 1 << 28
	for _, g := range [][2]float64{{1, 2}, {-3, 1}, {1e-300, 1e-301}, {1e300, 1e299}} {
		for _, x := range []int32{-far, -1, 0, 1, 5000, far} {
			for _, y := range []int32{-far, 3, far} {
				if v := g[0]*float64(x-c.X) + g[1]*float64(y-c.Y); math.Abs(v) > 1e-305 {
					if got := at(quantize(g[0], g[1], 0, c), x, y); got != (v > 0) {
						t.Errorf("gradient %v through %v: (%d, %d) is inside: %v", g, *c, x, y, got)
					}
				}
				for _, d := range []float64{1e30, -1e30, 1e308, -1e308} {
					if math.Abs(g[0])+math.Abs(g[1]) > 100 {
						continue
					}
					if got := at(quantize(g[0], g[1], d, c), x, y); got != (d > 0) {
						t.Errorf("gradient %v with %v: (%d, %d) is inside: %v", g, d, x, y, got)
					}
				}
			}
		}
	}
}

func TestSqrtProduct_AgainstIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 60))
	check := func(m, n uint64) {
		product := new(big.Int).Mul(new(big.Int).SetUint64(m), new(big.Int).SetUint64(n))
		root := new(big.Int).Sqrt(product)
		exact := new(big.Int).Mul(root, root).Cmp(product) == 0
		if k, got := sqrtProduct(m, n); k != root.Uint64() || got != exact {
			t.Fatalf("√(%d·%d): %d, exact %v; want %d, %v", m, n, k, got, root, exact)
		}
	}
	for range 2000 {
		m, n := rng.Uint64()>>(29+rng.IntN(34)), rng.Uint64()>>(4+rng.IntN(58))
		check(m, n)
		check(m*m>>40+1, n)
		check(1<<32-1, 1<<32+1) // the next square has more words
		a, b := rng.Uint64()>>47, rng.Uint64()>>34
		check(a*a, b*b)
		check(a*a, b*b+1)
	}
}

// RAS-257, RAS-258: the gradient is that of the largest piece; an offset that is no
// number is none, and so is that of a state without depth bias.
func TestDepthBias_RAS258_Pieces(t *testing.T) {
	rules.Covers(t, "RAS-257", "RAS-258", "RAS-259", "RAS-262")
	p := triangleAt(0, 0, 4, 0, 4, 4)
	p.C[3] = at(2, 2.5) // the last piece has nearly no area
	p.N = 4
	p.C[1].Z, p.C[2].Z, p.C[3].Z = .5, .5, .375 // and another slope
	for flip := range 2 {
		if got := maxSlope(p); math.Abs(got-.125) > 1e-15 {
			t.Errorf("flip %d: slope %v, want 1/8", flip, got)
		}
		for k := range 4 { // the other way around: areas are negative
			p.C[k].X, p.C[k].Y = p.C[k].Y, p.C[k].X
		}
	}
	if got := maxSlope(triangleAt(1, 1, 2, 2, 3, 3)); got != 0 {
		t.Errorf("slope %v without an area", got)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, b := range []DepthBias{{Constant: nan, Unit: BiasOne}, {Slope: nan}, {Constant: inf}, {Constant: inf, Slope: -inf, Unit: BiasOne}} {
		b.Enable = true
		if o := b.offset(p.ZMax, maxSlope(p)); o != 0 {
			t.Errorf("%+v: %v", b, o)
		}
	}
	st := fillState(1)
	st.DepthBias = DepthBias{Constant: 1, Slope: 1, Unit: BiasOne}
	if s := fill(p, st); s[0].Z.C != 0 {
		t.Errorf("biased by %v without depth bias", s[0].Z.C)
	}
}

// RAS-084, RAS-242: of a clipped polygon, pieces that face the other way or have no
// area are left out.
func TestFill_RAS242_Pieces(t *testing.T) {
	rules.Covers(t, "RAS-242", "RAS-084")
	p := triangleAt(1, 1, 9, 1, 9, 9)
	p.N = 5
	p.C[3], p.C[4] = at(5, 5), at(8, 5) // on the diagonal, then back over the first piece
	for flip := range 2 {
		s := fill(p, fillState(1))
		if len(s) != 1 || s[0].Bounds != (Rect{1, 1, 9, 9}) {
			t.Errorf("flip %d: %d pieces", flip, len(s))
		}
		for k := range 5 { // mirrored
			p.C[k].X, p.C[k].Y = p.C[k].Y, p.C[k].X
		}
	}
}

// RAS-254: the box of a triangle inside the viewport, which may end inside pixels;
// clipped ones and those without area have none.
func TestFillRectangle_RAS254_Viewport(t *testing.T) {
	rules.Covers(t, "RAS-254", "RAS-080", "RAS-250")
	ss := Samples(16)
	st := fillState(16)
	st.PolygonMode = vk.PolygonModeFillRectangleNV
	for _, v := range []Rect{{400, 300, 1500, 1601}, {256, 256, 1024, 1024}, {512 + 16, 512 + 32, 768 + 48, 768 + 16}} {
		st.ViewRect = v
		s, extra := AppendPolygon(nil, nil, triangleAt(1.25, 1.5, 5.5, 1.5, 1.25, 6.25), st, 0)
		box := Rect{320, 384, 1408, 1600}.Intersect(v)
		got := map[sampleAt]bool{}
		for _, p := range coverage(t, s, extra, Rect{0, 0, 8, 8}, 16, 8) {
			got[p] = true
		}
		for y := range int32(8) {
			for x := range int32(8) {
				for k := range int32(16) {
					px, py := x*256+ss.X[k], y*256+ss.Y[k]
					if want := px >= box.X0 && px < box.X1 && py >= box.Y0 && py < box.Y1; got[sampleAt{x, y, k}] != want {
						t.Fatalf("view %+v: sample %d of (%d, %d) covered: %v", v, k, x, y, !want)
					}
				}
			}
		}
	}
	st.ViewRect = everywhere
	for name, change := range map[string]func(*Polygon){
		"four corners": func(p *Polygon) { p.N, p.C[3] = 4, at(1, 5) },
		"a plane":      func(p *Polygon) { p.Cuts, p.D[0] = 1, [MaxFillCorners]float64{1, 1, -1} },
		"no area":      func(p *Polygon) { p.C[2] = p.C[1] },
	} {
		p := triangleAt(1, 1, 5, 1, 5, 5)
		change(p)
		if s := fill(p, st); len(s) != 0 {
			t.Errorf("%s: %d boxes", name, len(s))
		}
	}
	if s := fill(polygon(Corner{X: 128, Y: 128, InvW: 1}, Corner{X: 129, Y: 128, InvW: 1}, Corner{X: 128, Y: 129, InvW: 1}), st); len(s) != 1 {
		t.Error("the smallest box is missing")
	}
}
