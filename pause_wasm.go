package pumice

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/core"
)

// WithPause returns a context for Submit, and for what submits, that calls f every 20
// milliseconds or so while work runs. It exists for WebAssembly only, whose one thread
// Go never takes from a goroutine: a program in a browser gives the event loop its turn
// by sleeping in f, and so learns that it is to cancel the context, which must be one
// that can be cancelled. Without it other goroutines and timers still get their turns,
// but JavaScript does not.
func WithPause(ctx context.Context, f func()) context.Context { return core.WithPause(ctx, f) }
