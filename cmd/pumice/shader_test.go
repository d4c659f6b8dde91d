package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
)

const shaderSource = `#version 450
layout(constant_id = 2) const int LEVELS = 3;
layout(push_constant) uniform Push { mat4 matrix; vec2 offset; } push;
layout(set = 1, binding = 4) uniform sampler2D pictures[2];
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(pictures[0], uv + push.offset * LEVELS); }
`

// To translate compilers takes a second, so these tests share a cache.
func TestShader(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Run("DescribesAndWrites", shaderDescribesAndWrites)
	t.Run("Pipes", shaderPipes)
	t.Run("Interpreted", shaderInterpreted)
	t.Run("Constants", shaderConstants)
	t.Run("Errors", shaderErrors)
}

func writeShader(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func shaderDescribesAndWrites(t *testing.T) {
	file := writeShader(t, "x.frag", shaderSource)
	out := filepath.Join(t.TempDir(), "x.spv")
	code, text, errs := command(t, "shader", file, "-o", out)
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{
		"entry point   main (fragment): devices take it\n",
		"  input       location 1  vec2 uv\n",
		"  output      location 0  vec4 color\n",
		"  binding     set 1 binding 4  combined image sampler[2] 2D of float  pictures\n",
		"  push        72 bytes  Push\n", "   0  mat4x4 matrix\n", "  64  vec2 offset\n",
		"  constant    2  int LEVELS = 3\n",
		"capabilities  Shader\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\ndoes not have %q", text, want)
		}
	}
	// SPIR-V is described, too, in the same words.
	code, again, errs := command(t, "shader", out)
	if code != 0 || strings.Join(strings.Split(again, "\n")[1:], "\n") != strings.Join(strings.Split(text, "\n")[1:], "\n") {
		t.Errorf("%d, %s\n%s", code, errs, again)
	}
	code, text, errs = command(t, "shader", file, "--json")
	var r struct {
		File        string
		EntryPoints []struct {
			Name, Stage, Unsupported string
			Bindings                 []struct{ Set, Binding, Count uint32 }
			PushConstants            struct{ Bytes uint32 }
		}
	}
	if err := json.Unmarshal([]byte(text), &r); code != 0 || err != nil {
		t.Fatal(errs, err)
	}
	if e := r.EntryPoints[0]; r.File != file || e.Stage != "fragment" || e.Bindings[0].Set != 1 || e.Bindings[0].Count != 2 || e.PushConstants.Bytes != 72 || e.Unsupported != "" {
		t.Errorf("%s", text)
	}
}

// What no machine code runs is named, with the place in the source.
func shaderInterpreted(t *testing.T) {
	const source = `#version 450
layout(points) in;
layout(points, max_vertices = 9) out;
void main() {
	for (int i = 0; i < 9; i++) {
		gl_Position = gl_in[0].gl_Position;
		EmitVertex();
	}
}`
	file := writeShader(t, "x.geom", source)
	code, text, errs := command(t, "shader", file, "-g", "--json")
	var r struct{ Interpreted []shader.Instructions }
	if err := json.Unmarshal([]byte(text), &r); code != 0 || err != nil {
		t.Fatal(errs, err)
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if dev.Engine() == "vm" { // there is no machine code here
		if len(r.Interpreted) > 0 {
			t.Errorf("%+v", r.Interpreted)
		}
		return
	}
	if len(r.Interpreted) == 0 {
		t.Fatal(text)
	}
	lines := map[string]string{"load.vertex": "x.geom:6", "emit": "x.geom:7"}
	for _, x := range r.Interpreted {
		line, ok := lines[x.Name]
		if !ok || x.EntryPoint != "main" || x.Count < 1 || x.Why == "" || !strings.HasSuffix(x.Source, line) {
			t.Errorf("%+v", x)
		}
	}
	_, text, _ = command(t, "shader", file)
	x := r.Interpreted[0]
	if want := fmt.Sprintf("  interpreted %d × %s  %s", x.Count, x.Name, x.Why); !strings.Contains(text, want) {
		t.Errorf("%s\ndoes not have %q", text, want)
	}
}

// shaderPipe runs the command with a standard input.
func shaderPipe(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	cmd := shaderCommand()
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(in))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(context.Background())
	return out.String(), err
}

func shaderPipes(t *testing.T) {
	code, err := shaderPipe(t, shaderSource, "-", "--stage", "fragment", "-o", "-")
	if err != nil || !strings.HasPrefix(code, "\x03\x02\x23\x07") {
		t.Fatalf("%q, %v", code, err)
	}
	text, err := shaderPipe(t, code, "-")
	if err != nil || !strings.Contains(text, "main (fragment)") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err = shaderPipe(t, shaderSource, "-"); err == nil || !strings.Contains(err.Error(), "standard input: give --language or --stage, or a FILE whose name tells it") {
		t.Errorf("no language: %v", err)
	}
	text, err = shaderPipe(t, "@compute @workgroup_size(4, 2) fn go_on() {}", "-", "--language", "wgsl")
	if err != nil || !strings.Contains(text, "go_on (compute)") || !strings.Contains(text, "4 × 2 × 1") {
		t.Errorf("%s, %v", text, err)
	}
}

