package raster

import "math"

// SampleSet is the positions of the samples of a pixel, relative to its upper
// left corner, in subpixels.
type SampleSet struct {
	N    int
	X, Y [16]int32
	// X0 <= X[i] <= X1 and Y0 <= Y[i] <= Y1, as tight as can be; of all pixels
	// of the grid, where there is one.
	X0, X1, Y0, Y1 int32
	// Custom: these are not the standard locations. Where they differ between
	// pixels Grid holds those of pixel (x, y) at y%4*4 + x%4.
	Custom bool
	Grid   *[GridSize * GridSize]SampleSet
}

// GridSize is the extent of maxSampleLocationGridSize.
const GridSize = 4

// Of is the positions of the samples of pixel (x, y).
// RAS-116 VkSampleLocationsInfoEXT
func (ss *SampleSet) Of(x, y int32) *SampleSet {
	if ss.Grid == nil {
		return ss
	}
	return &ss.Grid[y&(GridSize-1)*GridSize+x&(GridSize-1)]
}

// CustomSamples makes a set of n samples a pixel from locations in pixels, those
// of a grid of w x h pixels row by row; w and h are 1, 2 or 4. Locations are
// clamped to the range that the specification's limits allow and rounded to
// subpixels.
// RAS-115, RAS-116, RAS-117 VkSampleLocationsInfoEXT
func CustomSamples(n, w, h int, locations [][2]float32) *SampleSet {
	one := func(x, y int) (ss SampleSet) {
		ss = SampleSet{N: n, X0: Subpixels, Y0: Subpixels, Custom: true}
		for i := range n {
			l := locations[(y%h*w+x%w)*n+i]
			ss.X[i], ss.Y[i] = snapLocation(l[0]), snapLocation(l[1])
			ss.X0, ss.X1 = min(ss.X0, ss.X[i]), max(ss.X1, ss.X[i])
			ss.Y0, ss.Y1 = min(ss.Y0, ss.Y[i]), max(ss.Y1, ss.Y[i])
		}
		return ss
	}
	out := one(0, 0)
	if w == 1 && h == 1 {
		return &out
	}
	out.Grid = new([GridSize * GridSize]SampleSet)
	for i := range out.Grid {
		ss := one(i%GridSize, i/GridSize)
		out.Grid[i] = ss
		out.X0, out.X1 = min(out.X0, ss.X0), max(out.X1, ss.X1)
		out.Y0, out.Y1 = min(out.Y0, ss.Y0), max(out.Y1, ss.Y1)
	}
	return &out
}

// snapLocation turns a coordinate in a pixel into subpixels.
func snapLocation(f float32) int32 {
	if !(f > 0) {
		return 0
	}
	return int32(math.RoundToEven(float64(min(f, (Subpixels-1)/float32(Subpixels))) * Subpixels))
}

// standardSets are the standard sample locations; the specification's are in
// sixteenths of a pixel, these are 16 times as much.
// RAS-106 primsrast-multisampling
var standardSets = [5]SampleSet{
	{
		N: 1, X0: 128, X1: 128, Y0: 128, Y1: 128,
		X: [16]int32{128},
		Y: [16]int32{128},
	},
	{
		N: 2, X0: 64, X1: 192, Y0: 64, Y1: 192,
		X: [16]int32{192, 64},
		Y: [16]int32{192, 64},
	},
	{
		N: 4, X0: 32, X1: 224, Y0: 32, Y1: 224,
		X: [16]int32{96, 224, 32, 160},
		Y: [16]int32{32, 96, 160, 224},
	},
	{
		N: 8, X0: 16, X1: 240, Y0: 16, Y1: 240,
		X: [16]int32{144, 112, 208, 80, 48, 16, 176, 240},
		Y: [16]int32{80, 176, 144, 48, 208, 112, 240, 16},
	},
	{
		N: 16, X0: 0, X1: 240, Y0: 0, Y1: 240,
		X: [16]int32{144, 112, 80, 192, 48, 160, 208, 176, 96, 128, 64, 32, 0, 240, 224, 16},
		Y: [16]int32{144, 80, 160, 112, 96, 208, 176, 48, 224, 16, 32, 192, 128, 64, 240, 0},
	},
}

// Samples is the standard sample locations for n = 1, 2, 4, 8 or 16 samples, or
// nil for any other n. The set is shared and must not be changed.
// RAS-103, RAS-105, RAS-106, RAS-107 primsrast-multisampling
func Samples(n int) *SampleSet {
	switch n {
	case 1:
		return &standardSets[0]
	case 2:
		return &standardSets[1]
	case 4:
		return &standardSets[2]
	case 8:
		return &standardSets[3]
	case 16:
		return &standardSets[4]
	}
	return nil
}
