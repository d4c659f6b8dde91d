package amd64

// Instructions on general registers and memory at an index, those among them that other threads
// see at once.

// Indexed is an instruction on a general register and memory.
type Indexed struct {
	lock, long bool // long: behind 0x0F
	op         byte
	wide, half bool // 64 bits, or 16
}

// Instructions; names that begin with LOCK are atomic, as XCHG is by itself.
var (
	ADDTo       = Indexed{op: 0x01} // memory = memory + reg
	ANDTo       = Indexed{op: 0x21}
	ORTo        = Indexed{op: 0x09}
	XORTo       = Indexed{op: 0x31}
	MOVTo       = Indexed{op: 0x89}
	MOVFrom     = Indexed{op: 0x8B}
	XADD        = Indexed{op: 0xC1, long: true} // memory = memory + reg, reg = what was there
	XCHG        = Indexed{op: 0x87}
	LOCKADD     = Indexed{op: 0x01, lock: true}
	LOCKAND     = Indexed{op: 0x21, lock: true}
	LOCKOR      = Indexed{op: 0x09, lock: true}
	LOCKXOR     = Indexed{op: 0x31, lock: true}
	LOCKXADD    = Indexed{op: 0xC1, long: true, lock: true}
	LOCKCMPXCHG = Indexed{op: 0xB1, long: true, lock: true} // of RAX, or RAX = memory
)

// Wide is the instruction on 64 bits.
func (o Indexed) Wide() Indexed { o.wide = true; return o }

// Half is the instruction on 16 bits.
func (o Indexed) Half() Indexed { o.half = true; return o }

// At writes an instruction on reg and memory at base + index·2^scale + disp.
func At(a *Asm, o Indexed, reg, base, index G, scale byte, disp int) {
	var b []byte
	if o.lock {
		b = append(b, 0xF0)
	}
	if o.half {
		b = append(b, 0x66)
	}
	rex := 0x40 | uint8(reg)>>3<<2 | uint8(index)>>3<<1 | uint8(base)>>3
	if o.wide {
		rex |= 8
	}
	if rex != 0x40 {
		b = append(b, rex)
	}
	if o.long {
		b = append(b, 0x0F)
	}
	b = append(b, o.op, 0x80|uint8(reg)&7<<3|4, scale<<6|uint8(index)&7<<3|uint8(base)&7)
	d := uint32(disp)
	a.bytes(append(b, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))...)
}

// CMP compares x with y, of 64 bits if they are wide, and CMOV sets d to x on a condition then.
func CMP(a *Asm, wide bool, x, y G) { between(a, wide, x, y, 0x3B) }

// CMOV sets d to x on a condition.
func CMOV(a *Asm, wide bool, cond byte, d, x G) { between(a, wide, d, x, 0x0F, 0x40|cond) }

// AND, OR and XOR combine the 64 bits of d with those of x, and SHRQ shifts them right.
func AND(a *Asm, d, x G) { between(a, true, d, x, 0x23) }

// OR is d | x.
func OR(a *Asm, d, x G) { between(a, true, d, x, 0x0B) }

// XOR is d ^ x.
func XOR(a *Asm, d, x G) { between(a, true, d, x, 0x33) }

// SHRQ shifts the 64 bits of d right.
func SHRQ(a *Asm, d G, n byte) { a.rex(1, 5, Arg{reg: Z(d)}, 0xC1); a.with(1, uint32(n)) }

// between writes an instruction on two general registers.
func between(a *Asm, wide bool, d, x G, op ...byte) {
	var b []byte
	rex := 0x40 | uint8(d)>>3<<2 | uint8(x)>>3
	if wide {
		rex |= 8
	}
	if rex != 0x40 {
		b = append(b, rex)
	}
	a.bytes(append(append(b, op...), 0xC0|uint8(d)&7<<3|uint8(x)&7)...)
}

// IfGreater and IfAbove are conditions besides those of jumps.
const (
	IfAbove   = 7 // unsigned
	IfGreater = 15
)
