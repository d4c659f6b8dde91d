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

// octants are directions along the axes, along the diagonals and between them.
var octants = [][2]int32{
	{512, 0}, {0, 512}, {-512, 0}, {0, -512}, {512, 512}, {-512, 512}, {512, -512}, {-512, -512},
	{1024, 257}, {257, 1024}, {-1024, 257}, {-257, 1024}, {1024, -257}, {257, -1024}, {-1024, -257}, {-257, -1024}, {511, 512}, {512, 511},
}

// What clipping left of a line is u0·l² ≤ q < u1·l², exactly, and an end that it left alone is whose ties say.
func TestTables_RAS086_EndsOfEveryLine(t *testing.T) {
	rules.Covers(t, "RAS-086", "RAS-200", "RAS-220", "RAS-371")
	for _, d := range octants {
		a := Corner{X: 1000, Y: -700}
		b := Corner{X: a.X + d[0], Y: a.Y + d[1]}
		l2 := int64(d[0])*int64(d[0]) + int64(d[1])*int64(d[1])
		for _, u0 := range []float64{0, 5e-324, 0x1p-18, 0x1.8p-18, .25, .5} { // whose products with l² are exact, or above 0
			for _, u1 := range []float64{1, 5e-324, .25, .75, 0x1p-17} {
				for _, ties := range []ties{tiesOwned, tiesIn, tiesOut} {
					start, end := lineEnds(&a, &b, l2, u0, u1, ties)
					// Of a position with products q from the first end A·x + B·y + C counts up, of one from the second down.
					owned := func(nx, ny int32) bool {
						return ties == tiesIn || ties == tiesOwned && (nx > 0 || nx == 0 && ny > 0)
					}
					for _, q := range []int64{-1, 0, 1, 2, 3, l2 / 4, l2/4 - 1, l2 / 2, 3 * l2 / 4, 3*l2/4 - 1, l2 - 1, l2, l2 + 1} {
						at := int64(d[0])*int64(a.X) + int64(d[1])*int64(a.Y) + q // A·x + B·y where the product is q
						exact := func(u float64) int {
							limit := new(big.Rat).Mul(new(big.Rat).SetFloat64(u), big.NewRat(l2, 1))
							return big.NewRat(q, 1).Cmp(limit)
						}
						wantStart, wantEnd := q > 0 || q == 0 && owned(d[0], d[1]), q < l2 || q == l2 && owned(-d[0], -d[1])
						if u0 > 0 {
							wantStart = exact(u0) >= 0
						}
						if u1 < 1 {
							wantEnd = exact(u1) < 0
						}
						if start.A != d[0] || start.B != d[1] || end.A != -d[0] || end.B != -d[1] {
							t.Fatalf("along %v: %+v and %+v", d, start, end)
						}
						if got := at+start.C >= 0; got != wantStart {
							t.Errorf("along %v, from %v, ties %d: %d is behind the start: %v", d, u0, ties, q, got)
						}
						if got := -at+end.C >= 0; got != wantEnd {
							t.Errorf("along %v, to %v, ties %d: %d is before the end: %v", d, u1, ties, q, got)
						}
					}
				}
			}
		}
	}
}

// Which lines follow the rule of diamonds, and which are parallelograms, by mode, width, samples, relaxation
// and conservative mode.
func TestTables_RAS195_EveryState(t *testing.T) {
	rules.Covers(t, "RAS-194", "RAS-195", "RAS-196", "RAS-272", "RAS-370", "RAS-371")
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth} {
		for _, conservative := range []vk.ConservativeRasterizationModeEXT{vk.ConservativeRasterizationModeDisabledEXT, vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT} {
			for _, relaxed := range []bool{false, true} {
				for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
					for width, one := range map[float32]bool{1: true, 1 + 1./512: true, 1 - 1./512: true, 1 + 1./128: false, 1 - 1./128: false, 2: false, 0.5: false, 64: false} {
						st := &State{Samples: samples, LineWidth: width, LineMode: mode, Relaxed: relaxed, Conservative: conservative, ViewRect: everywhere}
						off := conservative == vk.ConservativeRasterizationModeDisabledEXT
						own := relaxed && mode == vk.LineRasterizationModeDefault
						diamonds := off && (mode == vk.LineRasterizationModeBresenham || own && samples == 1 && one)
						slanted := own && !diamonds
						what := fmt.Sprintf("%v, %v, relaxed %v, %d samples, width %v", mode, conservative, relaxed, samples, width)
						if st.Bresenham() != diamonds || st.Parallelogram() != slanted {
							t.Errorf("%s: by diamonds %v, a parallelogram %v", what, st.Bresenham(), st.Parallelogram())
						}
						s := lines(segmentAt(1.5, 2.5, 9.5, 4.5), st)
						if len(s) != 1 || s[0].Kind == KindBresenham != diamonds || s[0].Square.Smooth() != (off && mode == vk.LineRasterizationModeRectangularSmooth) || s[0].Square.Conservative() == off {
							t.Errorf("%s: %+v", what, s)
						}
					}
				}
			}
		}
	}
}

