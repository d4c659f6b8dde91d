// Package golden compares pictures with files in tests: bit by bit where nothing else is said,
// and with a failure that tells what there is to see.
//
//	func TestThumbnail(t *testing.T) {
//		golden.Compare(t, thumbnail(), "testdata/thumbnail.png")
//	}
//
// GOLDEN_UPDATE=1 in the environment writes the files instead, and so does the flag -update in
// test binaries that have it (UpdateFlag).
package golden

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/pixels"
)

// Option says more of a comparison: a Tolerance, or Explain.
type Option interface{ set(*comparison) }

// Tolerance allows differences. The zero Tolerance allows none.
type Tolerance struct {
	// Channel is by how much red, green, blue and alpha (not premultiplied) of a pixel may
	// each differ, in steps of 1/255: 0 to 255. Fractions are for pictures of 16 bits.
	Channel float64
	// Share is how many of the pixels may differ by more than that: 0 to 1.
	Share float64
}

func (o Tolerance) set(c *comparison) { c.tolerance = o }

// Explain is how the first wrong pixel explains itself: f is called where a comparison fails
// that found one. x, y count from the picture's upper left corner; f returns an explanation of each
// sample that is worth reading (pumice.Device.Explain makes them).
func Explain(f func(ctx context.Context, x, y int) ([]*explain.Explanation, error)) Option {
	return explainer(f)
}

type explainer func(ctx context.Context, x, y int) ([]*explain.Explanation, error)

func (o explainer) set(c *comparison) { c.explain = o }

// comparison is one call of Compare.
type comparison struct {
	tolerance Tolerance
	explain   explainer
}

// Compare fails the test with Errorf, and returns false, where got differs from the PNG file
// at path (relative to the test's folder), where there is no such file, or it cannot be
// read. Pictures are equal where their pixels are, whatever their colour models: channels are
// compared with all bits that a PNG file keeps, not premultiplied.
//
// A failure leaves what was drawn, a picture of the differences and, with Explain, the
// explanation of the first wrong pixel as text and JSON: in the test's artifacts with go test -artifacts,
// else in a new folder below os.TempDir.
//
// In a step of a GitHub workflow (GITHUB_STEP_SUMMARY is set), a failure also stands in the step's
// summary, and is an annotation of the file.
//
// With GOLDEN_UPDATE=1 or -update a file that is not exactly equal is written anew.
func Compare(t testing.TB, got image.Image, path string, opts ...Option) bool {
	t.Helper()
	if v := reflect.ValueOf(got); got == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		t.Errorf("%s: the picture to compare is nil", path)
		return false
	}
	var c comparison
	for _, o := range opts {
		if o != nil {
			o.set(&c)
		}
	}
	if err := c.check(); err != nil {
		t.Errorf("%s: %v", path, err)
		return false
	}
	update, err := updating()
	if err == nil && update {
		err = c.update(t, got, path)
	} else if err == nil {
		err = c.compare(t, got, path)
	}
	if err != nil {
		t.Errorf("%v%s", err, tellGitHub(path, err))
		return false
	}
	return true
}

// check refuses a Tolerance out of range.
func (c *comparison) check() error {
	if err := pixels.CheckTolerance(c.tolerance.Channel); err != nil {
		return fmt.Errorf("golden.Tolerance.Channel: %w", err)
	}
	if s := c.tolerance.Share; !(s >= 0 && s <= 1) {
		return fmt.Errorf("golden.Tolerance.Share: %v: want 0 to 1, a share of the pixels", s)
	}
	return nil
}

// compare returns an error of a few lines where the picture is not that of the file.
func (c *comparison) compare(t testing.TB, got image.Image, path string) error {
	want, err := pixels.Read(t.Context(), path, budget.New(0, "budget.Default"))
	if errors.Is(err, fs.ErrNotExist) {
		files := save(t, path, map[string]func(string) error{"actual.png": pictureWriter(got)}, "actual.png")
		return fmt.Errorf("%s: there is no such file; %s writes it\n%s", path, updateBy(), files)
	}
	if err != nil {
		return err
	}
	is := pixels.Of(got)
	if is.Width != want.Width || is.Height != want.Height {
		files := save(t, path, map[string]func(string) error{"actual.png": pictureWriter(got)}, "actual.png")
		return fmt.Errorf("%s: got %d × %d pixels, want %d × %d\n%s", path, is.Width, is.Height, want.Width, want.Height, files)
	}
	d, err := pixels.Compare(t.Context(), is, want, c.tolerance.Channel)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if d.Differ == 0 || float64(d.Differ) <= c.tolerance.Share*float64(d.Pixels) {
		return nil
	}
	return c.report(t, got, path, d)
}

