package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// anisotropic is IMG-431…433 and IMG-560: λ_base and the probes along the major
// axis of the pixel's footprint. All but λ is binary32.
//
// IMG-434, IMG-564, IMG-566
func (u *sampled) anisotropic(g *gradients) (float64, footprint) {
	var gx, gy, px, py, base [3]float32
	for i := range u.dims {
		gx[i], gy[i], base[i] = float32(g.x[i]), float32(g.y[i]), float32(u.base[i])
		px[i], py[i] = float32(gx[i]*base[i]), float32(gy[i]*base[i])
	}
	a, c, b := u.dot(&px, &px), u.dot(&py, &py), u.dot(&px, &py)
	d := a - c
	r := sqrt32(fp.FMA32(d, d, float32((b+b)*(b+b))))
	max2 := float32(0.5 * (float32(a+c) + r))
	f := footprint{probes: 1, eta: 1}
	f.max2 = float64(max2)
	if !(max2 > 0) || max2 > math.MaxFloat32 {
		return 0.5 * log2(f.max2), f // a point, or not a number: isotropic
	}
	// η = ρ_max/ρ_min = ρ_max²/√(AC−B²).
	area := u.area(&gx, &gy, &base)
	f.min2 = float64(area) * float64(area) / f.max2
	eta := float32(u.aniso)
	if q := float32(max2 / area); q < eta {
		eta = max(q, 1)
	}
	f.eta = float64(eta)
	f.probes = int(math.Ceil(float64(eta - anisoSlack)))
	ex, ey := axisOf(d, b, r)
	for i := range u.dims {
		f.axis[i] = float64(fp.FMA32(ex, gx[i], float32(ey*gy[i])))
	}
	return 0.5 * log2(float64(f.max2/float64(f.eta*f.eta))), f
}

// anisoSlack is how far η may be above a whole number that is its number of probes: roundings
// leave 2⁻¹⁶ of an η of 16.
const anisoSlack = 0x1p-15

// area is √(AC−B²) of IMG-432, of derivatives and sizes: those of products of two, which do not
// lose what they have in common, as differences of A·C and B² would.
func (u *sampled) area(x, y, base *[3]float32) float32 {
	cross := func(i, j int) float32 {
		w := float32(x[j] * y[i])
		rest := fp.FMA32(-x[j], y[i], w)
		return float32((fp.FMA32(x[i], y[j], -w) + rest) * float32(base[i]*base[j]))
	}
	z := cross(0, 1)
	if u.dims < 3 {
		return float32(math.Abs(float64(z)))
	}
	p, q := cross(1, 2), cross(2, 0)
	return sqrt32(fp.FMA32(q, q, fp.FMA32(p, p, float32(z*z))))
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// axisOf is IMG-560: the unit eigenvector of [[A,B],[B,C]] for the larger eigenvalue; d is A−C and
// r √(d²+4B²). Its larger component is |d|+r, of which the other one is 2B at most.
func axisOf(d, b, r float32) (ex, ey float32) {
	long, short := float32(math.Abs(float64(d)))+r, float32(0)
	if long != 0 {
		short = float32((b + b) / long)
	}
	k := fp.InvSqrt(fp.FMA32(short, short, 1))
	if d >= 0 {
		return k, float32(k * short)
	}
	return float32(k * short), k
}

// dot is a scalar product, in binary32.
func (u *sampled) dot(a, b *[3]float32) float32 {
	s := float32(a[0] * b[0])
	for i := 1; i < u.dims; i++ {
		s = fp.FMA32(a[i], b[i], s)
	}
	return s
}

// place is where probe i of several lies on the axis.
//
// IMG-561
func (f *footprint) place(i int) float32 {
	inverse := float32(1 / float32(f.probes-1))
	length := 1 - float32(1/float32(f.eta))
	return float32(length * fp.FMA32(float32(i), inverse, -0.5))
}

// probe is IMG-561…563: the spot of probe i. A probe that leaves its cube face
// goes to the face that its direction selects.
//
// IMG-564
func (u *sampled) probe(at *spot, f *footprint, i int) spot {
	p := *at
	if f.probes == 1 {
		return p
	}
	t := f.place(i)
	for d := range u.dims {
		p.c[d] = float64(fp.FMA32(t, float32(f.axis[d]), float32(at.c[d])))
	}
	if u.cube && (p.c[0] < 0 || p.c[0] > 1 || p.c[1] < 0 || p.c[1] > 1) {
		x, y, z := cubeDirection(at.face, float64(2*p.c[0])-1, float64(2*p.c[1])-1)
		p.face = cubeFace(x, y, z)
		sc, tc, rc := cubeSelect(p.face, x, y, z)
		p.c = [3]float64{cubeCoord(sc, rc), cubeCoord(tc, rc), 0}
	}
	return p
}
