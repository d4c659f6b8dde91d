package main

import (
	"math"
	"math/big"
)

// Functions of numbers with 320 bits, of which more than 200 stay right: series
// after a reduction of the argument. For finite arguments inside the functions'
// domains only, which is what scan leaves.

type number = big.Float

const bits = 320

func zero() *number                  { return new(number).SetPrec(bits) }
func of(x float64) *number           { return zero().SetFloat64(x) }
func add(x, y *number) *number       { return zero().Add(x, y) }
func sub(x, y *number) *number       { return zero().Sub(x, y) }
func mul(x, y *number) *number       { return zero().Mul(x, y) }
func quo(x, y *number) *number       { return zero().Quo(x, y) }
func sqrt(x *number) *number         { return zero().Sqrt(x) }
func half(x *number) *number         { return zero().SetMantExp(x, -1) }
func neg(x *number) *number          { return zero().Neg(x) }
func square(x *number) *number       { return mul(x, x) }
func exponent(x *number) int         { return x.MantExp(nil) }
func small(x, of *number) bool       { return x.Sign() == 0 || exponent(x) < exponent(of)-bits-8 }
func float(x *number) float64        { f, _ := x.Float64(); return f }
func times(x *number, n int) *number { return mul(x, of(float64(n))) }

var (
	one = of(1)
	ln2 = lnNear(of(2))
	pi  = half(half(mul(of(16), sub(times(atanInverse(5), 4), atanInverse(239))))) // Machin: π/4 = 4·atan(1/5) − atan(1/239)
)

// atanInverse is atan(1/n).
func atanInverse(n int) *number { return atanSeries(quo(one, of(float64(n)))) }

// atanSeries is atan(x) for small |x|.
func atanSeries(x *number) *number { return alternating(x, square(x), -1) }

// alternating is x + s·x·q/3 + x·q²/5 + …
func alternating(x, q *number, s float64) *number {
	sum, power := zero().Set(x), zero().Set(x)
	step := mul(q, of(s))
	for k := 3; ; k += 2 {
		power = mul(power, step)
		term := quo(power, of(float64(k)))
		if small(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

// expSeries is exp(x)−1 for |x| < 1.
func expSeries(x *number) *number {
	if x.Sign() == 0 {
		return zero()
	}
	sum, term := zero().Set(x), zero().Set(x)
	for k := 2; ; k++ {
		if term = quo(mul(term, x), of(float64(k))); small(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

// expMinus1 keeps small results whole.
func expMinus1(x *number) *number {
	if exponent(x) < -2 {
		return expSeries(x)
	}
	return sub(exp(x), one)
}

func exp(x *number) *number {
	k := math.Round(float(x) / math.Ln2)
	r := sub(x, mul(of(k), ln2))
	return zero().SetMantExp(add(one, expSeries(r)), int(k))
}

func exp2(x *number) *number {
	k := math.Round(float(x))
	return zero().SetMantExp(add(one, expSeries(mul(sub(x, of(k)), ln2))), int(k))
}

// lnNear is log(x) for x near 1: 2·atanh((x−1)/(x+1)).
func lnNear(x *number) *number {
	t := quo(sub(x, one), add(x, one))
	if t.Sign() == 0 {
		return zero()
	}
	return times(alternating(t, square(t), 1), 2)
}

func ln(x *number) *number {
	m := zero()
	e := x.MantExp(m)
	if float(m) < math.Sqrt2/2 {
		m, e = times(m, 2), e-1
	}
	return add(lnNear(m), times(ln2, e))
}

func log2(x *number) *number        { return quo(ln(x), ln2) }
func inverseSqrt(x *number) *number { return quo(one, sqrt(x)) }

// quarter is x less a multiple of π/2, and that multiple modulo 4. x is exact,
// and so is π to the bits of x's exponent and 200 more.
func quarter(x *number) (*number, int) {
	r := quo(x, half(pi))
	k, _ := add(r, of(math.Copysign(0.5, float(x)))).Int(nil)
	rest := sub(x, mul(zero().SetInt(k), half(pi)))
	return rest, int(new(big.Int).And(k, big.NewInt(3)).Int64())
}

// sinSeries starts with the term x (sine) or 1 (cosine).
func sinSeries(x, first *number, n int) *number {
	sum, term, q := zero().Set(first), zero().Set(first), neg(square(x))
	for k := n; sum.Sign() != 0; k += 2 {
		if term = quo(mul(term, q), of(float64(k*(k+1)))); small(term, sum) {
			break
		}
		sum = add(sum, term)
	}
	return sum
}

func sinCos(x *number) (s, c *number) {
	r, k := quarter(x)
	s, c = sinSeries(r, r, 2), sinSeries(r, one, 1)
	switch k {
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	case 3:
		return neg(c), s
	}
	return s, c
}

func sin(x *number) *number { s, _ := sinCos(x); return s }
func cos(x *number) *number { _, c := sinCos(x); return c }
func tan(x *number) *number { s, c := sinCos(x); return quo(s, c) }

// atan halves the angle until the series is short: atan x = 2·atan(x/(1+√(1+x²))).
func atan(x *number) *number {
	if x.Sign() == 0 {
		return zero()
	}
	n := 0
	for exponent(x) > -6 {
		x = quo(x, add(one, sqrt(add(one, square(x)))))
		n++
	}
	return zero().SetMantExp(atanSeries(x), n)
}

func asin(x *number) *number {
	c := mul(sub(one, x), add(one, x))
	if c.Sign() == 0 {
		return mul(x, half(pi))
	}
	return atan(quo(x, sqrt(c)))
}

// acos x = 2·atan(√((1−x)/(1+x))).
func acos(x *number) *number {
	if add(one, x).Sign() == 0 {
		return pi
	}
	return times(atan(sqrt(quo(sub(one, x), add(one, x)))), 2)
}

func sinh(x *number) *number {
	e := expMinus1(x)
	return half(add(e, quo(e, add(e, one))))
}

func cosh(x *number) *number { e := exp(x); return half(add(e, quo(one, e))) }

func tanh(x *number) *number {
	e := expMinus1(times(x, 2))
	return quo(e, add(e, of(2)))
}

// lnPlus1 is log(1+x); near 0 it keeps small results whole.
func lnPlus1(x *number) *number {
	if exponent(x) > -2 {
		return ln(add(one, x))
	}
	t := quo(x, add(x, of(2)))
	if t.Sign() == 0 {
		return zero()
	}
	return times(alternating(t, square(t), 1), 2)
}

// asinh x = log(1 + x + x²/(1+√(1+x²))), odd.
func asinh(x *number) *number {
	if x.Sign() < 0 {
		return neg(asinh(neg(x)))
	}
	q := square(x)
	return lnPlus1(add(x, quo(q, add(one, sqrt(add(one, q))))))
}

func acosh(x *number) *number {
	y := sub(x, one)
	return lnPlus1(add(y, sqrt(mul(y, add(x, one)))))
}

func atanh(x *number) *number { return half(lnPlus1(quo(times(x, 2), sub(one, x)))) }
