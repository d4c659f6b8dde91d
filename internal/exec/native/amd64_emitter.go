package native

import (
	"math"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// constants that operations use for all lanes.
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
	frameIota   = (frameOwn + 63) &^ 63
	frameJoin   = frameIota + 64  // places of words that become pairs: of each half of the lanes
	framePart   = frameJoin + 128 // and of those that pairs become: low words, high words
	frameSpread = framePart + 128 // see placeTables
	frameSave   = frameSpread + 64*placeTableCount
	frameKSave  = frameSave + 32*64
	frameServeA = frameKSave + 64
	frameServeB = frameServeA + 64
	frameServeD = frameServeB + 64
	frameWide   = frameServeD + 64 // three operands and the result, low and high words
	frameTemps  = frameWide + 8*64
	frameAll    = frameTemps + 128        // a mask as vectors: of the lanes of the strip that exist
	frameTries  = frameAll + 64           // see tries
	frameSlots  = frameTries + 8*tryWords // resets, then values
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

// Names of vector registers for the steps of an operation; what they are is chosen behind each
// instruction of the list, see step.go.
const (
	scratch0  = amd64.Z(mir.FirstName + 0)
	scratch1  = amd64.Z(mir.FirstName + 1)
	scratch2  = amd64.Z(mir.FirstName + 2)
	scratch3  = amd64.Z(mir.FirstName + 3)
	scratch4  = amd64.Z(mir.FirstName + 4)
	scratch5  = amd64.Z(mir.FirstName + 5)
	laneBytes = 64 // of a strip
)

// Names besides scratch0 to scratch5: what steps work with that stand for an instruction, and masks
// that are vectors.
const (
	step0     = amd64.Z(mir.FirstName + 6)
	step1     = amd64.Z(mir.FirstName + 7)
	stepMasks = amd64.Z(mir.FirstName + 7)
	step2     = amd64.Z(mir.FirstName + 11)
)

// Names of mask registers for steps, of masks of parts, and the register of the lanes that exist.
const (
	maskStep  = amd64.K(firstMaskName + 1)
	maskStep2 = amd64.K(firstMaskName + 2)
	maskStep3 = amd64.K(firstMaskName + 3)
	maskParts = amd64.K(firstMaskName + 5)
	maskAll   = amd64.K(7)
)

// On 256 bits two parts, which do not wait for each other, share the registers.
var (
	vectors512 = Machine{
		processor: x86{}, lanes: 16, parts: 1, values: 32, masks: 6, shape: shapeAMD64,
	}
	vectors256 = Machine{
		processor: x86{}, lanes: 8, parts: 2, values: 16, narrow: true, shape: shapeAMD64,
	}
	shapeAMD64 = shape{
		portion: 1 << 14, row: uint8(regRow), files: [2]string{"z", "k"},
		serveA: frameServeA, serveB: frameServeB, serveD: frameServeD, wide: frameWide, all: frameAll,
		slots: frameSlots,
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
	e := &emitter{draft: draft{layout: *l}, lists: rooms.Get().(*roomAMD64)}
	e.Narrow, e.writer, e.B = e.vectors.narrow, e, e.lists.code[:0]
	e.lists.enter(&e.draft, &e.List, &e.aside)
	e.findPlaces()
	e.findTwins()
	return e
}

// fillFrame writes what all blocks find in a frame.
func (x86) fillFrame(f []uint64) {
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
}

// tailOutputs does nothing: stores leave lanes alone that do not exist.
func (x86) tailOutputs(*Thread, bool) {}

// emitter writes the code of one block.
type emitter struct {
	amd64.Asm
	draft
	aside    amd64.List          // what is out of line
	tested   bool                // flags tell already what the present one asks
	generals []amd64.G           // of scalar registers, where they have one, see placeWords
	short    bool                // it shifts by less than 32
	held     int32               // the scalar register that EAX holds as well, plus 1; 0: none
	was      int32               // held before the present instruction
	anyNaN   bool                // nobody tells one NaN of its result from another
	tries    int                 // how many there are
	restore  int                 // label of the code that comes back
	tables   map[int64]amd64.Arg // behind the code, see behind
	lists    *roomAMD64
	twin     []bool // see findTwins
}

func (e *emitter) its() *draft { return &e.draft }

func (e *emitter) bytes() ([]byte, bool) {
	if e.Wrong() {
		return nil, false
	}
	return e.Finish(), true
}

// roomAMD64 is a room of this processor.
type roomAMD64 = roomOf[amd64.Inst, *amd64.Inst]

// rooms are those that no block is written in; which one it gets changes nothing.
var rooms = sync.Pool{New: func() any { return new(roomAMD64) }}

// done gives the room back, with the code.
func (e *emitter) done() {
	e.lists.leave(e.List, e.aside, e.B)
	rooms.Put(e.lists)
}

// homeOf is the memory of a value as an operand.
func homeOf(e *emitter, at location) amd64.Arg {
	switch at.kind {
	case placeWord:
		return e.forAll(at.n)
	case placeRow:
		return amd64.M(regRow, int(at.n))
	}
	return amd64.M(regFrame, int(at.n))
}

func (e *emitter) foldable(at location) bool {
	m := homeOf(e, at)
	return !m.IsAll() || m.IsPool()
}

func (e *emitter) fold(i int, at location) { e.List[i].Fold(homeOf(e, at)) }

func (e *emitter) memory(at location) mir.Memory {
	switch at.kind {
	case placeWord:
		return mir.Memory{Every: true}
	case placeRow:
		return mir.Memory{Base: uint8(regRow), Disp: at.n}
	}
	return mir.Memory{Base: uint8(regFrame), Disp: at.n}
}

func (e *emitter) fetch(z amd64.Z, at location) {
	switch m := homeOf(e, at); {
	case e.isMask(z):
		e.KMem(amd64.KLOAD, amd64.K(z), m)
	case m.IsAll():
		e.Mov1(amd64.VPBROADCASTD, z, m.One())
	default:
		e.Mov1(amd64.VMOVDQU, z, m)
	}
}

func (e *emitter) keep(z amd64.Z, at location) {
	if m := homeOf(e, at); e.isMask(z) {
		e.KMem(amd64.KSTORE, amd64.K(z), m)
	} else {
		e.Mov1(amd64.VMOVDQUTo, z, m)
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
	strip, whole := e.NewLabel(), e.NewLabel()
	e.restore = e.NewLabel()
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameResume))
	e.W(amd64.TESTQ, amd64.RAX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfNotZero, e.restore)
	e.W(amd64.MOVQ, regRow, amd64.M(regFrame, frameRows))
	e.W(amd64.MOVQ, regScalars, amd64.M(regFrame, frameScalars))
	e.W(amd64.MOVQ, regBuffers, amd64.M(regFrame, frameBuffers))
	e.W(amd64.XORL, regStrip, amd64.GArg(regStrip))
	e.allLanes() // which functions look at
	e.endSteps(-1)
	carried := placeWords(e)
	for i := range b.code {
		if b.once[i] {
			e.instruction(i)
		}
	}
	for i, s := range b.resets {
		e.W(amd64.MOVL, amd64.RAX, amd64.M(regScalars, 4*int(s)))
		e.W(amd64.MOVLTo, amd64.RAX, amd64.M(regFrame, resets+8*i))
	}
	if e.r.places {
		e.W(amd64.MOVQ, regPlace, amd64.M(regFrame, framePlaces))
	}
	e.endSteps(-1)
	e.strip = len(e.sections)
	e.Here(strip)
	placeAMD64{e}.beginPlace()
	e.allLanes()
	e.W(amd64.CMPQ, regStrip, amd64.M(regFrame, frameTailAt))
	e.JIf(amd64.IfNotZero, whole)
	e.tailLanes()
	e.Here(whole)
	e.endSteps(-1) // memory has the lanes that exist from here on
	if b.fuel {
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, framePortion))
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameLeft))
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameGranted))
	}
	for i, s := range b.resets {
		e.W(amd64.MOVL, amd64.RAX, amd64.M(regFrame, resets+8*i))
		e.W(amd64.MOVLTo, amd64.RAX, amd64.M(regScalars, 4*int(s)))
	}
	for _, s := range carried {
		e.W(amd64.MOVL, e.generals[s], e.word(s))
	}
	for i, m := range b.masks {
		if m != 0 {
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameMasks))
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, 8*i))
			e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
			for e.part = range e.vectors.parts {
				e.VZ(amd64.VMOVDQU, scratch0, 0, e.lanesAt(amd64.RAX), e.all())
				e.V(amd64.VPMOVD2M, amd64.Z(maskStep), 0, amd64.R(scratch0))
				e.K(amd64.KMOV, e.mask(m), 0, maskStep)
			}
			e.part = 0
		}
	}
	e.endSteps(-1)
	e.loadShared()
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
	e.endSteps(-1)
	e.storeShared()
	if b.fuel {
		less := e.NewLabel()
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameGranted))
		e.W(amd64.SUBQ, amd64.RAX, amd64.M(regFrame, frameLeft))
		e.W(amd64.CMPQ, amd64.RAX, amd64.M(regFrame, frameSpent))
		e.JIf(amd64.IfBelow, less)
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameSpent))
		e.Here(less)
	}
	e.WI(amd64.ADDQImm, amd64.GArg(regRow), laneBytes)
	e.WI(amd64.ADDQImm, amd64.GArg(regStrip), laneBytes)
	if e.r.places {
		e.WI(amd64.ADDQImm, amd64.GArg(regPlace), int(placeBytes))
	}
	e.W(amd64.CMPQ, regStrip, amd64.M(regFrame, frameEnd))
	e.JIf(amd64.IfBelow, strip)
	e.WI(amd64.MOVLImm, amd64.M(regFrame, frameExit), exitDone)
	e.Return()
	e.endSteps(-1)
	if e.vectors.narrow {
		legalise(e)
	}
}

