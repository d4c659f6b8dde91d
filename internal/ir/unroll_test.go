package ir

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// counted is a loop of n turns by step that adds what body makes of the counter.
func counted(n, step uint32, body func(b *Builder, l *Loop, k Value) Value) *Program {
	return program(func(b *Builder) {
		k, sum := b.NewVar(I32, "k"), b.NewVar(I32, "sum")
		b.Set(k, b.I32(0))
		b.Set(sum, b.I32(0))
		b.Loop(false, func(l *Loop) {
			b.If(b.Op(OpSLt, Bool, b.Get(k), b.I32(n)), func() {}, func() { b.Break(l) })
			b.Set(sum, b.Op(OpIAdd, I32, b.Get(sum), body(b, l, b.Get(k))))
		}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(step))) })
		b.OpImm(OpOutput, Void, 0, b.Get(sum))
	})
}

// Loops whose turns constants count are written out, while they are few and small, and compute what
// they did: where all is constant, a number. Others stay.
func TestUnroll(t *testing.T) {
	rules.Covers(t, "RAS-001")
	input := func(b *Builder) Value { return b.OpImm(OpInput, I32, 0) }
	squared := func(b *Builder, _ *Loop, k Value) Value { return b.Op(OpIMul, I32, k, k) }
	itself := func(_ *Builder, _ *Loop, k Value) Value { return k }
	for name, c := range map[string]struct {
		p     *Program
		loops int
		want  string // of the program, "" for anything
	}{
		"squares": {counted(10, 1, squared), 0, "const 0x11d"}, // 285
		"by 3":    {counted(10, 3, squared), 0, "const 0x7e"},  // 0 + 9 + 36 + 81
		"no turn": {counted(0, 1, squared), 0, "const 0x0"},
		"32":      {counted(32, 1, itself), 0, "const 0x1f0"}, // 496
		"33":      {counted(33, 1, itself), 1, ""},
		"large turns": {counted(20, 1, func(b *Builder, _ *Loop, k Value) Value {
			v := input(b)
			for range 40 {
				v = b.Op(OpIMul, I32, b.Op(OpXor, I32, v, k), v)
			}
			return v
		}), 1, ""},
		"a large turn": {counted(1, 1, func(b *Builder, _ *Loop, k Value) Value {
			v := input(b)
			for range 600 {
				v = b.Op(OpIMul, I32, b.Op(OpXor, I32, v, k), v)
			}
			return v
		}), 0, ""},
		"another break": {counted(4, 1, func(b *Builder, l *Loop, k Value) Value {
			b.If(b.Op(OpIEq, Bool, input(b), k), func() { b.Break(l) }, nil)
			return k
		}), 1, ""},
		"a continue": {counted(4, 1, func(b *Builder, l *Loop, k Value) Value {
			b.If(b.Op(OpIEq, Bool, input(b), k), func() { b.Continue(l) }, nil)
			return k
		}), 1, ""},
		"a bound that nobody knows": {program(func(b *Builder) {
			k := b.NewVar(I32, "k")
			b.Set(k, b.I32(0))
			b.Loop(false, func(l *Loop) {
				b.If(b.Op(OpSLt, Bool, b.Get(k), input(b)), func() {}, func() { b.Break(l) })
				b.OpImm(OpStoreBuffer, Void, 0, b.I32(0), b.I32(0), b.Get(k))
			}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1))) })
		}), 1, ""},
		"loops in loops": {counted(3, 1, func(b *Builder, _ *Loop, k Value) Value {
			j, x := b.NewVar(I32, "j"), b.NewVar(I32, "x")
			b.Set(j, b.I32(0))
			b.Set(x, b.I32(0))
			b.Loop(false, func(l *Loop) { // as many turns as the counter of the one around says
				b.If(b.Op(OpSLe, Bool, b.Get(j), k), func() {}, func() { b.Break(l) })
				b.Set(x, b.Op(OpIAdd, I32, b.Get(x), b.Op(OpIAdd, I32, b.Get(j), b.I32(1))))
			}, func(*Loop) { b.Set(j, b.Op(OpIAdd, I32, b.Get(j), b.I32(1))) })
			return b.Get(x)
		}), 0, "const 0xa"}, // 1 + 3 + 6
		"a condition at the end": {program(func(b *Builder) {
			k := b.NewVar(I32, "k")
			b.Set(k, b.I32(5))
			b.Loop(false, func(l *Loop) {
				b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(2)))
				b.If(b.Op(OpSLt, Bool, b.I32(10), b.Get(k)), func() { b.Break(l) }, nil)
			}, nil)
			b.OpImm(OpOutput, Void, 0, b.Get(k))
		}), 0, "const 0xb"}, // 5, 7, 9, 11
		"a break out of both": {counted(3, 1, func(b *Builder, out *Loop, k Value) Value {
			j := b.NewVar(I32, "j")
			b.Set(j, b.I32(0))
			b.Loop(false, func(l *Loop) {
				b.If(b.Op(OpSLt, Bool, b.Get(j), b.I32(3)), func() {}, func() { b.Break(l) })
				b.If(b.Op(OpIEq, Bool, input(b), b.Get(j)), func() { b.Break(out) }, nil)
			}, func(*Loop) { b.Set(j, b.Op(OpIAdd, I32, b.Get(j), b.I32(1))) })
			return b.Get(j)
		}), 2, ""},
	} {
		if err := OptimizeChecked(c.p); err != nil {
			t.Fatal(err)
		}
		text := c.p.String()
		if n := strings.Count(text, "loop {"); n != c.loops || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d loops are left, want %d, and %q:\n%s", name, n, c.loops, c.want, text)
		}
	}
}

