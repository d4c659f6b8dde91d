package render

import (
	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
)

// stageKey is what decides of a state which way primitives take through the stages.
type stageKey struct {
	vertices     uint8       // of a primitive as it is assembled
	wide         bool        // later stages see whole primitives, with adjacent vertices
	lastProvokes bool        // the last vertex of a primitive is the provoking one (RAS-067, RAS-068)
	tess         tess.Config // with tessellation shaders
}

// stageState is a state as the stages see it.
type stageState struct {
	stageKey
	link *stageLink
	// decoders are the programs of the formats of link.fetch, by their index among those of the
	// goroutine, or none; it is empty where there are no programs.
	decoders []int
}

// stage is a shader of a draw: its index among the programs of the goroutine, none where there
// is none, and its descriptors.
type stage struct {
	routine int
	ctx     *exec.Context
}

// stageDraw is a draw as the stages see it.
type stageDraw struct {
	state *stageState
	// Those that are not there have routine none; mesh takes the place of vertex to evaluation.
	vertex, control, evaluation, geometry, task, mesh stage
	buffers                                           []VertexBuffer // by binding number
}

// VertexBuffer is a bound range of a vertex buffer.
type VertexBuffer struct {
	// Data is the range, from the offset it is bound at to its end.
	Data []byte
	// Stride replaces that of the pipeline where DynamicStride is set; bytes.
	Stride        uint32
	DynamicStride bool
}

// drawParams are the numbers of a draw that its shaders see.
type drawParams struct {
	firstInstance, baseVertex, drawIndex, view uint32
}

// vertexKey names a vertex of a draw: its index and the ordinal of its instance.
type vertexKey struct{ vertex, instance uint32 }

// span is count primitives of an instance, whose vertices follow each other from vertex on
// (assembly.Config.Consecutive), and whose numbers do from id on.
type span struct{ vertex, id, instance, count uint32 }

// feed is what goes through the stages together: primitives of a draw as they were assembled, or
// workgroups. Its memory stays the caller's.
type feed struct {
	draw   *stageDraw
	params drawParams
	// prims and the ordinal of the instance of each; or, where that is enough, spans.
	prims []assembly.Primitive
	inst  []uint32
	spans []span
	// ids and wide instead of prims where the state is wide: numbers, and vertex indices,
	// stageKey.vertices each.
	ids, wide []uint32
	groups    groups // of a mesh draw
}

// pieceVertices is how many vertices of primitives a feed has at most: enough to be shared, few enough
// to stay near.
const pieceVertices = 3 << 9

// runner is a routine as the goroutine runs it.
type runner struct {
	ir      *ir.Program
	in, out [][]uint32 // its own rows, of lanes each; none of programs that work on the rows of others
	lanes   int
	run     func(*exec.Context, *exec.Batch) error
	// lay makes in that of workgroup number group of size, and returns its invocations; of task and
	// mesh shaders.
	lay    func(size [3]uint32, group int64) int
	shared []byte
}

// lanesOf makes n arrays of the executor's lanes, a line of the cache more apart, so that the
// same lanes of all do not fall into the same few sets of it.
func lanesOf(n, lanes int) [][]uint32 {
	stride := lanes + 16
	all := make([]uint32, n*stride)
	out := make([][]uint32, n)
	for i := range out {
		out[i] = all[i*stride:][:lanes:lanes]
	}
	return out
}

// stageStats counts what the stages did. Times are in nanoseconds.
type stageStats struct {
	// Vertices counts vertex shader invocations, Assembled assembled primitives.
	Vertices, Assembled uint64
	// Patches counts those that went through a control shader, Evaluations the
	// runs of evaluation shaders.
	Patches, Evaluations uint64
	// TaskInvocations, MeshInvocations and MeshPrimitives count those of mesh
	// draws.
	TaskInvocations, MeshInvocations, MeshPrimitives uint64
	// GeometryInvocations and GeometryPrimitives count the runs of geometry
	// shaders and what they made.
	GeometryInvocations, GeometryPrimitives uint64
}
