package mat

import "math"

// The projections lead from view space as glTF's cameras see it (right-handed,
// x right, y up, looking along -z) to Vulkan's clip space: x right, y down,
// depth 0 at the near plane and w at the far plane.

// Perspective returns a perspective projection. yfov is the full vertical angle
// of view in radians, aspect is width over height, near and far are positive
// distances; far = 0 or +Inf gives the infinite projection.
func Perspective(yfov, aspect, near, far float64) Mat4 {
	return DPerspective(Tan(yfov/2), aspect, near, far).Single()
}

// DPerspective is Perspective in binary64, given the tangent of half the angle.
func DPerspective(tanHalf, aspect, near, far float64) DMat4 {
	f := 1 / tanHalf
	m := DMat4{0: f / aspect, 5: -f, 11: -1}
	if far == 0 || math.IsInf(far, 1) {
		m[10] = -1
		m[14] = -near
	} else {
		m[10] = far / (near - far)
		m[14] = float64(near*far) / (near - far)
	}
	return m
}

// Orthographic returns an orthographic projection of the view volume
// [-xmag, xmag] × [-ymag, ymag] between the distances near and far.
func Orthographic(xmag, ymag, near, far float64) Mat4 {
	return DOrthographic(xmag, ymag, near, far).Single()
}

// DOrthographic is Orthographic in binary64.
func DOrthographic(xmag, ymag, near, far float64) DMat4 {
	d := near - far
	return DMat4{0: 1 / xmag, 5: -1 / ymag, 10: 1 / d, 14: near / d, 15: 1}
}

// LookAt returns the view matrix of an eye that looks at target with the given
// up direction. Where up is parallel to the view direction, another axis takes
// its place.
func LookAt(eye, target, up Vec3) Mat4 {
	return DLookAt(eye.Double(), target.Double(), up.Double()).Single()
}

// DLookAt is LookAt in binary64.
func DLookAt(eye, target, up DVec3) DMat4 {
	back := eye.Sub(target).Normalize()
	if back == (DVec3{}) {
		back = DVec3{0, 0, 1}
	}
	right := up.Normalize().Cross(back)
	// Nearer than this to the view direction up says nothing but rounding.
	if right = right.Normalize(); right == (DVec3{}) || math.Abs(up.Normalize().Dot(back)) > 1-1e-14 {
		right = Perpendicular(back.Single()).Double()
		right = right.Sub(back.Scale(right.Dot(back))).Normalize()
	}
	u := back.Cross(right).Normalize()
	return DMat4{
		right[0], u[0], back[0], 0,
		right[1], u[1], back[1], 0,
		right[2], u[2], back[2], 0,
		-right.Dot(eye), -u.Dot(eye), -back.Dot(eye), 1,
	}
}

// Perpendicular returns some unit vector at right angles to the unit vector n.
func Perpendicular(n Vec3) Vec3 {
	axis := Vec3{1, 0, 0}
	if n[0] > 0.9 || n[0] < -0.9 {
		axis = Vec3{0, 1, 0}
	}
	return n.Cross(axis).Cross(n).Normalize()
}
