package main

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What people type by mistake is answered with what they meant.
func TestMessages_OneArgumentTooMany(t *testing.T) {
	model := writeModel(t, triangleModel)
	for want, args := range map[string][]string{
		`accepts at most 1 arg(s), received 2: "x.png" is too many; to write there: -o x.png`: {"render", model, "x.png"},
		`accepts at most 1 arg(s), received 2: "b" is too many`:                               {"info", "a", "b"},
		`accepts 2 arg(s), received 3: "c" is too many; to write there: -o c`:                 {"diff", "a", "b", "c"},
		`accepts 2 arg(s), received 1; usage: pumice diff A B | A.gfxr B.gfxr [flags]`:        {"diff", "a"},
		`requires at least 1 arg(s), only received 0; usage: pumice thumbnails DIR... -o OUT`: {"thumbnails"},
	} {
		code, _, stderr := command(t, args...)
		if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "pumice: "+want) {
			t.Errorf("%q: %d: %q, want %q", args, code, stderr, want)
		}
	}
	if _, _, stderr := command(t, "render", model, "x.png", "-o", "y.png"); strings.Contains(stderr, "-o x.png") {
		t.Errorf("%q names -o, which is there", stderr)
	}
}

func TestMessages_OutputFolderThatCannotBeWrittenIsToldOnce(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, name := range []string{"a.gltf", "b.gltf", "c.gltf"} {
		put(t, triangleModel, in, name)
	}
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{out, filepath.Join(out, "t")} { // a file is no folder, for root neither
		code, stdout, stderr := command(t, "thumbnails", in, "-o", folder, "--size", "8")
		if code != exitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot be made") || stdout != "" {
			t.Errorf("%d: %q, %q", code, stdout, stderr)
		}
	}
}

func TestMessages_FolderWithoutModels(t *testing.T) {
	code, stdout, stderr := command(t, "thumbnails", t.TempDir(), "-o", t.TempDir())
	if code != exitFailure || stdout != "" || !strings.HasSuffix(stderr, ": no models: want files that end in .glb, .gltf, .obj, .stl, .ply\n") {
		t.Errorf("%d: %q, %q", code, stdout, stderr)
	}
}

func TestMessages_ModelsOfOtherKinds(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ data, want string }{
		"a.obj":   {"v", "a.obj: holds nothing that can be drawn"},
		"e.glb":   {"", "e.glb: the file is empty"},
		"d.ktx2":  {"\xabKTX 20\xbb\r\n\x1a\n", "d.ktx2: is a KTX 2 picture, no model"},
		"m.fbx":   {"Kaydara FBX Binary", "FBX2glTF"},
		"m.blend": {"BLENDER-v400", "Blender exports it as glTF"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"info", path}, {"render", path, "-o", filepath.Join(dir, "x.png")}, {"explain", path, "--pixel", "1,1"}} {
			code, _, stderr := command(t, args...)
			want := c.want
			if args[0] == "info" && name == "d.ktx2" {
				want = "d.ktx2: KTX 2 file: 12 bytes are no header" // info reads pictures
			}
			if code != exitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%q: %d: %q, want %q", args, code, stderr, want)
			}
		}
	}
}

