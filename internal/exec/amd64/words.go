package amd64

// CMOVL sets a register to an operand where a condition holds.
func CMOVL(cond byte) Op { return Op{mm: m0F, op: 0x40 + cond} }

// DIVQ divides RAX, extended to RDX, by x: RAX is the quotient and RDX the remainder.
func (a *Asm) DIVQ(signed bool, x G) {
	by := Op{w: 1, op: 0xF7, ext: 6 + 1}
	if signed {
		a.bytes(0x48, 0x99) // CQO
		by.ext = 7 + 1
	} else {
		a.W(XORL, RDX, GArg(RDX))
	}
	a.W(by, 0, GArg(x))
}

// Q is an operation of 32 bits on 64.
func (o Op) Q() Op { o.w = 1; return o }
