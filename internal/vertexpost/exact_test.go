package vertexpost

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A viewport of 256 pixels: framebuffer x is 128·x/w + 128, and the guard band
// ends at x/w = 8191 and -8193.
func exactConfig() Config {
	return Config{Viewport: MakeViewport(vk.Viewport{Width: 256, Height: 256, MaxDepth: 1}, false), DepthClip: true}
}

// Each plane by itself: what lies on it is inside.
// RAS-074, RAS-075, RAS-003
func TestProject_RAS075_Outcodes(t *testing.T) {
	rules.Covers(t, "RAS-003", "RAS-075", "RAS-074")
	above := func(f float32) float32 { return math.Nextafter32(f, inf) }
	below := func(f float32) float32 { return math.Nextafter32(f, -inf) }
	for _, c := range []struct {
		pos     [4]float32
		out     raster.Outcode // z from 0 to w
		minusTo raster.Outcode // z from -w to w
	}{
		{[4]float32{0, 0, 0, 2}, 0, 0},
		{[4]float32{-2, 0, 0, 2}, 0, 0}, {[4]float32{below(-2), 0, 0, 2}, raster.OutLeft, raster.OutLeft},
		{[4]float32{2, 0, 0, 2}, 0, 0}, {[4]float32{above(2), 0, 0, 2}, raster.OutRight, raster.OutRight},
		{[4]float32{0, -2, 0, 2}, 0, 0}, {[4]float32{0, below(-2), 0, 2}, raster.OutTop, raster.OutTop},
		{[4]float32{0, 2, 0, 2}, 0, 0}, {[4]float32{0, above(2), 0, 2}, raster.OutBottom, raster.OutBottom},
		{[4]float32{0, 0, -1e-40, 2}, raster.OutNear, 0},
		{[4]float32{0, 0, -2, 2}, raster.OutNear, 0}, {[4]float32{0, 0, below(-2), 2}, raster.OutNear, raster.OutNear},
		{[4]float32{0, 0, 2, 2}, 0, 0}, {[4]float32{0, 0, above(2), 2}, raster.OutFar, raster.OutFar},
		{[4]float32{0, 0, 0, 0x1p-64}, raster.OutW, raster.OutW}, {[4]float32{0, 0, 0, above(0x1p-64)}, 0, 0},
		{[4]float32{8191, 0, 0, 1}, raster.OutRight, raster.OutRight},
		{[4]float32{8191 + 0x1p-7, 0, 0, 1}, raster.OutRight | raster.OutGuard, raster.OutRight | raster.OutGuard},
		{[4]float32{-8193, 0, 0, 1}, raster.OutLeft, raster.OutLeft},
		{[4]float32{-8193 - 0x1p-7, 0, 0, 1}, raster.OutLeft | raster.OutGuard, raster.OutLeft | raster.OutGuard},
		{[4]float32{0, 8191, 0, 1}, raster.OutBottom, raster.OutBottom},
		{[4]float32{0, 8191 + 0x1p-7, 0, 1}, raster.OutBottom | raster.OutGuard, raster.OutBottom | raster.OutGuard},
		{[4]float32{0, -8193, 0, 1}, raster.OutTop, raster.OutTop},
		{[4]float32{0, -8193 - 0x1p-7, 0, 1}, raster.OutTop | raster.OutGuard, raster.OutTop | raster.OutGuard},
	} {
		for _, minus := range []bool{false, true} {
			config, want := exactConfig(), c.out
			if config.NegativeOneToOne = minus; minus {
				want = c.minusTo
			}
			v := []raster.Vertex{{Pos: c.pos}}
			if config.Project(v); v[0].Out != want {
				t.Errorf("%v, z from -w %v: out %b, want %b", c.pos, minus, v[0].Out, want)
			}
			config.DepthClip = false
			if config.Project(v); v[0].Out != want&^outDepth {
				t.Errorf("%v without depth clipping: out %b", c.pos, v[0].Out)
			}
		}
	}
}

