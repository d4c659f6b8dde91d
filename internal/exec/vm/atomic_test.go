package vm

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Atomics of binary16 change their two bytes only, wherever these lie, and give
// the old number back.
func TestAtomicHalf_LeavesNeighbours(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for at := range 7 {
		var b [12]byte
		for i := range b {
			b[i] = 0xEE
		}
		binary.LittleEndian.PutUint16(b[at:], 0x3C00)                                          // 1
		if old := atomicHalf(b[at:at+2], ir.AtomicFAdd|ir.AtomicHalf, 0x3E00); old != 0x3C00 { // + 1.5
			t.Errorf("at %d: old %#x", at, old)
		}
		if got := binary.LittleEndian.Uint16(b[at:]); got != 0x4100 {
			t.Errorf("at %d: %#x", at, got)
		}
		if old := atomicHalf(b[at:at+2], ir.AtomicLoad, 0); old != 0x4100 {
			t.Errorf("at %d: load %#x", at, old)
		}
		for i := range b {
			if i != at && i != at+1 && b[i] != 0xEE {
				t.Errorf("at %d: byte %d changed", at, i)
			}
		}
	}
}
