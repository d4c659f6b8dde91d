package lower

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// switchCase is a distinct target of an OpSwitch.
type switchCase struct {
	label     spirv.ID
	literals  []uint64
	isDefault bool
	falls     []spirv.ID // cases that control runs into
}

// fallsTo tells whether control can run into another case without passing a third
// one or leaving the construct.
func (s *switchCase) fallsTo(label spirv.ID) bool { return slices.Contains(s.falls, label) }

// switchCases emits an OpSwitch as one conditional a case. The conditions
// exclude each other, so a case that ends in the merge block just runs past the
// conditionals that follow. A case that falls through raises a flag that the
// next case's condition takes in.
func (c *compiler) switchCases(blk *spirv.Block, inner []target) {
	c.inst = blk.Term
	selector := ir.NoValue
	if t := c.elemOf(blk.Term.ID(0)); isWide(t) {
		c.pairs = c.pairs[:0]
		selector = c.comps(blk.Term.ID(0), 1)[0]
	} else {
		selector = c.intScalar(blk.Term.ID(0))
	}
	c.traceOperand(blk.Term, blk.Term.ID(0))
	cases := c.orderCases(blk, blk.Merge.ID(0))
	conds := c.caseConditions(selector, cases)
	var flags []ir.VarID // of the cases that may be fallen into
	for i := range cases {
		flag := ir.VarID(-1)
		if i > 0 && cases[i-1].fallsTo(cases[i].label) {
			flag = c.b.NewVar(ir.Bool, "")
			// A register keeps its value through the iterations of a loop.
			c.b.Set(flag, c.b.Bool(false))
		}
		flags = append(flags, flag)
	}
	for i, cs := range cases {
		cond := conds[i]
		if flags[i] >= 0 {
			// The phis of the case take the switch's values in the lanes that
			// come from the switch; the others have set theirs.
			c.b.If(cond, func() { c.phiSets(blk, cs.label) }, nil)
			cond = c.b.Op(ir.OpOr, ir.Bool, cond, c.b.Get(flags[i]))
		}
		next := inner
		if i+1 < len(cases) && flags[i+1] >= 0 {
			next = append(inner[:len(inner):len(inner)], target{label: cases[i+1].label, set: flags[i+1], hasFlag: true})
		}
		c.b.If(cond, func() {
			c.inst = blk.Term
			if flags[i] >= 0 {
				c.region(cs.label, next)
			} else if l := c.branch(blk, cs.label, inner); l != 0 {
				c.region(l, next)
			}
		}, nil)
	}
}

// caseConditions gives one exclusive condition a case.
func (c *compiler) caseConditions(selector ir.Value, cases []switchCase) []ir.Value {
	b := c.b
	conds := make([]ir.Value, len(cases))
	matched := ir.NoValue // some literal of a case matched
	or := func(x, y ir.Value) ir.Value {
		if x == ir.NoValue {
			return y
		}
		return b.Op(ir.OpOr, ir.Bool, x, y)
	}
	def := -1
	for i, cs := range cases {
		if cs.isDefault {
			def = i // its own literals go the same way as no match
			continue
		}
		conds[i] = ir.NoValue
		for _, l := range cs.literals {
			conds[i] = or(conds[i], c.num(ir.OpIEq, ir.Bool, selector, c.literal(selector, l)))
		}
		matched = or(matched, conds[i])
	}
	if matched == ir.NoValue {
		conds[def] = b.Bool(true)
	} else {
		conds[def] = b.Op(ir.OpNot, ir.Bool, matched)
	}
	return conds
}

// literal is a case's literal in the width of the selector.
func (c *compiler) literal(selector ir.Value, l uint64) ir.Value {
	if isPair(selector) {
		return c.pair(c.b.I32(uint32(l)), c.b.I32(uint32(l>>32)))
	}
	return c.b.I32(uint32(l))
}

// orderCases lists the distinct targets so that a case that falls through
// stands just before the one it falls into. SPIR-V orders the literals so; only
// the place of the default is open.
func (c *compiler) orderCases(blk *spirv.Block, merge spirv.ID) []switchCase {
	def := switchCase{label: blk.Term.ID(1), isDefault: true}
	var cases []switchCase
	index := map[spirv.ID]int{}
	seen := map[uint64]bool{}
	for _, k := range blk.Cases() {
		lit, label := k.Literal, k.Label
		if seen[lit] {
			c.fail("two cases for the literal %d", lit)
		}
		seen[lit] = true
		if label == def.label {
			continue
		}
		k, ok := index[label]
		if !ok {
			k = len(cases)
			index[label] = k
			cases = append(cases, switchCase{label: label})
		}
		cases[k].literals = append(cases[k].literals, lit)
	}
	cases = append(cases, def)
	c.findFalls(cases, merge)
	def, others := cases[len(cases)-1], cases[:len(cases)-1]
	for i := range others {
		switch {
		case others[i].fallsTo(def.label):
			i++
		case !def.fallsTo(others[i].label):
			continue
		}
		copy(cases[i+1:], cases[i:])
		cases[i] = def
		break
	}
	return cases
}

// findFalls fills in which cases each runs into.
func (c *compiler) findFalls(cases []switchCase, merge spirv.ID) {
	const isCase, isExit = 1, 2
	ends := map[spirv.ID]int{}
	for _, con := range c.frame.constructs {
		ends[con.merge], ends[con.cont] = isExit, isExit
	}
	for i := range cases {
		ends[cases[i].label] = isCase
	}
	ends[merge] = isExit
	f := c.frame.info.f
	for i := range cases {
		cs := &cases[i]
		if cs.label == merge {
			continue
		}
		seen := map[spirv.ID]bool{cs.label: true}
		work := []spirv.ID{cs.label}
		for len(work) > 0 {
			if c.steps++; c.steps > MaxSteps {
				c.fail("the program is larger than %d instructions", MaxSteps)
			}
			b := f.Block(work[len(work)-1])
			work = work[:len(work)-1]
			for _, s := range b.Successors() {
				if seen[s] {
					continue
				}
				seen[s] = true
				switch ends[s] {
				case isCase:
					cs.falls = append(cs.falls, s)
				case 0:
					work = append(work, s)
				}
			}
		}
	}
}
