package imagefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/imagefile/encode"
	"github.com/pumice-gpu/pumice/vk"
)

// tga24 is a TGA file of 2 × 1 texels, red and blue.
var tga24 = append([]byte{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20}, 0, 0, 255, 255, 0, 0)

func bmp24() []byte {
	b := make([]byte, 54, 62)
	copy(b, "BM")
	b[10], b[14], b[18], b[22], b[26], b[28] = 54, 40, 2, 1, 1, 24
	return append(b, 0, 0, 255, 255, 0, 0, 0, 0)
}

func gif8(t testing.TB) []byte {
	im := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}})
	im.Pix[1] = 1
	var b bytes.Buffer
	if err := gif.Encode(&b, im, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecode_OldPictures(t *testing.T) {
	for name, data := range map[string][]byte{"TGA": tga24, "BMP": bmp24(), "GIF": gif8(t)} {
		b := budget.New(0, "")
		f, err := imagefile.Decode(t.Context(), bytes.NewReader(data), imagefile.Options{SRGB: true, Budget: b})
		if err != nil || f.Format != vk.FormatR8G8B8A8Srgb || f.Width != 2 || f.Height != 1 || !bytes.Equal(f.Level(0, 0), []byte{255, 0, 0, 255, 0, 0, 255, 255}) {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		if b.Used() != 8 {
			t.Errorf("%s: %d bytes are charged for 8", name, b.Used())
		}
	}
}

// Light keeps its numbers; alpha is 1.
func TestDecode_Light(t *testing.T) {
	var exr bytes.Buffer
	if err := encode.WriteEXR(&exr, 2, 1, []float32{.5, 2, 1000, 1, 0, .25, 4, .5}, encode.EXROptions{Float32: true}); err != nil {
		t.Fatal(err)
	}
	// Mantissas 128, 64 and 0 with the exponent 129: m · 2^(129−136).
	hdr := "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x40\x00\x81"
	for name, c := range map[string]struct {
		data string
		want []float32
	}{
		"OpenEXR":  {exr.String(), []float32{.5, 2, 1000, 1, 0, .25, 4, .5}},
		"Radiance": {hdr, []float32{1, .5, 0, 1}},
	} {
		b := budget.New(0, "")
		f, err := imagefile.Decode(t.Context(), strings.NewReader(c.data), imagefile.Options{Budget: b})
		if err != nil || f.Format != vk.FormatR32G32B32A32Sfloat || len(f.Level(0, 0)) != 4*len(c.want) {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		for i, want := range c.want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(f.Level(0, 0)[4*i:])); got != want {
				t.Errorf("%s: number %d is %v, want %v", name, i, got, want)
			}
		}
		b = budget.New(int64(40+len(c.data)), "the test's limit")
		if _, err := imagefile.Decode(t.Context(), strings.NewReader(c.data), imagefile.Options{Budget: b}); err == nil || b.Used() != 0 {
			t.Errorf("%s: %v, %d bytes stay charged", name, err, b.Used())
		}
		_, err = imagefile.Decode(t.Context(), strings.NewReader(c.data[:len(c.data)-2]), imagefile.Options{})
		var e *imagefile.Error
		if !errors.As(err, &e) || e.Kind != name {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
}

func TestDecode_NamesForeignKinds(t *testing.T) {
	for want, data := range map[string]string{
		"AVIF": "\x00\x00\x00\x1cftypavif", "TIFF": "II*\x00\x08\x00\x00\x00", "JPEG XL": "\xff\x0a\x00", "ktx2ktx2": "\xabKTX 11\xbb\r\n\x1a\n", "PSD": "8BPS\x00\x01", "ICO": "\x00\x00\x01\x00\x01\x00",
	} {
		_, err := imagefile.Decode(t.Context(), strings.NewReader(data), imagefile.Options{})
		var e *imagefile.Error
		if !errors.As(err, &e) || !e.Unsupported || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// What is told of a file comes with it.
func TestDecode_Warnings(t *testing.T) {
	f, err := imagefile.Decode(t.Context(), bytes.NewReader(dds(func(word func(int, uint32)) { word(28, 9) }, 8+8+8)), imagefile.Options{})
	if err != nil || len(f.Warnings) != 1 || f.Levels != 3 {
		t.Errorf("%+v, %v", f, err)
	}
}
