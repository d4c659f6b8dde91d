package sampling

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// Atomic64 is Atomic on the eight bytes at the start of p, atomic where they are
// 8-aligned: those of all images, and of buffers as SPIR-V wants them.
func Atomic64(op ir.AtomicOp, p []byte, value, comparator uint64) uint64 {
	word := memory.DoubleWord(p)
	if word == nil {
		old := binary.LittleEndian.Uint64(p)
		binary.LittleEndian.PutUint64(p, op.Result64(old, value, comparator))
		return old
	}
	if op == ir.AtomicExchange || op == ir.AtomicStore {
		return swap64(atomic.SwapUint64(word, swap64(value)))
	}
	for {
		native := atomic.LoadUint64(word)
		old := swap64(native)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint64(word, native, swap64(op.Result64(old, value, comparator))) {
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
