package core

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/internal/render"
)

// A turn says which of a device's queues carries out commands: one at a time, in the order in which they ask. All
// workers are the one's, so that a queue alone is as fast as can be; where several have work, each
// has its turn again after a slice of each other's time.
type turn struct {
	slice time.Duration // for which a queue carries out commands at least, if it has any

	mu    sync.Mutex
	held  bool
	queue []chan struct{} // those who wait; closed when it is their turn
	asked atomic.Int32    // len(queue)
	since time.Time       // of who has the turn
}

// turnSlice is long against what a change costs (some 10 µs), and short for somebody who waits for a picture.
const turnSlice = time.Millisecond

// take waits for the turn; now: it returns false instead.
func (t *turn) take(now bool) bool {
	t.mu.Lock()
	if t.held && now {
		t.mu.Unlock()
		return false
	}
	if t.held {
		mine := make(chan struct{})
		t.queue = append(t.queue, mine)
		t.asked.Add(1)
		t.mu.Unlock()
		<-mine
	} else {
		t.held = true
		t.mu.Unlock()
	}
	t.since = time.Now()
	return true
}

// give hands the turn on.
func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.held = false
		return
	}
	next := t.queue[0]
	t.queue[0] = nil
	t.queue = t.queue[1:]
	t.asked.Add(-1)
	close(next)
}

// waiting is how many wait.
func (t *turn) waiting() int { return int(t.asked.Load()) }

// due says that it is time to let others have their turn. Whoever has it asks.
func (t *turn) due() bool { return t.waiting() != 0 && time.Since(t.since) >= t.slice }

// rest runs f while others have their turns; the clock of the submission stands still.
func (t *turn) rest(clock *stopwatch, f func()) {
	clock.stop()
	t.give()
	defer clock.start()
	defer t.take(false)
	f()
}

// Due is render.Turns. What is watched is told as a whole.
func (r *runner) Due() bool { return r.dev.turn.due() && r.dev.watcher == nil && !r.brief }

// Brief is render.Turns.
func (r *runner) Brief() bool { return r.brief }

// Rest is render.Turns.
func (r *runner) Rest() { r.dev.turn.rest(r.clock, func() {}) }

// share lets other queues have their turns between two commands, if it is time. Inside of a render pass nothing is carried
// out that would take long.
func (r *runner) share(ctx context.Context) error {
	if r.pass != nil || r.brief || !r.dev.turn.due() {
		return nil
	}
	r.Rest()
	if err := ctx.Err(); err != nil {
		return r.stoppedAt(fmt.Sprintf("command buffer %d", r.number), err)
	}
	return nil
}

// spares is what a queue keeps from pass to pass: memory for the draws of one, and room for what they have of their
// own; and the runner of its command buffers, which is empty between them.
type spares struct {
	draws  []render.Draw
	room   room
	runner runner
}

// keptDraws bounds the draws whose memory is kept from pass to pass.
const keptDraws = 1 << 16

// takeDraws returns an empty list, with the memory of an earlier pass.
func (s *spares) takeDraws() []render.Draw {
	list := s.draws
	s.draws = nil
	return list
}

// keepDraws takes the list of a pass that is over.
func (s *spares) keepDraws(list []render.Draw) {
	if clear(list); cap(list) <= keptDraws {
		s.draws = list[:0]
	}
}
