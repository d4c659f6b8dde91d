package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/render"
)

// stoppedError says where the commands of a submission were when its context ended.
type stoppedError struct {
	place string
	err   error
}

func (e *stoppedError) Error() string { return e.place + ": " + e.err.Error() }
func (e *stoppedError) Unwrap() error { return e.err }

// stoppedAt gives the end of a context its place, if err is that.
func (r *runner) stoppedAt(place string, err error) error {
	if !isContext(err) || errors.As(err, new(*stoppedError)) {
		return err
	}
	return &stoppedError{place, err}
}

// stopped makes the error of a job whose context has ended; for want of time, that
// loses the device.
func (d *Device) stopped(ctx context.Context, op Op, err error) error {
	place := "the submission"
	var at *stoppedError
	if errors.As(err, &at) {
		place, err = at.place, at.err
	}
	switch context.Cause(ctx) {
	case errBudget:
		return d.loseWith(&Error{
			Op: string(op), Rule: "VK_ERROR_DEVICE_LOST", Err: ErrDeviceLost,
			Detail: fmt.Sprintf("%s did not end: the submission has run for %v, which is all the time it has", place, d.cfg.SubmitTimeout),
			Hint:   "submit less at once or, if it needs that long, raise PUMICE_SUBMIT_TIMEOUT (0: no limit)",
		}, nil)
	case errGone:
		if err := d.isLost(op); err != nil {
			return err
		}
		return &Error{Op: d.named(op), Rule: "use after Close", Detail: place + " was stopped: the device is closed or lost", Err: ErrClosed}
	}
	return &Error{Op: d.named(op), Rule: "context", Detail: place + " was stopped before it was done", Err: err}
}

// drawPlace names a draw of a pass that package render has counted, and what it asks
// for.
func (r *runner) drawPlace(p *render.Pass, draw int) string {
	place := fmt.Sprintf("command buffer %d, render pass %d", r.number, r.passes-1)
	if draw < 0 || draw >= len(p.Draws) {
		return place
	}
	d := &p.Draws[draw]
	if d.Clear != nil {
		return fmt.Sprintf("%s, a clear of %d rectangles", place, len(d.Clear.Rects))
	}
	return fmt.Sprintf("%s, draw %d (%s; %s)%s", place, r.drawNumber(p, draw), asks(d), pipelineOf(r.table, d.Pipeline).describe(), r.regionsOf(p, draw))
}

// dispatchPlace names the dispatch that is carried out.
func (r *runner) dispatchPlace(p *Pipeline, groups [3]uint32) string {
	return fmt.Sprintf("command buffer %d, dispatch %d (%d×%d×%d workgroups; %s)%s", r.number, r.dispatches, groups[0], groups[1], groups[2], p.describe(), r.regions())
}

// drawNumber is which of the render pass's draws one is; clears and events are none.
func (r *runner) drawNumber(p *render.Pass, draw int) int {
	n := r.drawsBefore
	for i := range p.Draws[:draw] {
		if p.Draws[i].Pipeline != nil {
			n++
		}
	}
	return n
}

// transferPlace names the transfer that err comes from.
func (r *runner) transferPlace(err error) string {
	place := fmt.Sprintf("command buffer %d, transfer %d", r.number, r.transfers-1)
	var e *Error
	if errors.As(err, &e) {
		place += " (" + e.Op + ")"
	}
	return place + r.regions()
}

// asks says what a draw wants drawn.
func asks(d *render.Draw) string {
	mesh := d.Task != nil || d.Mesh != nil
	switch in := d.Indirect; {
	case in != nil:
		what := fmt.Sprintf("%d indirect draws", d.Records())
		if d.Records() == 1 {
			what = "an indirect draw"
		}
		if mesh {
			return what + " of mesh tasks"
		}
		count, instances := d.Counts(0)
		return fmt.Sprintf("%s, the first of %d vertices and %d instances", what, count, instances)
	case mesh:
		return fmt.Sprintf("%d×%d×%d mesh workgroups", d.Groups[0], d.Groups[1], d.Groups[2])
	case d.Index != nil:
		return fmt.Sprintf("%d indices, %d instances", d.Count, d.Instances)
	}
	count, instances := d.Counts(0)
	return fmt.Sprintf("%d vertices, %d instances", count, instances)
}

// pipelineOf finds the pipeline of a draw among the objects of command buffers; nil
// where it is none of them.
func pipelineOf(table []any, form *render.Pipeline) *Pipeline {
	for _, o := range table {
		switch o := o.(type) {
		case *Pipeline:
			if o.hasForm(form) {
				return o
			}
		case *execution:
			if p := pipelineOf(o.table, form); p != nil {
				return p
			}
		}
	}
	return nil
}

// hasForm says whether the pipeline is what package render knows as form.
func (p *Pipeline) hasForm(form *render.Pipeline) bool {
	if p.draw == form {
		return form != nil
	}
	p.variants.mu.Lock()
	defer p.variants.mu.Unlock()
	for _, f := range p.variants.forms {
		if f == form {
			return true
		}
	}
	return false
}

// SetName gives the pipeline the name that messages about running work call it by.
func (p *Pipeline) SetName(name string) {
	if p != nil {
		p.called.Store(&name)
	}
}

// describe names the pipeline for people.
func (p *Pipeline) describe() string {
	if p == nil {
		return "a pipeline"
	}
	if name := p.called.Load(); name != nil && *name != "" {
		return fmt.Sprintf("%s %q", p.kind, *name)
	}
	if p.name != "" {
		return fmt.Sprintf("%s %q", p.kind, p.name)
	}
	return "a " + p.kind + " without a name"
}
