//go:build amd64 || arm64

package native

import (
	"math"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// constants of the frame, which operations use for all lanes. Those of 32 bits stand
// in both halves.
const (
	constOnes = iota
	constSign
	constAbs
	constInf
	constNaN
	constOne
	constMinusOne
	const2p31
	constMaxInt
	const31
	const32
	constI1
	constI4
	const2p20
	constMinusInf
	constMaxFloat
	constCount
)

var constWords = [constCount]uint32{
	constOnes: 0xFFFFFFFF, constSign: 1 << 31, constAbs: 1<<31 - 1, constInf: 0x7F800000, constNaN: 0x7FC00000, constOne: 0x3F800000,
	constMinusOne: 0xBF800000, const2p31: 0x4F000000, constMaxInt: 1<<31 - 1, const31: 31, const32: 32, constI1: 1, constI4: 4, const2p20: 0x49800000, constMinusInf: 0xFF800000, constMaxFloat: 0x7F7FFFFF,
}

const (
	frameDoubles = frameConsts + 8*constCount
	frameIota    = (frameDoubles + 8*doubleCount + 63) &^ 63
	frameJoin    = frameIota + 64  // places of words that become pairs: of each half of the lanes
	framePart    = frameJoin + 128 // and of those that pairs become: low words, high words
	frameSpread  = framePart + 128 // see placeTables
	frameSave    = frameSpread + 64*placeTableCount
	frameKSave   = frameSave + 32*64
	frameServeA  = frameKSave + 64
	frameServeB  = frameServeA + 64
	frameServeD  = frameServeB + 64
	frameWide    = frameServeD + 64 // three operands and the result, low and high words
	frameTemps   = frameWide + 8*64
	// Masks as vectors: of the lanes of the strip that exist, and of those of the last one.
	frameAll      = frameTemps + 128
	frameTailAll  = frameAll + 64
	frameBorrowed = frameTailAll + 64
	frameTries    = frameBorrowed + laneBytes*mir.NameCount // see tries
	frameSlots    = frameTries + 8*tryWords                 // masks, then resets, then spilled registers
)

// General registers in blocks.
const (
	regFrame   = amd64.RDI
	regRow     = amd64.RSI // first lane register of the strip
	regStrip   = amd64.RBX // offset of the strip in a row
	regScalars = amd64.R8
	regBuffers = amd64.R9 // table of buffers
	regPlace   = amd64.R13
	regRecord  = amd64.R10
	// The rows of the place in a surface.
	regUpper = amd64.R15
	regLower = amd64.RDX
)

// Names of vector registers for the steps of an operation; what they are is chosen behind each instruction
// of the list, see steps.go.
const (
	scratch0  = amd64.Z(mir.FirstName + 0)
	scratch1  = amd64.Z(mir.FirstName + 1)
	scratch2  = amd64.Z(mir.FirstName + 2)
	scratch3  = amd64.Z(mir.FirstName + 3)
	scratch4  = amd64.Z(mir.FirstName + 4)
	scratch5  = amd64.Z(mir.FirstName + 5)
	laneBytes = 64 // of a strip
)

// Names besides scratch0 to scratch5: what steps work with that stand for an instruction, masks
// 1 to 3, and a copy of the mask of the lanes that exist.
const (
	step0       = amd64.Z(mir.FirstName + 6)
	step1       = amd64.Z(mir.FirstName + 7)
	stepMasks   = amd64.Z(mir.FirstName + 7)
	stepAll     = amd64.Z(mir.FirstName + 11)
	step2       = amd64.Z(mir.FirstName + 12)
	stepsShared = amd64.Z(mir.FirstName + 13) // and the next two: what both halves of a pair's operation have
)

// Mask registers: the first ones are for steps, the last one has the lanes that exist.
const (
	maskStep  = amd64.K(1)
	maskStep2 = amd64.K(2)
	maskStep3 = amd64.K(3)
	firstMask = 4
	freeMasks = 3
	maskAll   = amd64.K(7)
)

// On 256 bits two parts, which do not wait for each other, are faster than one with registers for
// more values. All but two registers can hold values: what an instruction's steps need besides
// those and what is free there, they borrow.
var (
	vectors512 = Machine{
		processor: x86{}, lanes: 16, parts: 1, values: 30, registers: 1<<32 - 1, kept: 1<<30 - 1,
		masks: freeMasks, busy: freeMasks - 1, firstMask: firstMask, shape: shapeAMD64,
	}
	vectors256 = Machine{
		processor: x86{}, lanes: 8, parts: 2, values: 7, registers: 1<<16 - 1, kept: 1<<16 - 1, narrow: true,
		firstMask: firstMask, shape: shapeAMD64,
	}
	shapeAMD64 = shape{
		portion: 1 << 14, frame: uint8(regFrame), files: [2]string{"z", "k"},
		serveA: frameServeA, serveB: frameServeB, serveD: frameServeD, wide: frameWide, borrowed: frameBorrowed, slots: frameSlots,
	}
)

// x86 makes machine code for amd64.
type x86 struct{}

func (x86) vectors() int { return amd64.Vectors() }

func (x86) machine(bits int) *Machine {
	if bits == 256 {
		return &vectors256
	}
	return &vectors512
}

func (x86) translates(op ir.Op) bool       { return translatesOp(op) }
func (x86) writes(Kind) bool               { return true }
func (x86) packsQuads(narrow bool) bool    { return !narrow }
func (x86) permutesBytes(narrow bool) bool { return !narrow && amd64.PermutesBytes() }

func (x86) newWriter(l *layout) writer {
	e := &emitter{draft: draft{layout: *l}}
	e.Narrow = e.vectors.narrow
	e.room = rooms.Get().(*room)
	e.B, e.List, e.aside = e.room.code[:0], e.room.list[:0], e.room.aside[:0]
	e.begin(e, &e.List, &e.aside)
	e.findTwins()
	return e
}

// fillFrame writes what all blocks find in a frame.
func (x86) fillFrame(f []uint64) {
	for i, c := range constWords {
		f[frameConsts/8+i] = uint64(c) | uint64(c)<<32
	}
	for i, c := range doubleWords {
		f[frameDoubles/8+i] = c
	}
	for i := range uint64(8) {
		k := int(i)
		f[frameIota/8+k] = 8*i | (8*i+4)<<32
		for half := range uint64(2) { // places from 16 on are those of the second register
			f[frameJoin/8+8*int(half)+k] = (8*half + i) | (8*half+i+16)<<32
			f[framePart/8+8*int(half)+k] = (4*i + half) | (4*i+half+2)<<32
		}
	}
	copy(f[frameSpread/8:], placeTables[:])
}

// beginTail tells blocks where the piece's last strip is, and its lanes.
func (x86) beginTail(s *Thread) {
	f, last := s.frame, (s.n-1)&^15
	f[frameEnd/8], f[frameTailAt/8], f[frameTail/8] = uint64(4*StripLanes(s.n)), uint64(4*last), 1<<(s.n-last)-1
	if s.n == last+16 { // whole
		f[frameTailAt/8] = math.MaxUint64
	}
	setMask256(f[frameTailAll/8:][:8], uint16(f[frameTail/8]))
}

// setMask256 sets words, two in each, to the lanes of a mask.
func setMask256(words []uint64, mask uint16) {
	for i := range words {
		words[i] = uint64(mask>>(2*i)&1)*0xFFFFFFFF | uint64(mask>>(2*i+1)&1)*0xFFFFFFFF<<32
	}
}

// tailOutputs does nothing: stores leave lanes alone that do not exist.
func (x86) tailOutputs(*Thread, bool) {}

// emitter writes the code of one block.
type emitter struct {
	amd64.Asm
	draft
	aside    amd64.List // what is out of line
	shared   sharedWords
	tested   bool                // flags tell already what the present one asks
	short    bool                // it shifts by less than 32
	generals []amd64.G           // of scalar registers, where they have one, see placeWords
	held     int32               // the scalar register that EAX holds as well, plus 1; 0: none
	was      int32               // held before the present instruction
	anyNaN   bool                // nobody tells one NaN of its result from another
	tries    int                 // how many there are
	tables   map[int64]amd64.Arg // behind the code, see behind
	room     *room
	twin     []bool // see findTwins
}

func (e *emitter) its() *draft { return &e.draft }

func (e *emitter) bytes() ([]byte, bool) {
	if e.Wrong() {
		return nil, false
	}
	return e.Finish(), true
}

// room is what writing a block needs and nobody keeps.
type room struct {
	code        []byte
	list, aside amd64.List
}

// rooms are those that no block is written in; which one it gets changes nothing.
var rooms = sync.Pool{New: func() any { return new(room) }}

// done gives the room back, with the code.
func (e *emitter) done() {
	*e.room = room{e.B, e.List, e.aside}
	rooms.Put(e.room)
}

// slot is maskSlot as an operand.
func (e *emitter) slot(m int32) amd64.Arg {
	return amd64.M(regFrame, e.maskSlot(m)+e.vectors.maskBytes()*e.part)
}

// mask is mask register m in a register: the given one if it has to be
// loaded.
func (e *emitter) mask(m int32, to amd64.K) amd64.K {
	if k := e.maskRegs[m]; k != 0 {
		return amd64.K(k)
	}
	e.KLOAD(to, e.slot(m))
	return to
}

// maskOwn is the register of mask register m, or the given one.
func (e *emitter) maskOwn(m int32, or amd64.K) amd64.K {
	if k := e.maskRegs[m]; k != 0 {
		return amd64.K(k)
	}
	return or
}

// setMask sets mask register m.
func (e *emitter) setMask(m int32, k amd64.K) {
	switch to := e.maskOwn(m, 0); {
	case to == 0:
		e.KSTORE(e.slot(m), k)
	case to != k:
		e.KMOV(to, k)
	}
}

// program writes the loop over strips around the block's instructions.
func (e *emitter) program() {
	b, resets := e.b, e.resets
	e.labels = make([]int, len(b.code)+1)
	e.GrowLabels(len(e.labels) + len(b.code)/8 + 16)
	for i := range e.labels {
		e.labels[i] = e.NewLabel()
	}
	e.save = e.NewLabel()
	restore, strip, whole := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameResume))
	e.TESTQ(amd64.RAX, amd64.RAX)
	e.JIf(amd64.IfNotZero, restore)
	e.MOVQLoad(regRow, amd64.M(regFrame, frameRows))
	e.MOVQLoad(regScalars, amd64.M(regFrame, frameScalars))
	e.MOVQLoad(regBuffers, amd64.M(regFrame, frameBuffers))
	e.XORL(regStrip, regStrip)
	e.allLanes() // which functions look at
	e.endOthers(e.vectors.registers)
	carried := placeWords(e)
	for i := range b.code {
		if b.once[i] {
			e.instruction(i)
		}
	}
	for i, s := range b.resets {
		e.MOVLLoad(amd64.RAX, amd64.M(regScalars, 4*int(s)))
		e.MOVLStore(amd64.M(regFrame, resets+8*i), amd64.RAX)
	}
	if e.r.places {
		e.MOVQLoad(regPlace, amd64.M(regFrame, framePlaces))
	}
	e.Here(strip)
	e.beginPlace()
	e.allLanes()
	e.CMPQMem(regStrip, amd64.M(regFrame, frameTailAt))
	e.JIf(amd64.IfNotZero, whole)
	e.tailLanes()
	e.Here(whole)
	if b.fuel {
		e.MOVQLoad(amd64.RAX, amd64.M(regFrame, framePortion))
		e.MOVQStore(amd64.M(regFrame, frameLeft), amd64.RAX)
		e.MOVQStore(amd64.M(regFrame, frameGranted), amd64.RAX)
	}
	for i, s := range b.resets {
		e.MOVLLoad(amd64.RAX, amd64.M(regFrame, resets+8*i))
		e.MOVLStore(amd64.M(regScalars, 4*int(s)), amd64.RAX)
	}
	for _, s := range carried {
		e.MOVLLoad(e.generals[s], e.word(s))
	}
	for i, m := range b.masks {
		if m != 0 {
			e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameMasks))
			e.MOVQLoad(amd64.RAX, amd64.M(amd64.RAX, 8*i))
			e.ADDQ(amd64.RAX, regStrip)
			for e.part = range e.vectors.parts {
				e.VZ(amd64.VMOVDQU, scratch0, 0, e.lanesAt(amd64.RAX), maskAll)
				e.V(amd64.VPMOVD2M, amd64.Z(maskStep), 0, amd64.R(scratch0))
				e.setMask(m, maskStep)
			}
			e.part = 0
		}
	}
	e.endOthers(e.vectors.registers)
	e.loadShared()
	e.endOthers(e.vectors.noValues())
	e.held = 0
	targets := make([]bool, len(b.code)+1)
	for i := range b.code {
		if in := &b.code[i]; in.jumps() {
			targets[in.To] = true
		}
	}
	for i := range b.code {
		e.Here(e.labels[i])
		e.tested = i > 0 && !targets[i] && b.code[i].testsMask() && b.code[i-1].testsMask() && b.code[i].M == b.code[i-1].M
		if targets[i] {
			e.held = 0
		}
		if !b.once[i] {
			e.instruction(i)
		}
	}
	e.Here(e.labels[len(b.code)])
	e.storeShared()
	e.endOthers(e.vectors.noValues())
	if b.fuel {
		less := e.NewLabel()
		e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameGranted))
		e.SUBQMem(amd64.RAX, amd64.M(regFrame, frameLeft))
		e.CMPQMem(amd64.RAX, amd64.M(regFrame, frameSpent))
		e.JIf(amd64.IfBelow, less)
		e.MOVQStore(amd64.M(regFrame, frameSpent), amd64.RAX)
		e.Here(less)
	}
	e.ADDQImm(regRow, laneBytes)
	e.ADDQImm(regStrip, laneBytes)
	if e.r.places {
		e.ADDQImm(regPlace, placeBytes)
	}
	e.CMPQMem(regStrip, amd64.M(regFrame, frameEnd))
	e.JIf(amd64.IfBelow, strip)
	e.MOVLImmStore(amd64.M(regFrame, frameExit), exitDone)
	e.Return()
	e.comeBack(restore)
}

