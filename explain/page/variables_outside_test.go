//go:build outside

package page

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
)

// A line of the source shows what it gave variables, and unfolds to all variables after it: those that
// explain.Shader.Variables tells, in the function that runs there.
func TestOutside_PageVariablesOfLines(t *testing.T) {
	value := func(text string) explain.Value { return explain.Value{Text: text, Bits: "00000000"} }
	step := func(line, depth int, name, of, text string) explain.Instruction {
		return explain.Instruction{
			Text: "OpStore %" + name + " %1", Name: name, File: "a.frag", Line: line, Depth: depth,
			Value: value(text), Assigns: &explain.Named{Name: of, Value: value(text)},
		}
	}
	e := read(t, "edge")
	for i := range e.Events {
		d := e.Events[i].Draw
		if d == nil {
			continue
		}
		for k := range d.Fragments {
			d.Fragments[k].Shader = &explain.Shader{
				Stage: "fragment", Name: "main",
				Sources: []explain.Source{{
					File: "a.frag", Text: "light = f(4);\nfloat f(n) { return n; }\ns.x = 7;\n",
				}},
				Steps: []explain.Instruction{
					step(1, 0, "light", "light", "3"), step(2, 1, "n", "n", "4"),
					step(3, 0, "s.x", "s.x", "5"), step(3, 0, "s", "s", "6"),
				},
			}
		}
	}
	b := open(t, 1280, 800)
	b.visit(file(t, &Report{Picture: picture(), Explanations: []*explain.Explanation{e}}))
	b.unfold()
	for line, want := range map[string]string{
		"1": "light = 3|light3", "2": "n = 4|n4", "3": "s.x = 5s = 6|light3 s6",
	} {
		got := b.Eval(`(() => {
			const li = [...document.querySelectorAll('ol.source li')]
				.find(l => l.querySelector('.line').textContent === '` + line + `');
			const rows = [...li.querySelectorAll('.variables tr')];
			return li.querySelector('.values').textContent + '|' +
				rows.map(r => r.querySelector('th').textContent +
					r.querySelector('.exact').firstChild.textContent).join(' ');
		})()`)
		if strings.TrimSpace(got) != want {
			t.Errorf("line %s: %q, want %q", line, got, want)
		}
	}
	b.Shot("variables")
	b.Resize(400, 800)
	b.Eval(`document.querySelector('.variables').scrollIntoView()`)
	b.Shot("variables-phone")
	if wide := b.Eval(`document.documentElement.scrollWidth > 400 ? 'wide' : ''`); wide != "" {
		t.Error("the page is wider than a phone")
	}
	b.Clean()
}
