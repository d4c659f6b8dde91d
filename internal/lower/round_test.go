package lower_test

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// truncHalf is a number cut to binary16: the largest one that is not larger, for
// magnitudes. It goes through all of them.
func truncHalf(x float64) uint16 {
	if math.IsNaN(x) {
		return 0x7E00
	}
	sign := uint16(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if math.IsInf(x, 0) {
		return sign | 0x7C00
	}
	h := uint16(0)
	for h < 0x7BFF && float64(fp.HalfToFloat(h+1)) <= x {
		h++
	}
	return sign | h
}

// FPRoundingMode of conversions to 16 bits: RTZ cuts, RTE is what there is anyway;
// of 64 bits with one rounding.
func TestConversions_FPRoundingMode(t *testing.T) {
	values := []float64{
		0, math.Copysign(0, -1), 1, -1, 1 + 1.0/2048, 1 + 3.0/2048, -(1 + 1.0/2048 + 1.0/(1<<20)), 65504, 65519, 65520, 65536, -70000, 1e30, -1e30,
		math.Inf(1), math.Inf(-1), math.NaN(), 6e-8, 2.9e-8, 3.1e-8, -1e-9, 0.1, -0.3, 1.0 / 3, 1000.77, 6.1e-5, 6.09e-5,
		1 + 1.0/2048 + math.Ldexp(1, -40), 1 + 3.0/2048 - math.Ldexp(1, -40), // twice rounded, wrong
	}
	in := make([]uint32, 3*lanes)
	at := func(i int) float64 { return values[i%len(values)] * (1 + float64(i/len(values))/7) }
	for i := range lanes {
		b := math.Float64bits(at(i))
		in[3*i], in[3*i+1], in[3*i+2] = math.Float32bits(float32(at(i))), uint32(b), uint32(b>>32)
	}
	got := runCompute(t, "round.spvasm", lower.Options{}, in, 2*lanes)
	for i := range lanes {
		x := float32(at(i))
		have := [4]uint16{uint16(got[2*i]), uint16(got[2*i] >> 16), uint16(got[2*i+1]), uint16(got[2*i+1] >> 16)}
		wanted := [4]uint16{truncHalf(float64(x)), fp.FloatToHalf(x), truncHalf(at(i)), have[3]}
		if math.IsNaN(at(i)) {
			wanted = [4]uint16{0x7E00, 0x7E00, 0x7E00, 0x7E00}
		}
		// RTE of the 64-bit number is the cut one or the next, whichever is nearer.
		down := wanted[2]
		if a, b, x := math.Abs(float64(fp.HalfToFloat(down))), math.Abs(float64(fp.HalfToFloat(down+1))), math.Abs(at(i)); x < 65520 && down&0x7fff < 0x7BFF {
			wanted[3] = down
			if x-a > b-x || x-a == b-x && down&1 != 0 {
				wanted[3] = down + 1
			}
		}
		if have != wanted {
			t.Errorf("%v: %04x, want %04x", at(i), have, wanted)
		}
	}
}
