package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
)

// A value is followed through what a draw read to the image that holds it.
func TestFollow_ToTheTexelThatWasRead(t *testing.T) {
	s, err := plantedSubject("winding/right")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	w, err := (&limits{memory: "256MiB"}).begin(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := follow(w, s, point{x: 6, y: 7}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `1. pixel 6, 7 of picture: 0.56078434, 0.25490198, 0.16078432, 1, by pass 0, draw 1 (box), triangle 0, of texture(albedo) at 0.07586, 0.1205
2. pixel 1, 1 of albedo: 0.79607844, 0.79607844, 0.9019608, 1
of a model, values are followed to the images that its shaders read, such as albedo, and no farther
`
	if d := cmp.Diff(want, a.text()); d != "" {
		t.Error(d)
	}
}

// drew is an explanation of a sample that a draw wrote, of a texel of an image.
func drew(to explain.Target, of *explain.Target, x, y int) *explain.Explanation {
	v := explain.Value{Text: "0.5"}
	return &explain.Explanation{Target: to, After: v, Events: []explain.Event{{
		Kind: explain.Draw, Where: "draw 1", Outcome: explain.Wrote, After: v,
		Draw: &explain.Drawn{Fragments: []explain.Fragment{{
			Primitive: explain.Primitive{ID: 3, Vertices: make([]explain.Vertex, 3)},
			Outcome:   explain.Wrote, Images: []explain.Image{
				{Instruction: "texture(other)", Of: of, Texels: []explain.Texel{{X: 9}}},
				{Instruction: "texture(shadow)", Of: of, Texels: []explain.Texel{
					{X: 1, Weight: 0.25}, {X: x, Y: y, Level: 1, Layer: 2, Weight: 0.75,
						Value: explain.Value{Text: "0.25"}},
				}},
			},
		}}},
	}}}
}

// A capture is replayed once for each image on the way, and once more from its first frame on where
// nothing in the frame wrote the texel; of what wrote it that counts which left the value that was
// read.
func TestFollow_Captures(t *testing.T) {
	dir := pretended(t,
		`case $PUMICE_EXPLAIN in *since=1*) f=early;; *image=7*) f=late;; *) f=shown;; esac
cp "$DIR/$f" "$PUMICE_EXPLAIN_OUT"; cp "$DIR/picture.png" "$PUMICE_EXPLAIN_OUT.png"
`)
	path, _ := captureFile(t, 10, 12)
	shown := explain.Target{Image: "swapchain #3", Format: "VK_FORMAT_R8_UNORM", Width: 3, Height: 2,
		X: 2, Y: 1}
	map7 := explain.Target{Image: "#7 (shadow)", Format: "VK_FORMAT_D32_SFLOAT", Width: 64, Height: 64}
	explained(t, filepath.Join(dir, "shown"), drew(shown, &map7, 4, 5))
	late := map7
	late.X, late.Y, late.Level, late.Layer = 4, 5, 1, 2
	explained(t, filepath.Join(dir, "late"), &explain.Explanation{Target: late,
		After: explain.Value{Text: "0.75"}})
	explained(t, filepath.Join(dir, "early"), &explain.Explanation{Target: late,
		Events: []explain.Event{
			{Kind: explain.Copy, Where: "upload", Outcome: explain.Wrote, After: explain.Value{Text: "0.25"}},
			{Kind: explain.ClearRect, Where: "later", Outcome: explain.Wrote,
				After: explain.Value{Text: "0.75"}},
		}})
	code, out, errs := command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow=2")
	const want = `1. pixel 2, 1 of swapchain #3: 0.5, by draw 1, triangle 3, of texture(shadow)
   READ of --follow=READ: 1 texture(other); 2 texture(shadow)
2. pixel 4, 5 of #7 (shadow), level 1, layer 2: 0.25, by upload
upload made the value (copy)
`
	if d := cmp.Diff(want, out); code != 0 || d != "" {
		t.Errorf("%d %s\n%s", code, errs, d)
	}
	if d := cmp.Diff([]string{
		"frame=3,pixel=2,1,sample=0,shader",
		"frame=3,pixel=4,5,sample=0,image=7,level=1,layer=2,shader",
		"frame=3,since=1,pixel=4,5,sample=0,image=7,level=1,layer=2,shader",
	}, asked(t, dir)); d != "" {
		t.Error(d)
	}

	code, _, errs = command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow=3")
	if code == 0 || !strings.Contains(errs,
		"image 2: draw 1 read 2, from 0: texture(other); texture(shadow)") {
		t.Errorf("%d %s", code, errs)
	}
	// Texels of blocks are watched as others are.
	map7.Format = "VK_FORMAT_BC1_RGB_UNORM_BLOCK"
	explained(t, filepath.Join(dir, "shown"), drew(shown, &map7, 4, 5))
	_, out, _ = command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow=2")
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}

	// Each draw that read several has a choice of its own.
	map9 := map7
	map9.Image = "#9"
	explained(t, filepath.Join(dir, "late"), drew(late, &map9, 4, 5))
	for choice, read := range map[string]string{"2,1": "other", "2,2": "shadow", "2": "other"} {
		_, out, _ = command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow="+choice)
		want := `2. pixel 4, 5 of #7 (shadow), level 1, layer 2: 0.25, by draw 1, triangle 3, of texture(` + read + `)
   READ of --follow=2,READ: 1 texture(other); 2 texture(shadow)
`
		if !strings.Contains(out, want) {
			t.Errorf("--follow=%s: %s", choice, out)
		}
	}
	explained(t, filepath.Join(dir, "late"), &explain.Explanation{Target: late,
		After: explain.Value{Text: "0.75"}})

	// What the frame wrote anew after it was read is from before the frame.
	explained(t, filepath.Join(dir, "late"), &explain.Explanation{Target: late,
		Before: explain.Value{Text: "0.25"}, After: explain.Value{Text: "0.75"}, Events: []explain.Event{
			{Kind: explain.ClearRect, Where: "later", Outcome: explain.Wrote, After: explain.Value{Text: "0.75"}},
		}})
	_, out, _ = command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow=2")
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}

	// The page has the pixel, and what it came from.
	file := filepath.Join(t.TempDir(), "page.html")
	code, _, errs = command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--follow=2", "--html", file)
	html, err := os.ReadFile(file)
	if code != 0 || err != nil || !strings.Contains(string(html), `"followed":[{"version":0,"target":{"image":"#7 (shadow)"`) {
		t.Errorf("%d %s %v", code, errs, err)
	}
}

