package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// A reduction and mirrored clamping need their feature or their extension, whichever is enabled.
func TestImageFeatures_IMG176_FeatureOrExtension(t *testing.T) {
	rules.Covers(t, "IMG-176")
	for _, feature := range []bool{false, true} {
		for _, extension := range []bool{false, true} {
			for _, other := range []bool{false, true} {
				d := &Device{
					extensions: map[string]bool{"VK_EXT_sampler_filter_minmax": extension, "VK_KHR_sampler_mirror_clamp_to_edge": other},
					enabled:    map[string]bool{"samplerFilterMinmax": feature, "samplerMirrorClampToEdge": feature},
				}
				if got := d.imageFeatures(); got.NoSamplerFilterMinmax != (!feature && !extension) || got.NoMirrorClampToEdge != (!feature && !other) {
					t.Errorf("features %v, extensions %v and %v: %+v", feature, extension, other, got)
				}
			}
		}
	}
}
