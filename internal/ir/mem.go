package ir

// MemSpace is an address space of the general memory operations.
type MemSpace uint8

const (
	MemBuffer  MemSpace = iota // operands: descriptor element, byte offset
	MemPush                    // byte offset; loads only
	MemShared                  // byte offset
	MemAddress                 // low word, high word of a device address
	MemPointer                 // low word, high word of a pointer as PointerTag says
	memSpaces
)

// A variable pointer into a storage buffer or workgroup memory is two words:
// the second says what the first is a byte offset into, a buffer descriptor
// (resource and element) or workgroup memory. Without the tag it is a device address, of which 0 leads
// nowhere.
const (
	PointerTag           = 1 << 31
	PointerShared        = PointerTag | 1<<30
	PointerResourceShift = 20
	PointerMaxResource   = 1<<10 - 1
	PointerMaxElement    = 1<<20 - 1
)

// Mem is the immediate of OpLoadMem, OpStoreMem and OpAtomicMem: accesses of
// any width in any space. The plain 32-bit accesses have operations of their
// own, which engines make fast.
type Mem struct {
	Space MemSpace
	// Log is the logarithm of the width in bytes: 0, 1, 2, or 3 in atomics, 1 in
	// those of binary16.
	// Narrow loads give I32, zero-extended; narrow stores take the low bits.
	Log    uint8
	Atomic AtomicOp
	// Resource is the resource of MemBuffer; in MemAddress and MemPointer it is a number of
	// bytes to add to the address.
	Resource uint32
}

// Imm packs m.
func (m Mem) Imm() uint64 {
	return uint64(m.Resource) | uint64(m.Atomic)<<32 | uint64(m.Space)<<40 | uint64(m.Log)<<48
}

// MemOf unpacks the immediate.
func MemOf(imm uint64) Mem {
	return Mem{Resource: uint32(imm), Atomic: AtomicOp(imm >> 32), Space: MemSpace(imm >> 40), Log: uint8(imm >> 48)}
}

// Operands is the number of operands that make the address.
func (s MemSpace) Operands() int {
	if s == MemBuffer || s == MemAddress || s == MemPointer {
		return 2
	}
	return 1
}

// Sought says that memory is looked for when an access runs: its operands name it.
func (s MemSpace) Sought() bool { return s == MemAddress || s == MemPointer }

// Values is the number of values that an atomic takes.
func (op AtomicOp) Values() int {
	switch op {
	case AtomicCompareExchange:
		return 2
	case AtomicLoad:
		return 0
	}
	return 1
}

// halves tells whether an atomic takes words of 16 bits.
func (op AtomicOp) halves() bool {
	switch op.Base() {
	case AtomicLoad, AtomicStore, AtomicExchange, AtomicFAdd, AtomicFMin, AtomicFMax:
		return true
	}
	return false
}

func (v *verifier) mem(at Value, in *Inst) {
	m := MemOf(in.Imm)
	if m.Space >= memSpaces || m.Log > 3 || !m.Atomic.exists() || m.Imm() != in.Imm {
		v.fail(at, "memory access %#x does not exist", in.Imm)
		return
	}
	if m.Space == MemBuffer {
		if m.Resource >= uint32(len(v.p.Resources)) {
			v.fail(at, "resource %d of %d", m.Resource, len(v.p.Resources))
			return
		}
		if k := v.p.Resources[m.Resource].Kind; k != StorageBuffer && (in.Op != OpLoadMem || k != UniformBuffer) {
			v.fail(at, "%s on resource %d, which is no such buffer", in.Op, m.Resource)
			return
		}
	}
	values, ok := 0, in.Op == OpLoadMem || m.Space != MemPush
	switch in.Op {
	case OpLoadMem:
		ok = ok && m.Log <= 2 && (in.Type == I32 || in.Type == F32 && m.Log == 2)
	case OpStoreMem:
		ok = ok && m.Log <= 2 && in.Type == Void
		values = 1
	default:
		values = m.Atomic.Values()
		ok = ok && (m.Log >= 2 || m.Log == 1 && m.Atomic.halves()) && (in.Type == I32 || in.Type == F32 && m.Log == 2 || in.Type == Void && m.Atomic == AtomicStore)
		if m.Log == 3 {
			values *= 2
		}
	}
	n := m.Space.Operands()
	if !ok || len(in.More) != n+values {
		v.fail(at, "%s of %d bytes giving %s with %d operands", in.Op, 1<<m.Log, in.Type, len(in.More))
		return
	}
	for i, a := range in.More {
		t := I32
		if i >= n && m.Log == 2 {
			t = Void
		}
		v.operand(at, a, t)
		if v.err == nil && v.p.Insts[a].Type == Bool {
			v.fail(at, "a mask in memory")
		}
	}
}
