// Package mir is the machine's own form of a program, before it is bytes: lists of a processor's
// instructions whose vector registers are numbers. It says what passes over such lists may ask
// (package native has them); a processor's encoder answers.
package mir

// Number is a vector or mask register in a list: first come those of the processor, then names,
// which stand for registers that the steps of one instruction work with, then values, which stand
// for the registers of lane registers.
type Number uint32

// Numbers of vector registers. Masks are numbers below FirstName, too, or values.
const (
	FirstName  = 32
	FirstValue = FirstName + 32
)

// Use is what an instruction does to a register.
type Use struct {
	Number      Number
	Mask        bool // it is a mask register
	Read, Write bool
	Merges      bool // where it does not write, the register keeps what it has
	Last        bool // memory may stand in its place
	// What only processors look at: it is a general register; it says in which lanes the instruction
	// does something.
	General, Lanes bool
}

// Uses are an instruction's vector and mask registers.
type Uses struct {
	N  int
	Of [6]Use
}

// Add adds one.
func (u *Uses) Add(x Use) {
	u.Of[u.N] = x
	u.N++
}

// Memory is where an instruction finds, or puts, all of a register: a vector, or a word for all
// lanes, at a general register and a displacement or behind the code, or a constant of its own.
type Memory struct {
	Base  uint8
	Every bool  // a word for all lanes
	Label int32 // of a constant behind the code, plus 1; −1: Disp is the constant; 0: none
	Disp  int32
}

// Instruction is one of a processor, in a list.
type Instruction interface {
	// Uses tells what it does to vector and mask registers, the destination first.
	Uses(u *Uses)
	// Clear has what makes zeros of equal operands, whatever they are, make them of its destination.
	Clear()
	// Last is the last operand if it is a vector or mask register, else 0.
	Last() Number
	// Label is the label that it is, Address that whose address it has, Target that to which it
	// jumps, always or on a condition. −1: none.
	Label() int
	Address() int
	Target() (label int, always bool)
	// Returns says that it ends the code.
	Returns() bool
	// Copies says that it sets all of d to x, and Moves that it loads all of r from memory, or stores
	// it there.
	Copies() (d, x Number, ok bool)
	Moves() (r Number, m Memory, loads, stores bool)
	// Text is it as text, the destination first; of vector and mask registers it has what name says.
	Text(name func(z Number, mask bool) string) string
}

// Code is a list of instructions of any processor.
type Code interface {
	Len() int
	At(i int) Instruction
	// Resolve puts registers in the place of numbers.
	Resolve(from, to int, registers []uint8)
	// Cut leaves n instructions.
	Cut(n int)
	// Append appends instructions of another list of the processor, and Swap exchanges the lists.
	Append(other Code, from, to int)
	Swap(other Code)
}

// Of are the instructions of one processor.
type Of[I any] interface {
	*I
	Instruction
	// Resolve puts registers in the place of numbers.
	Resolve(registers []uint8)
}

// List is a list of one processor's instructions I.
type List[I any, P Of[I]] []I

func (l *List[I, P]) Len() int             { return len(*l) }
func (l *List[I, P]) At(i int) Instruction { return P(&(*l)[i]) }
func (l *List[I, P]) Cut(n int)            { *l = (*l)[:n] }

func (l *List[I, P]) Resolve(from, to int, registers []uint8) {
	for i := from; i < to; i++ {
		P(&(*l)[i]).Resolve(registers)
	}
}

func (l *List[I, P]) Append(other Code, from, to int) {
	*l = append(*l, (*other.(*List[I, P]))[from:to]...)
}

func (l *List[I, P]) Swap(other Code) {
	o := other.(*List[I, P])
	*l, *o = *o, *l
}
