package raster

import (
	"math/rand/v2"
	"testing"
)

// Where Full says yes, Cover finds every sample; and it does say yes.
func TestFull_AsCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	yes := 0
	for range 20000 {
		samples := 1 << rng.IntN(5)
		r := Rect{X0: rng.Int32N(8) * 2, Y0: rng.Int32N(8) * 2}
		r.X1, r.Y1 = r.X0+1+rng.Int32N(16), r.Y0+1+rng.Int32N(16)
		p := Polygon{N: 3, W: [3]float64{1, 1, 1}}
		for i := range 3 {
			p.C[i] = Corner{X: rng.Int32N(200*Subpixels) - 80*Subpixels, Y: rng.Int32N(200*Subpixels) - 80*Subpixels, InvW: 1}
		}
		setups, extra := AppendPolygon(nil, nil, &p, fillState(samples), 0)
		for i := range setups {
			if !setups[i].Full(extra, r, Samples(samples)) {
				continue
			}
			yes++
			if n := len(coverage(t, setups[i:i+1], extra, r, int32(samples), 64)); n != int(r.X1-r.X0)*int(r.Y1-r.Y0)*samples {
				t.Fatalf("%d samples of %+v covered", n, r)
			}
		}
	}
	if yes < 1000 {
		t.Errorf("Full only %d times", yes)
	}
}
