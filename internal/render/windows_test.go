package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// drawn lists which pixels of the scene are not black, row by row.
func drawn(s *scene) (out []string) {
	for y := range s.height {
		row := ""
		for x := range s.width {
			if pixel(s.color, x, y, 0) == [4]byte{} {
				row += "."
			} else {
				row += "#"
			}
		}
		out = append(out, row)
	}
	return out
}

func wantDrawn(t *testing.T, what string, s *scene, want ...string) {
	t.Helper()
	for y, row := range drawn(s) {
		if row != want[y] {
			t.Errorf("%s: row %d is %s, want %s", what, y, row, want[y])
		}
	}
}

func rect(x, y int32, w, h uint32) vk.Rect2D {
	return vk.Rect2D{Offset: vk.Offset2D{X: x, Y: y}, Extent: vk.Extent2D{Width: w, Height: h}}
}

// Corner case 71.
func TestRun_RAS306_DiscardRectangles(t *testing.T) {
	rules.Covers(t, "RAS-306", "RAS-307", "RAS-308", "RC-71")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	list := s.quad(nil, 0, 0, 4, 4, 0, 1, 1, 1, 1)
	run := func(change func(*DynamicState)) uint64 {
		state := s.state
		change(&state)
		s.pass.Draws, s.pass.Occlusion = nil, []uint64{0}
		s.add(p, state, list, 8).Occlusion = 1
		s.run(t, Config{})
		return s.pass.Occlusion[0]
	}
	two := func(d *DynamicState) {
		d.DiscardEnable, d.DiscardCount = true, 2
		d.DiscardRectangles[0], d.DiscardRectangles[1] = rect(0, 0, 2, 1), rect(1, 0, 1, 3)
	}
	run(two)
	wantDrawn(t, "inclusive", s, "##..", ".#..", ".#..", "....")
	run(func(d *DynamicState) { two(d); d.DiscardMode = vk.DiscardRectangleModeExclusiveEXT })
	wantDrawn(t, "exclusive", s, "..##", "#.##", "#.##", "####")
	if n := run(func(d *DynamicState) { d.DiscardEnable, d.DiscardCount = true, 1 }); n != 0 {
		t.Errorf("an empty rectangle keeps %d samples", n)
	}
	if n := run(func(d *DynamicState) { d.Scissors[0] = vk.Rect2D{} }); n != 0 {
		t.Errorf("an empty scissor keeps %d samples", n)
	}
	run(func(d *DynamicState) { d.ExclusiveEnable, d.ExclusiveScissors[0] = 1, rect(1, 1, 2, 2) })
	wantDrawn(t, "exclusive scissor", s, "####", "#..#", "#..#", "####")
}

// A swizzle comes before clipping; -y mirrors.
func TestRun_RAS073_ViewportSwizzle(t *testing.T) {
	rules.Covers(t, "RAS-073")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	list := s.quad(nil, 0, 0, 2, 1, 0, 1, 1, 1, 1)
	s.state.ViewportSwizzle[0].Y = vk.ViewportCoordinateSwizzleNegativeYNV
	s.add(p, s.state, list, 8)
	s.run(t, Config{})
	wantDrawn(t, "mirrored", s, "....", "....", "....", "##..")
	s.state.ViewportSwizzle[0].X, s.state.ViewportSwizzle[0].Y = vk.ViewportCoordinateSwizzlePositiveYNV, vk.ViewportCoordinateSwizzlePositiveXNV
	s.pass.Draws = nil
	s.add(p, s.state, list, 8)
	s.run(t, Config{})
	wantDrawn(t, "exchanged", s, "#...", "#...", "....", "....")
}

// W scaling: a position is divided by x·a + y·b + w; what is clipped is what lies
// outside of the volume before.
func TestRun_RAS089_WScaling(t *testing.T) {
	rules.Covers(t, "RAS-089")
	s := newScene(t, 8, 4, 1, vk.FormatUndefined)
	s.state.WScalingEnable, s.state.WScaling[0].Xcoeff = true, 1
	p := s.pipeline(t, 64)
	// The right half, x from 0 to 1 and beyond: x/(x+1) is 0 to 1/2.
	s.add(p, s.state, s.quad(nil, 4, 0, 12, 4, 0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	wantDrawn(t, "scaled", s, "....#...", "....##..", "....##..", "....#...") // y is divided too
}

// toViewport makes the scene's vertices go to a second viewport like the first.
func (s *scene) toViewport(d *DynamicState) {
	d.ViewportCount, d.Viewports[1], d.Scissors[1] = 2, d.Viewports[0], d.Scissors[0]
	s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinViewportIndex, 0, 0, ir.I32))
	extend(s.vs, func(b *ir.Builder) {
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.vs.Outputs)-1), b.I32(1))
	})
}

// A primitive has the swizzle and the coefficients of its own viewport.
func TestRun_RAS374_ByViewport(t *testing.T) {
	rules.Covers(t, "RAS-374", "RAS-376")
	for second, want := range []string{"#...", "...#"} {
		for _, scaled := range []bool{false, true} {
			s := newScene(t, 4, 4, 1, vk.FormatUndefined)
			d := &s.state
			d.ViewportSwizzle[0].X = vk.ViewportCoordinateSwizzleNegativeXNV
			if second == 0 {
				s.toViewport(d)
			}
			if scaled { // by nothing where the primitive is, by w' < 0 at the other viewport
				d.WScalingEnable, d.WScaling[second].Ycoeff = true, -3
			}
			s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 3, 1, 4, 0, 1, 1, 1, 1), 8)
			s.run(t, Config{})
			wantDrawn(t, want, s, "....", "....", "....", want)
		}
	}
}

// What W scaling moves out of the viewport is drawn there, as far as the view volume goes.
func TestRun_RAS377_BeyondTheViewport(t *testing.T) {
	rules.Covers(t, "RAS-377")
	s := newScene(t, 8, 4, 1, vk.FormatUndefined)
	s.state.Viewports[0].Width = 4
	s.state.WScalingEnable, s.state.WScaling[0].Xcoeff = true, -.5
	// x from 0 to 1, where the view volume ends, and on to 3/2: pixels 2+2x/(1-x/2), 2 to 6.
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 4, 0, 10, 4, 0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	wantDrawn(t, "scaled", s, "..####..", "..####..", "..####..", "..####..")
}
