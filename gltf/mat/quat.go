package mat

import "math"

// Quat is a rotation as a quaternion x, y, z, w (w the scalar part), glTF's
// order. Rotations are unit quaternions.
type Quat [4]float32

// Identity is the rotation by nothing.
func Identity() Quat { return Quat{0, 0, 0, 1} }

// Normalize returns q at length 1; ok is false where q has no direction (zero
// or not finite), and the identity is returned.
func (q Quat) Normalize() (unit Quat, ok bool) {
	return normalizeQuat([4]float64{float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])})
}

func normalizeQuat(v [4]float64) (Quat, bool) {
	l := math.Sqrt(dot4(v, v))
	if !(l > 0) || math.IsInf(l, 1) {
		return Identity(), false
	}
	return Quat{float32(v[0] / l), float32(v[1] / l), float32(v[2] / l), float32(v[3] / l)}, true
}

func dot4(a, b [4]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) + float64(a[3]*b[3])
}

// slerpLinear is the cosine above which Slerp interpolates linearly: the two
// agree below binary32 there, and sin(angle) would lose its bits.
const slerpLinear = 1 - 1e-10

// Slerp is the spherical linear interpolation of unit quaternions along the
// shorter arc, t in [0, 1]; the result is a unit quaternion.
func Slerp(a, b Quat, t float64) Quat {
	av := [4]float64{float64(a[0]), float64(a[1]), float64(a[2]), float64(a[3])}
	bv := [4]float64{float64(b[0]), float64(b[1]), float64(b[2]), float64(b[3])}
	d := dot4(av, bv)
	sign := 1.0
	if d < 0 {
		d, sign = -d, -1
	}
	wa, wb := 1-t, float64(sign*t)
	if d < slerpLinear {
		angle := Acos(d)
		s0, _ := SinCos(float64((1 - t) * angle))
		s1, _ := SinCos(float64(t * angle))
		// The common divisor sin(angle) falls to the normalisation below.
		wa, wb = s0, float64(sign*s1)
	}
	var v [4]float64
	for i := range v {
		v[i] = float64(av[i]*wa) + float64(bv[i]*wb)
	}
	q, _ := normalizeQuat(v)
	return q
}
