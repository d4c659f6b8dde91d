package gltf

import "github.com/pumice-gpu/pumice/gltf/mat"

// Deform applies the item's morph weights and joint matrices to the primitive's
// vertices. The results are in the space that Item.World leads to world from.
// Slices that nothing changes are the primitive's own: do not write to them.
// Normals and tangents are nil where the primitive has none. Where the
// primitive's normals are flat (FlatNormals), they are computed anew from the
// deformed faces, as glTF asks.
func (p *Primitive) Deform(item *Item) (positions, normals [][3]float32, tangents [][4]float32) {
	return p.DeformAbout(item, mat.Vec3{})
}

// DeformAbout is Deform with positions relative to a point of the space that Item.World leads
// from: to Item.Origin they are small numbers, which binary32 has more digits of. A skin's vertices
// are moved by it alone, whatever the point: pass Item.Origin, which is 0 there.
func (p *Primitive) DeformAbout(item *Item, origin mat.Vec3) (positions, normals [][3]float32, tangents [][4]float32) {
	positions, normals, tangents = p.Positions, p.Normals, p.Tangents
	skinned := p.skinned(item)
	if skinned {
		if origin = (mat.Vec3{}); p.morphs(item) {
			origin = p.Origin()
		}
	}
	if p.morphs(item) {
		positions, normals, tangents = p.morph(item.MorphWeights, origin)
	} else if origin != (mat.Vec3{}) {
		positions = about(positions, origin)
	}
	if skinned {
		positions, normals, tangents = p.skin(item.JointMatrices, origin, positions, normals, tangents)
	}
	if p.FlatNormals && p.Deforms(item) {
		normals = make([][3]float32, len(positions))
		flatNormals(positions, normals)
	}
	return positions, normals, tangents
}

// DeformBytes returns the memory that Deform takes at most.
func (p *Primitive) DeformBytes() int64 {
	each := int64(2 * 12) // what morphing makes, and then skinning
	if p.Normals != nil {
		each += 3 * 12 // flat ones are made once more
	}
	if p.Tangents != nil {
		each += 2 * 16
	}
	return int64(p.Vertices()) * each
}

// Deforms reports whether Deform would change anything: false means that the
// primitive's own vertices can be drawn with Item.World.
func (p *Primitive) Deforms(item *Item) bool { return p.morphs(item) || p.skinned(item) }

func (p *Primitive) morphs(item *Item) bool {
	for i := range p.Targets {
		if i < len(item.MorphWeights) && item.MorphWeights[i] != 0 {
			return true
		}
	}
	return false
}

func (p *Primitive) skinned(item *Item) bool {
	return len(item.JointMatrices) > 0 && len(p.Joints) > 0
}

// about returns positions relative to a point.
func about(positions [][3]float32, origin mat.Vec3) [][3]float32 {
	out := make([][3]float32, len(positions))
	for i, p := range positions {
		out[i] = mat.Vec3(p).Sub(origin)
	}
	return out
}

// morph returns base + Σ weight·target of the three vectors, positions relative to a point.
func (p *Primitive) morph(weights []float32, origin mat.Vec3) (positions, normals [][3]float32, tangents [][4]float32) {
	positions = about(p.Positions, origin)
	if p.Normals != nil {
		normals = append([][3]float32(nil), p.Normals...)
	}
	if p.Tangents != nil {
		tangents = append([][4]float32(nil), p.Tangents...)
	}
	for k := range p.Targets {
		t := &p.Targets[k]
		if k >= len(weights) || weights[k] == 0 {
			continue
		}
		w := weights[k]
		addScaled3(positions, t.Positions, w)
		if normals != nil {
			addScaled3(normals, t.Normals, w)
		}
		if tangents != nil {
			for i, v := range t.Tangents {
				for c := range 3 {
					tangents[i][c] += float32(v[c] * w)
				}
			}
		}
	}
	for i := range normals {
		normals[i] = mat.Vec3(normals[i]).Normalize()
	}
	for i := range tangents {
		tangents[i] = unitTangent(tangents[i])
	}
	return positions, normals, tangents
}

