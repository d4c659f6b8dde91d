package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

// blinking is a model of a node "lamp" that is hidden at 0 and shown from 1 s on, and one "table" of two primitives.
func blinking(t *testing.T) string {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, 0, 1, 0, 0)
	return writeModel(t, `{"asset":{"version":"2.0"},"extensionsUsed":["KHR_node_visibility","KHR_animation_pointer","KHR_materials_unlit"],
"buffers":[{"byteLength":48,"uri":"data:application/octet-stream;base64,`+base64.StdEncoding.EncodeToString(data)+`"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":8},{"buffer":0,"byteOffset":44,"byteLength":2}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},{"bufferView":2,"componentType":5121,"count":2,"type":"SCALAR"}],
"materials":[{"name":"brass"},{"name":"oak","extensions":{"KHR_materials_unlit":{}}}],
"meshes":[{"name":"bulb","primitives":[{"attributes":{"POSITION":0},"material":0}]},
{"primitives":[{"attributes":{"POSITION":0},"material":1},{"attributes":{"POSITION":0}}]}],
"nodes":[{"name":"lamp","mesh":0},{"name":"table","mesh":1,"translation":[2,0,0]}],"scenes":[{"nodes":[0,1]}],"scene":0,
"animations":[{"samplers":[{"input":1,"output":2,"interpolation":"STEP"}],"channels":[{"sampler":0,"target":{"path":"pointer",
"extensions":{"KHR_animation_pointer":{"pointer":"/nodes/0/extensions/KHR_node_visibility/visible"}}}}]}]}`)
}

