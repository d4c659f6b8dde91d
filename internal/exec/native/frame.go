package native

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec/code"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// What machine code of all processors has in common: its frame, and where registers are.

// native is the machine code of a block.
type native struct {
	code  *code.Code
	frame int // bytes
}

// bufferRef is a buffer descriptor that blocks use, or all of a resource.
type bufferRef struct {
	resource int64
	element  uint32
	all      bool
}

// The frame: what a block works with, at regFrame. Offsets in bytes.
const (
	frameResume  = 8 * iota // where to go on, 0 for the begin
	frameExit               // why it came back
	frameLeft               // fuel of the strip
	framePortion            // what frameLeft begins with
	frameGranted            // what it has got in all
	frameSpent              // the most that a strip has spent
	frameEnd                // 4·lanes, rounded up to whole strips
	frameTailAt             // offset of the last strip
	frameTail               // its lanes, as a mask
	frameLast               // offset of the last lane
	frameRows               // first lane register
	frameScalars            // scalar registers
	framePush               // push constants, and how far words may begin
	framePushLimit
	frameTable
	frameTableLimit
	frameShared // workgroup memory, and how far words may begin
	frameSharedLimit
	framePrivate
	frameLive    // live words of the piece
	frameInputs  // table of the rows of inputs
	frameOutputs // table of the rows of outputs
	frameMasks   // table of the words of the masks that the block finds
	frameBuffers // table of buffers: address, and how far words may begin
	frameStrip   // offset of the strip, of a block that came back
	frameRow     // regRow of such a block
	frameLoop    // the loop that took the last of the fuel
	frameServeOp // what Go is to compute, in which lanes
	frameServeMask
	frameServeActive // lanes of an image instruction
	frameServeRows   // and its rows
	framePlaces      // first place of the piece
	frameRecords     // of places
	frameSites       // table of sites, see site
	frameSurfaces    // table of surfaces: address, bytes of a row
	framePlace       // regPlace of a block that came back, and the rows that it knows
	frameUpper
	frameLower
	frameRecord
	frameElement // how far words may begin in the element of an array that an instruction has chosen
	frameOwn     // what a processor has besides
)

// Exits.
const (
	exitDone = iota
	exitFuel
	exitServe
	exitServeWide
	exitServeImage
	exitServeStrip
)

// processor is what the passes ask one that machine code is for.
type processor interface {
	// vectors is the bits of the vectors that machine code has here; 0: there is none.
	vectors() int
	// machine is the one with vectors of so many bits.
	machine(bits int) *Machine
	// translates says whether emitters write the operation, or leave it to Go.
	translates(op ir.Op) bool
	packsQuads(narrow bool) bool
	permutesBytes(narrow bool) bool
	// prepare changes instructions before anything is placed.
	prepare(e *layout)
	// newWriter is what writes a block.
	newWriter(e *layout) writer
	// fillFrame writes what all blocks find in a frame.
	fillFrame(f []uint64)
	// beginTail tells blocks where a piece's last strip is, and its lanes. tailOutputs brings its
	// outputs to where blocks write them, and back.
	beginTail(s *Thread)
	tailOutputs(s *Thread, back bool)
}

// Machine is what passes and emitters know of the vectors that they write for. A strip is of one
// vector or of several parts.
type Machine struct {
	processor
	lanes, parts int
	values       int  // vector registers that numbers can have, from the first on
	masks        int  // mask registers that they can have, from the second on; 0: masks are vectors
	narrow       bool // a strip is two parts; see amd64_legal.go
	carries      bool // from part to part, see Carries
	scales       bool // see scalesWide
	looks        bool // at what other parts have, see LooksAround
	shape
	machineOptions
}

// shape is what is the same for all vectors of a processor.
type shape struct {
	// portion is the fuel that a strip of a block gets at a time, so that a call stays short: the
	// collector waits for it.
	portion int64
	row     uint8     // the general register that has where the strip's first lane register is
	files   [2]string // what vector and mask registers are called before their number
	// Where in a frame are what Go is to compute and what it has computed; words of pairs; the lanes
	// that exist, where they are a value; and what blocks take themselves.
	serveA, serveB, serveD, wide, all, slots int
}

// laneBytes are those of a strip.
func (v *Machine) laneBytes() int { return 4 * v.lanes * v.parts }

// Portion is the fuel that a strip gets at a time.
func (v *Machine) Portion() int64 { return v.portion }

// PacksQuads says that places may have quads that do not lie side by side.
func (v *Machine) PacksQuads() bool { return v.packsQuads(v.narrow) }

// RunsAlone says that blocks have the instructions of one lane, from KindFirst on.
func (v *Machine) RunsAlone() bool { return v != nil }