// leave leaves the block, to come back at a label.
func (e *emitter) leave(exit uint32, back int) {
	e.WI(amd64.MOVLImm, amd64.M(regFrame, frameExit), int(exit))
	e.LEALabel(amd64.RAX, back)
	e.JMP(e.save)
}

// comeBack writes what is out of line, and the ways out of and back into a block that needs
// something of Go.
func (e *emitter) comeBack() {
	e.List = append(e.List, e.aside...)
	e.Here(e.save)
	e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameResume))
	e.W(amd64.MOVQTo, regStrip, amd64.M(regFrame, frameStrip))
	e.W(amd64.MOVQTo, regRow, amd64.M(regFrame, frameRow))
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.W(amd64.MOVQTo, g, amd64.M(regFrame, framePlace+8*i))
		}
	}
	e.allRegisters(amd64.VMOVDQUTo, amd64.KSTORE)
	e.Return()
	e.Here(e.restore)
	e.W(amd64.MOVQ, regStrip, amd64.M(regFrame, frameStrip))
	e.W(amd64.MOVQ, regRow, amd64.M(regFrame, frameRow))
	e.W(amd64.MOVQ, regScalars, amd64.M(regFrame, frameScalars))
	e.W(amd64.MOVQ, regBuffers, amd64.M(regFrame, frameBuffers))
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.W(amd64.MOVQ, g, amd64.M(regFrame, framePlace+8*i))
		}
	}
	e.allRegisters(amd64.VMOVDQU, amd64.KLOAD)
	e.W(amd64.JMPTo, 0, amd64.GArg(amd64.RAX))
}

