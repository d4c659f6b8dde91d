package lower_test

import (
	"math"
	mathbits "math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
)

func b2f(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func floorf(x float32) float32 { return float32(math.Floor(float64(x))) }
func truncf(x float32) float32 { return float32(math.Trunc(float64(x))) }
func sqrtf(x float32) float32  { return float32(math.Sqrt(float64(x))) }

func findMSB(x int32) int {
	if x < 0 {
		x = ^x
	}
	return mathbits.Len32(uint32(x)) - 1
}

// The inputs are multiples of 1/8 below 8, so that every product below is
// exact unless its formula says otherwise.
func TestGLSLStd450_AgainstGo(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = math.Float32bits(float32(i-32)/8 + 0.0625)
	}
	for _, form := range forms {
		got := runCompute(t, "glsl.comp"+form, lower.Options{}, in, lanes*32)
		check(t, got, 32, nil, func(lane uint32) []uint32 { return glslWant(lane, math.Float32frombits(in[lane])) })
	}
}

func glslWant(lane uint32, x float32) []uint32 {
	i := int(lane)
	step := b2f(x >= 0.5)
	s := min(max(float32(x+8)/16, 0), 1)
	smooth := float32(s*s) * (3 - float32(2*s))
	sign := float32(1)
	if x < 0 {
		sign = -1
	}
	m64, e := math.Frexp(float64(x))
	unorm := func(v float32) uint32 { return uint32(math.RoundToEven(float64(float32(min(max(v, 0), 1) * 255)))) }
	snorm := func(b uint32) float32 { return max(float32(float32(int8(b))/127), -1) }
	lsb := mathbits.TrailingZeros32(lane)
	if lane == 0 {
		lsb = -1
	}
	word := lane * 0x04030201
	field := int32(lane*77) << 25 >> 27
	insert := lane & 15 << 3
	sum := lane*0x08000000 + 0xF0000000
	carry := uint32(0)
	if sum < 0xF0000000 && lane != 0 {
		carry = 1
	}
	hi, lo := mathbits.Mul32(lane*0x01000001, 0x10001)
	whole := truncf(x)
	// Left to right, as the shader adds.
	sum19 := min(max(x, -1), 1.5) + sign
	sum19 += float32(math.Abs(float64(x)))
	sum19 += whole
	sum19 += float32(math.Ceil(float64(x)))
	sum19 += float32(math.RoundToEven(float64(x)))
	dot := float32(x*x) + 4
	dot += 1
	dist := float32(x*x) + 1
	dist += 1
	face := float32(-1) // dot(Nref, I) is 2, not negative
	inf := float32(8)
	return append(bits(
		floorf(x)+float32(x-floorf(x)),
		x-float32(3*floorf(float32(x/3))),
		float32(x*0.75)+1,
		step+smooth,
		sqrtf(dot),
		1+x,
		-2+face,
		-1,
		x-whole, whole,
		float32(m64), float32(e),
		x*8,
		float32(float32(findMSB(int32(x)*5))+float32(64*lsb))+float32(findMSB(int32(lane))),
		math.Float32frombits(unorm(x*0.1)|unorm(0.5)<<8|255<<16),
		snorm(word), snorm(word>>24),
		2*x,
		float32(math.FMA(float64(x), float64(x), 1)),
		sum19,
		float32(field)+float32(insert)+float32(mathbits.OnesCount32(lane))+float32(mathbits.Reverse32(lane)>>24),
	),
		sum, math.Float32bits(float32(carry)+float32(hi&0xFFFF)), lo,
		math.Float32bits(b2f(true)+2*b2f(x > -2)+inf),
		math.Float32bits(float32(int32(x)/3)+10*float32((int32(x)%3+3)%3)),
		math.Float32bits(float32(lane/7+lane%7)+float32(i>>2)+float32(i<<3)+float32(i^21)+float32(^i)),
		math.Float32bits(sqrtf(float32(math.Abs(float64(x))))),
		math.Float32bits(-1+7),
		math.Float32bits(min(x, 2)+max(x, -2)+float32(min(i, 9))+float32(max(i, 20))),
		math.Float32bits(sqrtf(dist)),
		math.Float32bits(float32(x*float32(1/sqrtf(float32(x*x))))),
	)
}

// Both parts of Modf have the sign of x, also where they are zero.
func TestModf_SignOfX(t *testing.T) {
	values := []float32{-1, -3, 2, float32(math.Copysign(0, -1)), 0, float32(math.Inf(-1)), float32(math.Inf(1)), -0.25, 5.5}
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = math.Float32bits(values[i%len(values)])
	}
	got := runCompute(t, "glsl.comp", lower.Options{}, in, lanes*32)
	for i := range in {
		whole, frac := math.Modf(float64(math.Float32frombits(in[i])))
		if math.IsInf(whole, 0) {
			frac = math.Copysign(0, whole)
		}
		if w, f := math.Float32bits(float32(whole)), math.Float32bits(float32(frac)); got[32*i+8] != f || got[32*i+9] != w {
			t.Errorf("%v: %#x, %#x; want %#x, %#x", math.Float32frombits(in[i]), got[32*i+8], got[32*i+9], f, w)
		}
	}
}
