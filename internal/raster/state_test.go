package raster

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// RAS-195: which lines follow the diamond-exit rule and which are parallelograms.
// Conservative ones never follow it (RAS-272).
func TestState_RAS195_LineModes(t *testing.T) {
	rules.Covers(t, "RAS-195", "RAS-272", "RAS-196", "RAS-371", "RAS-370", "RAS-194")
	const conservativeMode = vk.ConservativeRasterizationModeOverestimateEXT
	for _, c := range []struct {
		st                       State
		bresenham, parallelogram bool
	}{
		{State{Samples: 1, LineWidth: 1}, false, false},
		{State{Samples: 1, LineWidth: 1, LineMode: vk.LineRasterizationModeBresenham}, true, false},
		{State{Samples: 4, LineWidth: 3, LineMode: vk.LineRasterizationModeBresenham}, true, false},
		{State{Samples: 4, LineWidth: 3, LineMode: vk.LineRasterizationModeBresenham, Relaxed: true}, true, false},
		{State{Samples: 1, LineWidth: 1, LineMode: vk.LineRasterizationModeBresenham, Conservative: conservativeMode}, false, false},
		{State{Samples: 1, LineWidth: 1, Relaxed: true}, true, false},
		{State{Samples: 1, LineWidth: 1.001, Relaxed: true}, true, false}, // the same in units of 1/128
		{State{Samples: 1, LineWidth: 1.01, Relaxed: true}, false, true},
		{State{Samples: 2, LineWidth: 1, Relaxed: true}, false, true},
		{State{Samples: 1, LineWidth: 1, Relaxed: true, Conservative: conservativeMode}, false, true},
		{State{Samples: 1, LineWidth: 1, Relaxed: true, LineMode: vk.LineRasterizationModeRectangular}, false, false},
		{State{Samples: 1, LineWidth: 1, Relaxed: true, LineMode: vk.LineRasterizationModeRectangularSmooth}, false, false},
	} {
		if a, b := c.st.bresenham(), c.st.parallelogram(); a != c.bresenham || b != c.parallelogram {
			t.Errorf("%+v: Bresenham %v, parallelogram %v", c.st, a, b)
		}
	}
}

// RAS-187, RAS-193: sizes in units of 1/128 pixel, within their range.
func TestQuantizeSize_RAS193_Range(t *testing.T) {
	rules.Covers(t, "RAS-133", "RAS-187", "RAS-193", "RAS-188")
	inf := float32(math.Inf(1))
	for in, want := range map[float32]int32{
		1: 128, 0: 1, -3: 1, -inf: 1, inf: maxLineWidth, 1024: 131072, 1024.01: 131072, 1e30: 131072, .001: 1, .004: 1, 1.5 / 128: 2, 2.5 / 128: 2, 3.51 / 128: 4,
	} {
		if got := quantizeSize(in, maxLineWidth); got != want {
			t.Errorf("%v becomes %d/128, want %d/128", in, got, want)
		}
	}
	if got := quantizeSize(float32(math.NaN()), maxLineWidth); got != 1 {
		t.Errorf("NaN becomes %d/128", got)
	}
	if got := quantizeSize(8193, maxPointSize); got != 8192*128 {
		t.Errorf("the largest point has %d/128", got)
	}
}

// RAS-217: the width of Bresenham lines in whole pixels, at least one.
func TestWholeWidth_RAS217(t *testing.T) {
	rules.Covers(t, "RAS-217")
	for in, want := range map[int32]float64{1: 1, 64: 1, 128: 1, 191: 1, 192: 2, 319: 2, 320: 3, 1000 * 128: 1000, 1000*128 + 63: 1000, 1000*128 + 64: 1001} {
		if got := wholeWidth(in); got != want {
			t.Errorf("%d/128: %v pixels, want %v", in, got, want)
		}
	}
}

// RAS-269: what overestimation adds, subpixels.
func TestState_RAS269_ExtraSize(t *testing.T) {
	rules.Covers(t, "RAS-269", "RAS-267")
	over, under := vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT
	for size, want := range map[float32]int32{0: 0, -1: 0, .5: 128, .25: 64, 4: 1024, 9: 1024, 1. / 512: 0, 3. / 512: 2} {
		if got := conservative(over, size).grow(); got != want {
			t.Errorf("%v pixels: %d subpixels, want %d", size, got, want)
		}
		if conservative(under, size).grow() != 0 || conservative(vk.ConservativeRasterizationModeDisabledEXT, size).grow() != 0 {
			t.Errorf("%v pixels are added in another mode", size)
		}
	}
	if got := conservative(over, float32(math.NaN())).grow(); got != 0 {
		t.Errorf("NaN: %d subpixels", got)
	}
	for s, want := range map[Square][2]bool{squareNone: {}, squareOver: {true, false}, squareUnder: {true, true}, squareSmooth: {}} {
		if s.Conservative() != want[0] || s.Under() != want[1] {
			t.Errorf("%d: conservative %v, underestimated %v", s, s.Conservative(), s.Under())
		}
	}
}

