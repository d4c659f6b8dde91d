package fragops

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Numbers to codes and back, as internal/format has them, in few operations.

// encode is the code of a component in the low bits of a word. The bits above are
// those of bias, or go beyond the word where the code stands in it.
func (b *builder) encode(c *format.Component, n number) (code ir.Value, bias uint32) {
	bits, top := uint32(c.Bits), c.Shift%32+c.Bits == 32
	limit := uint32(uint64(1)<<bits - 1)
	low := func(v ir.Value) ir.Value {
		if top {
			return v
		}
		return b.Op(ir.OpAnd, ir.I32, v, b.I32(limit))
	}
	switch c.Numeric {
	case format.NumericUnorm:
		return b.round(b.clampTo(n, 0, 1), float32(limit), unormBias), unormBias
	case format.NumericSnorm:
		return low(b.round(b.clampTo(n, -1, 1), float32(limit>>1), snormBias)), 0
	case format.NumericSrgb:
		return b.toSrgb(n), 0
	case format.NumericUint: // IMG-381: saturate
		if bits == 32 {
			return n.v, 0
		}
		return b.Op(ir.OpUMin, ir.I32, n.v, b.I32(limit)), 0
	case format.NumericSint:
		if bits == 32 {
			return n.v, 0
		}
		v := b.Op(ir.OpSMin, ir.I32, n.v, b.I32(limit>>1))
		return low(b.Op(ir.OpSMax, ir.I32, v, b.I32(^(limit >> 1)))), 0
	case format.NumericUfloat:
		return b.toUfloat(n, bits-5), 0
	default: // NumericSfloat
		if bits == 16 {
			return b.Op(ir.OpF2H, ir.I32, n.v), 0
		}
		return b.Op(ir.OpBitcast, ir.I32, n.v), 0
	}
}

// Floats of which one unit is one in the last place: a fused sum with them rounds
// the exact product to an integer, ties to even, which then stands in the low bits.
// That holds for products below 2^23 that are positive, or below 2^22 of any sign.
const (
	unormBias = 0x4B000000 // 2^23
	snormBias = 0x4B400000 // 1.5·2^23
)

// round is n·limit rounded to an integer, ties to even, plus the bias.
//
// IMG-376, IMG-377, RAS-004 fundamentals-fpfixedconv
func (b *builder) round(n number, limit float32, bias uint32) ir.Value {
	return b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFma, ir.F32, n.v, b.F32(limit), b.Const(ir.F32, bias)))
}

// toUfloat rounds to a float without sign, with 5 exponent bits and m mantissa bits:
// fp's floatToUnsigned without branches.
//
// IMG-379
func (b *builder) toUfloat(n number, m uint32) ir.Value {
	shift, magic := 23-m, (127+9-m)<<23
	// From 65536 on infinity, which that is the code of; what is negative 0.
	v := b.Op(ir.OpFMin, ir.F32, b.Op(ir.OpFMax, ir.F32, n.v, b.F32(0)), b.F32(65536))
	w := b.Op(ir.OpBitcast, ir.I32, v)
	odd := b.Op(ir.OpAnd, ir.I32, b.shr(w, shift), b.I32(1))
	up := b.Op(ir.OpIAdd, ir.I32, w, b.I32(1<<(shift-1)-1-(127-15)<<23))
	normal := b.shr(b.Op(ir.OpIAdd, ir.I32, up, odd), shift)
	// A denormal's unit is that of floats around magic.
	denormal := b.Op(ir.OpISub, ir.I32, b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFAdd, ir.F32, v, b.Const(ir.F32, magic))), b.I32(magic))
	code := b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpFLt, ir.Bool, v, b.F32(0x1p-14)), denormal, normal)
	return b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpFEq, ir.Bool, n.v, n.v), code, b.I32(0x3F<<(m-1)))
}

