package explain

import (
	"fmt"
	"strings"
	"testing"
)

// told makes a shader of lines "line depth name value", where "s.a/s" is a store to a part that
// tells the whole.
func told(t *testing.T, lines ...string) *Shader {
	t.Helper()
	s := &Shader{Stage: "compute", Name: "main", Sources: []Source{{"a.glsl", "one\ntwo\nthree\n"}}}
	for _, l := range lines {
		var in Instruction
		var name, value string
		if _, err := fmt.Sscanf(l, "%d %d %s %s", &in.Line, &in.Depth, &name, &value); err != nil {
			t.Fatal(err)
		}
		in.File, in.Text = "a.glsl", "OpStore %x %y"
		written, whole, _ := strings.Cut(name, "/")
		in.Name, in.Value = written, Value{Text: value}
		if name != "-" {
			in.Assigns = &Named{written, in.Value}
			if whole != "" {
				in.Assigns = &Named{whole, Value{Text: "{" + value + "}"}}
			}
		}
		s.Steps = append(s.Steps, in)
	}
	return s
}

// Variables are those of the function that runs: a call has its own, which go when it returns, and
// a second call begins without them. A value of the whole takes the place of its parts.
func TestVariables_OfTheFunctionThatRuns(t *testing.T) {
	s := told(t, "1 0 a 1", "2 1 a 5", "2 1 b 6", "1 0 - 6", "1 1 c 7", "3 0 s.x 8", "3 0 s.y[1] 9",
		"3 0 sx 3", "3 0 s 10", "3 0 s.x/s 11", "3 0 a 2")
	for i, want := range []string{
		"a=1", "a=5", "a=5 b=6", "a=1", "c=7", "a=1 s.x=8", "a=1 s.x=8 s.y[1]=9",
		"a=1 s.x=8 s.y[1]=9 sx=3", "a=1 sx=3 s=10", "a=1 sx=3 s={11}", "a=2 sx=3 s={11}",
	} {
		var got []string
		for _, v := range s.Variables(i) {
			got = append(got, v.Name+"="+v.Value.Text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("after step %d: %s, want %s", i, got, want)
		}
	}
	if got := s.Variables(100); len(got) != 3 {
		t.Errorf("behind the last step there are %v", got)
	}
	if got := (&Shader{}).Variables(0); got != nil {
		t.Errorf("of no steps there are %v", got)
	}
}

// A line of the source has the value of what was written and that of the whole variable, and the
// list of variables comes behind the source.
func TestWriteText_VariablesOfLines(t *testing.T) {
	var w text
	w.shader(told(t, "1 0 n 4", "2 0 s.x/s 8"))
	const want = `    compute shader main
      a.glsl
      ▸    1  one
               n = 4
      ▸    2  two
               s.x = 8
               s = {8}
           3  three
           4
      variables where that ends
        n  4
        s  {8}
`
	if got := w.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
