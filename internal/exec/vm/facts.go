package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// facts is what one walk over the program in statement order tells.
type facts struct {
	uniform    []bool // by value
	uniformVar []bool
	// zero lists, in the order of the statements of the program's body, the Vars
	// that must be zeroed before one: those whose first access is there and is not
	// a set in a block that all others are in. A Var starts as zero so that what
	// a program reads without writing depends on nothing else.
	zero []zeroing
	// alias marks an OpVarGet whose value is not needed after the next set
	// of its Var: it reads the Var's register in place.
	alias []bool
	// fused marks a product that is computed by the addition that uses it.
	fused []bool
}

// loop is a range of statement positions that runs repeatedly, and the one around
// it, -1 for none.
type loop struct{ from, to, around int32 }

// valueFacts is what only the walk needs of a value.
type valueFacts struct {
	at    int32 // statement position, 0 if never defined
	last  int32 // position of the last use
	loop  int32 // the innermost loop around that
	uses  int32
	block int32 // of a product that could be fused: the number of its block
}

type gatherer struct {
	p      *ir.Program
	f      *facts
	pos    int32
	values []valueFacts
	loops  []loop
	loop   int32   // the innermost one around the statement, -1 for none
	blocks int32   // numbers of blocks so far
	setAt  []int32 // positions of sets, those of Var i from setsOf[i] on, up to the next one's
	setsOf []int32
	first  []access // of Vars
	top    int      // statement of the body that is walked
	open   []int32  // numbers of the blocks that it is in
	opened int32    // blocks so far
}

// access is the first one of a Var, 0 for none: a set in a block, until there is another access
// outside of that, or one that has settled whether it starts as zero.
type access struct{ block, top int32 }

const settled = -1

func gather(p *ir.Program, s *scratch, single bool) facts {
	n := len(p.Insts)
	f := facts{
		uniform: ir.Room(&s.uniform, n), zero: s.zero[:0],
		uniformVar: ir.Room(&s.uniformVar, len(p.Vars)),
		alias:      ir.Room(&s.alias, n), fused: ir.Room(&s.fused, n),
	}
	g := &gatherer{
		p: p, f: &f, values: ir.Room(&s.values, n), loops: s.loops[:0], loop: -1,
		setsOf: ir.Room(&s.setsOf, len(p.Vars)+2), open: s.open[:0],
		first: ir.Room(&s.first, len(p.Vars)),
	}
	sets := 0
	for i := range p.Insts {
		in := &p.Insts[i]
		f.uniform[i] = in.Op == ir.OpConst || in.Uniform && canBeUniform(p, in)
		if single {
			f.uniform[i] = sharedAlone(p, in)
		}
		switch {
		case in.Op == ir.OpVarSet:
			g.setsOf[in.Imm+2]++
			sets++
		case in.Op == ir.OpVarGet && in.Uniform && !single:
			f.uniformVar[in.Imm] = true
		}
		in.Operands(func(v *ir.Value) {
			if *v >= 0 {
				g.values[*v].uses++
			}
		})
	}
	if single {
		for i := range f.uniformVar {
			f.uniformVar[i] = p.Vars[i].Type != ir.F32
		}
	}
	// From here setsOf[i+1] is where the next set of Var i goes, and so, once all
	// are there, where those of Var i+1 begin.
	for i := 2; i < len(g.setsOf); i++ {
		g.setsOf[i] += g.setsOf[i-1]
	}
	g.setAt = ir.Room(&s.setAt, sets)
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
	slices.SortStableFunc(f.zero, func(a, b zeroing) int { return a.at - b.at })
	s.loops, s.zero, s.open = g.loops, f.zero, g.open
	return f
}

// canBeUniform: the operations whose uniform results the VM computes once; of
// the others a mark is ignored, which costs time, not correctness.
func canBeUniform(p *ir.Program, in *ir.Inst) bool {
	if ir.Evaluates(in.Op) {
		return true
	}
	switch in.Op {
	case ir.OpImage:
		return p.ImageOps[in.Imm].Once()
	case ir.OpResult:
		return canBeUniform(p, &p.Insts[in.Args[0]])
	case ir.OpLoadMem:
		return ir.MemOf(in.Imm).Space == ir.MemBuffer
	case ir.OpVarGet, ir.OpLoadBuffer, ir.OpLoadPush, ir.OpLoadTable, ir.OpBufferSize:
		return true
	}
	return false
}