// decode is component i of the stored texel: 0 where the format has none, 1 for
// alpha.
func (b *builder) decode(i int) number {
	c := &b.info.Components[i]
	if c.Kind == format.KindNone {
		return b.constant(float32(i / 3))
	}
	w, s, bits := b.texel(c.Shift/32), uint32(c.Shift%32), uint32(c.Bits)
	switch c.Numeric {
	case format.NumericUnorm:
		limit := uint32(1)<<bits - 1
		v := b.shr(w, s)
		if s+bits < 32 {
			v = b.Op(ir.OpAnd, ir.I32, v, b.I32(limit))
		}
		return number{v: b.divide(v, limit), hi: 1}
	case format.NumericSnorm:
		limit := uint32(1)<<(bits-1) - 1
		v := b.Op(ir.OpShrS, ir.I32, b.shl(w, 32-s-bits), b.I32(32-bits))
		return number{v: b.divide(b.Op(ir.OpSMax, ir.I32, v, b.I32(-limit)), limit), lo: -1, hi: 1}
	case format.NumericSrgb:
		return b.fromSrgb(w, s)
	}
	n := number{lo: inf(-1), hi: inf(1), nan: true}
	switch {
	case c.Numeric == format.NumericUfloat: // the upper bits of binary16
		up := 15 - bits
		v := b.shl(w, up)
		if s > 0 {
			v = b.shr(w, s-up)
		}
		n.v = b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpAnd, ir.I32, v, b.I32((1<<bits-1)<<up)))
	case bits == 16:
		n.v = b.Op(ir.OpH2F, ir.F32, b.shr(w, s))
	default:
		n.v = b.Op(ir.OpBitcast, ir.F32, w)
	}
	return n
}

// divide is v / limit, correctly rounded: v·(hi + lo), hi and lo together the
// reciprocal to twice the precision. A test tries all codes.
//
// IMG-241, IMG-242, RAS-004 fundamentals-fixedfpconv
func (b *builder) divide(v ir.Value, limit uint32) ir.Value {
	f := b.Op(ir.OpS2F, ir.F32, v)
	if limit == 1 {
		return f
	}
	hi := float32(1 / float64(limit))
	lo := float32(1/float64(limit) - float64(hi))
	return b.Op(ir.OpFma, ir.F32, f, b.F32(hi), b.Op(ir.OpFMul, ir.F32, f, b.F32(lo)))
}

// Groups of floats that share exponent and seven upper mantissa bits, from the float
// below which all codes are 0 to 1. Each has one code or two.
const (
	srgbFirst = 0x3900 // 2^-13
	srgbLast  = 0x3F7F
)

// toSrgb is the code of a linear value. A look-up by group finds its first code and
// how many of its floats have that, in a word to which the float's bits are added:
// its upper half is the code, with the carry out of the lower.
//
// IMG-249, IMG-376 KDF:TRANSFER_SRGB_INVEOTF
func (b *builder) toSrgb(n number) ir.Value {
	b.P.Table = srgbTable()
	n = number{v: b.Op(ir.OpFMax, ir.F32, n.v, b.Const(ir.F32, srgbFirst<<16))} // NaN, too
	v := b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFMin, ir.F32, n.v, b.Const(ir.F32, 0x3F7FFFFF)))
	at := b.Op(ir.OpISub, ir.I32, b.shl(b.shr(v, 16), 2), b.I32(4*srgbFirst-srgbCodes))
	return b.shr(b.Op(ir.OpIAdd, ir.I32, v, b.Op(ir.OpLoadTable, ir.I32, at)), 16)
}

// srgbCodes is where in the table the words of toSrgb begin; those of fromSrgb stand
// before them.
const srgbCodes = 4 * 256

// srgbTable is the table of programs that convert to sRGB or from it.
var srgbTable = sync.OnceValue(func() (t []byte) {
	for c := range 256 {
		t = binary.LittleEndian.AppendUint32(t, math.Float32bits(fp.SrgbToLinear(uint8(c))))
	}
	for group := uint32(srgbFirst); group <= srgbLast; group++ {
		code := uint32(fp.LinearToSrgb(math.Float32frombits(group << 16)))
		next := uint32(1 << 16)
		if code < 255 {
			next = min(next, fp.SrgbStart(uint8(code+1))-group<<16)
		}
		t = binary.LittleEndian.AppendUint32(t, code<<16+1<<16-next-group<<16)
	}
	return t
})

// fromSrgb is the linear value of the code at bit s of a word.
//
// IMG-248, RAS-343 KDF:TRANSFER_SRGB_EOTF
func (b *builder) fromSrgb(w ir.Value, s uint32) number {
	b.P.Table = srgbTable()
	v := b.shl(w, 2)
	if s > 0 {
		v = b.shr(w, s-2)
	}
	return number{v: b.Op(ir.OpLoadTable, ir.F32, b.Op(ir.OpAnd, ir.I32, v, b.I32(255<<2))), hi: 1}
}
