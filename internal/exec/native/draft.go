package native

import "github.com/pumice-gpu/pumice/internal/exec/mir"

// writer is the processor's part of making a block's list.
type writer interface {
	its() *draft
	// program appends all of the block; draft.instruction is what it calls for an instruction, and
	// that has inst append it. comeBack appends what is out of line, and the ways out and back, once
	// numbers have registers.
	program()
	inst(in *Inst)
	comeBack()
	// fetch appends what loads a value from its memory, and keep what stores it there.
	fetch(z mir.Number, at location)
	keep(z mir.Number, at location)
	// memory is that of a value as instructions have it. foldable says that it may be an operand as it
	// is there, and fold has the last one of instruction i be there.
	memory(at location) mir.Memory
	foldable(at location) bool
	fold(i int, at location)
	// bytes is the list as code, once it has registers; false where the processor cannot do it.
	bytes() ([]byte, bool)
	// done gives back the room that the list took, with its code.
	done()
}

// draft is the list of a block until its numbers are registers. What is rare is out of line: in a
// list of its own, which goes behind the other at last.
type draft struct {
	layout
	writer     writer
	room       *room
	code, cold mir.Code
	labels     []int // of the block's instructions, and its end
	save       int   // label of the code that leaves to come back
	part       int   // of the strip, that is written now
	index      int32 // of the present instruction
	fail       bool
	at, end    int // where in the list is at last what was out of line
	sections   []section
	placed     []placed
	homes      []int32          // of values in the frame, plus 1
	spread     []int32          // scalar registers of values that are the same for all lanes
	strip      int              // the first step of a strip
	reread     []int32          // of what memory has before: a scalar register, plus 1; −1: a row
	sets       []int32          // the first instruction that sets a mask register
	steady     func(int32) bool // says that the strips do not change a scalar register
	ends       []int32          // the last instruction that reads a lane register
}

// listPart is a part of a list.
type listPart struct {
	inst      int // the instruction of the block; −1: none
	end, cold int // where it ends in the list, and in what is out of line
}

// choose makes the list of the block, and gives its numbers registers.
func (e *draft) choose() {
	e.writer.program()
	e.allocate()
	e.writer.comeBack()
}

// write writes the block; false where it cannot. The list is made before it is looked at, and
// looked at before its numbers become registers.
func (e *draft) write(number int) ([]byte, bool) {
	e.choose()
	e.dump(number)
	if e.vectors.checked {
		if err := e.check(); err != nil {
			panic(err)
		}
	}
	e.resolve()
	code, ok := e.writer.bytes()
	if ok = ok && !e.fail; !ok && e.vectors.checked {
		panic("native: no code for " + e.r.program.Name)
	}
	if ok {
		e.dumpCode(number, code)
	}
	return code, ok
}
