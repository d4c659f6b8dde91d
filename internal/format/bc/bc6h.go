package bc

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// DecodeBC6H decodes a 16-byte BC6H block of unsigned or signed half floats. A block of a reserved mode is opaque black (IMG-820).
// Signed blocks can hold −Inf (IMG-824).
func DecodeBC6H(dst *[16]Texel, src []byte, signed bool) {
	s := newStream(src)
	n := s.take(2)
	if n > 1 {
		n |= s.take(3) << 2
	}
	m := &modes6[n&31]
	if m.bits == 0 {
		for k := range dst {
			dst[k] = Texel{3: one}
		}
		return
	}
	ends := endpoints6(&s, m, signed)
	subsets, anchors, width := uint32(0), uint32(1), uint(4)
	if m.two { // IMG-826
		subsets, anchors = layout(2, s.take(5))
		width = 3
	}
	index := s.indices(width, anchors)
	for k := range dst {
		d, pair, w := &dst[k], subsets>>(2*k)&1*2, int32(weights[width][index[k]&15])
		a, b := &ends[pair], &ends[pair+1]
		for c := range 3 {
			v := (a[c]*(64-w) + b[c]*w + 32) >> 6
			d[c] = math.Float32bits(fp.HalfToFloat(finish6(v, signed)))
		}
		d[3] = one
	}
}

// finish6 scales an interpolated value to the bits of a half float (IMG-824).
func finish6(v int32, signed bool) uint16 {
	switch {
	case !signed:
		return uint16(v * 31 >> 6)
	case v < 0:
		return uint16(-v*31>>5) | 0x8000
	}
	return uint16(v * 31 >> 5)
}

// endpoints6 reads the two or four endpoints and brings them to 16 bits, or 15 and a sign (IMG-821 … IMG-823).
func endpoints6(s *stream, m *mode6, signed bool) [4][3]int32 {
	var raw [12]uint32
	for _, f := range m.fields {
		n := uint(max(f.count, -f.count))
		v := s.take(n)
		if f.count < 0 {
			v = reverse(v, n)
		}
		raw[f.channel] |= v << f.low
	}
	var e [4][3]int32
	for c := range 3 {
		first := int32(raw[c])
		if signed {
			first = extend(first, m.bits)
		}
		e[0][c] = unquantize6(first, m.bits, signed)
		for i := 1; i < 4; i++ {
			v := int32(raw[3*i+c])
			if m.transformed || signed {
				v = extend(v, m.delta[c])
			}
			if m.transformed {
				v = (first + v) & (1<<m.bits - 1)
				if signed {
					v = extend(v, m.bits)
				}
			}
			e[i][c] = unquantize6(v, m.bits, signed)
		}
	}
	return e
}

// reverse turns n bits round.
func reverse(v uint32, n uint) (r uint32) {
	for range n {
		r = r<<1 | v&1
		v >>= 1
	}
	return r
}

// extend takes the low n bits as a signed number.
func extend(v int32, n uint) int32 { return v << (32 - n) >> (32 - n) }

// unquantize6 is IMG-823.
func unquantize6(x int32, bits uint, signed bool) int32 {
	if !signed {
		switch {
		case bits >= 15 || x == 0:
			return x
		case x == 1<<bits-1:
			return 0xffff
		}
		return (x<<15 + 0x4000) >> (bits - 1)
	}
	if bits >= 16 {
		return x
	}
	a := max(x, -x)
	switch {
	case a == 0:
	case a >= 1<<(bits-1)-1:
		a = 0x7fff
	default:
		a = (a<<15 + 0x4000) >> (bits - 1)
	}
	if x < 0 {
		return -a
	}
	return a
}
