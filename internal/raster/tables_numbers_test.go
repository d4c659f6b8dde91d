package raster

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A clamp acts on the side that its sign says, 0 and NaN on none; an offset that is no number is none, whatever the clamp.
func TestTables_RAS257_EveryClamp(t *testing.T) {
	rules.Covers(t, "RAS-257", "RAS-259", "RAS-263", "RAS-264")
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, clamp := range []float32{0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, .5, -.5, 3, -3, inf, -inf, nan} {
		for _, o := range []float32{0, 1e-45, -1e-45, .25, -.25, 1, -1, 100, -100, inf, -inf} {
			want := float64(o)
			switch {
			case clamp > 0 && o > clamp, clamp < 0 && o < clamp:
				want = float64(clamp)
			}
			b := DepthBias{Enable: true, Constant: o, Clamp: clamp, Unit: BiasOne}
			if got := b.offset(.5, 0); got != want {
				t.Errorf("%v clamped by %v: %v, want %v", o, clamp, got, want)
			}
			b = DepthBias{Enable: true, Slope: o, Clamp: clamp, Unit: BiasNone}
			if got := b.offset(.5, 1); got != want {
				t.Errorf("slope %v clamped by %v: %v, want %v", o, clamp, got, want)
			}
		}
		for _, b := range []DepthBias{{Constant: inf, Slope: -inf, Unit: BiasOne}, {Constant: nan, Unit: BiasOne}, {Slope: inf, Constant: nan, Unit: BiasOne}} {
			if b.Clamp = clamp; b.offset(.5, 1) != 0 {
				t.Errorf("%+v: %v, want 0", b, b.offset(.5, 1))
			}
		}
	}
}

// The slope of a clipped polygon is that of its largest piece, at each place of the fan; of pieces as large the first counts.
func TestTables_RAS258_LargestPiece(t *testing.T) {
	rules.Covers(t, "RAS-258")
	for n := 3; n <= 8; n++ {
		for largest := 1; largest+1 < n; largest++ {
			for tie := 0; tie+1 < n; tie++ { // a piece that is as large; 0: none
				if tie == largest {
					continue
				}
				// Corners one below the other at (1, k): pieces are triangles with the corner (0, 0), as large as steps of y.
				p := &Polygon{N: n, W: [3]float64{1, 1, 1}}
				first := largest
				if tie > 0 {
					first = min(largest, tie)
				}
				y := int32(0)
				for k := 1; k < n; k++ {
					p.C[k] = Corner{X: 256, Y: y, InvW: 1}
					if k == largest || k == tie {
						y += 1024
					} else {
						y += 256
					}
				}
				// Depth is 0 but along the piece that counts, where it rises by 8 over 4 pixels: 2 a pixel down, and −2·y at the corner.
				p.C[first+1].Z = 8
				gy := 8 / (float64(p.C[first+1].Y-p.C[first].Y) / 256)
				gx := -gy * float64(p.C[first].Y) / 256
				if got, want := maxSlope(p), math.Sqrt(gx*gx+gy*gy); math.Abs(got-want) > 1e-12*want {
					t.Errorf("%d corners, piece %d and %d the largest: %v, want %v", n, largest, tie, got, want)
				}
			}
		}
	}
}

