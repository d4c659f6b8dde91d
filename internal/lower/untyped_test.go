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
