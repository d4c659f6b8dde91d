package fragops

import "testing"

// An error names its rule by number and title.
func TestError_NamesItsRule(t *testing.T) {
	const want = "fragment operations: what (RAS-002 Snapping of positions to subpixels); fix"
	if got := (&StateError{"what", "RAS-002", "fix"}).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
