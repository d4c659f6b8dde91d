package bc

import "math/bits"

// mode7 is a row of IMG-810: what the fields of a BC7 block are.
type mode7 struct {
	subsets, partition, rotation, selector uint
	color, alpha                           uint // bits of an endpoint's channel
	pbits                                  uint // P-bits: 2 an endpoint pair has two, 1 one in common
	index, second                          uint // bits of an index
}

var modes7 = [8]mode7{
	{subsets: 3, partition: 4, color: 4, pbits: 2, index: 3},
	{subsets: 2, partition: 6, color: 6, pbits: 1, index: 3},
	{subsets: 3, partition: 6, color: 5, index: 2},
	{subsets: 2, partition: 6, color: 7, pbits: 2, index: 2},
	{subsets: 1, rotation: 2, selector: 1, color: 5, alpha: 6, index: 2, second: 3},
	{subsets: 1, rotation: 2, color: 7, alpha: 8, index: 2, second: 2},
	{subsets: 1, color: 7, alpha: 7, pbits: 2, index: 4},
	{subsets: 2, partition: 6, color: 5, alpha: 5, pbits: 2, index: 2},
}

// weights are IMG-814, by the bits of the index.
var weights = [5][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// DecodeBC7 decodes a 16-byte BC7 block; with srgb, R, G and B are sRGB-encoded.
func DecodeBC7(dst *[16]Texel, src []byte, srgb bool) {
	var codes [16]uint32
	CodesBC7(&codes, src)
	convert := unorm8
	if srgb {
		convert = srgb8
	}
	for k, c := range codes {
		d := &dst[k]
		d[0], d[1], d[2], d[3] = convert(c), convert(c>>8), convert(c>>16), unorm8(c>>24)
	}
}

// CodesBC7 gives the 8-bit codes of a BC7 block's texels, R in the low byte. A block of the reserved mode is transparent black
// (IMG-810).
func CodesBC7(dst *[16]uint32, src []byte) {
	s := newStream(src)
	n := uint(bits.TrailingZeros8(src[0]))
	if n == 8 {
		*dst = [16]uint32{}
		return
	}
	s.take(n + 1)
	m := &modes7[n]
	partition := s.take(m.partition)
	rotation := s.take(m.rotation)
	swap := s.take(m.selector) == 1
	ends := endpoints7(&s, m)
	subsets, anchors := layout(m.subsets, partition)
	first := s.indices(m.index, anchors)
	second := first
	if m.second > 0 {
		second = s.indices(m.second, 1)
	}
	// IMG-813: colour takes the primary index and alpha the secondary one, or the other way round.
	colorWeights, alphaWeights := &weights[m.index], &weights[m.index]
	if m.second > 0 {
		alphaWeights = &weights[m.second]
		if swap {
			first, second = second, first
			colorWeights, alphaWeights = alphaWeights, colorWeights
		}
	}
	// IMG-825
	for k := range dst {
		e := &ends[subsets>>(2*k)&3]
		w, wa := uint32(colorWeights[first[k]&15]), uint32(alphaWeights[second[k]&15])
		c := [4]uint32{mix(e[0][0], e[1][0], w), mix(e[0][1], e[1][1], w), mix(e[0][2], e[1][2], w), mix(e[0][3], e[1][3], wa)}
		if rotation != 0 {
			c[3], c[rotation-1] = c[rotation-1], c[3]
		}
		dst[k] = c[0] | c[1]<<8 | c[2]<<16 | c[3]<<24
	}
}

// mix interpolates two 8-bit channels (IMG-814).
func mix(a, b, w uint32) uint32 { return (a*(64-w) + b*w + 32) >> 6 }

// endpoints7 reads the endpoint pairs of all subsets and expands them to 8 bits (IMG-811). There is room for four subsets, so that
// two bits are always an index.
func endpoints7(s *stream, m *mode7) [4][2][4]uint32 {
	var e [4][2][4]uint32
	for c := range 4 {
		n := m.color
		if c == 3 {
			n = m.alpha
		}
		for i := range m.subsets {
			e[i&3][0][c] = s.take(n)
			e[i&3][1][c] = s.take(n)
		}
	}
	color, alpha := m.color, m.alpha
	if m.pbits > 0 {
		color++
		if alpha > 0 {
			alpha++
		}
		for i := range m.subsets {
			low := s.take(1)
			high := low
			if m.pbits == 2 {
				high = s.take(1)
			}
			for c := range 4 {
				e[i&3][0][c] = e[i&3][0][c]<<1 | low
				e[i&3][1][c] = e[i&3][1][c]<<1 | high
			}
		}
	}
	for i := range m.subsets {
		for j := range 2 {
			p := &e[i&3][j]
			p[0], p[1], p[2] = expand(p[0], color), expand(p[1], color), expand(p[2], color)
			if alpha == 0 {
				p[3] = 255
			} else {
				p[3] = expand(p[3], alpha)
			}
		}
	}
	return e
}

// expand replicates the n bits of x to 8.
func expand(x uint32, n uint) uint32 {
	x <<= 8 - n
	return x | x>>n
}

// layout returns the subset of each texel, two bits a texel, and the anchors, one bit a texel (IMG-815, IMG-816).
func layout(subsets uint, partition uint32) (texels, anchors uint32) {
	switch subsets {
	case 2:
		return spread(uint32(partition2[partition&63])), 1 | 1<<anchor2[partition&63]
	case 3:
		return partition3[partition&63], 1 | 1<<anchor3a[partition&63] | 1<<anchor3b[partition&63]
	}
	return 0, 1
}

// spread puts a zero above each of 16 bits.
func spread(x uint32) uint32 {
	x = (x | x<<8) & 0x00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f
	x = (x | x<<2) & 0x33333333
	return (x | x<<1) & 0x55555555
}

// indices reads the indices of 16 texels; those at anchors lack their top bit, which is 0 (IMG-812).
func (s *stream) indices(n uint, anchors uint32) (index [16]uint8) {
	for k := range index {
		index[k] = uint8(s.take(n - uint(anchors>>k&1)))
	}
	return index
}
