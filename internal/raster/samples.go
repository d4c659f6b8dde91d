package raster

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// MaxSamples is the largest number of samples of a pixel.
const MaxSamples = ir.PlaceSamples

// SampleSet is the positions of the samples of a pixel, relative to its upper
// left corner, in subpixels.
type SampleSet struct {
	N    int
	X, Y [MaxSamples]int32
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

// at is where a sample is.
func (ss *SampleSet) at(k int) (x, y int32) { return ss.X[k&lastSample], ss.Y[k&lastSample] }

// lastSample is the largest number of a sample: indices that are cut to it need no check.
const lastSample = MaxSamples - 1

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
			ss.put(i, snapLocation(l[0]), snapLocation(l[1]))
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

// standardLocations are the standard sample locations of 1, 2, 4, 8 and 16 samples, x and y in
// sixteenths of a pixel.
// RAS-106 standard-sample-locations
var standardLocations = [5][][2]int32{
	{{8, 8}},
	{{12, 12}, {4, 4}},
	{{6, 2}, {14, 6}, {2, 10}, {10, 14}},
	{{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
	{
		{9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
		{6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0},
	},
}

// netSteps are the x and y that the bits of a sample's number change, lowest first, and netStart is
// sample 0, in 64ths of a pixel. They are those of Sobol's sequence with each bit of x exchanged
// where an odd number of the three above it are set: an edge that moves through a pixel meets the
// sequence itself in pairs of samples.
var (
	netSteps = [6][2]int32{{60, 32}, {30, 48}, {15, 40}, {7, 60}, {3, 34}, {1, 51}}
	netStart = [2]int32{60, 30}
)

// netLocation is where sample i of 64 is, in 64ths of a pixel from the middle of the first. Of any
// 2^k samples that follow a multiple of 2^k, each rectangle of area 2^-k whose sides are powers of
// two has one. Of 32 samples they are the first half.
// RAS-379 primsrast-multisampling
func netLocation(i int) (x, y int32) {
	x, y = netStart[0], netStart[1]
	for k, step := range netSteps {
		if i>>k&1 != 0 {
			x, y = x^step[0], y^step[1]
		}
	}
	return x, y
}

// sets are those that Samples returns, by the logarithm of their number of samples.
var sets = func() (list [7]SampleSet) {
	for i := range list {
		list[i] = SampleSet{N: 1 << i, X0: Subpixels, Y0: Subpixels}
		for k := range list[i].N {
			if i < len(standardLocations) {
				at := standardLocations[i][k]
				list[i].put(k, at[0]*Subpixels/16, at[1]*Subpixels/16)
				continue
			}
			x, y := netLocation(k)
			step := int32(Subpixels >> i)
			list[i].put(k, x>>(6-i)*step+step/2, y>>(6-i)*step+step/2)
		}
	}
	return list
}()

// Samples is where the samples of pixels with n of them are, or nil where n is not 1, 2, 4, 8, 16,
// 32 or 64: the standard sample locations, which there are up to 16. The set is shared and must not
// be changed.
// RAS-103, RAS-105, RAS-106, RAS-107, RAS-379 primsrast-multisampling
func Samples(n int) *SampleSet {
	if n < 1 || n > MaxSamples || n&(n-1) != 0 {
		return nil
	}
	return &sets[bits.TrailingZeros(uint(n))]
}

// put makes sample i lie there, and the bounds hold it.
func (ss *SampleSet) put(i int, x, y int32) {
	ss.X[i], ss.Y[i] = x, y
	ss.X0, ss.X1 = min(ss.X0, x), max(ss.X1, x)
	ss.Y0, ss.Y1 = min(ss.Y0, y), max(ss.Y1, y)
}
