package native

import (
	"math"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// What a frame has besides.
const (
	frameTailInputs  = frameConsts + 8*iota // tables for the last strip where it is no whole one
	frameTailOutputs                        //
	frameZero                               // a word for loads beyond the end
	_
	_
	frameTailMask // its lanes
)

const (
	frameSave     = (frameTailMask + 16 + 63) &^ 63
	frameServeA   = frameSave + 32*16
	frameServeB   = frameServeA + 16
	frameServeD   = frameServeB + 16
	frameWide     = frameServeD + 16 // three operands and the result, low and high words
	frameTemps    = frameWide + 8*16
	frameBorrowed = frameTemps + 2*16
	frameSlots    = frameBorrowed + laneBytes*mir.NameCount // masks, then resets, then spilled registers
)

// General registers in blocks: X9 to X15 are for the steps of an operation.
const (
	regFrame   arm64.G = 0
	regRow     arm64.G = 1 // first lane register of the strip
	regStrip   arm64.G = 2 // offset of the strip in a row
	regScalars arm64.G = 3
	regBuffers arm64.G = 4 // table of buffers
	regInputs  arm64.G = 5 // tables of the rows of inputs and outputs
	regOutputs arm64.G = 6
	regPlace   arm64.G = 7
	regRecord  arm64.G = 8
	// The rows of the place in a surface, and the number of the strip's quad in its place.
	regUpper arm64.G = 19
	regLower arm64.G = 20
	regQuad  arm64.G = 21

	step0 arm64.G = 9
	step1 arm64.G = 10
	step2 arm64.G = 11
	// Where words of memory are, and how far they may begin.
	regBase  arm64.G = 12
	regLimit arm64.G = 13
	step3    arm64.G = 14
)

// Names of vector registers for the steps of an operation; what they are is chosen behind each
// instruction of the list.
const (
	scratch0 = arm64.V(mir.FirstName + 0)
	scratch1 = arm64.V(mir.FirstName + 1)
	scratch2 = arm64.V(mir.FirstName + 2)
	scratch3 = arm64.V(mir.FirstName + 3)
	scratch4 = arm64.V(mir.FirstName + 4)
	scratch5 = arm64.V(mir.FirstName + 5)
	maskStep = arm64.V(mir.FirstName + 6)
)

// A mask is a vector of zeros and ones. Those that loops use most, and that of the lanes that exist, have
// registers of their own.
const (
	firstMask  = 26
	freeMasks  = 3
	maskAll    = arm64.V(31)
	laneBytes  = 16 // of a strip
	stripWidth = laneBytes / 4
)

// vectors128 are vectors of four lanes. All registers but two can hold values: what an instruction's steps
// need besides those and what is free there, they borrow.
var vectors128 = Machine{
	processor: arm{}, lanes: stripWidth, parts: 1, values: firstMask, registers: 1<<31 - 1 - (1<<freeMasks-1)<<firstMask,
	kept: 1<<(firstMask+freeMasks) - 1, masks: freeMasks, busy: freeMasks, firstMask: firstMask,
	shape: shape{
		portion: 1 << 12, frame: uint8(regFrame), files: [2]string{"v", "v"},
		serveA: frameServeA, serveB: frameServeB, serveD: frameServeD, wide: frameWide, slots: frameSlots,
	},
}

// arm makes machine code for arm64.
type arm struct{}

// vectors is that of all processors.
func (arm) vectors() int             { return 128 }
func (arm) machine(int) *Machine     { return &vectors128 }
func (arm) packsQuads(bool) bool     { return false }
func (arm) permutesBytes(bool) bool  { return false }
func (arm) translates(op ir.Op) bool { return translatesOp(op) }

// prepare leaves sets under masks as they are: no instruction sets some lanes.
func (arm) prepare(e *layout) { e.mergeSets(nil) }

func (arm) newWriter(l *layout) writer {
	e := &emitter{draft: draft{layout: *l}}
	e.begin(e, &e.List, &e.aside)
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
	f[frameTailInputs/8], f[frameTailOutputs/8] = uint64(uintptr(unsafe.Pointer(&s.inAt[0]))), uint64(uintptr(unsafe.Pointer(&s.outAt[0])))
	f[frameTailMask/8], f[frameTailMask/8+1] = [4]uint64{0, 1<<32 - 1, 1<<64 - 1, 1<<64 - 1}[s.exists], uint64(1<<32-1)*uint64(s.exists/3)
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

// emitter writes the code of one block.
type emitter struct {
	arm64.Asm
	draft
	aside arm64.List // what is out of line
}

func (e *emitter) its() *draft { return &e.draft }

func (e *emitter) bytes() ([]byte, bool) {
	code, err := e.Finish()
	return code, err == nil
}

// done does nothing: each block has its own room.
func (*emitter) done() {}

func (e *emitter) parts(in *Inst, _, _ int) { e.inst(in) }

func (e *emitter) borrow(register mir.Number, n int, store bool) {
	by := arm64.LDRQ
	if store {
		by = arm64.STRQ
	}
	e.Vec(by, register, regFrame, frameBorrowed+laneBytes*n)
}

// value stands for the register of a lane register.
func (e *emitter) value(v int32) arm64.V { return mir.Value(v, 0) }

// move sets d to z.
func (e *emitter) move(d, z arm64.V) {
	switch {
	case !e.same(d, z):
		e.MOV(d, z)
	case d != z:
		e.Rename(d, z)
	}
}

// program writes the loop over strips around the block's instructions.
func (e *emitter) program() {
	b := e.b
	for range len(b.code) + 1 {
		e.labels = append(e.labels, e.NewLabel())
	}
	e.save = e.NewLabel()
	restore, strip := e.NewLabel(), e.NewLabel()
	e.Gen(arm64.LDRX, step0, regFrame, frameResume)
	e.CBNZ(step0, restore)
	e.Gen(arm64.LDRX, regRow, regFrame, frameRows)
	e.Imm(regStrip, 0)
	e.tables()
	e.V3(arm64.CMEQ4S, maskAll, maskAll, maskAll)
	e.endOthers(e.vectors.registers)
	for i := range b.code {
		if b.once[i] {
			e.instruction(i)
		}
	}
	for i, s := range b.resets {
		e.Gen(arm64.LDRW, step0, regScalars, 4*int(s))
		e.Gen(arm64.STRW, step0, regFrame, e.resets+8*i)
	}
	e.Here(strip)
	e.beginStrip()
	e.beginPlace(false)
	if b.fuel {
		e.Gen(arm64.LDRX, step0, regFrame, framePortion)
		e.Gen(arm64.STRX, step0, regFrame, frameLeft)
		e.Gen(arm64.STRX, step0, regFrame, frameGranted)
	}
	for i, s := range b.resets {
		e.Gen(arm64.LDRW, step0, regFrame, e.resets+8*i)
		e.Gen(arm64.STRW, step0, regScalars, 4*int(s))
	}
	for i, m := range b.masks {
		if m != 0 {
			e.Gen(arm64.LDRX, step0, regFrame, frameMasks)
			e.Gen(arm64.LDRX, step0, step0, 8*i)
			k := e.maskOwn(m, maskStep)
			e.Indexed(arm64.LDRQ, k, step0, regStrip)
			e.V3(arm64.AND, k, k, maskAll)
			e.setMask(m, k)
		}
	}
	e.endOthers(e.vectors.registers)
	e.loadShared()
	e.endOthers(e.vectors.noValues())
	for i := range b.code {
		e.Here(e.labels[i])
		if !b.once[i] {
			e.instruction(i)
		}
	}
	e.Here(e.labels[len(b.code)])
	e.storeShared()
	e.endOthers(e.vectors.noValues())
	if b.fuel {
		less := e.NewLabel()
		e.Gen(arm64.LDRX, step0, regFrame, frameGranted)
		e.Gen(arm64.LDRX, step1, regFrame, frameLeft)
		e.SUB(step0, step0, step1)
		e.Gen(arm64.LDRX, step1, regFrame, frameSpent)
		e.CMP(step0, step1)
		e.JIf(arm64.Below, less)
		e.Gen(arm64.STRX, step0, regFrame, frameSpent)
		e.Here(less)
	}
	e.ADDImm(regRow, regRow, laneBytes)
	e.ADDImm(regStrip, regStrip, laneBytes)
	e.Gen(arm64.LDRX, step0, regFrame, frameEnd)
	e.CMP(regStrip, step0)
	e.JIf(arm64.Below, strip)
	e.Imm(step0, exitDone)
	e.Gen(arm64.STRW, step0, regFrame, frameExit)
	e.Return()
	e.comeBack(restore)
}

// tables loads what the registers hold that do not change.
func (e *emitter) tables() {
	e.Gen(arm64.LDRX, regScalars, regFrame, frameScalars)
	e.Gen(arm64.LDRX, regBuffers, regFrame, frameBuffers)
}

// beginStrip sets what depends on the strip: which lanes exist, and where inputs and outputs are.
func (e *emitter) beginStrip() {
	whole := e.NewLabel()
	e.Gen(arm64.LDRX, regInputs, regFrame, frameInputs)
	e.Gen(arm64.LDRX, regOutputs, regFrame, frameOutputs)
	e.V3(arm64.CMEQ4S, maskAll, maskAll, maskAll)
	e.Gen(arm64.LDRX, step0, regFrame, frameTailAt)
	e.CMP(step0, regStrip)
	e.JIf(arm64.NotEqual, whole)
	e.Gen(arm64.LDRX, regInputs, regFrame, frameTailInputs)
	e.Gen(arm64.LDRX, regOutputs, regFrame, frameTailOutputs)
	e.Vec(arm64.LDRQ, maskAll, regFrame, frameTailMask)
	e.Here(whole)
}

// leave leaves the block, to come back at a label.
func (e *emitter) leave(exit uint64, back int) {
	e.Imm(step0, exit)
	e.Gen(arm64.STRW, step0, regFrame, frameExit)
	e.ADR(step0, back)
	e.JMP(e.save)
}

// comeBack writes the ways out of and back into a block that needs something of Go.
func (e *emitter) comeBack(restore int) {
	e.outOfLineHere()
	e.Here(e.save)
	e.Gen(arm64.STRX, step0, regFrame, frameResume)
	e.Gen(arm64.STRX, regStrip, regFrame, frameStrip)
	e.Gen(arm64.STRX, regRow, regFrame, frameRow)
	for v := range arm64.V(firstMask + freeMasks) {
		e.Vec(arm64.STRQ, v, regFrame, frameSave+laneBytes*int(v))
	}
	e.Return()
	e.Here(restore)
	e.Gen(arm64.LDRX, regStrip, regFrame, frameStrip)
	e.Gen(arm64.LDRX, regRow, regFrame, frameRow)
	e.tables()
	e.beginStrip()
	e.beginPlace(true)
	for v := range arm64.V(firstMask + freeMasks) {
		e.Vec(arm64.LDRQ, v, regFrame, frameSave+laneBytes*int(v))
	}
	e.Gen(arm64.LDRX, step0, regFrame, frameResume)
	e.BR(step0)
}

// loadShared loads what the block reads of others.
func (e *emitter) loadShared() {
	inputs := int32(len(e.r.program.Inputs))
	for i, v := range e.b.in {
		p, row := e.places[v], e.b.rows[i]
		if p.kind == placeRow {
			continue // read where it is
		}
		z := scratch0
		if p.kind == placeVector {
			z = e.value(v)
		}
		if row < inputs {
			e.Gen(arm64.LDRX, step0, regInputs, 8*int(row))
			e.Indexed(arm64.LDRQ, z, step0, regStrip)
		} else {
			e.Vec(arm64.LDRQ, z, regRow, int(row-inputs)*e.stride)
		}
		if p.kind == placeFrame {
			e.Vec(arm64.STRQ, z, regFrame, int(p.n))
		}
	}
}

// storeShared stores what others read.
func (e *emitter) storeShared() {
	inputs := int32(len(e.r.program.Inputs))
	for i, v := range e.b.out {
		if p := e.places[v]; p.kind == placeVector {
			e.Vec(arm64.STRQ, e.value(v), regRow, int(e.b.rows[len(e.b.in)+i]-inputs)*e.stride)
		}
	}
}

// An operand is a lane register or a scalar one.
type operand struct {
	r      int32
	scalar bool
}

func lanes(r int32) operand  { return operand{r: r} }
func scalar(r int32) operand { return operand{r, true} }

// in is an operand in a vector register, the given one if it has to be loaded.
func (e *emitter) in(x operand, to arm64.V) arm64.V {
	if x.scalar {
		if c, ok := e.constantOf(x.r); ok {
			e.constant(to, c)
		} else {
			e.every(to, regScalars, 4*int(x.r))
		}
		return to
	}
	switch p := e.places[x.r]; p.kind {
	case placeVector:
		return e.value(x.r)
	case placeRow:
		e.Vec(arm64.LDRQ, to, regRow, int(p.n))
	case placeFrame:
		e.Vec(arm64.LDRQ, to, regFrame, int(p.n))
	case placeRecord:
		e.every(to, regRecord, int(p.n))
	default:
		e.fail = true
	}
	return to
}

// every sets all lanes to a word of memory.
func (e *emitter) every(d arm64.V, base arm64.G, at int) {
	if at > 4095 {
		e.Vec(arm64.LDRS, d, base, at)
		e.DUP4S(d, d, 0)
		return
	}
	if at > 0 {
		e.ADDImm(step0, base, at)
		base = step0
	}
	e.LD1R4S(d, base)
}

// constant sets all lanes to a constant.
func (e *emitter) constant(d arm64.V, c uint32) {
	for shift := 0; shift < 32; shift += 8 {
		if c&^(0xFF<<shift) == 0 {
			e.MOVI(d, byte(c>>shift), shift)
			return
		}
	}
	both := uint64(c) | uint64(c)<<32
	e.Const(d, both, both)
}

// to is the register in which the value of v is made, and put moves it where it stays.
func (e *emitter) to(v int32) arm64.V {
	if e.places[v].kind == placeVector {
		return e.value(v)
	}
	return scratch5
}

func (e *emitter) put(v int32, z arm64.V) {
	switch p := e.places[v]; p.kind {
	case placeVector:
		e.move(e.value(v), z)
	case placeRow:
		e.Vec(arm64.STRQ, z, regRow, int(p.n))
	case placeFrame:
		e.Vec(arm64.STRQ, z, regFrame, int(p.n))
	default:
		e.fail = true
	}
}

// executes is the execution mask of an instruction, with the lanes that exist.
func (e *emitter) executes(m int32) arm64.V {
	if m == 0 {
		return maskAll
	}
	return e.mask(m, maskStep)
}

// mask is mask register m in a register: the given one if it has to be loaded.
func (e *emitter) mask(m int32, to arm64.V) arm64.V {
	if m == 0 {
		return maskAll
	}
	if k := e.maskRegs[m]; k != 0 {
		return k
	}
	e.Vec(arm64.LDRQ, to, regFrame, e.maskSlot(m))
	return to
}

// maskOwn is the register of mask register m, or the given one.
func (e *emitter) maskOwn(m int32, or arm64.V) arm64.V {
	if k := e.maskRegs[m]; k != 0 {
		return k
	}
	return or
}

// setMask sets mask register m.
func (e *emitter) setMask(m int32, k arm64.V) {
	switch to := e.maskOwn(m, 0); {
	case to == 0:
		e.Vec(arm64.STRQ, k, regFrame, e.maskSlot(m))
	case to != k:
		e.MOV(to, k)
	}
}

// bits sets step1 to 16 bits of each lane of a mask.
func (e *emitter) bits(k arm64.V) {
	e.V2(arm64.XTN4H, scratch3, k)
	e.UMOV2D(step1, scratch3, 0)
}
