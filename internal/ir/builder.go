package ir

import (
	"math"
	"slices"
)

// Builder appends statements to a Program. It keeps constants and inputs in a
// prelude at the head of the body, so that they are visible everywhere,
// carries values out of the block that defined them through Vars, and turns
// break and continue targets into depths when Finish lays out the loops.
type Builder struct {
	P       *Program
	w       *workspace // until Finish
	cur     *Block
	prelude Block
	built   []built
	consts  map[constKey]Value
	targets map[Value]*Loop // OpBreak and OpContinue
	broken  map[*Loop]bool  // loops that a break leaves
	line    uint32          // of what is emitted, as Program.Lines has it
	lines   map[Source]uint32
}

// built is what is known about a value: the block that defines it, and 1 + the Var
// that carries it out of there, 0 for none.
type built struct {
	home *Block
	out  VarID
}

type constKey struct {
	t    Type
	bits uint32
}

// NewBuilder returns a builder that fills p, which is empty or finished.
func NewBuilder(p *Program) *Builder {
	w := workspaces.Get().(*workspace)
	b := &Builder{P: p, w: w, cur: &p.Body, built: w.built[:0], consts: map[constKey]Value{}, targets: map[Value]*Loop{}, broken: map[*Loop]bool{}}
	p.Insts = append(w.insts[:0], p.Insts...)
	for range p.Insts {
		b.built = append(b.built, built{home: &p.Body})
	}
	b.begin(&p.Body)
	b.begin(&b.prelude)
	return b
}

// begin opens a block.
func (b *Builder) begin(blk *Block) {
	blk.open = true
	if n := len(b.w.spare); n > 0 && blk.Stmts == nil {
		blk.Stmts, b.w.spare = b.w.spare[n-1], b.w.spare[:n-1]
	}
}

// From says where in the source the instructions come from that are emitted next.
func (b *Builder) From(s Source) {
	if b.line = b.lines[s]; b.line > 0 || s.Line == 0 {
		return
	}
	if b.lines == nil {
		b.lines = map[Source]uint32{}
	}
	b.P.Sources = append(b.P.Sources, s)
	b.line = uint32(len(b.P.Sources))
	b.lines[s] = b.line
}

// Emit appends an instruction to the current block and returns its value.
func (b *Builder) Emit(in Inst) Value {
	v := Value(len(b.P.Insts))
	if b.line > 0 {
		b.P.Lines = append(b.P.Lines, make([]uint32, int(v)-len(b.P.Lines))...)
		b.P.Lines = append(b.P.Lines, b.line)
	}
	b.P.Insts = append(b.P.Insts, in)
	b.built = append(b.built, built{home: b.cur})
	b.cur.Stmts = append(b.cur.Stmts, Stmt{Inst: v})
	return v
}

// Op emits an instruction with up to three operands.
func (b *Builder) Op(op Op, t Type, args ...Value) Value { return b.OpImm(op, t, 0, args...) }

// OpImm emits an instruction with an immediate and up to three operands.
func (b *Builder) OpImm(op Op, t Type, imm uint64, args ...Value) Value {
	in := Inst{Op: op, Type: t, Imm: imm, Args: [3]Value{NoValue, NoValue, NoValue}}
	copy(in.Args[:], args)
	return b.Emit(in)
}

// OpMore emits an instruction whose operands are a list, which is copied:
// passes write to the operands of each instruction.
func (b *Builder) OpMore(op Op, t Type, imm uint64, more []Value) Value {
	return b.Emit(Inst{Op: op, Type: t, Imm: imm, Args: [3]Value{NoValue, NoValue, NoValue}, More: slices.Clone(more)})
}

// Const returns a constant of the given bits.
func (b *Builder) Const(t Type, bits uint32) Value {
	k := constKey{t, bits}
	if v, ok := b.consts[k]; ok {
		return v
	}
	var v Value
	b.Prelude(func() { v = b.OpImm(OpConst, t, uint64(bits)) })
	b.consts[k] = v
	return v
}

// I32 returns an integer constant.
func (b *Builder) I32(v uint32) Value { return b.Const(I32, v) }

// F32 returns a float constant.
func (b *Builder) F32(v float32) Value { return b.Const(F32, math.Float32bits(v)) }

// Bool returns a mask constant.
func (b *Builder) Bool(v bool) Value {
	if v {
		return b.Const(Bool, math.MaxUint32)
	}
	return b.Const(Bool, 0)
}

// Constant returns the bits of v where v is a constant.
func (b *Builder) Constant(v Value) (uint32, bool) {
	if v < 0 || b.P.Insts[v].Op != OpConst {
		return 0, false
	}
	return uint32(b.P.Insts[v].Imm), true
}

// Prelude runs f with the insertion point at the end of the prelude, which is
// executed once before everything else.
func (b *Builder) Prelude(f func()) {
	saved := b.cur
	b.cur = &b.prelude
	f()
	b.cur = saved
}