// RAS-366: one component that is not finite is enough, and nothing of an earlier
// use is left.
func TestProject_RAS366_NotFinite(t *testing.T) {
	rules.Covers(t, "RAS-366")
	config := exactConfig()
	for k := range 4 {
		for _, bad := range []float32{nan, inf, -inf} {
			v := []raster.Vertex{{Pos: [4]float32{1, 1, 1, 1}, X: 5, Y: 5, Z: 5, InvW: 5}}
			v[0].Pos[k] = bad
			if config.Project(v); v[0].Out != raster.OutInvalid || v[0].X != 0 || v[0].Y != 0 || v[0].Z != 0 || v[0].InvW != 0 {
				t.Errorf("component %d = %v: %+v", k, bad, v[0])
			}
		}
	}
}

// RAS-074, RAS-077, RAS-366: each distance has its bit; only clip distances must be finite.
func TestProject_RAS077_Distances(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-074", "RAS-366")
	config := exactConfig()
	config.ClipDistances, config.CullDistances = 3, 2
	for k := range raster.MaxDistances {
		for _, d := range []float32{-1, -1e-45, 0, 1, nan, inf, -inf} {
			v := []raster.Vertex{vertex(0, 0, 0, 1)}
			v[0].Dist[k] = d
			want := raster.Outcode(0)
			if d < 0 && k < 5 {
				want = raster.OutUser << k
			}
			if k < 3 && d-d != 0 {
				want |= raster.OutInvalid
			}
			if config.Project(v); v[0].Out != want {
				t.Errorf("distance %d = %v: out %b, want %b", k, d, v[0].Out, want)
			}
		}
	}
	if got := config.outClip(); got != 7*raster.OutUser {
		t.Errorf("three clip distances: %b", got)
	}
}

// RAS-073, RAS-373: all eight swizzles, by their values.
func TestProject_RAS073_Swizzle(t *testing.T) {
	rules.Covers(t, "RAS-073", "RAS-373")
	config := exactConfig()
	p := [4]float32{.125, .25, .5, 1}
	config.Swizzled = true
	for s := range vk.ViewportCoordinateSwizzleNV(8) {
		want := p[s/2]
		if s%2 == 1 {
			want = -want
		}
		for k := range 4 {
			pick := []vk.ViewportCoordinateSwizzleNV{Identity.X, Identity.Y, Identity.Z, Identity.W}
			pick[k] = s
			config.Swizzle = vk.ViewportSwizzleNV{X: pick[0], Y: pick[1], Z: pick[2], W: pick[3]}
			v := []raster.Vertex{{Pos: p}}
			config.Project(v)
			wanted := p
			if wanted[k] = want; v[0].Pos != wanted {
				t.Errorf("component %d from swizzle %d: %v, want %v", k, s, v[0].Pos, wanted)
			}
		}
	}
}

// RAS-373, RAS-375: components change places all at once; planes, divide and what is
// not finite are those of the new position, distances those of the old one.
func TestProject_RAS375_SwizzledPosition(t *testing.T) {
	rules.Covers(t, "RAS-373", "RAS-375")
	config := exactConfig()
	config.ClipDistances, config.Swizzled = 1, true
	config.Swizzle = vk.ViewportSwizzleNV{
		X: vk.ViewportCoordinateSwizzlePositiveYNV, Y: vk.ViewportCoordinateSwizzleNegativeXNV,
		Z: vk.ViewportCoordinateSwizzlePositiveWNV, W: vk.ViewportCoordinateSwizzlePositiveWNV,
	}
	v := []raster.Vertex{{Pos: [4]float32{.5, 3, nan, 2}, Dist: [raster.MaxDistances]float32{-1}}}
	config.Project(v)
	if v[0].Pos != [4]float32{3, -.5, 2, 2} || v[0].Out != raster.OutRight|raster.OutUser {
		t.Errorf("%v, out %b", v[0].Pos, v[0].Out)
	}
	// x is 3/2, y -1/4 of half of 256 pixels; z is w/w.
	if v[0].X != (128+192)*256 || v[0].Y != (128-32)*256 || v[0].Z != 1 || v[0].InvW != .5 {
		t.Errorf("%+v", v[0])
	}
	v[0] = raster.Vertex{Pos: [4]float32{0, inf, 0, 1}}
	if config.Project(v); v[0].Out != raster.OutInvalid {
		t.Errorf("an infinite y that becomes x: out %b", v[0].Out)
	}
}

