package lane

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Arithmetic that rounds toward zero (RoundingModeRTZ) and the flush of
// denormals (DenormFlushToZero), in the form of the operations on 64 bits.
// Results of binary32 are cut from a binary64 that was itself cut: cutting
// twice is cutting once.

// cut rounds v to binary32 toward zero.
func cut(v float64) uint64 {
	v = float64(v) // a product, where this is inlined, which v - v must not fuse with
	r := math.Float32bits(float32(v))
	if back := float64(math.Float32frombits(r)); v-v == 0 && math.Abs(back) > math.Abs(v) {
		r-- // the number before it; of infinity, the largest one
	}
	return uint64(Canon(r))
}

// nearer is r, or the binary64 before it where the exact result, of which rest
// is left over, is nearer to zero.
func nearer(r, rest float64) float64 {
	if r-r == 0 && rest != 0 && math.Signbit(rest) != math.Signbit(r) {
		return math.Float64frombits(math.Float64bits(r) - 1)
	}
	return r
}

// sum is x + y toward zero, of numbers whose sum does not overflow: Knuth's
// TwoSum gives what rounding left over.
func sum(x, y float64) float64 {
	s := x + y
	yy := s - x
	return nearer(s, (x-(s-yy))+(y-yy))
}

func AddZ(x, y uint64) uint64    { return cut(sum(float(x), float(y))) }
func SubZ(x, y uint64) uint64    { return cut(sum(float(x), -float(y))) }
func MulZ(x, y uint64) uint64    { return cut(float64(float(x) * float(y))) } // exact before the cut
func FmaZ(x, y, z uint64) uint64 { return cut(sum(float64(float(x)*float(y)), float(z))) }

func DivZ(x, y uint64) uint64 {
	a, b := float(x), float(y)
	q := a / b
	if !finite(b) {
		return cut(q) // exact: there is nothing left over
	}
	rest := math.FMA(-q, b, a)
	if math.Signbit(b) {
		rest = -rest
	}
	return cut(nearer(q, rest))
}

func SqrtZ(x uint64) uint64 {
	s := math.Sqrt(float(x))
	return cut(nearer(s, math.FMA(-s, s, float(x))))
}

// QuantizeZ rounds binary32 to binary16 toward zero, and back.
func QuantizeZ(x uint64) uint64 {
	v := f(Canon(low(x)))
	h := fp.FloatToHalf(v)
	if r := fp.HalfToFloat(h); v-v == 0 && math.Abs(float64(r)) > math.Abs(float64(v)) {
		h--
	}
	return fb(fp.HalfToFloat(h))
}

func D2FZ(x uint64) uint64  { return cut(d(x)) }
func S2FZ(x uint64) uint64  { return cut(float64(int32(low(x)))) }
func U2FZ(x uint64) uint64  { return cut(float64(low(x))) }
func L2FZ(x uint64) uint64  { return cut(d(L2DZ(x))) }
func UL2FZ(x uint64) uint64 { return cut(d(UL2DZ(x))) }

func L2DZ(x uint64) uint64 {
	if int64(x) < 0 {
		return UL2DZ(-x) | 1<<63
	}
	return UL2DZ(x)
}

func UL2DZ(x uint64) uint64 {
	if n := bits.Len64(x); n > 53 {
		x &^= 1<<(n-53) - 1
	}
	return db(float64(x))
}

// exactZ cuts what op computes of finite numbers to binary64. nearest is the
// result to the nearest, which tells zeros, infinities and NaN.
func exactZ(nearest float64, op func(z *big.Float)) uint64 {
	z := new(big.Float).SetMode(big.ToZero).SetPrec(53)
	op(z)
	if z.Sign() == 0 {
		return db(nearest)
	}
	exp := z.MantExp(nil) // 2^(exp-1) ≤ |z| < 2^exp
	switch {
	case exp > 1024:
		return db(math.Copysign(math.MaxFloat64, nearest))
	case exp <= -1074:
		return db(math.Copysign(0, nearest))
	case exp < -1021:
		z.SetPrec(uint(exp + 1074))
	}
	r, _ := z.Float64()
	return db(r)
}

func finite(list ...float64) bool {
	for _, v := range list {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func exact(v float64) *big.Float { return big.NewFloat(v) }

func AddZ64(x, y uint64) uint64 {
	a, b := d(x), d(y)
	if !finite(a, b) {
		return db(a + b)
	}
	return exactZ(a+b, func(z *big.Float) { z.Add(exact(a), exact(b)) })
}

func SubZ64(x, y uint64) uint64 { return AddZ64(x, y^1<<63) }

func MulZ64(x, y uint64) uint64 {
	a, b := d(x), d(y)
	if !finite(a, b) {
		return db(a * b)
	}
	return exactZ(a*b, func(z *big.Float) { z.Mul(exact(a), exact(b)) })
}

func DivZ64(x, y uint64) uint64 {
	a, b := d(x), d(y)
	if !finite(a, b) || b == 0 {
		return db(a / b)
	}
	return exactZ(a/b, func(z *big.Float) { z.Quo(exact(a), exact(b)) })
}

func FmaZ64(x, y, w uint64) uint64 {
	a, b, c := d(x), d(y), d(w)
	r := math.FMA(a, b, c)
	if !finite(a, b, c) {
		return db(r)
	}
	return exactZ(r, func(z *big.Float) {
		z.Add(new(big.Float).SetPrec(106).Mul(exact(a), exact(b)), exact(c))
	})
}

// SqrtZ64 scales small numbers, whose rest would be a denormal.
func SqrtZ64(x uint64) uint64 {
	v, scale := d(x), 1.0
	if v < 0x1p-900 {
		v, scale = v*0x1p200, 0x1p-100
	}
	s := math.Sqrt(v)
	return db(nearer(s, math.FMA(-s, s, v)) * scale)
}

// Flush makes zeros of denormals, and keeps their sign: of binary32, of
// binary32 that holds a binary16, and of binary64.
func Flush(x uint64) uint64   { return uint64(Canon(low(flush(x, 1<<31, 0x00800000)))) }
func Flush16(x uint64) uint64 { return uint64(Canon(low(flush(x, 1<<31, 0x38800000)))) } // 2^-14
func Flush64(x uint64) uint64 { return flush(x, 1<<63, 1<<52) }

func flush(x, sign, normal uint64) uint64 {
	if x&^sign < normal {
		return x & sign
	}
	return x
}
