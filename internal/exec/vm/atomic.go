package vm

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// atomicWord applies op to the little-endian word in the four bytes of p and returns its old value;
// what it returns of a store means nothing. Workers may do so concurrently: the word is exchanged
// with compare-and-swap, or stored, in the order of bytes that memory has, so the host's byte order
// does not matter. Buffer memory is 4-aligned (Vulkan asks for it); a word that is not, is updated
// without atomicity.
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
	if op == ir.AtomicExchange {
		return fromNative(atomic.SwapUint32(word, toNative(value)))
	}
	for {
		native := atomic.LoadUint32(word)
		old := fromNative(native)
		if op == ir.AtomicLoad || atomic.CompareAndSwapUint32(word, native,
			toNative(op.Result(old, value, comparator))) {
			return old
		}
	}
}

// plainWords runs AtomicLoad or AtomicStore in the active lanes, on the word at an offset of each
// of which only the bits of align count. d gets what is loaded, or 0.
func plainWords(op ir.AtomicOp, align uint32, data []byte, offset, active, value, d []uint32) {
	offset, value, d = offset[:len(active)], value[:len(active)], d[:len(active)]
	words := memory.Words(data)
	if op == ir.AtomicStore {
		for i, on := range active {
			if d[i] = 0; on == 0 {
				continue
			}
			if o := offset[i] & align; o&3 == 0 && uint64(o>>2) < uint64(len(words)) {
				storeRelease(&words[o>>2], value[i])
				continue
			}
			b := location{data, uint64(offset[i] & align)}.bytes(4)
			if word := memory.Word(b); word != nil {
				storeRelease(word, toNative(value[i]))
			} else if b != nil {
				binary.LittleEndian.PutUint32(b, value[i])
			}
		}
		return
	}
	for i, on := range active {
		if d[i] = 0; on == 0 {
			continue
		}
		if o := offset[i] & align; o&3 == 0 && uint64(o>>2) < uint64(len(words)) {
			d[i] = atomic.LoadUint32(&words[o>>2])
			continue
		}
		b := location{data, uint64(offset[i] & align)}.bytes(4)
		if word := memory.Word(b); word != nil {
			d[i] = fromNative(atomic.LoadUint32(word))
		} else if b != nil {
			d[i] = binary.LittleEndian.Uint32(b)
		}
	}
}

// plainPairs is plainWords for numbers of 64 bits, in low and high words. d[1] may be nil.
func plainPairs(op ir.AtomicOp, data []byte, offset, active []uint32, value, d [2][]uint32) {
	offset, lo, hi := offset[:len(active)], value[0][:len(active)], value[1][:len(active)]
	for i, on := range active {
		old := uint64(0)
		if on != 0 {
			b := location{data, uint64(offset[i])}.bytes(8)
			word := memory.DoubleWord(b)
			switch {
			case word != nil && op == ir.AtomicStore:
				storeRelease64(word, toNative64(pair(lo[i], hi[i])))
			case word != nil:
				old = toNative64(atomic.LoadUint64(word))
			case b != nil: // not aligned
				old = sampling.Atomic64(op, b, pair(lo[i], hi[i]), 0)
			}
		}
		if d[0][i] = uint32(old); d[1] != nil {
			d[1][i] = uint32(old >> 32)
		}
	}
}

// toNative64 is toNative for 64 bits, and fromNative.
func toNative64(w uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], w)
	return binary.NativeEndian.Uint64(b[:])
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
		x, y := lane.H2F(uint32(old)), lane.H2F(uint32(value))
		return uint16(lane.F2H((op | ir.AtomicHalf).Result(x, y, 0)))
	case ir.AtomicLoad:
		return old
	}
	return value // exchanged or stored
}
