package vm

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Atomics of binary16 change their two bytes only, wherever these lie, and give
// the old number back.
func TestAtomicHalf_LeavesNeighbours(t *testing.T) {
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

// Float atomics round to what the word holds, and flush where they are told to.
func TestAtomicResult_HalfAndFlush(t *testing.T) {
	const half, flush = ir.AtomicHalf, ir.AtomicFlush
	for _, c := range []struct {
		name             string
		op               ir.AtomicOp
		old, value, want uint32
	}{
		{"half rounds", ir.AtomicFAdd | half, 0x3F800000, 0x3A000000, 0x3F800000},   // 1 + 2^-11
		{"half denormal", ir.AtomicFAdd | half, 0x38800000, 0xB8000000, 0x38000000}, // 2^-14 - 2^-15
		{"half flushed", ir.AtomicFAdd | half | flush, 0x38800000, 0xB8000000, 0},
		{"denormal", ir.AtomicFAdd, 0x00C00000, 0x80800000, 0x00400000},
		{"flushed", ir.AtomicFAdd | flush, 0x00C00000, 0x80800000, 0},
		{"minimum flushed", ir.AtomicFMin | flush, 0x3F800000, 0x80000001, 0x80000000},
		{"maximum flushed", ir.AtomicFMax | flush, 0xBF800000, 0x00000001, 0},
	} {
		if got := atomicResult(c.op, c.old, c.value, 0); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}
