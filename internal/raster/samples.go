package raster

// SampleSet is the positions of the samples of a pixel, relative to its upper
// left corner, in subpixels.
type SampleSet struct {
	N    int
	X, Y [16]int32
	// X0 <= X[i] <= X1 and Y0 <= Y[i] <= Y1, as tight as can be.
	X0, X1, Y0, Y1 int32
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
// RAS-106, RAS-107 primsrast-multisampling
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
