package render

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each tile looks at the items whose boxes hold it and at all big ones, in order, and
// at no others; small boxes are not kept for all tiles.
func TestBins_EveryTile(t *testing.T) {
	rules.Covers(t, "RAS-057", "RAS-100", "RAS-102", "RAS-364", "RAS-367", "RAS-369")
	rng := rand.New(rand.NewPCG(91, 92))
	var b bins
	for trial := range 300 {
		boxes := make([]tileBox, rng.IntN(30))
		for i := range boxes {
			x, y := rng.Int32N(9), rng.Int32N(9)
			boxes[i] = tileBox{x, y, x + rng.Int32N(6), y + 1 + rng.Int32N(5), rng.Int32N(3), 0}
			if rng.IntN(12) == 0 {
				boxes[i] = everyTile
			}
			boxes[i].item = uint32(i)
		}
		b.sort(boxes)
		big, listed := 0, 0
		for _, box := range boxes {
			if n := int(box.x1-box.x0) * int(box.y1-box.y0); n > 16 {
				big++
			} else {
				listed += n
			}
		}
		if len(b.big) != big || len(b.list) != listed && listed > 0 {
			t.Fatalf("trial %d: %d big items, want %d; %d entries, want %d", trial, len(b.big), big, len(b.list), listed)
		}
		for layer := range int32(4) {
			for y := range int32(16) {
				for x := range int32(16) {
					var got, want []uint32
					var m merged
					for b.tile(&m, x, y, layer); ; {
						i, ok := m.next()
						if !ok {
							break
						}
						got = append(got, i)
					}
					for i, box := range boxes {
						if box.big() || x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1 && layer == box.layer {
							want = append(want, uint32(i))
						}
					}
					if !slices.Equal(got, want) {
						t.Fatalf("trial %d, tile (%d, %d) of layer %d: %v, want %v; %v", trial, x, y, layer, got, want, boxes)
					}
				}
			}
		}
	}
	for n, want := range map[int32]bool{15: false, 16: false, 17: true} {
		if box := (tileBox{x1: n, y1: 1}); box.big() != want {
			t.Errorf("%d tiles are big: %v", n, !want)
		}
	}
	if !everyTile.big() || nowhere.big() {
		t.Error("everything is not big, or nothing is")
	}
}

// What a chunk says of where it draws, and how much it holds.
func TestChunk_Box(t *testing.T) {
	rules.Covers(t, "RAS-098", "RAS-367")
	var draw Draw
	c := chunk{draw: &drawPlan{draw: &draw}}
	for _, k := range []struct {
		name  string
		boxes []tileBox
		want  tileBox
	}{
		{"nothing", nil, nowhere}, {"one", []tileBox{{2, 3, 4, 5, 1, 0}}, tileBox{2, 3, 4, 5, 1, 0}},
		{"two", []tileBox{{2, 3, 4, 5, 1, 0}, {1, 4, 2, 7, 1, 0}}, tileBox{1, 3, 4, 7, 1, 0}},
		{"two layers", []tileBox{{2, 3, 4, 5, 1, 0}, {2, 3, 4, 5, 2, 0}}, everyTile}, {"a big one", []tileBox{{0, 0, 9, 9, 0, 0}}, everyTile},
	} {
		c.bins.sort(k.boxes)
		if got := c.box(); got != k.want {
			t.Errorf("%s: %+v, want %+v", k.name, got, k.want)
		}
	}
	c.bins.sort([]tileBox{{2, 3, 4, 5, 1, 0}})
	draw.Clear = &Clear{}
	if got := c.box(); got != everyTile {
		t.Errorf("a clear: %+v", got)
	}
	before := c.bytes()
	c.Attrs, c.Flat = make([]uint32, 10), make([]uint32, 5)
	if got := c.bytes() - before; got != 60 {
		t.Errorf("15 words are %d bytes", got)
	}
	for what, n := range map[string]struct {
		add  func(*chunk)
		want uintptr
	}{
		"records":     {func(c *chunk) { c.Recs = make([]fragment.Primitive, 3) }, 3 * unsafe.Sizeof(fragment.Primitive{})},
		"set-ups":     {func(c *chunk) { c.setups = make([]raster.Setup, 2) }, 2 * unsafe.Sizeof(raster.Setup{})},
		"places":      {func(c *chunk) { c.places = make([]raster.Projected, 3) }, 3 * unsafe.Sizeof(raster.Projected{})},
		"dots":        {func(c *chunk) { c.dots = make([]raster.Dot, 3) }, 3 * unsafe.Sizeof(raster.Dot{})},
		"half-planes": {func(c *chunk) { c.Extra = make([]raster.HalfPlane, 4) }, 4 * unsafe.Sizeof(raster.HalfPlane{})},
		"bins": {func(c *chunk) {
			c.bins.big, c.bins.list, c.bins.starts = make([]uint32, 5), make([]uint32, 2), make([]uint32, 3)
		}, 40},
		"captured": {func(c *chunk) { c.captured.words = make([]uint32, 6) }, 24},
	} {
		var c chunk
		before := c.bytes()
		if n.add(&c); c.bytes()-before != int64(n.want) || before != int64(unsafe.Sizeof(c)) {
			t.Errorf("%s take %d bytes, want %d", what, c.bytes()-before, n.want)
		}
	}
	w := binner{plan: &passPlan{}} // tiles start at the area
	w.plan.Grid = tile.Grid{X0: 16, Y0: 32, Shift: 4, Nx: 5, Ny: 5}
	s := raster.Setup{Bounds: raster.Rect{X0: 20, Y0: 40, X1: 50, Y1: 60}}
	for _, k := range []struct {
		scissor raster.Rect
		want    tileBox
	}{
		{raster.Rect{X1: 99, Y1: 99}, tileBox{0, 0, 3, 2, 3, 0}}, {raster.Rect{X0: 32, Y0: 48, X1: 48, Y1: 64}, tileBox{1, 1, 2, 2, 3, 0}},
		{raster.Rect{X0: 33, Y0: 48, X1: 49, Y1: 49}, tileBox{1, 1, 3, 2, 3, 0}}, {raster.Rect{X0: 50, Y0: 40, X1: 60, Y1: 60}, nowhere},
		{raster.Rect{X0: 20, Y0: 60, X1: 40, Y1: 70}, nowhere},
	} {
		w.boxes = w.boxes[:0]
		if seen := w.box(&c, w.plan.bounds(&s), &k.scissor, 3); seen != (k.want != nowhere) || seen && w.boxes[0] != k.want {
			t.Errorf("scissor %+v: tiles %+v, want %+v", k.scissor, w.boxes, k.want)
		}
	}
	w.plan.density = &densityPlan{} // which makes conservative ones larger only
	if got := w.plan.bounds(&s); got != s.Bounds {
		t.Errorf("with a density map: %+v, want %+v", got, s.Bounds)
	}
	c.Recs, c.setups = c.Recs[:0], nil
	c.prims = make([]assembly.Primitive, 3)
	if c.reset(); c.draw != nil || c.prims != nil || len(c.Attrs) != 0 || len(c.Flat) != 0 || len(c.bins.starts)+len(c.bins.list)+len(c.bins.big) != 0 || cap(c.Attrs) == 0 {
		t.Errorf("after a reset: %+v", c)
	}
	c.Attrs = make([]uint32, 2<<20)
	if c.reset(); cap(c.Attrs) != 0 {
		t.Error("eight megabytes are kept")
	}
}
