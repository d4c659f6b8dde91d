package raster

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Corner cases 1 to 3 of the catalogue: the rule for ties.
// RAS-239
func TestTriangle_RAS239_Ties(t *testing.T) {
	rules.Covers(t, "RAS-239", "RAS-242")
	for _, c := range []struct {
		p    [6]float64
		want string
	}{
		{[6]float64{0, 0, 2, 0, 0, 2}, "0,0"},
		{[6]float64{2, 0, 2, 2, 0, 2}, "1,0 0,1 1,1"},
		{[6]float64{.5, .5, 2.5, .5, .5, 2.5}, "0,0 1,0 0,1"},
		{[6]float64{2.5, .5, 2.5, 2.5, .5, 2.5}, "1,1"},
		{[6]float64{.5, .5, 1.5, .5, 1.5, 1.5}, "0,0"},
		{[6]float64{.5, .5, 1.5, 1.5, .5, 1.5}, ""},
		{[6]float64{.5, .5, .5 + 1./256, .5, .5, .5 + 1./256}, "0,0"},
		// Case 8: collinear. Case 9: between centres.
		{[6]float64{1, 1, 3, 3, 5, 5}, ""},
		{[6]float64{.6, .6, 9, .7, 9, .8}, ""},
	} {
		for _, order := range [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}} { // case 7
			a, b, d := order[0], order[1], order[2]
			p := triangleAt(c.p[2*a], c.p[2*a+1], c.p[2*b], c.p[2*b+1], c.p[2*d], c.p[2*d+1])
			wantPixels(t, "triangle", fill(p, fillState(1)), nil, c.want)
		}
	}
}

// masksOfPixel is the coverage of pixel (x, y).
func maskOfPixel(t *testing.T, p *Polygon, samples, x, y int32) (mask uint32) {
	for _, s := range coverage(t, fill(p, fillState(int(samples))), nil, Rect{0, 0, 4, 4}, samples, 64) {
		if s.x == x && s.y == y {
			mask |= 1 << s.sample
		}
	}
	return mask
}

// Corner cases 4 to 6.
// RAS-106, RAS-107, RAS-239
func TestSamples_RAS106_Masks(t *testing.T) {
	rules.Covers(t, "RAS-106", "RAS-107", "RAS-239", "RAS-103", "RAS-105", "RAS-114")
	corner := [5][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}
	for k, want := range []uint32{0, 3, 8, 4} {
		p := triangleAt(corner[k][0], corner[k][1], corner[k+1][0], corner[k+1][1], .375, .125)
		if got := maskOfPixel(t, p, 4, 0, 0); got != want {
			t.Errorf("fan triangle %d: %#x, want %#x", k, got, want)
		}
	}
	left, right := triangleAt(1, -8, 1, 16, -11, 4), triangleAt(1, -8, 13, 4, 1, 16)
	if l, r := maskOfPixel(t, left, 16, 1, 2), maskOfPixel(t, right, 16, 1, 2); l != 0 || r != 0xffff {
		t.Errorf("border at x=1: %#x and %#x", l, r)
	}
	half := triangleAt(.5, -8, .5, 16, -11.5, 4)
	for samples, want := range map[int32]uint32{1: 0, 2: 2, 4: 5, 8: 0x3a, 16: 0x9d16} {
		if got := maskOfPixel(t, half, samples, 0, 2); got != want {
			t.Errorf("left half with %d samples: %#x, want %#x", samples, got, want)
		}
	}
}

// The table of locations keeps what its fields promise.
func TestSamples_RAS106_Extent(t *testing.T) {
	rules.Covers(t, "RAS-106")
	for _, n := range []int{1, 2, 4, 8, 16} {
		s := Samples(n)
		x0, x1, y0, y1 := int32(256), int32(0), int32(256), int32(0)
		for k := range n {
			x0, x1 = min(x0, s.X[k]), max(x1, s.X[k])
			y0, y1 = min(y0, s.Y[k]), max(y1, s.Y[k])
		}
		if s.N != n || s.X0 != x0 || s.X1 != x1 || s.Y0 != y0 || s.Y1 != y1 {
			t.Errorf("%d samples: %+v", n, *s)
		}
	}
	if Samples(3) != nil || Samples(128) != nil {
		t.Error("sets for 3 or 128 samples")
	}
}

