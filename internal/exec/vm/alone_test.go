package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Batches of one to a few workgroups of one invocation, which run alone, give what the reference
// gives, whatever their programs do.
func TestNative_Alone(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, alone)
}

func alone(t *testing.T) {
	ran := 0
	for seed := range uint64(1500) {
		p := randomProgram(seed)
		p.LocalSize, p.Demotes = [3]uint32{1, 1, 1}, false
		for i := range p.Insts { // a lane that is demoted asks for more
			if p.Insts[i].Op == ir.OpDemote {
				p.Insts[i] = ir.Inst{Op: ir.OpIsHelper, Type: ir.Bool}
			}
		}
		n := 1 + int(seed%fewAlone)
		worlds := [2]*world{newWorld(seed, n), newWorld(seed, n)}
		for _, w := range worlds {
			for i := range w.live {
				w.live[i] = 1<<32 - 1
			}
		}
		worlds[0].reference(p)
		if seed%2 == 0 {
			if err := ir.OptimizeChecked(p); err != nil {
				t.Fatal(err)
			}
		}
		r, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		x := r.NewThread(n)
		worlds[1].runIn(t, x)
		if x := x.(*thread); x.alone != nil {
			ran++
		}
		worlds[1].compare(t, "seed "+itoa(seed), worlds[0])
	}
	if ran < 400 {
		t.Errorf("%d of 1500 programs ran alone", ran)
	}
}

// Words of shared memory are found again behind a barrier, by a lane alone, too; behind its end
// there are zeros, and nothing is written.
func TestNative_Alone_SharedMemory(t *testing.T) { eachMachine(t, aloneShared) }

func aloneShared(t *testing.T) {
	inputs, outputs := []ir.Type{ir.I32}, []ir.Type{ir.I32, ir.I32}
	p := program(t, ir.StageCompute, inputs, outputs, func(b *ir.Builder, in []ir.Value) {
		k, sum := b.NewVar(ir.I32, "k"), b.NewVar(ir.I32, "sum")
		loop := func(f func(at ir.Value)) {
			b.Set(k, b.I32(0))
			b.Loop(false, func(l *ir.Loop) {
				b.If(b.Op(ir.OpULt, ir.Bool, b.Get(k), b.I32(9)), func() {}, func() { b.Break(l) })
				f(b.Op(ir.OpIMul, ir.I32, b.Get(k), b.I32(4)))
			}, func(*ir.Loop) { b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1))) })
		}
		loop(func(at ir.Value) {
			x := b.Op(ir.OpIAdd, ir.I32, in[0], b.Op(ir.OpIMul, ir.I32, b.Get(k), b.Get(k)))
			b.Op(ir.OpStoreShared, ir.Void, at, x)
		})
		b.Op(ir.OpBarrier, ir.Void)
		loop(func(at ir.Value) {
			x := b.Op(ir.OpLoadShared, ir.I32, at)
			b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sum), b.I32(3)), x))
		})
		output(b, 0, b.Get(sum))
		output(b, 1, b.Op(ir.OpLoadShared, ir.I32, b.I32(1<<31)))
	})
	p.SharedBytes, p.UsesBarrier, p.LocalSize = 8*4, true, [3]uint32{1, 1, 1}
	want := uint32(0)
	for k := range uint32(8) { // the ninth word is behind the end
		want = 3*want + 1000 + k*k
	}
	want *= 3
	batch := &exec.Batch{N: 1, In: [][]uint32{{1000}}, Shared: make([]byte, 8*4, 16*4)}
	out := runLanes(t, p, &exec.Context{}, batch)
	if out[0][0] != want || out[1][0] != 0 {
		t.Errorf("%d and %d, want %d and 0", out[0][0], out[1][0], want)
	}
	for i, x := range batch.Shared[:cap(batch.Shared)][8*4:] {
		if x != 0 {
			t.Errorf("byte %d behind the end is %d", i, x)
		}
	}
}
