package render

import (
	"context"
	"runtime"
	"time"
)

// WebAssembly has one thread, and Go does not interrupt what runs on it: timers, and so
// limits of time, would wait until all work is done. Workers let others run where they
// ask whether they are to stop.

// breathEvery is how long others wait at most, but for asking seldom.
const breathEvery = 20 * time.Millisecond

// breath is when others were last let run, and how often it was asked since.
type breath struct {
	last  time.Time
	asked int
}

// pauseKey is the key of a context's function that workers call when they let others run.
type pauseKey struct{}

// WithPause is a context for work that calls f every 20 milliseconds or so, between
// shading one batch and the next. What f waits for may need the thread.
func WithPause(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, pauseKey{}, f)
}

// take lets others run where it is time, and calls what WithPause has put into ctx.
func (b *breath) take(ctx context.Context) {
	if b.asked++; b.asked%8 != 0 {
		return
	}
	now := time.Now()
	if now.Sub(b.last) < breathEvery {
		return
	}
	b.last = now
	if pause, ok := ctx.Value(pauseKey{}).(func()); ok {
		pause()
		b.last = time.Now()
		return
	}
	runtime.Gosched()
}
