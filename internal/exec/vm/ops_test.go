package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// program builds a program over the given inputs; f emits the body.
func program(t testing.TB, stage ir.Stage, inputs, outputs []ir.Type, f func(b *ir.Builder, in []ir.Value)) *ir.Program {
	t.Helper()
	p := &ir.Program{Name: t.Name(), Stage: stage, SharedBytes: 0, Resources: []ir.Resource{{Kind: ir.StorageBuffer, Count: 2}}}
	b := ir.NewBuilder(p)
	var in []ir.Value
	for i, ty := range inputs {
		p.Inputs = append(p.Inputs, ir.IO{Type: ty, Interp: ir.Flat})
		in = append(in, b.OpImm(ir.OpInput, ty, uint64(i)))
	}
	for _, ty := range outputs {
		p.Outputs = append(p.Outputs, ir.IO{Type: ty})
	}
	f(b, in)
	b.Finish()
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func output(b *ir.Builder, slot int, v ir.Value) { b.OpImm(ir.OpOutput, ir.Void, uint64(slot), v) }

// runLanes runs p and returns its outputs, which start as zeros.
func runLanes(t testing.TB, p *ir.Program, ctx *exec.Context, batch *exec.Batch) [][]uint32 {
	t.Helper()
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for range p.Outputs {
		batch.Out = append(batch.Out, make([]uint32, batch.N))
	}
	if err := r.NewThread(batch.N).Run(ctx, batch); err != nil {
		t.Fatal(err)
	}
	return batch.Out
}

// Every pure operation, in each combination of varying and uniform operands,
// gives what the scalar evaluation gives, on values at the edges.
func TestVM_EveryOperation_EveryForm(t *testing.T) {
	rules.Covers(t, "RAS-001")
	edge := []uint32{0, 1, 2, 31, 32, 33, 1 << 31, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0x40490FDB, 0xC0200000,
		0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0x4B800001, 0x33800000,
		0x42B17217, 0x42B17218, 0xC2B17218, 0x397FFFFF, 0x39800000} // where exp ends, and where asinh begins
	n := len(edge) * len(edge)
	for op := ir.Op(0); int(op) < ir.Ops; op++ {
		info, ok := ir.InfoOf(op)
		if _, pure := ir.Eval(op, 0, 1, 0); !ok || !pure {
			continue
		}
		types := []ir.Type{ir.I32, ir.I32, ir.I32}
		result := ir.I32
		for i, c := range info.Args {
			switch c {
			case 'f':
				types[i] = ir.F32
			case 'b':
				types[i] = ir.Bool
			}
		}
		switch info.Result {
		case 'f':
			result = ir.F32
		case 'b':
			result = ir.Bool
		}
		in := make([][]uint32, 3)
		for i := range in {
			in[i] = make([]uint32, n)
			for l := range in[i] {
				x := edge[l%len(edge)]
				switch i {
				case 1:
					x = edge[l/len(edge)]
				case 2:
					x = edge[(l*7+l/len(edge)*5)%len(edge)]
				}
				if types[i] == ir.Bool {
					x = lane.Mask(x&1 != 0)
				}
				in[i][l] = x
			}
		}
		for form := range 1 << len(info.Args) { // bit set: that operand is a constant
			fixed := [3]uint32{edge[(int(op)+form)%len(edge)], edge[(int(op)*3+1)%len(edge)], edge[(int(op)*5+2)%len(edge)]}
			p := program(t, ir.StageCompute, types, []ir.Type{result}, func(b *ir.Builder, v []ir.Value) {
				args := slices.Clone(v[:len(info.Args)])
				for i := range args {
					if form>>i&1 != 0 {
						if types[i] == ir.Bool {
							fixed[i] = lane.Mask(fixed[i]&1 != 0)
						}
						args[i] = b.Const(types[i], fixed[i])
					}
				}
				output(b, 0, b.Op(op, result, args...))
			})
			if form == 1<<len(info.Args)-1 {
				ir.Diverge(p) // all uniform: the scalar path
			}
			out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: n, In: in})
			for l := range n {
				var x [3]uint32
				for i := range info.Args {
					x[i] = in[i][l]
					if form>>i&1 != 0 {
						x[i] = fixed[i]
					}
				}
				want, _ := ir.Eval(op, x[0], x[1], x[2])
				if result == ir.F32 {
					want = lane.Canon(want)
				}
				got := out[0][l]
				if result == ir.F32 {
					got = lane.Canon(got) // FNeg and FAbs keep the payload
				}
				if got != want {
					t.Fatalf("%s form %b (%08x): lane %d = %08x, want %08x", op, form, x, l, got, want)
				}
			}
		}
	}
}