// RAS-233, RAS-234, RAS-235, RAS-241: facing, culling and no area.
func TestFacing_RAS234_Culling(t *testing.T) {
	rules.Covers(t, "RAS-233", "RAS-234", "RAS-235", "RAS-241")
	counterClockwise := triangleAt(0, 0, 0, 4, 4, 0) // a > 0 in RAS-233
	flat := triangleAt(1, 1, 3, 3, 5, 5)
	for _, c := range []struct {
		name  string
		p     *Polygon
		face  vk.FrontFace
		cull  vk.CullModeFlags
		mode  vk.PolygonMode
		count int
		front bool
	}{
		{"ccw front", counterClockwise, vk.FrontFaceCounterClockwise, 0, vk.PolygonModeFill, 1, true},
		{"ccw as cw", counterClockwise, vk.FrontFaceClockwise, 0, vk.PolygonModeFill, 1, false},
		{"cull front", counterClockwise, vk.FrontFaceCounterClockwise, vk.CullModeFrontBit, vk.PolygonModeFill, 0, false},
		{"cull front keeps back", counterClockwise, vk.FrontFaceClockwise, vk.CullModeFrontBit, vk.PolygonModeFill, 1, false},
		{"cull back keeps front", counterClockwise, vk.FrontFaceCounterClockwise, vk.CullModeBackBit, vk.PolygonModeFill, 1, true},
		{"cull back", counterClockwise, vk.FrontFaceClockwise, vk.CullModeBackBit, vk.PolygonModeFill, 0, false},
		{"cull both", counterClockwise, vk.FrontFaceClockwise, vk.CullModeFrontAndBack, vk.PolygonModeFill, 0, false},
		{"lines", counterClockwise, vk.FrontFaceClockwise, 0, vk.PolygonModeLine, 3, false},
		{"points", counterClockwise, vk.FrontFaceClockwise, 0, vk.PolygonModePoint, 3, false},
		{"flat fill", flat, vk.FrontFaceClockwise, 0, vk.PolygonModeFill, 0, false},
		{"flat lines", flat, vk.FrontFaceClockwise, 0, vk.PolygonModeLine, 3, false},
		{"flat lines cull back", flat, vk.FrontFaceCounterClockwise, vk.CullModeBackBit, vk.PolygonModeLine, 0, false},
	} {
		st := fillState(1)
		st.FrontFace, st.CullMode, st.PolygonMode = c.face, c.cull, c.mode
		got, _ := AppendPolygon(nil, nil, c.p, st, 7)
		if len(got) != c.count {
			t.Errorf("%s: %d set-ups, want %d", c.name, len(got), c.count)
		}
		for _, s := range got {
			if s.FrontFacing != c.front || s.Prim != 7 {
				t.Errorf("%s: front %v, prim %d", c.name, s.FrontFacing, s.Prim)
			}
		}
	}
}

// RAS-234: the smallest areas.
func TestFacing_RAS234_Smallest(t *testing.T) {
	rules.Covers(t, "RAS-234")
	for area, clockwise := range map[int64]bool{-2: false, -1: false, 0: false, 1: true, 2: true} {
		if frontFacing(area, vk.FrontFaceClockwise) != clockwise || frontFacing(area, vk.FrontFaceCounterClockwise) != (area < 0) {
			t.Errorf("area %d: front %v, counter-clockwise %v", area, frontFacing(area, vk.FrontFaceClockwise), frontFacing(area, vk.FrontFaceCounterClockwise))
		}
	}
}

// RAS-080: a polygon stays in its viewport, also where that ends inside pixels.
func TestViewRect_RAS080(t *testing.T) {
	rules.Covers(t, "RAS-080")
	st := fillState(1)
	st.ViewRect = Rect{2 * 256, 3 * 256, 5 * 256, 4 * 256}
	s, extra := AppendPolygon(nil, nil, triangleAt(-50, -50, 100, -50, -50, 100), st, 0)
	if len(extra) != 0 {
		t.Errorf("%d half-planes for a viewport of whole pixels", len(extra))
	}
	wantPixels(t, "whole", s, extra, "2,3 3,3 4,3")
	st.ViewRect = Rect{2*256 + 128, 3*256 + 129, 5*256 + 128, 5*256 + 129}
	s, extra = AppendPolygon(nil, nil, triangleAt(-50, -50, 100, -50, -50, 100), st, 0)
	wantPixels(t, "fractions", s, extra, "2,4 3,4 4,4 2,5 3,5 4,5")
}

