//go:build linux && outside

package main_test

import (
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pumice-gpu/pumice/internal/browser"
)

// TestOutside_Canvases: what WebGL and WebGPU draw is on the page, by whatever way it gets there.
func TestOutside_Canvases(t *testing.T) {
	b := driverLibrary(t)
	page, err := filepath.Abs("testdata/canvases.html")
	if err != nil {
		t.Fatal(err)
	}
	tab := browser.OpenOnVulkan(t, 600, 600, "VK_DRIVER_FILES="+b.manifest,
		"VK_ICD_FILENAMES="+b.manifest, "PUMICE_DEVICE_TYPE=discrete",
		"PUMICE_WITHOUT=VK_EXT_multisampled_render_to_single_sampled")
	tab.Do(chromedp.Navigate("file://" + page))
	tab.Wait("window.drawn")
	if problem := tab.Eval("window.problem"); problem != "undefined" {
		t.Fatal(problem)
	}
	if r := tab.Eval("renderer"); !strings.Contains(r, "Pumice") {
		t.Errorf("WebGL draws with %s", r)
	}
	if v := tab.Eval("vendor"); v != "" { // Chromium's own driver says google
		t.Errorf("WebGPU draws with %q", v)
	}
	img := tab.Picture()
	for i, c := range []struct {
		name string
		want color.RGBA
	}{
		{"WebGL", color.RGBA{B: 255, A: 255}},
		{"WebGPU", color.RGBA{R: 255, A: 255}},
		{"WebGPU, some frames", color.RGBA{G: 255, A: 255}},
		{"drawImage", color.RGBA{R: 255, B: 255, A: 255}},
		{"transferToImageBitmap", color.RGBA{G: 255, B: 255, A: 255}},
		{"convertToBlob", color.RGBA{R: 255, G: 255, A: 255}},
		{"the page", color.RGBA{255, 255, 255, 255}},
	} {
		for _, at := range [][2]int{{1, 1}, {32, 32}, {62, 62}} {
			if got := color.RGBAModel.Convert(img.At(64*i+at[0], at[1])); got != c.want {
				t.Errorf("%s: pixel %v is %v, want %v", c.name, at, got, c.want)
				break
			}
		}
	}
}
