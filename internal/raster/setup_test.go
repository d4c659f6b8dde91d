package raster

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// kinds are one primitive of every kind that reaches over some blocks of 8x8 pixels,
// with the samples of its state.
func kinds() (names []string, list [][]Setup, samples []int) {
	add := func(name string, n int, s []Setup) {
		names, list, samples = append(names, name), append(list, s), append(samples, n)
	}
	big := triangleAt(-9, -7, 70, -7, -9, 70)
	add("triangle", 4, fill(big, fillState(4)))
	over := conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0)
	add("conservative triangle", 4, fill(big, over))
	wide := fillState(1)
	wide.LineWidth = 9
	add("line", 1, lines(segmentAt(1, 2, 22, 19), wide))
	b := bresenham
	b.LineWidth = 3
	add("Bresenham", 1, lines(segmentAt(1, 2, 22, 19), &b))
	add("upright Bresenham", 1, lines(segmentAt(5, 2, 6, 19), &b))
	stippled := *wide
	stippled.Stipple = Stipple{1, 0x5555}
	add("stippled", 1, lines(segmentAt(1, 2, 22, 19), &stippled))
	smooth := *wide
	smooth.LineMode = vk.LineRasterizationModeRectangularSmooth
	add("smooth", 1, lines(segmentAt(1, 2, 22, 19), &smooth))
	return names, list, samples
}

// What is called whole is exact for one half-plane at a time: a block is as long as
// its last sample is covered.
func TestFind_WholeTight(t *testing.T) {
	rules.Covers(t, "RAS-097")
	const e = 1. / 256
	whole := func(s *Setup, extra []HalfPlane, r Rect, samples int) bool {
		var b Coverage
		b.Grow(16, WordsOf(samples, false))
		s.Find(&b, extra, r, Samples(samples))
		return len(b.Blocks) == 1 && b.Blocks[0].Whole
	}
	r := Rect{0, 0, 8, 8}
	for _, c := range []struct {
		name    string
		in, out *Polygon
	}{
		{"left", triangleAt(.5, -90, 200, 3, .5, 96), triangleAt(.5+e, -90, 200, 3, .5+e, 96)},
		{"right", triangleAt(7.5+e, -90, -200, 3, 7.5+e, 96), triangleAt(7.5, -90, -200, 3, 7.5, 96)},
		{"top", triangleAt(-90, .5, 96, .5, 3, 200), triangleAt(-90, .5+e, 96, .5+e, 3, 200)},
		{"bottom", triangleAt(-90, 7.5+e, 96, 7.5+e, 3, -200), triangleAt(-90, 7.5, 96, 7.5, 3, -200)},
		{"upper left", triangleAt(51, -50, -49, 50, 100, 100), triangleAt(51+e, -50, -49+e, 50, 100, 100)},
		{"lower right", triangleAt(65+e, -50, -35+e, 50, -100, -100), triangleAt(65, -50, -35, 50, -100, -100)},
	} {
		if s := fill(c.in, fillState(1)); !whole(&s[0], nil, r, 1) {
			t.Errorf("%s: all samples are covered, but it is not whole", c.name)
		}
		if s := fill(c.out, fillState(1)); whole(&s[0], nil, r, 1) {
			t.Errorf("%s: whole without all samples", c.name)
		}
	}
	big := triangleAt(-90, -90, 200, -90, -90, 200)
	for x, want := range map[int32]bool{127: true, 129: false} { // a plane left of the first samples, or right of it
		p := *big
		p.Cuts = 1
		for k := range 3 {
			p.D[0][k] = float64(p.C[k].X - x)
		}
		s, extra := AppendPolygon(nil, make([]HalfPlane, 2), &p, fillState(1), 0)
		if got := whole(&s[0], extra, r, 1); got != want {
			t.Errorf("a plane at %d: whole %v", x, got)
		}
	}
	s := fill(big, fillState(1))[0]
	for _, r := range []Rect{{0, 0, 0, 8}, {0, 0, 8, 0}, {0, 0, 7, 8}, {0, 0, 8, 7}, {1, 0, 8, 8}, {0, 1, 8, 8}} {
		if whole(&s, nil, r, 1) {
			t.Errorf("whole: %+v", r)
		}
	}
	if s.Bounds.X1 = 7; whole(&s, nil, r, 1) {
		t.Error("whole beyond its bounds")
	}
	names, list, _ := kinds()
	for i, s := range list {
		if got := s[0].FullyCovered(nil, 10, 10); got != (names[i] == "conservative triangle") {
			t.Errorf("%s: fully covered %v", names[i], got)
		}
	}
}