// placeRegisters are those of places, as the frame has them; in blocks without places words live
// there.
var placeRegisters = [4]amd64.G{regPlace, regUpper, regLower, regRecord}

// allRegisters stores or loads what values live in.
func (e *emitter) allRegisters(by, masks amd64.Op) {
	for z := range amd64.Z(e.vectors.values) {
		e.Mov1(by, z, amd64.M(regFrame, frameSave+laneBytes*int(z)))
	}
	for k := amd64.K(1); k <= maskAll && !vectorMasks(e); k++ {
		e.KMem(masks, k, amd64.M(regFrame, frameKSave+8*int(k)))
	}
}

// allLanes says that all lanes of the strip exist, tailLanes that it is the last one.
func (e *emitter) allLanes() {
	for e.part = range e.vectors.parts {
		e.K(amd64.KXNOR, e.all(), e.all(), e.all())
	}
	e.part = 0
}

func (e *emitter) tailLanes() {
	for e.part = range e.vectors.parts {
		e.KMem(amd64.KLOAD, e.all(), amd64.M(regFrame, frameTail+e.part))
	}
	e.part = 0
}

// row is the memory of the i-th of the registers that the block shares.
func (e *emitter) row(i int) (at amd64.Arg, input bool) {
	inputs := int32(len(e.r.program.Inputs))
	r := e.b.rows[i]
	if r < inputs {
		if e.part == 0 {
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameInputs))
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, 8*int(r)))
			e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
		}
		return e.lanesAt(amd64.RAX).Reaching(amd64.ReachStrips), true
	}
	return amd64.M(regRow, int(r-inputs)*e.stride+e.partAt()), false
}

// loadShared loads what the block reads of others, but for what it finds where it is.
func (e *emitter) loadShared() {
	for i, v := range e.b.in {
		if e.reread[v] != 0 {
			continue
		}
		for e.part = range e.vectors.parts {
			from, input := e.row(i)
			if input && !e.r.places {
				e.VZ(amd64.VMOVDQU, e.value(v), 0, from, e.all())
			} else {
				e.Mov1(amd64.VMOVDQU, e.value(v), from)
			}
			e.endSteps(-1)
		}
	}
	e.part = 0
}

