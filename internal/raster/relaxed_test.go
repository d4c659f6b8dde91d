package raster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func relaxed(samples int, width float32) *State {
	st := fillState(samples)
	st.Relaxed, st.LineWidth = true, width
	return st
}

// Relaxed lines of the default mode are parallelograms, and Bresenham's where they
// are one pixel wide and there is one sample; other modes are as ever.
func TestRelaxed_RAS195_Modes(t *testing.T) {
	rules.Covers(t, "RAS-195", "RAS-203", "RAS-370", "RAS-371", "RAS-196", "RAS-204")
	g := segmentAt(1.5, 2.5, 5.5, 4.5)
	const wide = "1,1 1,2 2,2 3,2 1,3 2,3 3,3 4,3 2,4 3,4 4,4 4,5"
	wantPixels(t, "wide", lines(g, relaxed(1, 3)), nil, wide)
	wantPixels(t, "back", lines(segmentAt(5.5, 4.5, 1.5, 2.5), relaxed(1, 3)), nil, wide)
	wantPixels(t, "down", lines(segmentAt(2.5, 1.5, 4.5, 5.5), relaxed(1, 3)), nil, "1,1 2,1 3,1 1,2 2,2 3,2 2,3 3,3 4,3 2,4 3,4 4,4")
	for _, samples := range []int{1, 4} {
		for _, width := range []float32{1, 1.01, 2.6} {
			st := relaxed(samples, width)
			got := coverage(t, lines(g, st), nil, Rect{0, 0, 16, 16}, int32(samples), 8)
			st.LineMode = vk.LineRasterizationModeBresenham
			same := slices.Equal(got, coverage(t, lines(g, st), nil, Rect{0, 0, 16, 16}, int32(samples), 8))
			if want := samples == 1 && width == 1; same != want {
				t.Errorf("%d samples, width %v: as Bresenham's %v, want %v", samples, width, same, want)
			}
		}
	}
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeRectangular, vk.LineRasterizationModeRectangularSmooth} {
		st := relaxed(1, 1)
		st.LineMode = mode
		got := coverage(t, lines(g, st), nil, Rect{0, 0, 16, 16}, 1, 8)
		st.Relaxed = false
		if !slices.Equal(got, coverage(t, lines(g, st), nil, Rect{0, 0, 16, 16}, 1, 8)) {
			t.Errorf("%v is another one when lines are relaxed", mode)
		}
	}
}

// Values are those of the line itself, by projection; what clipping leaves is a
// part of it by the same parameter.
func TestRelaxed_RAS204_Values(t *testing.T) {
	rules.Covers(t, "RAS-204", "RAS-205", "RAS-371", "RAS-197")
	g := segmentAt(1.5, 2.5, 5.5, 4.5)
	s := lines(g, relaxed(1, 3))
	for _, c := range []struct {
		x, y int32
		want float32
	}{{1, 1, -.1}, {1, 2, 0}, {1, 3, .1}, {3, 3, .5}, {4, 5, .85 + .05}} {
		var i, j [1]float32
		s[0].IJAt([]int32{c.x<<8 + 128}, []int32{c.y<<8 + 128}, i[:], j[:])
		if d := i[0] - c.want; d > 1e-6 || d < -1e-6 {
			t.Errorf("pixel %d,%d: parameter %v, want %v", c.x, c.y, i[0], c.want)
		}
	}
	g.U0, g.U1 = .05, .45
	s, extra := AppendSegment(nil, make([]HalfPlane, 3), g, relaxed(1, 3), 0)
	wantPixels(t, "a part", s, extra, "2,2 3,2 1,3 2,3 2,4")
}

// Clipping one end takes nothing from the other: the pixel whose diamond holds the
// start, though its centre lies before it.
func TestBresenham_RAS220_OneEndClipped(t *testing.T) {
	rules.Covers(t, "RAS-220", "RAS-086")
	for _, c := range []struct {
		u0, u1 float64
		want   string
	}{{0, 1, "1,2 2,2 3,2 4,2 5,2"}, {0, .5, "1,2 2,2 3,2"}, {.5, 1, "4,2 5,2"}, {.25, .75, "3,2 4,2"}} {
		g := segmentAt(1.75, 2.5, 5.75, 2.5)
		g.U0, g.U1 = c.u0, c.u1
		s := lines(g, &bresenham)
		if c.u1 == 1 { // the end's diamond is left out
			c.want = c.want[:len(c.want)-4]
		}
		wantPixels(t, "clipped", s, nil, c.want)
	}
}

// Pieces of a line that lie one behind the other share no sample and miss none;
// all samples well inside are covered, none well outside.
func TestRelaxed_RAS203_Pieces(t *testing.T) {
	rules.Covers(t, "RAS-203")
	rng := rand.New(rand.NewPCG(41, 42))
	r := Rect{0, 0, 24, 24}
	for n := range 200 {
		dx, dy := rng.Int32N(1025)-512, rng.Int32N(1025)-512
		if n < 16 { // halfway between the axes, where x counts as the major one
			dy = dx
			if n&1 != 0 {
				dy = -dx
			}
		}
		if dx == 0 && dy == 0 {
			continue
		}
		at := [2]int32{12*256 - 4*dx + rng.Int32N(256), 12*256 - 4*dy + rng.Int32N(256)}
		corner := func(n int32) Corner { return Corner{X: at[0] + n*dx, Y: at[1] + n*dy, InvW: 1} }
		piece := func(from, to int32) []Setup {
			return lines(&Segment{A: corner(from), B: corner(to), U1: 1, W: [2]float64{1, 1}}, relaxed(4, 2.25))
		}
		mid := 1 + rng.Int32N(7)
		whole := coverage(t, piece(0, 8), nil, r, 4, 8)
		parts := coverage(t, append(piece(0, mid), piece(8, mid)...), nil, r, 4, 8)
		if !slices.Equal(parts, whole) {
			t.Fatalf("from %v by %d, %d, cut at %d: %d samples, in pieces %d", at, dx, dy, mid, len(whole), len(parts))
		}
		hit := map[sampleAt]bool{}
		for _, s := range whole {
			hit[s] = true
		}
		ss := Samples(4)
		for y := range r.Y1 {
			for x := range r.X1 {
				for k := range int32(4) {
					vx, vy := int64(x<<8+ss.X[k]-at[0]), int64(y<<8+ss.Y[k]-at[1])
					ma, mi, da, di := vx, vy, int64(8*dx), int64(8*dy)
					if max(dx, -dx) < max(dy, -dy) {
						ma, mi, da, di = vy, vx, int64(8*dy), int64(8*dx)
					}
					if da < 0 {
						ma, da, mi, di = -ma, -da, -mi, -di
					}
					off := mi*da - ma*di // away from the line, along the minor axis, times da
					off = max(off, -off)
					const half = 288 // 2.25 pixels
					if in := ma > 0 && ma < da && off < half*da; in && !hit[sampleAt{x, y, k}] {
						t.Fatalf("from %v by %d, %d: sample %d of %d,%d is missing", at, dx, dy, k, x, y)
					}
					if out := ma < 0 || ma > da || off > half*da; out && hit[sampleAt{x, y, k}] {
						t.Fatalf("from %v by %d, %d: sample %d of %d,%d is outside", at, dx, dy, k, x, y)
					}
				}
			}
		}
	}
}
