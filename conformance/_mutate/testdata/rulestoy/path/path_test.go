package path

import "testing"

// Nothing is claimed here, but something is tested.
func TestLoose(t *testing.T) {
	if Loose(3) != 2 {
		t.Error("3 - 1")
	}
}
