package raster

import "math"

// DepthRange bounds the depths that Depth finds at the samples of the pixels of r;
// ok is false where nothing is known.
//
// Depth is float32(FMA(GX, dx, FMA(GY, dy, C))). Each of the three operations rounds
// the exact result, and rounding is monotonic, so the value goes one way only along x
// and along y: bounds are the values at two corners, found by the same operations. No
// operation makes a NaN of finite numbers, as a product inside FMA is exact and has
// no overflow.
func (s *Setup) DepthRange(r Rect, ss *SampleSet) (low, high float32, ok bool) {
	p := &s.Z
	// What is multiplied by 0 is 0, unless it is a NaN or infinite.
	if s.Thin || s.Kind == KindBresenham || !((p.C+p.GX+p.GY)*0 == 0) {
		return 0, 0, false
	}
	x0, x1 := float64(r.X0<<SubpixelBits+ss.X0-s.RefX), float64((r.X1-1)<<SubpixelBits+ss.X1-s.RefX)
	y0, y1 := float64(r.Y0<<SubpixelBits+ss.Y0-s.RefY), float64((r.Y1-1)<<SubpixelBits+ss.Y1-s.RefY)
	if p.GX < 0 {
		x0, x1 = x1, x0
	}
	if p.GY < 0 {
		y0, y1 = y1, y0
	}
	low = float32(math.FMA(p.GX, x0, math.FMA(p.GY, y0, p.C)))
	high = float32(math.FMA(p.GX, x1, math.FMA(p.GY, y1, p.C)))
	return low, high, true
}
