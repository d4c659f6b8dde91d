package mat

import "math"

// Mat4 is a 4×4 matrix of binary32 in column-major order: element (row r,
// column c) is m[4c+r], and a point is transformed as the column M·p.
type Mat4 [16]float32

// DMat4 is Mat4 in binary64, for chains of products that are rounded once.
type DMat4 [16]float64

// Identity4 returns the identity matrix.
func Identity4() Mat4 { return Mat4{0: 1, 5: 1, 10: 1, 15: 1} }

// DIdentity4 returns the identity matrix in binary64.
func DIdentity4() DMat4 { return DMat4{0: 1, 5: 1, 10: 1, 15: 1} }

// Double returns m in binary64, exactly.
func (m Mat4) Double() DMat4 {
	var d DMat4
	for i, v := range m {
		d[i] = float64(v)
	}
	return d
}

// Single returns m rounded to binary32.
func (m DMat4) Single() Mat4 {
	var s Mat4
	for i, v := range m {
		s[i] = float32(v)
	}
	return s
}

// Finite reports whether no element is NaN or infinite.
func (m Mat4) Finite() bool {
	for _, v := range m {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// Mul returns the product m·n: n is applied first.
func (m DMat4) Mul(n DMat4) DMat4 {
	var p DMat4
	for c := range 4 {
		for r := range 4 {
			p[4*c+r] = float64(m[r]*n[4*c]) + float64(m[4+r]*n[4*c+1]) +
				float64(m[8+r]*n[4*c+2]) + float64(m[12+r]*n[4*c+3])
		}
	}
	return p
}

// Mul returns the product m·n, computed in binary64 and rounded once.
func (m Mat4) Mul(n Mat4) Mat4 { return m.Double().Mul(n.Double()).Single() }

// FromTRS returns translation·rotation·scale; rotation is a unit quaternion.
func FromTRS(t DVec3, q Quat, s DVec3) DMat4 {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	xx, yy, zz := float64(x*x), float64(y*y), float64(z*z)
	xy, xz, yz := float64(x*y), float64(x*z), float64(y*z)
	wx, wy, wz := float64(w*x), float64(w*y), float64(w*z)
	sx, sy, sz := s[0], s[1], s[2]
	return DMat4{
		float64((1 - 2*(yy+zz)) * sx), float64(2 * (xy + wz) * sx), float64(2 * (xz - wy) * sx), 0,
		float64(2 * (xy - wz) * sy), float64((1 - 2*(xx+zz)) * sy), float64(2 * (yz + wx) * sy), 0,
		float64(2 * (xz + wy) * sz), float64(2 * (yz - wx) * sz), float64((1 - 2*(xx+yy)) * sz), 0,
		t[0], t[1], t[2], 1,
	}
}

// Translate returns the transform that moves by t.
func Translate(t DVec3) DMat4 {
	return DMat4{0: 1, 5: 1, 10: 1, 12: t[0], 13: t[1], 14: t[2], 15: 1}
}

// Translation returns where the transform takes the origin.
func (m *DMat4) Translation() DVec3 { return DVec3{m[12], m[13], m[14]} }

// Moved returns the transform followed by a move by d.
func (m DMat4) Moved(d DVec3) DMat4 {
	m[12], m[13], m[14] = m[12]+d[0], m[13]+d[1], m[14]+d[2]
	return m
}

// Scaled returns the transform followed by a scale by s, a factor for all axes.
func (m DMat4) Scaled(s float64) DMat4 {
	for c := range 4 {
		for r := range 3 {
			m[4*c+r] = float64(m[4*c+r] * s)
		}
	}
	return m
}

// Point returns the transformed point M·(p, 1), without a perspective divide.
func (m *DMat4) Point(p DVec3) DVec3 {
	x, y, z := p[0], p[1], p[2]
	return DVec3{
		float64(m[0]*x) + float64(m[4]*y) + float64(m[8]*z) + m[12],
		float64(m[1]*x) + float64(m[5]*y) + float64(m[9]*z) + m[13],
		float64(m[2]*x) + float64(m[6]*y) + float64(m[10]*z) + m[14],
	}
}

// Direction returns the transformed direction M·(v, 0).
func (m *DMat4) Direction(v DVec3) DVec3 {
	var o DVec3
	for r := range 3 {
		o[r] = float64(m[r]*v[0]) + float64(m[4+r]*v[1]) + float64(m[8+r]*v[2])
	}
	return o
}

// Point is that of DMat4, rounded once.
func (m Mat4) Point(p Vec3) Vec3 {
	d := m.Double()
	return d.Point(p.Double()).Single()
}

// Direction is that of DMat4, rounded once.
func (m Mat4) Direction(v Vec3) Vec3 {
	d := m.Double()
	return d.Direction(v.Double()).Single()
}

// Determinant3 returns the determinant of the upper left 3×3 part: negative
// where the transform mirrors.
func (m *DMat4) Determinant3() float64 {
	c := m.cofactors3()
	return float64(m[0]*c[0]) + float64(m[1]*c[1]) + float64(m[2]*c[2])
}

// cofactors3 returns the cofactor matrix of the upper left 3×3 part, column
// major: det·inverse-transpose.
func (m *DMat4) cofactors3() [9]float64 {
	minor := func(a, b, c, e int) float64 { return float64(m[a]*m[b]) - float64(m[c]*m[e]) }
	return [9]float64{
		minor(5, 10, 6, 9), minor(6, 8, 4, 10), minor(4, 9, 5, 8),
		minor(2, 9, 1, 10), minor(0, 10, 2, 8), minor(1, 8, 0, 9),
		minor(1, 6, 2, 5), minor(2, 4, 0, 6), minor(0, 5, 1, 4),
	}
}

// NormalMatrix returns the matrix that carries normals, column-major 3×3: the
// inverse transpose of the upper left part up to a positive factor. The
// transformed normal needs normalising. It exists for singular transforms too
// (it is the cofactor matrix, its sign that of the determinant).
func (m *DMat4) NormalMatrix() [9]float32 {
	c := m.cofactors3()
	// The largest element is scaled to 1, so that tiny transforms do not
	// underflow binary32.
	largest := 0.0
	for _, v := range c {
		largest = max(largest, math.Abs(v))
	}
	var n [9]float32
	if !(largest > 0) || math.IsInf(largest, 1) {
		return n
	}
	if m.Determinant3() < 0 {
		largest = -largest
	}
	for i, v := range c {
		n[i] = float32(v / largest)
	}
	return n
}

// TransformNormal applies a matrix from NormalMatrix and normalises.
func TransformNormal(n [9]float32, v Vec3) Vec3 {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	var o Vec3
	for r := range 3 {
		o[r] = float32(float64(float64(n[r])*x) + float64(float64(n[3+r])*y) + float64(float64(n[6+r])*z))
	}
	return o.Normalize()
}

// Inverse returns the inverse of m by Gauss-Jordan elimination with partial
// pivoting; ok is false where m is singular, and the identity is returned.
func (m DMat4) Inverse() (inv DMat4, ok bool) {
	a, b := m, DIdentity4()
	for col := range 4 {
		pivot := col
		for r := col + 1; r < 4; r++ {
			if math.Abs(a[4*col+r]) > math.Abs(a[4*col+pivot]) {
				pivot = r
			}
		}
		p := a[4*col+pivot]
		if p == 0 || p-p != 0 {
			return DIdentity4(), false
		}
		for c := range 4 {
			a[4*c+col], a[4*c+pivot] = a[4*c+pivot], a[4*c+col]
			b[4*c+col], b[4*c+pivot] = b[4*c+pivot], b[4*c+col]
			a[4*c+col] /= p
			b[4*c+col] /= p
		}
		for r := range 4 {
			f := a[4*col+r]
			if r == col || f == 0 {
				continue
			}
			for c := range 4 {
				a[4*c+r] -= float64(f * a[4*c+col])
				b[4*c+r] -= float64(f * b[4*c+col])
			}
		}
	}
	return b, true
}

// Inverse returns the inverse of m, computed in binary64; ok is false where m
// is singular, and the identity is returned.
func (m Mat4) Inverse() (inv Mat4, ok bool) {
	d, ok := m.Double().Inverse()
	return d.Single(), ok
}
