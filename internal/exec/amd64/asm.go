// Package amd64 writes machine code for x86-64 processors with vectors of 512 bits
// (AVX-512 F, BW, DQ, VL and CD) or of 256 (AVX2, FMA, BMI and F16C).
//
// The encoder knows the forms that package vm's translation needs: an operation is a
// row with its prefix, opcode map, opcode and operand width; operands are registers,
// memory behind a register, or one word of memory for all lanes.
package amd64

//go:generate go run ../mir/_gen

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// Z is a vector register, zmm0 to zmm31. Others stand for registers that a list's owner has yet to
// choose.
type Z = mir.Number

// K is a mask register, k0 to k7; k0 as a write mask means none. Others are as those of Z.
type K uint32

// G is a general register.
type G uint8

// General registers that code may use: SP, BP and R14 belong to Go.
const (
	RAX G = 0
	RCX G = 1
	RDX G = 2
	RBX G = 3
	RSI G = 6
	RDI G = 7
	R8  G = 8
	R9  G = 9
	R10 G = 10
	R11 G = 11
	R12 G = 12
	R13 G = 13
	R15 G = 15
)

// Op is a vector operation.
type Op struct {
	pp, mm, op byte
	w          byte // operands of 64 bits
	// scale is what a displacement of one byte counts, with a whole vector in
	// memory; 0 stands for 64.
	scale byte
	ext   byte // the register field is this digit, plus 1
	imm   byte // bytes of an immediate of a general register's operation
	evex  bool // there is no such row for vectors of 256 bits
	does  does
}

// Prefixes and opcode maps.
const (
	none = 0
	p66  = 1
	pF3  = 2
	pF2  = 3

	m0F   = 1
	m0F38 = 2
	m0F3A = 3
)

// KLOAD loads a mask from memory.
var KLOAD = KMOV

// Arg is the last operand of an instruction: a register, memory, or a word of memory
// for all lanes.
type Arg struct {
	mem, all bool
	reach    Reach
	label    int32 // of a constant of 64 bits behind the code, plus 1
	reg      Z     // of a vector or mask, or the base
	index    Z     // vector of offsets, plus 1
	disp     int32
}

// Reach is how much of memory may be read and written besides the lanes of a mask.
type Reach uint8

// What a mask leaves out may be anything, is there but in a batch's last strip, or is there.
const (
	ReachLanes Reach = iota
	ReachStrips
	ReachAll
)

// Reaching is memory as it may be used.
func (a Arg) Reaching(r Reach) Arg { a.reach = r; return a }

// Reach is how much of an operand in memory may be used.
func (a Arg) Reach() Reach { return a.reach }

// R is a vector register as an operand.
func R(z Z) Arg { return Arg{reg: z} }

// KArg is a mask register as an operand, and GArg a general one.
func KArg(k K) Arg { return Arg{reg: Z(k)} }
func GArg(x G) Arg { return Arg{reg: Z(x)} }

// M is memory at base + disp.
func M(base G, disp int) Arg { return Arg{mem: true, reg: Z(base), disp: int32(disp)} }

// All is a word (of 64 bits in operations of 64 bits) of memory for every lane.
func All(base G, disp int) Arg { return Arg{mem: true, all: true, reg: Z(base), disp: int32(disp)} }

// Each is memory at base + the lane's offset.
func Each(base G, offsets Z) Arg { return Arg{mem: true, reg: Z(base), index: offsets + 1} }

// IsMem says that the operand is in memory, and IsAll that it is one word for all.
func (a Arg) IsMem() bool { return a.mem }
func (a Arg) IsAll() bool { return a.all }

// Reg is the vector register of an operand that is one.
func (a Arg) Reg() Z { return a.reg }

// Asm collects instructions in a list, and Finish writes them. Labels are numbers that NewLabel
// gives.
type Asm struct {
	List   List
	B      []byte
	raw    []byte // of instructions without operands to choose
	labels []int  // offset, −1 before it is known
	fixups []fixup
	pool   map[uint64]int // labels of constants
	// Narrow code is for AVX2 and vectors of 256 bits: its constants stand in memory for every
	// lane, and an instruction of AVX-512 in it is wrong.
	Narrow bool
	wrong  bool
	tables []behind
	bounds [2]int // labels of what Touch reads, plus 1
}

