package fragment

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Samples are shared out by floor(j·n/samples).
func TestShare_RAS172_EveryNumber(t *testing.T) {
	rules.Covers(t, "RAS-172")
	for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
		for n := 1; n <= samples; n++ {
			next := 0
			for i := range n {
				first, end := share(i, n, samples)
				if first != next || end <= first {
					t.Fatalf("share %d of %d of %d samples: %d to %d", i, n, samples, first, end)
				}
				for next = first; next < end; next++ {
					if next*n/samples != i {
						t.Errorf("sample %d of %d belongs to share %d of %d", next, samples, next*n/samples, n)
					}
				}
			}
			if next != samples {
				t.Errorf("%d shares of %d samples end at %d", n, samples, next)
			}
		}
	}
}
