package basis

import (
	"errors"
	"math/bits"
)

// reader reads bits from the lowest of each byte upward.
type reader struct {
	data []byte
	buf  uint64
	n    uint // bits in buf
	over uint // bits that were read behind the end
}

func (r *reader) fill() {
	for r.n <= 56 && len(r.data) > 0 {
		r.buf |= uint64(r.data[0]) << r.n
		r.data = r.data[1:]
		r.n += 8
	}
}

// drop takes n bits that were looked at.
func (r *reader) drop(n uint) {
	if n > r.n {
		r.over += n - r.n
		r.buf, r.n = 0, 0
		return
	}
	r.buf >>= n
	r.n -= n
}

// bits returns the next n bits, n ≤ 16; behind the end they are 0.
func (r *reader) bits(n uint) uint32 {
	if r.n < n {
		r.fill()
	}
	v := uint32(r.buf & (1<<n - 1))
	r.drop(n)
	return v
}

// vlc returns a number of any length in pieces of n bits, the lowest first; a bit above each says that another one follows.
func (r *reader) vlc(n uint) (uint32, error) {
	v := uint32(0)
	for at := uint(0); at < 32; at += n {
		piece := r.bits(n + 1)
		v |= (piece & (1<<n - 1)) << at
		if piece>>n == 0 {
			return v, nil
		}
	}
	return 0, errors.New("a run's length has no end")
}

const (
	maxCodeLength = 16
	fastBits      = 10
)

// huffman is a canonical Huffman code as Deflate has it, over up to 16383 symbols.
type huffman struct {
	fast    [1 << fastBits]uint32     // symbol<<5 | length by the next bits, 0: longer codes
	first   [maxCodeLength + 1]uint32 // the first code of each length
	count   [maxCodeLength + 1]uint32 // codes of each length
	at      [maxCodeLength + 1]uint32 // of their first symbol in symbols
	symbols []uint16                  // ordered by code
}

// newHuffman makes the code of symbols with these code lengths, 0 to 16. A code that leaves bits without a meaning is an error,
// unless it has one symbol or none.
func newHuffman(lengths []uint8) (*huffman, error) {
	h := &huffman{}
	for _, l := range lengths {
		if l > 0 {
			h.count[l]++
		}
	}
	code, total, used := uint32(0), uint32(0), uint32(0)
	for l := 1; l <= maxCodeLength; l++ {
		code = (code + h.count[l-1]) << 1
		h.first[l], h.at[l] = code, used
		used += h.count[l]
		total += h.count[l] << (maxCodeLength - l)
	}
	if total > 1<<maxCodeLength || total < 1<<maxCodeLength && used > 1 {
		return nil, errors.New("code lengths make no Huffman code")
	}
	h.symbols = make([]uint16, used)
	next := h.at
	for s, l := range lengths {
		if l == 0 {
			continue
		}
		h.symbols[next[l]] = uint16(s)
		code := h.first[l] + next[l] - h.at[l]
		next[l]++
		if l > fastBits {
			continue
		}
		step := uint32(1) << l
		for k := uint32(bits.Reverse16(uint16(code))) >> (16 - l); k < 1<<fastBits; k += step {
			h.fast[k] = uint32(s)<<5 | uint32(l)
		}
	}
	return h, nil
}

var errCode = errors.New("bits that are no Huffman code")

// symbol reads a symbol.
func (r *reader) symbol(h *huffman) (uint32, error) {
	if r.n < maxCodeLength {
		r.fill()
	}
	if e := h.fast[r.buf&(1<<fastBits-1)]; e != 0 {
		r.drop(uint(e & 31))
		return e >> 5, nil
	}
	code := uint32(bits.Reverse16(uint16(r.buf)))
	for l := 1; l <= maxCodeLength; l++ {
		if k := code>>(maxCodeLength-l) - h.first[l]; k < h.count[l] {
			r.drop(uint(l))
			return uint32(h.symbols[h.at[l]+k]), nil
		}
	}
	return 0, errCode
}

// lengthOrder is the order in which lengths of the code of code lengths are stored.
var lengthOrder = [21]uint8{17, 18, 19, 20, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16}

// huffman reads a code: "Compressed Huffman Tables".
func (r *reader) huffman() (*huffman, error) {
	lengths := make([]uint8, r.bits(14))
	if len(lengths) == 0 {
		return newHuffman(nil)
	}
	n := r.bits(5)
	if n < 1 || n > 21 {
		return nil, errors.New("a Huffman table with code lengths of no number")
	}
	var lengthLengths [21]uint8
	for _, s := range lengthOrder[:n] {
		lengthLengths[s] = uint8(r.bits(3))
	}
	code, err := newHuffman(lengthLengths[:])
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(lengths); {
		s, err := r.symbol(code)
		if err != nil {
			return nil, err
		}
		if r.over > 0 {
			return nil, errEnd
		}
		run, value := 1, uint8(0)
		switch s {
		case 17:
			run = 3 + int(r.bits(3))
		case 18:
			run = 11 + int(r.bits(7))
		case 19, 20:
			if i == 0 || lengths[i-1] == 0 {
				return nil, errors.New("a Huffman table repeats a length that is not there")
			}
			value = lengths[i-1]
			if s == 19 {
				run = 3 + int(r.bits(2))
			} else {
				run = 7 + int(r.bits(7))
			}
		default:
			value = uint8(s)
		}
		if run > len(lengths)-i {
			return nil, errors.New("a Huffman table has more lengths than symbols")
		}
		for range run {
			lengths[i] = value
			i++
		}
	}
	return newHuffman(lengths)
}

var errEnd = errors.New("the data end too early")
