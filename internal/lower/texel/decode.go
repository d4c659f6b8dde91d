package texel

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// decoder is format conversion (§9): texels and their codes, from the words of memory.
type decoder struct{ *inputs }

// decodes says whether texels of a format can be read by routines: words, or parts of
// one or two.
func decodes(info *format.Info) bool {
	n := info.BlockBytes
	if info.Compressed || info.BlockWidth > 1 || len(info.Planes) > 1 || n > 6 && n%4 != 0 {
		return false
	}
	for _, c := range info.Components {
		if c.Kind != format.KindNone &&
			(c.Bits > 32 || c.Numeric == format.NumericSfixed || c.Numeric == format.NumericBool) {
			return false
		}
	}
	return true
}

// word reads a word of the image's memory.
func (e *inputs) word(at ir.Value) ir.Value {
	return e.b.OpImm(ir.OpLoadBuffer, ir.I32, e.memory, e.image, at)
}

// load reads the words of the texel at a byte offset that components lie in.
func (e *decoder) load(at ir.Value) [4]ir.Value {
	words := [4]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue, ir.NoValue}
	// IMG-750, IMG-752, IMG-755, IMG-756, IMG-758, IMG-762: 1 or 2 bytes come from the aligned word
	// that holds them, moved to its low end.
	if e.info.BlockBytes < 3 {
		w := e.word(e.i(ir.OpAnd, at, e.int(^uint32(3))))
		// Shifts take the low five bits of their operand.
		words[0] = e.i(ir.OpShrU, w, e.i(ir.OpShl, at, e.int(3)))
		return words
	}
	// IMG-750, IMG-752: 3 or 6 bytes come from the two words that hold them.
	if e.info.BlockBytes%4 != 0 {
		first := e.i(ir.OpAnd, at, e.int(^uint32(3)))
		lo := e.word(first)
		hi := e.word(e.sum(first, e.int(4)))
		by := e.i(ir.OpShl, at, e.int(3))
		up := e.i(ir.OpShl, e.i(ir.OpShl, hi, e.int(1)),
			e.i(ir.OpXor, e.i(ir.OpAnd, by, e.int(31)), e.int(31)))
		words[0], words[1] = e.i(ir.OpOr, e.i(ir.OpShrU, lo, by), up), e.i(ir.OpShrU, hi, by)
		return words
	}
	// IMG-750, IMG-751, IMG-752, IMG-753, IMG-757, IMG-758, IMG-762
	for _, c := range e.info.Components {
		w := c.Shift / 32
		// also of what is missing: it lies in the first word, and the first component is never missing
		if words[w] != ir.NoValue {
			continue
		}
		part, typ := at, ir.I32
		if w > 0 {
			part = e.sum(at, e.int(uint32(4*w)))
		}
		if c.Numeric == format.NumericSfloat && c.Bits == 32 {
			typ = ir.F32
		}
		words[w] = e.b.OpImm(ir.OpLoadBuffer, typ, e.memory, e.image, part)
	}
	return words
}

// decode is format conversion (§9) of a texel: its four components, those that the
// format lacks 0 or one. All words 0 give 0 in all others.
func (e *decoder) decode(words [4]ir.Value) (t [4]ir.Value) {
	if e.info.SharedExponent() {
		return e.sharedExponent(words[0])
	}
	return e.stored(func(c *format.Component) ir.Value { return e.component(c, words[c.Shift/32]) })
}

// stored is a texel of which the format has some components; the others are 0 or one.
//
// IMG-320
func (e *decoder) stored(component func(*format.Component) ir.Value) (t [4]ir.Value) {
	for c := range t {
		x := &e.info.Components[c]
		switch {
		case x.Kind == format.KindNone && c < 3:
			t[c] = e.int(0)
		case x.Kind == format.KindNone:
			t[c] = e.one()
		default:
			t[c] = component(x)
		}
	}
	return t
}

// listed is stored of a list of the components that the format has.
func (e *decoder) listed(list []ir.Value) [4]ir.Value {
	return e.stored(func(*format.Component) (x ir.Value) {
		x, list = list[0], list[1:]
		return x
	})
}

// one is what a missing alpha reads as.
//
// IMG-321
func (e *decoder) one() ir.Value {
	if e.info.Class == format.ClassFloat {
		return e.float(1)
	}
	return e.int(1)
}

