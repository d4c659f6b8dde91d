package lane

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// The operations on 64 bits. Operands and results of 32 bits stand in the low
// half of a word; masks are 0 or 0xFFFFFFFF. NaN results are canonical.

const canonicalNaN64 = 0x7FF8000000000000

func d(x uint64) float64 { return math.Float64frombits(x) }

func db(x float64) uint64 {
	if x != x {
		return canonicalNaN64
	}
	return math.Float64bits(x)
}

func mask64(c bool) uint64 { return uint64(Mask(c)) }

func IAdd64(x, y uint64) uint64 { return x + y }
func ISub64(x, y uint64) uint64 { return x - y }
func IMul64(x, y uint64) uint64 { return x * y }
func UDiv64(x, y uint64) uint64 {
	if y == 0 {
		return math.MaxUint64
	}
	return x / y
}
func SDiv64(x, y uint64) uint64 {
	switch y {
	case 0:
		return math.MaxUint64
	case math.MaxUint64:
		return -x
	}
	return uint64(int64(x) / int64(y))
}
func URem64(x, y uint64) uint64 {
	if y == 0 {
		return x
	}
	return x % y
}
func SRem64(x, y uint64) uint64 {
	switch y {
	case 0:
		return x
	case math.MaxUint64:
		return 0
	}
	return uint64(int64(x) % int64(y))
}
func SMod64(x, y uint64) uint64 {
	r := SRem64(x, y)
	if r != 0 && y != 0 && int64(r^y) < 0 {
		r += y
	}
	return r
}
func Shl64(x, n uint64) uint64  { return x << (n & 63) }
func ShrU64(x, n uint64) uint64 { return x >> (n & 63) }
func ShrS64(x, n uint64) uint64 { return uint64(int64(x) >> (n & 63)) }
func SLt64(x, y uint64) uint64  { return mask64(int64(x) < int64(y)) }
func SLe64(x, y uint64) uint64  { return mask64(int64(x) <= int64(y)) }
func ULt64(x, y uint64) uint64  { return mask64(x < y) }
func ULe64(x, y uint64) uint64  { return mask64(x <= y) }

func FAdd64(x, y uint64) uint64   { return db(d(x) + d(y)) }
func FSub64(x, y uint64) uint64   { return db(d(x) - d(y)) }
func FMul64(x, y uint64) uint64   { return db(d(x) * d(y)) }
func FDiv64(x, y uint64) uint64   { return db(d(x) / d(y)) }
func Fma64(x, y, z uint64) uint64 { return db(math.FMA(d(x), d(y), d(z))) }
func FRem64(x, y uint64) uint64   { return db(math.Mod(d(x), d(y))) }

// FMin64 and FMax64 are IEEE minNum and maxNum, -0 below +0.
func FMin64(x, y uint64) uint64 {
	switch {
	case d(x) != d(x):
		return db(d(y))
	case d(y) != d(y):
		return x
	}
	return db(min(d(x), d(y)))
}
func FMax64(x, y uint64) uint64 {
	switch {
	case d(x) != d(x):
		return db(d(y))
	case d(y) != d(y):
		return x
	}
	return db(max(d(x), d(y)))
}

// FSign64 gives +0 for zeros and NaN.
func FSign64(x uint64) uint64 {
	switch v := d(x); {
	case v > 0:
		return math.Float64bits(1)
	case v < 0:
		return math.Float64bits(-1)
	}
	return 0
}
func FFloor64(x uint64) uint64     { return db(math.Floor(d(x))) }
func FCeil64(x uint64) uint64      { return db(math.Ceil(d(x))) }
func FTrunc64(x uint64) uint64     { return db(math.Trunc(d(x))) }
func FRoundEven64(x uint64) uint64 { return db(math.RoundToEven(d(x))) }
func FSqrt64(x uint64) uint64      { return db(math.Sqrt(d(x))) }

