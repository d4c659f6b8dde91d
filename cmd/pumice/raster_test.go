package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --explain prints what a scene shows and names its rules; without a picture, too.
func TestRaster_Explain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scene.json")
	if err := os.WriteFile(file, []byte(`{"title": "A point", "text": "Of one pixel.", "rules": ["RAS-002"], "size": [2, 2], "draws": [{"vertices": [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "A point\nOf one pixel.\n  RAS-002 Snapping of positions to subpixels\n"
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
