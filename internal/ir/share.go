package ir

// share replaces an operation by an equal one that dominates it: common
// subexpressions of the same or an outer block. Only pure operations, and
// loads from uniform buffers, which nothing writes while a program runs.
func share(p *Program) {
	s := &sharer{p: p, r: newReplacement(p), seen: map[shareKey]Value{}}
	s.block(&p.Body)
}

type shareKey struct {
	op   Op
	t    Type
	args [6]Value
	imm  uint64
}

type sharer struct {
	p    *Program
	r    replacement
	seen map[shareKey]Value
}

func (s *sharer) block(b *Block) {
	var added []shareKey
	out := b.Stmts[:0]
	for _, st := range b.Stmts {
		switch {
		case st.If != nil:
			st.If.Cond = s.r.of(st.If.Cond)
			s.block(&st.If.Then)
			s.block(&st.If.Else)
		case st.Loop != nil:
			s.block(&st.Loop.Body)
			s.block(&st.Loop.Continue)
		default:
			in := &s.p.Insts[st.Inst]
			s.r.operands(in)
			if k, ok := s.key(in); ok {
				if v, ok := s.seen[k]; ok {
					s.r[st.Inst] = v
					continue
				}
				s.seen[k] = st.Inst
				added = append(added, k)
			}
		}
		out = append(out, st)
	}
	b.Stmts = out
	for _, k := range added {
		delete(s.seen, k)
	}
}

func (s *sharer) key(in *Inst) (shareKey, bool) {
	info := &infos[in.Op]
	if !info.Pure && !(in.Op == OpLoadBuffer && s.p.Resources[in.Imm].Kind == UniformBuffer) {
		return shareKey{}, false
	}
	k := shareKey{op: in.Op, t: in.Type, imm: in.Imm, args: [6]Value{NoValue, NoValue, NoValue, NoValue, NoValue, NoValue}}
	i := 0
	in.Operands(func(v *Value) {
		k.args[i] = *v
		i++
	})
	if commutes(in.Op) && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k, true
}

// commutes tells whether the first two operands may change places, bits
// included (the payload of a NaN aside, which is not visible).
func commutes(op Op) bool {
	switch op {
	case OpIAdd, OpIMul, OpIMulHiU, OpIMulHiS, OpAnd, OpOr, OpXor, OpSMin, OpSMax, OpUMin, OpUMax, OpIEq, OpINe,
		OpFAdd, OpFMul, OpFma, OpFEq, OpFNe, OpFOrd, OpFUnord, OpFMin, OpFMax:
		return true
	}
	return false
}
