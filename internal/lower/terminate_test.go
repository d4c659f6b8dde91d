package lower_test

import (
	mathbits "math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// Invocations that OpTerminateInvocation ended take part in nothing afterwards
// (shaders-termination): a ballot, a sum, a shuffle or a vote of the quad. Where shaders
// reconverge maximally, helpers take part in all of them (shaders-helper-invocations).
func TestSubgroups_Fragment_TerminatedTakeNoPart(t *testing.T) {
	const n = 64
	x, live := make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i] = uint32(i*29+3+i>>2) % 50
		if mathbits.OnesCount(uint(i*7))%3 != 0 {
			live[i] = ^uint32(0)
		}
	}
	for _, entry := range []string{"main", "maximal"} {
		p, err := lower.Compile(module(t, "terminate.spvasm"), entry, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, optimize := range []bool{false, true} {
			if optimize {
				ir.Optimize(p)
			}
			if err := ir.Verify(p); err != nil {
				t.Fatal(err)
			}
			for _, width := range []int{4, 12, 64} {
				b := inLanes(t, p, width, x, live)
				for i := range n {
					if (b.Live[i] != 0) != (live[i] != 0 && x[i]&1 == 0) {
						t.Errorf("%s, lane %d: live %#x afterwards", entry, i, b.Live[i])
					}
					if x[i]&1 != 0 {
						continue // what it has is nobody's
					}
					var before, after, sum uint32
					for k := range 4 {
						q := i&^3 + k
						if live[q] == 0 && entry == "main" {
							continue
						}
						before |= 1 << k
						if x[q]&1 == 0 {
							after |= 1 << k
							sum += x[q]
						}
					}
					neighbour := x[i^1]
					if neighbour&1 != 0 {
						neighbour = 0
					}
					for k, want := range []uint32{before, after, sum, neighbour, 0, 1} {
						if got := b.Out[k][i]; got != want {
							t.Errorf("%s, optimized %v, width %d, lane %d, %s: %d, want %d", entry, optimize, width, i,
								[]string{"ballot", "ballot afterwards", "sum", "shuffle", "quad any", "quad all"}[k], got, want)
						}
					}
				}
			}
		}
	}
}
