package gltf

import (
	"math"
	"sync/atomic"
)

// DefaultMaxBytes is Options.MaxBytes where it is zero: 1 GiB.
const DefaultMaxBytes = 1 << 30

// Options changes how a model is read. A nil *Options means the defaults.
type Options struct {
	// MaxBytes bounds the memory that the Document takes: files read, JSON
	// parsed, accessors decoded, geometry and tangents computed. Each Pose and
	// each image being decoded is held to the same number by itself. 0 means
	// DefaultMaxBytes.
	MaxBytes int64
}

func (o *Options) maxBytes() int64 {
	if o == nil || o.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return o.MaxBytes
}

// budget counts memory down from the limit. It is safe for concurrent use.
type budget struct {
	left atomic.Int64
	max  int64
}

func newBudget(limit int64) *budget {
	b := &budget{max: limit}
	b.left.Store(limit)
	return b
}

// take charges count elements of size bytes, or returns a *LimitError and
// charges nothing.
func (b *budget) take(count, size int64) error {
	need := saturate(count, size)
	for {
		left := b.left.Load()
		if need > left {
			return &LimitError{Need: need, Left: left, Max: b.max}
		}
		if b.left.CompareAndSwap(left, left-need) {
			return nil
		}
	}
}

// saturate returns count·size for non-negative numbers, or the largest int64.
func saturate(count, size int64) int64 {
	if size > 0 && count > math.MaxInt64/size {
		return math.MaxInt64
	}
	return count * size
}
