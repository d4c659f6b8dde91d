package fragops

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
)

// Codes to numbers, as internal/format has them, in few operations; package pack has the
// way back.

// decode is component i of the stored texel: 0 where the format has none, 1 for
// alpha.
func (b *builder) decode(i int) number {
	c := &b.info.Components[i]
	if c.Kind == format.KindNone {
		return b.constant(float32(i / 3))
	}
	w, s, bits := b.stored[c.Shift/32], uint32(c.Shift%32), uint32(c.Bits)
	switch c.Numeric {
	case format.NumericUnorm:
		limit := uint32(1)<<bits - 1
		v := b.shr(w, s)
		if s+bits < 32 {
			v = b.Op(ir.OpAnd, ir.I32, v, b.I32(limit))
		}
		return number{V: b.divide(v, limit), Hi: 1}
	case format.NumericSnorm:
		limit := uint32(1)<<(bits-1) - 1
		v := b.Op(ir.OpShrS, ir.I32, b.shl(w, 32-s-bits), b.I32(32-bits))
		return number{V: b.divide(b.Op(ir.OpSMax, ir.I32, v, b.I32(-limit)), limit), Lo: -1, Hi: 1}
	case format.NumericUscaled: // IMG-243
		v := b.shr(w, s)
		if s+bits < 32 {
			v = b.Op(ir.OpAnd, ir.I32, v, b.I32(1<<bits-1))
		}
		return number{V: b.Op(ir.OpS2F, ir.F32, v), Hi: float32(uint32(1)<<bits - 1)}
	case format.NumericSscaled: // IMG-243
		v := b.Op(ir.OpShrS, ir.I32, b.shl(w, 32-s-bits), b.I32(32-bits))
		half := float32(uint32(1) << (bits - 1))
		return number{V: b.Op(ir.OpS2F, ir.F32, v), Lo: -half, Hi: half - 1}
	case format.NumericSrgb:
		return b.fromSrgb(w, s)
	}
	n := number{Lo: inf(-1), Hi: inf(1), NaN: true}
	switch {
	case c.Numeric == format.NumericUfloat: // the upper bits of binary16
		up := 15 - bits
		v := b.shl(w, up)
		if s > 0 {
			v = b.shr(w, s-up)
		}
		n.V = b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpAnd, ir.I32, v, b.I32((1<<bits-1)<<up)))
	case bits == 16:
		n.V = b.Op(ir.OpH2F, ir.F32, b.shr(w, s))
	default:
		n.V = b.Op(ir.OpBitcast, ir.F32, w)
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

// fromSrgb is the linear value of the code at bit s of a word.
//
// IMG-248, RAS-343 KDF:TRANSFER_SRGB_EOTF
func (b *builder) fromSrgb(w ir.Value, s uint32) number {
	v := b.shl(w, 2)
	if s > 0 {
		v = b.shr(w, s-2)
	}
	at := b.Op(ir.OpAnd, ir.I32, v, b.I32(255<<2))
	if table := pack.SrgbTable(b.Builder); table > 0 {
		at = b.Op(ir.OpIAdd, ir.I32, at, b.I32(table))
	}
	return number{V: b.Op(ir.OpLoadTable, ir.F32, at), Hi: 1}
}
