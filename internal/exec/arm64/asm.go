// Package arm64 writes machine code for 64-bit ARM processors with Advanced SIMD,
// which all of them have.
//
// The encoder knows the forms that package native's emitters need. An operation on
// vectors is the word of the instruction without its registers; its name ends in the
// lanes that it takes a vector for.
package arm64

import (
	"encoding/binary"
	"errors"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// V is a vector register, v0 to v31. Others stand for registers that a list's owner has yet to
// choose.
type V = mir.Number

// G is a general register. Code may use X0 to X17 and X19 to X26: the others belong to
// Go or the system.
type G uint8

// ZR reads as zero.
const ZR G = 31

// address is the register for what has no place in an instruction: X16.
const address G = 16

// Op is an operation: an instruction without registers.
type Op uint32

// Operations on words of 32 bits and binary32: d = n op m.
const (
	ADD4S   Op = 0x4EA08400
	SUB4S   Op = 0x6EA08400
	MUL4S   Op = 0x4EA09C00
	SMIN4S  Op = 0x4EA06C00
	SMAX4S  Op = 0x4EA06400
	UMIN4S  Op = 0x6EA06C00
	UMAX4S  Op = 0x6EA06400
	SSHL4S  Op = 0x4EA04400 // to the right where m, of 8 bits with a sign, is negative
	USHL4S  Op = 0x6EA04400
	CMEQ4S  Op = 0x6EA08C00
	CMGT4S  Op = 0x4EA03400
	CMGE4S  Op = 0x4EA03C00
	CMHI4S  Op = 0x6EA03400
	CMHS4S  Op = 0x6EA03C00
	CMTST4S Op = 0x4EA08C00 // whether n and m have a one in common

	AND Op = 0x4E201C00
	BIC Op = 0x4E601C00 // n and not m
	ORR Op = 0x4EA01C00
	EOR Op = 0x6E201C00
	BSL Op = 0x6E601C00 // d = n where d has ones, else m
	BIT Op = 0x6EA01C00 // d = n where m has ones
	BIF Op = 0x6EE01C00 // d = n where m has zeros

	FADD4S   Op = 0x4E20D400
	FSUB4S   Op = 0x4EA0D400
	FMUL4S   Op = 0x6E20DC00
	FDIV4S   Op = 0x6E20FC00
	FMLA4S   Op = 0x4E20CC00 // d += n·m, rounded once
	FMAXNM4S Op = 0x4E20C400
	FMINNM4S Op = 0x4EA0C400
	FCMEQ4S  Op = 0x4E20E400
	FCMGE4S  Op = 0x6E20E400
	FCMGT4S  Op = 0x6EA0E400

	TRN14S Op = 0x4E802800
	TRN24S Op = 0x4E806800
	UZP14S Op = 0x4E801800
	UZP24S Op = 0x4E805800
	ZIP14S Op = 0x4E803800
	ZIP24S Op = 0x4E807800

	UMULL2D  Op = 0x2EA0C000 // of the lower halves
	UMULL22D Op = 0x6EA0C000 // of the upper halves
	SMULL2D  Op = 0x0EA0C000
	SMULL22D Op = 0x4EA0C000
	SMULL4S  Op = 0x0E60C000
	SMULL24S Op = 0x4E60C000
	ADDP4S   Op = 0x4EA0BC00 // sums of neighbours, n's first
)

// Operations on words of 32 bits and binary32: d = op n.
const (
	NEG4S    Op = 0x6EA0B800
	NOT      Op = 0x6E205800
	CLZ4S    Op = 0x6EA04800
	CNT      Op = 0x4E205800 // of bytes
	RBIT     Op = 0x6E605800 // of bytes
	REV4S    Op = 0x6E200800 // bytes of words
	UADDLP8H Op = 0x6E202800
	UADDLP4S Op = 0x6E602800
	CMEQ04S  Op = 0x4EA09800 // with zero
	CMLT04S  Op = 0x4EA0A800
	FCMGT04S Op = 0x4EA0C800
	FCMLT04S Op = 0x4EA0E800
	FABS4S   Op = 0x4EA0F800
	FNEG4S   Op = 0x6EA0F800
	FSQRT4S  Op = 0x6EA1F800
	FRINTN4S Op = 0x4E218800
	FRINTM4S Op = 0x4E219800
	FRINTP4S Op = 0x4EA18800
	FRINTZ4S Op = 0x4EA19800
	FCVTZS4S Op = 0x4EA1B800
	FCVTZU4S Op = 0x6EA1B800
	SCVTF4S  Op = 0x4E21D800
	UCVTF4S  Op = 0x6E21D800
	FCVTN4H  Op = 0x0E216800 // binary16 to the lower half
	FCVTL4S  Op = 0x0E217800 // and back
	XTN4H    Op = 0x0E612800
	UXTL4S   Op = 0x2F10A400
	ADDV4S   Op = 0x4EB1B800 // the sum of all, in the first
	REV644S  Op = 0x4EA00800 // words of pairs
)

// Operations on words of 64 bits and binary64.
const (
	ADD2D    Op = 0x4EE08400
	SUB2D    Op = 0x6EE08400
	SSHL2D   Op = 0x4EE04400
	USHL2D   Op = 0x6EE04400
	CMGT2D   Op = 0x4EE03400
	CMGE2D   Op = 0x4EE03C00
	CMHI2D   Op = 0x6EE03400
	CMHS2D   Op = 0x6EE03C00
	CMTST2D  Op = 0x4EE08C00
	FADD2D   Op = 0x4E60D400
	FSUB2D   Op = 0x4EE0D400
	FMUL2D   Op = 0x6E60DC00
	FDIV2D   Op = 0x6E60FC00
	FMLA2D   Op = 0x4E60CC00
	FMAXNM2D Op = 0x4E60C400
	FMINNM2D Op = 0x4EE0C400
	FCMEQ2D  Op = 0x4E60E400
	FCMGE2D  Op = 0x6E60E400
	FCMGT2D  Op = 0x6EE0E400

	NEG2D     Op = 0x6EE0B800
	CMLT02D   Op = 0x4EE0A800
	FCMEQ02D  Op = 0x4EE0D800
	FABS2D    Op = 0x4EE0F800
	FNEG2D    Op = 0x6EE0F800
	FSQRT2D   Op = 0x6EE1F800
	FRINTN2D  Op = 0x4E618800
	FRINTM2D  Op = 0x4E619800
	FRINTP2D  Op = 0x4EE18800
	FRINTZ2D  Op = 0x4EE19800
	FCVTZS2D  Op = 0x4EE1B800
	FCVTZU2D  Op = 0x6EE1B800
	SCVTF2D   Op = 0x4E61D800
	UCVTF2D   Op = 0x6E61D800
	FCVTN2S   Op = 0x0E616800 // to the lower half, the upper one zero
	FCVTN24S  Op = 0x4E616800 // to the upper half
	FCVTXN2S  Op = 0x2E616800 // to the lower half, odd where that is not exact
	FCVTXN24S Op = 0x6E616800
	FCVTL2D   Op = 0x0E617800 // of the lower half
	FCVTL22D  Op = 0x4E617800 // of the upper half
	SQXTN2S   Op = 0x0EA14800
	SQXTN24S  Op = 0x4EA14800
	UQXTN2S   Op = 0x2EA14800
	UQXTN24S  Op = 0x6EA14800
	SXTL2D    Op = 0x0F20A400 // of the lower half
	SXTL22D   Op = 0x4F20A400
	UXTL2D    Op = 0x2F20A400
	UXTL22D   Op = 0x6F20A400
)

// Shifts by a constant.
const (
	SHL4S  Op = 0x4F005400
	SHL2D  Op = 0x4F405400
	SSHR4S Op = 0x4F000400
	USHR4S Op = 0x6F000400
	SSHR2D Op = 0x4F400400
)

// Asm collects instructions in a list, and Finish writes them. Labels are numbers that NewLabel
// gives.
type Asm struct {
	List   List
	B      []byte
	labels []int // offset, −1 before it is known
	fixups []fixup
	pool   [][2]uint64
	pooled map[[2]uint64]int // labels of constants
}

// fixup is a distance to fill in, of the instruction at.
type fixup struct{ at, label int }

// NewLabel makes a label, and Here puts it at the present place.
func (a *Asm) NewLabel() int {
	a.labels = append(a.labels, -1)
	return len(a.labels) - 1
}

// Here puts a label.
func (a *Asm) Here(label int) { a.add(0, asLabel, Inst{imm: int32(label)}) }

// errFar says that code is too long for the distances of its jumps.
var errFar = errors.New("arm64: a jump or a constant beyond 1 MiB")

// Finish resolves jumps and returns the code; an error where it is too long for them.
func (a *Asm) Finish() ([]byte, error) {
	a.encode()
	for len(a.B)&15 != 0 {
		a.B = append(a.B, 0, 0, 0, 0) // not an instruction
	}
	for _, x := range a.pool {
		a.labels[a.pooled[x]] = len(a.B)
		a.B = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(a.B, x[0]), x[1])
	}
	for _, f := range a.fixups {
		in, d := binary.LittleEndian.Uint32(a.B[f.at:]), a.labels[f.label]-f.at
		if d < -1<<20 || d >= 1<<20 {
			return nil, errFar
		}
		switch {
		case in>>24 == 0x10: // ADR
			in |= uint32(d)&3<<29 | uint32(d>>2)&0x7FFFF<<5
		case in>>26 == 5: // B
			in |= uint32(d>>2) & 0x3FFFFFF
		default:
			in |= uint32(d>>2) & 0x7FFFF << 5
		}
		binary.LittleEndian.PutUint32(a.B[f.at:], in)
	}
	return a.B, nil
}

