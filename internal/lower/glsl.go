package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// extInst lowers OpExtInst: GLSL.std.450, and nothing for debug information.
func (c *compiler) extInst(in *spirv.Inst) {
	set := c.m.ExtSet(in.ID(0))
	if set == spirv.TrinaryMinMax {
		c.trinary(in)
		return
	}
	if set == spirv.ExplicitVertexParameter {
		c.atVertex(in)
		return
	}
	if set == "NonSemantic.DebugPrintf" {
		c.debugPrintf(in)
		return
	}
	if set != "GLSL.std.450" {
		return // validated: without semantics
	}
	op := spirv.GLSLOp(in.Operands[1])
	args := in.Operands[2:]
	need := glslOperands(op)
	if need < 0 {
		c.fail("unsupported GLSL.std.450 instruction %v", op)
	}
	if len(args) != need {
		c.fail("GLSL.std.450 %v takes %d operands, not %d", op, need, len(args))
	}
	c.glsl(op, args)
	// Results of other widths than 32 bits are fitted once, at the end.
	if t := c.typ(in.Type); t.Kind != spirv.KindStruct && t.Kind != spirv.KindVoid {
		v := c.local(in.Result)
		v.s = c.expand(c.fitAll(c.joined(v.s, t)))
	}
}

func (c *compiler) glsl(op spirv.GLSLOp, args []uint32) {
	if irOp, t := glslDirect(op); irOp != ir.OpNop {
		c.eachArg(op, args, t, func(a []ir.Value) ir.Value { return c.num(irOp, t, a...) })
		return
	}
	if f, t := c.glslComponent(op); f != nil {
		c.eachArg(op, args, t, f)
		return
	}
	c.glslWhole(op, args)
}

// glslOperands returns the number of operands, -1 for what is not supported.
func glslOperands(op spirv.GLSLOp) int {
	switch op {
	case spirv.GLSLIMix:
		return -1
	case spirv.GLSLAtan2, spirv.GLSLPow, spirv.GLSLModf, spirv.GLSLFMin, spirv.GLSLUMin, spirv.GLSLSMin, spirv.GLSLFMax,
		spirv.GLSLUMax, spirv.GLSLSMax, spirv.GLSLStep, spirv.GLSLFrexp, spirv.GLSLLdexp, spirv.GLSLDistance, spirv.GLSLCross,
		spirv.GLSLReflect, spirv.GLSLInterpolateAtSample, spirv.GLSLInterpolateAtOffset, spirv.GLSLNMin, spirv.GLSLNMax:
		return 2
	case spirv.GLSLFClamp, spirv.GLSLUClamp, spirv.GLSLSClamp, spirv.GLSLFMix, spirv.GLSLSmoothStep, spirv.GLSLFma,
		spirv.GLSLFaceForward, spirv.GLSLRefract, spirv.GLSLNClamp:
		return 3
	}
	if op == 0 || op > spirv.GLSLNClamp {
		return -1
	}
	return 1
}