// behind is data that follows the code.
type behind struct {
	label int
	data  []byte
}

// fixup is a distance to fill in, to past bytes behind a label; it counts from end bytes behind
// itself.
type fixup struct{ at, label, end, past int }

// Wrong says that an instruction had operands that it cannot have.
func (a *Asm) Wrong() bool {
	a.encode()
	return a.wrong
}

// Pool is a constant of 64 bits for every lane of an operation of 64 bits.
func (a *Asm) Pool(x uint64) Arg {
	if a.pool == nil {
		a.pool = map[uint64]int{}
	}
	label, ok := a.pool[x]
	if !ok {
		label = a.NewLabel()
		a.pool[x] = label
	}
	return Arg{mem: true, all: true, label: int32(label + 1)}
}

// Table is data behind the code, the first 64 bytes of which the operand is; Past is what follows.
func (a *Asm) Table(data []byte) Arg {
	label := a.NewLabel()
	a.tables = append(a.tables, behind{label, data})
	return Arg{mem: true, label: int32(label + 1)}
}

// Touch reads the first word behind the code and the last one, into d. A processor may remember
// nothing of a page of which it is only asked for lanes that do not execute: Zen 5 then takes some 300
// cycles for each instruction that asks.
func (a *Asm) Touch(d G) {
	for i := range a.bounds {
		label := a.NewLabel()
		a.bounds[i] = label + 1
		a.W(MOVL, d, Arg{mem: true, label: int32(label + 1)})
	}
}

// Past is the operand n bytes behind one in memory.
func (a Arg) Past(n int) Arg { a.disp += int32(n); return a }

// NewLabel makes a label, and Here puts it at the present place.
func (a *Asm) NewLabel() int {
	a.labels = append(a.labels, -1)
	return len(a.labels) - 1
}

// GrowLabels makes room for n more labels.
func (a *Asm) GrowLabels(n int) { a.labels = slices.Grow(a.labels, n) }

// Here puts a label.
func (a *Asm) Here(label int) { a.List = append(a.List, Inst{encoding: asLabel, Imm: int32(label)}) }

// Finish resolves jumps and returns the code.
func (a *Asm) Finish() []byte {
	a.encode()
	words := 1
	if a.Narrow {
		words = 4
	}
	for len(a.B)&(8*words-1) != 0 {
		a.B = append(a.B, 0xCC)
	}
	first := math.MaxInt
	for x, label := range a.pool { // their order changes no result
		a.labels[label] = len(a.B)
		first = min(first, len(a.B))
		for range words {
			a.B = binary.LittleEndian.AppendUint64(a.B, x)
		}
	}
	for _, t := range a.tables {
		for len(a.B)&63 != 0 {
			a.B = append(a.B, 0xCC)
		}
		a.labels[t.label] = len(a.B)
		first = min(first, len(a.B))
		a.B = append(a.B, t.data...)
	}
	if last := len(a.B) - 4; a.bounds[0] != 0 {
		a.labels[a.bounds[0]-1], a.labels[a.bounds[1]-1] = min(first, last), last
	}
	for _, f := range a.fixups {
		binary.LittleEndian.PutUint32(a.B[f.at:], uint32(a.labels[f.label]+f.past-(f.at+4+f.end)))
	}
	return a.B
}

// V emits an instruction: destination (or source of a store) reg, second operand v,
// last operand x.
func (a *Asm) V(o Op, reg, v Z, x Arg) { a.emit(o, reg, v, x, 0, false, -1) }

// VI is V with an immediate.
func (a *Asm) VI(o Op, reg, v Z, x Arg, imm int) { a.emit(o, reg, v, x, 0, false, imm) }

// VK is V in the lanes of k; the others keep what reg holds.
func (a *Asm) VK(o Op, reg, v Z, x Arg, k K) { a.emit(o, reg, v, x, k, false, -1) }

// VZ is V in the lanes of k; the others become zero.
func (a *Asm) VZ(o Op, reg, v Z, x Arg, k K) { a.emit(o, reg, v, x, k, true, -1) }

