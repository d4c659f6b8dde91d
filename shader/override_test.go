package shader_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
)

// Overrides have their own value, one that the compiler is given, or one that the pipeline is given where a function alone
// or @workgroup_size has them. Expected words are worked out by hand from WGSL.
func TestOverride_Values(t *testing.T) {
	const head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
	filled := func(n, value uint32) []uint32 { // the first n of 8 words
		return append(slices.Repeat([]uint32{value}, int(n)), make([]uint32, 8-n)...)
	}
	for _, c := range []struct {
		name, source string
		constants    map[string]float64
		pipeline     pumice.Constants
		want         []uint32
	}{
		{"the workgroup's size and a value", `override N:u32=4; @group(0)@binding(0) var<storage,read_write> o:array<u32>; @compute @workgroup_size(N) fn main(@builtin(global_invocation_id) i:vec3u){ o[i.x]=N; }`,
			nil, nil, filled(4, 4)},
		{"by name", head + "override N: u32 = 4; @compute @workgroup_size(N) fn main(@builtin(global_invocation_id) i: vec3u) { o[i.x] = N; }",
			map[string]float64{"N": 6}, nil, filled(6, 6)},
		{"by the pipeline", head + "override N: u32 = 4; @compute @workgroup_size(N) fn main(@builtin(global_invocation_id) i: vec3u) { o[i.x] = N; }",
			nil, pumice.Constants{0: 3}, filled(3, 3)},
		{"by the pipeline, and by the compiler before", head + "override N: u32 = 4; @compute @workgroup_size(N) fn main(@builtin(global_invocation_id) i: vec3u) { o[i.x] = N; }",
			map[string]float64{"N": 6}, pumice.Constants{0: 2}, filled(2, 2)},
		{"an i32 without a type, two axes", head + "override N = 2; @compute @workgroup_size(1, N, 1) fn main(@builtin(local_invocation_index) i: u32) { o[i] = u32(N * 3); }",
			nil, pumice.Constants{0: 4}, filled(4, 12)},
		{"@id by number", head + "@id(7) override scale = 1.5; @compute @workgroup_size(1) fn main() { o[0] = u32(scale * 4); }",
			map[string]float64{"7": 2.5}, nil, filled(1, 10)},
		{"@id by name", head + "@id(7) override scale = 1.5; @compute @workgroup_size(1) fn main() { o[0] = u32(scale * 4); }",
			map[string]float64{"scale": 2.5}, nil, filled(1, 10)},
		{"@id by the pipeline; a later one without", head + "override a: u32; @id(0) override scale = 1.5;\n@compute @workgroup_size(1) fn main() { o[0] = u32(scale * 4) + a; }",
			map[string]float64{"a": 100}, pumice.Constants{0: float32(3), 1: 200}, filled(1, 212)},
		{"bool and negative", head + "override yes = true; override no: bool; override k: i32 = -3;\n@compute @workgroup_size(1) fn main() { if yes { o[0] = u32(-k); } if no { o[1] = 1; } }",
			map[string]float64{"no": 0}, nil, []uint32{3, 0, 0, 0, 0, 0, 0, 0}},
		{"bool by the pipeline", head + "override yes = true; override no: bool; override k: i32 = -3;\n@compute @workgroup_size(1) fn main() { if yes { o[0] = u32(-k); } if no { o[1] = 1; } }",
			map[string]float64{"no": 0}, pumice.Constants{0: false, 1: true, 2: int32(-9)}, []uint32{0, 1, 0, 0, 0, 0, 0, 0}},
		{"a float's integer division is none", head + "override x = 1; override y = 2.0;\n@compute @workgroup_size(1) fn main() { o[0] = u32(x / 2 + 10); o[1] = u32(y / 4 * 10); }",
			nil, nil, []uint32{10, 5, 0, 0, 0, 0, 0, 0}},
		{"an array's length and what is computed", head + "override N: u32 = 2;\noverride M = N * 2u + 1;\nvar<workgroup> tile: array<u32, M>;\n@compute @workgroup_size(1) fn main() { for (var i = 0u; i < M; i++) { tile[i] = i + N; } for (var i = 0u; i < M; i++) { o[i] = tile[i]; } }",
			map[string]float64{"N": 3}, nil, []uint32{3, 4, 5, 6, 7, 8, 9, 0}},
		{"what is computed is given itself", head + "override N: u32 = 2;\noverride M = N * 2u + 1;\nvar<workgroup> tile: array<u32, M>;\n@compute @workgroup_size(1) fn main() { for (var i = 0u; i < M; i++) { tile[i] = i + N; } for (var i = 0u; i < M; i++) { o[i] = tile[i]; } }",
			map[string]float64{"M": 2}, nil, []uint32{2, 3, 0, 0, 0, 0, 0, 0}},
		{"the nearest float", head + "override x = 1.0; override h: f32;\n@compute @workgroup_size(1) fn main() { o[0] = bitcast<u32>(x); o[1] = bitcast<u32>(h); }",
			map[string]float64{"x": 0.1, "h": -0x1p-149}, nil, []uint32{0x3DCCCCCD, 0x80000001, 0, 0, 0, 0, 0, 0}},
		{"an initializer", head + "override N: u32 = 2; var<private> p = N + 5u;\n@compute @workgroup_size(1) fn main() { p += 1; o[0] = p; }",
			map[string]float64{"N": 4}, nil, filled(1, 10)},
		{"an alias, a comment, lines", head + "alias T = u32; /* override no = */ @id(3)\noverride // a comment\n\tN : T =\n\t(1 + 2) // three\n\t* 2;\n@compute @workgroup_size(1) fn main() { o[0] = N; }",
			nil, nil, filled(1, 6)},
		{"the same, by the pipeline", head + "alias T = u32; /* override no = */ @id(3)\noverride // a comment\n\tN : T =\n\t(1 + 2) // three\n\t* 2;\n@compute @workgroup_size(1) fn main() { o[0] = N; }",
			nil, pumice.Constants{3: 99}, filled(1, 99)},
		{"a name that hides it", head + "override N = 2;\nfn f() -> u32 { let N = 5u; return N; }\n@compute @workgroup_size(1) fn main() { o[0] = f() + u32(N); }",
			nil, pumice.Constants{0: int32(3)}, filled(1, 8)},
		{"two entry points", head + "override N: u32 = 2;\n@compute @workgroup_size(N) fn main(@builtin(local_invocation_index) i: u32) { o[i] = 1; }\n@compute @workgroup_size(1) fn other() { o[0] = N; }",
			map[string]float64{"N": 3}, nil, filled(3, 1)},
		{"a size that is computed", head + "override N: u32 = 2;\n@compute @workgroup_size(N * 2) fn main(@builtin(local_invocation_index) i: u32) { o[i] = 1; }",
			map[string]float64{"N": 3}, nil, filled(6, 1)},
	} {
		for _, entry := range []string{"", "main"} {
			code, err := compiler(t).Compile(context.Background(), c.source, shader.Options{Name: "x.wgsl", Constants: c.constants, Entry: entry})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := specialized(t, code, c.pipeline); !slices.Equal(got, c.want) {
				t.Errorf("%s: %d, want %d", c.name, got, c.want)
			}
		}
	}
}

