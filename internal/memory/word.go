package memory

import (
	"encoding/binary"
	"unsafe"
)

// Word returns the 32-bit word at the start of b for use with sync/atomic, or
// nil where b is shorter or not aligned to 4 bytes.
func Word(b []byte) *uint32 {
	if len(b) < 4 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%4 != 0 {
		return nil
	}
	return (*uint32)(unsafe.Pointer(unsafe.SliceData(b)))
}

// DoubleWord is Word for 64 bits, aligned to 8 bytes.
func DoubleWord(b []byte) *uint64 {
	if len(b) < 8 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		return nil
	}
	return (*uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

// Words returns b as little-endian words of 32 bits, or nil where it is not aligned to 4 bytes or the machine
// has other words.
func Words(b []byte) []uint32 {
	if Word(b) == nil || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil
	}
	return unsafe.Slice(Word(b), len(b)/4)
}
