package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/memory"
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
	seeds := share(1500, 5)
	for seed := range seeds {
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
		ctx := worlds[1].context()
		if seed%8 == 5 { // memory that machine code does not write to
			ctx.Sparse = memory.SparseSet{}
		}
		if err := x.Run(ctx, &exec.Batch{N: n, In: worlds[1].in, Out: worlds[1].out}); err != nil {
			t.Fatal(err)
		}
		if x := x.(*thread); x.alone != nil {
			ran++
		}
		worlds[1].compare(t, "seed "+itoa(seed), worlds[0])
	}
	if ran < int(seeds)/4 {
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

// A decoder takes bits of 64 by shifts, by constants and by numbers: a lane alone does them in
// general registers.
func TestNative_Alone_Shifts(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, aloneShifts)
}

func aloneShifts(t *testing.T) {
	for _, op := range []ir.WideOp{ir.WideShl, ir.WideShrU} {
		for _, by := range []uint32{0, 1, 31, 32, 33, 63, 64, 100} {
			for _, constant := range []bool{false, true} {
				aloneShift(t, op, by, constant)
			}
		}
	}
}

func aloneShift(t *testing.T, op ir.WideOp, by uint32, constant bool) {
	types := []ir.Type{ir.I32, ir.I32, ir.I32}
	p := program(t, ir.StageCompute, types, types[:2], func(b *ir.Builder, in []ir.Value) {
		var words [2]ir.VarID
		for i := range words {
			words[i] = b.NewVar(ir.I32, "word")
			b.Set(words[i], in[i])
		}
		k := b.NewVar(ir.I32, "k")
		b.Set(k, b.I32(0))
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpULt, ir.Bool, b.Get(k), b.I32(2)), func() {}, func() { b.Break(l) })
			far := in[2]
			if constant {
				far = b.I32(by)
			}
			pair := []ir.Value{b.Get(words[0]), b.Get(words[1])}
			v := b.OpMore(ir.OpWide, ir.I32, uint64(op), append(pair, far))
			high := b.OpImm(ir.OpResult, ir.I32, 1, v)
			b.Set(words[0], b.Op(ir.OpXor, ir.I32, v, in[1]))
			b.Set(words[1], b.Op(ir.OpIAdd, ir.I32, high, in[0]))
		}, func(*ir.Loop) { b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1))) })
		for i := range words {
			output(b, i, b.Get(words[i]))
		}
	})
	p.LocalSize = [3]uint32{1, 1, 1}
	const low, high = 0x89ABCDEF, 0x76543211
	want := [2]uint32{low, high}
	for range 2 {
		x := ir.EvalWide(op, uint64(want[1])<<32|uint64(want[0]), uint64(by), 0)
		want = [2]uint32{uint32(x) ^ high, uint32(x>>32) + low}
	}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 1, In: [][]uint32{{low}, {high}, {by}}})
	if out[0][0] != want[0] || out[1][0] != want[1] {
		t.Errorf("%v by %d (constant: %v): %08x, want %08x", op, by, constant, out, want)
	}
}

// A variable's bits as another type are those that it had there, whatever it is set to later.
func TestNative_Alone_Casts(t *testing.T) { eachMachine(t, aloneCasts) }

func aloneCasts(t *testing.T) {
	words := []ir.Type{ir.I32}
	p := program(t, ir.StageCompute, words, words, func(b *ir.Builder, in []ir.Value) {
		x, sum := b.NewVar(ir.I32, "x"), b.NewVar(ir.I32, "sum")
		b.Set(x, in[0])
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpULt, ir.Bool, b.Get(x), b.I32(13)), func() {}, func() { b.Break(l) })
			before := b.Op(ir.OpBitcast, ir.F32, b.Get(x))
			b.Set(x, b.Op(ir.OpIAdd, ir.I32, b.Get(x), b.I32(1)))
			again := b.Op(ir.OpBitcast, ir.I32, before)
			b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Get(sum), again))
		}, nil)
		output(b, 0, b.Get(sum))
	})
	p.LocalSize = [3]uint32{1, 1, 1}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 1, In: [][]uint32{{10}}})
	if out[0][0] != 10+11+12 {
		t.Errorf("%d, want %d", out[0][0], 10+11+12)
	}
}

