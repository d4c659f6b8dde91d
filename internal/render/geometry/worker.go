package geometry

import "github.com/pumice-gpu/pumice/internal/exec"

// Worker is what a goroutine needs to take a Feed, or several, through the stages. Begin and Append
// begin, and Next gives what comes out, a stretch at a time, so that no stage ever holds all that a draw grows to. The
// owner sets Lanes once, Programs for each pass, and Feed before Begin. The zero value with these is ready.
type Worker struct {
	Lanes    int       // of a batch
	Programs []*Runner // of the pass
	Stats    Stats
	Feed     Feed
	Retells  bool     // Retell will be called
	Onlooker Onlooker // nil: nobody looks

	// Distinct vertices of the feed, and the vertex shader.
	Keys        []VertexKey          // by row of what the vertex shader wrote for a single feed, but of spans and wide feeds
	table       *[hashSize]hashEntry // see number
	base        uint32
	numbers     []uint32   // memory for the rows of vertices
	raw         [][]uint32 // words of attributes that a program decodes
	rows        exec.Batch // of such a program
	vertexLanes exec.Batch
	lots        lots
	vertexOut   [][]uint32 // rows of shaded that they go to
	shaded      Stretch    // of the vertex shader

	// The stages behind it.
	input *Stretch // first of the feed, not taken yet
	tess  tessStage
	geom  geometryStage
	mesh  meshStage
}
