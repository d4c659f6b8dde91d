package raster

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// star is a polygon of n corners around (8, 8), clockwise on the screen, corner i at a distance that is its own.
func star(rng *rand.Rand, n int) *Polygon {
	p := &Polygon{N: n, W: [3]float64{1, 1, 1}, Size: [3]float32{1, 2, 3}}
	for i := range n {
		angle, r := 2*math.Pi*float64(i)/float64(n), 900+float64(rng.IntN(1000))
		p.C[i] = Corner{X: 2048 + int32(r*math.Cos(angle)), Y: 2048 + int32(r*math.Sin(angle)), InvW: 1, Z: rng.Float64()}
	}
	return p
}

// The area is half the sum of x·y' − x'·y over all sides, of any number of corners: of one that counts
// more than the others, at each place, too. Its sign is facing.
func TestTables_RAS233_EveryNumberOfCorners(t *testing.T) {
	rules.Covers(t, "RAS-233", "RAS-234", "RAS-238")
	rng := rand.New(rand.NewPCG(233, 238))
	for n := 3; n <= MaxCorners; n++ {
		for far := range n {
			for _, turn := range []int32{1, -1} {
				p := star(rng, n)
				p.C[far].X, p.C[far].Y = p.C[far].X+turn*rng.Int32N(1<<20), p.C[far].Y-turn*rng.Int32N(1<<20)
				sum := new(big.Int)
				for i := range n {
					a, b := &p.C[i], &p.C[(i+1)%n]
					sum.Add(sum, big.NewInt(int64(a.X)*int64(b.Y)-int64(b.X)*int64(a.Y)))
				}
				if got := polygonArea(p); sum.Cmp(big.NewInt(got)) != 0 {
					t.Fatalf("%v: area %d, want %v", p.C[:n], got, sum)
				}
				st := fillState(1)
				st.PolygonMode = vk.PolygonModePoint
				for face, front := range map[vk.FrontFace]bool{vk.FrontFaceClockwise: sum.Sign() > 0, vk.FrontFaceCounterClockwise: sum.Sign() < 0} {
					st.FrontFace = face
					for i, s := range fill(p, st) {
						if s.FrontFacing != front {
							t.Fatalf("%v, %v: corner %d faces front: %v", p.C[:n], face, i, s.FrontFacing)
						}
					}
				}
			}
		}
	}
}

