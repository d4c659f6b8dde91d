package sampling

import "github.com/pumice-gpu/pumice/vk"

// cubicSet is a row of IMG-540: the coefficients of 1, α, α², α³ in each weight,
// and what they are divided by.
type cubicSet struct {
	m   [4][4]int64 // [power][tap]
	div float64
}

// cubicSets are by VkCubicFilterWeightsQCOM. The zero-tangent set ends in 2, not
// in the published 1, so that its weights sum to one.
//
// IMG-540, IMG-545
var cubicSets = [...]cubicSet{
	vk.CubicFilterWeightsCatmullRomQCOM: {
		[4][4]int64{{0, 2, 0, 0}, {-1, 0, 1, 0}, {2, -5, 4, -1}, {-1, 3, -3, 1}}, 2,
	},
	vk.CubicFilterWeightsZeroTangentCardinalQCOM: {
		[4][4]int64{{0, 2, 0, 0}, {-2, 0, 2, 0}, {4, -4, 2, -2}, {-2, 2, -2, 2}}, 2,
	},
	vk.CubicFilterWeightsBSplineQCOM: {
		[4][4]int64{{1, 4, 1, 0}, {-3, 0, 3, 0}, {3, -6, 3, 0}, {-1, 3, -3, 1}}, 6,
	},
	vk.CubicFilterWeightsMitchellNetravaliQCOM: {
		[4][4]int64{{1, 16, 1, 0}, {-9, 0, 9, 0}, {15, -36, 27, -6}, {-7, 21, -21, 7}}, 18,
	},
}

// weights are those for α = f/256, times 256: integers below 2^30 divided once,
// by a power of two and a factor of 18.
//
// IMG-541, IMG-543
func (c *cubicSet) weights(f uint32) (w [4]float64) {
	x := int64(f)
	for n := range w {
		sum := c.m[0][n]<<24 + c.m[1][n]*x<<16 + c.m[2][n]*x*x<<8 + c.m[3][n]*x*x*x
		w[n] = float64(sum) / float64(c.div*(1<<16))
	}
	return w
}
