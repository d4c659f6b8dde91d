package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
)

func TestExplain_BadCommandLinesExitWith2(t *testing.T) {
	model := writeModel(t, triangleModel)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no pixel":               {[]string{model}, "--pixel X,Y is required"},
		"not two numbers":        {[]string{model, "--pixel", "3"}, `--pixel "3": want X,Y`},
		"three numbers":          {[]string{model, "--pixel", "3,4,5"}, `--pixel "3,4,5": want X,Y`},
		"negative":               {[]string{model, "--pixel", "-1,4"}, `--pixel "-1,4": want X,Y`},
		"right of the picture":   {[]string{model, "--width", "64", "--height", "48", "--pixel", "64,0"}, "--pixel 64,0: the picture is 64 × 48 pixels, x 0 to 63 and y 0 to 47"},
		"below the picture":      {[]string{model, "--width", "64", "--height", "48", "--pixel", "1,2", "--pixel", "0,48"}, "--pixel 0,48: the picture is 64 × 48 pixels"},
		"no such sample":         {[]string{model, "--pixel", "1,2", "--samples", "1", "--sample", "1"}, "--sample 1: the picture has 1 samples"},
		"negative sample":        {[]string{model, "--pixel", "1,2", "--sample", "-2"}, "--sample -2: want 0 or more"},
		"three samples":          {[]string{model, "--pixel", "1,2", "--samples", "3"}, "--samples 3: want 1, 4 or 8"},
		"page of another kind":   {[]string{model, "--pixel", "1,2", "--html", "why.pdf"}, `--html "why.pdf"`},
		"frame of a model":       {[]string{model, "--pixel", "1,2", "--frame", "3"}, "--frame: model.gltf is no capture"},
		"view of a capture":      {[]string{"app.GFXR", "--pixel", "1,2", "--yaw", "3"}, "--yaw: a capture shows what its program drew"},
		"frame 0 of a capture":   {[]string{"app.gfxr", "--pixel", "1,2", "--frame", "0"}, "--frame 0: frames count from 1"},
		"no draw":                {[]string{model, "--pixel", "1,2", "--draw", "two"}, `--draw "two": want the number of a draw`},
		"served to others":       {[]string{model, "--serve", "0.0.0.0:80"}, `--serve "0.0.0.0:80": the page is for this machine alone; want 127.0.0.1:PORT`},
		"served to a name":       {[]string{"--serve=example.org:80", model}, `--serve "example.org:80": the page is for this machine alone`},
		"two models":             {[]string{model, "--serve", "127.0.0.1:80", model}, "accepts at most 1 arg(s), received 2"},
		"a draw that is not":     {[]string{model, "--pixel", "1,2", "--width", "8", "--height", "8", "--draw", "0:77"}, "--draw 0:77: no pass that draws to the pixel has that draw"},
		"a flag of render alone": {[]string{model, "--pixel", "1,2", "-o", "out.png"}, "unknown shorthand flag"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"explain"}, c.args...)...)
			checkFailure(t, code, exitUsage, stderr)
			if !strings.HasPrefix(stderr, "pumice: "+c.want) || stdout != "" {
				t.Errorf("%q and %q, want %q", stdout, stderr, c.want)
			}
		})
	}
}

// told is an explanation of a point, as far as the command looks at it.
func told(p point) *explain.Explanation {
	return &explain.Explanation{
		Target:  explain.Target{Image: "picture", Format: "VK_FORMAT_R8G8B8A8_SRGB", Width: 8, Height: 6, X: p.x, Y: p.y, Sample: p.sample, Samples: 4},
		Verdict: []string{fmt.Sprintf("verdict of %d, %d, sample %d, shader %v", p.x, p.y, p.sample, p.shader)},
		Events:  []explain.Event{{Kind: explain.Clear, Where: "clear 0", Outcome: explain.Wrote, Labels: []string{"Frame"}, Steps: []explain.Step{explain.NewStep("RAS-327", "passes")}}},
	}
}

