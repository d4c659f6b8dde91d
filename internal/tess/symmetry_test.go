package tess

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// mesh is the triangles of a tessellation as a sorted list, each from its least
// vertex on, so that two lists can be compared whatever their orders.
func (t *Tessellator) mesh(move func(Point) Point, turned bool) []string {
	var out []string
	for i := 0; i < len(t.Index); i += 3 {
		var p [3]Point
		for k := range p {
			p[k] = move(t.Points[t.Index[i+k]])
			if p[k].W != 0 && max(p[k].U, p[k].V, p[k].W) == One/3+1 {
				p[k] = Point{One / 3, One / 3, One / 3} // a triangle's centre, rounded
			}
		}
		if turned {
			p[1], p[2] = p[2], p[1]
		}
		least := 0
		for k := range p {
			if fmt.Sprint(p[k]) < fmt.Sprint(p[least]) {
				least = k
			}
		}
		out = append(out, fmt.Sprint(p[least], p[(least+1)%3], p[(least+2)%3]))
	}
	slices.Sort(out)
	return out
}

// With equal levels no side of a patch is treated unlike another: the triangles are
// the same after a turn and, where no two midpoints of the strip's segments are at
// one place, after a mirroring.
// tessellation-quad-tessellation, tessellation-triangle-tessellation
func TestSymmetry_TurnsAndMirrors(t *testing.T) {
	turnQuad := func(p Point) Point { return Point{One - p.V, p.U, 0} }
	mirrorQuad := func(p Point) Point { return Point{One - p.U, p.V, 0} }
	turnTriangle := func(p Point) Point { return Point{p.V, p.W, p.U} }
	mirrorTriangle := func(p Point) Point { return Point{p.V, p.U, p.W} }
	for _, c := range []struct {
		outer, inner float32
		spacing      ir.TessSpacing
	}{
		{3, 4, ir.SpacingEqual}, {4, 3, ir.SpacingEqual}, {1, 4, ir.SpacingEqual}, {5, 4, ir.SpacingEqual}, {7, 6, ir.SpacingEqual}, {11, 8, ir.SpacingEqual},
		{3.25, 8, ir.SpacingFractionalOdd}, {5.75, 3.5, ir.SpacingFractionalEven}, {9.5, 6.25, ir.SpacingFractionalEven},
	} {
		var x Tessellator
		all := func(p Point) Point { return p }
		outer, inner := [4]float32{c.outer, c.outer, c.outer, c.outer}, [2]float32{c.inner, c.inner}
		x.Run(Config{Domain: ir.DomainQuads, Spacing: c.spacing, Positive: true}, outer, inner)
		odd := c.spacing == ir.SpacingFractionalOdd || c.inner == 3 // its cells in the middle have one diagonal
		if want := x.mesh(all, false); !odd && !slices.Equal(x.mesh(turnQuad, false), want) {
			t.Errorf("%+v: a quad looks different turned by a quarter", c)
		} else if !odd && !slices.Equal(x.mesh(mirrorQuad, true), want) {
			t.Errorf("%+v: a quad looks different mirrored", c)
		}
		x.Run(Config{Domain: ir.DomainTriangles, Spacing: c.spacing, Positive: true}, outer, inner)
		if want := x.mesh(all, false); !slices.Equal(x.mesh(turnTriangle, false), want) {
			t.Errorf("%+v: a triangle looks different turned", c)
		} else if c.inner <= 4 && !slices.Equal(x.mesh(mirrorTriangle, true), want) { // rings inside have midpoints in common
			t.Errorf("%+v: a triangle looks different mirrored", c)
		}
	}
}

// The simplest patches, whole: the points' coordinates and the order of vertices.
func TestSimplest_Exactly(t *testing.T) {
	var x Tessellator
	one, two := [4]float32{1, 1, 1, 1}, [2]float32{1, 1}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Domain: ir.DomainTriangles, Positive: true}, "[{0 0 65536} {65536 0 0} {0 65536 0}] [0 1 2]"},
		{Config{Domain: ir.DomainTriangles}, "[{0 0 65536} {65536 0 0} {0 65536 0}] [0 2 1]"},
		{Config{Domain: ir.DomainQuads, Positive: true}, "[{0 0 0} {65536 0 0} {65536 65536 0} {0 65536 0}] [0 1 3 1 2 3]"},
		{Config{Domain: ir.DomainIsolines}, "[{0 0 0} {65536 0 0}] [0 1]"},
		{Config{Domain: ir.DomainQuads, PointMode: true}, "[{0 0 0} {65536 0 0} {65536 65536 0} {0 65536 0}] [0 1 2 3]"},
	} {
		c.config.Spacing = ir.SpacingEqual
		x.Run(c.config, one, two)
		if got := fmt.Sprint(x.Points, x.Index); got != c.want {
			t.Errorf("%+v: %s, want %s", c.config, got, c.want)
		}
	}
	x.Run(Config{Domain: ir.DomainIsolines, Spacing: ir.SpacingEqual}, [4]float32{2, 2}, two)
	if got := fmt.Sprint(x.Points, x.Index); got != "[{0 0 0} {32768 0 0} {65536 0 0} {0 32768 0} {32768 32768 0} {65536 32768 0}] [0 1 1 2 3 4 4 5]" {
		t.Errorf("isolines: %s", got)
	}
	if got := (Point{One / 2, One / 4, One / 8}).Coord(); got != [3]float32{0.5, 0.25, 0.125} {
		t.Errorf("TessCoord %v", got)
	}
}

