// Package tess is the tessellator: levels in, points of the domain and primitives
// between them out.
//
// Positions are fixed point with 16 fractional bits, and the second half of an
// edge mirrors the first. So every coordinate and its complement to one are exact,
// and two patches that subdivide a common edge with one level, from whichever end,
// get the same points.
package tess

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// MaxLevel is the largest level (maxTessellationGenerationLevel).
const MaxLevel = 64

// One is the end of an edge: 1 in fixed point.
const One = 1 << 16

// Config is what the execution modes and the state of a pipeline say.
type Config struct {
	Domain  ir.TessDomain
	Spacing ir.TessSpacing
	// Positive makes triangles whose signed area in (u, v) is positive: clockwise
	// where the domain's origin is at the upper left (tessellation-vertex-winding-order).
	Positive  bool
	PointMode bool
}

// Vertices is the number of vertices of the primitives that come out.
func (c Config) Vertices() int {
	switch {
	case c.PointMode:
		return 1
	case c.Domain == ir.DomainIsolines:
		return 2
	}
	return 3
}

// Point is a point of the domain, fixed point. W is One-U-V for triangles, else 0.
type Point struct{ U, V, W int32 }

// Coord are the coordinates of a point (TessCoord).
func (p Point) Coord() [3]float32 {
	return [3]float32{float32(p.U) / One, float32(p.V) / One, float32(p.W) / One}
}

// Tessellator holds what a patch was divided into. Its memory is reused.
type Tessellator struct {
	Points []Point
	// Index lists the points of the primitives, Config.Vertices each.
	Index []uint32

	config       Config
	edges        [4]edge
	inner        [2]edge
	outer, inset []corner // of stitch
}

// edge is a subdivided edge: positions 0 to One.
type edge []int32

// corner is a point on the way along an edge, and its position on it.
type corner struct {
	point uint32
	at    int32
}

// Run divides a patch; nothing comes out of one that is discarded.
// tessellation
func (t *Tessellator) Run(c Config, outer [4]float32, inner [2]float32) {
	t.Points, t.Index, t.config = t.Points[:0], t.Index[:0], c
	for _, level := range outer[:relevant(c.Domain)] {
		if !(level > 0) { // NaN too
			return
		}
	}
	switch c.Domain {
	case ir.DomainTriangles:
		t.triangles(outer, inner)
	case ir.DomainQuads:
		t.quads(outer, inner)
	case ir.DomainIsolines:
		t.isolines(outer)
	}
	if c.PointMode {
		t.Index = t.Index[:0]
		for i := range t.Points {
			t.Index = append(t.Index, uint32(i))
		}
	}
}

// relevant is the number of outer levels that a domain has.
func relevant(d ir.TessDomain) int {
	switch d {
	case ir.DomainQuads:
		return 4
	case ir.DomainIsolines:
		return 2
	}
	return 3
}

// segments clamps a level and rounds it.
// tessellation-tessellator-spacing
func segments(s ir.TessSpacing, level float32) (n int, f float64) {
	clamp := func(low, high float64) float64 {
		if level != level {
			return low
		}
		return min(max(float64(level), low), high)
	}
	switch s {
	case ir.SpacingFractionalEven:
		f = clamp(2, MaxLevel)
		n = 2 * int(math.Ceil(f/2))
	case ir.SpacingFractionalOdd:
		f = clamp(1, MaxLevel-1)
		n = 2*int(math.Ceil((f-1)/2)) + 1
	default:
		f = math.Ceil(clamp(1, MaxLevel))
		n = int(f)
	}
	return n, f
}

// more is segments for an inner level of which one is not enough: 1 counts as a
// little more.
func more(s ir.TessSpacing, level float32) (n int, f float64) {
	n, f = segments(s, level)
	if n > 1 {
		return n, f
	}
	if s == ir.SpacingFractionalOdd {
		return 3, f
	}
	return 2, 2
}

// divide makes the positions of n segments at level f. Between level n-2, where all segments are equal, and n, where they
// are again, each point goes in a straight line from its place in the one to that in the other, and two segments, one in
// each half, grow from nothing: n-2 segments are equal and the two are shorter. Vulkan leaves open which two; here they
// are those of Direct3D 11's tessellator, as on GPUs, and Khronos' tests know no other.
// tessellation-tessellator-spacing
func (e *edge) divide(n int, f float64) {
	below, part := float64(n), 1.0 // the level that points come from, and how far they are on their way
	born := n                      // the first of two points that are one there
	if n > 2 && f < float64(n) {
		below, part = float64(n-2), (f-float64(n-2))/2
		born = additional(n)
	}
	*e = append((*e)[:0], 0)
	for i := 1; i < n; i++ {
		at := int32(One / 2)
		switch {
		case 2*i > n:
			at = One - (*e)[n-i]
		case 2*i < n:
			from := i
			if i > born {
				from--
			}
			at = int32(math.RoundToEven(One * (float64(float64(from)/below*(1-part)) + float64(float64(i)/float64(n)*part))))
		}
		*e = append(*e, at)
	}
	*e = append(*e, One)
}

// additional is the place of the shorter segment in the first half of an edge of n, counted from 0. As n grows by two
// from 3 or 4, the places are 0 or 1, then 1, 1 and 3, 1, 3, 5 and 7, and so on: each round puts one into every segment
// of the round before, as finer marks are put on a ruler.
func additional(n int) int {
	m := n/2 - 1
	if m == 0 {
		return 0
	}
	return 2*(m-1<<(bits.Len(uint(m))-1)) + 1
}

// point adds a point.
func (t *Tessellator) point(u, v, w int32) uint32 {
	t.Points = append(t.Points, Point{u, v, w})
	return uint32(len(t.Points) - 1)
}

// triangle adds a triangle whose area in (u, v) is positive.
func (t *Tessellator) triangle(a, b, c uint32) {
	if !t.config.Positive {
		b, c = c, b
	}
	t.Index = append(t.Index, a, b, c)
}

// stitch fills the strip between an edge and the one inside of it, both in the
// direction that has the inside at the left. Where both have a segment in the middle, what lies between the two is cut
// from the outer one's first corner to the inner one's second: any diagonal will do, and this is the one of GPUs, which
// Khronos' tests know.
func (t *Tessellator) stitch(outer, inner []corner) {
	i, j := 0, 0
	first := func() bool { // the next triangle stands on the outer edge
		o, n := outer[i].at+outer[i+1].at, inner[j].at+inner[j+1].at
		return o < n || o == n && o != One
	}
	for i+1 < len(outer) || j+1 < len(inner) {
		if j+1 == len(inner) || i+1 < len(outer) && first() {
			t.triangle(outer[i].point, outer[i+1].point, inner[j].point)
			i++
		} else {
			t.triangle(outer[i].point, inner[j+1].point, inner[j].point)
			j++
		}
	}
}

// isolines draws lines of constant v.
// tessellation-isoline-tessellation
func (t *Tessellator) isolines(outer [4]float32) {
	rows, columns := &t.edges[0], &t.edges[1]
	rows.divide(segments(ir.SpacingEqual, outer[0]))
	columns.divide(segments(t.config.Spacing, outer[1]))
	for _, v := range (*rows)[:len(*rows)-1] {
		for k, u := range *columns {
			p := t.point(u, v, 0)
			if k > 0 {
				t.Index = append(t.Index, p-1, p)
			}
		}
	}
}
