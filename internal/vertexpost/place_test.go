package vertexpost

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Place, Deepen and Dot of what Outside finds before the eye are what Project and Point say,
// and primitives that are not Cut come out of clipping as they went in.
func TestPlace_EqualsProject(t *testing.T) {
	rules.Covers(t, "RAS-002", "RAS-080", "RAS-085", "RAS-086", "RAS-091")
	r := rand.New(rand.NewPCG(83, 84))
	s := newScene(8)
	for _, far := range [][2]float32{{1.5, 0}, {-1.5, 0}, {0, 1.5}, {0, -1.5}} { // of the guard band
		if _, ok := s.config.Place(far[0]*raster.GuardBand/4, far[1]*raster.GuardBand/4, 1); ok {
			t.Errorf("%v is inside the guard band", far)
		}
	}
	far, near, whole := 0, 0, [4]int{}
	for trial := range 20_000 {
		c := s.config
		c.DepthClip = trial%3 > 0
		var v [3]raster.Vertex
		var place [3]raster.Projected
		some, all, known := raster.Outcode(0), ^raster.Outcode(0), true
		for i := range v {
			for k := range v[i].Pos {
				if v[i].Pos[k] = r.Float32()*2 - .5; trial%4 == 0 {
					v[i].Pos[k] = edgy(r)
				}
			}
			p := v[i].Pos
			v[i].Pos[3] = max(p[3], -1)
			p = v[i].Pos
			c.Project(v[i : i+1])
			some, all = some|v[i].Out, all&v[i].Out
			if v[i].Out&(raster.OutW|raster.OutInvalid) != 0 {
				known = false
				continue
			}
			var ok bool
			place[i].Spot, ok = c.Place(p[0], p[1], p[3])
			c.Deepen(&place[i], p[2], p[3])
			if ok != (v[i].Out&raster.OutGuard == 0) {
				t.Fatalf("%v: inside the guard band %v, want %v", p, ok, !ok)
			}
			if known = known && ok; !ok {
				far++
				continue
			}
			near++
			if want := (raster.Projected{Spot: raster.Spot{X: v[i].X, Y: v[i].Y}, Z: v[i].Z, InvW: v[i].InvW, W: float64(p[3])}); place[i] != want {
				t.Fatalf("%v: %+v, want %+v", p, place[i], want)
			}
			var point raster.Point
			if dot := c.Dot(p[0], p[1], p[3]); c.Point(&point, &v[i]) && dot != (raster.Dot{FX: point.FX, FY: point.FY}) {
				t.Fatalf("%v: %+v, want %+v", p, dot, point)
			}
		}
		if !known || Gone(all, some) {
			continue
		}
		if !Cut(3, some) {
			var p raster.Polygon
			whole[3]++
			if !c.Triangle(&p, &v[0], &v[1], &v[2]) || p.N != 3 || p.Cuts != 0 || p.C[2] != (raster.Corner{X: v[2].X, Y: v[2].Y, Z: v[2].Z, InvW: v[2].InvW, L2: 1}) {
				t.Fatalf("%+v: %+v", v, p)
			}
		}
		if some := v[0].Out | v[1].Out; !Cut(2, some) {
			var g raster.Segment
			whole[2]++
			if !c.Line(&g, &v[0], &v[1]) || g.U0 != 0 || g.U1 != 1 || g.B != (raster.Corner{X: v[1].X, Y: v[1].Y, Z: v[1].Z, InvW: v[1].InvW, L1: 1}) {
				t.Fatalf("%+v: %+v", v, g)
			}
		}
		if !Cut(1, v[0].Out) {
			var p raster.Point
			whole[1]++
			if !c.Point(&p, &v[0]) {
				t.Fatalf("%+v: no point", v[0])
			}
		}
	}
	if far < 100 || near < 1000 || min(whole[1], whole[2], whole[3]) < 500 {
		t.Errorf("%d beyond the guard band, %d not, whole %v", far, near, whole)
	}
}
