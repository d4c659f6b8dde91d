package core

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A submission runs under a context of its own, which ends with that of its caller,
// with the device (Abandon), and when the submission has run for as long as
// Config.SubmitTimeout lets it. Everything that takes long asks that context: package
// render and its shaders, and transfers.

// errBudget is the cause of contexts that end because a submission has run for too
// long, errGone of those that end with the device.
var (
	errBudget = errors.New("the submission has run for too long")
	errGone   = errors.New("the device is gone")
)

// runContext is the context for a job of a caller with context ctx.
func (d *Device) runContext(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	if ctx.Done() == nil {
		return context.WithCancelCause(d.life)
	}
	run, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.life, func() { cancel(errGone) })
	return run, func(cause error) { stop(); cancel(cause) }
}

// A stopwatch holds the time that a submission has left to run. Waiting for the host does
// not count, nor does time in which the whole process was stopped, as by a debugger:
// the clock goes on in ticks, and one that comes late counts twice at most. nil is
// time without end.
type stopwatch struct {
	cancel context.CancelCauseFunc
	tick   time.Duration

	mu    sync.Mutex
	left  time.Duration
	since time.Time // of the last tick, while the clock runs
	timer *time.Timer
}

// longestTick is how often the clock of a long one goes on.
const longestTick = time.Second

// newStopwatch starts the clock of a submission, whose context cancel ends.
func newStopwatch(limit time.Duration, cancel context.CancelCauseFunc) *stopwatch {
	if limit <= 0 {
		return nil
	}
	b := &stopwatch{cancel: cancel, left: limit, tick: min(longestTick, limit/4+1)}
	b.start()
	return b
}

// start lets the clock run.
func (b *stopwatch) start() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = time.Now()
	if b.timer == nil {
		b.timer = time.AfterFunc(b.tick, b.ticked)
		return
	}
	b.timer.Reset(b.tick)
}

// stop halts the clock.
func (b *stopwatch) stop() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	b.since = time.Time{}
	b.timer.Stop()
}

// count takes the time since the last tick away.
func (b *stopwatch) count() {
	now := time.Now()
	b.left -= min(now.Sub(b.since), 2*b.tick)
	b.since = now
}

func (b *stopwatch) ticked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() {
		return // stopped meanwhile
	}
	if b.count(); b.left <= 0 {
		b.cancel(errBudget)
		return
	}
	b.timer.Reset(b.tick)
}