// RAS-089: the position is divided by A·x + B·y + w and clipped with w, so that the
// sides of the view volume cut where they are not the viewport's.
func TestWScale_RAS089(t *testing.T) {
	rules.Covers(t, "RAS-089", "RAS-376", "RAS-377", "RAS-378")
	config := exactConfig()
	config.WScale, config.ScaleX, config.ScaleY = true, .5, -.25
	v := []raster.Vertex{vertex(1, 2, .5, 1.5)} // by .5 - .5 + 1.5
	config.Project(v)
	if v[0].Out != raster.OutBottom || v[0].InvW != 1/1.5 || v[0].X != int32(math.RoundToEven((128/1.5+128)*256)) {
		t.Errorf("%+v", v[0])
	}
	// By 1, 2 and 1; the second is outside of x = w.
	v = []raster.Vertex{vertex(0, 0, .5, 1), vertex(2, 0, .5, 1), vertex(0, .5, .5, 1.125)}
	config.Project(v)
	if v[1].Z != .25 || v[1].InvW != .5 || v[1].X != 256*256 {
		t.Errorf("divided by 2: %+v", v[1])
	}
	var p raster.Polygon
	if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 3 || p.Cuts != 1 || p.W != [3]float64{1, 2, 1} {
		t.Fatalf("%d corners, %d cuts, divisors %v", p.N, p.Cuts, p.W)
	}
	if p.D[0] != [raster.MaxFillCorners]float64{1, -.5, 1.125} {
		t.Errorf("x = w cuts at %v", p.D[0])
	}
	config.WScale = false
	config.Project(v)
	if p.Cuts = 7; !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.Cuts != 0 || p.W != [3]float64{1, 1, 1.125} {
		t.Errorf("without scaling: %d cuts, divisors %v", p.Cuts, p.W)
	}
}

// plane is a plane of the clip volume and a triangle whose second vertex lies as
// far outside of it as the others lie inside.
type plane struct {
	name    string
	change  func(*Config)
	v       [3]raster.Vertex
	fills   bool // a side of the view volume, which only cuts outlines
	d0, d1  float64
	corner1 [2]int32 // where the first cut is, pixels
}

func planes() []plane {
	along := func(k int, to float32) (v [3]raster.Vertex) {
		for i := range v {
			v[i] = vertex(0, 0, .5, 1)
			v[i].Size = float32(i + 3)
		}
		v[1].Pos[k] = to
		if k < 2 {
			v[2].Pos[1-k] = .5
		} else {
			v[1].Pos[0], v[2].Pos[1] = .5, .5
		}
		return v
	}
	minus := func(c *Config) { c.NegativeOneToOne = true }
	user := func(v [3]raster.Vertex) [3]raster.Vertex {
		for i, d := range []float32{2, -2, 2} {
			v[i].Dist[2] = d
		}
		return v
	}
	return []plane{
		{"left", nil, along(0, -2), true, 1, -1, [2]int32{0, 128}}, {"right", nil, along(0, 2), true, 1, -1, [2]int32{256, 128}},
		{"top", nil, along(1, -2), true, 1, -1, [2]int32{128, 0}}, {"bottom", nil, along(1, 2), true, 1, -1, [2]int32{128, 256}},
		{"near", nil, along(2, -.5), false, .5, -.5, [2]int32{160, 128}}, {"far", nil, along(2, 1.5), false, .5, -.5, [2]int32{160, 128}},
		{"near from -w", minus, along(2, -2.5), false, 1.5, -1.5, [2]int32{160, 128}}, {"far from -w", minus, along(2, 1.5), false, .5, -.5, [2]int32{160, 128}},
		{"user", func(c *Config) { c.ClipDistances = 3 }, user(along(2, .5)), false, 2, -2, [2]int32{160, 128}},
	}
}

