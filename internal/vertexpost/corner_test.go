package vertexpost

import (
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

// Corner cases 10 to 16 of the catalogue.
// RAS-076, RAS-079, RAS-080, RAS-081, RAS-366
func TestTriangle_RAS081_Clipping(t *testing.T) {
	rules.Covers(t, "RC-10", "RC-11", "RC-12", "RC-13", "RC-14", "RC-15", "RC-16", "RAS-076", "RAS-079", "RAS-080", "RAS-081", "RAS-366")
	full := square(0, 0, 7, 7)
	for _, c := range []struct {
		name string
		v    [3]raster.Vertex
		want string
	}{
		{"w < 0", [3]raster.Vertex{vertex(-.5, .5, 0, 1), vertex(.5, .5, 0, 1), vertex(0, 0, 0, -1)}, "6:1-5 7:0-6"},
		{"w = 0", [3]raster.Vertex{vertex(-.5, 0, .5, 1), vertex(.5, 0, .5, 1), vertex(0, 1, 0, 0)}, square(2, 4, 5, 7)},
		{"all w = 0", [3]raster.Vertex{vertex(-.5, 0, 0, 0), vertex(.5, 0, 0, 0), vertex(0, 1, 0, 0)}, ""},
		{"all w < 0", [3]raster.Vertex{vertex(-.5, 0, 0, -1), vertex(.5, 0, 0, -2), vertex(0, 1, 0, -1)}, ""},
		{"edge on the near plane", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(1, -1, 0, 1), vertex(0, 1, -1, 1)}, ""},
		{"edge on the far plane", [3]raster.Vertex{vertex(-1, -1, 1, 1), vertex(1, -1, 1, 1), vertex(0, 1, 2, 1)}, ""},
		{"all z = 0", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(3, -1, 0, 1), vertex(-1, 3, 0, 1)}, full},
		{"half before near", [3]raster.Vertex{vertex(-1, -1, -.5, 1), vertex(3, -1, -.5, 1), vertex(-1, 3, 1.5, 1)}, square(0, 4, 7, 7)},
		{"half beyond far", [3]raster.Vertex{vertex(-1, -1, .5, 1), vertex(3, -1, .5, 1), vertex(-1, 3, 2.5, 1)}, square(0, 0, 7, 3)},
		{"NaN", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(3, -1, 0, nan), vertex(-1, 3, 0, 1)}, ""},
		{"infinity", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(3, -inf, 0, 1), vertex(-1, 3, 0, 1)}, ""},
		{"far beyond the guard band", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(1000003, -1, 0, 1), vertex(-1, 1000003, 0, 1)}, full},
		{"huge", [3]raster.Vertex{vertex(-1, -1, 0, 1), vertex(3e38, -1, 0, 1), vertex(-1, 3e38, 0, 1)}, full},
	} {
		s := newScene(8)
		if got := rows(s.triangle(t, c.v[:]...)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	// Case 14 with depth clipping off.
	s := newScene(8)
	s.config.DepthClip = false
	if got := rows(s.triangle(t, vertex(-1, -1, -.5, 1), vertex(3, -1, -.5, 1), vertex(-1, 3, 1.5, 1))); got != full {
		t.Errorf("depth clip off: %q", got)
	}
	s.config.DepthClip, s.config.NegativeOneToOne = true, true
	if got := rows(s.triangle(t, vertex(-1, -1, -2, 1), vertex(3, -1, -2, 1), vertex(-1, 3, 2, 1))); got != square(0, 4, 7, 7) {
		t.Errorf("-1 to 1: %q", got)
	}
}

// Corner case 18.
// RAS-080, RAS-085
func TestViewport_RAS080_PolygonsStayPointsMayLeave(t *testing.T) {
	rules.Covers(t, "RC-18", "RAS-080", "RAS-085")
	s := newScene(8)
	s.view(vk.Viewport{X: 2, Y: 2, Width: 4, Height: 4, MaxDepth: 1})
	if got := rows(s.triangle(t, vertex(-9, -9, 0, 1), vertex(30, -9, 0, 1), vertex(-9, 30, 0, 1))); got != square(2, 2, 5, 5) {
		t.Errorf("triangle: %q", got)
	}
	p := vertex(0, 0, 0, 1)
	p.Size = 8
	if got := rows(s.point(t, p)); got != square(0, 0, 7, 7) {
		t.Errorf("point: %q", got)
	}
	p.Pos[0] = 1.5
	if got := rows(s.point(t, p)); got != "" {
		t.Errorf("point outside: %q", got)
	}
	p.Pos = [4]float32{0, 0, 1.5, 1}
	if got := rows(s.point(t, p)); got != "" {
		t.Errorf("point beyond far: %q", got)
	}
}

// Corner cases 19 and 20.
// RAS-092, RAS-093, RAS-094, RAS-095
func TestViewport_RAS094_NegativeHeightAndDepth(t *testing.T) {
	rules.Covers(t, "RC-19", "RC-20", "RAS-092", "RAS-093", "RAS-094", "RAS-095")
	s := newScene(8)
	a, b, c := vertex(-1, -1, 0, 1), vertex(.7, -.8, 0, 1), vertex(-.9, .6, 0, 1)
	up := newScene(8)
	up.view(vk.Viewport{Y: 8, Width: 8, Height: -8, MaxDepth: 1})
	flip := func(v raster.Vertex) raster.Vertex { v.Pos[1] = -v.Pos[1]; return v }
	want := s.triangle(t, flip(a), flip(b), flip(c))
	if got := up.triangle(t, a, b, c); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", rows(got), rows(want))
	}
	// Counter-clockwise with y up stays counter-clockwise on screen.
	setups, _ := up.setups(a, b, c)
	if len(setups) != 1 || !setups[0].FrontFacing {
		t.Error("facing")
	}
	v := MakeViewport(vk.Viewport{Width: 8, Height: 8, MinDepth: 1, MaxDepth: 0}, false)
	config := Config{Viewport: v}
	list := []raster.Vertex{vertex(0, 0, .25, 1), vertex(.5, -.25, 1, 2)}
	config.Project(list)
	if list[0].Z != .75 || list[1].Z != .5 || list[1].X != 5*256 || list[1].Y != 3.5*256 || list[1].InvW != .5 {
		t.Errorf("%+v", list)
	}
	v = MakeViewport(vk.Viewport{Width: 8, Height: 8, MinDepth: .25, MaxDepth: .75}, true)
	if v.ScaleZ != .25 || v.OffsetZ != .5 {
		t.Errorf("-1 to 1: %+v", v)
	}
	v = MakeViewport(vk.Viewport{X: 0.001, Width: 8.003, Height: inf, Y: nan}, false)
	if v.Rect.X0 != 0 || v.Rect.X1 != 8*256+1 || v.ScaleX != (8+1./256)/2 || v.Rect.Y0 != 0 {
		t.Errorf("rounding: %+v", v)
	}
}

