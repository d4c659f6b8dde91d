package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// run are instructions: "depth|text|name|of|variable|value".
func run(lines string) *Shader {
	s := &Shader{}
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 6 {
			continue
		}
		i := Instruction{Depth: len(f[0]), Text: f[1], Name: f[2], Of: f[3], Value: plain(f[5])}
		if f[4] != "" {
			i.Variable = int(f[4][0] - '0')
		}
		s.Steps = append(s.Steps, i)
	}
	return s
}

// Values are followed through variables, parts of them, pointers and functions; what a variable
// held
// before all of it was stored does not count.
func TestMade_Sources(t *testing.T) {
	f := &Fragment{
		Outputs: named("color (location 0)", "0, 0, 0, 1"), Inputs: named("tint (location 1)",
			"1, 1, 1, 1"),
		Blend: &Blend{Source: plain("0, 0, 0, 1")},
		Images: []Image{{Instruction: "texture(albedo)", Result: plain("0.5, 0.5, 0.5, 1"),
			Texels: []Texel{{Level: 2}},
			Steps:  []Step{{Values: named("coordinates", "0.25, 0.75")}}}},
	}
	f.Shader = run(`
		|%1 = OpLoad %v4float %unused|camera.unused|set 0, binding 0, byte 64||9, 9, 9, 9
		|OpStore %c %1|c||1|9, 9, 9, 9
		|%2 = OpLoad %v4float %tint|tint|input||1, 1, 1, 1
		|OpStore %c %2|c||1|1, 1, 1, 1
		|%3 = OpAccessChain %p %c %3|c[3]||0|pointer to c[3]
		|%4 = OpLoad %float %b|push.alpha|push constants, byte 16||1
		|OpStore %3 %4|c[3]||1|1
		|%5 = OpImageSampleImplicitLod %v4float %s %uv||||0.5, 0.5, 0.5, 1
		|OpStore %param %5|param||2|0.5, 0.5, 0.5, 1
		|%6 = OpFunctionCall %v4float %f %param|f(||0|
		-|%7 = OpLoad %v4float %x|x||2|0.5, 0.5, 0.5, 1
		-|%8 = OpLoad %v4float %k|k|set 1, binding 2, byte 0||0, 0, 0, 0
		-|%9 = OpFMul %v4float %7 %8||||0, 0, 0, 0
		-|OpReturnValue %9||||0, 0, 0, 0
		|%6 = OpFunctionCall %v4float %f %param|f(||0|0, 0, 0, 0
		|%10 = OpLoad %v4float %c|c||1|1, 1, 1, 1
		|%11 = OpFMul %v4float %6 %10||||0, 0, 0, 0
		|%12 = OpVectorShuffle %v4float %11 %10 0 1 2 7||||0, 0, 0, 1
		|OpStore %color %12|color||3|0, 0, 0, 1
	`)
	w := flowOf(f)
	var got []string
	for _, at := range w.sources(w.output(f.Blend.Source)) {
		got = append(got, w.says(at))
	}
	if d := cmp.Diff([]string{
		"input tint (location 1) = 1, 1, 1, 1", "push.alpha (push constants, byte 16) = 1",
		"texture(albedo) at 0.25, 0.75, level 2 = 0.5, 0.5, 0.5, 1", "k (set 1, binding 2, byte 0) = 0, 0, 0, 0",
	}, got); d != "" {
		t.Error(d)
	}
	if at := w.zero(w.output(f.Blend.Source)); at < 0 ||
		w.says(at) != "k (set 1, binding 2, byte 0) = 0, 0, 0, 0" {
		t.Errorf("0 comes from step %d", at)
	}
	if reads := f.Reads(); len(reads) != 1 || reads[0] != &f.Images[0] {
		t.Errorf("it read %v", reads)
	}
	f.Shader = nil
	if reads := f.Reads(); len(reads) != 1 {
		t.Errorf("of a shader that is not told it read %v", reads)
	}
}

// A 0 that a sum made has no one cause, and none is told; nor one that parts of a variable made.
func TestMade_ZeroOfManyCauses(t *testing.T) {
	for name, lines := range map[string]string{
		"sum": `
			|%1 = OpLoad %v3float %a|a|input||1, 1, 1
			|%2 = OpLoad %v3float %b|b|input||-1, -1, -1
			|%3 = OpFAdd %v3float %1 %2||||0, 0, 0
			|OpStore %color %3|color||3|0, 0, 0`,
		"parts": `
			|%1 = OpLoad %float %a|a|input||0
			|%2 = OpAccessChain %p %c %0|c[0]||0|pointer
			|%3 = OpAccessChain %p %c %1|c[1]||0|pointer
			|OpStore %2 %1|c[0]||1|0
			|OpStore %3 %1|c[1]||1|0
			|%4 = OpLoad %v3float %c|c||1|0, 0, 0
			|OpStore %color %4|color||3|0, 0, 0`,
	} {
		f := &Fragment{Shader: run(lines), Outputs: named("color (location 0)", "0, 0, 0"),
			Blend: &Blend{Source: plain("0, 0, 0")}}
		w := flowOf(f)
		if at := w.zero(w.output(f.Blend.Source)); at >= 0 {
			t.Errorf("%s: 0 comes from %s", name, w.says(at))
		}
	}
}

// The sample's writer is the last event that left the value that is wanted.
func TestExplanation_Writer(t *testing.T) {
	e := &Explanation{Events: []Event{
		{Where: "a", Outcome: Wrote, After: plain("1")}, {Where: "b", Outcome: Wrote, After: plain("2")},
		{Where: "c", Outcome: Missed, After: plain("2")}, {Where: "d", Outcome: Wrote, After: plain("3")},
	}}
	for want, wanted := range map[string]*Value{"d": nil, "b": {Text: "2"}, "a": {Text: "1"}} {
		if v, _ := e.Writer(wanted); v == nil || v.Where != want {
			t.Errorf("%v: %v, want %s", wanted, v, want)
		}
	}
	if v, _ := e.Writer(&Value{Text: "9"}); v == nil || v.Where != "d" {
		t.Errorf("of no such value: %v", v)
	}
	if v, _ := new(Explanation).Writer(nil); v != nil {
		t.Errorf("of none: %v", v)
	}
}

// A load of a variable that was stored in many parts is followed to the last of them: what is kept stays
// as large as the shader.
func TestMade_ManyParts(t *testing.T) {
	const n = 1 << 14
	s := &Shader{}
	add := func(text, name string, variable int) {
		s.Steps = append(s.Steps, Instruction{Text: text, Name: name, Variable: variable, Value: plain("1")})
	}
	add("%p = OpAccessChain %t %c %i", "", 0)
	for range n {
		add("OpStore %p %v", "c", 1)
	}
	for range n {
		add("%l = OpLoad %float %c", "c", 1)
	}
	add("OpStore %color %l", "color", 2)
	f := &Fragment{Shader: s, Outputs: named("color (location 0)", "1"), Blend: &Blend{Source: plain("1")}}
	w := flowOf(f)
	for i := range w.steps {
		if k := len(w.steps[i].from); k > mostParts {
			t.Fatalf("step %d is followed to %d", i, k)
		}
	}
	if list := w.sources(w.output(f.Blend.Source)); len(list) != 0 {
		t.Errorf("it has %d sources", len(list))
	}
}
