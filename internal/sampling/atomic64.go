package sampling

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// Atomic64 is Atomic on the eight bytes at the start of p, atomic where they are
// 8-aligned: those of all images, and of buffers as SPIR-V wants them.
func Atomic64(op ir.AtomicOp, p []byte, value, comparator uint64) uint64 {
	word := memory.DoubleWord(p)
	if word == nil {
		old := binary.LittleEndian.Uint64(p)
		binary.LittleEndian.PutUint64(p, atomicResult64(op, old, value, comparator))
		return old
	}
	for {
		native := atomic.LoadUint64(word)
		old := swap64(native)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint64(word, native, swap64(atomicResult64(op, old, value, comparator))) {
			return old
		}
	}
}

// swap64 turns the machine's byte order into little-endian and back.
func swap64(w uint64) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], w)
	return binary.LittleEndian.Uint64(b[:])
}

// atomicResult64 is the new value.
func atomicResult64(op ir.AtomicOp, old, value, comparator uint64) uint64 {
	switch op.Base() {
	case ir.AtomicAdd:
		return old + value
	case ir.AtomicAnd:
		return old & value
	case ir.AtomicOr:
		return old | value
	case ir.AtomicXor:
		return old ^ value
	case ir.AtomicSMin:
		return uint64(min(int64(old), int64(value)))
	case ir.AtomicSMax:
		return uint64(max(int64(old), int64(value)))
	case ir.AtomicUMin:
		return min(old, value)
	case ir.AtomicUMax:
		return max(old, value)
	case ir.AtomicExchange, ir.AtomicStore:
		return value
	case ir.AtomicCompareExchange:
		if old == comparator {
			return value
		}
		return old
	case ir.AtomicFAdd:
		return rounded64(op, lane.FAdd64(old, value))
	case ir.AtomicFMin:
		return rounded64(op, lane.FMin64(old, value))
	case ir.AtomicFMax:
		return rounded64(op, lane.FMax64(old, value))
	case ir.AtomicLoad:
		return old
	}
	return old
}

// rounded64 makes a zero of a denormal where the operation flushes.
func rounded64(op ir.AtomicOp, v uint64) uint64 {
	if op&ir.AtomicFlush != 0 {
		v = lane.Flush64(v)
	}
	return v
}
