package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// floatControl is what execution modes ask of floats of one width, beyond what
// is done anyway: denormals are kept, results rounded to the nearest even.
// (spec: spirvenv-float-controls)
type floatControl struct {
	flush bool // DenormFlushToZero: results that are denormal become zeros
	keep  bool // DenormPreserve: what widened compares with stays, too
	zero  bool // RoundingModeRTZ
}

// controlMode takes an execution mode of float controls; false for others.
func (c *compiler) controlMode(m spirv.Mode) bool {
	switch m.Kind {
	case spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeRoundingModeRTZ, spirv.ExecutionModeDenormPreserve,
		spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeSignedZeroInfNanPreserve:
	default:
		return false
	}
	if len(m.Operands) != 1 || m.Operands[0] != 16 && m.Operands[0] != 32 && m.Operands[0] != 64 {
		c.fail("execution mode %v of floats that are not of 16, 32 or 64 bits", m.Kind)
	}
	k := c.control(m.Operands[0])
	switch m.Kind {
	case spirv.ExecutionModeDenormFlushToZero:
		k.flush, c.flushes = true, true
	case spirv.ExecutionModeDenormPreserve:
		k.keep = true
	case spirv.ExecutionModeRoundingModeRTZ:
		k.zero, c.cuts = true, true
	}
	return true
}

// control is that of a width.
func (c *compiler) control(width uint32) *floatControl { return &c.controls[width/32] }

// zeroOps give the form of an operation that rounds toward zero, of 32 and of
// 64 bits. Others of the IR either do not round or need not round correctly.
var zeroOps = map[ir.Op][2]ir.WideOp{
	ir.OpFAdd: {ir.WideAddZ, ir.WideAddZ64}, ir.OpFSub: {ir.WideSubZ, ir.WideSubZ64}, ir.OpFMul: {ir.WideMulZ, ir.WideMulZ64},
	ir.OpFDiv: {ir.WideDivZ, ir.WideDivZ64}, ir.OpFma: {ir.WideFmaZ, ir.WideFmaZ64}, ir.OpFSqrt: {ir.WideSqrtZ, ir.WideSqrtZ64},
}

// towardZero emits an operation in the form that rounds toward zero, where the
// result of the current instruction asks for it. A binary16 is cut from the
// binary32 later.
func (c *compiler) towardZero(op ir.Op, args []ir.Value) (v ir.Value, ok bool) {
	if !c.cuts {
		return ir.NoValue, false
	}
	zero, ok := zeroOps[op]
	if !ok {
		return ir.NoValue, false
	}
	if isPair(args[0]) {
		if !c.control(64).zero {
			return ir.NoValue, false
		}
		var words []ir.Value
		for _, a := range args {
			p := c.pairOf(a)
			words = append(words, p[0], p[1])
		}
		return c.one(c.wideOp(zero[1], words...)), true
	}
	if !c.control(c.resultWidth()).zero {
		return ir.NoValue, false
	}
	return c.wideOp(zero[0], args...)[0], true
}

// resultWidth is that of the floats in 32 bits which the current instruction
// computes.
func (c *compiler) resultWidth() uint32 {
	if c.inst != nil && c.inst.Type != 0 && isHalf(elem(c.typ(c.inst.Type))) {
		return 16
	}
	return 32
}

// flushStep flushes the result of an operation that rounds: the steps of a
// product or sum of several are results as well.
func (c *compiler) flushStep(op ir.Op, v ir.Value) ir.Value {
	if _, rounds := zeroOps[op]; !rounds {
		return v
	}
	width := c.resultWidth()
	if isPair(v) {
		width = 64
	}
	return c.flush(v, &spirv.Type{Kind: spirv.KindFloat, Width: width})
}

// widened says that an operand is a 32-bit float that was made of a 16-bit one.
func (c *compiler) widened(id spirv.ID) bool {
	d := c.m.Def(id)
	return d != nil && d.Op == spirv.OpFConvert && isHalf(c.elemOf(d.ID(0)))
}

// comparesWidened says that an instruction compares 32-bit floats of which one was
// widened and the other not. A denormal of 32 bits is a zero in 16, and the other
// operand of such a comparison is flushed: that a number is what its 16 bits were made
// of holds for it, too, as on GPUs, which flush denormals of 32 bits anywhere. They are
// kept elsewhere, and with DenormPreserve.
//
// spirvenv-precision-operation: any denormal may be flushed
func (c *compiler) comparesWidened(in *spirv.Inst) bool {
	switch in.Op {
	case spirv.OpFOrdEqual, spirv.OpFUnordEqual, spirv.OpFOrdNotEqual, spirv.OpFUnordNotEqual,
		spirv.OpFOrdLessThan, spirv.OpFUnordLessThan, spirv.OpFOrdGreaterThan, spirv.OpFUnordGreaterThan,
		spirv.OpFOrdLessThanEqual, spirv.OpFUnordLessThanEqual, spirv.OpFOrdGreaterThanEqual, spirv.OpFUnordGreaterThanEqual:
		t := c.elemOf(in.ID(0))
		return t.Kind == spirv.KindFloat && t.Width == 32 && !c.control(32).keep && c.widened(in.ID(0)) != c.widened(in.ID(1))
	}
	return false
}

// toHalf rounds a 32-bit float to binary16.
func (c *compiler) toHalf(v ir.Value) ir.Value {
	if c.control(16).zero {
		return c.wideOp(ir.WideQuantizeZ, v)[0]
	}
	return c.b.Op(ir.OpQuantize16, ir.F32, v)
}

// flush makes a zero of a denormal of type t where that is asked for.
func (c *compiler) flush(v ir.Value, t *spirv.Type) ir.Value {
	if t.Kind != spirv.KindFloat || t.Coded != 0 || !c.control(t.Width).flush {
		return v
	}
	switch t.Width {
	case 16:
		return c.wideOp(ir.WideFlush16, v)[0]
	case 32:
		return c.wideOp(ir.WideFlush, v)[0]
	}
	return c.one(c.wideOp(ir.WideFlush64, c.words(v)...))
}
