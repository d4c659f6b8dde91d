package spirv

import (
	"strings"
	"testing"
)

// heaps is a module with a resource heap <id> 14, an untyped pointer type 7 of its class, types of a uniform buffer 8 and an
// image 9 of 32-bit integers 6, a pointer type 12 to integers in uniform buffers and 13 to texels, the constant 15, which is the size of the
// buffer's descriptor, and 16 and 17, which are the number one. Declarations come before the heap's, body into its function.
func heaps(declarations, body [][]uint32) []uint32 {
	list := [][]uint32{shader, {uint32(OpCapability), uint32(CapabilityUntypedPointersKHR)}, {uint32(OpCapability), uint32(CapabilityDescriptorHeapEXT)}, model,
		{uint32(OpDecorate), 14, uint32(DecorationBuiltIn), uint32(BuiltInResourceHeapEXT)},
		{uint32(OpMemberDecorate), 20, 0, uint32(DecorationOffset), 64}, {uint32(OpMemberDecorateIdEXT), 20, 1, uint32(DecorationOffsetIdEXT), 15},
		{uint32(OpDecorateId), 21, uint32(DecorationArrayStrideIdEXT), 15}, {uint32(OpDecorateId), 22, uint32(DecorationArrayStrideIdEXT), 6},
		void, fnType, {uint32(OpTypeInt), 6, 32, 0}, {uint32(OpTypeUntypedPointerKHR), 7, uint32(StorageClassUniformConstant)},
		{uint32(OpTypeBufferEXT), 8, uint32(StorageClassUniform)}, {uint32(OpTypeImage), 9, 6, 1, 0, 0, 0, 1, 0},
		{uint32(OpTypePointer), 12, uint32(StorageClassUniform), 6}, {uint32(OpTypePointer), 13, uint32(StorageClassImage), 6},
		{uint32(OpConstantSizeOfEXT), 6, 15, 8}, {uint32(OpConstant), 6, 16, 1}, {uint32(OpConstant), 6, 17, 1},
		{uint32(OpTypeStruct), 20, 8, 8, 8}, {uint32(OpTypeRuntimeArray), 21, 8}, {uint32(OpTypeRuntimeArray), 22, 9}}
	list = append(append(list, declarations...), []uint32{uint32(OpUntypedVariableKHR), 7, 14, uint32(StorageClassUniformConstant)}, fnBegin, []uint32{uint32(OpLabel), 30})
	return asm(append(append(list, body...), ret, fnEnd)...)
}

// heapChain leads to descriptor 1 of an array of buffers.
var heapChain = []uint32{uint32(OpUntypedAccessChainKHR), 7, 40, 21, 14, 16}

func TestHeaps_WhatIsRefused(t *testing.T) {
	one := func(op Op, operands ...uint32) [][]uint32 {
		return [][]uint32{append([]uint32{uint32(op)}, operands...)}
	}
	for _, c := range []struct {
		name               string
		declarations, body [][]uint32
		want               string // empty: accepted
	}{
		{"a heap", nil, nil, ""},
		{"a buffer", nil, append([][]uint32{heapChain}, one(OpBufferPointerEXT, 12, 41, 40)...), ""},
		{"a texel", nil, append([][]uint32{{uint32(OpUntypedAccessChainKHR), 7, 40, 22, 14, 16}}, one(OpUntypedImageTexelPointerEXT, 13, 41, 9, 40, 16, 16)...), ""},
		{"a buffer of another class", one(OpTypeBufferEXT, 18, uint32(StorageClassPushConstant)), nil, "storage class PushConstant"},
		{"the size of an integer", one(OpConstantSizeOfEXT, 6, 18, 6), nil, ""}, // until constants are evaluated
		{"a variable that is no heap", one(OpUntypedVariableKHR, 7, 18, uint32(StorageClassUniformConstant)), nil, "11347"},
		{"a buffer of no pointer", nil, one(OpBufferPointerEXT, 12, 41, 16), "pointer to a descriptor"},
		{"a buffer through a pointer to texels", nil, append([][]uint32{heapChain}, one(OpBufferPointerEXT, 13, 41, 40)...), "pointer to a descriptor"},
		{"a texel of a buffer", nil, append([][]uint32{heapChain}, one(OpUntypedImageTexelPointerEXT, 13, 41, 8, 40, 16, 16)...), "image type"},
		{"a texel through a pointer to a buffer", nil, append([][]uint32{heapChain}, one(OpUntypedImageTexelPointerEXT, 12, 41, 9, 40, 16, 16)...), "image type"},
	} {
		if _, err := Parse(heaps(c.declarations, c.body)); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	m, err := Parse(heaps(one(OpConstantSizeOfEXT, 6, 18, 6), nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.EvaluateConstants(nil); err == nil || !strings.Contains(err.Error(), "the size of uint32") {
		t.Errorf("the size of an integer: %v", err)
	}
}

// Offsets and strides are numbers, or constants.
func TestHeaps_Layout(t *testing.T) {
	m, err := Parse(heaps(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.EvaluateConstants(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{64, 32} {
		if got, ok := k.MemberOffset(m.Type(20), uint32(i)); !ok || got != want {
			t.Errorf("member %d lies at %d, want %d", i, got, want)
		}
	}
	if got, ok := k.MemberOffset(m.Type(20), 2); ok {
		t.Errorf("a member without an offset lies at %d", got)
	}
	if got, ok := k.ArrayStride(m.Type(21)); !ok || got != 32 {
		t.Errorf("the stride is %d", got)
	}
	if got, ok := k.ArrayStride(m.Type(22)); ok {
		t.Errorf("a stride that is a type is %d", got)
	}
}
