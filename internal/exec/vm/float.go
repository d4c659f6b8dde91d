package vm

import "unsafe"

// floats views a register as floats. Loops over float32 run twice as fast as
// loops that convert each word, since a lane then goes from memory into a float
// register in one instruction; moving a lane changes no bit of it.
func floats(x []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
