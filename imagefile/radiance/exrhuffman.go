package radiance

import (
	"encoding/binary"
	"errors"
)

var errHuffman = errors.New("the Huffman codes are damaged")

const (
	huffmanSymbols = 1<<16 + 1 // words, and one that repeats
	huffmanLongest = 58        // bits of a code
	huffmanQuick   = 12        // bits that are looked up at once
)

// huffman is canonical codes: those of a length follow each other, longer ones count less.
type huffman struct {
	count, firstCode, firstSymbol [huffmanLongest + 1]uint64 // by length
	lengths                       []byte                     // of all symbols
	symbols                       []uint32                   // by length, then by number
	quick                         []uint32                   // by the next bits: symbol · 64 + length, 0 for longer codes
}

// unpack decodes exactly len(out) words.
func (h *huffman) unpack(data []byte, out []uint16) error {
	if len(data) < 20 {
		return errHuffman
	}
	le := binary.LittleEndian
	low, high, bits := le.Uint32(data), le.Uint32(data[4:]), le.Uint32(data[12:])
	if low >= huffmanSymbols || high >= huffmanSymbols || low > high {
		return errHuffman
	}
	data, err := h.readLengths(data[20:], low, high)
	if err != nil {
		return err
	}
	if uint64(bits) > 8*uint64(len(data)) {
		return errHuffman
	}
	if err := h.build(low, high); err != nil {
		return err
	}
	return h.decode(bitReader{data: data, left: int(bits)}, high, out)
}

// readLengths reads the lengths of the codes of symbols from low to high, 6 bits each: 59 to 62
// stand for 2 to 5 symbols without a code, 63 and 8 bits n for n + 6.
func (h *huffman) readLengths(data []byte, low, high uint32) ([]byte, error) {
	lengths := grown(&h.lengths, huffmanSymbols)
	clear(lengths[low : high+1])
	h.count = [huffmanLongest + 1]uint64{}
	r := bitReader{data: data, left: 8 * len(data)}
	for s := low; s <= high; s++ {
		l, ok := r.bits(6)
		if !ok {
			return nil, errHuffman
		}
		if l <= huffmanLongest {
			lengths[s] = byte(l)
			h.count[l]++
			continue
		}
		skip := l - 59 + 2
		if l == 63 {
			n, ok := r.bits(8)
			if !ok {
				return nil, errHuffman
			}
			skip = n + 6
		}
		if s += uint32(skip) - 1; s > high {
			return nil, errHuffman
		}
	}
	h.count[0] = 0
	return data[r.at:], nil
}

// build makes the codes.
func (h *huffman) build(low, high uint32) error {
	var code, symbol uint64
	for l := huffmanLongest; l > 0; l-- {
		h.firstCode[l] = code
		if code += h.count[l]; code > 1<<l {
			return errHuffman // more codes than there are
		}
		code >>= 1
	}
	for l := 1; l <= huffmanLongest; l++ {
		h.firstSymbol[l] = symbol
		symbol += h.count[l]
	}
	symbols, quick := grown(&h.symbols, huffmanSymbols), grown(&h.quick, 1<<huffmanQuick)
	clear(quick)
	next := h.firstSymbol
	for s := low; s <= high; s++ {
		l := int(h.lengths[s])
		if l == 0 {
			continue
		}
		if l <= huffmanQuick {
			first := (h.firstCode[l] + next[l] - h.firstSymbol[l]) << (huffmanQuick - l)
			for i := range uint64(1) << (huffmanQuick - l) {
				quick[first+i] = s<<6 | uint32(l)
			}
		}
		symbols[next[l]] = s
		next[l]++
	}
	return nil
}

func (h *huffman) decode(r bitReader, repeat uint32, out []uint16) error {
	for n := 0; n < len(out); {
		r.fill()
		entry := h.quick[r.peek(huffmanQuick)]
		if entry == 0 {
			s, ok := h.long(&r)
			if !ok {
				return errHuffman
			}
			entry = s << 6
		} else if !r.skip(int(entry & 63)) {
			return errHuffman
		}
		if s := entry >> 6; s != repeat {
			out[n] = uint16(s)
			n++
			continue
		}
		times, ok := r.bits(8)
		if !ok || n == 0 || int(times) > len(out)-n {
			return errHuffman
		}
		for range times {
			out[n] = out[n-1]
			n++
		}
	}
	return nil
}

// long reads a symbol bit by bit.
func (h *huffman) long(r *bitReader) (uint32, bool) {
	var code uint64
	for length := 1; length <= huffmanLongest; length++ {
		bit, ok := r.bits(1)
		if !ok {
			return 0, false
		}
		code = code<<1 | bit
		if i := code - h.firstCode[length]; code >= h.firstCode[length] && i < h.count[length] {
			return h.symbols[h.firstSymbol[length]+i], true
		}
	}
	return 0, false
}

// bitReader reads bits, the highest of a byte first.
type bitReader struct {
	data []byte
	at   int    // the next byte
	left int    // bits that may still be read
	have uint64 // its n lowest bits come next
	n    int
}

// bits reads up to 16 bits.
func (r *bitReader) bits(n int) (uint64, bool) {
	if r.left < n {
		return 0, false
	}
	r.left -= n
	for r.n < n {
		r.have = r.have<<8 | uint64(r.data[r.at])
		r.at++
		r.n += 8
	}
	r.n -= n
	return r.have >> r.n & (1<<n - 1), true
}

// fill takes bytes until it has bits for peek, or there are none.
func (r *bitReader) fill() {
	for r.n <= 24 && r.at < len(r.data) {
		r.have = r.have<<8 | uint64(r.data[r.at])
		r.at++
		r.n += 8
	}
}

// peek returns the next n bits, with zeros behind the last.
func (r *bitReader) peek(n int) uint64 {
	if r.n >= n {
		return r.have >> (r.n - n) & (1<<n - 1)
	}
	return r.have << (n - r.n) & (1<<n - 1)
}

// skip drops n bits that peek has shown; what is left is never more than the bytes have.
func (r *bitReader) skip(n int) bool {
	if r.left < n {
		return false
	}
	r.left -= n
	r.n -= n
	return true
}