// Non-strict lines of every direction: what lies strictly between the sides and the ends, which are parallel to the minor
// axis, and of what lies on them what the rule of ties gives; where both differences are as large, x is the major axis.
func TestTables_RAS204_EveryDirection(t *testing.T) {
	rules.Covers(t, "RAS-195", "RAS-196", "RAS-203", "RAS-204", "RAS-371")
	r := Rect{0, 0, 16, 16}
	over, under := vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT
	for _, d := range octants {
		for _, width := range []int32{1, 3} { // pixels
			a := Corner{X: 8 * 256, Y: 8*256 + 128, InvW: 1}
			b := Corner{X: a.X + 2*d[0], Y: a.Y + 2*d[1], InvW: 1}
			ox, oy := int32(0), width*128
			if max(d[0], -d[0]) < max(d[1], -d[1]) {
				ox, oy = width*128, 0
			}
			box := []Corner{{X: a.X - ox, Y: a.Y - oy}, {X: b.X - ox, Y: b.Y - oy}, {X: b.X + ox, Y: b.Y + oy}, {X: a.X + ox, Y: a.Y + oy}}
			g := &Segment{A: a, B: b, U1: 1, W: [2]float64{1, 1}}
			st := relaxed(4, float32(width))
			var want, touched, within []sampleAt
			for y := range r.Y1 {
				for x := range r.X1 {
					for k := range int32(4) {
						sx, sy := x*256+Samples(4).X[k], y*256+Samples(4).Y[k]
						if inside(polygon(box[0], box[1], box[2]), sx, sy) || inside(polygon(box[0], box[2], box[3]), sx, sy) {
							want = append(want, sampleAt{x, y, k})
						}
					}
					px, py := int64(x)*256, int64(y)*256
					if squareMeets(box, px, py, px+256, py+256) {
						touched = append(touched, sampleAt{x, y, 0})
					}
					all := true
					for i := range box {
						p, q := box[i], box[(i+1)%4]
						side := bigEdge(box[0], box[1], box[2].X, box[2].Y).Sign()
						for c := range int32(4) {
							all = all && bigEdge(p, q, x*256+c&1*256, y*256+c>>1*256).Sign() == side
						}
					}
					if all {
						within = append(within, sampleAt{x, y, 0})
					}
				}
			}
			if got := coverage(t, lines(g, st), nil, r, 4, 8); !slices.Equal(got, want) {
				t.Errorf("along %v, %d wide: %d samples, want %d", d, width, len(got), len(want))
			}
			st.Conservative = over
			s := lines(g, st)
			if got := onePerPixel(t, coverage(t, s, nil, r, 4, 8)); !slices.Equal(got, touched) {
				t.Errorf("along %v, %d wide, overestimated: %s, want %s", d, width, pixels(got), pixels(touched))
			}
			wantFullyCovered(t, s, nil, r, within)
			st.Conservative = under
			s = lines(g, st)
			if got := onePerPixel(t, coverage(t, s, nil, r, 4, 8)); !slices.Equal(got, within) {
				t.Errorf("along %v, %d wide, underestimated: %s, want %s", d, width, pixels(got), pixels(within))
			}
			wantFullyCovered(t, s, nil, r, within)
		}
	}
}