func TestVM_Derivatives_InactiveLanesGiveOwnValue(t *testing.T) {
	rules.Covers(t, "RAS-294")
	values := []uint32{math.Float32bits(1), math.Float32bits(3), math.Float32bits(10), math.Float32bits(100)}
	for m := range 16 { // active lanes
		p := program(t, ir.StageFragment, []ir.Type{ir.F32, ir.Bool}, []ir.Type{ir.F32, ir.F32, ir.F32, ir.F32}, func(b *ir.Builder, in []ir.Value) {
			b.If(in[1], func() {
				for i, op := range []ir.Op{ir.OpDdxFine, ir.OpDdyFine, ir.OpDdxCoarse, ir.OpDdyCoarse} {
					output(b, i, b.Op(op, ir.F32, in[0]))
				}
			}, nil)
		})
		mask := make([]uint32, 4)
		for l := range mask {
			mask[l] = lane.Mask(m>>l&1 != 0)
		}
		out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 4, In: [][]uint32{values, mask}})
		for l := range 4 {
			if m>>l&1 == 0 {
				continue
			}
			at := func(k int) float32 {
				if m>>k&1 == 0 {
					k = l
				}
				return math.Float32frombits(values[k])
			}
			want := []float32{at(l|1) - at(l&^1), at(l|2) - at(l&^2), at(1) - at(0), at(2) - at(0)}
			for i := range want {
				if got := math.Float32frombits(out[i][l]); got != want[i] {
					t.Errorf("mask %04b lane %d derivative %d = %g, want %g", m, l, i, got, want[i])
				}
			}
		}
	}
}

func TestVM_Fuel_EndlessLoop(t *testing.T) {
	p := program(t, ir.StageCompute, nil, nil, func(b *ir.Builder, _ []ir.Value) {
		b.Loop(false, func(*ir.Loop) {}, nil)
	})
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var fuel *exec.FuelError
	if err := r.NewThread(4).Run(&exec.Context{Fuel: 100}, &exec.Batch{N: 4}); !errors.As(err, &fuel) || fuel.Fuel != 100 {
		t.Fatalf("got %v, want a FuelError", err)
	}
}

// A loop takes no more and no less than its fuel, in however many portions.
func TestVM_Fuel_ToTheLastInstruction(t *testing.T) {
	for _, sines := range []int{0, 40} {
		t.Run(fmt.Sprint(sines, " sines"), func(t *testing.T) { fuelToTheLast(t, sines) })
	}
}

// fuelToTheLast runs a loop whose turns cost little, or more than a portion.
func fuelToTheLast(t *testing.T, sines int) {
	const turns = 5000
	p := program(t, ir.StageCompute, nil, nil, func(b *ir.Builder, _ []ir.Value) {
		n, x := b.NewVar(ir.I32, "n"), b.NewVar(ir.F32, "x")
		b.Set(n, b.I32(0))
		b.Set(x, b.F32(1))
		b.Loop(false, func(l *ir.Loop) {
			b.Set(n, b.Op(ir.OpIAdd, ir.I32, b.Get(n), b.I32(1)))
			for range sines {
				b.Set(x, b.Op(ir.OpFSin, ir.F32, b.Get(x)))
			}
			b.If(b.Op(ir.OpULe, ir.Bool, b.I32(turns), b.Get(n)), func() { b.Break(l) }, nil)
		}, nil)
	})
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := compile(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var each int64
	for _, in := range flat.code {
		if in.kind == native.KindFuel {
			each = in.imm
		}
	}
	portion := portion
	if machine != 0 { // the whole loop is machine code
		portion = int(native.MachineOf(machine).Portion())
	}
	asked := 0
	c := exec.Context{Fuel: turns * each, Stop: func() bool { asked++; return false }}
	if err := r.NewThread(4).Run(&c, &exec.Batch{N: 4}); err != nil || asked < min(turns, turns*int(each)/(portion+int(each))) || asked > 2*turns*int(each)/portion {
		t.Errorf("with all the fuel that it needs, asked %d times: %v", asked, err)
	}
	var fuel *exec.FuelError
	c.Fuel--
	if err := r.NewThread(4).Run(&c, &exec.Batch{N: 4}); !errors.As(err, &fuel) {
		t.Errorf("with one instruction less: %v, want a FuelError", err)
	}
}

// A batch that is not wanted any more ends.
func TestVM_Stop_EndlessLoop(t *testing.T) {
	p := program(t, ir.StageCompute, nil, nil, func(b *ir.Builder, _ []ir.Value) {
		b.Loop(false, func(*ir.Loop) {}, nil)
	})
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	time.AfterFunc(20*time.Millisecond, func() { stop.Store(true) })
	thread := r.NewThread(4)
	if err := thread.Run(&exec.Context{Fuel: math.MaxInt64, Stop: stop.Load}, &exec.Batch{N: 4}); err != exec.ErrStopped {
		t.Error(err)
	}
	var fuel *exec.FuelError
	if err := thread.Run(&exec.Context{Fuel: 100}, &exec.Batch{N: 4}); !errors.As(err, &fuel) {
		t.Errorf("the thread afterwards: %v, want a FuelError", err)
	}
}

// Two workers add to the same words, integers and floats; nothing is lost. Lanes that are helpers
// or masked off do not take part, and addresses outside are dropped.
func TestVM_Atomics_ConcurrentWorkers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	t.Run("integers", func(t *testing.T) { concurrentWorkers(t, ir.I32, ir.AtomicAdd) })
	t.Run("floats", func(t *testing.T) { concurrentWorkers(t, ir.F32, ir.AtomicFAdd) })
}

