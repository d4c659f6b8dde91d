package encode_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/webp"

	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/imagefile/encode"
	"github.com/pumice-gpu/pumice/vk"
)

// pictures are of several extents and kinds: noise, flat, gradients, few colours, runs.
func pictures() map[string]*image.NRGBA {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func(x, y int) color.NRGBA{
		"noise": func(_, _ int) color.NRGBA {
			v := random.Uint32()
			return color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), uint8(v >> 24)}
		},
		"flat":     func(_, _ int) color.NRGBA { return color.NRGBA{17, 34, 51, 255} },
		"clear":    func(_, _ int) color.NRGBA { return color.NRGBA{} },
		"gradient": func(x, y int) color.NRGBA { return color.NRGBA{uint8(3 * x), uint8(5 * y), uint8(x + y), 255} },
		"two":      func(x, y int) color.NRGBA { return color.NRGBA{255 * uint8((x/3+y/2)%2), 0, 9, uint8(255 - x%2)} },
		"rows":     func(_, y int) color.NRGBA { v := uint8(y * y * 7); return color.NRGBA{v, v + 1, 255 - v, v} },
		"hidden":   func(x, y int) color.NRGBA { return color.NRGBA{uint8(x * y), 7, uint8(x), 0} }, // colours without alpha
		"skewed": func(_, _ int) color.NRGBA {
			return color.NRGBA{uint8(1) << min(7, uint(random.ExpFloat64())), 3, 4, 255}
		},
	}
	list := map[string]*image.NRGBA{}
	for name, at := range kinds {
		for _, size := range []image.Point{{1, 1}, {1, 40}, {33, 1}, {16, 16}, {131, 67}} {
			img := image.NewNRGBA(image.Rectangle{Max: size})
			for y := range size.Y {
				for x := range size.X {
					img.SetNRGBA(x, y, at(x, y))
				}
			}
			list[name+" "+size.String()] = img
		}
	}
	part := list["noise (131,67)"].SubImage(image.Rect(20, 10, 90, 30)).(*image.NRGBA) // rows are apart, the corner is not 0
	list["part"] = part
	return list
}

func encoded(t *testing.T, img *image.NRGBA, f encode.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode.Write(&out, img, f, encode.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// same compares pixels as they are stored, colours of invisible ones too.
func same(t *testing.T, name string, got image.Image, want *image.NRGBA) {
	t.Helper()
	g, ok := got.(*image.NRGBA)
	if !ok {
		t.Errorf("%s: a %T comes back", name, got)
		return
	}
	if g.Rect.Size() != want.Rect.Size() {
		t.Errorf("%s: %v, want %v", name, g.Rect.Size(), want.Rect.Size())
		return
	}
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			a, b := g.NRGBAAt(g.Rect.Min.X+x, g.Rect.Min.Y+y), want.NRGBAAt(want.Rect.Min.X+x, want.Rect.Min.Y+y)
			if a != b {
				t.Errorf("%s: pixel %d,%d is %v, want %v", name, x, y, a, b)
				return
			}
		}
	}
}

func TestWebP_DecodesToTheSamePixels(t *testing.T) {
	for name, img := range pictures() {
		data := encoded(t, img, encode.WebP)
		got, err := webp.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, name, got, img)
		if name == "flat (131,67)" && len(data) > 200 {
			t.Errorf("one colour takes %d bytes", len(data))
		}
	}
}