// V3 is d = n op m.
func (a *Asm) V3(o Op, d, n, m V) { a.add(o, vectorD|vectorN|vectorM, Inst{d: d, n: n, m: m}) }

// V2 is d = op n.
func (a *Asm) V2(o Op, d, n V) { a.add(o, vectorD|vectorN, Inst{d: d, n: n}) }

// Shift is d = n shifted by a constant, from 1 on to the right.
func (a *Asm) Shift(o Op, d, n V, by int) {
	x := by
	switch o {
	case SHL4S:
		x += 32
	case SHL2D:
	default:
		x = 64 - x
	}
	a.add(o, vectorD|vectorN, Inst{d: d, n: n, imm: int32(by), word: uint32(x&63) << 16})
}

// MOV copies a vector.
func (a *Asm) MOV(d, n V) { a.V3(ORR, d, n, n) }

// MOVI sets all words to a byte shifted left by 0, 8, 16 or 24.
func (a *Asm) MOVI(d V, x byte, shift int) {
	word := 1<<30 | uint32(shift/8)<<13 | uint32(x>>5)<<16 | uint32(x&31)<<5
	a.add(movi, vectorD, Inst{d: d, imm: int32(x) | int32(shift)<<8, word: word})
}

// at is the number of a word, or of a pair of words, which stands behind a bit that tells their
// size.
func at(o Op, n int) Inst { return Inst{imm: int32(n), word: uint32(n) << [2]int{19, 20}[o>>19&1]} }

