package fragment

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// RAS-080, RAS-284: the centroid of a larger fragment is its centre where that lies in
// the primitive and in the viewport, and otherwise the covered sample with the lowest
// coverage index.
func TestCoarse_RAS284_Centroid(t *testing.T) {
	rules.Covers(t, "RAS-080", "RAS-284")
	corner := func(x, y int32) raster.Corner { return raster.Corner{X: x, Y: y, InvW: 1} }
	everywhere := raster.Rect{X0: -1 << 20, Y0: -1 << 20, X1: 1 << 20, Y1: 1 << 20}
	triangle := func(x0 int32) raster.Setup {
		p := &raster.Polygon{N: 3, W: [3]float64{1, 1, 1}}
		p.C[0], p.C[1], p.C[2] = corner(x0, -9999), corner(20000, 500), corner(x0, 9999)
		list, _ := raster.AppendPolygon(nil, nil, p, &raster.State{Samples: 4, ViewRect: everywhere}, 0)
		return list[0]
	}
	inside, right := triangle(-9999), triangle(257)
	points, _ := raster.AppendPoint(nil, nil, &raster.Point{Corner: corner(256, 256), FX: 1, FY: 1, Size: 90}, &raster.State{Samples: 4}, 0)
	ss := raster.Samples(4)
	q := coarseQuad{x: 8, y: 4, rate: rates.Rate{W: 1, H: 1}}
	q.sets[0][3][0], q.sets[0][3][2] = 0b1000, 0b0110 // pixel 2 counts before pixel 0
	// Lane 3 is the fragment at (10, 6), its centre (2816, 1792); pixel 2 of it is
	// (10, 7), whose sample 1 is at (224, 96).
	const cx, cy, sx, sy = 2816, 1792, 2560 + 224, 1792 + 96
	for _, c := range []struct {
		name string
		s    *raster.Setup
		view raster.Rect
		x, y int32
	}{
		{"inside", &inside, everywhere, cx, cy},
		{"ends at the centre", &inside, raster.Rect{X0: cx, Y0: cy, X1: cx + 1, Y1: cy + 1}, cx, cy},
		{"left of the viewport", &inside, raster.Rect{X0: cx + 1, Y0: 0, X1: 9999, Y1: 9999}, sx, sy},
		{"right of it", &inside, raster.Rect{X0: 0, Y0: 0, X1: cx, Y1: 9999}, sx, sy},
		{"above it", &inside, raster.Rect{X0: 0, Y0: cy + 1, X1: 9999, Y1: 9999}, sx, sy},
		{"below it", &inside, raster.Rect{X0: 0, Y0: 0, X1: 9999, Y1: cy}, sx, sy},
		{"a point ends at no viewport", &points[0], raster.Rect{X0: 0, Y0: 0, X1: cx, Y1: cy}, cx, cy},
		{"beside the primitive", &right, everywhere, cx, cy},
	} {
		if x, y := q.centroid(c.s, nil, &c.view, ss, 3); x != c.x || y != c.y {
			t.Errorf("%s: (%d, %d), want (%d, %d)", c.name, x, y, c.x, c.y)
		}
		if x, y := q.centroid(c.s, nil, &raster.Rect{}, ss, 0); c.s.Kind == raster.KindTriangle && (x != 9*256 || y != 5*256) {
			t.Errorf("%s: nothing covered: (%d, %d)", c.name, x, y)
		}
	}
	left := triangle(cx + 1) // the centre is not in it
	if x, y := q.centroid(&left, nil, &everywhere, ss, 3); x != sx || y != sy {
		t.Errorf("beside the primitive: (%d, %d)", x, y)
	}
}
