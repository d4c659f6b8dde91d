package vm

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// atomicWord applies op to the little-endian word in the four bytes of p and
// returns its old value. Workers may do so concurrently: the word is exchanged
// with compare-and-swap in the order of bytes that memory has, so the host's
// byte order does not matter. Buffer memory is 4-aligned (Vulkan asks for it);
// a word that is not, is updated without atomicity.
func atomicWord(p []byte, op ir.AtomicOp, value, comparator uint32) uint32 {
	address := unsafe.Pointer(unsafe.SliceData(p))
	if uintptr(address)&3 != 0 {
		old := binary.LittleEndian.Uint32(p)
		binary.LittleEndian.PutUint32(p, atomicResult(op, old, value, comparator))
		return old
	}
	word := (*uint32)(address)
	for {
		native := atomic.LoadUint32(word)
		old := fromNative(native)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint32(word, native, toNative(atomicResult(op, old, value, comparator))) {
			return old
		}
	}
}

func fromNative(w uint32) uint32 {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], w)
	return binary.LittleEndian.Uint32(b[:])
}

func toNative(w uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], w)
	return binary.NativeEndian.Uint32(b[:])
}

// atomicResult is the word that op leaves behind.
func atomicResult(op ir.AtomicOp, old, value, comparator uint32) uint32 {
	switch op {
	case ir.AtomicAdd:
		return old + value
	case ir.AtomicAnd:
		return old & value
	case ir.AtomicOr:
		return old | value
	case ir.AtomicXor:
		return old ^ value
	case ir.AtomicSMin:
		return lane.SMin(old, value)
	case ir.AtomicSMax:
		return lane.SMax(old, value)
	case ir.AtomicUMin:
		return lane.UMin(old, value)
	case ir.AtomicUMax:
		return lane.UMax(old, value)
	case ir.AtomicExchange, ir.AtomicStore:
		return value
	case ir.AtomicCompareExchange:
		if old == comparator {
			return value
		}
		return old
	case ir.AtomicFAdd:
		return lane.Canon(lane.FAdd(old, value))
	case ir.AtomicFMin:
		return lane.Canon(lane.FMin(old, value))
	case ir.AtomicFMax:
		return lane.Canon(lane.FMax(old, value))
	case ir.AtomicLoad:
		return old
	}
	return old
}
