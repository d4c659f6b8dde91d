package lower_test

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// Inputs are multiples of 1/2, so that the products are exact; the last bit of
// the inverse is a division by the determinant.
func TestMatrices_NonSquareProducts(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = math.Float32bits(float32(i-32) / 2)
	}
	names := []string{"3x3", "2x2", "with vectors", "outer product, transpose", "vector index", "inverse", "conversion", "integers"}
	for _, form := range forms {
		got := runCompute(t, "matrix.comp"+form, lower.Options{}, in, lanes*8)
		check(t, got, 8, names, func(lane uint32) []uint32 {
			x := math.Float32frombits(in[lane])
			inv := -(x * 32) / 64
			if x == 0 {
				inv = float32(math.Copysign(0, -1))
			}
			return bits(
				(2*5+5*6)+(3+6*x),
				4+3*5+5*6,
				3+6*x+(4+5*x+12),
				2*x+6+4*x,
				float32(lane&3+1)*x,
				inv+64,
				4+x+1,
				float32(lane*3%5)+1,
			)
		})
	}
}

func TestTranscendentals_AreThoseOfFP(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = math.Float32bits(float32(i-32) / 9)
	}
	got := runCompute(t, "transcend.comp", lower.Options{}, in, lanes*20)
	check(t, got, 20, nil, func(lane uint32) []uint32 {
		x := math.Float32frombits(in[lane])
		y, q := x+5, float32(x*0.25)
		return bits(fp.Sin(x), fp.Cos(x), fp.Tan(x), fp.Asin(q), fp.Acos(q), fp.Atan(x), fp.Atan2(x, 2), fp.Sinh(x), fp.Cosh(x), fp.Tanh(x),
			fp.Asinh(x), fp.Acosh(y), fp.Atanh(q), fp.Pow(x+4.5, 2.5), fp.Exp(x), fp.Log(y), fp.Exp2(x), fp.Log2(y), fp.InvSqrt(y), x*(180/math.Pi))
	})
}
