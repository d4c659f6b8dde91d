package ir

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func newTest(t *testing.T) (*Program, *Builder) {
	t.Helper()
	p := &Program{Name: t.Name(), Stage: StageCompute, Inputs: []IO{{Type: I32}, {Type: Bool}}, Outputs: []IO{{Type: I32}}, Resources: []Resource{{Kind: UniformBuffer, Count: 1}}}
	return p, NewBuilder(p)
}

func finish(t *testing.T, p *Program, b *Builder) {
	t.Helper()
	b.Finish()
	if err := Verify(p); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
}

// uniformOutput tells whether the value of the first output is marked uniform.
func uniformOutput(t *testing.T, p *Program) bool {
	t.Helper()
	for i := range p.Insts {
		if p.Insts[i].Op == OpOutput {
			return p.Insts[p.Insts[i].Args[0]].Uniform
		}
	}
	t.Fatal("no output")
	return false
}

func TestDiverge(t *testing.T) {
	rules.Covers(t, "RAS-001")
	// Each case sets a Var to constants on some path and outputs it.
	cases := []struct {
		name    string
		uniform bool
		build   func(b *Builder, v VarID, varying, same Value)
	}{
		{"straight", true, func(b *Builder, v VarID, _, _ Value) { b.Set(v, b.I32(1)) }},
		{"uniform branch", true, func(b *Builder, v VarID, _, same Value) { b.If(same, func() { b.Set(v, b.I32(1)) }, nil) }},
		{"varying branch", false, func(b *Builder, v VarID, varying, _ Value) { b.If(varying, func() { b.Set(v, b.I32(1)) }, nil) }},
		{"uniform break", true, func(b *Builder, v VarID, _, same Value) {
			b.Loop(false, func(l *Loop) {
				b.If(same, func() { b.Break(l) }, nil)
				b.Set(v, b.I32(1))
			}, nil)
		}},
		{"varying break", false, func(b *Builder, v VarID, varying, _ Value) {
			b.Loop(false, func(l *Loop) {
				b.If(varying, func() { b.Break(l) }, nil)
				b.Set(v, b.I32(1))
			}, nil)
		}},
		{"varying continue", false, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(l *Loop) {
				b.If(same, func() { b.Break(l) }, nil)
				b.If(varying, func() { b.Continue(l) }, nil)
				b.Set(v, b.I32(1))
			}, nil)
		}},
		{"step behind a varying continue", true, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(l *Loop) {
				b.If(b.Op(OpULe, Bool, b.I32(3), b.Get(v)), func() { b.Break(l) }, nil)
				b.If(varying, func() { b.Continue(l) }, nil)
			}, func(*Loop) { b.Set(v, b.Op(OpIAdd, I32, b.Get(v), b.I32(1))) })
		}},
		{"step behind a varying break", false, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(l *Loop) {
				b.If(varying, func() { b.Break(l) }, nil)
			}, func(*Loop) { b.Set(v, b.Op(OpIAdd, I32, b.Get(v), b.I32(1))) })
		}},
		{"uniform break behind a varying continue", false, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(l *Loop) {
				b.If(varying, func() { b.Continue(l) }, nil)
				b.If(same, func() { b.Break(l) }, nil)
			}, func(*Loop) { b.Set(v, b.Op(OpIAdd, I32, b.Get(v), b.I32(1))) })
		}},
		{"varying continue of the outer loop from the inner one",
			false, func(b *Builder, v VarID, varying, same Value) {
				b.Loop(false, func(outer *Loop) {
					b.If(same, func() { b.Break(outer) }, nil)
					b.Loop(false, func(inner *Loop) {
						b.If(same, func() { b.Break(inner) }, nil)
						b.If(varying, func() { b.Continue(outer) }, nil)
					}, func(*Loop) { b.Set(v, b.I32(1)) })
				}, nil)
			}},
		{"step of an outer loop whose inner one lanes continue out of",
			true, func(b *Builder, v VarID, varying, same Value) {
				b.Loop(false, func(outer *Loop) {
					b.If(same, func() { b.Break(outer) }, nil)
					b.Loop(false, func(inner *Loop) { b.If(varying, func() { b.Continue(outer) }, nil) }, nil)
				}, func(*Loop) { b.Set(v, b.I32(1)) })
			}},
		{"break of two loops from a loop that varies", false, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(outer *Loop) {
				b.Loop(false, func(inner *Loop) {
					b.If(varying, func() { b.Break(inner) }, nil)
					b.If(same, func() { b.Break(outer) }, nil)
				}, nil)
				b.Set(v, b.I32(1))
			}, nil)
		}},
		{"inner loop varies, outer does not", true, func(b *Builder, v VarID, varying, same Value) {
			b.Loop(false, func(outer *Loop) {
				b.If(same, func() { b.Break(outer) }, nil)
				b.Loop(false, func(inner *Loop) { b.If(varying, func() { b.Break(inner) }, nil) }, nil)
				b.Set(v, b.I32(1))
			}, nil)
		}},
		{"narrow load", true, func(b *Builder, v VarID, _, _ Value) {
			b.Set(v, b.OpMore(OpLoadMem, I32, Mem{Space: MemBuffer}.Imm(), []Value{b.I32(0), b.I32(3)}))
		}},
		{"narrow load at varying offset", false, func(b *Builder, v VarID, _, _ Value) {
			b.Set(v, b.OpMore(OpLoadMem, I32, Mem{Space: MemBuffer}.Imm(), []Value{b.I32(0), b.OpImm(OpInput, I32, 0)}))
		}},
		{"load at an address", false, func(b *Builder, v VarID, _, _ Value) { // engines look these up in lanes
			b.Set(v, b.OpMore(OpLoadMem, I32, Mem{Space: MemAddress}.Imm(), []Value{b.I32(0), b.I32(3)}))
		}},
		{"set behind a varying return, read behind the function",
			false, func(b *Builder, v VarID, varying, _ Value) {
				b.Loop(true, func(l *Loop) {
					b.If(varying, func() { b.Break(l) }, nil)
					b.Set(v, b.I32(1))
				}, nil)
			}},
		{"set behind a varying return, read there", true, func(b *Builder, v VarID, varying, _ Value) {
			w := b.NewVar(I32, "w")
			b.Loop(true, func(l *Loop) {
				b.If(varying, func() { b.Break(l) }, nil)
				b.Set(w, b.I32(1))
				b.OpImm(OpOutput, Void, 0, b.Get(w))
			}, nil)
		}},
		{"set behind a varying return, read there, in a loop",
			false, func(b *Builder, v VarID, varying, same Value) {
				w := b.NewVar(I32, "w")
				b.Loop(false, func(outer *Loop) {
					b.If(same, func() { b.Break(outer) }, nil)
					b.Loop(true, func(l *Loop) {
						b.OpImm(OpOutput, Void, 0, b.Get(w))
						b.If(varying, func() { b.Break(l) }, nil)
						b.Set(w, b.Op(OpIAdd, I32, b.Get(w), b.I32(1)))
					}, nil)
				}, nil)
			}},
		{"counter behind a varying return", true, func(b *Builder, v VarID, varying, same Value) {
			w := b.NewVar(I32, "w")
			b.Loop(true, func(l *Loop) {
				b.If(varying, func() { b.Break(l) }, nil)
				b.Loop(false, func(inner *Loop) {
					b.If(b.Op(OpULe, Bool, b.I32(3), b.Get(w)), func() { b.Break(inner) }, nil)
					b.OpImm(OpOutput, Void, 0, b.Get(w))
				}, func(*Loop) { b.Set(w, b.Op(OpIAdd, I32, b.Get(w), b.I32(1))) })
			}, nil)
		}},
		{"varying return of a function, then a set", true, func(b *Builder, v VarID, varying, _ Value) {
			b.Loop(true, func(l *Loop) { b.If(varying, func() { b.Break(l) }, nil) }, nil)
			b.Set(v, b.I32(1))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, b := newTest(t)
			v := b.NewVar(I32, "v")
			varying := b.OpImm(OpInput, Bool, 1)
			same := b.Op(OpIEq, Bool, b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), b.I32(4)), b.I32(2))
			c.build(b, v, varying, same)
			b.OpImm(OpOutput, Void, 0, b.Get(v))
			finish(t, p, b)
			Diverge(p)
			if got := uniformOutput(t, p); got != c.uniform {
				t.Errorf("uniform = %v\n%s", got, p)
			}
		})
	}
}

