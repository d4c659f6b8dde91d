package amd64

import "github.com/pumice-gpu/pumice/internal/exec/mir"

// What an instruction does to registers.

// does is what an operation does to its operands, besides reading the last ones and writing the
// first.
type does uint16

const (
	storesLast   does = 1 << iota // writes the last operand, and reads the first
	readsFirst                    // reads its destination, too
	firstMask                     // of EVEX: the destination is a mask
	firstGeneral                  // the destination is a general register
	lastMask                      // of EVEX: the last operand is a mask
	lastGeneral                   // the last operand, if it is a register, is a general one
	noMemory                      // the last operand is a register
	gathers
	selects // its mask chooses between operands, so that all lanes are written
	blends  // the same, of AVX2
	zeroes  // of equal operands
	tests   // writes flags only
	second  // of masks and general registers: it has a second operand
)

// Use is what an instruction does to a register.
type Use struct {
	Number      Z
	Mask        bool // it is a mask register
	Read, Write bool
	Merges      bool // where it does not write, the register keeps what it has
	Last        bool // memory may stand in its place: see Fold
	general     bool
	lanes       bool // says in which lanes the instruction does something
}

// Uses are an instruction's vector and mask registers.
type Uses struct {
	N  int
	Of [6]Use
}

func (u *Uses) add(x Use) {
	u.Of[u.N] = x
	u.N++
}

// Uses tells what an instruction does to vector and mask registers, the destination first.
func (in *Inst) Uses(u *Uses) {
	in.operands(u)
	kept := 0
	for _, x := range u.Of[:u.N] {
		if !x.general {
			u.Of[kept] = x
			kept++
		}
	}
	u.N = kept
}

// Label is the label that an instruction is, or has the address of; Target is the one that it jumps
// to, always or on a condition. −1: none.
func (in *Inst) Label() int   { return in.labelOf(asLabel, asLabel) }
func (in *Inst) Address() int { return in.labelOf(asAddress, asAddress) }
func (in *Inst) Target() (label int, always bool) {
	return in.labelOf(asJump, asJumpIf), in.encoding == asJump
}

func (in *Inst) labelOf(a, b encoding) int {
	if in.encoding == a || in.encoding == b {
		return int(in.Imm)
	}
	return -1
}

// Returns says that an instruction ends the code.
func (in *Inst) Returns() bool { return in.encoding == asReturn }

// Renames says no.
func (in *Inst) Renames() (d, x Z, ok bool) { return 0, 0, false }

// Steps calls f for what an instruction does with vector and mask registers, reads first.
func (in *Inst) Steps(f func(mir.Step)) {
	var list Uses
	in.Uses(&list)
	for _, writes := range [2]bool{false, true} {
		for _, x := range list.Of[:list.N] {
			if writes && x.Write || !writes && (x.Read || x.Merges) {
				merges := !writes && !x.Read
				f(mir.Step{Number: x.Number, Mask: x.Mask, Read: !writes, Write: writes, Merges: merges})
			}
		}
	}
}

// Registers are the numbers of the vector and mask registers of an instruction, the last operand's
// first. Those of general registers, and 0 for none, may be among them.
func (in *Inst) Registers() (list [5]Z) {
	switch in.encoding {
	case asEVEX, asVEX, asMask:
		if in.X.index != 0 {
			list[0] = in.X.index - 1
		}
		list[1], list[2], list[3], list[4] = in.X.reg, in.V, in.Reg, Z(in.K)
	}
	return list
}

// Moves says that an instruction moves all of Reg to or from memory at base and a displacement.
func (in *Inst) Moves(base uint8) (r Z, at int32, to, ok bool) {
	ok = in.X.mem && in.X.label == 0 && in.X.index == 0 && in.X.reg == Z(base) && in.K == 0 &&
		(in.Op == VMOVDQU || in.Op == VMOVDQUTo) && in.encoding <= asVEX
	return in.Reg, in.X.disp, in.Op == VMOVDQUTo, ok
}