// Whatever is set up or not, what was in the lists stays there.
func TestAppend_KeepsTheLists(t *testing.T) {
	all := map[string]func([]Setup, []HalfPlane) ([]Setup, []HalfPlane){}
	small, tiny, flat := triangleAt(1, 1, 5, 1, 1, 5), triangleAt(.1, .1, .2, .1, .1, .2), triangleAt(1, 1, 2, 2, 3, 3)
	clipped := *small
	clipped.Cuts = 1
	clipped.D[0] = [MaxFillCorners]float64{-1, 0, -2}
	states := map[string]*State{"fill": fillState(1), "over": conservative(vk.ConservativeRasterizationModeOverestimateEXT, 0), "elsewhere": fillState(1), "culled": fillState(1)}
	states["elsewhere"].ViewRect = Rect{90 * 256, 90 * 256, 99 * 256, 99 * 256}
	outside := *states["over"]
	outside.ViewRect = states["elsewhere"].ViewRect
	states["over elsewhere"] = &outside
	states["culled"].CullMode = vk.CullModeFrontAndBack
	for name, st := range states {
		for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeFillRectangleNV, vk.PolygonModeLine, vk.PolygonModePoint} {
			for shape, p := range map[string]*Polygon{"small": small, "tiny": tiny, "flat": flat, "clipped": &clipped} {
				st := *st
				st.PolygonMode = mode
				all[name+" "+shape+" "+mode.String()] = func(s []Setup, e []HalfPlane) ([]Setup, []HalfPlane) {
					return AppendPolygon(s, e, p, &st, 7)
				}
			}
		}
		for _, x := range []float64{1, 5} {
			all[name+" line"+string('0'+rune(x))] = func(s []Setup, e []HalfPlane) ([]Setup, []HalfPlane) {
				return AppendSegment(s, e, segmentAt(1, 1, x, 1), st, 7)
			}
			all[name+" point"+string('0'+rune(x))] = func(s []Setup, e []HalfPlane) ([]Setup, []HalfPlane) {
				return AppendPoint(s, e, &Point{Corner: at(1, 1), FX: 1, FY: 1, Size: float32(x) / 4}, st, 7)
			}
		}
	}
	for name, f := range all {
		s, e := f([]Setup{{Prim: 99}}, []HalfPlane{{A: 98}, {A: 97}})
		if len(s) < 1 || s[0] != (Setup{Prim: 99}) || len(e) < 2 || e[0].A != 98 || e[1].A != 97 {
			t.Errorf("%s: %d set-ups, half-planes %v", name, len(s), e)
			continue
		}
		for _, s := range s[1:] {
			if s.Prim != 7 || s.Kind != KindTriangle && name[len(name)-1] <= '9' && !s.FrontFacing {
				t.Errorf("%s: primitive %d, front %v", name, s.Prim, s.FrontFacing)
			}
			if s.Bounds.Empty() {
				t.Errorf("%s: a set-up that covers nothing", name)
			}
		}
	}
}

