// Package geometry runs the stages of a draw that make primitives: it fetches vertex attributes and
// runs vertex, tessellation, geometry, task and mesh shaders.
//
// A Feed goes in: primitives of one draw as package assembly made them, or workgroups, with the
// draw's Key, its link and its memory. Stretches come out: primitives in order, with all that the
// last stage wrote of their vertices. A Worker of each goroutine does it:
//
//	w.Feed = feed
//	w.Begin()
//	for s, err := w.Next(); s != nil && err == nil; s, err = w.Next() { … }
//
// Stretches have a bounded size whatever a draw amplifies, and come in the order of the feed; so
// neither the number of workers nor that of lanes changes a bit. The package knows no pass, no
// attachments and no viewport. What is done with primitives behind it (clipping, bins) is package
// render's.
//
// Vertex buffers, indices and counts that shaders write are untrusted: fetches beyond a buffer read
// zeros, and what passes the limits of mesh shaders launches nothing.
package geometry

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
)

// None marks a slot, a record or a program that does not exist.
const None = -1

// MaxVertices is how many vertices of primitives a Feed has at most: enough to be shared, few enough
// to stay near.
const MaxVertices = 3 << 9

// Key is what of a state decides which way primitives take through the stages.
type Key struct {
	Vertices     uint8       // of a primitive as it is assembled
	Wide         bool        // later stages see whole primitives, with adjacent vertices
	LastProvokes bool        // the last vertex of a primitive is the provoking one (RAS-067, RAS-068)
	Tess         tess.Config // with tessellation shaders
}

// State is a state as the stages see it.
type State struct {
	Key
	Link *Link
	// Routines of the stages by their indices in Worker.Programs, None where there is no such stage.
	// Mesh, after Task or alone, takes the place of Vertex to Geometry.
	Vertex, Control, Evaluation, Geometry, Task, Mesh int
	// Decoders are the programs of the formats of Link.Fetch, by their index in Worker.Programs, or
	// None; it is empty where there are no programs.
	Decoders []int
}

// Draw is a draw as the stages see it.
type Draw struct {
	Index int // in the pass
	State *State
	// Descriptors and push constants of the stages that the state has.
	Vertex, Control, Evaluation, Geometry, Task, Mesh *exec.Context

	Buffers []VertexBuffer // by binding number
	// Indices are what spans of an indexed draw name, little-endian, of IndexSize bytes each, which is
	// 0 where there are none. What is beyond them reads as 0.
	Indices   []byte
	IndexSize int
}

// VertexBuffer is a bound range of a vertex buffer.
type VertexBuffer struct {
	// Data is the range, from the offset it is bound at to its end.
	Data []byte
	// Stride replaces that of the pipeline where DynamicStride is set; bytes.
	Stride        uint32
	DynamicStride bool
}

// Params are the numbers of a draw that its shaders see, and the first vertex or index.
type Params struct{ First, FirstInstance, BaseVertex, DrawIndex, View uint32 }

// VertexKey names a vertex of a draw: its index and the ordinal of its instance.
type VertexKey struct{ Vertex, Instance uint32 }

// Span is Count primitives of an instance, whose vertices, or indices where the draw has some, follow
// each other from number First of the draw's on (assembly.Config.Consecutive), and whose numbers do
// from ID on.
type Span struct{ First, ID, Instance, Count uint32 }

// Feed is what goes through the stages together: primitives of a draw as they were assembled, at most
// MaxVertices vertices of them, or workgroups. Its memory stays the caller's, who leaves it alone
// until Next has returned nil. Fields that the key or the draw leaves out may hold anything.
type Feed struct {
	Draw   *Draw
	Params *Params
	// Primitives, and in Inst the ordinal of the instance of each; or, where that is enough, Spans.
	Primitives []assembly.Primitive
	Inst       []uint32
	Spans      []Span
	// IDs and Wide instead of Primitives where the key is wide: numbers, and vertex indices,
	// Key.Vertices each.
	IDs, Wide []uint32
	Groups    Groups // of a mesh draw
}

// Runner is a routine as the goroutine runs it.
type Runner struct {
	IR      *ir.Program
	In, Out [][]uint32 // its own rows, of Lanes each; nil of programs that work on the rows of others
	Lanes   int
	Run     func(*exec.Context, *exec.Batch) error
	// Lay makes In that of workgroup number group of size, and returns how many invocations that has;
	// of task and mesh shaders.
	Lay    func(size [3]uint32, group int64) int
	Shared []byte // memory of patches and workgroups
	// Told is what the batches of the stretch have told as they ran, of a program that stores to
	// memory and so must not run once more; nil: they tell nothing.
	Told *trace.Logs
}

// Telling returns a routine that keeps what its batches tell, of a traced program.
func (p *Runner) Telling() *Runner {
	told, run := *p, p.Run
	told.Told = trace.NewLogs(p.IR)
	told.Run = func(c *exec.Context, b *exec.Batch) error {
		tells, log, first := *c, told.Told.Next(), c.Trace
		tells.Trace = func(t *exec.Told) {
			if log.Tell(t); first != nil {
				first(t)
			}
		}
		return run(&tells, b)
	}
	return &told
}

// Rows makes n arrays of lanes, a line of the cache more apart, so that the same lanes of all do not
// fall into the same few sets of it.
func Rows(n, lanes int) [][]uint32 {
	stride := lanes + 16
	all := make([]uint32, n*stride)
	out := make([][]uint32, n)
	for i := range out {
		out[i] = all[i*stride:][:lanes:lanes]
	}
	return out
}

// Grow returns s with length n, contents undefined.
func Grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Fill sets all of dst to v.
func Fill(dst []uint32, v uint32) {
	for i := range dst {
		dst[i] = v
	}
}

// Stats counts what the stages did.
type Stats struct {
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
