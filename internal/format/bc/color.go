package bc

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Colours of BC1 to BC3 are fractions of small denominators: codes of 5 bits over 31, their thirds over 93, their halves over 62.
// All of them are multiples of 1/186, those of 6-bit green multiples of 1/378.
const (
	units5 = 6 * 31
	units6 = 6 * 63
)

// DecodeBC1 decodes an 8-byte BC1 block. With punchthrough (BC1_RGBA), the fourth colour of a three-colour block is transparent
// black, else opaque black (IMG-800, IMG-801). With srgb, colours are sRGB-encoded (IMG-807).
func DecodeBC1(dst *[16]Texel, src []byte, punchthrough, srgb bool) {
	w := binary.LittleEndian.Uint64(src)
	four := uint16(w) > uint16(w>>16)
	p := palette(uint32(w), four, srgb)
	if !four && punchthrough {
		p[3][3] = 0
	}
	for k := range dst {
		dst[k] = p[w>>(32+2*k)&3]
	}
}

// DecodeBC2 decodes a 16-byte BC2 block: 4 bits of alpha a texel, then the colours, always four of them (IMG-802).
func DecodeBC2(dst *[16]Texel, src []byte, srgb bool) {
	alpha, w := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	p := palette(uint32(w), true, srgb)
	for k := range dst {
		dst[k] = p[w>>(32+2*k)&3]
		dst[k][3] = math.Float32bits(fp.UnormToFloat(uint32(alpha>>(4*k)&15), 4))
	}
}

// DecodeBC3 decodes a 16-byte BC3 block: alpha as in BC4, then the colours, always four of them (IMG-803).
func DecodeBC3(dst *[16]Texel, src []byte, srgb bool) {
	alpha, w := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	p := palette(uint32(w), true, srgb)
	a := ramp(alpha, false)
	for k := range dst {
		dst[k] = p[w>>(32+2*k)&3]
		dst[k][3] = a[alpha>>(16+3*k)&7]
	}
}

// scales are what sixths of a component's steps stand for, as bits of binary32 numbers.
type scales struct {
	five [units5 + 1]uint32
	six  [units6 + 1]uint32
}

var (
	linearScales = func() (s scales) {
		for n := range s.five {
			s.five[n] = ratio(int32(n), units5)
		}
		for n := range s.six {
			s.six[n] = ratio(int32(n), units6)
		}
		return s
	}()
	srgbScales = scales{srgb5, srgb6}
)

// palette returns the four colours that two 5:6:5 endpoints give: both, and their thirds, or their mean and black (IMG-800).
func palette(endpoints uint32, four, srgb bool) (p [4]Texel) {
	t := &linearScales
	if srgb {
		t = &srgbScales
	}
	a, b := channels(endpoints), channels(endpoints>>16)
	for c := range 3 {
		n := [4]int32{6 * a[c], 6 * b[c], 3 * (a[c] + b[c]), 0}
		if four {
			n[2], n[3] = 2*(2*a[c]+b[c]), 2*(a[c]+2*b[c])
		}
		for i, v := range n {
			if c == 1 {
				p[i][c] = t.six[v]
			} else {
				p[i][c] = t.five[v]
			}
		}
	}
	for i := range p {
		p[i][3] = one
	}
	return p
}

// channels splits a 5:6:5 colour, red high.
func channels(c uint32) [3]int32 {
	return [3]int32{int32(c >> 11 & 31), int32(c >> 5 & 63), int32(c & 31)}
}

// Srgb5 and Srgb6 are the bits of the binary32 numbers that n/186 and n/378, sRGB-encoded, stand for: the
// scales on which sixths of components of 5 and 6 bits lie. Nobody may change them.
func Srgb5() []uint32 { return srgb5[:] }
func Srgb6() []uint32 { return srgb6[:] }
