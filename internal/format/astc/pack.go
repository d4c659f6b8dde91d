package astc

import (
	"encoding/binary"
	"math"
	"sync"
)

// Parts are the numbers that a block of one slice is packed of. Ranges are named by their place among the 21 of bounded integer
// sequence encoding, ordered by their levels: 0 has 2 levels, 20 has 256. Weights have 0 to 11, colour numbers 4 to 20.
type Parts struct {
	Width, Height uint8 // of the grid of weights
	Dual          bool  // two planes of weights, number by number
	Component     uint8 // that the second plane is of
	WeightRange   uint8
	ColorRange    uint8 // must be the one that the rest leaves room for
	Partitions    uint8 // 1 to 4
	Seed          uint16
	Mode          uint8 // color endpoint mode of all partitions
	Colors        [maxColors]uint8
	Weights       [maxNumbers]uint8
}

// Count returns the number of weights, and of colour numbers.
func (p *Parts) Count() (weights, colors int) {
	weights = int(p.Width) * int(p.Height)
	if p.Dual {
		weights *= 2
	}
	return weights, int(p.Partitions) * ModeNumbers(p.Mode)
}

// ModeNumbers is how many numbers a color endpoint mode has.
func ModeNumbers(mode uint8) int { return 2 + 2*int(mode>>2) }

// Fit returns the range of colour numbers that the rest leaves room for, the largest one, or -1 where there is no block of these
// parts: the grid or its size is none of ASTC's, or nothing fits (IMG-860 to IMG-866).
func (p *Parts) Fit() int {
	weights, colors := p.Count()
	_, ok := p.mode()
	if !ok || weights > maxNumbers || colors > maxColors || p.Partitions < 1 || p.Partitions > 4 || p.Dual && p.Partitions == 4 {
		return -1
	}
	size := weightRanges[p.WeightRange].size(uint(weights))
	if size < 24 || size > 96 {
		return -1
	}
	room := 128 - 17 - int(size)
	if p.Partitions > 1 {
		room -= 12
	}
	if p.Dual {
		room -= 2
	}
	for i, q := range colorRanges {
		if int(q.size(uint(colors))) <= room {
			return 20 - i
		}
	}
	return -1
}

// Pack writes a block of 16 bytes, and returns false where there is none of these parts: where ColorRange is not what Fit returns.
func (p *Parts) Pack(dst []byte) bool {
	if fit := p.Fit(); fit < 0 || fit != int(p.ColorRange) {
		return false
	}
	weights, colors := p.Count()
	var b packer
	mode, _ := p.mode()
	b.put(mode, 11)
	b.put(uint32(p.Partitions-1), 2)
	if p.Partitions > 1 {
		b.put(uint32(p.Seed&1023), 10)
		b.put(uint32(p.Mode)<<2, 6)
	} else {
		b.put(uint32(p.Mode), 4)
	}
	if p.Dual {
		at := packer{at: 128 - 2 - weightRanges[p.WeightRange].size(uint(weights))}
		at.put(uint32(p.Component&3), 2)
		b.or(at.stream)
	}
	b.sequence(p.Colors[:colors], colorRanges[20-p.ColorRange])
	var back packer
	back.sequence(p.Weights[:weights], weightRanges[p.WeightRange])
	b.or(back.reversed())
	binary.LittleEndian.PutUint64(dst, b.lo)
	binary.LittleEndian.PutUint64(dst[8:], b.hi)
	return true
}

