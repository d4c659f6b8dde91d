package astc

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// shared makes a texel of the precision of E5B9G9R9 (IMG-883).
func shared(c [4]uint32, hdr uint8) Texel {
	word := uint32(0)
	if hdr&hdrRGB == 0 {
		word = sharedLDR(c)
	} else {
		word = sharedHDR(c)
	}
	r, g, b := fp.E5B9G9R9ToFloat(word)
	return Texel{math.Float32bits(r), math.Float32bits(g), math.Float32bits(b), one}
}

func sharedLDR(c [4]uint32) uint32 {
	lz := -1
	for i := range 3 {
		if c[i] == 65535 {
			c[i], lz = 65536, 0
		}
	}
	if lz < 0 {
		lz = 17 - bits.Len32(c[0]|c[1]|c[2]|1)
	}
	word := uint32(16-lz) << 27
	for i := range 3 {
		word |= c[i] << lz >> 8 & 0x1ff << (9 * i)
	}
	return word
}

func sharedHDR(c [4]uint32) uint32 {
	var e, x [3]uint32
	largest := 0
	for i := range 3 {
		switch {
		case c[i] > 0x7c00: // NaN, or negative
			c[i] = 0
		case c[i] == 0x7c00:
			c[i] = 0x7bff
		}
		e[i] = c[i] >> 10
		x[i] = max(e[i], 1)
		if e[i] > e[largest] {
			largest = i
		}
	}
	// The shift loses two bits of the largest mantissa, and one more for each step that a component's exponent is below.
	low := c[0] | c[1] | c[2]
	exponent, flat := x[largest]+1, false
	if e[largest] == 0 {
		exponent, flat = low>>9&1, true
	}
	word := exponent << 27
	for i := range 3 {
		m := c[i] & 0x3ff
		if e[i] != 0 {
			m |= 0x400
		}
		shift := exponent
		if !flat {
			shift = x[largest] - x[i] + 2
		}
		word |= m >> shift & 0x1ff << (9 * i)
	}
	return word
}
