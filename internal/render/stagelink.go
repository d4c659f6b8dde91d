package render

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// stageLink is how the stages of a pipeline fit together.
type stageLink struct {
	fetch    []attribute
	builtins []vertexBuiltin
	// vertexMay are the output slots that a lane of the vertex shader may leave unwritten, which have
	// to be given a value before each batch.
	vertexMay []int
	tess      tessLink
	geometry  []int // output slot, of the stage before, of each vertex input of the geometry shader
	mesh      meshLink
}

// attribute is one fetched vertex attribute and the input slots it feeds.
type attribute struct {
	info    *format.Info
	size    int    // bytes of the format
	skip    uint64 // bytes of the format before those of this location
	binding int

	location uint32
	offset   uint64
	stride   uint32
	// instanced attributes step once every divisor instances, or never for 0.
	instanced bool
	divisor   uint32
	slots     [4]int // input slot of each component, or none
	// words is how many 32-bit words its components are, as they are: those of 64 bits are two each.
	// 0: the format has to be decoded.
	words int
}

// vertexBuiltin is a built-in input of the vertex stage.
type vertexBuiltin struct {
	slot    int
	builtin ir.Builtin
}

// tessLink is what the tessellation stages pass on.
type tessLink struct {
	control    []int // vertex output slot of each vertex input of the control shader
	evaluation []int // record of the control shader for each vertex input of the evaluation shader
	patch      []int // record for each input of the evaluation shader that belongs to a patch
	levels     [6]int
	// evaluationMay are the output slots that a lane may leave unwritten.
	evaluationMay []int
}

// meshLink says which records of a mesh shader hold what.
type meshLink struct {
	vertex    []int  // record of each output of a vertex
	primitive []int  // record of each output of a primitive
	indices   [3]int // of a primitive's vertices
	cull      int
}

// sort finds the records of a mesh shader, and returns its outputs of vertices and of primitives.
func (m *meshLink) sort(p *ir.Program) (vertices, primitives []ir.IO) {
	m.indices, m.cull = [3]int{none, none, none}, none
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
