package arm64

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// List is a list of instructions.
type List = mir.List[Inst, *Inst]

// Inst is an instruction of a list. Vector registers of it may be others than the processor's until
// it is written: who makes a list chooses them last.
type Inst struct {
	op      Op
	word    uint32 // what else it has besides registers
	d, n, m V      // general registers are their numbers
	imm     int32  // as it is printed; or a label
	form    form
}

// form says how an instruction is written, and which of its registers are vectors.
type form uint16

const (
	vectorD form = 1 << iota
	vectorN
	vectorM
	readsD     // and does not write it
	keepsD     // adds to what d has
	asLabel    // the label imm is here
	asFar      // of memory at m and a displacement that X16 has
	asJump     // to the label imm
	asJumpIf   // on a condition
	asAddress  // of the label imm
	asDistance // to the label imm, where a constant is
	asReturn
	labeled = asLabel | asJump | asJumpIf | asAddress | asDistance
)

func (a *Asm) add(o Op, f form, in Inst) {
	in.op, in.form = o, f
	if f&vectorM != 0 || f == vectorD|vectorN {
		if o.keeps() {
			in.form |= keepsD
		}
	}
	a.List = append(a.List, in)
}

// keeps says that an operation on vectors reads its destination, and adds that it reads all of it.
func (o Op) keeps() bool {
	switch o {
	case BIT, BIF, FCVTN24S, FCVTXN24S, SQXTN24S, UQXTN24S:
		return true
	}
	return o.adds()
}

func (o Op) adds() bool { return o == FMLA4S || o == FMLA2D || o == BSL }

// Resolve puts the processor's registers in the place of numbers.
func (in *Inst) Resolve(to []uint8) {
	if in.form&vectorM != 0 {
		in.m = V(to[in.m])
	}
	if in.form&vectorN != 0 {
		in.n = V(to[in.n])
	}
	if in.form&vectorD != 0 {
		in.d = V(to[in.d])
	}
}

// Uses tells what an instruction does to vector registers, the destination first.
func (in *Inst) Uses(u *mir.Uses) {
	u.N = 0
	if in.form&vectorD != 0 {
		merges := in.form&keepsD != 0
		reads := in.form&readsD != 0 || merges && in.op.adds()
		u.Add(mir.Use{Number: in.d, Read: reads, Write: in.form&readsD == 0, Merges: merges && !reads})
	}
	if in.form&vectorN != 0 {
		u.Add(mir.Use{Number: in.n, Read: true})
	}
	if in.form&vectorM != 0 {
		u.Add(mir.Use{Number: in.m, Read: true})
	}
}

// Clear does nothing, since nothing makes zeros of operands, and Last is 0: memory is no operand.
func (in *Inst) Clear()  {}
func (in *Inst) Last() V { return 0 }

// Label is the label that an instruction is, or has the address of; Target is the one that it jumps
// to, always or on a condition. −1: none.
func (in *Inst) Label() int   { return in.labelOf(asLabel) }
func (in *Inst) Address() int { return in.labelOf(asAddress) }
func (in *Inst) Target() (label int, always bool) {
	return in.labelOf(asJump | asJumpIf), in.form&asJump != 0
}

func (in *Inst) labelOf(f form) int {
	if in.form&f != 0 {
		return int(in.imm)
	}
	return -1
}

// Returns says that an instruction ends the code, or goes where nobody knows.
func (in *Inst) Returns() bool { return in.form&asReturn != 0 }

// Copies says that an instruction sets all of d to another register.
func (in *Inst) Copies() (d, x V, ok bool) {
	return in.d, in.n, in.op == ORR && in.form&vectorM != 0 && in.n == in.m
}

// Moves says that an instruction moves all of d to or from memory.
func (in *Inst) Moves() (r V, m mir.Memory, loads, stores bool) {
	base := in.n
	if in.form&asFar != 0 {
		base = in.m
	}
	return in.d, mir.Memory{Base: uint8(base), Disp: in.imm}, in.op == LDRQ, in.op == STRQ
}

// encode writes the list, and empties it.
func (a *Asm) encode() {
	for i := range a.List {
		in := &a.List[i]
		if in.form&labeled != 0 && in.form&asLabel == 0 {
			a.fixups = append(a.fixups, fixup{len(a.B), int(in.imm)})
		}
		switch {
		case in.form&asLabel != 0:
			a.labels[in.imm] = len(a.B)
		case in.copiesItself():
		default:
			registers := uint32(in.n&31)<<5 | uint32(in.d&31)
			if in.form&asFar == 0 {
				registers |= uint32(in.m&31) << 16
			}
			a.B = binary.LittleEndian.AppendUint32(a.B, uint32(in.op)|in.word|registers)
		}
	}
	a.List = a.List[:0]
}

// copiesItself says that an instruction sets a register to what it has.
func (in *Inst) copiesItself() bool {
	d, x, ok := in.Copies()
	return ok && d == x
}