func (g *gatherer) block(b *ir.Block) {
	g.opened++
	g.open = append(g.open, g.opened)
	for i := range b.Stmts {
		g.stmt(&b.Stmts[i])
	}
	g.open = g.open[:len(g.open)-1]
}

func (g *gatherer) stmt(s *ir.Stmt) {
	g.pos++
	switch {
	case s.If != nil:
		g.use(s.If.Cond)
		g.block(&s.If.Then)
		g.block(&s.If.Else)
	case s.Loop != nil:
		around := g.loop
		if !s.Loop.Once {
			g.loop = int32(len(g.loops))
			g.loops = append(g.loops, loop{from: g.pos, around: around})
		}
		g.block(&s.Loop.Body)
		g.block(&s.Loop.Continue)
		if g.pos++; !s.Loop.Once {
			g.loops[g.loop].to = g.pos
		}
		g.loop = around
	default:
		in := &g.p.Insts[s.Inst]
		g.values[s.Inst].at = g.pos
		switch in.Op {
		case ir.OpVarGet:
			g.touch(ir.VarID(in.Imm), false)
		case ir.OpVarSet:
			g.touch(ir.VarID(in.Imm), true)
			next := &g.setsOf[in.Imm+1]
			g.setAt[*next] = g.pos
			*next++
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

func (g *gatherer) use(v ir.Value) { g.values[v].last, g.values[v].loop = g.pos, g.loop }

func (g *gatherer) touch(v ir.VarID, set bool) {
	a := &g.first[v]
	switch {
	case a.block == settled || a.block > 0 && slices.Contains(g.open, a.block):
		return
	case a.block == 0 && set && len(g.open) > 0:
		a.block, a.top = g.open[len(g.open)-1], int32(g.top)
		return
	case a.block == 0:
		a.top = int32(g.top)
	}
	if !g.f.uniformVar[v] && !(a.block == 0 && set) {
		g.f.zero = append(g.f.zero, zeroing{int(a.top), v})
	}
	a.block = settled
}

// aliases decides which gets may read in place: no set of the Var between the
// get and the last use, where a use in a loop that the get stands outside
// counts until the loop's end.
func (g *gatherer) aliases() {
	for i := range g.p.Insts {
		in, v := &g.p.Insts[i], &g.values[i]
		if in.Op != ir.OpVarGet || v.at == 0 {
			continue
		}
		from, to := v.at, v.last
		if to != 0 {
			for l := v.loop; l >= 0 && from < g.loops[l].from; l = g.loops[l].around {
				to = g.loops[l].to
			}
		}
		sets := g.setAt[g.setsOf[in.Imm]:g.setsOf[in.Imm+1]] // ascending
		next, _ := slices.BinarySearch(sets, from+1)
		g.f.alias[i] = next == len(sets) || sets[next] >= to
	}
}

// fuse finds products with a single use, by an addition or subtraction of the
// same block. The pair keeps its two roundings; one loop over the lanes saves
// a pass through memory.
func (g *gatherer) fuse(b *ir.Block) {
	g.blocks++
	here := g.blocks
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
			case in.Op == ir.OpFMul && g.values[s.Inst].uses == 1:
				g.values[s.Inst].block = here
			case in.Op == ir.OpFAdd || in.Op == ir.OpFSub:
				if g.values[in.Args[0]].block == here {
					g.f.fused[in.Args[0]] = true
				} else if g.values[in.Args[1]].block == here {
					g.f.fused[in.Args[1]] = true
				}
			}
		}
	}
}

// escapes tells whether in b only some lanes break out of or continue more than depth loops.
func (c *compiler) escapes(b *ir.Block, depth uint64) bool {
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case s.If != nil:
			if c.escapes(&s.If.Then, depth) || c.escapes(&s.If.Else, depth) {
				return true
			}
		case s.Loop != nil:
			if c.escapes(&s.Loop.Body, depth+1) || c.escapes(&s.Loop.Continue, depth+1) {
				return true
			}
		default:
			if c.masked[s.Inst] && c.p.Insts[s.Inst].Imm > depth {
				return true
			}
		}
	}
	return false
}
