package astc

import (
	"encoding/binary"
	"math/bits"
)

// stream is a number of 128 bits, read from bit 0 upward.
type stream struct{ lo, hi uint64 }

func newStream(src []byte) stream {
	return stream{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
}

// take returns the next n bits, n ≤ 32; behind the end they are 0.
func (s *stream) take(n uint) uint32 {
	v := uint32(s.lo & (1<<n - 1))
	s.lo = s.lo>>n | s.hi<<(64-n)
	s.hi >>= n
	return v
}

// bits returns the n bits from position at on.
func (s stream) bits(at, n uint) uint32 {
	s = s.from(at)
	return uint32(s.lo & (1<<n - 1))
}

// from returns the stream without its first n bits.
func (s stream) from(n uint) stream {
	if n >= 64 {
		return stream{lo: s.hi >> (n - 64)}
	}
	return stream{s.lo>>n | s.hi<<(64-n), s.hi >> n}
}

// first returns the stream's first n bits.
func (s stream) first(n uint) stream {
	if n >= 64 {
		return stream{s.lo, s.hi & (1<<(n-64) - 1)}
	}
	return stream{lo: s.lo & (1<<n - 1)}
}

// reversed returns the stream with bit 127 first.
func (s stream) reversed() stream { return stream{bits.Reverse64(s.hi), bits.Reverse64(s.lo)} }

// quant is a range of quantized numbers: 3^trit · 5^quint · 2^bits of them, where at most one of trit and quint is 1.
type quant struct{ trit, quint, bits uint }

// size is the number of bits of a sequence of n numbers (IMG-862).
func (q quant) size(n uint) uint { return (8*n+4)/5*q.trit + (7*n+2)/3*q.quint + n*q.bits }

// weightRanges are the ranges of weights: six of low precision, six of high (IMG-861).
var weightRanges = [12]quant{
	{0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3},
	{0, 1, 1}, {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5},
}

// colorRanges are the ranges of colour numbers, the largest first (IMG-866).
var colorRanges = [17]quant{
	{0, 0, 8}, {1, 0, 6}, {0, 1, 5}, {0, 0, 7}, {1, 0, 5}, {0, 1, 4}, {0, 0, 6}, {1, 0, 4}, {0, 1, 3}, {0, 0, 5}, {1, 0, 3}, {0, 1, 2},
	{0, 0, 4}, {1, 0, 2}, {0, 1, 1}, {0, 0, 3}, {1, 0, 1},
}

// maxNumbers is the length of the longest sequence: 64 weights.
const maxNumbers = 64

// numbers has room for the last trit block to be written whole.
type numbers [maxNumbers + 4]uint8

// sequence reads n numbers of a range: bounded integer sequence encoding (IMG-867). Each is trit or quint << bits, or bits.
//
// IMG-868
func (s stream) sequence(dst *numbers, n uint, q quant) {
	s = s.first(q.size(n))
	n = min(n, maxNumbers)
	switch {
	case q.trit == 1:
		for i := uint(0); i < n; i += 5 {
			var m [5]uint32
			m[0] = s.take(q.bits)
			t := s.take(2)
			m[1] = s.take(q.bits)
			t |= s.take(2) << 2
			m[2] = s.take(q.bits)
			t |= s.take(1) << 4
			m[3] = s.take(q.bits)
			t |= s.take(2) << 5
			m[4] = s.take(q.bits)
			t |= s.take(1) << 7
			d := dst[i : i+5]
			for k, trit := range tritsOf[t&255] {
				d[k] = uint8(uint32(trit)<<q.bits | m[k])
			}
		}
	case q.quint == 1:
		for i := uint(0); i < n; i += 3 {
			var m [3]uint32
			m[0] = s.take(q.bits)
			t := s.take(3)
			m[1] = s.take(q.bits)
			t |= s.take(2) << 3
			m[2] = s.take(q.bits)
			t |= s.take(2) << 5
			d := dst[i : i+3]
			for k, quint := range quintsOf[t&127] {
				d[k] = uint8(uint32(quint)<<q.bits | m[k])
			}
		}
	default:
		for i := range dst[:n] {
			dst[i] = uint8(s.take(q.bits))
		}
	}
}
