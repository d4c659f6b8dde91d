package amd64

// Instructions on general registers and memory at an index, those among them that other threads
// see at once.

// Indexed is an instruction on a general register and memory.
type Indexed struct {
	lock, long bool // long: behind 0x0F
	op         byte
	wide, half bool // 64 bits, or 16
	low        bool // 8
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
	PREFETCH    = Indexed{op: 0x18, long: true}             // of reg 1: the line of memory
	LOCKCMPXCHG = Indexed{op: 0xB1, long: true, lock: true} // of RAX, or RAX = memory
)

// Wide is the instruction on 64 bits.
func (o Indexed) Wide() Indexed { o.wide = true; return o }

// Half is the instruction on 16 bits.
func (o Indexed) Half() Indexed { o.half = true; return o }

// Loads and Stores move 1, 2 or 4 bytes; what is loaded is extended by zeros.
func Loads(bytes uint8) Indexed {
	return [...]Indexed{1: {op: 0xB6, long: true}, 2: {op: 0xB7, long: true}, 4: MOVFrom}[bytes]
}

func Stores(bytes uint8) Indexed {
	return [...]Indexed{1: {op: 0x88, low: true}, 2: {op: 0x89, half: true}, 4: MOVTo}[bytes]
}

// At emits an instruction on reg and memory at base + index·2^scale + disp.
func (a *Asm) At(o Indexed, reg, base, index G, scale byte, disp int) {
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
	if rex != 0x40 || o.low {
		b = append(b, rex)
	}
	if o.long {
		b = append(b, 0x0F)
	}
	b = append(b, o.op, 0x80|uint8(reg)&7<<3|4, scale<<6|uint8(index)&7<<3|uint8(base)&7)
	d := uint32(disp)
	a.bytes(append(b, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))...)
}

// IfGreater and IfAbove are conditions besides those of jumps.
const (
	IfAbove   = 7 // unsigned
	IfGreater = 15
)
