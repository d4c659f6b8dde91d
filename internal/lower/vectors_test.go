package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// builder makes modules word by word.
type builder struct{ words []uint32 }

func newBuilder(bound uint32, capabilities ...spirv.Capability) *builder {
	b := &builder{[]uint32{spirv.Magic, 0x00010300, 0, bound, 0}}
	for _, c := range append([]spirv.Capability{spirv.CapabilityShader}, capabilities...) {
		b.add(spirv.OpCapability, uint32(c))
	}
	b.add(spirv.OpMemoryModel, 0, 1)
	return b
}

func (b *builder) add(op spirv.Op, operands ...uint32) {
	b.words = append(append(b.words, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

const nameMain = 'm' | 'a'<<8 | 'i'<<16 | 'n'<<24

// inserts is a compute shader that changes one element of an array of 65,536 so many times: values
// that no instruction of a program stands for.
func inserts(n uint32) []uint32 {
	b := newBuilder(n + 101)
	b.add(spirv.OpEntryPoint, uint32(spirv.ExecutionModelGLCompute), 1, nameMain, 0)
	b.add(spirv.OpExecutionMode, 1, uint32(spirv.ExecutionModeLocalSize), 1, 1, 1)
	b.add(spirv.OpTypeVoid, 2)
	b.add(spirv.OpTypeFunction, 3, 2)
	b.add(spirv.OpTypeInt, 4, 32, 0)
	b.add(spirv.OpConstant, 4, 5, 65536)
	b.add(spirv.OpTypeArray, 6, 4, 5)
	b.add(spirv.OpConstantNull, 6, 99)
	b.add(spirv.OpFunction, 2, 1, 0, 3)
	b.add(spirv.OpLabel, 7)
	for k := range n {
		b.add(spirv.OpCompositeInsert, 6, 100+k, 5, 99+k, k%65536)
	}
	b.add(spirv.OpReturn)
	b.add(spirv.OpFunctionEnd)
	return b.words
}

// VUID-StandaloneSpirv-Type-12297 where a specialization says how many components there are.
func TestCompile_LongVectorInAnInterface(t *testing.T) {
	b := newBuilder(20, spirv.CapabilityLongVectorEXT)
	b.add(spirv.OpEntryPoint, uint32(spirv.ExecutionModelVertex), 1, nameMain, 0, 9)
	b.add(spirv.OpDecorate, 9, uint32(spirv.DecorationLocation), 0)
	b.add(spirv.OpDecorate, 5, uint32(spirv.DecorationSpecId), 0)
	b.add(spirv.OpTypeVoid, 2)
	b.add(spirv.OpTypeFunction, 3, 2)
	b.add(spirv.OpTypeInt, 4, 32, 0)
	b.add(spirv.OpSpecConstant, 4, 5, 4)
	b.add(spirv.OpTypeVectorIdEXT, 6, 4, 5)
	b.add(spirv.OpConstantNull, 6, 10)
	b.add(spirv.OpTypePointer, 8, uint32(spirv.StorageClassOutput), 6)
	b.add(spirv.OpVariable, 8, 9, uint32(spirv.StorageClassOutput))
	b.add(spirv.OpFunction, 2, 1, 0, 3)
	b.add(spirv.OpLabel, 7)
	b.add(spirv.OpStore, 9, 10)
	b.add(spirv.OpReturn)
	b.add(spirv.OpFunctionEnd)
	m, err := spirv.Parse(b.words)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Compile(m, "main", lower.Options{}); err != nil {
		t.Errorf("four components: %v", err)
	}
	_, err = lower.Compile(m, "main", lower.Options{Specialization: map[uint32][]byte{0: {5, 0, 0, 0}}})
	var e *lower.UnsupportedError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "12297") {
		t.Errorf("five components: %v", err)
	}
}

// What a module of some kilobytes asks for stays within bounds, whatever its values hold.
func TestCompile_ScalarsOfResultsAreBounded(t *testing.T) {
	for n, refused := range map[uint32]bool{8: false, 300: true} {
		m, err := spirv.Parse(inserts(n))
		if err != nil {
			t.Fatal(err)
		}
		_, err = lower.Compile(m, "main", lower.Options{})
		var e *lower.UnsupportedError
		switch {
		case refused && (!errors.As(err, &e) || !strings.Contains(err.Error(), "scalars")):
			t.Errorf("%d values of 65,536 scalars: %v", n, err)
		case !refused && err != nil:
			t.Error(err)
		}
	}
}
