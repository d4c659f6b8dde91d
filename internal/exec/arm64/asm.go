// Package arm64 writes machine code for 64-bit ARM processors with Advanced SIMD,
// which all of them have.
//
// The encoder knows the forms that package native's emitters need. An operation on
// vectors is the word of the instruction without its registers; its name ends in the
// lanes that it takes a vector for.
package arm64

//go:generate go run ../mir/_gen

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
