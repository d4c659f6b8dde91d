package vm

import (
	"runtime"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
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

// An empty turn of machine code costs no more than one of the portable machine, though each strip takes its own.
func TestNative_EmptyTurns(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, emptyTurns)
}

func emptyTurns(t *testing.T) {
	p := counting(t)
	const n, turns = exec.MaxLanes, 20000
	run := func(o Options) time.Duration {
		r, err := New(o).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := exec.Batch{N: n, In: [][]uint32{make([]uint32, n)}, Out: [][]uint32{make([]uint32, n)}}
		for l := range n {
			b.In[0][l] = uint32(l)
		}
		x, best := r.NewThread(n), time.Duration(0)
		for range 5 { // other work on the machine makes it longer
			start := time.Now()
			if err := x.Run(&exec.Context{Push: []byte{turns & 255, turns >> 8, 0, 0}}, &b); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(start); best == 0 || d < best {
				best = d
			}
		}
		for l, v := range b.Out[0] {
			if v != turns+1+uint32(l) {
				t.Fatalf("lane %d counted to %d", l, v)
			}
		}
		return best
	}
	portable, native := run(loopsOr(false)), run(loopsOr(true))
	t.Logf("%d turns of %d lanes: %v, %v on the portable machine", turns, n, native, portable)
	if runtime.GOARCH == "amd64" && native > portable { // 64-bit ARM has been run under an emulator only, whose time says nothing
		t.Errorf("%d turns of %d lanes take %v in machine code, %v on the portable machine", turns, n, native, portable)
	}
}