// Steps of a half-plane: the larger component of the gradient becomes 2^29, the other and the distance are rounded to even in the same scale,
// and what has no direction keeps all or nothing. The negated function keeps what is left.
func TestTables_RAS078_HalfPlanes(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-078")
	const one = 1 << 29
	for _, c := range []struct {
		gx, gy, d float64
		a, b      int32
		c         int64 // where the corner is the origin, before the rule of ties
	}{
		{1, 0, 0, one, 0, 0}, {0, 1, 0, 0, one, 0}, {0x1p-900, 0x1p-901, 0x1p-900, one, one / 2, one}, {0x1p900, 0, 0x1p901, one, 0, 2 * one},
		{1, .5 / one, 0, one, 0, 0}, {1, 1.5 / one, 0, one, 2, 0}, {1, 2.5 / one, 0, one, 2, 0}, {1, 3.5 / one, 0, one, 4, 0}, // halves to even
		{.5 / one, 1, 0, 0, one, 0}, {1.5 / one, 1, 0, 2, one, 0}, {2.5 / one, 1, 0, 2, one, 0},
		{1, 0, .5 / one, one, 0, 0}, {1, 0, 1.5 / one, one, 0, 2}, {1, 0, 2.5 / one, one, 0, 2}, {1, 0, 3.5 / one, one, 0, 4}, {1, 0, 5, one, 0, 5 * one},
		{math.MaxFloat64, 0, 0, one, 0, 0}, {math.MaxFloat64, 0, math.MaxFloat64, one, 0, one},
		{1, 0, 1 << 40, one, 0, 1 << 60}, {1, 0, 1 << 30, one, 0, 1 << 59}, // no constant is larger
		{5e-324, 0, 1, 0, 0, 1 << 60}, {0, 1e-310, 1, 0, 0, 1 << 60}, // the scale is the largest number, and that of the gradient less than half a unit
	} {
		for _, sign := range []float64{1, -1} {
			for _, corner := range []Corner{{}, {X: 300, Y: -7}, {X: -1 << 27, Y: 1 << 27}} {
				a, b, w := int32(sign)*c.a, int32(sign)*c.b, int64(sign)*c.c
				want := HalfPlane{a, b, w - int64(a)*int64(corner.X) - int64(b)*int64(corner.Y)}
				if !(a > 0 || a == 0 && b > 0) {
					want.C-- // RAS-240
				}
				if got := quantize(sign*c.gx, sign*c.gy, sign*c.d, &corner); got != want {
					t.Errorf("gradient %v, %v and %v at %v: %+v, want %+v", sign*c.gx, sign*c.gy, sign*c.d, corner, got, want)
				}
			}
		}
	}
	for d, want := range map[float64]HalfPlane{5e-324: {}, 0: {C: -1}, -5e-324: {C: -1}, 1: {}, math.Inf(1): {}, math.Inf(-1): {C: -1}} {
		if got := quantize(0, 0, d, &Corner{X: 5}); got != want {
			t.Errorf("%v everywhere: %+v, want %+v", d, got, want)
		}
	}
	if got := quantize(0, 0, math.NaN(), &Corner{}); got != (HalfPlane{C: -1}) {
		t.Errorf("no number everywhere: %+v", got)
	}
}

// Planes that cut a piece, each of ten: one that no corner is outside of is left out, one that none is inside of leaves nothing,
// and the others are measured from the corner that is nearest to them, the first of those that are as near.
func TestTables_RAS077_EveryPlane(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-078", "RAS-079")
	rng := rand.New(rand.NewPCG(77, 79))
	least := math.SmallestNonzeroFloat64
	values := []float64{0, least, -least, 1, -1, 2, -2, 3, -5, .5, -.5}
	for trial := range 4000 {
		corner := func() Corner { return Corner{X: rng.Int32N(4096), Y: rng.Int32N(4096), InvW: 1} }
		p := polygon(corner(), corner(), corner())
		a2 := bigEdge(p.C[0], p.C[1], p.C[2].X, p.C[2].Y).Int64()
		if a2 == 0 {
			continue
		}
		p.Cuts = 1 + trial%MaxCuts
		var want []HalfPlane
		keep, sure := true, true
		for i := range p.Cuts {
			d := &p.D[i]
			for k := range 3 {
				d[k] = values[rng.IntN(len(values))]
			}
			if trial%3 != 0 && max(d[0], d[1], d[2]) <= 0 {
				d[rng.IntN(3)] = 1
			}
			if !keep {
				continue
			}
			if max(d[0], d[1], d[2]) <= 0 {
				keep = false
				continue
			}
			if min(d[0], d[1], d[2]) >= 0 {
				continue
			}
			if max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])) == least {
				sure = false // no gradient of binary64 is as small
			}
			near := 0
			for k := range 3 {
				if math.Abs(d[k]) < math.Abs(d[near]) {
					near = k
				}
			}
			rat := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
			fb, fc := new(big.Rat).Sub(rat(d[1]), rat(d[0])), new(big.Rat).Sub(rat(d[2]), rat(d[0]))
			part := func(f *big.Rat, m int32, g *big.Rat, n int32) *big.Rat {
				l := new(big.Rat).Mul(f, big.NewRat(int64(m), a2))
				return l.Sub(l, new(big.Rat).Mul(g, big.NewRat(int64(n), a2)))
			}
			a, b, c := &p.C[0], &p.C[1], &p.C[2]
			gx, gy := part(fb, c.Y-a.Y, fc, b.Y-a.Y), part(fc, b.X-a.X, fb, c.X-a.X)
			m := new(big.Rat).Abs(gx)
			if o := new(big.Rat).Abs(gy); o.Cmp(m) > 0 {
				m = o
			}
			scale := new(big.Rat).Quo(big.NewRat(1<<29, 1), m)
			round := func(v *big.Rat) int64 {
				v = new(big.Rat).Mul(v, scale)
				twice := new(big.Rat).Add(v, v)
				floor := new(big.Int).Div(new(big.Int).Add(new(big.Int).Mul(v.Num(), big.NewInt(2)), v.Denom()), new(big.Int).Mul(v.Denom(), big.NewInt(2)))
				off := new(big.Rat).Sub(twice, new(big.Rat).SetInt(new(big.Int).Add(new(big.Int).Lsh(floor, 1), big.NewInt(-1)))) // 0 to 2 above the half below
				if f, _ := off.Float64(); f < 1e-4 || f > 2-1e-4 {
					sure = false // halves are another test's: here gradients of binary64 are not exact
				}
				return floor.Int64()
			}
			h := HalfPlane{int32(round(gx)), int32(round(gy)), 0}
			r := &p.C[near]
			h.C = round(rat(d[near])) - int64(h.A)*int64(r.X) - int64(h.B)*int64(r.Y)
			if !(h.A > 0 || h.A == 0 && h.B > 0) {
				h.C--
			}
			want = append(want, h)
		}
		got, ok := appendCuts(nil, p, 1, a2)
		if ok != keep {
			t.Fatalf("%v: anything is left: %v", p.D[:p.Cuts], ok)
		}
		if !keep || !sure {
			continue
		}
		if len(got) != len(want) {
			t.Fatalf("%v: %d half-planes, want %d", p.D[:p.Cuts], len(got), len(want))
		}
		for i := range want {
			// A constant counts binary64's errors of distances below 2^13 subpixels in units of 2^-29: far less than one.
			if got[i] != want[i] {
				t.Fatalf("%v %v: half-plane %d of %v is %+v, want %+v", p.C[:3], a2, i, p.D[:p.Cuts], got[i], want[i])
			}
		}
	}
}

