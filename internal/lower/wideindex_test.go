package lower_test

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// What a pipeline asks for, of modules that don't: products of more than 32 bits lead on from addresses, and nowhere in buffers.
func TestIndices64_Pointers(t *testing.T) {
	const base = 0x7123_4560_0000_0000
	words := make([]byte, 4*65)
	for i := range uint32(65) {
		binary.LittleEndian.PutUint32(words[4*i:], 99+i) // 99 lies before what 2^30 names
	}
	addresses := exec.NewAddressTable([]exec.AddressRange{{Base: base + 1<<32 - 4, Data: words}})
	got := runComputeAt(t, "indices64.spvasm", lower.Options{Indices64: true}, addresses, nil, lanes*5, binary.LittleEndian.AppendUint64(nil, base), nil)
	check(t, got, 5, []string{"32 bits", "64 bits", "one back", "before a chosen pointer", "one back from there"}, func(lane uint32) []uint32 {
		return []uint32{100 + lane, 100 + lane, 99 + lane, lane, lane}
	})
}
