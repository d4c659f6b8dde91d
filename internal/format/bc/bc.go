// Package bc decodes the block-compressed formats BC1 to BC7 (IMG-800 to IMG-826; S3TC, RGTC and BPTC in the Khronos
// Data Format Specification).
//
// Every function decodes one block of 4×4 texels: texel (x, y) goes to dst[4·y+x]. Any bytes are a block, nothing is allocated, and
// src must hold the whole block. BC1 to BC5 are interpolated as real numbers and rounded once, to float32 (IMG-800); BC6H and BC7 are
// defined in integers, bit for bit.
package bc

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

//go:generate go run ./_gen

// Texel holds R, G, B and A as the bits of float32 numbers; missing colours are 0, missing alpha is 1 (IMG-323).
type Texel = [4]uint32

// Bytes of a block: BC1 and BC4 have small blocks, all others large ones.
const (
	SmallBlock = 8
	LargeBlock = 16
)

const one = 0x3f800000

// stream reads fields of a 128-bit little-endian number, from bit 0 upward.
type stream struct{ lo, hi uint64 }

func newStream(src []byte) stream {
	return stream{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
}

// take returns the next n bits, n ≤ 32.
func (s *stream) take(n uint) uint32 {
	v := uint32(s.lo & (1<<n - 1))
	s.lo = s.lo>>n | s.hi<<(64-n)
	s.hi >>= n
	return v
}

// ratio returns the bits of n/d, rounded once: both are integers below 2^24, exact in float32.
func ratio(n, d int32) uint32 { return math.Float32bits(float32(n) / float32(d)) }

func unorm8(c uint32) uint32 { return math.Float32bits(fp.Unorm8ToFloat(uint8(c))) }
func srgb8(c uint32) uint32  { return math.Float32bits(fp.SrgbToLinear(uint8(c))) }