// Loads says that an instruction sets all of Reg to memory, Stores that it does the contrary.
func (in *Inst) Loads() bool {
	vector := in.encoding <= asVEX && (in.Op == VMOVDQU || in.Op == VPBROADCASTD)
	return in.X.mem && in.K == 0 && (vector || in.encoding == asMask && in.Op == KLOAD)
}
func (in *Inst) Stores() bool {
	vector := in.encoding <= asVEX && in.Op == VMOVDQUTo
	return in.X.mem && in.K == 0 && (vector || in.encoding == asMask && in.Op == KSTORE)
}

// IsMove says that an instruction sets a whole register to another one, and IsJump that it jumps.
func (in *Inst) IsMove() bool {
	switch in.encoding {
	case asEVEX:
		return (in.Op == VMOVDQU || in.Op == VMOVDQU64) && in.bits == 2 && in.K == 0 && !in.X.mem
	case asVEX:
		return in.Op == VMOVDQU && in.bits == 1 && !in.X.mem
	case asMask:
		return in.Op == KMOV && !in.X.mem
	}
	return false
}
func (in *Inst) IsJump() bool { return in.encoding == asJump || in.encoding == asJumpIf }

// Clear has what makes zeros of equal operands, whatever they are, make them of its destination.
func (in *Inst) Clear() {
	if in.Op.does&zeroes != 0 && in.V == in.X.reg && !in.X.mem && in.encoding <= asVEX {
		in.V, in.X.reg = in.Reg, in.Reg
	}
}

// Fold puts memory in the place of the last operand.
func (in *Inst) Fold(m Arg) {
	in.X = m
	if in.encoding == asEVEX && m.all && in.Op == VMOVDQU {
		in.Op, in.X.all = VPBROADCASTD, false
	}
}

// operands are the registers of a vector or mask instruction, general ones among them, the
// destination first.
func (in *Inst) operands(u *Uses) {
	u.N = 0
	x, o := &in.X, in.Op
	switch in.encoding {
	case asMask, asVEXG:
		d := o.does
		first := Use{Number: in.Reg, Mask: true, Write: true, general: d&firstGeneral != 0}
		last := Use{Mask: true, Read: true, general: d&lastGeneral != 0}
		if d&(storesLast|tests) != 0 {
			first.Read, first.Write = true, false
		}
		same := in.V == in.Reg && x.reg == in.Reg && !x.mem && d&zeroes != 0
		last.Read = !same
		u.add(first)
		if d&second != 0 {
			v := last
			v.Number = in.V
			u.add(v)
		}
		if !x.mem {
			last.Number = x.reg
			u.add(last)
		}
		return
	case asEVEX, asVEX:
	default:
		return
	}
	wide, d := in.encoding == asEVEX, o.does
	first, last := Use{Number: in.Reg, Write: true}, Use{Number: x.reg, Read: true}
	switch {
	case d&(storesLast|tests) != 0:
		first.Read, first.Write = true, false
		if d&storesLast != 0 {
			last.Read, last.Write = false, true
		}
	case d&readsFirst != 0:
		first.Read = true
	case d&gathers != 0 || wide && in.K != 0 && !in.Zero && d&(selects|firstMask) == 0:
		first.Merges = true
	}
	first.Mask, first.general = wide && d&firstMask != 0, d&firstGeneral != 0
	last.Mask, last.general = wide && d&lastMask != 0, d&lastGeneral != 0
	last.Read = last.Read && !(d&zeroes != 0 && in.V == x.reg && !x.mem)
	u.add(first)
	if wide && in.K != 0 {
		u.add(Use{Number: Z(in.K), Mask: true, Read: true, Write: d&gathers != 0, lanes: true})
	}
	if in.V != 0 {
		kept := d&blends != 0 && in.V == in.Reg
		reads := !kept && (d&zeroes == 0 || last.Read)
		u.add(Use{Number: in.V, Read: reads, Merges: kept, Write: !wide && d&gathers != 0})
	}
	if d&blends != 0 {
		u.add(Use{Number: Z(in.K), Read: true})
	}
	if x.index != 0 {
		u.add(Use{Number: x.index - 1, Read: true})
	}
	if !x.mem {
		last.Last = last.Read && !last.Mask && !last.general && d&noMemory == 0 && (wide || o.ext == 0)
		u.add(last)
	}
}
