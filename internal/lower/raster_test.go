package lower_test

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// RAS-063: buffers, offsets and strides of captured outputs; the parts of arrays,
// vectors, matrices and structures lie behind each other.
func TestCapture_OffsetsAndStrides(t *testing.T) {
	rules.Covers(t, "RAS-063")
	p := compile(t, "capture.vert", lower.Options{})
	if !p.Captures || p.FeedbackStride != [ir.MaxFeedbackBuffers]uint32{48, 48, 16, 24} {
		t.Errorf("captures %v, strides %v", p.Captures, p.FeedbackStride)
	}
	type place struct{ buffer, offset uint32 }
	want := map[place]bool{
		{1, 16}: true, {1, 20}: true, {1, 24}: true, {2, 4}: true, {2, 8}: true,
		{1, 32}: true, {1, 36}: true, {1, 40}: true, {1, 44}: true,
		{3, 8}: true, {3, 12}: true, {3, 16}: true, {3, 20}: true,
		// Doubles, and structures with doubles, at multiples of 8.
		{0, 8}: true, {0, 16}: true, {0, 24}: true, {0, 28}: true, {0, 32}: true, {0, 36}: true, {0, 40}: true,
	}
	for _, io := range p.Outputs {
		at := place{uint32(io.Buffer), io.Offset}
		if io.Captured && !want[at] {
			t.Errorf("output %+v is captured", io)
		}
		if io.Captured {
			delete(want, at)
		}
	}
	if len(want) > 0 {
		t.Errorf("not captured: %v", want)
	}
}

// RAS-180: an input that is an array over vertices has slots for each.
func TestPerVertex_SlotsOfEachVertex(t *testing.T) {
	rules.Covers(t, "RAS-180")
	p := compile(t, "raster.frag", lower.Options{})
	got := map[uint8]int{}
	for _, io := range p.Inputs {
		if io.Location == 0 && io.Builtin == ir.BuiltinNone {
			got[io.Vertex]++
		}
	}
	for k := range uint8(3) {
		if got[k+1] != 2 {
			t.Errorf("vertex %d has %d slots, want 2", k, got[k+1])
		}
	}
}

// RAS-180: there are three vertices: an array of four, though it is decorated so, is an ordinary one.
func TestPerVertex_RAS180_ThreeAtMost(t *testing.T) {
	rules.Covers(t, "RAS-180")
	for n := uint32(1); n <= 5; n++ {
		words := slices.Clone(module(t, "raster.frag").Words)
		var length uint32
		for at := 5; at < len(words); at += int(words[at] >> 16) {
			if words[at]&0xFFFF == uint32(spirv.OpTypeArray) {
				length = words[at+3]
			}
		}
		for at := 5; at < len(words); at += int(words[at] >> 16) {
			if words[at]&0xFFFF == uint32(spirv.OpConstant) && words[at+2] == length {
				words[at+3] = n
			}
		}
		m, err := spirv.Parse(words)
		if err != nil {
			t.Fatal(err)
		}
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Errorf("an array of %d: %v", n, err)
			continue
		}
		most := uint32(0)
		for _, io := range p.Inputs {
			most = max(most, uint32(io.Vertex))
		}
		want := n
		if n > 3 {
			want = 0
		}
		if most != want {
			t.Errorf("an array of %d has slots of vertex %d, want %d", n, most, want)
		}
	}
}

// RAS-174, RAS-294: a built-in that is in the interface switches sample shading on, though nothing comes of it, and any
// derivative takes whole quads. What stands in the interface of other stages, and names no sample, does not.
func TestFacts_RAS174_OfTheInterface(t *testing.T) {
	rules.Covers(t, "RAS-148", "RAS-174", "RAS-294")
	if p := compile(t, "facts.spvasm", lower.Options{}); !p.SampleRate || !p.UsesDerivatives || p.Demotes {
		t.Errorf("sample rate %v, derivatives %v, demotes %v", p.SampleRate, p.UsesDerivatives, p.Demotes)
	}
	// RAS-148: so does SampleMask, as an input or an output.
	for name, want := range map[string]bool{"caps.frag": true, "interlock.frag": true, "basic.frag": false} {
		if got := compile(t, name, lower.Options{}).SampleMask; got != want {
			t.Errorf("%s has SampleMask: %v", name, got)
		}
	}
	for _, name := range []string{"basic.vert", "basic.frag", "raster.frag"} {
		if p := compile(t, name, lower.Options{}); p.SampleRate {
			t.Errorf("%s is shaded by samples", name)
		}
	}
}

// RAS-186: the built-ins of AMD are inputs of fragment shaders; another stage that has one is refused.
func TestBarycentrics_RAS186_OfFragmentsOnly(t *testing.T) {
	rules.Covers(t, "RAS-186")
	for builtin := spirv.BuiltInBaryCoordNoPerspAMD; builtin <= spirv.BuiltInBaryCoordPullModelAMD; builtin++ {
		for _, stage := range []spirv.ExecutionModel{spirv.ExecutionModelFragment, spirv.ExecutionModelVertex, spirv.ExecutionModelGeometry} {
			n := uint32(2)
			if builtin == spirv.BuiltInBaryCoordPullModelAMD {
				n = 3
			}
			op := func(op spirv.Op, operands ...uint32) []uint32 {
				return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
			}
			const entry, void, function, float, vector, pointer, input, label, value, out, outPointer = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
			words := slices.Concat([]uint32{spirv.Magic, 0x10600, 0, 12, 0}, op(spirv.OpCapability, uint32(spirv.CapabilityShader)), op(spirv.OpCapability, uint32(spirv.CapabilityGeometry)),
				op(spirv.OpMemoryModel, 0, 1), op(spirv.OpEntryPoint, uint32(stage), entry, 0x6E69616D, 0, input, out))
			switch stage {
			case spirv.ExecutionModelFragment:
				words = append(words, op(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeOriginUpperLeft))...)
			case spirv.ExecutionModelGeometry:
				words = slices.Concat(words, op(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeInputPoints)), op(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeOutputPoints)),
					op(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeOutputVertices), 1), op(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeInvocations), 1))
			}
			words = slices.Concat(words, op(spirv.OpDecorate, input, uint32(spirv.DecorationBuiltIn), uint32(builtin)), op(spirv.OpDecorate, out, uint32(spirv.DecorationLocation), 0),
				op(spirv.OpTypeVoid, void), op(spirv.OpTypeFunction, function, void), op(spirv.OpTypeFloat, float, 32), op(spirv.OpTypeVector, vector, float, n),
				op(spirv.OpTypePointer, pointer, uint32(spirv.StorageClassInput), vector), op(spirv.OpTypePointer, outPointer, uint32(spirv.StorageClassOutput), vector),
				op(spirv.OpVariable, pointer, input, uint32(spirv.StorageClassInput)), op(spirv.OpVariable, outPointer, out, uint32(spirv.StorageClassOutput)),
				op(spirv.OpFunction, void, entry, 0, function), op(spirv.OpLabel, label), op(spirv.OpLoad, vector, value, input), op(spirv.OpStore, out, value), op(spirv.OpReturn), op(spirv.OpFunctionEnd))
			m, err := spirv.Parse(words)
			if err != nil {
				t.Fatal(err)
			}
			_, err = lower.Compile(m, "main", lower.Options{})
			if (err == nil) != (stage == spirv.ExecutionModelFragment) {
				t.Errorf("%v in stage %v: %v", builtin, stage, err)
			}
		}
	}
}
