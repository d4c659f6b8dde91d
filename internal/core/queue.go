package core

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/render"
)

// Queue runs jobs one after the other: on its own goroutine, or on that of a caller who waits for one that has none before
// it, so that nobody has to be woken. Of a device's queues, one at a time carries out commands; see turn. While it waits for an event, others do. Safe
// for concurrent use.
type Queue struct {
	dev    *Device
	spares spares // of the job that runs

	mu      sync.Mutex
	wake    sync.Cond
	jobs    []job
	busy    bool // somebody runs a job
	stopped bool
	failed  []*Fence // failed, and nobody has waited yet
	done    chan struct{}
}

// job is one unit of work.
type job struct {
	ctx    context.Context
	op     Op
	run    func(context.Context, *stopwatch) error
	fence  *Fence // nil where the caller runs it
	brief  bool   // see Device.brief
	atOnce bool   // or not at all
	// memories are released when the job is done, run or not.
	memories []*Memory
}

func newQueue(d *Device) *Queue {
	q := &Queue{dev: d, done: make(chan struct{})}
	q.wake.L = &q.mu
	go q.loop()
	return q
}

// Fence tells when a job is done.
type Fence struct {
	queue *Queue
	done  chan struct{}
	err   error // valid once done is closed
	state atomic.Int32
}

// The states of a Fence's job.
const (
	jobPending int32 = iota
	jobRunning
	jobAbandoned
)

// Done is closed when the job is done.
func (f *Fence) Done() <-chan struct{} {
	if f == nil {
		return nil
	}
	return f.done
}

// Err returns how a finished job went; nil before.
func (f *Fence) Err() error {
	if f == nil {
		return nilObject("vkGetFenceStatus", "fence")
	}
	select {
	case <-f.done:
		f.queue.forget(f)
		return f.err
	default:
		return nil
	}
}

// Wait waits for the job, or for ctx.
func (f *Fence) Wait(ctx context.Context) error {
	if f == nil {
		return nilObject("vkWaitForFences", "fence")
	}
	ctx = orBackground(ctx)
	select {
	case <-f.done:
	default:
		select {
		case <-f.done:
		case <-ctx.Done():
			return &Error{Op: f.queue.dev.named("vkWaitForFences"), Rule: "context", Detail: "stopped waiting", Err: ctx.Err()}
		}
	}
	f.queue.forget(f)
	return f.err
}

// orBackground lets a nil context mean no limit.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// await waits for the job. When the job's own context ends it gives the job up:
// at once if it has not begun, else as soon as it stops.
func (f *Fence) await(ctx context.Context, op Op) error {
	select {
	case <-f.done:
	case <-ctx.Done():
		if f.state.CompareAndSwap(jobPending, jobAbandoned) {
			return f.queue.dev.wrap(op, ctx.Err())
		}
		<-f.done
	}
	return f.Wait(context.Background())
}

// push appends a job.
func (q *Queue) push(j job) (*Fence, error) {
	j.fence = &Fence{queue: q, done: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		releaseAll(j.memories)
		return nil, &Error{Op: q.dev.named(j.op), Rule: "use after Close", Detail: "the device", Err: ErrClosed}
	}
	q.jobs = append(q.jobs, j)
	if !q.busy {
		q.wake.Signal()
	}
	return j.fence, nil
}

// perform runs a job and waits for its end; when its context ends it stops it.
func (q *Queue) perform(j job) error {
	if q.enter() {
		return q.carryOut(j)
	}
	f, err := q.push(j)
	if err != nil {
		return err
	}
	return f.await(j.ctx, j.op)
}

// enter lets the caller run a job, if there is none. It then calls carryOut or leave.
func (q *Queue) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy || len(q.jobs) > 0 || q.stopped {
		return false
	}
	q.busy = true
	return true
}

// leave lets others run jobs.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free()
}

// free is leave of somebody who holds mu.
func (q *Queue) free() {
	if q.busy = false; len(q.jobs) > 0 || q.stopped {
		q.wake.Signal()
	}
}