// glslDirect gives the instructions that are one IR operation a component, and
// the type of their operands and result.
func glslDirect(op spirv.GLSLOp) (ir.Op, ir.Type) {
	switch op {
	case spirv.GLSLRound, spirv.GLSLRoundEven: // Round may take either way at one half
		return ir.OpFRoundEven, ir.F32
	case spirv.GLSLTrunc:
		return ir.OpFTrunc, ir.F32
	case spirv.GLSLFAbs:
		return ir.OpFAbs, ir.F32
	case spirv.GLSLFSign:
		return ir.OpFSign, ir.F32
	case spirv.GLSLFloor:
		return ir.OpFFloor, ir.F32
	case spirv.GLSLCeil:
		return ir.OpFCeil, ir.F32
	case spirv.GLSLSin:
		return ir.OpFSin, ir.F32
	case spirv.GLSLCos:
		return ir.OpFCos, ir.F32
	case spirv.GLSLTan:
		return ir.OpFTan, ir.F32
	case spirv.GLSLAsin:
		return ir.OpFAsin, ir.F32
	case spirv.GLSLAcos:
		return ir.OpFAcos, ir.F32
	case spirv.GLSLAtan:
		return ir.OpFAtan, ir.F32
	case spirv.GLSLSinh:
		return ir.OpFSinh, ir.F32
	case spirv.GLSLCosh:
		return ir.OpFCosh, ir.F32
	case spirv.GLSLTanh:
		return ir.OpFTanh, ir.F32
	case spirv.GLSLAsinh:
		return ir.OpFAsinh, ir.F32
	case spirv.GLSLAcosh:
		return ir.OpFAcosh, ir.F32
	case spirv.GLSLAtanh:
		return ir.OpFAtanh, ir.F32
	case spirv.GLSLAtan2:
		return ir.OpFAtan2, ir.F32
	case spirv.GLSLPow:
		return ir.OpFPow, ir.F32
	case spirv.GLSLExp:
		return ir.OpFExp, ir.F32
	case spirv.GLSLLog:
		return ir.OpFLog, ir.F32
	case spirv.GLSLExp2:
		return ir.OpFExp2, ir.F32
	case spirv.GLSLLog2:
		return ir.OpFLog2, ir.F32
	case spirv.GLSLSqrt:
		return ir.OpFSqrt, ir.F32
	case spirv.GLSLInverseSqrt:
		return ir.OpFInvSqrt, ir.F32
	case spirv.GLSLFMin, spirv.GLSLNMin:
		return ir.OpFMin, ir.F32
	case spirv.GLSLFMax, spirv.GLSLNMax:
		return ir.OpFMax, ir.F32
	case spirv.GLSLUMin:
		return ir.OpUMin, ir.I32
	case spirv.GLSLSMin:
		return ir.OpSMin, ir.I32
	case spirv.GLSLUMax:
		return ir.OpUMax, ir.I32
	case spirv.GLSLSMax:
		return ir.OpSMax, ir.I32
	case spirv.GLSLFma:
		return ir.OpFma, ir.F32
	case spirv.GLSLFindILsb:
		return ir.OpFindLSB, ir.I32
	case spirv.GLSLFindSMsb:
		return ir.OpFindSMSB, ir.I32
	case spirv.GLSLFindUMsb:
		return ir.OpFindUMSB, ir.I32
	default:
		return ir.OpNop, ir.Void
	}
}

// glslComponent gives the instructions that are built of several operations a
// component.
func (c *compiler) glslComponent(op spirv.GLSLOp) (func(a []ir.Value) ir.Value, ir.Type) {
	f := func(op ir.Op, a ...ir.Value) ir.Value { return c.num(op, ir.F32, a...) }
	i := func(op ir.Op, a ...ir.Value) ir.Value { return c.num(op, ir.I32, a...) }
	switch op {
	case spirv.GLSLSAbs:
		return func(a []ir.Value) ir.Value { return i(ir.OpSMax, a[0], i(ir.OpINeg, a[0])) }, ir.I32
	case spirv.GLSLSSign:
		return func(a []ir.Value) ir.Value {
			return i(ir.OpSMax, i(ir.OpSMin, a[0], c.kint(a[0], 1)), c.kint(a[0], -1))
		}, ir.I32
	case spirv.GLSLFract:
		return func(a []ir.Value) ir.Value { return c.fsub(a[0], f(ir.OpFFloor, a[0])) }, ir.F32
	case spirv.GLSLRadians:
		return func(a []ir.Value) ir.Value { return c.fmul(a[0], c.typedKonst(a[0], math.Pi/180)) }, ir.F32
	case spirv.GLSLDegrees:
		return func(a []ir.Value) ir.Value { // of a denormal that is flushed, too, though the result could be normal
			return c.fmul(c.flush(a[0], elem(c.typ(c.inst.Type))), c.typedKonst(a[0], 180/math.Pi))
		}, ir.F32
	case spirv.GLSLFClamp, spirv.GLSLNClamp:
		return func(a []ir.Value) ir.Value { return f(ir.OpFMin, f(ir.OpFMax, a[0], a[1]), a[2]) }, ir.F32
	case spirv.GLSLUClamp:
		return func(a []ir.Value) ir.Value { return i(ir.OpUMin, i(ir.OpUMax, a[0], a[1]), a[2]) }, ir.I32
	case spirv.GLSLSClamp:
		return func(a []ir.Value) ir.Value { return i(ir.OpSMin, i(ir.OpSMax, a[0], a[1]), a[2]) }, ir.I32
	case spirv.GLSLFMix: // x*(1-a) + y*a
		return func(a []ir.Value) ir.Value {
			return c.fadd(c.fmul(a[0], c.fsub(c.konst(a[2], 1), a[2])), c.fmul(a[1], a[2]))
		}, ir.F32
	case spirv.GLSLStep:
		return func(a []ir.Value) ir.Value {
			return f(ir.OpSelect, c.num(ir.OpFLt, ir.Bool, a[1], a[0]), c.konst(a[0], 0), c.konst(a[0], 1))
		}, ir.F32
	case spirv.GLSLSmoothStep:
		return func(a []ir.Value) ir.Value {
			t := c.clamp(c.fdiv(c.fsub(a[2], a[0]), c.fsub(a[1], a[0])), 0, 1)
			return c.fmul(c.fmul(t, t), c.fsub(c.konst(t, 3), c.fmul(c.konst(t, 2), t)))
		}, ir.F32
	default:
		return nil, ir.Void
	}
}

