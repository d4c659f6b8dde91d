package studio

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// uvSlots is how many UV sets one primitive's material may read.
const uvSlots = 4

// A vertex is position, normal, tangent, four UV sets and colour: the inputs
// of mesh.vert.
const (
	vertexFloats = 3 + 3 + 4 + 2*uvSlots + 4
	vertexStride = 4 * vertexFloats
)

// vertexInput describes the vertex to a pipeline.
func vertexInput() ([]vk.VertexInputBindingDescription, []vk.VertexInputAttributeDescription) {
	bindings := []vk.VertexInputBindingDescription{{Binding: 0, Stride: vertexStride, InputRate: vk.VertexInputRateVertex}}
	var attributes []vk.VertexInputAttributeDescription
	offset := uint32(0)
	for location, floats := range []uint32{3, 3, 4, 4, 4, 4} {
		format := vk.FormatR32G32B32A32Sfloat
		if floats == 3 {
			format = vk.FormatR32G32B32Sfloat
		}
		attributes = append(attributes, vk.VertexInputAttributeDescription{
			Location: uint32(location), Binding: 0, Format: format, Offset: offset,
		})
		offset += 4 * floats
	}
	return bindings, attributes
}

// uvMap assigns the UV sets that a material reads to slots.
type uvMap struct {
	sets []int
}

// slot returns the slot of the UV set, taking a new one if needed.
func (m *uvMap) slot(set int) (int, error) {
	for i, s := range m.sets {
		if s == set {
			return i, nil
		}
	}
	if len(m.sets) == uvSlots {
		return 0, fmt.Errorf("material reads more than %d UV sets of one primitive", uvSlots)
	}
	m.sets = append(m.sets, set)
	return len(m.sets) - 1, nil
}

// vertices is what the vertices of a primitive are made of. Slices that the primitive lacks are nil.
type vertices struct {
	positions, normals [][3]float32
	tangents, colors   [][4]float32
	texCoords          [uvSlots][][2]float32
}

// resting returns the vertices as the file has them, with the UV sets of a material.
func resting(p *gltf.Primitive, uvs uvMap) vertices {
	v := vertices{positions: p.Positions, normals: p.Normals, tangents: p.Tangents, colors: p.Colors}
	for slot, set := range uvs.sets {
		if set < len(p.TexCoords) {
			v.texCoords[slot] = p.TexCoords[set]
		}
	}
	return v
}

// deformed returns the vertices where an item's morph targets and joints put them, relative to its origin.
func deformed(item *gltf.Item, uvs uvMap) (v vertices) {
	p := item.Primitive
	v.positions, v.normals, v.tangents = p.DeformAbout(item, item.Origin())
	v.colors = p.MorphColors(item)
	for slot, set := range uvs.sets {
		v.texCoords[slot] = p.MorphTexCoords(item, set)
	}
	return v
}

// deformedBytes returns the memory that deformed takes at most.
func deformedBytes(item *gltf.Item, uvs uvMap) int64 {
	p := item.Primitive
	each, sets := int64(0), 0
	for i := range p.Targets {
		if p.Colors != nil && p.Targets[i].Colors != nil {
			each = 16
		}
		if len(p.Targets[i].TexCoords) > 0 {
			sets = len(uvs.sets)
		}
	}
	return p.DeformBytes() + int64(p.Vertices())*(each+8*int64(sets))
}

// putVertices packs vertices, positions relative to origin. What is lacking is zero,
// and the colour white.
func putVertices(out []byte, origin mat.Vec3, v vertices) {
	put := func(fs ...float32) {
		for _, f := range fs {
			binary.LittleEndian.PutUint32(out, math.Float32bits(f))
			out = out[4:]
		}
	}
	at := func(i int) {
		at := mat.Vec3(v.positions[i]).Sub(origin)
		put(at[:]...)
		if v.normals != nil {
			put(v.normals[i][:]...)
		} else {
			put(0, 0, 0)
		}
		if v.tangents != nil {
			put(v.tangents[i][:]...)
		} else {
			put(1, 0, 0, 1)
		}
		for _, set := range &v.texCoords {
			if set != nil {
				put(set[i][:]...)
			} else {
				put(0, 0)
			}
		}
		if v.colors != nil {
			put(v.colors[i][:]...)
		} else {
			put(1, 1, 1, 1)
		}
	}
	for i := range v.positions {
		at(i)
	}
}

// topology returns the Vulkan topology of a mode, and the indices to draw: a
// line loop becomes a strip that returns to its first vertex. index is nil where the
// vertices are drawn in order.
func topology(p *gltf.Primitive) (t vk.PrimitiveTopology, count int, index func(int) uint32, err error) {
	if p.Indices != nil {
		count, index = len(p.Indices), func(i int) uint32 { return p.Indices[i] }
	}
	switch p.Mode {
	case gltf.Points:
		t = vk.PrimitiveTopologyPointList
	case gltf.Lines:
		t = vk.PrimitiveTopologyLineList
	case gltf.LineStrip:
		t = vk.PrimitiveTopologyLineStrip
	case gltf.LineLoop:
		t = vk.PrimitiveTopologyLineStrip
		n, plain := count, index
		if plain == nil {
			n, plain = len(p.Positions), func(i int) uint32 { return uint32(i) }
		}
		if index = plain; n > 0 {
			count, index = n+1, func(i int) uint32 { return plain(i % n) }
		}
	case gltf.Triangles:
		t = vk.PrimitiveTopologyTriangleList
	case gltf.TriangleStrip:
		t = vk.PrimitiveTopologyTriangleStrip
	case gltf.TriangleFan:
		t = vk.PrimitiveTopologyTriangleFan
	default:
		return 0, 0, nil, fmt.Errorf("unknown primitive mode %d", p.Mode)
	}
	return t, count, index, nil
}