// PermutesBytes says that blocks may have KindLoadBytes and KindLoadFew.
func (v *Machine) PermutesBytes() bool { return v.permutesBytes(v.narrow) }

// MachineOf is the one with vectors of so many bits.
func MachineOf(bits int) *Machine { return host{}.machine(bits) }

// machineOptions are what a machine does besides.
type machineOptions struct {
	checked    bool      // lists are checked
	show       io.Writer // what is written is shown: its list, its code
	list, code bool
	loaded     io.Writer // where code is, a line a block as of perf's maps
}

// Checked is the machine, which panics where a register does not hold what an instruction is to
// find there; for tests.
func (v *Machine) Checked() *Machine {
	m := *v
	m.checked = true
	return &m
}

// Showing is the machine, which writes what it makes to w, a block at a time: the list of its
// instructions, and their bytes.
func (v *Machine) Showing(list, code bool, w io.Writer) *Machine {
	m := *v
	m.list, m.code, m.show = list, code, w
	return &m
}

// Mapping is the machine, which writes a line to w for each block that is loaded: its address, its
// size and its name, as perf reads them.
func (v *Machine) Mapping(w io.Writer) *Machine {
	code.Anonymous()
	m := *v
	m.loaded = w
	return &m
}

// location is where memory has a value.
type location struct {
	kind placeKind
	n    int32 // displacement, or scalar register
}

type placeKind uint8

const (
	placeNone   placeKind = iota
	placeFrame            // displacement from the frame
	placeRow              // displacement from the strip's first lane register
	placeRecord           // displacement from the record of a place
	placeWord             // a scalar register, for all lanes
)

// layout is where the registers of a block are, and what is known of them.
type layout struct {
	vectors *Machine
	r       *Translation
	b       *stretch
	stride  int // bytes of a lane register
	places  []location
	asMask  []bool
	facts   []floatFact
	most    []uint32     // the largest words that registers may hold
	section []int32      // of each instruction, before they are put in order, see sections
	since   []int32      // the section of what sets a register that has a largest word, plus 1
	numbers []int32      // of a condition: the register that is no NaN where it holds, plus 1
	floats  [2]floatFact // of the first two operands of the present instruction
	wide    wideValues
	slots   int32
	resets  int       // where the frame has the values of scalar registers that strips find
	surface *ir.Texel // that all texels of the block are of
	order   []int32   // where each instruction of the block was before it was scheduled
}

// Machines are those of all processors, by name: their blocks can be made and looked at anywhere,
// not run.
func Machines() map[string]*Machine {
	return map[string]*Machine{"AVX-512": &vectors512, "AVX2": &vectors256, "arm64": &vectors128}
}

// Refused says why the system lets no machine code run where the processor could: then "native" is
// the portable machine. It is nil where code runs, and where the processor has none.
func Refused() error {
	if (host{}).vectors() == 0 {
		return nil
	}
	return code.Refused()
}

// Vectors is the bits of the vectors that machine code has here; 0: there is none.
func Vectors() int {
	if Refused() != nil {
		return 0
	}
	return host{}.vectors()
}

// emit translates a block; false where the machine refuses.
func (b *stretch) emit(r *Translation, number, stride int) bool {
	w := r.vectors.newWriter(plan(r, b, stride))
	defer w.done()
	e := w.its()
	text, ok := e.write(number)
	if !ok {
		return false
	}
	c, err := code.Load(text)
	if err != nil {
		return false
	}
	if w := r.vectors.loaded; w != nil {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(c.Bytes())))
		fmt.Fprintf(w, "%x %x %s.%d\n", at, len(text), r.program.Name, number)
	}
	b.native.code, b.native.frame = c, int(e.slots)+64
	return true
}

// plan finds out what is known of a block's registers, and gives them their places.
func plan(r *Translation, b *stretch, stride int) *layout {
	e := &layout{
		vectors: r.vectors, r: r, b: b, stride: stride, places: make([]location, b.lanes),
		asMask: make([]bool, b.lanes), slots: int32(r.vectors.slots),
	}
	e.findMaskValues()
	e.turnConditions()
	e.loops()
	if e.vectors.masks == 0 {
		clear(e.asMask)
	}
	e.findExact()
	e.findPairs()
	e.findRecords()
	e.findSurface()
	e.findFloats()
	e.vectors.prepare(e)
	e.schedule()
	e.slots = (e.slots + 63) &^ 63
	e.resets = int(e.slots)
	e.slots = (e.slots + 8*int32(len(b.resets)) + 63) &^ 63
	return e
}

// constantOf is the value of a scalar register that never changes.
func (e *layout) constantOf(s int32) (uint32, bool) {
	if int(s) < len(e.r.consts) {
		return e.r.consts[s], true
	}
	return 0, false
}
