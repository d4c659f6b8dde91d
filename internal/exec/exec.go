// Package exec is the contract between the pipeline and the engines that run
// its programs: the batch virtual machine (package vm) and, later, native code.
// Engines agree bit for bit.
package exec

import (
	"errors"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Engine compiles programs. It is safe for concurrent use.
type Engine interface {
	// Name is the engine's name as the user writes it: "vm".
	Name() string
	// Compile makes a routine of a verified program. The program must not
	// change afterwards.
	Compile(p *ir.Program) (Routine, error)
}

// Placer is an engine that says how programs on places (Batch.Places) are best made for it.
type Placer interface {
	// PacksQuads says that Place.Quads need not be zero.
	PacksQuads() bool
	// PermutesTables says that loads of words of tables that five bits choose, or bytes of one word, take few
	// instructions.
	PermutesTables() bool
}

// Routine is a compiled program; immutable, shared by all workers.
type Routine interface {
	Program() *ir.Program
	// NewThread allocates the state that one worker needs to run batches of
	// up to maxLanes lanes (a multiple of 4, at most MaxLanes). Nothing is
	// allocated afterwards.
	NewThread(maxLanes int) Thread
}

// MaxLanes bounds the lanes of a batch: the largest workgroup.
const MaxLanes = 1024

// Thread runs batches. One goroutine at a time.
type Thread interface {
	// Run executes the program once for lanes 0..b.N-1. Errors are
	// *FuelError (a loop ran past Context.Fuel), ErrStopped and engine faults.
	Run(ctx *Context, b *Batch) error
}

// Batch is the lane data of one run. In and Out are indexed by interface slot,
// then lane; the slices belong to the caller and hold at least N lanes.
type Batch struct {
	// N is the number of lanes; a multiple of 4 in fragment batches.
	N int
	// In[i][lane] holds input slot i; Out likewise. A lane's outputs that the
	// program does not write keep what the caller put there.
	In, Out [][]uint32
	// Live[lane] is all ones where the lane is a real invocation and 0 where
	// it is a helper. Demoted lanes are cleared on return. nil = all live.
	Live []uint32
	// Shared is workgroup memory, zeroed by the caller; one workgroup a batch
	// where the program uses it, barriers or subgroups.
	Shared []byte
	// Vertices serves OpLoadVertex.
	Vertices Vertices
	// Emitted takes what OpEmit writes: slot s of vertex k of a lane stands at
	// (lane·MaxVertices + k)·len(Program.Emits) + s.
	Emitted []uint32
	// Interp serves OpInterpolateAt; nil where the program has none.
	Interp Interpolator
	// Places are where lanes are in Surfaces, ir.PlaceLanes of them each: N is that many
	// for each place. They hold on to Records, the data of primitives, by offset.
	Places   []Place
	Records  []byte
	Surfaces []Surface
}

// Place is four quads of 8×8 pixels, the first of which is (X, Y): of 8×2 pixels, side by side, or
// wherever they are covered.
type Place struct {
	X, Y int32
	// Record is where in Batch.Records the place's record begins, 8-aligned.
	Record uint32
	// Quads say where quad i is, lanes 4i to 4i+3: number i^Quads[i] in rows of four, so that zeros are
	// those side by side. Others are for programs without texels of less than 4 bytes.
	Quads [4]uint8
	// Covered has a bit for each lane, by sample, of those that programs ask for; others may have
	// anything. Pixels of such lanes are in all surfaces.
	Covered [ir.PlaceSamples]uint16
}

// Pixel is the pixel of a lane.
func (p *Place) Pixel(lane int) (x, y int) {
	k := lane>>2 ^ int(p.Quads[lane>>2&3])
	return int(p.X) + k&3<<1 + lane&1, int(p.Y) + k>>2<<1 + lane>>1&1
}

// Any is the lanes of which any of the first samples is covered.
func (p *Place) Any(samples int) (lanes uint16) {
	for _, m := range p.Covered[:samples] {
		lanes |= m
	}
	return lanes
}

// Surface is the memory of an attachment: pixel (x, y) is at y·RowPitch of Data, and x
// times the bytes that programs say a pixel has.
type Surface struct {
	Data     []byte
	RowPitch int
}

// Vertices are the vertices of the primitives that lanes work on.
type Vertices struct {
	// Slots[i][row] holds Program.VertexInputs[i]; rows beyond its length read
	// as zero.
	Slots [][]uint32
	// First is where in Rows, by lane, the rows of its primitive's vertices
	// begin. Where Rows is nil, they are consecutive from First.
	Rows, First []uint32
	// Count is the number of vertices of a primitive.
	Count uint32
}

// Interpolator evaluates a fragment input away from its usual place.
type Interpolator interface {
	// InterpolateAt returns input slot of lane at (dx, dy) pixels from the
	// pixel's centre.
	InterpolateAt(slot, lane int, dx, dy float32) uint32
	// SampleOffset and CentroidOffset give such positions.
	SampleOffset(lane int, sample uint32) (dx, dy float32)
	CentroidOffset(lane int) (dx, dy float32)
}

// Context is what all batches of a draw or dispatch share; read-only while it
// runs.
type Context struct {
	// Resources[i][element] are the descriptors of Program.Resources[i].
	Resources [][]Descriptor
	// Push is the push-constant block.
	Push []byte
	// Addresses resolves device addresses (bufferDeviceAddress); nil where
	// there are none. Required by programs with Program.UsesAddresses.
	Addresses Addresses
	// Sparse are sparse resources whose pages do not all have memory: writes to
	// the others are dropped, and image instructions tell of them. nil: none.
	Sparse memory.SparseSet
	// Print takes the messages of shaders, from several goroutines; nil drops them.
	Print func(program, text string)
	// Outside takes accesses outside of descriptors (ir.Outside), from several goroutines: of the lanes of a batch that
	// have one, that which begins first. nil drops them.
	Outside func(access *ir.Print, element, at, size uint32)
	// Images is told of the image instructions that run, from several goroutines: which of the program's ImageOps, and the
	// elements of its image, its sampler and its second image; one that has none has 0. Programs run slower with it. nil: nobody
	// asks.
	Images func(op int, element [3]uint32)
	// Trace takes what traced programs tell (ir.OpTrace), on the goroutine that runs the batch; nil drops it.
	Trace func(*Told)
	// Fuel bounds the instructions that one batch runs in loops; 0 means
	// DefaultFuel. Where Trace is set it is TracedFuel times as many.
	Fuel int64
	// Stop says that the batch is not wanted any more: it then ends with ErrStopped.
	// Loops ask every so many instructions. nil: never.
	Stop func() bool
}

// ErrStopped ends a batch that Context.Stop has stopped.
var ErrStopped = errors.New("stopped")

// DefaultFuel is the number of instructions in loops after which a batch is
// stopped where nobody says another: an iteration costs what stands in its loop. Those that take long, such as
// image instructions, atomics and sines, count up to 64 times. A count does not know what is endless: devices have none, unless
// they are asked for one; what runs on them ends with Context.Stop.
const DefaultFuel = 1 << 27

// TracedFuel is by how much the loops of traced programs may cost more than those of plain ones, so that they
// end where those do.
const TracedFuel = 8

// Descriptor is one bound resource; the zero value is the null descriptor,
// which reads as zero and drops writes.
type Descriptor struct {
	// Data is the bound range of a buffer descriptor.
	Data    []byte
	View    *resource.ImageView
	Texel   *resource.BufferView
	Sampler *resource.Sampler
}

// FuelError says that a batch ran in loops for longer than its budget.
type FuelError struct {
	Program string
	Fuel    int64
	// Loop is where the loop is in the source that spent the last of it, as far
	// as the module tells.
	Loop ir.Source
}

func (e *FuelError) Error() string {
	where := "a loop"
	if at := e.Loop.String(); at != "" {
		where = "the loop at " + at
	}
	return fmt.Sprintf("shader %s ran past its budget of %d instructions in loops, in %s", e.Program, e.Fuel, where)
}