// specialized is what a compute shader makes of eight words that are 0.
func specialized(t *testing.T, code []byte, constants pumice.Constants) []uint32 {
	t.Helper()
	dev := device(t)
	p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code, Entry: "main", Constants: constants}})
	if err != nil {
		t.Fatal(err)
	}
	return dispatch(t, dev, p, make([]uint32, 8))
}

// Reflect lists what a pipeline may still change, with numbers and names.
func TestOverride_AreSpecializationConstants(t *testing.T) {
	code := mustCompile(t, "override a = 1u; @id(1) override b = 2.5; override c = true; override len = 4u; override d: i32 = -7; var<workgroup> w: array<u32, len>;\n"+
		"@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(a) fn main() { w[0] = u32(d); if c { o[0] = u32(b) + w[0]; } }", shader.Options{Name: "x.wgsl"})
	r, err := shader.Reflect(code)
	if err != nil {
		t.Fatal(err)
	}
	e := r.EntryPoints[0]
	if got, want := fmt.Sprint(e.Constants), "[{0 a uint 1} {1 b float 2.5} {2 c bool true} {4 d int -7}]"; got != want || e.Workgroup != [3]uint32{1, 1, 1} || e.Unsupported != "" {
		t.Errorf("%s, workgroup %d, %s; want %s", got, e.Workgroup, e.Unsupported, want)
	}
}

