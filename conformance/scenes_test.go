package conformance

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/scene"
)

// TestScenes_DrawTheirPictures draws each scene of the folder and compares it
// with the picture that docs/rasterization.md shows, which was looked at.
func TestScenes_DrawTheirPictures(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	files, err := filepath.Glob("scenes/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenes, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) {
			s, err := scene.Load(t.Context(), f, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Title == "" || s.Text == "" || len(s.Rules) == 0 {
				t.Error("title, text and rules tell readers what there is to see")
			}
			if s.Counted != nil {
				if n, err := s.Count(t.Context(), dev); err != nil || !slices.Equal(n, s.Counted) {
					t.Errorf("%d samples pass, %v; the scene says %d", n, err, s.Counted)
				}
			}
			got, err := s.Picture(t.Context(), dev, 32)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join("../docs/images/scenes", strings.TrimSuffix(filepath.Base(f), ".json")+".png"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if want.Bounds() != got.Rect {
				t.Fatalf("%v, the docs' picture %v", got.Rect, want.Bounds())
			}
			wrong := 0
			for y := range got.Rect.Dy() {
				for x := range got.Rect.Dx() {
					r, g, b, a := want.At(x, y).RGBA()
					R, G, B, A := got.At(x, y).RGBA()
					if r != R || g != G || b != B || a != A {
						wrong++
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d pixels differ from the docs' picture; `go generate ./conformance` writes it anew", wrong)
			}
		})
	}
}