func concurrentWorkers(t *testing.T, typ ir.Type, op ir.AtomicOp) {
	number := func(n uint32) uint32 {
		if typ == ir.F32 {
			return math.Float32bits(float32(n))
		}
		return n
	}
	p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.Bool}, []ir.Type{typ}, func(b *ir.Builder, in []ir.Value) {
		b.If(in[1], func() {
			at := b.Op(ir.OpShl, ir.I32, b.Op(ir.OpAnd, ir.I32, in[0], b.I32(3)), b.I32(2))
			more := []ir.Value{b.I32(1), at, b.Const(typ, number(1))}
			output(b, 0, b.OpMore(ir.OpAtomicBuffer, typ, ir.ResourceAndAtomic(0, op), more))
		}, nil)
	})
	r, err := New(under(Options{Lanes: 64})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	const n, runs = 128, 2000
	data := make([]byte, 12) // lanes 3 mod 4 fall outside
	ctx := &exec.Context{Resources: [][]exec.Descriptor{{{}, {Data: data}}}}
	var wait sync.WaitGroup
	for range 2 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			in := [][]uint32{make([]uint32, n), slices.Repeat([]uint32{^uint32(0)}, n)}
			live := slices.Repeat([]uint32{^uint32(0)}, n)
			for l := range n {
				in[0][l] = uint32(l)
			}
			in[1][0], live[1] = 0, 0
			th := r.NewThread(n)
			for range runs {
				if err := th.Run(ctx, &exec.Batch{N: n, In: in, Out: [][]uint32{make([]uint32, n)}, Live: live}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
	for w, want := range []uint32{2 * runs * (n/4 - 1), 2 * runs * (n/4 - 1), 2 * runs * n / 4} {
		if got := binary.LittleEndian.Uint32(data[w*4:]); got != number(want) {
			t.Errorf("word %d = %#x, want %#x", w, got, number(want))
		}
	}
}

// Lanes beside each other that meet at a word find it in their order, as if each came by itself.
func TestVM_Atomics_LanesInOrder(t *testing.T) {
	rules.Covers(t, "RAS-001")
	offsets := []uint32{4, 4, 4, 6, 0, 0, 4, 4, 0, 4, 400, 400, 0, 0, 0, 4}
	live := []uint32{1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1}
	values := []uint32{3, 100, 5, 0xFFFFFFFF, 7, 9, 100, 2, 11, 100, 1, 1, 100, 6, 9, 10}
	for op, f := range map[ir.AtomicOp]func(old, v uint32) uint32{
		ir.AtomicAdd: func(old, v uint32) uint32 { return old + v }, ir.AtomicXor: func(old, v uint32) uint32 { return old ^ v }, ir.AtomicUMax: func(old, v uint32) uint32 { return max(old, v) },
		ir.AtomicSMin: func(old, v uint32) uint32 { return uint32(min(int32(old), int32(v))) }, ir.AtomicExchange: func(_, v uint32) uint32 { return v },
		ir.AtomicCompareExchange: func(old, v uint32) uint32 {
			if old == 9 {
				return v
			}
			return old
		},
	} {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.Bool}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
			args := []ir.Value{b.I32(0), in[0], in[1]}
			if op == ir.AtomicCompareExchange {
				args = append(args, b.I32(9))
			}
			b.If(in[2], func() { output(b, 0, b.OpMore(ir.OpAtomicBuffer, ir.I32, ir.ResourceAndAtomic(0, op), args)) }, nil)
		})
		data, words := make([]byte, 8), []uint32{9, 8}
		binary.LittleEndian.PutUint32(data, 9)
		binary.LittleEndian.PutUint32(data[4:], 8)
		on := make([]uint32, len(live))
		for i := range on {
			on[i] = -live[i]
		}
		out := runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{{Data: data}}}}, &exec.Batch{N: len(live), In: [][]uint32{offsets, values, on}})
		for i := range live {
			want := uint32(0)
			if w := offsets[i] / 4; live[i] != 0 && w < 2 {
				want, words[w] = words[w], f(words[w], values[i])
			}
			if out[0][i] != want {
				t.Errorf("operation %d, lane %d: %d, want %d", op, i, out[0][i], want)
			}
		}
		for w, want := range words {
			if got := binary.LittleEndian.Uint32(data[4*w:]); got != want {
				t.Errorf("operation %d left %d in word %d, want %d", op, got, w, want)
			}
		}
	}
}

