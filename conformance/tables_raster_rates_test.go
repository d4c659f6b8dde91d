package conformance

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Shading rates by tables: every size, every number of samples, and what keeps fragments to a pixel.

// fragmentSizes are the nine sizes of fragments.
var fragmentSizes = [][2]int{{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {4, 1}, {4, 2}, {4, 4}}

// sampleCounts are the numbers of samples that pixels of all fragments may have, allSampleCounts those
// that the device has.
var (
	sampleCounts    = []int{1, 2, 4, 8, 16}
	allSampleCounts = append(slices.Clip(sampleCounts), 32, 64)
)

// fragmentOf is the width and height of fragments.
func fragmentOf(size [2]int) vk.Extent2D {
	return vk.Extent2D{Width: uint32(size[0]), Height: uint32(size[1])}
}

// moduleWith is a module of testdata/rules in which one word is another.
func moduleWith(t *testing.T, name string, word, other uint32) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/rules/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := 0; i < len(code); i += 4 {
		if binary.LittleEndian.Uint32(code[i:]) == word {
			binary.LittleEndian.PutUint32(code[i:], other)
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%s has the word %d %d times", name, word, n)
	}
	return code
}

// wantPlaces checks where the pixels of a draw were shaded: in the middle of fragments of a size.
func wantPlaces(t *testing.T, what string, got *ruleImages, color int, size [2]int) {
	t.Helper()
	for i := range got.d.size[0] * got.d.size[1] {
		x, y := i%got.d.size[0], i/got.d.size[0]
		wx, wy := float32(x/size[0]*size[0])+float32(size[0])/2, float32(y/size[1]*size[1])+float32(size[1])/2
		for s := range got.d.samples {
			if v := got.at(color, x, y, s); v[0] != wx || v[1] != wy {
				t.Errorf("%s: pixel %d,%d, sample %d is shaded at %v; want %v, %v", what, x, y, s, v[:2], wx, wy)
				return
			}
		}
	}
}

// A shader that declares one of the three capabilities of tile images has fragments of one pixel, though it reads none.
func TestTables_RAS148_TileImagesDeclared(t *testing.T) {
	rules.Covers(t, "RAS-148")
	dev := ruleDevice(t)
	const other = 52 // InterpolationFunction
	for name, capability := range map[string]uint32{"none": other, "colour": 4166, "depth": 4167, "stencil": 4168} {
		code := moduleWith(t, "declares.spvasm", other, capability)
		for _, size := range fragmentSizes {
			for _, samples := range sampleCounts {
				d := triangles("declares.spvasm", 1, 8, 8, everywhere(8)...)
				d.samples = samples
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.Fragment.Code, p.FragmentSize = code, fragmentOf(size)
				}
				want := size
				if capability != other {
					want = [2]int{1, 1}
				}
				wantPlaces(t, name+" declared", d.run(t, dev), 0, want)
			}
		}
	}
}
