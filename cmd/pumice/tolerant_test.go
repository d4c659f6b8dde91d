package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// underImage is the test's triangle under an image, unlit and so of the image's colour.
func underImage(t *testing.T, uri string, change ...func(d object)) string {
	t.Helper()
	return string(modelWith(func(d object) {
		d["images"], d["textures"] = list{object{"uri": uri}}, list{object{"source": 0}}
		d["materials"] = list{object{
			"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}},
			"extensions":           object{"KHR_materials_unlit": object{}},
		}}
		d["accessors"] = append(d["accessors"].(list), object{"componentType": 5126, "count": 3, "type": "VEC2"})
		d["meshes"] = list{object{"primitives": list{object{"attributes": object{"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}}}}
		for _, c := range change {
			c(d)
		}
	}))
}

// redPNG is a picture of one texel.
func redPNG(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inside is the colour in the middle of the triangle's picture, from the front.
func inside(t *testing.T, file string) color.NRGBA {
	t.Helper()
	img := decodedPNG(t, file)
	return color.NRGBAModel.Convert(img.At(24, 40)).(color.NRGBA)
}

// A texture that cannot be had or decoded is one line, and an error with --strict alone, for each command.
func TestTolerant_LostTextures(t *testing.T) {
	whole := redPNG(t)
	data := func(b []byte) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b) }
	white, red := color.NRGBA{255, 255, 255, 255}, color.NRGBA{255, 0, 0, 255}
	for name, c := range map[string]struct {
		uri, loss string
		want      color.NRGBA
	}{
		"whole":   {data(whole), "", red},
		"missing": {"gone.png", `textures[0]: the texture is lost: images[0].uri: "gone.png" cannot be read`, white},
		"header":  {data(whole[:20]), "textures[0]: the texture is lost: images[0]: bad header", white},
		"cut":     {data(whole[:len(whole)-16]), "textures[0]: the texture is lost: images[0]: decoding: ", white},
	} {
		t.Run(name, func(t *testing.T) {
			model, dir := writeModel(t, underImage(t, c.uri)), t.TempDir()
			out := filepath.Join(dir, "out.png")
			line := []string{"--width", "64", "--height", "64", "--yaw", "0", "--pitch", "0"}
			code, _, stderr := command(t, append([]string{"render", model, "-o", out}, line...)...)
			if code != 0 || (stderr == "") != (c.loss == "") || !strings.Contains(stderr, c.loss) || strings.Count(stderr, "\n") > 1 {
				t.Fatalf("exit code %d: %q", code, stderr)
			}
			if got := inside(t, out); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			for _, args := range [][]string{
				append([]string{"render", model, "-o", filepath.Join(dir, "strict.png"), "--strict"}, line...),
				append([]string{"explain", model, "--pixel", "24,40", "--strict"}, line...),
				{"info", model, "--strict"},
				{"info", model, "--json", "--strict"},
			} {
				code, _, stderr := command(t, args...)
				if c.loss == "" {
					if code != 0 || stderr != "" {
						t.Errorf("%s: exit code %d: %s", args[0], code, stderr)
					}
					continue
				}
				checkFailure(t, code, exitFailure, stderr)
				if !strings.HasPrefix(stderr, "pumice: --strict: ") && args[0] == "render" || !strings.Contains(stderr, c.loss) {
					t.Errorf("%s: %q", args[0], stderr)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "strict.png")); (err == nil) != (c.loss == "") {
				t.Error("a picture was written, or none")
			}
			code, stdout, _ := command(t, "info", model)
			if code != 0 || strings.Contains(stdout, "loss        ") != (c.loss != "") || !strings.Contains(stdout, c.loss) {
				t.Errorf("info: exit code %d:\n%s", code, stdout)
			}
			_, stdout, _ = command(t, "info", model, "--json")
			var info modelInfo
			if err := json.Unmarshal([]byte(stdout), &info); err != nil || (len(info.Losses) == 1) != (c.loss != "") {
				t.Errorf("info --json: %v, %q", err, info.Losses)
			}
			code, _, stderr = command(t, append([]string{"explain", model, "--pixel", "24,40"}, line...)...)
			if code != 0 || (stderr == "") != (c.loss == "") || !strings.Contains(stderr, c.loss) {
				t.Errorf("explain: exit code %d, %q", code, stderr)
			}
			for _, strict := range []bool{false, true} {
				args, want := []string{filepath.Dir(model), "-o", t.TempDir()}, 0
				if strict {
					args = append(args, "--strict")
					if c.loss != "" {
						want = exitFailure
					}
				}
				lines, _ := thumbnailLines(t, want, args...)
				if told := strings.Join(append(lines[0].Losses, lines[0].Reason), "\n"); !strings.Contains(told, c.loss) || c.loss == "" && told != "" {
					t.Errorf("thumbnails, strict %v: %q", strict, told)
				}
			}
		})
	}
}

// --assets lets a texture lie beside the model's folder, for each command and for standard input.
func TestAssets_BesideTheModel(t *testing.T) {
	dir := t.TempDir()
	model := put(t, underImage(t, "../tex/a.png"), dir, "models", "m.gltf")
	put(t, string(redPNG(t)), dir, "tex", "a.png")
	out := filepath.Join(dir, "out.png")
	line := []string{"-o", out, "--width", "64", "--height", "64", "--yaw", "0", "--pitch", "0"}
	code, _, stderr := command(t, append([]string{"render", model}, line...)...)
	if code != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "--assets DIR") {
		t.Errorf("exit code %d: %q", code, stderr)
	}
	if got := inside(t, out); got != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("without the texture: %v", got)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "tex")} {
		code, _, stderr := command(t, append([]string{"render", model, "--strict", "--assets", folder}, line...)...)
		if code != 0 || stderr != "" {
			t.Errorf("--assets %s: exit code %d: %s", folder, code, stderr)
		}
		if got := inside(t, out); got != (color.NRGBA{255, 0, 0, 255}) {
			t.Errorf("--assets %s: %v", folder, got)
		}
		for _, args := range [][]string{{"info", model}, {"thumbnails", model, "-o", filepath.Join(dir, "thumbs")}, {"explain", model, "--pixel", "24,40"}} {
			if code, _, stderr := command(t, append(args, "--strict", "--assets", folder)...); code != 0 {
				t.Errorf("%s --assets %s: exit code %d: %s", args[0], folder, code, stderr)
			}
		}
	}
	code, _, stderr = command(t, append([]string{"render", model, "--assets", filepath.Join(dir, "none")}, line...)...)
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stderr, "none") || !strings.Contains(stderr, "no such file") {
		t.Errorf("a folder that is not there: %q", stderr)
	}
}

