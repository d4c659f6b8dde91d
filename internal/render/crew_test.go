package render

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// In each phase each of its workers runs once, and none of the others, whether goroutines still
// wait from the phase before or have ended; errors are those of their phase. Close ends what waits.
func TestParallel_EachOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	x := New(Config{Threads: 23})
	r := rand.New(rand.NewPCG(7, 8))
	ran := make([]atomic.Int32, 23)
	odd := errors.New("odd")
	for phase := range 400 {
		n := 1 + r.IntN(30)
		err := x.parallel(n, func(w *worker) error {
			for i := range x.workers {
				if x.workers[i] == w {
					ran[i].Add(1)
				}
			}
			if phase%2 == 1 {
				return odd
			}
			return nil
		})
		if want := []error{nil, odd}[phase%2]; err != want {
			t.Fatalf("phase %d: %v, want %v", phase, err, want)
		}
		for i := range ran {
			if got, want := ran[i].Swap(0) == 1, i < n; got != want {
				t.Fatalf("phase %d of %d workers: worker %d ran: %v", phase, n, i, got)
			}
		}
		if phase%100 == 99 { // some end
			time.Sleep(lingers * 5 / 4)
		}
	}
	if err := x.parallel(23, func(*worker) error { panic("one of many") }); err == nil {
		t.Error("workers panic, and nobody says so")
	}
	x.Close()
	for i := range x.crew.members {
		if got := x.crew.members[i].Load(); got != gone {
			t.Errorf("after Close, worker %d is %d", i, got)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(lingers / 10)
	}
	t.Errorf("%d goroutines are left of %d more than before", runtime.NumGoroutine()-before, 22)
}