func (c *compiler) clamp(v ir.Value, lo, hi float32) ir.Value {
	return c.num(ir.OpFMin, ir.F32, c.num(ir.OpFMax, ir.F32, v, c.konst(v, float64(lo))), c.konst(v, float64(hi)))
}

// eachArg applies f to the components of operands of one type.
func (c *compiler) eachArg(op spirv.GLSLOp, args []uint32, t ir.Type, f func(a []ir.Value) ir.Value) {
	n := c.size(c.typ(c.inst.Type))
	ops := make([][]ir.Value, len(args))
	for k, id := range args {
		ops[k] = c.typed(spirv.ID(id), n, t)
		if e := c.elemOf(spirv.ID(id)); isNarrowInt(e) && glslSigned(op) {
			for i, v := range ops[k] {
				ops[k][i] = c.signExtend(v, e)
			}
		}
	}
	out, a := c.values(n), c.values(len(args))
	for i := range out {
		for k := range a {
			a[k] = ops[k][i]
		}
		out[i] = f(a)
	}
	c.setScalars(out)
}

// glslSigned tells whether an instruction takes integers as signed.
func glslSigned(op spirv.GLSLOp) bool {
	switch op {
	case spirv.GLSLSAbs, spirv.GLSLSSign, spirv.GLSLSMin, spirv.GLSLSMax, spirv.GLSLSClamp:
		return true
	}
	return false
}

// typed returns the components of an <id>, all of type t, or pairs of a 64-bit
// type; n < 0 allows any number. The slice is the caller's.
func (c *compiler) typed(id spirv.ID, n int, t ir.Type) []ir.Value {
	from := c.comps(id, n)
	s := c.values(len(from))
	copy(s, from)
	for _, v := range s {
		if !isPair(v) && c.p.Insts[v].Type != t {
			c.fail("<id> %d does not have the type that the instruction takes", id)
		}
	}
	return s
}