func FuzzWebP(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(1))
	f.Add(bytes.Repeat([]byte{9, 9, 9, 255}, 300), uint8(20))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8) {
		w := max(1, int(width))
		h := len(pix) / 4 / w
		if h == 0 {
			return
		}
		img := &image.NRGBA{Pix: pix[:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
		got, err := webp.Decode(bytes.NewReader(encoded(t, img, encode.WebP)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "fuzzed", got, img)
	})
}

func TestPNG_DecodesToTheSamePixels(t *testing.T) {
	for name, img := range pictures() {
		got, err := png.Decode(bytes.NewReader(encoded(t, img, encode.PNG)))
		if err != nil {
			t.Fatal(err)
		}
		if opaque, ok := got.(*image.RGBA); ok { // what PNG without alpha decodes to
			got = &image.NRGBA{Pix: opaque.Pix, Stride: opaque.Stride, Rect: opaque.Rect}
		}
		same(t, name, got, img)
	}
}

// Package imagefile reads what is written, and finds it whole.
func TestKTX2_ReadBack(t *testing.T) {
	for name, img := range pictures() {
		f, err := imagefile.Decode(context.Background(), bytes.NewReader(encoded(t, img, encode.KTX2)), imagefile.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Format != vk.FormatR8G8B8A8Srgb || f.Levels != 1 || f.Layers != 1 {
			t.Errorf("%s: format %v, %d levels, %d layers", name, f.Format, f.Levels, f.Layers)
		}
		same(t, name, &image.NRGBA{Pix: f.Level(0, 0), Stride: 4 * f.Width, Rect: image.Rect(0, 0, f.Width, f.Height)}, img)
	}
}

// JPEG has no alpha: pictures lie over white.
func TestJPEG_OverWhite(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range img.Pix {
		img.Pix[i] = [4]uint8{200, 0, 0, 128}[i%4]
	}
	got, err := jpeg.Decode(bytes.NewReader(encoded(t, img, encode.JPEG)))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := got.At(16, 16).RGBA()
	for i, v := range [3]uint32{r >> 8, g >> 8, b >> 8} {
		// 200·128/255 + 255·127/255 = 227.4 and 127
		if want := [3]int{227, 127, 127}[i]; int(v) < want-3 || int(v) > want+3 {
			t.Errorf("channel %d is %d, want %d", i, v, want)
		}
	}
}

func TestRGBA_IsTheRows(t *testing.T) {
	for name, img := range pictures() {
		data := encoded(t, img, encode.RGBA)
		size := img.Rect.Size()
		if len(data) != 4*size.X*size.Y {
			t.Fatalf("%s: %d bytes", name, len(data))
		}
		same(t, name, &image.NRGBA{Pix: data, Stride: 4 * size.X, Rect: image.Rectangle{Max: size}}, img)
	}
}

func TestWrite_Refusals(t *testing.T) {
	wide := &image.NRGBA{Pix: make([]byte, 4*70_000), Stride: 4 * 70_000, Rect: image.Rect(0, 0, 70_000, 1)}
	for _, f := range []encode.Format{encode.WebP, encode.JPEG} {
		if err := encode.Write(&bytes.Buffer{}, wide, f, encode.Options{}); !errors.Is(err, encode.ErrTooLarge) {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := encode.Write(&bytes.Buffer{}, image.NewNRGBA(image.Rectangle{}), encode.PNG, encode.Options{}); err == nil {
		t.Error("a picture without pixels")
	}
	if err := encode.Write(&bytes.Buffer{}, wide, "gif", encode.Options{}); err == nil {
		t.Error("an unknown format")
	}
}

func TestFormatOf_Suffixes(t *testing.T) {
	for name, want := range map[string]encode.Format{"a.png": encode.PNG, "B.JPG": encode.JPEG, "c.jpeg": encode.JPEG, "d/e.webp": encode.WebP, "f.tar.exr": encode.EXR, "g.rgba": encode.RGBA} {
		if got, ok := encode.FormatOf(name); !ok || got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"png", "a.gif", "", "a."} {
		if f, ok := encode.FormatOf(name); ok {
			t.Errorf("%s: %q", name, f)
		}
	}
}

// Mistakes of the caller are errors, and an animation that ends early is one.
func TestAnimation_Refusals(t *testing.T) {
	for _, c := range []struct {
		width, frames int
		fps           float64
	}{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, math.NaN()}} {
		if _, err := encode.NewAnimation(&bytes.Buffer{}, c.width, 1, c.frames, c.fps); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	a, err := encode.NewAnimation(&bytes.Buffer{}, 4, 4, 2, 25)
	if err != nil {
		t.Fatal(err)
	}
	if a.Add(image.NewNRGBA(image.Rect(0, 0, 4, 5))) == nil {
		t.Error("a frame of another extent")
	}
	if a.Close() == nil {
		t.Error("two frames short")
	}
}

// Values of the format: 1 is 0x3c00, the least normal number 2⁻¹⁴, the least of all 2⁻²⁴;
// halves between two go to the even one.
func TestEXR_RoundsToHalf(t *testing.T) {
	inf := float32(math.Inf(1))
	for value, want := range map[float32]uint16{
		0: 0, 1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65519: 0x7bff, 65520: 0x7c00, inf: 0x7c00, -inf: 0xfc00, 1e30: 0x7c00,
		1. / (1 << 14): 0x0400, 1. / (1 << 24): 1, 1. / (1 << 25): 0, 1.5 / (1 << 25): 1, 3. / (1 << 25): 2, 1e-30: 0,
		1 + 1./2048: 0x3c00, 1 + 3./2048: 0x3c02, 1 + 1.1/2048: 0x3c01, 1023.75 / (1 << 24): 0x0400, float32(math.NaN()): 0x7e00,
	} {
		var out bytes.Buffer
		if err := encode.WriteEXR(&out, 1, 1, []float32{value, 0, 0, 0}, encode.EXROptions{Uncompressed: true}); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		if got := binary.LittleEndian.Uint16(data[len(data)-2:]); got != want { // red is the last
			t.Errorf("%v is %#04x, want %#04x", value, got, want)
		}
	}
}

// The transfer function of sRGB: 0.5 is 188 encoded, nearly, and 10/255 lies on the straight part.
func TestLinearize_Values(t *testing.T) {
	img := &image.NRGBA{Pix: []byte{255, 188, 10, 255, 255, 255, 0, 51}, Stride: 8, Rect: image.Rect(0, 0, 2, 1)}
	want := []float64{1, 0.5029, 10. / 255 / 12.92, 1, 0.2, 0.2, 0, 0.2}
	for i, got := range encode.Linearize(img) {
		if math.Abs(float64(got)-want[i]) > 1e-4 {
			t.Errorf("float %d is %v, want %v", i, got, want[i])
		}
	}
}
