package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// command runs a command line and returns its exit code and output.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// triangleModel is the smallest model: one triangle, in a data URI.
const triangleModel = `{"asset":{"version":"2.0"},
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}`

func writeModel(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gltf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRender_WritesPictureAndReport(t *testing.T) {
	model := writeModel(t, triangleModel)
	out := filepath.Join(t.TempDir(), "out.png")
	code, stdout, stderr := command(t, "render", model, "-o", out, "--width", "64", "--height", "48", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	img := decodedPNG(t, out)
	if b := img.Bounds(); b.Dx() != 64 || b.Dy() != 48 {
		t.Errorf("picture is %d×%d, want 64×48", b.Dx(), b.Dy())
	}
	if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
		t.Errorf("corner has alpha %d, want transparent", a)
	}
	var rep report
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatalf("report: %v", err)
	}
	if rep.Fragments == 0 || rep.Vertices < 3 || rep.Seconds.Total <= 0 || len(rep.Files) != 1 {
		t.Errorf("report is empty: %+v", rep)
	}
	if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) != 1 {
		t.Errorf("%d files beside the picture, want none", len(entries)-1)
	}
}

func TestRender_ShardsOfASequenceCoverItOnce(t *testing.T) {
	model := writeModel(t, triangleModel)
	dir := t.TempDir()
	seen := map[string]int{}
	for _, share := range []string{"1/3", "2/3", "3/3"} {
		code, stdout, stderr := command(t, "render", model, "-o", filepath.Join(dir, "f-%03d.png"),
			"--width", "8", "--height", "8", "--turntable", "7", "--shard", share, "--json")
		if code != 0 {
			t.Fatalf("shard %s: exit code %d: %s", share, code, stderr)
		}
		var rep report
		if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Files {
			seen[filepath.Base(f)]++
		}
	}
	if len(seen) != 7 || seen["f-000.png"] != 1 || seen["f-006.png"] != 1 {
		t.Errorf("frames written: %v", seen)
	}
}

// TestRender_SequenceKeepsItsCamera draws a triangle that slides away: it must
// move in the picture, and in the last frame fill another part than in the
// first.
func TestRender_SequenceKeepsItsCamera(t *testing.T) {
	moving := strings.Replace(triangleModel, `"scene":0}`, `"scene":0,
"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":1,"output":2}]}]}`, 1)
	moving = strings.Replace(moving, `"bufferViews":[{"buffer":0,"byteLength":36}]`,
		`"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":1,"byteLength":8},{"buffer":1,"byteOffset":8,"byteLength":24}]`, 1)
	moving = strings.Replace(moving, `AAAAAAAAgD8AAAAA"}],`,
		`AAAAAAAAgD8AAAAA"},{"byteLength":32,"uri":"data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAEBAAAAAAAAAAAA="}],`, 1)
	moving = strings.Replace(moving, `"max":[1,1,0]}]`, `"max":[1,1,0]},
{"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},{"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}]`, 1)
	model, dir := writeModel(t, moving), t.TempDir()
	code, _, stderr := command(t, "render", model, "-o", filepath.Join(dir, "f-%d.png"),
		"--width", "64", "--height", "64", "--frames", "2", "--fps", "1", "--yaw", "0", "--pitch", "0")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	left, right := leftmost(t, filepath.Join(dir, "f-0.png")), leftmost(t, filepath.Join(dir, "f-1.png"))
	if left > 8 || right < 32 {
		t.Errorf("the triangle begins at x = %d, then %d; want it to cross the picture", left, right)
	}
}

// leftmost returns the first column of a picture that is not transparent.
func leftmost(t *testing.T, path string) int {
	t.Helper()
	img := decodedPNG(t, path)
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			if _, _, _, a := img.At(x, y).RGBA(); a != 0 {
				return x
			}
		}
	}
	t.Fatalf("%s is empty", path)
	return 0
}

func TestRender_BadCommandLinesExitWith2(t *testing.T) {
	model := writeModel(t, triangleModel)
	out := filepath.Join(t.TempDir(), "out.png")
	for name, args := range map[string][]string{
		"no output":            {"render", model},
		"not a PNG":            {"render", model, "-o", "out.gif"},
		"million pixels wide":  {"render", model, "-o", out, "--width", "1000000"},
		"zero height":          {"render", model, "-o", out, "--height", "0"},
		"three samples":        {"render", model, "-o", out, "--samples", "3"},
		"unknown flag":         {"render", model, "-o", out, "--fast"},
		"two models":           {"render", model, model, "-o", out},
		"bad background":       {"render", model, "-o", out, "--background", "blue"},
		"bad shard":            {"render", model, "-o", out, "--turntable", "4", "--shard", "5/4"},
		"shard of one picture": {"render", model, "-o", out, "--shard", "1/4"},
		"missing camera":       {"render", model, "-o", out, "--camera", "0"},
		"missing animation":    {"render", model, "-o", out, "--animation", "3"},
		"bad pattern":          {"render", model, "-o", filepath.Join(filepath.Dir(out), "%s.png"), "--turntable", "2"},
		"bad memory":           {"render", model, "-o", out, "--memory-limit", "lots"},
		"unknown engine":       {"render", model, "-o", out, "--engine", "gpu"},
		"unknown command":      {"draw"},
		"NaN zoom":             {"render", model, "-o", out, "--zoom", "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := command(t, args...)
			checkFailure(t, code, exitUsage, stderr)
		})
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused command line left a file")
	}
}

