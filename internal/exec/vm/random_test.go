package vm

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// share is how many of n random cases a test tries: half of them, or all if PUMICE_RANDOM is set, since
// on a busy machine all take longer than go test waits; with -short, one of so many. The
// detector of races makes each case ten times slower, and what runs on one goroutine has no races.
func share(n, of uint64) uint64 {
	switch {
	case testing.Short():
		return n / of
	case os.Getenv("PUMICE_RANDOM") == "":
		return n / 2
	}
	return n
}

// gen builds random structured programs. Values live in scopes, so every use
// is dominated by its definition.
type gen struct {
	r     *rand.Rand
	p     *ir.Program
	scope []ir.Value // values of all types in scope
	depth int
	loops int
	vars  int
	group *workgroup // nil where no lane looks at others
}

const genInputs, genOutputs = 6, 8

func randomProgram(seed uint64) *ir.Program {
	g := newGen(rand.New(rand.NewPCG(seed, 1)))
	g.program(12)
	return g.p
}

func newGen(r *rand.Rand) *gen {
	g := &gen{r: r, p: &ir.Program{Name: "random", Stage: ir.StageCompute, PushBytes: 32, PrivateBytes: 16, Demotes: true}}
	types := genTypes
	for i := range genInputs {
		g.p.Inputs = append(g.p.Inputs, ir.IO{Location: uint32(i), Type: types[i]})
	}
	for i := range genOutputs {
		g.p.Outputs = append(g.p.Outputs, ir.IO{Location: uint32(i), Type: ir.I32})
	}
	g.p.Resources = []ir.Resource{
		{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.UniformBuffer, Count: 2},
		{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.UniformBuffer, Count: 1},
	}
	g.p.WritesMemory = true
	return g
}

// genTypes are the types of the inputs, and of the first Vars.
var genTypes = []ir.Type{ir.I32, ir.I32, ir.F32, ir.F32, ir.F32, ir.Bool}

// program makes a body of n statements and more inside them.
func (g *gen) program(n int) {
	types := genTypes
	g.vars = 6
	for i := range g.vars {
		g.p.Vars = append(g.p.Vars, ir.Var{Type: types[i]})
	}
	b := &g.p.Body
	for i := range genInputs {
		g.add(b, ir.Inst{Op: ir.OpInput, Type: types[i], Imm: uint64(i)})
	}
	g.add(b, ir.Inst{Op: ir.OpConst, Type: ir.I32, Imm: uint64(g.r.Uint32N(8))})
	g.add(b, ir.Inst{Op: ir.OpConst, Type: ir.F32, Imm: 0x40490FDB})
	g.add(b, ir.Inst{Op: ir.OpConst, Type: ir.Bool, Imm: 0xFFFFFFFF})
	g.block(b, n)
	for i := range g.vars {
		v := g.add(b, ir.Inst{Op: ir.OpVarGet, Type: types[i], Imm: uint64(i)})
		g.output(b, v, i)
	}
}

func (g *gen) add(b *ir.Block, in ir.Inst) ir.Value {
	v := ir.Value(len(g.p.Insts))
	g.p.Insts = append(g.p.Insts, in)
	b.Stmts = append(b.Stmts, ir.Stmt{Inst: v})
	if in.Type != ir.Void {
		g.scope = append(g.scope, v)
	}
	return v
}

func (g *gen) output(b *ir.Block, v ir.Value, slot int) {
	v = g.asInt(b, v)
	g.add(b, ir.Inst{Op: ir.OpOutput, Args: [3]ir.Value{v}, Imm: uint64(slot)})
}

func (g *gen) asInt(b *ir.Block, v ir.Value) ir.Value {
	if g.p.Insts[v].Type != ir.I32 {
		v = g.add(b, ir.Inst{Op: ir.OpBitcast, Type: ir.I32, Args: [3]ir.Value{v}})
	}
	return v
}

// pick returns a random value of the type; recent ones are likelier.
func (g *gen) pick(t ir.Type) ir.Value {
	for {
		i := len(g.scope) - 1 - g.r.IntN(min(len(g.scope), 12))
		if g.r.IntN(4) == 0 {
			i = g.r.IntN(len(g.scope))
		}
		if g.p.Insts[g.scope[i]].Type == t {
			return g.scope[i]
		}
	}
}

func (g *gen) nested(b *ir.Block, n int, f func(b *ir.Block)) {
	saved := len(g.scope)
	if w := g.group; w != nil {
		alike, together := len(w.alike), w.together
		w.together = false
		defer func() { w.alike, w.together = w.alike[:alike], together }()
	}
	g.depth++
	f(b)
	if n > 0 {
		g.block(b, n)
	}
	g.depth--
	g.scope = g.scope[:saved]
}