// leave leaves the block, to come back at a label.
func (e *emitter) leave(exit uint32, back int) {
	e.MOVLImmStore(amd64.M(regFrame, frameExit), exit)
	e.LEALabel(amd64.RAX, back)
	e.JMP(e.save)
}

// comeBack writes the ways out of and back into a block that needs something of Go.
func (e *emitter) comeBack(restore int) {
	e.outOfLineHere()
	e.Here(e.save)
	e.MOVQStore(amd64.M(regFrame, frameResume), amd64.RAX)
	e.MOVQStore(amd64.M(regFrame, frameStrip), regStrip)
	e.MOVQStore(amd64.M(regFrame, frameRow), regRow)
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.MOVQStore(amd64.M(regFrame, framePlace+8*i), g)
		}
	}
	e.allRegisters(amd64.VMOVDQUTo, e.KSTORETo)
	e.Return()
	e.Here(restore)
	e.MOVQLoad(regStrip, amd64.M(regFrame, frameStrip))
	e.MOVQLoad(regRow, amd64.M(regFrame, frameRow))
	e.MOVQLoad(regScalars, amd64.M(regFrame, frameScalars))
	e.MOVQLoad(regBuffers, amd64.M(regFrame, frameBuffers))
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.MOVQLoad(g, amd64.M(regFrame, framePlace+8*i))
		}
	}
	e.allRegisters(amd64.VMOVDQU, e.KLOAD)
	e.JMPTo(amd64.RAX)
}