// Values that a type does not have, overrides that there are not, and those without a value are told with their places.
func TestOverride_Errors(t *testing.T) {
	const source = "\noverride N: u32 = 4;\n@id(3) override k: i32;\noverride yes = true; override x = 1.0;\n@compute @workgroup_size(N) fn main() { }"
	for _, c := range []struct {
		name, source string
		constants    map[string]float64
		line, column int
		want         string
	}{
		{"no value", source, nil, 3, 8, "override k has no value of its own: Options.Constants gives it one"},
		{"no such one", source, map[string]float64{"M": 1}, 0, 0, `Options.Constants has "M", and there is no such override; there are: N, 3 (k), yes, x`},
		{"no such number", source, map[string]float64{"0": 1}, 0, 0, `Options.Constants has "0"`},
		{"no override at all", "@compute @workgroup_size(1) fn main() { }", map[string]float64{"N": 1}, 0, 0, "the source has no override"},
		{"twice", source, map[string]float64{"3": 1, "k": 1}, 0, 0, "has k twice"},
		{"negative", source, map[string]float64{"N": -1, "k": 0}, 2, 1, "-1, which Options.Constants gives override N, is no u32"},
		{"too large", source, map[string]float64{"N": 4294967296, "k": 0}, 2, 1, "is no u32"},
		{"a fraction", source, map[string]float64{"k": 0.5}, 3, 8, "0.5, which Options.Constants gives override k, is no i32"},
		{"no truth", source, map[string]float64{"k": 0, "yes": 2}, 4, 1, "is no bool"},
		{"beyond f32", source, map[string]float64{"k": 0, "x": 1e39}, 4, 22, "is no f32"},
		{"a size of 0", source, map[string]float64{"k": 0, "N": 0}, 5, 32, "Workgroup size is out of range"},
		{"a number that is computed", "@id(1 + 2) override N: u32 = 1;\n@compute @workgroup_size(1) fn main() { }", nil, 1, 12, "@id of override N is no plain number"},
		{"a wrong type", "override N: u32 = 1.5;\n@compute @workgroup_size(1) fn main() { }", nil, 1, 10, "u32"},
		{"an error behind it", "override N = 4; @compute @workgroup_size(N) fn main() { foo(); }", nil, 1, 57, "no definition in scope for identifier: `foo`"},
		{"an error that the value makes", "@id(1) override N = 4; @compute @workgroup_size(1) fn main() { let x = 1 / N; }", map[string]float64{"N": 0}, 1, 72, "Division by zero"},
		{"and on the next line", "@id(1) override N: i32\n= 4\n; @compute @workgroup_size(1) fn main() { let x = 1 / N; }", map[string]float64{"N": 0}, 3, 51, "Division by zero"},
	} {
		_, err := compiler(t).Compile(context.Background(), c.source, shader.Options{Name: "x.wgsl", Constants: c.constants})
		var e *shader.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *shader.Error", c.name, err)
			continue
		}
		if d := e.Diagnostics[0]; d.Line != c.line || d.Column != c.column || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: at %d:%d: %v; want %d:%d, %s", c.name, d.Line, d.Column, err, c.line, c.column, c.want)
		}
	}
	_, err := compiler(t).Compile(context.Background(), "#version 450\nvoid main() {}", shader.Options{Name: "x.vert", Constants: map[string]float64{"N": 1}})
	if err == nil || !strings.Contains(err.Error(), "constant_id") {
		t.Errorf("GLSL: %v", err)
	}
}

// Sources that end in an override, or hold halves of one, are errors like any.
func TestOverride_HalvesAreErrors(t *testing.T) {
	for _, source := range []string{"override", "override N", "override N:", "override N: u32", "override N =", "override N = (", "override N = 1", "@id", "@id(", "@id(1) override", "override N = 1; {", "}override N = 1;", "override = 1;", "@id(N) override N = 1;"} {
		if _, err := compiler(t).Compile(context.Background(), source, shader.Options{Name: "x.wgsl"}); err == nil {
			t.Errorf("%q: no error", source)
		}
	}
}

// Comments of Latin-1 are taken in both languages, and places of messages are as an editor shows them; bytes that are no text
// elsewhere are told with their line.
func TestCompile_Latin1InComments(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"line.frag", "#version 450\n// \xa9 2026, f\xfcr alle\nlayout(location=0) out vec4 c;\nvoid main(){ c=vec4(1); }\n"},
		{"block.comp", "#version 450\n/* \xa9\n \xfc */ layout(local_size_x = 1) in;\nvoid main(){ /* \xff */ }\n"},
		{"continued.comp", "#version 450\n// \xa9 \\\n \xfc\nlayout(local_size_x = 1) in;\nvoid main(){}\n"},
		{"continued.vert", "#version 450\r\n// \xa9 \\\r\n \xfc\r\nvoid main(){}\r\n"},
		{"line.wgsl", "// \xa9\n@compute @workgroup_size(1) fn main() {}"},
		{"nested.wgsl", "/* \xa9 /* \xfc */ \xe4 */ @compute @workgroup_size(1) fn main() {}"},
		{"mark.wgsl", "\ufeff@compute @workgroup_size(1) fn main() {}"},
		{"mark.comp", "\ufeff#version 450\nlayout(local_size_x = 1) in;\nvoid main(){}\n"},
	} {
		mustCompile(t, c.source, shader.Options{Name: c.name})
	}
	mustCompile(t, "#version 450\n// \xfcber\nvoid main(){}\n", shader.Options{Name: "x.vert", Debug: true})
	for _, c := range []struct{ name, source, want string }{
		{"word.frag", "#version 450\nvoid m\xfc() {}", "word.frag:2:7: the source is not UTF-8 text"},
		{"after.frag", "#version 450\n/* \xfc */ void main() { \xe4 }", "after.frag:2:23: the source is not UTF-8 text"},
		{"column.frag", "#version 450\n/* \xfc\xe4 */ void main() { foo; }", "column.frag:2:24: 'foo'"},
		{"word.wgsl", "fn m\xfc() {}", "word.wgsl:1:5: the source is not UTF-8 text"},
		{"line.wgsl", "// \\\nfn m\xfc() {}", "line.wgsl:2:5: the source is not UTF-8 text"},
		{"column.wgsl", "/* \xfc */ fn main() { x = 1; }", "column.wgsl:1:21: no definition"},
	} {
		_, err := compiler(t).Compile(context.Background(), c.source, shader.Options{Name: c.name})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
}

