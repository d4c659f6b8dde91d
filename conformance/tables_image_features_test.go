package conformance

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What images and texel buffers of every format may be used for, as the catalogue's table by families says: storage and atomics.
func TestTables_IMG596_FeaturesOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-258", "IMG-382", "IMG-596")
	dev := ruleDevice(t)
	const storage, atomic = vk.FormatFeatureStorageImageBit, vk.FormatFeatureStorageImageAtomicBit
	const buffer, bufferAtomic = vk.FormatFeatureStorageTexelBufferBit, vk.FormatFeatureStorageTexelBufferAtomicBit
	atomics := map[string]bool{"R32_UINT": true, "R32_SINT": true, "R32_SFLOAT": true, "R64_UINT": true, "R64_SINT": true}
	known := map[string]bool{} // of formats whose texels are fields
	for _, f := range tableFormats(t) {
		known[f.name] = true
	}
	n := 0
	for name, f := range formatsByName() {
		p := dev.FormatProperties(f)
		wide := strings.HasPrefix(name, "R64")
		var image, texels vk.FormatFeatureFlags
		switch {
		case wide && !atomics[name], strings.Contains(name, "SRGB"):
		case known[name] || wide:
			image = storage
			if texels = buffer; strings.Contains(name, "SCALED") {
				texels = 0
			}
			n++
		}
		if atomics[name] {
			image, texels = image|atomic, texels|bufferAtomic
		}
		if got := p.OptimalTilingFeatures & (storage | atomic); got != image {
			t.Errorf("%s: images %#x, want %#x", name, uint32(got), uint32(image))
		}
		if got := p.LinearTilingFeatures & (storage | atomic); got != image {
			t.Errorf("%s: linear images %#x, want %#x", name, uint32(got), uint32(image))
		}
		if got := p.BufferFeatures & (buffer | bufferAtomic); got != texels {
			t.Errorf("%s: buffers %#x, want %#x", name, uint32(got), uint32(texels))
		}
	}
	if n != 120-7+2 {
		t.Errorf("%d formats are stored", n)
	}
}