func TestRender_BadInputExitsWith1(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.png")
	good := writeModel(t, triangleModel)
	folder := filepath.Join(t.TempDir(), "folder.png")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	broken := func(old, new string) string {
		if !strings.Contains(triangleModel, old) {
			t.Fatalf("%q is not in the model", old)
		}
		return writeModel(t, strings.Replace(triangleModel, old, new, 1))
	}
	for name, args := range map[string][]string{
		"missing file":         {filepath.Join(dir, "none.gltf")},
		"a folder":             {dir},
		"empty file":           {writeModel(t, "")},
		"truncated":            {writeModel(t, triangleModel[:200])},
		"missing buffer":       {broken(`"uri":"data`, `"uri":"x-`)},
		"index out of range":   {broken(`"POSITION":0`, `"POSITION":7`)},
		"short buffer":         {broken(`"count":3`, `"count":300000`)},
		"required extension":   {broken(`"asset"`, `"extensionsUsed":["EXT_x"],"extensionsRequired":["EXT_x"],"asset"`)},
		"node its own child":   {broken(`{"mesh":0}`, `{"mesh":0,"children":[0]}`)},
		"too little memory":    {good, "--memory-limit", "1KiB"},
		"no folder for output": {good, "-o", filepath.Join(dir, "none", "out.png")},
		"output is a folder":   {good, "-o", folder},
		"truncated binary":     {writeModel(t, "glTF\x02\x00\x00\x00\xff\xff")},
		"not a model":          {writeModel(t, "\x89PNG\r\n\x1a\n")},
	} {
		t.Run(name, func(t *testing.T) {
			line := append([]string{"render", "-o", out, "--width", "16", "--height", "16"}, args...)
			code, _, stderr := command(t, line...)
			checkFailure(t, code, exitFailure, stderr)
		})
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("failures left %d files", len(entries))
	}
}

// checkFailure wants the exit code and exactly one line of explanation.
func checkFailure(t *testing.T, code, want int, stderr string) {
	t.Helper()
	if code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, stderr)
	}
	if lines := strings.Count(stderr, "\n"); lines != 1 || !strings.HasPrefix(stderr, "pumice: ") {
		t.Errorf("want one line, got %q", stderr)
	}
}

func TestWritePNG_StopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	err := writePNG(ctx, filepath.Join(dir, "out.png"), image.NewNRGBA(image.Rect(0, 0, 8, 8)))
	if entries, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(entries) != 0 {
		t.Errorf("%v; %d files are left", err, len(entries))
	}
}

func TestInfo_DescribesTheModel(t *testing.T) {
	code, stdout, stderr := command(t, "info", writeModel(t, triangleModel))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"triangles 1", "nodes 1", "bounds"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in:\n%s", want, stdout)
		}
	}
}

// Names that programs may rely on.
func TestInfo_JSON(t *testing.T) {
	code, stdout, stderr := command(t, "info", writeModel(t, triangleModel), "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"version": "2.0", "triangles": 1., "vertices": 3., "meshes": 1., "nodes": 1., "scenes": 1., "primitives": 1., "materials": 0., "textures": 0.} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	for _, name := range []string{"images", "animations", "skins", "cameras", "lights", "warnings"} {
		if list, ok := got[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s: %v, want an empty list", name, got[name])
		}
	}
	if top, _ := got["bounds"].(map[string]any); top == nil || len(top["max"].([]any)) != 3 || top["max"].([]any)[1] != 1. {
		t.Errorf("bounds: %v", got["bounds"])
	}
}

// Counted from 1 or from 0, shares cover everything once.
func TestParseShard_CoversOnce(t *testing.T) {
	for _, shares := range [][]string{{"1/3", "2/3", "3/3"}, {"0/3", "1/3", "2/3"}, {""}, {"0/1"}} {
		var seen [10]int
		for _, text := range shares {
			s, err := parseShard(text)
			if err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if s.has(i) {
					seen[i]++
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Errorf("%v: frame %d is drawn %d times", shares, i, n)
			}
		}
	}
	for _, bad := range []string{"4/3", "-1/3", "1/0", "0/0", "1", "1/3/2", "a/b"} {
		if s, err := parseShard(bad); err == nil {
			t.Errorf("%s is %v", bad, s)
		}
	}
}

func TestFramePath_PatternOrSuffix(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"a/f-%04d.png", "a/f-0012.png"}, {"out.png", "out-0012.png"}, {"out", "out-0012"},
	} {
		if got := framePath(c.pattern, 12); got != c.want {
			t.Errorf("%q gives %q, want %q", c.pattern, got, c.want)
		}
	}
}

// modelWith is the model of one triangle, changed.
func modelWith(change func(d map[string]any)) []byte {
	var d map[string]any
	if err := json.Unmarshal([]byte(triangleModel), &d); err != nil {
		panic(err)
	}
	change(d)
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return text
}

type list = []any
type object = map[string]any

// decodedPNG is the picture in a PNG file.
func decodedPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
