package vm

import (
	"encoding/binary"
	"unsafe"
)

// row returns the bytes that lanes read or write whose offsets are those of
// consecutive words inside data, as they are where a shader goes through an array by
// its invocation's number; nil where they are not.
func row(offset []uint32, data []byte) []byte {
	n := uint32(len(offset))
	if n < 8 || offset[1]-offset[0] != 4 || offset[n-1]-offset[0] != 4*(n-1) || uint64(offset[0])+uint64(4*n) > uint64(len(data)) || !littleEndian {
		return nil
	}
	next, strays := offset[0], uint32(0)
	data = data[next:][:4*n]
	for ; len(offset) >= 8; offset = offset[8:] {
		o := (*[8]uint32)(offset)
		strays |= (o[0] ^ next) | (o[1] ^ (next + 4)) | (o[2] ^ (next + 8)) | (o[3] ^ (next + 12)) |
			(o[4] ^ (next + 16)) | (o[5] ^ (next + 20)) | (o[6] ^ (next + 24)) | (o[7] ^ (next + 28))
		next += 32
	}
	for _, o := range offset {
		strays |= o ^ next
		next += 4
	}
	if strays != 0 {
		return nil
	}
	return data
}

// littleEndian says that the words of the machine are stored like those of buffers.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf are the bytes of words.
func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
