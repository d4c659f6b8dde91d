package shader_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/shader"
)

// What is wrong is told with file, line and column, and a caret below it.
func TestCompile_ErrorsNamePlaces(t *testing.T) {
	for _, c := range []struct {
		name, source string
		line, column int
		want, detail string
	}{
		{
			"unknown.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {\n\tc = vec4(1) + foo;\n}\n",
			4, 16, "unknown.frag:4:16: 'foo': undeclared identifier", "\n\t\tc = vec4(1) + foo;\n\t\t              ^^^",
		},
		{"umlaut.frag", "#version 450\n/* äöü */ void main() { foo; }\n", 2, 25, "umlaut.frag:2:25: 'foo'", "\n\t/* äöü */ void main() { foo; }\n\t                        ^^^"},
		{"semicolon.frag", "#version 450\nvoid main() {\n\tfloat x = 1.0\n}\n", 4, 1, "syntax error, unexpected RIGHT_BRACE", "\n\t}\n\t^"},
		{"version.vert", "void main() {}", 0, 0, "version.vert: #version: Desktop shaders for Vulkan SPIR-V require version 140 or higher", ""},
		{"uniform.frag", "#version 450\nuniform float x;\nvoid main() {}", 2, 15, "not allowed when using GLSL for Vulkan", ""},
		{"mainless.comp", "#version 450\nvoid other() {}", 0, 0, "Missing entry point", ""},
		{"stage.comp", "#version 450\nvoid main() { gl_Position = vec4(0); }", 2, 15, "'gl_Position'", ""},
		{"parse.wgsl", "\nfn main( {", 2, 10, `parse.wgsl:2:10: expected identifier, found "{"`, "\n\tfn main( {\n\t         ^"},
		{"umlaut.wgsl", "/* äöü */ fn main() { x = 1; }", 1, 23, "umlaut.wgsl:1:23: no definition in scope for identifier: `x`", "\n\t/* äöü */ fn main() { x = 1; }\n\t                      ^"},
		{"type.wgsl", "@fragment\nfn main() -> @location(0) vec4f {\n\treturn vec3f(1);\n}", 3, 9, "does not match the declared return type", "\n\t\treturn vec3f(1);\n\t\t       ^^^^^^^^"},
	} {
		_, err := compiler(t).Compile(context.Background(), c.source, shader.Options{Name: c.name})
		var e *shader.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *shader.Error", c.name, err)
			continue
		}
		d := e.Diagnostics[0]
		if d.Line != c.line || d.Column != c.column || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: at %d:%d: %v; want %d:%d, %s", c.name, d.Line, d.Column, err, c.line, c.column, c.want)
		}
		if !strings.Contains(e.Detail(), c.detail) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, e.Detail(), c.detail)
		}
	}
}

// What the options say wrong, and what is no source, is an error before any compiler runs.
func TestCompile_RefusesWhatIsNoSource(t *testing.T) {
	small := shader.NewCompiler(shader.Config{NoCache: true, MaxSource: 100})
	for _, c := range []struct {
		name, source string
		options      shader.Options
		want         string
	}{
		{"no language", "void main() {}", shader.Options{Name: "x.txt"}, "the language is not known"},
		{"no stage", "#version 450\nvoid main() {}", shader.Options{Name: "x.glsl"}, "the stage of the GLSL is not known"},
		{"no such stage", "", shader.Options{Language: shader.GLSL, Stage: 77}, "none of the stages"},
		{"no such language", "", shader.Options{Language: 9}, "none of the languages"},
		{"no such target", "", shader.Options{Name: "x.vert", Target: 9}, "none of the targets"},
		{"too long", strings.Repeat("a", 101), shader.Options{Name: "x.wgsl"}, "the source has 101 bytes; Config.MaxSource is 100"},
		{"SPIR-V", "\x03\x02\x23\x07\x00\x00\x01\x00", shader.Options{Name: "x.vert"}, "this is SPIR-V already"},
		{"not text", "fn \xff", shader.Options{Name: "x.wgsl"}, "x.wgsl:1:4: the source is not UTF-8"},
		{"a zero byte", "fn \x00", shader.Options{Name: "x.wgsl"}, "zero byte"},
		{"a macro's name", "", shader.Options{Name: "x.vert", Defines: map[string]string{"a b": "1"}}, `"a b" is no name`},
		{"a macro's value", "", shader.Options{Name: "x.vert", Defines: map[string]string{"a": "1\n#error"}}, "more than a line"},
	} {
		_, err := small.Compile(context.Background(), c.source, c.options)
		var e *shader.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A pragma says the stage where the name does not, and entry points of WGSL are looked up.
func TestCompile_StageAndEntry(t *testing.T) {
	mustCompile(t, "#version 450\n#pragma shader_stage(vertex)\nvoid main() { gl_Position = vec4(0); }", shader.Options{Name: "x.glsl"})
	_, err := compiler(t).Compile(context.Background(), "@compute @workgroup_size(1) fn a() {}\n@compute @workgroup_size(1) fn b() {}", shader.Options{Name: "x.wgsl", Entry: "c"})
	if err == nil || !strings.Contains(err.Error(), `there is no entry point "c"; there are: a (compute), b (compute)`) {
		t.Error(err)
	}
}

// Warnings are told, and keep nothing from being compiled.
func TestCompile_Warns(t *testing.T) {
	var said []shader.Diagnostic
	warn := func(d shader.Diagnostic) { said = append(said, d) }
	mustCompile(t, "#version 450\n#extension GL_NO_such_thing : enable\nvoid main() {}", shader.Options{Name: "warned.vert", Warn: warn})
	if len(said) != 1 || !said[0].Warning || said[0].Line != 2 || !strings.HasPrefix(said[0].String(), "warned.vert:2:") || !strings.Contains(said[0].String(), ": warning: ") {
		t.Errorf("%+v", said)
	}
}

// What a terminal would obey does not get from a source into messages.
func TestCompile_MessagesAreClean(t *testing.T) {
	for _, name := range []string{"x.wgsl", "x.frag"} {
		_, err := compiler(t).Compile(context.Background(), "\x1b[2J \x1b]0;title\a", shader.Options{Name: name})
		var e *shader.Error
		if !errors.As(err, &e) || strings.ContainsAny(e.Error()+e.Detail(), "\x1b\a") {
			t.Errorf("%s: %q", name, e.Detail())
		}
	}
}
