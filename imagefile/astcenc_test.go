package imagefile_test

import (
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/vk"
)

// The footprints of two dimensions.
var footprints = []string{"4x4", "5x4", "5x5", "6x5", "6x6", "8x5", "8x6", "8x8", "10x5", "10x6", "10x8", "10x10", "12x10", "12x12"}

// encodedFolder has a picture of 41 × 37 texels as astcenc encodes it in every footprint, and each as astcenc decodes it:
// TestOutside_AstcencEncodes wrote them.
const encodedFolder = "testdata/astcenc"

// Files that Arm's encoder has written give the texels that its decoder has made of them.
func TestASTC_EncodedByAnother(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, footprint := range footprints {
		compareASTC(t, dev, filepath.Join(encodedFolder, footprint+".astc"), filepath.Join(encodedFolder, footprint+".png"), filepath.Join(encodedFolder, "original.png"))
	}
}

// compareASTC draws a file in sRGB and holds each texel to that of its twin; and the mean of them near to the picture that
// was encoded, or the twin is not its own.
func compareASTC(t *testing.T, dev *pumice.Device, file, decodedFile, originalFile string) {
	t.Helper()
	f, err := imagefile.Open(t.Context(), file, imagefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Format++ // of the same blocks, sRGB, whose texels astcenc has written as codes
	if !strings.HasSuffix(f.Format.String(), "SRGB_BLOCK") {
		t.Fatalf("%v is not the sRGB format", f.Format)
	}
	// Codes of sRGB, linear, and back.
	got, twin, original := decodedTo(t, dev, f, vk.FormatR8G8B8A8Srgb), readPNG(t, decodedFile), readPNG(t, originalFile)
	if got.Rect != twin.Bounds() || got.Rect != original.Bounds() {
		t.Fatalf("%s: %v, decoded %v, original %v", file, got.Rect, twin.Bounds(), original.Bounds())
	}
	wrong, far := 0, 0.0
	for y := range f.Height {
		for x := range f.Width {
			g, w := got.NRGBAAt(x, y), color.NRGBAModel.Convert(twin.At(x, y)).(color.NRGBA)
			if g != w {
				if wrong++; wrong < 4 {
					t.Errorf("%s at (%d, %d): %v, want %v", file, x, y, g, w)
				}
			}
			far += float64(apart(g, color.NRGBAModel.Convert(original.At(x, y)).(color.NRGBA)))
		}
	}
	if far /= float64(f.Width * f.Height); wrong > 0 || far > 12 {
		t.Errorf("%s: %d of %d texels differ from astcenc's, %.2f codes from the picture", file, wrong, f.Width*f.Height, far)
	}
}