// Strict lines along the axes have whole sides, and on both sides of the origin of the framebuffer the pixels that they touch, and that lie within, are
// those of a box; the squares of points are boxes, too.
func TestTables_RAS272_Boxes(t *testing.T) {
	rules.Covers(t, "RAS-272", "RAS-274", "RAS-275", "RAS-276")
	r := Rect{-8, -8, 8, 8}
	for x := int32(-6); x <= 2; x++ {
		for y := int32(-6); y <= 2; y++ {
			for _, off := range []int32{0, 1, 128, 255} {
				for _, width := range []int32{1, 2, 4} {
					for shape := range 5 {
						a := Corner{X: x*256 + off, Y: y*256 + off, InvW: 1}
						k := width * 128
						box := Rect{a.X - k, a.Y - k, a.X + k, a.Y + k}
						b := a
						switch shape {
						case 1, 2:
							b.X += 900
							box = Rect{a.X, a.Y - k, b.X, a.Y + k}
						case 3, 4:
							b.Y += 900
							box = Rect{a.X - k, a.Y, a.X + k, b.Y}
						}
						if shape == 2 || shape == 4 {
							a, b = b, a
						}
						for _, mode := range []vk.ConservativeRasterizationModeEXT{vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT} {
							st := conservative(mode, 0)
							st.LineWidth = float32(width)
							var s []Setup
							if shape == 0 {
								s, _ = AppendPoint(nil, nil, &Point{Corner: a, Size: float32(width)}, st, 0)
							} else {
								s = lines(&Segment{A: a, B: b, U1: 1, W: [2]float64{1, 1}}, st)
							}
							var want, within []sampleAt
							for py := r.Y0; py < r.Y1; py++ {
								for px := r.X0; px < r.X1; px++ {
									if px*256+256 >= box.X0 && px*256 <= box.X1 && py*256+256 >= box.Y0 && py*256 <= box.Y1 {
										want = append(want, sampleAt{px, py, 0})
									}
									if px*256 > box.X0 && px*256+256 < box.X1 && py*256 > box.Y0 && py*256+256 < box.Y1 {
										within = append(within, sampleAt{px, py, 0})
									}
								}
							}
							if mode == vk.ConservativeRasterizationModeUnderestimateEXT {
								want = within
							}
							if got := onePerPixel(t, coverage(t, s, nil, r, 4, 16)); !slices.Equal(got, want) {
								t.Fatalf("%v, shape %d, %d wide at %d,%d: %s, want %s", mode, shape, width, a.X, a.Y, pixels(got), pixels(want))
							}
							wantFullyCovered(t, s, nil, r, within)
						}
					}
				}
			}
		}
	}
}

// A triangle without area touches what its longest side touches, whichever two corners that joins, and has the values of
// its provoking vertex: a side of one subpixel, too, and none at all.
func TestTables_RAS271_EveryOrder(t *testing.T) {
	rules.Covers(t, "RAS-271", "RAS-268", "RAS-280", "RAS-197")
	r := Rect{0, 0, 8, 8}
	for _, extra := range []float32{0, .25} {
		grow := int64(extra * 256)
		for _, from := range [][2]int32{{3 * 256, 3 * 256}, {3*256 - 1, 3 * 256}, {3*256 + 128, 3*256 - 1}, {4*256 - 1, 4*256 - 1}} {
			for _, d := range [][2]int32{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {2, 0}, {0, -2}, {300, 0}, {0, 300}, {256, 256}, {-256, 256}, {300, -150}} {
				// Ends, and one of them again or a place between.
				places := [][2]int32{from, {from[0] + d[0], from[1] + d[1]}, {from[0] + d[0]/2, from[1] + d[1]/2}}
				if d[0]%2 != 0 || d[1]%2 != 0 {
					places[2] = places[0]
				}
				for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
					var c [3]Corner
					for i, k := range order {
						c[i] = Corner{X: places[k][0], Y: places[k][1], InvW: 1 / float64(2+i), Z: float64(i) / 4}
					}
					p := polygon(c[0], c[1], c[2])
					var want []sampleAt
					for y := range r.Y1 {
						for x := range r.X1 {
							px, py := int64(x)*256, int64(y)*256
							if squareMeets(p.C[:3], px-grow, py-grow, px+256+grow, py+256+grow) {
								want = append(want, sampleAt{x, y, 0})
							}
						}
					}
					for provoking := range uint8(3) {
						p.Provoking = provoking
						s := fill(p, conservative(vk.ConservativeRasterizationModeOverestimateEXT, extra))
						if len(s) != 1 {
							t.Fatalf("%v: %d set-ups", p.C[:3], len(s))
						}
						if got := onePerPixel(t, coverage(t, s, nil, r, 4, 8)); !slices.Equal(got, want) {
							t.Fatalf("%v, grown by %v: %s, want %s", p.C[:3], extra, pixels(got), pixels(want))
						}
						v := &p.C[provoking]
						if s[0].U.C != v.L1 || s[0].V.C != v.L2 || s[0].W.C != v.InvW || s[0].Z.C != v.Z || s[0].FrontFacing || !s[0].Flat() {
							t.Errorf("%v, provoked by %d: %+v", p.C[:3], provoking, s[0])
						}
						wantFullyCovered(t, s, nil, r, nil)
						if under := fill(p, conservative(vk.ConservativeRasterizationModeUnderestimateEXT, extra)); len(under) != 0 {
							t.Errorf("%v, underestimated: %+v", p.C[:3], under)
						}
					}
				}
			}
		}
	}
	for what, s := range map[string][]Setup{
		"a triangle":         fill(triangleAt(1, 1, 5, 1, 1, 5), conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0)),
		"a line":             lines(segmentAt(1, 1, 5, 1), fillState(1)),
		"a line of diamonds": lines(segmentAt(1, 1, 5, 1), &bresenham),
		"a clipped one": func() []Setup {
			g := segmentAt(1, 1, 5, 1)
			g.U0, g.U1 = .25, .75
			return lines(g, &bresenham)
		}(),
	} {
		if len(s) != 1 || s[0].Flat() {
			t.Errorf("%s has no area: %+v", what, s)
		}
	}
}

