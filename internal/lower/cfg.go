package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// construct is an enclosing merge scope: a branch to merge breaks out of loop,
// one to cont (real loops) continues it. Selections get a Once loop, which the
// builder dissolves where nothing breaks out of it.
type construct struct {
	merge, cont spirv.ID
	loop        *ir.Loop
}

// target is a label that falling off the end of a region leads to. If set is
// valid, the lanes that go there say so in that register (switch fallthrough).
type target struct {
	label   spirv.ID
	set     ir.VarID
	hasFlag bool
}

// region emits the blocks from label on into the current block, until control
// leaves through one of the labels in next or an enclosing construct.
func (c *compiler) region(label spirv.ID, next []target) {
	if c.nesting++; c.nesting > MaxNesting {
		c.fail("constructs nest deeper than %d", MaxNesting)
	}
	for label != 0 {
		blk := c.frame.info.f.Block(label)
		if c.emitted.At(label) == c.frame {
			c.inst = blk.Term
			c.fail("control flow is not structured: block %d is reached from outside its construct", label)
		}
		c.emitted.Set(label, c.frame)
		switch {
		case blk.Merge != nil && blk.Merge.Op == spirv.OpLoopMerge:
			label = c.merged(c.loop(blk), next)
		case blk.Merge != nil:
			c.body(blk)
			label = c.merged(c.selection(blk, next), next)
		default:
			c.body(blk)
			label = c.terminate(blk, next)
		}
	}
	c.nesting--
}

// merged handles a construct whose merge block is at the same time the way out
// of an enclosing one, such as a loop's continue target.
func (c *compiler) merged(label spirv.ID, next []target) spirv.ID {
	if label == 0 {
		return 0
	}
	if natural, con := c.exit(label, next); natural != nil || con != nil {
		c.jump(label, natural, con)
		return 0
	}
	return label
}

// body emits the instructions of a block: phis read their registers first.
func (c *compiler) body(blk *spirv.Block) {
	for _, in := range blk.Insts {
		c.inst = in
		if in.Line != c.line {
			c.line = in.Line
			c.b.From(ir.Source{File: c.m.String(in.Line.File), Line: in.Line.Line})
		}
		if c.steps++; c.steps > MaxSteps || len(c.p.Insts) > MaxInsts {
			c.fail("the program is larger than %d instructions", MaxInsts)
		}
		if _, calls := in.Called(); calls {
			c.trace(in, nil)
		}
		c.lower(in)
		c.traceResult(in)
	}
	c.inst = blk.Term
	c.steps++
}

// loop emits a loop construct and returns the label to go on with, 0 if none.
func (c *compiler) loop(header *spirv.Block) spirv.ID {
	merge, cont := header.Merge.ID(0), header.Merge.ID(1)
	fr := c.frame
	var con *construct
	body := func(l *ir.Loop) {
		l.Source = c.source(header)
		con = &construct{merge: merge, cont: cont, loop: l}
		fr.constructs = append(fr.constructs, con)
		c.realLoops = append(c.realLoops, l)
		c.body(header)
		end := []target{{label: cont}}
		if label := c.terminate(header, end); label != 0 {
			c.region(label, end)
		}
	}
	c.b.Loop(false, body, func(l *ir.Loop) {
		if cont != header.Label && fr.info.reach.At(cont) && c.emitted.At(cont) != fr {
			// Inside the continue construct its own label is no target:
			// the way out is the back edge or a break.
			con.cont = header.Label
			c.region(cont, []target{{label: header.Label}})
		}
	})
	c.realLoops = c.realLoops[:len(c.realLoops)-1]
	fr.constructs = fr.constructs[:len(fr.constructs)-1]
	if !fr.info.reach.At(merge) {
		return 0
	}
	return merge
}

// source is where a loop begins: the line of its header's merge, or of the first
// instruction that has one.
func (c *compiler) source(header *spirv.Block) ir.Source {
	at := header.Merge.Line
	for _, in := range append(header.Insts[:len(header.Insts):len(header.Insts)], header.Term) {
		if at.Line != 0 {
			break
		}
		at = in.Line
	}
	return ir.Source{File: c.m.String(at.File), Line: at.Line}
}

// selection emits the construct of OpSelectionMerge and returns the label to
// go on with, 0 if none.
func (c *compiler) selection(blk *spirv.Block, next []target) spirv.ID {
	merge := blk.Merge.ID(0)
	fr := c.frame
	after := merge
	inner := []target{{label: merge}}
	if !fr.info.reach.At(merge) {
		// Nothing follows the construct, so falling off its end is falling
		// off the region's.
		after, inner = 0, next
	}
	c.b.Loop(true, func(l *ir.Loop) {
		fr.constructs = append(fr.constructs, &construct{merge: merge, loop: l})
		if blk.Term.Op == spirv.OpSwitch {
			c.switchCases(blk, inner)
		} else if label := c.branchConditional(blk, inner, true); label != 0 {
			c.region(label, inner)
		}
	}, nil)
	fr.constructs = fr.constructs[:len(fr.constructs)-1]
	return after
}