// --up turns what has no up of its own, and is refused for what has.
func TestUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.obj")
	if err := os.WriteFile(path, []byte("v 0 0 0\nv 1 0 0\nv 0 0 2\nf 1 2 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"bounds      [0 0 0] to [1 0 2]": {"info", path},
		"bounds      [0 0 0] to [1 2 0]": {"info", path, "--up", "z"},
		"up          Z":                  {"info", path, "--up", "Z"},
		`"up": "Z"`:                      {"info", path, "--up", "Z", "--json"},
		`"kind": "OBJ"`:                  {"info", path, "--json"},
		"(OBJ, text)":                    {"info", path},
	} {
		code, stdout, stderr := command(t, args...)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%q: %d: %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	model := writeModel(t, triangleModel)
	for want, args := range map[string][]string{
		`--up "X": want Y or Z`:       {"render", path, "-o", filepath.Join(dir, "x.png"), "--up", "X"},
		"is glTF, in which Y is up":   {"render", model, "-o", filepath.Join(dir, "x.png"), "--up", "Y"},
		"teapot is glTF, in which":    {"render", "-o", filepath.Join(dir, "x.png"), "--up", "Y"},
		"is glTF, in which Y is up\n": {"info", model, "--up", "Z"},
		`--up "up": want Y or Z`:      {"thumbnails", dir, "-o", dir, "--up", "up"},
		"--up: a capture shows what":  {"explain", "a.gfxr", "--up", "Z", "--pixel", "1,1"},
	} {
		if code, _, stderr := command(t, args...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: %d: %q, want %q", args, code, stderr, want)
		}
	}
	out := filepath.Join(dir, "t")
	if code, _, stderr := command(t, "thumbnails", path, model, "-o", out, "--size", "8", "--up", "Z"); code != 0 {
		t.Errorf("thumbnails of both: %d: %s", code, stderr)
	}
}

// Help says nothing of flags that the command does not have.
func TestHelp_IsOfTheCommandItself(t *testing.T) {
	for _, name := range []string{"render", "explain", "thumbnails", "info"} {
		_, help, _ := command(t, name, "--help")
		own := regexp.MustCompile(`(?m)^\s+(?:-\w, )?--([a-z-]+)`).FindAllStringSubmatch(help, -1)
		has := func(flag string) bool {
			return slices.ContainsFunc(own, func(m []string) bool { return m[1] == flag })
		}
		for _, m := range regexp.MustCompile(`with --([a-z-]+)`).FindAllStringSubmatch(help, -1) {
			if !has(m[1]) {
				t.Errorf("%s: help names --%s, which it has not", name, m[1])
			}
		}
		for _, odd := range []string{"render's", "0/n is n/n", "sequence's first"} {
			if strings.Contains(help, odd) {
				t.Errorf("%s: help says %q", name, odd)
			}
		}
		if line := regexp.MustCompile(`--animation.*`).FindString(help); strings.Contains(line, "-1") {
			t.Errorf("%s: %s", name, line)
		}
	}
	_, help, _ := command(t, "--help")
	if !strings.Contains(help, "\n  completion ") {
		t.Error("help does not name completion")
	}
	if _, render, _ := command(t, "render", "--help"); !strings.Contains(render, "how many batches ran on the slow reference code") {
		t.Error("help of render does not say what reference is in the report")
	}
}

// docs/driver.md and the manual say the same of the same variables, and the manual where the driver lies.
func TestManual_EnvironmentAndFiles(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := command(t, "man", dir); code != 0 {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "driver.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := ""
	for _, v := range environment {
		rows += fmt.Sprintf("| `%s` | %s | %s |\n", v.name, v.what, v.standard)
	}
	if !strings.Contains(string(page), "|---|---|---|\n"+rows+"\n") {
		t.Errorf("docs/driver.md does not have these rows:\n%s", rows)
	}
	for _, page := range []string{"pumice.1", "pumice-run.1"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range environment {
			if !strings.Contains(string(text), `\fB`+v.name+`\fR`) {
				t.Errorf("%s has no %s", page, v.name)
			}
		}
		for _, s := range []string{".SH ENVIRONMENT\n", ".SH FILES\n", `~/.cache/pumice`, "libvulkan_pumice.so", `pumice_icd.json`} {
			if !strings.Contains(string(text), s) {
				t.Errorf("%s has no %q", page, s)
			}
		}
	}
}

// A draw is called by its mesh's name, else its node's, else the mesh's number.
func TestExplain_NamesDraws(t *testing.T) {
	for want, text := range map[string]string{
		"mesh 0": triangleModel,
		"Fin":    strings.Replace(triangleModel, `"nodes":[{"mesh":0}]`, `"nodes":[{"mesh":0,"name":"Fin"}]`, 1),
		"Shark":  strings.Replace(strings.Replace(triangleModel, `"nodes":[{"mesh":0}]`, `"nodes":[{"mesh":0,"name":"Fin"}]`, 1), `"meshes":[{`, `"meshes":[{"name":"Shark",`, 1),
	} {
		code, stdout, stderr := command(t, "explain", writeModel(t, text), "--pixel", "16,16", "--width", "32", "--height", "32", "--yaw", "0", "--pitch", "0")
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%d: %q, %q, want %q", code, stdout, stderr, want)
		}
	}
}

// The models that docs/cli.md tries the command with are drawn without a word.
func TestSamples(t *testing.T) {
	for _, name := range []string{"top.glb", "house.obj"} {
		path := filepath.Join("..", "..", "docs", "samples", name)
		if code, stdout, stderr := command(t, "info", path, "--strict"); code != 0 || strings.Contains(stdout, "warning") {
			t.Errorf("%s: %d: %q, %q", name, code, stdout, stderr)
		}
		out := filepath.Join(t.TempDir(), "out.png")
		if code, _, stderr := command(t, "render", path, "-o", out, "--width", "16", "--height", "16"); code != 0 || stderr != "" {
			t.Errorf("%s: %d: %q", name, code, stderr)
		}
	}
}

// Points have no light: their colour in the picture is the file's, to the bit.
func TestRender_PointsOfAPLYFile(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "a.ply"), filepath.Join(dir, "a.png")
	text := "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n" +
		"-1 0 0 200 100 50\n1 0 0 3 7 255\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "render", path, "-o", out, "--width", "33", "--height", "33", "--samples", "1", "--yaw", "0", "--pitch", "0"); code != 0 || stderr != "" {
		t.Fatal(stderr)
	}
	img := decodedPNG(t, out)
	var drawn []color.NRGBA // from left to right
	for x := range 33 {
		for y := range 33 {
			if c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); c.A != 0 {
				drawn = append(drawn, c)
			}
		}
	}
	if want := []color.NRGBA{{200, 100, 50, 255}, {3, 7, 255, 255}}; !slices.Equal(drawn, want) {
		t.Errorf("drawn %v, want %v", drawn, want)
	}
}
