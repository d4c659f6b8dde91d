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
	constCount
)

var constWords = [constCount]uint32{
	constOnes: 0xFFFFFFFF, constSign: 1 << 31, constAbs: 1<<31 - 1, constInf: 0x7F800000, constNaN: 0x7FC00000, constOne: 0x3F800000,
	constMinusOne: 0xBF800000, const2p31: 0x4F000000, constMaxInt: 1<<31 - 1, const31: 31, const32: 32, constI1: 1, constI4: 4,
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
	frameTold   = frameTries + 8*tryWords // see foretell
	frameSlots  = frameTold + 16*toldRows // resets, then values
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
		processor: x86{}, lanes: 16, parts: 1, values: 32, masks: 6, carries: true, scales: true,
		looks: true, shape: shapeAMD64,
	}
	vectors256 = Machine{
		processor: x86{}, lanes: 8, parts: 2, values: 16, narrow: true, carries: true, scales: true,
		looks: true, shape: shapeAMD64,
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
func (x86) packsQuads(narrow bool) bool    { return !narrow }
func (x86) permutesBytes(narrow bool) bool { return !narrow && amd64.PermutesBytes() }

func (x86) newWriter(l *layout) writer {
	e := &emitter{draft: draft{layout: *l}, lists: rooms.Get().(*roomAMD64)}
	w := stripsAMD64{e}
	e.Narrow, e.writer, e.B = e.vectors.narrow, w, e.lists.code[:0]
	e.lists.enter(&e.draft, &e.List, &e.aside)
	e.findPlaces()
	pairAMD64{e}.findTwins()
	return w
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
	told     int                 // how many calls of foretell there are
	restore  int                 // label of the code that comes back
	tables   map[int64]amd64.Arg // behind the code, see behind
	lists    *roomAMD64
	twin     []bool // see findTwins
	carry    int    // rows of what the present subgroup operation hands on
}

// roomAMD64 is a room of this processor.
type roomAMD64 = roomOf[amd64.Inst, *amd64.Inst]

// rooms are those that no block is written in; which one it gets changes nothing.
var rooms = sync.Pool{New: func() any { return new(roomAMD64) }}

// leave leaves the block, to come back at a label.
func (e *emitter) leave(exit uint32, back int) {
	e.WI(amd64.MOVQImm, amd64.M(regFrame, frameExit), int(exit))
	e.LEALabel(amd64.RAX, back)
	e.JMP(e.save)
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

// put moves the value of v to its register.
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
		return amd64.K(e.existing())
	}
	return maskAll
}

// vectorMasks says that masks are vectors, that of the lanes that exist in memory.
func vectorMasks(e *emitter) bool { return e.vectors.masks == 0 }

// ifAny jumps where a mask has lanes, and ifNone where it has none.
func (e *emitter) ifAny(k amd64.K, label int) {
	e.K(amd64.KTEST, k, 0, k)
	e.JIf(amd64.IfNotZero, label)
}

func (e *emitter) ifNone(k amd64.K, label int) {
	e.K(amd64.KTEST, k, 0, k)
	e.JIf(amd64.IfZero, label)
}

// unless writes f, and g out of line for where a condition holds; rarely writes g alone.
func (e *emitter) unless(cond byte, f, g func()) {
	some, on := e.NewLabel(), e.NewLabel()
	e.JIf(cond, some)
	f()
	e.Here(on)
	e.outOfLine(func() {
		e.Here(some)
		g()
		e.JMP(on)
	})
}

func (e *emitter) rarely(cond byte, g func()) { e.unless(cond, func() {}, g) }

// wordsAt sets R12 to memory that the frame has, and returns how far words of it may begin.
func (e *emitter) wordsAt(at int) (limit amd64.Arg) {
	e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, at))
	return amd64.M(regFrame, at+8)
}

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