// explainWith runs the command with a stand-in that draws 8 × 6 pixels and tells what it
// was asked for.
func explainWith(t *testing.T, ctx context.Context, o explainOptions, path string, stdout io.Writer) (asked []point, err error) {
	t.Helper()
	o.samples, o.zoom, o.background, o.memory = 4, 1, "transparent", "64MiB"
	o.width, o.height = 8, 6
	o.threads = 1
	s, err := o.subject(path, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	s.draw = func(_ *work, points []point) (image.Image, []*explain.Explanation, error) {
		asked = append(asked, points...)
		var es []*explain.Explanation
		for _, p := range points {
			es = append(es, told(p))
		}
		return image.NewNRGBA(image.Rect(0, 0, 8, 6)), es, nil
	}
	w, err := o.begin(ctx, 1)
	if err != nil {
		return nil, err
	}
	return asked, w.end(explainMain(w, &o, s, stdout))
}

func TestExplain_TextJSONAndPage(t *testing.T) {
	var out bytes.Buffer
	o := explainOptions{pixels: []string{"3,4", "7,5"}, sample: 2}
	asked, err := explainWith(t, t.Context(), o, "", &out)
	if d := cmp.Diff([]point{{x: 3, y: 4, sample: 2, shader: false}, {x: 7, y: 5, sample: 2, shader: false}}, asked, cmp.AllowUnexported(point{})); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	for _, want := range []string{"Why pixel 3, 4 of picture", "\n\nWhy pixel 7, 5 of picture", "verdict of 7, 5, sample 2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "RAS-327") {
		t.Errorf("colours or steps that nobody asked for:\n%s", out.String())
	}
	out.Reset()
	o.verbose = true
	if _, err := explainWith(t, t.Context(), o, "", &out); err != nil || !strings.Contains(out.String(), "RAS-327 Depth test: passes") {
		t.Errorf("%v; with -v:\n%s", err, out.String())
	}

	out.Reset()
	html := filepath.Join(t.TempDir(), "why.html")
	o = explainOptions{pixels: []string{"3,4"}, sample: -1, shader: true, json: true, html: html}
	asked, err = explainWith(t, t.Context(), o, "scene.glb", &out)
	if err != nil || len(asked) != 1 || asked[0].sample != -1 { // the pixel with all its samples
		t.Fatalf("%v; of all samples %v are asked for", err, asked)
	}
	var es []*explain.Explanation
	if err := json.Unmarshal(out.Bytes(), &es); err != nil {
		t.Fatal(err)
	}
	want := []*explain.Explanation{told(point{x: 3, y: 4, sample: -1, shader: true})}
	if d := cmp.Diff(want, es); d != "" {
		t.Error(d)
	}
	page, err := os.ReadFile(html)
	if err != nil || !bytes.HasPrefix(page, []byte("<!DOCTYPE html>")) || !bytes.Contains(page, []byte("verdict of 3, 4, sample -1, shader true")) || !bytes.Contains(page, []byte("scene.glb")) {
		t.Errorf("%v: the page of %d bytes is not whole", err, len(page))
	}
}

// --draw leaves what a draw did.
func TestExplain_OneDraw(t *testing.T) {
	model := writeModel(t, triangleModel)
	code, stdout, stderr := command(t, "explain", model, "--pixel", "4,4", "--width", "8", "--height", "8", "--sample", "0", "--draw", "0:0", "--json")
	var es []*explain.Explanation
	if err := json.Unmarshal([]byte(stdout), &es); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(es) != 1 || len(es[0].Events) != 1 || es[0].Events[0].Kind != explain.Draw || es[0].Events[0].Index != 0 {
		t.Errorf("told of draw 0: %s", stdout)
	}
}

// --try does what the verdict speaks of: a triangle seen from behind shows without culling.
func TestExplain_Try(t *testing.T) {
	args := []string{"explain", writeModel(t, triangleModel), "--pixel", "4,5", "--width", "8", "--height", "8", "--sample", "0", "--yaw", "180", "--pitch", "0", "--try"}
	code, stdout, stderr := command(t, args...)
	for _, want := range []string{
		"with the other frontFace, or without culling, it would be drawn\n",
		"\nTried\n pass 0, draw 0 (mesh 0) with frontFace CLOCKWISE: it becomes ", "\n pass 0, draw 0 (mesh 0) without culling: it becomes ",
	} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, %q is missing in\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, stderr = command(t, append(args, "--json")...)
	var es []*explain.Explanation
	if err := json.Unmarshal([]byte(stdout), &es); err != nil || code != 0 || len(es) != 1 || len(es[0].Hints) != 2 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stderr, stdout)
	}
	for _, h := range es[0].Hints {
		if !h.Writes || h.Tried == nil || !h.Tried.Wrote || h.Tried.After == es[0].After {
			t.Errorf("%+v", h)
		}
	}
}