// A pattern's step of a line is the whole number nearest to its length in 2^-16 pixel, modulo the pattern: of
// a length that is nearly halfway between two, which binary64 takes for halfway, the even one.
func TestTables_RAS224_EveryLength(t *testing.T) {
	rules.Covers(t, "RAS-222", "RAS-223", "RAS-224")
	rng := rand.New(rand.NewPCG(224, 222))
	for trial := range 400 {
		dx, dy := rng.Int32N(1<<20)>>rng.IntN(20), rng.Int32N(1<<20)>>rng.IntN(20)
		if trial < 8 { // s·2^8 squared and s: a length of s²·2^8 + 1/512 but for very little
			s := int32(1) << (3 + trial)
			dx, dy = s*s*256, s
		}
		// The root of 2^16·(dx² + dy²)·4 is twice the length in these units; one more halved is what is nearest.
		l2 := big.NewInt(int64(dx)*int64(dx) + int64(dy)*int64(dy))
		root := new(big.Int).Sqrt(l2.Lsh(l2, 18))
		want := root.Add(root, big.NewInt(1)).Rsh(root, 1).Int64()
		for _, d := range [][2]int32{{dx, dy}, {-dx, dy}, {dy, dx}, {dy, -dx}} {
			for _, factor := range []int32{1, 3, 256} {
				st := fillState(1)
				st.Stipple = Stipple{Factor: factor, Pattern: 0xF0F0}
				if got := st.Advance(100, -50, 100+d[0], -50+d[1]); int64(got) != want%(16*int64(factor)<<16) {
					t.Errorf("%v, factor %d: %d, want %d modulo %d", d, factor, got, want, 16*int64(factor)<<16)
				}
			}
		}
	}
}

