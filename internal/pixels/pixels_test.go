package pixels

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// alpha is an image of a model that image/png does not know.
type alpha struct{ *image.NRGBA64 }

func (alpha) ColorModel() color.Model {
	return color.ModelFunc(func(c color.Color) color.Color { return c })
}

// What image/png writes reads back as the colours that Of tells, whatever the model: so a
// picture is equal to the file that it was written to.
func TestOf_IsWhatAFileKeeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(pix []byte) {
		for i := range pix {
			pix[i] = byte(rng.Uint32())
		}
	}
	r := image.Rect(-3, 5, 30, 40)
	nrgba, rgba, nrgba64, rgba64 := image.NewNRGBA(r), image.NewRGBA(r), image.NewNRGBA64(r), image.NewRGBA64(r)
	gray, gray16, plane := image.NewGray(r), image.NewGray16(r), image.NewAlpha(r)
	paletted := image.NewPaletted(r, color.Palette{color.NRGBA{200, 100, 3, 7}, color.Black, color.RGBA64{1000, 2000, 3000, 4000}})
	for _, pix := range [][]byte{nrgba.Pix, nrgba64.Pix, gray.Pix, gray16.Pix, plane.Pix} {
		fill(pix)
	}
	for i := range paletted.Pix {
		paletted.Pix[i] = byte(rng.IntN(3))
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			rgba.Set(x, y, nrgba.At(x, y))
			rgba64.Set(x, y, nrgba64.At(x, y))
		}
	}
	opaque := image.NewRGBA64(r)
	fill(opaque.Pix)
	for i := 6; i < len(opaque.Pix); i += 8 {
		opaque.Pix[i], opaque.Pix[i+1] = 255, 255
	}
	for name, img := range map[string]image.Image{
		"NRGBA": nrgba, "RGBA": rgba, "NRGBA64": nrgba64, "RGBA64": rgba64, "RGBA64 opaque": opaque, "Gray": gray, "Gray16": gray16, "Alpha": plane,
		"Paletted": paletted, "other": alpha{nrgba64}, "part": nrgba.SubImage(image.Rect(2, 7, 9, 20)), "YCbCr": image.NewYCbCr(r, image.YCbCrSubsampleRatio420),
	} {
		path := filepath.Join(t.TempDir(), "x.png")
		var file bytes.Buffer
		if err := png.Encode(&file, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := Read(t.Context(), path, budget.New(0, ""))
		if err != nil {
			t.Fatal(err)
		}
		p := Of(img)
		if p.Width != back.Width || p.Height != back.Height {
			t.Fatalf("%s: %d × %d, the file %d × %d", name, p.Width, p.Height, back.Width, back.Height)
		}
		d, err := Compare(t.Context(), p, back, 0)
		if err != nil || d.Differ != 0 || d.Largest != 0 {
			t.Errorf("%s: %v, %v", name, d.Summary("the picture", "the file"), err)
		}
	}
	if got := Of(nrgba).At(4, 6); got != wide(nrgba.Pix[4*(6*33+4)], nrgba.Pix[4*(6*33+4)+1], nrgba.Pix[4*(6*33+4)+2], nrgba.Pix[4*(6*33+4)+3]) {
		t.Errorf("NRGBA: %v", got)
	}
}

// gradient is a picture in which no two pixels are alike.
func gradient(w, h int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			im.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), 100, 200})
		}
	}
	return im
}