// placeRegisters are those of places, as the frame has them; in blocks without places words live
// there.
var placeRegisters = [4]amd64.G{regPlace, regUpper, regLower, regRecord}

// allRegisters stores or loads what values live in.
func (e *emitter) allRegisters(by amd64.Op, mask func(k amd64.K, m amd64.Arg)) {
	if e.vectors.narrow {
		for z := range amd64.Z(16) {
			e.Y(by, z, 0, amd64.M(regFrame, frameSave+laneBytes*int(z)))
		}
		return
	}
	for z := range amd64.Z(e.vectors.values) {
		e.Mov1(by, z, amd64.M(regFrame, frameSave+laneBytes*int(z)))
	}
	for i, k := range [freeMasks + 1]amd64.K{firstMask, firstMask + 1, firstMask + 2, maskAll} {
		mask(k, amd64.M(regFrame, frameKSave+8*i))
	}
}

// KSTORETo is KSTORE with its operands the other way round.
func (e *emitter) KSTORETo(k amd64.K, m amd64.Arg) { e.KSTORE(m, k) }

// allLanes says that all lanes of the strip exist, tailLanes that it is the last one.
func (e *emitter) allLanes() {
	if !e.vectors.narrow {
		e.KXNOR(maskAll, maskAll, maskAll)
		return
	}
	e.y(amd64.VMOVDQU, step0, 0, e.words(1<<32-1))
	for e.part = range e.vectors.parts {
		e.y(amd64.VMOVDQUTo, step0, 0, e.existing())
	}
	e.part = 0
}

