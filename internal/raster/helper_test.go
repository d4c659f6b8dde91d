package raster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// at is a corner at a position in pixels; w = 1.
func at(x, y float64) Corner {
	return Corner{
		X: int32(math.RoundToEven(x * Subpixels)), Y: int32(math.RoundToEven(y * Subpixels)), InvW: 1,
	}
}

// polygon makes an unclipped triangle.
func polygon(a, b, c Corner) *Polygon {
	p := &Polygon{N: 3, Size: [3]float32{1, 1, 1}}
	a.L1, a.L2, b.L1, b.L2, c.L1, c.L2 = 0, 0, 1, 0, 0, 1
	p.C[0], p.C[1], p.C[2] = a, b, c
	for i := range 3 {
		p.W[i] = 1 / p.C[i].InvW
		p.ZMax = max(p.ZMax, math.Abs(p.C[i].Z))
	}
	return p
}

func triangleAt(x0, y0, x1, y1, x2, y2 float64) *Polygon {
	return polygon(at(x0, y0), at(x1, y1), at(x2, y2))
}

func segmentAt(x0, y0, x1, y1 float64) *Segment {
	s := &Segment{A: at(x0, y0), B: at(x1, y1), U1: 1, W: [2]float64{1, 1}}
	s.B.L1 = 1
	return s
}

// everywhere is a viewport without limits.
var everywhere = Rect{-1 << 28, -1 << 28, 1 << 28, 1 << 28}

func fillState(samples int) *State {
	return &State{Samples: samples, ViewRect: everywhere, LineWidth: 1}
}

// sampleAt is one sample of a framebuffer.
type sampleAt struct{ x, y, sample int32 }

// coverage lists, sorted by row, the samples of r that setups cover, as often as
// they cover them. It goes through r in tiles.
func coverage(t testing.TB, setups []Setup, extra []HalfPlane, r Rect, samples, tile int32) (out []sampleAt) {
	ss := Samples(int(samples))
	for i := range setups {
		for y := r.Y0 &^ (tile - 1); y < r.Y1; y += tile {
			for x := r.X0 &^ (tile - 1); x < r.X1; x += tile {
				cell := Rect{x, y, x + tile, y + tile}.Intersect(r)
				b := setups[i].found(extra, cell, ss)
				checkBlocks(t, b)
				for _, q := range quadsOf(b) {
					if q.X&1 != 0 || q.Y&1 != 0 || q.Mask == 0 {
						t.Fatalf("bad quad %+v", q)
					}
					for bit := range int32(64) {
						if q.Mask>>bit&1 == 0 {
							continue
						}
						s := sampleAt{q.X + bit>>4&1, q.Y + bit>>5, bit & 15}
						if s.sample >= samples || s.x < cell.X0 || s.x >= cell.X1 || s.y < cell.Y0 || s.y >= cell.Y1 {
							t.Fatalf("sample %+v outside of %+v", s, cell)
						}
						out = append(out, s)
					}
				}
			}
		}
	}
	slices.SortFunc(out, compareSamples)
	return out
}

// checkBlocks holds that blocks are there once, have samples, and all of them where they say so.
func checkBlocks(t testing.TB, b *Coverage) {
	t.Helper()
	for k, o := range b.Blocks {
		if b.Pixels(k) == 0 {
			t.Fatalf("nothing in block %+v", o)
		}
		for _, m := range b.Mask(k) {
			if o.Whole && m != ^uint64(0) {
				t.Fatalf("block %+v is not whole: %x", o, b.Mask(k))
			}
		}
		for _, other := range b.Blocks[:k] {
			if o.X == other.X && o.Y == other.Y {
				t.Fatalf("block %+v comes twice", o)
			}
		}
		if words := b.Words(k); len(words) > b.samples && !slices.Equal(words[b.samples:], b.Mask(k)) {
			t.Fatalf("block %+v has %x, and was found with %x", o, b.Mask(k), words[b.samples:])
		}
	}
}

func compareSamples(a, b sampleAt) int {
	if a.y != b.y {
		return int(a.y - b.y)
	}
	if a.x != b.x {
		return int(a.x - b.x)
	}
	return int(a.sample - b.sample)
}

// pixels renders a one-sample coverage as "x,y x,y ...", rows first.
func pixels(list []sampleAt) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d,%d", s.x, s.y)
	}
	return b.String()
}

// wantPixels checks the pixels of a 16x16 framebuffer.
func wantPixels(t *testing.T, what string, setups []Setup, extra []HalfPlane, want string) {
	t.Helper()
	for _, tile := range []int32{64, 8, 2} {
		if got := pixels(coverage(t, setups, extra, Rect{0, 0, 16, 16}, 1, tile)); got != want {
			t.Errorf("%s, tiles of %d: got %q, want %q", what, tile, got, want)
		}
	}
}

// fewer is n, or a quarter of it with -short.
func fewer(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

func fill(p *Polygon, st *State) []Setup {
	s, _ := AppendPolygon(nil, nil, p, st, 0)
	return s
}

var bresenham = State{Samples: 1, ViewRect: everywhere, LineWidth: 1, LineMode: vk.LineRasterizationModeBresenham}

// lines sets up a line in the mode and width of st.
func lines(g *Segment, st *State) []Setup {
	s, _ := AppendSegment(nil, nil, g, st, 0)
	return s
}
