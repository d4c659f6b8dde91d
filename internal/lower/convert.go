package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// conversion lowers the conversions that change a width; ok is false for those
// between 32-bit types, which are rows of componentwise.
func (c *compiler) conversion(in *spirv.Inst) (ok bool) {
	switch in.Op {
	case spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert, spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpBitcast:
	default:
		return false
	}
	from, to := c.elemOf(in.ID(0)), elem(c.typ(in.Type))
	if from.Width == 32 && to.Width == 32 || from.Kind == spirv.KindBool || to.Kind == spirv.KindBool {
		return false
	}
	if from.Kind == spirv.KindPointer || to.Kind == spirv.KindPointer {
		// Addresses are pairs already.
		c.setScalars(c.scalars(in.ID(0), len(c.flat(c.typ(in.Type)))))
		return true
	}
	if in.Op == spirv.OpBitcast {
		c.regroup(in, from, to)
		return true
	}
	var out []ir.Value
	for _, x := range c.comps(in.ID(0), c.size(c.typ(in.Type))) {
		switch in.Op {
		case spirv.OpUConvert, spirv.OpSConvert:
			out = append(out, c.convertInt(x, from, to, in.Op == spirv.OpSConvert))
		case spirv.OpFConvert:
			y := c.convertFloat(x, from, to)
			if mode, ok := c.m.Decoration(in.Result, spirv.DecorationFPRoundingMode); ok && isHalf(to) && mode[0] == roundRTZ {
				y = c.towardZero(x, y, from)
			}
			out = append(out, y)
		case spirv.OpConvertFToU, spirv.OpConvertFToS:
			out = append(out, c.floatToInt(x, from, to, in.Op == spirv.OpConvertFToS))
		default:
			out = append(out, c.intToFloat(x, from, to, in.Op == spirv.OpConvertSToF))
		}
	}
	c.setScalars(out)
	return true
}

func (c *compiler) one(s []ir.Value) ir.Value {
	if len(s) == 2 {
		return c.pair(s[0], s[1])
	}
	return s[0]
}

func (c *compiler) convertInt(x ir.Value, from, to *spirv.Type, signed bool) ir.Value {
	if from.Kind != spirv.KindInt || to.Kind != spirv.KindInt {
		c.fail("a conversion of %v to %v", from, to)
	}
	if isWide(from) {
		if isWide(to) {
			return x
		}
		return c.fit(c.words(x)[0], to)
	}
	if signed {
		x = c.signExtend(x, from)
	}
	if isWide(to) {
		return c.one(c.toWide(x, signed))
	}
	return c.fit(x, to)
}

func (c *compiler) convertFloat(x ir.Value, from, to *spirv.Type) ir.Value {
	if from.Kind != spirv.KindFloat || to.Kind != spirv.KindFloat {
		c.fail("a conversion of %v to %v", from, to)
	}
	switch {
	case from.Width == to.Width:
		return x
	case isWide(from) && isHalf(to): // one rounding
		return c.b.Op(ir.OpH2F, ir.F32, c.wideOp(ir.WideD2H, c.words(x)...)[0])
	case isWide(from):
		return c.wideOp(ir.WideD2F, c.words(x)...)[0]
	case isWide(to):
		return c.one(c.wideOp(ir.WideF2D, x))
	default:
		return c.fit(x, to)
	}
}

// roundRTZ is FPRoundingMode RTZ.
const roundRTZ = 1

// towardZero makes of h, x rounded to the nearest binary16, x rounded toward zero:
// where h is the larger one, the number before it. That of infinity is the largest
// number. FPRoundingMode is for conversions to 16 bits only.
func (c *compiler) towardZero(x, h ir.Value, from *spirv.Type) ir.Value {
	b := c.b
	size := b.Op(ir.OpFAbs, ir.F32, h)
	var larger ir.Value
	if isWide(from) {
		w := c.words(x)
		abs := b.Op(ir.OpAnd, ir.I32, w[1], b.I32(0x7fffffff))
		s := c.wideOp(ir.WideF2D, size)
		larger = c.wideOp(ir.WideFLt, w[0], abs, s[0], s[1])[0]
	} else {
		larger = b.Op(ir.OpFLt, ir.Bool, b.Op(ir.OpFAbs, ir.F32, x), size)
	}
	bits := b.Op(ir.OpF2H, ir.I32, h)
	before := b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpISub, ir.I32, bits, b.I32(1)))
	return b.Op(ir.OpSelect, ir.F32, larger, before, h)
}

