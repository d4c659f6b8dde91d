package ir

// share replaces an operation by an equal one that dominates it: common
// subexpressions of the same or an outer block. Only steady operations, and derivatives
// where the same lanes run: without control flow in between.
func share(p *Program, w *workspace) {
	size := 1
	for size < len(p.Insts) {
		size *= 2
	}
	s := &sharer{p: p, r: w.replacements(p), heads: Room(&w.numbers[0], size), entries: w.entries[:0]}
	s.block(&p.Body)
	w.entries = s.entries
}

type shareKey struct {
	op   Op
	t    Type
	args [6]Value
	imm  uint64
}

type sharer struct {
	p *Program
	r replacement
	// A hash table whose entries are a stack: those of a block go when it ends.
	// heads and next are indices of entries plus one.
	heads   []int32
	entries []shareEntry
	stretch int32 // number of the present one without control flow: blocks begin and end them
}

type shareEntry struct {
	value Value // of the operation, which no longer changes
	next  int32
	hash  uint32
	// stretch is where it stands.
	stretch int32
}

// find returns the value of an operation seen before; where there is none, v is
// remembered.
func (s *sharer) find(k *shareKey, v Value) Value {
	h := uint64(k.op)*0x9E3779B97F4A7C15 ^ k.imm
	for _, a := range k.args[:3] {
		h = (h ^ uint64(uint32(a))) * 0xFF51AFD7ED558CCD
	}
	hash := uint32(h >> 32)
	head := hash & uint32(len(s.heads)-1)
	for e := s.heads[head]; e != 0; e = s.entries[e-1].next {
		if s.entries[e-1].hash != hash || derives(k.op) && s.entries[e-1].stretch != s.stretch {
			continue
		}
		if seen, _ := s.key(&s.p.Insts[s.entries[e-1].value]); seen == *k {
			return s.entries[e-1].value
		}
	}
	s.entries = append(s.entries, shareEntry{v, s.heads[head], hash, s.stretch})
	s.heads[head] = int32(len(s.entries))
	return v
}

func (s *sharer) block(b *Block) {
	mark := len(s.entries)
	s.stretch++
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
				if v := s.find(&k, st.Inst); v != st.Inst {
					s.r[st.Inst] = v
					continue
				}
			}
		}
		out = append(out, st)
	}
	b.Stmts = out
	for i := len(s.entries) - 1; i >= mark; i-- {
		s.heads[s.entries[i].hash&uint32(len(s.heads)-1)] = s.entries[i].next
	}
	s.entries = s.entries[:mark]
}

func (s *sharer) key(in *Inst) (shareKey, bool) {
	if !s.p.steady(in) && !derives(in.Op) {
		return shareKey{}, false
	}
	k := shareKey{op: in.Op, t: in.Type, imm: in.Imm, args: [6]Value{NoValue, NoValue, NoValue, NoValue, NoValue, NoValue}}
	n := copy(k.args[:], in.fixed())
	copy(k.args[n:], in.More)
	if commutes(in.Op) && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k, true
}

// steady says that an operation gives the same wherever its operands are known: it is pure, or a
// load from a uniform buffer, which nothing writes while a program runs.
func (p *Program) steady(in *Inst) bool {
	return infos[in.Op].Pure || in.Op == OpLoadBuffer && p.Resources[in.Imm].Kind == UniformBuffer
}

// derives tells whether an operation is a derivative.
func derives(op Op) bool { return op >= OpDdxFine && op <= OpDdyCoarse }

// commutes tells whether the first two operands may change places, bits
// included (the payload of a NaN aside, which is not visible).
func commutes(op Op) bool {
	switch op {
	case OpIAdd, OpIMul, OpIMulHiU, OpIMulHiS, OpIDot16, OpAnd, OpOr, OpXor, OpSMin, OpSMax, OpUMin, OpUMax, OpIEq, OpINe,
		OpFAdd, OpFMul, OpFma, OpFEq, OpFNe, OpFOrd, OpFUnord, OpFMin, OpFMax:
		return true
	}
	return false
}
