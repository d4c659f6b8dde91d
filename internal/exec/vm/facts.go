package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// facts is what one walk over the program in statement order tells.
type facts struct {
	uniform    []bool // by value
	uniformVar []bool
	// zeroAt lists, for a statement of the program's body, the Vars that
	// must be zeroed before it: those whose first access is there and is not
	// a plain set outside all control flow. A Var starts as zero so that what
	// a program reads without writing depends on nothing else.
	zeroAt map[int][]ir.VarID
	// alias marks an OpVarGet whose value is not needed after the next set
	// of its Var: it reads the Var's register in place.
	alias []bool
	// fused marks a product that is computed by the addition that uses it.
	fused []bool
}

// span is a range of statement positions that runs repeatedly.
type span struct{ from, to int }

type gatherer struct {
	p       *ir.Program
	f       *facts
	pos     int
	at      []int // statement position of each value, -1 if never defined
	last    []int // position of the last use
	uses    []int
	loops   []span // inner before outer
	sets    [][]int
	touched []bool // Vars accessed so far
	top     int    // statement of the body that is walked
	nested  bool
}

func gather(p *ir.Program) facts {
	n := len(p.Insts)
	f := facts{
		uniform: make([]bool, n), uniformVar: make([]bool, len(p.Vars)), zeroAt: map[int][]ir.VarID{},
		alias: make([]bool, n), fused: make([]bool, n),
	}
	g := &gatherer{p: p, f: &f, at: make([]int, n), last: make([]int, n), uses: make([]int, n), sets: make([][]int, len(p.Vars)), touched: make([]bool, len(p.Vars))}
	for i := range p.Insts {
		g.at[i] = -1
		in := &p.Insts[i]
		f.uniform[i] = in.Op == ir.OpConst || in.Uniform && canBeUniform(in.Op)
		if in.Op == ir.OpVarGet && in.Uniform {
			f.uniformVar[in.Imm] = true
		}
		in.Operands(func(v *ir.Value) {
			if *v >= 0 {
				g.uses[*v]++
			}
		})
	}
	for i := range p.Insts {
		if p.Insts[i].Op == ir.OpVarGet {
			f.uniform[i] = f.uniformVar[p.Insts[i].Imm]
		}
	}
	g.fuse(&p.Body)
	for i := range p.Body.Stmts {
		g.top = i
		g.stmt(&p.Body.Stmts[i])
	}
	g.aliases()
	return f
}

// canBeUniform: the operations whose uniform results the VM computes once; of
// the others a mark is ignored, which costs time, not correctness.
func canBeUniform(op ir.Op) bool {
	if _, ok := ir.Eval(op, 0, 1, 0); ok {
		return true
	}
	switch op {
	case ir.OpVarGet, ir.OpLoadBuffer, ir.OpLoadPush, ir.OpBufferSize:
		return true
	}
	return false
}

func (g *gatherer) block(b *ir.Block) {
	was := g.nested
	g.nested = true
	for i := range b.Stmts {
		g.stmt(&b.Stmts[i])
	}
	g.nested = was
}

func (g *gatherer) stmt(s *ir.Stmt) {
	g.pos++
	switch {
	case s.If != nil:
		g.use(s.If.Cond)
		g.block(&s.If.Then)
		g.block(&s.If.Else)
	case s.Loop != nil:
		from := g.pos
		g.block(&s.Loop.Body)
		g.block(&s.Loop.Continue)
		g.pos++
		if !s.Loop.Once {
			g.loops = append(g.loops, span{from, g.pos})
		}
	default:
		in := &g.p.Insts[s.Inst]
		g.at[s.Inst] = g.pos
		switch in.Op {
		case ir.OpVarGet:
			g.touch(ir.VarID(in.Imm), false)
		case ir.OpVarSet:
			g.touch(ir.VarID(in.Imm), true)
			g.sets[in.Imm] = append(g.sets[in.Imm], g.pos)
		}
		if !g.f.fused[s.Inst] {
			g.operands(in)
		}
	}
}

func (g *gatherer) operands(in *ir.Inst) {
	in.Operands(func(v *ir.Value) {
		if *v < 0 {
			return
		}
		g.use(*v)
		if g.f.fused[*v] {
			g.operands(&g.p.Insts[*v])
		}
	})
}

func (g *gatherer) use(v ir.Value) { g.last[v] = g.pos }

func (g *gatherer) touch(v ir.VarID, set bool) {
	if !g.touched[v] && !g.f.uniformVar[v] && (!set || g.nested) {
		g.f.zeroAt[g.top] = append(g.f.zeroAt[g.top], v)
	}
	g.touched[v] = true
}

// aliases decides which gets may read in place: no set of the Var between the
// get and the last use, where a use in a loop that the get stands outside
// counts until the loop's end.
func (g *gatherer) aliases() {
	for i := range g.p.Insts {
		in := &g.p.Insts[i]
		if in.Op != ir.OpVarGet || g.at[i] < 0 {
			continue
		}
		from, to := g.at[i], g.last[i]
		for _, l := range g.loops {
			if from < l.from && to >= l.from && to < l.to {
				to = l.to
			}
		}
		sets := g.sets[in.Imm] // ascending
		next, _ := slices.BinarySearch(sets, from+1)
		g.f.alias[i] = next == len(sets) || sets[next] >= to
	}
}

// fuse finds products with a single use, by an addition or subtraction of the
// same block. The pair keeps its two roundings; one loop over the lanes saves
// a pass through memory.
func (g *gatherer) fuse(b *ir.Block) {
	here := map[ir.Value]bool{}
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case s.If != nil:
			g.fuse(&s.If.Then)
			g.fuse(&s.If.Else)
		case s.Loop != nil:
			g.fuse(&s.Loop.Body)
			g.fuse(&s.Loop.Continue)
		default:
			in := &g.p.Insts[s.Inst]
			switch {
			case g.f.uniform[s.Inst]:
			case in.Op == ir.OpFMul && g.uses[s.Inst] == 1:
				here[s.Inst] = true
			case in.Op == ir.OpFAdd || in.Op == ir.OpFSub:
				if here[in.Args[0]] {
					g.f.fused[in.Args[0]] = true
				} else if here[in.Args[1]] {
					g.f.fused[in.Args[1]] = true
				}
			}
		}
	}
}

// escapes tells whether a break or continue in b leaves more than depth
// loops.
func (c *compiler) escapes(b *ir.Block, depth uint64) bool {
	return c.leaves(b, depth, func(in *ir.Inst, depth uint64) bool { return in.Imm > depth })
}

// continues tells whether b has a continue of the loop depth loops out.
func (c *compiler) continues(b *ir.Block, depth uint64) bool {
	return c.leaves(b, depth, func(in *ir.Inst, depth uint64) bool { return in.Op == ir.OpContinue && in.Imm == depth })
}

func (c *compiler) leaves(b *ir.Block, depth uint64, f func(*ir.Inst, uint64) bool) bool {
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case s.If != nil:
			if c.leaves(&s.If.Then, depth, f) || c.leaves(&s.If.Else, depth, f) {
				return true
			}
		case s.Loop != nil:
			if c.leaves(&s.Loop.Body, depth+1, f) || c.leaves(&s.Loop.Continue, depth+1, f) {
				return true
			}
		default:
			in := &c.p.Insts[s.Inst]
			if (in.Op == ir.OpBreak || in.Op == ir.OpContinue) && f(in, depth) {
				return true
			}
		}
	}
	return false
}
