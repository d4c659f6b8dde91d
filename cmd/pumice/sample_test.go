package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// writeSquares writes a PNG of 2×2 texels, red 0, 85 / 170, 255.
func writeSquares(t *testing.T) string {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		im.Set(i%2, i/2, color.NRGBA{uint8(85 * i), 0, 0, 255})
	}
	path := filepath.Join(t.TempDir(), "squares.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, im); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSample_PrintsTexelsAndReasons(t *testing.T) {
	file := writeSquares(t)
	for _, c := range []struct{ args, want string }{
		{"--uv 0.25,0.25", "0.25,0.25: (0, 0, 0, 1)\n"},
		{"--uv 0.5,0.5 --filter linear", "0.5,0.5: (0.5, 0, 0, 1)\n"},
		{"--uv 0.75,0.75 --uv 0.25,0.75", "0.75,0.75: (1, 0, 0, 1)\n0.25,0.75: (0.6666667, 0, 0, 1)\n"},
		{"--uv -0.5,0.25 --wrap border,clamp,clamp --border white", "-0.5,0.25: (1, 1, 1, 1)\n"},
		{"--uv 0.25,0.25 --mips --lod 1", "0.25,0.25: (0.5019608, 0, 0, 1)\n"},
		{"--uv 0.25,0.25 --mips --grad 1,0/0,1", "0.25,0.25: (0.5019608, 0, 0, 1)\n"},
		{"--uv 0.5,0.5 --gather 0", "0.5,0.5: (0.6666667, 1, 0.33333334, 0)\n"},
		{"--uv 0.25,0.25 --offset 1,1", "0.25,0.25: (1, 0, 0, 1)\n"},
		{"--texel 1,0 --texel 5,5", "1,0: (0.33333334, 0, 0, 1)\n5,5: (0, 0, 0, 0)\n"},
	} {
		code, stdout, stderr := command(t, append([]string{"sample", file}, strings.Fields(c.args)...)...)
		if code != 0 || stdout != c.want {
			t.Errorf("sample %s: exit code %d, %q, %s; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	_, stdout, _ := command(t, "sample", file, "--uv", "0.5,0.5", "--filter", "linear", "--explain")
	for _, want := range []string{
		"  IMG-022 Order of coordinate components  coordinates (0.5, 0.5)\n", // the longest
		"  IMG-481 LINEAR texels and fraction\n" +
			"      u = 1 of 2: texels 0 (weight 128/256), 1 (weight 128/256)\n",
		"  IMG-241 UNORM to float                  texel (1, 1) is (1, 0, 0, 1)\n",
		"  IMG-532 LINEAR sums                     filtered: (0.5, 0, 0, 1)\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in:\n%s", want, stdout)
		}
	}
	narrow(t, stdout)
	// Gathers and fetches tell their steps, too.
	for args, want := range map[string]string{
		"--uv 0.5,0.5 --gather 0": "  IMG-516 Order of gathered texels          B is component 0 of that: 0.33333334\n",
		"--texel 5,5":             "  IMG-300 Texels read outside the image  outside: (0, 0, 0, 0)\n",
	} {
		_, stdout, stderr := command(t, append([]string{"sample", file, "--explain"}, strings.Fields(args)...)...)
		if !strings.Contains(stdout, want) {
			t.Errorf("%s: %q is missing in:\n%s%s", args, want, stdout, stderr)
		}
		narrow(t, stdout)
	}
	_, stdout, _ = command(t, "sample", file, "--uv", "0.25,0.25", "--json")
	if !strings.Contains(stdout, `"texel": [`) {
		t.Errorf("JSON: %s", stdout)
	}
}

// narrow says that lines fit a terminal of 80 columns.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestSample_BadCommandLines(t *testing.T) {
	file := writeSquares(t)
	for args, want := range map[string]int{
		"":                            exitUsage,
		"--uv 0,0 --texel 0,0":        exitUsage,
		"--uv a,b":                    exitUsage,
		"--uv 1,2,3,4,5":              exitUsage,
		"--uv 0,0 --filter soft":      exitUsage,
		"--uv 0,0 --wrap clamp,clamp": exitUsage,
		"--uv 0,0 --grad 1,0":         exitUsage,
		"--uv 0,0 --compare lesser":   exitUsage,
		"--uv 0,0 --quad":             exitFailure,
		"--uv 0,0 --gather 4":         exitFailure,
	} {
		if code, _, stderr := command(t, append([]string{"sample", file}, strings.Fields(args)...)...); code != want || stderr == "" {
			t.Errorf("sample %s: exit code %d, want %d: %s", args, code, want, stderr)
		}
	}
	if code, _, stderr := command(t, "sample", filepath.Join(t.TempDir(), "none.ktx2"), "--uv", "0,0"); code != exitFailure || !strings.Contains(stderr, "none.ktx2") {
		t.Errorf("a missing file: exit code %d: %s", code, stderr)
	}
}
