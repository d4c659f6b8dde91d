package raster

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Outside of the columns that Across gives, Cover finds nothing; for slivers they are
// few.
func TestAcross_HoldsAllThatIsCovered(t *testing.T) {
	rules.Covers(t, "RAS-097")
	rng := rand.New(rand.NewPCG(5, 6))
	slim, all := 0, 0
	for k := range 4000 {
		st := fillState(1 << rng.IntN(5))
		if k%8 == 1 {
			st.Conservative = vk.ConservativeRasterizationModeOverestimateEXT
		}
		corner := func() Corner { return at(rng.Float64()*120-30, rng.Float64()*120-30) }
		var setups []Setup
		var extra []HalfPlane
		switch {
		case k%8 == 0:
			st.LineMode = []vk.LineRasterizationMode{vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth}[rng.IntN(3)]
			setups, extra = AppendSegment(nil, nil, &Segment{A: corner(), B: corner(), U1: 1, W: [2]float64{1, 1}}, st, 0)
		default:
			a, b := corner(), corner()
			c := b // slivers
			if k%8 > 4 {
				c = corner()
			}
			c.X, c.Y = c.X+rng.Int32N(2000)-1000, c.Y+rng.Int32N(5)-2
			p := polygon(a, b, c)
			if k%8 == 7 { // cut by a plane
				p.Cuts = 1
				for i := range p.N {
					p.D[0][i] = rng.Float64()*2 - 1
				}
			}
			setups, extra = AppendPolygon(nil, nil, p, st, 0)
		}
		for i := range setups {
			s := &setups[i]
			y0 := s.Bounds.Y0 - 5 + rng.Int32N(s.Bounds.Y1-s.Bounds.Y0+10)
			y1 := y0 + 1 + rng.Int32N(40)
			from, to := s.Across(extra, y0, y1)
			covered := coverage(t, setups[i:i+1], extra, Rect{s.Bounds.X0 - 9, y0, s.Bounds.X1 + 9, y1}, int32(st.Samples), 64)
			for _, c := range covered {
				if c.x < from || c.x >= to {
					t.Fatalf("case %d: pixel (%d, %d) is covered, columns %d to %d of rows %d to %d are said to be; %+v", k, c.x, c.y, from, to, y0, y1, *s)
				}
			}
			if len(covered) > 0 {
				slim += int(to - from)
				all += int(s.Bounds.X1 - s.Bounds.X0)
			}
		}
	}
	if slim*3 > all*2 {
		t.Errorf("%d of %d columns", slim, all)
	}
}