func TestAtomic_EveryOperation(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const old, v = 0x80000005, 0x00000007
	for op, want := range map[ir.AtomicOp]uint32{
		ir.AtomicAdd: 0x8000000C, ir.AtomicAnd: 5, ir.AtomicOr: 0x80000007, ir.AtomicXor: 0x80000002, ir.AtomicSMin: old, ir.AtomicSMax: v,
		ir.AtomicUMin: v, ir.AtomicUMax: old, ir.AtomicExchange: v, ir.AtomicLoad: old, ir.AtomicStore: v, ir.AtomicCompareExchange: v,
	} {
		for _, offset := range []int{0, 1} { // aligned or not
			p := make([]byte, 8)
			binary.LittleEndian.PutUint32(p[offset:], old)
			got := atomicWord(p[offset:offset+4], op, v, old)
			if op == ir.AtomicStore { // gives nothing
				got = old
			}
			if after := binary.LittleEndian.Uint32(p[offset:]); got != old || after != want {
				t.Errorf("operation %d: returned %08x and left %08x, want %08x", op, got, after, want)
			}
		}
	}
}

// A workgroup larger than the engine's lane count runs in lockstep: after the
// barrier every lane sees what the others stored.
func TestVM_Barrier_WholeWorkgroup(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const n = 512
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		at := b.Op(ir.OpShl, ir.I32, in[0], b.I32(2))
		b.Op(ir.OpStoreShared, ir.Void, at, b.Op(ir.OpIMul, ir.I32, in[0], in[0]))
		b.Op(ir.OpBarrier, ir.Void)
		output(b, 0, b.Op(ir.OpLoadShared, ir.I32, b.Op(ir.OpISub, ir.I32, b.I32((n-1)*4), at)))
	})
	p.SharedBytes, p.UsesBarrier = n*4, true
	in := make([]uint32, n)
	for l := range in {
		in[l] = uint32(l)
	}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: n, In: [][]uint32{in}, Shared: make([]byte, n*4)})
	for l := range in {
		if want := uint32((n - 1 - l) * (n - 1 - l)); out[0][l] != want {
			t.Fatalf("lane %d = %d, want %d", l, out[0][l], want)
		}
	}
}

