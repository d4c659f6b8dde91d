package vm

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// machine is the bits of the vectors of the machine code that tests run with; 0: none.
var machine int

// under gives the options that the tests run with.
func under(o Options) Options {
	o.Native, o.Vectors, o.Check = machine != 0, machine, machine != 0
	return o
}

// loopsOr is under, or the options of loops.
func loopsOr(native bool) Options {
	if native {
		return under(Options{})
	}
	return Options{}
}

// sameOutputs fails where machine code of a program of a seed gives other outputs in n lanes than loops do.
func sameOutputs(t *testing.T, seed uint64, p *ir.Program, in [][]uint32, n int, machineCode Options) {
	t.Helper()
	var outs [2][][]uint32
	for k, options := range [2]Options{{}, machineCode} {
		compiled, err := New(options).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for range p.Outputs {
			outs[k] = append(outs[k], make([]uint32, n))
		}
		if err := compiled.NewThread(n).Run(&exec.Context{}, &exec.Batch{N: n, In: in, Out: outs[k]}); err != nil {
			t.Fatal(err)
		}
	}
	for o := range outs[0] {
		for l := range n {
			if outs[0][o][l] != outs[1][o][l] {
				operands := make([]uint32, len(in))
				for i := range in {
					operands[i] = in[i][l]
				}
				t.Fatalf("seed %d: output %d, lane %d of %08x: %08x, want %08x", seed, o, l, operands, outs[1][o][l], outs[0][o][l])
			}
		}
	}
}

// eachMachine runs a test with machine code for each width of vectors that the processor has.
func eachMachine(t *testing.T, f func(*testing.T)) {
	t.Helper()
	if native.Vectors() == 0 {
		t.Skip("this processor is no 64-bit ARM and has neither AVX-512 nor AVX2, or the system refuses executable memory: there is no machine code to test")
	}
	widths := []int{512, 256}
	if native.Vectors() < 256 {
		widths = []int{native.Vectors()}
	}
	for _, machine = range widths {
		if machine > native.Vectors() {
			t.Logf("this processor has no vectors of %d bits", machine)
			continue
		}
		t.Run(fmt.Sprint(machine), f)
	}
	machine = 0
}

// What holds for the loops holds for machine code.
func TestNative(t *testing.T) { eachMachine(t, holdsForLoops) }

func holdsForLoops(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T)
	}{
		{"RandomPrograms", TestVM_RandomPrograms_EqualScalarReference},
		{"Optimized", TestOptimize_RandomPrograms_KeepBits},
		{"EveryOperation", TestVM_EveryOperation_EveryForm},
		{"Derivatives", TestVM_Derivatives_InactiveLanesGiveOwnValue},
		{"EndlessLoop", TestVM_Fuel_EndlessLoop},
		{"LastInstruction", TestVM_Fuel_ToTheLastInstruction},
		{"Stop", TestVM_Stop_EndlessLoop},
		{"Atomics", TestVM_Atomics_ConcurrentWorkers},
		{"Barrier", TestVM_Barrier_WholeWorkgroup},
		{"VarInPlace", TestVM_VarReadInPlace_NotAcrossLoop},
		{"NaN", TestVM_NaN_VisibleBits},
		{"AllocatesNothing", TestVM_Run_AllocatesNothing},
		{"InterpolateAt", TestVM_InterpolateAt_EveryMode},
		{"Wide", TestVM_EveryWideOperation},
		{"Mem", TestVM_Mem_WidthsAndBounds},
		{"MemOfAll", TestVM_Mem_Uniform},
		{"ImplicitLod", TestVM_Image_ImplicitLod_PartialQuadsAndVaryingDescriptors},
		{"ImageWrite", TestVM_Image_Write_MasksHelpers},
	} {
		t.Run(c.name, c.test)
	}
}

// Every operation gives on random bits, and on numbers of usual sizes, what one lane
// gives, whatever the lanes beside it hold.
func TestNative_RandomOperands(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, randomOperands)
}