// RAS-087: an outline is cut at every plane, halfway along two sides here; RAS-079: a
// filled triangle only carries the plane's values.
func TestTriangle_RAS087_EachPlane(t *testing.T) {
	rules.Covers(t, "RAS-079", "RAS-087")
	for _, c := range planes() {
		config := exactConfig()
		if c.change != nil {
			c.change(&config)
		}
		v := c.v
		config.Project(v[:])
		p := raster.Polygon{Cuts: 5, ZMax: 9, Made: 1}
		if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 3 || p.W != [3]float64{1, 1, 1} || p.Size != [3]float32{3, 4, 5} || p.Made != 0 {
			t.Errorf("%s, filled: %+v", c.name, p)
		}
		if c.fills && p.Cuts != 0 || !c.fills && (p.Cuts != 1 || p.D[0] != [raster.MaxFillCorners]float64{c.d0, c.d1, c.d0}) {
			t.Errorf("%s, filled: %d cuts at %v", c.name, p.Cuts, p.D[0])
		}
		if want := max(math.Abs(v[0].Z), math.Abs(v[1].Z)); p.ZMax != want {
			t.Errorf("%s: ZMax %v, want %v", c.name, p.ZMax, want)
		}
		config.Outline = true
		p = raster.Polygon{Cuts: 5, ZMax: 9, Made: 1}
		if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 4 || p.Cuts != 0 || p.W != [3]float64{1, 1, 1} || p.Size != [3]float32{3, 4, 5} {
			t.Errorf("%s, outline: %+v", c.name, p)
		}
		if p.Made != 0b0110 {
			t.Errorf("%s, outline: corners %#b are made by clipping", c.name, p.Made)
		}
		for k, want := range [][2]float64{{0, 0}, {.5, 0}, {.5, .5}, {0, 1}} {
			if got := [2]float64{p.C[k].L1, p.C[k].L2}; got != want {
				t.Errorf("%s, outline: corner %d has weights %v, want %v", c.name, k, got, want)
			}
		}
		if p.C[1].X != c.corner1[0]*256 || p.C[1].Y != c.corner1[1]*256 || p.C[1].InvW != 1 {
			t.Errorf("%s, outline: cut at %+v", c.name, p.C[1])
		}
		largest := 0.0
		for _, q := range p.C[:p.N] {
			largest = max(largest, math.Abs(q.Z))
		}
		if p.ZMax != min(largest, config.Viewport.DepthLimit) {
			t.Errorf("%s, outline: ZMax %v", c.name, p.ZMax)
		}
		// All vertices outside: nothing, filled or not.
		for range 2 {
			out := v[1]
			if config.Triangle(&p, &out, &out, &out) {
				t.Errorf("%s: all outside, and drawn", c.name)
			}
			config.Outline = false
		}
	}
}

// RAS-088: a rectangle that anything cuts is dropped; the sides of the view volume
// don't count.
func TestTriangle_RAS088_Rectangle(t *testing.T) {
	rules.Covers(t, "RAS-088")
	for _, c := range planes() {
		config := exactConfig()
		config.Rectangle = true
		if c.change != nil {
			c.change(&config)
		}
		v := c.v
		config.Project(v[:])
		var p raster.Polygon
		if drawn := config.Triangle(&p, &v[0], &v[1], &v[2]); drawn != c.fills {
			t.Errorf("%s: drawn %v", c.name, drawn)
		}
	}
	for name, bad := range map[string]raster.Vertex{"w < 0": vertex(0, 0, 0, -1), "guard band": vertex(1e5, 0, 0, 1)} {
		config := exactConfig()
		config.Rectangle = true
		v := []raster.Vertex{vertex(0, 0, .5, 1), bad, vertex(0, .5, .5, 1)}
		config.Project(v)
		var p raster.Polygon
		if config.Triangle(&p, &v[0], &v[1], &v[2]) {
			t.Errorf("%s: drawn", name)
		}
	}
}