// Corner cases 21 and 22: a plane and its negation share the samples out.
// RAS-077, RAS-078
func TestClipDistance_RAS078_Complement(t *testing.T) {
	rules.Covers(t, "RC-21", "RC-22", "RAS-077", "RAS-078")
	s := newScene(8)
	whole := s.triangle(t, framebuffer(0, 0), framebuffer(8, 0), framebuffer(0, 8))
	part := func(d ...float32) []pixel {
		s.config.ClipDistances = 1
		v := []raster.Vertex{framebuffer(0, 0), framebuffer(8, 0), framebuffer(0, 8)}
		for i := range v {
			v[i].Dist[0] = d[i]
		}
		return s.triangle(t, v...)
	}
	a, b := part(-1, 1, 1), part(1, -1, -1)
	if len(whole) != 28 || len(a) != 22 || len(b) != 6 {
		t.Errorf("%d = %d + %d", len(whole), len(a), len(b))
	}
	for name, d := range map[string][]float32{"zero": {0, 0, 0}, "minus zero": {float32(math.Copysign(0, -1)), 0, 0}, "inside": {0, 1, 2}} {
		if got := part(d...); !slices.Equal(got, whole) {
			t.Errorf("%s: %q", name, rows(got))
		}
	}
	if got := part(-1, 0, -2); len(got) != 0 {
		t.Errorf("outside: %q", rows(got))
	}
	if got := part(1, nan, 1); len(got) != 0 {
		t.Errorf("NaN: %q", rows(got))
	}
}

