// Package mat holds the small linear algebra that glTF needs: vectors,
// quaternions and 4×4 matrices in binary32, and a binary64 matrix for chains
// of transforms.
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

// Box is an axis-aligned box. A box whose Min exceeds its Max in any axis is
// empty; EmptyBox is the empty box that every point extends.
type Box struct{ Min, Max Vec3 }

// EmptyBox returns the box that holds nothing.
func EmptyBox() Box {
	inf := float32(math.Inf(1))
	return Box{Min: Vec3{inf, inf, inf}, Max: Vec3{-inf, -inf, -inf}}
}

// Empty reports whether the box holds no point.
func (b Box) Empty() bool {
	return !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2])
}

// Extend grows the box to hold p; a p that is not finite is left out.
func (b *Box) Extend(p Vec3) {
	if !p.Finite() {
		return
	}
	for i, c := range p {
		if c < b.Min[i] {
			b.Min[i] = c
		}
		if c > b.Max[i] {
			b.Max[i] = c
		}
	}
}

// Union grows the box to hold o.
func (b *Box) Union(o Box) {
	if o.Empty() {
		return
	}
	b.Extend(o.Min)
	b.Extend(o.Max)
}

// Corners returns the eight corners, x fastest.
func (b Box) Corners() [8]Vec3 {
	var c [8]Vec3
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
func (b Box) Center() Vec3 {
	var c Vec3
	for i := range c {
		c[i] = float32((float64(b.Min[i]) + float64(b.Max[i])) / 2)
	}
	return c
}
