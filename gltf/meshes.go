package gltf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// loadMeshes resolves meshes and their primitives. One that is wrong is an error of the nodes that
// have it.
func (l *loader) loadMeshes() error {
	raws, wrong, err := looseList[rawMesh](l, "meshes")
	if err != nil {
		return err
	}
	l.wrongMeshes = wrong
	for i := range raws {
		m := &Mesh{Name: raws[i].Name}
		if wrong[i] == nil {
			wrong[i] = l.mesh(&raws[i], m, fmt.Sprintf("meshes[%d]", i))
		}
		if err := wrong[i]; err != nil {
			if l.fatal(err) {
				return err
			}
			m = &Mesh{Name: raws[i].Name}
		}
		l.doc.Meshes = append(l.doc.Meshes, m)
	}
	return nil
}

func (l *loader) mesh(raw *rawMesh, m *Mesh, place string) error {
	if len(raw.Primitives) == 0 {
		l.lose(place+".primitives", "is missing or empty")
	}
	prims, err := parseList[rawPrimitive](l, raw.Primitives, place+".primitives")
	if err != nil {
		return err
	}
	if err := l.take(int64(len(prims)), sizeOf[Primitive]()); err != nil {
		return l.fail(place+".primitives", err, "")
	}
	targets := 0
	for k := range prims {
		at := fmt.Sprintf("%s.primitives[%d]", place, k)
		if n := len(prims[k].Targets); n != targets && k > 0 {
			l.lose(at+".targets", "has %d morph targets, another primitive of the mesh has %d", n, targets)
		}
		targets = max(targets, len(prims[k].Targets))
		p, err := l.primitive(&prims[k], at)
		if err != nil {
			return err
		}
		m.Primitives = append(m.Primitives, p)
	}
	m.Weights = make([]float32, targets)
	l.nearVector(place+".weights", raw.Weights, m.Weights)
	return nil
}

func (l *loader) primitive(raw *rawPrimitive, place string) (*Primitive, error) {
	p := &Primitive{Mode: Triangles, maxJoint: None, budget: l.budget, place: place, file: l.file}
	if raw.Mode != nil {
		if *raw.Mode < 0 || *raw.Mode > integer(TriangleFan) {
			return nil, l.fail(place+".mode", nil, "%d is outside 0 … 6", *raw.Mode)
		}
		p.Mode = Mode(*raw.Mode)
	}
	if m := l.lostIndex(place+".material", raw.Material, len(l.doc.Materials), "materials"); m != None {
		p.Material = l.doc.Materials[m]
	} else {
		if l.fallback == nil {
			l.fallback = DefaultMaterial()
		}
		p.Material = l.fallback
	}
	if err := l.mappings(raw, p, place); err != nil {
		return nil, err
	}
	l.useMaterials(p)
	if l.emptyPrimitive(raw) {
		l.lose(place, "its accessors have no elements: the primitive is not drawn")
		return p, nil
	}
	if _, ok := raw.Attributes["POSITION"]; !ok {
		l.warn(place+".attributes", "has no POSITION: the primitive is not drawn")
		return p, nil
	}
	compressed, err := l.undraco(raw, p, place)
	if err != nil {
		return nil, err
	}
	set := attributeSet{file: raw.Attributes}
	l.nonfinite = false
	if l.folded = nil; compressed != nil {
		set.decoded = compressed.attributes
	} else {
		l.fold(raw, p, place)
	}
	if err := l.attributes(set, p, place+".attributes"); err != nil {
		return nil, err
	}
	if err := l.skinAttributes(set, p, place+".attributes"); err != nil {
		return nil, err
	}
	if compressed != nil {
		err = l.indicesOf(compressed.indices, p, place+".indices")
	} else {
		err = l.indices(raw, p, place+".indices")
	}
	if err != nil {
		return nil, err
	}
	for _, step := range []func(*rawPrimitive, *Primitive, string) error{l.targets, l.finite, l.normals} {
		if err := step(raw, p, place); err != nil {
			return nil, err
		}
		if p.Positions == nil { // none of them was finite
			return l.bare(p), nil
		}
	}
	l.checkPrimitive(p, place)
	return p, nil
}

