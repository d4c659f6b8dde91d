package radiance

import "math"

// chromaticities are x and y of red, green, blue and white.
type chromaticities [8]float64

// rec709 are those of files that tell none, and of the pictures that are made.
var rec709 = chromaticities{0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290}

type matrix [3][3]float64

func (m *matrix) times(v [3]float64) (out [3]float64) {
	for i := range m {
		out[i] = float64(m[i][0]*v[0]) + float64(m[i][1]*v[1]) + float64(m[i][2]*v[2])
	}
	return out
}

func (m *matrix) product(n *matrix) (out matrix) {
	for c := range 3 {
		column := m.times([3]float64{n[0][c], n[1][c], n[2][c]})
		for r := range 3 {
			out[r][c] = column[r]
		}
	}
	return out
}

// inverse returns false where there is none.
func (m *matrix) inverse() (out matrix, ok bool) {
	minor := func(r, c int) float64 {
		r0, r1, c0, c1 := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return float64(m[r0][c0]*m[r1][c1]) - float64(m[r0][c1]*m[r1][c0])
	}
	determinant := float64(m[0][0]*minor(0, 0)) + float64(m[0][1]*minor(0, 1)) + float64(m[0][2]*minor(0, 2))
	for r := range 3 {
		for c := range 3 {
			out[c][r] = minor(r, c) / determinant
		}
	}
	return out, math.Abs(determinant) > 1e-9 // not where it is NaN
}

// toXYZ returns the matrix from red, green and blue to CIE XYZ in which white has the luminance 1, or false where the
// chromaticities are no triangle around white.
func (c *chromaticities) toXYZ() (matrix, bool) {
	var primaries matrix
	for i := range 3 {
		x, y := c[2*i], c[2*i+1]
		primaries[0][i], primaries[1][i], primaries[2][i] = x, y, 1-x-y
	}
	inverse, ok := primaries.inverse()
	if !ok || !(c[7] > 1e-6) {
		return matrix{}, false
	}
	scale := inverse.times(c.white())
	for i := range 3 {
		if !(scale[i] > 1e-9 && scale[i] < 1e9) {
			return matrix{}, false
		}
		for r := range 3 {
			primaries[r][i] *= scale[i]
		}
	}
	return primaries, true
}

// white returns XYZ of white, of luminance 1.
func (c *chromaticities) white() [3]float64 {
	return [3]float64{c[6] / c[7], 1, (1 - c[6] - c[7]) / c[7]}
}

// near tells whether no chromaticity is off by more than rounding to three digits.
func (c *chromaticities) near(o *chromaticities) bool {
	for i := range c {
		if !(math.Abs(c[i]-o[i]) <= 0.00051) {
			return false
		}
	}
	return true
}

// bradford is from XYZ to responses of the eye, which are scaled where white changes (Lindbloom, “Chromatic
// Adaptation”; the transform of ICC profiles).
var bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}

// toRec709 returns the matrix from colours of c to those of Rec. 709 in which white stays white.
func (c *chromaticities) toRec709() (matrix, bool) {
	from, ok := c.toXYZ()
	to, _ := rec709.toXYZ()
	if !ok {
		return matrix{}, false
	}
	cones, _ := bradford.inverse()
	want, have := bradford.times(rec709.white()), bradford.times(c.white())
	var scale matrix
	for i := range 3 {
		if scale[i][i] = want[i] / have[i]; !(scale[i][i] > 0.01 && scale[i][i] < 100) {
			return matrix{}, false
		}
	}
	m := scale.product(&bradford)
	m = cones.product(&m)
	m = m.product(&from)
	back, _ := to.inverse()
	return back.product(&m), true
}

// toRec709 makes light of the numbers of a picture: of the primaries of Rec. 709, finite and not negative.
func (d *decoder) toRec709(img *Image, c *chromaticities) {
	convert := func(p []float32) {}
	if c != nil && !c.near(&rec709) {
		if m, ok := c.toRec709(); ok {
			d.warn("colours are converted from the file's primaries (chromaticities) to those of Rec. 709")
			convert = func(p []float32) {
				v := m.times([3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
				p[0], p[1], p[2] = float32(v[0]), float32(v[1]), float32(v[2])
			}
		} else {
			d.lose("the file's primaries (chromaticities) are no colours: those of Rec. 709 are taken")
		}
	}
	for i := 0; i < len(img.Pixels); i += 3 {
		p := img.Pixels[i : i+3 : i+3]
		convert(p)
		p[0], p[1], p[2] = light(p[0]), light(p[1]), light(p[2])
	}
}
