package ir

import "slices"

// flattenCost is how many operations a conditional may hold in both branches
// to be computed without one. Splitting the execution mask and writing a Var
// under it cost about three passes over the lanes.
const flattenCost = 10

// flatten turns small conditionals that differ between lanes and only set Vars
// into selections: both branches are computed in all lanes, and each Var is
// set once. Uniform conditionals stay real branches.
func flatten(p *Program, w *workspace) {
	diverge(p, w)
	f := &flattener{p: p, w: w}
	p.Body.Stmts = f.block(p.Body.Stmts)
}

type flattener struct {
	p *Program
	w *workspace
	// sets are the Vars that the branches of a conditional set, in the order of
	// their first set, and the last value of each branch.
	sets []branchSet
}

type branchSet struct {
	id   uint64
	last [2]Value
}

func (f *flattener) block(stmts []Stmt) []Stmt {
	mark := f.w.open()
	for i := range stmts {
		s := &stmts[i]
		switch {
		case s.If != nil:
			s.If.Then.Stmts = f.block(s.If.Then.Stmts)
			s.If.Else.Stmts = f.block(s.If.Else.Stmts)
			if !f.p.Insts[s.If.Cond].Uniform && f.cost(&s.If.Then, 0)+f.cost(&s.If.Else, 1) <= flattenCost {
				f.selectBranches(s.If)
				continue
			}
		case s.Loop != nil:
			s.Loop.Body.Stmts = f.block(s.Loop.Body.Stmts)
			s.Loop.Continue.Stmts = f.block(s.Loop.Continue.Stmts)
		}
		f.w.stmts = append(f.w.stmts, *s)
	}
	return f.w.close(mark, stmts)
}

// cost counts the operations of a branch that may run in any lane, more than
// flattenCost if something in it may not, or costs much. It notes what the branch
// sets.
func (f *flattener) cost(b *Block, branch int) int {
	if branch == 0 {
		f.sets = f.sets[:0]
	}
	cost := 0
	for i := 0; i < len(b.Stmts) && cost <= flattenCost; i++ {
		s := &b.Stmts[i]
		if s.If != nil || s.Loop != nil {
			return flattenCost + 1
		}
		switch in := &f.p.Insts[s.Inst]; in.Op {
		case OpConst, OpInput, OpResult, OpNop:
		case OpVarGet:
			if k := f.set(in.Imm); k >= 0 && f.sets[k].last[branch] != NoValue { // of a conditional flattened inside; promote first
				return flattenCost + 1
			}
		case OpVarSet:
			k := f.set(in.Imm)
			if k < 0 {
				k = len(f.sets)
				f.sets = append(f.sets, branchSet{in.Imm, [2]Value{NoValue, NoValue}})
			}
			f.sets[k].last[branch] = in.Args[0]
			cost++
		case OpFDiv, OpFSqrt, OpFInvSqrt, OpUDiv, OpSDiv, OpURem, OpSRem, OpSMod, OpFRem, OpFma:
			cost += 4
		default:
			if !Evaluates(in.Op) || in.Op >= OpFExp2 && in.Op <= OpFAtanh {
				return flattenCost + 1
			}
			cost++
		}
	}
	return cost
}

// set is the place of a Var in sets, which has few, or -1.
func (f *flattener) set(id uint64) int {
	return slices.IndexFunc(f.sets, func(s branchSet) bool { return s.id == id })
}

// selectBranches appends the computation of both branches and the selections.
// A get in a branch reads what stood before the conditional, since cost has
// refused others.
func (f *flattener) selectBranches(s *If) {
	p := f.p
	emit := func(in Inst) Value {
		v := Value(len(p.Insts))
		p.Insts = append(p.Insts, in)
		f.w.stmts = append(f.w.stmts, Stmt{Inst: v})
		return v
	}
	for _, b := range [2]*Block{&s.Then, &s.Else} {
		for _, st := range b.Stmts {
			if p.Insts[st.Inst].Op != OpVarSet {
				f.w.stmts = append(f.w.stmts, st)
			}
		}
	}
	for _, set := range f.sets {
		t := p.Vars[set.id].Type
		for i, v := range set.last {
			if v == NoValue {
				set.last[i] = emit(Inst{Op: OpVarGet, Type: t, Imm: set.id, Args: [3]Value{NoValue, NoValue, NoValue}})
			}
		}
		x := emit(Inst{Op: OpSelect, Type: t, Args: [3]Value{s.Cond, set.last[0], set.last[1]}})
		emit(Inst{Op: OpVarSet, Imm: set.id, Args: [3]Value{x, NoValue, NoValue}})
	}
}