// Two bits of behaviour of the list as a whole: a chain through Vars and
// constants collapses to one constant, and unused work disappears.
func TestOptimize_ConstantsThroughVars(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	v, unused := b.NewVar(I32, "v"), b.NewVar(I32, "unused")
	b.Set(v, b.I32(20))
	b.If(b.Op(OpSLt, Bool, b.Get(v), b.I32(30)), func() { b.Set(v, b.Op(OpIMul, I32, b.Get(v), b.I32(2))) }, func() { b.Set(v, b.OpImm(OpInput, I32, 0)) })
	b.Set(unused, b.Op(OpIAdd, I32, b.OpImm(OpInput, I32, 0), b.I32(1)))
	b.OpImm(OpOutput, Void, 0, b.Op(OpIAdd, I32, b.Get(v), b.I32(2)))
	finish(t, p, b)
	Optimize(p)
	if len(p.Insts) != 2 || p.Insts[0].Op != OpConst || p.Insts[0].Imm != 42 || len(p.Vars) != 0 {
		t.Errorf("got\n%s", p)
	}
}

func TestShare_DominatingOnly(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	in, c := b.OpImm(OpInput, I32, 0), b.OpImm(OpInput, Bool, 1)
	sum := func() { b.OpImm(OpOutput, Void, 0, b.Op(OpIAdd, I32, in, b.I32(5))) }
	b.If(c, sum, sum) // neither dominates the other
	sum()
	b.If(c, sum, nil) // this one is dominated
	finish(t, p, b)
	Optimize(p)
	if n := strings.Count(p.String(), "iadd"); n != 3 {
		t.Errorf("%d additions, want 3\n%s", n, p)
	}
}

