package scene_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/scene"
)

func run(t *testing.T, text string) (*scene.Scene, []scene.Sample) {
	t.Helper()
	s, err := scene.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	samples, err := s.Run(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	return s, samples
}

// TestRun_SamplesSayWhatTheyGot: draw, primitive and place of the fragment.
func TestRun_SamplesSayWhatTheyGot(t *testing.T) {
	_, got := run(t, `{"size": [4, 2], "draws": [
		{"topology": "point_list", "vertices": [[0.5, 0.5], [2.5, 0.5]]},
		{"topology": "triangle_list", "rate": [2, 2], "vertices": [[2, 1], [4, 1], [2, 2], [2, 2], [4, 1], [4, 2]]}]}`)
	want := []scene.Sample{
		{Draw: 1, X: 0.5, Y: 0.5}, {}, {Draw: 1, Primitive: 1, X: 2.5, Y: 0.5}, {},
		{}, {}, {Draw: 2, X: 3, Y: 1}, {Draw: 2, Primitive: 1, X: 3, Y: 1},
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("pixel %d: %+v, want %+v", i, got[i], w)
		}
	}
}

func TestRun_SampleMaskAndLocations(t *testing.T) {
	_, got := run(t, `{"size": [1, 1], "samples": 4, "draws": [
		{"vertices": [[0, 0], [0.5, 0], [0, 9]], "sampleLocations": [[0.1, 0.1], [0.9, 0.1], [0.3, 0.3], [0.4, 0.5]], "sampleMask": 13}]}`)
	for i, want := range []uint32{1, 0, 1, 1} {
		if got[i].Draw != want {
			t.Errorf("sample %d: %+v", i, got[i])
		}
	}
}

func TestParse_Hostile(t *testing.T) {
	const draw = `"draws": [{"vertices": [[0, 0]]}]`
	for text, want := range map[string]string{
		`{`:                                   "EOF",
		`{"colour": 1}`:                       "colour",
		`{"size": [0, 4], ` + draw + `}`:      "size",
		`{"size": [4, 100000], ` + draw + `}`: "size",
		`{"size": [4, 4], "samples": 3, ` + draw + `}`: "samples",
		`{"size": [4, 4]}`:                                 "draws",
		`{"size": [4, 4], "draws": [{}]}`:                  "vertices",
		`{"size": [4, 4], "draws": [{"vertices": [[1]]}]}`: "numbers",
		`{"size": [4, 4], "draws": [{"vertices": [[1, 2]], "sampleLocations": [[0, 0], [0, 0]]}]}`: "locations",
	} {
		_, err := scene.Parse([]byte(text))
		var e *scene.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error that says %q", text, err, want)
		}
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, text := range []string{
		`{"size": [4, 4], "draws": [{"topology": "quads", "vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "draws": [{"cullMode": "left", "vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "draws": [{"rate": [3, 1], "vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "draws": [{"scissor": [-1, 0, 2, 2], "vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "draws": [{"lineWidth": -3, "topology": "line_list", "vertices": [[1, 2], [3, 3]]}]}`,
	} {
		s, err := scene.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), dev); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}

// What a file has in the place of a word is quoted as far as a line goes, wherever it stands.
func TestParse_LongWords(t *testing.T) {
	long := strings.Repeat("käse ", 1000)
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, text := range []string{
		`{"` + long + `": 1}`,
		`{"draws": [{"` + long + `": 1}]}`,
		`{"size": "` + long + `"}`,
		`{"samples": ` + strings.Repeat("9", 5000) + `}`,
		`{"size": [4, 4], "show": "` + long + `", "draws": [{"vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "draws": [{"topology": "` + long + `", "vertices": [[1, 2]]}]}`,
		`{"size": [4, 4], "rates": [["` + long + `"]], "draws": [{"vertices": [[1, 2]]}]}`,
	} {
		s, err := scene.Parse([]byte(text))
		if err == nil {
			_, err = s.Run(t.Context(), dev)
		}
		if err == nil || len(err.Error()) > 600 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.40s…: an error of %d bytes", text, len(fmt.Sprint(err)))
		}
	}
}