// Corner cases 24 to 27.
// RAS-199, RAS-200, RAS-201
func TestLine_RAS200_Strict(t *testing.T) {
	rules.Covers(t, "RAS-199", "RAS-200", "RAS-201")
	for _, c := range []struct {
		p     [4]float64
		width float32
		want  string
	}{
		{[4]float64{.5, .5, 4.5, .5}, 1, "0,0 1,0 2,0 3,0"},
		{[4]float64{4.5, .5, .5, .5}, 1, "0,0 1,0 2,0 3,0"},
		{[4]float64{0, 1, 4, 1}, 1, "0,0 1,0 2,0 3,0"},
		{[4]float64{1, 0, 1, 4}, 1, "0,0 0,1 0,2 0,3"},
		{[4]float64{1.5, .5, 1.5, 4.5}, 1, "1,0 1,1 1,2 1,3"},
		{[4]float64{1.5, 4.5, 1.5, .5}, 1, "1,0 1,1 1,2 1,3"},
		{[4]float64{0, 0, 3, 1.5}, 1, "0,0 1,0 2,1"},
		{[4]float64{1, 2, 4, 2}, 2, "1,1 2,1 3,1 1,2 2,2 3,2"},
		{[4]float64{2, 2, 2, 2}, 4, ""}, // case 38
	} {
		st := fillState(1)
		st.LineWidth = c.width
		wantPixels(t, "line", lines(segmentAt(c.p[0], c.p[1], c.p[2], c.p[3]), st), nil, c.want)
	}
}

// Corner cases 26, 28 to 38.
// RAS-209, RAS-211, RAS-212, RAS-213, RAS-214, RAS-216, RAS-217
func TestLine_RAS211_Bresenham(t *testing.T) {
	rules.Covers(t, "RAS-209", "RAS-211", "RAS-212", "RAS-213", "RAS-214", "RAS-216", "RAS-217")
	for _, c := range []struct {
		p     [4]float64
		width float32
		want  string
	}{
		{[4]float64{0, 0, 3, 1.5}, 1, "0,0 1,0"},
		{[4]float64{.5, .5, 4.5, .5}, 1, "0,0 1,0 2,0 3,0"},
		{[4]float64{4.5, .5, .5, .5}, 1, "1,0 2,0 3,0 4,0"},
		{[4]float64{.5, .5, 3.5, 3.5}, 1, "0,0 1,1 2,2"},
		{[4]float64{0, 3, 3, 0}, 1, "2,0 1,1 0,2"},
		{[4]float64{0, 1, 4, 1}, 1, "0,0 1,0 2,0 3,0"},
		{[4]float64{1, 0, 1, 4}, 1, "0,0 0,1 0,2 0,3"},
		{[4]float64{1, .5, 2, .5}, 1, "0,0"},
		{[4]float64{.5, .5, 1, .5}, 1, ""},
		{[4]float64{.5, .5, 1 + 1./256, .5}, 1, "0,0"},
		{[4]float64{.25, .25, .75, .75}, 1, ""},
		{[4]float64{.5, .5, 2.5, 1.5}, 1, "0,0 1,1"},
		{[4]float64{2.5, 1.5, 4.5, .5}, 1, "3,0 2,1"},
		{[4]float64{2.5, 1.5, .5, .5}, 1, "1,1 2,1"},
		{[4]float64{.288, 3.431, 4.466, .186}, 1, "3,0 2,1 1,2 0,3"},
		{[4]float64{.5, 1.5, 2.5, 1.5}, 2, "0,0 1,0 0,1 1,1"},
		{[4]float64{.5, 1.5, 2.5, 1.5}, 3, "0,0 1,0 0,1 1,1 0,2 1,2"},
		{[4]float64{1.5, .5, 1.5, 2.5}, 2, "0,0 1,0 0,1 1,1"},
		{[4]float64{.5, 1.5, 2.5, 1.5}, .4, "0,1 1,1"},
		{[4]float64{.5, 1.5, 2.5, 1.5}, 2.5, "0,0 1,0 0,1 1,1 0,2 1,2"},
		{[4]float64{2, 2, 2, 2}, 1, ""},
	} {
		st := bresenham
		st.LineWidth = c.width
		wantPixels(t, "line", lines(segmentAt(c.p[0], c.p[1], c.p[2], c.p[3]), &st), nil, c.want)
	}
}

