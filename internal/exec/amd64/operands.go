package amd64

import "github.com/pumice-gpu/pumice/internal/exec/mir"

// What an instruction does to registers.

// class says what a register is.
type class uint8

const (
	vectorRegister class = iota
	maskRegister
	general
)

// operand is how an instruction uses a register.
type operand struct {
	class       class
	read, write bool
	lanes       bool // says in which lanes the instruction does something
	merges      bool // is read where it keeps what it had, else only written
}

// What rows of operations do not say.

// toMask says that an operation of EVEX has a mask as its destination.
func toMask(o Op) bool {
	switch o {
	case VCMPPS, VCMPPD, VPCMPD, VPCMPUD, VPTESTMD, VFPCLASSPS, VPMOVB2M, VPMOVD2M, VPTESTMQ, VPCMPQ, VPCMPUQ, VPMOVQ2M:
		return true
	}
	return false
}

// stores says that it writes its last operand.
func stores(o Op) bool {
	switch o {
	case VMOVDQUTo, VMOVDQU64To, VCVTPS2PH, VPMOVDW, VPMOVDB, VEXTRACTHALF, VEXTRACT128, VPMASKMOVDTo, VPMASKMOVQTo, VPSCATTERDD, VMOVDTo, vmovdTo, vmovqTo, vpextrd:
		return true
	}
	return false
}

// adds says that it reads its destination.
func adds(o Op) bool {
	switch o {
	case VFMADD213PS, VFMADD231PS, VFMADD213PD, VFMADD231PD, VPERMI2D, VPERMT2D, VPERMT2B, VPTERNLOGQ:
		return true
	}
	return false
}

// goes says that its last operand, if it is a register, is a general one.
func goes(o Op) bool {
	switch o {
	case VMOVDTo, vpextrd, vpbroadcastd, vmovd, vmovdTo:
		return true
	}
	return false
}

func gathers(o Op) bool { return o == VPGATHERDD || o == VPGATHERDQ }

// Steps calls f for what an instruction does with vector and mask registers, reads first.
func (in *Inst) Steps(f func(mir.Step)) {
	for _, writes := range [2]bool{false, true} {
		in.operands(func(z Z, o operand) {
			if o.class != general && (writes && o.write || !writes && (o.read || o.merges)) {
				f(mir.Step{Number: z, Mask: o.class == maskRegister, Read: !writes, Write: writes, Merges: !writes && !o.read})
			}
		})
	}
}

// Label is the label that an instruction is, or has the address of; Target is the one that it jumps to, always or on a condition. −1: none.
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

// Renames says that an instruction only says that Reg and the last operand are one register.
func (in *Inst) Renames() (d, x Z, ok bool) { return in.Reg, in.X.reg, in.encoding == asRename }

// Moves says that an instruction moves all of Reg to or from memory at base and a displacement.
func (in *Inst) Moves(base uint8) (r Z, at int32, to, ok bool) {
	ok = in.X.mem && in.X.label == 0 && in.X.index == 0 && in.X.reg == Z(base) && in.K == 0 &&
		(in.Op == VMOVDQU || in.Op == VMOVDQUTo) && in.encoding <= asVEX
	return in.Reg, in.X.disp, in.Op == VMOVDQUTo, ok
}

// operands calls f for the registers of a vector or mask instruction, the destination first.
func (in *Inst) operands(f func(z Z, o operand)) {
	x, o := in.X, in.Op
	switch in.encoding {
	case asMask, asVEXG:
		first := operand{class: maskRegister, write: true}
		last := operand{class: maskRegister, read: true}
		switch {
		case in.encoding == asVEXG:
			first.class, last.class = general, general
		case o.op == 0x91 || o.op == 0x98:
			first = last
		case o.op == 0x92:
			last.class = general
		case o.op == 0x93:
			first.class = general
		}
		same := in.V == in.Reg && x.reg == in.Reg && !x.mem // zeros, or ones
		last.read = last.read && !same
		f(in.Reg, first)
		switch o.op {
		case 0x41, 0x42, 0x45, 0x46, 0x47, 0x4B, 0xF5:
			f(in.V, last)
		}
		if !x.mem {
			f(x.reg, last)
		}
		return
	case asEVEX, asVEX:
	default:
		return
	}
	wide := in.encoding == asEVEX
	first, last := operand{write: true}, operand{read: true}
	switch {
	case o == vmovmskps:
		first.class = general
	case o == VPTEST || stores(o):
		first = last
		if o != VPTEST {
			last = operand{write: true}
		}
	case wide && toMask(o):
		first.class = maskRegister
	case adds(o):
		first.read = true
	case gathers(o) || wide && in.K != 0 && !in.Zero && o != VPBLENDMD && o != VPBLENDMQ && o != VPBLENDMB:
		first.merges = true
	}
	if wide && o == VPMOVM2D {
		last.class = maskRegister
	}
	if goes(o) && !x.mem {
		last.class = general
	}
	if o == VPXORD && in.V == x.reg && !x.mem {
		last.read = false
	}
	f(in.Reg, first)
	if wide && in.K != 0 {
		f(Z(in.K), operand{class: maskRegister, read: true, write: gathers(o), lanes: true})
	}
	if in.V != 0 {
		kept := o == vblendvps && in.V == in.Reg
		f(in.V, operand{read: !kept && (o != VPXORD || last.read), merges: kept, write: !wide && gathers(o)})
	}
	if o == vblendvps {
		f(Z(in.K), operand{read: true})
	}
	if x.index != 0 {
		f(x.index-1, operand{read: true})
	}
	if !x.mem {
		f(x.reg, last)
	}
}