// Custom locations of every number of samples and every grid: each is the one of its pixel and number, rounded, and bounds
// are those of all, of which one at a time lies farthest to a side.
func TestTables_RAS116_EveryLocation(t *testing.T) {
	rules.Covers(t, "RAS-105", "RAS-115", "RAS-116", "RAS-117")
	rng := rand.New(rand.NewPCG(116, 117))
	for _, n := range []int{1, 2, 4, 8, 16} {
		for _, w := range []int{1, 2, 4} {
			for _, h := range []int{1, 2, 4} {
				for far := range n * w * h {
					list := make([][2]float32, n*w*h)
					steps := make([][2]int32, n*w*h)
					for i := range list {
						for k := range 2 {
							steps[i][k] = 64 + rng.Int32N(128)
							if i == far {
								steps[i][k] = rng.Int32N(2) * 255 // of x and y each the least or the most
							}
							list[i][k] = (float32(steps[i][k]) + float32(rng.IntN(3)-1)/4) / 256
						}
					}
					ss := CustomSamples(n, w, h, list)
					bounds := [4]int32{256, -1, 256, -1}
					for y := range int32(8) {
						for x := range int32(8) {
							set := ss.Of(x, y)
							own := [4]int32{256, -1, 256, -1}
							for i := range n {
								want := steps[(int(x)%w+int(y)%h*w)*n+i]
								if set.X[i] != want[0] || set.Y[i] != want[1] {
									t.Fatalf("%d samples, %d×%d: sample %d of %d,%d at %d,%d, want %v", n, w, h, i, x, y, set.X[i], set.Y[i], want)
								}
								for _, b := range []*[4]int32{&own, &bounds} {
									b[0], b[1], b[2], b[3] = min(b[0], want[0]), max(b[1], want[0]), min(b[2], want[1]), max(b[3], want[1])
								}
							}
							if got := [4]int32{set.X0, set.X1, set.Y0, set.Y1}; got != own || set.N != n || !set.Custom {
								t.Fatalf("%d samples, %d×%d: %d,%d has bounds %v, want %v", n, w, h, x, y, got, own)
							}
						}
					}
					if got := [4]int32{ss.X0, ss.X1, ss.Y0, ss.Y1}; got != bounds || ss.N != n || !ss.Custom {
						t.Fatalf("%d samples, %d×%d, the farthest %d: bounds %v, want %v", n, w, h, far, got, bounds)
					}
				}
			}
		}
	}
}