// Corner case 23.
// RAS-074
func TestCullDistance_RAS074(t *testing.T) {
	rules.Covers(t, "RC-23", "RAS-074")
	s := newScene(8)
	s.config.CullDistances = 1
	for _, c := range []struct {
		d    [3]float32
		want int
	}{{[3]float32{-1, -1, -1}, 0}, {[3]float32{-1, -1, 0}, 28}, {[3]float32{-1, -1, nan}, 28}} {
		v := []raster.Vertex{framebuffer(0, 0), framebuffer(8, 0), framebuffer(0, 8)}
		for i := range v {
			v[i].Dist[0] = c.d[i]
		}
		if got := s.triangle(t, v...); len(got) != c.want {
			t.Errorf("%v: %d pixels, want %d", c.d, len(got), c.want)
		}
	}
}

// RAS-086, corner case 42: ends stay, the window moves; w <= 0 is cut off.
func TestLine_RAS086_Clipping(t *testing.T) {
	rules.Covers(t, "RC-42", "RAS-086")
	s := newScene(8)
	if got := rows(s.line(t, vertex(-3, .125, 0, 1), vertex(3, .125, 0, 1))); got != "4:0-7" {
		t.Errorf("both ends outside: %q", got)
	}
	if got := rows(s.line(t, vertex(-3, -2, 0, 1), vertex(3, -2, 0, 1))); got != "" {
		t.Errorf("outside: %q", got)
	}
	if got := rows(s.line(t, vertex(0, .125, -1, 1), vertex(1, .125, 1, 1))); got != "4:6-7" {
		t.Errorf("near: %q", got)
	}
	// In clip space half of it is beyond near, on screen three quarters.
	if got := rows(s.line(t, vertex(0, .125, -1, 1), vertex(3, .375, 1, 3))); got != "4:7-7" {
		t.Errorf("near, in perspective: %q", got)
	}
	if got := rows(s.line(t, vertex(0, .125, 0, 1), vertex(0, .125, 0, -1))); got != "4:3-3 5:3-3 6:3-3 7:3-3" {
		t.Errorf("towards the eye: %q", got)
	}
	if got := rows(s.line(t, vertex(-.5, .125, 0, 1), vertex(1, .125, 0, -1))); got != "4:2-2 5:3-4 6:5-6 7:7-7" {
		t.Errorf("behind the eye: %q", got)
	}
	if got := rows(s.line(t, vertex(1e30, .125, 0, 1), vertex(0, .125, 0, 1))); got != "4:4-7" {
		t.Errorf("huge: %q", got)
	}
	// Depth goes on from the ends that were not moved.
	v := []raster.Vertex{vertex(-3, 0, .25, 1), vertex(3, 0, .75, 1)}
	s.config.Project(v)
	var g raster.Segment
	if !s.config.Line(&g, &v[0], &v[1]) || g.A.X != -8*256 || g.B.Z != .75 || g.U0 != 1./3 || g.U1 != 2./3 {
		t.Errorf("%+v", g)
	}
}

