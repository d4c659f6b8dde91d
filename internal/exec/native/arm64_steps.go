package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// writer is the processor's part of making a block's list.
type writer interface {
	its() *draft
	// choose makes the list of the block with registers for its numbers, check says where one does
	// not hold what it is to, resolve puts registers in the place of numbers, and list is the text
	// of all that.
	choose()
	check() error
	resolve()
	list() string
	// program appends all of the block; draft.instruction is what it calls for an instruction.
	program()
	// bytes is the list as code, once it has registers; false where the processor cannot do it.
	bytes() ([]byte, bool)
	// done gives back the room that the list took, with its code.
	done()
}

// borrower is a writer whose lane registers have places before instructions are chosen.
type borrower interface {
	// parts appends an instruction, for parts of a strip.
	parts(in *Inst, from, to int)
	// borrow appends a move of a register to or from the n-th place for such ones in the frame.
	borrow(register mir.Number, n int, store bool)
}

// draft is the list of a block until its numbers are registers. What is rare is out of line: in a
// list of its own, which goes behind the other at last.
type draft struct {
	layout
	writer     writer
	code, cold mir.Code
	labels     []int // of the block's instructions, and its end
	save       int   // label of the code that leaves to come back
	part       int   // of the strip, that is written now
	fail       bool
	busy       []uint32 // registers with values, by instruction of the block
	chosen     []uint8  // registers of values, by their number
	ended      []steps
	at, end    int // where in the list is at last what was out of line
}

// listPart is a part of a list.
type listPart struct {
	inst      int // the instruction of the block; −1: none
	end, cold int // where it ends in the list, and in what is out of line
}

// steps are instructions of a list whose names have one meaning, and the registers of those names.
type steps struct {
	listPart
	names [mir.NameCount]uint8
}

// begin says what writes the lists, which are empty.
func (e *draft) begin(w writer, code, cold mir.Code) { e.writer, e.code, e.cold = w, code, cold }

// choose makes the list of the block.
func (e *draft) choose() {
	e.placeValues()
	e.lives()
	e.writer.program()
}

// write writes the block; false where it cannot. The list is made before it is looked at, and
// looked at before its numbers become registers.
func (e *draft) write(number int) ([]byte, bool) {
	e.writer.choose()
	e.dump(number)
	if e.vectors.checked {
		if err := e.writer.check(); err != nil {
			panic(err)
		}
	}
	e.writer.resolve()
	code, ok := e.writer.bytes()
	if ok = ok && !e.fail; !ok && e.vectors.checked {
		panic("native: no code for " + e.r.program.Name)
	}
	if ok {
		e.dumpCode(number, code)
	}
	return code, ok
}

// placeValues says which registers values have, before anything is written.
func (e *draft) placeValues() {
	e.chosen = make([]uint8, mir.FirstValue+2*len(e.places))
	for i := range mir.FirstName {
		e.chosen[i] = uint8(i)
	}
	for v, p := range e.places {
		if p.kind == placeVector || p.kind == placeMask {
			for part := range e.vectors.parts {
				e.chosen[mir.Value(int32(v), part)] = uint8(int(p.n) + part*e.vectors.values)
			}
		}
	}
}

// same says that two numbers stand for one register.
func (e *draft) same(x, y mir.Number) bool {
	return x == y || x >= mir.FirstValue && y >= mir.FirstValue && e.chosen[x] == e.chosen[y]
}

// outOfLine writes f behind the block.
func (e *draft) outOfLine(f func()) {
	from := e.code.Len()
	f()
	e.cold.Take(e.code, from)
}

// outOfLineHere puts here what is out of line.
func (e *draft) outOfLineHere() {
	e.endOthers(0)
	e.at = e.code.Len()
	e.code.Take(e.cold, 0)
	e.end = e.code.Len()
}