// FInvSqrt64 is 1/sqrt(x): two roundings.
func FInvSqrt64(x uint64) uint64 {
	s := math.Sqrt(d(x))
	return db(1 / s)
}
func FrexpMant64(x uint64) uint64 {
	m, _ := math.Frexp(d(x))
	return db(m)
}
func FrexpExp64(x uint64) uint64 {
	if v := d(x); v != v || math.IsInf(v, 0) {
		return 0
	}
	_, e := math.Frexp(d(x))
	return uint64(uint32(e))
}

// FLdexp64 bounds the exponent, beyond which every result is 0 or infinite.
func FLdexp64(x, n uint64) uint64 {
	e := max(min(int32(uint32(n)), 4096), -4096)
	return db(math.Ldexp(d(x), int(e)))
}
func FEq64(x, y uint64) uint64 { return mask64(d(x) == d(y)) }
func FNe64(x, y uint64) uint64 { return mask64(d(x) != d(y)) }
func FLt64(x, y uint64) uint64 { return mask64(d(x) < d(y)) }
func FLe64(x, y uint64) uint64 { return mask64(d(x) <= d(y)) }
func FIsNan64(x uint64) uint64 { return mask64(d(x) != d(x)) }
func FIsInf64(x uint64) uint64 { return mask64(math.IsInf(d(x), 0)) }
func low(x uint64) uint32      { return uint32(x) }
func float(x uint64) float64   { return float64(f(uint32(x))) }
func fb(x float32) uint64      { return uint64(Canon(b(x))) }

// D2F rounds to binary32, to nearest even.
func D2F(x uint64) uint64 { return fb(float32(d(x))) }

// D2H rounds to binary16 once: to binary32 towards odd first, whose 13 extra
// bits then decide the second rounding as the exact value would.
func D2H(x uint64) uint64 {
	v := d(x)
	r := float32(v)
	if back := float64(r); v == v && back != v && !math.IsInf(v, 0) {
		bits := math.Float32bits(r)
		if math.Abs(back) > math.Abs(v) {
			bits-- // towards zero
		}
		r = math.Float32frombits(bits | 1)
	}
	return uint64(fp.FloatToHalf(f(Canon(b(r)))))
}
func F2D(x uint64) uint64 { return db(float(x)) }

// saturate truncates to 64 bits, signed.
func saturate(v float64) int64 {
	switch {
	case v >= 1<<63:
		return math.MaxInt64
	case v > -(1 << 63):
		return int64(v)
	case v != v:
		return 0
	}
	return math.MinInt64
}

// saturateU truncates to 64 bits, unsigned.
func saturateU(v float64) uint64 {
	switch {
	case v >= 1<<64:
		return math.MaxUint64
	case v >= 1<<63:
		return uint64(int64(v-(1<<63))) + 1<<63
	case v > 0:
		return uint64(int64(v))
	}
	return 0
}

func D2S(x uint64) uint64 {
	return uint64(uint32(max(min(saturate(d(x)), math.MaxInt32), math.MinInt32)))
}
func D2U(x uint64) uint64 { return min(saturateU(d(x)), math.MaxUint32) }
func D2N(x uint64) uint64 {
	r := math.RoundToEven(d(x))
	if !(r >= math.MinInt32 && r <= math.MaxInt32) {
		return 1 << 31
	}
	return uint64(uint32(int32(r)))
}
func S2D(x uint64) uint64  { return db(float64(int32(low(x)))) }
func U2D(x uint64) uint64  { return db(float64(low(x))) }
func D2L(x uint64) uint64  { return uint64(saturate(d(x))) }
func D2UL(x uint64) uint64 { return saturateU(d(x)) }
func L2D(x uint64) uint64  { return db(float64(int64(x))) }
func UL2D(x uint64) uint64 { return db(float64(x)) }
func L2F(x uint64) uint64  { return fb(float32(int64(x))) }
func UL2F(x uint64) uint64 { return fb(float32(x)) }
func F2L(x uint64) uint64  { return uint64(saturate(float(x))) }
func F2UL(x uint64) uint64 { return saturateU(float(x)) }
