package transfer

import (
	"context"
	"reflect"

	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// A pace asks once in a while whether a command is still wanted: its regions may be
// many, and large. What it has written by then stays.
type pace struct {
	ctx     context.Context
	left    int
	workers Workers      // nil: none help
	engine  texel.Engine // of blits; nil: none
}

// Workers runs f on parts that make up [0, n), several at a time, and returns the
// first error.
type Workers func(ctx context.Context, n int, f func(from, to int) error) error

// workersKey is that of Workers in a context.
type workersKey struct{}

// WithWorkers returns a context whose large transfers are shared out among workers.
func WithWorkers(ctx context.Context, w Workers) context.Context {
	return context.WithValue(ctx, workersKey{}, w)
}

// engineKey is that of an engine in a context.
type engineKey struct{}

// WithEngine returns a context whose large blits are programs of an engine, where it has such.
func WithEngine(ctx context.Context, e texel.Engine) context.Context {
	return context.WithValue(ctx, engineKey{}, e)
}

// paceOf begins a command.
func paceOf(ctx context.Context) pace {
	w, _ := ctx.Value(workersKey{}).(Workers)
	e, _ := ctx.Value(engineKey{}).(texel.Engine)
	return pace{ctx: ctx, workers: w, engine: e}
}

// sharedBytes is how much it takes for workers to be worth waking: what one copies in
// some ten microseconds.
const sharedBytes = 1 << 20

// rows calls f for parts that make up n rows of so many bytes each, with the pace of
// the goroutine that it runs on.
func (p *pace) rows(n, bytes int, f func(p *pace, from, to int) error) error {
	if p.workers == nil || n < 2 || n*bytes < sharedBytes {
		return f(p, 0, n)
	}
	return p.workers(p.ctx, n, func(from, to int) error { return f(&pace{ctx: p.ctx}, from, to) })
}

// paceBytes is how much is copied between two questions: about a millisecond.
const paceBytes = 4 << 20

// texelPace is how many bytes a texel that is decoded and encoded counts for.
const texelPace = 256

// spend says that the next n bytes are to be written, or why they are not.
func (p *pace) spend(n int) error {
	if p.left -= n; p.left > 0 {
		return nil
	}
	p.left = paceBytes
	return p.ctx.Err()
}

// move is copy for two parts of one length that may be large. Where they overlap,
// pieces go in the order that loses nothing, as copy itself does.
func (p *pace) move(dst, src []byte) error {
	back := len(src) > paceBytes && reflect.ValueOf(dst).Pointer() > reflect.ValueOf(src).Pointer()
	for len(src) > 0 {
		n := min(len(src), paceBytes)
		if err := p.spend(n); err != nil {
			return err
		}
		if back {
			rest := len(src) - n
			copy(dst[rest:], src[rest:])
			dst, src = dst[:rest], src[:rest]
			continue
		}
		copy(dst, src[:n])
		dst, src = dst[n:], src[n:]
	}
	return nil
}

// streamBytes is how much is streamed: two of them seldom stay in caches.
const streamBytes = 4 << 20

// streamPiece is the least that the runtime's copy writes past the caches, without reading
// there first what is lost: a third less to move.
const streamPiece = 1 << 20

// stream is move in pieces that workers share, each long enough to pass the caches by.
func (p *pace) stream(dst, src []byte) error {
	pieces := len(src) / streamPiece
	return p.rows(pieces, len(src)/pieces, func(p *pace, from, to int) error {
		for k := from; k < to; k++ {
			first, end := k*len(src)/pieces, (k+1)*len(src)/pieces
			if err := p.move(dst[first:end], src[first:end]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fillPace is how many bytes of large parts are filled in the time that one takes to be copied:
// what memory takes, not a processor.
const fillPace = 2

// repeat repeats the first n bytes of b over the rest.
func (p *pace) repeat(b []byte, n int) error {
	piece := streamPiece / n * n // whole repetitions
	first, pieces := b[:n], (len(b)+piece-1)/piece
	return p.rows(pieces, len(b)/pieces/fillPace, func(p *pace, from, to int) error {
		for k := from; k < to; k++ {
			part := b[k*piece : min((k+1)*piece, len(b))]
			if err := p.spend(len(part)); err != nil {
				return err
			}
			have := n // of the first piece, whose beginning others read meanwhile
			if k > 0 {
				have = copy(part, first)
			}
			memory.Repeat(part, have)
		}
		return nil
	})
}
