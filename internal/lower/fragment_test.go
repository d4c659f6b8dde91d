package lower_test

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// A discarded lane leaves all loops, even ones that only the discard ends, and
// runs on as a helper.
func TestDiscard_InLoops_EndsLane(t *testing.T) {
	p := compile(t, "discard.frag", lower.Options{})
	if !p.Demotes || !p.UsesDerivatives {
		t.Errorf("facts: demotes %v, derivatives %v", p.Demotes, p.UsesDerivatives)
	}
	r, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &exec.Batch{N: lanes, In: [][]uint32{make([]uint32, lanes)}, Live: make([]uint32, lanes)}
	for i := range lanes {
		b.In[0][i], b.Live[i] = uint32(i), math.MaxUint32
	}
	for range p.Outputs {
		b.Out = append(b.Out, make([]uint32, lanes))
	}
	if err := r.NewThread(lanes).Run(&exec.Context{Fuel: 1 << 16}, b); err != nil {
		t.Fatal(err)
	}
	for n := range lanes {
		dead := n <= 4 || n == 7 || n == 9
		sum := 42
		if n > 20 { // endless
			x := n - 30
			for {
				if x += 3; x > 20 {
					dead = true
					break
				}
				if x == 13 {
					sum += x
					break
				}
			}
		}
		if live := b.Live[n] != 0; live == dead {
			t.Errorf("n = %d: live %v", n, live)
		}
		if dead {
			continue
		}
		if got := math.Float32frombits(b.Out[0][n]); got != float32(sum) {
			t.Errorf("n = %d: sum %g, want %d", n, got, sum)
		}
		if got := math.Float32frombits(b.Out[1][n]); got != 1 {
			t.Errorf("n = %d: derivative %g, want 1", n, got)
		}
	}
}

func TestImages_Operands(t *testing.T) {
	p := compile(t, "images.frag", lower.Options{})
	for i, in := range p.Insts {
		if in.Op != ir.OpImage {
			continue
		}
		op := p.ImageOps[in.Imm]
		want := 1 + op.Coords // image element and coordinates
		for _, on := range []struct {
			present bool
			n       int
		}{
			{op.Sampler >= 0, 1}, {op.Dref, 1}, {op.Lod == ir.LodBias || op.Lod == ir.LodExplicit, 1}, {op.Lod == ir.LodGrad, 2 * op.GradCoords},
			{op.HasOffset, op.GradCoords}, {op.HasMinLod, 1}, {op.HasSample, 1}, {op.Kind == ir.ImageWrite, 4},
			{op.Kind == ir.ImageAtomic, 1}, {op.Kind == ir.ImageAtomic && op.Atomic == ir.AtomicCompareExchange, 1},
		} {
			if on.present {
				want += on.n
			}
		}
		if len(in.More) != want {
			t.Errorf("%%%d: %d operands, want %d: %+v", i, len(in.More), want, op)
		}
	}
	type shape struct {
		kind ir.ImageKind
		lod  ir.LodMode
		dref bool
	}
	count := map[shape]int{}
	for _, op := range p.ImageOps {
		count[shape{op.Kind, op.Lod, op.Dref}]++
	}
	for s, n := range map[shape]int{
		{ir.ImageSample, ir.LodImplicit, false}:    8, // plain, two projections, offset, cube, 3D, bindless, function
		{ir.ImageSample, ir.LodBias, false}:        1,
		{ir.ImageSample, ir.LodExplicit, false}:    1,
		{ir.ImageSample, ir.LodGrad, false}:        1,
		{ir.ImageSample, ir.LodImplicit, true}:     2,
		{ir.ImageSample, ir.LodExplicit, true}:     1,
		{ir.ImageGather, ir.LodZero, false}:        5, // one, and four for the offsets
		{ir.ImageFetch, ir.LodExplicit, false}:     1,
		{ir.ImageFetch, ir.LodZero, false}:         2,
		{ir.ImageAtomic, ir.LodZero, false}:        2,
		{ir.ImageQuerySize, ir.LodExplicit, false}: 2,
		{ir.ImageQuerySize, ir.LodZero, false}:     2,
	} {
		if count[s] != n {
			t.Errorf("%+v: %d instructions, want %d", s, count[s], n)
		}
	}
	if !p.WritesMemory || !p.SampleRate || !p.DepthLess || !p.UsesDerivatives {
		t.Errorf("facts: %v %v %v %v", p.WritesMemory, p.SampleRate, p.DepthLess, p.UsesDerivatives)
	}
	for _, r := range p.Resources {
		if r.Set == 1 && (r.Count != 0 || r.Kind != ir.CombinedImageSampler) || r.Set == 0 && r.Binding == 0 && r.Count != 4 {
			t.Errorf("resource %+v", r)
		}
	}
	interp := map[uint32]ir.Interpolation{}
	for _, io := range p.Inputs {
		if io.Builtin == ir.BuiltinNone {
			interp[io.Location] = io.Interp
		}
		if io.Location == 8 && io.Aux != ir.AtCentroid {
			t.Errorf("location 8 is not evaluated at the centroid")
		}
	}
	if interp[0] != ir.Perspective || interp[1] != ir.Flat || interp[8] != ir.Linear {
		t.Errorf("interpolation %v", interp)
	}
	if n := len(p.Outputs); n != 4+4+1+1 {
		t.Errorf("%d outputs: %+v", n, p.Outputs)
	}
}