// glslWhole lowers the instructions that look at whole vectors and matrices.
func (c *compiler) glslWhole(op spirv.GLSLOp, args []uint32) {
	vec := func(k, n int) []ir.Value { return c.typed(spirv.ID(args[k]), n, ir.F32) }
	switch op {
	case spirv.GLSLLength:
		c.setScalars([]ir.Value{c.length(vec(0, -1))})
	case spirv.GLSLDistance:
		x := vec(0, -1)
		c.setScalars([]ir.Value{c.length(c.map2(x, vec(1, len(x)), c.fsub))})
	case spirv.GLSLCross:
		x, y := vec(0, 3), vec(1, 3)
		var out []ir.Value
		for i := range 3 {
			j, k := (i+1)%3, (i+2)%3
			out = append(out, c.fsub(c.fmul(x[j], y[k]), c.fmul(y[j], x[k])))
		}
		c.setScalars(out)
	case spirv.GLSLNormalize:
		x := vec(0, -1)
		c.setScalars(c.scale(x, c.num(ir.OpFInvSqrt, ir.F32, c.dot(x, x))))
	case spirv.GLSLFaceForward: // N, I, Nref
		n := vec(0, -1)
		front := c.num(ir.OpFLt, ir.Bool, c.dot(vec(2, len(n)), vec(1, len(n))), c.konst(n[0], 0))
		out := c.values(len(n))
		for i := range n {
			out[i] = c.num(ir.OpSelect, ir.F32, front, n[i], c.num(ir.OpFNeg, ir.F32, n[i]))
		}
		c.setScalars(out)
	case spirv.GLSLReflect: // I - 2*dot(N,I)*N
		i := vec(0, -1)
		n := vec(1, len(i))
		c.setScalars(c.map2(i, c.scale(n, c.fmul(c.konst(n[0], 2), c.dot(n, i))), c.fsub))
	case spirv.GLSLRefract:
		c.refract(vec(0, -1), vec(1, -1), c.typed(spirv.ID(args[2]), 1, ir.F32)[0])
	case spirv.GLSLDeterminant:
		c.setScalars([]ir.Value{c.determinant(c.square(args[0]))})
	case spirv.GLSLMatrixInverse:
		c.setScalars(c.inverse(c.square(args[0])))
	case spirv.GLSLModf, spirv.GLSLModfStruct:
		x := vec(0, -1)
		whole := c.values(len(x))
		frac := c.values(len(x))
		for k, v := range x {
			whole[k] = c.num(ir.OpFTrunc, ir.F32, v)
			inf := c.num(ir.OpFIsInf, ir.Bool, v)
			frac[k] = c.copySign(c.num(ir.OpSelect, ir.F32, inf, c.konst(v, 0), c.fsub(v, whole[k])), v)
			frac[k] = c.flush(frac[k], c.elemOf(spirv.ID(args[0])))
		}
		c.twoResults(op == spirv.GLSLModf, args, frac, whole)
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		x := vec(0, -1)
		mant := c.values(len(x))
		exp := c.values(len(x))
		for k, v := range x {
			mant[k], exp[k] = c.num(ir.OpFrexpMant, ir.F32, v), c.num(ir.OpFrexpExp, ir.I32, v)
		}
		c.twoResults(op == spirv.GLSLFrexp, args, mant, exp)
	case spirv.GLSLLdexp:
		x := vec(0, -1)
		c.setScalars(c.map2(x, c.exponents(spirv.ID(args[1]), len(x)), func(v, e ir.Value) ir.Value { return c.num(ir.OpFLdexp, ir.F32, v, e) }))
	case spirv.GLSLInterpolateAtCentroid, spirv.GLSLInterpolateAtSample, spirv.GLSLInterpolateAtOffset:
		c.interpolateAt(op, args)
	default:
		c.pack(op, args)
	}
}

// exponents are the components of Ldexp's second operand in 32 bits: signed, whatever their type says. Of those of 64 bits what is
// beyond farExponent, where all numbers are zero or infinite, counts as that.
func (c *compiler) exponents(id spirv.ID, n int) []ir.Value {
	const farExponent = 4096 // the distance of binary64's least and greatest number is 2,098
	t := elem(c.get(id).t)
	if t.Kind != spirv.KindInt {
		c.fail("an exponent of %v", t)
	}
	list := c.values(n)
	for i, e := range c.comps(id, n) {
		if isPair(e) {
			e = c.num(ir.OpSMax, ir.I32, c.num(ir.OpSMin, ir.I32, e, c.kint(e, farExponent)), c.kint(e, -farExponent))
			list[i] = c.words(e)[0]
		} else {
			list[i] = c.signExtend(e, t)
		}
	}
	return list
}

// copySign gives x the sign of like.
func (c *compiler) copySign(x, like ir.Value) ir.Value {
	b := c.b
	word := func(x, like ir.Value) ir.Value {
		sign := b.Op(ir.OpAnd, ir.I32, like, b.I32(1<<31))
		return b.Op(ir.OpOr, ir.I32, b.Op(ir.OpAnd, ir.I32, x, b.I32(1<<31-1)), sign)
	}
	if isPair(x) {
		p, q := c.pairOf(x), c.pairOf(like)
		return c.pair(p[0], word(p[1], q[1]))
	}
	r := word(b.Op(ir.OpBitcast, ir.I32, x), b.Op(ir.OpBitcast, ir.I32, like))
	return b.Op(ir.OpBitcast, ir.F32, r)
}

