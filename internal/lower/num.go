package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// pairBase and below stand for 64-bit numbers while one instruction is
// lowered: value pairBase - i is c.pairs[i]. So formulas are written once, for
// 32 and 64 bits; only num looks inside.
const pairBase = ir.NoValue - 1

func isPair(v ir.Value) bool { return v <= pairBase }

// pair makes one value of two words.
func (c *compiler) pair(lo, hi ir.Value) ir.Value {
	c.pairs = append(c.pairs, [2]ir.Value{lo, hi})
	return pairBase - ir.Value(len(c.pairs)-1)
}

// words returns the words of a number.
func (c *compiler) words(v ir.Value) []ir.Value {
	if isPair(v) {
		p := c.pairs[pairBase-v] // a copy: the list is used again
		return p[:]
	}
	return []ir.Value{v}
}

// comps returns the components of an <id> as numbers; n >= 0 demands that many.
func (c *compiler) comps(id spirv.ID, n int) []ir.Value {
	s := c.joined(c.scalars(id, -1), c.get(id).t)
	if n >= 0 && len(s) != n {
		c.fail("<id> %d has %d components where %d are needed", id, len(s), n)
	}
	return s
}

// joined makes pairs of the words of a value of type t, where it has 64 bits.
func (c *compiler) joined(s []ir.Value, t *spirv.Type) []ir.Value {
	if t.Kind == spirv.KindStruct || t.Kind == spirv.KindArray || !isWide(elem(t)) {
		return s
	}
	out := c.values(len(s) / 2)
	for i := range out {
		out[i] = c.pair(s[2*i], s[2*i+1])
	}
	return out
}

// size is the number of components of a value of type t.
func (c *compiler) size(t *spirv.Type) int { return len(c.flat(t)) / perComponent(t) }

// irType is the type of a value; pairs have I32 words.
func (c *compiler) irType(v ir.Value) ir.Type {
	if isPair(v) {
		return ir.I32
	}
	return c.p.Insts[v].Type
}

// setNumbers is setScalars for results of arithmetic, which must fit their
// type.
func (c *compiler) setNumbers(s []ir.Value) { c.setScalars(c.fitAll(s)) }

// konst is a float constant, of 64 bits where like is.
func (c *compiler) konst(like ir.Value, x float64) ir.Value {
	if isPair(like) {
		b := math.Float64bits(x)
		return c.pair(c.b.I32(uint32(b)), c.b.I32(uint32(b>>32)))
	}
	return c.b.F32(float32(x))
}

// typedKonst is konst, rounded to binary16 where the result of the current
// instruction is of that type.
func (c *compiler) typedKonst(like ir.Value, x float64) ir.Value {
	if isHalf(elem(c.typ(c.inst.Type))) {
		x = float64(fp.HalfToFloat(fp.FloatToHalf(float32(x))))
	}
	return c.konst(like, x)
}

// kint is an integer constant, sign-extended to 64 bits where like has them.
func (c *compiler) kint(like ir.Value, x int32) ir.Value {
	if isPair(like) {
		return c.pair(c.b.I32(uint32(x)), c.b.I32(uint32(x>>31)))
	}
	return c.b.I32(uint32(x))
}

// num emits an operation of the IR on numbers of 32 bits, or the same on 64
// bits where an operand is a pair.
func (c *compiler) num(op ir.Op, t ir.Type, args ...ir.Value) ir.Value {
	v, ok := c.towardZero(op, args)
	if !ok {
		v = c.nearest(op, t, args)
	}
	if c.flushes {
		v = c.flushStep(op, v)
	}
	return v
}

// nearest emits an operation as the IR has it.
func (c *compiler) nearest(op ir.Op, t ir.Type, args []ir.Value) ir.Value {
	for _, a := range args {
		if isPair(a) {
			return c.wideNum(op, args)
		}
	}
	return c.b.Op(op, t, args...)
}

// wideOps gives the 64-bit form of an operation.
var wideOps = map[ir.Op]ir.WideOp{
	ir.OpIAdd: ir.WideIAdd, ir.OpISub: ir.WideISub, ir.OpIMul: ir.WideIMul, ir.OpUDiv: ir.WideUDiv, ir.OpSDiv: ir.WideSDiv,
	ir.OpURem: ir.WideURem, ir.OpSRem: ir.WideSRem, ir.OpSMod: ir.WideSMod, ir.OpShl: ir.WideShl, ir.OpShrU: ir.WideShrU, ir.OpShrS: ir.WideShrS,
	ir.OpSLt: ir.WideSLt, ir.OpSLe: ir.WideSLe, ir.OpULt: ir.WideULt, ir.OpULe: ir.WideULe,
	ir.OpFAdd: ir.WideFAdd, ir.OpFSub: ir.WideFSub, ir.OpFMul: ir.WideFMul, ir.OpFDiv: ir.WideFDiv, ir.OpFRem: ir.WideFRem,
	ir.OpFMin: ir.WideFMin, ir.OpFMax: ir.WideFMax, ir.OpFma: ir.WideFma, ir.OpFSign: ir.WideSign, ir.OpFFloor: ir.WideFloor,
	ir.OpFCeil: ir.WideCeil, ir.OpFTrunc: ir.WideTrunc, ir.OpFRoundEven: ir.WideRoundEven, ir.OpFSqrt: ir.WideSqrt, ir.OpFInvSqrt: ir.WideInvSqrt,
	ir.OpFrexpMant: ir.WideFrexpMant, ir.OpFrexpExp: ir.WideFrexpExp, ir.OpFLdexp: ir.WideLdexp,
	ir.OpFEq: ir.WideFEq, ir.OpFNe: ir.WideFNe, ir.OpFLt: ir.WideFLt, ir.OpFLe: ir.WideFLe, ir.OpFIsNan: ir.WideIsNan, ir.OpFIsInf: ir.WideIsInf,
}

