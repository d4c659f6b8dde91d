package gltf

import (
	"slices"

	"github.com/pumice-gpu/pumice/budget"
)

// Mode is how a primitive's vertices form points, lines or triangles; the
// values are glTF's.
type Mode uint8

const (
	Points Mode = iota
	Lines
	LineLoop
	LineStrip
	Triangles
	TriangleStrip
	TriangleFan
)

// Primitive is a piece of geometry with one material. All vertex slices that
// are not nil have Vertices() elements.
type Primitive struct {
	Mode     Mode
	Indices  []uint32  // nil: vertices in order
	Material *Material // never nil

	// Positions is nil where the file has none: there is nothing to draw.
	Positions [][3]float32
	// Normals are unit vectors. Where the file has none they are computed flat
	// for triangles (then FlatNormals is set) and nil for points and lines.
	Normals   [][3]float32
	Tangents  [][4]float32   // xyz unit vector, w = ±1: bitangent = w·(normal × tangent)
	TexCoords [][][2]float32 // TEXCOORD_n; v points down in the image
	Colors    [][4]float32   // COLOR_0, linear, alpha 1 where the file has three components
	Joints    [][][4]uint16  // JOINTS_n, index into Skin.Joints
	Weights   [][][4]float32 // WEIGHTS_n; over all sets the weights of a vertex sum to 1
	Targets   []MorphTarget
	// Mappings are KHR_materials_variants': the materials of the variants that have
	// another than Material.
	Mappings []VariantMapping

	// FlatNormals says that Normals were computed, one per face: the primitive
	// is then an unindexed triangle list.
	FlatNormals bool

	boxes    boxCache
	maxJoint int            // largest joint index that has weight, or None
	budget   *budget.Budget // of the document
	place    string         // JSON path, for errors
	file     string
}

// VariantMapping says of what material a primitive is in some variants.
type VariantMapping struct {
	Material *Material
	Variants []int // in Document.Variants
}

// VariantMaterial returns the primitive's material in a variant, which may be None.
func (p *Primitive) VariantMaterial(variant int) *Material {
	if variant != None {
		for _, m := range p.Mappings {
			if slices.Contains(m.Variants, variant) {
				return m.Material
			}
		}
	}
	return p.Material
}

// MorphTarget holds what a morph target adds to each vertex at weight 1; nil
// slices add nothing.
type MorphTarget struct {
	Positions [][3]float32
	Normals   [][3]float32
	Tangents  [][3]float32
	TexCoords [][][2]float32 // at most as many sets as the primitive has
	Colors    [][4]float32
}

// Vertices returns the number of vertices.
func (p *Primitive) Vertices() int { return len(p.Positions) }

// elements returns the number of indices, or vertices where there are none.
func (p *Primitive) elements() int {
	if p.Indices != nil {
		return len(p.Indices)
	}
	return len(p.Positions)
}

// IsTriangles reports whether the primitive's mode forms triangles.
func (p *Primitive) IsTriangles() bool { return p.Mode >= Triangles }

// Each calls f with the vertex numbers of each point, line or triangle, in the winding that glTF gives
// strips and fans, until it returns false. The slice is f's until it returns.
func (p *Primitive) Each(f func(v []uint32) bool) {
	n := p.elements()
	corners := make([]uint32, 3)
	call := func(v ...uint32) bool { return f(corners[:copy(corners, v)]) }
	at := func(i int) uint32 {
		if p.Indices != nil {
			return p.Indices[i]
		}
		return uint32(i)
	}
	step, ok := 1, true
	switch p.Mode {
	case Points:
		for i := 0; i < n && ok; i++ {
			ok = call(at(i))
		}
	case Lines, LineLoop, LineStrip:
		if p.Mode == Lines {
			step = 2
		}
		for i := 0; i+1 < n && ok; i += step {
			ok = call(at(i), at(i+1))
		}
		if p.Mode == LineLoop && n > 1 && ok {
			call(at(n-1), at(0))
		}
	case Triangles:
		for i := 0; i+2 < n && ok; i += 3 {
			ok = call(at(i), at(i+1), at(i+2))
		}
	case TriangleStrip:
		for i := 0; i+2 < n && ok; i++ {
			ok = call(at(i), at(i+1+i%2), at(i+2-i%2))
		}
	case TriangleFan:
		for i := 1; i+1 < n && ok; i++ {
			ok = call(at(i), at(i+1), at(0))
		}
	}
}

// Triangles returns how many triangles the primitive forms: none of points and lines.
func (p *Primitive) Triangles() int {
	n := p.elements()
	switch p.Mode {
	case Triangles:
		return n / 3
	case TriangleStrip, TriangleFan:
		return max(n-2, 0)
	case Points, Lines, LineLoop, LineStrip:
	}
	return 0
}

// TriangleList returns the vertex numbers of the primitive's triangles, three
// each, whatever its mode; nil for points and lines. The slice is new.
func (p *Primitive) TriangleList() []uint32 {
	n := p.Triangles()
	if n == 0 {
		return nil
	}
	list := make([]uint32, 0, 3*n)
	p.Each(func(v []uint32) bool {
		list = append(list, v...)
		return true
	})
	return list
}

// vertexBytes returns the memory of one vertex in all its slices.
func (p *Primitive) vertexBytes() int64 {
	size := func(have bool, n int64) int64 {
		if have {
			return n
		}
		return 0
	}
	b := size(p.Positions != nil, 12) + size(p.Normals != nil, 12) + size(p.Tangents != nil, 16) +
		size(p.Colors != nil, 16) + 8*int64(len(p.TexCoords)) + 8*int64(len(p.Joints)) + 16*int64(len(p.Weights))
	for _, t := range p.Targets {
		b += size(t.Positions != nil, 12) + size(t.Normals != nil, 12) + size(t.Tangents != nil, 12) +
			size(t.Colors != nil, 16) + 8*int64(len(t.TexCoords))
	}
	return b
}

// remap replaces the vertices by those numbered in from (old numbers, one per
// new vertex) in new slices. The indices are left to the caller.
func (p *Primitive) remap(from []uint32) {
	p.Positions = pick(p.Positions, from)
	p.Normals = pick(p.Normals, from)
	p.Tangents = pick(p.Tangents, from)
	p.Colors = pick(p.Colors, from)
	p.TexCoords = pickAll(p.TexCoords, from)
	p.Joints = pickAll(p.Joints, from)
	p.Weights = pickAll(p.Weights, from)
	targets := make([]MorphTarget, len(p.Targets))
	for i, t := range p.Targets {
		targets[i] = MorphTarget{
			Positions: pick(t.Positions, from),
			Normals:   pick(t.Normals, from),
			Tangents:  pick(t.Tangents, from),
			TexCoords: pickAll(t.TexCoords, from),
			Colors:    pick(t.Colors, from),
		}
	}
	p.Targets = targets
}

func pick[T any](s []T, from []uint32) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(from))
	for i, v := range from {
		out[i] = s[v]
	}
	return out
}

func pickAll[T any](sets [][]T, from []uint32) [][]T {
	if sets == nil {
		return nil
	}
	out := make([][]T, len(sets))
	for i, s := range sets {
		out[i] = pick(s, from)
	}
	return out
}