// RAS-003, RAS-081: what lies beyond a side of the guard band is cut off there,
// halfway here, and the cut has the weights of the place.
func TestGuard_RAS003_EachSide(t *testing.T) {
	rules.Covers(t, "RAS-003", "RAS-081", "RAS-367")
	const end = raster.GuardBand * raster.Subpixels
	for _, c := range []struct {
		x, y float32
		want [2]int32
	}{
		{2 * 8191, 0, [2]int32{end, 128 * 256}}, {-2 * 8193, 0, [2]int32{-end, 128 * 256}},
		{0, 2 * 8191, [2]int32{128 * 256, end}}, {0, -2 * 8193, [2]int32{128 * 256, -end}},
	} {
		config := exactConfig()
		v := []raster.Vertex{vertex(0, 0, .25, 1), vertex(c.x, c.y, .75, 1), vertex(c.y/8192, c.x/8192, .25, 1)}
		config.Project(v)
		var p raster.Polygon
		if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 4 {
			t.Fatalf("%v: %d corners", c, p.N)
		}
		found := false
		for _, q := range p.C[:p.N] {
			if q.L1 == .5 && q.L2 == 0 {
				found = true
				if q.X != c.want[0] || q.Y != c.want[1] || q.Z != .5 || q.InvW != 1 {
					t.Errorf("cut at %+v, want %v", q, c.want)
				}
			}
			if max(q.X, q.Y) > end || min(q.X, q.Y) < -end {
				t.Errorf("%+v is beyond the guard band", q)
			}
		}
		if !found {
			t.Errorf("%v: no corner in the middle of the first side", c)
		}
		// A line keeps its direction, and the values of planes follow the cut: the
		// user plane is halfway on what is left, a quarter on the whole.
		config.ClipDistances = 1
		for turned := range 2 {
			a, b := v[0], v[1]
			a.Dist[0], b.Dist[0] = 1, -3
			if turned == 1 {
				a, b = b, a
			}
			config.Project([]raster.Vertex{a, b})
			ends := []raster.Vertex{a, b}
			config.Project(ends)
			var g raster.Segment
			if !config.Line(&g, &ends[0], &ends[1]) {
				t.Fatal("no line")
			}
			near, far := g.A, g.B
			if turned == 1 {
				near, far = g.B, g.A
			}
			if near.X != 128*256 || near.Y != 128*256 || far.X != c.want[0] || far.Y != c.want[1] || far.L1 != .5 || far.Z != .5 || near.L1 != float64(turned) {
				t.Errorf("line: %+v", g)
			}
			// t = 1/2 of the part inside [0, 1/2] of the line; x = w cuts long before.
			if turned == 0 && (g.U0 != 0 || g.U1 > .5) || turned == 1 && (g.U0 < .5 || g.U1 != 1) {
				t.Errorf("line: from %v to %v", g.U0, g.U1)
			}
		}
	}
	// Past a corner of the guard band: nothing is left.
	config := exactConfig()
	v := []raster.Vertex{vertex(40000, 0, .5, 1), vertex(0, 40000, .5, 1)}
	config.Project(v)
	var g raster.Segment
	if config.Line(&g, &v[0], &v[1]) {
		t.Errorf("a line past the corner: %+v", g)
	}
}

// RAS-081: a corner behind the eye is cut off where w is least, never beyond.
func TestTriangle_RAS081_BehindTheEye(t *testing.T) {
	rules.Covers(t, "RAS-081")
	config := exactConfig()
	v := []raster.Vertex{vertex(0, 0, .5, 1), vertex(0, 0, -.5, -1), vertex(.5, .5, .5, 1)}
	config.Project(v)
	var p raster.Polygon
	if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N < 4 {
		t.Fatalf("%d corners", p.N)
	}
	behind := 0
	for _, q := range p.C[:p.N] {
		if q.InvW > 0x1p64 || q.InvW <= 0 {
			t.Errorf("1/w is %v", q.InvW)
		}
		if q.InvW > 0x1p30 {
			behind++
			if math.Abs(q.L1-.5) > 1e-12 {
				t.Errorf("w = 0 at weights %v, %v", q.L1, q.L2)
			}
		}
	}
	if behind == 0 {
		t.Error("no corner next to the eye")
	}
	if p.ZMax > 1 {
		t.Errorf("ZMax %v is beyond the viewport's depths", p.ZMax)
	}
	// w' alone decides on all sides: a triangle behind the eye as a whole.
	v = []raster.Vertex{vertex(0, 0, 0, -1), vertex(1, 0, 0, -1), vertex(0, 1, 0, 0x1p-64)}
	config.Project(v)
	if config.Triangle(&p, &v[0], &v[1], &v[2]) {
		t.Errorf("behind the eye: %+v", p.C[:p.N])
	}
}

