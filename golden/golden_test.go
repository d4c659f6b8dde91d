package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// TestMain keeps away what examples of failures leave and tell, and an update of other packages.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "golden-tests-*")
	if err = errors.Join(err, os.Setenv("TMPDIR", dir), os.Unsetenv("GOLDEN_UPDATE"), os.Unsetenv("GITHUB_STEP_SUMMARY")); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// recorder is a test that keeps what it is told.
type recorder struct {
	testing.TB
	failures, logs []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, a ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, a...))
}
func (r *recorder) Logf(format string, a ...any) { r.logs = append(r.logs, fmt.Sprintf(format, a...)) }

// clean keeps the outside from having a say, and what failures leave in a folder of the test.
func clean(t *testing.T) *recorder {
	t.Helper()
	t.Setenv("GOLDEN_UPDATE", "")
	t.Setenv("TMPDIR", t.TempDir())
	return &recorder{TB: t}
}

// one returns the only failure.
func (r *recorder) one(t *testing.T) string {
	t.Helper()
	if len(r.failures) != 1 {
		t.Fatalf("%d failures: %q", len(r.failures), r.failures)
	}
	return r.failures[0]
}

func board() *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, 8, 6))
	for y := range 6 {
		for x := range 8 {
			im.SetNRGBA(x, y, color.NRGBA{uint8(x * 30), uint8(y * 40), 7, uint8(200 + x + y)})
		}
	}
	return im
}

func write8(t *testing.T, path string, im image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, path string) image.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// left returns the folder that a failure names.
func left(t *testing.T, failure string) string {
	t.Helper()
	for line := range strings.Lines(failure) {
		if dir, _, ok := strings.Cut(strings.TrimPrefix(line, "in "), ": "); ok && strings.HasPrefix(line, "in ") {
			return dir
		}
	}
	t.Fatalf("no folder is named:\n%s", failure)
	return ""
}

func TestCompare_EqualIsSilentAndLeavesNothing(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "x.png")
	write8(t, path, board())
	if !Compare(r, board(), path) || len(r.failures)+len(r.logs) != 0 {
		t.Errorf("%q, %q", r.failures, r.logs)
	}
	if kept, _ := os.ReadDir(os.Getenv("TMPDIR")); len(kept) != 0 {
		t.Errorf("%v is left", kept)
	}
}

// A failure tells how many pixels differ and the first of them, and leaves the picture, the heat
// map and the explanation; the verdict comes last.
func TestCompare_TellsWhatDiffers(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "x.png")
	write8(t, path, board())
	got := board()
	got.SetNRGBA(5, 2, color.NRGBA{150, 81, 7, 207})
	got.SetNRGBA(1, 4, color.NRGBA{0, 160, 7, 205})
	var asked []image.Point
	if Compare(r, got, path, Explain(func(ctx context.Context, x, y int) ([]*explain.Explanation, error) {
		asked = append(asked, image.Pt(x, y))
		return []*explain.Explanation{
			{Target: explain.Target{Image: "picture", X: x, Y: y}, Verdict: []string{"drawn by draw 5", "overwritten by draw 9"}},
			{Target: explain.Target{Image: "picture", X: x, Y: y, Sample: 1}, Verdict: []string{"never drawn"}},
		}, ctx.Err()
	})) {
		t.Error("Compare returns true")
	}
	failure := r.one(t)
	dir := left(t, failure)
	want := path + ": 2 of 48 pixels differ (4.17 %), all in x 1 to 5, y 2 to 4, by up to 30 of 255; the first at (5, 2): got (150, 81, 7, 207), want (150, 80, 7, 207)\n" +
		"in " + dir + ": actual.png, difference.png, explained.txt, explained.json\n" +
		"drawn by draw 5\noverwritten by draw 9"
	if failure != want {
		t.Errorf("%s\nwant\n%s", failure, want)
	}
	if len(asked) != 1 || asked[0] != image.Pt(5, 2) {
		t.Errorf("explained were %v", asked)
	}
	if !strings.HasPrefix(dir, os.Getenv("TMPDIR")) {
		t.Errorf("%s is not where temporary files belong", dir)
	}
	if back, ok := decode(t, filepath.Join(dir, "actual.png")).(*image.NRGBA); !ok || !bytes.Equal(back.Pix, got.Pix) {
		t.Error("actual.png is not the picture")
	}
	heat := decode(t, filepath.Join(dir, "difference.png"))
	for y := range 6 {
		for x := range 8 {
			c := color.NRGBAModel.Convert(heat.At(x, y)).(color.NRGBA)
			if hot := c.R >= 128; hot != (image.Pt(x, y) == image.Pt(5, 2) || image.Pt(x, y) == image.Pt(1, 4)) {
				t.Errorf("heat of (%d, %d): %v", x, y, c)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "explained.txt"))
	if err != nil || !strings.Contains(string(text), "overwritten by draw 9") || !strings.Contains(string(text), "never drawn") {
		t.Errorf("%s, %v", text, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "explained.json"))
	var back []*explain.Explanation
	if err := errors.Join(err, json.Unmarshal(data, &back)); err != nil || len(back) != 2 || back[1].Target.Sample != 1 {
		t.Errorf("%s, %v", data, err)
	}
}

