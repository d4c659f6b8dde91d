package golden

import (
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed is what f prints on standard output.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = w
	f()
	os.Stdout = was
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A failure in a step of a workflow is an annotation of the file, and a part of the step's summary;
// a picture that is equal is neither.
func TestGitHub_SummaryAndAnnotation(t *testing.T) {
	r := clean(t)
	work := t.TempDir()
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	t.Setenv("GITHUB_WORKSPACE", work)
	path := filepath.Join(work, "a,b_c.png")
	write8(t, path, board())
	if out := printed(t, func() { Compare(r, board(), path) }); out != "" {
		t.Errorf("of no failure: %q", out)
	}
	if _, err := os.Stat(summary); err == nil {
		t.Error("a summary of no failure")
	}
	other := board()
	other.SetNRGBA(3, 2, color.NRGBA{1, 2, 3, 255})
	out := printed(t, func() { Compare(r, other, path) })
	failure := r.one(t)
	annotation := "::error file=a%2Cb_c.png,title=golden picture::" + path +
		": 1 of 48 pixels differ (2.08 %25)"
	if !strings.HasPrefix(out, annotation) || strings.Count(out, "\n") != 1 ||
		!strings.Contains(out, "%0Ain ") {
		t.Errorf("%q", out)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	want := "### a,b·c.png\n\n    " + strings.ReplaceAll(failure, "\n", "\n    ") + "\n\n"
	if string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}

	// What came from models stays text; a summary that is full stays as it is, and one that cannot
	// be written is no reason to say less.
	if err := os.WriteFile(summary, make([]byte, summaryBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	out = printed(t, func() { tellGitHub(path, hostile("a\r::error::b\x1b[1m")) })
	if strings.ContainsAny(out, "\r\x1b") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q", out)
	}
	if is, err := os.Stat(summary); err != nil || is.Size() != summaryBytes {
		t.Error("a full summary grows")
	}
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(work, "none", "summary.md"))
	r.failures = nil
	printed(t, func() { Compare(r, other, path) })
	if got := r.one(t); !strings.Contains(got, "\ncannot write GITHUB_STEP_SUMMARY: ") {
		t.Error(got)
	}
}

type hostile string

func (h hostile) Error() string { return string(h) }