// Mov1 is a move of one operand; V without a second operand.
func (a *Asm) Mov1(o Op, reg Z, x Arg) { a.emit(o, reg, 0, x, 0, false, -1) }

// ToMask emits a comparison of v and x to mask d, in the lanes of k.
func (a *Asm) ToMask(o Op, d K, v Z, x Arg, imm int, k K) {
	a.emit(o, Z(d), v, x, k, false, imm)
}

// emit is an instruction of whole vectors: that of 512 bits in EVEX encoding, which narrow code has
// not, so that somebody has to find others for it. What is the same there but for the width is of
// 256 bits at once. VPERMD of memory is not: that has 16 words.
func (a *Asm) emit(o Op, reg, v Z, x Arg, k K, zero bool, imm int) {
	in := Inst{
		encoding: asEVEX, bits: 2, Op: o, Reg: reg, V: v, X: x, K: k, Zero: zero, Imm: int32(imm),
	}
	fits := !x.mem || o.ext == 0 && o != VPERMD && (!x.all || x.label != 0)
	if a.Narrow && k == 0 && o.hasBoth() && fits {
		in.encoding, in.bits = asVEX, 1
	}
	a.List = append(a.List, in)
}

// hasBoth says that an operation without a mask is the same on both widths.
func (o Op) hasBoth() bool {
	return !o.evex && o.does&(firstMask|gathers) == 0
}

// evex writes one.
func (a *Asm) evex(in *Inst) {
	o, x, reg, v := in.Op, in.X, uint8(in.Reg), uint8(in.V)
	a.wrong = a.wrong || a.Narrow
	r := reg
	if o.ext != 0 { // shifts by an immediate: the destination is the second operand
		r, v = o.ext-1, reg
	}
	bit := func(x uint8, n uint) byte { return ^x >> n & 1 }
	xr, xi := uint8(x.reg), uint8(x.index-1)
	p0 := bit(r, 3)<<7 | bit(r, 4)<<4 | o.mm
	if x.mem {
		p0 |= bit(xr, 3) << 5
		if x.index != 0 {
			p0 |= bit(xi, 3) << 6
			v = xi & 16 // its fifth bit stands with the second operand's
		} else {
			p0 |= 1 << 6
		}
	} else {
		p0 |= bit(xr, 3)<<5 | bit(xr, 4)<<6
	}
	p1 := o.w<<7 | (^v&15)<<3 | 4 | o.pp
	p2 := in.bits<<5 | bit(v, 4)<<3 | byte(in.K)
	if in.Zero {
		p2 |= 0x80
	}
	if x.all {
		p2 |= 0x10
	}
	a.B = append(a.B, 0x62, p0, p1, p2, o.op)
	scale := int32(o.scale)
	switch {
	case x.all && o.w == 1:
		scale = 8
	case x.all:
		scale = 4
	case scale == 0:
		scale = 64
	}
	a.modrm(r, x, scale)
	a.immediate(in)
}

// immediate writes that of a vector instruction, if it has one.
func (a *Asm) immediate(in *Inst) {
	if in.Imm < 0 {
		return
	}
	a.B = append(a.B, byte(in.Imm))
	if in.X.label != 0 {
		a.fixups[len(a.fixups)-1].end = 1
	}
}

// modrm writes the operand bytes; a displacement of one byte counts scale.
func (a *Asm) modrm(reg uint8, x Arg, scale int32) {
	if !x.mem {
		a.B = append(a.B, 0xC0|reg&7<<3|byte(x.reg)&7)
		return
	}
	if x.label != 0 {
		a.B = append(a.B, reg&7<<3|5)
		a.fix(int(x.label - 1))
		a.fixups[len(a.fixups)-1].past = int(x.disp)
		return
	}
	mod := byte(2)
	if n := x.disp / scale; x.disp%scale == 0 && n >= -128 && n <= 127 {
		if mod = 1; n == 0 && x.reg&7 != 5 {
			mod = 0
		}
	}
	switch {
	case x.index != 0:
		a.B = append(a.B, mod<<6|reg&7<<3|4, byte(x.index-1)&7<<3|byte(x.reg)&7)
	case x.reg&7 == 4:
		a.B = append(a.B, mod<<6|reg&7<<3|4, 4<<3|4)
	default:
		a.B = append(a.B, mod<<6|reg&7<<3|byte(x.reg)&7)
	}
	switch mod {
	case 1:
		a.B = append(a.B, byte(x.disp/scale))
	case 2:
		a.B = binary.LittleEndian.AppendUint32(a.B, uint32(x.disp))
	}
}

