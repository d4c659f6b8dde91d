package lower_test

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// Bytes from an address on are unsigned, of up to 33 bits.
func TestRawChain_Addresses(t *testing.T) {
	const base = 0x7123_4560_0000_0000
	near, far := make([]byte, 4*64), make([]byte, 4*128)
	for i := range uint32(64) {
		binary.LittleEndian.PutUint32(near[4*i:], 100+i)
		binary.LittleEndian.PutUint32(far[4*i:], 200+i)
	}
	addresses := exec.NewAddressTable([]exec.AddressRange{{Base: base, Data: near}, {Base: base + 1<<31, Data: far}})
	got := runComputeAt(t, "rawchain.spvasm", lower.Options{}, addresses, nil, lanes*4, binary.LittleEndian.AppendUint64(nil, base), near)
	check(t, got, 4, []string{"index", "large index", "large index that is known", "large offset, stored"}, func(lane uint32) []uint32 {
		return []uint32{100 + lane, 200 + lane, 200 + lane, lane}
	})
}