// What a mode makes of a polygon of 3 to 7 corners: pieces, sides or corners, all with its number, facing,
// provoking vertex and depth bias.
func TestTables_RAS250_EveryModeAndNumberOfCorners(t *testing.T) {
	rules.Covers(t, "RAS-058", "RAS-232", "RAS-236", "RAS-250", "RAS-251", "RAS-252", "RAS-253", "RAS-256", "RAS-264", "RAS-225")
	rng := rand.New(rand.NewPCG(250, 253))
	for n := 3; n <= 7; n++ {
		for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV} {
			for made := range uint32(1 << n) {
				if mode != vk.PolygonModePoint && made != 0 {
					continue
				}
				p := star(rng, n)
				p.Made, p.Provoking, p.W = made, uint8(n%3), [3]float64{2, 4, 8}
				for i := range n {
					p.C[i].InvW = 1 / float64(int(1)<<(1+i%3))
					p.C[i].L1, p.C[i].L2 = float64(i%3&1), float64(i%3>>1)
				}
				for _, earlier := range []int{0, 2} { // set-ups of others come before
					st := fillState(1)
					st.PolygonMode, st.FrontFace = mode, vk.FrontFaceClockwise
					st.Stipple = Stipple{Factor: 2, Pattern: 0x5555}
					plain, extra := AppendPolygon(make([]Setup, earlier, 20), nil, p, st, 7)
					const constant = 3
					st.DepthBias = DepthBias{Enable: true, Constant: constant, Unit: BiasOne}
					got, _ := AppendPolygon(make([]Setup, earlier, 20), nil, p, st, 7)
					count := map[vk.PolygonMode]int{vk.PolygonModeFill: n - 2, vk.PolygonModeLine: n, vk.PolygonModePoint: n, vk.PolygonModeFillRectangleNV: 0}[mode]
					for k := range n {
						if mode == vk.PolygonModePoint && made>>k&1 != 0 {
							count--
						}
					}
					if n == 3 && mode == vk.PolygonModeFillRectangleNV {
						count = 1
					}
					if len(got) != earlier+count || len(plain) != len(got) || len(extra) != 0 {
						t.Fatalf("%v, %d corners, %b made: %d set-ups, want %d", mode, n, made, len(got)-earlier, count)
					}
					for i := range earlier {
						if got[i] != (Setup{}) {
							t.Fatalf("%v: a set-up before it became %+v", mode, got[i])
						}
					}
					corner := 0
					phase := int64(0)
					for i := range count {
						s, before := &got[earlier+i], &plain[earlier+i]
						if s.Prim != 7 || !s.FrontFacing || s.Provoking != p.Provoking {
							t.Errorf("%v, set-up %d: of %d, faces front: %v, provoked by %d", mode, i, s.Prim, s.FrontFacing, s.Provoking)
						}
						if s.Z.C != before.Z.C+constant || s.Z.GX != before.Z.GX || s.Z.GY != before.Z.GY {
							t.Errorf("%v, set-up %d: depth %v with bias, %v without", mode, i, s.Z, before.Z)
						}
						kind := map[vk.PolygonMode]Kind{vk.PolygonModeLine: KindLine, vk.PolygonModePoint: KindPoint}[mode] // or KindTriangle
						if s.Kind != kind {
							t.Errorf("%v, set-up %d is of kind %d", mode, i, s.Kind)
						}
						switch mode {
						case vk.PolygonModeLine:
							a, b := &p.C[i], &p.C[(i+1)%n]
							w := [2]float64{4, 8}
							if a.InvW == b.InvW {
								w = [2]float64{1, 1} // no perspective along it
							}
							if s.P != [2]int32{a.X, a.Y} || s.Q != [2]int32{b.X, b.Y} || s.Phase != int32(phase) || s.LinearU != w[0] || s.LinearV != w[1] {
								t.Errorf("side %d from %v to %v, phase %d, w %v and %v; want %v to %v, %d, %v", i, s.P, s.Q, s.Phase, s.LinearU, s.LinearV, *a, *b, phase, w)
							}
							// RAS-224: its length in 2^-16 pixel, modulo 16 times the factor.
							length := wideLength(int64(b.X-a.X), int64(b.Y-a.Y))
							length.Mul(length, wide(1<<16/256)).Add(length, wide(.5))
							whole, _ := length.Int64()
							phase = (phase + whole) % (16 * 2 << 16)
						case vk.PolygonModePoint:
							for made>>corner&1 != 0 {
								corner++
							}
							c := &p.C[corner]
							size := [3]float64{1, 2, 3}[corner%3]
							if s.RefX != c.X || s.RefY != c.Y || s.Vertex() != corner%3 || s.Point[2] != size || before.Z.C != c.Z || s.LinearU != 4*c.InvW || s.LinearV != 8*c.InvW {
								t.Errorf("corner %d of %b made: vertex %d at %d,%d of size %v, depth %v, w %v and %v; want %+v", corner, made, s.Vertex(), s.RefX, s.RefY, s.Point[2], before.Z.C, s.LinearU, s.LinearV, *c)
							}
							corner++
						}
					}
				}
			}
		}
	}
}

// A fan's pieces cover what each of them covers by RAS-239, within the viewport: those of no area are left out, and
// those that turn the other way; there is room behind the set-ups of others, or none.
func TestTables_RAS242_EveryPiece(t *testing.T) {
	rules.Covers(t, "RAS-080", "RAS-084", "RAS-239", "RAS-242")
	rng := rand.New(rand.NewPCG(242, 84))
	r := Rect{0, 0, 16, 16}
	for trial := range fewer(800) {
		n := 3 + trial%5
		p := star(rng, n)
		switch k := 1 + rng.IntN(n-1); trial % 4 {
		case 0:
			p.C[k].X, p.C[k].Y = p.C[0].X, p.C[0].Y // no area beside it
		case 1:
			p.C[k].X, p.C[k].Y = 2*p.C[0].X-p.C[k].X, 2*p.C[0].Y-p.C[k].Y
		}
		st := fillState(1)
		st.ViewRect = Rect{rng.Int32N(16) * 128, rng.Int32N(16) * 128, 2048 + rng.Int32N(16)*128, 2048 + rng.Int32N(16)*128}
		area := polygonArea(p)
		var want []sampleAt
		for y := range r.Y1 {
			for x := range r.X1 {
				sx, sy := x*256+128, y*256+128
				for k := 1; k+1 < n; k++ {
					piece := polygon(p.C[0], p.C[k], p.C[k+1])
					turns := bigEdge(p.C[0], p.C[k], p.C[k+1].X, p.C[k+1].Y).Sign()
					if turns > 0 == (area > 0) && area != 0 && inside(piece, sx, sy) &&
						sx >= st.ViewRect.X0 && sx < st.ViewRect.X1 && sy >= st.ViewRect.Y0 && sy < st.ViewRect.Y1 {
						want = append(want, sampleAt{x, y, 0})
					}
				}
			}
		}
		for _, room := range []int{0, 1, 20} {
			dst := slices.Repeat([]Setup{{Prim: 99, exact: true, Bounds: r}}, 3+room)[:3] // what is behind them is nothing
			got, extra := AppendPolygon(dst, nil, p, st, 1)
			if list := coverage(t, got[3:], extra, r, 1, 16); !slices.Equal(list, want) {
				t.Fatalf("%v in %+v, room for %d: %s, want %s", p.C[:n], st.ViewRect, room, pixels(list), pixels(want))
			}
		}
	}
}