// lives says which registers hold values at each instruction.
func (e *draft) lives() {
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

// instruction writes the i-th one, for each part of a strip, and chooses registers for its names:
// such as hold no value there, then such as it borrows.
func (e *draft) instruction(i int) {
	in := &e.b.code[i]
	free := e.vectors.registers
	if !e.b.once[i] {
		free &^= e.busy[i]
	}
	from, cold, slots := e.code.Len(), e.cold.Len(), e.slots
	e.writer.(borrower).parts(in, 0, e.vectors.parts)
	switch {
	case e.endSteps(i, free): // as most do
		return
	case e.vectors.parts == 1 || in.forStrip():
		e.borrowNames(i, from, 0, e.vectors.parts, free)
		return
	}
	e.code.Cut(from)
	e.cold.Cut(cold)
	e.slots = slots
	for part := range e.vectors.parts { // which may borrow the registers of the other one
		from = e.code.Len()
		if e.writer.(borrower).parts(in, part, part+1); !e.endSteps(i, free) {
			e.borrowNames(i, from, part, part+1, free)
		}
	}
}

// endSteps gives names of what was written since the last steps ended registers out of some, in
// order; false where they are too few.
func (e *draft) endSteps(inst int, free uint32) bool {
	s, lacks := e.nameSteps(inst, free)
	if lacks > 0 {
		return false
	}
	e.ended = append(e.ended, s)
	return true
}

// endOthers is endSteps for what stands around the instructions of the block.
func (e *draft) endOthers(free uint32) { e.fail = !e.endSteps(-1, free) || e.fail }

// nameSteps are those steps, and how many names have no register.
func (e *draft) nameSteps(inst int, free uint32) (s steps, lacks int) {
	last := steps{}
	if n := len(e.ended); n > 0 {
		last = e.ended[n-1]
	}
	s = steps{listPart: listPart{inst, e.code.Len(), e.cold.Len()}}
	var used uint32
	name := func(list mir.Code, from, to int) {
		for i := from; i < to; i++ {
			for _, z := range list.Registers(i) {
				if z-mir.FirstName >= mir.NameCount || used>>(z-mir.FirstName)&1 != 0 {
					continue
				}
				used |= 1 << (z - mir.FirstName)
				if free == 0 {
					lacks++
					continue
				}
				s.names[z-mir.FirstName] = uint8(bits.TrailingZeros32(free))
				free &= free - 1
			}
		}
	}
	name(e.code, last.end, s.end)
	name(e.cold, last.cold, s.cold)
	return s, lacks
}

// borrowNames ends the steps of an instruction, which begin in the list at from, for parts of a
// strip: registers that names lack are stored before and loaded behind it.
func (e *draft) borrowNames(inst, from, part, to int, free uint32) {
	_, lacks := e.nameSteps(inst, free)
	others := e.vectors.registers &^ free
	e.r.lanesIn(&e.b.code[inst], func(r *int32, _ bool) {
		if p := e.places[*r]; p.kind == placeVector {
			for k := part; k < to; k++ {
				others &^= 1 << (int(p.n) + k*e.vectors.values)
			}
		}
	})
	back := e.code.Len()
	for n := range lacks {
		r := mir.Number(bits.TrailingZeros32(others))
		if others == 0 {
			e.fail = true
			return
		}
		e.borrow(back, r, n, false)
		e.borrow(from, r, n, true)
		back++
		free |= 1 << r
		others &= others - 1
	}
	e.fail = !e.endSteps(inst, free) || e.fail
}

// borrow inserts such a move.
func (e *draft) borrow(at int, register mir.Number, n int, store bool) {
	e.writer.(borrower).borrow(register, n, store)
	e.code.Insert(at)
}

// resolve puts registers in the place of names and values.
func (e *draft) resolve() {
	from, cold := 0, e.at
	for _, s := range e.ended {
		copy(e.chosen[mir.FirstName:], s.names[:])
		e.code.Resolve(from, s.end, e.chosen)
		e.code.Resolve(cold, e.at+s.cold, e.chosen)
		from, cold = s.end, e.at+s.cold
	}
}

// registersOf are those of a value in vectors, a register for each part.
func (e *draft) registersOf(p location) (list uint32) {
	for part := range e.vectors.parts {
		list |= 1 << (int(p.n) + part*e.vectors.values)
	}
	return list
}

// forStrip says that an instruction does nothing for lanes, or sees to parts by itself.
func (in *Inst) forStrip() bool {
	if in.ofOne() {
		return true
	}
	switch in.Kind {
	case KindScalar, KindScalarMov, KindScalarCanon, KindLoadPushU, KindLoadTableU, KindLoadBufferU,
		KindSizeBufferU, KindLoadMemU, KindJump, KindJumpZero, KindJumpEmpty, KindJumpNotEmpty, KindIf, KindMaskCopy,
		KindLeave, KindLeaveIf, KindFuel, KindNone:
		return true
	}
	return false
}