// RAS-221 – RAS-223: the counter of the pattern, from a phase in 1/65536 pixel.
func TestStipple_RAS223_Counter(t *testing.T) {
	rules.Covers(t, "RAS-221", "RAS-223", "RAS-222")
	p := Stipple{Factor: 3, Pattern: 0x8001}
	if p.Period() != 3*16*65536 {
		t.Errorf("period %d", p.Period())
	}
	for counter, want := range map[int64]bool{0: true, 2: true, 3: false, 44: false, 45: true, 47: true, 48: true, 50: true, 51: false, 93: true} {
		if p.keeps(counter) != want {
			t.Errorf("counter %d: kept %v", counter, !want)
		}
	}
	for _, to := range [][2]float64{{9.5, 2.5}, {2.5, 9.5}, {-4.5, 2.5}, {2.5, -4.5}} {
		g := segmentAt(2.5, 2.5, to[0], to[1])
		st := fillState(1)
		st.Stipple = Stipple{Factor: 1, Pattern: 0xffff}
		for phase, want := range map[int32]int64{0: 0, 1: 0, 65535: 0, 65536: 1, 15 * 65536: 15, 15*65536 + 65535: 15} {
			g.Phase = phase
			s := lines(g, st)[0]
			sx, sy := sign(g.B.X-g.A.X), sign(g.B.Y-g.A.Y)
			if got := s.counter(g.A.X, g.A.Y); got != want {
				t.Errorf("phase %d: counter %d at the start", phase, got)
			}
			if got := s.counter(g.A.X+3*256*sx, g.A.Y+3*256*sy); got != want+3 {
				t.Errorf("phase %d: counter %d three pixels on", phase, got)
			}
			s.Shift(7 * 65536)
			if want := (phase + 7*65536) % (16 * 65536); s.Phase != want {
				t.Errorf("phase %d is moved to %d, want %d", phase, s.Phase, want)
			}
		}
	}
	s := lines(segmentAt(2.5, 2.5, 9.5, 2.5), fillState(1))[0]
	if s.Shift(65536); s.Phase != 0 {
		t.Errorf("a phase of %d without a pattern", s.Phase)
	}
}

// RAS-222, RAS-224: how far a segment moves the pattern on.
func TestStipple_RAS224_Advance(t *testing.T) {
	rules.Covers(t, "RAS-222", "RAS-224")
	st, br := fillState(1), bresenham
	st.Stipple, br.Stipple = Stipple{Factor: 2}, Stipple{Factor: 2}
	for _, c := range []struct {
		x, y             int32
		length, produced int32
	}{{0, 0, 0, 0}, {256, 0, 65536, 65536}, {0, -512, 131072, 131072}, {768, 1024, 5 * 65536, 4 * 65536}, {33 * 256, 0, 65536, 65536}, {-31 * 256, 0, 31 * 65536, 31 * 65536}, {1, 0, 256, 0}} {
		if a, b := st.Advance(128, 128, 128+c.x, 128+c.y), br.Advance(128, 128, 128+c.x, 128+c.y); a != c.length || b != c.produced {
			t.Errorf("(%d, %d): %d and %d, want %d and %d", c.x, c.y, a, b, c.length, c.produced)
		}
	}
}

func sign(v int32) int32 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// RAS-225: the pattern goes on along the sides of a polygon.
func TestStipple_RAS225_Outline(t *testing.T) {
	rules.Covers(t, "RAS-197", "RAS-225", "RAS-251", "RAS-253")
	st := fillState(1)
	st.PolygonMode, st.Stipple = vk.PolygonModeLine, Stipple{Factor: 1, Pattern: 0x5555}
	list := fill(triangleAt(1, 1, 13, 1, 13, 10), st)
	if len(list) != 3 || list[0].Phase != 0 || list[1].Phase != 12*65536 || list[2].Phase != 5*65536 { // 21 of 16
		t.Errorf("%d sides, phases %d, %d, %d", len(list), list[0].Phase, list[1].Phase, list[2].Phase)
	}
	if two := fill(triangleAt(1, 1, 13, 1, 13, 1), st); len(two) != 2 { // RAS-251: one has no length
		t.Errorf("%d sides of a triangle with two equal corners", len(two))
	}
	for k := range list {
		if list[k].Stipple != st.Stipple {
			t.Errorf("side %d without its pattern", k)
		}
	}
}