// The verdict on a resolved pixel is that a resolve wrote it: why, its samples know.
func TestCompare_ResolvedPixels(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "x.png")
	write8(t, path, board())
	got := board()
	got.Pix[0]++
	sample := func(n int) *explain.Explanation {
		return &explain.Explanation{Target: explain.Target{Sample: n}, Verdict: []string{fmt.Sprintf("draw %d", n), "and more"}}
	}
	Compare(r, got, path, Explain(func(context.Context, int, int) ([]*explain.Explanation, error) {
		return []*explain.Explanation{{Verdict: []string{"resolved"}, Events: []explain.Event{{Kind: explain.Resolve}}}, sample(0), sample(1)}, nil
	}))
	if failure := r.one(t); !strings.HasSuffix(failure, "\nresolved\nsample 0: draw 0\nsample 0: and more") {
		t.Error(failure)
	}
}

// Two failures of one test do not write over each other.
func TestCompare_EachFailureHasItsFolder(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "x.png")
	write8(t, path, board())
	Compare(r, image.NewNRGBA(image.Rect(0, 0, 8, 6)), path)
	Compare(r, image.NewNRGBA(image.Rect(0, 0, 8, 5)), path)
	if len(r.failures) != 2 || left(t, r.failures[0]) == left(t, r.failures[1]) {
		t.Errorf("%q", r.failures)
	}
}

func TestCompare_WhatCannotBeCompared(t *testing.T) {
	r := clean(t)
	dir := t.TempDir()
	in := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := in("good.png", nil)
	write8(t, good, board())
	refuse := Explain(func(context.Context, int, int) ([]*explain.Explanation, error) {
		return nil, errors.New("no recording")
	})
	none := Explain(func(context.Context, int, int) ([]*explain.Explanation, error) { return nil, nil })
	other := board()
	other.Pix[0]++
	for name, c := range map[string]struct {
		got   image.Image
		path  string
		opts  []Option
		want  string
		lines int
	}{
		"no file":           {board(), filepath.Join(dir, "none.png"), nil, "none.png: there is no such file; GOLDEN_UPDATE=1 writes it\nin ", 2},
		"other size":        {board().SubImage(image.Rect(0, 0, 8, 5)), good, nil, "good.png: got 8 × 5 pixels, want 8 × 6\nin ", 2},
		"broken":            {board(), in("cut.png", bomb.PNG(8, 6, 8, 6, false, nil)[:50]), nil, "cut.png: png file: decoding: ", 1},
		"empty":             {board(), in("empty.png", nil), nil, "empty.png: is neither PNG, JPEG, WebP, GIF, BMP nor TGA", 1},
		"too large":         {board(), in("large.png", bomb.PNGHeader(60000, 60000, 16, 6)), nil, "large.png: png file: decoding 60000 × 60000 pixels: needs ", 1},
		"a folder":          {board(), dir, nil, "is a directory", 1},
		"nil":               {nil, good, nil, "good.png: the picture to compare is nil", 1},
		"nil pointer":       {(*image.NRGBA)(nil), good, nil, "good.png: the picture to compare is nil", 1},
		"no pixels":         {&image.NRGBA{}, good, nil, "good.png: got 0 × 0 pixels, want 8 × 6\nin ", 2},
		"tolerance":         {board(), good, []Option{Tolerance{Channel: -1}}, "good.png: golden.Tolerance.Channel: a tolerance of -1: want 0 to 255", 1},
		"tolerance NaN":     {board(), good, []Option{Tolerance{Share: math.NaN()}}, "good.png: golden.Tolerance.Share: NaN: want 0 to 1", 1},
		"no explanation":    {other, good, []Option{refuse}, "\nthe pixel does not explain itself: no recording\nin ", 3},
		"empty explanation": {other, good, []Option{none}, "\nthe pixel does not explain itself: there is no explanation\nin ", 3},
	} {
		r.failures = nil
		if Compare(r, c.got, c.path, c.opts...) {
			t.Errorf("%s: Compare returns true", name)
		}
		failure := r.one(t)
		if !strings.Contains(failure, c.want) || strings.Count(failure, "\n") != c.lines-1 {
			t.Errorf("%s: %s\nwant %q in %d lines", name, failure, c.want, c.lines)
		}
	}
}

