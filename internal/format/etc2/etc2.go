// Package etc2 decodes the ETC2 and EAC block formats (Annex C of the image catalogue; ETC2 in the Khronos Data Format
// Specification), bit for bit.
//
// Every function decodes one block of 4×4 texels: texel (x, y) goes to dst[4·y+x]. Any bytes are a block, nothing is allocated, and
// src must hold the whole block. Blocks are big-endian numbers of 64 bits, so bit 63 is the top bit of the first byte. Texels lie in
// them column by column: texel (x, y) has position 4·x+y.
package etc2

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Texel holds R, G, B and A as the bits of float32 numbers; missing colours are 0, missing alpha is 1 (IMG-323).
type Texel = [4]uint32

const one = 0x3f800000

// rgb is a colour with 8 bits a channel, held in int32 so that modifiers may leave the range.
type rgb [3]int32

// add returns the colour with d added to each channel, clamped.
func (c rgb) add(d int32) rgb { return rgb{clamp8(c[0] + d), clamp8(c[1] + d), clamp8(c[2] + d)} }

func clamp8(x int32) int32 { return min(max(x, 0), 255) }

// field returns bits hi…lo of v.
func field(v uint64, hi, lo uint) int32 { return int32(v >> lo & (1<<(hi-lo+1) - 1)) }

// signed3 reads 3 bits as a number from −4 to 3.
func signed3(x int32) int32 { return x << 29 >> 29 }

// Expansion to 8 bits: IMG-841.
func expand4(x int32) int32 { return x * 17 }
func expand5(x int32) int32 { return x<<3 | x>>2 }
func expand6(x int32) int32 { return x<<2 | x>>4 }
func expand7(x int32) int32 { return x<<1 | x>>6 }

// index returns the 2-bit index of texel (x, y) (IMG-842).
func index(v uint64, x, y int) uint64 {
	p := 4*x + y
	return v>>(16+p)&1<<1 | v>>p&1
}

// DecodeRGB8 decodes an 8-byte ETC2 block of opaque texels; with srgb, R, G and B are sRGB-encoded.
func DecodeRGB8(dst *[16]Texel, src []byte, srgb bool) {
	decodeColor(dst, binary.BigEndian.Uint64(src), srgb, false)
}

// DecodeRGB8A1 decodes an 8-byte ETC2 block with punch-through alpha: transparent texels are black (IMG-847).
func DecodeRGB8A1(dst *[16]Texel, src []byte, srgb bool) {
	decodeColor(dst, binary.BigEndian.Uint64(src), srgb, true)
}

// DecodeRGBA8 decodes a 16-byte block: EAC alpha, then ETC2 colour (IMG-850).
func DecodeRGBA8(dst *[16]Texel, src []byte, srgb bool) {
	decodeColor(dst, binary.BigEndian.Uint64(src[8:]), srgb, false)
	v := binary.BigEndian.Uint64(src)
	base, mult := field(v, 63, 56), field(v, 55, 52)
	m := &modifiers[field(v, 51, 48)]
	for k := range dst {
		dst[k][3] = unorm8(clamp8(base + m[eacIndex(v, k)]*mult))
	}
}

// decodeColor finds the mode of a colour block (IMG-840). With punchthrough, bit 33 does not choose the individual mode but says that
// the block is opaque.
//
// IMG-853
func decodeColor(dst *[16]Texel, v uint64, srgb, punchthrough bool) {
	flag := v>>33&1 == 1
	transparent := punchthrough && !flag
	if !flag && !punchthrough {
		decodeHalves(dst, v, individual(v), srgb, false)
		return
	}
	base := rgb{field(v, 63, 59), field(v, 55, 51), field(v, 47, 43)}
	other := rgb{base[0] + signed3(field(v, 58, 56)), base[1] + signed3(field(v, 50, 48)), base[2] + signed3(field(v, 42, 40))}
	switch {
	case uint32(other[0]) > 31:
		decodePaints(dst, v, paintsT(v), srgb, transparent)
	case uint32(other[1]) > 31:
		decodePaints(dst, v, paintsH(v), srgb, transparent)
	case uint32(other[2]) > 31:
		decodePlanar(dst, v, srgb)
	default:
		e := expand5
		bases := [2]rgb{{e(base[0]), e(base[1]), e(base[2])}, {e(other[0]), e(other[1]), e(other[2])}}
		decodeHalves(dst, v, bases, srgb, transparent)
	}
}

// individual reads the base colours of the individual mode (IMG-843).
func individual(v uint64) [2]rgb {
	e := expand4
	return [2]rgb{
		{e(field(v, 63, 60)), e(field(v, 55, 52)), e(field(v, 47, 44))},
		{e(field(v, 59, 56)), e(field(v, 51, 48)), e(field(v, 43, 40))},
	}
}

