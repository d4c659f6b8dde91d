package assembly

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// An error names its rule by number and title.
func TestError_NamesItsRule(t *testing.T) {
	const want = "assembly: topology VK_PRIMITIVE_TOPOLOGY_PATCH_LIST is not supported (RAS-002 Snapping of positions to subpixels): advice"
	if got := (&UnsupportedError{vk.PrimitiveTopologyPatchList, "RAS-002", "advice"}).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
