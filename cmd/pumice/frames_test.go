package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drawSequence draws n frames into a folder.
func drawSequence(t *testing.T, pattern string, size string) {
	t.Helper()
	if code, _, stderr := command(t, "render", writeModel(t, triangleModel), "-o", pattern, "--turntable", "5", "--width", size, "--height", "8"); code != 0 {
		t.Fatal(stderr)
	}
}

func TestFramesVerify_TellsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	pattern := at("f-%03d.png")
	drawSequence(t, pattern, "8")
	code, stdout, stderr := command(t, "frames", "verify", dir, "--frames", "5")
	if code != 0 || strings.Count(stdout, "\n") != 5 || !strings.Contains(stdout, "  "+filepath.ToSlash(at("f-004.png"))+"\n") || stderr != "" {
		t.Fatalf("%d\n%s%s", code, stdout, stderr)
	}
	if _, same, _ := command(t, "frames", "verify", pattern); same != stdout {
		t.Errorf("by its pattern:\n%s", same)
	}
	for name, c := range map[string]struct {
		change func() error
		frames string
		want   string
	}{
		"more are wanted": {func() error { return nil }, "9", "5 of 9 frames are there and whole; missing: 5-8"},
		"one is missing":  {func() error { return os.Remove(at("f-001.png")) }, "5", "missing: 1"},
		"one is cut":      {func() error { return os.Truncate(at("f-002.png"), 60) }, "5", "f-002.png: png file: "},
		"one is empty":    {func() error { return os.Truncate(at("f-002.png"), 0) }, "5", "f-002.png: empty"},
		"one is too many": {func() error { return nil }, "4", "f-004.png is there, --frames 4 ends with"},
		"another size": {func() error {
			other := filepath.Join(t.TempDir(), "f-%03d.png")
			drawSequence(t, other, "9")
			return os.Rename(framePath(other, 3), at("f-003.png"))
		}, "5", "f-003.png: 9 × 8 pixels, " + at("f-000.png") + " has 8 × 8"},
	} {
		t.Run(name, func(t *testing.T) {
			drawSequence(t, pattern, "8")
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := command(t, "frames", "verify", dir, "--frames", c.frames)
			if code != exitFailure || !strings.Contains(stderr, c.want) {
				t.Errorf("%d: %s, want %s", code, stderr, c.want)
			}
			code, stdout, _ := command(t, "frames", "verify", pattern, "--frames", c.frames, "--json")
			var report verifiedSequence
			if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitFailure || report.Complete || len(report.Missing)+len(report.Problems) == 0 {
				t.Errorf("%d, %v: %s", code, err, stdout)
			}
		})
	}
}

func TestFramesVerify_Refusals(t *testing.T) {
	dir := t.TempDir()
	put(t, "", dir, "one", "a-1.png")
	put(t, "", dir, "one", "b-1.png")
	for want, args := range map[string][]string{
		"several sequences (a-N.png, b-N.png)": {filepath.Join(dir, "one")},
		"no numbered frames":                   {dir},
		"no such file":                         {filepath.Join(dir, "none")},
		"one number verb":                      {filepath.Join(dir, "%s.png")},
		"is a file":                            {filepath.Join(dir, "one", "a-1.png")},
	} {
		code, _, stderr := command(t, append([]string{"frames", "verify"}, args...)...)
		if code == 0 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%d: %q, want %q", code, stderr, want)
		}
	}
}

func TestRanges_AreShort(t *testing.T) {
	if got := ranges([]int{1, 3, 4, 5, 9}); got != "1, 3-5, 9" {
		t.Error(got)
	}
	var odd []int
	for i := range 1000 {
		odd = append(odd, 2*i)
	}
	if got := ranges(odd); len(got) > 100 || !strings.HasSuffix(got, "…") {
		t.Error(got)
	}
}