func TestCompare_CountsAndPlaces(t *testing.T) {
	a, b := gradient(20, 10), gradient(20, 10)
	b.Pix[b.PixOffset(7, 2)+0] += 3
	b.Pix[b.PixOffset(4, 5)+3] -= 90
	b.Pix[b.PixOffset(9, 5)+2] += 4
	d, err := Compare(t.Context(), Of(a), Of(b), 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.Pixels != 200 || d.Differ != 3 || d.Within != 0 || d.First != image.Pt(7, 2) || d.Bounds != image.Rect(4, 2, 10, 6) || d.Largest != 90*257 || d.LargestAt != image.Pt(4, 5) {
		t.Errorf("%+v", d)
	}
	const want = "3 of 200 pixels differ (1.5 %), all in x 4 to 9, y 2 to 5, by up to 90 of 255; the first at (7, 2): got (7, 2, 100, 200), want (10, 2, 100, 200)"
	if got := d.Summary("got", "want"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	heat, err := d.Heat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	small, large, none := heat.NRGBAAt(7, 2), heat.NRGBAAt(4, 5), heat.NRGBAAt(0, 0)
	if small.R < 128 || large.R <= small.R || large.G <= small.G || none.R != none.G || none.R > 85 {
		t.Errorf("heat: %v, %v, %v", small, large, none)
	}
	d, err = Compare(t.Context(), Of(a), Of(b), 3)
	if err != nil || d.Differ != 2 || d.Within != 1 || d.First != image.Pt(4, 5) || d.Largest != 90*257 {
		t.Errorf("with a tolerance of 3: %+v, %v", d, err)
	}
	if heat, err = d.Heat(t.Context()); err != nil || heat.NRGBAAt(7, 2) != (color.NRGBA{40, 80, 255, 255}) {
		t.Errorf("what the tolerance allows is %v, %v", heat.NRGBAAt(7, 2), err)
	}
}

// One code of 16 bits is seen, and told with all of them.
func TestCompare_SixteenBits(t *testing.T) {
	a, b := image.NewNRGBA64(image.Rect(0, 0, 2, 1)), image.NewNRGBA64(image.Rect(0, 0, 2, 1))
	b.SetNRGBA64(1, 0, color.NRGBA64{0, 0, 1, 0})
	d, err := Compare(t.Context(), Of(a), Of(b), 0)
	if err != nil || d.Differ != 1 || !strings.HasSuffix(d.Summary("got", "want"), "by up to 0.003891 of 255; the first at (1, 0): got (0, 0, 0, 0) of 65535, want (0, 0, 1, 0) of 65535") {
		t.Errorf("%s, %v", d.Summary("got", "want"), err)
	}
	if d, err = Compare(t.Context(), Of(a), Of(b), 0.004); err != nil || d.Differ != 0 || d.Within != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// Files that lie or ask for much end in one line, before memory is taken.
func TestRead_Hostile(t *testing.T) {
	good := bomb.PNG(4, 4, 8, 6, false, nil)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-20] ^= 0xff
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty.png":     {nil, "is neither PNG, JPEG, WebP, GIF, BMP nor TGA"},
		"text.png":      {[]byte("not a picture"), "is neither PNG, JPEG, WebP, GIF, BMP nor TGA"},
		"cut.png":       {good[:40], "decoding: unexpected EOF"},
		"header.png":    {good[:20], "unexpected EOF"},
		"broken.png":    {flipped, "png file: decoding: "},
		"no texels.png": {bomb.PNGHeader(16384, 16384, 16, 6), "decoding 16384 × 16384 pixels: needs 2.00 GiB"},
		"large.png":     {bomb.PNG(16384, 16384, 1, 0, false, nil), "decoding 16384 × 16384 pixels: needs 256.1 MiB"},
		"long.png":      {bomb.PNGHeader(1<<20, 1, 8, 0), "1048576 × 1 pixels; 1 to 65536 in each direction"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		b := budget.New(64<<20, "the limit")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(t.Context(), path, b)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 2<<20 {
			t.Errorf("%s: %d bytes were taken", name, taken)
		}
		if b.Used() != 0 {
			t.Errorf("%s: %d bytes stay charged", name, b.Used())
		}
	}
	if _, err := Read(t.Context(), "none.png", budget.New(0, "")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Read(t.Context(), t.TempDir(), budget.New(0, "")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a folder: %v", err)
	}
}