// emptyPrimitive reports whether a primitive has no vertices or no indices, which are accessors of
// no elements.
func (l *loader) emptyPrimitive(raw *rawPrimitive) bool {
	empty := func(i integer, ok bool) bool {
		if !ok || i < 0 || i >= integer(l.files) || !l.accessors[i].empty {
			return false
		}
		l.accessors[i].used = true
		return true
	}
	at, ok := raw.Attributes["POSITION"]
	return empty(at, ok) || raw.Indices != nil && empty(*raw.Indices, true)
}

// attribute finds an attribute's accessor, None where there is none.
func (l *loader) attribute(set attributeSet, name, place string) (int, string, error) {
	at := place + "." + name
	if i, ok := set.decoded[name]; ok {
		return i, at, nil
	}
	v, ok := set.file[name]
	if !ok {
		return None, at, nil
	}
	i, err := l.accessorAt(at, &v)
	if err != nil {
		return None, at, err
	}
	return l.standIn(i), at, nil
}

// What core glTF and KHR_mesh_quantization take for each attribute.
var (
	acceptPosition = accept{types: typeVec3, floats: true, quantized: quantizedAny, nonfinite: true}
	acceptNormal   = accept{types: typeVec3, floats: true, quantized: quantizedNormalized, nonfinite: true, loosely: true}
	acceptTangent  = accept{types: typeVec4, floats: true, quantized: quantizedNormalized, nonfinite: true, loosely: true}
	acceptTexCoord = accept{types: typeVec2, floats: true, quantized: quantizedAny, nonfinite: true}
	acceptColor    = accept{types: typeVec3 | typeVec4, floats: true, normalized: true, nonfinite: true, loosely: true}
	acceptWeights  = accept{types: typeVec4, floats: true, normalized: true, nonfinite: true, loosely: true}

	acceptTargetVector = accept{types: typeVec3, floats: true, quantized: quantizedSigned, nonfinite: true}
)

// counted returns u for exactly n elements.
func (u accept) counted(n int) accept {
	u.count = n
	return u
}

// texCoordUse returns what TEXCOORD_n takes: core glTF takes normalised
// unsigned integers only, the other integers are quantised.
func texCoordUse(a *accessor) accept {
	u := acceptTexCoord
	u.normalized = a.comp == compUnsignedByte || a.comp == compUnsignedShort
	return u
}

// attributes resolves all attributes but joints and weights.
func (l *loader) attributes(list attributeSet, p *Primitive, place string) error {
	i, at, err := l.attribute(list, "POSITION", place)
	if err != nil {
		return err
	}
	if p.Positions, err = vectors[[3]float32](l, i, at, acceptPosition); err != nil {
		return err
	}
	if _, compressed := list.decoded["POSITION"]; !compressed {
		l.measure(i, at, p.Positions)
	}
	n := len(p.Positions)
	if i, at, err = l.attribute(list, "NORMAL", place); err != nil {
		return err
	} else if i != None {
		if p.Normals, err = vectors[[3]float32](l, i, at, acceptNormal.counted(n)); err != nil {
			return err
		}
	}
	if i, at, err = l.attribute(list, "TANGENT", place); err != nil {
		return err
	} else if i != None {
		if p.Tangents, err = vectors[[4]float32](l, i, at, acceptTangent.counted(n)); err != nil {
			return err
		}
	}
	if i, at, err = l.attribute(list, "COLOR_0", place); err != nil {
		return err
	} else if i != None {
		if p.Colors, err = l.colors(i, at, acceptColor.counted(n)); err != nil {
			return err
		}
	}
	if p.TexCoords, err = l.texCoords(list, n, place); err != nil {
		return err
	}
	for _, name := range list.names() {
		if !knownAttribute(name, len(p.TexCoords), list) {
			l.warn(place, "%s was ignored", quoted(name))
		}
	}
	return nil
}

// texCoords resolves TEXCOORD_0, TEXCOORD_1 and so on up to the first gap.
func (l *loader) texCoords(list attributeSet, n int, place string) ([][][2]float32, error) {
	var sets [][][2]float32
	for {
		uv, err := l.texCoord(list, len(sets), n, place)
		if err != nil || uv == nil {
			return sets, err
		}
		sets = append(sets, uv)
	}
}

// texCoord resolves one set, which is nil where the list has none.
func (l *loader) texCoord(list attributeSet, set, n int, place string) ([][2]float32, error) {
	i, at, err := l.attribute(list, fmt.Sprintf("TEXCOORD_%d", set), place)
	if err != nil || i == None {
		return nil, err
	}
	return vectors[[2]float32](l, i, at, texCoordUse(&l.accessors[i]).counted(n))
}

