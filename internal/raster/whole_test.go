package raster

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// vertexOf is the vertex that a corner of an unclipped primitive is.
func vertexOf(c *Corner) *Projected {
	return &Projected{Spot: Spot{c.X, c.Y}, Z: c.Z, InvW: c.InvW, W: 1 / c.InvW}
}

// wholeCorner is a corner that is often on a pixel, in one line with others, or far away.
func wholeCorner(r *rand.Rand) Corner {
	c := Corner{X: int32(r.IntN(24 * Subpixels)), Y: int32(r.IntN(24 * Subpixels)), Z: r.Float64()*2 - .5, InvW: 1}
	switch r.IntN(4) {
	case 0:
		c.X, c.Y = c.X&^(Subpixels-1), c.Y&^(Subpixels-1)
	case 1:
		c.Y = 5*Subpixels + 3
	case 2:
		c.X -= 1 << 20
	}
	if r.IntN(2) == 0 {
		c.InvW = 1 / float64(1+r.Float32()*7)
	}
	return c
}

// Where Whole says that vertices and state are enough, set-ups made of them are those of
// the Append functions, and the pixels given beforehand are theirs.
func TestWhole_SetupsAreThoseOfAppend(t *testing.T) {
	rules.Covers(t, "RAS-187", "RAS-189", "RAS-190", "RAS-193", "RAS-197", "RAS-198", "RAS-199", "RAS-200", "RAS-208", "RAS-235", "RAS-236", "RAS-238", "RAS-239", "RAS-240", "RAS-241", "RAS-243", "RAS-244", "RAS-256", "RAS-264", "RAS-265", "RAS-365", "RAS-202", "RAS-205", "RAS-206", "RAS-207", "RAS-289")
	r := rand.New(rand.NewPCG(81, 82))
	views := []Rect{everywhere, {0, 0, 16 * Subpixels, 16 * Subpixels}, {-3 * Subpixels, 2 * Subpixels, 11 * Subpixels, 99 * Subpixels}, {77, 0, 16 * Subpixels, 2000}}
	one := func(list []Setup) (s Setup) {
		if len(list) > 0 {
			s = list[0]
		}
		return s
	}
	made, culled, cut := 0, 0, 0
	for n := range 30_000 {
		st := fillState(1 << r.IntN(5))
		st.ViewRect, st.CullMode, st.FrontFace = views[r.IntN(len(views))], vk.CullModeFlags(r.IntN(3)), vk.FrontFace(r.IntN(2))
		st.LineWidth, st.LineMode = r.Float32()*4, vk.LineRasterizationMode(r.IntN(2))
		if r.IntN(16) == 0 {
			st.LineWidth = 1025 // more than there is
		}
		if r.IntN(2) == 0 {
			st.DepthBias = DepthBias{Enable: true, Constant: r.Float32() * 9, Slope: r.Float32()*2 - 1, Unit: BiasFloat32}
		}
		if !st.Whole() {
			t.Fatalf("%+v is not whole", st)
		}
		a, b, c := wholeCorner(r), wholeCorner(r), wholeCorner(r)
		if r.IntN(8) == 0 {
			b.X, b.Y = a.X, a.Y
		}
		if r.IntN(8) == 0 {
			b.InvW, c.InvW = a.InvW, a.InvW
		}
		find := st.Finder()
		var want, got Setup
		var list []Setup
		var extra []HalfPlane
		var bounds Rect
		ok := true
		switch n % 3 {
		case 0:
			p := polygon(a, b, c)
			p.Provoking = uint8(r.IntN(3))
			list, extra = AppendPolygon(nil, nil, p, st, 7)
			v := [3]*Projected{vertexOf(&a), vertexOf(&b), vertexOf(&c)}
			if bounds, ok = find.Triangle(v[0].Spot, v[1].Spot, v[2].Spot); ok && !bounds.Empty() {
				got.SetTriangle(&v, p.Provoking, st, 7)
			}
		case 1:
			b.L1 = 1
			g := Segment{A: a, B: b, U1: 1, W: [2]float64{1 / a.InvW, 1 / b.InvW}}
			list, extra = AppendSegment(nil, nil, &g, st, 7)
			if bounds = find.Line(vertexOf(&a).Spot, vertexOf(&b).Spot); !bounds.Empty() {
				got.SetLine(vertexOf(&a), vertexOf(&b), st, 7)
			}
		default:
			d := Dot{FX: float64(a.X)/Subpixels + .001, FY: float64(a.Y) / Subpixels}
			p := Point{Corner: a, FX: d.FX, FY: d.FY, Size: r.Float32() * 3}
			if r.IntN(16) == 0 {
				p.Size = 8193
			}
			v := vertexOf(&a)
			v.W = float64(p.Size)
			list, extra = AppendPoint(nil, nil, &p, st, 7)
			if bounds = find.Point(v.Spot, p.Size); !bounds.Empty() {
				got.SetPoint(v, d, st, 7)
			}
		}
		// A side of the viewport that ends inside pixels, and that the triangle goes beyond.
		box, v := spotBox(Spot{a.X, a.Y}, Spot{b.X, b.Y}, Spot{c.X, c.Y}), st.ViewRect
		beyond := box.X0 < v.X0 && v.X0%Subpixels != 0 || box.X1 > v.X1 && v.X1%Subpixels != 0 || box.Y0 < v.Y0 && v.Y0%Subpixels != 0 || box.Y1 > v.Y1 && v.Y1%Subpixels != 0
		front := frontFacing(spotArea(Spot{a.X, a.Y}, Spot{b.X, b.Y}, Spot{c.X, c.Y}), st.FrontFace)
		kept := spotArea(Spot{a.X, a.Y}, Spot{b.X, b.Y}, Spot{c.X, c.Y}) != 0 && (st.CullMode == 0 || (st.CullMode == vk.CullModeFrontBit) != front)
		if ok == (n%3 == 0 && beyond && kept) {
			t.Fatalf("triangle %+v %+v %+v in %+v: found %v", a, b, c, v, ok)
		}
		if !ok {
			if len(list) > 0 && len(extra) > 0 {
				cut++
			}
			continue
		}
		want = one(list)
		if made++; len(list) == 0 {
			culled++
		}
		if len(list) > 1 || len(extra) > 0 || got != want || !bounds.Empty() && bounds != want.Bounds {
			t.Fatalf("%+v of %+v %+v %+v: %+v in %+v, want %+v", st, a, b, c, got, bounds, list)
		}
	}
	if made-culled < 5000 || culled < 1000 || cut < 100 {
		t.Errorf("%d made, %d culled, %d cut", made, culled, cut)
	}
	for _, change := range []func(st *State){
		func(st *State) { st.PolygonMode = vk.PolygonModeLine }, func(st *State) { st.Stipple.Factor = 1 },
		func(st *State) { st.Conservative = vk.ConservativeRasterizationModeOverestimateEXT }, func(st *State) { st.Relaxed = true },
		func(st *State) { st.LineMode = vk.LineRasterizationModeBresenham }, func(st *State) { st.LineMode = vk.LineRasterizationModeRectangularSmooth },
	} {
		st := fillState(1)
		if change(st); st.Whole() {
			t.Errorf("%+v is whole", st)
		}
	}
}
