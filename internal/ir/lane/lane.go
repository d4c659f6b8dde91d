// Package lane says what each pure operation of the IR does in one lane. The
// engines' loops and the constant folder call the same functions, so that they
// cannot disagree. A lane is 32 bits; masks are 0 or all ones.
//
// NaNs: FAdd, FSub, FMul, FDiv, Fma, FSqrt, FInvSqrt and the rounding
// operations give some NaN, whose payload differs between processors. It is
// made canonical where it becomes visible (ir.NaNTaint); every other operation
// gives fixed bits.
package lane

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fp"
)

const canonicalNaN = fp.CanonicalNaN

func f(x uint32) float32 { return math.Float32frombits(x) }
func b(x float32) uint32 { return math.Float32bits(x) }

// Mask is all ones for true.
func Mask(c bool) uint32 {
	var m uint32
	if c {
		m = 1
	}
	return -m
}

// Canon makes a NaN canonical.
func Canon(x uint32) uint32 {
	if x&0x7FFFFFFF > 0x7F800000 {
		return canonicalNaN
	}
	return x
}

func IAdd(x, y uint32) uint32 { return x + y }
func ISub(x, y uint32) uint32 { return x - y }
func IMul(x, y uint32) uint32 { return x * y }
func IMulHiU(x, y uint32) uint32 {
	return uint32(uint64(x) * uint64(y) >> 32)
}
func IMulHiS(x, y uint32) uint32 {
	return uint32(uint64(int64(int32(x))*int64(int32(y))) >> 32)
}
func IDot16(x, y uint32) uint32 {
	return uint32(int32(int16(x))*int32(int16(y)) + int32(x)>>16*(int32(y)>>16))
}
func UDiv(x, y uint32) uint32 {
	if y == 0 {
		return math.MaxUint32
	}
	return x / y
}
func SDiv(x, y uint32) uint32 {
	switch y {
	case 0:
		return math.MaxUint32
	case math.MaxUint32:
		return -x
	}
	return uint32(int32(x) / int32(y))
}
func URem(x, y uint32) uint32 {
	if y == 0 {
		return x
	}
	return x % y
}
func SRem(x, y uint32) uint32 {
	switch y {
	case 0:
		return x
	case math.MaxUint32:
		return 0
	}
	return uint32(int32(x) % int32(y))
}
func SMod(x, y uint32) uint32 {
	r := SRem(x, y)
	if r != 0 && y != 0 && int32(r^y) < 0 {
		r += y
	}
	return r
}
func INeg(x uint32) uint32    { return -x }
func And(x, y uint32) uint32  { return x & y }
func Or(x, y uint32) uint32   { return x | y }
func Xor(x, y uint32) uint32  { return x ^ y }
func Not(x uint32) uint32     { return ^x }
func Shl(x, y uint32) uint32  { return x << (y & 31) }
func ShrU(x, y uint32) uint32 { return x >> (y & 31) }
func ShrS(x, y uint32) uint32 { return uint32(int32(x) >> (y & 31)) }
func SMin(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) }
func SMax(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) }
func UMin(x, y uint32) uint32 { return min(x, y) }
func UMax(x, y uint32) uint32 { return max(x, y) }

func BitCount(x uint32) uint32   { return uint32(bits.OnesCount32(x)) }
func BitReverse(x uint32) uint32 { return bits.Reverse32(x) }
func FindLSB(x uint32) uint32 {
	if x == 0 {
		return math.MaxUint32
	}
	return uint32(bits.TrailingZeros32(x))
}
func FindUMSB(x uint32) uint32        { return uint32(bits.Len32(x)) - 1 }
func FindSMSB(x uint32) uint32        { return FindUMSB(x ^ uint32(int32(x)>>31)) }
func lowBits(n uint32) uint32         { return uint32(uint64(1)<<min(n, 32) - 1) }
func BitFieldU(x, o, n uint32) uint32 { return uint32(uint64(x)>>min(o, 32)) & lowBits(n) }
func BitFieldS(x, o, n uint32) uint32 {
	n = min(n, 32)
	return uint32(int32(uint64(BitFieldU(x, o, n))<<(32-n)) >> (32 - max(n, 1)))
}
func BitFieldMask(o, n uint32) uint32 { return uint32(uint64(lowBits(n)) << min(o, 32)) }

func IEq(x, y uint32) uint32       { return Mask(x == y) }
func INe(x, y uint32) uint32       { return Mask(x != y) }
func SLt(x, y uint32) uint32       { return Mask(int32(x) < int32(y)) }
func SLe(x, y uint32) uint32       { return Mask(int32(x) <= int32(y)) }
func ULt(x, y uint32) uint32       { return Mask(x < y) }
func ULe(x, y uint32) uint32       { return Mask(x <= y) }
func FEq(x, y uint32) uint32       { return EqF(f(x), f(y)) }
func FNe(x, y uint32) uint32       { return NeF(f(x), f(y)) }
func FLt(x, y uint32) uint32       { return LtF(f(x), f(y)) }
func FLe(x, y uint32) uint32       { return LeF(f(x), f(y)) }
func FOrd(x, y uint32) uint32      { return ^FUnord(x, y) }
func FUnord(x, y uint32) uint32    { return FIsNan(x) | FIsNan(y) }
func FIsNan(x uint32) uint32       { return Mask(x&0x7FFFFFFF > 0x7F800000) }
func FIsInf(x uint32) uint32       { return Mask(x&0x7FFFFFFF == 0x7F800000) }
func Select(c, x, y uint32) uint32 { return y ^ (x^y)&c }