// Hints of a capture are tried by replays of the one texel, in which draws are counted anew.
func TestExplainCapture_Tries(t *testing.T) {
	dir := pretended(t,
		`case $PUMICE_EXPLAIN in *try=2/scissor/0+0+8+8*) f=after;; *image=3*) f=alone;; *) f=shown;; esac
cp "$DIR/$f" "$PUMICE_EXPLAIN_OUT"; cp "$DIR/picture.png" "$PUMICE_EXPLAIN_OUT.png"
`)
	path, _ := captureFile(t, 10, 12)
	shown := explain.Target{Image: "swapchain #3", Format: "VK_FORMAT_R8_UNORM", Width: 3, Height: 2,
		X: 2, Y: 1}
	e := func(ordinal int, outcome explain.Outcome, after string) *explain.Explanation {
		v := explain.Value{Text: after}
		x := &explain.Explanation{Target: shown, Verdict: []string{"verdict"}, After: v,
			Events: []explain.Event{
				{Kind: explain.Draw, Where: "draw 4", Ordinal: ordinal, Outcome: outcome, After: v},
			}}
		for _, c := range []*explain.Change{{State: "scissor", Value: "0, 0, 8, 8"}, {State: "cullMode",
			Value: "VK_CULL_MODE_NONE"}} {
			x.Hints = append(x.Hints, explain.Hint{Ordinal: ordinal, Where: "draw 4", Change: c,
				Says: "says"})
		}
		return x
	}
	explained(t, filepath.Join(dir, "shown"), e(7, explain.Missed, "0"))
	alone := e(2, explain.Missed, "0")
	alone.Hints = alone.Hints[:1] // the other does not come out again
	explained(t, filepath.Join(dir, "alone"), alone)
	explained(t, filepath.Join(dir, "after"), e(2, explain.Wrote, "1"))
	code, out, errs := command(t, "explain", path, "--frame", "12", "--pixel", "2,1", "--try",
		"--json")
	var got []explain.Explanation
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%d %s %s: %v", code, out, errs, err)
	}
	h := got[0].Hints
	if len(h) != 2 || h[0].Tried == nil || !h[0].Tried.Wrote || h[0].Tried.After.Text != "1" ||
		h[1].Tried != nil {
		t.Errorf("%+v", h)
	}
	if d := cmp.Diff([]string{
		"frame=3,pixel=2,1,sample=0",
		"frame=3,pixel=2,1,sample=0,image=3,level=0,layer=0,shader",
		"frame=3,try=2/scissor/0+0+8+8,pixel=2,1,sample=0,image=3,level=0,layer=0,shader",
	}, asked(t, dir)); d != "" {
		t.Error(d)
	}
}
