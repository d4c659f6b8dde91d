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

// Uses tells what an instruction does to vector and mask registers, the destination first.
func (in *Inst) Uses(u *mir.Uses) {
	in.operands(u)
	kept := 0
	for _, x := range u.Of[:u.N] {
		if !x.General {
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

// Moves says that an instruction sets all of Reg to memory, or does the contrary.
func (in *Inst) Moves() (r Z, m mir.Memory, loads, stores bool) {
	x := &in.X
	if !x.mem || in.K != 0 || x.index != 0 {
		return in.Reg, m, false, false
	}
	switch {
	case in.encoding == asMask:
		loads, stores = in.Op == KLOAD, in.Op == KSTORE
	case in.encoding <= asVEX:
		m.Every = in.Op == VPBROADCASTD
		loads, stores = m.Every || in.Op == VMOVDQU, in.Op == VMOVDQUTo
	}
	m.Label, m.Disp = x.label, x.disp
	if x.label == 0 {
		m.Base = uint8(x.reg)
	}
	return in.Reg, m, loads, stores
}

// Copies says that an instruction sets a whole register to another one.
func (in *Inst) Copies() (d, x Z, ok bool) { return in.Reg, in.X.reg, in.copies() }

func (in *Inst) copies() bool {
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
func (in *Inst) operands(u *mir.Uses) {
	u.N = 0
	x, o := &in.X, in.Op
	switch in.encoding {
	case asMask, asVEXG:
		d := o.does
		first := mir.Use{Number: in.Reg, Mask: true, Write: true, General: d&firstGeneral != 0}
		last := mir.Use{Mask: true, Read: true, General: d&lastGeneral != 0}
		if d&(storesLast|tests) != 0 {
			first.Read, first.Write = true, false
		}
		same := in.V == in.Reg && x.reg == in.Reg && !x.mem && d&zeroes != 0
		last.Read = !same
		u.Add(first)
		if d&second != 0 {
			v := last
			v.Number = in.V
			u.Add(v)
		}
		if !x.mem {
			last.Number = x.reg
			u.Add(last)
		}
		return
	case asEVEX, asVEX:
	default:
		return
	}
	wide, d := in.encoding == asEVEX, o.does
	first, last := mir.Use{Number: in.Reg, Write: true}, mir.Use{Number: x.reg, Read: true}
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
	first.Mask, first.General = wide && d&firstMask != 0, d&firstGeneral != 0
	last.Mask, last.General = wide && d&lastMask != 0, d&lastGeneral != 0
	last.Read = last.Read && !(d&zeroes != 0 && in.V == x.reg && !x.mem)
	u.Add(first)
	if wide && in.K != 0 {
		u.Add(mir.Use{Number: Z(in.K), Mask: true, Read: true, Write: d&gathers != 0, Lanes: true})
	}
	if in.V != 0 {
		kept := d&blends != 0 && in.V == in.Reg
		reads := !kept && (d&zeroes == 0 || last.Read)
		u.Add(mir.Use{Number: in.V, Read: reads, Merges: kept, Write: !wide && d&gathers != 0})
	}
	if d&blends != 0 {
		u.Add(mir.Use{Number: Z(in.K), Read: true})
	}
	if x.index != 0 {
		u.Add(mir.Use{Number: x.index - 1, Read: true})
	}
	if !x.mem {
		last.Last = last.Read && !last.Mask && !last.General && d&noMemory == 0 && (wide || o.ext == 0)
		u.Add(last)
	}
}
