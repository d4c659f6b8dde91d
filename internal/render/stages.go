package render

import (
	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// geometry is what a goroutine needs to take chunks from their vertices to their bins. What comes
// in is a chunk with the primitives that assembly made of a draw (see source); a chunk with records,
// attributes, places or set-ups, and bins goes out. It knows nothing of tiles but where they lie.
type geometry struct {
	x        *Executor
	plan     *passPlan
	programs []*program // by passPlan.routines
	stats    Stats      // of the pass so far
	watching *watcher   // that looks at primitives near watched pixels

	// Primitives of the chunk that is being filled, and their vertices.
	prims     []assembly.Primitive
	inst      []uint32
	spans     []span
	ids, wide []uint32
	chunk     *chunk // that goes on in the next round

	// Distinct vertices of a piece, and the vertex shader.
	keys        []vertexKey
	table       []hashEntry
	epoch       uint32
	direct      []uint32 // see shareDirect
	base        uint32
	raw         [][]uint32 // words of attributes that a program decodes
	vertexLanes exec.Batch
	vertexOut   [][]uint32 // rows of shaded that they go to
	shaded      block      // of the vertex shader

	// The stages behind it.
	input *block // first of the chunk, not taken yet
	tess  tessStage
	geom  geometryStage
	mesh  meshStage

	// Primitives on their way into the chunk.
	corners   corners
	rows      exec.Batch       // of programs of attributes and positions
	plain     exec.Context     // of those without constants
	own       [3]raster.Vertex // of a primitive with a viewport of its own
	poly      raster.Polygon
	seg       raster.Segment
	point     raster.Point
	boxes     []tileBox // of the items of the chunk, none empty
	parts     []tileBox // of them, for sort
	partOf    []uint32
	reordered reordered
}

// newGeometry makes the memory of one goroutine.
func newGeometry(x *Executor) geometry {
	return geometry{
		x: x, table: make([]hashEntry, hashSize),
		prims: make([]assembly.Primitive, maxVertices), inst: make([]uint32, maxVertices),
		spans: make([]span, maxVertices),
		ids:   make([]uint32, minPrimitives), wide: make([]uint32, wideVertices),
	}
}

// prepare readies it for a pass, with the programs of the goroutine.
func (w *geometry) prepare(p *passPlan, programs []*program, watching *watcher) {
	w.plan, w.programs, w.watching, w.stats = p, programs, watching, Stats{}
}

// end forgets the pass and returns what it counted.
func (w *geometry) end() Stats {
	w.chunk, w.plan, w.programs = nil, nil, nil
	return w.stats
}
