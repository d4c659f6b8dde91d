package gltf

import (
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// EnsureTangents gives the primitive tangents where its material needs them (for a normal
// texture, one of its clearcoat, or anisotropy) and the file has none; otherwise it changes nothing. Vertices that
// mirrored and unmirrored triangles share are split, so indices and vertex
// count may change, and strips and fans become triangle lists. It must not run
// concurrently with other uses of the primitive. The error says that
// Options.Budget does not suffice; the primitive is unchanged then.
//
// The result follows MikkTSpace, which glTF names: each corner contributes its
// triangle's tangent, projected on the plane of the vertex normal, weighted by
// the corner's angle in that plane; corners that agree in position, normal,
// texture coordinate and handedness are summed. Unlike MikkTSpace, corners that
// agree are summed even where their triangles do not share an edge. v counts
// upwards for this purpose, so that w = +1 where the image is not mirrored and
// the bitangent points to the top of the image.
func (p *Primitive) EnsureTangents() error {
	ref := p.Material.tangentTexture()
	for i := 0; ref == nil && i < len(p.Mappings); i++ { // a variant may need them
		ref = p.Mappings[i].Material.tangentTexture()
	}
	if p.Tangents != nil || p.Normals == nil || !p.IsTriangles() || ref == nil || ref.TexCoord >= len(p.TexCoords) {
		return nil
	}
	corners := 3 * int64(p.Triangles())
	// At most every vertex is split in two; per vertex also the maps below, per
	// corner its index, face data and group.
	need := budget.Mul(2*int64(p.Vertices()), p.vertexBytes()+16+80) + budget.Mul(corners, 4+4+16)
	if err := p.budget.Take(need); err != nil {
		return &Error{File: p.file, Place: p.place, Message: "computing tangents", Err: err}
	}
	b := tangentBuilder{prim: p, indices: p.TriangleList(), uv: transformed(p.TexCoords[ref.TexCoord], ref.Transform())}
	b.weld()
	b.faces()
	b.accumulate()
	b.split()
	kept := int64(p.Vertices())*p.vertexBytes() + 4*int64(len(p.Indices))
	p.budget.Drop(need - kept)
	budget.Keep(p.budget, kept, p)
	return nil
}

// transformed applies a texture transform: tangents follow the coordinates that
// the texture is read at.
func transformed(uv [][2]float32, m [6]float32) [][2]float32 {
	out := make([][2]float32, len(uv))
	for i, c := range uv {
		u, v := float64(c[0]), float64(c[1])
		out[i] = [2]float32{
			float32(float64(float64(m[0])*u) + float64(float64(m[1])*v) + float64(m[2])),
			float32(float64(float64(m[3])*u) + float64(float64(m[4])*v) + float64(m[5])),
		}
	}
	return out
}

// handedness of a triangle's texture coordinates.
type handedness uint8

const (
	unmirrored handedness = iota
	mirrored
	noArea // in texture space: takes no part, joins the neighbours' side
)

type tangentBuilder struct {
	prim    *Primitive
	indices []uint32 // three a triangle
	uv      [][2]float32
	group   []uint32        // by vertex: the first vertex that agrees with it
	side    []handedness    // by triangle
	tangent [][3]float32    // by triangle, direction of growing u
	sum     [][2][3]float64 // by group and side
	present [][2]bool       // by group and side: some triangle contributes
}

// vertexKey is what corners must agree in to be summed.
type vertexKey struct {
	position, normal [3]float32
	uv               [2]float32
}

func (b *tangentBuilder) weld() {
	p := b.prim
	first := make(map[vertexKey]uint32, len(p.Positions))
	b.group = make([]uint32, len(p.Positions))
	for v := range p.Positions {
		key := vertexKey{p.Positions[v], p.Normals[v], b.uv[v]}
		g, ok := first[key]
		if !ok {
			g = uint32(v)
			first[key] = g
		}
		b.group[v] = g
	}
}

// faces computes each triangle's tangent and handedness.
func (b *tangentBuilder) faces() {
	n := len(b.indices) / 3
	b.side = make([]handedness, n)
	b.tangent = make([][3]float32, n)
	for f := range n {
		i := b.indices[3*f:][:3]
		p0 := mat.Vec3(b.prim.Positions[i[0]])
		e1, e2 := mat.Vec3(b.prim.Positions[i[1]]).Sub(p0), mat.Vec3(b.prim.Positions[i[2]]).Sub(p0)
		u0, u1, u2 := b.uv[i[0]], b.uv[i[1]], b.uv[i[2]]
		s1, s2 := float64(u1[0])-float64(u0[0]), float64(u2[0])-float64(u0[0])
		// v upwards.
		t1, t2 := float64(u0[1])-float64(u1[1]), float64(u0[1])-float64(u2[1])
		area := float64(s1*t2) - float64(s2*t1)
		if area == 0 || area-area != 0 {
			b.side[f] = noArea
			continue
		}
		sign := 1.0
		if area < 0 {
			sign, b.side[f] = -1, mirrored
		}
		// dP/du = (t2·e1 - t1·e2) / area; only the direction counts. Scaling
		// by the larger t keeps it inside binary32.
		scale := math.Max(math.Abs(t1), math.Abs(t2))
		var d mat.Vec3
		for c := range d {
			d[c] = float32(sign * (float64(t2/scale*float64(e1[c])) - float64(t1/scale*float64(e2[c]))))
		}
		b.tangent[f] = d.Normalize()
		if b.tangent[f] == ([3]float32{}) {
			b.side[f] = noArea
		}
	}
}

// accumulate sums the corners' contributions.
func (b *tangentBuilder) accumulate() {
	p := b.prim
	b.sum = make([][2][3]float64, len(p.Positions))
	b.present = make([][2]bool, len(p.Positions))
	for f := range b.side {
		if b.side[f] == noArea {
			continue
		}
		i := b.indices[3*f:][:3]
		for k := range 3 {
			v := i[k]
			n := mat.Vec3(p.Normals[v])
			at := mat.Vec3(p.Positions[v])
			to1 := onPlane(mat.Vec3(p.Positions[i[(k+1)%3]]).Sub(at), n)
			to2 := onPlane(mat.Vec3(p.Positions[i[(k+2)%3]]).Sub(at), n)
			weight := mat.Acos(float64(to1.Dot(to2)))
			d := onPlane(b.tangent[f], n)
			g, side := b.group[v], b.side[f]
			for c := range d {
				b.sum[g][side][c] += float64(weight * float64(d[c]))
			}
			b.present[g][side] = true
		}
	}
}

// onPlane returns the direction of v's part at right angles to n.
func onPlane(v, n mat.Vec3) mat.Vec3 {
	return v.Sub(n.Scale(n.Dot(v))).Normalize()
}

// split writes indices and tangents; a vertex whose triangles differ in
// handedness becomes two.
func (b *tangentBuilder) split() {
	p := b.prim
	const unset = math.MaxUint32
	number := make([][2]uint32, len(p.Positions)) // by old vertex and side
	for v := range number {
		number[v] = [2]uint32{unset, unset}
	}
	var from []uint32
	var tangents [][4]float32
	for f := range b.side {
		for k := range 3 {
			v := b.indices[3*f+k]
			g := b.group[v]
			side := b.side[f]
			if side == noArea {
				side = unmirrored
				if !b.present[g][unmirrored] && b.present[g][mirrored] {
					side = mirrored
				}
			}
			if number[v][side] == unset {
				number[v][side] = uint32(len(from))
				from = append(from, v)
				tangents = append(tangents, b.result(v, g, side))
			}
			b.indices[3*f+k] = number[v][side]
		}
	}
	p.remap(from)
	p.Indices, p.Mode, p.Tangents = b.indices, Triangles, tangents
	if p.FlatNormals {
		// No vertex of an unindexed list is shared: the new order is the list's.
		p.Indices = nil
	}
}

func (b *tangentBuilder) result(v, g uint32, side handedness) [4]float32 {
	n := mat.Vec3(b.prim.Normals[v])
	s := b.sum[g][side]
	d := onPlane(mat.Vec3{float32(s[0]), float32(s[1]), float32(s[2])}, n)
	if d == (mat.Vec3{}) {
		d = mat.Perpendicular(n)
	}
	w := float32(1)
	if side == mirrored {
		w = -1
	}
	return [4]float32{d[0], d[1], d[2], w}
}
