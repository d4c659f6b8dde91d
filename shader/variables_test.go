package shader_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/shader"
)

//go:generate glslangValidator -V -gVS -o testdata/variables.comp.spv testdata/variables.comp
//go:generate glslangValidator -D -V -Od -e main -S comp -gVS -o testdata/variables.hlsl.spv testdata/variables.hlsl
//go:generate glslangValidator -D -V -e main -S comp -gVS -o testdata/variables.opt.spv testdata/variables.hlsl

// invocation explains word 2 of the output of a module's dispatch: what invocation 2 computes of
// scale 1.5 and bias (0.25, 0.5).
func invocation(t *testing.T, code []byte, biasAt int) *explain.Shader {
	t.Helper()
	dev := must(pumice.Open(&pumice.Config{Explain: true}))(t)
	t.Cleanup(func() { _ = dev.Close() })
	desc := pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}}
	p := must(dev.NewComputePipeline(desc))(t)
	numbers := make([]float32, 8)
	numbers[0], numbers[biasAt], numbers[biasAt+1] = 1.5, 0.25, 0.5
	bits := make([]uint32, len(numbers))
	for i, x := range numbers {
		bits[i] = math.Float32bits(x)
	}
	out := must(dev.NewBufferFrom(make([]uint32, 4)))(t)
	set := must(p.NewDescriptorSet(0))(t)
	if err := set.Bind(0, must(dev.NewBufferFrom(bits))(t)); err != nil {
		t.Fatal(err)
	}
	if err := set.Bind(1, out); err != nil {
		t.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.BindDescriptorSet(0, set)
	cmd.Dispatch(1, 1, 1)
	at := []pumice.WatchPoint{{Buffer: out, Offset: 8, Shader: true}}
	e := must(dev.Explain(t.Context(), at, cmd))(t)[0]
	for _, v := range e.Events {
		if v.Shader != nil {
			return v.Shader
		}
	}
	t.Fatalf("no invocation has written the word: %+v", e)
	return nil
}

// assignments are the lines of a file with what they gave variables, in the order in which they
// ran.
func assignments(s *explain.Shader, file string) string {
	var b strings.Builder
	line := 0
	for _, in := range s.Steps {
		if in.Assigns == nil {
			continue
		}
		if in.File != file && in.Line != 0 {
			fmt.Fprintf(&b, "%s?", in.File)
		}
		if in.Line != line {
			line = in.Line
			fmt.Fprintf(&b, "\n%d:", line)
		}
		fmt.Fprintf(&b, " %s = %s;", in.Assigns.Name, in.Assigns.Value.Text)
	}
	return strings.TrimSpace(b.String())
}