// report writes what a failure leaves, and the error that tells.
func (c *comparison) report(t testing.TB, got image.Image, path string, d *pixels.Difference) error {
	lines := []string{path + ": " + d.Summary("got", "want")}
	if c.tolerance != (Tolerance{}) {
		lines = append(lines, fmt.Sprintf("allowed are differences of %v of 255, and more in %v of %d pixels", c.tolerance.Channel, c.tolerance.Share, d.Pixels))
	}
	writers := map[string]func(string) error{
		"actual.png": pictureWriter(got),
		"difference.png": func(file string) error {
			heat, err := d.Heat(t.Context())
			if err != nil {
				return err
			}
			return writePicture(file, heat)
		},
	}
	names := []string{"actual.png", "difference.png"}
	var verdict []string
	if c.explain != nil {
		if explanations, err := c.explain(t.Context(), d.First.X, d.First.Y); err != nil {
			lines = append(lines, fmt.Sprintf("the pixel does not explain itself: %v", err))
		} else if len(explanations) == 0 {
			lines = append(lines, "the pixel does not explain itself: there is no explanation")
		} else {
			verdict = verdicts(explanations)
			writers["explained.txt"] = func(file string) error { return writeText(file, explanations) }
			writers["explained.json"] = func(file string) error { return writeJSON(file, explanations) }
			names = append(names, "explained.txt", "explained.json")
		}
	}
	lines = append(lines, save(t, path, writers, names...))
	lines = append(lines, verdict...)
	return errors.New(strings.Join(lines, "\n"))
}

// verdicts are the lines of the first explanation and, where that is of a pixel that was resolved, of the first of its
// samples.
func verdicts(list []*explain.Explanation) []string {
	lines := list[0].Verdict
	if e := list[0].Events; len(list) > 1 && len(e) > 0 && e[len(e)-1].Kind == explain.Resolve {
		for _, line := range list[1].Verdict {
			lines = append(lines[:len(lines):len(lines)], fmt.Sprintf("sample %d: %s", list[1].Target.Sample, line))
		}
	}
	return lines
}

// update writes the picture where the file is not exactly equal to it.
func (c *comparison) update(t testing.TB, got image.Image, path string) error {
	if want, err := pixels.Read(t.Context(), path, budget.New(0, "budget.Default")); err == nil {
		if is := pixels.Of(got); is.Width == want.Width && is.Height == want.Height {
			if d, err := pixels.Compare(t.Context(), is, want, 0); err == nil && d.Differ == 0 {
				return nil
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	if err := writePicture(path, got); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	t.Logf("%s: written", path)
	return nil
}

// updateBy is what makes files be written, in a binary with the flag or without.
func updateBy() string {
	if f := flag.Lookup("update"); f != nil {
		if g, ok := f.Value.(flag.Getter); ok {
			if _, ok := g.Get().(bool); ok {
				return "GOLDEN_UPDATE=1 or -update"
			}
		}
	}
	return "GOLDEN_UPDATE=1"
}

// updating reports whether files are to be written.
func updating() (bool, error) {
	if v := os.Getenv("GOLDEN_UPDATE"); v != "" {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return false, fmt.Errorf("GOLDEN_UPDATE=%s: want 1 or 0", v)
		}
		if on {
			return true, nil
		}
	}
	if f := flag.Lookup("update"); f != nil {
		if g, ok := f.Value.(flag.Getter); ok {
			on, _ := g.Get().(bool) // a flag of another kind is none of ours
			return on, nil
		}
	}
	return false, nil
}

// UpdateFlag defines the flag -update of a test binary unless it has one, and returns true:
//
//	var _ = golden.UpdateFlag()
//
// The package does not do so itself, since two packages that define a flag end every test of the
// binary in a panic. A boolean flag of that name counts, whoever has defined it; binaries
// where another package defines it later use that one and leave this call out.
func UpdateFlag() bool {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write golden pictures instead of comparing with them")
	}
	return true
}

func pictureWriter(img image.Image) func(string) error {
	return func(file string) error { return writePicture(file, img) }
}

// writePicture writes a PNG file whole or not at all.
func writePicture(path string, img image.Image) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".golden-*.png")
	if err != nil {
		return err
	}
	err = errors.Join(png.Encode(f, img), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
	}
	return err
}