// RAS-228, RAS-229: the area of smooth lines that are clipped, or whose pattern does
// not start at a pixel; nothing else has one.
func TestSmooth_RAS229_PartsAndPatterns(t *testing.T) {
	rules.Covers(t, "RAS-228", "RAS-229")
	st := fillState(1)
	st.LineMode = vk.LineRasterizationModeRectangularSmooth
	for _, back := range []bool{false, true} {
		g := segmentAt(0, 2.5, 8, 2.5)
		if back {
			g = segmentAt(8, 2.5, 0, 2.5)
		}
		check := func(what string, want [8]float32) {
			t.Helper()
			s := lines(g, st)[0]
			covered := map[sampleAt]bool{}
			for _, p := range coverage(t, []Setup{s}, nil, Rect{0, 0, 16, 16}, 1, 8) {
				covered[p] = true
			}
			for x, want := range want {
				at := int32(x)
				if back {
					at = 7 - at
				}
				if got := s.LineCoverage(at, 2); got != want || covered[sampleAt{at, 2, 0}] != (want != 0) {
					t.Errorf("%s: coverage %v of pixel %d, want %v; covered %v", what, got, at, want, covered[sampleAt{at, 2, 0}])
				}
				if s.LineCoverage(at, 1) != 0 || s.LineCoverage(at, 3) != 0 || covered[sampleAt{at, 1, 0}] || covered[sampleAt{at, 3, 0}] {
					t.Errorf("%s: pixels beside %d are covered", what, at)
				}
			}
		}
		check("whole", [8]float32{1, 1, 1, 1, 1, 1, 1, 1})
		g.U0, g.U1 = .15625, .71875
		check("a part", [8]float32{0, .75, 1, 1, 1, .75, 0, 0})
		st.Stipple = Stipple{Factor: 1, Pattern: 0x5555}
		check("a stippled part", [8]float32{0, 0, 1, 0, 1, 0, 0, 0})
		g.U0, g.U1, g.Phase = 0, 1, 65536/4
		check("a shifted pattern", [8]float32{.75, .25, .75, .25, .75, .25, .75, .25})
		st.Stipple = Stipple{}
	}
	for _, s := range [][]Setup{lines(segmentAt(0, 2.5, 8, 2.5), fillState(1)), fill(triangleAt(0, 0, 4, 0, 0, 4), fillState(1))} {
		if got := s[0].LineCoverage(40, 40); got != 1 {
			t.Errorf("a coverage of %v", got)
		}
	}
}

// RAS-116: locations of a grid, pixel by pixel.
func TestSampleLocations_RAS116_EveryPixel(t *testing.T) {
	rules.Covers(t, "RAS-116", "RAS-105", "RAS-115", "RAS-117")
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}, {4, 4}} {
		w, h := size[0], size[1]
		const n = 2
		var list [][2]float32
		for i := range w * h * n {
			list = append(list, [2]float32{float32(8*i+3) / 256, float32(255-7*i) / 256})
		}
		ss := CustomSamples(n, w, h, list)
		for y := range int32(8) {
			for x := range int32(8) {
				of := ss.Of(x, y)
				for k := range n {
					want := list[(int(y)%h*w+int(x)%w)*n+k]
					if of.X[k] != int32(256*want[0]) || of.Y[k] != int32(256*want[1]) || of.N != n || !of.Custom {
						t.Errorf("%dx%d: sample %d of (%d, %d) at (%d, %d), want %v", w, h, k, x, y, of.X[k], of.Y[k], want)
					}
				}
			}
		}
		last := int32(w*h*n - 1)
		if ss.X0 != 3 || ss.X1 != 8*last+3 || ss.Y0 != 255-7*last || ss.Y1 != 255 || (ss.Grid == nil) != (w*h == 1) {
			t.Errorf("%dx%d: bounds %d…%d, %d…%d", w, h, ss.X0, ss.X1, ss.Y0, ss.Y1)
		}
	}
	if snapLocation(-.5) != 0 {
		t.Error("a location left of the pixel")
	}
}

// RAS-191, RAS-252: PointCoord of the corners of a polygon, as points.
func TestPoint_RAS252_CornerCoord(t *testing.T) {
	rules.Covers(t, "RAS-191", "RAS-252")
	st := fillState(1)
	st.PolygonMode = vk.PolygonModePoint
	p := triangleAt(3, 5, 9, 5, 3, 11)
	p.Size = [3]float32{4, 4, 4}
	for k, s := range fill(p, st) {
		x, y := p.C[k].X>>8, p.C[k].Y>>8
		var u, v [4]float32
		if s.PointCoord([]Quad{{x&^1 - 2, y&^1 - 2, 1}}, u[:], v[:]); u != [4]float32{-.125, .125, -.125, .125} || v != [4]float32{-.125, -.125, .125, .125} {
			t.Errorf("corner %d: %v, %v", k, u, v)
		}
	}
}