// Corner case 37: all samples, one depth for the pixel.
// RAS-219
func TestLine_RAS219_BresenhamSamples(t *testing.T) {
	rules.Covers(t, "RAS-219")
	st := bresenham
	st.Samples = 4
	g := segmentAt(.5, .5, 2.5, .5)
	g.A.Z, g.B.Z = 0, 1
	s := lines(g, &st)
	var q [4]Quad
	n := s[0].Cover(q[:], nil, Rect{0, 0, 16, 16}, Samples(4))
	if n != 1 || q[0].Mask != 0x000f_000f {
		t.Fatalf("%d quads, mask %#x", n, q[0].Mask)
	}
	var z [16]float32
	s[0].Depth(q[:1], Samples(4), z[:])
	for sample := range 4 {
		if z[sample] != 0 || z[4+sample] != .5 {
			t.Errorf("depths %v", z)
		}
	}
}

// RAS-086, RAS-220: the part of a line that clipping left.
func TestLine_RAS086_Window(t *testing.T) {
	rules.Covers(t, "RAS-086", "RAS-220")
	for name, st := range map[string]*State{"strict": fillState(1), "Bresenham": &bresenham} {
		g := segmentAt(.5, .5, 8.5, .5)
		g.U0, g.U1 = .25, .75
		wantPixels(t, name, lines(g, st), nil, "2,0 3,0 4,0 5,0")
	}
}

// Corner cases 44 and 45.
// RAS-187, RAS-189, RAS-191
func TestPoint_RAS189_SizeAndCoord(t *testing.T) {
	rules.Covers(t, "RC-17", "RC-44", "RC-45", "RAS-187", "RAS-189", "RAS-191")
	for _, c := range []struct {
		x, y float64
		size float32
		want string
	}{
		{1, 1, 1, "0,0"},
		{1, 1, 2, "0,0 1,0 0,1 1,1"},
		{1.25, 1.25, .5, ""},
		{1, 1, float32(math.NaN()), ""},
	} {
		s, _ := AppendPoint(nil, nil, &Point{Corner: at(c.x, c.y), FX: c.x, FY: c.y, Size: c.size}, fillState(1), 0)
		wantPixels(t, "point", s, nil, c.want)
	}
	s, _ := AppendPoint(nil, nil, &Point{Corner: at(2, 2), FX: 2, FY: 2, Size: 4}, fillState(1), 0)
	var u, v [4]float32
	s[0].PointCoord([]Quad{{0, 0, 1}}, u[:], v[:])
	if u != [4]float32{.125, .375, .125, .375} || v != [4]float32{.125, .125, .375, .375} {
		t.Errorf("PointCoord %v %v", u, v)
	}
	// Case 17: the last pixel of the largest framebuffer.
	c := at(32767.5, 32767.5)
	s, _ = AppendPoint(nil, nil, &Point{Corner: c, Size: 1}, fillState(1), 0)
	got := coverage(t, s, nil, Rect{32704, 32704, 32768, 32768}, 1, 64)
	if c.X != 8388480 || len(got) != 1 || got[0] != (sampleAt{32767, 32767, 0}) {
		t.Errorf("%d: %v", c.X, got)
	}
}

// Corner cases 56 to 58 and the example of RAS-258.
// RAS-257, RAS-258, RAS-261, RAS-262
func TestDepthBias_RAS257(t *testing.T) {
	rules.Covers(t, "RC-56", "RC-57", "RC-58", "RAS-257", "RAS-258", "RAS-261", "RAS-262", "RAS-259", "RAS-260", "RAS-263")
	for _, c := range []struct{ x, limit, want float32 }{
		{.5, .25, .25}, {-.5, .25, -.5}, {.5, -.25, .5}, {-.5, -.25, -.25},
		{.5, float32(math.NaN()), .5}, {.5, 0, .5},
	} {
		b := DepthBias{Enable: true, Constant: c.x, Clamp: c.limit, Unit: BiasOne}
		p := triangleAt(0, 0, 4, 0, 0, 4)
		if got := b.offset(p.ZMax, maxSlope(p)); got != float64(c.want) {
			t.Errorf("dbclamp(%v, %v) = %v, want %v", c.x, c.limit, got, c.want)
		}
	}
	b := DepthBias{Unit: BiasFloat32}
	for zMax, want := range map[float64]float64{.5: 0x1p-24, .75: 0x1p-24, 1: 0x1p-23, .25: 0x1p-25, 0: 0x1p-149, 0x1p-140: 0x1p-149} {
		if got := b.unit(zMax); got != want {
			t.Errorf("unit(%v) = %v, want %v", zMax, got, want)
		}
	}
	p := polygon(at(0, 0), at(4, 0), at(0, 4))
	p.C[1].Z, p.C[2].Z = .4, .8
	if got, want := maxSlope(p), math.Sqrt(.1*.1+.2*.2); math.Abs(got-want) > 1e-15 {
		t.Errorf("slope %v, want %v", got, want)
	}
	for _, unit := range []struct {
		u    BiasUnit
		bits int
	}{{BiasUnorm16, 16}, {BiasUnorm24, 24}} {
		// Two depths that differ by r have different codes.
		st := fillState(1)
		scale := float64(int(1)<<unit.bits - 1)
		for _, z := range []float64{0, .25 - .5/scale, .5 / scale, .3, .4999} {
			st.DepthBias = DepthBias{Enable: true, Constant: 1, Unit: unit.u}
			p := polygon(at(0, 0), at(4, 0), at(0, 4))
			for k := range p.C[:3] {
				p.C[k].Z = z
			}
			biased := fill(p, st)[0].Z.C
			if math.Abs(biased-z-1/scale) > 1e-16 {
				t.Errorf("%d bits, z %v: biased to %v", unit.bits, z, biased)
			}
		}
	}
}

