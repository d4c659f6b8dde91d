package etc2

import (
	"encoding/binary"
	"math"
)

// DecodeR11 decodes an 8-byte EAC block into red: UNORM, or SNORM where signed, both of 11 bits.
func DecodeR11(dst *[16]Texel, src []byte, signed bool) {
	for k := range dst {
		dst[k] = Texel{3: one}
	}
	decodeChannel(dst, 0, src, signed)
}

// DecodeRG11 decodes a 16-byte block: red as in R11, then green (IMG-852).
func DecodeRG11(dst *[16]Texel, src []byte, signed bool) {
	DecodeR11(dst, src, signed)
	decodeChannel(dst, 1, src[8:], signed)
}

// decodeChannel decodes one component of 11 bits: eight values, of which each texel takes one.
//
// IMG-851, IMG-852, IMG-853 . A multiplier of 0 stands for 1/8. Signed −128 is read as −127.
func decodeChannel(dst *[16]Texel, c int, src []byte, signed bool) {
	v := binary.BigEndian.Uint64(src)
	base, low, high := 8*field(v, 63, 56)+4, int32(0), int32(2047)
	if signed {
		base, low, high = 8*max(int32(int8(v>>56)), -127), -1023, 1023
	}
	mult := max(8*field(v, 55, 52), 1)
	var values [8]uint32
	for i, m := range modifiers[field(v, 51, 48)] {
		values[i] = math.Float32bits(float32(min(max(base+m*mult, low), high)) / float32(high))
	}
	for k := range dst {
		dst[k][c] = values[eacIndex(v, k)]
	}
}

// eacIndex returns the 3-bit index of texel k = 4·y+x, whose position is 4·x+y (IMG-849).
func eacIndex(v uint64, k int) uint64 { return v >> (45 - 3*(k&3*4+k>>2)) & 7 }

// modifiers are the tables of IMG-848.
var modifiers = [16][8]int32{
	{-3, -6, -9, -15, 2, 5, 8, 14},
	{-3, -7, -10, -13, 2, 6, 9, 12},
	{-2, -5, -8, -13, 1, 4, 7, 12},
	{-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11},
	{-3, -7, -9, -11, 2, 6, 8, 10},
	{-4, -7, -8, -11, 3, 6, 7, 10},
	{-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9},
	{-2, -5, -8, -10, 1, 4, 7, 9},
	{-2, -4, -8, -10, 1, 3, 7, 9},
	{-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9},
	{-1, -2, -3, -10, 0, 1, 2, 9},
	{-4, -6, -8, -9, 3, 5, 7, 8},
	{-3, -5, -7, -9, 2, 4, 6, 8},
}