func randomOperands(t *testing.T) {
	n := 1 << 16
	if testing.Short() {
		n = 1 << 12
	}
	r := rand.New(rand.NewPCG(7, 8))
	types := map[byte]ir.Type{'i': ir.I32, 'f': ir.F32, 'b': ir.Bool}
	for op := range ir.Op(ir.Ops) {
		info, ok := ir.InfoOf(op)
		if _, pure := ir.Eval(op, 0, 1, 0); !ok || !pure {
			continue
		}
		in := make([][]uint32, len(info.Args))
		kinds := make([]ir.Type, len(info.Args))
		for i, c := range info.Args {
			kinds[i] = ir.I32
			if k, ok := types[byte(c)]; ok {
				kinds[i] = k
			}
			in[i] = make([]uint32, n)
			for l := range in[i] {
				x := r.Uint32()
				switch {
				case kinds[i] == ir.Bool:
					x = lane.Mask(x&1 != 0)
				case l%4 == 1: // -16 to 16
					x = lane.FMul(lane.S2F(x), 0x32000000)
				case l%4 == 2: // below 1
					x = x & 0x3F7FFFFF
				case l%64 == 3:
					x = []uint32{0, 1 << 31, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFF812345, 1}[r.IntN(8)]
				}
				in[i][l] = x
			}
		}
		result := ir.I32
		if k, ok := types[info.Result]; ok {
			result = k
		}
		// More values than there are registers wait for the operation, whose steps borrow some.
		const waiting = 34
		other := make([]uint32, n)
		for l := range other {
			other[l] = r.Uint32()
		}
		p := program(t, ir.StageCompute, append(kinds, ir.I32), []ir.Type{ir.I32, result}, func(b *ir.Builder, v []ir.Value) {
			last := len(v) - 1
			sum, wait := v[last], make([]ir.Value, waiting)
			for i := range wait {
				wait[i] = b.Op(ir.OpIAdd, ir.I32, v[last], b.I32(uint32(i)<<7))
			}
			x := b.Op(op, result, v[:last]...)
			for _, w := range wait {
				sum = b.Op(ir.OpXor, ir.I32, b.Op(ir.OpIMul, ir.I32, sum, b.I32(3)), w)
			}
			output(b, 0, sum)
			output(b, 1, x)
		})
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if compiled.(*routine).machine() == nil {
			t.Errorf("%v does not become machine code", op)
			continue
		}
		out, sums := make([]uint32, n), make([]uint32, n)
		if err := compiled.NewThread(256).Run(&exec.Context{}, &exec.Batch{N: n, In: append(in, other), Out: [][]uint32{sums, out}}); err != nil {
			t.Fatal(err)
		}
		taint := ir.NaNTaint(p)
		last := p.Insts[len(p.Insts)-1].Args[0]
		for l := range out {
			var x [3]uint32
			for i := range in {
				x[i] = in[i][l]
			}
			want, _ := ir.Eval(op, x[0], x[1], x[2])
			if taint[last] {
				want = lane.Canon(want)
			}
			sum := other[l]
			for i := range uint32(waiting) {
				sum = sum*3 ^ (other[l] + i<<7)
			}
			if sums[l] != sum {
				t.Errorf("lane %d: what waits for %v changes", l, op)
				break
			}
			if out[l] != want {
				t.Errorf("%v of %08x: %08x, want %08x", op, x[:len(in)], out[l], want)
				break
			}
		}
	}
}

// Chains of operations on 64 bits, whose pairs live as instructions want them, give the
// bits that the loops give: random ones, with constants, joins and words looked at apart.
func TestNative_WideChains(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, wideChains)
}

