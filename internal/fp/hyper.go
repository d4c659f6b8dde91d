package fp

import "math"

// Sinh returns the hyperbolic sine of x.
func Sinh(x float32) float32 {
	switch {
	case x != x:
		return nan()
	case x < 1 && x > -1:
		if x == 0 {
			return x
		}
		v := float64(x)
		return float32(sinhKernel(v, float64(v*v)))
	}
	e := exp2(float64(x) * math.Log2E)
	return float32(float64(e/2) - 0.5/e)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float32) float32 {
	if x != x {
		return nan()
	}
	e := exp2(float64(x) * math.Log2E)
	return float32(float64(e/2) + 0.5/e)
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float32) float32 {
	switch {
	case x != x:
		return nan()
	case x < 0.5 && x > -0.5:
		if x == 0 {
			return x
		}
		v := float64(x)
		s := sinhKernel(v, float64(v*v))
		return float32(s / math.Sqrt(1+float64(s*s)))
	}
	e := exp2(float64(x) * (2 * math.Log2E))
	return float32(1 - 2/(e+1))
}

// sinhKernel is SinhWide for |v| < 1, z = v².
func sinhKernel(v, z float64) float64 {
	p := SinhWide[0]
	for _, c := range SinhWide[1:] {
		p = float64(p*z) + c
	}
	return v + float64(float64(p*z)*v)
}

// Asinh returns the inverse hyperbolic sine of x.
func Asinh(x float32) float32 {
	v := math.Abs(float64(x))
	switch {
	case x != x:
		return nan()
	case v > math.MaxFloat32:
		return x
	case v < 0x1p-12: // the logarithm's argument would lose v
		if x == 0 {
			return x
		}
		v -= float64(float64(v*v)*v) / 6
	default:
		v = logn(v + math.Sqrt(float64(v*v)+1))
	}
	return float32(math.Copysign(v, float64(x)))
}

// Acosh returns the inverse hyperbolic cosine of x; NaN below 1.
func Acosh(x float32) float32 {
	switch {
	case !(x >= 1):
		return nan()
	case x > math.MaxFloat32:
		return x
	}
	v := float64(x)
	return float32(logn(v + math.Sqrt(float64((v-1)*(v+1)))))
}

// Atanh returns the inverse hyperbolic tangent of x; infinite at ±1, NaN
// outside.
func Atanh(x float32) float32 {
	v := math.Abs(float64(x))
	switch {
	case !(v <= 1):
		return nan()
	case v == 1:
		v = math.Inf(1)
	case v < 0x1p-12:
		if x == 0 {
			return x
		}
		v += float64(float64(v*v)*v) / 3
	default:
		v = logn((1+v)/(1-v)) / 2
	}
	return float32(math.Copysign(v, float64(x)))
}
