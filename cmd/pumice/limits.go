package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/budget"
)

// limits are the flags of every command that reads files.
type limits struct {
	memory string
	time   time.Duration
}

func (l *limits) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.memory, "memory-limit", "2GiB", "most memory to use: files, decoders, the model and the device together")
	f.DurationVar(&l.time, "time-limit", 0, "give up after so long, such as 90s; 0: never")
}

// What the process takes by itself, with which the budget begins: the program's pages
// (17 MiB), its shaders and what the engine keeps of them (17), the collector's own and
// what it has not collected yet (10), and each worker's stacks, tile and registers.
const (
	processBytes = 44 << 20
	threadBytes  = 1 << 20
)

// work is what a command does under its limits.
type work struct {
	ctx    context.Context
	budget *budget.Budget
	limit  time.Duration
	doing  string // what takes the time now, to end "… passed while"
	stop   func()
}

// errTimeLimit is the cause of a context that --time-limit has ended.
var errTimeLimit = errors.New("--time-limit")

// begin starts the clock for work of so many threads, 0 for one a CPU. The caller ends
// it with end.
func (l *limits) begin(ctx context.Context, threads int) (*work, error) {
	bytes, err := parseBytes("--memory-limit", l.memory)
	if err != nil {
		return nil, err
	}
	if l.time < 0 {
		return nil, usagef("--time-limit %v: want 0 or more", l.time)
	}
	w := &work{ctx: ctx, budget: budget.New(bytes, "--memory-limit"), limit: l.time, doing: "starting", stop: func() {}}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if err := w.budget.Take(processBytes + threadBytes*int64(threads)); err != nil {
		return nil, fmt.Errorf("the process itself %w", err)
	}
	if l.time > 0 {
		w.ctx, w.stop = context.WithTimeoutCause(ctx, l.time, errTimeLimit)
	}
	return w, nil
}

// end gives the error of the work its last form: it says so if time was the reason.
func (w *work) end(err error) error {
	defer w.stop()
	if err != nil && errors.Is(context.Cause(w.ctx), errTimeLimit) {
		return fmt.Errorf("%w of %v passed while %s", errTimeLimit, w.limit, w.doing)
	}
	return err
}

// tightenCollector makes garbage wait less long than Go lets it: most of what the
// command allocates are pictures, so that collections are quick and what they leave
// behind is large.
func tightenCollector() {
	const percent = 20
	if old := debug.SetGCPercent(percent); old != 100 {
		debug.SetGCPercent(old) // GOGC was chosen by the user
	}
}
