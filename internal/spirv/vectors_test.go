package spirv

import (
	"errors"
	"strings"
	"testing"
)

// longVector is a module with a vector of floats <id> 9, whose type comes with a constant <id> 7 that
// says how many components it has, and a variable of it.
func longVector(constant Op, count uint32, class StorageClass, capability Capability, more ...[]uint32) []uint32 {
	list := [][]uint32{shader, {uint32(OpCapability), uint32(capability)}, model,
		{uint32(OpDecorate), 7, uint32(DecorationSpecId), 3}}
	if constant == OpConstant {
		list = list[:3]
	}
	list = append(list, void, fnType, []uint32{uint32(OpTypeInt), 6, 32, 0}, []uint32{uint32(constant), 6, 7, count},
		[]uint32{uint32(OpTypeFloat), 8, 32}, []uint32{uint32(OpTypeVectorIdEXT), 9, 8, 7},
		[]uint32{uint32(OpTypePointer), 10, uint32(class), 9}, []uint32{uint32(OpVariable), 10, 11, uint32(class)})
	list = append(list, more...)
	return asm(append(list, fnBegin, []uint32{uint32(OpLabel), 20}, ret, fnEnd)...)
}

// VUID-StandaloneSpirv-None-12295, VUID-RuntimeSpirv-longVector-12296, VUID-StandaloneSpirv-Type-12297,
// VUID-StandaloneSpirv-Function-12294.
func TestLongVectors_WhatIsRefused(t *testing.T) {
	typeVector := func(count uint32) []uint32 {
		return asm(shader, []uint32{uint32(OpCapability), uint32(CapabilityLongVectorEXT)}, model, []uint32{uint32(OpTypeFloat), 8, 32}, []uint32{uint32(OpTypeVector), 9, 8, count})
	}
	block := [][]uint32{{uint32(OpTypeStruct), 12, 9}, {uint32(OpTypePointer), 13, uint32(StorageClassUniform), 12}, {uint32(OpVariable), 13, 14, uint32(StorageClassUniform)}}
	for _, c := range []struct {
		name  string
		words []uint32
		want  string // empty: accepted
	}{
		{"five", longVector(OpConstant, 5, StorageClassPrivate, CapabilityLongVectorEXT), ""},
		{"one", longVector(OpConstant, 1, StorageClassPrivate, CapabilityLongVectorEXT), ""},
		{"the limit", longVector(OpConstant, 1024, StorageClassPrivate, CapabilityLongVectorEXT), ""},
		{"none", longVector(OpConstant, 0, StorageClassPrivate, CapabilityLongVectorEXT), "a vector of 0"},
		{"beyond the limit", longVector(OpConstant, 1025, StorageClassPrivate, CapabilityLongVectorEXT), "a vector of 1025"},
		{"as an output", longVector(OpConstant, 5, StorageClassOutput, CapabilityLongVectorEXT), "12297"},
		{"a short output", longVector(OpConstant, 4, StorageClassOutput, CapabilityLongVectorEXT), ""},
		{"without the capability", longVector(OpConstant, 5, StorageClassPrivate, CapabilityMatrix), "needs the capability"},
		{"specialized", longVector(OpSpecConstant, 5, StorageClassWorkgroup, CapabilityLongVectorEXT), ""},
		{"specialized in a block", longVector(OpSpecConstant, 5, StorageClassPrivate, CapabilityLongVectorEXT, block...), "12294"},
		{"in a block", longVector(OpConstant, 5, StorageClassPrivate, CapabilityLongVectorEXT, block...), "06676"}, // for want of Block alone
		{"a literal count", typeVector(7), ""},
		{"a literal one", typeVector(1), ""},
		{"a literal count beyond the limit", typeVector(1025), "a vector of 1025"},
	} {
		_, err := Parse(c.words)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: error of type %T", c.name, err)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

// The number of components comes from the specialization, which is checked.
func TestLongVectors_SpecializedCount(t *testing.T) {
	m, err := Parse(longVector(OpSpecConstant, 5, StorageClassPrivate, CapabilityLongVectorEXT))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec map[uint32][]byte
		want int // 0: refused
	}{
		{nil, 5},
		{map[uint32][]byte{3: {1, 0, 0, 0}}, 1},
		{map[uint32][]byte{3: {0, 4, 0, 0}}, 1024},
		{map[uint32][]byte{3: {1, 4, 0, 0}}, 0},
		{map[uint32][]byte{3: {0, 0, 0, 0}}, 0},
	} {
		k, err := m.EvaluateConstants(c.spec)
		if c.want == 0 {
			var e *Error
			if !errors.As(err, &e) || e.Rule != "VUID-RuntimeSpirv-longVector-12296" {
				t.Errorf("%v: %v", c.spec, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if n, err := k.Scalars(m.Type(9)); n != c.want || err != nil {
			t.Errorf("%v: %d scalars, %v; want %d", c.spec, n, err, c.want)
		}
	}
}

// What a specialization says is compared where it is known, and no number is that of a scalar or of
// another vector.
func TestLongVectors_CountsOfOperands(t *testing.T) {
	for count, ok := range map[uint32]bool{6: true, 7: true, 0: false} { // of the result, 0: a scalar
		body := [][]uint32{{uint32(OpTypeVector), 12, 3, count}, {uint32(OpConstantNull), 9, 13}}
		result := uint32(12)
		if count == 0 {
			body, result = body[1:], 3
		}
		words := longVector(OpSpecConstant, 6, StorageClassPrivate, CapabilityLongVectorEXT, append([][]uint32{boolType}, body...)...)
		at := len(words) - 2 // before OpReturn and OpFunctionEnd
		words = append(append(words[:at:at], 5<<16|uint32(OpFOrdEqual), result, 30, 13, 13), words[at:]...)
		if _, err := Parse(words); (err == nil) != ok {
			t.Errorf("%d components: %v", count, err)
		}
	}
}
