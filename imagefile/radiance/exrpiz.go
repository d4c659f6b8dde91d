package radiance

import (
	"encoding/binary"
	"math/bits"
)

// PIZ: the 16-bit words of a block, each channel by itself, go through a table that makes them
// dense, a wavelet transform in two dimensions, and Huffman coding.

// pizTables is memory for them.
type pizTables struct {
	words   []uint16
	table   []uint16
	huffman huffman
}

// unpackPIZ decodes a block; what is not read stays as it was.
func (u *exrUnpacker) unpackPIZ(c exrChunk, want int) ([]byte, error) {
	le := binary.LittleEndian
	t := &u.piz
	packed := c.packed
	if len(packed) < 4 {
		return nil, errDamaged
	}
	// Which words there are: bits of a range of bytes. 0 always is.
	first, last := int(le.Uint16(packed)), int(le.Uint16(packed[2:]))
	packed = packed[4:]
	table := append(grown(&t.table, 1<<16)[:0], 0)
	if first <= last {
		if last >= 1<<13 || len(packed) < last-first+1 {
			return nil, errDamaged
		}
		for i, b := range packed[:last-first+1] {
			if first+i == 0 {
				b &^= 1
			}
			for ; b != 0; b &= b - 1 {
				table = append(table, uint16(8*(first+i)+bits.TrailingZeros8(b)))
			}
		}
		packed = packed[last-first+1:]
	}
	dense := uint16(len(table) - 1)
	clear(table[len(table) : 1<<16])
	table = table[:1<<16]

	if len(packed) < 4 {
		return nil, errDamaged
	}
	size := le.Uint32(packed)
	packed = packed[4:]
	if uint64(size) > uint64(len(packed)) {
		return nil, errDamaged
	}
	words := grown(&t.words, want/2)
	if err := t.huffman.unpack(packed[:size], words); err != nil {
		return nil, err
	}
	out := grown(&u.out, want)
	to := out
	for i := range u.part.channels {
		ch := &u.part.channels[i]
		nx, ny := ch.samples(c.width, c.y, c.rows)
		n := ch.bytes() / 2 // words of a sample, which are transformed each by itself
		plane := words[:n*nx*ny]
		words = words[len(plane):]
		if ch.to != toNothing {
			for j := range min(n, len(plane)) {
				unpackWavelet(plane[j:], nx, n, ny, n*nx, dense)
			}
			for k, w := range plane {
				le.PutUint16(to[2*k:], table[w])
			}
		}
		to = to[2*len(plane):]
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
