package arm64

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// List is a list of instructions.
type List = mir.List[Inst, *Inst]

// Inst is an instruction of a list. Vector registers of it may be others than the processor's until it is
// written: who makes a list chooses them last.
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
	asRename   // nothing: d and n are one register
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
	return o.adds() || o == BIT || o == BIF || o == FCVTN24S || o == SQXTN24S || o == UQXTN24S
}

func (o Op) adds() bool { return o == FMLA4S || o == FMLA2D || o == BSL }

// Registers are the numbers of vector registers, d last.
func (in *Inst) Registers() (list [5]V) {
	if in.form&vectorM != 0 {
		list[0] = in.m
	}
	if in.form&(vectorN|asRename) != 0 {
		list[1] = in.n
	}
	if in.form&(vectorD|asRename) != 0 {
		list[2] = in.d
	}
	return list
}

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

// Steps calls f for what an instruction does with vector registers, reads first.
func (in *Inst) Steps(f func(mir.Step)) {
	if in.form&vectorN != 0 {
		f(mir.Step{Number: in.n, Read: true})
	}
	if in.form&vectorM != 0 {
		f(mir.Step{Number: in.m, Read: true})
	}
	if in.form&vectorD == 0 {
		return
	}
	if in.form&(readsD|keepsD) != 0 {
		f(mir.Step{Number: in.d, Read: true, Merges: in.form&keepsD != 0 && !in.op.adds()})
	}
	if in.form&readsD == 0 {
		f(mir.Step{Number: in.d, Write: true})
	}
}

// Label is the label that an instruction is, or has the address of; Target is the one that it jumps to,
// always or on a condition. −1: none.
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

// Renames says that an instruction only says that d and n are one register.
func (in *Inst) Renames() (d, x V, ok bool) { return in.d, in.n, in.form&asRename != 0 }

// Moves says that an instruction moves all of d to or from memory at base and a displacement.
func (in *Inst) Moves(base uint8) (r V, at int32, to, ok bool) {
	return in.d, in.imm, in.op == STRQ, (in.op == LDRQ || in.op == STRQ) && in.n == V(base)
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
		case in.form&asRename == 0:
			a.B = binary.LittleEndian.AppendUint32(a.B, uint32(in.op)|in.word|uint32(in.m&31)<<16|uint32(in.n&31)<<5|uint32(in.d&31))
		}
	}
	a.List = a.List[:0]
}
