package ir

import "github.com/pumice-gpu/pumice/internal/ir/lane"

// fold computes operations on constants, applies identities that hold for
// every bit pattern, and resolves branches on constants. It uses Eval, the
// arithmetic of the engines. NaNs are left alone, because a folded NaN would
// count as bits from memory where the engines make computed ones canonical.
func fold(p *Program, w *workspace) {
	f := &folder{p: p, w: w, r: w.replacements(p)}
	p.Body.Stmts = f.block(p.Body.Stmts)
}

type folder struct {
	p *Program
	w *workspace
	r replacement
	// The operations of divisions and their operands; nil until the first remainder.
	quotients map[[3]Value]bool
}

func (f *folder) block(stmts []Stmt) []Stmt {
	mark := f.w.open()
	for i := range stmts {
		s := &stmts[i]
		switch {
		case s.If != nil:
			s.If.Cond = f.r.of(s.If.Cond)
			c, known := f.constant(s.If.Cond)
			if known {
				taken := s.If.Then.Stmts
				if c == 0 {
					taken = s.If.Else.Stmts
				}
				taken = f.block(taken)
				f.w.stmts = append(f.w.stmts, taken...)
				if f.leaves(taken) {
					return f.w.close(mark, stmts)
				}
				continue
			}
			s.If.Then.Stmts = f.block(s.If.Then.Stmts)
			s.If.Else.Stmts = f.block(s.If.Else.Stmts)
		case s.Loop != nil:
			s.Loop.Body.Stmts = f.block(s.Loop.Body.Stmts)
			s.Loop.Continue.Stmts = f.block(s.Loop.Continue.Stmts)
		default:
			f.r.operands(&f.p.Insts[s.Inst])
			f.divide(s.Inst)
			f.remainder(s.Inst)
			if v := f.inst(&f.p.Insts[s.Inst]); v != NoValue {
				f.r[s.Inst] = v
				continue
			}
		}
		f.w.stmts = append(f.w.stmts, *s)
		if f.leaves(stmts[i : i+1]) {
			break // the rest is not reached
		}
	}
	return f.w.close(mark, stmts)
}

func (f *folder) leaves(stmts []Stmt) bool {
	if len(stmts) == 0 {
		return false
	}
	s := stmts[len(stmts)-1]
	return s.If == nil && s.Loop == nil && (f.p.Insts[s.Inst].Op == OpBreak || f.p.Insts[s.Inst].Op == OpContinue)
}

func (f *folder) constant(v Value) (uint32, bool) {
	if v < 0 || f.p.Insts[v].Op != OpConst {
		return 0, false
	}
	return uint32(f.p.Insts[v].Imm), true
}

// inst turns in into a constant where it is one, or returns the operand that
// it equals, else NoValue.
func (f *folder) inst(in *Inst) Value {
	info := &infos[in.Op]
	if in.Op == OpWide {
		return f.flushed(in)
	}
	if !Evaluates(in.Op) {
		return NoValue
	}
	var c [3]uint32
	var known [3]bool
	all := true
	for i := range info.Args {
		c[i], known[i] = f.constant(in.Args[i])
		all = all && known[i]
		if known[i] && f.p.Insts[in.Args[i]].Type == F32 && lane.FIsNan(c[i]) != 0 {
			return NoValue
		}
	}
	if all {
		bits, _ := Eval(in.Op, c[0], c[1], c[2])
		if in.Type != F32 || lane.FIsNan(bits) == 0 {
			*in = Inst{Op: OpConst, Type: in.Type, Imm: uint64(bits), Args: [3]Value{NoValue, NoValue, NoValue}}
		}
		return NoValue
	}
	return f.identity(in, c, known)
}

// flushed returns the operand of an operation that makes zeros of denormals, where it has none.
func (f *folder) flushed(in *Inst) Value {
	switch op := WideOp(in.Imm); op {
	case WideFlush, WideFlush16:
		v := in.More[0]
		if bits, known := f.constant(v); known && lane.FIsNan(bits) == 0 {
			*in = Inst{Op: OpConst, Type: in.Type, Imm: EvalWide(op, uint64(bits), 0, 0), Args: [3]Value{NoValue, NoValue, NoValue}}
			return NoValue
		}
		switch x := &f.p.Insts[v]; x.Op {
		case OpWide:
			if x.Imm == in.Imm {
				return v
			}
		case OpU2F, OpS2F, OpFFloor, OpFCeil, OpFTrunc, OpFRoundEven: // integers
			return v
		}
	case WideFlush64:
		lo, hi := in.More[0], in.More[1]
		if x, y := &f.p.Insts[lo], &f.p.Insts[hi]; x.Op == OpWide && x.Imm == in.Imm && y.Op == OpResult && y.Args[0] == lo {
			return lo
		}
	}
	return NoValue
}

func (f *folder) identity(in *Inst, c [3]uint32, known [3]bool) Value {
	a, b := in.Args[0], in.Args[1]
	isConst := func(i int, x uint32) bool { return known[i] && c[i] == x }
	const ones = ^uint32(0)
	switch in.Op {
	case OpIAdd, OpOr, OpXor:
		if isConst(0, 0) {
			return b
		}
		if isConst(1, 0) || in.Op == OpOr && a == b {
			return a
		}
	case OpISub, OpShl, OpShrU, OpShrS:
		if isConst(1, 0) {
			return a
		}
	case OpIMul:
		if isConst(0, 1) {
			return b
		}
		if isConst(1, 1) {
			return a
		}
		if isConst(0, 0) {
			return a
		}
		if isConst(1, 0) {
			return b
		}
		// A power of two is a shift only with a new constant; engines do it.
	case OpUDiv, OpSDiv:
		if isConst(1, 1) {
			return a
		}
	case OpAnd:
		switch {
		case isConst(0, ones), isConst(1, 0), a == b:
			return b
		case isConst(1, ones), isConst(0, 0):
			return a
		}
	case OpNot, OpINeg, OpFNeg:
		if x := &f.p.Insts[a]; x.Op == in.Op {
			return x.Args[0]
		}
	case OpSelect:
		switch {
		case isConst(0, 0), b == in.Args[2]:
			return in.Args[2]
		case known[0]:
			return b
		case in.Type == Bool && (in.Args[2] == a || isConst(2, 0)): // conditions are combined
			in.Op, in.Args[2] = OpAnd, NoValue
		case in.Type == Bool && (b == a || isConst(1, 0xFFFFFFFF)):
			in.Op, in.Args[1], in.Args[2] = OpOr, in.Args[2], NoValue
		}
	case OpBitcast:
		if f.p.Insts[a].Type == in.Type {
			return a
		}
		// Back and forth is nothing, but only where the way was I32 → F32:
		// the other way a NaN becomes canonical.
		if x := &f.p.Insts[a]; x.Op == OpBitcast && x.Type == F32 && f.p.Insts[x.Args[0]].Type == in.Type {
			return x.Args[0]
		}
	}
	return NoValue
}
