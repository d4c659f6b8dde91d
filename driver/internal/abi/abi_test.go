package abi

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// TestLayout_OffsetsAreC: the generator writes the same numbers into
// _Static_asserts, which the C compiler checks when the driver is built.
func TestLayout_OffsetsAreC(t *testing.T) {
	if len(structOffsets) < 1000 {
		t.Fatalf("%d structs: the generator has lost some", len(structOffsets))
	}
	for _, s := range structOffsets {
		if s.typ.NumField() != len(s.offsets) {
			t.Errorf("%v has %d fields, C has %d", s.typ, s.typ.NumField(), len(s.offsets))
			continue
		}
		for i, want := range s.offsets {
			if f := s.typ.Field(i); f.Offset != want {
				t.Errorf("%v.%s is at %d, in C at %d", s.typ, f.Name, f.Offset, want)
			}
		}
	}
}

func TestStream_IsFrontH(t *testing.T) {
	if unsafe.Sizeof(Stream{}) != 72 || unsafe.Offsetof(Stream{}.Result) != 64 || unsafe.Sizeof(CommandHeader{}) != 8 {
		t.Error("Stream has another layout than front.h's struct pumice_stream")
	}
}

func TestEntryPoints_SortedAndAliased(t *testing.T) {
	if !slices.IsSortedFunc(EntryPoints(), func(a, b EntryPoint) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}) {
		t.Error("not sorted")
	}
	for _, c := range []struct {
		name       string
		op         Op
		level      Level
		version    uint32
		extensions string
	}{
		{"vkCreateInstance", OpCreateInstance, LevelGlobal, vk.ApiVersion1_0, ""},
		{"vkCmdDraw", OpCmdDraw, LevelCommandBuffer, vk.ApiVersion1_0, ""},
		{"vkCmdDrawIndexedIndirectCountAMD", OpCmdDrawIndexedIndirectCount, LevelCommandBuffer, 0, "VK_AMD_draw_indirect_count"},
		{"vkGetPhysicalDeviceFeatures2KHR", OpGetPhysicalDeviceFeatures2, LevelPhysicalDevice, 0, "VK_KHR_get_physical_device_properties2"},
		{"vkQueueSubmit2", OpQueueSubmit2, LevelQueue, vk.ApiVersion1_3, ""},
	} {
		e := FindEntryPoint(c.name)
		if e == nil || e.Op != c.op || e.Level != c.level || e.Version != c.version || e.Extensions != c.extensions {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	for _, name := range []string{"", "vkCreateAccelerationStructureKHR", "vkCreateVideoSessionKHR", "zz"} {
		if e := FindEntryPoint(name); e != nil {
			t.Errorf("%q found: %+v", name, e)
		}
	}
}

func TestOp_LevelAndResult(t *testing.T) {
	if OpCmdDraw.Level() != LevelRecorder || OpCmdPushDescriptorSetWithTemplate.Level() != LevelCommandBuffer || OpQueueSubmit.Level() != LevelQueue {
		t.Error("levels")
	}
	if got := OpCreateBuffer.ResultOffset(); got != int(unsafe.Offsetof(CreateBufferArgs{}.Ret)) {
		t.Errorf("the result of vkCreateBuffer is at %d", got)
	}
	if OpDestroyBuffer.ResultOffset() != -1 || OpCount.ResultOffset() != -1 {
		t.Error("a result where there is none")
	}
}

func TestChain_FindsAndEnds(t *testing.T) {
	rules.Covers(t, "RAS-008")
	c := MemoryDedicatedAllocateInfo{Buffer: 7}
	c.SType = c.StructureType()
	b := Structure{SType: vk.StructureTypeApplicationInfo, PNext: unsafe.Pointer(&c)}
	a := Structure{PNext: unsafe.Pointer(&b)}
	if got := Find[MemoryDedicatedAllocateInfo](unsafe.Pointer(&a)); got != &c {
		t.Error("not found")
	}
	if Find[MemoryAllocateFlagsInfo](unsafe.Pointer(&a)) != nil {
		t.Error("found what is not there")
	}
	row := make([]Structure, 6) // each is seen once, in order
	for i := range row[1:] {
		row[i].PNext = unsafe.Pointer(&row[i+1])
	}
	seen := 0
	for s := range Chain(unsafe.Pointer(&row[0])) {
		if seen >= len(row) || s != &row[seen] {
			t.Fatalf("struct %d of the chain is another one", seen)
		}
		seen++
	}
	if seen != len(row) {
		t.Errorf("%d structs of %d", seen, len(row))
	}
	long := make([]Structure, MaxChain) // what is behind so many is not looked at
	for i := range long[1:] {
		long[i].PNext = unsafe.Pointer(&long[i+1])
	}
	long[MaxChain-1].PNext = unsafe.Pointer(&c)
	if Find[MemoryDedicatedAllocateInfo](unsafe.Pointer(&long[0])) != nil || Find[MemoryDedicatedAllocateInfo](unsafe.Pointer(&long[1])) != &c {
		t.Errorf("the last of %d is not the last", MaxChain)
	}
	b.PNext = unsafe.Pointer(&a) // a loop
	n := 0
	for range Chain(unsafe.Pointer(&a)) {
		n++
	}
	if n != MaxChain || Find[MemoryAllocateFlagsInfo](unsafe.Pointer(&a)) != nil {
		t.Errorf("%d structs in a loop", n)
	}
}

func TestEnumerate_CountFillIncomplete(t *testing.T) {
	items := []uint32{1, 2, 3}
	var n uint32
	if r := Enumerate(&n, nil, items); r != vk.Success || n != 3 {
		t.Error(r, n)
	}
	var out [4]uint32
	if n = 2; Enumerate(&n, &out[0], items) != vk.Incomplete || n != 2 || out != [4]uint32{1, 2} {
		t.Error(n, out)
	}
	if n = 4; Enumerate(&n, &out[0], items) != vk.Success || n != 3 {
		t.Error(n)
	}
}