// What a trace says of the variables of each line, in each language and by each kind of debug
// information, is what somebody works out by hand who follows invocation 2 through the source.
func TestDebug_VariablesOfLines(t *testing.T) {
	text := func(name string) string { return string(must(os.ReadFile("testdata/" + name))(t)) }
	compiled := func(name string) []byte {
		return mustCompile(t, text(name), shader.Options{Name: name, Debug: true})
	}
	// naga declares variables where functions begin, so what k begins with comes first.
	const wgsl = `14: k = 0;
11: i = 2;
12: sum = 3;
13: sum = 3.5;
5: v = 0;
6: w = 0;
15: sum = 3.5;
14: k = 1;
5: v = 1;
6: w = 2;
15: sum = 5.5;
14: k = 2;
5: v = 2;
6: w = 4;
15: sum = 9.5;
14: k = 3;
17: s = 9.5, (1, 2);
18: s = 9.5, (1, 19);
19: done = 9.5, 19;`
	const glsl = `11: i = 2;
12: sum = 3;
13: sum = 3.5;
14: k = 0;
6: v = 0;
7: w = 0;
15: sum = 3.5;
14: k = 1;
6: v = 1;
7: w = 2;
15: sum = 5.5;
14: k = 2;
6: v = 2;
7: w = 4;
15: sum = 9.5;
14: k = 3;
17: s = 9.5, (1, 2);
18: s = 9.5, (1, 19);
19: done = 9.5, 19;`
	const hlsl = `9: id = 2, 0, 0;
10: i = 2;
11: sum = 3;
12: sum = 3.5;
13: k = 0;
4: v = 0;
5: w = 0;
14: sum = 3.5;
13: k = 1;
4: v = 1;
5: w = 2;
14: sum = 5.5;
13: k = 2;
4: v = 2;
5: w = 4;
14: sum = 9.5;
13: k = 3;
17: s = 9.5, (0, 0);
18: s = 9.5, (1, 19);
19: done = 9.5, 19;`
	// What spirv-opt leaves: the function is inlined, s is two values, and where the loop goes round,
	// both variables are told again, without a line.
	const values = `9: id = 2, 0, 0;
10: i = 2;
11: sum = 3;
12: sum = 3.5;
13: k = 0;
0: sum = 3.5; k = 0;
14: v = 0;
5: w = 0;
14: sum = 3.5;
13: k = 1;
0: sum = 3.5; k = 1;
14: v = 1;
5: w = 2;
14: sum = 5.5;
13: k = 2;
0: sum = 5.5; k = 2;
14: v = 2;
5: w = 4;
14: sum = 9.5;
13: k = 3;
0: sum = 9.5; k = 3;
17: s.a = 9.5;
18: s.b = 1, 19;
19: done = 9.5, 19;`
	for _, c := range []struct {
		name, file string
		code       []byte
		biasAt     int // in the uniform buffer, in floats
		want       string
	}{
		{"WGSL, lines by marks", "variables.wgsl", compiled("variables.wgsl"), 2, wgsl},
		{"GLSL, OpLine", "variables.comp", compiled("variables.comp"), 2, glsl},
		{"GLSL, DebugDeclare", "testdata/variables.comp", []byte(text("variables.comp.spv")), 2, glsl},
		{"HLSL, DebugDeclare", "testdata/variables.hlsl", []byte(text("variables.hlsl.spv")), 1, hlsl},
		{"HLSL, DebugValue", "testdata/variables.hlsl", []byte(text("variables.opt.spv")), 1, values},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := invocation(t, c.code, c.biasAt)
			if got := assignments(s, c.file); got != c.want {
				t.Errorf("the lines give\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Each statement of WGSL has its line, in whatever it is nested: what else-if, switch, loops with
// and without continuing, and conditions do is of the line that says it.
func TestDebug_LinesOfWGSL(t *testing.T) {
	const source = `override step: u32 = 2u;
@group(0) @binding(0) var<uniform> p: array<vec4f, 2>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
fn pick(n: u32) -> u32 {
	if n == 0u {
		return 10u;
	} else if n == 1u && p[0].x > 1.0 {
		let one = n + 11u; return one;
	} else {
		/* not { this } */ return n * 3u; // nor; this
	}
}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
	var total = id.x; var array_of: array<u32, 3>;
	loop {
		if total > 9u { break; }
		switch total {
			case 2u, 3u: { total += pick(0u); }
			default { total = 9u; }
		}
		continuing {
			total += step;
			break if total == 100u;
		}
	}
	while (total < 20u) { total += pick(1u); }
	let both = total > 1u
		&& p[0].x > 1.0;
	array_of[1] = select(1u, total, both);
	let address = &array_of[total - 25u];
	{
		let inner = *address * 2u;
		data[id.x] = inner;
	}
}
`
	const want = `14: total = 2;
4: n = 0;
18: total = 12;
22: total = 14;
4: n = 1;
8: one = 12;
26: total = 26;
27: both = true;
29: array_of = 0, 26, 0;
32: inner = 52;`
	code := mustCompile(t, source, shader.Options{Name: "lines.wgsl", Debug: true})
	s := invocation(t, code, 2)
	if got := assignments(s, "lines.wgsl"); got != want {
		t.Errorf("the lines give\n%s\nwant\n%s", got, want)
	}
	if len(s.Sources) != 1 || s.Sources[0].Text != source {
		t.Errorf("the source is not that of the shader: %+v", s.Sources)
	}
	// Conditions that no variable has.
	branches := map[int]string{}
	for _, in := range s.Steps {
		if strings.HasPrefix(in.Text, "OpBranchConditional") {
			branches[in.Line] += in.Value.Text + " "
		}
	}
	for line, want := range map[int]string{
		5: "true false ", 7: "true true ", 16: "false true ", 23: "false ",
	} {
		if branches[line] != want {
			t.Errorf("line %d branches on %s, want %s", line, branches[line], want)
		}
	}
}

// Lines change nothing: a module has the instructions that it has without them, and is the same
// where there is no mark.
func TestDebug_LinesAreAllThatIsAdded(t *testing.T) {
	for name, source := range sources {
		if !strings.HasSuffix(name, ".wgsl") {
			continue
		}
		plain := mustCompile(t, source, shader.Options{Name: name})
		lines := mustCompile(t, source, shader.Options{Name: name, Debug: true})
		if d := cmp.Diff(code(plain), code(lines)); d != "" {
			t.Errorf("%s (-plain +lines):\n%s", name, d)
		}
		if len(plain) == len(lines) {
			t.Errorf("%s has no lines", name)
		}
	}
}

// code is what is no debug information in a module, behind its header.
func code(module []byte) (list [][]byte) {
	for at := 20; at < len(module); {
		n := 4 * int(binary.LittleEndian.Uint16(module[at+2:]))
		switch spirv.Op(binary.LittleEndian.Uint16(module[at:])) {
		case spirv.OpString, spirv.OpSource, spirv.OpName, spirv.OpLine, spirv.OpNoLine:
		default:
			list = append(list, module[at:at+n])
		}
		at += n
	}
	return list
}

// Debug keeps the text of the source as it was given, once, in both languages.
func TestDebug_KeepsTheSource(t *testing.T) {
	for name, source := range map[string]string{
		"kept.frag": "#version 460\n#ifdef PREFIX\n#endif\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n",
		"kept.wgsl": "@fragment\nfn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n",
	} {
		code := must(shader.Compile(t.Context(), source, shader.Options{Name: name, Debug: true}))(t)
		want := []spirv.Source{{Name: name, Text: source}}
		if got := must(spirv.ParseBytes(code))(t).Sources(); !cmp.Equal(got, want) {
			t.Errorf("%s", cmp.Diff(want, got))
		}
	}
}
