package spirv

import (
	"strings"
	"testing"
)

// Pointers move from one pointee to another in buffers and workgroup memory only: not among the outputs that the
// invocations of a patch or of a mesh share, whose indices are kept within their arrays.
func TestPtrAccessChain_StorageClasses(t *testing.T) {
	const none = CapabilityMatrix
	for _, c := range []struct {
		class      StorageClass
		capability Capability
		want       string // empty: accepted
	}{
		{StorageClassOutput, CapabilityVariablePointers, "07650"},
		{StorageClassInput, CapabilityVariablePointers, "07650"},
		{StorageClassPrivate, CapabilityVariablePointers, "07650"},
		{StorageClassTaskPayloadWorkgroupEXT, CapabilityVariablePointers, "07650"},
		{StorageClassWorkgroup, CapabilityVariablePointers, ""},
		{StorageClassWorkgroup, CapabilityVariablePointersStorageBuffer, "07651"},
		{StorageClassStorageBuffer, CapabilityVariablePointersStorageBuffer, ""},
		{StorageClassStorageBuffer, CapabilityVariablePointers, ""},
		{StorageClassStorageBuffer, none, "07652"},
		{StorageClassPhysicalStorageBuffer, none, ""},
	} {
		words := asm(shader, []uint32{uint32(OpCapability), uint32(c.capability)}, []uint32{uint32(OpCapability), uint32(CapabilityPhysicalStorageBufferAddresses)},
			[]uint32{uint32(OpCapability), uint32(CapabilityMeshShadingEXT)}, model,
			void, []uint32{uint32(OpTypeInt), 6, 32, 0}, []uint32{uint32(OpTypePointer), 7, uint32(c.class), 6}, []uint32{uint32(OpConstant), 6, 8, 1},
			[]uint32{uint32(OpTypeFunction), 9, 1, 7}, []uint32{uint32(OpFunction), 1, 10, 0, 9}, []uint32{uint32(OpFunctionParameter), 7, 11}, []uint32{uint32(OpLabel), 12},
			[]uint32{uint32(OpPtrAccessChain), 7, 13, 11, 8}, ret, fnEnd)
		if _, err := Parse(words); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v with %v: %v; want %q", c.class, c.capability, err, c.want)
		}
	}
}
