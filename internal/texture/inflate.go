package texture

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/pumice-gpu/pumice/internal/input"
)

// inflate undoes a supercompression; the result has size bytes, which the budget
// has. They are the system's fresh pages, so that a lying header costs nothing.
func inflate(ctx context.Context, scheme int, body []byte, size int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]byte, size)
	if scheme == ktx2Zstandard {
		// Without a window of its own: that is what was put out before.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		got, err := d.DecodeAll(body, out[:0])
		if err == nil && int64(len(got)) != size {
			err = fmt.Errorf("%d bytes come out, %d are announced", len(got), size)
		}
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = fmt.Errorf("more bytes come out than the %d that are announced", size)
		}
		return got, err
	}
	d, err := zlib.NewReader(input.Reader(ctx, bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if n, err := io.ReadFull(d, out); err == io.ErrUnexpectedEOF || err == io.EOF {
		return nil, fmt.Errorf("%d bytes come out, %d are announced", n, size)
	} else if err != nil {
		return nil, err
	}
	if n, err := d.Read(make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("more bytes come out than the %d that are announced", size)
	} else if err != io.EOF {
		return nil, err
	}
	return out, nil
}

// maxWindow is the largest window that a frame may name; decoding takes none.
const maxWindow = 1 << 41

// zstdSize returns how many bytes come out of a frame, as it says itself.
func zstdSize(frame []byte) (int64, error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil {
		return 0, err
	}
	if !h.HasFCS || h.FrameContentSize > math.MaxInt64 {
		return 0, errors.New("a frame of Zstandard's does not say how many bytes come out")
	}
	return int64(h.FrameContentSize), nil
}
