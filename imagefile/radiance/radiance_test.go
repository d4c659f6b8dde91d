package radiance_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

func read(data []byte, b *budget.Budget) (*radiance.Image, error) {
	return radiance.Read(context.Background(), bytes.NewReader(data), "light", b)
}

// TestHDR_PlainAndRuns: the same pixels, one after the other, with old repetitions and in runs.
func TestHDR_PlainAndRuns(t *testing.T) {
	const width = 10
	head := "#?RADIANCE\nSOFTWARE=x\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=2\n\n-Y 1 +X 10\n"
	var plain []byte
	for x := range width {
		if x < 6 {
			plain = append(plain, 128, 64, 32, 129) // 1, 0.5, 0.25
		} else {
			plain = append(plain, byte(x), 255, 0, 136)
		}
	}
	old := append([]byte{128, 64, 32, 129, 1, 1, 1, 5}, plain[24:]...)
	runs := []byte{2, 2, 0, width}
	for c := range 4 {
		runs = append(runs, 128+6, plain[c], 4)
		for x := 6; x < width; x++ {
			runs = append(runs, plain[4*x+c])
		}
	}
	for name, body := range map[string][]byte{"plain": plain, "old": old, "runs": runs} {
		img, err := read(append([]byte(head), body...), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for x := range width {
			want := [3]float32{0.5, 0.25, 0.125} // of the exposure, half
			if x >= 6 {
				want = [3]float32{float32(x) / 2, 127.5, 0}
			}
			if got := [3]float32(img.Pixels[3*x:]); got != want {
				t.Errorf("%s: pixel %d is %v, want %v", name, x, got, want)
			}
		}
	}
	flipped := strings.Replace(head, "-Y 1 +X 10", "+Y 5 -X 2", 1)
	img, err := read(append([]byte(flipped), plain...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Pixels[0]; got != 4.5 { // the last pixel of the file is the first of the picture
		t.Errorf("flipped: %v, want 4.5", got)
	}
}

// TestHDR_Options: there is no alpha in them, and no layers.
func TestHDR_Options(t *testing.T) {
	file := []byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x80\x80\x81\x01\x02\x03\x88")
	b := budget.New(1<<20, "the test's limit")
	img, err := radiance.Options{Budget: b, Alpha: true}.Read(context.Background(), bytes.NewReader(file), "light")
	if err != nil || len(img.Alpha) != 2 || img.Alpha[0] != 1 || img.Alpha[1] != 1 || b.Used() != 32 {
		t.Fatalf("%v, %v, %d bytes charged", img, err, b.Used())
	}
	_, err = radiance.Options{Layer: "diffuse"}.Read(context.Background(), bytes.NewReader(file), "light")
	if err == nil || !strings.Contains(err.Error(), "have no layers") {
		t.Errorf("%v", err)
	}
}

func TestHDR_BadFiles(t *testing.T) {
	head := "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"
	for name, c := range map[string]struct{ file, text string }{
		"nothing":           {"", "neither"},
		"other":             {"\x89PNG", "neither"},
		"no end":            {"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", "no end"},
		"xyz":               {"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n\x01\x01\x01\x01", "32-bit_rle_xyze"},
		"exposure":          {"#?RADIANCE\nEXPOSURE=-1\n\n-Y 1 +X 1\n", "EXPOSURE"},
		"exposures":         {"#?RADIANCE\nEXPOSURE=1e-20\nEXPOSURE=1e-20\n\n-Y 1 +X 1\n", "EXPOSURE"},
		"columns":           {head + "+X 1 -Y 1\n", "by columns"},
		"extent":            {head + "-Y 0 +X 10\n", "0 pixels"},
		"negative":          {head + "-Y -5 +X 10\n", "-5 pixels"},
		"no extent":         {head + "1 2\n", "extent"},
		"huge":              {head + "-Y 100000 +X 100000\n", "ends early"},
		"short":             {head + "-Y 2 +X 1\n\x01\x02\x03\x04", "row 1 of 2"},
		"repeats nothing":   {head + "-Y 1 +X 2\n\x01\x01\x01\x01", "row 0"},
		"repeats too much":  {head + "-Y 1 +X 2\n\x05\x01\x01\x01\x01\x01\x01\x02", "row 0"},
		"run too long":      {head + "-Y 1 +X 8\n\x02\x02\x00\x08\x89\x01", "row 0"},
		"run of nothing":    {head + "-Y 1 +X 8\n\x02\x02\x00\x08\x00\x01", "row 0"},
		"run of other size": {head + "-Y 1 +X 8\n\x02\x02\x00\x09\x88\x01", "row 0"},
	} {
		_, err := read([]byte(c.file), nil)
		var e *radiance.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
}

// TestRead_WithinTheBudget: a picture that does not fit is refused, and nothing stays charged.
func TestRead_WithinTheBudget(t *testing.T) {
	file := append([]byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1000 +X 250\n"), make([]byte, 100<<10)...)
	b := budget.New(2<<20, "the test's limit")
	_, err := read(file, b)
	var over *budget.Error
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "250 × 1000 pixels") {
		t.Errorf("%v", err)
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes stay charged", b.Used())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := radiance.Read(ctx, bytes.NewReader(file), "light", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzRead: whatever comes in, there is an error of one line or a picture of light.
func FuzzRead(f *testing.F) {
	for _, data := range exrFiles(f) {
		f.Add(data)
	}
	f.Add([]byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n\x02\x02\x00\x08\x88\x01\x88\x01\x88\x01\x88\x80\x02\x02\x00\x08\x88\x01\x88\x01\x88\x01\x88\x80"))
	f.Add([]byte("#?RGBE\nEXPOSURE=2\n\n+Y 1 -X 3\n\x05\x01\x01\x01\x01\x01\x01\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		hold(t, data)
	})
}

// hold reads a file that may be anything: there is an error of one line and nothing stays charged, or a picture of light.
func hold(t *testing.T, data []byte) error {
	t.Helper()
	b := budget.New(16<<20, "the test's limit")
	img, err := radiance.Options{Budget: b, Alpha: true}.Read(context.Background(), bytes.NewReader(data), "light")
	if err != nil {
		if b.Used() != 0 || strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
			t.Fatalf("%d bytes stay charged after %q", b.Used(), err)
		}
		return err
	}
	if n := img.Width * img.Height; len(img.Pixels) != 3*n || len(img.Alpha) != n || b.Used() != int64(16*n) {
		t.Fatalf("%d and %d values of %d × %d pixels, %d bytes charged", len(img.Pixels), len(img.Alpha), img.Width, img.Height, b.Used())
	}
	for _, v := range img.Pixels {
		if !(v >= 0) || math.IsInf(float64(v), 0) {
			t.Fatalf("a pixel of %v", v)
		}
	}
	for _, v := range img.Alpha {
		if v-v != 0 {
			t.Fatalf("alpha of %v", v)
		}
	}
	for _, w := range append(img.Warnings, img.Losses...) {
		if strings.Contains(w, "\n") || len(w) > 1000 {
			t.Fatalf("a warning of several lines, %q", w)
		}
	}
	return nil
}
