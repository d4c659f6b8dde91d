package format

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format/astc"
	"github.com/pumice-gpu/pumice/internal/fp"
)

// codec converts texels of one format. Rows convert as many texels as both sides hold.
type codec struct {
	ok        bool      // texels of the format can be converted
	block     blockCode // how blocks are encoded, in compressed formats
	mode      astc.Mode // what ASTC blocks decode to
	decode    func(i *Info, src []byte) Texel
	encode    func(i *Info, dst []byte, t Texel)
	decodeRow func(i *Info, dst []Texel, src []byte)
	encodeRow func(i *Info, dst []byte, src []Texel)
}

// Bits of float32 numbers that fill missing components.
const oneFloat = 0x3f800000

// Decode converts the texel at the start of src, which holds at least BlockBytes bytes. Missing components become 0, missing alpha
// one: 1.0 in float formats, 1 in integer formats (IMG-320, IMG-321). Depth and stencil come in the first component; for formats with
// depth and stencil this is the depth plane, and ForAspect gives the other. Of a compressed format it is the first texel of the block:
// DecodeBlock gives all of them. Formats that are not Supported give the texel of a format without components.
func (i *Info) Decode(src []byte) Texel { return i.codec.decode(i, src) }

// Encode converts t and writes it to the start of dst, exactly the bytes of the texel. Components that the format lacks are dropped,
// padding bits become 0 (IMG-049, IMG-374). Lanes are read as Class says. Compressed formats, and those that are
// not Supported, write nothing: no feature lets them be written.
func (i *Info) Encode(dst []byte, t Texel) { i.codec.encode(i, dst, t) }

// DecodeRow decodes consecutive texels: as many as dst holds, or as src holds whole ones. Of compressed formats it decodes consecutive
// blocks, all texels of one after those of the other.
func (i *Info) DecodeRow(dst []Texel, src []byte) { i.codec.decodeRow(i, dst, src) }

// EncodeRow encodes consecutive texels: as many as src holds, or as dst has room for.
func (i *Info) EncodeRow(dst []byte, src []Texel) { i.codec.encodeRow(i, dst, src) }

// newCodec picks the conversion of a format from its properties.
func newCodec(i *Info) codec {
	if i.Compressed {
		if b := blockCodeOf(i); b != blockNone {
			return codec{true, b, astc.ModeFloat16, decodeFirst, encodeNothing, decodeBlocks, encodeNoRow}
		}
		return noCodec
	}
	switch {
	case i.Optional:
		return noCodec
	case i.Chroma != "" && i.BlockWidth > 1:
		return codec{true, block422, astc.ModeFloat16, decodeFirst, encodeNothing, decodeBlocks, encodeNoRow}
	case i.MultiPlanar():
		// The planes have rows of their own; nothing holds a whole texel.
		planar := noCodec
		planar.ok = true
		return planar
	}
	c := codec{ok: true, decode: decodeFields, encode: encodeFields, decodeRow: decodeRowGeneric, encodeRow: encodeRowGeneric}
	switch {
	case i.SharedExponent():
		c.decode, c.encode = decodeShared, encodeShared
	case i.Components[0].Bits == 64:
		c.decode, c.encode = decodeWide, encodeWide
	}
	return fastCodec(i, c)
}

// noCodec is that of formats that are not supported: safe to call, without effect.
var noCodec = codec{
	decode:    func(i *Info, _ []byte) Texel { return i.missing() },
	encode:    encodeNothing,
	decodeRow: func(*Info, []Texel, []byte) {},
	encodeRow: encodeNoRow,
}

func encodeNothing(*Info, []byte, Texel) {}
func encodeNoRow(*Info, []byte, []Texel) {}

// texelBytes is the size of what the codec reads: the block, or the first plane's.
func (i *Info) texelBytes() int { return i.Planes[0].BlockBytes }

func decodeRowGeneric(i *Info, dst []Texel, src []byte) {
	n := i.texelBytes()
	for k := range min(len(dst), len(src)/n) {
		dst[k] = i.codec.decode(i, src[k*n:(k+1)*n])
	}
}

func encodeRowGeneric(i *Info, dst []byte, src []Texel) {
	n := i.texelBytes()
	for k := range min(len(src), len(dst)/n) {
		i.codec.encode(i, dst[k*n:(k+1)*n], src[k])
	}
}

// load reads up to 8 bytes as a little-endian number.
//
// IMG-050, IMG-767
func load(src []byte) uint64 {
	switch len(src) {
	case 2:
		return uint64(binary.LittleEndian.Uint16(src))
	case 4:
		return uint64(binary.LittleEndian.Uint32(src))
	case 8:
		return binary.LittleEndian.Uint64(src)
	}
	v := uint64(0)
	for k, b := range src {
		v |= uint64(b) << (8 * k)
	}
	return v
}

// store writes the low bytes of v to dst, little-endian.
//
// IMG-050
func store(dst []byte, v uint64) {
	for k := range dst {
		dst[k] = byte(v >> (8 * k))
	}
}

