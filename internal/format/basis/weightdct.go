package basis

import (
	"math"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// Weights of a plane can be coded as a discrete cosine transform of the grid: their mean, and coefficients in the order of a zigzag,
// each with the number of those before it that are 0. Steps of coefficients come of JPEG's table for luminance, the quality of the
// slice, how far apart the block's colours are, and how coarse its weights are. All numbers are those of binary32, rounded one by one.

// dctSteps is JPEG's table of Annex K.1 with a smaller step at its beginning.
var dctSteps = [8][8]float32{
	{4, 11, 10, 16, 24, 40, 51, 61},
	{12, 12, 14, 19, 26, 58, 60, 55},
	{14, 13, 16, 24, 40, 57, 69, 56},
	{14, 17, 22, 29, 51, 87, 80, 62},
	{18, 22, 37, 56, 68, 109, 103, 77},
	{24, 35, 55, 64, 81, 104, 113, 92},
	{49, 64, 78, 87, 103, 121, 120, 101},
	{72, 92, 95, 98, 112, 100, 103, 99},
}

// dctRange widens steps by the range of weights: (63/(levels − 1))^0.1.
var dctRange = [12]float32{
	1.51333141, 1.41198814, 1.35588217, 1.31743157, 1.28835952, 1.24573100, 1.21481407, 1.19067919, 1.15431654, 1.12734985, 1.10601568,
	1.07348967,
}

const (
	dctMeans     = 9 // levels of means where weights have up to 8 levels
	dctMeansFine = 33
	dctRunEnd    = 64 // ends the coefficients of a plane
)

// fineMean says whether the mean has dctMeansFine levels, and how many weights a level of it is.
func fineMean(weights uint8) (bool, float32) {
	if weights <= 5 {
		return false, 8
	}
	return true, 2
}

// dctStep finds the steps of a plane's coefficients.
type dctStep struct {
	quality, scale, x, y float32
}

// newDCTStep starts with the slice's quality, 0.5 to 100, the size of blocks, and the length of the colours' difference.
func newDCTStep(quality float32, width, height uint8, span float32, weights uint8) dctStep {
	q := min(max(quality, 1), 100)
	scale := 200 - 2*q
	if q < 50 {
		scale = 5000 / q
	}
	scale *= float32(1) / 100
	adapt := 64 / max(span, 14)
	adapt *= dctRange[weights]
	return dctStep{quality, scale * adapt, 8 / float32(width), 8 / float32(height)}
}

// at returns the step of a coefficient.
func (s *dctStep) at(x, y int) float32 {
	if s.quality >= 100 {
		return 1
	}
	i, j := min(float32(x)*s.x, 7), min(float32(y)*s.y, 7)
	i0, j0 := int(i), int(j)
	i1, j1 := min(i0+1, 7), min(j0+1, 7)
	ti, tj := i-float32(i0), j-float32(j0)
	a := float32((1-ti)*dctSteps[j0][i0]) + float32(ti*dctSteps[j0][i1])
	b := float32((1-ti)*dctSteps[j1][i0]) + float32(ti*dctSteps[j1][i1])
	base := float32((1-tj)*a) + float32(tj*b)
	return float32(max(1, int(float32(base*s.scale)+0.5)))
}

// value returns the size of a coefficient: there are no small ones but for the two lowest frequencies.
func (s *dctStep) value(coefficient, x, y int) float32 {
	step, c := s.at(x, y), float32(coefficient)
	switch {
	case x+y == 1:
		return c * step
	case coefficient == 0:
		return 0
	case coefficient < 0:
		return -(float32(step/2) + float32(-c*step))
	}
	return float32(step/2) + float32(c*step)
}

// zigzag returns the place of each coefficient in a grid: diagonals from the first one on, each in the other direction than the one
// before it.
func zigzag(width, height int) []uint8 {
	order := make([]uint8, 0, width*height)
	for s := range width + height - 1 {
		low, high := max(0, s-height+1), min(s, width-1)
		for k := range high - low + 1 {
			x := low + k
			if s&1 == 1 {
				x = high - k
			}
			order = append(order, uint8(x+(s-x)*width))
		}
	}
	return order
}

// zigzags are the orders of grids by width and height.
var zigzags = sync.OnceValue(func() *[13][13][]uint8 {
	t := &[13][13][]uint8{}
	for w := 2; w <= 12; w++ {
		for h := 2; h <= 12; h++ {
			t[w][h] = zigzag(w, h)
		}
	}
	return t
})

// cosines are the rows of the orthonormal transform of n numbers, frequency by frequency: the factor of the n-th row times the cosine,
// both rounded, of an angle that is computed in binary32, too. What would be 0 without that is 0.
var cosines = sync.OnceValue(func() *[13][]float32 {
	t := &[13][]float32{}
	for n := 2; n <= 12; n++ {
		part := float32(1) / float32(n)
		for k := range n {
			factor := float32(math.Sqrt(float64(part)))
			if k > 0 {
				factor = float32(math.Sqrt(float64(2 * part)))
			}
			for x := range n {
				angle := float32(float32(math.Pi)*float32((2*x+1)*k)) / float32(2*n)
				c := factor * float32(math.Cos(float64(angle)))
				if c > -1e-6 && c < 1e-6 {
					c = 0
				}
				t[n] = append(t[n], c)
			}
		}
	}
	return t
})

// inverse undoes the transform of n numbers that stand so far apart.
func inverse(dst, src []float32, n, apart int) {
	var sum [12]float32
	rows := cosines()[n]
	for k := range n {
		if v := src[k*apart]; v != 0 {
			for x, c := range rows[k*n:][:n] {
				sum[x] += float32(c * v)
			}
		}
	}
	for x := range n {
		dst[x*apart] = sum[x]
	}
}

// dctWeights writes the weights of a plane, of which there are planes.
func dctWeights(dst []uint8, planes int, width, height int, mean float32, coefficients *[64]float32, scale *astc.Scale) {
	var columns, rows [64]float32
	for x := range width {
		inverse(columns[x:], coefficients[x:], height, width)
	}
	for y := range height {
		inverse(rows[y*width:], columns[y*width:], width, 1)
	}
	for i, v := range rows[:width*height] {
		v += mean
		if v < 0 {
			v = 0
		}
		dst[i*planes] = scale.Nearest[min(int(v+0.5), 64)]
	}
}