// A capture tells the size of its picture only when it is replayed.
func TestExplain_OutsideOfACapturesPicture(t *testing.T) {
	var out bytes.Buffer
	asked, err := explainWith(t, t.Context(), explainOptions{pixels: []string{"8,0"}, sample: -1}, "app.gfxr", &out)
	if len(asked) != 1 || asked[0].sample != 0 {
		t.Errorf("asked for %v", asked)
	}
	if usage := new(usageError); err == nil || !errors.As(err, usage) || err.Error() != "--pixel 8,0: the picture is 8 × 6 pixels, x 0 to 7 and y 0 to 5" || out.Len() > 0 {
		t.Errorf("%v, and %q", err, out.String())
	}
}

// The served page asks for pixels, of all samples where none was chosen, until the
// command is ended.
func TestExplain_ServesUntilItIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	from, to := io.Pipe()
	type end struct {
		asked []point
		err   error
	}
	ended := make(chan end)
	go func() {
		asked, err := explainWith(t, ctx, explainOptions{sample: -1, serve: freePort}, "", to)
		to.Close()
		ended <- end{asked, err}
	}()
	text := make([]byte, 200)
	n, err := from.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(string(text[:n]), "\n")
	answer, err := http.Get(url + "explain?x=7&y=5")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(body), "verdict of 7, 5, sample -1, shader false") {
		t.Errorf("%v: %s", err, body)
	}
	cancel()
	e := <-ended
	if d := cmp.Diff([]point{{x: 7, y: 5, sample: -1, shader: false}}, e.asked, cmp.AllowUnexported(point{})); d != "" || e.err != nil {
		t.Errorf("ended with %v\n%s", e.err, d)
	}
}

// What RenderDoc has captured is not read; the line says what to do.
func TestExplain_RenderDocCaptures(t *testing.T) {
	code, stdout, stderr := command(t, "explain", "app.rdc", "--pixel", "1,2")
	checkFailure(t, code, exitUsage, stderr)
	if !strings.Contains(stderr, "pumice run --capture app.gfxr -- PROGRAM") || stdout != "" {
		t.Errorf("%q and %q", stdout, stderr)
	}
}

// --vertex and --word are checked before anything is drawn.
func TestExplain_VerticesAndWords(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--pixel 1,2 --vertex 3", "--vertex 3: primitives have vertices 0 to 2"},
		{"--word 0/1/64", "--word: the built-in scene is no capture"},
		{"--word 64", `--word "64": want NAME/BYTE or SET/BINDING/BYTE`},
	} {
		code, stdout, stderr := command(t, append([]string{"explain"}, strings.Fields(c.args)...)...)
		checkFailure(t, code, exitUsage, stderr)
		if !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s: %q and %q, want %q", c.args, stdout, stderr, c.want)
		}
	}
	if s := (sought{word: "0/1/64", dispatch: "2", shader: true}).String(); s != "word=0/1/64,dispatch=2,shader" {
		t.Error(s)
	}
	code, stdout, stderr := command(t, "explain", "--width", "64", "--height", "64", "--pixel", "40,40", "--sample", "0", "--vertex", "1")
	if code != 0 || !strings.Contains(stdout, "vertex shader main, vertex ") {
		t.Errorf("%d %s %.300s", code, stderr, stdout)
	}
}

// What the shaders of models compute is told by lines of their sources: of an unlit red material of
// alpha 1, base is the product of the factor and a white vertex, and so is the output.
func TestExplain_LinesOfModelsShaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "red.gltf")
	red := modelWith(func(d map[string]any) {
		d["extensionsUsed"] = []any{"KHR_materials_unlit"}
		d["materials"] = []any{map[string]any{
			"doubleSided": true, "extensions": map[string]any{"KHR_materials_unlit": map[string]any{}},
			"pbrMetallicRoughness": map[string]any{"baseColorFactor": []any{0.5, 0.25, 0.125, 1}},
		}}
		for _, m := range d["meshes"].([]any) {
			for _, p := range m.(map[string]any)["primitives"].([]any) {
				p.(map[string]any)["material"] = 0
			}
		}
	})
	if err := os.WriteFile(path, red, 0o666); err != nil {
		t.Fatal(err)
	}
	at := []string{"explain", path, "--width", "32", "--height", "32", "--pixel", "16,18", "--sample", "0"}
	code, out, errs := command(t, append(at, "--shader", "--vertex", "0")...)
	for _, want := range []string{
		"shaders/pbr.frag\n",
		"vec4 base = material.baseColor * color;\n",
		"base = 0.5, 0.25, 0.125, 1\n",
		"outColor = 0.5, 0.25, 0.125, 1\n",
		"shaders/mesh.vert\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%d %s: %q is not in\n%s", code, errs, want, out)
		}
	}
}
