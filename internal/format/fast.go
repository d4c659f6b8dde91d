package format

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format/astc"
	"github.com/pumice-gpu/pumice/internal/fp"
)

// The conversions here are decodeFields and encodeFields written out for the formats that carry most of the traffic: the same bits,
// held together by a test over every format. Each is picked by what the row says, never by the format's name.

// fastCodec replaces functions of c where the row has a layout that is written out.
func fastCodec(i *Info, c codec) codec {
	n := i.arrayOf()
	switch {
	case i.fourBytes() && i.Numeric == NumericUnorm:
		c = codec{true, blockNone, astc.ModeFloat16, decodeUnorm8888, encodeUnorm8888, decodeRowUnorm8888, encodeRowUnorm8888}
	case i.fourBytes() && i.Numeric == NumericSrgb:
		c = codec{true, blockNone, astc.ModeFloat16, decodeSrgb8888, encodeSrgb8888, decodeRowSrgb8888, encodeRowSrgb8888}
	case n == 1 && i.Components[0].Bits == 8 && i.Numeric == NumericUnorm:
		c.decode, c.decodeRow, c.encodeRow = decodeUnorm8, decodeRowUnorm8, encodeRowUnorm8
	case n == 4 && i.Components[0].Bits == 16 && i.Numeric == NumericSfloat:
		c.decode, c.decodeRow, c.encodeRow = decodeHalf4, decodeRowHalf4, encodeRowHalf4
	case n > 0 && i.Components[0].Bits == 32:
		// 32-bit components are lanes as they stand: float bits, or integers that can't exceed their own range.
		c.decode, c.encode = [...]func(*Info, []byte) Texel{decodeLanes1, decodeLanes2, decodeLanes3, decodeLanes4}[n-1], encodeLanes
		c.decodeRow, c.encodeRow = decodeRowLanes, encodeRowLanes
	}
	return c
}

// fourBytes says that R, G, B and A are the four bytes of a texel, in any order.
func (i *Info) fourBytes() bool {
	for _, c := range i.Components {
		if c.Bits != 8 || c.Kind == KindNone {
			return false
		}
	}
	return i.BlockBytes == 4
}

// arrayOf returns n where the format is R, RG, RGB or RGBA in this order, all of the same width and numeric format, without
// padding: 1 to 4. Else it returns 0. A lone depth counts as R.
func (i *Info) arrayOf() int {
	c0 := i.Components[0]
	for k, c := range i.Components[:min(i.ComponentCount, 4)] {
		if c.Kind == KindNone || c.Kind == KindS || c.Shift != k*c0.Bits || c.Bits != c0.Bits || c.Numeric != c0.Numeric {
			return 0
		}
	}
	if i.ComponentCount*c0.Bits != i.BlockBytes*8 {
		return 0
	}
	return i.ComponentCount
}

func (i *Info) shifts8888() (r, g, b, a uint) {
	c := &i.Components
	return uint(c[0].Shift) & 31, uint(c[1].Shift) & 31, uint(c[2].Shift) & 31, uint(c[3].Shift) & 31
}

func unorm8(w uint32) uint32     { return math.Float32bits(fp.Unorm8ToFloat(uint8(w))) }
func srgb8(w uint32) uint32      { return math.Float32bits(fp.SrgbToLinear(uint8(w))) }
func toUnorm8(v uint32) uint32   { return uint32(fp.FloatToUnorm8(math.Float32frombits(v))) }
func toSrgb8(v uint32) uint32    { return uint32(fp.LinearToSrgb(math.Float32frombits(v))) }
func half(w uint64) uint32       { return math.Float32bits(fp.HalfToFloat(uint16(w))) }
func toHalf(v uint32) uint16     { return fp.FloatToHalf(math.Float32frombits(v)) }
func lane32(src []byte) uint32   { return binary.LittleEndian.Uint32(src) }
func put32(dst []byte, v uint32) { binary.LittleEndian.PutUint32(dst, v) }

func decodeUnorm8888(i *Info, src []byte) Texel {
	r, g, b, a := i.shifts8888()
	w := lane32(src)
	return Texel{unorm8(w >> r), unorm8(w >> g), unorm8(w >> b), unorm8(w >> a)}
}

func encodeUnorm8888(i *Info, dst []byte, t Texel) {
	r, g, b, a := i.shifts8888()
	put32(dst, toUnorm8(t[0])<<r|toUnorm8(t[1])<<g|toUnorm8(t[2])<<b|toUnorm8(t[3])<<a)
}

func decodeRowUnorm8888(i *Info, dst []Texel, src []byte) {
	r, g, b, a := i.shifts8888()
	for k := range dst[:min(len(dst), len(src)/4)] {
		w := lane32(src[4*k:])
		dst[k] = Texel{unorm8(w >> r), unorm8(w >> g), unorm8(w >> b), unorm8(w >> a)}
	}
}

func encodeRowUnorm8888(i *Info, dst []byte, src []Texel) {
	r, g, b, a := i.shifts8888()
	for k := range src[:min(len(src), len(dst)/4)] {
		t := &src[k]
		put32(dst[4*k:], toUnorm8(t[0])<<r|toUnorm8(t[1])<<g|toUnorm8(t[2])<<b|toUnorm8(t[3])<<a)
	}
}

