package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// leaving is a routine some of whose instructions have no machine code.
type leaving struct {
	exec.Routine
	left []exec.Interpreted
}

func (l leaving) Interpreted() []exec.Interpreted { return l.left }

// Who asks for what has no machine code gets it, without Debug; of the portable machine that is
// nothing.
func TestTellInterpreted_Asked(t *testing.T) {
	some := leaving{left: []exec.Interpreted{{Name: "emit", Why: "it writes", Count: 2}}}
	for _, engine := range []string{"native", "vm"} {
		var told []string
		tell := func(pipeline, stage string, list []Interpreted) {
			told = append(told, pipeline+"/"+stage+"/"+list[0].Name)
		}
		d := &Device{cfg: Config{Engine: engine, Interpreted: tell}}
		p := &Pipeline{point: vk.PipelineBindPointCompute}
		p.dev, p.kind, p.name = d, "compute pipeline", "blur"
		r := exec.Routine(some)
		p.tellInterpreted("", []stageJob{{as: ir.StageCompute, to: &r}})
		want := "compute pipeline blur/compute/emit"
		if (engine == "native") != (len(told) == 1 && told[0] == want) {
			t.Errorf("%s: %q", engine, told)
		}
	}
}

// Who listens is told of a pipeline's stages that have instructions without machine code: which,
// how many, where and why; of no others, and nobody who does not listen, or has asked for the
// portable engine.
func TestTellInterpreted(t *testing.T) {
	some := leaving{left: []exec.Interpreted{
		{Name: "emit", Why: "it writes vertices of primitives", Count: 2, Source: ir.Source{File: "a.comp", Line: 7}},
		{Name: "group", Why: "they look at each other", Count: 1},
	}}
	want := "compute pipeline blur: instructions of its compute shader run without machine code, " +
		"slower and with the same bits: " +
		"emit (2 of them, the first at a.comp:7; it writes vertices of primitives), group (1 of them; they look at each other)"
	for name, c := range map[string]struct {
		engine string
		checks bool
		r      exec.Routine
		want   string
	}{
		"some":            {"native", true, some, want},
		"none":            {"native", true, leaving{}, ""},
		"nobody listens":  {"native", false, some, ""},
		"portable engine": {"vm", true, some, ""},
	} {
		var told []Message
		d := &Device{cfg: Config{Engine: c.engine, CheckImages: c.checks, Debug: func(m Message) { told = append(told, m) }}}
		p := &Pipeline{point: vk.PipelineBindPointCompute}
		p.dev, p.kind, p.name = d, "compute pipeline", "blur"
		p.tellInterpreted("vkCreateComputePipelines", []stageJob{{as: ir.StageCompute, to: &c.r}})
		switch {
		case c.want == "" && len(told) > 0:
			t.Errorf("%s: %q", name, told[0].Text)
		case c.want != "" && (len(told) != 1 || told[0].Text != c.want || told[0].Severity != SeverityInfo):
			t.Errorf("%s: %+v, want %q", name, told, c.want)
		}
	}
}
