package vertexpost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// edgy is a coordinate that is often on a plane, out of range or no number.
func edgy(r *rand.Rand) float32 {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-64, 0x1p-63, -0x1p-64, math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149, nan, inf, -inf}
	if k := r.IntN(3 * len(special)); k < len(special) {
		return special[k]
	}
	return 4*r.Float32() - 2
}

// What Outside says of positions is what Project says of vertices, but for the guard band; and primitives are Gone by it where clipping leaves
// nothing of them.
func TestOutcodes_EqualProject(t *testing.T) {
	rules.Covers(t, "RAS-074", "RAS-075", "RAS-076", "RAS-081", "RAS-366")
	r := rand.New(rand.NewPCG(75, 76))
	s := newScene(8)
	for trial := range 3000 {
		c := s.config
		c.DepthClip, c.NegativeOneToOne = trial%3 > 0, trial%3 > 1
		n := 3 * (1 + r.IntN(12))
		list, pos := make([]raster.Vertex, n), [4][]uint32{}
		for i := range list {
			for k := range pos {
				list[i].Pos[k] = edgy(r)
				pos[k] = append(pos[k], math.Float32bits(list[i].Pos[k]))
			}
		}
		out := make([]uint32, n)
		if !c.Outside(out, &pos) {
			t.Fatal("not for this state")
		}
		c.Project(list)
		for i := range list {
			got, want := raster.Outcode(out[i]), list[i].Out&^raster.OutGuard
			if want&raster.OutInvalid != 0 { // Project stops there
				got &= raster.OutInvalid
			}
			if got != want {
				t.Fatalf("%v with %+v: %b, want %b", list[i].Pos, c, got, want)
			}
		}
		for i := 0; i < n; i += 3 {
			var poly raster.Polygon
			left := c.Triangle(&poly, &list[i], &list[i+1], &list[i+2])
			if left && Gone(raster.Outcode(out[i]&out[i+1]&out[i+2]), raster.Outcode(out[i]|out[i+1]|out[i+2])) {
				t.Fatalf("a triangle of %v is gone, but not all of it", list[i:i+3])
			}
		}
	}
	for _, change := range []func(c *Config){func(c *Config) { c.Swizzled = true }, func(c *Config) { c.WScale = true }} {
		c := s.config
		change(&c)
		if c.Outside(nil, new([4][]uint32)) {
			t.Errorf("%+v changes positions", c)
		}
	}
}
