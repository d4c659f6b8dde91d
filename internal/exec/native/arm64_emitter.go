package native

import (
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// What a frame has besides.
const (
	frameTailInputs  = frameOwn + 8*iota // tables for the last strip where it is no whole one
	frameTailOutputs                     //
	frameZero                            // a word for loads beyond the end
	_
	_
	frameTailMask // its lanes
)

const (
	armSave   = (frameTailMask + 16 + 63) &^ 63
	armServeA = armSave + 32*16
	armServeB = armServeA + 16
	armServeD = armServeB + 16
	armWide   = armServeD + 16 // three operands and the result, low and high words
	armTemps  = armWide + 8*16
	armSlots  = armTemps + 2*16 // resets, then values
)

// General registers in blocks: X9 to X15 are for the steps of an operation.
const (
	xFrame   arm64.G = 0
	xRow     arm64.G = 1 // first lane register of the strip
	xStrip   arm64.G = 2 // offset of the strip in a row
	xScalars arm64.G = 3
	xBuffers arm64.G = 4 // table of buffers
	xInputs  arm64.G = 5 // tables of the rows of inputs and outputs
	xOutputs arm64.G = 6
	xPlace   arm64.G = 7
	xRecord  arm64.G = 8
	// The rows of the strip's quad in a surface, its number in its place, and its first pixel.
	xUpper arm64.G = 19
	xLower arm64.G = 20
	xQuad  arm64.G = 21
	xLeft  arm64.G = 25
	xTop   arm64.G = 26

	x9  arm64.G = 9
	x10 arm64.G = 10
	x11 arm64.G = 11
	// Where words of memory are, and how far they may begin.
	xBase  arm64.G = 12
	xLimit arm64.G = 13
	x14    arm64.G = 14
	xModes arm64.G = 15 // of rounding, as they were
)

// Names of vector registers for the steps of an operation; what they are is chosen behind each
// instruction of the list.
const (
	n0    = arm64.V(mir.FirstName + 0)
	n1    = arm64.V(mir.FirstName + 1)
	n2    = arm64.V(mir.FirstName + 2)
	n3    = arm64.V(mir.FirstName + 3)
	n4    = arm64.V(mir.FirstName + 4)
	n5    = arm64.V(mir.FirstName + 5)
	nMask = arm64.V(mir.FirstName + 6)
	n6    = arm64.V(mir.FirstName + 7)
)

// A mask is a vector of zeros and ones. That of the lanes that exist has a register of its own.
const (
	armValues    = 31
	vAll         = arm64.V(armValues)
	armLaneBytes = 16 // of a strip
	stripWidth   = armLaneBytes / 4
)

// vectors128 are vectors of four lanes.
var vectors128 = Machine{
	processor: arm{}, lanes: stripWidth, parts: 1, values: armValues, carries: true,
	shape: shape{
		portion: 1 << 12, row: uint8(xRow), files: [2]string{"v", "v"},
		serveA: armServeA, serveB: armServeB, serveD: armServeD, wide: armWide, slots: armSlots,
	},
}

// arm makes machine code for arm64.
type arm struct{}

// vectors is that of all processors.
func (arm) vectors() int            { return 128 }
func (arm) machine(int) *Machine    { return &vectors128 }
func (arm) packsQuads(bool) bool    { return true }
func (arm) permutesBytes(bool) bool { return false }
func (arm) translates(ir.Op) bool   { return true }

// prepare leaves sets under masks as they are: no instruction sets some lanes.
func (arm) prepare(e *layout) { e.mergeSets(nil) }

func (arm) newWriter(l *layout) writer {
	e := &armEmitter{draft: draft{layout: *l}, lists: roomsARM64.Get().(*roomARM64)}
	e.writer, e.B = e, e.lists.code[:0]
	e.lists.enter(&e.draft, &e.List, &e.aside)
	e.findPlaces()
	return e
}

// fillFrame does nothing: constants stand behind the code.
func (arm) fillFrame([]uint64) {}

// beginTail tells blocks where the piece's last strip is, and its lanes.
func (arm) beginTail(t *Thread) {
	f, s := t.frame, &t.tail
	f[frameEnd/8] = uint64(4 * ((t.n + stripWidth - 1) &^ (stripWidth - 1)))
	f[frameTailAt/8] = math.MaxUint64
	s.first, s.exists = t.n&^(stripWidth-1), t.n%stripWidth
	if s.exists == 0 {
		return
	}
	if s.inAt == nil {
		inputs, outputs := len(t.unit.program.Inputs), len(t.unit.program.Outputs)
		s.in, s.out = make([][4]uint32, inputs), make([][4]uint32, outputs)
		s.inAt, s.outAt = make([]uintptr, inputs+1), make([]uintptr, outputs+1)
	}
	at := uintptr(4 * s.first) // is added to them
	for i := range s.in {
		copy(s.in[i][:], t.batch.In[i][t.base+s.first:t.base+t.n])
		s.inAt[i] = uintptr(unsafe.Pointer(&s.in[i])) - at
	}
	for i := range s.out {
		s.outAt[i] = uintptr(unsafe.Pointer(&s.out[i])) - at
	}
	f[frameTailAt/8] = uint64(at)
	f[frameTailInputs/8] = uint64(uintptr(unsafe.Pointer(&s.inAt[0])))
	f[frameTailOutputs/8] = uint64(uintptr(unsafe.Pointer(&s.outAt[0])))
	f[frameTailMask/8] = [4]uint64{0, 1<<32 - 1, 1<<64 - 1, 1<<64 - 1}[s.exists]
	f[frameTailMask/8+1] = uint64(1<<32-1) * uint64(s.exists/3)
}

// tailOutputs brings the outputs of the last strip to where blocks write them, and back.
func (arm) tailOutputs(t *Thread, back bool) {
	s := &t.tail
	if s.exists == 0 {
		return
	}
	for i := range s.out {
		out := t.batch.Out[i]
		if at := t.base + s.first; len(out) >= at+s.exists {
			if tail := out[at : at+s.exists]; back {
				copy(tail, s.out[i][:])
			} else {
				copy(s.out[i][:], tail)
			}
		}
	}
}

// armEmitter writes the code of one block.
type armEmitter struct {
	arm64.Asm
	draft
	aside   arm64.List // what is out of line
	lists   *roomARM64
	restore int // label of the code that comes back
}

// roomARM64 is a room of this processor, and roomsARM64 are those that no block is written in.
type roomARM64 = roomOf[arm64.Inst, *arm64.Inst]

var roomsARM64 = sync.Pool{New: func() any { return new(roomARM64) }}

func (e *armEmitter) its() *draft { return &e.draft }

func (e *armEmitter) bytes() ([]byte, bool) {
	code, err := e.Finish()
	return code, err == nil
}

// done gives the room back, with the code.
func (e *armEmitter) done() {
	e.lists.leave(e.List, e.aside, e.B)
	roomsARM64.Put(e.lists)
}

// base is the register before memory of a value.
func (at location) base() arm64.G {
	if at.kind == placeRow {
		return xRow
	}
	return xFrame
}

func (e *armEmitter) fetch(z arm64.V, at location) {
	if at.kind == placeWord {
		e.everyWord(z, at.n)
		return
	}
	e.Vec(arm64.LDRQ, z, at.base(), int(at.n))
}

func (e *armEmitter) keep(z arm64.V, at location) { e.Vec(arm64.STRQ, z, at.base(), int(at.n)) }

func (e *armEmitter) memory(at location) mir.Memory {
	if at.kind == placeWord {
		return mir.Memory{Every: true}
	}
	return mir.Memory{Base: uint8(at.base()), Disp: at.n}
}

// foldable says no, so that fold is never asked: operands are registers.
func (*armEmitter) foldable(location) bool { return false }
func (*armEmitter) fold(int, location)     {}

// move sets d to z.
func (e *armEmitter) move(d, z arm64.V) {
	if d != z {
		e.MOV(d, z)
	}
}

// program writes the loop over strips around the block's instructions.
func (e *armEmitter) program() {
	b := e.b
	for range len(b.code) + 1 {
		e.labels = append(e.labels, e.NewLabel())
	}
	e.save, e.restore = e.NewLabel(), e.NewLabel()
	strip := e.NewLabel()
	e.Gen(arm64.LDRX, x9, xFrame, frameResume)
	e.CBNZ(x9, e.restore)
	e.Gen(arm64.LDRX, xRow, xFrame, frameRows)
	e.Imm(xStrip, 0)
	e.tables()
	e.V3(arm64.CMEQ4S, vAll, vAll, vAll)
	e.endSteps(-1)
	for i := range b.code {
		if b.once[i] {
			e.instruction(i)
		}
	}
	for i, s := range b.resets {
		e.Gen(arm64.LDRW, x9, xScalars, 4*int(s))
		e.Gen(arm64.STRW, x9, xFrame, e.resets+8*i)
	}
	e.endSteps(-1)
	e.strip = len(e.sections)
	e.Here(strip)
	e.beginStrip()
	armPlace{e}.beginPlace(false)
	if b.fuel {
		e.Gen(arm64.LDRX, x9, xFrame, framePortion)
		e.Gen(arm64.STRX, x9, xFrame, frameLeft)
		e.Gen(arm64.STRX, x9, xFrame, frameGranted)
	}
	for i, s := range b.resets {
		e.Gen(arm64.LDRW, x9, xFrame, e.resets+8*i)
		e.Gen(arm64.STRW, x9, xScalars, 4*int(s))
	}
	for i, m := range b.masks {
		if m != 0 {
			e.Gen(arm64.LDRX, x9, xFrame, frameMasks)
			e.Gen(arm64.LDRX, x9, x9, 8*i)
			e.Indexed(arm64.LDRQ, n0, x9, xStrip)
			e.V3(arm64.AND, e.valueOfMask(m), n0, vAll)
		}
	}
	e.endSteps(-1)
	e.loadShared()
	for i := range b.code {
		e.Here(e.labels[i])
		if !b.once[i] {
			e.instruction(i)
		}
	}
	e.Here(e.labels[len(b.code)])
	e.endSteps(-1)
	e.storeShared()
	if b.fuel {
		less := e.NewLabel()
		e.Gen(arm64.LDRX, x9, xFrame, frameGranted)
		e.Gen(arm64.LDRX, x10, xFrame, frameLeft)
		e.G3(arm64.SUBX, x9, x9, x10)
		e.Gen(arm64.LDRX, x10, xFrame, frameSpent)
		e.CMP(x9, x10)
		e.JIf(arm64.Below, less)
		e.Gen(arm64.STRX, x9, xFrame, frameSpent)
		e.Here(less)
	}
	e.ADDImm(xRow, xRow, armLaneBytes)
	e.ADDImm(xStrip, xStrip, armLaneBytes)
	e.Gen(arm64.LDRX, x9, xFrame, frameEnd)
	e.CMP(xStrip, x9)
	e.JIf(arm64.Below, strip)
	e.Imm(x9, exitDone)
	e.Gen(arm64.STRX, x9, xFrame, frameExit)
	e.Return()
	e.endSteps(-1)
}

// tables loads what the registers hold that do not change.
func (e *armEmitter) tables() {
	e.Gen(arm64.LDRX, xScalars, xFrame, frameScalars)
	e.Gen(arm64.LDRX, xBuffers, xFrame, frameBuffers)
}

// beginStrip sets what depends on the strip: which lanes exist, and where inputs and outputs are.
func (e *armEmitter) beginStrip() {
	whole := e.NewLabel()
	e.Gen(arm64.LDRX, xInputs, xFrame, frameInputs)
	e.Gen(arm64.LDRX, xOutputs, xFrame, frameOutputs)
	e.V3(arm64.CMEQ4S, vAll, vAll, vAll)
	e.Gen(arm64.LDRX, x9, xFrame, frameTailAt)
	e.CMP(x9, xStrip)
	e.JIf(arm64.NotEqual, whole)
	e.Gen(arm64.LDRX, xInputs, xFrame, frameTailInputs)
	e.Gen(arm64.LDRX, xOutputs, xFrame, frameTailOutputs)
	e.Vec(arm64.LDRQ, vAll, xFrame, frameTailMask)
	e.Here(whole)
}

// leave leaves the block, to come back at a label.
func (e *armEmitter) leave(exit uint64, back int) {
	e.Imm(x9, exit)
	e.Gen(arm64.STRX, x9, xFrame, frameExit)
	e.ADR(x9, back)
	e.JMP(e.save)
}

// comeBack writes what is out of line, and the ways out of and back into a block that needs
// something of Go.
func (e *armEmitter) comeBack() {
	e.List = append(e.List, e.aside...)
	e.Here(e.save)
	e.Gen(arm64.STRX, x9, xFrame, frameResume)
	e.Gen(arm64.STRX, xStrip, xFrame, frameStrip)
	e.Gen(arm64.STRX, xRow, xFrame, frameRow)
	e.allRegisters(arm64.STRQ)
	e.Return()
	e.Here(e.restore)
	e.Gen(arm64.LDRX, xStrip, xFrame, frameStrip)
	e.Gen(arm64.LDRX, xRow, xFrame, frameRow)
	e.tables()
	e.beginStrip()
	armPlace{e}.beginPlace(true)
	e.allRegisters(arm64.LDRQ)
	e.Gen(arm64.LDRX, x9, xFrame, frameResume)
	e.BR(x9)
}

// allRegisters stores or loads what values live in.
func (e *armEmitter) allRegisters(by arm64.Op) {
	var list uint32
	for _, p := range e.placed {
		if p.number >= firstValue {
			list |= 1 << p.reg
		}
	}
	for ; list != 0; list &= list - 1 {
		v := bits.TrailingZeros32(list)
		e.Vec(by, arm64.V(v), xFrame, armSave+armLaneBytes*v)
	}
}

// loadShared loads what the block reads of others, but for what it finds where it is.
func (e *armEmitter) loadShared() {
	inputs := int32(len(e.r.program.Inputs))
	for i, v := range e.b.in {
		if e.reread[v] != 0 {
			continue
		}
		if row := e.b.rows[i]; row < inputs {
			e.Gen(arm64.LDRX, x9, xInputs, 8*int(row))
			e.Indexed(arm64.LDRQ, e.value(v), x9, xStrip)
		} else {
			e.Vec(arm64.LDRQ, e.value(v), xRow, int(row-inputs)*e.stride)
		}
		e.endSteps(-1)
	}
}

// storeShared stores what others read.
func (e *armEmitter) storeShared() {
	inputs := int32(len(e.r.program.Inputs))
	for i, v := range e.b.out {
		row := e.b.rows[len(e.b.in)+i] - inputs
		e.Vec(arm64.STRQ, e.value(v), xRow, int(row)*e.stride)
		e.endSteps(-1)
	}
}

// An operand is a lane register or a scalar one, or what a step has in a vector.
type operand struct {
	r      int32
	scalar bool
	z      arm64.V // 0: none
}

func lanes(r int32) operand    { return operand{r: r} }
func scalar(r int32) operand   { return operand{r: r, scalar: true} }
func vector(z arm64.V) operand { return operand{z: z} }

// in is an operand in a vector register, the given one if it has to be loaded.
func (e *armEmitter) in(x operand, to arm64.V) arm64.V {
	switch {
	case x.z != 0:
		return x.z
	case !x.scalar && e.places[x.r].kind == placeRecord:
		e.LD1R4S(to, xRecord, int(e.places[x.r].n))
		return to
	case !x.scalar && e.reread[x.r] <= 0:
		return e.value(x.r)
	case !x.scalar:
		return e.spreadValue(e.reread[x.r] - 1)
	case e.steady(x.r):
		return e.spreadValue(x.r)
	}
	e.everyWord(to, x.r)
	return to
}

// everyWord sets all lanes to a scalar register.
func (e *armEmitter) everyWord(d arm64.V, s int32) {
	if c, ok := e.constantOf(s); ok {
		e.constant(d, c)
	} else {
		e.LD1R4S(d, xScalars, 4*int(s))
	}
}

// constant sets all lanes to a constant.
func (e *armEmitter) constant(d arm64.V, c uint32) {
	for shift := 0; shift < 32; shift += 8 {
		if c&^(0xFF<<shift) == 0 {
			e.MOVI(d, byte(c>>shift), shift)
			return
		}
	}
	both := uint64(c) | uint64(c)<<32
	e.Const(d, both, both)
}

// put moves the value of v to its register.
func (e *armEmitter) put(v int32, z arm64.V) { e.move(e.value(v), z) }

// executes is the execution mask of an instruction, with the lanes that exist.
func (e *armEmitter) executes(m int32) arm64.V {
	if m == 0 {
		return vAll
	}
	return e.valueOfMask(m)
}

// laneBits has the bit of each lane.
func (e *armEmitter) laneBits(d arm64.V) { e.Const(d, 2<<32|1, 8<<32|4) }

// bits sets x10 to 16 bits of each lane of a mask.
func (e *armEmitter) bits(k arm64.V) {
	e.V2(arm64.XTN4H, n3, k)
	e.UMOV2D(x10, n3, 0)
}

// eachSet writes f for each lane of which x10 has the bits; not is the label behind it.
func (e *armEmitter) eachSet(f func(lane, not int)) {
	for i := range stripWidth {
		not := e.NewLabel()
		e.Bits(x9, x10, 16*i, 1)
		e.CBZ(x9, not)
		f(i, not)
		e.Here(not)
	}
}
