// Package astc decodes ASTC blocks, LDR and HDR, of all 2D and 3D footprints (IMG-860 to IMG-883; ASTC in the Khronos
// Data Format Specification), bit for bit.
//
// A block is a little-endian number v of 128 bits; v[hi:lo] are bits of it. Any 16 bytes are a block: illegal ones decode to opaque
// magenta. Nothing is allocated.
package astc

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

//go:generate go run ./_gen

// Texel holds R, G, B and A as the bits of float32 numbers.
type Texel = [4]uint32

// BlockBytes is the size of every block.
const BlockBytes = 16

// Footprint is the extent of a block in texels: 4×4×1 to 12×12×1, or 3×3×3 to 6×6×6. Blocks of depth 1 use the 2D encoding.
type Footprint struct{ Width, Height, Depth int }

// Profile says which format the blocks belong to.
type Profile uint8

// Profiles. HDR blocks decode in ProfileFloat alone (IMG-879).
const (
	ProfileUnorm Profile = iota // LDR
	ProfileSrgb                 // LDR, R, G and B sRGB-encoded
	ProfileFloat                // LDR and HDR
)

// Mode is the precision of the result (VK_EXT_astc_decode_mode). ProfileSrgb has no choice.
type Mode uint8

// Decode modes.
const (
	ModeFloat16        Mode = iota // the default
	ModeUnorm8                     // LDR only: HDR blocks are errors
	ModeSharedExponent             // E5B9G9R9; alpha is one
)

const one = 0x3f800000

// maxTexels is the largest block: 6×6×6.
const maxTexels = 216

// magenta is the colour of errors, opaque.
var magenta = Texel{one, 0, one, one}

// Decode decodes the block in the first 16 bytes of src into dst: texel (x, y, z) goes to dst[(z·Height + y)·Width + x], and dst has
// room for all of them.
//
// IMG-881
func Decode(dst []Texel, src []byte, f Footprint, p Profile, m Mode) {
	dst = dst[:f.Width*f.Height*f.Depth]
	v := newStream(src)
	var b block
	if !b.parse(v, f, p) {
		for k := range dst {
			dst[k] = magenta
		}
		return
	}
	if b.void {
		t := convert(b.constant, b.voidHDR, p, m)
		for k := range dst {
			dst[k] = t
		}
		return
	}
	for k := range dst {
		c, hdr := b.color(k)
		if hdr == 0 && m == ModeFloat16 && p != ProfileSrgb { // what convert does, in line
			d := &dst[k]
			d[0], d[1], d[2], d[3] = fraction(c[0]), fraction(c[1]), fraction(c[2]), fraction(c[3])
			continue
		}
		dst[k] = convert(c, hdr, p, m)
	}
}

// Components of HDR, in sets of bits.
const (
	hdrRGB   = 1
	hdrAlpha = 2
)

// convert makes a texel of interpolated components: fractions of 65536 where LDR, bits of half floats where HDR (IMG-878).
func convert(c [4]uint32, hdr uint8, p Profile, m Mode) Texel {
	switch {
	case hdr != 0 && (p != ProfileFloat || m == ModeUnorm8): // IMG-879
		return magenta
	case p == ProfileSrgb:
		return Texel{srgb8(c[0] >> 8), srgb8(c[1] >> 8), srgb8(c[2] >> 8), unorm8(c[3] >> 8)}
	case m == ModeUnorm8:
		return Texel{unorm8(c[0] >> 8), unorm8(c[1] >> 8), unorm8(c[2] >> 8), unorm8(c[3] >> 8)}
	case m == ModeSharedExponent:
		return shared(c, hdr)
	case hdr == 0:
		return Texel{fraction(c[0]), fraction(c[1]), fraction(c[2]), fraction(c[3])}
	}
	t := Texel{half(c[0]), half(c[1]), half(c[2]), 0}
	if hdr&hdrAlpha != 0 {
		t[3] = half(c[3])
	} else {
		t[3] = fraction(c[3])
	}
	return t
}

// fraction returns c/65536, truncated to a half float, and 1 for 65535. Below 4 the half would be denormal: it then has all bits.
func fraction(c uint32) uint32 {
	if c == 65535 {
		return one
	}
	f := math.Float32frombits(math.Float32bits(float32(c)) &^ 0x1fff)
	return math.Float32bits(f * 0x1p-16)
}

func half(c uint32) uint32   { return math.Float32bits(fp.HalfToFloat(uint16(c))) }
func unorm8(c uint32) uint32 { return math.Float32bits(fp.Unorm8ToFloat(uint8(c))) }
func srgb8(c uint32) uint32  { return math.Float32bits(fp.SrgbToLinear(uint8(c))) }
