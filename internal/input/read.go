// Package input reads files that may be hostile: under a context and a budget, and
// with the memory of their decoders known before they run.
package input

import (
	"context"
	"io"

	"github.com/pumice-gpu/pumice/budget"
)

// Reader stops reading when its context ends.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// ReadAll reads to the end. size is what there probably is to read, or less than 0.
// The capacity of the result is charged to the budget, unless there is an error.
func ReadAll(ctx context.Context, r io.Reader, size int64, b *budget.Budget) ([]byte, error) {
	const least = 64 << 10
	n := max(size+1, least) // one more byte, to see the end
	if err := b.Take(n); err != nil {
		return nil, err
	}
	data := make([]byte, 0, n)
	for {
		if err := ctx.Err(); err != nil {
			b.Drop(int64(cap(data)))
			return nil, err
		}
		// A piece at a time, for the context's sake.
		free := data[len(data):cap(data)]
		got, err := r.Read(free[:min(len(free), 16<<20)])
		data = data[:len(data)+got]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			b.Drop(int64(cap(data)))
			return nil, err
		}
		if len(data) < cap(data) {
			continue
		}
		n := int64(cap(data)) + int64(cap(data))/2
		if err := b.Take(n); err != nil {
			b.Drop(int64(cap(data)))
			return nil, err
		}
		more := make([]byte, len(data), n)
		copy(more, data)
		b.Drop(int64(cap(data)))
		data = more
	}
}
