package sampling

import "math"

// SubTexelBits is the number of fraction bits of LINEAR weights, advertised as
// subTexelPrecisionBits.
const SubTexelBits = 8

// one8 is weight 1 in fixed point of SubTexelBits.
const one8 = 1 << SubTexelBits

// Far bounds coordinates before they become integers: far beyond any size, far
// inside an int32 even with 8 fraction bits taken off.
const Far = 1 << 30

// snapMagic pushes the fraction bits of a sum out of a binary64 significand:
// for |x| < 2^51, float64(x + snapMagic) rounds x to an integer, ties to even,
// which then stands in the low bits.
const snapMagic = 3 << 51

// scaleCoord is IMG-475 textures-normalized-to-unnormalized: u = s·size + Δ.
// NaN coordinates become 0 before the offset (IMG-005).
//
// IMG-004, IMG-477
func scaleCoord(s float64, size int, delta int32, unnormalized bool) float64 {
	u := s
	if !unnormalized {
		u = float64(s * float64(size)) // exact for binary32 s
	}
	if u != u {
		u = 0
	}
	return u + float64(delta)
}

// texels is the coordinate of a dimension in texels of a level, conventional: in
// corner-sampled images, whose texel i is centred at i, ½ is added (IMG-028,
// IMG-476), so that shifts are the same for both.
func (u *sampled) texels(at *spot, d, size int) float64 {
	if u.corner {
		return scaleCoord(at.c[d], size-1, at.delta[d], u.unnorm) + 0.5
	}
	return scaleCoord(at.c[d], size, at.delta[d], u.unnorm)
}

// reduceCoord makes u safe to convert to an integer without changing the texel
// that it wraps to (IMG-006, IMG-007).
func reduceCoord(u float64, mode addressMode, size int) float64 {
	if u > -Far && u < Far {
		return u
	}
	switch mode {
	case modeRepeat, modeMirroredRepeat:
		if math.IsInf(u, 0) || u != u {
			return 0
		}
		// Exact; the period is even in texels, so ties of the later
		// rounding fall the same way.
		return math.Mod(u, float64(2*size))
	case modeClampToEdge, modeClampToBorder, modeMirrorClampToEdge:
	}
	if u < 0 {
		return -Far
	}
	return Far
}

// nearestTexel is IMG-480: i = floor(u). |u| ≤ Far.
func nearestTexel(u float64) int { return int(math.Floor(u)) }

// linearTexels is IMG-481 with the fraction snapped by IMG-011: texel i0 and
// the weight of i0+1 in 1/256. 256·u is exact, so the sum rounds once.
// |u| ≤ Far.
//
// IMG-486, IMG-704
func linearTexels(u float64) (i0 int, f uint32) {
	x := int64(math.Float64bits(float64(u*one8)+(snapMagic-one8/2))) - int64(math.Float64bits(snapMagic))
	return int(x >> SubTexelBits), uint32(x & (one8 - 1))
}

// layerIndex is IMG-484: the nearest layer, ties to even, clamped to the view.
func layerIndex(a float64, layers int) int {
	if a != a { // IMG-005
		return 0
	}
	return int(min(max(math.RoundToEven(a), 0), float64(layers-1)))
}
