package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/assets"
)

var ctx = context.Background()

func spv(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// assetFolder returns the folder of models by others.
func assetFolder(t testing.TB) string {
	t.Helper()
	return assets.Folder(t, "gltf")
}

// config names a way to run that must not change any byte.
type config struct {
	threads, tile, lanes int
	memory               pumice.MemoryMode
	// split is how many passes, copies or dispatches make one submission; 0
	// submits everything at once.
	split int
	// debug, if not nil, hears what Config.Debug does.
	debug func(pumice.Message)
}

// silence fails the test where a correct program is told anything.
func silence(t testing.TB) func(pumice.Message) {
	return func(m pumice.Message) {
		if m.Severity != pumice.SeverityInfo {
			t.Errorf("Debug hears %s", m.Text)
		}
	}
}

func (c config) String() string {
	return fmt.Sprintf("threads %d, tile %d, lanes %d, memory mode %d, split %d", c.threads, c.tile, c.lanes, c.memory, c.split)
}

// configs begins with the reference. The other nine are the rows of the
// orthogonal array L9(3⁴) over threads, tile size, lanes and (memory, split):
// any value of a setting meets any value of any other setting in one of them.
func configs() []config {
	threads, tiles, lanes := [3]int{1, 2, 7}, [3]int{16, 64, 256}, [3]int{64, 128, 256}
	memory, split := [3]pumice.MemoryMode{pumice.MemoryOffHeap, pumice.MemoryHeap, pumice.MemoryGuard}, [3]int{0, 0, 1}
	list := []config{{threads: 1, tile: 64, lanes: 64, memory: pumice.MemoryOffHeap}}
	for a := range 3 {
		for b := range 3 {
			c, d := (a+b)%3, (a+2*b)%3
			list = append(list, config{threads: threads[a], tile: tiles[b], lanes: lanes[c], memory: memory[d], split: split[d]})
		}
	}
	return list
}

func open(t testing.TB, c config) *pumice.Device {
	t.Helper()
	dev, err := pumice.Open(&pumice.Config{Threads: c.threads, TileSize: c.tile, Lanes: c.lanes, MemoryMode: c.memory, Debug: c.debug})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// result is what is left after a run: the bytes of one image or buffer.
type result struct {
	name          string
	width, height int
	texel         int // bytes
	data          []byte
}

func pictureResult(name string, img *image.NRGBA) result {
	return result{name, img.Rect.Dx(), img.Rect.Dy(), 4, img.Pix}
}

// picture shows a result: four-byte texels as they are, others with their bytes
// folded into red, green and blue.
func (r result) picture() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, r.width, r.height))
	for i := range r.width * r.height {
		if (i+1)*r.texel > len(r.data) {
			break
		}
		texel := r.data[i*r.texel : (i+1)*r.texel]
		if r.texel == 4 {
			copy(img.Pix[4*i:], texel)
			continue
		}
		for j, b := range texel {
			img.Pix[4*i+j%3] ^= b
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// difference is white where want and got differ, dark elsewhere.
func difference(want, got result) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, want.width, want.height))
	for i := range want.width * want.height {
		c := color.NRGBA{32, 32, 32, 255}
		lo, hi := i*want.texel, (i+1)*want.texel
		if hi > len(want.data) || hi > len(got.data) || !bytes.Equal(want.data[lo:hi], got.data[lo:hi]) {
			c = color.NRGBA{255, 255, 255, 255}
		}
		img.SetNRGBA(i%want.width, i/want.width, c)
	}
	return img
}

// same fails the test where got differs from want: it names the first texel
// that does, and writes both and their difference as PNG.
func same(t *testing.T, label string, want, got result) bool {
	t.Helper()
	if want.width == got.width && want.height == got.height && want.texel == got.texel && bytes.Equal(want.data, got.data) {
		return true
	}
	dir := t.ArtifactDir()
	if want.width != got.width || want.height != got.height || want.texel != got.texel || len(want.data) != len(got.data) {
		t.Errorf("%s: %s is %d×%d of %d bytes, want %d×%d of %d bytes", label, want.name,
			got.width, got.height, got.texel, want.width, want.height, want.texel)
		return false
	}
	first, count := -1, 0
	for i := 0; i+want.texel <= len(want.data); i += want.texel {
		if !bytes.Equal(want.data[i:i+want.texel], got.data[i:i+want.texel]) {
			if first < 0 {
				first = i
			}
			count++
		}
	}
	texel := first / want.texel
	t.Errorf("%s: %s: %d of %d texels differ, the first at (%d, %d): % x, want % x", label, want.name,
		count, want.width*want.height, texel%want.width, texel/want.width,
		got.data[first:first+want.texel], want.data[first:first+want.texel])
	err := errors.Join(
		writePNG(filepath.Join(dir, want.name+".want.png"), want.picture()),
		writePNG(filepath.Join(dir, want.name+".got.png"), got.picture()),
		writePNG(filepath.Join(dir, want.name+".diff.png"), difference(want, got)))
	if err != nil {
		t.Error(err)
	}
	t.Logf("pictures are in %s (kept with go test -artifacts)", dir)
	return false
}

func writePNG(path string, img image.Image) error {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
