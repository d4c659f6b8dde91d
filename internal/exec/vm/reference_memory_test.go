package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// exchange runs an atomic.
func (s *scalarRun) exchange(v ir.Value, m ir.Mem, more []ir.Value) {
	b := s.at(m, more, m.Atomic != ir.AtomicLoad).bytes(1 << m.Log)
	s.setPair(v, 0)
	if b == nil || s.live == 0 {
		return
	}
	var x [2]uint64
	words := 1 << (max(m.Log, 2) - 2)
	for i, a := range more[m.Space.Operands():] {
		x[i/words] |= uint64(s.visible(a)) << (32 * (i % words))
	}
	switch m.Log {
	case 3:
		s.setPair(v, sampling.Atomic64(m.Atomic, b, x[0], x[1]))
	case 1: // a binary16
		old := uint32(binary.LittleEndian.Uint16(b))
		r := x[0] // exchanged or stored
		switch op := m.Atomic; op.Base() {
		case ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax:
			op |= ir.AtomicHalf
			r = uint64(lane.F2H(op.Result(lane.H2F(old), lane.H2F(uint32(uint16(x[0]))), 0)))
		case ir.AtomicLoad:
			r = uint64(old)
		}
		binary.LittleEndian.PutUint16(b, uint16(r))
		s.v[v] = old
	default:
		old := binary.LittleEndian.Uint32(b)
		if m.Atomic != ir.AtomicLoad {
			binary.LittleEndian.PutUint32(b, m.Atomic.Result(old, uint32(x[0]), uint32(x[1])))
		}
		s.v[v] = old
	}
}

func (s *scalarRun) setPair(v ir.Value, x uint64) {
	s.v[v], s.more[v] = uint32(x), [4]uint32{1: uint32(x >> 32)}
}

// at is the memory behind the address of an access.
func (s *scalarRun) at(m ir.Mem, address []ir.Value, write bool) location {
	switch a := s.v[address[0]]; m.Space {
	case ir.MemPush:
		return location{s.push, uint64(a)}
	case ir.MemShared:
		return location{s.shared, uint64(a)}
	case ir.MemBuffer:
		return location{s.buffer(uint64(m.Resource), a), uint64(s.v[address[1]])}
	case ir.MemPointer:
		tag, at := s.v[address[1]], uint64(a)+uint64(m.Resource)
		r := tag >> ir.PointerResourceShift & ir.PointerMaxResource
		switch {
		case tag&ir.PointerTag == 0:
			return s.addressed(pair(a, tag) + uint64(m.Resource))
		case tag&ir.PointerShared == ir.PointerShared:
			return location{s.shared, at}
		case !write || s.p.Resources[r].Kind == ir.StorageBuffer:
			return location{s.buffer(uint64(r), tag&ir.PointerMaxElement), at}
		}
	default:
		return s.addressed(pair(a, s.v[address[1]]) + uint64(m.Resource))
	}
	return location{}
}

// addressed is the memory at a device address.
func (s *scalarRun) addressed(at uint64) location {
	for base, data := range map[uint64][]byte{
		ownBase: s.buffers[2][0], readBase: s.buffers[3][0], atomicBase: s.buffers[6][0],
	} {
		if at >= base && at-base < uint64(len(data)) {
			return location{data, at - base}
		}
	}
	return location{}
}

// access runs an access of any width.
func (s *scalarRun) access(v ir.Value, in *ir.Inst) {
	m := ir.MemOf(in.Imm)
	b := s.at(m, in.More, in.Op == ir.OpStoreMem).bytes(1 << m.Log)
	var word [4]byte
	if in.Op == ir.OpLoadMem {
		copy(word[:], b)
		s.v[v] = binary.LittleEndian.Uint32(word[:])
	} else if s.live != 0 {
		binary.LittleEndian.PutUint32(word[:], s.visible(in.More[m.Space.Operands()]))
		copy(b, word[:])
	}
}

// wide runs an operation on numbers of 64 bits.
func (s *scalarRun) wide(v ir.Value, in *ir.Inst) {
	op := ir.WideOp(in.Imm)
	args, _ := op.Signature()
	var x [3]uint64
	more := in.More
	for i, c := range args {
		if x[i] = uint64(s.v[more[0]]); c == 'w' {
			x[i] = pair(s.v[more[0]], s.v[more[1]])
			more = more[1:]
		}
		more = more[1:]
	}
	s.setPair(v, ir.EvalWide(op, x[0], x[1], x[2]))
}
