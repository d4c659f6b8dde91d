package lower_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// longShader makes a fragment shader of about n instructions, as compilers write
// them: vectors and their components, conditions with phis, functions of
// GLSL.std.450 and reads of a uniform block.
func longShader(n int) []uint32 {
	words := []uint32{spirv.Magic, 0x00010300, 0, 0, 0}
	next := uint32(100)
	emit := func(op spirv.Op, operands ...uint32) {
		words = append(words, uint32(len(operands)+1)<<16|uint32(op))
		words = append(words, operands...)
	}
	value := func(op spirv.Op, typ uint32, operands ...uint32) uint32 {
		next++
		emit(op, append([]uint32{typ, next}, operands...)...)
		return next
	}
	const ext, main, in, out, void, fn, f32, vec4, pin, pout, boolean, block, pblock, ubo, pvec, u32 = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	const array, zero, sixteen, half = 17, 18, 19, 20
	emit(spirv.OpCapability, uint32(spirv.CapabilityShader))
	emit(spirv.OpExtInstImport, ext, 0x4C534C47, 0x6474732E, 0x3035342E, 0)
	emit(spirv.OpMemoryModel, 0, 1)
	emit(spirv.OpEntryPoint, uint32(spirv.ExecutionModelFragment), main, 0x6E69616D, 0, in, out)
	emit(spirv.OpExecutionMode, main, uint32(spirv.ExecutionModeOriginUpperLeft))
	emit(spirv.OpDecorate, in, uint32(spirv.DecorationLocation), 0)
	emit(spirv.OpDecorate, out, uint32(spirv.DecorationLocation), 0)
	emit(spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
	emit(spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
	emit(spirv.OpDecorate, array, uint32(spirv.DecorationArrayStride), 16)
	emit(spirv.OpDecorate, ubo, uint32(spirv.DecorationDescriptorSet), 0)
	emit(spirv.OpDecorate, ubo, uint32(spirv.DecorationBinding), 0)
	emit(spirv.OpTypeVoid, void)
	emit(spirv.OpTypeFunction, fn, void)
	emit(spirv.OpTypeFloat, f32, 32)
	emit(spirv.OpTypeVector, vec4, f32, 4)
	emit(spirv.OpTypePointer, pin, uint32(spirv.StorageClassInput), vec4)
	emit(spirv.OpTypePointer, pout, uint32(spirv.StorageClassOutput), vec4)
	emit(spirv.OpTypeBool, boolean)
	emit(spirv.OpTypeInt, u32, 32, 0)
	emit(spirv.OpConstant, u32, zero, 0)
	emit(spirv.OpConstant, u32, sixteen, 16)
	emit(spirv.OpConstant, f32, half, 0x3F000000)
	emit(spirv.OpTypeArray, array, vec4, sixteen)
	emit(spirv.OpTypeStruct, block, array)
	emit(spirv.OpTypePointer, pblock, uint32(spirv.StorageClassUniform), block)
	emit(spirv.OpTypePointer, pvec, uint32(spirv.StorageClassUniform), vec4)
	emit(spirv.OpVariable, pin, in, uint32(spirv.StorageClassInput))
	emit(spirv.OpVariable, pout, out, uint32(spirv.StorageClassOutput))
	emit(spirv.OpVariable, pblock, ubo, uint32(spirv.StorageClassUniform))
	indices := make([]uint32, 16)
	for i := range indices {
		indices[i] = value(spirv.OpConstant, u32, uint32(i))
		// value puts the <id> after the type, as OpConstant has it
	}
	emit(spirv.OpFunction, void, main, 0, fn)
	label := value(spirv.OpNop, 0)
	words = words[:len(words)-3]
	emit(spirv.OpLabel, label)
	v := value(spirv.OpLoad, vec4, in)
	for i := 0; i < n; i += 20 {
		p := value(spirv.OpAccessChain, pvec, ubo, zero, indices[i/20%16])
		u := value(spirv.OpLoad, vec4, p)
		a := value(spirv.OpFMul, vec4, v, u)
		b := value(spirv.OpFAdd, vec4, a, v)
		x := value(spirv.OpCompositeExtract, f32, b, uint32(i/20%4))
		y := value(spirv.OpDot, f32, a, b)
		s := value(spirv.OpExtInst, f32, ext, uint32(spirv.GLSLFAbs), y)
		r := value(spirv.OpExtInst, f32, ext, uint32(spirv.GLSLSqrt), s)
		c := value(spirv.OpVectorTimesScalar, vec4, b, r)
		cond := value(spirv.OpFOrdLessThan, boolean, x, half)
		then, merge := next+1, next+2
		next += 2
		emit(spirv.OpSelectionMerge, merge, 0)
		emit(spirv.OpBranchConditional, cond, then, merge)
		emit(spirv.OpLabel, then)
		d := value(spirv.OpVectorShuffle, vec4, c, u, 0, 5, 2, 7)
		e := value(spirv.OpExtInst, vec4, ext, uint32(spirv.GLSLFMax), d, a)
		emit(spirv.OpBranch, merge)
		emit(spirv.OpLabel, merge)
		v = value(spirv.OpPhi, vec4, c, label, e, then)
		label = merge
	}
	emit(spirv.OpStore, out, v)
	emit(spirv.OpReturn)
	emit(spirv.OpFunctionEnd)
	words[3] = next + 1
	return words
}

// BenchmarkCompile takes shaders from words to a routine, in its steps and whole.
// The goals: 10 ms for 5,000 instructions, 1 ms for two shaders of 500.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{500, 5000} {
		words := longShader(n)
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			steps := []string{"parse", "lower", "optimize", "vm"}
			at := 4
			run := func(b *testing.B, upTo int) {
				b.ReportAllocs()
				best, start := time.Hour, time.Time{}
				defer func() { b.ReportMetric(best.Seconds()*1e3, "best-ms") }()
				for b.Loop() {
					if !start.IsZero() {
						best = min(best, time.Since(start))
					}
					start = time.Now()
					m, err := spirv.Parse(words)
					if err != nil {
						b.Fatal(err)
					}
					if upTo == 1 {
						continue
					}
					p, err := lower.Compile(m, "main", lower.Options{})
					if err != nil {
						b.Fatal(err)
					}
					if upTo == 2 {
						continue
					}
					ir.Optimize(p)
					if upTo == 3 {
						continue
					}
					if _, err := vm.New(vm.Options{}).Compile(p); err != nil {
						b.Fatal(err)
					}
				}
			}
			for i := range at {
				b.Run("to "+steps[i], func(b *testing.B) { run(b, i+1) })
			}
		})
	}
}

// BenchmarkPair is what a pipeline of two shaders of 500 instructions costs, whose
// modules are parsed and whose stages are compiled side by side.
func BenchmarkPair(b *testing.B) {
	m, err := spirv.Parse(longShader(500))
	if err != nil {
		b.Fatal(err)
	}
	one := func() {
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			b.Error(err)
			return
		}
		ir.Optimize(p)
		if _, err := vm.New(vm.Options{}).Compile(p); err != nil {
			b.Error(err)
		}
	}
	b.ReportAllocs()
	best := time.Hour // other programs on the machine do not change it
	for b.Loop() {
		start := time.Now()
		var wait sync.WaitGroup
		wait.Go(one)
		one()
		wait.Wait()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(best.Seconds()*1e3, "best-ms")
}
