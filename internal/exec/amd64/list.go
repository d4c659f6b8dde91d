package amd64

import "github.com/pumice-gpu/pumice/internal/exec/mir"

// List is a list of instructions.
type List = mir.List[Inst, *Inst]

// Inst is an instruction of a list. Vector and mask registers of it may be others than the
// processor's until it is written: who makes a list chooses them last.
type Inst struct {
	encoding encoding
	bits     byte // vectors: 0 for 128, 1 for 256, 2 for 512; jumps: the condition; general instructions: the bytes of Imm
	Zero     bool // lanes outside of K become zero
	Op       Op
	Reg, V   Z
	X        Arg
	K        K
	Imm      int32 // −1: none; or a label
}

// encoding is how an instruction is written.
type encoding uint8

const (
	asEVEX    encoding = iota
	asVEX              // vectors of 256 and 128 bits
	asMask             // on mask registers
	asVEXG             // on general registers
	asREX              // the same
	asRaw              // V bytes from Reg on, as they are
	asLabel            // the label Imm is here
	asJump             // to the label Imm
	asJumpIf           // on a condition
	asAddress          // Reg = the address of the label Imm
	asReturn
)

// Resolve puts the processor's registers in the place of numbers.
func (in *Inst) Resolve(to []uint8) {
	switch in.encoding {
	case asEVEX, asVEX, asMask:
		if in.X.index != 0 {
			in.X.index = Z(to[in.X.index-1]) + 1
		}
		in.X.reg, in.V, in.Reg, in.K = Z(to[in.X.reg]), Z(to[in.V]), Z(to[in.Reg]), K(to[in.K])
	}
}

// Last is the last operand if it is a vector or mask register, else 0.
func (in *Inst) Last() Z {
	if in.encoding > asMask || in.X.mem {
		return 0
	}
	return in.X.reg
}

// encode writes the list, and empties it.
func (a *Asm) encode() {
	for i := range a.List {
		in := &a.List[i]
		if in.copies() && in.Reg == in.X.reg {
			continue
		}
		switch in.encoding {
		case asEVEX:
			a.evex(in)
		case asVEX:
			a.vector(in)
		case asMask, asVEXG:
			a.long(in)
		case asREX:
			a.general(in)
		case asRaw:
			a.B = append(a.B, a.raw[in.Reg:in.Reg+in.V]...)
		case asReturn:
			a.B = append(a.B, 0xC5, 0xF8, 0x77, 0xC3)
		case asLabel:
			a.labels[in.Imm] = len(a.B)
		case asJump:
			a.B = append(a.B, 0xE9)
			a.fix(int(in.Imm))
		case asJumpIf:
			a.B = append(a.B, 0x0F, 0x80|in.bits)
			a.fix(int(in.Imm))
		case asAddress:
			a.B = append(a.B, 0x48|byte(in.Reg)>>3<<2, 0x8D, byte(in.Reg)&7<<3|5)
			a.fix(int(in.Imm))
		}
	}
	a.List = a.List[:0]
}
