package core

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Stages are compiled side by side; what comes out is the first one's error, and
// a panic reaches the caller.
func TestCompileAll_FirstErrorAndPanics(t *testing.T) {
	var seen []string
	d := open(t)
	d.cfg.Debug = func(m Message) { seen = append(seen, m.Text) }
	code := shaderCode(t, "input.vert")
	jobs := func() []stageJob {
		return []stageJob{
			{stage: Stage{Code: code, Entry: "absent"}, as: ir.StageVertex},
			{stage: Stage{Code: []byte("nonsense")}, as: ir.StageFragment},
		}
	}
	err := d.compileAll("test", jobs())
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "absent") || len(seen) != 1 {
		t.Errorf("%v, reported %q", err, seen)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of a stage did not reach the caller")
		}
	}()
	d.compileAll("test", []stageJob{{stage: Stage{Code: code}, as: ir.StageVertex}, {stage: Stage{Code: code}, as: ir.StageVertex}}) // nowhere to put the routine
}
