package fp

import "math"

// Coefficients of polynomials, the highest first. Each interpolates its function at the Chebyshev
// nodes of its range, which leaves an error that is hardly larger than the least possible one.
var (
	// Exp2Series is 2^r, |r| ≤ 1/2, to 2^-44 of it, and 1 at 0.
	Exp2Series = [...]float64{
		0x1.b63880a30e9ffp-24, 0x1.63d136366db24p-20, 0x1.ffcb9515a8016p-17, 0x1.4308ac85aa947p-13, 0x1.5d87fe86fe88ep-10, 0x1.3b2ab7181b755p-7,
		0x1.c6b08d7047e52p-5, 0x1.ebfbdff823cedp-3, 0x1.62e42fefa39efp-1, 1,
	}
	// AtanhSeries is (atanh s)/s of z = s² ≤ ((√2 − 1)/(√2 + 1))², to 2^-50.
	AtanhSeries = [...]float64{
		0x1.546a3155bacbfp-4, 0x1.7382dbfa1ce75p-4, 0x1.c71fccd953895p-4, 0x1.2492462af84abp-3, 0x1.9999999b8677ap-3, 0x1.55555555553b8p-2, 1,
	}
	// SinSeries is (sin r − r)/r³ of z = r², |r| ≤ π/4 and a little: the sine to 2^-45 of it.
	SinSeries = [...]float64{-0x1.aa283bea75579p-26, 0x1.71d9a9b87993fp-19, -0x1.a019fd9ae7168p-13, 0x1.1111110fd3b3cp-7, -0x1.555555555516bp-3}
	// CosSeries is cos r of the same z, to 2^-41.
	CosSeries = [...]float64{-0x1.2474cb416294ep-22, 0x1.a0129877a1cfcp-16, -0x1.6c16bae56f7d8p-10, 0x1.555555514f0e0p-5, -0x1.fffffffffe694p-2, 1}
	// AtanSeries is (atan t − t)/t³ of z = t², |t| ≤ √2 − 1: the angle to 2^-43 of it.
	AtanSeries = [...]float64{
		0x1.0dfb68ec8d582p-5, -0x1.edc1cc98c0ca8p-5, 0x1.377e1bb038391p-4, -0x1.7415b658d57d5p-4, 0x1.c7196392702d5p-4, -0x1.249240dabc729p-3,
		0x1.999999885ec80p-3, -0x1.5555555552617p-2,
	}
	// SinhSeries is Taylor's of (sinh v − v)/v³, of z = v² < 1. Unlike the others it is summed without fused operations.
	SinhSeries = [...]float64{1.0 / 1307674368000, 1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6}
)

// series is a polynomial of x: one fused operation a coefficient.
func series(c []float64, x float64) float64 {
	p := c[0]
	for _, k := range c[1:] {
		p = math.FMA(p, x, k)
	}
	return p
}
