package meshfile

import "math"

type vec [3]float64

func wide(v [3]float32) vec { return vec{float64(v[0]), float64(v[1]), float64(v[2])} }

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vec) dot(b vec) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func (a vec) cross(b vec) vec {
	return vec{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// normal returns the direction of a vector, and whether it has one. It is scaled first, so that no square leaves binary64.
func (a vec) normal() ([3]float32, bool) {
	m := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2]))
	if !(m > 0 && m <= math.MaxFloat64) {
		return [3]float32{0, 0, 1}, false
	}
	a = vec{a[0] / m, a[1] / m, a[2] / m}
	l := math.Sqrt(a.dot(a))
	return [3]float32{float32(a[0] / l), float32(a[1] / l), float32(a[2] / l)}, true
}

// triangleNormal is twice the area of a triangle, along its normal by the right-hand rule.
func triangleNormal(a, b, c [3]float32) vec {
	o := wide(a)
	return wide(b).sub(o).cross(wide(c).sub(o))
}
