package amd64

// Vectors of 256 bits, for processors with AVX2, FMA, BMI and F16C: the same operations in
// their VEX encoding, where they have one, on 16 registers without masks; and those that
// stand in for what such processors lack.

// Fits says that narrow code may have an instruction. Others are on mask registers, or of 512 bits.
func (in *Inst) Fits() bool     { return in.encoding != asMask && in.encoding != asEVEX }
func (in *Inst) OfMasks() bool  { return in.encoding == asMask }
func (in *Inst) SetsMask() bool { return in.encoding == asEVEX && in.Op.does&firstMask != 0 }

// HasVEX says that an operation's row is right for Y, too.
func (o Op) HasVEX() bool { return !o.evex }

// Wide says that an operation is on 64 bits.
func (o Op) Wide() bool { return o.w == 1 }

// Shifts says that an operation shifts by an immediate, Selects that its mask chooses between
// operands, and Adds that it reads what its destination was.
func (o Op) Shifts() bool  { return o.ext != 0 }
func (o Op) Selects() bool { return o.does&selects != 0 }
func (o Op) Adds() bool    { return o.does&readsFirst != 0 }

// Y emits an instruction of 256 bits, operands as V has them; YI with an immediate. A
// gather's mask is v, whose lanes it clears.
func (a *Asm) Y(o Op, reg, v Z, x Arg) { a.y(o, 1, reg, v, x, -1) }

// YI is Y with an immediate.
func (a *Asm) YI(o Op, reg, v Z, x Arg, imm int) { a.y(o, 1, reg, v, x, imm) }

// X and XI are Y and YI on the lower 128 bits.
func (a *Asm) X(o Op, reg, v Z, x Arg) { a.y(o, 0, reg, v, x, -1) }

// XI is X with an immediate.
func (a *Asm) XI(o Op, reg, v Z, x Arg, imm int) { a.y(o, 0, reg, v, x, imm) }

// YBlend sets reg to x in the lanes whose word in mask has its highest bit, else to v.
func (a *Asm) YBlend(reg, v Z, x Arg, mask Z) {
	a.y(vblendvps, 1, reg, v, x, 0)
	a.List[len(a.List)-1].K = K(mask)
}

// YSigns sets d to the highest bits of the words of z.
func (a *Asm) YSigns(d G, z Z) { a.y(vmovmskps, 1, Z(d), 0, R(z), -1) }

// y is a VEX instruction of 128 or 256 bits.
func (a *Asm) y(o Op, l byte, reg, v Z, x Arg, imm int) {
	a.List = append(a.List, Inst{encoding: asVEX, bits: l, Op: o, Reg: reg, V: v, X: x, Imm: int32(imm)})
}

// vector writes one.
func (a *Asm) vector(in *Inst) {
	o, x := in.Op, in.X
	if o.evex || in.Reg > 15 || in.V > 15 || !x.mem && x.reg > 15 || x.index > 16 || x.all && x.label == 0 {
		a.wrong = true
		return
	}
	w, reg, r, v := o.w, uint8(in.Reg), uint8(in.Reg), uint8(in.V)
	if o == VPBROADCASTQ {
		w = 0
	}
	if o.ext != 0 {
		r, v = o.ext-1, reg
	}
	index := uint8(0)
	if x.index != 0 {
		index = uint8(x.index - 1)
	}
	nr, nx, nb := ^r>>3&1, ^index>>3&1, byte(1)
	if x.label == 0 {
		nb = ^byte(x.reg) >> 3 & 1
	}
	if o.mm == m0F && w == 0 && nx == 1 && nb == 1 {
		a.B = append(a.B, 0xC5, nr<<7|(^v&15)<<3|in.bits<<2|o.pp, o.op)
	} else {
		a.B = append(a.B, 0xC4, nr<<7|nx<<6|nb<<5|o.mm, w<<7|(^v&15)<<3|in.bits<<2|o.pp, o.op)
	}
	a.modrm(r, x, 1)
	if o == vblendvps {
		in.Imm = int32(in.K) << 4
	}
	a.immediate(in)
}

// General instructions that stand in for masks of lanes.

// BLSR sets d to x without its lowest one; the zero flag tells whether that was the last.
func (a *Asm) BLSR(d, x G) {
	in := Inst{encoding: asVEXG, Op: blsr, Reg: 1, V: Z(d), X: GArg(x), Imm: -1}
	a.List = append(a.List, in)
}
