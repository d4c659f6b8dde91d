package ir

import "math/bits"

// divide makes shifts and masks of the division v by a constant power of two. Engines divide in
// binary64, which takes some thirty times as long; programs that find their way through blocks, as
// ggml's do, divide in each turn of a loop.
func (f *folder) divide(v Value) {
	in := f.p.Insts[v]
	switch in.Op {
	case OpUDiv, OpURem, OpSDiv, OpSMod:
	default:
		return
	}
	c, known := f.constant(in.Args[1])
	if _, both := f.constant(in.Args[0]); both || !known || bits.OnesCount32(c) != 1 {
		return
	}
	signed := in.Op == OpSDiv || in.Op == OpSMod
	if signed && int32(c) < 0 {
		return
	}
	k := uint32(bits.TrailingZeros32(c))
	switch {
	case in.Op == OpURem || in.Op == OpSMod: // the sign is that of the divisor
		in.Op, in.Args[1] = OpAnd, f.number(c-1)
	case k == 0: // the operand, as identity knows
		return
	case signed: // quotients are cut, so that negative ones begin c-1 higher
		x := in.Args[0]
		sign := f.add(OpShrS, x, f.number(31))
		up := f.add(OpShrU, sign, f.number(32-k))
		in.Op, in.Args = OpShrS, [3]Value{f.add(OpIAdd, x, up), f.number(k), NoValue}
	default:
		in.Op, in.Args[1] = OpShrU, f.number(k)
	}
	f.p.Insts[v] = in
}

// remainder makes x - x/y*y of the remainder v where the program has the quotient x/y, too: engines
// divide for both, and programs that make two coordinates of one number want both.
func (f *folder) remainder(v Value) {
	in := f.p.Insts[v]
	quotient := OpUDiv
	switch in.Op {
	case OpURem:
	case OpSRem:
		quotient = OpSDiv
	default:
		return
	}
	if f.quotients == nil {
		f.quotients = map[[3]Value]bool{}
		for i := range f.p.Insts {
			if d := &f.p.Insts[i]; d.Op == OpUDiv || d.Op == OpSDiv {
				f.quotients[[3]Value{Value(d.Op), f.r.of(d.Args[0]), f.r.of(d.Args[1])}] = true
			}
		}
	}
	x, y := in.Args[0], in.Args[1]
	if f.quotients[[3]Value{Value(quotient), x, y}] {
		product := f.add(OpIMul, f.add(quotient, x, y), y)
		f.p.Insts[v] = Inst{Op: OpISub, Type: I32, Args: [3]Value{x, product, NoValue}}
	}
}

// number is a constant before the statement at hand.
func (f *folder) number(x uint32) Value {
	v := f.add(OpConst, NoValue, NoValue)
	f.p.Insts[v].Imm = uint64(x)
	return v
}

// add puts an instruction before the statement at hand.
func (f *folder) add(op Op, a, b Value) Value {
	v := Value(len(f.p.Insts))
	f.p.Insts = append(f.p.Insts, Inst{Op: op, Type: I32, Args: [3]Value{a, b, NoValue}})
	f.r = append(f.r, v)
	f.w.stmts = append(f.w.stmts, Stmt{Inst: v})
	return v
}
