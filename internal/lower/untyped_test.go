package lower_test

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
)

func TestUntypedPointers_Addresses(t *testing.T) {
	const base = 0x7123_4560_0000_0000
	word := func(i uint32) uint32 { return i*0x01010205 + 0x00030001 }
	words := make([]byte, 4*70)
	for i := range uint32(65) {
		binary.LittleEndian.PutUint32(words[4*i:], word(i))
	}
	heads := binary.LittleEndian.AppendUint64(nil, base)
	addresses := exec.NewAddressTable([]exec.AddressRange{{Base: base, Data: words}})
	got := runComputeAt(t, "untyped.spvasm", lower.Options{}, addresses, nil, lanes*5, heads, words)
	check(t, got, 5, []string{"parameter, chain of a pointer", "across two words", "sized copy", "copy", "atomic"}, func(lane uint32) []uint32 {
		return []uint32{word(lane), word(lane)>>16 | word(lane+1)<<16, word(lane), word(lane), 63 * 64 / 2}
	})
}

// OpPtrDiff counts elements of the array, which lie 8 and 40 bytes apart, and bytes where pointers say no type.
func TestPointerDifference_TypesWithoutStride(t *testing.T) {
	in := make([]uint32, 10*lanes)
	got := runCompute(t, "difference.spvasm", lower.Options{}, in, lanes*5)
	check(t, got, 5, []string{"elements", "rows", "selected", "workgroup", "untyped"}, func(lane uint32) []uint32 {
		selected := int32(1) - 4
		if lane%2 != 0 {
			selected = 3 - 4
		}
		return []uint32{^uint32(1), lane, uint32(selected), lane - 5, 4 * 8}
	})
}

// With untyped pointers only variables decorated Aliased share memory (SPV_KHR_untyped_pointers).
func TestUntypedPointers_WorkgroupBlocksApart(t *testing.T) {
	got := runCompute(t, "blocks.spvasm", lower.Options{}, nil, lanes*4)
	check(t, got, 4, []string{"one", "two, aliased", "three", "four, aliased"}, func(uint32) []uint32 {
		return []uint32{100, 400, 300, 400}
	})
	if p := compile(t, "blocks.spvasm", lower.Options{}); p.SharedBytes != 3*4*lanes {
		t.Errorf("%d bytes of workgroup memory, want three blocks of %d", p.SharedBytes, 4*lanes)
	}
}
