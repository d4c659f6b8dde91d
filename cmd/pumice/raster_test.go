package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --explain prints what decided, whatever the file says of itself; without a picture, too.
func TestRaster_Explain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scene.json")
	if err := os.WriteFile(file, []byte(`{"title": "A point", "text": "Of one pixel.", "rules": ["RAS-002"], "size": [2, 2], "draws": [{"vertices": [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	// By hand: the centres (0.5, 0.5), (1.5, 0.5) and (0.5, 1.5) are the triangle's corners; of the edges there the upper and the left
	// one count as inside, the diagonal does not, and the other corner is outside.
	const want = `2 × 2 pixels, 1 sample a pixel, 1 draw

Draw 0: 1 primitive; 1 sample drawn
  RAS-046 Vertices of primitives by topology
    4 samples, as (0, 0): triangle 0 of TRIANGLE_LIST
  RAS-092 Viewport transform
    4 samples, as (0, 0): in pixels: (0.5, 0.5), (1.5, 0.5), (0.5, 1.5)
  RAS-234 Front-facing polygons
    4 samples, as (0, 0): twice the area is -1 pixels: back-facing, as frontFace
      is COUNTER_CLOCKWISE
  RAS-238 Edge functions
    1 sample, as (0, 0): covers the sample
    1 sample left out, as (1, 1): it touches the pixel, but covers none of its
      samples
  RAS-239 Top-left rule
    3 samples, as (0, 0): sample 0 is on a left or top edge, which counts as
      inside
    2 samples left out, as (1, 0): the sample is on an edge that belongs to what
      lies on its other side
  RAS-283 Where inputs are evaluated
    1 sample, as (0, 0): the fragment shader (main) runs
`
	if code, stdout, stderr := command(t, "raster", file, "--explain"); code != 0 || stdout != want {
		t.Errorf("exit code %d, %q, %s; want %q", code, stdout, stderr, want)
	}
	picture := filepath.Join(filepath.Dir(file), "out.png")
	if code, stdout, stderr := command(t, "raster", file, "--explain", "-o", picture); code != 0 || stdout != want {
		t.Errorf("exit code %d, %q, %s; want %q", code, stdout, stderr, want)
	}
	if _, err := os.Stat(picture); err != nil {
		t.Error(err)
	}
	if code, _, stderr := command(t, "raster", file); code != exitUsage || !strings.Contains(stderr, "--explain") {
		t.Errorf("neither picture nor --explain: exit code %d, %s", code, stderr)
	}
}
