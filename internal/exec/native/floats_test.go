package native

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// What is known of the largest word counts where nothing jumps between the instruction that sets it
// and the one that asks: elsewhere a lane that did not execute may have anything.
func TestUnder(t *testing.T) {
	const x, y, z, sum = 0, 1, 2, 3
	code := []Inst{
		{Kind: KindVU, Op: ir.OpAnd, D: y, A: x, B: 0},
		{Kind: KindVU, Op: ir.OpShl, D: z, A: y, B: 1},
		{Kind: KindVU, Op: ir.OpIAdd, D: sum, A: z, B: 2},
		{Kind: KindLoadTable, D: 4, A: sum},
		{Kind: KindJumpEmpty, To: 6},
		{Kind: KindLoadTable, D: 5, A: sum},
		{Kind: KindLoadTable, D: 6, A: sum},
	}
	e := &layout{
		vectors: &vectors512,
		r:       &Translation{program: &ir.Program{}, consts: []uint32{255, 2, 64}},
		b:       &stretch{code: code, lanes: 7, in: []int32{x}},
	}
	e.findFloats()
	const most = 255<<2 + 64
	for _, c := range []struct {
		v, instruction int32
		n              int
		want           bool
	}{
		{sum, 3, most + 1, true}, {sum, 3, most, false}, {y, 3, 256, true}, {z, 3, 1020, false}, {x, 3, 1<<31 - 1, false},
		{sum, 5, most + 1, false}, {sum, 6, most + 1, false}, {sum, 3, -1, false},
	} {
		if got := e.under(c.v, c.instruction, c.n); got != c.want {
			t.Errorf("register %d is less than %d for instruction %d: %v", c.v, c.n, c.instruction, got)
		}
	}
	e.order = []int32{0, 1, 2, 5, 4, 3, 6}
	if e.under(sum, 3, most+1) || !e.under(sum, 5, most+1) {
		t.Error("instructions that were put elsewhere are taken for those before")
	}
}
