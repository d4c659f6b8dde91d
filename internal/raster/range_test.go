package raster

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Depth at no sample of a rectangle is outside of what DepthRange says; its ends are
// depths at the outermost samples.
func TestDepthRange_HoldsAllSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	list, _ := setups(rng)
	for range 300 { // any planes
		s := list[rng.IntN(len(list))]
		e := math.Exp2(float64(rng.IntN(200) - 60))
		s.Z = Plane{C: rng.NormFloat64() * e, GX: rng.NormFloat64() * e / 50, GY: rng.NormFloat64() * e / 50}
		if rng.IntN(4) == 0 {
			s.Z.GX, s.Z.GY = s.Z.GX*0x1p900*0x1p100, 0
		}
		list = append(list, s)
	}
	for range 100 { // thin ones
		a := Corner{X: rng.Int32N(9000), Y: rng.Int32N(9000), Z: rng.Float64(), InvW: 1}
		b := Corner{X: rng.Int32N(9000), Y: rng.Int32N(9000), Z: rng.Float64(), InvW: 1}
		c := Corner{X: (a.X+b.X)/2 + 1, Y: (a.Y + b.Y) / 2, Z: rng.Float64(), InvW: 1}
		list = append(list, fill(polygon(a, b, c), fillState(1))...)
	}
	known, thin := 0, 0
	sets := []*SampleSet{Samples(1), Samples(4), Samples(16), CustomSamples(2, 2, 1, [][2]float32{{.1, .9}, {.4, .2}, {.6, .7}, {0, .5}})}
	for i := range list {
		s, ss := &list[i], sets[rng.IntN(len(sets))]
		r := Rect{X0: rng.Int32N(20) * 2, Y0: rng.Int32N(20) * 2}
		r.X1, r.Y1 = r.X0+2+2*rng.Int32N(4), r.Y0+2+2*rng.Int32N(4)
		low, high, ok := s.DepthRange(r, ss)
		if !ok {
			thin++
			continue
		}
		known++
		var quads []Quad
		for y := r.Y0; y < r.Y1; y += 2 {
			for x := r.X0; x < r.X1; x += 2 {
				quads = append(quads, Quad{X: x, Y: y})
			}
		}
		z := make([]float32, 4*len(quads)*ss.N)
		s.Depth(quads, ss, z)
		least, most := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range z {
			if !(v >= low && v <= high) {
				t.Fatalf("%+v in %+v: depth %v outside of %v to %v", s, r, v, low, high)
			}
			least, most = min(least, v), max(most, v)
		}
		if ss.N == 1 && (least != low || most != high) {
			t.Fatalf("%+v in %+v: depths from %v to %v, said to be %v to %v", s, r, least, most, low, high)
		}
	}
	if known < 200 || thin < 50 {
		t.Errorf("%d are known, %d are not", known, thin)
	}
	for _, z := range []Plane{{C: math.NaN()}, {GX: math.Inf(1)}, {GY: math.Inf(-1)}} {
		if _, _, ok := (&Setup{Z: z}).DepthRange(Rect{X1: 8, Y1: 8}, Samples(1)); ok {
			t.Errorf("the range of %+v is known", z)
		}
	}
}