// storeShared stores what others read.
func (e *emitter) storeShared() {
	for i, v := range e.b.out {
		for e.part = range e.vectors.parts {
			to, _ := e.row(len(e.b.in) + i)
			e.Mov1(amd64.VMOVDQUTo, e.value(v), to)
			e.endSteps(-1)
		}
	}
	e.part = 0
}

// arg is a lane register as the last operand of an instruction.
func (e *emitter) arg(v int32) amd64.Arg {
	if p := e.places[v]; p.kind == placeRecord {
		return amd64.All(regRecord, int(p.n))
	}
	return amd64.R(e.value(v))
}

// word is the memory of a scalar register, and scalar that as the last operand for all lanes.
func (e *emitter) word(s int32) amd64.Arg { return amd64.M(regScalars, 4*int(s)) }

func (e *emitter) scalar(s int32) amd64.Arg {
	x := e.forAll(s)
	if x.IsAll() && !x.IsPool() && e.steady(s) && e.spreads() {
		return amd64.R(e.spreadValue(s))
	}
	return x
}

// forAll is the memory of a scalar register as a word for all lanes.
func (e *emitter) forAll(s int32) amd64.Arg {
	if c, ok := e.constantOf(s); ok && e.spreads() {
		return e.words(c)
	}
	return e.word(s).Every()
}

// spreads says that no operand is a word for all lanes, so that what is one is kept spread.
func (e *emitter) spreads() bool { return e.vectors.narrow }

// words is a constant of 32 bits in every lane, constant one of constWords.
func (e *emitter) words(x uint32) amd64.Arg { return e.Pool(uint64(x) | uint64(x)<<32) }

func (e *emitter) constant(i int) amd64.Arg { return e.words(constWords[i]) }

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

// to is the register in which the value of v is made, and put moves it there.
func (e *emitter) to(v int32) amd64.Z { return e.value(v) }

func (e *emitter) put(v int32, z amd64.Z) { e.move(e.value(v), z) }

// move sets d to z.
func (e *emitter) move(d, z amd64.Z) {
	if d != z {
		e.Mov1(amd64.VMOVDQU, d, amd64.R(z))
	}
}

// maskIn is a mask value in a mask register, the given one if it is none there.
func (e *emitter) maskIn(v int32, to amd64.K) amd64.K {
	if e.takesMask(v) {
		return amd64.K(e.in(e.arg(v), scratch4))
	}
	e.V(amd64.VPMOVD2M, amd64.Z(to), 0, amd64.R(e.in(e.arg(v), scratch4)))
	return to
}

// maskTo is the mask register in which a mask value of v is made, the given one if it has none.
func (e *emitter) maskTo(v int32, or amd64.K) amd64.K {
	if e.takesMask(v) {
		return amd64.K(e.value(v))
	}
	return or
}

// takesMask says that a lane register is a mask as instructions take it.
func (e *emitter) takesMask(v int32) bool { return e.asMask[v] || vectorMasks(e) }

// maskPut keeps a mask value of v.
func (e *emitter) maskPut(v int32, k amd64.K) {
	switch to := e.maskTo(v, 0); {
	case to == 0:
		e.V(amd64.VPMOVM2D, e.value(v), 0, amd64.KArg(k))
	case to != k:
		e.K(amd64.KMOV, to, 0, k)
	}
}

// mask is mask register m.
func (e *emitter) mask(m int32) amd64.K { return amd64.K(e.valueOfMask(m)) }

// all are the part's lanes that exist.
func (e *emitter) all() amd64.K {
	if vectorMasks(e) {
		return e.mask(int32(e.r.masks))
	}
	return maskAll
}

// vectorMasks says that masks are vectors, that of the lanes that exist in memory.
func vectorMasks(e *emitter) bool { return e.vectors.masks == 0 }

// executes is the execution mask of an instruction, with the lanes that exist.
func (e *emitter) executes(m int32) amd64.K {
	if m == 0 {
		return e.all()
	}
	return e.mask(m)
}

// partAt is where the part of a strip begins that is written now.
func (e *emitter) partAt() int { return 4 * e.vectors.lanes * e.part }

// lanesAt is the memory of the part's lanes, where that of the strip is at base: the thread's own.
func (e *emitter) lanesAt(base amd64.G) amd64.Arg {
	return amd64.M(base, e.partAt()).Reaching(amd64.ReachAll)
}