// twoResults gives a pair as a struct, or the second through a pointer.
func (c *compiler) twoResults(byPointer bool, args []uint32, first, second []ir.Value) {
	if byPointer {
		p := c.pointerTo(spirv.ID(args[1]))
		if p.ptrType.Untyped {
			c.fail("unsupported: a second result through an untyped pointer")
		}
		c.store(p, &value{t: p.t, s: c.expand(second)})
		c.setScalars(first)
		return
	}
	c.setScalars(append(append([]ir.Value(nil), first...), second...))
}

func (c *compiler) map2(x, y []ir.Value, f func(a, b ir.Value) ir.Value) []ir.Value {
	out := c.values(len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return out
}

func (c *compiler) scale(v []ir.Value, k ir.Value) []ir.Value {
	out := c.values(len(v))
	for i := range v {
		out[i] = c.fmul(v[i], k)
	}
	return out
}

// length of one component is its absolute value.
func (c *compiler) length(v []ir.Value) ir.Value {
	if len(v) == 1 {
		return c.num(ir.OpFAbs, ir.F32, v[0])
	}
	return c.num(ir.OpFSqrt, ir.F32, c.dot(v, v))
}

// refract: k = 1 - eta*eta*(1 - dot(N,I)^2); 0 if k < 0, else
// eta*I - (eta*dot(N,I) + sqrt(k))*N.
func (c *compiler) refract(i, n []ir.Value, eta ir.Value) {
	if len(i) != len(n) {
		c.fail("operands of different sizes")
	}
	d := c.dot(n, i)
	if isPair(d) && !isPair(eta) { // eta may be narrower than the vectors
		eta = c.one(c.wideOp(ir.WideF2D, eta))
	}
	one := c.konst(d, 1)
	k := c.fsub(one, c.fmul(c.fmul(eta, eta), c.fsub(one, c.fmul(d, d))))
	total := c.num(ir.OpFLt, ir.Bool, k, c.konst(d, 0))
	t := c.fadd(c.fmul(eta, d), c.num(ir.OpFSqrt, ir.F32, k))
	out := c.values(len(i))
	for j := range i {
		out[j] = c.num(ir.OpSelect, ir.F32, total, c.konst(d, 0), c.fsub(c.fmul(eta, i[j]), c.fmul(t, n[j])))
	}
	c.setScalars(out)
}

func (c *compiler) square(id uint32) matrix {
	m := c.matrixOf(spirv.ID(id))
	if len(m) != len(m[0]) {
		c.fail("a matrix of %d columns and %d rows is not square", len(m), len(m[0]))
	}
	return m
}

// interpolateAt evaluates an input away from its usual place.
func (c *compiler) interpolateAt(op spirv.GLSLOp, args []uint32) {
	p := c.pointerTo(spirv.ID(args[0]))
	if p.space != spaceInput {
		c.fail("GLSL.std.450 %v of what is not an input", op)
	}
	mode, a := uint64(1), []ir.Value(nil)
	switch op {
	case spirv.GLSLInterpolateAtSample:
		mode, a = 2, []ir.Value{c.intScalar(spirv.ID(args[1]))}
	case spirv.GLSLInterpolateAtOffset:
		mode, a = 3, c.typed(spirv.ID(args[1]), 2, ir.F32)
	}
	c.setScalars(c.eachInput(p, func(k int) ir.Value {
		s := &p.obj.inputs[k]
		if s.io.Interp == ir.Flat {
			return c.readInput(p.obj, k)
		}
		return c.b.OpImm(ir.OpInterpolateAt, ir.F32, uint64(c.slot(s))|mode<<32, a...) // fitted by the caller
	}))
}

// eachInput is what at gives for the scalars of an input that p points to.
func (c *compiler) eachInput(p *pointer, at func(k int) ir.Value) (out []ir.Value) {
	for _, r := range c.refs(p) {
		if p.dyn == ir.NoValue {
			out = append(out, at(int(p.off+r.off)))
			continue
		}
		list, index := c.candidates(p, r)
		v := ir.NoValue
		for _, k := range list {
			x := at(k)
			if v != ir.NoValue {
				x = c.b.Op(ir.OpSelect, r.t, c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(uint32(k))), x, v)
			}
			v = x
		}
		out = append(out, v)
	}
	return out
}