// A subgroup that is wider than vectors of machine code: behind its barrier, which only some of its
// lanes come to, these see what the others of them stored, the last lane's word in the first.
func TestVM_SubgroupBarrier_WiderThanVectors(t *testing.T) {
	const n, size = 128, 64
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		at := b.Op(ir.OpShl, ir.I32, in[0], b.I32(2))
		seen := b.NewVar(ir.I32, "seen")
		b.Set(seen, b.I32(7))
		b.If(b.Op(ir.OpULt, ir.Bool, b.I32(2), in[0]), func() {
			b.Op(ir.OpStoreShared, ir.Void, at, b.Op(ir.OpIMul, ir.I32, in[0], in[0]))
			b.OpImm(ir.OpBarrier, ir.Void, uint64(ir.BarrierSubgroup))
			b.Set(seen, b.Op(ir.OpLoadShared, ir.I32, b.Op(ir.OpXor, ir.I32, at, b.I32((size-1)*4))))
		}, nil)
		output(b, 0, b.Get(seen))
	})
	p.SharedBytes, p.SubgroupSize = n*4, size
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	in := make([]uint32, n)
	for l := range in {
		in[l] = uint32(l)
	}
	for _, opt := range []Options{{}, {Native: true}, {Native: true, Vectors: 256}} {
		r, err := New(opt).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, n)
		batch := &exec.Batch{N: n, In: [][]uint32{in}, Out: [][]uint32{out}, Shared: make([]byte, n*4)}
		if err := r.NewThread(n).Run(&exec.Context{}, batch); err != nil {
			t.Fatal(err)
		}
		for l, got := range out {
			other := uint32(l) ^ (size - 1)
			want := other * other
			if l <= 2 {
				want = 7
			} else if other <= 2 {
				want = 0 // it stored nothing
			}
			if got != want {
				t.Fatalf("%+v: lane %d = %d, want %d", opt, l, got, want)
			}
		}
	}
}

// A get outside a loop whose value is used inside must not see the loop's
// sets, although they stand below the use.
func TestVM_VarReadInPlace_NotAcrossLoop(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		x, i, sum := b.NewVar(ir.I32, "x"), b.NewVar(ir.I32, "i"), b.NewVar(ir.I32, "sum")
		b.Set(x, in[0])
		b.Set(i, b.I32(0))
		b.Set(sum, b.I32(0))
		before := b.Get(x)
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpSLe, ir.Bool, b.I32(3), b.Get(i)), func() { b.Break(l) }, nil)
			b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Get(sum), before))
			b.Set(x, b.I32(100))
		}, func(*ir.Loop) { b.Set(i, b.Op(ir.OpIAdd, ir.I32, b.Get(i), b.I32(1))) })
		output(b, 0, b.Get(sum))
	})
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 4, In: [][]uint32{{1, 2, 3, 4}}})
	if !slices.Equal(out[0], []uint32{3, 6, 9, 12}) {
		t.Errorf("sums %v", out[0])
	}
}

// Integers that travel as floats keep their bits, NaN patterns included; NaNs
// of arithmetic become canonical where they are seen.
func TestVM_NaN_VisibleBits(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.Bool}, []ir.Type{ir.I32, ir.F32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
		f := b.Op(ir.OpBitcast, ir.F32, in[0])
		s := b.Op(ir.OpSelect, ir.F32, in[1], f, b.F32(1))
		output(b, 0, b.Op(ir.OpBitcast, ir.I32, s))
		sum := b.Op(ir.OpFAdd, ir.F32, f, b.F32(1))
		output(b, 1, sum)
		output(b, 2, b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFNeg, ir.F32, sum)))
	})
	ones := ^uint32(0)
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 4, In: [][]uint32{{ones, 0x7F812345, 0xFFC00001, 0}, {ones, ones, ones, ones}}})
	if !slices.Equal(out[0], []uint32{ones, 0x7F812345, 0xFFC00001, 0}) {
		t.Errorf("carried bits: %08x", out[0])
	}
	for l := range 3 {
		if out[1][l] != 0x7FC00000 || out[2][l] != 0x7FC00000 {
			t.Errorf("lane %d: sum %08x, negated %08x", l, out[1][l], out[2][l])
		}
	}
}

