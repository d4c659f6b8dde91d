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
	// AtanSeries is (atan t − t)/t³ of z = t² ≤ ¼: to 2^-27.5 of the angle.
	AtanSeries = [...]float32{-0x1.a41f46p-5, 0x1.a00c5cp-4, -0x1.224af2p-3, 0x1.997b14p-3, -0x1.555512p-2}
	// AsinSeries is (asin s − s)/s³ of z = s² ≤ ¼: the angle to 2^-27.6 of it.
	AsinSeries = [...]float32{0x1.595c6p-5, 0x1.8c3e5p-6, 0x1.747bb8p-5, 0x1.330204p-4, 0x1.5555c8p-3}
	// SinhSeries is (sinh x − x)/x³ of z = x² ≤ 1: to 2^-31.6 of the sine.
	SinhSeries = [...]float32{0x1.756c1ep-19, 0x1.a022bcp-13, 0x1.1110ep-7, 0x1.555556p-3}
	// AsinhSeries is (asinh s − s)/s³ of z = s² ≤ AreaNear²: to 2^-29.5 of the function.
	AsinhSeries = [...]float32{-0x1.b177dcp-7, 0x1.cd6e44p-6, -0x1.6b969p-5, 0x1.3324f6p-4, -0x1.555536p-3}
	// AtanhNear is (atanh s − s)/s³ of the same z: to 2^-29.4.
	AtanhNear = [...]float32{0x1.693922p-3, 0x1.a6be3p-5, 0x1.e3ffcap-4, 0x1.234d9ap-3, 0x1.99a676p-3, 0x1.55554p-2}
	// TanhSeries is (tanh x − x)/x³ of z = x² ≤ TanhNear²: to 2^-27.7 of the tangent.
	TanhSeries = [...]float32{-0x1.75619ap-8, 0x1.5207b8p-6, -0x1.b83738p-5, 0x1.1106fcp-3, -0x1.555532p-2}
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
