package vm

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// counting is a program whose invocations all count to a number of the push constants, which may be the largest one, so that
// nobody knows whether they end.
func counting(t testing.TB) *ir.Program {
	p := program(t, ir.StageFragment, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		k := b.NewVar(ir.I32, "k")
		b.Set(k, b.I32(0))
		n := b.OpImm(ir.OpLoadPush, ir.I32, 0, b.I32(0))
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpSLe, ir.Bool, b.Get(k), n), func() {}, func() { b.Break(l) })
		}, func(*ir.Loop) { b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1))) })
		output(b, 0, b.Op(ir.OpIAdd, ir.I32, b.Get(k), in[0]))
	})
	p.PushBytes = 4
	if err := ir.OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// An empty turn of machine code is a few instructions, in general registers where words have their
// own (arm64 keeps them in vectors): each strip takes its own turns, which through masks and memory
// cost fourteen times as much. Times would say so only on a machine that does nothing else.
func TestNative_EmptyTurns(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := counting(t)
	eachList(t, p, func(t *testing.T, name, list string) {
		_, turn, begun := strings.Cut(list, ": fuel")
		back := strings.LastIndex(turn, ": jump to ")
		if !begun || back < 0 {
			t.Fatalf("no loop in\n%s", list)
		}
		turn = turn[:back]
		in := regexp.MustCompile(`(?m)^  [a-z].*\b[vk][0-9].*$`).FindString(turn)
		if in != "" && name != "arm64" {
			t.Errorf("a turn has%s:%s", in, turn)
		}
		n := len(regexp.MustCompile(`(?m)^  [a-z]`).FindAllString(turn, -1))
		if n < 8 || n > 32 {
			t.Errorf("%d instructions a turn:%s", n, turn)
		}
	})
	eachMachine(t, emptyTurns)
}

// eachList calls see with what a program becomes on each processor, as text.
func eachList(t *testing.T, p *ir.Program, see func(t *testing.T, name, list string)) {
	for name, m := range native.Machines() {
		t.Run(name, func(t *testing.T) {
			var list bytes.Buffer
			r, err := compile(p, m.Showing(true, false, &list))
			if err != nil {
				t.Fatal(err)
			}
			r.unit.Emit(1 << 10)
			see(t, name, list.String())
		})
	}
}

// emptyTurns holds the lanes of a machine to what they count to.
func emptyTurns(t *testing.T) {
	const n, turns = exec.MaxLanes, 20000
	r, err := New(loopsOr(true)).Compile(counting(t))
	if err != nil {
		t.Fatal(err)
	}
	b := exec.Batch{N: n, In: [][]uint32{make([]uint32, n)}, Out: [][]uint32{make([]uint32, n)}}
	for l := range n {
		b.In[0][l] = uint32(l)
	}
	ctx := &exec.Context{Push: []byte{turns & 255, turns >> 8, 0, 0}}
	if err := r.NewThread(n).Run(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for l, v := range b.Out[0] {
		if v != turns+1+uint32(l) {
			t.Fatalf("lane %d counted to %d", l, v)
		}
	}
}