// moves between registers of which one is a word, or a pair of words, of a vector.
func (a *Asm) moves(o Op, f form, d, n V, number int) {
	in := at(o, number)
	in.d, in.n = d, n
	a.add(o, f, in)
}

// DUP sets all words, or all pairs of words (2D), to one of n; Word and Pair number it.
func (a *Asm) DUP4S(d, n V, word int) { a.moves(dup4s, vectorD|vectorN, d, n, word) }
func (a *Asm) DUP2D(d, n V, pair int) { a.moves(dup2d, vectorD|vectorN, d, n, pair) }

// DUPG4S sets all words to the lower half of a general register, and DUPG2D all pairs to one.
func (a *Asm) DUPG4S(d V, x G) { a.add(dupg, vectorD, Inst{d: d, n: V(x)}) }
func (a *Asm) DUPG2D(d V, x G) { a.add(dupg2d, vectorD, Inst{d: d, n: V(x)}) }

// SCVTFS and UCVTFS are of integers of 64 bits with a sign or without.
const (
	SCVTFS Op = 0x9E220000
	UCVTFS Op = 0x9E230000
)

// Single sets the first word to the binary32 of an integer, and others to zero.
func (a *Asm) Single(o Op, d V, x G) { a.add(o, vectorD, Inst{d: d, n: V(x)}) }

