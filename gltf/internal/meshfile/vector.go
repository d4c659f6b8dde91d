package meshfile

import (
	"math"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// vec is a place or a direction, in binary64.
type vec = mat.DVec3

func wide(v [3]float32) vec { return mat.Vec3(v).Double() }

// direction returns the unit vector along a vector, and whether it has one. It is scaled first, so that no square leaves binary64.
func direction(a vec) ([3]float32, bool) {
	m := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2]))
	if !(m > 0 && m <= math.MaxFloat64) {
		return [3]float32{0, 0, 1}, false
	}
	return vec{a[0] / m, a[1] / m, a[2] / m}.Normalize().Single(), true
}

// triangleNormal is twice the area of a triangle, along its normal by the right-hand rule.
func triangleNormal(a, b, c [3]float32) vec {
	o := wide(a)
	return wide(b).Sub(o).Cross(wide(c).Sub(o))
}
