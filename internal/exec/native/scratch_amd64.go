package native

import (
	"math/bits"

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

// Names of registers besides scratch0 to scratch5: what an instruction's steps work with, masks
// 1 to 3, and a copy of the mask of the lanes that exist.
const (
	registers256 = 16
	step0        = amd64.Z(16)
	step1        = amd64.Z(17)
	stepMasks    = amd64.Z(17)
	stepAll      = amd64.Z(21)
	step2        = amd64.Z(22)
	stepsShared  = amd64.Z(23) // and the next two: what both halves of a pair's operation have
)

// namedRegisters is which registers the names of one instruction have.
type namedRegisters struct {
	of   [32]uint8 // register of a name, plus 1
	free uint16    // registers that no name has yet
	used uint32    // names, where they are only counted
	dry  bool
	// short says that a name found no register.
	short bool
}

// physical is the register of a name.
func (e *emitter) physical(z amd64.Z) amd64.Z {
	s := &e.scratch
	switch {
	case z < registers256:
		return z
	case s.dry:
		s.used |= 1 << z
		return 0
	case s.of[z] == 0:
		if s.free == 0 {
			s.short = true
			return 0
		}
		r := bits.TrailingZeros16(s.free)
		s.free &= s.free - 1
		s.of[z] = uint8(r + 1)
	}
	return amd64.Z(s.of[z] - 1)
}

// physicalArg is physical for a last operand.
func (e *emitter) physicalArg(x amd64.Arg) amd64.Arg {
	switch {
	case x.IsEach():
		return amd64.Each(x.Base(), e.physical(x.Offsets()))
	case x.IsMem():
		return x
	}
	return amd64.R(e.physical(x.Reg()))
}

// outOfLine writes f behind the block, with the registers that names have now.
func (e *emitter) outOfLine(f func()) {
	if e.scratch.dry {
		f()
		return
	}
	s, part := e.scratch, e.part
	e.later = append(e.later, func() {
		e.scratch, e.part = s, part
		f()
		e.fail = e.fail || e.scratch.short
	})
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

// instruction writes the i-th one, for each part of a strip: on 256 bits with what its names need
// borrowed.
func (e *emitter) instruction(i int) {
	in := &e.b.code[i]
	if !e.vectors.narrow {
		e.inst(in)
		return
	}
	free := ^e.busy[i]
	if e.b.once[i] {
		free = 1<<registers256 - 1
	}
	later, slots := len(e.later), e.slots
	code, fixups := e.Mark()
	e.scratch = namedRegisters{free: free}
	e.eachPart(in, 0, e.vectors.parts)
	if !e.scratch.short && len(e.later) == later {
		return // as most do
	}
	e.Reset(code, fixups)
	e.later, e.slots = e.later[:later], slots
	if in.forStrip() || e.lacks(in, 0, e.vectors.parts, free) <= 0 {
		e.writeParts(in, 0, e.vectors.parts, free)
		return
	}
	for part := range e.vectors.parts {
		e.writeParts(in, part, part+1, free)
	}
}

// writeParts writes an instruction for parts of a strip, between moves of what it borrows.
func (e *emitter) writeParts(in *Inst, from, to int, free uint16) {
	borrowed := e.borrows(in, from, to, free)
	e.scratch = namedRegisters{free: free | borrowed}
	e.moveBorrowed(borrowed, amd64.VMOVDQUTo)
	e.borrowed = borrowed
	e.eachPart(in, from, to)
	e.giveBack()
	e.fail = e.fail || e.scratch.short
}

// giveBack loads what is borrowed, which keeps flags: before the jump of an instruction that has one.
func (e *emitter) giveBack() {
	e.moveBorrowed(e.borrowed, amd64.VMOVDQU)
	e.borrowed = 0
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

// lacks writes an instruction for nothing, to see how many more names it has than there are
// registers.
func (e *emitter) lacks(in *Inst, from, to int, free uint16) int {
	if free == 1<<registers256-1 {
		return 0
	}
	later, slots := len(e.later), e.slots
	code, fixups := e.Mark()
	e.scratch = namedRegisters{dry: true}
	e.eachPart(in, from, to)
	e.Reset(code, fixups)
	e.later, e.slots = e.later[:later], slots
	return bits.OnesCount32(e.scratch.used) - bits.OnesCount16(free)
}

// borrows returns registers for the names of an instruction that lack some.
func (e *emitter) borrows(in *Inst, from, to int, free uint16) (borrowed uint16) {
	lacks := e.lacks(in, from, to, free)
	others := ^free
	e.r.lanesIn(in, func(r *int32, _ bool) {
		if p := e.places[*r]; p.kind == placeVector {
			for part := from; part < to; part++ {
				others &^= 1 << (int(p.n) + part*e.vectors.values)
			}
		}
	})
	for ; lacks > 0; lacks-- {
		if others == 0 {
			e.fail = true
			return borrowed
		}
		borrowed |= others & -others
		others &= others - 1
	}
	return borrowed
}

// registersOf are those of a value in vectors, a register for each part.
func (e *emitter) registersOf(p location) (list uint16) {
	for part := range e.vectors.parts {
		list |= 1 << (int(p.n) + part*e.vectors.values)
	}
	return list
}

// moveBorrowed stores or loads registers that are borrowed.
func (e *emitter) moveBorrowed(list uint16, by amd64.Op) {
	for ; list != 0; list &= list - 1 {
		r := bits.TrailingZeros16(list)
		e.Y(by, amd64.Z(r), 0, amd64.M(regFrame, frameBorrowed+32*r))
	}
}
