package ir

import (
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// idle is a loop that does nothing: it goes on while compare holds of a counter and a bound, or of a bound and the counter.
type idle struct {
	compare Op
	mirror  bool   // the bound is the first operand
	bound   uint32 // a constant, or unknown
	unknown bool
	start   uint32 // or unknown
	begins  bool
	step    uint32
}

// Loops without effect are removed where they are known to end, wherever they start and whatever their bound is, as far as that
// is not known. Those which step over their bound and over the end of all numbers at once stay.
func TestUnloop_Ends(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const most, least, all = math.MaxInt32, 1 << 31, math.MaxUint32
	minus := func(n uint32) uint32 { return -n }
	for name, c := range map[string]struct {
		idle
		gone bool
	}{
		"k < n":                         {idle{compare: OpSLt, unknown: true, step: 1}, true},
		"k < n, by 2":                   {idle{compare: OpSLt, unknown: true, step: 2}, false},
		"k <= n":                        {idle{compare: OpSLe, unknown: true, step: 1}, false},
		"k < n, unsigned":               {idle{compare: OpULt, unknown: true, step: 1}, true},
		"k > n, down":                   {idle{compare: OpSLt, mirror: true, unknown: true, step: minus(1)}, true},
		"k >= n, down":                  {idle{compare: OpSLe, mirror: true, unknown: true, step: minus(1)}, false},
		"k >= 0, down":                  {idle{compare: OpSLe, mirror: true, bound: 0, step: minus(1)}, true},
		"k >= 0, down, unsigned":        {idle{compare: OpULe, mirror: true, bound: 0, step: minus(1)}, false},
		"k > 0, down, unsigned":         {idle{compare: OpULt, mirror: true, bound: 0, step: minus(1)}, true},
		"k > 0, down by 2, unsigned":    {idle{compare: OpULt, mirror: true, bound: 0, step: minus(2)}, false},
		"k < 100, by 7":                 {idle{compare: OpSLt, bound: 100, step: 7}, true},
		"k <= most - 1":                 {idle{compare: OpSLe, bound: most - 1, step: 1}, true},
		"k <= most":                     {idle{compare: OpSLe, bound: most, step: 1}, false},
		"k <= most - 1, by 2":           {idle{compare: OpSLe, bound: most - 1, step: 2}, false},
		"k < most - 5, by 6":            {idle{compare: OpSLt, bound: most - 5, step: 6}, true},
		"k < most - 5, by 7":            {idle{compare: OpSLt, bound: most - 5, step: 7}, false},
		"k >= least":                    {idle{compare: OpSLe, mirror: true, bound: least, step: minus(1)}, false},
		"k < all, by 1, unsigned":       {idle{compare: OpULt, bound: all, step: 1}, true},
		"k < all, by 2, unsigned":       {idle{compare: OpULt, bound: all, step: 2}, false},
		"k != n":                        {idle{compare: OpINe, unknown: true, step: 1}, true},
		"k != n, by 6":                  {idle{compare: OpINe, unknown: true, step: 6}, false},
		"k != n, down by 3":             {idle{compare: OpINe, unknown: true, step: minus(3)}, true},
		"k == n":                        {idle{compare: OpIEq, unknown: true, step: 2}, true},
		"k == n, by 0":                  {idle{compare: OpIEq, unknown: true, step: 0}, false},
		"k < n, by 0":                   {idle{compare: OpSLt, unknown: true, step: 0}, false},
		"k != 12 from 0 by 6":           {idle{compare: OpINe, bound: 12, begins: true, step: 6}, true},
		"k != 13 from 0 by 6":           {idle{compare: OpINe, bound: 13, begins: true, step: 6}, false}, // never
		"k <= most, from most":          {idle{compare: OpSLe, bound: most, begins: true, start: most, step: 1}, false},
		"k < 5 from 9":                  {idle{compare: OpSLt, bound: 5, begins: true, start: 9, step: 0}, true},
		"k < 1000000000 from 0":         {idle{compare: OpSLt, bound: 1_000_000_000, begins: true, step: 1}, true},
		"k <= most - 1 by 4, to most":   {idle{compare: OpSLe, bound: most - 1, begins: true, start: most - 8, step: 4}, true},
		"k <= most - 1 by 4, past most": {idle{compare: OpSLe, bound: most - 1, begins: true, start: most - 9, step: 4}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, inverted := range []bool{false, true} {
				p := program(func(b *Builder) {
					in := b.OpImm(OpInput, I32, 0)
					k := b.NewVar(I32, "k")
					if c.begins {
						b.Set(k, b.I32(c.start))
					} else {
						b.Set(k, in)
					}
					b.Loop(false, func(l *Loop) {
						x, y := b.Get(k), in
						if !c.unknown {
							y = b.I32(c.bound)
						}
						if c.mirror {
							x, y = y, x
						}
						stay := b.Op(c.compare, Bool, x, y)
						if inverted {
							b.If(b.Op(OpNot, Bool, stay), func() { b.Break(l) }, nil)
						} else {
							b.If(stay, func() {}, func() { b.Break(l) })
						}
					}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(c.step))) })
				})
				if err := OptimizeChecked(p); err != nil {
					t.Fatal(err)
				}
				if gone := !strings.Contains(p.String(), "loop {"); gone != c.gone {
					t.Errorf("inverted %v: gone %v, want %v:\n%s", inverted, gone, c.gone, p)
				}
			}
		})
	}
}

