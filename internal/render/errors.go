package render

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// PipelineError says why a pipeline was refused.
type PipelineError struct {
	What string // what is wrong, with values
	Rule string // rule or anchor
	Fix  string // what to do
	Err  error  // cause, may be nil
}

func (e *PipelineError) Error() string { return describe("pipeline", e.What, e.Rule, e.Fix, e.Err) }

// Unwrap returns the cause.
func (e *PipelineError) Unwrap() error { return e.Err }

// PassError says why a pass, or a draw of it, was refused.
type PassError struct {
	Draw int // index in Pass.Draws, -1 for the pass itself
	What string
	Rule string
	Fix  string
	Err  error
}

func (e *PassError) Error() string {
	where := "render pass"
	if e.Draw >= 0 {
		where = fmt.Sprintf("draw %d", e.Draw)
	}
	return describe(where, e.What, e.Rule, e.Fix, e.Err)
}

// Unwrap returns the cause.
func (e *PassError) Unwrap() error { return e.Err }

// WorkerError is a panic of a worker: a broken invariant. The device is lost.
type WorkerError struct {
	Value any    // what was panicked with
	Stack string // of the goroutine
}

func (e *WorkerError) Error() string {
	return fmt.Sprintf("render worker failed: %v; the device is lost, report this stack:\n%s", e.Value, e.Stack)
}

func describe(where, what, rule, fix string, err error) string {
	s := where + ": " + what
	if err != nil {
		s += ": " + err.Error()
	}
	if rule != "" {
		s += " (" + catalogue.Name(rule) + ")"
	}
	if fix != "" {
		s += "; " + fix
	}
	return s
}
