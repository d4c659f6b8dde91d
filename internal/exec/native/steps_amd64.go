package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// On 256 bits two parts, which do not wait for each other, are faster than one with registers for
// more values. All but two registers can hold values: what an instruction's steps need besides
// those and what is free there, they borrow.
var (
	vectors512 = Machine{lanes: 16, parts: 1, values: 30, masks: freeMasks, busy: freeMasks - 1}
	vectors256 = Machine{lanes: 8, parts: 2, values: 7, narrow: true}
)

// all are the registers that a machine has, a bit for each.
func (v *Machine) all() uint32 {
	if v.narrow {
		return 1<<16 - 1
	}
	return 1<<32 - 1
}

// noValues are those that no value lives in anywhere.
func (v *Machine) noValues() uint32 { return v.all() &^ (1<<(v.values*v.parts) - 1) }

// partAt is where the part of a strip begins that is written now.
func (e *emitter) partAt() int { return 4 * e.vectors.lanes * e.part }

// lanesAt is the memory of the part's lanes, where that of the strip is at base.
func (e *emitter) lanesAt(base amd64.G) amd64.Arg { return amd64.M(base, e.partAt()) }

// existing is the mask of the part's lanes that exist.
func (e *emitter) existing() amd64.Arg { return amd64.M(regFrame, frameAll+e.partAt()) }

// forStrip says that an instruction does nothing for lanes, or sees to parts by itself.
func (in *Inst) forStrip() bool {
	switch in.Kind {
	case KindScalar, KindScalarMov, KindScalarCanon, KindLoadPushU, KindLoadTableU, KindLoadBufferU,
		KindLoadMemU, KindJump, KindJumpZero, KindJumpEmpty, KindJumpNotEmpty, KindIf, KindMaskCopy,
		KindLeave, KindLeaveIf, KindFuel, KindNone:
		return true
	}
	return false
}

// sharedWords are words that the parts of an instruction spread once.
type sharedWords struct {
	on, wide bool
	n        int
	of       [3]amd64.Arg
}

// MachineOf is the one with vectors of so many bits.
func MachineOf(bits int) *Machine {
	if bits == 256 {
		return &vectors256
	}
	return &vectors512
}

// Numbers of vector registers in a list: those of the processor, then names, which stand for registers that the steps
// of one instruction work with, then values, which stand for the registers of lane registers (emitter.value).
const (
	firstName  = 32
	nameCount  = 16
	firstValue = firstName + 32
)

// Names besides scratch0 to scratch5: what steps work with that stand for an instruction, masks
// 1 to 3, and a copy of the mask of the lanes that exist.
const (
	step0       = amd64.Z(firstName + 6)
	step1       = amd64.Z(firstName + 7)
	stepMasks   = amd64.Z(firstName + 7)
	stepAll     = amd64.Z(firstName + 11)
	step2       = amd64.Z(firstName + 12)
	stepsShared = amd64.Z(firstName + 13) // and the next two: what both halves of a pair's operation have
)

// registers is which ones names and values of a list have.
type registers struct {
	busy   []uint32 // registers with values, by instruction of the block
	chosen []uint8  // registers of values, by their number
	ended  []steps
	cold   []amd64.Inst // what is written out of line, and where in the list it is at last
	at     int
	back   int // where in the list the present instruction gives back what it borrows; −1: at its end
}

// steps are instructions of a list whose names have one meaning, and the registers of those names.
type steps struct {
	inst      int // the instruction of the block; −1: none
	end, cold int // where they end in the list, and in what is out of line
	names     [nameCount]uint8
}

// places tells which registers values have, before anything is written.
func (e *emitter) placeValues() {
	e.chosen = make([]uint8, firstValue+2*len(e.places))
	for i := range firstName {
		e.chosen[i] = uint8(i)
	}
	for v, p := range e.places {
		if p.kind == placeVector || p.kind == placeMask {
			for part := range e.vectors.parts {
				e.chosen[firstValue+2*v+part] = uint8(int(p.n) + part*e.vectors.values)
			}
		}
	}
}

