package main

import (
	"encoding/json"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// writePictures writes a.png and b.png, which edit has changed.
func writePictures(t *testing.T, edit func(*image.NRGBA)) (a, b string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, edit func(*image.NRGBA)) string {
		im := image.NewNRGBA(image.Rect(0, 0, 16, 8))
		for i := range im.Pix {
			im.Pix[i] = byte(i)
		}
		edit(im)
		path := filepath.Join(dir, name)
		if err := writePNG(t.Context(), path, im); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("a.png", func(*image.NRGBA) {}), write("b.png", edit)
}

func TestDiff_EqualPictures(t *testing.T) {
	a, b := writePictures(t, func(*image.NRGBA) {})
	heat := filepath.Join(t.TempDir(), "heat.png")
	code, stdout, stderr := command(t, "diff", a, b, "-o", heat)
	if code != 0 || stderr != "" || !strings.HasSuffix(stdout, "\nequal: all 128 pixels\n") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	if _, err := os.Stat(heat); err == nil {
		t.Error("equal pictures leave a heat map")
	}
}

func TestDiff_TellsWhatDiffers(t *testing.T) {
	a, b := writePictures(t, func(im *image.NRGBA) {
		im.Pix[im.PixOffset(9, 2)+1]++
		im.Pix[im.PixOffset(3, 5)] -= 60
	})
	heat := filepath.Join(t.TempDir(), "heat.png")
	code, stdout, stderr := command(t, "diff", a, b, "-o", heat)
	checkFailure(t, code, exitFailure, stderr)
	if want := "pumice: " + a + " and " + b + " differ\n"; stderr != want {
		t.Errorf("%q, want %q", stderr, want)
	}
	want := "a  " + a + ": 16 × 8 pixels, 8 bits a channel\n" +
		"b  " + b + ": 16 × 8 pixels, 8 bits a channel\n" +
		"differ   2 of 128 pixels (1.56 %)\n" +
		"box      x 3 to 9, y 2 to 5\n" +
		"first    (9, 2): a (164, 165, 166, 167), b (164, 166, 166, 167)\n" +
		"largest  60 of 255 at (3, 5): a (76, 77, 78, 79), b (16, 77, 78, 79)\n" +
		"heat     " + heat + "\n"
	if stdout != want {
		t.Errorf("%s\nwant\n%s", stdout, want)
	}
	im := decodedPNG(t, heat)
	for y := range 8 {
		for x := range 16 {
			c := color.NRGBAModel.Convert(im.At(x, y)).(color.NRGBA)
			if hot := c.R >= 128; hot != (image.Pt(x, y) == image.Pt(9, 2) || image.Pt(x, y) == image.Pt(3, 5)) {
				t.Errorf("heat of (%d, %d): %v", x, y, c)
			}
		}
	}

	code, stdout, _ = command(t, "diff", a, b, "--json")
	var r diffReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitFailure {
		t.Fatalf("exit code %d, %v: %s", code, err, stdout)
	}
	if r.Equal || r.Differ != 2 || r.Pixels != 128 || *r.Box != (diffBox{3, 2, 9, 5}) || r.First.X != 9 || r.First.B[1] != 166*257 || r.Largest.Difference != 60 || r.A.Path != a {
		t.Errorf("%s", stdout)
	}

	code, stdout, _ = command(t, "diff", a, b, "--tolerance", "1")
	if code != exitFailure || !strings.Contains(stdout, "differ   1 of 128 pixels (0.781 %), and 1 within the tolerance of 1 of 255\n") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	code, stdout, stderr = command(t, "diff", a, b, "--tolerance", "60")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "equal within the tolerance of 60 of 255: 2 of 128 pixels differ by less\nlargest  60 of 255") {
		t.Errorf("exit code %d, %s, %s", code, stdout, stderr)
	}
}

func TestDiff_Sizes(t *testing.T) {
	a, b := writePictures(t, func(im *image.NRGBA) { *im = *im.SubImage(image.Rect(0, 0, 16, 7)).(*image.NRGBA) })
	heat := filepath.Join(t.TempDir(), "heat.png")
	code, stdout, stderr := command(t, "diff", a, b, "-o", heat, "--tolerance", "255")
	checkFailure(t, code, exitFailure, stderr)
	if !strings.HasSuffix(stdout, ": 16 × 8 pixels, 8 bits a channel\nb  "+b+": 16 × 7 pixels, 8 bits a channel\nthe sizes differ\n") {
		t.Errorf("%s", stdout)
	}
	if _, err := os.Stat(heat); err == nil {
		t.Error("there is a heat map")
	}
}

func TestDiff_BadInput(t *testing.T) {
	a, b := writePictures(t, func(im *image.NRGBA) { im.Pix[0]++ })
	in := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{a}, exitUsage, "accepts 2 arg(s)"},
		{[]string{a, b, "--tolerance", "-1"}, exitUsage, "--tolerance: a tolerance of -1: want 0 to 255"},
		{[]string{a, b, "--tolerance", "NaN"}, exitUsage, "want 0 to 255"},
		{[]string{a, "b.gfxr"}, exitUsage, "a capture and a picture"},
		{[]string{"a.gfxr", "b.GFXR"}, exitFailure, "a.gfxr"},
		{[]string{a, "none.png"}, exitFailure, "none.png: no such file"},
		{[]string{a, t.TempDir()}, exitFailure, "is a directory"},
		{[]string{a, b, "-o", filepath.Join(t.TempDir(), "no folder", "x.png")}, exitFailure, "x.png: cannot write"},
		{[]string{a, in("text.png", []byte("text"))}, exitFailure, "text.png: is neither PNG, JPEG, WebP, GIF, BMP nor TGA"},
		{[]string{in("cut.png", bomb.PNG(9, 9, 8, 6, false, nil)[:60]), a}, exitFailure, "cut.png: png file: decoding"},
		{[]string{in("large.png", bomb.PNG(20000, 20000, 1, 0, false, nil)), a, "--memory-limit", "128MiB"}, exitFailure, "decoding 20000 × 20000 pixels: needs 381.6 MiB"},
		{[]string{in("header.png", bomb.PNGHeader(60000, 60000, 16, 6)), a}, exitFailure, "decoding 60000 × 60000 pixels: needs"},
	} {
		code, stdout, stderr := command(t, append([]string{"diff"}, c.args...)...)
		checkFailure(t, code, c.code, stderr)
		if !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%q: %q, %q; want %q", c.args, stdout, stderr, c.want)
		}
	}
}

// The picture of the differences is within the limit, too.
func TestDiff_HeatIsCharged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	other := filepath.Join(t.TempDir(), "b.png")
	for i, p := range []string{path, other} {
		im := image.NewGray(image.Rect(0, 0, 4096, 4096))
		im.Pix[0] = byte(i)
		if err := writePNG(t.Context(), p, im); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := command(t, "diff", path, other, "-o", filepath.Join(t.TempDir(), "x.png"), "--memory-limit", "96MiB")
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stderr, "x.png: a picture of the differences: needs 64.0 MiB") {
		t.Error(stderr)
	}
}