// long writes an instruction on mask registers, or a VEX instruction on general ones.
func (a *Asm) long(in *Inst) {
	a.wrong = a.wrong || a.Narrow && in.encoding == asMask
	o, reg := in.Op, uint8(in.Reg)
	r, b := ^reg>>3&1, ^byte(in.X.reg)>>3&1
	a.B = append(a.B, 0xC4, r<<7|1<<6|b<<5|o.mm, o.w<<7|(^byte(in.V)&15)<<3|in.bits<<2|o.pp, o.op)
	a.modrm(reg, in.X, 1)
	if in.Imm >= 0 {
		a.B = append(a.B, byte(in.Imm))
	}
}

// K emits an operation on mask registers, of 16 lanes: d = o(x, y), or o(y) with x = 0.
func (a *Asm) K(o Op, d, x, y K) { a.mask(o, Z(d), Z(x), KArg(y), -1) }

// KShift is K with how far to shift.
func (a *Asm) KShift(o Op, d, x K, n int) { a.mask(o, Z(d), 0, KArg(x), n) }

// KMem moves a mask from or to memory.
func (a *Asm) KMem(o Op, k K, m Arg) { a.mask(o, Z(k), 0, m, -1) }

// KFROM sets d to the low 16 bits of x, and KTO the other way round.
func (a *Asm) KFROM(d K, x G) { a.mask(KMOVFrom, Z(d), 0, GArg(x), -1) }

// KTO sets d to the bits of x.
func (a *Asm) KTO(d G, x K) { a.mask(KMOVTo, Z(d), 0, KArg(x), -1) }

// mask is an instruction of mask registers, which AVX2 does not have.
func (a *Asm) mask(o Op, d, x Z, y Arg, imm int) {
	l := byte(0)
	if o.does&second != 0 {
		l = 1
	}
	in := Inst{encoding: asMask, bits: l, Op: o, Reg: d, V: x, X: y, Imm: int32(imm)}
	a.List = append(a.List, in)
}

// W emits an operation on a general register and a last operand, a register or memory; of some the
// last one is all.
func (a *Asm) W(o Op, d G, x Arg) {
	if o.ext != 0 {
		d = G(o.ext - 1)
	}
	a.List = append(a.List, Inst{encoding: asREX, Op: o, Reg: Z(d), X: x})
}

// WI emits an operation on an operand and an immediate, or sets a register to itself and one.
func (a *Asm) WI(o Op, x Arg, imm int) {
	a.W(o, G(x.reg), x)
	in := &a.List[len(a.List)-1]
	in.bits, in.Imm = o.imm, int32(imm)
}

// general writes one.
func (a *Asm) general(in *Inst) {
	if in.Op.pp != 0 {
		a.B = append(a.B, [...]byte{p66: 0x66, pF3: 0xF3}[in.Op.pp])
	}
	p := 0x40 | in.Op.w<<3 | byte(in.Reg)>>3<<2 | byte(in.X.reg)>>3
	if p != 0x40 || in.Op.scale != 0 {
		a.B = append(a.B, p)
	}
	if in.Op.mm != 0 {
		a.B = append(a.B, 0x0F)
	}
	a.B = append(a.B, in.Op.op)
	a.modrm(uint8(in.Reg), in.X, 1)
	switch in.bits {
	case 1:
		a.B = append(a.B, byte(in.Imm))
	case 4:
		a.B = binary.LittleEndian.AppendUint32(a.B, uint32(in.Imm))
	}
}

// bytes is an instruction as it is.
func (a *Asm) bytes(b ...byte) {
	a.List = append(a.List, Inst{encoding: asRaw, Reg: Z(len(a.raw)), V: Z(len(b))})
	a.raw = append(a.raw, b...)
}

