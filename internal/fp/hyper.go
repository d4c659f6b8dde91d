package fp

import "math"

// Bounds of what the hyperbolic functions take from their series, and of what tanh is 1 above.
const (
	SinhNear = 1
	TanhNear = 0.625
	MostTanh = 10
)

// Sinh returns the hyperbolic sine of x.
func Sinh(x float32) float32 {
	a := size(x)
	if x != x {
		return nan()
	}
	if a < SinhNear {
		return nearZero(SinhSeries[:], x)
	}
	high, low := halfExp(a)
	if high > math.MaxFloat32 {
		return x * high
	}
	other := -0.25 / high
	sum := high + other
	return withSign(sum+(high-sum+other+low), x)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float32) float32 {
	if x != x {
		return nan()
	}
	high, low := halfExp(size(x))
	if high > math.MaxFloat32 {
		return high
	}
	other := 0.25 / high
	sum := high + other
	return sum + (high - sum + other + low)
}

// nearZero is x and a series of its square times its cube; zeros keep their sign.
func nearZero(series []float32, x float32) float32 {
	z := float32(x * x)
	return withSign(FMA32(float32(series32(series, z)*z), x, x), x)
}

// halfExp returns e^x/2 as a sum, infinite above MaxFloat32, where there is no second part.
func halfExp(x float32) (high, low float32) {
	p, low, k := expSum(min(x, MostExp))
	return scale(p, k-1), scale(low, k-1)
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float32) float32 {
	a := size(x)
	if x != x {
		return nan()
	}
	if a < TanhNear {
		return nearZero(TanhSeries[:], x)
	}
	// 1 − 2/(e^2x + 1), the quotient turned.
	a = min(a, MostTanh)
	p, low, k := expSum(a + a)
	p, low = scale(p, k), scale(low, k)
	n := p + 1
	low += p - n + 1
	q := -2 / n
	rest := float32(FMA32(q, low, FMA32(q, n, 2)) * float32(q*-0.5))
	sum := q + 1
	return withSign(sum+(1-sum+q-rest), x)
}

// expSum returns e^x as (p + low)·2^k.
func expSum(x float32) (p, low, k float32) {
	k = FMA32(x, Log2E, Magic) - Magic
	r := FMA32(k, ExpLow, FMA32(k, ExpHigh, x))
	q := series32(ExpSeries[:len(ExpSeries)-1], r)
	p = FMA32(q, r, 1)
	return p, FMA32(q, r, 1-p), k
}

// AreaNear is what the inverse functions take from their series below, and 1 + AreaNear where acosh takes it;
// BigArea is what they take for as good as infinite above.
const (
	AreaNear = 0.5
	BigArea  = 1 << 13
)

// Asinh returns the inverse hyperbolic sine of x.
func Asinh(x float32) float32 {
	a := size(x)
	switch {
	case x != x:
		return nan()
	case a < AreaNear:
		return nearZero(AsinhSeries[:], x)
	case a > math.MaxFloat32:
		return x
	case a > BigArea:
		return withSign(logSum(a, 0, 1), x)
	}
	s, rest := areaRoot(a, 1)
	sum := a + s
	return withSign(logSum(sum, float32(s-sum+a)+rest, 0), x)
}

// Acosh returns the inverse hyperbolic cosine of x; NaN below 1.
func Acosh(x float32) float32 {
	switch {
	case !(x >= 1):
		return nan()
	case x < 1+AreaNear: // 2·asinh √((x − 1)/2)
		z := float32((x - 1) * 0.5)
		s, rest := root(z)
		s += FMA32(float32(series32(AsinhSeries[:], z)*z), s, rest)
		return s + s
	case x > math.MaxFloat32:
		return x
	case x > BigArea:
		return logSum(x, 0, 1)
	}
	s, rest := areaRoot(x, -1)
	sum := x + s
	return logSum(sum, float32(x-sum+s)+rest, 0)
}

// areaRoot is √(a² + c) as a sum.
func areaRoot(a, c float32) (s, rest float32) {
	q := FMA32(a, a, c)
	s = sqrt32(q)
	return s, (FMA32(s, -s, q) + FMA32(a, a, c-q)) / (s + s)
}

// Atanh returns the inverse hyperbolic tangent of x; infinite at ±1, NaN
// outside.
func Atanh(x float32) float32 {
	a := size(x)
	switch {
	case !(a <= 1):
		return nan()
	case a < AreaNear:
		return nearZero(AtanhNear[:], x)
	case a == 1:
		return inf(math.Float32bits(x) & signBit)
	}
	n, d := a+1, 1-a
	y := n / d
	rest := (FMA32(y, -d, n) + (a - (n - 1))) / d
	return withSign(float32(logSum(y, rest, 0)*0.5), x)
}

// logSum is the natural logarithm of (y + rest)·2^more, y from 1 on: see Log.
func logSum(y, rest, more float32) float32 {
	f, e := split32(y)
	return logOf(f, e+more, rest/y)
}
