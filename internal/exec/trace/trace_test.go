package trace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// fuel of all runs: traced programs end where plain ones do.
const fuel = 1 << 14

func optimized(t testing.TB, m *spirv.Module, e *spirv.EntryPoint, traced bool) *ir.Program {
	t.Helper()
	stage := ir.StageCompute
	for s, model := range models {
		if model == e.Model {
			stage = s
		}
	}
	p, err := lower.CompileStage(m, stage, e.Name, lower.Options{Trace: traced})
	if err != nil {
		if traced {
			t.Errorf("%s does not compile traced: %v", e.Name, err)
		}
		return nil
	}
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

var models = map[ir.Stage]spirv.ExecutionModel{
	ir.StageVertex: spirv.ExecutionModelVertex, ir.StageFragment: spirv.ExecutionModelFragment, ir.StageCompute: spirv.ExecutionModelGLCompute,
	ir.StageControl: spirv.ExecutionModelTessellationControl, ir.StageEvaluation: spirv.ExecutionModelTessellationEvaluation,
	ir.StageGeometry: spirv.ExecutionModelGeometry, ir.StageTask: spirv.ExecutionModelTaskEXT, ir.StageMesh: spirv.ExecutionModelMeshEXT,
}

// clock says that a program reads a clock, which no two runs see alike.
func clock(words []uint32) bool {
	for at := 5; at < len(words); at += max(int(words[at]>>16), 1) {
		if spirv.Op(words[at]&0xFFFF) == spirv.OpReadClockKHR {
			return true
		}
	}
	return false
}

// TestTraced_SameBits: of every shader of the tree the traced program leaves what the plain one does, in outputs, lanes
// and memory, on loops and with machine code; it takes its place; and image instructions done again
// step by step give what the engine gave.
func TestTraced_SameBits(t *testing.T) {
	names, words := modules(t)
	checked := map[string]int{} // instructions that were computed once more
	ops := map[string]int{}
	ran, told, images := map[ir.Stage]int{}, 0, map[string]int{}
	for _, name := range names {
		m, err := spirv.Parse(words[name])
		if err != nil || clock(words[name]) {
			continue
		}
		for _, e := range m.EntryPoints {
			plain := optimized(t, m, e, false)
			if plain == nil || plain.Stage.Workgroups() && plain.LocalSize[0]*plain.LocalSize[1]*plain.LocalSize[2] > 256 {
				continue
			}
			traced := optimized(t, m, e, true)
			if traced == nil {
				t.Errorf("%s", name)
				continue
			}
			if err := ir.Align(traced, plain); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for seed := range uint64(2) {
				want := newWorld(t, plain, seed)
				if !want.run(t, vm.New(vm.Options{}), plain, fuel, nil) {
					continue
				}
				for _, o := range []vm.Options{{}, {Native: true}} {
					got := newWorld(t, traced, seed)
					lane := int(seed) % got.batch.N
					c := trace.New(traced, lane, seed == 1)
					if !got.run(t, vm.New(o), traced, fuel, c.Tell) {
						t.Errorf("%s: the traced program does not end", name)
						continue
					}
					if what, differ := want.outcome().differ(got.outcome()); differ {
						t.Errorf("%s, seed %d, %+v: other %s", name, seed, o, what)
					}
					ran[plain.Stage]++
					s := c.Shader()
					told += len(s.Steps)
					for i := range s.Steps {
						_, op, ok := strings.Cut(s.Steps[i].Text, " = ")
						if !ok {
							op = s.Steps[i].Text
						}
						op, _, _ = strings.Cut(op, " ")
						ops[op]++
						text := s.Steps[i].Value.Text
						ends := op == "OpTerminateInvocation" && strings.HasSuffix(name, "/terminate.spvasm.spv") // whose others vote
						if helper := op == "OpKill" || op == "OpDemoteToHelperInvocation" || op == "OpTerminateInvocation"; helper && !ends != (text == "a helper from here on") || ends != (text == "ends here") {
							t.Errorf("%s: %+v", name, s.Steps[i])
						}
					}
					if !slices.Contains(m.Capabilities, spirv.CapabilityDenormFlushToZero) && !slices.Contains(m.Capabilities, spirv.CapabilityRoundingModeRTZ) {
						checkArithmetic(t, name, c, checked)
					}
					for _, im := range c.Images() {
						kind, _, _ := strings.Cut(im.Instruction, "(")
						images[kind]++
						checkWeights(t, name, &im)
						if last := im.Steps[len(im.Steps)-1]; last.Failed {
							t.Errorf("%s, seed %d, %+v: %s: %s", name, seed, o, im.Instruction, last.Text)
						}
					}
				}
			}
		}
	}
	t.Logf("%v batches, %d values, image instructions %v", ran, told, images)
	for stage := range models {
		if ran[stage] < 8 {
			t.Errorf("%d batches of stage %d: the test reaches nothing", ran[stage], stage)
		}
	}
	for _, kind := range []string{"texture", "textureLod", "textureGrad", "texelFetch", "textureGather", "imageLoad", "imageStore", "imageAtomic", "textureSize", "textureQueryLod"} {
		if images[kind] == 0 {
			t.Errorf("no %s was told", kind)
		}
	}
	for _, op := range []string{"OpKill", "OpDemoteToHelperInvocation", "OpTerminateInvocation", "OpSwitch", "OpBranchConditional", "OpPhi", "OpReturnValue", "OpStore", "OpAtomicStore", "OpFunctionCall", "OpEmitVertex", "OpControlBarrier", "OpImageWrite", "OpExtInst", "OpUndef"} {
		if (ops[op] == 0) != (op == "OpUndef") {
			t.Errorf("%d %s were told", ops[op], op)
		}
	}
	t.Logf("computed once more: %v", checked)
	if told < 10000 || checked["OpFAdd"] < 100 || checked["OpIMul"] < 50 || checked["OpCompositeExtract"] < 100 {
		t.Errorf("%d values, computed %v: the test reaches nothing", told, checked)
	}
}
