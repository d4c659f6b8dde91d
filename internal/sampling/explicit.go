package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// What no program does of Y′CBCR conversions: explicit reconstruction, and degamma.

// reconstruct is IMG-337…341: the chroma of luma texel (x, z), with weight k.
//
// IMG-342, IMG-346
func (y *converter) reconstruct(sum *[4]float64, l *resource.Level, at *spot, level, x, z int, k float64) {
	tx, tz := y.explicitTaps(0, x), y.explicitTaps(1, z)
	for j := range tz.n {
		for i := range tx.n {
			w := float64(k*float64(tx.w[i]*tz.w[j])) / 16
			y.addChroma(sum, l, at, level, tx.i[i], tz.i[j], w)
		}
	}
}

// explicitTaps are the chroma samples of one dimension at luma texel i, weights
// in quarters: i_RB = i/2 where they are cosited, (i − ½)/2 where they lie at
// midpoints (IMG-340).
//
// IMG-335, IMG-337, IMG-338, IMG-339, IMG-342
func (y *converter) explicitTaps(d, i int) taps {
	switch {
	case !y.halved[d]:
		return taps{i: [4]int{i}, w: [4]float64{4}, n: 1}
	case !y.linear:
		return taps{i: [4]int{i >> 1}, w: [4]float64{4}, n: 1} // IMG-337
	}
	quarters := 2 * i
	if y.midpoint(d) {
		quarters--
	}
	f := float64(quarters & 3)
	t := taps{i: [4]int{quarters >> 2, quarters>>2 + 1}, w: [4]float64{4 - f, f}, n: 2}
	if f == 0 {
		t.n = 1
	}
	return t
}

// codeOf is a component's code, exactly; with degamma (IMG-350) the code that
// the linear value would have, a fraction.
func (y *converter) codeOf(c int, bits uint32) float64 {
	largest := float64(uint32(1)<<y.from[c].bits - 1)
	code := math.RoundToEven(float64(float64(math.Float32frombits(bits)) * largest))
	if y.from[c].bits == 8 && (c == 1 && y.conv.YDegamma || (c == 0 || c == 2) && y.conv.CbCrDegamma) {
		code = float64(255 * float64(fp.SrgbToLinear(uint8(code))))
	}
	return code
}
