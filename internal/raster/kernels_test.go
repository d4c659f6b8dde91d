package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// The kernels give what the Go bodies give, bit for bit.
func TestPlanes_AssemblyEqualsGo(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-246", "RAS-247", "RAS-329")
	if !haveAVX2 {
		t.Skip("no kernels on this machine")
	}
	rng := rand.New(rand.NewPCG(61, 62))
	plane := func() Plane {
		e := math.Exp2(float64(rng.IntN(60) - 30))
		return Plane{C: rng.NormFloat64() * e, GX: rng.NormFloat64() * e / 500, GY: rng.NormFloat64() * e / 500}
	}
	bits := func(f []float32) (out []uint32) {
		for _, v := range f {
			out = append(out, math.Float32bits(v))
		}
		return out
	}
	sets := []*SampleSet{Samples(1), Samples(2), Samples(4), Samples(8), Samples(16),
		CustomSamples(4, 1, 1, [][2]float32{{.1, .9}, {.4, .2}, {.6, .7}, {0, .5}})}
	var none Setup // nothing to do is not an error
	none.Depth(nil, Samples(1), nil)
	for range 3000 {
		s := Setup{RefX: rng.Int32N(1<<22) - 1<<21, RefY: rng.Int32N(1<<22) - 1<<21, U: plane(), V: plane(), W: plane(), Z: plane(),
			Affine: rng.IntN(3) == 0, Provoking: uint8(rng.IntN(3))}
		quads := make([]Quad, 1+rng.IntN(20))
		for i := range quads {
			quads[i] = Quad{X: rng.Int32N(1<<14) * 2, Y: rng.Int32N(1<<14) * 2, Mask: 1}
		}
		n := 4 * len(quads)
		ss := sets[rng.IntN(len(sets))]
		z, want := make([]float32, n*ss.N), make([]float32, n*ss.N)
		s.Depth(quads, ss, z)
		s.depthEach(quads, ss, want)
		if !slices.Equal(bits(z), bits(want)) {
			t.Fatalf("depth of %+v: %v, want %v", s, z, want)
		}
	}
}
