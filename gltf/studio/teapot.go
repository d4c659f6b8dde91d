package studio

import (
	"math"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// The Utah teapot is 32 bicubic Bézier patches: surfaces of revolution for
// body, lid and bottom (each profile gives four patches), and half tubes for
// handle and spout (each gives two, mirrored). Newell's figures, z up, in the
// units of the original: 3.15 high.

// profile is one patch row: four points (radius, height), from the top down
// along the outside.
type profile [4][2]float64

var teapotProfiles = [6]profile{
	{{0, 3.15}, {0.8, 3.15}, {0, 2.85}, {0.2, 2.7}},                // knob
	{{0.2, 2.7}, {0.4, 2.55}, {1.3, 2.55}, {1.3, 2.4}},             // lid
	{{1.4, 2.4}, {1.3375, 2.53125}, {1.4375, 2.53125}, {1.5, 2.4}}, // rim
	{{1.5, 2.4}, {1.75, 1.875}, {2, 1.35}, {2, 0.9}},               // upper body
	{{2, 0.9}, {2, 0.45}, {1.5, 0.225}, {1.5, 0.15}},               // lower body
	{{1.5, 0.15}, {1.5, 0.075}, {1.425, 0}, {0, 0}},                // bottom
}

// ring is one cross-section of a half tube: its inner and outer point in the
// plane y = 0 and its half width.
type ring struct{ innerX, innerZ, outerX, outerZ, width float64 }

var teapotTubes = [4][4]ring{
	{ // handle, upper part
		{-1.6, 2.025, -1.5, 2.25, 0.3}, {-2.3, 2.025, -2.5, 2.25, 0.3},
		{-2.7, 2.025, -3, 2.25, 0.3}, {-2.7, 1.8, -3, 1.8, 0.3},
	},
	{ // handle, lower part
		{-2.7, 1.8, -3, 1.8, 0.3}, {-2.7, 1.575, -3, 1.35, 0.3},
		{-2.5, 1.125, -2.65, 0.9375, 0.3}, {-2, 0.9, -1.9, 0.6, 0.3},
	},
	{ // spout
		{1.7, 1.425, 1.7, 0.6, 0.66}, {2.6, 1.425, 3.1, 0.825, 0.66},
		{2.3, 2.1, 2.4, 2.025, 0.25}, {2.7, 2.4, 3.3, 2.4, 0.25},
	},
	{ // spout's lip
		{2.7, 2.4, 3.3, 2.4, 0.25}, {2.8, 2.475, 3.525, 2.49375, 0.25},
		{2.9, 2.475, 3.45, 2.5125, 0.15}, {2.8, 2.4, 3.2, 2.4, 0.15},
	},
}

type vec [3]float64 // z up

// patch is the control points of a bicubic Bézier patch.
type patch [4][4]vec

// quarter is where the inner control points of a quarter circle stand: the
// figure of the original, a little short of a true circle's 0.5523.
const quarter = 0.56

// teapotPatches returns the 32 patches. Seen from outside, row index down and
// column index to the right turn the same way in all of them.
func teapotPatches() []patch {
	var patches []patch
	for _, rows := range teapotProfiles {
		for turn := range 4 {
			var p patch
			for i, rz := range rows {
				r := rz[0]
				for j, xy := range [4][2]float64{{r, 0}, {r, quarter * r}, {quarter * r, r}, {0, r}} {
					for range turn {
						xy = [2]float64{-xy[1], xy[0]}
					}
					p[i][j] = vec{xy[0], xy[1], rz[1]}
				}
			}
			patches = append(patches, p)
		}
	}
	for _, rings := range teapotTubes {
		for _, side := range [2]float64{1, -1} {
			var p patch
			for i, r := range rings {
				w := side * r.width
				row := [4]vec{
					{r.innerX, 0, r.innerZ}, {r.innerX, w, r.innerZ},
					{r.outerX, w, r.outerZ}, {r.outerX, 0, r.outerZ},
				}
				if side < 0 { // a mirrored patch turns the other way
					row[0], row[1], row[2], row[3] = row[3], row[2], row[1], row[0]
				}
				p[i] = row
			}
			patches = append(patches, p)
		}
	}
	return patches
}

// bernstein returns the cubic weights at t and their derivatives.
func bernstein(t float64) (w, d [4]float64) {
	s := 1 - t
	w = [4]float64{float64(s*s) * s, 3 * float64(s*s) * t, 3 * float64(s*t) * t, float64(t*t) * t}
	d = [4]float64{-3 * float64(s*s), float64(3*float64(s*s)) - float64(6*float64(s*t)), float64(6*float64(s*t)) - float64(3*float64(t*t)), 3 * float64(t*t)}
	return w, d
}

// at returns the sum of the control points under the two rows of weights.
func (p *patch) at(u, v [4]float64) vec {
	var sum vec
	for i := range 4 {
		for j := range 4 {
			w := float64(u[i] * v[j])
			for k := range 3 {
				sum[k] += float64(w * p[i][j][k])
			}
		}
	}
	return sum
}

func cross(a, b vec) vec {
	return vec{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

func length(a vec) float64 {
	return math.Sqrt(float64(a[0]*a[0]) + float64(a[1]*a[1]) + float64(a[2]*a[2]))
}

// normal returns the unit normal at (s, t). At the poles, where a whole row of
// control points is one point, it is taken a little way off.
func (p *patch) normal(s, t float64) vec {
	for _, step := range [...]float64{0, 1e-4, 1e-3} {
		u, du := bernstein(s + float64(step*(1-float64(2*s))))
		v, dv := bernstein(t)
		n := cross(p.at(du, v), p.at(u, dv))
		if l := length(n); l > 1e-7 {
			return vec{n[0] / l, n[1] / l, n[2] / l}
		}
	}
	return vec{0, 0, 1}
}

// teapotPrimitive tessellates every patch into steps × steps quads. y is up,
// the teapot stands on y = 0.
func teapotPrimitive(steps int) *gltf.Primitive {
	out := &gltf.Primitive{Mode: gltf.Triangles}
	yUp := func(v vec) [3]float32 { return mat.Vec3{float32(v[0]), float32(v[2]), float32(-v[1])} }
	for _, p := range teapotPatches() {
		base := uint32(len(out.Positions))
		for i := range steps + 1 {
			s := float64(i) / float64(steps)
			u, _ := bernstein(s)
			for j := range steps + 1 {
				t := float64(j) / float64(steps)
				v, _ := bernstein(t)
				out.Positions = append(out.Positions, yUp(p.at(u, v)))
				out.Normals = append(out.Normals, yUp(p.normal(s, t)))
			}
		}
		row := uint32(steps + 1)
		for i := range uint32(steps) {
			for j := range uint32(steps) {
				a := base + i*row + j
				out.Indices = append(out.Indices, a, a+row, a+1, a+1, a+row, a+row+1)
			}
		}
	}
	return out
}