// What all loops of a program become is bounded.
func TestUnroll_Bounded(t *testing.T) {
	p := program(func(b *Builder) {
		in, k := b.OpImm(OpInput, I32, 0), b.NewVar(I32, "k")
		for range 200 {
			b.Set(k, b.I32(0))
			b.Loop(false, func(l *Loop) {
				b.If(b.Op(OpSLt, Bool, b.Get(k), b.I32(30)), func() {}, func() { b.Break(l) })
				at := b.Op(OpIMul, I32, b.Op(OpIAdd, I32, in, b.Get(k)), b.I32(4))
				b.OpImm(OpStoreBuffer, Void, 0, b.I32(0), at, b.Op(OpXor, I32, at, b.Get(k)))
			}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1))) })
		}
	})
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(p.String(), "loop {"); n < 100 || len(p.Insts) > 3*maxWritten {
		t.Errorf("%d loops are left of 200, and there are %d instructions", n, len(p.Insts))
	}
}

// Memory of a lane becomes registers where all of its places are known: a table that a loop fills
// and another reads. It does not where a place is not, where words have two types, and where they
// lie outside.
func TestRegister(t *testing.T) {
	rules.Covers(t, "RAS-001")
	fill := func(b *Builder, n uint32, each func(k Value)) {
		k := b.NewVar(I32, "k")
		b.Set(k, b.I32(0))
		b.Loop(false, func(l *Loop) {
			b.If(b.Op(OpSLt, Bool, b.Get(k), b.I32(n)), func() {}, func() { b.Break(l) })
			each(b.Get(k))
		}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1))) })
	}
	at := func(b *Builder, k Value) Value { return b.Op(OpIMul, I32, k, b.I32(4)) }
	store := func(b *Builder, at, v Value) { b.Op(OpStorePrivate, Void, at, v) }
	for name, c := range map[string]struct {
		more   func(b *Builder)
		memory bool
	}{
		"known places": {func(b *Builder) {}, false},
		"a place that nobody knows": {func(b *Builder) {
			b.OpImm(OpOutput, Void, 0, b.Op(OpLoadPrivate, I32, at(b, b.OpImm(OpInput, I32, 0))))
		}, true},
		"a word of two types": {func(b *Builder) { store(b, b.I32(4), b.F32(1)) }, true},
		"outside":             {func(b *Builder) { store(b, b.I32(32), b.I32(1)) }, true},
		"not at a word":       {func(b *Builder) { store(b, b.I32(2), b.I32(1)) }, true},
	} {
		p := program(func(b *Builder) {
			b.P.PrivateBytes = 32
			sum := b.NewVar(I32, "sum")
			fill(b, 8, func(k Value) { store(b, at(b, k), b.Op(OpIMul, I32, k, k)) })
			b.Set(sum, b.Op(OpIAdd, I32, b.OpImm(OpInput, I32, 0), b.I32(1)))
			fill(b, 8, func(k Value) {
				b.Set(sum, b.Op(OpIAdd, I32, b.Get(sum), b.Op(OpLoadPrivate, I32, at(b, k))))
			})
			b.OpImm(OpStoreBuffer, Void, 0, b.I32(0), b.I32(0), b.Get(sum))
			c.more(b)
		})
		if err := OptimizeChecked(p); err != nil {
			t.Fatal(err)
		}
		text := p.String()
		if strings.Contains(text, ".private") != c.memory || (p.PrivateBytes != 0) != c.memory {
			t.Errorf("%s: %d bytes of memory:\n%s", name, p.PrivateBytes, text)
		}
	}
}
