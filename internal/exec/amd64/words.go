package amd64

// WordOp is an operation on a general register and an immediate: the digit in its encoding.
type WordOp uint8

const (
	WordAdd WordOp = 0
	WordOr  WordOp = 1
	WordAnd WordOp = 4
	WordSub WordOp = 5
	WordXor WordOp = 6
	WordCmp WordOp = 7
)

// ShiftOp is a shift, the same way.
type ShiftOp uint8

const (
	ShiftLeft   ShiftOp = 4
	ShiftRight  ShiftOp = 5
	ShiftSigned ShiftOp = 7
)

// General is a general register as the last operand of instructions that may have memory there.
func General(x G) Arg { return Arg{reg: Z(x)} }

// WordImm does an operation on 32 bits of d and an immediate.
func WordImm(a *Asm, o WordOp, d G, x uint32) {
	a.rex(0, uint8(o), General(d), 0x81)
	a.with(4, x)
}

// ShiftImm shifts 32 bits of d by n, and ShiftCL by the lowest five bits of RCX.
func ShiftImm(a *Asm, o ShiftOp, d G, n uint8) {
	a.rex(0, uint8(o), General(d), 0xC1)
	a.with(1, uint32(n))
}

func ShiftCL(a *Asm, o ShiftOp, d G) { a.rex(0, uint8(o), General(d), 0xD3) }

// MultiplyImm sets d to the product of x and an immediate.
func MultiplyImm(a *Asm, d G, x Arg, by uint32) {
	a.rex(0, uint8(d), x, 0x69)
	a.with(4, by)
}

// MoveIf sets d to x where a condition holds.
func MoveIf(a *Asm, cond byte, d G, x Arg) { a.rex(0, uint8(d), x, 0x0F, 0x40+cond) }

// NegateL sets d to minus itself.
func NegateL(a *Asm, d G) { a.rex(0, 3, General(d), 0xF7) }

// FindBit sets d to the number of the highest bit of x, or the lowest, and sets the zero flag where
// there is none: then d is anything.
func FindBit(a *Asm, highest bool, d G, x Arg) {
	op := byte(0xBC)
	if highest {
		op = 0xBD
	}
	a.rex(0, uint8(d), x, 0x0F, op)
}

// CountBits sets d to the number of ones of x.
func CountBits(a *Asm, d G, x Arg) {
	a.rex(0, uint8(d), x, 0x0F, 0xB8)
	a.prefix(0xF3)
}

// DIVQ divides RAX, extended to RDX, by x: RAX is the quotient and RDX the remainder.
func DIVQ(a *Asm, signed bool, x G) {
	if signed {
		a.bytes(0x48, 0x99) // CQO
		a.rex(1, 7, General(x), 0xF7)
		return
	}
	a.XORL(RDX, RDX)
	a.rex(1, 6, General(x), 0xF7)
}

// STMXCSR and LDMXCSR store and load the modes of float instructions.
func STMXCSR(a *Asm, m Arg) { a.rex(0, 3, m, 0x0F, 0xAE) }
func LDMXCSR(a *Asm, m Arg) { a.rex(0, 2, m, 0x0F, 0xAE) }