// knownAttribute reports whether an attribute was used or may be passed over
// in silence (application-specific ones).
func knownAttribute(name string, sets int, list attributeSet) bool {
	switch name {
	case "POSITION", "NORMAL", "TANGENT", "COLOR_0":
		return true
	}
	kind, number, _ := strings.Cut(name, "_")
	switch kind {
	case "":
		return true
	case "TEXCOORD":
		n, err := strconv.Atoi(number)
		return err == nil && n < sets
	case "JOINTS", "WEIGHTS":
		n, err := strconv.Atoi(number)
		if err != nil || n == 0 {
			return err == nil
		}
		return list.has(fmt.Sprintf("%s_%d", kind, n-1))
	}
	return false
}

// skinning is the checked skin attributes of one set of accessors; primitives
// often share them.
type skinning struct {
	joints   [][][4]uint16
	weights  [][][4]float32
	maxJoint int
}

// skinAttributes resolves JOINTS_n and WEIGHTS_n.
func (l *loader) skinAttributes(list attributeSet, p *Primitive, place string) error {
	n := len(p.Positions)
	var key strings.Builder
	s := &skinning{maxJoint: None}
	for {
		set := len(s.joints)
		j, atJ, err := l.attribute(list, fmt.Sprintf("JOINTS_%d", set), place)
		if err != nil {
			return err
		}
		w, atW, err := l.attribute(list, fmt.Sprintf("WEIGHTS_%d", set), place)
		if err != nil {
			return err
		}
		if j == None && w == None {
			break
		}
		if j == None || w == None {
			l.lose(place, "JOINTS_%d and WEIGHTS_%d must come together, and were ignored", set, set)
			break
		}
		joints, err := l.joints(j, atJ, n)
		if err != nil {
			return err
		}
		weights, err := vectors[[4]float32](l, w, atW, acceptWeights.counted(n))
		if err != nil {
			return err
		}
		s.joints, s.weights = append(s.joints, joints), append(s.weights, weights)
		fmt.Fprintf(&key, "%d,%d;", j, w)
	}
	if s.joints == nil {
		return nil
	}
	if known, ok := l.skinned[key.String()]; ok {
		s = known
	} else {
		_, compressed := list.decoded["WEIGHTS_0"]
		if err := l.checkSkinning(s, place, compressed); err != nil {
			return err
		}
		l.skinned[key.String()] = s
	}
	p.Joints, p.Weights, p.maxJoint = s.joints, s.weights, s.maxJoint
	return nil
}

// weightTolerance is how far from 1 the sum of a vertex's weights may lie
// before it is normalised: the rounding of 8-bit weights stays well inside.
const weightTolerance = 1e-4

// dracoTolerance is how far Draco's quantisation of four weights, to 8 bits or more,
// brings the sum from 1: nothing that people have to be told.
const dracoTolerance = 4.0 / 256

// checkSkinning finds the largest joint and brings the weights' sums to 1.
func (l *loader) checkSkinning(s *skinning, place string, compressed bool) error {
	told, negative, cloned := false, false, false
	cloneWeights := func() error { // which others may share
		for k := range s.weights {
			if cloned {
				break
			}
			if err := l.take(int64(len(s.weights[k])), 16); err != nil {
				return l.fail(place, err, "repairing weights")
			}
			s.weights[k] = slices.Clone(s.weights[k])
		}
		cloned = true
		return nil
	}
	for v := range s.weights[0] {
		sum := 0.0
		for k := range s.weights {
			for c, w := range s.weights[k][v] {
				if !(w >= 0 && w <= math.MaxFloat32) {
					if !negative {
						negative = true
						l.lose(fmt.Sprintf("%s.WEIGHTS_%d", place, k), "vertex %d has the weight %v, for which 0 stands", v, w)
					}
					if err := cloneWeights(); err != nil {
						return err
					}
					s.weights[k][v][c], w = 0, 0
				}
				sum += float64(w)
				if w != 0 {
					s.maxJoint = max(s.maxJoint, int(s.joints[k][v][c]))
				}
			}
		}
		if math.Abs(sum-1) <= weightTolerance {
			continue
		}
		if !told && (!compressed || math.Abs(sum-1) > dracoTolerance) {
			told = true
			l.lose(place, "the weights of vertex %d sum to %v: weights were normalised", v, sum)
		}
		if err := cloneWeights(); err != nil {
			return err
		}
		if sum == 0 {
			// As if bound to the first joint alone.
			s.weights[0][v][0] = 1
			s.maxJoint = max(s.maxJoint, int(s.joints[0][v][0]))
			continue
		}
		for k := range s.weights {
			for c := range s.weights[k][v] {
				s.weights[k][v][c] = float32(float64(s.weights[k][v][c]) / sum)
			}
		}
	}
	return nil
}

