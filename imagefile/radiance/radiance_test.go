package radiance_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

func read(data []byte, b *budget.Budget) (*radiance.Image, error) {
	return radiance.Read(context.Background(), bytes.NewReader(data), "light", b)
}

// want is what testdata/make.cpp wrote, with the reference library.
func want(x, y, c int) float32 {
	switch {
	case y < 12:
		return float32((x*7+y*13+c*5)%64) / 8
	case y < 24:
		n := uint32(x)*374761393 + uint32(y)*668265263 + uint32(c)*2246822519
		n = (n ^ n>>13) * 1274126177
		return float32((n^n>>16)%2048) / 16
	case c == 1:
		return 0.25
	default:
		return 0
	}
}

// TestEXR_OfTheReferenceLibrary: every value of every compression, of both types, rows up and down.
func TestEXR_OfTheReferenceLibrary(t *testing.T) {
	for _, name := range []string{"none", "rle", "zips", "zip", "piz", "pizfloat"} {
		b := budget.New(32<<20, "the test's limit")
		img, err := radiance.Load(context.Background(), "testdata/"+name+".exr", b)
		if err != nil {
			t.Error(err)
			continue
		}
		if img.Width != 41 || img.Height != 37 {
			t.Fatalf("%s: %d × %d", name, img.Width, img.Height)
		}
		for i, got := range img.Pixels {
			if x, y := i/3%41, i/3/41; got != want(x, y, i%3) {
				t.Fatalf("%s: pixel %d,%d channel %d is %v, want %v", name, x, y, i%3, got, want(x, y, i%3))
			}
		}
		if pixels := int64(41 * 37 * 12); b.Used() != pixels {
			t.Errorf("%s: %d bytes stay charged, want %d", name, b.Used(), pixels)
		}
	}
}

// TestEXR_ManyWords: PIZ transforms more than 16384 different words in another way; grey is all colours.
func TestEXR_ManyWords(t *testing.T) {
	img, err := radiance.Load(context.Background(), "testdata/ramp.exr", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 992 * 32 {
		code := uint32(i % 31744) // a 16-bit float: 5 bits exponent, 10 mantissa
		want := float32(math.Ldexp(float64(code&1023|1024), int(code>>10)-25))
		if code < 1024 {
			want = float32(math.Ldexp(float64(code), -24))
		}
		if got := [3]float32(img.Pixels[3*i:]); got != [3]float32{want, want, want} {
			t.Fatalf("pixel %d is %v, want %v", i, got, want)
		}
	}
}

func TestEXR_UnsupportedIsNamed(t *testing.T) {
	for name, text := range map[string]string{"b44": "compression B44", "dwaa": "compression DWAA"} {
		_, err := radiance.Load(context.Background(), "testdata/"+name+".exr", nil)
		if err == nil || !strings.Contains(err.Error(), text+" is not supported") {
			t.Errorf("%s: %v", name, err)
		}
	}
	file, err := os.ReadFile("testdata/none.exr")
	if err != nil {
		t.Fatal(err)
	}
	for bit, text := range map[byte]string{0x02: "tiled", 0x08: "deep", 0x10: "several parts"} {
		f := bytes.Clone(file)
		f[5] |= bit
		if _, err := read(f, nil); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for from, c := range map[string]struct{ to, text string }{
		"G\x00\x01\x00\x00\x00":                     {"G\x00\x00\x00\x00\x00", "channel G holds integers"},
		"G\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01": {"G\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02", "sampled every 2 × 1 pixels"},
		"G\x00\x01":      {"H\x00\x01", "channels are A, B, H, R"},
		"dataWindow\x00": {"dataWindoW\x00", "has no dataWindow"},
		"box2i\x00\x10\x00\x00\x00\xfd\xff\xff\xff\x05\x00\x00\x00\x25": {"box2i\x00\x10\x00\x00\x00\xfd\xff\xff\xff\x05\x00\x00\x70\x25", "dataWindow of"},
	} {
		f := bytes.Replace(file, []byte(from), []byte(c.to), 1)
		if _, err := read(f, nil); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: %v, want %q", c.to, err, c.text)
		}
	}
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

// TestEXR_Halves: 16-bit floats are what IEEE 754 says, and what is no light is black or finite.
func TestEXR_Halves(t *testing.T) {
	file, err := os.ReadFile("testdata/none.exr")
	if err != nil {
		t.Fatal(err)
	}
	row := len(file) - 37*(8+41*8) // rows of 8 bytes and channels A, B, G, R
	for code, want := range map[uint16]float32{
		0x3c00: 1, 0x3555: 0.333251953125, 0x0001: 1.0 / (1 << 24), 0x03ff: 1023.0 / (1 << 24), 0x7bff: 65504,
		0x7c00: 65504, 0xfc00: 0, 0x7e00: 0, 0xbc00: 0, 0x8000: 0,
	} {
		binary.LittleEndian.PutUint16(file[row+8+2*41*3:], code) // red of the first pixel
		img, err := read(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if img.Pixels[0] != want {
			t.Errorf("%#04x is %v, want %v", code, img.Pixels[0], want)
		}
	}
}

// FuzzRead: whatever comes in, there is an error of one line or a picture of light.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"none", "rle", "zips", "zip", "piz", "pizfloat", "ramp", "b44"} {
		data, err := os.ReadFile("testdata/" + name + ".exr")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n\x02\x02\x00\x08\x88\x01\x88\x01\x88\x01\x88\x80\x02\x02\x00\x08\x88\x01\x88\x01\x88\x01\x88\x80"))
	f.Add([]byte("#?RGBE\nEXPOSURE=2\n\n+Y 1 -X 3\n\x05\x01\x01\x01\x01\x01\x01\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := budget.New(16<<20, "the fuzzer's limit")
		img, err := read(data, b)
		if err != nil {
			if b.Used() != 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%d bytes stay charged after %q", b.Used(), err)
			}
			return
		}
		if len(img.Pixels) != 3*img.Width*img.Height {
			t.Fatal(fmt.Errorf("%d values of %d × %d pixels", len(img.Pixels), img.Width, img.Height))
		}
		for _, v := range img.Pixels {
			if !(v >= 0) || math.IsInf(float64(v), 0) {
				t.Fatalf("a pixel of %v", v)
			}
		}
	})
}