// Bounds and the number of half-planes of each kind of primitive, counted by hand:
// no more pixels are looked at than can be covered, no more half-planes than decide.
func TestSetup_BoundsAndHalfPlanes(t *testing.T) {
	rules.Covers(t, "RAS-367")
	st := func(change func(*State)) *State {
		s := fillState(1)
		if change != nil {
			change(s)
		}
		return s
	}
	wide := func(mode vk.LineRasterizationMode, width float32) *State {
		return st(func(s *State) { s.LineMode, s.LineWidth = mode, width })
	}
	over := func(e float32) *State {
		return st(func(s *State) { s.Conservative, s.ExtraSize = vk.ConservativeRasterizationModeOverestimateEXT, e })
	}
	segment := func(x0, y0, x1, y1 float64, s *State) []Setup { return lines(segmentAt(x0, y0, x1, y1), s) }
	part := func(u0, u1 float64, s *State) []Setup {
		g := segmentAt(1.5, 2.5, 5.5, 2.5)
		g.U0, g.U1 = u0, u1
		return lines(g, s)
	}
	point := func(x float64, size float32, s *State) []Setup {
		out, _ := AppendPoint(nil, nil, &Point{Corner: at(x, x), FX: x, FY: x, Size: size}, s, 0)
		return out
	}
	const br, smooth = vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth
	three := triangleAt(1, 1, 3, 1, 1, 4)
	for _, c := range []struct {
		name         string
		s            []Setup
		bounds       Rect
		edges, extra uint8
	}{
		{"triangle", fill(three, st(nil)), Rect{1, 1, 3, 4}, 3, 0},
		{"triangle between samples", fill(triangleAt(.5, .5, 2.5, .5, .5, 2.5), st(nil)), Rect{0, 0, 2, 2}, 3, 0},
		{"overestimated", fill(three, over(0)), Rect{0, 0, 4, 5}, 3, 0},
		{"overestimated, half a pixel more", fill(three, over(.5)), Rect{0, 0, 4, 5}, 3, 0},
		{"overestimated, a pixel more", fill(three, over(1)), Rect{-1, -1, 5, 6}, 3, 0},
		{"without area, overestimated", fill(triangleAt(1.5, 1.5, 3.5, 2.5, 5.5, 3.5), over(0)), Rect{1, 1, 6, 4}, 2, 0},
		{"box", fill(three, st(func(s *State) { s.PolygonMode = vk.PolygonModeFillRectangleNV })), Rect{1, 1, 3, 4}, 4, 0},
		{"line", segment(1, 2, 5, 2, st(nil)), Rect{0, 1, 6, 3}, 4, 0},
		{"line to a side of samples", segment(1, 511./256, 1279./256, 511./256, st(nil)), Rect{0, 1, 5, 2}, 4, 0},
		{"steep line", segment(2, 1, 2, 5, st(nil)), Rect{1, 0, 3, 6}, 4, 0},
		{"wide line", segment(1, 2, 5, 2, wide(0, 3)), Rect{-1, 0, 7, 4}, 4, 0},
		{"the widest line", segment(1, 2, 5.5, 2, wide(0, 2000)), Rect{-511, -510, 518, 514}, 4, 0},
		{"smooth line", segment(1, 2, 5, 2, wide(smooth, 1)), Rect{-1, 0, 7, 4}, 4, 0},
		{"Bresenham", segment(1.5, 2.5, 5.5, 2.5, wide(br, 1)), Rect{0, 1, 6, 3}, 0, 0},
		{"wide Bresenham", segment(1.5, 2.5, 5.5, 2.5, wide(br, 3)), Rect{0, 0, 6, 4}, 0, 0},
		{"upright Bresenham", segment(2.5, 5.5, 2.5, 1.5, wide(br, 1)), Rect{1, 0, 3, 6}, 0, 0},
		{"wide upright Bresenham", segment(2.5, 1.5, 2.5, 5.5, wide(br, 3)), Rect{0, 0, 4, 6}, 0, 0},
		{"Bresenham, rising", segment(1.5, 4.5, 5.5, 2.5, wide(br, 1)), Rect{0, 1, 6, 5}, 0, 0},
		{"Bresenham, falling", segment(5.5, 4.5, 1.5, 2.5, wide(br, 1)), Rect{0, 1, 6, 5}, 0, 0},
		{"Bresenham, start clipped", part(.25, 1, wide(br, 1)), Rect{0, 1, 6, 3}, 1, 0},
		{"Bresenham, end clipped", part(0, .75, wide(br, 1)), Rect{0, 1, 6, 3}, 1, 0},
		{"Bresenham, both clipped", part(.25, .75, wide(br, 1)), Rect{0, 1, 6, 3}, 2, 0},
		{"parallelogram", part(0, 1, relaxed(1, 3)), Rect{0, 1, 7, 4}, 4, 0},
		{"parallelogram, start clipped", part(.25, 1, relaxed(1, 3)), Rect{0, 1, 7, 4}, 4, 2},
		{"parallelogram, end clipped", part(0, .75, relaxed(1, 3)), Rect{0, 1, 7, 4}, 4, 2},
		{"dot, overestimated", segment(2.5, 2.5, 2.5, 2.5, over(0)), Rect{1, 1, 4, 4}, 0, 0},
		{"the widest dot", segment(767./256, 767./256, 767./256, 767./256, st(func(s *State) { *s = *over(0); s.LineWidth = 5000 })), Rect{-510, -510, 515, 515}, 0, 0},
		{"point", point(2, 2, st(nil)), Rect{1, 1, 3, 3}, 4, 0},
		{"point, overestimated", point(2, 2, over(0)), Rect{0, 0, 4, 4}, 4, 0},
		{"the largest point", point(2.5, 9000, st(nil)), Rect{-4094, -4094, 4098, 4098}, 4, 0},
	} {
		if len(c.s) != 1 {
			t.Errorf("%s: %d set-ups", c.name, len(c.s))
			continue
		}
		if s := &c.s[0]; s.Bounds != c.bounds || s.edgeCount != c.edges || s.extraCount != c.extra {
			t.Errorf("%s: bounds %+v, want %+v; %d half-planes and %d, want %d and %d", c.name, s.Bounds, c.bounds, s.edgeCount, s.extraCount, c.edges, c.extra)
		}
	}
}