func (c *compiler) floatToInt(x ir.Value, from, to *spirv.Type, signed bool) ir.Value {
	if from.Kind != spirv.KindFloat || to.Kind != spirv.KindInt {
		c.fail("a conversion of %v to %v", from, to)
	}
	pick := func(s, u ir.WideOp) ir.WideOp {
		if signed {
			return s
		}
		return u
	}
	switch {
	case isWide(from) && isWide(to):
		return c.one(c.wideOp(pick(ir.WideD2L, ir.WideD2UL), c.words(x)...))
	case isWide(from):
		return c.fit(c.wideOp(pick(ir.WideD2S, ir.WideD2U), c.words(x)...)[0], to)
	case isWide(to):
		return c.one(c.wideOp(pick(ir.WideF2L, ir.WideF2UL), x))
	}
	op := ir.OpF2U
	if signed {
		op = ir.OpF2S
	}
	return c.fit(c.b.Op(op, ir.I32, x), to)
}

func (c *compiler) intToFloat(x ir.Value, from, to *spirv.Type, signed bool) ir.Value {
	if from.Kind != spirv.KindInt || to.Kind != spirv.KindFloat {
		c.fail("a conversion of %v to %v", from, to)
	}
	pick := func(s, u ir.WideOp) ir.WideOp {
		if signed {
			return s
		}
		return u
	}
	if signed && !isWide(from) {
		x = c.signExtend(x, from)
	}
	switch {
	case isWide(from) && isWide(to):
		return c.one(c.wideOp(pick(ir.WideL2D, ir.WideUL2D), c.words(x)...))
	case isWide(from): // integers that binary16 holds are exact in binary32
		return c.fit(c.wideOp(pick(ir.WideL2F, ir.WideUL2F), c.words(x)...)[0], to)
	case isWide(to):
		return c.one(c.wideOp(pick(ir.WideS2D, ir.WideU2D), x))
	}
	op := ir.OpU2F
	if signed {
		op = ir.OpS2F
	}
	return c.fit(c.b.Op(op, ir.F32, x), to)
}

// regroup is OpBitcast between types of different widths: the bits in a row,
// component 0 lowest, cut anew.
func (c *compiler) regroup(in *spirv.Inst, from, to *spirv.Type) {
	b := c.b
	s := c.scalars(in.ID(0), -1)
	// The bits as 32-bit words.
	var words []ir.Value
	n := perComponent(from)
	at := uint32(0)
	for i := 0; i < len(s); i += n {
		bits := c.bits(s[i:i+n], from)
		if from.Width >= 32 {
			words = append(words, bits...)
			continue
		}
		if at%32 == 0 {
			words = append(words, bits[0])
		} else {
			last := &words[len(words)-1]
			*last = b.Op(ir.OpOr, ir.I32, *last, b.Op(ir.OpShl, ir.I32, bits[0], b.I32(at%32)))
		}
		at += from.Width
	}
	count := c.size(c.typ(in.Type))
	if uint32(count)*to.Width != uint32(len(s)/n)*from.Width {
		c.fail("a cast of %v to a type of another size", c.typ(c.m.Def(in.ID(0)).Type))
	}
	var out []ir.Value
	for i := range uint32(count) {
		switch {
		case to.Width == 64:
			out = append(out, words[2*i], words[2*i+1])
		case to.Width == 32:
			out = append(out, c.fromBits(words[i:i+1], to)...)
		default:
			at := i * to.Width
			part := b.Op(ir.OpBitFieldU, ir.I32, words[at/32], b.I32(at%32), b.I32(to.Width))
			out = append(out, c.fromBits([]ir.Value{part}, to)...)
		}
	}
	c.setScalars(out)
}