// EXT is the bytes of n from one on, then those of m.
func (a *Asm) EXT(d, n, m V, from int) {
	word := uint32(from) << 11
	a.add(ext, vectorD|vectorN|vectorM, Inst{d: d, n: n, m: m, imm: int32(from), word: word})
}

// TBL has the bytes of n that those of m number, zeros where they are more than 15.
func (a *Asm) TBL(d, n, m V) { a.add(tbl, vectorD|vectorN|vectorM, Inst{d: d, n: n, m: m}) }

// INSG sets one word, or one pair of words, to a general register.
func (a *Asm) INSG4S(d V, word int, x G) { a.moves(ins4s, vectorD|keepsD, d, V(x), word) }
func (a *Asm) INSG2D(d V, pair int, x G) { a.moves(ins2d, vectorD|keepsD, d, V(x), pair) }

// UMOV moves a word, or a pair of words, to a general register.
func (a *Asm) UMOV4S(d G, n V, word int) { a.moves(umov4s, vectorN, V(d), n, word) }
func (a *Asm) UMOV2D(d G, n V, pair int) { a.moves(umov2d, vectorN, V(d), n, pair) }

// Moves between memory and registers: Q and D and S the first 128, 64 and 32 bits of a
// vector, X and W and H 64, 32 and 16 of a general register.
const (
	LDRQ Op = 0x3DC00000
	STRQ Op = 0x3D800000
	LDRD Op = 0xFD400000
	STRD Op = 0xFD000000
	LDRS Op = 0xBD400000
	STRS Op = 0xBD000000
	LDRX Op = 0xF9400000
	STRX Op = 0xF9000000
	LDRW Op = 0xB9400000
	STRW Op = 0xB9000000
	LDRH Op = 0x79400000
	STRH Op = 0x79000000
	LDRB Op = 0x39400000
	STRB Op = 0x39000000
)

// size is the number of bytes that a move is of, as a power of two.
func (o Op) size() int {
	if o>>23 == LDRQ>>23 || o>>23 == STRQ>>23 {
		return 4
	}
	return int(o >> 30)
}

// Vec and Gen move a vector and a general register from or to base + disp; what has no
// place in the instruction goes through X16.
func (a *Asm) Vec(o Op, v V, base G, disp int) { a.memory(o, vectorD, v, base, disp) }
func (a *Asm) Gen(o Op, x, base G, disp int)   { a.memory(o, 0, V(x), base, disp) }

func (a *Asm) memory(o Op, f form, x V, base G, disp int) {
	if f != 0 && o.stores() {
		f |= readsD
	}
	in := Inst{d: x, n: V(base), imm: int32(disp)}
	if s := o.size(); disp < 0 || disp&(1<<s-1) != 0 || disp>>s > 4095 {
		a.far(base, disp)
		in.n, in.m, f = V(address), V(base), f|asFar
	} else {
		in.word = uint32(disp>>s) << 10
	}
	a.add(o, f, in)
}

// far sets X16 to base + disp.
func (a *Asm) far(base G, disp int) {
	a.Imm(address, uint64(int64(disp)))
	a.G3(ADDX, address, address, base)
}

// stores says that a move is to memory.
func (o Op) stores() bool {
	switch o {
	case STRQ, STRD, STRS, STRX, STRW, STRH, STRB, STRQ.indexed():
		return true
	}
	return false
}

