package sampling

import "math"

// anisotropic is IMG-431…433 and IMG-560: λ_base and the probes along the major
// axis of the pixel's footprint.
//
// IMG-434, IMG-564, IMG-566
func (u *sampled) anisotropic(g *gradients) (float64, footprint) {
	var px, py [3]float64
	for i := range u.dims {
		px[i], py[i] = float64(g.x[i]*u.base[i]), float64(g.y[i]*u.base[i])
	}
	a, c, b := dot(&px, &px), dot(&py, &py), dot(&px, &py)
	d := a - c
	r := math.Sqrt(float64(d*d) + float64(4*float64(b*b)))
	max2 := float64((a + c + r) / 2)
	f := footprint{probes: 1, eta: 1}
	f.max2 = max2
	if !(max2 > 0) || max2 > math.MaxFloat64 {
		return 0.5 * log2(max2), f // a point, or not a number: isotropic
	}
	// η = ρ_max/ρ_min = ρ_max²/√(AC−B²).
	if area2 := float64(a*c) - float64(b*b); area2 > 0 {
		f.min2 = area2 / max2
		f.eta = min(max2/math.Sqrt(area2), u.aniso)
	} else {
		f.eta = u.aniso
	}
	f.eta = max(f.eta, 1)
	f.probes = max(1, int(math.Ceil(f.eta-1e-6)))
	ex, ey := axisOf(a, c, b, max2)
	for i := range u.dims {
		f.axis[i] = float64(ex*g.x[i]) + float64(ey*g.y[i])
	}
	return 0.5 * log2(float64(max2/float64(f.eta*f.eta))), f
}

// axisOf is IMG-560: the unit eigenvector of [[a,b],[b,c]] for max2.
func axisOf(a, c, b, max2 float64) (ex, ey float64) {
	switch {
	case b != 0:
		ex, ey = max2-c, b
		l := math.Sqrt(float64(ex*ex) + float64(ey*ey))
		return ex / l, ey / l
	case a >= c:
		return 1, 0
	default:
		return 0, 1
	}
}

func dot(a, b *[3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// place is where probe i of several lies on the axis.
//
// IMG-561
func (f *footprint) place(i int) float64 {
	return float64((1 - 1/f.eta) * (float64(float64(i)/float64(f.probes-1)) - 0.5))
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
		p.c[d] = at.c[d] + float64(t*f.axis[d])
	}
	if u.cube && (p.c[0] < 0 || p.c[0] > 1 || p.c[1] < 0 || p.c[1] > 1) {
		x, y, z := cubeDirection(at.face, float64(2*p.c[0])-1, float64(2*p.c[1])-1)
		p.face = cubeFace(x, y, z)
		sc, tc, rc := cubeSelect(p.face, x, y, z)
		p.c = [3]float64{cubeCoord(sc, rc), cubeCoord(tc, rc), 0}
	}
	return p
}