// What a triangle draws lies in its box and in the viewport, of any sides that are equal or not; whether
// half-planes bound it follows from sides of the viewport strictly inside its box and between pixels.
func TestTables_RAS244_EveryBox(t *testing.T) {
	rules.Covers(t, "RAS-080", "RAS-235", "RAS-241", "RAS-244")
	for between := range int32(16) { // which sides of the box lie between pixels
		b := Rect{2*256 + 7*(between&1), 3*256 + 9*(between>>1&1), 9*256 + 11*(between>>2&1), 8*256 + 13*(between>>3)}
		corners := [3]Spot{{b.X0, b.Y0}, {b.X1, b.Y0}, {b.X0, b.Y1}}
		for moved := range 81 { // each side of the viewport a step outside of the box's, on it, inside
			for _, step := range []int32{1, 256} {
				view := b
				inner := false
				for side, m := 0, moved; side < 4; side, m = side+1, m/3 {
					at := []*int32{&view.X0, &view.Y0, &view.X1, &view.Y1}[side]
					sign := int32(1 - side/2*2)
					*at += sign * (int32(m%3) - 1) * step
					inner = inner || m%3 == 2 && *at%256 != 0
				}
				for _, samples := range []int{1, 4} {
					st := fillState(samples)
					st.ViewRect = view
					f := st.Finder()
					ss := Samples(samples)
					cut := b.Intersect(view)
					var want Rect // of pixels that have a sample's place within
					first := true
					for y := range int32(12) {
						for x := range int32(12) {
							in := func(v, lo, hi, s0, s1 int32) bool { return v*256+s1 >= lo && v*256+s0 < hi }
							if !in(x, cut.X0, cut.X1, ss.X0, ss.X1) || !in(y, cut.Y0, cut.Y1, ss.Y0, ss.Y1) {
								continue
							}
							if first {
								want, first = Rect{x, y, x + 1, y + 1}, false
							}
							want = Rect{min(want.X0, x), min(want.Y0, y), max(want.X1, x+1), max(want.Y1, y+1)}
						}
					}
					for order := range 3 {
						a, c, d := corners[order], corners[(order+1)%3], corners[(order+2)%3]
						got, ok := f.Triangle(a, c, d)
						if ok == inner || ok && got != want {
							t.Fatalf("box %v, view %v: %v, %v; want %v, %v", b, view, got, ok, want, !inner)
						}
					}
				}
			}
		}
	}
	for _, cull := range []vk.CullModeFlags{0, vk.CullModeFrontBit, vk.CullModeBackBit, vk.CullModeFrontAndBack} {
		for _, face := range []vk.FrontFace{vk.FrontFaceClockwise, vk.FrontFaceCounterClockwise} {
			for turn, p := range [][3]Spot{{{0, 0}, {900, 0}, {0, 900}}, {{0, 0}, {0, 900}, {900, 0}}, {{0, 0}, {900, 900}, {300, 300}}} { // clockwise, the other way, no area
				st := fillState(1)
				st.CullMode, st.FrontFace = cull, face
				f := st.Finder()
				front := turn == 0 && face == vk.FrontFaceClockwise || turn == 1 && face == vk.FrontFaceCounterClockwise
				culled := turn == 2 || front && cull&vk.CullModeFrontBit != 0 || !front && cull&vk.CullModeBackBit != 0
				if got, ok := f.Triangle(p[0], p[1], p[2]); !ok || got.Empty() != culled {
					t.Errorf("cull %v, front %v, turn %d: %v, %v", cull, face, turn, got, ok)
				}
			}
		}
	}
}

// Sizes of points and widths of lines: within 1/128 and the limit, and rounded to even in units of 1/128.
func TestTables_RAS188_Sizes(t *testing.T) {
	rules.Covers(t, "RAS-133", "RAS-187", "RAS-188", "RAS-193")
	for limit, get := range map[int64]func(float32) float64{1024: LineWidth, 8192: PointSize} {
		var list []float32
		for _, at := range []float64{1. / 256, 1. / 128, 1.5 / 128, 2.5 / 128, 1, 1 + 1./256, 1 + 3./256, 100.5 / 128, 101.5 / 128, 512, float64(limit) - 1./128, float64(limit) - 1./256, float64(limit), float64(limit) + 1} {
			f := float32(at)
			list = append(list, f, math.Nextafter32(f, 0), math.Nextafter32(f, float32(math.Inf(1))))
		}
		list = append(list, 0, float32(math.Copysign(0, -1)), -1, 1e-45, 1e30, math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
		for _, size := range list {
			want := big.NewRat(1, 128)
			switch {
			case math.IsInf(float64(size), 1):
				want = big.NewRat(limit, 1)
			case size > 1./128:
				units := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(size)), big.NewRat(128, 1))
				floor := new(big.Int).Div(units.Num(), units.Denom())
				rest := new(big.Rat).Sub(units, new(big.Rat).SetInt(floor))
				if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
					floor.Add(floor, big.NewInt(1))
				}
				want = new(big.Rat).Quo(new(big.Rat).SetInt(floor), big.NewRat(128, 1))
				if most := big.NewRat(limit, 1); want.Cmp(most) > 0 {
					want = most
				}
			}
			if got := get(size); new(big.Rat).SetFloat64(got).Cmp(want) != 0 {
				t.Errorf("%v of at most %d: %v, want %v", size, limit, got, want)
			}
		}
	}
}

// States with as many samples as there may be, and others.
func TestTables_RAS106_Numbers(t *testing.T) {
	rules.Covers(t, "RAS-103", "RAS-106")
	for n := -1; n <= 65; n++ {
		st := State{Samples: n, LineWidth: 1}
		if err, good := st.Check(), bits.OnesCount8(uint8(n)) == 1; (err == nil) != good {
			t.Errorf("%d samples: %v", n, err)
		}
	}
}