// carryOut runs a job, lets others run theirs, and tells those who wait for it.
func (q *Queue) carryOut(j job) (err error) {
	defer func() {
		releaseAll(j.memories)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.free()
		if j.fence == nil {
			return
		}
		if j.fence.err = err; err != nil && len(q.failed) < maxFailed {
			q.failed = append(q.failed, j.fence)
		}
		close(j.fence.done)
	}()
	return q.execute(j)
}

// Wait waits until everything pushed before is done, and returns the first error
// that nobody has waited for.
func (q *Queue) Wait(ctx context.Context, op Op) error {
	if q == nil {
		return nilObject(op, "device")
	}
	if err := q.dev.usable(op); err != nil {
		return err
	}
	f, err := q.push(job{ctx: context.Background(), op: op, run: func(context.Context, *stopwatch) error { return nil }})
	if err != nil {
		return err
	}
	if err := f.Wait(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.failed) > 0 {
		err = q.failed[0].err
		q.failed = nil
	}
	return err
}

// maxFailed bounds the fences that Wait may still report.
const maxFailed = 64

func (q *Queue) forget(f *Fence) {
	if f.err == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, g := range q.failed {
		if g == f {
			q.failed = append(q.failed[:i], q.failed[i+1:]...)
			return
		}
	}
}

// stop lets pending jobs end and the goroutine with them.
func (q *Queue) stop() {
	q.mu.Lock()
	q.stopped = true
	q.wake.Signal()
	q.mu.Unlock()
	<-q.done
}

func (q *Queue) loop() {
	defer close(q.done)
	for {
		q.mu.Lock()
		for q.busy || len(q.jobs) == 0 && !q.stopped {
			q.wake.Wait()
		}
		if len(q.jobs) == 0 {
			q.mu.Unlock()
			return
		}
		j := q.jobs[0]
		q.jobs[0] = job{}
		q.jobs, q.busy = q.jobs[1:], true
		q.mu.Unlock()
		_ = q.carryOut(j) // its fence has the error
	}
}

// errOthersTurn says that a job that has to run at once would have to wait for another queue.
var errOthersTurn = errors.New("another queue has its turn")

// execute runs one job and turns panics and failed workers into a lost device.
func (q *Queue) execute(j job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = q.dev.lose(j.op, "a broken invariant: "+memory.Fault(p), debug.Stack())
		}
	}()
	if j.fence != nil && !j.fence.state.CompareAndSwap(jobPending, jobRunning) {
		return nil // abandoned: its waiter has had its answer
	}
	// A wild access to device memory must not take the process down.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := q.dev.isLost(j.op); err != nil {
		return err
	}
	if !q.dev.turn.take(j.atOnce) {
		return errOthersTurn
	}
	defer q.dev.turn.give()
	ctx, clock := q.dev.life, (*stopwatch)(nil)
	if !j.brief || j.ctx.Done() != nil { // else there is nothing to stop that would not end by itself
		var cancel context.CancelCauseFunc
		ctx, cancel = q.dev.runContext(j.ctx)
		defer cancel(nil)
		clock = newStopwatch(q.dev.cfg.SubmitTimeout, cancel)
		defer clock.stop()
	}
	if err = ctx.Err(); err == nil {
		err = j.run(ctx, clock)
	}
	if isContext(err) && ctx.Err() != nil {
		return q.dev.stopped(ctx, j.op, err)
	}
	var worker *render.WorkerError
	if errors.As(err, &worker) {
		return q.dev.lose(j.op, "a broken invariant in a worker: "+memory.Fault(worker.Value), []byte(worker.Stack))
	}
	return q.dev.wrap(j.op, err)
}

// run executes f on the queue in its turn, as a user of memories, and waits.
func (d *Device) run(ctx context.Context, op Op, memories []*Memory, f func(context.Context) error) error {
	if err := d.usable(op); err != nil {
		return err
	}
	ctx = orBackground(ctx)
	for i, m := range memories {
		if !m.retain() {
			releaseAll(memories[:i])
			return d.report(&Error{Op: string(op), Rule: "use after Close", Detail: m.label(), Err: ErrClosed})
		}
	}
	return d.queue.perform(job{ctx: ctx, op: op, memories: memories, run: func(ctx context.Context, _ *stopwatch) error { return f(ctx) }})
}

func releaseAll(memories []*Memory) {
	for _, m := range memories {
		m.release()
	}
}
