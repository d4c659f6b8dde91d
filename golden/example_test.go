package golden_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/golden"
)

// printer stands for the *testing.T that a test has.
type printer struct{ testing.TB }

func (printer) Helper() {}

func (printer) Errorf(format string, args ...any) {
	first, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	fmt.Println(first) // the other lines name the files that it leaves
}

func (printer) Context() context.Context { return context.Background() }

// checkers is what a program draws.
func checkers(dark color.Color) image.Image {
	im := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for y := range 16 {
		for x := range 16 {
			im.Set(x, y, color.White)
			if (x/4+y/4)%2 == 1 {
				im.Set(x, y, dark)
			}
		}
	}
	return im
}

func Example() {
	var t printer
	golden.Compare(t, checkers(color.NRGBA{40, 80, 160, 255}), "testdata/checkers.png")
	golden.Compare(t, checkers(color.NRGBA{40, 81, 160, 255}), "testdata/checkers.png")
	golden.Compare(t, checkers(color.NRGBA{40, 81, 160, 255}), "testdata/checkers.png", golden.Tolerance{Channel: 1})
	// Output:
	// testdata/checkers.png: 128 of 256 pixels differ (50 %), all in x 0 to 15, y 0 to 15, by up to 1 of 255; the first at (4, 0): got (40, 81, 160, 255), want (40, 80, 160, 255)
}