// Derivatives are shared where no lane has come or gone between them.
func TestShare_Derivatives(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	c, x := b.OpImm(OpInput, Bool, 1), b.Op(OpBitcast, F32, b.OpImm(OpInput, I32, 0))
	difference := func() {
		b.OpImm(OpOutput, Void, 0, b.Op(OpBitcast, I32, b.Op(OpDdxFine, F32, x)))
	}
	two := func() { difference(); difference() }
	b.Loop(false, func(l *Loop) {
		two()
		b.If(c, two, two)
		two()
		b.If(c, func() { b.Break(l) }, nil)
		two()
	}, nil)
	two()
	finish(t, p, b)
	Optimize(p)
	if n := strings.Count(p.String(), OpDdxFine.String()); n != 6 {
		t.Errorf("%d derivatives, want 6\n%s", n, p)
	}
}

func TestVerify_Rejects(t *testing.T) {
	c := func(op Op, ty Type, imm uint64, args ...Value) Inst {
		in := Inst{Op: op, Type: ty, Imm: imm, Args: [3]Value{NoValue, NoValue, NoValue}}
		copy(in.Args[:], args)
		return in
	}
	one := c(OpConst, I32, 1)
	stmts := func(v ...Value) Block {
		var b Block
		for _, x := range v {
			b.Stmts = append(b.Stmts, Stmt{Inst: x})
		}
		return b
	}
	cases := []struct {
		name, want string
		insts      []Inst
		body       Block
	}{
		{"missing operand", "does not exist", []Inst{c(OpIAdd, I32, 0)}, stmts(0)},
		{"used above its definition", "not defined above", []Inst{one, c(OpINeg, I32, 0, 0)}, stmts(1, 0)},
		{"out of scope", "not defined above", []Inst{c(OpConst, Bool, 0), one, c(OpINeg, I32, 0, 1)},
			Block{Stmts: []Stmt{{Inst: 0}, {Inst: NoValue, If: &If{Cond: 0, Then: stmts(1)}}, {Inst: 2}}}},
		{"operand type", "is i32, not f32", []Inst{one, c(OpFNeg, F32, 0, 0)}, stmts(0, 1)},
		{"result type", "cannot give", []Inst{one, c(OpINeg, F32, 0, 0)}, stmts(0, 1)},
		{"condition type", "is i32, not bool", []Inst{one}, Block{Stmts: []Stmt{{Inst: 0}, {Inst: NoValue, If: &If{Cond: 0}}}}},
		{"twice", "twice", []Inst{one}, stmts(0, 0)},
		{"input slot", "input 9 of 2", []Inst{c(OpInput, I32, 9)}, stmts(0)},
		{"input type", "holds i32, not f32", []Inst{c(OpInput, F32, 0)}, stmts(0)},
		{"break depth", "leaves 1 loops of 0", []Inst{c(OpBreak, Void, 1)}, stmts(0)},
		{"continue of Once", "no Continue part", []Inst{c(OpContinue, Void, 1)}, Block{Stmts: []Stmt{{Inst: NoValue, Loop: &Loop{Once: true, Body: stmts(0)}}}}},
		{"store to a uniform buffer", "no such buffer", []Inst{one, c(OpStoreBuffer, Void, 0, 0, 0, 0)}, stmts(0, 1)},
		{"unknown operation", "unknown operation", []Inst{c(opCount, I32, 0)}, stmts(0)},
		{"half a mask", "does not fit", []Inst{c(OpConst, Bool, 7)}, stmts(0)},
		{"instruction number", "no such instruction", []Inst{one}, stmts(5)},
	}
	for _, x := range cases {
		p, _ := newTest(t)
		p.Insts, p.Body = x.insts, x.body
		err := Verify(p)
		var ve *VerifyError
		if !errors.As(err, &ve) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want %q", x.name, err, x.want)
		}
	}
}

