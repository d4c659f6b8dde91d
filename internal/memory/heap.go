package memory

import "unsafe"

// heapBytes returns n zeroed bytes of the Go heap, aligned to Alignment.
func heapBytes(n int) []byte {
	raw := make([]byte, n+Alignment-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (Alignment - 1))
	return raw[skip : skip+n : skip+n]
}