// Each pure operation on words that a loop carries, and on constants, gives a lane alone what
// the scalar evaluation gives.
func TestNative_Alone_EveryOperation(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, aloneOperations)
}

func aloneOperations(t *testing.T) {
	edge := []uint32{
		0, 1, 2, 31, 32, 33, 1 << 31, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0xC0200000, 0x7FC00000,
	}
	n := len(edge) * len(edge)
	for op := ir.Op(0); int(op) < ir.Ops; op++ {
		info, ok := ir.InfoOf(op)
		if _, pure := ir.Eval(op, 0, 1, 0); !ok || !pure || op == ir.OpBitcast {
			continue
		}
		for constants := range 3 { // the last ones of the operands
			aloneOperation(t, op, info, constants, edge, n)
		}
	}
}

func aloneOperation(t *testing.T, op ir.Op, info ir.Info, constants int, edge []uint32, n int) {
	typeOf := map[byte]ir.Type{'f': ir.F32, 'b': ir.Bool}
	var types []ir.Type
	for i := range 3 {
		types = append(types, ir.I32)
		if i < len(info.Args) && typeOf[info.Args[i]] != 0 {
			types[i] = typeOf[info.Args[i]]
		}
	}
	result := ir.I32
	if x := typeOf[info.Result]; x != 0 {
		result = x
	}
	fixed := [3]uint32{5, 5, 9}
	p := program(t, ir.StageCompute, types, []ir.Type{result}, func(b *ir.Builder, in []ir.Value) {
		var carried [3]ir.VarID
		again := func() {
			for i := range carried {
				b.Set(carried[i], in[i])
			}
		}
		for i := range carried {
			carried[i] = b.NewVar(types[i], "x")
		}
		k, made := b.NewVar(ir.I32, "k"), b.NewVar(result, "made")
		b.Set(k, b.I32(0))
		again()
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpULt, ir.Bool, b.Get(k), b.I32(2)), func() {}, func() { b.Break(l) })
			var args []ir.Value
			for i := range info.Args {
				if i > 0 && i >= len(info.Args)-constants && types[i] != ir.Bool {
					args = append(args, b.Const(types[i], fixed[i]))
					continue
				}
				args = append(args, b.Get(carried[i]))
			}
			b.Set(made, b.Op(op, result, args...))
		}, func(*ir.Loop) {
			b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1)))
			again()
		})
		output(b, 0, b.Get(made))
	})
	p.LocalSize = [3]uint32{1, 1, 1}
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	x, taint := r.NewThread(1).(*thread), ir.NaNTaint(p)
	visible := func(v uint32) uint32 {
		for i := range p.Insts {
			if p.Insts[i].Op == op && p.Insts[i].Type == result && taint[i] {
				return lane.Canon(v)
			}
		}
		return v
	}
	for l := range n {
		v := [3]uint32{edge[l%len(edge)], edge[l/len(edge)], edge[(l*7+l/len(edge)*5)%len(edge)]}
		for i := range v {
			if types[i] == ir.Bool {
				v[i] = lane.Mask(v[i]&1 != 0)
			}
		}
		out := []uint32{0}
		batch := exec.Batch{N: 1, In: [][]uint32{{v[0]}, {v[1]}, {v[2]}}, Out: [][]uint32{out}}
		if err := x.Run(&exec.Context{}, &batch); err != nil {
			t.Fatal(err)
		}
		for i := range info.Args {
			if i > 0 && i >= len(info.Args)-constants && types[i] != ir.Bool {
				v[i] = fixed[i]
			}
		}
		want, _ := ir.Eval(op, v[0], v[1], v[2])
		if want = visible(want); out[0] != want {
			t.Fatalf("%v of %08x, %d constants: %08x, want %08x", op, v, constants, out[0], want)
		}
	}
	if x.alone == nil || x.alone.native == nil {
		t.Fatalf("%v did not run alone, in machine code", op)
	}
}
