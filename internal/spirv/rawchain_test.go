package spirv

import (
	"strings"
	"testing"
)

// What a raw access chain must be, in a module with buffers of every storage class that has them, and chains with and without checks.
func TestRawAccessChain_WhatIsRefused(t *testing.T) {
	raw := func(operands ...uint32) []uint32 { return append([]uint32{uint32(OpRawAccessChainNV)}, operands...) }
	// Types: 6 int, 7 long, 8 vector, 9 array, 10 struct; pointers of StorageBuffer 11 to 6, 12 to 8, 13 to 9, 14 to 10; of Uniform 15 to 6;
	// of PhysicalStorageBuffer 16 to 6; of Private 17 to 6. Constants 18 of 0, 19 of 4, 20 long, 21 of null. Parameters 31 to 34 are
	// pointers of types 14, 15, 16 and 17, 35 is an int.
	module := func(body ...[]uint32) []uint32 {
		list := [][]uint32{shader, {uint32(OpCapability), uint32(CapabilityRawAccessChainsNV)}, {uint32(OpCapability), uint32(CapabilityInt64)},
			{uint32(OpCapability), uint32(CapabilityPhysicalStorageBufferAddresses)}, model,
			{uint32(OpDecorate), 40, uint32(DecorationCoherent)}, void,
			{uint32(OpTypeInt), 6, 32, 0}, {uint32(OpTypeInt), 7, 64, 0}, {uint32(OpTypeVector), 8, 6, 2}, {uint32(OpConstant), 6, 19, 4}, {uint32(OpTypeArray), 9, 6, 19}, {uint32(OpTypeStruct), 10, 9},
			{uint32(OpTypePointer), 11, uint32(StorageClassStorageBuffer), 6}, {uint32(OpTypePointer), 12, uint32(StorageClassStorageBuffer), 8},
			{uint32(OpTypePointer), 13, uint32(StorageClassStorageBuffer), 9}, {uint32(OpTypePointer), 14, uint32(StorageClassStorageBuffer), 10},
			{uint32(OpTypePointer), 15, uint32(StorageClassUniform), 6}, {uint32(OpTypePointer), 16, uint32(StorageClassPhysicalStorageBuffer), 6},
			{uint32(OpTypePointer), 17, uint32(StorageClassPrivate), 6}, {uint32(OpConstant), 6, 18, 0}, {uint32(OpConstant), 7, 20, 4, 0}, {uint32(OpConstantNull), 6, 21},
			{uint32(OpTypeFunction), 22, 1, 14, 15, 16, 17, 6}, {uint32(OpFunction), 1, 30, 0, 22},
			{uint32(OpFunctionParameter), 14, 31}, {uint32(OpFunctionParameter), 15, 32}, {uint32(OpFunctionParameter), 16, 33}, {uint32(OpFunctionParameter), 17, 34}, {uint32(OpFunctionParameter), 6, 35},
			{uint32(OpLabel), 36}}
		return asm(append(append(list, body...), ret, fnEnd)...)
	}
	for _, c := range []struct {
		name  string
		words []uint32
		want  string // empty: accepted
	}{
		{"a scalar, loaded", module(raw(11, 40, 31, 19, 35, 18), []uint32{uint32(OpLoad), 6, 41, 40}), ""},
		{"checked", module(raw(11, 40, 31, 19, 35, 18, 1), raw(12, 41, 31, 19, 35, 18, 2)), ""},
		{"no checks, spelled out", module(raw(11, 40, 31, 19, 35, 18, 0)), ""},
		{"a stride of 64 bits", module(raw(11, 40, 31, 20, 35, 18)), ""},
		{"a uniform buffer, an address", module(raw(15, 40, 32, 19, 35, 18), raw(16, 41, 33, 18, 18, 35)), ""},
		{"another storage class", module(raw(15, 40, 31, 19, 35, 18)), "one storage class"},
		{"no pointer", module(raw(11, 40, 35, 19, 35, 18)), "one storage class"},
		{"to no pointer", module(raw(6, 40, 31, 19, 35, 18)), "one storage class"},
		{"private memory", module(raw(17, 40, 34, 19, 35, 18)), "Private"},
		{"to an array", module(raw(13, 40, 31, 19, 35, 18)), "a raw access chain to"},
		{"a stride that is not constant", module(raw(11, 40, 31, 35, 35, 18)), "OpConstant"},
		{"a null stride", module(raw(11, 40, 31, 21, 35, 18)), "OpConstant"},
		{"an index of 64 bits", module(raw(11, 40, 31, 19, 20, 18)), "32 bits"},
		{"an offset that is a pointer", module(raw(11, 40, 31, 19, 35, 31)), "32 bits"},
		{"both checks", module(raw(11, 40, 31, 19, 35, 18, 3)), "of components and of elements"},
		{"checks that there are not", module(raw(11, 40, 31, 19, 35, 18, 4)), "there are not"},
		{"elements without a stride", module(raw(11, 40, 31, 18, 35, 18, 2)), "without a stride"},
		{"a checked address", module(raw(16, 40, 33, 19, 35, 18, 1)), "no size"},
	} {
		if _, err := Parse(c.words); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