func addScaled3(dst, src [][3]float32, w float32) {
	for i, v := range src {
		for c := range 3 {
			dst[i][c] += float32(v[c] * w)
		}
	}
}

func unitTangent(t [4]float32) [4]float32 {
	v := mat.Vec3{t[0], t[1], t[2]}.Normalize()
	return [4]float32{v[0], v[1], v[2], t[3]}
}

// skin returns the vertices moved by the weighted sums of joint matrices; positions come
// relative to origin.
func (p *Primitive) skin(joints []mat.DMat4, origin mat.Vec3, positions, normals [][3]float32, tangents [][4]float32) ([][3]float32, [][3]float32, [][4]float32) {
	outP := make([][3]float32, len(positions))
	var outN [][3]float32
	var outT [][4]float32
	if normals != nil {
		outN = make([][3]float32, len(normals))
	}
	if tangents != nil {
		outT = make([][4]float32, len(tangents))
	}
	from := origin.Double()
	for i := range positions {
		m := p.blend(joints, i)
		outP[i] = m.Point(mat.Vec3(positions[i]).Double().Add(from)).Single()
		if normals != nil {
			outN[i] = mat.TransformNormal(m.NormalMatrix(), normals[i])
		}
		if tangents != nil {
			t := tangents[i]
			d := m.Direction(mat.Vec3{t[0], t[1], t[2]}.Double()).Normalize()
			outT[i] = [4]float32{float32(d[0]), float32(d[1]), float32(d[2]), t[3]}
			if m.Determinant3() < 0 { // the cross product of normal and tangent does not turn with them
				outT[i][3] = -t[3]
			}
		}
	}
	return outP, outN, outT
}

// blend returns the sum of joint matrices of a vertex over all sets.
func (p *Primitive) blend(joints []mat.DMat4, vertex int) (sum mat.DMat4) {
	for s := range p.Joints {
		j, w := &p.Joints[s][vertex], &p.Weights[s][vertex]
		for k := range 4 {
			if w[k] == 0 || int(j[k]) >= len(joints) {
				continue
			}
			weight := float64(w[k])
			m := &joints[j[k]]
			for e := range sum {
				sum[e] += float64(weight * m[e])
			}
		}
	}
	return sum
}

// MorphTexCoords returns texture coordinate set n with the item's morph
// weights applied: the primitive's own slice where no target changes it, nil
// where the primitive has no such set.
func (p *Primitive) MorphTexCoords(item *Item, n int) [][2]float32 {
	if n < 0 || n >= len(p.TexCoords) {
		return nil
	}
	out, own := p.TexCoords[n], true
	for k := range p.Targets {
		t := &p.Targets[k]
		if k >= len(item.MorphWeights) || item.MorphWeights[k] == 0 || n >= len(t.TexCoords) {
			continue
		}
		if own {
			out, own = append([][2]float32(nil), out...), false
		}
		for i, v := range t.TexCoords[n] {
			for c := range v {
				out[i][c] += float32(v[c] * item.MorphWeights[k])
			}
		}
	}
	return out
}

// MorphColors returns the vertex colours with the item's morph weights applied
// and clamped to 0 … 1, as glTF asks: the primitive's own slice where no target
// changes it.
func (p *Primitive) MorphColors(item *Item) [][4]float32 {
	out, own := p.Colors, true
	for k := range p.Targets {
		t := &p.Targets[k]
		if out == nil || k >= len(item.MorphWeights) || item.MorphWeights[k] == 0 || t.Colors == nil {
			continue
		}
		if own {
			out, own = append([][4]float32(nil), out...), false
		}
		for i, v := range t.Colors {
			for c := range v {
				out[i][c] += float32(v[c] * item.MorphWeights[k])
			}
		}
	}
	if own {
		return out
	}
	for i := range out {
		for c, v := range out[i] {
			out[i][c] = min(max(v, 0), 1)
		}
	}
	return out
}