// brightness are the modifiers a and b of IMG-843.
var brightness = [8][2]int32{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}

// decodeHalves decodes a block of two halves with a base colour and a table of modifiers each: side by side, or one above the other
// where bit 32 is set (IMG-843). Transparent blocks have no small modifiers (IMG-847).
func decodeHalves(dst *[16]Texel, v uint64, bases [2]rgb, srgb, transparent bool) {
	var paints [2][4]Texel
	for h, table := range [2]int32{field(v, 39, 37), field(v, 36, 34)} {
		a, b := brightness[table][0], brightness[table][1]
		if transparent {
			a = 0
		}
		for i, d := range [4]int32{a, b, -a, -b} {
			paints[h][i] = texel(bases[h].add(d), srgb)
		}
		if transparent {
			paints[h][2] = Texel{}
		}
	}
	flip := v>>32&1 == 1
	for k := range dst {
		x, y := k&3, k>>2
		half := x >> 1
		if flip {
			half = y >> 1
		}
		dst[k] = paints[half][index(v, x, y)]
	}
}

// distances are those of the T and H modes (IMG-844).
var distances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// paintsT reads the four colours of the T mode (IMG-844).
func paintsT(v uint64) [4]rgb {
	e := expand4
	c1 := rgb{e(field(v, 60, 59)<<2 | field(v, 57, 56)), e(field(v, 55, 52)), e(field(v, 51, 48))}
	c2 := rgb{e(field(v, 47, 44)), e(field(v, 43, 40)), e(field(v, 39, 36))}
	d := distances[field(v, 35, 34)<<1|field(v, 32, 32)]
	return [4]rgb{c1, c2.add(d), c2, c2.add(-d)}
}

// paintsH reads the four colours of the H mode; the order of the base colours is a bit of the distance (IMG-845).
func paintsH(v uint64) [4]rgb {
	e := expand4
	c1 := rgb{e(field(v, 62, 59)), e(field(v, 58, 56)<<1 | field(v, 52, 52)), e(field(v, 51, 51)<<3 | field(v, 49, 47))}
	c2 := rgb{e(field(v, 46, 43)), e(field(v, 42, 39)), e(field(v, 38, 35))}
	n := field(v, 34, 34)<<2 | field(v, 32, 32)<<1
	if c1[0]<<16|c1[1]<<8|c1[2] >= c2[0]<<16|c2[1]<<8|c2[2] {
		n |= 1
	}
	d := distances[n]
	return [4]rgb{c1.add(d), c1.add(-d), c2.add(d), c2.add(-d)}
}

// decodePaints gives each texel one of four colours; the third is transparent black where the block is transparent (IMG-847).
func decodePaints(dst *[16]Texel, v uint64, colors [4]rgb, srgb, transparent bool) {
	var paints [4]Texel
	for i, c := range colors {
		paints[i] = texel(c, srgb)
	}
	if transparent {
		paints[2] = Texel{}
	}
	for k := range dst {
		dst[k] = paints[index(v, k&3, k>>2)]
	}
}

// decodePlanar interpolates between the colours at the origin, at x = 4 and at y = 4; always opaque (IMG-846).
func decodePlanar(dst *[16]Texel, v uint64, srgb bool) {
	o := rgb{
		expand6(field(v, 62, 57)),
		expand7(field(v, 56, 56)<<6 | field(v, 54, 49)),
		expand6(field(v, 48, 48)<<5 | field(v, 44, 43)<<3 | field(v, 41, 39)),
	}
	h := rgb{expand6(field(v, 38, 34)<<1 | field(v, 32, 32)), expand7(field(v, 31, 25)), expand6(field(v, 24, 19))}
	w := rgb{expand6(field(v, 18, 13)), expand7(field(v, 12, 6)), expand6(field(v, 5, 0))}
	for k := range dst {
		x, y := int32(k&3), int32(k>>2)
		var c rgb
		for i := range c {
			c[i] = clamp8((x*(h[i]-o[i]) + y*(w[i]-o[i]) + 4*o[i] + 2) >> 2)
		}
		dst[k] = texel(c, srgb)
	}
}

// texel converts an opaque colour (IMG-254).
func texel(c rgb, srgb bool) Texel {
	if srgb {
		return Texel{srgb8(c[0]), srgb8(c[1]), srgb8(c[2]), one}
	}
	return Texel{unorm8(c[0]), unorm8(c[1]), unorm8(c[2]), one}
}

func unorm8(c int32) uint32 { return math.Float32bits(fp.Unorm8ToFloat(uint8(c))) }
func srgb8(c int32) uint32  { return math.Float32bits(fp.SrgbToLinear(uint8(c))) }
