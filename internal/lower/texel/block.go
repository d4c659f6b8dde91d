package texel

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/format/bc"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// # Blocks
//
// Texels of blocks are computed from the words of their block each time that they are read, so that
// nothing has to know when memory changes. Those of BC1 to BC5 are sums of two endpoints with
// weights that an index chooses: nibbles of a constant. The others are what engines decode
// (ir.OpBlock).

// ours says whether a routine decodes a format's blocks, and not the engine.
func ours(info *format.Info) bool {
	switch info.Compatibility {
	case "BC1_RGB", "BC1_RGBA", "BC2", "BC3", "BC4", "BC5":
		return true
	}
	return false
}

// fetched is the texel at a location, or 0 of what memory does not hold, of which no bits are those
// of a block.
//
// IMG-575, IMG-577, IMG-579, IMG-580
func (e *decoder) fetched(p location) [4]ir.Value {
	if !e.info.Compressed {
		return e.decode(e.load(p.at))
	}
	t := e.unpacked(p)
	for c := range t {
		if e.info.Components[c].Kind != format.KindNone {
			t[c] = e.b.Op(ir.OpSelect, ir.F32, p.out, e.float(0), t[c])
		}
	}
	return t
}

// decoded is the texel at a location, or the border.
func (e *decoder) decoded(p location) [4]ir.Value {
	if !e.info.Compressed {
		return e.bordered(e.decode(e.load(p.at)), p.out)
	}
	return e.bordered(e.unpacked(p), p.out)
}

// unpacked is a texel of a block.
//
// IMG-323, IMG-759
func (e *decoder) unpacked(p location) [4]ir.Value {
	var w []ir.Value
	for i := range e.info.BlockBytes / 4 {
		w = append(w, e.word(e.sum(p.at, e.int(uint32(4*i)))))
	}
	t := [4]ir.Value{e.float(0), e.float(0), e.float(0), e.float(1)}
	switch e.info.Compatibility {
	case "BC1_RGB", "BC1_RGBA":
		t = e.colours(w[0], w[1], p.in, e.is(ir.OpULt, e.i(ir.OpShrU, w[0], e.int(16)), e.i(ir.OpAnd, w[0], e.int(0xFFFF))))
	case "BC2":
		t = e.colours(w[2], w[3], p.in, e.b.Bool(true))
		// IMG-802: the lower eight texels are those of the first word.
		alpha := e.b.Op(ir.OpSelect, ir.I32, e.is(ir.OpULt, p.in, e.int(8)), w[0], w[1])
		t[3] = e.quotient(e.f(ir.OpS2F, e.i(ir.OpAnd, e.i(ir.OpShrU, alpha, e.i(ir.OpShl, p.in, e.int(2))), e.int(15))), 15)
	case "BC3":
		t = e.colours(w[2], w[3], p.in, e.b.Bool(true))
		t[3] = e.ramp(w[0], w[1], p.in)
	case "BC4":
		t[0] = e.ramp(w[0], w[1], p.in)
	case "BC5":
		t[0], t[1] = e.ramp(w[0], w[1], p.in), e.ramp(w[2], w[3], p.in)
	default:
		if e.info.CodeBlocks() {
			return e.decodeCodes(e.b.OpMore(ir.OpBlock, ir.I32, uint64(e.k.Format)|ir.BlockCodes,
				append(w, p.in)))
		}
		first := e.b.OpMore(ir.OpBlock, ir.I32, uint64(e.k.Format)|modes[e.k.Decode], append(w, p.in))
		for c := range t {
			if t[c] = first; c > 0 {
				t[c] = e.b.OpImm(ir.OpResult, ir.I32, uint64(c), first)
			}
			t[c] = e.f(ir.OpBitcast, t[c])
		}
	}
	return t
}

// modes are the bits of ir.OpBlock that say what ASTC blocks decode to.
var modes = map[vk.Format]uint64{
	vk.FormatR8G8B8A8Unorm: ir.BlockUnorm8, vk.FormatE5B9G9R9UfloatPack32: ir.BlockSharedExponent,
}

// decodeCodes is the texel of a word of codes of 8 bits.
func (e *decoder) decodeCodes(w ir.Value) (t [4]ir.Value) {
	for c := range t {
		x := e.info.Components[c]
		switch x.Bits, x.Shift = 8, 8*c; {
		case x.Kind != format.KindNone:
			t[c] = e.component(&x, w)
		case c < 3:
			t[c] = e.float(0)
		default:
			t[c] = e.float(1)
		}
	}
	return t
}

// nibble is one of the nibbles of x.
func (e *builder) nibble(x, i ir.Value) ir.Value {
	return e.i(ir.OpAnd, e.i(ir.OpShrU, x, e.i(ir.OpShl, i, e.int(2))), e.int(15))
}

// either is a constant where cond holds, else another.
func (e *builder) either(cond ir.Value, a, b uint32) ir.Value {
	return e.b.Op(ir.OpSelect, ir.I32, cond, e.int(a), e.int(b))
}

