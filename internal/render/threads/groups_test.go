package threads

import "testing"

// gl_LocalInvocationID, number by number.
func TestLocalID_Numbers(t *testing.T) {
	for i, want := range map[uint32][3]uint32{0: {0, 0, 0}, 1: {1, 0, 0}, 3: {0, 1, 0}, 11: {2, 3, 0}, 12: {0, 0, 1}, 59: {2, 3, 4}} {
		for k := range uint32(3) {
			if got := localID(i, [3]uint32{3, 4, 5}, k); got != want[k] {
				t.Errorf("invocation %d: component %d is %d", i, k, got)
			}
		}
	}
}
