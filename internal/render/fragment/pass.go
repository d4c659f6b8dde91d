package fragment

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Common is what fragments of all passes and workers have in common.
type Common struct {
	// programs are those that state keys have, fusions what is known of shaders that may be one with
	// some of them.
	Programs threads.Programs
	Fusions  map[FusionKey]*Fusion
	// FuseAfter is the number of lanes from which a shader is fused; less in tests.
	FuseAfter int64
	// PacksFrom is what State.packs asks of a shader; less in tests.
	PacksFrom int
	// DirectFor says what is drawn directly; all or nothing in tests.
	DirectFor int
	// Lanes that never change: missing components of fragment outputs.
	Zeros, Ones, FloatOnes []uint32
}

// NewCommon is that of an engine.
func NewCommon(e exec.Engine) Common {
	c := Common{
		Programs: threads.Programs{Engine: e}, Fusions: map[FusionKey]*Fusion{},
		FuseAfter: FuseAfter, PacksFrom: PacksFrom, DirectFor: directFor,
		Zeros: make([]uint32, Lanes), Ones: make([]uint32, Lanes), FloatOnes: make([]uint32, Lanes),
	}
	geometry.Fill(c.Ones, 1)
	geometry.Fill(c.FloatOnes, math.Float32bits(1))
	return c
}

// Pass is what fragments of a pass have in common.
type Pass struct {
	tile.Plan
	Common      *Common
	Rate        *rates.Attachment // nil: none
	Counters    int               // of samples
	ShadeHidden bool              // don't leave out hidden fragments
	Bounds
}

// Bounds are the most that a plan of the states has.
type Bounds struct{ recordBytes, shares int }

// Draw is a draw as its fragments see it.
type Draw struct {
	Index int
	State *State
	// group is equal for consecutive draws whose fragments may share batches.
	Group int
	// counts are the counters, from 1, of samples that are left before shading, and after it; 0: none.
	Counts  [2]int
	Context *exec.Context
}

// Key is what chooses programs of a state's fragments, besides what State has of colours
// and tests.
type Key struct {
	End    Ending
	Once   bool // a batch holds each pixel once
	Told   bool // programs leave in rows what they make
	Shares int  // of a pixel's samples, each with an invocation
	Place  int  // the sample that fragments of a pixel are evaluated at, or none
	// takes is what shader and alpha do to coverage.
	Takes            lowered.CoverageKey
	AlphaOne, Smooth bool // alpha is one, or is that of smooth lines
}

// Ending is what becomes of samples that tests before shading leave.
type Ending uint8

const (
	OnlyTested Ending = iota // only tests see them
	Hidden                   // they only overwrite colour: later ones may hide them
	Shaded
)

// State is a state as fragments see it.
type State struct {
	Key
	Link      *Link
	Code      exec.Routine // the pipeline's shader, or nil
	Locations *raster.SampleSet
	// By viewport index.
	Raster []raster.State
	Tests  []fragops.DepthStencil
	// before and after are the tests that come before and after shading, inactive where none do. Tests
	// after shading whose outcome is sure before it have others before it, that only drop.
	Before, After []fragops.DepthStencil
	Color         [tile.MaxColorAttachments]*fragops.Color   // nil: nothing written
	Coverage      [tile.MaxColorAttachments]fragops.Coverage // where Color is not nil
	Location      [tile.MaxColorAttachments]int              // of an attachment's output
	SampleMask    uint64
	Shader        exec.Routine // nil where nothing that it does is kept
	Program       int          // its number in Pass.List, or none
	Rates         rates.State
	// What AddPlans finds.
	Plan   *Plan       // how fragments are shaded
	Rated  *RatedPlans // where rates differ, the plans of all
	Direct *Plan       // for fragments that nothing precedes; nil: there are none
}

// none marks a slot or a program that does not exist.
const none = geometry.None

// Primitives are those whose fragments are shaded: what is read of them when a record is written.
type Primitives struct {
	Of   *Draw
	View uint32
	// recs are what tiles draw, in order. A primitive with several set-ups has one for each, and
	// the first is what they name.
	Recs  []Primitive
	Attrs []uint32 // vertex-major, len(Link.Attrs) a vertex
	Flat  []uint32 // record-major, len(Link.Flat) a record
	Extra []raster.HalfPlane
}

// Primitive is what the tiles need of a primitive.
type Primitive struct {
	V               [3]uint32 // vertices of the chunk; the first one again, where there are fewer
	ID              uint32
	Scissor         uint32 // of those of the pass
	Setup           uint32 // of the chunk, from 1 on; 0: tiles make it
	Layer, Viewport uint16
	N, Provoking    uint8 // vertices, and which of them provokes
	First           uint8 // the one that PerVertexKHR index 0 is of
	Rate            uint8 // PrimitiveShadingRateKHR
}

// Vertex is the vertex of a PerVertexKHR input's index k: missing vertices repeat
// the last.
//
// RAS-180, RAS-181, RAS-182 primsrast-barycentric-order-table
func (r *Primitive) Vertex(k uint8) uint32 {
	return r.V[(min(k, r.N-1)+r.First)%r.N]
}

// weight is the vertex of the primitive's planes that component k of BaryCoordKHR, or of its linear
// kind, is of: 0 to 2, or 3 for none.
//
// RAS-184 primsrast-barycentric
func (r *Primitive) weight(k uint32) uint32 {
	if k >= uint32(r.N) {
		return 3
	}
	return (k + uint32(r.First)) % uint32(r.N)
}