func (e *emitter) tailLanes() {
	if !e.vectors.narrow {
		e.KLOAD(maskAll, amd64.M(regFrame, frameTail))
		return
	}
	for e.part = range e.vectors.parts {
		e.y(amd64.VMOVDQU, step0, 0, amd64.M(regFrame, frameTailAll+e.partAt()))
		e.y(amd64.VMOVDQUTo, step0, 0, e.existing())
	}
	e.part = 0
}

// row is the memory of the i-th of the registers that the block shares.
func (e *emitter) row(i int) (at amd64.Arg, input bool) {
	inputs := int32(len(e.r.program.Inputs))
	r := e.b.rows[i]
	if r < inputs {
		if e.part == 0 {
			e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameInputs))
			e.MOVQLoad(amd64.RAX, amd64.M(amd64.RAX, 8*int(r)))
			e.ADDQ(amd64.RAX, regStrip)
		}
		return e.lanesAt(amd64.RAX), true
	}
	return amd64.M(regRow, int(r-inputs)*e.stride+e.partAt()), false
}

// loadShared loads what the block reads of others.
func (e *emitter) loadShared() {
	for i, v := range e.b.in {
		if e.places[v].kind == placeRow {
			continue // read where it is
		}
		for e.part = range e.vectors.parts {
			from, input := e.row(i)
			x := e.arg(v)
			z := scratch0
			if !x.IsMem() {
				z = x.Reg()
			}
			if input && !e.r.places {
				e.loadLanes(z, from, maskAll)
			} else {
				e.Mov1(amd64.VMOVDQU, z, from)
			}
			if x.IsMem() {
				e.Mov1(amd64.VMOVDQUTo, z, x)
			}
		}
	}
	e.part = 0
}

