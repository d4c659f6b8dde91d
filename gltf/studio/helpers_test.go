package studio_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/internal/assets"
)

var ctx = context.Background()

// bench is a renderer on its own device.
type bench struct {
	*studio.Renderer
	t testing.TB
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return benchOn(t, nil)
}

// benchOn is a bench on a device that is opened with a Config, and closed when the test is over.
func benchOn(t testing.TB, c *pumice.Config) *bench {
	t.Helper()
	dev, err := pumice.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := studio.New(ctx, dev)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{r, t}
}

// draw renders a document.
func (b *bench) draw(doc *gltf.Document, v studio.View) *image.NRGBA {
	b.t.Helper()
	m, err := b.Load(ctx, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	defer m.Close()
	img, err := b.Render(ctx, m, v)
	if err != nil {
		b.t.Fatal(err)
	}
	return img
}

// assetFolder returns the folder of models by others.
func assetFolder(t testing.TB) string {
	t.Helper()
	return assets.Folder(t, "gltf")
}

func load(t testing.TB, path string) *gltf.Document {
	t.Helper()
	doc, err := gltf.Load(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func readPNG(t testing.TB, path string) image.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// keep writes a picture for a person to look at where the test keeps artifacts.
func keep(t *testing.T, name string, img image.Image) {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
