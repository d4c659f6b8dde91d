// Package mir is the machine's own form of a program, before it is bytes: lists of a processor's
// instructions whose vector registers are numbers. It says what passes over such lists may ask
// (package native has them); a processor's encoder answers.
package mir

// Number is a vector or mask register in a list: first come those of the processor, then names, which
// stand for registers that the steps of one instruction work with, then values, which stand for the
// registers of lane registers.
type Number uint32

// Numbers of vector registers. Masks are numbers below FirstName, too, or values.
const (
	FirstName  = 32
	NameCount  = 16
	FirstValue = FirstName + 32
)

// Value is the number of the part of lane register v; a strip has two parts at most.
func Value(v int32, part int) Number { return FirstValue + 2*Number(v) + Number(part) }

// IsName says that a number is a name, which stands for a register in one instruction's steps.
func (z Number) IsName() bool { return z >= FirstName && z < FirstName+NameCount }

// Step is what an instruction does to a register.
type Step struct {
	Number              Number
	Mask                bool
	Read, Write, Merges bool // Merges: where it does not write, the register keeps what it has
}

// Instruction is one of a processor, in a list.
type Instruction interface {
	// Registers are its numbers, the last operand's first. Those of general registers, and 0 for none,
	// may be among them.
	Registers() [5]Number
	// Resolve puts registers in the place of numbers.
	Resolve(registers []uint8)
	// Steps calls f for what it does with vector and mask registers, reads first.
	Steps(f func(Step))
	// Label is the label that it is, Address that whose address it has, Target that to which it
	// jumps, always or on a condition. −1: none.
	Label() int
	Address() int
	Target() (label int, always bool)
	// Returns says that it ends the code.
	Returns() bool
	// Renames says that it does nothing but tell that d is a register that x stands for, too.
	Renames() (d, x Number, ok bool)
	// Moves says that it moves all of a register to or from memory, at a general register and a
	// displacement.
	Moves(base uint8) (r Number, at int32, to, ok bool)
	// Text is it as text, the destination first; of vector and mask registers it has what name says.
	Text(name func(z Number, mask bool) string) string
}

// Code is a list of instructions of any processor.
type Code interface {
	Len() int
	At(i int) Instruction
	// Registers and Resolve are those of instructions, which need not be asked one by one.
	Registers(i int) [5]Number
	Resolve(from, to int, registers []uint8)
	// Insert moves the last instruction to a place before it.
	Insert(at int)
	// Cut leaves n instructions.
	Cut(n int)
	// Take appends the instructions of another list of the processor from one on, which are cut there.
	Take(other Code, from int)
}

// List is a list of one processor's instructions I.
type List[I any, P interface {
	*I
	Instruction
}] []I

func (l *List[I, P]) Len() int                  { return len(*l) }
func (l *List[I, P]) At(i int) Instruction      { return P(&(*l)[i]) }
func (l *List[I, P]) Registers(i int) [5]Number { return P(&(*l)[i]).Registers() }
func (l *List[I, P]) Cut(n int)                 { *l = (*l)[:n] }

func (l *List[I, P]) Resolve(from, to int, registers []uint8) {
	for i := from; i < to; i++ {
		P(&(*l)[i]).Resolve(registers)
	}
}

func (l *List[I, P]) Insert(at int) {
	list, last := *l, len(*l)-1
	in := list[last]
	copy(list[at+1:], list[at:last])
	list[at] = in
}

func (l *List[I, P]) Take(other Code, from int) {
	o := other.(*List[I, P])
	*l = append(*l, (*o)[from:]...)
	o.Cut(from)
}