// wideNum emits an operation on pairs.
func (c *compiler) wideNum(op ir.Op, args []ir.Value) ir.Value {
	b := c.b
	both := func(op ir.Op, x, y ir.Value) ir.Value { // word by word
		p, q := c.pairOf(x), c.pairOf(y)
		return c.pair(b.Op(op, ir.I32, p[0], q[0]), b.Op(op, ir.I32, p[1], q[1]))
	}
	less := func(op ir.WideOp, x, y ir.Value) ir.Value {
		p, q := c.pairOf(x), c.pairOf(y)
		return c.wideOp(op, p[0], p[1], q[0], q[1])[0]
	}
	sel := func(cond, x, y ir.Value) ir.Value {
		p, q := c.pairOf(x), c.pairOf(y)
		return c.pair(b.Op(ir.OpSelect, ir.I32, cond, p[0], q[0]), b.Op(ir.OpSelect, ir.I32, cond, p[1], q[1]))
	}
	switch op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return both(op, args[0], args[1])
	case ir.OpNot:
		p := c.pairOf(args[0])
		return c.pair(b.Op(op, ir.I32, p[0]), b.Op(op, ir.I32, p[1]))
	case ir.OpINeg:
		return c.wideNum(ir.OpISub, []ir.Value{c.kint(args[0], 0), args[0]})
	case ir.OpFNeg:
		p := c.pairOf(args[0])
		return c.pair(p[0], b.Op(ir.OpXor, ir.I32, p[1], b.I32(1<<31)))
	case ir.OpFAbs:
		p := c.pairOf(args[0])
		return c.pair(p[0], b.Op(ir.OpAnd, ir.I32, p[1], b.I32(1<<31-1)))
	case ir.OpIEq, ir.OpINe:
		p, q := c.pairOf(args[0]), c.pairOf(args[1])
		join := ir.OpAnd
		if op == ir.OpINe {
			join = ir.OpOr
		}
		return b.Op(join, ir.Bool, b.Op(op, ir.Bool, p[0], q[0]), b.Op(op, ir.Bool, p[1], q[1]))
	case ir.OpSMin:
		return sel(less(ir.WideSLt, args[1], args[0]), args[1], args[0])
	case ir.OpSMax:
		return sel(less(ir.WideSLt, args[0], args[1]), args[1], args[0])
	case ir.OpUMin:
		return sel(less(ir.WideULt, args[1], args[0]), args[1], args[0])
	case ir.OpUMax:
		return sel(less(ir.WideULt, args[0], args[1]), args[1], args[0])
	case ir.OpSelect:
		return sel(args[0], args[1], args[2])
	case ir.OpFUnord, ir.OpFOrd:
		r := b.Op(ir.OpOr, ir.Bool, c.wideNum(ir.OpFIsNan, args[:1]), c.wideNum(ir.OpFIsNan, args[1:]))
		if op == ir.OpFOrd {
			r = b.Op(ir.OpNot, ir.Bool, r)
		}
		return r
	}
	wide, ok := wideOps[op]
	if !ok {
		c.fail("unsupported: %v on 64-bit numbers", op)
	}
	signature, _ := wide.Signature()
	var words []ir.Value
	for i, a := range args {
		w := c.words(a)
		switch {
		case i >= len(signature) || signature[i] == 'w' && len(w) != 2:
			c.fail("operands of different widths")
		case signature[i] != 'w': // the shift or exponent may be of either width
			w = w[:1]
		}
		words = append(words, w...)
	}
	r := c.wideOp(wide, words...)
	if len(r) == 2 {
		return c.pair(r[0], r[1])
	}
	return r[0]
}

func (c *compiler) pairOf(v ir.Value) [2]ir.Value {
	if !isPair(v) {
		c.fail("operands of different widths")
	}
	return c.pairs[pairBase-v]
}

// expand replaces pairs by their words.
func (c *compiler) expand(s []ir.Value) []ir.Value {
	for i, v := range s {
		if isPair(v) {
			out := append([]ir.Value(nil), s[:i]...)
			for _, v := range s[i:] {
				out = append(out, c.words(v)...)
			}
			return out
		}
	}
	return s
}