// A picture without the model is one line that says why, and an error with --strict.
func TestBlank_PicturesSayWhy(t *testing.T) {
	camera := func(z float64) func(d object) {
		return func(d object) {
			d["cameras"] = list{object{"type": "perspective", "perspective": object{"yfov": 1, "znear": 0.1, "zfar": 100}}}
			d["nodes"] = append(d["nodes"].(list), object{"camera": 0, "translation": list{0.3, 0.3, z}})
			d["scenes"] = list{object{"nodes": list{0, 1}}}
		}
	}
	for name, c := range map[string]struct {
		change func(d object)
		args   []string
		want   string
		info   bool // tells it, too
	}{
		"nothing": {func(d object) {
			for k := range d {
				if k != "asset" {
					delete(d, k)
				}
			}
		}, nil, "nothing is drawn: the model has no mesh", true},
		"no nodes":  {func(d object) { d["scenes"] = list{object{}} }, nil, "nothing is drawn: its scene has no nodes", true},
		"no mesh":   {func(d object) { d["nodes"] = list{object{}} }, nil, "nothing is drawn: no node of its scene has a mesh", true},
		"behind":    {camera(-2), []string{"--camera", "0"}, "nothing of the model is in the picture: it is behind the camera", false},
		"far":       {camera(200), []string{"--camera", "0"}, "nothing of the model is in the picture: it is beyond the camera's far plane", false},
		"its back":  {func(d object) {}, []string{"--yaw", "180", "--pitch", "0"}, "nothing of the model is in the picture: its triangles turn their backs", false},
		"too small": {camera(99), []string{"--camera", "0", "--samples", "1"}, "nothing of the model is in the picture: it is smaller than a pixel, or cannot be told from the background", false},
		"as the background": {func(d object) {
			d["materials"] = list{object{"extensions": object{"KHR_materials_unlit": object{}}}}
			d["meshes"] = list{object{"primitives": list{object{"attributes": object{"POSITION": 0}, "material": 0}}}}
		}, []string{"--background", "#ffffff"}, "cannot be told from the background", false},
	} {
		t.Run(name, func(t *testing.T) {
			model := writeModel(t, string(modelWith(c.change)))
			out := filepath.Join(t.TempDir(), "out.png")
			args := append([]string{"render", model, "-o", out, "--width", "16", "--height", "16"}, c.args...)
			code, stdout, stderr := command(t, append(args, "--json")...)
			if code != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d: %q, want %q", code, stderr, c.want)
			}
			var r report
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || len(r.Losses) != 1 || !strings.Contains(r.Losses[0], c.want) {
				t.Errorf("%v, losses %q", err, r.Losses)
			}
			if err := os.Remove(out); err != nil {
				t.Error(err)
			}
			code, _, stderr = command(t, append(args, "--strict")...)
			checkFailure(t, code, exitFailure, stderr)
			if _, err := os.Stat(out); err == nil || !strings.Contains(stderr, c.want) {
				t.Errorf("--strict: %q, or a picture", stderr)
			}
			code, stdout, _ = command(t, "info", model)
			if code != 0 || strings.Contains(stdout, c.want) != c.info {
				t.Errorf("info: exit code %d:\n%s", code, stdout)
			}
		})
	}
	// Of thumbnails.
	away := func(d object) { d["nodes"] = list{object{"mesh": 0, "rotation": list{0, 1, 0, 0}}} }
	file := put(t, string(modelWith(away)), t.TempDir(), "away.gltf")
	const backs = "nothing of the model is in the picture: its triangles turn their backs"
	if lines, sum := thumbnailLines(t, 0, file, "-o", t.TempDir()); sum.Drawn != 1 || len(lines[0].Losses) != 1 || !strings.Contains(lines[0].Losses[0], backs) {
		t.Errorf("thumbnails: %+v", lines)
	}
	if lines, sum := thumbnailLines(t, exitFailure, file, "-o", t.TempDir(), "--strict"); sum.Failed != 1 || !strings.Contains(lines[0].Reason, backs) {
		t.Errorf("thumbnails --strict: %+v", lines)
	}
	// Of a sequence, how many frames.
	model := writeModel(t, string(modelWith(func(d object) {
		d["buffers"].(list)[0].(object)["uri"] = "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(append(make([]byte, 36), bytesOfFloats(0, 1, 0, 0, 0, 0, 0, 50)...))
		d["buffers"].(list)[0].(object)["byteLength"] = 68
		d["bufferViews"] = append(d["bufferViews"].(list), object{"buffer": 0, "byteOffset": 36, "byteLength": 8}, object{"buffer": 0, "byteOffset": 44, "byteLength": 24})
		d["accessors"] = list{object{"componentType": 5126, "count": 3, "type": "VEC3", "min": list{0, 0, 0}, "max": list{0, 0, 0}},
			object{"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR"}, object{"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}}
		d["accessors"].(list)[0] = object{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": list{0, 0, 0}, "max": list{0, 0, 0}}
		d["meshes"] = list{object{"primitives": list{object{"mode": 0, "attributes": object{"POSITION": 0}}}}}
		camera(5)(d)
		d["animations"] = list{object{"samplers": list{object{"input": 1, "output": 2, "interpolation": "STEP"}}, "channels": list{object{"sampler": 0, "target": object{"node": 0, "path": "translation"}}}}}
	})))
	code, _, stderr := command(t, "render", model, "-o", filepath.Join(t.TempDir(), "%d.png"), "--frames", "3", "--fps", "1", "--camera", "0", "--width", "16", "--height", "16")
	if code != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "nothing of the model is in 2 of 3 frames: it is behind the camera") {
		t.Errorf("exit code %d: %q", code, stderr)
	}
}

// What is no model says so.
func TestRender_OtherFiles(t *testing.T) {
	for name, text := range map[string]string{"a.obj": "v\n", "empty.glb": "", "cut.gltf": triangleModel[:100], "page.glb": "<!DOCTYPE html>"} {
		file := put(t, text, t.TempDir(), name)
		for _, args := range [][]string{{"render", file, "-o", filepath.Join(t.TempDir(), "x.png")}, {"info", file}} {
			code, _, stderr := command(t, args...)
			checkFailure(t, code, exitFailure, stderr)
			if strings.Contains(stderr, "invalid character") || strings.Contains(stderr, "JSON input") {
				t.Errorf("%s: %q", name, stderr)
			}
		}
	}
}

// bytesOfFloats are numbers as buffers have them.
func bytesOfFloats(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}
