package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// How numbers of each width live in the 32-bit values of the IR:
//
//   - 8- and 16-bit integers are I32, zero-extended; every operation ends with
//     a wrap, those that look at a sign begin with a sign extension.
//   - binary16 is F32 that holds a binary16 number; every operation ends with
//     one rounding. Binary32 has more than twice its bits and two, so rounding
//     twice gives what rounding once gives for + - * / and sqrt.
//   - floats of other encodings are I32, their bits; only conversions look inside (encoding.go).
//   - 64-bit numbers are two I32, the low word first.

// elem returns the scalar type of a scalar, vector or matrix, also of a cooperative one.
func elem(t *spirv.Type) *spirv.Type {
	for t.Kind == spirv.KindVector || t.Kind == spirv.KindMatrix || t.Kind == spirv.KindCooperative {
		t = t.Elem
	}
	return t
}

func isWide(t *spirv.Type) bool {
	return (t.Kind == spirv.KindInt || t.Kind == spirv.KindFloat) && t.Width == 64
}

func isHalf(t *spirv.Type) bool { return t.Kind == spirv.KindFloat && t.Width == 16 && t.Coded == 0 }

func isNarrowInt(t *spirv.Type) bool { return t.Kind == spirv.KindInt && t.Width < 32 }

// perComponent is the number of IR values of a component of t.
func perComponent(t *spirv.Type) int {
	if isWide(elem(t)) {
		return 2
	}
	return 1
}

// elemOf returns the scalar type of an <id>'s value.
func (c *compiler) elemOf(id spirv.ID) *spirv.Type {
	d := c.m.Def(id)
	if d == nil || d.Type == 0 {
		c.fail("<id> %d has no type", id)
	}
	return elem(c.typ(d.Type))
}

// signExtend makes a narrow integer of t a signed 32-bit one.
func (c *compiler) signExtend(v ir.Value, t *spirv.Type) ir.Value {
	if !isNarrowInt(t) {
		return v
	}
	return c.b.Op(ir.OpBitFieldS, ir.I32, v, c.b.I32(0), c.b.I32(t.Width))
}

// fit brings the 32-bit result of an operation into t: integers wrap, binary16
// rounds, denormals are flushed where an execution mode says so.
func (c *compiler) fit(v ir.Value, t *spirv.Type) ir.Value {
	switch {
	case isNarrowInt(t):
		return c.b.Op(ir.OpAnd, ir.I32, v, c.b.I32(1<<t.Width-1))
	case isHalf(t):
		v = c.toHalf(v)
	}
	return c.flush(v, t)
}

// fitAll is fit on the components of the result of the current instruction.
func (c *compiler) fitAll(s []ir.Value) []ir.Value {
	t := elem(c.typ(c.inst.Type))
	if !isNarrowInt(t) && !isHalf(t) && (t.Kind != spirv.KindFloat || !c.control(t.Width).flush) || c.inst.Op == spirv.OpBitcast {
		return s
	}
	out := c.values(len(s))
	for i, v := range s {
		out[i] = c.fit(v, t)
	}
	return out
}

// bits returns the bits of a value of scalar type t, one I32, or two where t
// has 64 bits.
func (c *compiler) bits(v []ir.Value, t *spirv.Type) []ir.Value {
	switch {
	case isHalf(t):
		return []ir.Value{c.halfBits(v[0])}
	case t.Kind == spirv.KindFloat && t.Width == 32:
		return []ir.Value{c.b.Op(ir.OpBitcast, ir.I32, v[0])}
	}
	return v
}

// halfBits returns the bits of a binary16. What has come from bits, or from a constant, and nothing has been done
// with has them as they were: a NaN that is only moved keeps its payload and sign.
func (c *compiler) halfBits(v ir.Value) ir.Value {
	switch in := c.p.Insts[v]; {
	case in.Op == ir.OpH2F:
		return c.b.Op(ir.OpAnd, ir.I32, c.b.Use(in.Args[0]), c.b.I32(0xFFFF))
	case in.Op == ir.OpConst && uint32(in.Imm)&(1<<31-1) > 0x7F800000:
		w := uint32(in.Imm)
		return c.b.I32(w>>16&0x8000 | 0x7C00 | w>>13&0x3FF)
	}
	return c.b.Op(ir.OpF2H, ir.I32, v)
}

// halfWord is a constant of binary16 as registers have it, NaNs with their payload and sign.
func halfWord(w uint32) uint32 {
	if w&0x7FFF > 0x7C00 {
		return w&0x8000<<16 | 0x7F800000 | w&0x3FF<<13
	}
	return math.Float32bits(fp.HalfToFloat(uint16(w)))
}

// fromBits is the inverse of bits.
func (c *compiler) fromBits(v []ir.Value, t *spirv.Type) []ir.Value {
	switch {
	case isHalf(t):
		return []ir.Value{c.b.Op(ir.OpH2F, ir.F32, v[0])}
	case t.Kind == spirv.KindFloat && t.Width == 32:
		return []ir.Value{c.b.Op(ir.OpBitcast, ir.F32, v[0])}
	}
	return v
}
