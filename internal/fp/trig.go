package fp

import (
	"math"
	"math/bits"
)

// MostSingle is where the reduction of Sin and Cos in binary32 ends.
const MostSingle = 1 << 18

// Sin returns the sine of x radians; NaN for infinities.
func Sin(x float32) float32 {
	if x < MostSingle && x > -MostSingle {
		if x == 0 {
			return x
		}
		return sine(x, 0)
	}
	r, q, ok := reduce(x)
	if !ok {
		return nan()
	}
	return float32(sinQuadrant(r, q))
}

// Cos returns the cosine of x radians; NaN for infinities.
func Cos(x float32) float32 {
	if x < MostSingle && x > -MostSingle {
		return sine(x, 1)
	}
	r, q, ok := reduce(x)
	if !ok {
		return nan()
	}
	return float32(sinQuadrant(r, q+1))
}

// PiHigh, PiMid and PiLow are −π/2 in three parts of 24 bits. The first takes a number below
// MostSingle to a multiple of 2^-23 below 1, which is exact.
const (
	PiHigh, PiMid, PiLow = -0x1.921fb6p+0, 0x1.777a5cp-25, 0x1.ee59dap-50
	TwoOverPi            = 0x1.45f306p-1
)

// sine returns the sine of x and so many right angles.
func sine(x float32, quadrants uint32) float32 {
	t := FMA32(x, TwoOverPi, Magic)
	k := t - Magic
	// r and rest, which is turned: the sum of two numbers and a third (Knuth).
	first := FMA32(k, PiHigh, x)
	w := float32(k * PiMid)
	rest := FMA32(k, -PiLow, FMA32(k, -PiMid, w))
	r := first + w
	b := r - first
	rest -= float32(first-float32(r-b)) + float32(w-b)

	z := float32(r * r)
	quadrants += math.Float32bits(t)
	var v float32
	if quadrants&1 == 0 {
		v = r - FMA32(float32(series32(SinSeries[:], z)*z), r, rest)
	} else {
		most := FMA32(z, -0.5, 1)
		low := FMA32(r, rest, FMA32(z, -0.5, 1-most))
		v = most + FMA32(float32(z*z), series32(CosSeries[:], z), low)
	}
	return math.Float32frombits(math.Float32bits(v) ^ quadrants<<30&signBit) // quadrants 2 and 3
}

// Tan returns the tangent of x radians; NaN for infinities.
func Tan(x float32) float32 {
	r, q, ok := reduce(x)
	if !ok {
		return nan()
	}
	if x == 0 {
		return x
	}
	z := float64(r * r)
	s, c := sinKernel(r, z), cosKernel(z)
	if q&1 != 0 {
		return float32(-c / s)
	}
	return float32(s / c)
}

func sinQuadrant(r float64, q uint64) float64 {
	z := float64(r * r)
	var v float64
	if q&1 == 0 {
		v = sinKernel(r, z)
	} else {
		v = cosKernel(z)
	}
	// Quadrants 2 and 3 negate.
	return math.Float64frombits(math.Float64bits(v) ^ q<<62&(1<<63))
}

// sinKernel is the sine for |r| ≤ π/4 and a little, z = r².
func sinKernel(r, z float64) float64 {
	return math.FMA(float64(series(SinWide[:], z)*z), r, r)
}

// cosKernel is the cosine for the same z.
func cosKernel(z float64) float64 { return series(CosWide[:], z) }

// reduce writes x as q·π/2 + r with |r| ≤ π/4 and a little; only q modulo 4 is
// meant. ok is false for infinities and NaN.
func reduce(x float32) (r float64, q uint64, ok bool) {
	// π/2 in three parts. The first two have 33 bits, so that their products
	// with k < 2^20 are exact.
	const (
		pio2a = 0x1.921fb544p+0
		pio2b = 0x1.0b4611a6p-34
		pio2c = 0x1.3198a2e037073p-69
		magic = 3 << 51
	)
	v := float64(x)
	if v < 1<<20 && v > -(1<<20) {
		t := float64(v*(2/math.Pi)) + magic
		k := t - magic
		r = v - float64(k*pio2a)
		r -= float64(k * pio2b)
		r -= float64(k * pio2c)
		return r, math.Float64bits(t), true
	}
	if v-v != 0 {
		return 0, 0, false
	}
	return reduceLarge(x)
}

// twoOverPi holds the fraction bits of 2/π, first bit on top.
func twoOverPi(i int) uint64 {
	return [...]uint64{
		0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
	}[i]
}