// storeShared stores what others read.
func (e *emitter) storeShared() {
	for i, v := range e.b.out {
		if e.places[v].kind != placeVector {
			continue
		}
		for e.part = range e.vectors.parts {
			to, _ := e.row(len(e.b.in) + i)
			e.Mov1(amd64.VMOVDQUTo, e.to(v), to)
		}
	}
	e.part = 0
}

// arg is a lane register as the last operand of an instruction.
func (e *emitter) arg(v int32) amd64.Arg {
	switch p := e.places[v]; p.kind {
	case placeVector:
		return amd64.R(e.value(v))
	case placeRow:
		return amd64.M(regRow, int(p.n)+e.partAt())
	case placeFrame:
		return amd64.M(regFrame, int(p.n)+e.partAt())
	case placeRecord:
		return amd64.All(regRecord, int(p.n))
	}
	e.fail = true
	return amd64.R(0)
}

// value stands for the register of the part of a lane register that is written now.
func (e *emitter) value(v int32) amd64.Z { return mir.Value(v, e.part) }

// word is the memory of a scalar register, and scalar that as the last operand for all lanes.
func (e *emitter) word(s int32) amd64.Arg { return amd64.M(regScalars, 4*int(s)) }

func (e *emitter) scalar(s int32) amd64.Arg {
	if c, ok := e.constantOf(s); ok && e.vectors.narrow {
		return e.words(c)
	}
	return e.word(s).Every()
}

// constant is a constant as the last operand.
func (e *emitter) constant(i int) amd64.Arg {
	if e.vectors.narrow {
		return e.words(constWords[i])
	}
	return amd64.All(regFrame, frameConsts+8*i)
}

// in is an operand in a vector register, the given one if it has to be loaded.
func (e *emitter) in(x amd64.Arg, to amd64.Z) amd64.Z {
	switch {
	case !x.IsMem():
		return x.Reg()
	case x.IsAll():
		e.Mov1(amd64.VPBROADCASTD, to, x.One())
	default:
		e.Mov1(amd64.VMOVDQU, to, x)
	}
	return to
}