// RAS-086: each plane limits a line, from either end; in perspective its middle in
// clip space is not that on screen.
func TestLine_RAS086_EachPlane(t *testing.T) {
	rules.Covers(t, "RAS-086")
	for _, c := range planes() {
		config := exactConfig()
		if c.change != nil {
			c.change(&config)
		}
		for turned := range 2 {
			for _, w := range []float32{1, 3} {
				v := []raster.Vertex{c.v[0], c.v[1]}
				for k := range v[1].Pos {
					v[1].Pos[k] *= w
				}
				v[1].Dist[2] *= w
				v[turned], v[1-turned] = v[0], v[1]
				config.Project(v)
				g := raster.Segment{U0: 5, U1: 5}
				if !config.Line(&g, &v[0], &v[1]) {
					t.Errorf("%s: nothing left", c.name)
					continue
				}
				want := [2]float64{0, .5}
				if turned == 1 {
					want = [2]float64{.5, 1}
				}
				if math.Abs(g.U0-want[0]) > 1e-15 || math.Abs(g.U1-want[1]) > 1e-15 {
					t.Errorf("%s, w %v, turned %d: from %v to %v, want %v", c.name, w, turned, g.U0, g.U1, want)
				}
				if ws := (fmt.Sprint(g.W)); ws != fmt.Sprint([2]float32{v[0].Pos[3], v[1].Pos[3]}) {
					t.Errorf("%s: W %v", c.name, ws)
				}
			}
		}
		// Both ends outside of one plane, and both invalid.
		out := []raster.Vertex{c.v[1], c.v[1]}
		config.Project(out)
		var g raster.Segment
		if config.Line(&g, &out[0], &out[1]) {
			t.Errorf("%s: a line outside is drawn", c.name)
		}
		in := []raster.Vertex{c.v[0], c.v[0]}
		in[1].Pos[2] = nan
		config.Project(in)
		if config.Line(&g, &in[0], &in[1]) {
			t.Errorf("%s: a line to NaN is drawn", c.name)
		}
	}
	// Two planes that leave nothing between them.
	config := exactConfig()
	config.ClipDistances = 2
	v := []raster.Vertex{vertex(0, 0, .5, 1), vertex(.5, 0, .5, 1)}
	v[0].Dist, v[1].Dist = [8]float32{1, -1}, [8]float32{-1, 1}
	config.Project(v)
	var g raster.Segment
	if config.Line(&g, &v[0], &v[1]) {
		t.Errorf("a plane and its contrary leave %v to %v", g.U0, g.U1)
	}
}

// RAS-085: a point keeps its exact position and size.
func TestPoint_RAS085_Fields(t *testing.T) {
	rules.Covers(t, "RAS-085")
	config := exactConfig()
	v := []raster.Vertex{vertex(.3, -.7, 1, 2)}
	v[0].Size = 7
	config.Project(v)
	var p raster.Point
	x, y := float64(v[0].Pos[0]), float64(v[0].Pos[1])
	if !config.Point(&p, &v[0]) || p.FX != float64(128*(x/2))+128 || p.FY != float64(128*(y/2))+128 || p.Size != 7 || p.Z != .5 || p.InvW != .5 {
		t.Errorf("%+v", p)
	}
	if p.X != v[0].X || p.Y != v[0].Y || p.X != int32(math.RoundToEven(p.FX*256)) {
		t.Errorf("%+v of %+v", p, v[0])
	}
}