// terminate emits the terminator of a block that heads no selection and
// returns the label to go on with in the same region, 0 if none.
func (c *compiler) terminate(blk *spirv.Block, next []target) spirv.ID {
	t := blk.Term
	c.inst = t
	switch t.Op {
	case spirv.OpBranch:
		return c.branch(blk, t.ID(0), next)
	case spirv.OpBranchConditional:
		return c.branchConditional(blk, next, false)
	case spirv.OpReturn:
		c.ret(nil)
		return c.branch(blk, returnLabel, next)
	case spirv.OpReturnValue:
		c.traceOperand(t, t.ID(0))
		c.ret(c.get(t.ID(0)))
		return c.branch(blk, returnLabel, next)
	case spirv.OpKill, spirv.OpTerminateInvocation:
		// The lane runs on as a helper, for derivatives; out of loops it
		// breaks, so that a loop that only a discard ends does end. Where
		// others would see it in votes, one that is terminated ends.
		c.trace(t, nil)
		c.demote()
		if t.Op == spirv.OpTerminateInvocation && c.whole != nil {
			c.b.Break(c.whole)
		} else if len(c.realLoops) > 0 {
			c.b.Break(c.realLoops[0])
		}
		return 0
	case spirv.OpEmitMeshTasksEXT:
		c.trace(t, nil)
		c.emitMeshTasks(t)
		if c.depth > 1 { // the callers end, too
			c.b.Break(c.whole)
			return 0
		}
		return c.branch(blk, returnLabel, next)
	case spirv.OpUnreachable:
		return 0
	default:
		c.fail("unsupported terminator %v", t.Op)
		return 0
	}
}

func (c *compiler) demote() {
	if c.p.Stage != ir.StageFragment {
		c.fail("%v outside a fragment shader", c.inst.Op)
	}
	c.p.Demotes = true
	c.b.Op(ir.OpDemote, ir.Void)
}

// exit says how label can be left to from here: natural if the region's end
// leads to it, else through an enclosing construct, or not at all.
func (c *compiler) exit(label spirv.ID, next []target) (natural *target, con *construct) {
	for i := range next {
		if next[i].label == label {
			return &next[i], nil
		}
	}
	for i := len(c.frame.constructs) - 1; i >= 0; i-- {
		if con := c.frame.constructs[i]; con.merge == label || con.cont == label && con.cont != 0 {
			return nil, con
		}
	}
	return nil, nil
}

// branch emits an edge. It returns label where the target is no exit, so that
// the region goes on there, else 0.
func (c *compiler) branch(from *spirv.Block, label spirv.ID, next []target) spirv.ID {
	c.phiSets(from, label)
	natural, con := c.exit(label, next)
	if natural == nil && con == nil {
		return label
	}
	c.jump(label, natural, con)
	return 0
}

// jump leaves to label the way that exit found.
func (c *compiler) jump(label spirv.ID, natural *target, con *construct) {
	switch {
	case natural != nil:
		if natural.hasFlag {
			c.b.Set(natural.set, c.b.Bool(true))
		}
	case con.merge == label:
		c.b.Break(con.loop)
	default:
		c.b.Continue(con.loop)
	}
}

// branchConditional emits a two-way branch. A selection's arms are regions of
// their own; otherwise the way that is no exit goes on in the same region.
func (c *compiler) branchConditional(blk *spirv.Block, next []target, selection bool) spirv.ID {
	t := blk.Term
	c.inst = t
	cond := c.scalar(t.ID(0))
	if c.p.Insts[cond].Type != ir.Bool {
		c.fail("the condition is not a boolean")
	}
	c.traceOperand(t, t.ID(0))
	yes, no := t.ID(1), t.ID(2)
	if yes == no {
		return c.branch(blk, yes, next)
	}
	arm := func(label spirv.ID) func() {
		return func() {
			c.inst = t
			if l := c.branch(blk, label, next); l != 0 {
				c.region(l, next)
			}
		}
	}
	if !selection {
		// `if (x) break;` in a row must not nest.
		if _, con := c.exit(yes, next); con != nil && !c.isExit(no, next) {
			c.b.If(cond, arm(yes), nil)
			return c.branch(blk, no, next)
		}
		if _, con := c.exit(no, next); con != nil && !c.isExit(yes, next) {
			c.b.If(c.b.Op(ir.OpNot, ir.Bool, cond), arm(no), nil)
			return c.branch(blk, yes, next)
		}
	}
	c.b.If(cond, arm(yes), arm(no))
	return 0
}

func (c *compiler) isExit(label spirv.ID, next []target) bool {
	natural, con := c.exit(label, next)
	return natural != nil || con != nil
}

// phiSets writes the registers of the phis in block to for the edge from.
func (c *compiler) phiSets(from *spirv.Block, to spirv.ID) {
	if to == returnLabel {
		return
	}
	vars, vals := c.phiRoom[:0], c.valueRoom[:0]
	for _, in := range c.frame.info.f.Block(to).Insts {
		if in.Op != spirv.OpPhi {
			break
		}
		found := false
		for i := 0; i+1 < len(in.Operands); i += 2 {
			if in.ID(i+1) == from.Label {
				found = true
				regs := c.phiVars(in)
				vars = append(vars, regs...)
				vals = append(vals, c.scalars(in.ID(i), len(regs))...)
				break
			}
		}
		if !found {
			c.inst = in
			c.fail("the phi has no value for the branch from block %d", from.Label)
		}
	}
	for i, v := range vars {
		if c.p.Vars[v].Type != c.p.Insts[vals[i]].Type {
			c.fail("a phi's operand does not have its type")
		}
		c.b.Set(v, vals[i])
	}
	c.phiRoom, c.valueRoom = vars, vals
}

func (c *compiler) phiVars(in *spirv.Inst) []ir.VarID {
	if p := c.phis.At(in.Result); p.frame == c.frame {
		return p.regs
	}
	flat, name := c.flat(c.typ(in.Type)), c.m.Name(in.Result)
	regs := make([]ir.VarID, len(flat))
	for i, t := range flat {
		regs[i] = c.b.NewVar(t, name)
	}
	c.phis.Set(in.Result, phi{c.frame, regs})
	return regs
}

// phi reads a phi's registers at the head of its block.
func (c *compiler) phi(in *spirv.Inst) {
	regs := c.phiVars(in)
	s := c.values(len(regs))
	for i, r := range regs {
		s[i] = c.b.Get(r)
	}
	c.set(&value{s: s})
}
