package render

import "github.com/pumice-gpu/pumice/internal/exec"

// stageWorker is what a goroutine needs to take a feed through the stages: begin takes it, and next
// gives what comes out, a block at a time, so that no stage ever holds all that a draw grows to.
type stageWorker struct {
	lanes    int       // of a batch; the owner sets it once, and the programs
	programs []*runner // of the pass
	stats    stageStats
	feed     feed

	// Distinct vertices of the feed, and the vertex shader.
	keys        []vertexKey
	table       []hashEntry
	epoch       uint32
	direct      []uint32 // see shareDirect
	base        uint32
	raw         [][]uint32 // words of attributes that a program decodes
	rows        exec.Batch // of such a program
	vertexLanes exec.Batch
	vertexOut   [][]uint32 // rows of shaded that they go to
	shaded      block      // of the vertex shader

	// The stages behind it.
	input *block // first of the feed, not taken yet
	tess  tessStage
	geom  geometryStage
	mesh  meshStage
}