// Values of overrides are given by flags, and what a pipeline may still change is listed.
func shaderConstants(t *testing.T) {
	file := writeShader(t, "x.wgsl", "override N: u32 = 4;\n@id(9) override fast: bool;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(N) fn main() { if fast { o[0] = N; } }\n")
	code, text, errs := command(t, "shader", file, "--constant", "N=0x10", "--constant", "9=true")
	for _, want := range []string{"16 × 1 × 1", "  constant    0  uint N = 16\n", "  constant    9  bool fast = true\n"} {
		if code != 0 || !strings.Contains(text, want) {
			t.Errorf("%d, %s\n%s\ndoes not have %q", code, errs, text, want)
		}
	}
	glsl, spv := writeShader(t, "x.vert", "#version 450\nvoid main() {}\n"), filepath.Join(t.TempDir(), "x.spv")
	if code, _, errs := command(t, "shader", glsl, "-o", spv); code != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{file}, 1, ":2:8: override fast has no value of its own: --constant gives it one"},
		{[]string{file, "--constant", "M=1"}, 1, `--constant has "M", and there is no such override; there are: N, 9 (fast)`},
		{[]string{file, "--constant", "N"}, 2, "--constant N: NAME=VALUE"},
		{[]string{file, "--constant", "N=x"}, 2, "--constant N=x: NAME=VALUE"},
		{[]string{file, "--constant", "N=1", "--constant", "N=2"}, 2, "N has a value already"},
		{[]string{file, "--constant", "N=1.5", "--constant", "9=false"}, 1, "1.5, which --constant gives override N, is no u32"},
		{[]string{glsl, "--constant", "N=1"}, 1, "--constant is for WGSL's overrides"},
		{[]string{spv, "--constant", "N=1"}, 2, "is SPIR-V"},
	} {
		code, _, errs := command(t, append([]string{"shader"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d, %s; want %d, %s", c.args, code, errs, c.code, c.want)
		}
	}
}

func shaderErrors(t *testing.T) {
	file := writeShader(t, "x.comp", "#version 450\nvoid main() { COUNT = 1; }\n")
	out := filepath.Join(t.TempDir(), "out.spv")
	code, _, errs := command(t, "shader", file, "-o", out)
	if want := "pumice: " + file + ":2:15: 'COUNT': undeclared identifier\n\tvoid main() { COUNT = 1; }\n\t              ^^^^^\n"; code != 1 || !strings.HasPrefix(errs, want) {
		t.Errorf("%d, %s\nwant\n%s", code, errs, want)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written for a source with errors")
	}
	if code, _, errs = command(t, "shader", file, "-D", "COUNT=int i"); code != 0 {
		t.Errorf("-D: %s", errs)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{file, "--stage", "pixel"}, 2, "--stage pixel: there are vertex"},
		{[]string{file, "--target", "2"}, 2, "--target 2: there are 1.0"},
		{[]string{file, "--language", "hlsl"}, 2, "--language hlsl: there are wgsl and glsl"},
		{[]string{}, 2, "accepts 1 arg"},
		{[]string{filepath.Dir(file)}, 1, "is a folder"},
		{[]string{writeShader(t, "empty.vert", " \n")}, 1, "is empty"},
		{[]string{writeShader(t, "x.txt", "void main() {}")}, 1, "give --language or --stage, or a FILE whose name tells it, such as x.wgsl or x.frag: the language is not known"},
		{[]string{writeShader(t, "y.txt", "void main() {}"), "--language", "glsl"}, 1, "give --stage, or a FILE whose name tells it"},
		{[]string{writeShader(t, "y.vert", "void main() {}"), "-D", "1=2"}, 1, "--define: \"1\" is no name of a macro"},
		{[]string{writeShader(t, "broken.spv", "\x03\x02\x23\x07\x00\x00\x01\x00")}, 1, "broken.spv: "},
		{[]string{writeShader(t, "rays.frag", "#version 460\n#extension GL_EXT_ray_query : require\nlayout(binding = 0) uniform accelerationStructureEXT a;\nvoid main() { rayQueryEXT q; rayQueryInitializeEXT(q, a, 0, 255, vec3(0), 0, vec3(1), 1); }")}, 1, "RayQuery"},
	} {
		code, _, errs := command(t, append([]string{"shader"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d, %s; want %d, %s", c.args, code, errs, c.code, c.want)
		}
	}
}