// reduceLarge is Payne and Hanek's reduction: x = m·2^e with e ≥ 0, and of
// m·2^e·(2/π) only bits of weight 2 and below matter, so the product starts at
// the bits of 2/π that m·2^e moves there. Since m has 24 bits, 192 bits from
// there leave more than 160 after the point; no binary32 comes closer than
// 2^-30 to a multiple of π/2.
func reduceLarge(x float32) (r float64, q uint64, ok bool) {
	b := math.Float32bits(x)
	m := uint64(b&0x7FFFFF | 0x800000)
	e := int(b>>23&0xFF) - 150
	// x ≥ 2^20, so e ≥ -3: m·2^e = (m<<5)·2^(e-5), to keep the window's start
	// inside the table the weights begin at bit e-8 or at the table's start.
	start := e - 2 // fraction bit (0 = weight 2^-1) of weight 2^(2-e-1)
	shift := uint(0)
	if start < 0 {
		shift = uint(-start)
		start = 0
	}
	w, o := start/64, uint(start%64)
	word := func(i int) uint64 {
		hi, lo := uint64(0), uint64(0)
		if w+i < 5 {
			hi = twoOverPi(w + i)
		}
		if w+i+1 < 5 {
			lo = twoOverPi(w + i + 1)
		}
		return hi<<o | lo>>(64-o)
	}
	w0, w1, w2 := word(0), word(1), word(2)
	if shift > 0 { // zeros before the point
		w2 = w2>>shift | w1<<(64-shift)
		w1 = w1>>shift | w0<<(64-shift)
		w0 >>= shift
	}
	// W = w0w1w2 / 2^192 holds (2/π)·2^(e-2) modulo 1; the product m·W modulo 1
	// is a quarter of the wanted one.
	h2, _ := bits.Mul64(m, w2)
	h1, l1 := bits.Mul64(m, w1)
	l1, c := bits.Add64(l1, h2, 0)
	p0 := m*w0 + h1 + c
	q = p0 >> 62
	f0, f1 := p0<<2|l1>>62, l1<<2
	// To the nearest quadrant: the fraction as a signed number.
	negative := f0>>63 != 0
	if negative {
		q++
		f1, c = bits.Sub64(0, f1, 0)
		f0, _ = bits.Sub64(0, f0, c)
	}
	z := uint(bits.LeadingZeros64(f0))
	f0 = f0<<z | f1>>(64-z)
	r = float64(f0>>11) * math.Float64frombits(uint64(1023-53-z)<<52)
	r *= math.Pi / 2
	if negative {
		r = -r
	}
	if b&signBit != 0 {
		return -r, -q, true
	}
	return r, q, true
}

// Atan returns the arc tangent of x in [-π/2, π/2].
func Atan(x float32) float32 {
	if x != x {
		return nan()
	}
	if x == 0 {
		return x
	}
	return float32(atan2(float64(x), 1))
}

// Atan2 returns the angle of the point (x, y) in [-π, π], with the special
// values of IEEE 754 atan2.
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return nan()
	}
	return float32(atan2(float64(y), float64(x)))
}

// Asin returns the arc sine of x; NaN outside [-1, 1].
func Asin(x float32) float32 {
	if !(x >= -1 && x <= 1) {
		return nan()
	}
	v := float64(x)
	return float32(atan2(v, math.Sqrt(float64((1-v)*(1+v)))))
}

// Acos returns the arc cosine of x; NaN outside [-1, 1].
func Acos(x float32) float32 {
	if !(x >= -1 && x <= 1) {
		return nan()
	}
	v := float64(x)
	return float32(atan2(math.Sqrt(float64((1-v)*(1+v))), v))
}

func atan2(y, x float64) float64 {
	ay, ax := math.Abs(y), math.Abs(x)
	lo, hi := ay, ax
	if ay > ax {
		lo, hi = ax, ay
	}
	var t float64
	switch {
	case hi == 0:
		t = 0
	case lo > math.MaxFloat64: // both infinite
		t = 1
	default:
		t = lo / hi
	}
	// atan t = π/4 + atan((t-1)/(t+1)) brings the argument below tan(π/8).
	base := 0.0
	if t > 0.41421356 {
		t = (t - 1) / (t + 1)
		base = math.Pi / 4
	}
	z := float64(t * t)
	a := base + math.FMA(float64(series(AtanWide[:], z)*z), t, t)
	if ay > ax {
		a = math.Pi/2 - a
	}
	if math.Signbit(x) {
		a = math.Pi - a
	}
	return math.Copysign(a, y)
}