// field extracts bits of a word, zero-extended and times 1<<up.
//
// IMG-251
func (e *builder) field(w ir.Value, shift, bits, up int) ir.Value {
	if bits == 32 {
		return w
	}
	if down := shift - up; down > 0 {
		w = e.i(ir.OpShrU, w, e.int(uint32(down)))
	} else if down < 0 {
		w = e.i(ir.OpShl, w, e.int(uint32(-down)))
	}
	if shift+bits == 32 && up == 0 {
		return w
	}
	return e.i(ir.OpAnd, w, e.int((1<<bits-1)<<up))
}

// signed extracts bits of a word, sign-extended.
func (e *builder) signed(w ir.Value, shift, bits int) ir.Value {
	if up := 32 - shift - bits; up > 0 {
		w = e.i(ir.OpShl, w, e.int(uint32(up)))
	}
	if bits == 32 {
		return w
	}
	return e.i(ir.OpShrS, w, e.int(uint32(32-bits)))
}

// component reads one component as its numeric format says.
//
// IMG-009, IMG-240, IMG-257
func (e *decoder) component(c *format.Component, w ir.Value) ir.Value {
	shift := c.Shift % 32
	switch c.Numeric {
	case format.NumericUnorm: // IMG-241, IMG-253
		return e.quotient(e.f(ir.OpS2F, e.field(w, shift, c.Bits, 0)), uint32(1)<<c.Bits-1)
	case format.NumericSnorm: // IMG-242
		x := e.quotient(e.f(ir.OpS2F, e.signed(w, shift, c.Bits)), uint32(1)<<(c.Bits-1)-1)
		return e.f(ir.OpFMax, x, e.float(-1))
	case format.NumericUscaled: // IMG-243
		return e.f(ir.OpU2F, e.field(w, shift, c.Bits, 0))
	case format.NumericSscaled: // IMG-243
		return e.f(ir.OpS2F, e.signed(w, shift, c.Bits))
	case format.NumericSint: // IMG-244
		return e.signed(w, shift, c.Bits)
	case format.NumericSrgb: // IMG-248, IMG-250
		return e.b.Op(ir.OpLoadTable, ir.F32, e.sum(e.field(w, shift, 8, 2), e.srgb()))
	case format.NumericUfloat: // binary16 without its sign and lowest bits: IMG-246, IMG-252
		return e.f(ir.OpH2F, e.field(w, shift, c.Bits, 15-c.Bits))
	case format.NumericSfloat:
		if c.Bits == 32 {
			return w // IMG-247
		}
		if shift > 0 {
			w = e.i(ir.OpShrU, w, e.int(uint32(shift)))
		}
		return e.f(ir.OpH2F, w) // IMG-245
	default: // IMG-244, IMG-253
		return e.field(w, shift, c.Bits, 0)
	}
}

// quotient is x/n, correctly rounded, for the integers x of at most 24 bits that
// stand for fractions of n: multiplication by 1/n as a sum of two numbers. The tests
// look at all of them.
//
// IMG-257
func (e *builder) quotient(x ir.Value, n uint32) ir.Value {
	hi, lo := inverse(n)
	return e.f(ir.OpFma, x, e.float(hi), e.f(ir.OpFMul, x, e.float(lo)))
}

// inverse is 1/n as the sum of two numbers.
func inverse(n uint32) (hi, lo float32) {
	hi = float32(1 / float64(n))
	return hi, float32(1/float64(n) - float64(hi))
}

// srgb makes a table of what sRGB codes stand for; it returns its offset.
func (e *decoder) srgb() ir.Value {
	return e.int(e.table(&e.srgbAt, func(t []byte) []byte {
		for c := range 256 {
			t = binary.LittleEndian.AppendUint32(t, math.Float32bits(fp.SrgbToLinear(uint8(c))))
		}
		return t
	}))
}

// table is where a part of the program's table begins, plus 1 in at; add appends it.
func (e *builder) table(at *uint32, add func(t []byte) []byte) uint32 {
	if *at == 0 {
		*at = uint32(len(e.b.P.Table)) + 1
		e.b.P.Table = add(e.b.P.Table)
	}
	return *at - 1
}

// sharedExponent is IMG-064 and IMG-252: three mantissas of 9 bits, exponent 5 bits.
//
// IMG-757
func (e *decoder) sharedExponent(w ir.Value) [4]ir.Value {
	// 2^(exponent − 15 − 9) as a number.
	scale := e.f(ir.OpBitcast, e.i(ir.OpShl, e.sum(e.i(ir.OpShrU, w, e.int(27)), e.int(127-24)),
		e.int(23)))
	part := func(shift int) ir.Value {
		return e.f(ir.OpFMul, e.f(ir.OpS2F, e.field(w, shift, 9, 0)), scale)
	}
	return [4]ir.Value{part(0), part(9), part(18), e.one()}
}