// same says that two numbers stand for one register.
func (e *emitter) same(x, y amd64.Z) bool {
	return x == y || x >= firstValue && y >= firstValue && e.chosen[x] == e.chosen[y]
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

// outOfLine writes f behind the block.
func (e *emitter) outOfLine(f func()) {
	list := e.List
	e.List = nil
	f()
	e.cold = append(e.cold, e.List...)
	e.List = list
}

// outOfLineHere puts here what is out of line.
func (e *emitter) outOfLineHere() {
	e.endOthers(0)
	e.at = len(e.List)
	e.List = append(e.List, e.cold...)
}

// lives says which registers hold values at each instruction.
func (e *emitter) lives() {
	e.busy = make([]uint32, len(e.b.code))
	for _, s := range e.spans {
		if p := e.places[s.v]; p.kind == placeVector {
			list := e.registersOf(p)
			for i := max(s.from, 0); i <= min(s.to, int32(len(e.b.code)-1)); i++ {
				e.busy[i] |= list
			}
		}
	}
}

// instruction writes the i-th one, for each part of a strip, and chooses registers for its names: such as hold no
// value there, then such as it borrows.
func (e *emitter) instruction(i int) {
	in := &e.b.code[i]
	free := e.vectors.all()
	if !e.b.once[i] {
		free &^= e.busy[i]
	}
	from, cold, slots := len(e.List), len(e.cold), e.slots
	e.eachPart(in, 0, e.vectors.parts)
	switch {
	case e.endSteps(i, free): // as most do
		return
	case e.vectors.parts == 1 || in.forStrip():
		e.borrowNames(i, from, 0, e.vectors.parts, free)
		return
	}
	e.List, e.cold, e.slots = e.List[:from], e.cold[:cold], slots
	for part := range e.vectors.parts { // which may borrow the registers of the other one
		from = len(e.List)
		if e.eachPart(in, part, part+1); !e.endSteps(i, free) {
			e.borrowNames(i, from, part, part+1, free)
		}
	}
}

// endSteps gives names of what was written since the last steps ended registers out of some, in order; false where they are too few.
func (e *emitter) endSteps(inst int, free uint32) bool {
	s, _, lacks := e.nameSteps(inst, free)
	if lacks > 0 {
		return false
	}
	e.ended, e.back = append(e.ended, s), -1
	return true
}

// endOthers is endSteps for what stands around the instructions of the block.
func (e *emitter) endOthers(free uint32) { e.fail = !e.endSteps(-1, free) || e.fail }

// nameSteps are those steps, the registers that are left, and how many names have none.
func (e *emitter) nameSteps(inst int, free uint32) (s steps, left uint32, lacks int) {
	last := steps{}
	if n := len(e.ended); n > 0 {
		last = e.ended[n-1]
	}
	s = steps{inst: inst, end: len(e.List), cold: len(e.cold)}
	var used uint32
	for _, part := range [2][]amd64.Inst{e.List[last.end:], e.cold[last.cold:]} {
		for i := range part {
			for _, z := range part[i].Registers() {
				if z-firstName >= nameCount || used>>(z-firstName)&1 != 0 {
					continue
				}
				used |= 1 << (z - firstName)
				if free == 0 {
					lacks++
					continue
				}
				s.names[z-firstName] = uint8(bits.TrailingZeros32(free))
				free &= free - 1
			}
		}
	}
	return s, free, lacks
}

// borrowNames ends the steps of an instruction, which begin in the list at from, for parts of a strip: registers that names lack
// are stored before and loaded behind it.
func (e *emitter) borrowNames(inst, from, part, to int, free uint32) {
	_, _, lacks := e.nameSteps(inst, free)
	others := e.vectors.all() &^ free
	e.r.lanesIn(&e.b.code[inst], func(r *int32, _ bool) {
		if p := e.places[*r]; p.kind == placeVector {
			for k := part; k < to; k++ {
				others &^= 1 << (int(p.n) + k*e.vectors.values)
			}
		}
	})
	back := len(e.List)
	if e.back >= 0 {
		back = e.back
	}
	for n := range lacks {
		r := amd64.Z(bits.TrailingZeros32(others))
		if others == 0 {
			e.fail = true
			return
		}
		at := amd64.M(regFrame, frameBorrowed+laneBytes*n)
		e.insert(back, amd64.VMOVDQU, r, at)
		e.insert(from, amd64.VMOVDQUTo, r, at)
		back++
		free |= 1 << r
		others &= others - 1
	}
	e.fail = !e.endSteps(inst, free) || e.fail
}

// insert puts a move into the list.
func (e *emitter) insert(at int, by amd64.Op, r amd64.Z, x amd64.Arg) {
	e.Mov1(by, r, x)
	last := len(e.List) - 1
	move := e.List[last]
	copy(e.List[at+1:], e.List[at:last])
	e.List[at] = move
}

// giveBack is where a jump of an instruction follows, before which what it borrows is loaded: that keeps flags.
func (e *emitter) giveBack() { e.back = len(e.List) }

// resolve puts registers in the place of names and values.
func (e *emitter) resolve() {
	from, cold := 0, e.at
	for _, s := range e.ended {
		copy(e.chosen[firstName:], s.names[:])
		for i := from; i < s.end; i++ {
			e.List[i].Resolve(e.chosen)
		}
		for i := cold; i < e.at+s.cold; i++ {
			e.List[i].Resolve(e.chosen)
		}
		from, cold = s.end, e.at+s.cold
	}
}

// eachPart writes an instruction for parts of a strip.
func (e *emitter) eachPart(in *Inst, from, to int) {
	e.shared = sharedWords{on: in.Kind <= KindFusedVUU && to-from > 1 || in.Kind == KindWide}
	for e.part = from; e.part < to; e.part++ {
		e.inst(in)
		if in.forStrip() {
			break
		}
	}
	e.part, e.shared = 0, sharedWords{}
}

// registersOf are those of a value in vectors, a register for each part.
func (e *emitter) registersOf(p location) (list uint32) {
	for part := range e.vectors.parts {
		list |= 1 << (int(p.n) + part*e.vectors.values)
	}
	return list
}