// A polygon that can be seen whole from one of its corners alone keeps all of them, whichever that is.
func TestTables_RAS084_FanAroundEachCorner(t *testing.T) {
	rules.Covers(t, "RAS-084", "RAS-242")
	for n := 6; n <= 9; n++ {
		// From (0, 0) an arc, every second corner of it drawn in: no other corner sees all.
		arc := []Corner{{}}
		for i := range n - 1 {
			angle, r := math.Pi/2*float64(i)/float64(n-2), 4000.
			if i%2 == 1 {
				r = 1200
			}
			arc = append(arc, Corner{X: int32(r * math.Cos(angle)), Y: int32(r * math.Sin(angle))})
		}
		for _, clockwise := range []bool{true, false} {
			if !clockwise {
				slices.Reverse(arc[1:])
			}
			for at := range n {
				p := Polygon{N: n}
				for i := range n {
					p.C[(at+i)%n] = arc[i]
				}
				p.Untangle()
				if p.N != n || !slices.Equal(p.C[:n], arc) {
					t.Errorf("%d corners, the one that sees all at %d: %v, want %v", n, at, p.C[:p.N], arc)
				}
			}
		}
	}
}

// Sides of the viewport that lie strictly inside a triangle's box bound it where samples may lie on both sides of
// them in one pixel: between pixels, or where samples lie outside of their pixels. Coverage is that of RAS-080 with all of them.
func TestTables_RAS080_EverySide(t *testing.T) {
	rules.Covers(t, "RAS-080", "RAS-239")
	p := triangleAt(1, 1, 13, 1, 1, 13)
	r := Rect{0, 0, 16, 16}
	for _, size := range [][2]int32{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 4}} {
		for _, samples := range []int{1, 2} {
			ss := ScaledSamples(samples, size[0], size[1])
			for _, view := range []Rect{
				{256, 256, 13 * 256, 13 * 256}, {0, 0, 16 * 256, 16 * 256}, {3 * 256, 256, 13 * 256, 13 * 256}, {256, 3 * 256, 13 * 256, 13 * 256}, {256, 256, 7 * 256, 13 * 256}, {256, 256, 13 * 256, 7 * 256},
				{3*256 + 1, 3*256 - 1, 7*256 + 100, 6*256 - 100}, {257, 0, 13*256 - 1, 4096}, {0, 257, 4096, 13*256 - 1}, {3 * 256, 3 * 256, 6 * 256, 6 * 256},
			} {
				st := fillState(samples)
				st.ViewRect, st.Locations = view, ss
				setups, extra := AppendPolygon(nil, nil, p, st, 0)
				dst := make([]Quad, 1024)
				got := map[sampleAt]bool{}
				for i := range setups {
					for _, q := range dst[:setups[i].Cover(dst, extra, r, ss)] {
						for bit := range int32(64) {
							if q.Mask>>bit&1 != 0 {
								got[sampleAt{q.X + bit>>4&1, q.Y + bit>>5, bit & 15}] = true
							}
						}
					}
				}
				for y := range r.Y1 {
					for x := range r.X1 {
						for k := range int32(samples) {
							set := ss.Of(x, y)
							sx, sy := x*256+set.X[k], y*256+set.Y[k]
							want := inside(p, sx, sy) && sx >= view.X0 && sx < view.X1 && sy >= view.Y0 && sy < view.Y1
							if got[sampleAt{x, y, k}] != want {
								t.Fatalf("view %v, fragments of %v: sample %d of %d,%d at %d,%d is covered: %v", view, size, k, x, y, sx, sy, !want)
							}
						}
					}
				}
			}
		}
	}
}

// Triangles whose squared extent is more than 2^14 times their doubled area take exact integers; as much is not more: (0, 0), (n, n)
// and (k, k+1) have 2n² and n, which are as 2^14 to 1 where n is 8192.
func TestTables_RAS245_Thin(t *testing.T) {
	rules.Covers(t, "RAS-245", "RAS-246", "RAS-247", "RAS-248")
	for n, want := range map[int32]bool{8191: false, 8192: false, 8193: true} {
		for _, k := range []int32{0, 100, n - 1} {
			for _, up := range []bool{false, true} {
				a, b, c := Corner{InvW: 1}, Corner{X: n, Y: n, InvW: 1}, Corner{X: k, Y: k + 1, InvW: 1}
				if up {
					c.X, c.Y = c.Y, c.X
				}
				for i, p := range []*Polygon{polygon(a, b, c), polygon(b, c, a), polygon(c, b, a)} {
					if s := fill(p, fillState(1)); len(s) != 1 || s[0].Thin != want {
						t.Errorf("%d, %d, order %d: %+v, exact integers wanted: %v", n, k, i, s, want)
					}
				}
			}
		}
	}
}
