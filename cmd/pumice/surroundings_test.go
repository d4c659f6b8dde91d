package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writePanorama writes a Radiance picture of w × h pixels of the given bytes each.
func writePanorama(t *testing.T, w, h int, pixel string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sky.hdr")
	text := fmt.Sprintf("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n", h, w) + strings.Repeat(pixel, w*h)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// exrFile is one that OpenEXR's library has written.
func exrFile(name string) string {
	return filepath.Join("..", "..", "imagefile", "radiance", "testdata", name+".exr")
}

// TestRender_Surroundings: each flag changes the picture, the same way each time.
func TestRender_Surroundings(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	model, dir := writeModel(t, triangleModel), t.TempDir()
	sky := writePanorama(t, 7, 4, "\xff\x80\x20\x81") // odd widths have no runs
	drawn := map[string]string{}
	for i, flags := range [][]string{
		{}, {"--ground"}, {"--environment", sky}, {"--environment-background", "0.5"},
		{"--environment", sky, "--environment-background", "0", "--ground", "--environment-rotation", "45"},
	} {
		out := filepath.Join(dir, fmt.Sprint(i, ".png"))
		args := append([]string{"render", model, "-o", out, "--width", "32", "--height", "32", "--pitch", "40", "--zoom", "0.6"}, flags...)
		if code, _, stderr := command(t, args...); code != 0 || stderr != "" {
			t.Fatalf("%v: exit code %d: %s", flags, code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := drawn[string(data)]; ok {
			t.Errorf("%v draws the same as %s", flags, other)
		}
		drawn[string(data)] = fmt.Sprint(flags)
		if i != 1 {
			continue
		}
		if code, _, stderr := command(t, args...); code != 0 {
			t.Fatal(stderr)
		}
		if again, err := os.ReadFile(out); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v draws two pictures", flags)
		}
	}
}

// TestRender_EnvironmentLayers: a layer that is chosen is told, one that is named is not; --strict refuses what lacks something.
func TestRender_EnvironmentLayers(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	drawn := map[string]string{}
	for i, c := range []struct {
		file    string
		flags   []string
		warning string
	}{
		{"layers", nil, "pumice: warning: FILE: layer \"diffuse\" is read, of \"diffuse\", \"eye\"\n"},
		{"layers", []string{"--environment-layer", "eye", "--strict"}, ""},
		{"parts", []string{"--environment-layer", "passes"}, ""},
		{"tiles", nil, ""},
	} {
		file := exrFile(c.file)
		out := filepath.Join(dir, fmt.Sprint(i, ".png"))
		args := append([]string{"render", model, "-o", out, "--width", "8", "--height", "8", "--environment", file, "--environment-background", "0"}, c.flags...)
		code, _, stderr := command(t, args...)
		if code != 0 || stderr != strings.ReplaceAll(c.warning, "FILE", file) {
			t.Fatalf("%s %v: exit code %d, %q", c.file, c.flags, code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := drawn[string(data)]; ok {
			t.Errorf("%s %v draws the same as %s", c.file, c.flags, other)
		}
		drawn[string(data)] = fmt.Sprint(c.file, c.flags)
	}

	// A channel that is missing: told, or refused.
	data, err := os.ReadFile(exrFile("none"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "two.exr")
	if err := os.WriteFile(file, bytes.Replace(data, []byte("R\x00\x01"), []byte("S\x00\x01"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"render", model, "-o", filepath.Join(dir, "two.png"), "--width", "8", "--height", "8", "--environment", file}
	const text = "two.exr: there is no channel R: it is read as 0\n"
	if code, _, stderr := command(t, args...); code != 0 || !strings.HasPrefix(stderr, "pumice: warning: ") || !strings.HasSuffix(stderr, text) {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, append(args, "--strict")...); code != exitFailure || !strings.HasPrefix(stderr, "pumice: --strict: ") || !strings.HasSuffix(stderr, text) {
		t.Errorf("with --strict: exit code %d, %q", code, stderr)
	}
}

func TestRender_BadSurroundings(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	out := filepath.Join(dir, "out.png")
	sky := writePanorama(t, 4, 2, "\xff\x80\x20\x81")
	cut := writePanorama(t, 4, 2, "\xff\x80\x20")
	for name, c := range map[string]struct {
		flags []string
		code  int
		text  string
	}{
		"rotation of nothing": {[]string{"--environment-rotation", "3"}, exitUsage, "--environment FILE"},
		"rotation":            {[]string{"--environment", sky, "--environment-rotation", "NaN"}, exitUsage, "--environment-rotation"},
		"blur":                {[]string{"--environment-background", "2"}, exitUsage, "--environment-background"},
		"two backgrounds":     {[]string{"--environment-background", "0", "--background", "#fff"}, exitUsage, "only one"},
		"no file":             {[]string{"--environment", filepath.Join(dir, "none.hdr")}, exitFailure, "none.hdr"},
		"layer of nothing":    {[]string{"--environment-layer", "x"}, exitUsage, "--environment FILE"},
		"no layer":            {[]string{"--environment", exrFile("parts"), "--environment-layer", "depth"}, exitFailure, "no part or layer \"depth\""},
		"cube":                {[]string{"--environment", exrFile("aces")}, exitFailure, "faces of a cube"},
		"deep":                {[]string{"--environment", exrFile("deep")}, exitFailure, "deep OpenEXR pictures are not supported"},
		"no panorama":         {[]string{"--environment", model}, exitFailure, "neither"},
		"cut":                 {[]string{"--environment", cut}, exitFailure, "ends early"},
		"too large":           {[]string{"--environment", writePanorama(t, 2000, 1500, "\xff\x80\x20\x81"), "--memory-limit", "72MiB"}, exitFailure, "2000 × 1500"},
	} {
		args := append([]string{"render", model, "-o", out, "--width", "8", "--height", "8"}, c.flags...)
		code, _, stderr := command(t, args...)
		checkFailure(t, code, c.code, stderr)
		if !strings.Contains(stderr, c.text) {
			t.Errorf("%s: %q, want %q in it", name, stderr, c.text)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("failures left %d files", len(entries))
	}
}
