package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// compiler flattens a program. Lane registers are virtual (inputs first) until
// allocate maps them.
type compiler struct {
	p    *ir.Program
	s    *scratch
	r    *routine
	err  error
	code []instr
	// values are the program's instructions that code is of, where it says of any which line it is
	// from, and value is the present one.
	values []ir.Value
	value  ir.Value

	single  bool // compiles for a single lane
	facts   facts
	taint   []bool
	reg     []int32 // of each value: lane register, or scalar register if uniform
	results map[ir.Value][]int32
	varReg  []int32
	virtual int32 // lane registers so far
	scalars int32
	consts  map[uint32]int32

	stack  []int32 // mask registers from the program's down to the region's
	masks  int32   // mask registers in use
	scopes []scope
	masked []bool // leaves that only some lanes take, by value
	needs  map[*ir.Loop]loopMasks
	loops  [][2]int32 // code ranges that run repeatedly, inner before outer
}

// scope is a Loop being compiled: base is where its masks begin in stack, of the lanes inside and
// of those of the present iteration, so far as there are any. Jumps of all lanes leave it, or its
// present iteration.
type scope struct {
	base          int
	masks         loopMasks
	breaks, nexts label
	continued     bool // what stands behind the present iteration is compiled
}

// labels are patched by appending the jump's position and resolving later.
type label []int32

// compile compiles a program: with ranges of it as blocks for a machine, nil for none.
func compile(p *ir.Program, machine *native.Machine) (*routine, error) {
	return compileFor(p, machine, false)
}