func FAdd(x, y uint32) uint32   { return b(AddF(f(x), f(y))) }
func FSub(x, y uint32) uint32   { return b(SubF(f(x), f(y))) }
func FMul(x, y uint32) uint32   { return b(MulF(f(x), f(y))) }
func FDiv(x, y uint32) uint32   { return b(DivF(f(x), f(y))) }
func Fma(x, y, z uint32) uint32 { return b(FmaF(f(x), f(y), f(z))) }

func FNeg(x uint32) uint32 { return x ^ 1<<31 }
func FAbs(x uint32) uint32 { return x &^ (1 << 31) }

func FMin(x, y uint32) uint32 { return b(MinF(f(x), f(y))) }
func FMax(x, y uint32) uint32 { return b(MaxF(f(x), f(y))) }

// FSign gives +0 for zeros and NaN.
func FSign(x uint32) uint32 {
	switch v := f(x); {
	case v > 0:
		return 0x3F800000
	case v < 0:
		return 0xBF800000
	}
	return 0
}
func FFloor(x uint32) uint32     { return b(FloorF(f(x))) }
func FCeil(x uint32) uint32      { return b(CeilF(f(x))) }
func FTrunc(x uint32) uint32     { return b(TruncF(f(x))) }
func FRoundEven(x uint32) uint32 { return b(RoundEvenF(f(x))) }
func FSqrt(x uint32) uint32      { return b(SqrtF(f(x))) }
func FRem(x, y uint32) uint32    { return b(fp.Rem(f(x), f(y))) }

func FExp2(x uint32) uint32     { return b(fp.Exp2(f(x))) }
func FLog2(x uint32) uint32     { return b(fp.Log2(f(x))) }
func FExp(x uint32) uint32      { return b(fp.Exp(f(x))) }
func FLog(x uint32) uint32      { return b(fp.Log(f(x))) }
func FPow(x, y uint32) uint32   { return b(fp.Pow(f(x), f(y))) }
func FSin(x uint32) uint32      { return b(fp.Sin(f(x))) }
func FCos(x uint32) uint32      { return b(fp.Cos(f(x))) }
func FTan(x uint32) uint32      { return b(fp.Tan(f(x))) }
func FAsin(x uint32) uint32     { return b(fp.Asin(f(x))) }
func FAcos(x uint32) uint32     { return b(fp.Acos(f(x))) }
func FAtan(x uint32) uint32     { return b(fp.Atan(f(x))) }
func FAtan2(y, x uint32) uint32 { return b(fp.Atan2(f(y), f(x))) }
func FTanh(x uint32) uint32     { return b(fp.Tanh(f(x))) }
func FAsinh(x uint32) uint32    { return b(fp.Asinh(f(x))) }
func FAcosh(x uint32) uint32    { return b(fp.Acosh(f(x))) }
func FAtanh(x uint32) uint32    { return b(fp.Atanh(f(x))) }

// FSinh and FCosh overflow where exp does: Vulkan has them inherit (exp(x) ∓
// exp(-x))/2, whose results are infinite there, though half of exp would be a
// number for a while.
func FSinh(x uint32) uint32 {
	if beyondExp(x) {
		return x&(1<<31) | 0x7F800000
	}
	return b(fp.Sinh(f(x)))
}
func FCosh(x uint32) uint32 {
	if beyondExp(x) {
		return 0x7F800000
	}
	return b(fp.Cosh(f(x)))
}

// beyondExp tells numbers whose size's exp is infinite.
func beyondExp(x uint32) bool {
	const last = 0x42B17217 // 88.72283
	size := x & 0x7FFFFFFF
	return size > last && size <= 0x7F800000
}

func FInvSqrt(x uint32) uint32  { return b(InvSqrtF(f(x))) }
func FLdexp(x, n uint32) uint32 { return b(fp.Ldexp(f(x), int32(n))) }
func FrexpMant(x uint32) uint32 {
	m, _ := fp.Frexp(f(x))
	return b(m)
}
func FrexpExp(x uint32) uint32 {
	_, e := fp.Frexp(f(x))
	return uint32(e)
}
func Quantize16(x uint32) uint32 { return H2F(F2H(x)) }

// F2S truncates and saturates; NaN gives 0.
func F2S(x uint32) uint32 {
	switch v := f(x); {
	case v >= 1<<31:
		return math.MaxInt32
	case v > -(1 << 31):
		return uint32(int32(v))
	case v != v:
		return 0
	}
	return 1 << 31
}

// F2U truncates and saturates; NaN gives 0.
func F2U(x uint32) uint32 {
	switch v := f(x); {
	case v >= 1<<32:
		return math.MaxUint32
	case v > 0:
		return uint32(int64(v))
	}
	return 0
}
func S2F(x uint32) uint32     { return b(float32(int32(x))) }
func U2F(x uint32) uint32     { return b(float32(x)) }
func F2H(x uint32) uint32     { return uint32(fp.FloatToHalf(f(Canon(x)))) }
func H2F(x uint32) uint32     { return b(fp.HalfToFloat(uint16(x))) }
func Bitcast(x uint32) uint32 { return x }
