package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Rules that show in a few pixels, drawn through the whole engine.
func TestRasterRules(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	t.Run("vertices left over", func(t *testing.T) {
		rules.Covers(t, "RAS-053")
		const five = "[[0,0],[4,0],[0,4],[4,4],[4,0]]"
		for topology, want := range map[string]string{
			"triangle_list": "111. 11.. 1... ....", "line_list": "1111 .... .... 1111",
		} {
			vertices := five
			if topology == "line_list" {
				vertices = "[[0,0.5],[4,0.5],[0,3.5],[4,3.5],[2,2]]"
			}
			map1(t, dev, fmt.Sprintf(`{"size": [4, 4], "draws": [{"topology": %q, "lineMode": "rectangular", "vertices": %s}]}`, topology, vertices), want)
		}
		for _, topology := range []string{"triangle_list", "triangle_strip", "triangle_fan"} {
			map1(t, dev, fmt.Sprintf(`{"size": [2, 1], "draws": [{"topology": %q, "vertices": [[0,0],[9,0]]}]}`, topology), "..")
		}
	})
	t.Run("lines are not culled", func(t *testing.T) {
		rules.Covers(t, "RAS-198")
		map1(t, dev, line(4, 1, "rectangular", `, "cullMode": "front_and_back"`, "[[0,0.5],[4,0.5]]"), "1111")
		map1(t, dev, `{"size": [2, 1], "draws": [{"topology": "point_list", "cullMode": "front_and_back", "vertices": [[0.5,0.5]]}]}`, "1.")
		map1(t, dev, `{"size": [2, 1], "draws": [{"cullMode": "front_and_back", "vertices": [[0,0],[9,0],[0,9]]}]}`, "..")
	})
	t.Run("culling comes before the polygon mode", func(t *testing.T) {
		rules.Covers(t, "RAS-250")
		for _, mode := range []string{"fill", "line", "point"} {
			const text = `{"size": [4, 4], "draws": [{"polygonMode": %q, "cullMode": %q, "vertices": [[0.5,0.5],[0.5,3.5],[3.5,0.5]]}]}` // counter-clockwise: a front face
			for cull, want := range map[string]bool{"front": false, "back": true, "none": true} {
				if got := slices.Contains(masks(t, dev, fmt.Sprintf(text, mode, cull), 1), 1); got != want {
					t.Errorf("mode %s, culling %s: drawn %v", mode, cull, got)
				}
			}
		}
	})
	t.Run("conservative coverage is decided pixel by pixel", func(t *testing.T) {
		rules.Covers(t, "RAS-277")
		for _, mode := range []string{"overestimate", "underestimate"} {
			const text = `{"size": [8, 8], "draws": [{"conservative": %q, "rate": %s, "vertices": [[0.7,7.2],[3.1,0.6],[7.4,6.3]]}]}`
			if a, b := masks(t, dev, fmt.Sprintf(text, mode, "[1, 1]"), 1), masks(t, dev, fmt.Sprintf(text, mode, "[2, 2]"), 1); !slices.Equal(a, b) || !slices.Contains(a, 1) {
				t.Errorf("%s covers %v with fragments of a pixel, %v with 2×2", mode, a, b)
			}
		}
	})
	t.Run("the sample mask holds in every pixel of a fragment", func(t *testing.T) {
		rules.Covers(t, "RC-51", "RAS-309", "RAS-018")
		got := masks(t, dev, `{"size": [2, 2], "samples": 4, "draws": [{"rate": [2, 2], "sampleMask": 1, "vertices": [[0,0],[9,0],[0,9]]}]}`, 1)
		if !slices.Equal(got, []uint32{1, 1, 1, 1}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("a sample is a fragment", func(t *testing.T) {
		rules.Covers(t, "RAS-017", "RAS-174", "RAS-176", "RAS-283")
		const text = `{"size": [2, 1], "samples": 4, "draws": [{"sampleShading": %v, "vertices": [[0,0],[9,0],[0,9]]}]}`
		at := [4][2]float32{{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}}
		for _, on := range []bool{false, true} {
			_, samples := drawn(t, dev, fmt.Sprintf(text, on))
			for i, s := range samples {
				x, y := float32(i/4)+0.5, float32(0.5)
				if on {
					x, y = float32(i/4)+at[i%4][0], at[i%4][1]
				}
				if s.X != x || s.Y != y {
					t.Errorf("sample shading %v, sample %d of pixel %d: shaded at %v, %v; want %v, %v", on, i%4, i/4, s.X, s.Y, x, y)
				}
			}
		}
	})
	t.Run("rates with a sample location of one's own", func(t *testing.T) {
		rules.Covers(t, "RAS-148", "RAS-150")
		_, samples := drawn(t, dev, `{"size": [2, 2], "draws": [{"rate": [2, 2], "sampleLocations": [[0.25, 0.25]], "vertices": [[0,0],[9,0],[0,9]]}]}`)
		for i, s := range samples {
			if s.X != 1 || s.Y != 1 {
				t.Errorf("pixel %d was shaded at %v, %v", i, s.X, s.Y)
			}
		}
	})
	t.Run("rate 1×1 with sample shading", func(t *testing.T) {
		rules.Covers(t, "RAS-148")
		_, samples := drawn(t, dev, `{"size": [2, 2], "draws": [{"rate": [2, 2], "sampleShading": true, "vertices": [[0,0],[9,0],[0,9]]}]}`)
		for i, s := range samples {
			if s.X != float32(i%2)+0.5 || s.Y != float32(i/2)+0.5 {
				t.Errorf("pixel %d was shaded at %v, %v", i, s.X, s.Y)
			}
		}
	})
}
