package lower_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// switchShader makes a compute shader of a switch of n cases, some of which fall into
// the next one.
func switchShader(n int) []uint32 {
	const main, void, fn, u32, zero, label, merge, first = 1, 2, 3, 4, 5, 6, 7, 8
	words := []uint32{spirv.Magic, 0x00010300, 0, uint32(first + n), 0}
	emit := func(op spirv.Op, operands ...uint32) {
		words = append(append(words, uint32(len(operands)+1)<<16|uint32(op)), operands...)
	}
	emit(spirv.OpCapability, uint32(spirv.CapabilityShader))
	emit(spirv.OpMemoryModel, 0, 1)
	emit(spirv.OpEntryPoint, uint32(spirv.ExecutionModelGLCompute), main, 0x6E69616D, 0)
	emit(spirv.OpExecutionMode, main, uint32(spirv.ExecutionModeLocalSize), 1, 1, 1)
	emit(spirv.OpTypeVoid, void)
	emit(spirv.OpTypeFunction, fn, void)
	emit(spirv.OpTypeInt, u32, 32, 0)
	emit(spirv.OpConstant, u32, zero, 0)
	emit(spirv.OpFunction, void, main, 0, fn)
	emit(spirv.OpLabel, label)
	emit(spirv.OpSelectionMerge, merge, 0)
	cases := []uint32{zero, merge}
	for i := range n {
		cases = append(cases, uint32(i), uint32(first+i))
	}
	emit(spirv.OpSwitch, cases...)
	for i := range n {
		emit(spirv.OpLabel, uint32(first+i))
		if i%3 == 0 && i+1 < n {
			emit(spirv.OpBranch, uint32(first+i+1))
		} else {
			emit(spirv.OpBranch, merge)
		}
	}
	emit(spirv.OpLabel, merge)
	emit(spirv.OpReturn)
	emit(spirv.OpFunctionEnd)
	return words
}

// What a compilation allocates grows with the shader and no faster: four times the
// instructions are four times the bytes, and not sixteen. Pools of tables are empty at
// the start of each run, and no collection empties them during one.
func TestCompile_MemoryIsLinear(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, shader := range map[string]func(int) []uint32{"straight": longShader, "switch": switchShader} {
		bytes := func(n int) float64 {
			words := shader(n)
			best := uint64(1 << 62)
			for range 3 {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&before)
				m, err := spirv.Parse(words)
				if err != nil {
					t.Fatal(err)
				}
				p, err := lower.Compile(m, "main", lower.Options{})
				if err != nil {
					t.Fatal(err)
				}
				ir.Optimize(p)
				r, err := vm.New(vm.Options{Native: true}).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				r.NewThread(4) // machine code is made with it
				runtime.ReadMemStats(&after)
				best = min(best, after.TotalAlloc-before.TotalAlloc)
			}
			return float64(best)
		}
		small, large := bytes(1000), bytes(4000)
		t.Logf("%s: %.0f and %.0f bytes", name, small, large)
		if large > 7*small {
			t.Errorf("%s: %.0f bytes for 1,000, %.0f for 4,000", name, small, large)
		}
	}
}
