package vm

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// atomicWord applies op to the little-endian word in the four bytes of p and
// returns its old value; what it returns of a store means nothing. Workers may
// do so concurrently: the word is exchanged with compare-and-swap, or stored, in
// the order of bytes that memory has, so the host's byte order does not matter. Buffer memory is 4-aligned (Vulkan asks for it);
// a word that is not, is updated without atomicity.
func atomicWord(p []byte, op ir.AtomicOp, value, comparator uint32) uint32 {
	address := unsafe.Pointer(unsafe.SliceData(p))
	if uintptr(address)&3 != 0 {
		old := binary.LittleEndian.Uint32(p)
		binary.LittleEndian.PutUint32(p, op.Result(old, value, comparator))
		return old
	}
	word := (*uint32)(address)
	if op == ir.AtomicStore { // what was there is nobody's business
		storeRelease(word, toNative(value))
		return 0
	}
	for {
		native := atomic.LoadUint32(word)
		old := fromNative(native)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint32(word, native, toNative(op.Result(old, value, comparator))) {
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

// atomicHalf is atomicWord on the two bytes of p, a binary16. Words around it
// are exchanged whole, so that neighbours are left alone.
func atomicHalf(p []byte, op ir.AtomicOp, value uint32) uint32 {
	address := unsafe.Pointer(unsafe.SliceData(p))
	if uintptr(address)&1 != 0 {
		old := binary.LittleEndian.Uint16(p)
		binary.LittleEndian.PutUint16(p, halfResult(op, old, uint16(value)))
		return uint32(old)
	}
	at := uintptr(address) & 3 // 0 or 2
	word := (*uint32)(unsafe.Add(address, -int(at)))
	for {
		native := atomic.LoadUint32(word)
		w := fromNative(native)
		old := uint16(w >> (8 * at))
		w = w&^(0xFFFF<<(8*at)) | uint32(halfResult(op, old, uint16(value)))<<(8*at)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint32(word, native, toNative(w)) {
			return uint32(old)
		}
	}
}

// halfResult is the binary16 that op leaves behind.
func halfResult(op ir.AtomicOp, old, value uint16) uint16 {
	switch op.Base() {
	case ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax:
		return uint16(lane.F2H((op | ir.AtomicHalf).Result(lane.H2F(uint32(old)), lane.H2F(uint32(value)), 0)))
	case ir.AtomicLoad:
		return old
	}
	return value // exchanged or stored
}