// RAS-092 to RAS-095: viewports with an origin, mirrored, and beyond all limits.
func TestMakeViewport_RAS094_Rectangles(t *testing.T) {
	rules.Covers(t, "RAS-094", "RAS-092", "RAS-093", "RAS-095")
	for _, c := range []struct {
		v    vk.Viewport
		rect raster.Rect
		x, y [2]float64 // scale, offset
	}{
		{vk.Viewport{X: 3, Y: 5, Width: 10, Height: 20}, raster.Rect{X0: 3 * 256, Y0: 5 * 256, X1: 13 * 256, Y1: 25 * 256}, [2]float64{5, 8}, [2]float64{10, 15}},
		{vk.Viewport{X: -3, Y: 25, Width: 10, Height: -20}, raster.Rect{X0: -3 * 256, Y0: 5 * 256, X1: 7 * 256, Y1: 25 * 256}, [2]float64{5, 2}, [2]float64{-10, 15}},
		{vk.Viewport{X: 1e9, Y: -1e9, Width: 1e30, Height: inf}, raster.Rect{X0: 1 << 27, Y0: -1 << 27, X1: 1 << 28, Y1: 0}, [2]float64{1 << 18, 3 << 18}, [2]float64{1 << 18, -1 << 18}},
		{vk.Viewport{X: 0.5 / 256, Y: 1.5 / 256, Width: 2, Height: 2}, raster.Rect{X1: 512, Y0: 2, Y1: 514}, [2]float64{1, 1}, [2]float64{1, 1 + 2./256}},
	} {
		got := MakeViewport(c.v, false)
		if got.Rect != c.rect || [2]float64{got.ScaleX, got.OffsetX} != c.x || [2]float64{got.ScaleY, got.OffsetY} != c.y {
			t.Errorf("%+v: %+v", c.v, got)
		}
	}
}

// RAS-078: a plane without a vertex strictly inside keeps nothing; one vertex on it
// and one inside do.
func TestTriangle_RAS078_OnThePlane(t *testing.T) {
	rules.Covers(t, "RAS-078")
	config := exactConfig()
	config.ClipDistances = 1
	for d, want := range map[[3]float32]bool{{0, -1, -1}: false, {0, 0, -1}: false, {-1, 0, 0}: false, {1e-30, -1, -1}: true, {0, 1, -1}: true, {0, 0, 0}: true} {
		v := []raster.Vertex{vertex(0, 0, .5, 1), vertex(.5, 0, .5, 1), vertex(0, .5, .5, 1)}
		for i := range v {
			v[i].Dist[0] = d[i]
		}
		config.Project(v)
		var p raster.Polygon
		if got := config.Triangle(&p, &v[0], &v[1], &v[2]); got != want {
			t.Errorf("distances %v: drawn %v", d, got)
		}
	}
}

// RAS-086: what is left of a line after the guard band goes on to the other planes,
// from either end: cut where it crosses, dropped where all that is left is outside.
func TestLine_RAS086_PlanesAfterTheGuardBand(t *testing.T) {
	rules.Covers(t, "RAS-086")
	for turned := range 2 {
		for _, c := range []struct {
			near, far float32 // distances at the ends
			drawn     bool
			at        float64 // of what is left, 8191 half viewports
		}{
			{1, 1 - 4*8191, true, 1 / (2 * 8191.)}, {2, 2 - 8*8191, true, 1 / (2 * 8191.)}, {-3, 1, false, 0}, {-1, 0.5, false, 0},
		} {
			config := exactConfig()
			config.ClipDistances = 1
			v := []raster.Vertex{vertex(0, 0, .5, 1), vertex(2*8191, 0, .5, 1)}
			v[0].Dist[0], v[1].Dist[0] = c.near, c.far
			if turned == 1 {
				v[0], v[1] = v[1], v[0]
			}
			config.Project(v)
			var g raster.Segment
			if got := config.Line(&g, &v[0], &v[1]); got != c.drawn {
				t.Errorf("distances %v and %v: drawn %v", c.near, c.far, got)
				continue
			}
			want := [2]float64{0, c.at}
			if turned == 1 {
				want = [2]float64{1 - c.at, 1}
			}
			if c.drawn && (math.Abs(g.U0-want[0]) > 1e-12 || math.Abs(g.U1-want[1]) > 1e-12) {
				t.Errorf("distances %v and %v, turned %d: from %v to %v, want %v", c.near, c.far, turned, g.U0, g.U1, want)
			}
		}
	}
}

// RAS-262: the largest depth of a clipped polygon is no more than the viewport's,
// however near to the eye it is cut.
func TestTriangle_RAS262_DepthNextToTheEye(t *testing.T) {
	rules.Covers(t, "RAS-262")
	config := exactConfig()
	v := []raster.Vertex{vertex(0, 0, .5, 1), vertex(0, 0, .5, -1), vertex(.5, .5, .5, 1)}
	config.Project(v)
	var p raster.Polygon
	if !config.Triangle(&p, &v[0], &v[1], &v[2]) || p.ZMax != 1 {
		t.Errorf("ZMax %v", p.ZMax)
	}
}
