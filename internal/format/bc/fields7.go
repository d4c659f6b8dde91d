package bc

import "encoding/binary"

// Fields7 are the fields of a BC7 block of a mode below 8 (IMG-810).
type Fields7 struct {
	Mode, Partition, Rotation uint8
	// Swap is the selector: colours take the secondary index.
	Swap  bool
	Ends  [3][2][4]uint8 // of each subset, as wide as they are stored
	PBits [3][2]uint8    // of both ends, the same where they have one in common
	Index [2][16]uint8   // the primary and the secondary one
}

// Shape7 is what a mode fixes.
type Shape7 struct {
	Subsets, Patterns int
	Color, Alpha      uint // bits of an end's channel
	PBits             int  // of a subset
	Index             [2]uint
}

// Shape returns the shape of a mode below 8.
func Shape(mode uint8) Shape7 {
	m := &modes7[mode&7]
	return Shape7{int(m.subsets), 1 << m.partition, m.color, m.alpha, int(m.pbits), [2]uint{m.index, m.second}}
}

// Weight is what an index of n bits stands for, 0 to 64 (IMG-814).
func Weight(index uint8, n uint) int { return int(weights[n][index&15]) }

// Colors returns the ends of a subset with 8 bits a channel, before components are rotated (IMG-811).
func (f *Fields7) Colors(subset int) (ends [2][4]uint8) {
	m := &modes7[f.Mode&7]
	for e := range ends {
		for c := range 4 {
			n := m.color
			if c == 3 {
				n = m.alpha
			}
			v := uint32(f.Ends[subset][e][c])
			if m.pbits > 0 {
				v, n = v<<1|uint32(f.PBits[subset][e]), n+1
			}
			ends[e][c] = uint8(expand(v, n))
		}
		if m.alpha == 0 {
			ends[e][3] = 255
		}
	}
	return ends
}

// Texel returns a texel (IMG-813, IMG-825).
func (f *Fields7) Texel(k int) (c [4]uint8) {
	m := &modes7[f.Mode&7]
	subsets, _ := layout(m.subsets, uint32(f.Partition))
	ends := f.Colors(int(subsets >> (2 * k) & 3))
	color := Weight(f.Index[0][k], m.index)
	alpha := color
	if m.second > 0 {
		if alpha = Weight(f.Index[1][k], m.second); f.Swap {
			color, alpha = alpha, color
		}
	}
	for i := range c {
		w := uint32(color)
		if i == 3 {
			w = uint32(alpha)
		}
		c[i] = uint8(mix(uint32(ends[0][i]), uint32(ends[1][i]), w))
	}
	if f.Rotation != 0 {
		c[3], c[f.Rotation-1] = c[f.Rotation-1], c[3]
	}
	return c
}

// Pack writes the block of 16 bytes. Where the index of an anchor has its upper bit set, which is not stored, the ends of its subset
// are exchanged, and indices with them.
func (f Fields7) Pack(dst []byte) {
	m := &modes7[f.Mode&7]
	subsets, anchors := layout(m.subsets, uint32(f.Partition))
	for k := range 16 {
		if anchors>>k&1 == 1 && f.Index[0][k]>>(m.index-1)&1 == 1 {
			f.exchange(0, m.index, subsets, subsets>>(2*k)&3)
		}
	}
	if m.second > 0 && f.Index[1][0]>>(m.second-1)&1 == 1 {
		f.exchange(1, m.second, subsets, 0)
	}
	var w writer
	w.put(1<<f.Mode, uint(f.Mode)+1)
	w.put(uint32(f.Partition), m.partition)
	w.put(uint32(f.Rotation), m.rotation)
	if f.Swap {
		w.put(1, m.selector)
	} else {
		w.put(0, m.selector)
	}
	for c := range 4 {
		n := m.color
		if c == 3 {
			n = m.alpha
		}
		for s := range m.subsets {
			w.put(uint32(f.Ends[s][0][c]), n)
			w.put(uint32(f.Ends[s][1][c]), n)
		}
	}
	for s := range m.subsets {
		for e := range m.pbits {
			w.put(uint32(f.PBits[s][e]), 1)
		}
	}
	for k, index := range f.Index[0] {
		w.put(uint32(index), m.index-uint(anchors>>k&1))
	}
	if m.second > 0 {
		for k, index := range f.Index[1] {
			n := m.second
			if k == 0 {
				n--
			}
			w.put(uint32(index), n)
		}
	}
	binary.LittleEndian.PutUint64(dst, w.lo)
	binary.LittleEndian.PutUint64(dst[8:], w.hi)
}

// exchange exchanges the ends of a subset in the channels that an index of n bits is for.
func (f *Fields7) exchange(which int, n uint, subsets, subset uint32) {
	for k := range 16 {
		if subsets>>(2*k)&3 == subset {
			f.Index[which][k] ^= 1<<n - 1
		}
	}
	m := &modes7[f.Mode&7]
	first, last := 0, 4
	if m.second > 0 {
		if last = 3; f.Swap != (which == 1) {
			first, last = 3, 4
		}
	}
	low, high := &f.Ends[subset][0], &f.Ends[subset][1]
	for c := first; c < last; c++ {
		low[c], high[c] = high[c], low[c]
	}
	if m.pbits == 2 {
		f.PBits[subset][0], f.PBits[subset][1] = f.PBits[subset][1], f.PBits[subset][0]
	}
}

// writer writes fields of a 128-bit little-endian number, from bit 0 upward.
type writer struct {
	lo, hi uint64
	at     uint
}

// put writes the lowest n bits of v, n ≤ 32.
func (w *writer) put(v uint32, n uint) {
	x := uint64(v) & (1<<n - 1)
	if w.at < 64 {
		w.lo |= x << w.at
		w.hi |= x >> (64 - w.at)
	} else {
		w.hi |= x << (w.at - 64)
	}
	w.at += n
}