// indexed is a move at the sum of two registers.
func (o Op) indexed() Op { return o&^(1<<24) | 1<<21 | 3<<13 | 2<<10 }

// Indexed moves a vector from or to base + index.
func (a *Asm) Indexed(o Op, v V, base, index G) {
	o, f := o.indexed(), vectorD
	if o.stores() {
		f |= readsD
	}
	a.add(o, f, Inst{d: v, n: V(base), m: V(index)})
}

// Moves in the order of threads, of 1<<log bytes at a multiple of that (Sized): what was before a
// store, and what is behind a load, stays there. One that is exclusive stores only where nobody has
// since the last exclusive load, and sets its status to 0 then.
const (
	LDAR  Op = 0x08DFFC00
	STLR  Op = 0x089FFC00
	LDAXR Op = 0x085FFC00
	STLXR Op = 0x0800FC00
)

// Sized is one of them for numbers of 1<<log bytes.
func (o Op) Sized(log uint8) Op { return o | Op(log)<<30 }

// Ordered is one of them at the address in base; status is STLXR's, others have register 0.
func (a *Asm) Ordered(o Op, x, base, status G) { a.general(o, x, base, status, 0, 0) }

// LD1R loads a word, or a pair of words, to all places. What it adds to base goes through X16.
func (a *Asm) LD1R4S(d V, base G, disp int) { a.every(ld1r4s, d, base, disp) }
func (a *Asm) LD1R2D(d V, base G, disp int) { a.every(ld1r2d, d, base, disp) }

func (a *Asm) every(o Op, d V, base G, disp int) {
	switch {
	case disp == 0:
	case disp > 0 && disp <= 4095:
		a.ADDImm(address, base, disp)
		base = address
	default:
		a.far(base, disp)
		base = address
	}
	a.add(o, vectorD, Inst{d: d, n: V(base)})
}

// LD1 loads a word to one place, and ST1 stores one.
func (a *Asm) LD14S(d V, word int, base G) { a.lane(ld14s, keepsD, d, word, word, base) }
func (a *Asm) ST14S(d V, word int, base G) { a.lane(st14s, readsD, d, word, word, base) }
func (a *Asm) LD12D(d V, pair int, base G) { a.lane(ld12d, keepsD, d, pair, 2*pair, base) }
func (a *Asm) ST12D(d V, pair int, base G) { a.lane(st12d, readsD, d, pair, 2*pair, base) }

func (a *Asm) lane(o Op, f form, d V, number, word int, base G) {
	at := uint32(word>>1)<<30 | uint32(word&1)<<12
	a.add(o, vectorD|f, Inst{d: d, n: V(base), imm: int32(number), word: at})
}

// Const loads a constant of 128 bits, low half first.
func (a *Asm) Const(d V, low, high uint64) {
	x := [2]uint64{low, high}
	label, ok := a.pooled[x]
	if !ok {
		if a.pooled == nil {
			a.pooled = map[[2]uint64]int{}
		}
		label = a.NewLabel()
		a.pooled[x] = label
		a.pool = append(a.pool, x)
	}
	a.add(literal, vectorD|asDistance, Inst{d: d, imm: int32(label)})
}

// PREFETCH asks for the line of memory at base + index.
func (a *Asm) PREFETCH(base, index G) { a.general(prfm, 0, base, index, 0, 0) }

// Imm sets d to a constant.
func (a *Asm) Imm(d G, x uint64) {
	first, skip := movz, uint64(0)
	if x>>63 != 0 {
		first, skip = movn, 0xFFFF
	}
	a.general(first, d, 0, 0, int32((x^-(x>>63))&0xFFFF), 5)
	for i := Op(1); i < 4; i++ {
		if part := x >> (16 * i) & 0xFFFF; part != skip {
			a.general(movk|i<<21, d, 0, 0, int32(part), 5)
		}
	}
}

