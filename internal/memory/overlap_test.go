package memory

import "testing"

func TestOverlap(t *testing.T) {
	b := make([]byte, 16)
	for _, c := range []struct {
		x, y, z, w int
		want       bool
	}{{0, 8, 8, 16, false}, {0, 9, 8, 16, true}, {8, 16, 0, 8, false}, {8, 16, 0, 9, true}, {4, 5, 0, 16, true}, {4, 4, 0, 16, false}, {0, 16, 4, 4, false}} {
		if got := Overlap(b[c.x:c.y], b[c.z:c.w]); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