func TestVM_Run_AllocatesNothing(t *testing.T) {
	p := randomProgram(3)
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(3, 100)
	th, ctx, batch := r.NewThread(100), w.context(), &exec.Batch{N: 100, In: w.in, Out: w.out, Live: w.live}
	if n := testing.AllocsPerRun(20, func() { _ = th.Run(ctx, batch) }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}

// recorder answers with the slot, the lane and the position it was asked for.
type recorder struct{}

func (recorder) InterpolateAt(slot, l int, dx, dy float32) uint32 {
	return math.Float32bits(float32(slot*1000+l*10) + dx + dy/4)
}
func (recorder) SampleOffset(_ int, sample uint32) (dx, dy float32) { return float32(sample), 0 }
func (recorder) CentroidOffset(l int) (dx, dy float32)              { return 0.5, float32(l & 1) }

// offsets answers with the bits of where it was asked for: those of x in slot 0, of y in slot 1.
type offsets struct{ recorder }

func (offsets) InterpolateAt(slot, _ int, dx, dy float32) uint32 {
	return math.Float32bits([]float32{dx, dy}[slot])
}

// Offsets come to where they are interpolated as the shader has them: zeros of both signs, NaN, what is denormal or infinite.
func TestVM_InterpolateAt_OffsetsAsTheyAre(t *testing.T) {
	rules.Covers(t, "RAS-001", "RAS-286")
	p := program(t, ir.StageFragment, []ir.Type{ir.F32, ir.F32}, []ir.Type{ir.F32, ir.F32}, func(b *ir.Builder, in []ir.Value) {
		output(b, 0, b.OpImm(ir.OpInterpolateAt, ir.F32, 3<<32, in[0], in[1]))
		output(b, 1, b.OpImm(ir.OpInterpolateAt, ir.F32, 1|3<<32, in[0], in[1]))
	})
	x := []uint32{0, 1 << 31, 0x7FC00000, 0x3F000000, 0xBF000000, 1, 0x80000001, 0x7F800000}
	y := []uint32{1 << 31, 0, 0x3E800000, 0x7FC00000, 0x7FC00000, 0x80000001, 0xFF800000, 1 << 31}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: len(x), In: [][]uint32{x, y}, Interp: offsets{}})
	for l := range x {
		if out[0][l] != x[l] || out[1][l] != y[l] {
			t.Errorf("lane %d: offsets %#x, %#x, want %#x, %#x", l, out[0][l], out[1][l], x[l], y[l])
		}
	}
}

func TestVM_InterpolateAt_EveryMode(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := program(t, ir.StageFragment, []ir.Type{ir.F32, ir.F32, ir.I32}, []ir.Type{ir.F32, ir.F32, ir.F32}, func(b *ir.Builder, in []ir.Value) {
		output(b, 0, b.OpImm(ir.OpInterpolateAt, ir.F32, 1|1<<32))
		output(b, 1, b.OpImm(ir.OpInterpolateAt, ir.F32, 1|2<<32, in[2]))
		output(b, 2, b.OpImm(ir.OpInterpolateAt, ir.F32, 1|3<<32, in[0], in[1]))
	})
	const n = 68 // more than one piece
	in := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for l := range n {
		in[0][l], in[1][l], in[2][l] = math.Float32bits(0.25), math.Float32bits(-0.5), uint32(l&3)
	}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: n, In: in, Interp: recorder{}})
	for l := range n {
		base := float32(1000 + l*10)
		for i, want := range []float32{base + 0.5 + float32(l&1)/4, base + float32(l&3), base + 0.25 - 0.125} {
			if got := math.Float32frombits(out[i][l]); got != want {
				t.Fatalf("lane %d mode %d = %g, want %g", l, i+1, got, want)
			}
		}
	}
}

// What the verifier cannot see is an error of Compile, never a panic.
func TestVM_Compile_Refuses(t *testing.T) {
	var ce *CompileError
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		v := b.Op(ir.OpINeg, ir.I32, in[0])
		b.P.Insts[v].Uniform = true // but its operand is an input
		output(b, 0, v)
	})
	if _, err := New(under(Options{})).Compile(p); !errors.As(err, &ce) {
		t.Errorf("wrong uniform mark: %v", err)
	}
	p.PrivateBytes = MaxPrivateBytes + 4
	if _, err := New(under(Options{})).Compile(p); !errors.As(err, &ce) {
		t.Errorf("too much private memory: %v", err)
	}
}

func BenchmarkCompile(b *testing.B) {
	p, _ := fragmentProgram(true)
	b.Run("fragment", func(b *testing.B) {
		for range b.N {
			if _, err := New(under(Options{})).Compile(p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Processors that have no machine code have none to check or to show, and run all the same.
func TestNew_ChecksAndShows_OnAnyProcessor(t *testing.T) {
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		output(b, 0, b.Op(ir.OpIMul, ir.I32, in[0], in[0]))
	})
	r, err := New(Options{Native: true, Check: true, Show: io.Discard, ShowList: true, ShowCode: true}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 4)
	if err := r.NewThread(4).Run(&exec.Context{}, &exec.Batch{N: 4, In: [][]uint32{{1, 2, 3, 4}}, Out: [][]uint32{out}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out, []uint32{1, 4, 9, 16}) {
		t.Errorf("squares %v", out)
	}
}