// mode is the block mode: the lowest 11 bits, as blockMode reads them. Of several that mean the same it is the first one of
// IMG-860's rows.
func (p *Parts) mode() (uint32, bool) {
	if p.WeightRange > 11 {
		return 0, false
	}
	high, rho := uint32(0), uint32(p.WeightRange)+2
	if p.WeightRange > 5 {
		high, rho = 1, rho-6
	}
	if p.Dual {
		high |= 2
	}
	w, h := uint32(p.Width), uint32(p.Height)
	in := func(v, low, bits uint32) bool { return v >= low && v-low < 1<<bits }
	narrow := high<<9 | rho&1<<4 | rho>>1
	wide := high<<9 | rho&1<<4 | rho>>1<<2
	switch {
	case in(w, 4, 2) && in(h, 2, 2):
		return narrow | (w-4)<<7 | (h-2)<<5, true
	case in(w, 8, 2) && in(h, 2, 2):
		return narrow | (w-8)<<7 | (h-2)<<5 | 1<<2, true
	case in(w, 2, 2) && in(h, 8, 2):
		return narrow | (h-8)<<7 | (w-2)<<5 | 2<<2, true
	case in(w, 2, 2) && in(h, 6, 1):
		return narrow | (h-6)<<7 | (w-2)<<5 | 3<<2, true
	case in(w, 2, 1) && in(h, 2, 2):
		return narrow | w<<7 | (h-2)<<5 | 3<<2, true
	case w == 12 && in(h, 2, 2):
		return wide | (h-2)<<5, true
	case h == 12 && in(w, 2, 2):
		return wide | 1<<7 | (w-2)<<5, true
	case w == 6 && h == 10:
		return wide | 3<<7, true
	case w == 10 && h == 6:
		return wide | 3<<7 | 1<<5, true
	case high == 0 && in(w, 6, 2) && in(h, 6, 2):
		return (h-6)<<9 | 2<<7 | (w-6)<<5 | wide, true
	}
	return 0, false
}

// PackVoid writes a block of one colour, without an extent: numbers of 65535, or bits of half floats (IMG-876).
func PackVoid(dst []byte, color [4]uint16, hdr bool) {
	low := uint64(math.MaxUint64) &^ 3
	if !hdr {
		low &^= 1 << 9
	}
	binary.LittleEndian.PutUint64(dst, low)
	for i, c := range color {
		binary.LittleEndian.PutUint16(dst[8+2*i:], c)
	}
}

// packer is a block that is written from bit at on.
type packer struct {
	stream
	at uint
}

// put writes the lowest n bits of v, n ≤ 32; behind the end they are lost.
func (b *packer) put(v uint32, n uint) {
	x := uint64(v) & (1<<n - 1)
	if b.at < 64 {
		b.lo |= x << b.at
		b.hi |= x >> (64 - b.at)
	} else {
		b.hi |= x << (b.at - 64)
	}
	b.at += n
}

func (b *packer) or(s stream) {
	b.lo |= s.lo
	b.hi |= s.hi
}

// sequence writes numbers of a range (IMG-867). The last group is filled with zeros, of which there are only zero bits.
func (b *packer) sequence(n []uint8, q quant) {
	codes := codesOf()
	mask := uint8(1<<q.bits - 1)
	low := func(i int) uint32 {
		if i < len(n) {
			return uint32(n[i] & mask)
		}
		return 0
	}
	high := func(i int) uint32 {
		if i < len(n) {
			return uint32(n[i] >> q.bits)
		}
		return 0
	}
	switch {
	case q.trit == 1:
		for i := 0; i < len(n); i += 5 {
			t := uint32(codes.trits[(high(i)+3*(high(i+1)+3*(high(i+2)+3*(high(i+3)+3*high(i+4)))))%243])
			for k, width := range [5]uint{2, 2, 1, 2, 1} {
				b.put(low(i+k), q.bits)
				b.put(t, width)
				t >>= width
			}
		}
	case q.quint == 1:
		for i := 0; i < len(n); i += 3 {
			t := uint32(codes.quints[(high(i)+5*(high(i+1)+5*high(i+2)))%125])
			for k, width := range [3]uint{3, 2, 2} {
				b.put(low(i+k), q.bits)
				b.put(t, width)
				t >>= width
			}
		}
	default:
		for i := range n {
			b.put(low(i), q.bits)
		}
	}
}

// codes are the smallest T and Q of trits and quints, the first one counting once, the second one thrice or five times (IMG-868).
type codes struct {
	trits  [243]uint8
	quints [125]uint8
}

var codesOf = sync.OnceValue(func() *codes {
	c := &codes{}
	for t := len(tritsOf) - 1; t >= 0; t-- {
		d := &tritsOf[t]
		c.trits[int(d[0])+3*(int(d[1])+3*(int(d[2])+3*(int(d[3])+3*int(d[4]))))] = uint8(t)
	}
	for t := len(quintsOf) - 1; t >= 0; t-- {
		d := &quintsOf[t]
		c.quints[int(d[0])+5*(int(d[1])+5*int(d[2]))] = uint8(t)
	}
	return c
})
