package conformance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/golden"
	"github.com/pumice-gpu/pumice/scene"
)

// TestScenes_DrawTheirPictures draws each scene of the folder and compares it
// with the picture that docs/rasterization.md shows, which was looked at;
// `go generate ./conformance` writes it anew.
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
			golden.Compare(t, got, filepath.Join("../docs/images/scenes", strings.TrimSuffix(filepath.Base(f), ".json")+".png"))
		})
	}
}