// missing is the texel of a format without components.
func (i *Info) missing() Texel {
	if i.Class == ClassFloat {
		return Texel{3: oneFloat}
	}
	return Texel{3: 1}
}

// decodeFields is the rule for all formats of at most 8 bytes; components of larger ones are whole lanes.
func decodeFields(i *Info, src []byte) Texel {
	t, word := i.missing(), load(src[:i.texelBytes()]) // IMG-750, IMG-751, IMG-752, IMG-755, IMG-756, IMG-757, IMG-762, IMG-767
	for k := range t {
		c := &i.Components[k]
		// IMG-758: stencil is in a plane of its own.
		if c.Kind == KindNone || c.Kind == KindS && k > 0 {
			continue
		}

		t[k] = decodeComponent(c, word>>c.Shift) // IMG-750, IMG-751, IMG-752, IMG-755, IMG-756, IMG-757, IMG-762, IMG-767
	}
	return t
}

// encodeFields is the inverse rule: bits that belong to no component become 0.
func encodeFields(i *Info, dst []byte, t Texel) {
	word := uint64(0) // IMG-383
	for k := range t {
		c := &i.Components[k]
		if c.Kind == KindNone || c.Kind == KindS && k > 0 {
			continue
		}
		// IMG-383
		mask := uint64(1)<<c.Bits - 1
		word |= uint64(encodeComponent(c, t[k])) & mask << c.Shift
	}
	store(dst[:i.texelBytes()], word)
}

// decodeComponent reads the low bits of raw as the component's numeric format says.
//
// IMG-240, IMG-257
func decodeComponent(c *Component, raw uint64) uint32 {
	bits := uint(c.Bits)
	u := uint32(raw & (1<<bits - 1))
	// IMG-766: signed fields are extended from their own width.
	s := int32(u<<(32-bits)) >> (32 - bits)
	switch c.Numeric {
	case NumericUnorm: // IMG-241, IMG-251, IMG-253
		return math.Float32bits(fp.UnormToFloat(u, bits))
	case NumericSnorm: // IMG-242
		return math.Float32bits(fp.SnormToFloat(s, bits))
	case NumericUscaled: // IMG-243
		return math.Float32bits(float32(u))
	case NumericSscaled: // IMG-243
		return math.Float32bits(float32(s))
	case NumericUint: // IMG-244, IMG-253
		return u
	case NumericSint: // IMG-244
		return uint32(s)
	case NumericSrgb: // IMG-248, IMG-250
		return math.Float32bits(fp.SrgbToLinear(uint8(u)))
	case NumericUfloat: // IMG-246, IMG-252
		if bits == 11 {
			return math.Float32bits(fp.Float11ToFloat(u))
		}
		return math.Float32bits(fp.Float10ToFloat(u))
	case NumericSfloat:
		if bits == 16 {
			return math.Float32bits(fp.HalfToFloat(uint16(u))) // IMG-245
		}
		return u // IMG-247: the bits as they are
	}
	return 0 // newCodec lets no other numeric format through
}

// encodeComponent is the inverse. The result may have bits above the component's width.
//
// IMG-375
func encodeComponent(c *Component, v uint32) uint32 {
	bits := uint(c.Bits)
	f := math.Float32frombits(v)
	switch c.Numeric {
	case NumericUnorm: // IMG-376, IMG-382
		return fp.FloatToUnorm(f, bits)
	case NumericSnorm: // IMG-377
		return uint32(fp.FloatToSnorm(f, bits))
	case NumericUscaled: // IMG-380
		return fp.FloatToUint(f, bits)
	case NumericSscaled: // IMG-380
		return uint32(fp.FloatToInt(f, bits))
	case NumericUint: // IMG-381: saturate
		return min(v, uint32(1<<bits-1))
	case NumericSint: // IMG-381
		limit := int32(uint32(1)<<(bits-1) - 1)
		return uint32(max(min(int32(v), limit), -limit-1))
	case NumericSrgb:
		return uint32(fp.LinearToSrgb(f))
	case NumericUfloat: // IMG-379
		if bits == 11 {
			return fp.FloatToFloat11(f)
		}
		return fp.FloatToFloat10(f)
	case NumericSfloat:
		if bits == 16 {
			return uint32(fp.FloatToHalf(f)) // IMG-378
		}
		return v // IMG-382
	}
	return 0
}

// decodeShared is E5B9G9R9.
//
// IMG-757
func decodeShared(_ *Info, src []byte) Texel {
	r, g, b := fp.E5B9G9R9ToFloat(binary.LittleEndian.Uint32(src))
	return Texel{math.Float32bits(r), math.Float32bits(g), math.Float32bits(b), oneFloat}
}

// encodeShared is its inverse.
//
// IMG-757
func encodeShared(_ *Info, dst []byte, t Texel) {
	f := math.Float32frombits
	binary.LittleEndian.PutUint32(dst, fp.FloatToE5B9G9R9(f(t[0]), f(t[1]), f(t[2])))
}
