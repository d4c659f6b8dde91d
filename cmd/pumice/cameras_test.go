package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// watched is the triangle with cameras, some of which have names, or nodes that have.
var watched = strings.Replace(strings.Replace(triangleModel, `"nodes":[{"mesh":0}]`,
	`"nodes":[{"mesh":0},{"camera":0,"translation":[0,0,3]},{"camera":1,"translation":[0,0,3],"name":"side"},{"camera":2,"translation":[0,0,9]},{"camera":3,"translation":[0,0,3]}],
"cameras":[{"type":"perspective","name":"main","perspective":{"yfov":0.9,"znear":0.1}},{"type":"perspective","perspective":{"yfov":0.5,"znear":0.1}},
{"type":"perspective","name":"far","perspective":{"yfov":0.5,"znear":0.1}},{"type":"perspective","name":"far","perspective":{"yfov":0.5,"znear":0.1}}]`, 1),
	`"nodes":[0]`, `"nodes":[0,1,2,3,4]`, 1)

// picture draws a model to bytes.
func pictureOf(t *testing.T, model string, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.png")
	if code, _, stderr := command(t, append([]string{"render", model, "-o", out, "--width", "40", "--height", "30"}, args...)...); code != 0 {
		t.Fatalf("%v: %s", args, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRender_CamerasAreTheSameByAnyName(t *testing.T) {
	model := writeModel(t, watched)
	for _, c := range [][2]string{
		{"--view front", "--yaw 0 --pitch 0"},
		{"--view back", "--yaw 180 --pitch 0"},
		{"--view left", "--yaw -90 --pitch 0"},
		{"--view right", "--yaw 90 --pitch 0"},
		{"--view top", "--yaw 0 --pitch 90"},
		{"--view bottom", "--yaw 0 --pitch -90"},
		{"--view iso", "--yaw 45 --pitch 35.264389682754654"},
		{"--fov 30 --camera-up 0,5,0", ""},
		{"--camera main", "--camera 0"},
		{"--camera side", "--camera 1"},
		{"--camera-position 0,0,3 --camera-target 0,0,-1 --fov 51.56620156177409", "--camera 0"}, // 0.9 radians
	} {
		if !bytes.Equal(pictureOf(t, model, strings.Fields(c[0])...), pictureOf(t, model, strings.Fields(c[1])...)) {
			t.Errorf("%q and %q are two pictures", c[0], c[1])
		}
	}
	plain := pictureOf(t, model)
	for _, args := range []string{"--view front", "--ortho", "--fov 70", "--camera-up 0,0,1", "--camera-position 1,2,3", "--camera-target 0,0,0", "--camera 0"} {
		if bytes.Equal(pictureOf(t, model, strings.Fields(args)...), plain) {
			t.Errorf("%s does not show", args)
		}
	}
}

func TestRender_FlagsOfCamerasThatCannotBe(t *testing.T) {
	model, still := writeModel(t, watched), writeModel(t, triangleModel)
	out := filepath.Join(t.TempDir(), "f-%d.png")
	for args, want := range map[string]string{
		"--width abc":                                     `--width "abc": want a whole number`,
		"--width 1e3":                                     `--width "1e3": want a whole number`,
		"--yaw left":                                      `--yaw "left": want a number`,
		"--ortho=2":                                       `--ortho "2": want true or false`,
		"--time-limit soon":                               `--time-limit "soon": want a time such as 30s or 5m`,
		"--camera back":                                   `has cameras 0 "main", 1 "side", 2 "far", 3 "far"`,
		"--camera 4":                                      `--camera 4: ` + model + ` has cameras 0 "main"`,
		"--camera far":                                    `cameras 2, 3 of ` + model + ` are called so; name one by its number`,
		"--camera -1":                                     "--camera -1: want a camera's number, from 0, or its name",
		"--camera 0 --yaw 3":                              "--camera and --yaw: ",
		"--camera 0 --zoom 2":                             "--camera and --zoom: ",
		"--camera 0 --ortho":                              "--camera and --ortho: ",
		"--camera 0 --fov 20":                             "--camera and --fov: ",
		"--camera 0 --view top":                           "--camera and --view: ",
		"--camera 0 --camera-target 1,2,3":                "--camera and --camera-target: ",
		"--camera 0 --camera-position 1,2,3":              "--camera and --camera-position: ",
		"--camera 0 --camera-up 1,2,3":                    "--camera and --camera-up: ",
		"--camera 0 --turntable 3":                        "--camera and --turntable: ",
		"--camera-position 1,2,3 --yaw 3":                 "--camera-position and --yaw: ",
		"--camera-position 1,2,3 --pitch 3":               "--camera-position and --pitch: ",
		"--camera-position 1,2,3 --view top":              "--camera-position and --view: ",
		"--camera-position 1,2,3 --turntable":             "flag needs an argument: --turntable",
		"--camera-position 1,2,3 --turntable 3":           "--camera-position and --turntable: ",
		"--camera-position 1,2":                           `--camera-position "1,2": want X,Y,Z`,
		"--camera-position 1,2,3,4":                       `--camera-position "1,2,3,4": want X,Y,Z`,
		"--camera-position 1,2,NaN":                       `--camera-position "1,2,NaN": want X,Y,Z`,
		"--camera-target 1,,3":                            `--camera-target "1,,3": want X,Y,Z`,
		"--camera-target 1,2,1e39":                        `--camera-target "1,2,1e39": want X,Y,Z`,
		"--camera-position 1,2,3 --camera-target 1.0,2,3": "--camera-position and --camera-target are one place",
		"--camera-position 0,9,0 --camera-target 0,0,0 --camera-up 0,-2,0": "--camera-up 0,-2,0 is the direction that the camera looks in",
		"--camera-up 0,0,0":        "this is no direction",
		"--ortho --fov 20":         "--ortho and --fov: ",
		"--fov 180":                "--fov 180: want 0.001 to 179",
		"--view above":             `--view "above": want one of front, back, left, right, top, bottom, iso`,
		"--view top --yaw 10":      "--view and --yaw: ",
		"--view top --pitch 10":    "--view and --pitch: ",
		"--turntable 3 --frames 3": "--turntable and --frames: ",
		"--turntable 0":            "--turntable 0: want 1 to 1000000",
		"--frames 3":               "has no animation, all frames would be the same; --turntable 3 turns it",
		"--time 2":                 "--time 2 is a moment of an animation: --animation N says of which",
		"--time 2 --turntable 3":   "--time 2 is a moment of an animation",
		"--fps 3":                  "--fps is for sequences",
		"--animation -1":           "--animation -1: want an animation's number, from 0",
		"--shard 1/2":              "--shard needs --frames or --turntable",
	} {
		m := model
		if strings.HasPrefix(args, "--frames") {
			m = still
		}
		code, _, stderr := command(t, append([]string{"render", m, "-o", out}, strings.Fields(args)...)...)
		checkFailure(t, code, exitUsage, stderr)
		if !strings.Contains(stderr, want) {
			t.Errorf("%s: %q, want %q", args, stderr, want)
		}
	}
	code, _, stderr := command(t, "render", still, "-o", out, "--camera", "main")
	if checkFailure(t, code, exitUsage, stderr); !strings.Contains(stderr, "has no camera") {
		t.Errorf("without cameras: %s", stderr)
	}
}

// A turn ends where it began: the first of 4 frames is that of yaw 0, the second that of 90°.
func TestRender_Turntable(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	turn := func(name string, args ...string) []byte {
		t.Helper()
		args = append([]string{"render", model, "-o", filepath.Join(dir, name), "--width", "30", "--height", "20"}, args...)
		if code, _, stderr := command(t, args...); code != 0 {
			t.Fatal(stderr)
		}
		data, _ := os.ReadFile(filepath.Join(dir, name))
		return data
	}
	turn("a-%d.png", "--turntable", "4", "--view", "front")
	turn("b-%d.png", "--turntable", "2", "--yaw", "90", "--pitch", "0")
	frame := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(frame("a-1.png"), frame("b-0.png")) || !bytes.Equal(frame("a-3.png"), frame("b-1.png")) {
		t.Error("a quarter of the turn is not 90 degrees")
	}
	if bytes.Equal(frame("a-0.png"), frame("a-1.png")) {
		t.Error("nothing turns")
	}
	if _, err := os.Stat(filepath.Join(dir, "a-4.png")); err == nil {
		t.Error("5 of 4 frames")
	}
	if apng := turn("turn.apng", "--turntable", "3"); bytes.Count(apng, []byte("fcTL")) != 3 {
		t.Errorf("%d frames in an animated PNG", bytes.Count(apng, []byte("fcTL")))
	}
	var raw, errs bytes.Buffer
	if code := run(t.Context(), []string{"render", model, "-o", "-", "--format", "rgba", "--turntable", "3", "--width", "30", "--height", "20"}, &raw, &errs); code != 0 || raw.Len() != 3*30*20*4 {
		t.Errorf("%d bytes of raw frames: %s", raw.Len(), errs.String())
	}
}

func TestThumbnails_Views(t *testing.T) {
	models, out := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(models, "m.gltf"), []byte(triangleModel), 0o600); err != nil {
		t.Fatal(err)
	}
	draw := func(args ...string) string {
		t.Helper()
		args = append([]string{"thumbnails", models, "-o", out, "--size", "24", "--force"}, args...)
		if code, _, stderr := command(t, args...); code != 0 {
			t.Fatal(stderr)
		}
		data, err := os.ReadFile(filepath.Join(out, "m.gltf.png"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	seen := map[string]string{}
	for _, args := range []string{"", "--view front", "--view front --ortho --zoom 0.5", "--yaw 200", "--view front --camera-up 1,0,0", "--view front --fov 90 --zoom 0.7"} {
		data := draw(strings.Fields(args)...)
		if other, ok := seen[data]; ok {
			t.Errorf("%q draws what %q draws", args, other)
		}
		seen[data] = args
	}
	if code, _, stderr := command(t, "thumbnails", models, "-o", out, "--view", "top", "--yaw", "3"); code != exitUsage || !strings.Contains(stderr, "--view and --yaw") {
		t.Errorf("%d: %s", code, stderr)
	}
}

// Bounds are told to the last digit that the file has, wherever the model is.
func TestInfo_BoundsFarAway(t *testing.T) {
	for at, want := range map[string]string{
		"0,0,0":                "[0 0 0] to [1 1 0]",
		"0.1,0.2,-0.3":         "[0.1 0.2 -0.3] to [1.1 1.2 -0.3]",
		"2600000.25,-1e9,1e-3": "[2600000.25 -1000000000 0.001] to [2600001.25 -999999999 0.001]",
	} {
		model := writeModel(t, strings.Replace(triangleModel, `"nodes":[{"mesh":0}]`, `"nodes":[{"mesh":0,"translation":[`+at+`]}]`, 1))
		code, stdout, stderr := command(t, "info", model)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: %d, %s%s, want %s", at, code, stdout, stderr, want)
		}
	}
}