// TestRender_Look: each flag changes the picture, and the defaults do not.
func TestRender_Look(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	draw := func(flags ...string) string {
		t.Helper()
		out := filepath.Join(dir, "out.png")
		args := append([]string{"render", model, "-o", out, "--width", "16", "--height", "16"}, flags...)
		if code, _, stderr := command(t, args...); code != 0 || stderr != "" {
			t.Fatalf("%v: exit code %d: %s", flags, code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	drawn := map[string]string{draw(): "no flags"}
	if draw("--exposure", "0", "--light-strength", "1", "--tone", "neutral") != draw() {
		t.Error("the defaults draw another picture than no flags")
	}
	for _, flags := range []string{
		"--exposure 1", "--exposure -1.5", "--light-strength 0.5", "--light-strength 0", "--tone aces", "--tone agx", "--tone none", "--tone agx --exposure 1",
		"--pass depth", "--pass normal", "--pass id", "--pass wireframe", "--pass wireframe --samples 1", "--pass overdraw",
	} {
		picture := draw(strings.Fields(flags)...)
		if other, ok := drawn[picture]; ok {
			t.Errorf("%s draws the same as %s", flags, other)
		}
		drawn[picture] = flags
	}
	if draw("--pass", "depth", "--samples", "1") != draw("--pass", "depth") {
		t.Error("--samples 1 changes a pass that has one sample")
	}
}

func TestRender_BadLook(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	for _, c := range []struct{ flags, want string }{
		{"--exposure 17", "--exposure 17: want -16 to 16"},
		{"--exposure NaN", "--exposure NaN: want -16 to 16"},
		{"--exposure -Inf", "--exposure -Inf: want -16 to 16"},
		{"--light-strength -1", "--light-strength -1: want 0 to 1000"},
		{"--light-strength 1001", "--light-strength 1001: want 0 to 1000"},
		{"--tone filmic", `--tone "filmic": want one of neutral, aces, agx, none`},
		{"--tone=", `--tone "": want one of`},
		{"--pass albedo", `--pass "albedo": want one of depth, normal, id, wireframe, overdraw`},
		{"--pass=", `--pass "": want one of`},
		{"--ground --light-strength 0", "--ground and --light-strength 0"},
		{"--format exr --tone aces", "--tone: EXR holds the light"},
		{"--pass depth --tone neutral", "--pass and --tone: "},
		{"--pass normal --exposure 1", "--pass and --exposure: "},
		{"--pass wireframe --light-strength 2", "--pass and --light-strength: "},
		{"--pass id --ground", "--pass and --ground: "},
		{"--pass overdraw --environment-background 0", "--pass and --environment-background: "},
		{"--pass depth --environment sky.hdr", "--pass and --environment: "},
		{"--pass wireframe --background #fff", "--pass and --background: "},
		{"--pass depth --samples 4", "--samples 4: --pass depth has one sample a pixel"},
		{"--pass overdraw --samples 8", "--samples 8: --pass overdraw has one sample a pixel"},
		{"--pass wireframe --samples 3", "--samples 3: want 1, 4 or 8"},
		{"--pass normal --format ktx2", "--pass normal: KTX 2 holds colours of sRGB"},
		{"--pass id --format jpeg", "--pass id: JPEG changes colours"},
		{"--pass depth --format jpg", "--pass depth: JPEG changes colours"},
	} {
		code, _, stderr := command(t, append([]string{"render", model, "-o", filepath.Join(dir, "out.png")}, strings.Fields(c.flags)...)...)
		checkFailure(t, code, exitUsage, stderr)
		if !strings.HasPrefix(stderr, "pumice: "+c.want) {
			t.Errorf("%s: %q, want %q", c.flags, stderr, c.want)
		}
	}
	for _, flag := range []string{"exposure=1", "light-strength=2", "tone=aces", "pass=depth"} {
		code, _, stderr := command(t, "explain", "app.gfxr", "--pixel", "1,2", "--"+flag)
		checkFailure(t, code, exitUsage, stderr)
		if name, _, _ := strings.Cut(flag, "="); !strings.Contains(stderr, "--"+name+": a capture shows") {
			t.Errorf("--%s of a capture: %q", flag, stderr)
		}
		code, _, stderr = command(t, "thumbnails", dir, "-o", dir, "--background", "#fff", "--pass", "id", "--"+flag)
		checkFailure(t, code, exitUsage, stderr)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("failures left %d files", len(entries))
	}
}

// Numbers are 32 bits in EXR: half floats have no 2049.
func TestRender_PassesInEXR(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	for pass, kind := range map[string]byte{"": 1, "depth": 2, "normal": 2, "id": 2, "overdraw": 2} {
		out := filepath.Join(dir, "out.exr")
		args := []string{"render", model, "-o", out, "--width", "8", "--height", "8"}
		if pass != "" {
			args = append(args, "--pass", pass)
		}
		if code, _, stderr := command(t, args...); code != 0 {
			t.Fatal(stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte{0, 'A', 0, kind, 0, 0, 0}) { // the channel's name and type
			t.Errorf("pass %q: the channels are not of type %d", pass, kind)
		}
		if pass != "id" {
			continue
		}
		img, err := radiance.Load(t.Context(), out, nil)
		if err != nil {
			t.Fatal(err)
		}
		if at := img.Pixels[3*(4*8+3):][:3]; at[0] != 1 || at[1] != 1 || at[2] != 1 {
			t.Errorf("the triangle is number %v, want 1", at)
		}
	}
}

// The report of a sequence names all that is drawn in one of its frames, by numbers that stay.
func TestRender_IDsAreNamed(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := command(t, "render", blinking(t), "-o", filepath.Join(dir, "f-%d.png"), "--pass", "id", "--json",
		"--frames", "2", "--fps", "1", "--width", "32", "--height", "8", "--yaw", "0", "--pitch", "0")
	if code != 0 {
		t.Fatal(stderr)
	}
	var rep struct {
		Pass    string
		Samples int
		IDs     []map[string]any
	}
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"id": 1., "color": "#800000", "node": 0., "node_name": "lamp", "instance": 0., "mesh": 0., "mesh_name": "bulb", "primitive": 0., "material": "brass"},
		{"id": 2., "color": "#008000", "node": 1., "node_name": "table", "instance": 0., "mesh": 1., "primitive": 0., "material": "oak"},
		{"id": 3., "color": "#808000", "node": 1., "node_name": "table", "instance": 0., "mesh": 1., "primitive": 1.},
	}
	if rep.Pass != "id" || rep.Samples != 1 || !reflect.DeepEqual(rep.IDs, want) {
		t.Errorf("%s", stdout)
	}
	colors := func(file string) (found [4]int) {
		img := decodedPNG(t, filepath.Join(dir, file))
		for y := range 8 {
			for x := range 32 {
				switch c := color.NRGBAModel.Convert(img.At(x, y)); c {
				case color.NRGBA{}:
					found[0]++
				case color.NRGBA{128, 0, 0, 255}:
					found[1]++
				case color.NRGBA{0, 128, 0, 255}:
					found[2]++
				case color.NRGBA{128, 128, 0, 255}:
					found[3]++
				default:
					t.Errorf("%s: %d,%d is %v", file, x, y, c)
				}
			}
		}
		return found
	}
	first, second := colors("f-0.png"), colors("f-1.png")
	if first[1] != 0 || second[1] == 0 || first[3] == 0 || first[3] != second[3] || first[2] != second[2] {
		t.Errorf("pixels of the numbers 0 to 3: %v, then %v", first, second)
	}
}

// A pass of one colour has something in it, unless it is transparent.
func TestRender_PassesThatAreBlank(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	for _, pass := range passNames {
		for _, file := range []string{"out.png", "out.exr"} {
			args := []string{"render", model, "-o", filepath.Join(dir, file), "--width", "3", "--height", "3", "--strict", "--pass", pass, "--camera-target", "0.3,0.3,0"}
			code, _, stderr := command(t, append(args, "--camera-position", "0.3,0.3,0.05")...)
			if code != 0 || stderr != "" {
				t.Errorf("%s of a triangle that fills %s: exit code %d: %s", pass, file, code, stderr)
			}
			code, _, stderr = command(t, append(args, "--camera-position", "0.3,0.3,-2")...)
			if code != exitFailure || !strings.Contains(stderr, "turn their backs") {
				t.Errorf("%s of the back of a triangle, %s: exit code %d: %s", pass, file, code, stderr)
			}
		}
	}
}

func TestThumbnails_Look(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	put(t, triangleModel, dir, "a.gltf")
	drawn := map[string]string{}
	for _, flags := range []string{"", "--pass depth", "--pass id", "--pass wireframe", "--tone agx", "--exposure 1", "--light-strength 0.3"} {
		thumbnailLines(t, 0, append([]string{dir, "-o", out, "--force"}, strings.Fields(flags)...)...)
		data, err := os.ReadFile(filepath.Join(out, "a.gltf.png"))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := drawn[string(data)]; ok {
			t.Errorf("%q draws the same as %q", flags, other)
		}
		drawn[string(data)] = flags
	}
}

// What a pass draws of a pixel is told like what a picture draws.
func TestExplain_Pass(t *testing.T) {
	model := writeModel(t, triangleModel)
	for _, pass := range passNames {
		code, stdout, stderr := command(t, "explain", model, "--width", "8", "--height", "8", "--pixel", "3,4", "--shader", "--pass", pass)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d: %s", pass, code, stderr)
		}
		want := []string{"VK_FORMAT_R32G32B32A32_SFLOAT, 8 × 8\n", "fragment shader main", " it last: "}
		if pass == "wireframe" {
			want[0] = "VK_FORMAT_R8G8B8A8_SRGB, 8 × 8, sample 0 of 4"
		}
		for _, w := range want {
			if !strings.Contains(stdout, w) {
				t.Errorf("%s: no %q in\n%s", pass, w, stdout)
			}
		}
	}
}

func TestLook_Completions(t *testing.T) {
	for flag, want := range map[string][]string{"tone": toneNames, "pass": passNames} {
		for _, cmd := range []string{"render", "explain", "thumbnails"} {
			code, stdout, _ := command(t, "__complete", cmd, "--"+flag, "")
			if list := strings.Join(want, "\n") + "\n:"; code != 0 || !strings.HasPrefix(stdout, list) {
				t.Errorf("%s --%s: exit code %d: %q, want %q", cmd, flag, code, stdout, fmt.Sprint(list, "…"))
			}
		}
	}
}
