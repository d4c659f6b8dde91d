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
	rounds := (in.Op == spirv.OpConvertSToF || in.Op == spirv.OpConvertUToF) && c.control(to.Width).zero
	if from.Width == 32 && to.Width == 32 && !rounds || from.Kind == spirv.KindBool || to.Kind == spirv.KindBool {
		return false
	}
	if from.Kind == spirv.KindPointer || to.Kind == spirv.KindPointer {
		v, t := c.get(in.ID(0)), c.typ(in.Type)
		if v.p != nil && v.p.space == spaceBuffer && t.Kind == spirv.KindPointer {
			p := *v.p // of a block that is decoded
			p.ptrType, p.t, p.compStride = t, t.Elem, componentBytes(t.Elem)
			c.set(&value{p: &p})
			return true
		}
		// Addresses are pairs already.
		c.setScalars(c.scalars(in.ID(0), len(c.flat(c.typ(in.Type)))))
		return true
	}
	if in.Op == spirv.OpBitcast {
		if c.typ(in.Type).Kind == spirv.KindCooperative { // of integers of one width
			c.setScalars(c.scalars(in.ID(0), -1))
			return true
		}
		c.regroup(in, from, to)
		return true
	}
	var out []ir.Value
	for _, x := range c.comps(in.ID(0), c.size(c.typ(in.Type))) {
		switch in.Op {
		case spirv.OpUConvert, spirv.OpSConvert:
			out = append(out, c.convertInt(x, from, to, in.Op == spirv.OpSConvert))
		case spirv.OpFConvert:
			out = append(out, c.flush(c.convertFloat(x, from, to), to))
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
	if from.Coded != 0 {
		x, from = c.decode(x, from), singleType
	}
	if to.Coded != 0 {
		return c.encode(c.single(x, from), to)
	}
	zero := c.roundsZero(to)
	switch {
	case from.Width == to.Width:
		return x
	case isWide(from) && zero: // cutting twice is cutting once
		x = c.wideOp(ir.WideD2FZ, c.words(x)...)[0]
		if !isHalf(to) {
			return x
		}
	case isWide(from) && isHalf(to): // one rounding
		return c.b.Op(ir.OpH2F, ir.F32, c.wideOp(ir.WideD2H, c.words(x)...)[0])
	case isWide(from):
		return c.wideOp(ir.WideD2F, c.words(x)...)[0]
	}
	switch {
	case isWide(to):
		return c.one(c.wideOp(ir.WideF2D, x))
	case isHalf(to) && zero:
		return c.wideOp(ir.WideQuantizeZ, x)[0]
	case isHalf(to):
		return c.b.Op(ir.OpQuantize16, ir.F32, x)
	}
	return x
}

// roundsZero tells whether the current instruction, a conversion to t, rounds
// toward zero: FPRoundingMode stands above the execution mode, and is for
// conversions to 16 bits.
func (c *compiler) roundsZero(t *spirv.Type) bool {
	const zero = 1
	if mode, ok := c.m.Decoration(c.inst.Result, spirv.DecorationFPRoundingMode); ok && isHalf(t) {
		return mode[0] == zero
	}
	return c.control(t.Width).zero
}

func (c *compiler) floatToInt(x ir.Value, from, to *spirv.Type, signed bool) ir.Value {
	if from.Kind != spirv.KindFloat || to.Kind != spirv.KindInt {
		c.fail("a conversion of %v to %v", from, to)
	}
	if from.Coded != 0 {
		x, from = c.decode(x, from), singleType
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
	if to.Coded != 0 {
		return c.encode(c.singleOfInt(x, from, signed), to)
	}
	if c.control(to.Width).zero {
		return c.intToFloatZ(x, from, to, signed)
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

// intToFloatZ is intToFloat toward zero.
func (c *compiler) intToFloatZ(x ir.Value, from, to *spirv.Type, signed bool) ir.Value {
	ops := [2][4]ir.WideOp{ // unsigned, signed: 64 bits to 64 and 32, 32 bits to 64 and 32
		{ir.WideUL2DZ, ir.WideUL2FZ, ir.WideU2D, ir.WideU2FZ},
		{ir.WideL2DZ, ir.WideL2FZ, ir.WideS2D, ir.WideS2FZ},
	}
	k, at := 0, 0
	if signed {
		k = 1
	}
	if !isWide(from) {
		at = 2
	}
	if !isWide(to) {
		at++
	}
	v := c.one(c.wideOp(ops[k][at], c.words(x)...))
	if isHalf(to) {
		v = c.toHalf(v)
	}
	return v
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
