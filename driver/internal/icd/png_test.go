package icd

import (
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is written is what Go's decoder reads, of any size.
func TestWritePNG_IsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {3, 2}, {17, 31}, {300, 200}} {
		img := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
		for i := range img.Pix {
			if img.Pix[i] = byte(r.IntN(256)); i%4 == 3 {
				img.Pix[i] = 255
			}
		}
		var file strings.Builder
		if err := writePNG(&file, img); err != nil {
			t.Fatal(err)
		}
		from := strings.NewReader(file.String())
		got, err := png.Decode(from)
		if err != nil || got.Bounds() != img.Rect || from.Len() != 0 {
			t.Fatalf("%v: %v, %d bytes are left", size, err, from.Len())
		}
		for y := range size[1] {
			for x := range size[0] {
				if c := color.NRGBAModel.Convert(got.At(x, y)); c != img.NRGBAAt(x, y) {
					t.Fatalf("%v: %d, %d is %v, want %v", size, x, y, c, img.NRGBAAt(x, y))
				}
			}
		}
	}
}
