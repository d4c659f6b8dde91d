package geometry

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Link is how the stages of a pipeline fit together.
type Link struct {
	Fetch    []Attribute
	Builtins []Builtin
	// VertexMay are the output slots that a lane of the vertex shader may leave unwritten, which have
	// to be given a value before each batch.
	VertexMay []int
	Tess      TessLink
	Geometry  []int // output slot, of the stage before, of each vertex input of the geometry shader
	Mesh      MeshLink
}

// Attribute is one fetched vertex attribute and the input slots it feeds.
type Attribute struct {
	Info    *format.Info
	Size    int    // bytes of the format
	Skip    uint64 // bytes of the format before those of this location
	Binding int

	Location uint32
	Offset   uint64
	Stride   uint32
	// Instanced attributes step once every divisor instances, or never for 0.
	Instanced bool
	Divisor   uint32
	Slots     [4]int // input slot of each component, or None
	// Words is how many 32-bit words its components are, as they are: those of 64 bits are two each.
	// 0: the format has to be decoded.
	Words int
}

// Builtin is a built-in input of the vertex stage.
type Builtin struct {
	Slot    int
	Builtin ir.Builtin
}

// TessLink is what the tessellation stages pass on.
type TessLink struct {
	Control    []int // vertex output slot of each vertex input of the control shader
	Evaluation []int // record of the control shader for each vertex input of the evaluation shader
	Patch      []int // record for each input of the evaluation shader that belongs to a patch
	Levels     [6]int
	// EvaluationMay are the output slots that a lane may leave unwritten.
	EvaluationMay []int
}

// MeshLink says which records of a mesh shader hold what.
type MeshLink struct {
	vertex    []int  // record of each output of a vertex
	primitive []int  // record of each output of a primitive
	indices   [3]int // of a primitive's vertices
	cull      int
}

// Sort finds the records of a mesh shader, and returns its outputs of vertices and of primitives.
func (m *MeshLink) Sort(p *ir.Program) (vertices, primitives []ir.IO) {
	m.indices, m.cull = [3]int{None, None, None}, None
	for at, r := range p.Records {
		switch {
		case r.Builtin == ir.BuiltinMeshCounts:
		case r.Builtin == ir.BuiltinPrimitiveIndices:
			m.indices[r.Component%3] = at
		case r.Builtin == ir.BuiltinCullPrimitive:
			m.cull = at
		case r.PerPrimitive:
			m.primitive, primitives = append(m.primitive, at), append(primitives, r.IO)
		default:
			m.vertex, vertices = append(m.vertex, at), append(vertices, r.IO)
		}
	}
	return vertices, primitives
}
