package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// The kernel gives what the Go body gives, for every number of lanes.
func TestInterpolate_AssemblyEqualsGo(t *testing.T) {
	rules.Covers(t, "RAS-249")
	r := rand.New(rand.NewPCG(1, 2))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, float32(math.Inf(1)), 3e38, 1e-45}
	number := func() float32 {
		if r.IntN(6) == 0 {
			return special[r.IntN(len(special))]
		}
		return float32(r.NormFloat64())
	}
	for n := 0; n < 70; n++ {
		i, j := make([]float32, n), make([]float32, n)
		for k := range i {
			i[k], j[k] = number(), number()
		}
		v0, v1, v2 := number(), number(), number()
		got, want := make([]uint32, n+16), make([]uint32, n)
		for k := range got {
			got[k] = 0xdeadbeef
		}
		Interpolate(got[:n], v0, v1, v2, i, j)
		for k, v := range got[n:] {
			if v != 0xdeadbeef {
				t.Fatalf("%d words behind %d lanes are written", k+1, n)
			}
		}
		got = got[:n]
		interpolateEach(want, v0, v1-v0, v2-v0, i, j)
		for k := range got {
			a, b := math.Float32frombits(got[k]), math.Float32frombits(want[k])
			if got[k] != want[k] && (a == a || b == b) { // NaNs are canonical where they show
				t.Fatalf("lane %d of %d: %08x, want %08x", k, n, got[k], want[k])
			}
		}
	}
}
