package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// diamonds are the pixels of r whose diamonds a segment leaves.
func diamonds(a, b Corner, r Rect) (list []sampleAt) {
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x++ {
			if diamondOracle(a, b, int64(x), int64(y)) {
				list = append(list, sampleAt{x, y, 0})
			}
		}
	}
	return list
}

// A base fragment of a Bresenham line, and where it lies on the line that is not
// shifted, subpixels.
type baseFragment struct {
	pixel sampleAt
	x, y  int64
}

// fragments are those of a Bresenham line of a whole width in the order of the line:
// the diamonds of the line shifted by half of what it is wider than a pixel.
// RAS-215, RAS-217
func fragments(g *Segment, width int32, r Rect) (list []baseFragment, xMajor bool) {
	a, b := g.A, g.B
	dx, dy := b.X-a.X, b.Y-a.Y
	shift := (width - 1) * 128
	xMajor = max(dx, -dx) >= max(dy, -dy)
	if xMajor {
		a.Y, b.Y = a.Y-shift, b.Y-shift
	} else {
		a.X, b.X = a.X-shift, b.X-shift
	}
	base := diamonds(a, b, r)
	slices.SortFunc(base, func(p, q sampleAt) int {
		if xMajor {
			return int(p.x - q.x)
		}
		return int(p.y - q.y)
	})
	if xMajor && dx < 0 || !xMajor && dy < 0 {
		slices.Reverse(base)
	}
	for _, p := range base {
		f := baseFragment{p, int64(p.x)*256 + 128, int64(p.y)*256 + 128 + int64(shift)}
		if !xMajor {
			f.x, f.y = f.x+int64(shift), f.y-int64(shift)
		}
		list = append(list, f)
	}
	return list, xMajor
}

// along is q and l2 of a position: the parameter of its projection is q/l2.
func (f *baseFragment) along(g *Segment) (q, l2 float64) {
	dx, dy := int64(g.B.X-g.A.X), int64(g.B.Y-g.A.Y)
	return float64((f.x-int64(g.A.X))*dx + (f.y-int64(g.A.Y))*dy), float64(dx*dx + dy*dy)
}

// wideOracle is what the line covers: runs of pixels along the minor axis, of the
// fragments that clipping left and that the pattern of a stipple keeps.
// RAS-217, RAS-220, RAS-222
func wideOracle(g *Segment, width int32, st *State, r Rect) map[sampleAt]baseFragment {
	out := map[sampleAt]baseFragment{}
	list, xMajor := fragments(g, width, r)
	for n, f := range list {
		if q, l2 := f.along(g); g.U0 > 0 && q < g.U0*l2 || g.U1 < 1 && q >= g.U1*l2 {
			continue
		}
		if s := st.Stipple; s.Factor != 0 && s.Pattern>>((g.Phase/StippleUnits+int32(n))/s.Factor%16)&1 == 0 {
			continue
		}
		for k := range width {
			at := f.pixel
			if xMajor {
				at.y += k
			} else {
				at.x += k
			}
			out[at] = f
		}
	}
	return out
}

// Bresenham lines of any width, clipped and stippled, on any side of the origin, and
// their values: i is that of the base fragment's centre on the line, depth that of
// each pixel.
// RAS-214, RAS-215, RAS-217, RAS-218, RAS-219, RAS-220, RAS-222
func TestBresenham_RAS217_WideOracle(t *testing.T) {
	rules.Covers(t, "RAS-214", "RAS-215", "RAS-217", "RAS-218", "RAS-219", "RAS-220", "RAS-222")
	rng := rand.New(rand.NewPCG(217, 220))
	r := Rect{-4, -4, 10, 10}
	fixed := [][4]int32{ // ties, by a fraction of a subpixel or less
		{0, -1, 257, 1}, {-1, 0, 1, 257}, {257, 1, 0, -1}, {128, 256, 129, 257}, {128, 256, 129, 255}, {128, 256, 129, 256}, {256, 128, 257, 129},
	}
	covered := 0
	for trial := range fewer(700) {
		st := bresenham
		width := int32(1)
		g := &Segment{U1: 1, W: [2]float64{1, 1}}
		if trial < len(fixed) {
			f := fixed[trial]
			g.A, g.B = Corner{X: f[0], Y: f[1], InvW: 1}, Corner{X: f[2], Y: f[3], InvW: 1}
		} else {
			grid := int32(1) << rng.IntN(8)
			random := func() Corner {
				return Corner{X: -384 + rng.Int32N(7*256/grid+1)*grid, Y: -384 + rng.Int32N(7*256/grid+1)*grid, InvW: 1}
			}
			g.A, g.B = random(), random()
			width = 1 + rng.Int32N(4)
			// Clipped at fragments, where a subpixel makes a difference, or anywhere.
			if all, _ := fragments(g, width, r); len(all) > 0 && rng.IntN(2) == 0 {
				q, l2 := all[rng.IntN(len(all))].along(g)
				g.U0 = max(q/l2, 0)
				q, l2 = all[rng.IntN(len(all))].along(g)
				g.U1 = min(q/l2, 1)
			} else if rng.IntN(3) == 0 {
				g.U0, g.U1 = float64(rng.IntN(8))/16, float64(8+rng.IntN(8))/16
			}
			if rng.IntN(2) == 0 {
				st.Stipple = Stipple{Factor: 1 + rng.Int32N(3), Pattern: uint16(rng.Uint32())}
				g.Phase = rng.Int32N(16*st.Stipple.Factor)*StippleUnits + []int32{0, 1, StippleUnits - 1}[rng.IntN(3)]
			}
		}
		if g.A == g.B {
			continue
		}
		g.B.L1, g.B.Z = 1, 1
		st.LineWidth = float32(width)
		want := wideOracle(g, width, &st, r)
		s := lines(g, &st)[0]
		for _, tile := range []int32{16, 2} {
			got := coverage(t, []Setup{s}, nil, r, 1, tile)
			for _, p := range got {
				if _, ok := want[p]; !ok {
					t.Fatalf("trial %d, %+v of width %d, %+v: %v is covered", trial, g, width, st.Stipple, p)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("trial %d, %+v of width %d, %+v: %d pixels, want %d", trial, g, width, st.Stipple, len(got), len(want))
			}
		}
		along := func(x, y int64) float64 {
			q, l2 := (&baseFragment{x: x, y: y}).along(g)
			return q / l2
		}
		for p, f := range want {
			covered++
			x, y := []int32{p.x*256 + rng.Int32N(256)}, []int32{p.y*256 + rng.Int32N(256)}
			var i, j, z [1]float32
			near := func(got float32, want float64) bool {
				return math.Abs(float64(got)-want) <= 1e-6*max(1, math.Abs(want))
			}
			if s.IJAt(x, y, i[:], j[:]); !near(i[0], along(f.x, f.y)) || j[0] != 0 {
				t.Fatalf("%+v of width %d: (%v, %v) in %v, want %v", g, width, i[0], j[0], p, along(f.x, f.y))
			}
			if s.DepthAt(x, y, z[:]); !near(z[0], along(int64(p.x)*256+128, int64(p.y)*256+128)) {
				t.Fatalf("%+v of width %d: depth %v in %v", g, width, z[0], p)
			}
		}
	}
	if covered < fewer(2000) {
		t.Errorf("%d pixels", covered)
	}
}