// naga breaks off at texture_external, and speaks of its own program where it validates: both are said in words of the source.
func TestCompile_SaysWhatNagaMeans(t *testing.T) {
	const end = "\n@fragment fn main() -> @location(0) vec4f { return vec4f(0); }"
	for _, c := range []struct{ source, want string }{
		{"@group(0)@binding(0) var t:texture_external; @group(0)@binding(1) var s:sampler; @fragment fn fs(@location(0) u:vec2f)->@location(0) vec4f{ return textureSampleBaseClampToEdge(t,s,u); }",
			"x.wgsl:1:28: texture_external is not supported"},
		{"// texture_external\n\n@group(0) @binding(0) var t: texture_external;" + end, "x.wgsl:3:30: texture_external is not supported"},
		{"/* texture_external */ alias E = texture_external;" + end, "x.wgsl:1:34: texture_external is not supported"},
		{"fn f(t: texture_external) -> vec4f { return textureLoad(t, vec2u(0)); }" + end, "x.wgsl:1:9: texture_external is not supported"},
		{"struct S { a: f32 }\nfn f(q: i32, p: ptr<function, f32>) { *p = 1.0; }\nfn g() { var s: S; f(max(1, 2), &s.a); }" + end, "x.wgsl:3:33: a pointer to a part of a variable"},
		{"fn f(p: ptr<function, f32>) { *p = 1.0; }\nfn g() { var s: array<f32, 3>; f(\n&s[1]); }" + end, "x.wgsl:3:1: a pointer to a part of a variable"},
		{"var<push_constant> p: u32;" + end, "x.wgsl:1:5: unknown address space: `push_constant`: WGSL calls push constants var<immediate>"},
		{"@fragment\nfn main() -> @location(0) vec4f {\n\treturn vec3f(1);\n}", "x.wgsl:3:9: Entry point main at Fragment is invalid: The `return` expression does not match the declared return type"},
		{"fn f() -> i32 { }" + end, "x.wgsl:1:1: Function 'f' is invalid: The function ends without the value that its declared return type asks for"},
		{"fn f() { let x = 1u + 1.0f; }" + end, "x.wgsl:1:18: Function 'f' is invalid: Operation Add can't work with u32 and f32"},
		{"fn f() { let x = mat3x3f() * vec4f(0); }" + end, "Operation Multiply can't work with mat3x3<f32> and vec4<f32>"},
		{"fn f() { if 1 { } }" + end, "x.wgsl:1:13: Function 'f' is invalid: The `if` condition is not a boolean scalar"},
		{"fn f() { var a: array<f32, 4>; let x = a[5]; }" + end, "Accessing index 5 is out of bounds"},
		{"fn f() {\n\tif true {\n\t\t/* ü */ let x = 1 + 1u + 1.0f;\n\t}\n}" + end, "x.wgsl:3:19: Function 'f' is invalid: Operation Add can't work with u32 and f32"},
		{"@group(0) @binding(0) var<uniform> a: bool;" + end, "x.wgsl:1:23: Global variable 'a' is invalid: Its type does not fit the address space: buffers cannot hold it (bool is such)"},
		{"fn f() {}\n@compute @workgroup_size(0) fn g() {}", "x.wgsl:2:32: Entry point g at Compute is invalid: Workgroup size is out of range"},
		{"fn f(x: f32) -> f32 { return x; } fn g() { let y = f(1u); }" + end, "x.wgsl:1:54: Function 'g' is invalid: Argument 0 value doesn't match the type"},
	} {
		_, err := compiler(t).Compile(context.Background(), c.source, shader.Options{Name: "x.wgsl"})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "naga") {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
