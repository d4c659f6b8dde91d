//go:build outside

package imagefile_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// A part of a picture, encoded in every footprint by the astcenc that is there.
func TestOutside_AstcencEncodes(t *testing.T) {
	tool := outside.Tool{Name: "astcenc", Other: []string{"astcenc-native", "astcenc-avx2", "astcenc-sse4.1", "astcenc-sse2"},
		Debian: "astcenc", Version: []string{"-version"}, Why: "files that it encodes"}
	path := tool.Path(t)
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	dir := t.TempDir()
	if outside.Recording() {
		dir = encodedFolder
	}
	original := filepath.Join(dir, "original.png")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(original, part(t, image.Rect(300, 150, 341, 187)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, footprint := range footprints {
		file, decoded := filepath.Join(dir, footprint+".astc"), filepath.Join(dir, footprint+".png")
		for _, args := range [][]string{{"-cs", original, file, footprint, "-fast"}, {"-ds", file, decoded}} {
			if out, err := exec.Command(path, append(args, "-silent")...).CombinedOutput(); err != nil {
				t.Fatalf("astcenc %v: %v\n%s", args, err, out)
			}
		}
		compareASTC(t, dev, file, decoded, original)
	}
	if outside.Recording() {
		told := "original.png is a part of docs/images/helmet.png; the rest is what encodes (-cs, -fast) and decodes (-ds) it,\n" + tool.NewRecord(path).Tool + "\n"
		if err := os.WriteFile(filepath.Join(dir, "README.txt"), []byte(told), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// part is one of the picture in the README, as PNG; alpha falls to its right.
func part(t *testing.T, box image.Rectangle) []byte {
	t.Helper()
	whole := readPNG(t, filepath.Join("..", "docs", "images", "helmet.png"))
	out := image.NewNRGBA(image.Rectangle{Max: box.Size()})
	for y := range box.Dy() {
		for x := range box.Dx() {
			c := color.NRGBAModel.Convert(whole.At(box.Min.X+x, box.Min.Y+y)).(color.NRGBA)
			c.A = uint8(255 - 2*x)
			out.SetNRGBA(x, y, c)
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, out); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}