func TestCompare_Tolerance(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "x.png")
	write8(t, path, board())
	got := board()
	got.Pix[got.PixOffset(3, 1)+2] += 2
	got.Pix[got.PixOffset(4, 1)+3] += 9
	for _, c := range []struct {
		allowed Tolerance
		want    bool
	}{
		{Tolerance{}, false},
		{Tolerance{Channel: 9}, true},
		{Tolerance{Channel: 8.9}, false},
		{Tolerance{Channel: 2, Share: 1. / 48}, true},
		{Tolerance{Channel: 1, Share: 1. / 48}, false},
		{Tolerance{Share: 2. / 48}, true},
		{Tolerance{Channel: 2, Share: 0.02}, false},
	} {
		r.failures = nil
		if Compare(r, got, path, c.allowed) != c.want {
			t.Errorf("%+v: %v", c.allowed, !c.want)
		}
		if !c.want && c.allowed != (Tolerance{}) && !strings.Contains(r.one(t), fmt.Sprintf("\nallowed are differences of %v of 255, and more in %v of 48 pixels\n", c.allowed.Channel, c.allowed.Share)) {
			t.Errorf("%+v: %s", c.allowed, r.failures)
		}
	}
}

// An update writes what differs, makes folders, and leaves alone what is equal.
func TestCompare_Update(t *testing.T) {
	r := clean(t)
	path := filepath.Join(t.TempDir(), "new", "x.png")
	deep := image.NewNRGBA64(image.Rect(-1, -1, 3, 3))
	for i := range deep.Pix {
		deep.Pix[i] = byte(i * 37)
	}
	for _, value := range []string{"1", "true"} {
		t.Setenv("GOLDEN_UPDATE", value)
		r.logs = nil
		if !Compare(r, deep, path) || len(r.failures) != 0 {
			t.Fatalf("%q", r.failures)
		}
		if value == "1" && (len(r.logs) != 1 || r.logs[0] != path+": written") || value == "true" && len(r.logs) != 0 {
			t.Errorf("%s: %q", value, r.logs)
		}
	}
	t.Setenv("GOLDEN_UPDATE", "0")
	if !Compare(r, deep, path) {
		t.Errorf("%q", r.failures)
	}
	changed := image.NewNRGBA64(deep.Rect)
	copy(changed.Pix, deep.Pix)
	changed.Pix[len(changed.Pix)-1]++ // the low byte of an alpha
	if Compare(r, changed, path) {
		t.Error("one code of 65535 is not seen")
	}
	t.Setenv("GOLDEN_UPDATE", "1")
	if !Compare(r, changed, path, Tolerance{Channel: 255}) || len(r.logs) != 1 {
		t.Errorf("within its tolerance a picture is not updated: %q", r.logs)
	}
	t.Setenv("GOLDEN_UPDATE", "yes please")
	r.failures = nil
	if Compare(r, changed, path) || r.one(t) != "GOLDEN_UPDATE=yes please: want 1 or 0" {
		t.Errorf("%q", r.failures)
	}
	t.Setenv("GOLDEN_UPDATE", "1")
	r.failures = nil
	if Compare(r, board(), filepath.Join(path, "below a file.png")) || !strings.Contains(r.one(t), "below a file.png: cannot write: ") {
		t.Errorf("%q", r.failures)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("%d files are left beside the picture", len(entries)-1)
	}
}

// The flag counts whoever defines it, and defining it twice is no panic.
func TestUpdateFlag_WhoeverDefinesIt(t *testing.T) {
	r := clean(t)
	old := flag.CommandLine
	t.Cleanup(func() { flag.CommandLine = old })
	path := filepath.Join(t.TempDir(), "x.png")

	flag.CommandLine = flag.NewFlagSet("binary", flag.ContinueOnError)
	UpdateFlag()
	UpdateFlag()
	if Compare(r, board(), path) {
		t.Error("no -update, and no file, and no failure")
	}
	if err := flag.CommandLine.Parse([]string{"-update"}); err != nil {
		t.Fatal(err)
	}
	if !Compare(r, board(), path) {
		t.Errorf("%q", r.failures)
	}

	flag.CommandLine = flag.NewFlagSet("binary with its own", flag.ContinueOnError)
	own := flag.Bool("update", true, "")
	UpdateFlag()
	other := board()
	other.Pix[0]++
	if !Compare(r, other, path) || !*own {
		t.Errorf("%q", r.failures)
	}
	if *own = false; Compare(r, board(), path) {
		t.Error("the flag is off, the picture differs, and no failure")
	}

	flag.CommandLine = flag.NewFlagSet("binary with another kind", flag.ContinueOnError)
	flag.String("update", "all", "")
	if Compare(r, board(), path) {
		t.Error("-update=all of somebody else updates pictures")
	}
}

// With -artifacts the files are the test's artifacts, each comparison's in a folder.
func TestFolder_Artifacts(t *testing.T) {
	old := flag.CommandLine
	t.Cleanup(func() { flag.CommandLine = old })
	flag.CommandLine = flag.NewFlagSet("binary", flag.ContinueOnError)
	flag.Bool("test.artifacts", true, "")
	for _, want := range []string{"x", "x-2", "x-3"} {
		if dir, err := folder(t, "x"); err != nil || dir != filepath.Join(t.ArtifactDir(), want) {
			t.Errorf("%s, %v; want %s", dir, err, want)
		}
	}
}