// PEXT sets d to the bits of x where mask has ones, side by side.
func (a *Asm) PEXT(d, x, mask G) {
	in := Inst{encoding: asVEXG, Op: pext, Reg: Z(d), V: Z(x), X: GArg(mask), Imm: -1}
	a.List = append(a.List, in)
}

// PDEP sets d to the lowest bits of x, spread to where mask has ones.
func (a *Asm) PDEP(d, x, mask G) {
	in := Inst{encoding: asVEXG, Op: pdep, Reg: Z(d), V: Z(x), X: GArg(mask), Imm: -1}
	a.List = append(a.List, in)
}

// SETEAX sets EAX to ones where a condition holds, else to 0: SETcc, MOVZX, NEG.
func (a *Asm) SETEAX(cond byte) {
	a.bytes(0x0F, 0x90+cond, 0xC0, 0x0F, 0xB6, 0xC0, 0xF7, 0xD8)
}

// Conditions of jumps.
const (
	IfBelow    = 2 // unsigned, carry
	IfNotBelow = 3
	IfZero     = 4
	IfNotZero  = 5
	IfNegative = 8

	IfNotNegative = 9

	IfNotAbove   = 6 // unsigned
	IfLess       = 12
	IfNotGreater = 14
)

// JMP jumps to a label, JIf on a condition.
func (a *Asm) JMP(label int) {
	a.List = append(a.List, Inst{encoding: asJump, Imm: int32(label)})
}

// JIf jumps to a label on a condition.
func (a *Asm) JIf(cond byte, label int) {
	a.List = append(a.List, Inst{encoding: asJumpIf, bits: cond, Imm: int32(label)})
}

// LEALabel sets d to the address of a label.
func (a *Asm) LEALabel(d G, label int) {
	a.List = append(a.List, Inst{encoding: asAddress, Reg: Z(d), Imm: int32(label)})
}

func (a *Asm) fix(label int) {
	a.fixups = append(a.fixups, fixup{at: len(a.B), label: label})
	a.B = append(a.B, 0, 0, 0, 0)
}

// Return ends the code as Go wants it: the upper halves of vectors cleared.
func (a *Asm) Return() { a.List = append(a.List, Inst{encoding: asReturn}) }

// IsPool says that the operand is a constant behind the code.
func (a Arg) IsPool() bool { return a.label != 0 }

// Offsets is the vector of those offsets.
func (a Arg) Offsets() Z { return a.index - 1 }

// Base is the general register before memory.
func (a Arg) Base() G { return G(a.reg) }

// One is a word for all lanes as the plain word in memory that it is.
func (a Arg) One() Arg { a.all = false; return a }

// Every is a word in memory as a word for all lanes.
func (a Arg) Every() Arg { a.all = true; return a }

// V128 is a move of 128 bits or of the first lane, V256 one of half a vector, in memory without
// displacement; VK256 and VZ256 are that in the lanes of k.
func (a *Asm) V128(o Op, reg Z, x Arg)       { a.short(0, o, reg, x, 0, false, -1) }
func (a *Asm) V256(o Op, reg Z, x Arg)       { a.short(1, o, reg, x, 0, false, -1) }
func (a *Asm) VK256(o Op, reg Z, x Arg, k K) { a.short(1, o, reg, x, k, false, -1) }
func (a *Asm) VZ256(o Op, reg Z, x Arg, k K) { a.short(1, o, reg, x, k, true, -1) }

// VPEXTRD moves one of the first four lanes of z to a general register.
func (a *Asm) VPEXTRD(d G, z Z, lane int) { a.short(0, vpextrd, z, GArg(d), 0, false, lane) }

// short is emit for instructions of 128 or, of wide code, 256 bits: half a vector.
func (a *Asm) short(bits byte, o Op, reg Z, x Arg, k K, zero bool, imm int) {
	a.emit(o, reg, 0, x, k, zero, imm)
	if in := &a.List[len(a.List)-1]; in.encoding == asEVEX {
		in.bits = bits
	} else {
		in.bits = 0
	}
}