// The bit of a pattern that a sample takes is that of its distance along the line, in whole pixels, for each sample of
// each pixel of a quad.
func TestTables_RAS223_EverySample(t *testing.T) {
	rules.Covers(t, "RAS-221", "RAS-223")
	r := Rect{0, 0, 24, 24}
	for _, d := range octants {
		for _, samples := range []int32{1, 2, 4, 8, 16} {
			for _, phase := range []int32{0, 1 << 15, 5 << 16} {
				a := Corner{X: 12*256 + 3, Y: 12*256 + 5, InvW: 1}
				g := &Segment{A: a, B: Corner{X: a.X + 4*d[0], Y: a.Y + 4*d[1], InvW: 1}, U1: 1, W: [2]float64{1, 1}, Phase: phase}
				st := fillState(int(samples))
				st.LineWidth = 5
				all := coverage(t, lines(g, st), nil, r, samples, 8)
				st.Stipple = Stipple{Factor: 1, Pattern: 0xA635}
				got := coverage(t, lines(g, st), nil, r, samples, 8)
				var want []sampleAt
				for _, s := range all {
					x, y := s.x*256+Samples(int(samples)).X[s.sample], s.y*256+Samples(int(samples)).Y[s.sample]
					q := big.NewInt(int64(x-a.X)*int64(4*d[0]) + int64(y-a.Y)*int64(4*d[1]))
					along := new(big.Float).Quo(new(big.Float).SetPrec(200).SetInt(q), wideLength(int64(4*d[0]), int64(4*d[1])))
					along.Quo(along, wide(256)).Add(along, wide(float64(phase)/(1<<16)))
					n, _ := along.Int64() // towards zero
					if along.Sign() < 0 && !along.IsInt() {
						n--
					}
					if near, _ := along.Sub(along, wideInt(n)).Float64(); near > 1-1e-9 || near != 0 && near < 1e-9 {
						t.Fatalf("along %v: sample %v is too near to a step", d, s)
					}
					if 0xA635>>(uint64(n)%16)&1 != 0 {
						want = append(want, s)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("along %v, %d samples, phase %d: %d samples of %d, want %d", d, samples, phase, len(got), len(all), len(want))
				}
			}
		}
	}
}

// Bresenham lines in all octants, with ties, in rectangles that begin and end at odd places: the diamonds that they
// leave, and where both differences are as large x is the major axis.
func TestTables_RAS209_EveryOctant(t *testing.T) {
	rules.Covers(t, "RAS-209", "RAS-210", "RAS-211", "RAS-212", "RAS-213", "RAS-214", "RAS-217", "RAS-219", "RAS-220")
	for _, d := range octants {
		for _, off := range [][2]int32{{128, 128}, {0, 0}, {64, 192}, {127, 129}, {128, 0}} {
			for _, width := range []int32{1, 2, 3} {
				for _, samples := range []int{1, 4} {
					a := Corner{X: 8*256 + off[0], Y: 8*256 + off[1], InvW: 1}
					g := &Segment{A: a, B: Corner{X: a.X + 2*d[0], Y: a.Y + 2*d[1], InvW: 1}, U1: 1, W: [2]float64{1, 1}}
					st := bresenham
					st.LineWidth, st.Samples = float32(width), samples
					s := lines(g, &st)
					oracle := wideOracle(g, width, &st, Rect{-4, -4, 24, 24})
					for _, r := range []Rect{{0, 0, 20, 20}, {1, 3, 9, 7}, {7, 7, 9, 9}, {6, 8, 9, 15}, {9, 9, 20, 20}, {8, 5, 9, 12}, {5, 8, 12, 9}, {7, 8, 13, 11}} {
						var want []sampleAt
						for y := r.Y0; y < r.Y1; y++ {
							for x := r.X0; x < r.X1; x++ {
								if _, ok := oracle[sampleAt{x, y, 0}]; ok {
									for k := range int32(samples) {
										want = append(want, sampleAt{x, y, k})
									}
								}
							}
						}
						dst := make([]Quad, 1024)
						var got []sampleAt
						for _, q := range dst[:s[0].Cover(dst, nil, r, Samples(samples))] {
							for bit := range int32(64) {
								if q.Mask>>bit&1 != 0 {
									got = append(got, sampleAt{q.X + bit>>4&1, q.Y + bit>>5, bit & 15})
								}
							}
						}
						slices.SortFunc(got, compareSamples)
						if !slices.Equal(got, want) {
							t.Fatalf("along %v from %v, %d wide, %+v: %s, want %s", d, off, width, r, pixels(got), pixels(want))
						}
					}
				}
			}
		}
	}
}

// What a value is divided by where it is positive, however little.
func TestTables_RAS255_Divisors(t *testing.T) {
	rules.Covers(t, "RAS-246", "RAS-255")
	for _, w := range []float64{1, 0x1p-60, 0x1p-1000, 0, math.Copysign(0, -1), -5e-324, -1, math.Inf(-1), math.NaN()} {
		for provoking := range uint8(3) {
			s := Setup{Provoking: provoking}
			want := [2]float32{[3]float32{0, 1, 0}[provoking], [3]float32{0, 0, 1}[provoking]}
			if w > 0 {
				want = [2]float32{.5, .25}
			}
			if i, j := s.divide(w/2, w/4, w); i != want[0] || j != want[1] {
				t.Errorf("1/w %v, provoked by %d: %v and %v, want %v", w, provoking, i, j, want)
			}
		}
	}
}
