package fp

import "math"

// Coefficients of polynomials in binary64, the highest first. Each interpolates its function at the
// Chebyshev
// nodes of its range, which leaves an error that is hardly larger than the least possible one.
var (
	// Exp2Wide is 2^r, |r| ≤ 1/2, to 2^-44 of it, and 1 at 0.
	Exp2Wide = [...]float64{
		0x1.b63880a30e9ffp-24, 0x1.63d136366db24p-20, 0x1.ffcb9515a8016p-17, 0x1.4308ac85aa947p-13, 0x1.5d87fe86fe88ep-10, 0x1.3b2ab7181b755p-7,
		0x1.c6b08d7047e52p-5, 0x1.ebfbdff823cedp-3, 0x1.62e42fefa39efp-1, 1,
	}
	// AtanhWide is (atanh s)/s of z = s² ≤ ((√2 − 1)/(√2 + 1))², to 2^-50.
	AtanhWide = [...]float64{
		0x1.546a3155bacbfp-4, 0x1.7382dbfa1ce75p-4, 0x1.c71fccd953895p-4, 0x1.2492462af84abp-3, 0x1.9999999b8677ap-3, 0x1.55555555553b8p-2, 1,
	}
	// SinWide is (sin r − r)/r³ of z = r², |r| ≤ π/4 and a little: the sine to 2^-45 of it.
	SinWide = [...]float64{-0x1.aa283bea75579p-26, 0x1.71d9a9b87993fp-19, -0x1.a019fd9ae7168p-13, 0x1.1111110fd3b3cp-7, -0x1.555555555516bp-3}
	// CosWide is cos r of the same z, to 2^-41.
	CosWide = [...]float64{-0x1.2474cb416294ep-22, 0x1.a0129877a1cfcp-16, -0x1.6c16bae56f7d8p-10, 0x1.555555514f0e0p-5, -0x1.fffffffffe694p-2, 1}
	// AtanWide is (atan t − t)/t³ of z = t², |t| ≤ √2 − 1: the angle to 2^-43 of it.
	AtanWide = [...]float64{
		0x1.0dfb68ec8d582p-5, -0x1.edc1cc98c0ca8p-5, 0x1.377e1bb038391p-4, -0x1.7415b658d57d5p-4, 0x1.c7196392702d5p-4, -0x1.249240dabc729p-3,
		0x1.999999885ec80p-3, -0x1.5555555552617p-2,
	}
	// SinhWide is Taylor's of (sinh v − v)/v³, of z = v² < 1. Unlike the others it is summed without
	// fused operations.
	SinhWide = [...]float64{1.0 / 1307674368000, 1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6}
)

// Coefficients in binary32, the highest first. Each is near the least possible error with
// coefficients that are binary32 themselves: rounded one after the other, the lowest first, the
// rest fitted anew. Those with a sign turned serve sums that are formed turned, so that no engine
// needs a negation.
var (
	// Exp2Series is 2^r, |r| ≤ 1/2, to 2^-27.6 of it, and 1 at 0.
	Exp2Series = [...]float32{0x1.4121a4p-13, 0x1.5f075cp-10, 0x1.3b2ddap-7, 0x1.c6af7cp-5, 0x1.ebfbdcp-3, 0x1.62e43p-1, 1}
	// ExpSeries is e^r, |r| ≤ ln 2/2, to 2^-27.6 of it, and 1 at 0.
	ExpSeries = [...]float32{0x1.6a0c82p-10, 0x1.1238dep-7, 0x1.55589cp-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1}
	// LogSeries is (log(1 + f) − f)/f², √½ ≤ 1 + f ≤ √2: the logarithm to 2^-26.7 of it.
	LogSeries = [...]float32{-0x1.38a69ep-4, 0x1.054e68p-3, -0x1.0d80a8p-3, 0x1.22da94p-3, -0x1.5472d8p-3, 0x1.99a01ap-3, -0x1.000226p-2, 0x1.555554p-2, -0.5}
	// Log2Series is (log2(1 + f) − f·c)/f of the same f, where c is log2 e in binary32: to 2^-27.4 of
	// the logarithm.
	Log2Series = [...]float32{-0x1.c4d662p-4, 0x1.7f4642p-3, -0x1.87cbf6p-3, 0x1.a2c48p-3, -0x1.eaa62ep-3, 0x1.277f5cp-2, -0x1.715afp-2, 0x1.ec7094p-2, -0x1.71547p-1, 0x1.4ae0cp-26}
	// AtanhSeries is 1 − (atanh s)/s, divided by s², of z = s² ≤ 0.0592²: to 2^-31.9 of atanh s.
	AtanhSeries = [...]float32{-0x1.9b096ep-3, -0x1.555522p-2}
	// SinSeries is (r − sin r)/r³ of z = r², |r| ≤ π/4 + 0.016: the sine to 2^-27.7 of it.
	SinSeries = [...]float32{0x1.9910d4p-13, -0x1.1106b2p-7, 0x1.555544p-3}
	// CosSeries is (cos r − 1 + z/2)/z² of the same z: the cosine to 2^-32.
	CosSeries = [...]float32{0x1.99d514p-16, -0x1.6c0c02p-10, 0x1.55554ap-5}
)

// series32 is a polynomial of x: one fused operation a coefficient.
func series32(c []float32, x float32) float32 {
	p := c[0]
	for _, k := range c[1:] {
		p = FMA32(p, x, k)
	}
	return p
}

// series is a polynomial of x: one fused operation a coefficient.
func series(c []float64, x float64) float64 {
	p := c[0]
	for _, k := range c[1:] {
		p = math.FMA(p, x, k)
	}
	return p
}
