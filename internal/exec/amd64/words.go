package amd64

// Operations on general registers, of 32 bits (L) or 64 (Q) or, in memory, of 16 (W) or 8 (B).
var (
	MOVL   = Op{op: 0x8B}
	MOVQ   = Op{w: 1, op: 0x8B}
	MOVLTo = Op{op: 0x89} // to the last operand
	MOVQTo = Op{w: 1, op: 0x89}
	MOVWTo = Op{pp: 0x66, op: 0x89}
	MOVBTo = Op{op: 0x88, scale: 1} // with the prefix that tells SIL from DH

	ADDL  = Op{op: 0x03}
	ADDQ  = Op{w: 1, op: 0x03}
	SUBL  = Op{op: 0x2B}
	SUBQ  = Op{w: 1, op: 0x2B}
	IMULL = Op{mm: m0F, op: 0xAF}
	IMULQ = Op{w: 1, mm: m0F, op: 0xAF}
	ANDL  = Op{op: 0x23}
	ANDQ  = Op{w: 1, op: 0x23}
	ORL   = Op{op: 0x0B}
	ORQ   = Op{w: 1, op: 0x0B}
	XORL  = Op{op: 0x33}
	XORQ  = Op{w: 1, op: 0x33}
	CMPL  = Op{op: 0x3B}
	CMPQ  = Op{w: 1, op: 0x3B}
	TESTL = Op{op: 0x85}
	TESTQ = Op{w: 1, op: 0x85}

	NOTL   = Op{op: 0xF7, ext: 2 + 1} // of the last operand alone
	NEGL   = Op{op: 0xF7, ext: 3 + 1}
	JMPTo  = Op{op: 0xFF, ext: 4 + 1}
	SHLLCL = Op{op: 0xD3, ext: 4 + 1} // by the lowest five bits of RCX
	SHRLCL = Op{op: 0xD3, ext: 5 + 1}
	SARLCL = Op{op: 0xD3, ext: 7 + 1}

	LDMXCSR = Op{mm: m0F, op: 0xAE, ext: 2 + 1} // the modes of float instructions
	STMXCSR = Op{mm: m0F, op: 0xAE, ext: 3 + 1} // to the last operand

	BSF    = Op{mm: m0F, op: 0xBC} // the number of the lowest one; the zero flag: there is none, and d is anything
	BSR    = Op{mm: m0F, op: 0xBD} // of the highest
	TZCNT  = Op{pp: 0xF3, mm: m0F, op: 0xBC}
	POPCNT = Op{pp: 0xF3, mm: m0F, op: 0xB8}
)

// Operations on the last operand and an immediate.
var (
	MOVLImm = Op{op: 0xC7, ext: 0 + 1, imm: 4}
	ADDLImm = Op{op: 0x81, ext: 0 + 1, imm: 4}
	ADDQImm = Op{w: 1, op: 0x81, ext: 0 + 1, imm: 4}
	ORLImm  = Op{op: 0x81, ext: 1 + 1, imm: 4}
	ANDLImm = Op{op: 0x81, ext: 4 + 1, imm: 4}
	SUBLImm = Op{op: 0x81, ext: 5 + 1, imm: 4}
	SUBQImm = Op{w: 1, op: 0x81, ext: 5 + 1, imm: 4}
	XORLImm = Op{op: 0x81, ext: 6 + 1, imm: 4}
	CMPLImm = Op{op: 0x81, ext: 7 + 1, imm: 4}

	CMPLByte = Op{op: 0x83, ext: 7 + 1, imm: 1} // with an immediate of a byte, which is extended
	CMPWByte = Op{pp: 0x66, op: 0x83, ext: 7 + 1, imm: 1}
	CMPBImm  = Op{op: 0x80, ext: 7 + 1, imm: 1}

	IMULLImm = Op{op: 0x69, imm: 4} // of a register

	SHLL = Op{op: 0xC1, ext: 4 + 1, imm: 1}
	SHRL = Op{op: 0xC1, ext: 5 + 1, imm: 1}
	SARL = Op{op: 0xC1, ext: 7 + 1, imm: 1}
	SHLQ = Op{w: 1, op: 0xC1, ext: 4 + 1, imm: 1}
	SHRQ = Op{w: 1, op: 0xC1, ext: 5 + 1, imm: 1}
)

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
