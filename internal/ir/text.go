package ir

import (
	"fmt"
	"math"
	"strings"
)

// String returns the type's name in the text form.
func (t Type) String() string {
	switch t {
	case Void:
		return "void"
	case Bool:
		return "bool"
	case I32:
		return "i32"
	case F32:
		return "f32"
	}
	return fmt.Sprintf("type%d", uint8(t))
}

// String returns the program in text form, one statement a line:
//
//	%7 f32 uniform = fmul %5 %6
//
// It is meant for people and tests; nothing parses it.
func (p *Program) String() string {
	w := &printer{p: p}
	fmt.Fprintf(w, "program %q stage %d\n", p.Name, p.Stage)
	for i, v := range p.Vars {
		fmt.Fprintf(w, "var v%d %s %q\n", i, v.Type, v.Name)
	}
	for i, r := range p.Resources {
		if r.Heap {
			fmt.Fprintf(w, "resource r%d heap kind %d\n", i, r.Kind)
			continue
		}
		windows := ""
		if r.Windowed {
			windows = " windowed"
		}
		fmt.Fprintf(w, "resource r%d set %d binding %d kind %d count %d%s %q\n", i, r.Set, r.Binding, r.Kind, r.Count, windows, r.Name)
	}
	for i, op := range p.ImageOps {
		fmt.Fprintf(w, "image i%d %+v\n", i, op)
	}
	w.block(&p.Body, 0)
	return w.String()
}

type printer struct {
	strings.Builder
	p *Program
}

func (w *printer) block(b *Block, depth int) {
	indent := strings.Repeat("  ", depth)
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case s.If != nil:
			fmt.Fprintf(w, "%sif %%%d {\n", indent, s.If.Cond)
			w.block(&s.If.Then, depth+1)
			if len(s.If.Else.Stmts) > 0 {
				fmt.Fprintf(w, "%s} else {\n", indent)
				w.block(&s.If.Else, depth+1)
			}
			fmt.Fprintf(w, "%s}\n", indent)
		case s.Loop != nil:
			name := "loop"
			if s.Loop.Once {
				name = "once"
			}
			fmt.Fprintf(w, "%s%s {\n", indent, name)
			w.block(&s.Loop.Body, depth+1)
			if len(s.Loop.Continue.Stmts) > 0 {
				fmt.Fprintf(w, "%s} continue {\n", indent)
				w.block(&s.Loop.Continue, depth+1)
			}
			fmt.Fprintf(w, "%s}\n", indent)
		default:
			w.WriteString(indent)
			w.inst(s.Inst)
		}
	}
}

func (w *printer) inst(v Value) {
	if v < 0 || int(v) >= len(w.p.Insts) {
		fmt.Fprintf(w, "%%%d?\n", v)
		return
	}
	in := &w.p.Insts[v]
	if in.Type != Void {
		fmt.Fprintf(w, "%%%d %s ", v, in.Type)
		if in.Uniform {
			w.WriteString("uniform ")
		}
		w.WriteString("= ")
	}
	w.WriteString(in.Op.String())
	switch in.Op {
	case OpConst:
		if in.Type == F32 {
			fmt.Fprintf(w, " %g", math.Float32frombits(uint32(in.Imm)))
		}
		fmt.Fprintf(w, " %#x", in.Imm)
	case OpVarGet, OpVarSet:
		fmt.Fprintf(w, " v%d", in.Imm)
	case OpImage:
		fmt.Fprintf(w, " i%d", in.Imm)
	case OpLoadBuffer, OpStoreBuffer, OpBufferSize:
		fmt.Fprintf(w, " r%d", in.Imm)
	case OpAtomicBuffer:
		fmt.Fprintf(w, " r%d op %d", in.Imm&0xFFFFFFFF, in.Imm>>32)
	case OpWide:
		fmt.Fprintf(w, " %s", WideOp(in.Imm))
	case OpGroup:
		fmt.Fprintf(w, " %+v", GroupOf(in.Imm))
	case OpLoadMem, OpStoreMem, OpAtomicMem:
		fmt.Fprintf(w, " %+v", MemOf(in.Imm))
	case OpLoadTexel, OpStoreTexel:
		fmt.Fprintf(w, " %+v", TexelOf(in.Imm))
	default:
		if in.Imm != 0 || in.Op == OpInput || in.Op == OpOutput || in.Op == OpLoadVertex || in.Op == OpEmit {
			fmt.Fprintf(w, " #%d", in.Imm)
		}
	}
	if _, ok := InfoOf(in.Op); ok {
		in.Operands(func(a *Value) { fmt.Fprintf(w, " %%%d", *a) })
	}
	w.WriteString("\n")
}