// A conditional inside a conditional becomes selections of selections: both
// set the same Var, and the inner ones follow each other.
func TestOptimize_NestedConditionals_BecomeSelections(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	v := b.NewVar(I32, "v")
	x, c := b.OpImm(OpInput, I32, 0), b.OpImm(OpInput, Bool, 1)
	b.Set(v, x)
	b.If(c, func() {
		b.If(b.Op(OpSLt, Bool, x, b.I32(3)), func() { b.Set(v, b.Op(OpIAdd, I32, b.Get(v), b.I32(10))) }, nil)
		b.If(b.Op(OpSLt, Bool, x, b.I32(5)), func() { b.Set(v, b.Op(OpIMul, I32, b.Get(v), b.I32(7))) }, nil)
	}, nil)
	b.OpImm(OpOutput, Void, 0, b.Get(v))
	finish(t, p, b)
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	if s := p.String(); strings.Contains(s, "if ") || len(p.Vars) != 0 {
		t.Errorf("got\n%s", s)
	}
	// The dump is straight-line, so a walk over it evaluates the program.
	for _, x := range []uint32{1, 4, 9} {
		for _, c := range []uint32{0, 0xFFFFFFFF} {
			want := x
			if c != 0 && x < 3 {
				want += 10
			}
			if c != 0 && x < 5 {
				want *= 7
			}
			vals := make([]uint32, len(p.Insts))
			for i := range p.Insts {
				in := &p.Insts[i]
				var a [3]uint32
				k := 0
				in.Operands(func(o *Value) { a[k] = vals[*o]; k++ })
				switch in.Op {
				case OpInput:
					vals[i] = [2]uint32{x, c}[in.Imm]
				case OpConst:
					vals[i] = uint32(in.Imm)
				case OpOutput:
					if a[0] != want {
						t.Errorf("x=%d c=%x: %d, want %d", x, c, a[0], want)
					}
				default:
					vals[i], _ = Eval(in.Op, a[0], a[1], a[2])
				}
			}
		}
	}
}

func TestHoist_InvariantLeavesLoop(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	v := b.NewVar(I32, "v")
	x := b.OpImm(OpInput, I32, 0)
	b.Loop(false, func(l *Loop) {
		b.Loop(false, func(inner *Loop) {
			product := b.Op(OpIMul, I32, x, x)
			b.Set(v, b.Op(OpIAdd, I32, b.Get(v), product))
			b.If(b.Op(OpSLt, Bool, b.I32(9), b.Get(v)), func() { b.Break(l) }, nil)
		}, nil)
	}, nil)
	b.OpImm(OpOutput, Void, 0, b.Get(v))
	finish(t, p, b)
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	if s := p.String(); strings.Index(s, "imul") > strings.Index(s, "loop") {
		t.Errorf("got\n%s", s)
	}
}

// A load from a uniform buffer leaves a loop as what is pure does; one from memory that the loop may write stays.
func TestHoist_UniformLoadsLeaveLoop(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	p.Resources = []Resource{{Kind: UniformBuffer, Count: 1}, {Kind: StorageBuffer, Count: 1}}
	v := b.NewVar(I32, "v")
	x := b.OpImm(OpInput, I32, 0)
	b.Loop(false, func(l *Loop) {
		sum := b.Op(OpIAdd, I32, b.Get(v), b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), x))
		b.Set(v, b.Op(OpIAdd, I32, sum, b.OpImm(OpLoadBuffer, I32, 1, b.I32(0), x)))
		b.If(b.Op(OpSLt, Bool, b.I32(9), b.Get(v)), func() { b.Break(l) }, nil)
	}, nil)
	b.OpImm(OpOutput, Void, 0, b.Get(v))
	finish(t, p, b)
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	before, loop, _ := strings.Cut(p.String(), "loop {")
	if !strings.Contains(before, "load.buffer r0") || !strings.Contains(loop, "load.buffer r1") ||
		strings.Contains(loop, "load.buffer r0") {
		t.Errorf("got\n%s", p)
	}
}

// What all lanes share leaves a loop from its branches, too: parameters of images are loaded there.
// What lanes compute stays.
func TestHoist_UniformLoadsLeaveBranches(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p, b := newTest(t)
	v := b.NewVar(I32, "v")
	x := b.OpImm(OpInput, I32, 0)
	b.Loop(false, func(l *Loop) {
		add := func(y Value) { b.Set(v, b.Op(OpIAdd, I32, b.Get(v), y)) }
		b.If(b.Op(OpSLt, Bool, x, b.Get(v)), func() {
			size := b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), b.I32(4))
			add(b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), b.Op(OpIMul, I32, size, b.I32(12))))
		}, func() { add(b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), x)) })
		b.If(b.Op(OpSLt, Bool, b.I32(9), b.Get(v)), func() { b.Break(l) }, nil)
	}, nil)
	b.OpImm(OpOutput, Void, 0, b.Get(v))
	finish(t, p, b)
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	before, loop, _ := strings.Cut(p.String(), "loop {")
	if strings.Count(before, "load.buffer") != 2 || !strings.Contains(before, "imul") ||
		strings.Count(loop, "load.buffer") != 1 {
		t.Errorf("got\n%s", p)
	}
}
