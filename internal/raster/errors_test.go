package raster

import "testing"

// An error names its rule by number and title.
func TestError_NamesItsRule(t *testing.T) {
	const want = "raster: what is not supported (RAS-002 Snapping of positions to subpixels)"
	if got := (&UnsupportedError{"what", "RAS-002"}).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