func wideChains(t *testing.T) {
	const n = 100
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		types := []ir.Type{ir.F32, ir.F32, ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, []ir.Type{ir.I32, ir.I32, ir.F32, ir.Bool, ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
			type pair [2]ir.Value
			wide := func(op ir.WideOp, args ...ir.Value) pair {
				lo := b.OpMore(ir.OpWide, ir.I32, uint64(op), args)
				return pair{lo, b.OpImm(ir.OpResult, ir.I32, 1, lo)}
			}
			pairs := []pair{wide(ir.WideF2D, v[0]), wide(ir.WideF2D, v[1]), {v[2], v[3]}, wide(ir.WideS2D, v[2]), {b.I32(r.Uint32()), b.I32(0x3FF00000 | r.Uint32()>>12)},
				{b.I32(0), b.I32([]uint32{0, 1 << 31, 0x7FF80000, 0xFFF00000}[r.IntN(4)])}}
			cond := b.Const(ir.Bool, 0)
			for range 4 + r.IntN(20) {
				a, c, d := pairs[r.IntN(len(pairs))], pairs[r.IntN(len(pairs))], pairs[r.IntN(len(pairs))]
				switch r.IntN(8) {
				case 0:
					pairs = append(pairs, wide([]ir.WideOp{ir.WideFloor, ir.WideSqrt, ir.WideTrunc, ir.WideSign, ir.WideInvSqrt, ir.WideUL2D}[r.IntN(6)], a[:]...))
				case 1:
					pairs = append(pairs, wide(ir.WideFma, a[0], a[1], c[0], c[1], d[0], d[1]))
				case 2:
					cond = b.OpMore(ir.OpWide, ir.Bool, uint64([]ir.WideOp{ir.WideFLt, ir.WideFLe, ir.WideFEq, ir.WideSLt}[r.IntN(4)]), []ir.Value{a[0], a[1], c[0], c[1]})
				case 3:
					pairs = append(pairs, pair{b.Op(ir.OpSelect, ir.I32, cond, a[0], c[0]), b.Op(ir.OpSelect, ir.I32, cond, a[1], c[1])})
				case 4:
					pairs = append(pairs, wide([]ir.WideOp{ir.WideShl, ir.WideShrU, ir.WideShrS}[r.IntN(3)], a[0], a[1], v[2]))
				case 5:
					pairs = append(pairs, wide([]ir.WideOp{ir.WideIAdd, ir.WideISub, ir.WideIMul}[r.IntN(3)], a[0], a[1], c[0], c[1]))
				default:
					pairs = append(pairs, wide([]ir.WideOp{ir.WideFAdd, ir.WideFSub, ir.WideFMul, ir.WideFDiv, ir.WideFMin, ir.WideFMax}[r.IntN(6)], a[0], a[1], c[0], c[1]))
				}
			}
			last, other := pairs[len(pairs)-1], pairs[r.IntN(len(pairs))]
			output(b, 0, last[0])
			output(b, 1, last[1])
			output(b, 2, b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), other[:]))
			output(b, 3, cond)
			output(b, 4, b.OpMore(ir.OpWide, ir.I32, uint64([]ir.WideOp{ir.WideD2S, ir.WideD2N}[r.IntN(2)]), last[:]))
			output(b, 5, other[1])
		})
		if seed&1 != 0 {
			ir.Optimize(p)
		}
		in := make([][]uint32, len(types))
		for i := range in {
			in[i] = lanesFor(r, n)
		}
		sameOutputs(t, seed, p, in, n, under(Options{}))
	}
}

// Shifts by counts of which it is known that they are below 32, or nearly, are what the loops give, and so are products with constants,
// of which powers of two are shifts.
func TestNative_ShortShifts(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, shortShifts)
}

func shortShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for seed, most := range []uint32{3, 15, 16, 31, 32, 63, 255} {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
			by := b.Op(ir.OpAnd, ir.I32, v[1], b.I32(most))
			sum := b.Op(ir.OpIAdd, ir.I32, by, by)
			output(b, 0, b.Op(ir.OpShl, ir.I32, v[0], by))
			output(b, 1, b.Op(ir.OpShrS, ir.I32, v[0], sum))
			output(b, 2, b.Op(ir.OpShrU, ir.I32, v[0], b.Op(ir.OpShl, ir.I32, by, b.I32(1))))
			output(b, 3, b.Op(ir.OpShrU, ir.I32, b.I32(0x87654321), b.Op(ir.OpShrU, ir.I32, sum, b.I32(1))))
			output(b, 4, b.Op(ir.OpIMul, ir.I32, v[0], b.I32(most+1)))
		})
		sameOutputs(t, uint64(seed), p, [][]uint32{lanesFor(r, 200), lanesFor(r, 200)}, 200, under(Options{}))
	}
}

// Minima and maxima of a constant and special numbers of 64 bits are what the loops give.
func TestNative_WideExtremes(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, wideExtremes)
}

func wideExtremes(t *testing.T) {
	special := []uint32{0, 1 << 31, 0x3FF80000, 0xBFF80000, 0x7FF00000, 0xFFF00000, 0x7FF80000, 0x7FF00001, 1}
	for _, op := range []ir.WideOp{ir.WideFMin, ir.WideFMax} {
		for _, c := range special {
			p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
				for i, words := range [2][]ir.Value{{b.I32(0), v[0], b.I32(0), b.I32(c)}, {b.I32(0), b.I32(c), b.I32(0), v[0]}} {
					lo := b.OpMore(ir.OpWide, ir.I32, uint64(op), words)
					output(b, i, b.OpImm(ir.OpResult, ir.I32, 1, lo))
				}
			})
			sameOutputs(t, uint64(c), p, [][]uint32{special}, len(special), under(Options{}))
		}
	}
}

// Machine code runs beside the profiler's and the collector's signals, whose handlers
// find a place that Go does not know, and beside stacks that grow and move.
func TestNative_BesideProfilerAndCollector(t *testing.T) { eachMachine(t, besideProfilerAndCollector) }

func besideProfilerAndCollector(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Logf("without the profiler, which is in use: %v", err)
	} else {
		defer pprof.StopCPUProfile()
	}
	duration := time.Second
	if testing.Short() {
		duration /= 4
	}
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		x, n := b.NewVar(ir.I32, "x"), b.NewVar(ir.I32, "n")
		b.Set(x, in[0])
		b.Set(n, b.I32(0))
		b.Loop(false, func(l *ir.Loop) {
			b.Set(x, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(x), b.I32(1664525)), b.I32(1013904223)))
			b.Set(n, b.Op(ir.OpIAdd, ir.I32, b.Get(n), b.I32(1)))
			b.If(b.Op(ir.OpULe, ir.Bool, b.I32(2000), b.Get(n)), func() { b.Break(l) }, nil)
		}, nil)
		output(b, 0, b.Get(x))
	})
	compiled, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var in [64]uint32
	want := in
	for l := range in {
		in[l] = uint32(l * 7919)
		want[l] = in[l]
		for range 2000 {
			want[l] = want[l]*1664525 + 1013904223
		}
	}
	end := time.Now().Add(duration)
	var deep func(n int) int
	deep = func(n int) int { // stacks that grow, and are copied
		var room [128]byte
		if n == 0 {
			return 0
		}
		room[n&127] = byte(n)
		return deep(n-1) + int(room[0])
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for time.Now().Before(end) {
			runtime.GC()
			deep(2000)
		}
	})
	for range 3 {
		wait.Go(func() {
			thread, out := compiled.NewThread(64), make([]uint32, 64)
			for time.Now().Before(end) {
				if err := thread.Run(&exec.Context{}, &exec.Batch{N: 64, In: [][]uint32{in[:]}, Out: [][]uint32{out}}); err != nil {
					t.Error(err)
					return
				}
				if !slices.Equal(out, want[:]) {
					t.Errorf("%08x, want %08x", out, want)
					return
				}
				deep(50)
			}
		})
	}
	wait.Wait()
}
