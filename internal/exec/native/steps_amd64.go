package native

import (
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// On 256 bits two parts, which do not wait for each other, are faster than one with registers for
// more values. All but two registers can hold values: what an instruction's steps need besides
// those and what is free there, they borrow.
var (
	vectors512 = Machine{lanes: 16, parts: 1, values: 26, masks: freeMasks, busy: freeMasks - 1}
	vectors256 = Machine{lanes: 8, parts: 2, values: 7, narrow: true}
)

// partAt is where the part of a strip begins that is written now.
func (e *emitter) partAt() int { return 4 * e.vectors.lanes * e.part }

// lanesAt is the memory of the part's lanes, where that of the strip is at base.
func (e *emitter) lanesAt(base amd64.G) amd64.Arg { return amd64.M(base, e.partAt()) }

// existing is the mask of the part's lanes that exist.
func (e *emitter) existing() amd64.Arg { return amd64.M(regFrame, frameAll+e.partAt()) }

// forStrip says that an instruction does nothing for lanes, or sees to parts by itself.
func (in *Inst) forStrip() bool {
	switch in.Kind {
	case KindScalar, KindScalarMov, KindScalarCanon, KindLoadPushU, KindLoadTableU, KindLoadBufferU, KindJump, KindJumpZero, KindJumpEmpty, KindJumpNotEmpty, KindIf, KindMaskCopy, KindLeave, KindLeaveIf, KindFuel, KindNone:
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
	registers256 = 16
	step0        = amd64.Z(firstName + 6)
	step1        = amd64.Z(firstName + 7)
	stepMasks    = amd64.Z(firstName + 7)
	stepAll      = amd64.Z(firstName + 11)
	step2        = amd64.Z(firstName + 12)
	stepsShared  = amd64.Z(firstName + 13) // and the next two: what both halves of a pair's operation have
)

// registers is which ones names and values of a list have.
type registers struct {
	busy   []uint16 // registers with values, by instruction of the block
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
	e.endSteps(-1, 0)
	e.at = len(e.List)
	e.List = append(e.List, e.cold...)
}

// lives says which registers hold values at each instruction.
func (e *emitter) lives() {
	if !e.vectors.narrow {
		return
	}
	e.busy = make([]uint16, len(e.b.code))
	for _, s := range e.spans {
		if p := e.places[s.v]; p.kind == placeVector {
			for i := max(s.from, 0); i <= min(s.to, int32(len(e.b.code)-1)); i++ {
				e.busy[i] |= e.registersOf(p)
			}
		}
	}
}

// instruction writes the i-th one, for each part of a strip, and chooses registers for its names: on 256 bits such as hold no
// value there, then such as it borrows.
func (e *emitter) instruction(i int) {
	in := &e.b.code[i]
	if !e.vectors.narrow {
		e.inst(in)
		e.endSteps(i, 0)
		return
	}
	free := ^e.busy[i]
	if e.b.once[i] {
		free = 1<<registers256 - 1
	}
	from, cold, slots := len(e.List), len(e.cold), e.slots
	e.eachPart(in, 0, e.vectors.parts)
	if len(e.names()) <= bits.OnesCount16(free) || in.forStrip() {
		e.chooseNames(i, from, 0, e.vectors.parts, free)
		return
	}
	e.List, e.cold, e.slots = e.List[:from], e.cold[:cold], slots
	for part := range e.vectors.parts { // which may borrow the registers of the other one
		from = len(e.List)
		e.eachPart(in, part, part+1)
		e.chooseNames(i, from, part, part+1, free)
	}
}

// names are those of what was written since the last steps ended, in order.
func (e *emitter) names() (list []amd64.Z) {
	last := steps{}
	if n := len(e.ended); n > 0 {
		last = e.ended[n-1]
	}
	var used [nameCount]bool
	for _, part := range [2][]amd64.Inst{e.List[last.end:], e.cold[last.cold:]} {
		for i := range part {
			for _, z := range part[i].Registers() {
				if z >= firstName && z < firstValue && !used[z-firstName] {
					used[z-firstName] = true
					list = append(list, z)
				}
			}
		}
	}
	return list
}

// chooseNames ends the steps of an instruction, which begin in the list at from, for parts of a strip: registers that names lack
// are stored before and loaded behind it.
func (e *emitter) chooseNames(inst, from, part, to int, free uint16) {
	in := &e.b.code[inst]
	lacks, others := len(e.names())-bits.OnesCount16(free), ^free
	if lacks > 0 {
		e.r.lanesIn(in, func(r *int32, _ bool) {
			if p := e.places[*r]; p.kind == placeVector {
				for k := part; k < to; k++ {
					others &^= 1 << (int(p.n) + k*e.vectors.values)
				}
			}
		})
		borrowed := uint16(0)
		for ; lacks > 0 && others != 0; lacks-- {
			borrowed |= others & -others
			others &= others - 1
		}
		back := len(e.List)
		if e.back >= 0 {
			back = e.back
		}
		e.List = slices.Insert(e.List, back, e.borrowed(borrowed, amd64.VMOVDQU)...)
		e.List = slices.Insert(e.List, from, e.borrowed(borrowed, amd64.VMOVDQUTo)...)
		free |= borrowed
	}
	e.endSteps(inst, free)
}

// endSteps gives names registers out of some; on 512 bits each has its own.
func (e *emitter) endSteps(inst int, free uint16) {
	s := steps{inst: inst, end: len(e.List), cold: len(e.cold)}
	if e.vectors.narrow {
		for _, z := range e.names() {
			e.fail = e.fail || free == 0
			s.names[z-firstName] = uint8(bits.TrailingZeros16(free))
			free &= free - 1
		}
	} else {
		for i := range 6 {
			s.names[i] = uint8(26 + i)
		}
	}
	e.ended, e.back = append(e.ended, s), -1
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
func (e *emitter) registersOf(p location) (list uint16) {
	for part := range e.vectors.parts {
		list |= 1 << (int(p.n) + part*e.vectors.values)
	}
	return list
}

// borrowed stores or loads registers that are borrowed.
func (e *emitter) borrowed(list uint16, by amd64.Op) (moves []amd64.Inst) {
	kept := e.List
	e.List = nil
	for ; list != 0; list &= list - 1 {
		r := bits.TrailingZeros16(list)
		e.Y(by, amd64.Z(r), 0, amd64.M(regFrame, frameBorrowed+32*r))
	}
	moves, e.List = e.List, kept
	return moves
}