// A volatile load of HelperInvocation sees the demotions before it, whether the variable is decorated or the load says so
// (SPIR-V: "Volatile" as a decoration applies to every access of the variable).
func TestHelperInvocation_Volatile_SeesDemotions(t *testing.T) {
	for _, name := range []string{"helper.spvasm", "helperload.spvasm"} {
		p := compile(t, name, lower.Options{})
		r, err := vm.New(vm.Options{}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		const n = 8
		b := &exec.Batch{N: n, Live: make([]uint32, n)}
		for range p.Inputs {
			b.In = append(b.In, make([]uint32, n))
		}
		for range p.Outputs {
			b.Out = append(b.Out, make([]uint32, n))
		}
		for i := range n {
			b.Live[i] = ^uint32(0)
			b.In[0][i] = uint32(i & 1)
		}
		if err := r.NewThread(n).Run(&exec.Context{}, b); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if before, after := b.Out[0][i], b.Out[1][i]; before != 0 || after != uint32(i&1) {
				t.Errorf("%s, lane %d: %d before and %d after the demotion, want 0 and %d", name, i, before, after, i&1)
			}
		}
	}
}

// An output that no instruction names has the value of its initializer.
func TestOutput_InitializerAlone_IsWritten(t *testing.T) {
	p := compile(t, "initial.spvasm", lower.Options{})
	if len(p.Outputs) != 1 || p.Outputs[0].Builtin != ir.BuiltinFragDepth {
		t.Fatalf("outputs %v, want the depth", p.Outputs)
	}
	r, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &exec.Batch{N: 4, Out: [][]uint32{make([]uint32, 4)}}
	if err := r.NewThread(4).Run(&exec.Context{}, b); err != nil {
		t.Fatal(err)
	}
	if got := math.Float32frombits(b.Out[0][3]); got != 0.25 {
		t.Errorf("depth %g, want 0.25", got)
	}
}

// Tests stand before shading with EarlyAndLateFragmentTestsAMD, but not where the
// shader replaces what is tested.
func TestModes_EarlyAndLateFragmentTests(t *testing.T) {
	code, err := os.ReadFile("../../conformance/testdata/shaders/special/earlyandlate.frag.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	const mode = 3<<16 | uint32(spirv.OpExecutionMode)
	for _, more := range []spirv.ExecutionMode{spirv.ExecutionModeStencilRefUnchangedFrontAMD, spirv.ExecutionModeDepthReplacing, spirv.ExecutionModeStencilRefReplacingEXT} {
		var words []uint32
		for i := 0; i < len(code); i += 4 {
			words = append(words, binary.LittleEndian.Uint32(code[i:]))
		}
		at := slices.Index(words, mode)
		words = slices.Insert(words, at, mode, words[at+1], uint32(more))
		words = slices.Insert(words, 5, 2<<16|uint32(spirv.OpCapability), uint32(spirv.CapabilityStencilExportEXT))
		var bytes []byte
		for _, w := range words {
			bytes = binary.LittleEndian.AppendUint32(bytes, w)
		}
		m, err := spirv.ParseBytes(bytes)
		if err != nil {
			t.Fatal(err)
		}
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := more == spirv.ExecutionModeStencilRefUnchangedFrontAMD; p.EarlyFragmentTests != want {
			t.Errorf("with %v: early tests %v", more, p.EarlyFragmentTests)
		}
	}
}
