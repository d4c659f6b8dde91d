package bc

import "encoding/binary"

// DecodeBC4 decodes an 8-byte BC4 block into red: UNORM, or SNORM where signed (IMG-804, IMG-805).
func DecodeBC4(dst *[16]Texel, src []byte, signed bool) {
	w := binary.LittleEndian.Uint64(src)
	r := ramp(w, signed)
	for k := range dst {
		dst[k] = Texel{r[w>>(16+3*k)&7], 0, 0, one}
	}
}

// DecodeBC5 decodes a 16-byte BC5 block: red as in BC4, then green (IMG-806).
func DecodeBC5(dst *[16]Texel, src []byte, signed bool) {
	wr, wg := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	r, g := ramp(wr, signed), ramp(wg, signed)
	for k := range dst {
		dst[k] = Texel{r[wr>>(16+3*k)&7], g[wg>>(16+3*k)&7], 0, one}
	}
}

// ramp returns the eight values that the two endpoint bytes of a block give: sevenths between them, or fifths and the extremes.
//
// IMG-804, IMG-805. Signed endpoints are compared as they stand and clamped to −127 afterwards.
func ramp(w uint64, signed bool) [8]uint32 {
	a, b, full, low := int32(uint8(w)), int32(uint8(w>>8)), int32(255), int32(0)
	if signed {
		a, b, full, low = int32(int8(w)), int32(int8(w>>8)), 127, -127
	}
	sevenths := a > b
	a, b = max(a, low), max(b, low)
	if sevenths {
		r := [8]uint32{ratio(a, full), ratio(b, full)}
		for n := int32(1); n < 7; n++ {
			r[n+1] = ratio((7-n)*a+n*b, 7*full)
		}
		return r
	}
	r := [8]uint32{ratio(a, full), ratio(b, full), 6: ratio(low, full), 7: one}
	for n := int32(1); n < 5; n++ {
		r[n+1] = ratio((5-n)*a+n*b, 5*full)
	}
	return r
}
