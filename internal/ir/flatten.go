package ir

// flattenCost is how many operations a conditional may hold in both branches
// to be computed without one. Splitting the execution mask and writing a Var
// under it cost about three passes over the lanes.
const flattenCost = 10

// flatten turns small conditionals that differ between lanes and only set Vars
// into selections: both branches are computed in all lanes, and each Var is
// set once. Uniform conditionals stay real branches.
func flatten(p *Program) {
	Diverge(p)
	p.Body.Stmts = flattenBlock(p, p.Body.Stmts)
}

func flattenBlock(p *Program, stmts []Stmt) []Stmt {
	out := make([]Stmt, 0, len(stmts))
	for _, s := range stmts {
		switch {
		case s.If != nil:
			s.If.Then.Stmts = flattenBlock(p, s.If.Then.Stmts)
			s.If.Else.Stmts = flattenBlock(p, s.If.Else.Stmts)
			if !p.Insts[s.If.Cond].Uniform && branchCost(p, &s.If.Then)+branchCost(p, &s.If.Else) <= flattenCost {
				out = selectBranches(p, s.If, out)
				continue
			}
		case s.Loop != nil:
			s.Loop.Body.Stmts = flattenBlock(p, s.Loop.Body.Stmts)
			s.Loop.Continue.Stmts = flattenBlock(p, s.Loop.Continue.Stmts)
		}
		out = append(out, s)
	}
	return out
}

// branchCost counts the operations of a branch that may run in any lane, more
// than flattenCost if something in it may not, or costs much.
func branchCost(p *Program, b *Block) int {
	cost := 0
	set := map[uint64]bool{}
	for i := range b.Stmts {
		s := &b.Stmts[i]
		if s.If != nil || s.Loop != nil {
			return flattenCost + 1
		}
		switch in := &p.Insts[s.Inst]; in.Op {
		case OpConst, OpInput, OpResult, OpNop:
		case OpVarGet:
			if set[in.Imm] { // of a conditional flattened inside; promote first
				return flattenCost + 1
			}
		case OpVarSet:
			set[in.Imm] = true
			cost++
		case OpFDiv, OpFSqrt, OpFInvSqrt, OpUDiv, OpSDiv, OpURem, OpSRem, OpSMod, OpFRem, OpFma:
			cost += 4
		default:
			if _, ok := Eval(in.Op, 0, 1, 0); !ok || in.Op >= OpFExp2 && in.Op <= OpFAtanh {
				return flattenCost + 1
			}
			cost++
		}
	}
	return cost
}

// selectBranches appends the computation of both branches and the selections.
// A get in a branch reads what stood before the conditional, since branchCost
// has refused others.
func selectBranches(p *Program, s *If, out []Stmt) []Stmt {
	emit := func(in Inst) Value {
		v := Value(len(p.Insts))
		p.Insts = append(p.Insts, in)
		out = append(out, Stmt{Inst: v})
		return v
	}
	var order []uint64 // Vars in the order of their sets
	var set [2]map[uint64]Value
	for i, b := range [2]*Block{&s.Then, &s.Else} {
		set[i] = map[uint64]Value{}
		for _, st := range b.Stmts {
			in := &p.Insts[st.Inst]
			if in.Op != OpVarSet {
				out = append(out, st)
				continue
			}
			if _, ok := set[i][in.Imm]; !ok && (i == 0 || !has(set[0], in.Imm)) {
				order = append(order, in.Imm)
			}
			set[i][in.Imm] = in.Args[0]
		}
	}
	for _, id := range order {
		t := p.Vars[id].Type
		var v [2]Value
		for i := range v {
			var ok bool
			if v[i], ok = set[i][id]; !ok {
				v[i] = emit(Inst{Op: OpVarGet, Type: t, Imm: id, Args: [3]Value{NoValue, NoValue, NoValue}})
			}
		}
		x := emit(Inst{Op: OpSelect, Type: t, Args: [3]Value{s.Cond, v[0], v[1]}})
		emit(Inst{Op: OpVarSet, Imm: id, Args: [3]Value{x, NoValue, NoValue}})
	}
	return out
}

func has(m map[uint64]Value, k uint64) bool {
	_, ok := m[k]
	return ok
}
