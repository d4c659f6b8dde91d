// Package mat holds the small linear algebra that glTF needs: vectors,
// quaternions and 4×4 matrices in binary32, and vectors, boxes and matrices in
// binary64 for chains of transforms and for places in the world.
//
// Every function gives the same bits on every CPU: products are rounded
// explicitly before they are summed, so a compiler that fuses multiply and add
// cannot change a result, and the trigonometry is written here instead of taken
// from package math, whose Sin, Cos and Acos are assembly on some targets.
package mat

import "math"

// Vec3 is a point, direction or colour of three binary32 components.
type Vec3 [3]float32

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub returns a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Scale returns s·a.
func (a Vec3) Scale(s float32) Vec3 {
	return Vec3{float32(a[0] * s), float32(a[1] * s), float32(a[2] * s)}
}

// Dot returns the inner product, summed in binary64 and rounded once.
func (a Vec3) Dot(b Vec3) float32 { return float32(a.dot64(b)) }

// Cross returns the vector product a × b; each component is computed in
// binary64 (the products are exact there) and rounded once.
func (a Vec3) Cross(b Vec3) Vec3 {
	x, y, z := float64(a[0]), float64(a[1]), float64(a[2])
	u, v, w := float64(b[0]), float64(b[1]), float64(b[2])
	return Vec3{
		float32(float64(y*w) - float64(z*v)),
		float32(float64(z*u) - float64(x*w)),
		float32(float64(x*v) - float64(y*u)),
	}
}

// Length returns the Euclidean length. It does not overflow for finite a
// unless the length itself is beyond binary32.
func (a Vec3) Length() float32 { return float32(math.Sqrt(a.dot64(a))) }

// Normalize returns a at length 1, or the zero vector where a has no
// direction (zero, or not finite).
func (a Vec3) Normalize() Vec3 {
	l := math.Sqrt(a.dot64(a))
	if !(l > 0) || math.IsInf(l, 1) {
		return Vec3{}
	}
	return Vec3{float32(float64(a[0]) / l), float32(float64(a[1]) / l), float32(float64(a[2]) / l)}
}

func (a Vec3) dot64(b Vec3) float64 {
	return float64(float64(a[0])*float64(b[0])) +
		float64(float64(a[1])*float64(b[1])) +
		float64(float64(a[2])*float64(b[2]))
}

// Finite reports whether no component is NaN or infinite.
func (a Vec3) Finite() bool {
	for _, c := range a {
		if c-c != 0 {
			return false
		}
	}
	return true
}

// Double returns a in binary64, exactly.
func (a Vec3) Double() DVec3 { return DVec3{float64(a[0]), float64(a[1]), float64(a[2])} }

// DVec3 is Vec3 in binary64: places in a world that may be large, and far from its origin.
type DVec3 [3]float64

// Single returns a rounded to binary32.
func (a DVec3) Single() Vec3 { return Vec3{float32(a[0]), float32(a[1]), float32(a[2])} }

// Add returns a + b.
func (a DVec3) Add(b DVec3) DVec3 { return DVec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub returns a - b.
func (a DVec3) Sub(b DVec3) DVec3 { return DVec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Scale returns s·a.
func (a DVec3) Scale(s float64) DVec3 {
	return DVec3{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}

// Dot returns the inner product.
func (a DVec3) Dot(b DVec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// Cross returns the vector product a × b.
func (a DVec3) Cross(b DVec3) DVec3 {
	return DVec3{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// Length returns the Euclidean length.
func (a DVec3) Length() float64 { return math.Sqrt(a.Dot(a)) }

// Normalize returns a at length 1, or the zero vector where a has no direction (zero, not
// finite, or of a length that binary64 cannot hold).
func (a DVec3) Normalize() DVec3 {
	l := a.Length()
	if !(l > 0) || math.IsInf(l, 1) {
		return DVec3{}
	}
	return DVec3{a[0] / l, a[1] / l, a[2] / l}
}

// Finite reports whether no component is NaN or infinite.
func (a DVec3) Finite() bool {
	for _, c := range a {
		if c-c != 0 {
			return false
		}
	}
	return true
}

// Box is an axis-aligned box. A box whose Min exceeds its Max in any axis is
// empty; EmptyBox is the empty box that every point extends.
type Box struct{ Min, Max DVec3 }

// EmptyBox returns the box that holds nothing.
func EmptyBox() Box {
	inf := math.Inf(1)
	return Box{Min: DVec3{inf, inf, inf}, Max: DVec3{-inf, -inf, -inf}}
}

// Empty reports whether the box holds no point.
func (b Box) Empty() bool {
	return !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2])
}

// Extend grows the box to hold p; a p that is not finite is left out.
func (b *Box) Extend(p DVec3) {
	x, y, z := p[0], p[1], p[2]
	if (x-x)+(y-y)+(z-z) != 0 {
		return
	}
	b.Min[0], b.Max[0] = min(b.Min[0], x), max(b.Max[0], x)
	b.Min[1], b.Max[1] = min(b.Min[1], y), max(b.Max[1], y)
	b.Min[2], b.Max[2] = min(b.Min[2], z), max(b.Max[2], z)
}

// Union grows the box to hold o.
func (b *Box) Union(o Box) {
	if o.Empty() {
		return
	}
	b.Extend(o.Min)
	b.Extend(o.Max)
}

// Moved returns the box moved by d; an empty box stays empty.
func (b Box) Moved(d DVec3) Box { return Box{b.Min.Add(d), b.Max.Add(d)} }

// Corners returns the eight corners, x fastest.
func (b Box) Corners() [8]DVec3 {
	var c [8]DVec3
	for i := range c {
		c[i] = b.Min
		for k := range 3 {
			if i>>k&1 != 0 {
				c[i][k] = b.Max[k]
			}
		}
	}
	return c
}

// Center returns the middle of the box.
func (b Box) Center() DVec3 {
	var c DVec3
	for i := range c {
		c[i] = (b.Min[i] + b.Max[i]) / 2
	}
	return c
}

// Half returns half the extent of the box along each axis.
func (b Box) Half() DVec3 {
	var c DVec3
	for i := range c {
		c[i] = (b.Max[i] - b.Min[i]) / 2
	}
	return c
}