// to is the register in which the value of v is made, and put moves it where it stays.
func (e *emitter) to(v int32) amd64.Z {
	if e.places[v].kind == placeVector {
		return e.value(v)
	}
	return scratch5
}

func (e *emitter) put(v int32, z amd64.Z) {
	if e.places[v].kind == placeVector {
		if to := e.value(v); !e.same(to, z) {
			e.Mov1(amd64.VMOVDQU, to, amd64.R(z))
		} else if to != z {
			e.Rename(to, z)
		}
		return
	}
	e.Mov1(amd64.VMOVDQUTo, z, e.arg(v))
}

// maskIn is a mask value in a mask register.
func (e *emitter) maskIn(v int32, to amd64.K) amd64.K {
	switch p := e.places[v]; p.kind {
	case placeMask:
		return amd64.K(e.value(v))
	case placeMaskFrame:
		e.KLOAD(to, amd64.M(regFrame, int(p.n)))
	case placeVector:
		if e.vectors.narrow {
			return vectorMask(e.value(v))
		}
		fallthrough
	default:
		if x := e.arg(v); e.vectors.narrow {
			e.Mov1(amd64.VMOVDQU, e.maskZ(to), x)
		} else {
			e.V(amd64.VPMOVD2M, amd64.Z(to), 0, amd64.R(e.in(x, scratch4)))
		}
	}
	return to
}

// maskTo is the mask register in which a mask value of v is made, the given one if it has none.
func (e *emitter) maskTo(v int32, or amd64.K) amd64.K {
	switch p := e.places[v]; {
	case p.kind == placeMask:
		return amd64.K(e.value(v))
	case p.kind == placeVector && e.vectors.narrow:
		return vectorMask(e.value(v))
	}
	return or
}

// maskPut keeps a mask value of v.
func (e *emitter) maskPut(v int32, k amd64.K) {
	switch p := e.places[v]; p.kind {
	case placeMask:
		if to := amd64.K(e.value(v)); !e.same(amd64.Z(to), amd64.Z(k)) {
			e.KMOV(to, k)
		} else if to != k {
			e.Rename(amd64.Z(to), amd64.Z(k))
		}
	case placeMaskFrame:
		e.KSTORE(amd64.M(regFrame, int(p.n)), k)
	default:
		if e.vectors.narrow {
			e.put(v, e.maskZ(k))
			return
		}
		z := e.to(v)
		e.V(amd64.VPMOVM2D, z, 0, amd64.KArg(k))
		e.put(v, z)
	}
}

// executes is the execution mask of an instruction, with the lanes that exist.
func (e *emitter) executes(m int32) amd64.K {
	if m == 0 {
		return maskAll
	}
	if e.vectors.narrow {
		return slotMask(m)
	}
	return e.mask(m, maskStep)
}

// partAt is where the part of a strip begins that is written now.
func (e *emitter) partAt() int { return 4 * e.vectors.lanes * e.part }

// lanesAt is the memory of the part's lanes, where that of the strip is at base.
func (e *emitter) lanesAt(base amd64.G) amd64.Arg { return amd64.M(base, e.partAt()) }

// existing is the mask of the part's lanes that exist.
func (e *emitter) existing() amd64.Arg { return amd64.M(regFrame, frameAll+e.partAt()) }

// sharedWords are words that the parts of an instruction spread once.
type sharedWords struct {
	on, wide bool
	n        int
	of       [3]amd64.Arg
}

// move sets d to z.
func (e *emitter) move(d, z amd64.Z) {
	switch {
	case !e.same(d, z):
		e.Mov1(amd64.VMOVDQU, d, amd64.R(z))
	case d != z:
		e.Rename(d, z)
	}
}

func (e *emitter) parts(in *Inst, from, to int) {
	e.shared = sharedWords{on: in.Kind <= KindFusedVUU && to-from > 1 || in.Kind == KindWide}
	for e.part = from; e.part < to; e.part++ {
		e.inst(in)
		if in.forStrip() {
			break
		}
	}
	e.part, e.shared = 0, sharedWords{}
}

func (e *emitter) borrow(register mir.Number, n int, store bool) {
	by := amd64.VMOVDQU
	if store {
		by = amd64.VMOVDQUTo
	}
	e.Mov1(by, register, amd64.M(regFrame, frameBorrowed+laneBytes*n))
}