// general adds an instruction on general registers, with a constant at a bit.
func (a *Asm) general(o Op, d, n, m G, imm int32, bit int) {
	a.add(o, 0, Inst{d: V(d), n: V(n), m: V(m), imm: imm, word: uint32(imm) << bit})
}

// Operations on 64 bits of general registers: d = n op m. Quotients are cut, and those by 0 are 0.
const (
	ADDX  Op = 0x8B000000
	SUBX  Op = 0xCB000000
	SUBSX Op = 0xEB000000
	ANDX  Op = 0x8A000000
	BICX  Op = 0x8A200000
	ORRX  Op = 0xAA000000
	EORX  Op = 0xCA000000
	LSLX  Op = 0x9AC02000
	LSRX  Op = 0x9AC02400
	MULX  Op = 0x9B007C00
	UDIVX Op = 0x9AC00800
	SDIVX Op = 0x9AC00C00

	MADDX Op = 0x9B000000 // c + n·m
	MSUBX Op = 0x9B008000 // c − n·m
)

// G3 is d = n op m, and G4 one of those that add to c.
func (a *Asm) G3(o Op, d, n, m G)    { a.general(o, d, n, m, 0, 0) }
func (a *Asm) G4(o Op, d, n, m, c G) { a.general(o, d, n, m, int32(c), 10) }

// CMP compares, and CMPW 32 bits.
func (a *Asm) CMP(n, m G)  { a.general(compare, 0, n, m, 0, 0) }
func (a *Asm) CMPW(n, m G) { a.general(compareW, 0, n, m, 0, 0) }

// Modes loads how operations on floats round, and SetModes says it.
func (a *Asm) Modes(d G)    { a.general(mrs, d, 0, 0, 0, 0) }
func (a *Asm) SetModes(x G) { a.general(msr, x, 0, 0, 0, 0) }

// ADDImm and CMNImm take up to 4,095.
func (a *Asm) ADDImm(d, n G, x int) { a.general(addImm, d, n, 0, int32(x), 10) }
func (a *Asm) CMNImm(n G, x int)    { a.general(cmnImm, 0, n, 0, int32(x), 10) }

// ADDShifted is d = n + m<<by.
func (a *Asm) ADDShifted(d, n, m G, by int) { a.general(ADDX, d, n, m, int32(by), 10) }

// CSEL is n where the condition holds, else m.
func (a *Asm) CSEL(d, n, m G, cond uint32) { a.general(csel, d, n, m, int32(cond), 12) }

// Bits is the n bits of x from a place on.
func (a *Asm) Bits(d, x G, from, n int) {
	bits := uint32(from)<<16 | uint32(from+n-1)<<10
	a.add(ubfx, 0, Inst{d: V(d), n: V(x), imm: int32(from | n<<8), word: bits})
}

// Conditions.
const (
	Equal    = 0
	NotEqual = 1
	NotBelow = 2 // unsigned
	Below    = 3
	Negative = 4
	Above    = 8 // unsigned
	Less     = 11
	Greater  = 12
)

func (a *Asm) branch(o Op, d G, f form, label int) { a.add(o, f, Inst{d: V(d), imm: int32(label)}) }

// JMP jumps to a label, JIf on a condition, CBZ and CBNZ on a register.
func (a *Asm) JMP(label int)              { a.branch(jmp, 0, asJump, label) }
func (a *Asm) JIf(cond uint32, label int) { a.branch(jumpIf|Op(cond), 0, asJumpIf, label) }
func (a *Asm) CBZ(x G, label int)         { a.branch(cbz, x, asJumpIf, label) }
func (a *Asm) CBNZ(x G, label int)        { a.branch(cbnz, x, asJumpIf, label) }

// ADR sets d to the address of a label, and BR jumps to the address in x.
func (a *Asm) ADR(d G, label int) { a.branch(adr, d, asAddress, label) }
func (a *Asm) BR(x G)             { a.general(br, 0, x, 0, 0, 0) }

// Return ends the code.
func (a *Asm) Return() { a.add(ret, asReturn, Inst{}) }