func (g *gen) block(b *ir.Block, n int) {
	for range n {
		switch k := g.r.IntN(20); {
		case k == 0 && g.depth < 4:
			s := &ir.If{Cond: g.pick(ir.Bool)}
			g.nested(&s.Then, g.r.IntN(6), func(*ir.Block) {})
			if g.r.IntN(2) == 0 {
				g.nested(&s.Else, g.r.IntN(6), func(*ir.Block) {})
			}
			b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
		case k == 1 && g.depth < 4:
			g.loop(b)
		case k == 2 && g.loops > 0 && g.depth > 1:
			// A break or continue under a condition ends this branch.
			s := &ir.If{Cond: g.pick(ir.Bool)}
			op := ir.OpBreak
			out := uint64(1 + g.r.IntN(g.loops))
			g.nested(&s.Then, g.r.IntN(3), func(*ir.Block) {})
			g.add(&s.Then, ir.Inst{Op: op, Imm: out})
			b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
		default:
			g.inst(b)
		}
	}
}

// loop makes a bounded loop: its own Var counts the iterations.
func (g *gen) loop(b *ir.Block) {
	l := &ir.Loop{Once: g.r.IntN(4) == 0}
	counter := uint64(len(g.p.Vars))
	g.p.Vars = append(g.p.Vars, ir.Var{Type: ir.I32})
	g.add(b, ir.Inst{Op: ir.OpVarSet, Args: [3]ir.Value{g.constant(b, 0)}, Imm: counter})
	step := func(b *ir.Block) {
		n := g.add(b, ir.Inst{Op: ir.OpVarGet, Type: ir.I32, Imm: counter})
		next := g.add(b, ir.Inst{Op: ir.OpIAdd, Type: ir.I32, Args: [3]ir.Value{n, g.constant(b, 1)}})
		g.add(b, ir.Inst{Op: ir.OpVarSet, Args: [3]ir.Value{next}, Imm: counter})
	}
	inContinue := !l.Once && g.r.IntN(2) == 0 // where lanes that continue do not miss it
	g.loops++
	g.nested(&l.Body, 0, func(body *ir.Block) {
		n := g.add(body, ir.Inst{Op: ir.OpVarGet, Type: ir.I32, Imm: counter})
		limit := g.constant(body, uint64(1+g.r.IntN(4)))
		if g.r.IntN(2) == 0 { // a limit that differs between lanes
			limit = g.add(body, ir.Inst{Op: ir.OpAnd, Type: ir.I32, Args: [3]ir.Value{g.pick(ir.I32), g.constant(body, 3)}})
		}
		c := g.add(body, ir.Inst{Op: ir.OpSLe, Type: ir.Bool, Args: [3]ir.Value{limit, n}})
		s := &ir.If{Cond: c}
		g.add(&s.Then, ir.Inst{Op: ir.OpBreak, Imm: 1})
		body.Stmts = append(body.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
		if !inContinue {
			step(body)
		}
		g.block(body, 2+g.r.IntN(4))
		if !l.Once && g.r.IntN(2) == 0 {
			s := &ir.If{Cond: g.pick(ir.Bool)}
			g.add(&s.Then, ir.Inst{Op: ir.OpContinue, Imm: 1})
			body.Stmts = append(body.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
			g.block(body, 2+g.r.IntN(3))
		}
		if !l.Once && g.r.IntN(6) == 0 { // deeper
			inner := &ir.Loop{Once: true}
			s := &ir.If{Cond: g.pick(ir.Bool)}
			g.add(&s.Then, ir.Inst{Op: ir.OpContinue, Imm: 2})
			inner.Body.Stmts = append(inner.Body.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
			body.Stmts = append(body.Stmts, ir.Stmt{Inst: ir.NoValue, Loop: inner})
			g.block(body, 2)
		}
	})
	if !l.Once {
		loops := g.loops
		g.loops = 0 // only the condition below may leave from the continue part
		g.nested(&l.Continue, g.r.IntN(3), func(b *ir.Block) {
			if inContinue {
				step(b)
			}
		})
		if g.r.IntN(3) == 0 {
			s := &ir.If{Cond: g.pick(ir.Bool)}
			g.add(&s.Then, ir.Inst{Op: ir.OpBreak, Imm: 1})
			l.Continue.Stmts = append(l.Continue.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
		}
		g.loops = loops
	}
	g.loops--
	b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, Loop: l})
}

func (g *gen) constant(b *ir.Block, bits uint64) ir.Value {
	return g.add(b, ir.Inst{Op: ir.OpConst, Type: ir.I32, Imm: bits})
}

func (g *gen) inst(b *ir.Block) {
	if g.group != nil && g.r.IntN(3) == 0 {
		g.ofGroup(b)
		return
	}
	types := []ir.Type{ir.I32, ir.F32, ir.Bool}
	switch g.r.IntN(17) {
	case 16:
		g.memory(b)
	case 0:
		v := g.r.IntN(g.vars)
		g.add(b, ir.Inst{Op: ir.OpVarGet, Type: g.p.Vars[v].Type, Imm: uint64(v)})
	case 1, 2:
		v := g.r.IntN(g.vars)
		g.add(b, ir.Inst{Op: ir.OpVarSet, Args: [3]ir.Value{g.pick(g.p.Vars[v].Type)}, Imm: uint64(v)})
	case 3:
		g.output(b, g.pick(types[g.r.IntN(3)]), g.r.IntN(genOutputs))
	case 4: // input 0 is the lane: every lane has 16 bytes of its own
		at := g.add(b, ir.Inst{Op: ir.OpIMul, Type: ir.I32, Args: [3]ir.Value{0, g.constant(b, 16)}})
		if g.r.IntN(2) == 0 {
			g.add(b, ir.Inst{Op: ir.OpLoadBuffer, Type: ir.I32, Args: [3]ir.Value{g.constant(b, 0), at}})
		} else {
			v := g.asInt(b, g.pick(types[g.r.IntN(2)]))
			g.add(b, ir.Inst{Op: ir.OpStoreBuffer, Args: [3]ir.Value{g.constant(b, 0), at, v}})
		}
	case 5:
		g.add(b, ir.Inst{Op: ir.OpLoadPush, Type: ir.I32, Args: [3]ir.Value{g.constant(b, uint64(g.r.IntN(10)*4))}})
	case 6:
		at := g.add(b, ir.Inst{Op: ir.OpAnd, Type: ir.I32, Args: [3]ir.Value{g.pick(ir.I32), g.constant(b, 0x1C)}})
		if g.r.IntN(2) == 0 {
			at = g.constant(b, uint64(g.r.IntN(5)*4))
		}
		switch g.r.IntN(3) {
		case 0:
			g.add(b, ir.Inst{Op: ir.OpLoadPrivate, Type: ir.I32, Args: [3]ir.Value{at}})
		case 1:
			g.add(b, ir.Inst{Op: ir.OpStorePrivate, Args: [3]ir.Value{at, g.pick(ir.I32)}})
		case 2:
			element := g.add(b, ir.Inst{Op: ir.OpAnd, Type: ir.I32, Args: [3]ir.Value{g.pick(ir.I32), g.constant(b, 3)}})
			g.add(b, ir.Inst{Op: ir.OpLoadBuffer, Type: ir.I32, Imm: 1, Args: [3]ir.Value{element, at}})
		}
	case 7:
		switch g.r.IntN(12) {
		case 0:
			if g.depth > 0 {
				g.add(b, ir.Inst{Op: ir.OpDemote})
			}
		default:
			g.add(b, ir.Inst{Op: ir.OpIsHelper, Type: ir.Bool})
		}
	default:
		g.arithmetic(b)
	}
}

func (g *gen) arithmetic(b *ir.Block) {
	for {
		op := ir.Op(g.r.IntN(ir.Ops))
		info, ok := ir.InfoOf(op)
		if _, pure := ir.Eval(op, 0, 1, 0); !ok || !pure {
			continue
		}
		t := []ir.Type{ir.I32, ir.F32, ir.Bool}[g.r.IntN(3)]
		switch info.Result {
		case 'i':
			t = ir.I32
		case 'f':
			t = ir.F32
		case 'b':
			t = ir.Bool
		case '+':
			t = []ir.Type{ir.I32, ir.Bool}[g.r.IntN(2)]
		}
		shared := []ir.Type{ir.I32, ir.Bool}[g.r.IntN(2)]
		in := ir.Inst{Op: op, Type: t}
		for i, c := range info.Args {
			at := t
			switch c {
			case 'i':
				at = ir.I32
			case 'f':
				at = ir.F32
			case 'b':
				at = ir.Bool
			case '=':
				at = shared
			case 'v':
				at = []ir.Type{ir.I32, ir.F32}[g.r.IntN(2)]
			}
			in.Args[i] = g.pick(at)
		}
		if op == ir.OpBitcast && t == ir.Bool {
			continue
		}
		v := g.add(b, in)
		switch op {
		case ir.OpBitcast, ir.OpFNeg, ir.OpFAbs, ir.OpFRem:
			// NaNs with other bits may or may not survive optimisation.
			if t == ir.F32 {
				g.scope = g.scope[:len(g.scope)-1]
				g.add(b, ir.Inst{Op: ir.OpFMax, Type: ir.F32, Args: [3]ir.Value{v, v}})
			}
		}
		return
	}
}
