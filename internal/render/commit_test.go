package render

import (
	"math/rand/v2"
	"testing"
)

// Of any number of outcodes, each bit counts, wherever it is.
func TestCombined_EachOutcode(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	for n := range 40 {
		list := make([]uint32, n)
		for i := range list {
			list[i] = 0xF0
		}
		if all, some := combined(list); n > 0 && (all != 0xF0 || some != 0xF0) {
			t.Fatalf("%d equal outcodes are %#x and %#x", n, all, some)
		}
		for i := range list {
			bit := uint32(1) << r.IntN(4)
			list[i] = 0x70 | bit
			if all, some := combined(list); some != 0xF0|bit && n > 1 || n > 1 && all != 0x70 {
				t.Fatalf("outcode %d of %d: all have %#x, some %#x", i, n, all, some)
			}
			list[i] = 0xF0
		}
	}
}