// tessellation-tessellator-spacing: the number of segments for a level, at and past
// both ends of each spacing's range, and a NaN as the least.
func TestSegments_Clamped(t *testing.T) {
	nan := float32(0)
	nan /= nan
	for _, c := range []struct {
		s    ir.TessSpacing
		at   float32
		n    int
		f    float64
		more int // for an inner level that isn't alone
	}{
		{ir.SpacingEqual, nan, 1, 1, 2}, {ir.SpacingEqual, -3, 1, 1, 2}, {ir.SpacingEqual, 1, 1, 1, 2}, {ir.SpacingEqual, 1.25, 2, 2, 2},
		{ir.SpacingEqual, 64, 64, 64, 64}, {ir.SpacingEqual, 65, 64, 64, 64}, {ir.SpacingEqual, 63.5, 64, 64, 64},
		{ir.SpacingFractionalEven, nan, 2, 2, 2}, {ir.SpacingFractionalEven, 0.5, 2, 2, 2}, {ir.SpacingFractionalEven, 2, 2, 2, 2},
		{ir.SpacingFractionalEven, 2.5, 4, 2.5, 4}, {ir.SpacingFractionalEven, 64, 64, 64, 64}, {ir.SpacingFractionalEven, 70, 64, 64, 64},
		{ir.SpacingFractionalOdd, nan, 1, 1, 3}, {ir.SpacingFractionalOdd, 0.5, 1, 1, 3}, {ir.SpacingFractionalOdd, 1, 1, 1, 3},
		{ir.SpacingFractionalOdd, 1.5, 3, 1.5, 3}, {ir.SpacingFractionalOdd, 63, 63, 63, 63}, {ir.SpacingFractionalOdd, 70, 63, 63, 63},
	} {
		if n, f := segments(c.s, c.at); n != c.n || f != c.f {
			t.Errorf("%v, level %v: %d segments at %v, want %d at %v", c.s, c.at, n, f, c.n, c.f)
		}
		if n, _ := more(c.s, c.at); n != c.more {
			t.Errorf("%v, inner level %v: %d segments, want %d", c.s, c.at, n, c.more)
		}
	}
}

// tessellation: as many outer levels as the domain has edges, or directions, must be
// positive; the others may be anything.
func TestDiscard_RelevantLevels(t *testing.T) {
	var x Tessellator
	for domain, n := range map[ir.TessDomain]int{ir.DomainTriangles: 3, ir.DomainQuads: 4, ir.DomainIsolines: 2} {
		for k := range 4 {
			outer := [4]float32{2, 2, 2, 2}
			outer[k] = 0
			x.Run(Config{Domain: domain, Spacing: ir.SpacingEqual}, outer, [2]float32{2, 2})
			if discarded := len(x.Points) == 0; discarded != (k < n) {
				t.Errorf("domain %v with outer level %d zero: discarded %v", domain, k, discarded)
			}
		}
	}
}

// tessellation-quad-tessellation: the first inner level divides in the direction of u,
// the second in that of v; a triangle has no fourth outer level.
func TestQuads_InnerLevelsHaveDirections(t *testing.T) {
	var x Tessellator
	x.Run(Config{Domain: ir.DomainQuads, Spacing: ir.SpacingEqual}, [4]float32{1, 1, 1, 1}, [2]float32{4, 8})
	across, up := map[int32]bool{}, map[int32]bool{}
	for _, p := range x.Points {
		if p.U > 0 && p.U < One && p.V > 0 && p.V < One {
			across[p.U], up[p.V] = true, true
		}
	}
	if len(across) != 3 || len(up) != 7 || !across[One/4] || !up[One/8] {
		t.Errorf("positions inside: u %v, v %v", across, up)
	}
	x.Run(Config{Domain: ir.DomainTriangles, Spacing: ir.SpacingEqual}, [4]float32{1, 1, 1, 5}, [2]float32{1})
	if len(x.Index) != 3 {
		t.Errorf("the fourth outer level made %d triangles", len(x.Index)/3)
	}
}

// tessellation-tessellator-spacing: positions are the nearest in fixed point.
func TestDivide_Nearest(t *testing.T) {
	for n := 1; n <= MaxLevel; n++ {
		var e edge
		e.divide(segments(ir.SpacingEqual, float32(n)))
		for i := 0; 2*i <= n; i++ {
			if want := int32((2*One*i + n) / (2 * n)); e[i] != want {
				t.Errorf("level %d: position %d is %d, want %d", n, i, e[i], want)
			}
		}
	}
}
