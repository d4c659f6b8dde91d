package spirv

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// untyped is a module with an untyped pointer type <id> 7 of a storage class, a structure <id> 9 of a 32-bit
// integer <id> 6 and a runtime array, and instructions in its function. <id> 14 is a pointer to them, 15 the
// number one, 20 an untyped pointer to what a variable <id> 14 holds, 21 a pointer to integers.
func untyped(class StorageClass, body ...[]uint32) []uint32 {
	list := [][]uint32{shader, {uint32(OpCapability), uint32(CapabilityUntypedPointersKHR)}, model,
		{uint32(OpDecorate), 9, uint32(DecorationBlock)},
		void, fnType, {uint32(OpTypeInt), 6, 32, 0}, {uint32(OpTypeUntypedPointerKHR), 7, uint32(class)},
		{uint32(OpTypeRuntimeArray), 8, 6}, {uint32(OpTypeStruct), 9, 6, 8}, {uint32(OpTypeFloat), 11, 32},
		{uint32(OpUntypedVariableKHR), 7, 14, uint32(class), 9}, {uint32(OpConstant), 6, 15, 1},
		{uint32(OpTypePointer), 16, uint32(class), 6}, {uint32(OpTypePointer), 17, uint32(StorageClassUniform), 6},
		{uint32(OpTypeUntypedPointerKHR), 18, uint32(StorageClassUniform)}, {uint32(OpConstantNull), 11, 19},
		fnBegin, {uint32(OpLabel), 30}}
	return asm(append(append(list, body...), ret, fnEnd)...)
}

func TestUntypedPointers_WhatIsRefused(t *testing.T) {
	chain := func(op Op, operands ...uint32) []uint32 { return append([]uint32{uint32(op)}, operands...) }
	const buffer = StorageClassStorageBuffer
	first := chain(OpUntypedAccessChainKHR, 7, 40, 9, 14, 15, 15)
	for _, c := range []struct {
		name  string
		words []uint32
		want  string // empty: accepted
	}{
		{"a chain, a load, a store", untyped(buffer, first, chain(OpLoad, 11, 41, 40), chain(OpStore, 40, 19)), ""},
		{"storage of a function", untyped(StorageClassFunction), "11417"},
		{"workgroup memory without a layout", untyped(StorageClassWorkgroup), "11417"},
		{"a load through no pointer", untyped(buffer, chain(OpLoad, 6, 41, 15)), "not a pointer"},
		{"a plain chain of it", untyped(buffer, chain(OpAccessChain, 16, 41, 14, 15)), "base is not a pointer"},
		{"a chain to a typed pointer", untyped(buffer, chain(OpUntypedAccessChainKHR, 16, 41, 9, 14, 15)), "the result untyped"},
		{"a chain to another storage class", untyped(buffer, chain(OpUntypedAccessChainKHR, 18, 41, 9, 14, 15)), "storage class"},
		{"a chain without a base type", untyped(buffer, chain(OpUntypedAccessChainKHR, 7, 41, 15, 14, 15)), "base type"},
		{"a chain with a pointer as base type", untyped(buffer, chain(OpUntypedAccessChainKHR, 7, 41, 16, 14, 15)), "base type"},
		{"a chain from no pointer", untyped(buffer, chain(OpUntypedAccessChainKHR, 7, 41, 9, 15, 15)), "storage class"},
		{"a length", untyped(buffer, chain(OpUntypedArrayLengthKHR, 6, 41, 9, 14, 1)), ""},
		{"a length of what is no array", untyped(buffer, chain(OpUntypedArrayLengthKHR, 6, 41, 9, 14, 0)), "last member"},
		{"a length of a member that is not there", untyped(buffer, chain(OpUntypedArrayLengthKHR, 6, 41, 9, 14, 2)), "last member"},
		{"a length of an integer", untyped(buffer, chain(OpUntypedArrayLengthKHR, 6, 41, 6, 14, 1)), "last member"},
		{"a copy without a type", untyped(buffer, chain(OpCopyMemory, 14, 14)), "pointers to one type"},
		{"a sized copy", untyped(buffer, first, chain(OpCopyMemorySized, 40, 14, 15)), ""},
		{"a sized copy of no pointer", untyped(buffer, chain(OpCopyMemorySized, 14, 15, 15)), "two pointers"},
		{"a size that is no integer", untyped(buffer, chain(OpCopyMemorySized, 14, 14, 19)), "two pointers"},
		{"a variable in a function", untyped(buffer, chain(OpUntypedVariableKHR, 7, 41, uint32(buffer), 9)), "in a function"},
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
	// VUID-StandaloneSpirv-OpUntypedVariableKHR-11167
	words := slices.Clone(untyped(buffer))
	at := slices.Index(words, 5<<16|uint32(OpUntypedVariableKHR))
	words[at] -= 1 << 16
	words = slices.Delete(words, at+4, at+5)
	if _, err := Parse(words); err == nil || !strings.Contains(err.Error(), "11167") {
		t.Errorf("a variable without a data type: %v", err)
	}
}
