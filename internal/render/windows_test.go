package render

import (
	"testing"

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
