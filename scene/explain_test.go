package scene_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/scene"
)

// What is explained comes from the run: each scene of the folder has the same explanation with other texts. The rules that are there to see are named.
func TestExplain_FromTheRun(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	files, err := filepath.Glob("../conformance/scenes/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenes, %v", len(files), err)
	}
	shows := map[string]string{
		"04-clipping": "RAS-079", "09-density": "RAS-128", "10-rates": "RAS-150", "11-enums": "RAS-159", "12-rate-image": "RAS-163", "13-sample-shading": "RAS-177",
		"15-points": "RAS-189", "16-bresenham": "RAS-213 RAS-211", "16-rectangular": "RAS-200", "16-smooth": "RAS-228 RAS-316", "16-stipple": "RAS-221 RAS-222", "16-wide-bresenham": "RAS-217",
		"17-conservative": "RAS-270 RAS-275", "17-facing": "RAS-235", "17-fill-rectangle": "RAS-254", "17-modes": "RAS-251 RAS-252", "17-top-left": "RAS-239",
		"18-interpolation": "RAS-246 RAS-247 RAS-282", "19-mask": "RAS-307 RAS-309", "20-blending": "RAS-340 RAS-341", "21-resolve": "RAS-352",
	}
	for _, f := range files {
		s, err := scene.Load(t.Context(), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Explain(t.Context(), dev)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		s.Title, s.Text, s.Rules = "", "There is nothing to see.", []string{"RAS-356", "IMG-001"}
		if got, err := s.Explain(t.Context(), dev); err != nil || got != want {
			t.Errorf("%s, %v: with other texts\n%s\nwant\n%s", f, err, got, want)
		}
		for line := range strings.Lines(want) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 {
				t.Errorf("%s: %d columns: %s", f, n, line)
			}
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		for rule := range strings.FieldsSeq(shows[name]) {
			if !strings.Contains(want, "  "+rule+" ") {
				t.Errorf("%s: %s is not named:\n%s", f, rule, want)
			}
		}
		delete(shows, name)
	}
	for name := range shows {
		t.Errorf("there is no scene %s", name)
	}
}

// A scene of a user's own, twice, with one word changed: what decided then is named, and not before.
func TestExplain_OneWordChanged(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, c := range []struct{ rule, with, without string }{
		{"RAS-235", `{"cullMode": "back", "vertices": [[0, 0], [4, 0], [0, 4]]}`, `{"vertices": [[0, 0], [4, 0], [0, 4]]}`},
		{"RAS-307", `{"scissor": [0, 0, 1, 1], "vertices": [[0, 0], [4, 0], [0, 4]]}`, `{"vertices": [[0, 0], [4, 0], [0, 4]]}`},
		{"RAS-214", `{"topology": "line_list", "lineMode": "bresenham", "vertices": [[1.5, 0.5], [1.5, 3.5]]}`, `{"topology": "line_list", "lineMode": "bresenham", "vertices": [[0.5, 1.5], [3.5, 1.5]]}`},
	} {
		explain := func(draw string) string {
			s, err := scene.Parse([]byte(`{"size": [4, 4], "draws": [` + draw + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			text, err := s.Explain(t.Context(), dev)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if !strings.Contains(explain(c.with), c.rule) {
			t.Errorf("%s is not named of %s:\n%s", c.rule, c.with, explain(c.with))
		}
		if strings.Contains(explain(c.without), c.rule) {
			t.Errorf("%s is named of %s", c.rule, c.without)
		}
	}
}

// Each draw has its own paragraph, with what decided in it: the first is culled, of the second the scissor leaves one pixel of ten.
func TestExplain_DrawByDraw(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := scene.Parse([]byte(`{"size": [4, 4], "draws": [
		{"cullMode": "back", "vertices": [[0, 0], [4, 0], [0, 4]]},
		{"scissor": [0, 0, 1, 1], "vertices": [[0, 0], [4.5, 0], [0, 4.5]]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Explain(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	_, draws, _ := strings.Cut(text, "\nDraw 0: 1 primitive; 0 samples drawn\n")
	first, second, ok := strings.Cut(draws, "\nDraw 1: 1 primitive; 1 sample drawn\n")
	if !ok || !strings.Contains(first, "RAS-235") || strings.Contains(first, "RAS-307") || !strings.Contains(second, "RAS-307") || strings.Contains(second, "RAS-235") {
		t.Error(text)
	}
	// Ten centres lie inside of x + y < 4.5; all but one are scissored.
	if !strings.Contains(second, "9 samples left out, as (1, 0): scissored") {
		t.Error(second)
	}
}

// Large scenes are looked at in part, which is told; a nil one is an error, and so is a context that has ended.
func TestExplain_Bounds(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := scene.Parse([]byte(`{"size": [256, 200], "samples": 4, "draws": [{"vertices": [[0, 0], [256, 0], [0, 256]]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Explain(t.Context(), dev)
	if err != nil || !strings.Contains(text, "4096 of 204800 samples were looked at") {
		t.Errorf("%v\n%.200s", err, text)
	}
	var none *scene.Scene
	if _, err := none.Explain(t.Context(), dev); err == nil {
		t.Error("a nil scene has an explanation")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Explain(ctx, dev); err == nil {
		t.Error("an explanation in spite of a context that has ended")
	}
}