func decodeSrgb8888(i *Info, src []byte) Texel {
	r, g, b, a := i.shifts8888()
	w := lane32(src)
	return Texel{srgb8(w >> r), srgb8(w >> g), srgb8(w >> b), unorm8(w >> a)}
}

func encodeSrgb8888(i *Info, dst []byte, t Texel) {
	r, g, b, a := i.shifts8888()
	put32(dst, toSrgb8(t[0])<<r|toSrgb8(t[1])<<g|toSrgb8(t[2])<<b|toUnorm8(t[3])<<a)
}

func decodeRowSrgb8888(i *Info, dst []Texel, src []byte) {
	r, g, b, a := i.shifts8888()
	for k := range dst[:min(len(dst), len(src)/4)] {
		w := lane32(src[4*k:])
		dst[k] = Texel{srgb8(w >> r), srgb8(w >> g), srgb8(w >> b), unorm8(w >> a)}
	}
}

func encodeRowSrgb8888(i *Info, dst []byte, src []Texel) {
	r, g, b, a := i.shifts8888()
	for k := range src[:min(len(src), len(dst)/4)] {
		t := &src[k]
		put32(dst[4*k:], toSrgb8(t[0])<<r|toSrgb8(t[1])<<g|toSrgb8(t[2])<<b|toUnorm8(t[3])<<a)
	}
}

func decodeUnorm8(_ *Info, src []byte) Texel { return Texel{unorm8(uint32(src[0])), 0, 0, oneFloat} }

func decodeRowUnorm8(_ *Info, dst []Texel, src []byte) {
	for k := range dst[:min(len(dst), len(src))] {
		dst[k] = Texel{unorm8(uint32(src[k])), 0, 0, oneFloat}
	}
}

func encodeRowUnorm8(_ *Info, dst []byte, src []Texel) {
	for k := range src[:min(len(src), len(dst))] {
		dst[k] = uint8(toUnorm8(src[k][0]))
	}
}

func decodeHalf4(_ *Info, src []byte) Texel {
	w := binary.LittleEndian.Uint64(src)
	return Texel{half(w), half(w >> 16), half(w >> 32), half(w >> 48)}
}

// decodeRowHalf4 writes lanes one by one: a Texel that is returned passes through the stack, and reading 16 bytes that were just
// written as four words stalls (twice the time, measured).
func decodeRowHalf4(_ *Info, dst []Texel, src []byte) {
	for k := range dst[:min(len(dst), len(src)/8)] {
		d, w := &dst[k], binary.LittleEndian.Uint64(src[8*k:])
		d[0], d[1], d[2], d[3] = half(w), half(w>>16), half(w>>32), half(w>>48)
	}
}

func encodeRowHalf4(_ *Info, dst []byte, src []Texel) {
	for k := range src[:min(len(src), len(dst)/8)] {
		t, d := &src[k], dst[8*k:8*k+8]
		binary.LittleEndian.PutUint16(d, toHalf(t[0]))
		binary.LittleEndian.PutUint16(d[2:], toHalf(t[1]))
		binary.LittleEndian.PutUint16(d[4:], toHalf(t[2]))
		binary.LittleEndian.PutUint16(d[6:], toHalf(t[3]))
	}
}

// decodeLanes1, and the like, are for 32-bit components.
//
// IMG-753
func decodeLanes1(i *Info, src []byte) Texel {
	t := i.missing()
	t[0] = lane32(src)
	return t
}

// IMG-753
func decodeLanes2(i *Info, src []byte) Texel {
	t := i.missing()
	t[0], t[1] = lane32(src), lane32(src[4:])
	return t
}

// IMG-753
func decodeLanes3(i *Info, src []byte) Texel {
	t := i.missing()
	t[0], t[1], t[2] = lane32(src), lane32(src[4:]), lane32(src[8:])
	return t
}

// IMG-753
func decodeLanes4(_ *Info, src []byte) Texel {
	src = src[:16]
	return Texel{lane32(src), lane32(src[4:]), lane32(src[8:]), lane32(src[12:])}
}

// IMG-753
func encodeLanes(i *Info, dst []byte, t Texel) {
	for k := range i.BlockBytes / 4 {
		put32(dst[4*k:], t[k])
	}
}

// IMG-753
func decodeRowLanes(i *Info, dst []Texel, src []byte) {
	n, empty := i.BlockBytes/4, i.missing()
	if n == 4 {
		for k := range dst[:min(len(dst), len(src)/16)] {
			dst[k] = decodeLanes4(i, src[16*k:])
		}
		return
	}
	for k := range dst[:min(len(dst), len(src)/(4*n))] {
		t := empty
		for c := range n {
			t[c&3] = lane32(src[(k*n+c)*4:])
		}
		dst[k] = t
	}
}

// IMG-753
func encodeRowLanes(i *Info, dst []byte, src []Texel) {
	n := i.BlockBytes / 4
	for k := range src[:min(len(src), len(dst)/(4*n))] {
		for c := range n {
			put32(dst[(k*n+c)*4:], src[k][c&3])
		}
	}
}
