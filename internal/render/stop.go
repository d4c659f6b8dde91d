package render

import (
	"errors"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
)

// Work ends early because a worker has failed or because the context of the pass or
// dispatch has ended. Workers ask before each chunk, block, tile, batch and workgroup,
// and shaders in their loops (Stopped is for exec.Context.Stop), so that legal work
// without end stops within milliseconds. Asking is two loads.

// Stopped says that what runs now, or ran last, is to stop.
func (x *Executor) Stopped() bool { return x.stopped() != nil }

// stopped says whether a worker should leave its loop, and why.
func (x *Executor) stopped() error {
	x.breath.take(x.ctx)
	if x.failed.Load() {
		return errStop
	}
	return x.ctx.Err()
}

// errStop leaves a loop because another worker has failed, whose error counts.
var errStop = errors.New("another worker failed")

// DrawError says which draw of a pass was at work when a shader spent its budget or
// the context ended.
type DrawError struct {
	Draw int // index in Pass.Draws, -1 where none was
	Err  error
}

func (e *DrawError) Error() string {
	if e.Draw < 0 {
		return "render pass: " + e.Err.Error()
	}
	return fmt.Sprintf("draw %d: %v", e.Draw, e.Err)
}

// Unwrap returns the cause.
func (e *DrawError) Unwrap() error { return e.Err }

// during gives an error of a shader, or of stopped, the draw that it came up in.
func (x *Executor) during(d *fragment.Draw, err error) error {
	if err == exec.ErrStopped {
		err = x.stopped()
	}
	if err == nil || err == errStop || errors.As(err, new(*DrawError)) {
		return err
	}
	at := -1
	if d != nil {
		at = d.Index
	}
	return &DrawError{Draw: at, Err: err}
}

// latest is the draw of the last chunk of the round; nil where there is none. No
// worker is binning.
func (x *Executor) latest() *fragment.Draw {
	if x.ready == 0 {
		return nil
	}
	return x.pool[x.ready-1].Of
}

// setupsAsked is how many set-ups a tile draws before it asks whether it is to stop.
const setupsAsked = 16

// due is why the worker should leave a draw, where it is time to ask.
func (w *worker) due(d *fragment.Draw) error {
	if w.asked++; w.asked%setupsAsked != 0 {
		return nil
	}
	return w.x.during(d, w.x.stopped())
}

// Records is how many draws an indirect draw has; 1 for others.
func (d *Draw) Records() uint32 { return d.records() }

// Counts are the vertices, or indices, and the instances of a record.
func (d *Draw) Counts(record uint32) (count, instances uint32) {
	c := d.command(record)
	return c.count, c.instances
}
