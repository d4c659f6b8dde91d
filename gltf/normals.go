package gltf

import "github.com/pumice-gpu/pumice/gltf/mat"

// normals brings given normals to length 1, and computes flat normals for
// triangles that have none, as the specification asks: each face gets its own
// vertices, and given tangents are ignored.
func (l *loader) normals(_ *rawPrimitive, p *Primitive, place string) error {
	if p.Normals != nil {
		return l.unitNormals(p, place)
	}
	p.Tangents = nil
	if !p.IsTriangles() {
		return nil
	}
	count := 3 * int64(p.Triangles())
	// Per vertex: its slices, its normal and its old number.
	if err := l.take(count, p.vertexBytes()+12+4); err != nil {
		return l.fail(place, err, "computing flat normals for %d vertices", count)
	}
	p.remap(p.TriangleList())
	p.Indices, p.Mode, p.FlatNormals = nil, Triangles, true
	p.Normals = make([][3]float32, len(p.Positions))
	flatNormals(p.Positions, p.Normals)
	return nil
}

// flatNormals writes the face normal of each triangle of an unindexed list to
// its three vertices. A triangle without area gets +z: it covers nothing.
func flatNormals(positions, normals [][3]float32) {
	for i := 0; i+2 < len(positions); i += 3 {
		a, b, c := mat.Vec3(positions[i]), mat.Vec3(positions[i+1]), mat.Vec3(positions[i+2])
		n := unitNormal(b.Sub(a), c.Sub(a))
		normals[i], normals[i+1], normals[i+2] = n, n, n
	}
}

// unitNormal returns the direction of u × v, or +z where it has none. The
// edges are brought to length 1 first, so that tiny and huge triangles keep
// their normals.
func unitNormal(u, v mat.Vec3) mat.Vec3 {
	n := u.Normalize().Cross(v.Normalize()).Normalize()
	if n == (mat.Vec3{}) {
		return mat.Vec3{0, 0, 1}
	}
	return n
}

// lengthTolerance is how far from 1 the squared length of a normal may lie
// before it is brought to 1; files round.
const lengthTolerance = 1e-5

// unitNormals brings normals and tangents to length 1, in new slices where one
// is off (quantised ones always are). The originals may be shared.
func (l *loader) unitNormals(p *Primitive, place string) error {
	off := func(v mat.Vec3) bool {
		d := v.Dot(v) - 1
		return !(d < lengthTolerance && d > -lengthTolerance)
	}
	for i := range p.Normals {
		if !off(p.Normals[i]) {
			continue
		}
		if err := l.take(int64(len(p.Normals)), 12); err != nil {
			return l.fail(place, err, "normalising normals")
		}
		out := make([][3]float32, len(p.Normals))
		for k, n := range p.Normals {
			out[k] = mat.Vec3(n).Normalize()
			if out[k] == ([3]float32{}) {
				out[k] = [3]float32{0, 0, 1}
			}
		}
		p.Normals = out
		break
	}
	for _, t := range p.Tangents {
		sign := t[3] == 1 || t[3] == -1
		if sign && !off(mat.Vec3{t[0], t[1], t[2]}) {
			continue
		}
		if err := l.take(int64(len(p.Tangents)), 16); err != nil {
			return l.fail(place, err, "normalising tangents")
		}
		out := make([][4]float32, len(p.Tangents))
		for k, t := range p.Tangents {
			out[k] = unitTangent(t)
			if out[k][0] == 0 && out[k][1] == 0 && out[k][2] == 0 {
				d := mat.Perpendicular(p.Normals[k])
				out[k] = [4]float32{d[0], d[1], d[2], t[3]}
			}
			out[k][3] = 1
			if t[3] < 0 {
				out[k][3] = -1
			}
		}
		p.Tangents = out
		break
	}
	return nil
}
