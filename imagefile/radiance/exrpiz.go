package radiance

import (
	"encoding/binary"
	"errors"
)

// PIZ: the 16-bit words of a block, each channel by itself, go through a table that makes them
// dense, a wavelet transform in two dimensions, and Huffman coding.

// pizMemory is what the tables of a block take, a little rounded up.
const pizMemory = 2 << 20

func unpackPIZ(packed []byte, channels []exrChannel, width, rows, want int) ([]byte, error) {
	le := binary.LittleEndian
	if len(packed) < 4 {
		return nil, errDamaged
	}
	// Which words there are: bits of a range of bytes.
	var bitmap [1 << 13]byte
	first, last := int(le.Uint16(packed)), int(le.Uint16(packed[2:]))
	packed = packed[4:]
	if first <= last {
		if last >= len(bitmap) || len(packed) < last-first+1 {
			return nil, errDamaged
		}
		copy(bitmap[first:], packed[:last-first+1])
		packed = packed[last-first+1:]
	}
	table := make([]uint16, 0, 1<<16)
	for i := range 1 << 16 {
		if i == 0 || bitmap[i>>3]&(1<<(i&7)) != 0 {
			table = append(table, uint16(i))
		}
	}
	dense := uint16(len(table) - 1)
	table = table[:1<<16] // the rest is zero

	if len(packed) < 4 {
		return nil, errDamaged
	}
	size := le.Uint32(packed)
	packed = packed[4:]
	if uint64(size) > uint64(len(packed)) {
		return nil, errDamaged
	}
	words := make([]uint16, want/2)
	if err := unpackHuffman(packed[:size], words); err != nil {
		return nil, err
	}
	at := 0
	starts := make([]int, len(channels))
	for i := range channels {
		n := channels[i].bytes() / 2 // words a pixel, which are transformed each by itself
		starts[i] = at
		for j := range n {
			unpackWavelet(words[at+j:], width, n, rows, n*width, dense)
		}
		at += n * width * rows
	}
	out := make([]byte, 0, want)
	for y := range rows {
		for i := range channels {
			n := channels[i].bytes() / 2 * width
			for _, w := range words[starts[i]+y*n : starts[i]+(y+1)*n] {
				out = le.AppendUint16(out, table[w])
			}
		}
	}
	return out, nil
}

// unpackWavelet undoes the transform of nx × ny words, dx and dy apart, in place. most is the
// largest word: those of 14 bits were transformed without overflow.
func unpackWavelet(w []uint16, nx, dx, ny, dy int, most uint16) {
	pair := pair16
	if most < 1<<14 {
		pair = pair14
	}
	p := 1
	for p <= min(nx, ny) {
		p <<= 1
	}
	p >>= 1
	double := p
	for p >>= 1; p >= 1; p >>= 1 {
		y := 0
		for ; y+double <= ny; y += double {
			x := 0
			for ; x+double <= nx; x += double {
				a := y*dy + x*dx
				b, c := a+p*dx, a+p*dy
				d := c + p*dx
				low0, low1 := pair(w[a], w[c])
				high0, high1 := pair(w[b], w[d])
				w[a], w[b] = pair(low0, high0)
				w[c], w[d] = pair(low1, high1)
			}
			if nx&p != 0 {
				a := y*dy + x*dx
				w[a], w[a+p*dy] = pair(w[a], w[a+p*dy])
			}
		}
		if ny&p != 0 {
			for x := 0; x+double <= nx; x += double {
				a := y*dy + x*dx
				w[a], w[a+p*dx] = pair(w[a], w[a+p*dx])
			}
		}
		double = p
	}
}

// pair14 returns two words of their mean and difference.
func pair14(mean, difference uint16) (uint16, uint16) {
	d := int16(difference)
	a := int16(mean) + d&1 + d>>1
	return uint16(a), uint16(a - d)
}

// pair16 is pair14 for words of 16 bits, which wrap around.
func pair16(mean, difference uint16) (uint16, uint16) {
	b := mean - difference>>1
	return difference + b - 1<<15, b
}

var errHuffman = errors.New("the Huffman codes are damaged")

const huffmanSymbols = 1<<16 + 1 // words, and one that repeats

// huffman is canonical codes: those of a length follow each other, longer ones count less.
type huffman struct {
	count, firstCode, firstSymbol [59]uint64 // by length
	symbols                       []uint32   // by length, then by number
}

// unpackHuffman decodes exactly len(out) words.
func unpackHuffman(data []byte, out []uint16) error {
	if len(data) < 20 {
		return errHuffman
	}
	le := binary.LittleEndian
	low, high, bits := le.Uint32(data), le.Uint32(data[4:]), le.Uint32(data[12:])
	if low >= huffmanSymbols || high >= huffmanSymbols || low > high {
		return errHuffman
	}
	h := &huffman{}
	data, err := h.readLengths(data[20:], low, high)
	if err != nil {
		return err
	}
	if uint64(bits) > 8*uint64(len(data)) {
		return errHuffman
	}
	return h.decode(bitReader{data: data, left: int(bits)}, high, out)
}

// readLengths reads the lengths of the codes of symbols from low to high, 6 bits each: 59 to 62
// stand for 2 to 5 symbols without a code, 63 and 8 bits n for n + 6.
func (h *huffman) readLengths(data []byte, low, high uint32) ([]byte, error) {
	lengths := make([]byte, huffmanSymbols)
	r := bitReader{data: data, left: 8 * len(data)}
	for s := low; s <= high; s++ {
		l, ok := r.bits(6)
		if !ok {
			return nil, errHuffman
		}
		if l <= 58 {
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
	var code, symbol uint64
	for l := 58; l > 0; l-- {
		h.firstCode[l] = code
		code = (code + h.count[l]) >> 1
	}
	for l := 1; l <= 58; l++ {
		h.firstSymbol[l] = symbol
		symbol += h.count[l]
	}
	h.symbols = make([]uint32, symbol)
	next := h.firstSymbol
	for s, l := range lengths {
		if l > 0 {
			h.symbols[next[l]] = uint32(s)
			next[l]++
		}
	}
	return data[r.at:], nil
}

func (h *huffman) decode(r bitReader, repeat uint32, out []uint16) error {
	for n := 0; n < len(out); {
		var code uint64
		length := 0
		for {
			bit, ok := r.bits(1)
			if length++; !ok || length > 58 {
				return errHuffman
			}
			code = code<<1 | bit
			if i := code - h.firstCode[length]; code >= h.firstCode[length] && i < h.count[length] {
				code = uint64(h.symbols[h.firstSymbol[length]+i])
				break
			}
		}
		if uint32(code) != repeat {
			out[n] = uint16(code)
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

// bitReader reads bits, the highest of a byte first.
type bitReader struct {
	data []byte
	at   int // the next byte
	left int // bits
	have uint64
	n    int // bits of have
}

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
