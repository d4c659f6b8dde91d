package sampling

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Float atomics make zeros of denormals where they are told to, and there only.
func TestAtomicResult_Flush(t *testing.T) {
	for _, c := range []struct {
		op             ir.AtomicOp
		old, add, want uint64
	}{
		{ir.AtomicFAdd, 0x00C00000, 0x80800000, 0x00400000},
		{ir.AtomicFAdd | ir.AtomicFlush, 0x00C00000, 0x80800000, 0},
		{ir.AtomicFMin | ir.AtomicFlush, 0x3F800000, 0x80000001, 0x80000000},
		{ir.AtomicFMax | ir.AtomicFlush, 0xBF800000, 1, 0},
	} {
		if got := atomicResult(c.op, uint32(c.old), uint32(c.add)); got != uint32(c.want) {
			t.Errorf("%d of %#x and %#x is %#x, want %#x", c.op, c.old, c.add, got, c.want)
		}
	}
	const least, more = uint64(1) << 52, uint64(0x0018) << 48 // 2^-1022, and one and a half times that
	if got := atomicResult64(ir.AtomicFAdd, more, least|1<<63, 0); got != least/2 {
		t.Errorf("%#x", got)
	}
	for _, op := range []ir.AtomicOp{ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax} {
		old := more
		if op == ir.AtomicFMax {
			old = 1<<63 | more
		}
		value := least | 1<<63
		if op != ir.AtomicFAdd {
			value = 1
		}
		if got := atomicResult64(op|ir.AtomicFlush, old, value, 0); got != 0 {
			t.Errorf("%d: %#x", op, got)
		}
	}
}