// RAS-087: outlines are those of the clipped polygon.
func TestTriangle_RAS087_Outline(t *testing.T) {
	rules.Covers(t, "RAS-087")
	s := newScene(8)
	s.config.Outline = true
	s.state.PolygonMode = vk.PolygonModePoint
	v := []raster.Vertex{vertex(-.5, -.5, 0, 1), vertex(2, -.5, 0, 1), vertex(-.5, 2, 0, 1)}
	s.config.Project(v)
	var p raster.Polygon
	if !s.config.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 5 {
		t.Fatalf("%d corners", p.N)
	}
	for k, c := range p.C[:p.N] {
		// Of the vertices only the first is left.
		if made := p.Made>>k&1 != 0; made == (c.L1 == 0 && c.L2 == 0) {
			t.Errorf("corner %+v is made by clipping: %v", c, made)
		}
		if c.X < 2*256 || c.X > 8*256 || c.Y < 2*256 || c.Y > 8*256 {
			t.Errorf("corner %+v", c)
		}
		// L1 and L2 are the position along the sides, as all w are equal.
		if x := -.5 + 2.5*c.L1; math.Abs((x+1)*4*256-float64(c.X)) > .51 {
			t.Errorf("L1 of %+v", c)
		}
	}
}

// RAS-083: attributes behind a cut are those of the plane of the triangle.
func TestTriangle_RAS083_AttributesOfClipped(t *testing.T) {
	rules.Covers(t, "RAS-083")
	s := newScene(64)
	// A floor through the eye's height minus one, from behind the eye to z = 40.
	floor := func(x, z float32) raster.Vertex { return vertex(x, 1, z*.5, z) }
	v := []raster.Vertex{floor(0, -20), floor(80, 40), floor(-80, 40)}
	setups, extra := s.setups(v...)
	if len(setups) < 2 {
		t.Fatalf("%d pieces: nothing was clipped", len(setups))
	}
	pixels := 0
	var b raster.Coverage
	b.Grow(64, raster.WordsOf(1, false))
	for k := range setups {
		setups[k].Find(&b, extra, raster.Rect{X0: 0, Y0: 0, X1: 64, Y1: 64}, raster.Samples(1))
		covered := pixelsOf(&b)
		n := len(covered)
		i, j := make([]float32, n), make([]float32, n)
		x, y, z, w := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
		px, py := make([]int32, n), make([]int32, n)
		centerPositions(covered, px, py)
		setups[k].IJAt(px, py, i, j)
		setups[k].FragCoordAt(px, py, x, y, z, w)
		for l := range i {
			pixels++
			// The ray through the pixel hits y = 1 at w = 1/yd.
			xd, yd := float64(x[l])/32-1, float64(y[l])/32-1
			wantW := 1 / yd
			wantX := xd * wantW
			gotX := 80*float64(i[l]) - 80*float64(j[l])
			gotW := -20 + 60*float64(i[l]) + 60*float64(j[l])
			// Snapping moves the plane by half a subpixel at most.
			limit := 1e-3 + wantW*wantW*(.5/256/32)
			if math.Abs(gotX-wantX) > limit || math.Abs(gotW-wantW) > limit || math.Abs(1/float64(w[l])-wantW) > limit || math.Abs(float64(z[l])-.5) > 1e-6 {
				t.Fatalf("pixel %v,%v: x %v want %v, w %v and %v want %v, depth %v", x[l], y[l], gotX, wantX, gotW, 1/w[l], wantW, z[l])
			}
		}
	}
	if pixels < 1900 {
		t.Errorf("%d pixels", pixels)
	}
}

// Corner case 17: the last pixel of the largest framebuffer is as exact as the first.
func TestPlace_RC17_FarCorner(t *testing.T) {
	rules.Covers(t, "RC-17", "RAS-002")
	c := Config{Viewport: MakeViewport(vk.Viewport{Width: 32768, Height: 32768, MaxDepth: 1}, false)}
	const last = 1 - 0x1p-15 // 32767.5 pixels
	want := raster.Spot{X: 8388480, Y: 8388480}
	if s, ok := c.Place(last, last, 1); !ok || s != want {
		t.Errorf("%+v, inside the guard band %v; want %+v", s, ok, want)
	}
	v := []raster.Vertex{{Pos: [4]float32{last, last, 0, 1}}}
	if c.Project(v); v[0].X != want.X || v[0].Y != want.Y {
		t.Errorf("%d, %d; want %+v", v[0].X, v[0].Y, want)
	}
}