// NewVar adds a register.
func (b *Builder) NewVar(t Type, name string) VarID {
	b.P.Vars = append(b.P.Vars, Var{Type: t, Name: name})
	return VarID(len(b.P.Vars) - 1)
}

// Get reads a register.
func (b *Builder) Get(v VarID) Value { return b.OpImm(OpVarGet, b.P.Vars[v].Type, uint64(v)) }

// Set writes a register in the lanes of the execution mask.
func (b *Builder) Set(v VarID, a Value) { b.OpImm(OpVarSet, Void, uint64(v), a) }

// Use makes v usable at the insertion point. A value whose block has ended
// travels in a register that is written below its definition.
func (b *Builder) Use(v Value) Value {
	if v < 0 || b.built[v].home.open {
		return v
	}
	if b.built[v].out == 0 {
		b.built[v].out = b.NewVar(b.P.Insts[v].Type, "") + 1
	}
	return b.Get(b.built[v].out - 1)
}

// In runs f with the insertion point in blk, a block of an If or Loop that the
// caller has added to the current block or will add.
func (b *Builder) In(blk *Block, f func()) {
	saved := b.cur
	b.cur = blk
	b.begin(blk)
	f()
	blk.open = false
	b.cur = saved
}

// If appends a conditional. els may be nil.
func (b *Builder) If(cond Value, then, els func()) {
	s := &If{Cond: cond}
	b.cur.Stmts = append(b.cur.Stmts, Stmt{Inst: NoValue, If: s})
	b.In(&s.Then, then)
	if els != nil {
		b.In(&s.Else, els)
	}
}

// Loop appends a loop; cont may be nil. Body and cont receive it as the target
// of breaks.
func (b *Builder) Loop(once bool, body, cont func(*Loop)) {
	l := &Loop{Once: once}
	b.cur.Stmts = append(b.cur.Stmts, Stmt{Inst: NoValue, Loop: l})
	b.In(&l.Body, func() { body(l) })
	if cont != nil {
		b.In(&l.Continue, func() { cont(l) })
	}
}

// Break leaves l, an enclosing loop.
func (b *Builder) Break(l *Loop) {
	b.targets[b.Op(OpBreak, Void)] = l
	b.broken[l] = true
}

// Continue goes to the continue part of l, an enclosing loop.
func (b *Builder) Continue(l *Loop) { b.targets[b.Op(OpContinue, Void)] = l }

// Finish lays out the program: prelude first, Once scopes that nothing breaks
// out of dissolved, empty conditionals dropped, break depths filled in. The builder
// is done.
func (b *Builder) Finish() {
	mark := b.w.open()
	b.layOut(b.prelude.Stmts, nil)
	b.layOut(b.P.Body.Stmts, nil)
	b.P.Body.Stmts = b.w.close(mark, nil)
	w := b.w
	w.insts, w.built = nil, b.built // sweep gives the instructions' room back
	b.w = nil
	workspaces.Put(w)
}

// finished lays out a block.
func (b *Builder) finished(stmts []Stmt, loops []*Loop) []Stmt {
	mark := b.w.open()
	b.layOut(stmts, loops)
	return b.w.close(mark, nil)
}

func (b *Builder) layOut(stmts []Stmt, loops []*Loop) {
	for _, s := range stmts {
		switch {
		case s.If != nil:
			s.If.Then.Stmts = b.finished(s.If.Then.Stmts, loops)
			s.If.Else.Stmts = b.finished(s.If.Else.Stmts, loops)
			if len(s.If.Then.Stmts)+len(s.If.Else.Stmts) > 0 {
				b.w.stmts = append(b.w.stmts, s)
			}
		case s.Loop != nil && s.Loop.Once && !b.broken[s.Loop]:
			b.layOut(s.Loop.Body.Stmts, loops)
		case s.Loop != nil:
			inner := append(loops[:len(loops):len(loops)], s.Loop)
			s.Loop.Body.Stmts = b.finished(s.Loop.Body.Stmts, inner)
			s.Loop.Continue.Stmts = b.finished(s.Loop.Continue.Stmts, inner)
			b.w.stmts = append(b.w.stmts, s)
		default:
			b.w.stmts = append(b.w.stmts, s)
			if in := &b.P.Insts[s.Inst]; in.Op == OpBreak || in.Op == OpContinue {
				if l := b.targets[s.Inst]; l != nil {
					in.Imm = uint64(len(loops) - slices.Index(loops, l))
				}
			}
			if id := b.built[s.Inst].out; id != 0 {
				set := Value(len(b.P.Insts))
				b.P.Insts = append(b.P.Insts, Inst{Op: OpVarSet, Type: Void, Imm: uint64(id - 1), Args: [3]Value{s.Inst, NoValue, NoValue}})
				b.w.stmts = append(b.w.stmts, Stmt{Inst: set})
			}
		}
	}
	if stmts != nil {
		b.w.spare = append(b.w.spare, stmts[:0])
	}
}