// RAS-265: lines are not biased, but those of polygons are.
func TestDepthBias_RAS265_Modes(t *testing.T) {
	rules.Covers(t, "RAS-265")
	st := fillState(1)
	st.DepthBias = DepthBias{Enable: true, Constant: .5, Unit: BiasOne}
	if s := lines(segmentAt(0, 0, 4, 0), st); s[0].Z.C != 0 {
		t.Error("line is biased")
	}
	for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint} {
		st.PolygonMode = mode
		for _, st.DepthBias.Constant = range []float32{.5, 1, -1} {
			for _, s := range fill(triangleAt(0, 0, 4, 0, 0, 4), st) {
				if s.Z.C != float64(st.DepthBias.Constant) {
					t.Errorf("%v: bias %v, want %v", mode, s.Z.C, st.DepthBias.Constant)
				}
			}
		}
	}
}

// What is missing has a typed error.
func TestState_Check(t *testing.T) {
	rules.Covers(t, "RAS-194", "RAS-267", "RAS-011", "RAS-106", "RAS-221")
	good := *fillState(4)
	for _, factor := range []int32{0, 1, 256} {
		good.Stipple.Factor = factor
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
	for i, c := range []struct {
		change func(*State)
		rule   string
	}{
		{func(s *State) { s.Samples = 3 }, "RAS-106"},
		{func(s *State) { s.PolygonMode = -1 }, "RAS-011"},
		{func(s *State) { s.Stipple.Factor = 257 }, "RAS-221"},
		{func(s *State) { s.Stipple.Factor = -1 }, "RAS-221"},
		{func(s *State) { s.LineMode = -1 }, "RAS-194"},
		{func(s *State) { s.LineMode = vk.LineRasterizationModeRectangularSmooth + 1 }, "RAS-194"},
		{func(s *State) { s.Conservative = -1 }, "RAS-267"},
		{func(s *State) { s.Conservative = vk.ConservativeRasterizationModeUnderestimateEXT + 1 }, "RAS-267"},
	} {
		st := good
		c.change(&st)
		if err, ok := st.Check().(*UnsupportedError); !ok || err.Rule != c.rule {
			t.Errorf("state %d: %v, want an error of %s", i, err, c.rule)
		}
	}
}

// A run of a wide Bresenham line has the attributes of its base fragment, and of
// it for all samples; depth is that of each pixel's centre.
// RAS-218, RAS-219
func TestLine_RAS218_WideRun(t *testing.T) {
	rules.Covers(t, "RAS-218", "RAS-219")
	st := bresenham
	st.LineWidth, st.Samples = 3, 4
	g := segmentAt(.5, 2.5, 8.5, 6.5) // x-major, slope 1/2
	g.B.Z = 1
	s := lines(g, &st)[0]
	// Column 2: the shifted line is at y = 2.5, so the run is rows 2 to 4; its base
	// is at (2.5, 2.5) of the shifted line, so at (2.5, 3.5) of the line: t = 1/4.
	for row := int32(2); row < 5; row++ {
		x, y := []int32{2*256 + 7}, []int32{row*256 + 99}
		var i, j, z [1]float32
		s.IJAt(x, y, i[:], j[:])
		s.DepthAt(x, y, z[:])
		wantZ := (2*8 + (float32(row)+.5-2.5)*4) / 80
		if i[0] != .25 || j[0] != 0 || math.Abs(float64(z[0]-wantZ)) > 1e-6 {
			t.Errorf("row %d: i %v, depth %v, want .25 and %v", row, i[0], z[0], wantZ)
		}
	}
	var quads [64]Quad
	n := s.Cover(quads[:], nil, Rect{2, 0, 3, 16}, Samples(4))
	if n != 2 || quads[0] != (Quad{2, 2, 0x0000_000f_0000_000f}) || quads[1] != (Quad{2, 4, 0xf}) {
		t.Errorf("%d quads: %v", n, quads[:n])
	}
}

// Sides and corners of a polygon have the values of its corners.
// RAS-251, RAS-252, RAS-253
func TestPolygonMode_RAS253_Attributes(t *testing.T) {
	rules.Covers(t, "RAS-087", "RAS-205", "RAS-206", "RAS-225", "RAS-251", "RAS-252", "RAS-253")
	p := triangleAt(.5, .5, 8.5, .5, .5, 8.5)
	p.C[1].InvW, p.W[1], p.C[1].Z = .5, 2, 1
	st := fillState(1)
	st.PolygonMode = vk.PolygonModeLine
	sides := fill(p, st)
	wantPixels(t, "sides", sides, nil, "0,0 0,0 1,0 2,0 3,0 4,0 5,0 6,0 7,0 0,1 7,1 0,2 6,2 0,3 5,3 0,4 4,4 0,5 3,5 0,6 2,6 0,7 1,7 0,8")
	at := func(s *Setup, x, y float64) (i, j, li, z float32) {
		var a, b, c, d [1]float32
		px, py := []int32{int32(x * 256)}, []int32{int32(y * 256)}
		s.IJAt(px, py, a[:], b[:])
		s.IJLinearAt(px, py, c[:], d[:])
		s.DepthAt(px, py, d[:])
		return a[0], b[0], c[0], d[0]
	}
	if i, j, li, z := at(&sides[0], 4.5, .5); i != float32(1./3) || j != 0 || li != .5 || z != .5 {
		t.Errorf("side 0-1: %v %v %v %v", i, j, li, z)
	}
	if i, j, li, z := at(&sides[1], 8.5, .5); i != 1 || j != 0 || li != 1 || z != 1 {
		t.Errorf("side 1-2 at 1: %v %v %v %v", i, j, li, z)
	}
	if i, j, _, _ := at(&sides[1], 4.5, 4.5); i != float32(1./3) || j != float32(2./3) {
		t.Errorf("the middle of side 1-2: %v %v", i, j)
	}
	if i, j, _, z := at(&sides[2], .5, 4.5); i != 0 || j != .5 || z != 0 {
		t.Errorf("side 2-0: %v %v %v", i, j, z)
	}
	// In every mode the sides are the lines from corner to corner.
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth} {
		st := *st
		st.LineMode = mode
		for k, s := range fill(p, &st) {
			line := lines(&Segment{A: p.C[k], B: p.C[(k+1)%3], U1: 1, W: [2]float64{1, 1}}, &st)[0]
			line.LinearU, line.LinearV, line.FrontFacing, line.Provoking = s.LinearU, s.LinearV, s.FrontFacing, s.Provoking
			if s != line {
				t.Errorf("%v, side %d: %+v, want %+v", mode, k, s, line)
			}
		}
	}
	st.PolygonMode = vk.PolygonModePoint
	p.Size = [3]float32{1, 2, 3}
	for k, s := range fill(p, st) {
		i, j, li, z := at(&s, 3, 3)
		want := [3][4]float32{{0, 0, 0, 0}, {1, 0, 1, 1}, {0, 1, 0, 0}}[k]
		if [4]float32{i, j, li, z} != want || s.Point[2] != float64(k+1) {
			t.Errorf("corner %d: %v %v %v %v, size %v", k, i, j, li, z, s.Point[2])
		}
	}
	// Corners that clipping made are no points.
	p.Made = 0b101
	if list := fill(p, st); len(list) != 1 || list[0].Point[2] != 2 {
		t.Errorf("points of the second vertex alone: %+v", list)
	}
	p.Made, st.PolygonMode = 0b111, vk.PolygonModeLine
	if list := fill(p, st); len(list) != 3 {
		t.Errorf("%d sides of made corners", len(list))
	}
}