// indices resolves the index accessor.
func (l *loader) indices(raw *rawPrimitive, p *Primitive, at string) error {
	if raw.Indices == nil {
		return nil
	}
	i, err := l.accessorAt(at, raw.Indices)
	if err != nil {
		return err
	}
	return l.indicesOf(l.standIn(i), p, at)
}

// indicesOf decodes an accessor of indices.
func (l *loader) indicesOf(i int, p *Primitive, at string) (err error) {
	if p.Indices, err = l.uints(i, at); err != nil {
		return err
	}
	most, ok := l.largest[i]
	if !ok {
		most = slices.Max(p.Indices)
		l.largest[i] = most
	}
	if int64(most) >= int64(len(p.Positions)) {
		return l.fail(at, nil, "accessors[%d] holds index %d, out of range (%d vertices)", l.accessors[i].index, most, len(p.Positions))
	}
	if size := l.accessors[i].comp.size(); size < 4 && most == 1<<(8*size)-1 {
		l.lose(at, "accessors[%d] holds %d, by which primitives restart elsewhere: it was taken for the vertex", l.accessors[i].index, most)
	}
	return nil
}

// targets resolves the morph targets.
func (l *loader) targets(raw *rawPrimitive, p *Primitive, place string) error {
	if err := l.take(int64(len(raw.Targets)), sizeOf[MorphTarget]()); err != nil {
		return l.fail(place+".targets", err, "")
	}
	n := len(p.Positions)
	for k := range raw.Targets {
		list := attributeSet{file: raw.Targets[k]}
		at := fmt.Sprintf("%s.targets[%d]", place, k)
		var t MorphTarget
		for _, v := range []struct {
			name string
			out  *[][3]float32
		}{{"POSITION", &t.Positions}, {"NORMAL", &t.Normals}, {"TANGENT", &t.Tangents}} {
			i, where, err := l.attribute(list, v.name, at)
			if err != nil {
				return err
			}
			if i == None {
				continue
			}
			if *v.out, err = vectors[[3]float32](l, i, where, acceptTargetVector.counted(n)); err != nil {
				return err
			}
		}
		for set := range p.TexCoords { // of which a target may lack any
			uv, err := l.texCoord(list, set, n, at)
			if err != nil {
				return err
			}
			if uv != nil {
				t.TexCoords = append(t.TexCoords, make([][][2]float32, set-len(t.TexCoords))...)
				t.TexCoords = append(t.TexCoords, uv)
			}
		}
		i, where, err := l.attribute(list, "COLOR_0", at)
		if err != nil {
			return err
		}
		if i != None {
			if t.Colors, err = vectors[[4]float32](l, i, where, acceptColor.counted(n)); err != nil {
				return err
			}
		}
		p.Targets = append(p.Targets, t)
	}
	return nil
}

// checkPrimitive warns of what will look wrong but can be drawn.
func (l *loader) checkPrimitive(p *Primitive, place string) {
	n := p.elements()
	switch {
	case p.Mode == Lines && n%2 != 0, p.Mode == Triangles && n%3 != 0:
		l.warn(place, "%d vertices leave the last primitive incomplete: it is not drawn", n)
	case (p.Mode == LineLoop || p.Mode == LineStrip) && n < 2, p.Mode >= TriangleStrip && n < 3:
		l.warn(place, "%d vertices are too few: nothing is drawn", n)
	}
	m := p.Material
	for _, r := range []*TextureRef{m.BaseColorTexture, m.MetallicRoughnessTexture, m.NormalTexture, m.OcclusionTexture, m.EmissiveTexture} {
		if r != nil && r.TexCoord >= len(p.TexCoords) {
			l.warn(place, "has no TEXCOORD_%d, which its material's texture %d uses", r.TexCoord, r.Texture.Index)
			return
		}
	}
}
