package tess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

var spacings = [3]ir.TessSpacing{ir.SpacingEqual, ir.SpacingFractionalEven, ir.SpacingFractionalOdd}

// area is twice the signed area of a triangle in (u, v).
func (t *Tessellator) area(i int) int64 {
	var u, v [3]int64
	for k := range 3 {
		p := t.Points[t.Index[3*i+k]]
		u[k], v[k] = int64(p.U), int64(p.V)
	}
	return u[0]*v[1] - u[1]*v[0] + u[1]*v[2] - u[2]*v[1] + u[2]*v[0] - u[0]*v[2]
}

// onEdge returns the sorted positions of the points of an edge of the domain.
func (t *Tessellator) onEdge(in func(Point) (at int32, on bool)) (out []int32) {
	for _, p := range t.Points {
		if at, on := in(p); on {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

func levels(r *rand.Rand) (outer [4]float32, inner [2]float32) {
	one := func() float32 {
		switch r.IntN(5) {
		case 0:
			return float32(1 + r.IntN(5))
		case 1:
			return 1
		case 2:
			return float32(r.Float64() * 66)
		case 3:
			return 64
		}
		return float32(1 + r.Float64()*9)
	}
	for i := range outer {
		outer[i] = one()
		for outer[i] <= 0 {
			outer[i] = one()
		}
	}
	for i := range inner {
		inner[i] = one()
	}
	return outer, inner
}

// The triangles have one orientation, and their areas sum up to that of the
// domain: nothing is covered twice and nothing left out. The edges are divided
// as their levels say, and every edge is its own mirror image.
func TestDomains_CoveredOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x Tessellator
	for range 1000 {
		outer, inner := levels(r)
		c := Config{Domain: ir.DomainTriangles + ir.TessDomain(r.IntN(2)), Spacing: spacings[r.IntN(3)], Positive: r.IntN(2) == 0}
		x.Run(c, outer, inner)
		total := int64(0)
		for i := range len(x.Index) / 3 {
			a := x.area(i)
			if !c.Positive {
				a = -a
			}
			if a < 0 {
				t.Fatalf("%+v %v %v: triangle %d is turned over", c, outer, inner, i)
			}
			total += a
		}
		want, sides := int64(One)*One, 3
		edges := []func(Point) (int32, bool){
			func(p Point) (int32, bool) { return p.V, p.U == 0 }, func(p Point) (int32, bool) { return p.U, p.V == 0 },
			func(p Point) (int32, bool) { return p.V, p.W == 0 },
		}
		if c.Domain == ir.DomainQuads {
			want, sides = 2*want, 4
			edges[2] = func(p Point) (int32, bool) { return p.V, p.U == One }
			edges = append(edges, func(p Point) (int32, bool) { return p.U, p.V == One })
		}
		if total != want {
			t.Fatalf("%+v %v %v: area %d, want %d", c, outer, inner, total, want)
		}
		for k := range sides {
			n, f := segments(c.Spacing, outer[k])
			var e edge
			e.divide(n, f)
			got := x.onEdge(edges[k])
			// Level 1 with odd spacing may put inner points on the edge.
			if in, _ := segments(c.Spacing, inner[0]); in == 1 || c.Domain == ir.DomainQuads && slices.Contains(x.inner[1], 0) {
				got = slices.Compact(got)
			}
			if c.Spacing != ir.SpacingFractionalOdd && !slices.Equal(got, e) {
				t.Fatalf("%+v %v %v: edge %d has %v, want %v", c, outer, inner, k, got, e)
			}
			for i, at := range e {
				if e[n-i] != One-at || i > 0 && at < e[i-1] {
					t.Fatalf("%v at level %v: %v", c.Spacing, outer[k], e)
				}
			}
		}
		used := make([]bool, len(x.Points))
		for _, i := range x.Index {
			used[i] = true
		}
		for i, p := range x.Points {
			if !used[i] {
				t.Fatalf("%+v %v %v: point %v is in no triangle", c, outer, inner, p)
			}
			if c.Domain == ir.DomainTriangles && p.U+p.V+p.W != One || p.U < 0 || p.V < 0 || p.W < 0 || p.U > One || p.V > One {
				t.Fatalf("%+v %v %v: point %v", c, outer, inner, p)
			}
		}
	}
}

// Numbers of points and triangles that follow from whole levels.
func TestCounts(t *testing.T) {
	var x Tessellator
	for _, c := range []struct {
		domain    ir.TessDomain
		spacing   ir.TessSpacing
		outer     [4]float32
		inner     [2]float32
		points, n int
	}{
		{ir.DomainTriangles, ir.SpacingEqual, [4]float32{1, 1, 1}, [2]float32{1}, 3, 1},
		{ir.DomainTriangles, ir.SpacingEqual, [4]float32{2, 1, 1}, [2]float32{1}, 5, 4}, // inner 1 counts as 2
		{ir.DomainTriangles, ir.SpacingFractionalOdd, [4]float32{3, 1, 1}, [2]float32{1}, 8, 9},
		{ir.DomainTriangles, ir.SpacingEqual, [4]float32{4, 4, 4}, [2]float32{4}, 19, 24},
		{ir.DomainTriangles, ir.SpacingEqual, [4]float32{5, 5, 5}, [2]float32{5}, 15 + 9 + 3, 24 + 12 + 1},
		{ir.DomainTriangles, ir.SpacingEqual, [4]float32{1, 1, 1}, [2]float32{2}, 4, 3},
		{ir.DomainQuads, ir.SpacingEqual, [4]float32{1, 1, 1, 1}, [2]float32{1, 1}, 4, 2},
		{ir.DomainQuads, ir.SpacingEqual, [4]float32{1, 1, 1, 1}, [2]float32{2, 1}, 5, 4},
		{ir.DomainQuads, ir.SpacingEqual, [4]float32{3, 3, 3, 3}, [2]float32{3, 3}, 16, 18},
		{ir.DomainQuads, ir.SpacingFractionalEven, [4]float32{1, 1, 1, 1}, [2]float32{1, 1}, 9, 8},
		{ir.DomainQuads, ir.SpacingEqual, [4]float32{64, 64, 64, 64}, [2]float32{64, 64}, 65 * 65, 2 * 64 * 64},
		{ir.DomainIsolines, ir.SpacingEqual, [4]float32{4, 3}, [2]float32{}, 16, 12},
		{ir.DomainIsolines, ir.SpacingFractionalOdd, [4]float32{2.5, 3.5}, [2]float32{}, 18, 15},
	} {
		for _, points := range []bool{false, true} {
			k := Config{Domain: c.domain, Spacing: c.spacing, PointMode: points}
			x.Run(k, c.outer, c.inner)
			n := c.n
			if points {
				n = c.points
			}
			if len(x.Points) != c.points || len(x.Index) != n*k.Vertices() {
				t.Errorf("%+v: %d points and %d primitives", c, len(x.Points), len(x.Index)/k.Vertices())
			}
		}
	}
}

// tessellation: what is not positive, NaN too, discards a patch; inner levels
// don't.
func TestDiscard(t *testing.T) {
	nan := float32(math.NaN())
	var x Tessellator
	for _, domain := range [...]ir.TessDomain{ir.DomainTriangles, ir.DomainQuads, ir.DomainIsolines} {
		for _, bad := range []float32{0, -1, nan, float32(math.Inf(-1)), float32(math.Copysign(0, -1))} {
			for k := range 4 {
				outer := [4]float32{2, 2, 2, 2}
				outer[k] = bad
				for _, inner := range [][2]float32{{2, 2}, {bad, bad}} {
					x.Run(Config{Domain: domain, Spacing: ir.SpacingEqual}, outer, inner)
					if drawn := len(x.Index) > 0; drawn != (k >= relevant(domain)) {
						t.Errorf("domain %v, outer %v: drawn %v", domain, outer, drawn)
					}
				}
			}
		}
		x.Run(Config{Domain: domain, Spacing: ir.SpacingEqual}, [4]float32{0x1p-100, float32(math.Inf(1)), 1, 1}, [2]float32{nan, -5})
		if len(x.Index) == 0 {
			t.Errorf("domain %v: the smallest and the largest level draw nothing", domain)
		}
	}
}

// tessellation-tessellator-spacing: n-2 segments are equal, and two, one in each half, shrink to nothing as the level falls
// to the next lower number of segments, and are as long as the others where it is whole.
func TestSpacing_AdditionalSegments(t *testing.T) {
	for _, spacing := range []ir.TessSpacing{ir.SpacingFractionalOdd, ir.SpacingFractionalEven} {
		for at := 1 * 8; at <= MaxLevel*8; at++ {
			n, level := segments(spacing, float32(at)/8)
			var e edge
			e.divide(n, level)
			// Segments are 1/(n-2) long where the level is n-2, and 1/n where it is n.
			part := min((level-float64(n-2))/2, 1)
			long, short := One*((1-part)/float64(n-2)+part/float64(n)), One*part/float64(n)
			if n <= 2 {
				long = One / float64(n)
			}
			var places []int
			for i := range n {
				length := float64(e[i+1] - e[i])
				if math.Abs(length-long) > 1 {
					places = append(places, i)
					if math.Abs(length-short) > 1 {
						t.Fatalf("level %v: segment %d of %d is %v long, want %v or %v", level, i, n, length, long, short)
					}
				}
			}
			if long-short > 2 && n > 2 && (len(places) != 2 || places[0]+places[1] != n-1) {
				t.Errorf("level %v: of %d segments those at %d are short", level, n, places)
			}
		}
	}
}

// Where the shorter segments are: Direct3D 11's tessellator, by hand.
func TestSpacing_PlacesOfShortSegments(t *testing.T) {
	for i, want := range []int{0, 1, 1, 1, 1, 3, 3, 1, 1, 3, 3, 5, 5, 7, 7, 1, 1, 3} {
		if got := additional(i + 3); got != want {
			t.Errorf("%d segments: %d, want %d", i+3, got, want)
		}
	}
	var e edge
	e.divide(5, 4) // on their way from thirds to fifths
	third, fifth := One/3., One/5.
	for i, want := range []float64{0, (third + fifth) / 2, (third + 2*fifth) / 2, One - (third+2*fifth)/2, One - (third+fifth)/2, One} {
		if math.Abs(float64(e[i])-want) > 0.5 {
			t.Errorf("level 4 of five: position %d is %d, want %v", i, e[i], want)
		}
	}
}

func BenchmarkQuads64(b *testing.B) {
	var x Tessellator
	for b.Loop() {
		x.Run(Config{Domain: ir.DomainQuads, Spacing: ir.SpacingEqual}, [4]float32{64, 64, 64, 64}, [2]float32{64, 64})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/triangle")
}

// Fractional odd levels of 2 divide a side at 1/6 and 5/6, and so the square inside. In each of the four strips the cell in
// the middle is cut from the outer edge's first corner to the inner edge's last, going round with the inside at the left.
// tessellation-quad-tessellation
func TestQuads_OddStripsDiagonals(t *testing.T) {
	var x Tessellator
	x.Run(Config{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Positive: true}, [4]float32{2, 2, 2, 2}, [2]float32{2, 2})
	near := func(p Point, u, v float64) bool {
		return math.Abs(float64(p.U)/One-u) < 1e-3 && math.Abs(float64(p.V)/One-v) < 1e-3
	}
	const a, b = 1. / 6, 5. / 6
	for _, d := range [][2][2]float64{{{a, 0}, {b, a}}, {{1, a}, {b, b}}, {{b, 1}, {a, b}}, {{0, b}, {a, a}}} {
		n := 0
		for i := 0; i < len(x.Index); i += 3 {
			ends := 0
			for _, k := range x.Index[i : i+3] {
				for _, e := range d {
					if near(x.Points[k], e[0], e[1]) {
						ends++
					}
				}
			}
			if ends == 2 {
				n++
			}
		}
		if n != 2 {
			t.Errorf("the side from %v to %v is that of %d triangles", d[0], d[1], n)
		}
	}
}
