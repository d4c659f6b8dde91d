package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// MaxSamples is the largest number of samples of a pixel.
const MaxSamples = ir.PlaceSamples

// CheckResolve refuses modes that an attachment doesn't have: integers are
// resolved by SAMPLE_ZERO, other colours by AVERAGE, and stencil is never
// averaged.
//
// RAS-351, RAS-352, RAS-354 renderpass-resolve-operations
func CheckResolve(mode vk.ResolveModeFlags, aspect vk.ImageAspectFlags) error {
	switch mode {
	case vk.ResolveModeNone, vk.ResolveModeSampleZeroBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit:
		return nil
	case vk.ResolveModeAverageBit:
		if aspect != vk.ImageAspectStencilBit {
			return nil
		}
	}
	return &StateError{What: "resolve mode " + mode.String() + " of aspect " + aspect.String(), Rule: "RAS-351", Fix: "use SAMPLE_ZERO, MIN, MAX or, except for stencil, AVERAGE"}
}

// ResolveColor resolves width pixels of a row: src holds samples texels a
// pixel, dst one. Integer formats take sample 0 whatever the mode.
//
// RAS-350, RAS-352 renderpass-resolve-operations
func ResolveColor(info *format.Info, mode vk.ResolveModeFlags, dst, src []byte, width, samples int) {
	if info.Class != format.ClassFloat {
		mode = vk.ResolveModeSampleZeroBit
	}
	if mode != vk.ResolveModeNone {
		ResolveTexels(info, mode, dst, src, width, samples)
	}
}

// ResolveTexels is ResolveColor in any mode but NONE, and without AVERAGE of integers. Averages are
// taken in linear space, summed in float64 in sample order, with one rounding to binary32 before the
// format's own.
//
// RAS-351, RAS-352, RAS-353, RAS-356 renderpass-resolve-operations
func ResolveTexels(info *format.Info, mode vk.ResolveModeFlags, dst, src []byte, width, samples int) {
	n := info.BlockBytes
	// Codes of these types survive decoding and encoding, and the mean of
	// equal numbers is that number.
	exact := info.Class != format.ClassFloat ||
		info.Numeric == format.NumericUnorm || info.Numeric == format.NumericSrgb
	var texels [MaxSamples]format.Texel
	for x := range width {
		p := src[x*samples*n:][: samples*n : samples*n]
		q := dst[x*n:][:n:n]
		if mode == vk.ResolveModeSampleZeroBit || exact && equalSamples(p, n) {
			copy(q, p)
			continue
		}
		info.DecodeRow(texels[:samples], p)
		var out format.Texel
		for c := range out {
			out[c] = reduce(info.Class, mode, texels[:samples], c)
		}
		info.Encode(q, out)
	}
}

// equalSamples says whether all samples of a pixel hold the same bytes.
func equalSamples(p []byte, n int) bool {
	for i := n; i < len(p); i++ {
		if p[i] != p[i-n] {
			return false
		}
	}
	return true
}

// reduce combines component c of the samples. Of NaNs alone it is the first.
func reduce(class format.Class, mode vk.ResolveModeFlags, t []format.Texel, c int) uint32 {
	if mode == vk.ResolveModeAverageBit {
		sum := 0.0
		for i := range t {
			sum += float64(math.Float32frombits(t[i][c]))
		}
		if sum != sum {
			return fp.CanonicalNaN // RAS-356
		}
		return math.Float32bits(float32(sum / float64(len(t))))
	}
	v := t[0][c]
	for i := 1; i < len(t); i++ {
		switch b := t[i][c]; {
		case class == format.ClassSint:
			v = uint32(extremeOf(mode, int32(v), int32(b)))
		case class == format.ClassUint:
			v = extremeOf(mode, v, b)
		default:
			if y := math.Float32frombits(b); y == y {
				v = math.Float32bits(extreme(mode, math.Float32frombits(v), y))
			}
		}
	}
	return v
}

// extremeOf is the smaller or larger of two numbers, the first of equal ones.
func extremeOf[T int32 | uint32](mode vk.ResolveModeFlags, a, b T) T {
	if mode == vk.ResolveModeMinBit {
		return min(a, b)
	}
	return max(a, b)
}

// extreme is the smaller or larger of two numbers; a NaN loses.
//
// RAS-356
func extreme(mode vk.ResolveModeFlags, a, b float32) float32 {
	switch {
	case a != a:
		return b
	case mode == vk.ResolveModeMinBit && b < a, mode == vk.ResolveModeMaxBit && b > a:
		return b
	}
	return a
}

// ResolveDepth resolves width pixels of a row of a depth plane. Codes are
// compared and averaged as the numbers they stand for.
//
// RAS-354 VkSubpassDescriptionDepthStencilResolve
func ResolveDepth(f DepthFormat, mode vk.ResolveModeFlags, dst, src []byte, width, samples int) {
	n := 4
	if f == DepthD16 {
		n = 2
	}
	if mode == vk.ResolveModeNone || f == DepthNone {
		return
	}
	for x := range width {
		p := src[x*samples*n:]
		code := LoadDepth(f, p)
		if mode == vk.ResolveModeAverageBit {
			sum := 0.0
			for s := range samples {
				sum += DecodeDepth(f, LoadDepth(f, p[s*n:]))
			}
			if code = EncodeDepth(f, float32(sum/float64(samples))); sum != sum {
				code = fp.CanonicalNaN // RAS-356: of D32, a fragment's NaN would be 0
			}
		} else if mode != vk.ResolveModeSampleZeroBit {
			for s := 1; s < samples; s++ {
				code = extremeDepth(f, mode, code, LoadDepth(f, p[s*n:]))
			}
		}
		StoreDepth(f, dst[x*n:], code)
	}
}

// ResolveStencil resolves width pixels of a row of a stencil plane.
//
// RAS-354 VkSubpassDescriptionDepthStencilResolve
func ResolveStencil(mode vk.ResolveModeFlags, dst, src []byte, width, samples int) {
	if mode == vk.ResolveModeNone {
		return
	}
	for x := range width {
		p := src[x*samples:][:samples]
		v := p[0]
		for _, b := range p[1:] {
			if mode == vk.ResolveModeMinBit {
				v = min(v, b)
			} else if mode == vk.ResolveModeMaxBit {
				v = max(v, b)
			}
		}
		dst[x] = v
	}
}

// extremeDepth is extreme for depth codes.
func extremeDepth(f DepthFormat, mode vk.ResolveModeFlags, a, b uint32) uint32 {
	if f == DepthD32 {
		return math.Float32bits(extreme(mode, math.Float32frombits(a), math.Float32frombits(b)))
	}
	return extremeOf(mode, a, b)
}