// compileFor is compile, for single lanes (see runAlone) or for many.
func compileFor(p *ir.Program, machine *native.Machine, single bool) (*routine, error) {
	if p.PrivateBytes > MaxPrivateBytes {
		return nil, &CompileError{Program: p.Name, What: "too much private memory", Value: ir.NoValue}
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	c := &compiler{
		p: p, s: s, r: &routine{program: p, masks: 1, vectors: machine},
		single: single, facts: gather(p, s, single), taint: ir.NaNTaint(p),
		reg: ir.Room(&s.reg, len(p.Insts)), results: map[ir.Value][]int32{},
		varReg:  ir.Room(&s.varReg, len(p.Vars)),
		virtual: int32(len(p.Inputs)), consts: map[uint32]int32{},
		stack: []int32{0}, masks: 1, code: s.code[:0],
	}
	c.constants()
	c.r.uniformVars[0] = c.scalars
	for i := range p.Vars {
		if c.facts.uniformVar[i] {
			c.varReg[i] = c.scalar()
		} else {
			c.varReg[i] = c.lane()
		}
	}
	c.r.uniformVars[1] = c.scalars
	c.masked = ir.Room(&s.masked, len(p.Insts))
	c.needs = leaves(p, c.facts.uniform, c.masked)
	zero := c.facts.zero
	for i := range p.Body.Stmts {
		for ; len(zero) > 0 && zero[0].at == i; zero = zero[1:] {
			c.emit(instr{kind: native.KindZero, d: c.varReg[zero[0].id]})
		}
		if !c.stmt(&p.Body.Stmts[i], nil) {
			break
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	c.r.consts = c.r.consts[:len(c.consts):len(c.consts)]
	if machine != nil {
		c.divide()
	}
	c.allocate()
	c.settleRows()
	c.r.code, s.code = slices.Clone(c.code), c.code
	c.r.scalars = int(c.scalars)
	c.r.wholeBatch = p.UsesBarrier || p.SharedBytes > 0 ||
		slices.ContainsFunc(p.Insts, func(in ir.Inst) bool { return in.Op == ir.OpBarrier })
	return c.r, nil
}

// constants gives each distinct constant a scalar register, first of all.
func (c *compiler) constants() {
	for i := range c.p.Insts {
		if in := &c.p.Insts[i]; in.Op == ir.OpConst {
			c.reg[i] = c.constant(uint32(in.Imm))
		}
	}
	c.constant(0)
	c.r.consts = make([]uint32, len(c.consts))
	for bits, s := range c.consts { // order does not matter
		c.r.consts[s] = bits
	}
}

func (c *compiler) constant(bits uint32) int32 {
	s, ok := c.consts[bits]
	if !ok {
		s = c.scalar()
		c.consts[bits] = s
	}
	return s
}

func (c *compiler) lane() int32 {
	c.virtual++
	return c.virtual - 1
}

func (c *compiler) scalar() int32 {
	c.scalars++
	return c.scalars - 1
}

func (c *compiler) fail(v ir.Value, what string) {
	if c.err == nil {
		c.err = &CompileError{Program: c.p.Name, What: what, Value: v}
	}
}

func (c *compiler) emit(in instr) int32 {
	in.m = c.mask()
	c.code = append(c.code, in)
	if len(c.p.Lines) > 0 {
		c.values = append(c.values, c.value)
	}
	return int32(len(c.code) - 1)
}

func (c *compiler) mask() int32 { return c.stack[len(c.stack)-1] }

func (c *compiler) newMask() int32 {
	m := c.masks
	c.masks++
	c.r.masks = max(c.r.masks, int(c.masks))
	return m
}

func (c *compiler) here(l label) {
	for _, at := range l {
		c.code[at].to = int32(len(c.code))
	}
}

// uniform tells whether v lives in a scalar register.
func (c *compiler) uniform(v ir.Value) bool { return c.facts.uniform[v] }

// vector returns a lane register that holds v, broadcasting a uniform value.
func (c *compiler) vector(v ir.Value) int32 {
	if !c.fixed(v) {
		return c.reg[v]
	}
	d := c.lane()
	c.emit(byRuns(instr{kind: native.KindBroadcast, d: d, a: c.reg[v]}))
	return d
}

// fixed tells whether v is a scalar register, or a word of records.
func (c *compiler) fixed(v ir.Value) bool { return c.uniform(v) || c.reg[v] < 0 }

// visible is vector for a use that shows the bits of v: its NaN is canonical.
func (c *compiler) visible(v ir.Value) int32 {
	r := c.vector(v)
	if c.taint[v] {
		d := c.lane()
		c.emit(instr{kind: native.KindCanon, d: d, a: r})
		r = d
	}
	return r
}

// visibleScalar is visible for a uniform value.
func (c *compiler) visibleScalar(v ir.Value) int32 {
	s := c.reg[v]
	if c.taint[v] {
		d := c.scalar()
		c.emit(instr{kind: native.KindScalarCanon, d: d, a: s})
		s = d
	}
	return s
}

// block compiles a nested block; jumps to its end are resolved on return.
func (c *compiler) block(b *ir.Block) {
	var end label
	for i := range b.Stmts {
		if !c.stmt(&b.Stmts[i], &end) {
			break
		}
	}
	c.here(end)
}

// stmt compiles one statement; end collects jumps to the end of its block. It
// returns false after a statement that no lane survives.
func (c *compiler) stmt(s *ir.Stmt, end *label) bool {
	switch {
	case c.err != nil:
		return false
	case s.If != nil:
		c.ifStmt(s.If)
		if c.escapes(&s.If.Then, 0) || c.escapes(&s.If.Else, 0) {
			*end = append(*end, c.emit(instr{kind: native.KindJumpEmpty}))
		}
	case s.Loop != nil:
		c.loop(s.Loop)
		if c.escapes(&s.Loop.Body, 1) || c.escapes(&s.Loop.Continue, 1) {
			*end = append(*end, c.emit(instr{kind: native.KindJumpEmpty}))
		}
	default:
		switch in := &c.p.Insts[s.Inst]; in.Op {
		case ir.OpBreak, ir.OpContinue:
			c.leave(s.Inst, in)
			return false
		default:
			c.inst(s.Inst, in)
		}
	}
	return true
}

func (c *compiler) ifStmt(s *ir.If) {
	if c.uniform(s.Cond) {
		skip := label{c.emit(instr{kind: native.KindJumpZero, a: c.reg[s.Cond]})}
		c.block(&s.Then)
		if len(s.Else.Stmts) > 0 {
			over := label{c.emit(instr{kind: native.KindJump})}
			c.here(skip)
			c.block(&s.Else)
			skip = over
		}
		c.here(skip)
		return
	}
	saved := c.masks
	then, other := c.newMask(), int32(-1)
	if len(s.Else.Stmts) > 0 {
		other = c.newMask()
	}
	skip := label{c.emit(instr{kind: native.KindIf, a: c.vector(s.Cond), d: then, b: other})}
	c.region(then, &s.Then)
	c.here(skip)
	if other >= 0 {
		c.stack = append(c.stack, other)
		skip = label{c.emit(instr{kind: native.KindJumpEmpty})}
		c.block(&s.Else)
		c.stack = c.stack[:len(c.stack)-1]
		c.here(skip)
	}
	c.masks = saved
}

func (c *compiler) region(m int32, b *ir.Block) {
	c.stack = append(c.stack, m)
	c.block(b)
	c.stack = c.stack[:len(c.stack)-1]
}

// loop keeps the lanes inside in one mask, if some leave before others, and those of the present
// iteration in another, if some continue before others.
func (c *compiler) loop(l *ir.Loop) {
	saved, base, masks := c.masks, len(c.stack), c.needs[l]
	if masks.inside {
		inside := c.newMask()
		c.emit(instr{kind: native.KindMaskCopy, d: inside})
		c.stack = append(c.stack, inside)
	}
	c.scopes = append(c.scopes, scope{base: base, masks: masks})
	head := int32(len(c.code))
	if !l.Once {
		c.r.sources = append(c.r.sources, l.Source)
		c.emit(instr{kind: native.KindFuel, c: int32(len(c.r.sources) - 1)})
	}
	if masks.turn {
		m := c.newMask()
		c.emit(instr{kind: native.KindMaskCopy, d: m})
		c.region(m, &l.Body)
	} else {
		c.block(&l.Body)
	}
	c.here(c.scopes[len(c.scopes)-1].nexts)
	c.scopes[len(c.scopes)-1].continued = true
	if !l.Once {
		var skip label
		again := native.KindJump
		if masks.inside {
			skip, again = label{c.emit(instr{kind: native.KindJumpEmpty})}, native.KindJumpNotEmpty
		}
		c.block(&l.Continue)
		c.code[c.emit(instr{kind: again})].to = head
		c.here(skip)
		c.loops = append(c.loops, [2]int32{head, int32(len(c.code))})
		c.code[head].imm = cost(c.code[head:])
	}
	c.here(c.scopes[len(c.scopes)-1].breaks)
	c.scopes = c.scopes[:len(c.scopes)-1]
	c.stack = c.stack[:base]
	c.masks = saved
}

// cost is what an iteration takes from the fuel: about its time, in simple
// instructions. It does not depend on the number of lanes.
func cost(code []instr) (n int64) {
	for i := range code {
		n += code[i].cost()
	}
	return n
}

// What instructions cost that do more in a lane than a load, some addition and a
// store: look texels or addresses up, compute a function, exclude other workers.
const (
	slowCost = 64
	wideCost = 32
)

func (in *instr) cost() int64 {
	switch in.kind {
	case kindTrace:
		return 0 // who is traced has no less of it
	case kindImage, kindBlock, kindAtomicBuffer, kindAtomicShared, native.KindLoadMem, native.KindStoreMem, native.KindAtomicMem, kindInterpolate, kindPrint:
		return slowCost
	case native.KindWide, native.KindGroup, native.KindLoadBufferE, native.KindStoreBufferE:
		return wideCost
	case native.KindUnary, native.KindVV, native.KindVU, native.KindUV:
		if in.op >= ir.OpFRem && in.op <= ir.OpFAtanh {
			return slowCost
		}
	}
	return 1
}

func (c *compiler) leave(v ir.Value, in *ir.Inst) {
	n := int(in.Imm)
	if n < 1 || n > len(c.scopes) {
		c.fail(v, "a break or continue that leaves more loops than there are")
		return
	}
	to := &c.scopes[len(c.scopes)-n]
	if in.Op == ir.OpContinue && to.continued {
		c.fail(v, "a continue outside the body of its loop")
		return
	}
	if !c.masked[v] {
		at := c.emit(instr{kind: native.KindJump})
		if in.Op == ir.OpContinue {
			to.nexts = append(to.nexts, at)
		} else {
			to.breaks = append(to.breaks, at)
		}
		return
	}
	base := to.base
	if in.Op == ir.OpContinue && to.masks.inside {
		base++ // lanes stay inside
	}
	c.r.clears = append(c.r.clears, append([]int32(nil), c.stack[base:len(c.stack)-1]...))
	c.emit(instr{kind: native.KindLeave, c: int32(len(c.r.clears) - 1)})
}