// colours is IMG-800 and IMG-801: the colour of a texel from two endpoints, the low half of a word
// and the high one, and indices of two bits. Both ends have weights in sixths.
func (e *decoder) colours(ends, indices, in, four ir.Value) [4]ir.Value {
	i := e.i(ir.OpAnd, e.i(ir.OpShrU, indices, e.sum(in, in)), e.int(3))
	both := e.i(ir.OpShrU, e.either(four, 0x42246006, 0x00336006), e.i(ir.OpShl, i, e.int(3))) // bytes of two nibbles
	first, second := e.i(ir.OpAnd, both, e.int(15)), e.field(both, 4, 4, 0)
	// Red and blue are summed up in one word.
	sum := func(a, b ir.Value) ir.Value { return e.sum(e.mul(a, first), e.mul(b, second)) }
	redBlue := func(c ir.Value, up int) ir.Value {
		red := e.i(ir.OpShl, c, e.int(5))
		blue := c
		if up < 0 {
			red, blue = e.i(ir.OpShrU, c, e.int(11)), e.i(ir.OpShrU, c, e.int(16))
		}
		return e.i(ir.OpOr, e.i(ir.OpAnd, red, e.int(31<<16)), e.i(ir.OpAnd, blue, e.int(31)))
	}
	rb := sum(redBlue(ends, 0), redBlue(ends, -1))
	g := sum(e.field(ends, 5, 6, 0), e.field(ends, 21, 6, 0))
	t := [4]ir.Value{e.i(ir.OpShrU, rb, e.int(16)), g, e.i(ir.OpAnd, rb, e.int(0xFFFF)), e.float(1)}
	if e.info.Numeric == format.NumericSrgb { // IMG-807
		for c, at := range [3]uint32{e.sixths(false), e.sixths(true), e.sixths(false)} {
			t[c] = e.b.Op(ir.OpLoadTable, ir.F32, e.sum(e.i(ir.OpShl, t[c], e.int(2)), e.int(at)))
		}
	} else {
		for c, n := range [3]uint32{186, 378, 186} {
			t[c] = e.quotient(e.f(ir.OpS2F, t[c]), n)
		}
	}
	if e.info.Compatibility == "BC1_RGBA" {
		opaque := e.is(ir.OpOr, four, e.is(ir.OpINe, i, e.int(3)))
		t[3] = e.b.Op(ir.OpSelect, ir.F32, opaque, e.float(1), e.float(0))
	}
	return t
}

// sixths makes the table of what sixths of sRGB codes of 5 or 6 bits stand for a part of the
// program's; it returns its offset.
func (e *decoder) sixths(six bool) uint32 {
	at, scale := &e.fiveAt, bc.Srgb5()
	if six {
		at, scale = &e.sixAt, bc.Srgb6()
	}
	return e.table(at, func(t []byte) []byte {
		for _, x := range scale {
			t = binary.LittleEndian.AppendUint32(t, x)
		}
		return t
	})
}

// ramp is IMG-804 and IMG-805: the number of a texel from two endpoints, the lowest bytes, and
// indices of three bits behind them. Both ends have weights in sevenths or fifths.
func (e *decoder) ramp(lo, hi, in ir.Value) ir.Value {
	signed := e.info.Numeric == format.NumericSnorm
	a, b, full, low := e.field(lo, 0, 8, 0), e.field(lo, 8, 8, 0), uint32(255), float32(0)
	if signed {
		a, b, full, low = e.signed(lo, 0, 8), e.signed(lo, 8, 8), 127, -1
	}
	sevenths := e.is(ir.OpSLt, b, a)
	if signed {
		least := int32(-127)
		a, b = e.i(ir.OpSMax, a, e.int(uint32(least))), e.i(ir.OpSMax, b, e.int(uint32(least)))
	}
	at := e.sum(e.sum(e.sum(in, in), in), e.int(16))
	// Shifts take the low five bits of their operand; one by 32 is one by 1 and by 31.
	near := e.i(ir.OpOr, e.i(ir.OpShrU, lo, at),
		e.i(ir.OpShl, e.i(ir.OpShl, hi, e.int(1)),
			e.i(ir.OpXor, e.i(ir.OpAnd, at, e.int(31)), e.int(31))))
	bits := e.b.Op(ir.OpSelect, ir.I32, e.is(ir.OpULt, at, e.int(32)), near, e.i(ir.OpShrU, hi, at))
	i := e.i(ir.OpAnd, bits, e.int(7))
	second := e.nibble(e.either(sevenths, 0x65432170, 0x00432150), i)
	first := e.i(ir.OpISub, e.either(sevenths, 7, 5), second)
	x := e.f(ir.OpS2F, e.sum(e.mul(a, first), e.mul(b, second)))
	h7, l7 := inverse(7 * full)
	h5, l5 := inverse(5 * full)
	pick := func(a, b float32) ir.Value {
		return e.b.Op(ir.OpSelect, ir.F32, sevenths, e.float(a), e.float(b))
	}
	v := e.f(ir.OpFma, x, pick(h7, h5), e.f(ir.OpFMul, x, pick(l7, l5)))
	end := e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpIEq, i, e.int(6)), e.float(low), e.float(1))
	return e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpOr, sevenths, e.is(ir.OpULt, i, e.int(6))), v, end)
}
