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
	r, rest, n := quarter(x)
	z := float32(r * r)
	quadrants += n
	var v float32
	if quadrants&1 == 0 {
		v = r - sineRest(r, rest, z)
	} else {
		most, low := cosine(r, rest, z)
		v = most + low
	}
	return turn(v, quadrants<<30&signBit) // quadrants 2 and 3
}

// quarter returns x as a number of right angles and two more numbers, the second of which is turned:
// the reduction's remainder, a sum of two numbers and a third (Knuth).
func quarter(x float32) (r, rest float32, quadrants uint32) {
	t := FMA32(x, TwoOverPi, Magic)
	k := t - Magic
	first := FMA32(k, PiHigh, x)
	w := float32(k * PiMid)
	rest = FMA32(k, -PiLow, FMA32(k, -PiMid, w))
	r = first + w
	b := r - first
	rest -= float32(first-float32(r-b)) + float32(w-b)
	return r, rest, math.Float32bits(t)
}

// sineRest is what the sine of r and what is missing to it is below r; z is r².
func sineRest(r, rest, z float32) float32 {
	return FMA32(float32(series32(SinSeries[:], z)*z), r, rest)
}

// cosine is the cosine of the same as a sum.
func cosine(r, rest, z float32) (most, low float32) {
	most = FMA32(z, -0.5, 1)
	low = FMA32(r, rest, FMA32(z, -0.5, 1-most))
	return most, FMA32(float32(z*z), series32(CosSeries[:], z), low)
}

// Tan returns the tangent of x radians; NaN for infinities.
func Tan(x float32) float32 {
	if x == 0 {
		return x
	}
	if x < MostSingle && x > -MostSingle {
		return tangent(x)
	}
	r, q, ok := reduce(x)
	if !ok {
		return nan()
	}
	z := float64(r * r)
	s, c := sinKernel(r, z), cosKernel(z)
	if q&1 != 0 {
		return float32(-c / s)
	}
	return float32(s / c)
}

// tangent is the quotient of two sums, with what is missing to it.
func tangent(x float32) float32 {
	r, rest, quadrants := quarter(x)
	z := float32(r * r)
	n, low := cosine(r, rest, z)
	c := n + low
	cosLow := FMA32(FMA32(r, r, -z), -0.5, n-c+low) // of the square, too
	low = sineRest(r, rest, z)
	s := r - low
	sinLow := FMA32(float32(rest*z), 0.5, r-s-low) // where sineRest takes all of the rest
	turned := uint32(signBit)
	if quadrants&1 != 0 {
		s, sinLow, c, cosLow, turned = c, cosLow, s, sinLow, 0
	}
	q := s / -c
	missing := (FMA32(q, cosLow, FMA32(q, c, s)) + sinLow) / -c
	return turn(q+missing, turned)
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

// HalfPiHigh and HalfPiLow are π/2 in two parts.
const HalfPiHigh, HalfPiLow = 0x1.921fb6p+0, -0x1.777a5cp-25

// Atan returns the arc tangent of x in [-π/2, π/2].
func Atan(x float32) float32 {
	if x != x {
		return nan()
	}
	a, quarters, turned := min(size(x), math.MaxFloat32), float32(0), uint32(signBit)
	if a > 1 {
		quarters, turned = 1, 0
	}
	return withSign(arc(quarters, turned, min(a, 1), max(a, 1)), x)
}

// Atan2 returns the angle of the point (x, y) in [-π, π], with the special
// values of IEEE 754 atan2.
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return nan()
	}
	low, high := min(size(y), size(x)), max(size(y), size(x))
	if high > math.MaxFloat32 { // two infinities are as far as each other, and all else is nothing
		if low <= math.MaxFloat32 {
			low = 0
		}
		low = min(low, math.MaxFloat32)
	}
	high = max(min(high, math.MaxFloat32), math.SmallestNonzeroFloat32)
	if high > HugeArc { // or the sum of both would have no end
		low *= 0.25
		high *= 0.25
	}
	quarters, turned := float32(0), ^math.Float32bits(x)&signBit
	if turned == 0 {
		quarters = 2
	}
	if size(y) > size(x) {
		quarters, turned = 1, turned^signBit
	}
	return withSign(arc(quarters, turned, low, high), y)
}

// HugeArc is above what Atan2 makes both numbers smaller.
const HugeArc = 0x1p126

// arc is the angle of low/high, from so many right angles on or, where turned is no sign, back. Above a half the
// difference and the sum of both have that of its distance from half a right angle.
func arc(quarters float32, turned uint32, low, high float32) float32 {
	n, d, missing := low, high, float32(0)
	if low+low > high {
		n, d = low-high, low+high
		missing = low - (d - high) // to the sum
		quarters += turn(-0.5, turned)
	}
	t := n / -d // the quotient turned, and what is missing to it
	rest := FMA32(t, missing, FMA32(t, d, n)) / -d
	t = turn(t, turned)
	rest = turn(rest, turned)
	z := float32(t * t)
	sum, add := fromQuarter(quarters, t)
	add = FMA32(1-z, rest, add) // the rest by about 1 + z
	return sum + FMA32(float32(series32(AtanSeries[:], z)*z), t, add)
}

// fromQuarter is an angle from so many right angles on as a sum. They are more than it, or none.
func fromQuarter(quarters, angle float32) (sum, rest float32) {
	from := float32(quarters * HalfPiHigh)
	sum = from + angle
	return sum, FMA32(quarters, HalfPiLow, FMA32(quarters, HalfPiHigh, -from)+(from-sum+angle))
}

// turn changes the sign of x where the second argument has a sign bit.
func turn(x float32, sign uint32) float32 { return math.Float32frombits(math.Float32bits(x) ^ sign) }

// size is x without its sign, and withSign a size with that of another number.
func size(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }

func withSign(size, of float32) float32 {
	return math.Float32frombits(math.Float32bits(size)&^signBit | math.Float32bits(of)&signBit)
}

// Asin returns the arc sine of x; NaN outside [-1, 1].
func Asin(x float32) float32 {
	s, low, far, ok := chord(x)
	if !ok {
		return nan()
	}
	if far {
		sum, rest := fromQuarter(1, -2*s)
		return withSign(sum+(rest-float32(2*low)), x)
	}
	return withSign(s+low, x)
}

// Acos returns the arc cosine of x; NaN outside [-1, 1].
func Acos(x float32) float32 {
	s, low, far, ok := chord(x)
	turned := math.Float32bits(x)&signBit ^ signBit
	quarters := float32(1)
	switch {
	case !ok:
		return nan()
	case far:
		s, low, turned, quarters = 2*s, 2*low, turned^signBit, 0
		if x < 0 {
			quarters = 2
		}
	}
	s = turn(s, turned)
	low = turn(low, turned)
	sum, rest := fromQuarter(quarters, s)
	return sum + (rest + low)
}

// chord returns a sum that is the arc sine of |x|, or, far from 0, half of the arc cosine; x is in [-1, 1].
func chord(x float32) (s, low float32, far, ok bool) {
	a := size(x)
	z, rest := float32(a*a), float32(0)
	if s = a; a > 0.5 {
		far = true
		z = FMA32(a, -0.5, 0.5) // exact
		s, rest = root(z)
	}
	low = FMA32(float32(series32(AsinSeries[:], z)*z), s, rest)
	return s, low, far, a <= 1
}

// root is a square root as a sum.
func root(z float32) (s, rest float32) {
	s = sqrt32(z)
	return s, FMA32(s, -s, z) / max(s+s, 0x1p-126)
}

// sqrt32 is the square root, rounded once.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