func program(f func(b *Builder)) *Program {
	p := &Program{Name: "idle", Stage: StageCompute, LocalSize: [3]uint32{1, 1, 1}, Inputs: []IO{{Type: I32}, {Type: F32}}, Outputs: []IO{{Type: I32}}, Resources: []Resource{{Kind: StorageBuffer, Count: 1}}}
	b := NewBuilder(p)
	f(b)
	b.Finish()
	return p
}

// What loops do besides counting: effects, continues past the step, breaks out of what is around, values that others read.
func TestUnloop_Effects(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for name, c := range map[string]struct {
		body func(b *Builder, l *Loop, k VarID, in Value) // in each turn, before the counter goes on
		out  func(b *Builder, k VarID) Value              // what the program puts out
		gone bool
	}{
		"a store": {func(b *Builder, _ *Loop, k VarID, _ Value) {
			b.OpImm(OpStoreBuffer, Void, 0, b.I32(0), b.I32(0), b.Get(k))
		}, nil, false},
		"a load": {func(b *Builder, _ *Loop, k VarID, _ Value) {
			b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), b.Get(k))
		}, nil, true},
		"a discard": {func(b *Builder, _ *Loop, k VarID, in Value) {
			b.If(b.Op(OpIEq, Bool, in, b.Get(k)), func() { b.Op(OpDemote, Void) }, nil)
		}, nil, false},
		"a barrier":           {func(b *Builder, _ *Loop, _ VarID, _ Value) { b.Op(OpBarrier, Void) }, nil, false},
		"its counter is read": {nil, func(b *Builder, k VarID) Value { return b.Get(k) }, false},
		"an earlier break": {func(b *Builder, l *Loop, k VarID, in Value) {
			b.If(b.Op(OpIEq, Bool, in, b.Get(k)), func() { b.Break(l) }, nil)
		}, nil, true},
		"a continue, which goes on by the step": {func(b *Builder, l *Loop, k VarID, in Value) {
			b.If(b.Op(OpIEq, Bool, in, b.Get(k)), func() { b.Continue(l) }, nil)
			b.OpImm(OpLoadBuffer, I32, 0, b.I32(0), b.Get(k))
		}, nil, true},
		"an endless loop in it": {func(b *Builder, _ *Loop, k VarID, in Value) {
			b.Loop(false, func(l *Loop) { b.If(b.Op(OpIEq, Bool, in, b.I32(7)), func() { b.Break(l) }, nil) }, nil)
		}, nil, false},
		"the counter is set twice": {func(b *Builder, _ *Loop, k VarID, in Value) {
			b.If(b.Op(OpIEq, Bool, in, b.I32(7)), func() { b.Set(k, b.I32(0)) }, nil)
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(func(b *Builder) {
				in := b.OpImm(OpInput, I32, 0)
				k := b.NewVar(I32, "k")
				b.Set(k, b.I32(0))
				b.Loop(false, func(l *Loop) {
					b.If(b.Op(OpSLt, Bool, b.Get(k), b.I32(1000)), func() {}, func() { b.Break(l) })
					if c.body != nil {
						c.body(b, l, k, in)
					}
				}, func(*Loop) { b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1))) })
				if c.out != nil {
					b.OpImm(OpOutput, Void, 0, c.out(b, k))
				}
			})
			if err := OptimizeChecked(p); err != nil {
				t.Fatal(err)
			}
			if gone := !strings.Contains(p.String(), "loop {"); gone != c.gone {
				t.Errorf("gone %v, want %v:\n%s", gone, c.gone, p)
			}
		})
	}
}

// What every turn sets alike is set once where there is a first turn; what may come before the step of the counter is not
// known to let it end.
func TestUnloop_Turns(t *testing.T) {
	rules.Covers(t, "RAS-001")
	build := func(start uint32, conditional bool, skipped bool) *Program {
		return program(func(b *Builder) {
			in := b.OpImm(OpInput, I32, 0)
			k, x := b.NewVar(I32, "k"), b.NewVar(I32, "x")
			b.Set(k, b.I32(start))
			b.Set(x, b.I32(5))
			b.Loop(false, func(l *Loop) {
				b.If(b.Op(OpSLt, Bool, b.Get(k), b.I32(1000)), func() {}, func() { b.Break(l) })
				set := func() { b.Set(x, b.Op(OpIMul, I32, in, in)) }
				if conditional {
					b.If(b.Op(OpIEq, Bool, b.Get(k), in), set, nil)
				} else if !skipped {
					set()
				}
				if skipped {
					b.If(b.Op(OpIEq, Bool, b.Get(k), in), func() { b.Continue(l) }, nil)
					b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1)))
				}
			}, func(*Loop) {
				if !skipped {
					b.Set(k, b.Op(OpIAdd, I32, b.Get(k), b.I32(1)))
				}
			})
			b.OpImm(OpOutput, Void, 0, b.Get(x))
		})
	}
	for name, c := range map[string]struct {
		p    *Program
		gone bool
	}{
		"each turn does": {build(0, false, false), true}, "there is no turn": {build(1000, false, false), true},
		"some turns do": {build(0, true, false), false}, "a continue before the step": {build(0, false, true), false},
	} {
		if err := OptimizeChecked(c.p); err != nil {
			t.Fatal(err)
		}
		if gone := !strings.Contains(c.p.String(), "loop {"); gone != c.gone {
			t.Errorf("%s: gone %v, want %v:\n%s", name, gone, c.gone, c.p)
		}
	}
}