// Half-planes for the sides of the viewport and for planes: only where they cut.
// RAS-077, RAS-079, RAS-080
func TestSetup_RAS080_ExtraHalfPlanes(t *testing.T) {
	rules.Covers(t, "RAS-079", "RAS-080", "RAS-077")
	p := triangleAt(1, 1, 9, 1, 1, 9)
	for view, want := range map[Rect]int{
		{0, 0, 2560, 2560}: 0, {1, 1, 2561, 2561}: 0, // around it
		{512, 512, 1024, 1024}: 0, // between pixels
		{513, 512, 1024, 1024}: 1, {512, 513, 1024, 1024}: 1, {512, 512, 1025, 1024}: 1, {512, 512, 1024, 1025}: 1,
		{513, 513, 1023, 1023}: 4,
	} {
		st := fillState(16)
		st.ViewRect = view
		if s, extra := AppendPolygon(nil, nil, p, st, 0); len(s) != 1 || len(extra) != want || int(s[0].extraCount) != want {
			t.Errorf("view %+v: %d half-planes, want %d", view, len(extra), want)
		}
	}
	edge := fillState(16) // sides of the viewport that are those of the box cut nothing
	edge.ViewRect = Rect{300, 301, 2302, 2303}
	box := polygon(Corner{X: 300, Y: 301, InvW: 1}, Corner{X: 2302, Y: 301, InvW: 1}, Corner{X: 300, Y: 2303, InvW: 1})
	if _, extra := AppendPolygon(nil, nil, box, edge, 0); len(extra) != 0 {
		t.Errorf("%d half-planes of a viewport that holds the box", len(extra))
	}
	for d, want := range map[[3]float64][2]int{
		{1, 2, 3}: {1, 0}, {0, 2, 3}: {1, 0}, {0, 0, 3}: {1, 0}, // inside, up to the plane
		{-1, 2, 3}: {1, 1}, {1, -2, -3}: {1, 1},
		{-1, -2, -3}: {0, 0}, {0, -2, -3}: {0, 0}, {0, 0, -3}: {0, 0}, {0, 0, 0}: {0, 0}, {-.5, -.5, -.25}: {0, 0},
	} {
		q := *p
		q.Cuts = 1
		copy(q.D[0][:], d[:])
		if s, extra := AppendPolygon(nil, nil, &q, fillState(1), 0); len(s) != want[0] || len(extra) != want[1] {
			t.Errorf("values %v: %d set-ups with %d half-planes, want %v", d, len(s), len(extra), want)
		}
	}
}

// Cover finds the samples that Contains says are inside, for primitives of every kind
// that samples decide, also on the left of and above the origin; Contains is the rule
// for triangles, ties included.
// RAS-239
func TestContains_RAS239_AsCover(t *testing.T) {
	rules.Covers(t, "RAS-239")
	rng := rand.New(rand.NewPCG(239, 5))
	ss := Samples(4)
	const r = 12
	ties := 0
	for range fewer(150) {
		corner := func() Corner {
			return Corner{X: 32 * (rng.Int32N(24*8) - 96), Y: 32 * (rng.Int32N(24*8) - 96), InvW: 1}
		}
		p := polygon(corner(), corner(), corner())
		p.Cuts = rng.IntN(2)
		for k := range 3 {
			p.D[0][k] = float64(rng.IntN(9) - 4)
		}
		st := fillState(4)
		st.LineWidth = 1 + 4*rng.Float32()
		list, extra := AppendPolygon(nil, make([]HalfPlane, rng.IntN(3)), p, st, 0)
		list, extra = AppendSegment(list, extra, &Segment{A: p.C[0], B: p.C[1], U1: 1}, st, 0)
		list, extra = AppendPoint(list, extra, &Point{Corner: p.C[2], Size: 5}, st, 0)
		for i := range list {
			got := map[sampleAt]bool{}
			for _, s := range coverage(t, list[i:i+1], extra, Rect{-r, -r, r, r}, 4, 8) {
				got[s] = true
			}
			for y := int32(-r); y < r; y++ {
				for x := int32(-r); x < r; x++ {
					for k := range int32(4) {
						px, py := x*256+ss.X[k], y*256+ss.Y[k]
						in := list[i].Contains(extra, px, py)
						if in != got[sampleAt{x, y, k}] {
							t.Fatalf("sample %d of (%d, %d) is inside: %v; covered: %v", k, x, y, in, !in)
						}
						if list[i].Kind == KindTriangle && p.Cuts == 0 {
							if in != inside(p, px, py) {
								t.Fatalf("%v: sample %d of (%d, %d) is inside: %v", p.C[:3], k, x, y, in)
							}
							if bigEdge(p.C[0], p.C[1], px, py).Sign() == 0 {
								ties++
							}
						}
					}
				}
			}
		}
	}
	if ties < fewer(20) {
		t.Errorf("%d samples on a side", ties)
	}
}
