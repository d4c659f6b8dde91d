// Package budget bounds the memory of one piece of work, over everything that takes
// part in it: decoders of files, models, device memory. All of them charge one
// Budget before they allocate; who comes too late gets an *Error instead, and has
// taken nothing. Small things are not counted.
package budget

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Default is the limit where none is given: 2 GiB.
const Default = 2 << 30

// Budget counts bytes. It is safe for concurrent use.
type Budget struct {
	limit int64
	raise string
	used  atomic.Int64 // charged
	loose atomic.Int64 // given up, but perhaps not collected yet
	kept  atomic.Int64 // the part of used that Keep watches
	peak  atomic.Int64 // of used

	collecting sync.Mutex
}

// New makes a budget of limit bytes; 0 or less means Default. raise is what errors
// tell people to raise: the name of an option or of a flag.
func New(limit int64, raise string) *Budget {
	if limit <= 0 {
		limit = Default
	}
	return &Budget{limit: limit, raise: raise}
}

// Limit returns the bytes that there are in all, Raise what sets it; of a nil budget the most that there can be.
func (b *Budget) Limit() int64 {
	if b == nil {
		return math.MaxInt64
	}
	return b.limit
}

// Raise returns what New was given; "" of a nil budget.
func (b *Budget) Raise() string {
	if b == nil {
		return ""
	}
	return b.raise
}

// Used returns the bytes that are charged now. A nil budget does not count.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Peak returns the most bytes that were charged at a time.
func (b *Budget) Peak() int64 {
	if b == nil {
		return 0
	}
	return b.peak.Load()
}

// Take charges n bytes, or returns an *Error and charges nothing. A nil budget has
// no end. Where memory is short the garbage collector runs first, so that what was
// given up does not count.
func (b *Budget) Take(n int64) error {
	if b == nil || n == 0 || b.charge(n) {
		return nil
	}
	if err := b.Fits(n); err != nil {
		return err // whatever the collector finds
	}
	// One at a time: what was loose before a collection is not after it, once.
	b.collecting.Lock()
	defer b.collecting.Unlock()
	if b.charge(n) {
		return nil
	}
	loose := b.loose.Load()
	collect()
	b.loose.Add(-loose)
	if !b.charge(n) {
		return b.short(n)
	}
	return nil
}

// Fits returns the error of Take where it is already sure, and charges nothing: for
// what is needed later, before work that would be in vain.
func (b *Budget) Fits(n int64) error {
	if b == nil || n <= b.limit-b.used.Load()+b.kept.Load() {
		return nil
	}
	return b.short(n)
}

// collect runs the garbage collector, and most of the cleanups that follow.
func collect() {
	done := make(chan struct{})
	runtime.AddCleanup(new([64]byte), func(done chan struct{}) { close(done) }, done)
	debug.FreeOSMemory()
	select {
	case <-done:
		time.Sleep(time.Millisecond) // those beside it
	case <-time.After(50 * time.Millisecond):
	}
}

// charge adds n where it fits beside what was given up and not collected.
func (b *Budget) charge(n int64) bool {
	for {
		used := b.used.Load()
		if n > b.limit-used-b.loose.Load() {
			return false
		}
		if !b.used.CompareAndSwap(used, used+n) {
			continue
		}
		for used += n; ; {
			peak := b.peak.Load()
			if used <= peak || b.peak.CompareAndSwap(peak, used) {
				return true
			}
		}
	}
}

func (b *Budget) short(n int64) error {
	return &Error{Need: n, Left: max(b.limit-b.used.Load(), 0), Limit: b.limit, Raise: b.raise}
}

// Give ends a charge of memory that is the system's again.
func (b *Budget) Give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// Drop ends a charge of memory that the garbage collector may take now.
func (b *Budget) Drop(n int64) {
	if b != nil {
		b.loose.Add(n)
		b.used.Add(-n)
	}
}

// Keep ends a charge of n bytes when the collector has found owner to be garbage.
func Keep[T any](b *Budget, n int64, owner *T) {
	if b != nil && n != 0 {
		b.kept.Add(n)
		runtime.AddCleanup(owner, func(n int64) { b.kept.Add(-n); b.Give(n) }, n)
	}
}

// Mul returns count·size for numbers that are not negative, or the largest int64.
func Mul(count, size int64) int64 {
	if size > 0 && count > math.MaxInt64/size {
		return math.MaxInt64
	}
	return count * size
}

// Error says that a budget does not suffice. Who reports it says for what.
type Error struct {
	Need  int64  // bytes asked for
	Left  int64  // bytes that there were
	Limit int64  // bytes in all
	Raise string // the option or flag that sets the limit
}

// Error names the three sizes and what to raise.
func (e *Error) Error() string {
	return fmt.Sprintf("needs %s, %s of the limit of %s are left (raise %s)", Size(e.Need), Size(e.Left), Size(e.Limit), e.Raise)
}

// Size returns a number of bytes in words.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
