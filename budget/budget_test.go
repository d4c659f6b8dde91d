package budget_test

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/budget"
)

func TestTake_TheLimitHolds(t *testing.T) {
	b := budget.New(100, "the flag")
	for _, n := range []int64{60, 0, 40} {
		if err := b.Take(n); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
	}
	err := b.Take(1)
	var over *budget.Error
	if !errors.As(err, &over) || *over != (budget.Error{Need: 1, Left: 0, Limit: 100, Raise: "the flag"}) {
		t.Fatalf("one too many: %v", err)
	}
	if want := "needs 1 bytes, 0 bytes of the limit of 100 bytes are left (raise the flag)"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	b.Give(40)
	if err := b.Take(40); err != nil || b.Used() != 100 || b.Peak() != 100 {
		t.Errorf("after Give: %v, %d used, %d at the peak", err, b.Used(), b.Peak())
	}
	b.Drop(50)
	if b.Used() != 50 || b.Peak() != 100 {
		t.Errorf("after Drop: %d used, %d at the peak", b.Used(), b.Peak())
	}
	if err := b.Take(50); err != nil { // what was dropped is collected first
		t.Errorf("after Drop: %v", err)
	}
	for _, n := range []int64{math.MaxInt64, budget.Mul(math.MaxInt64, 2), budget.Mul(1<<40, 1<<40)} {
		if b.Take(n) == nil || b.Fits(n) == nil {
			t.Errorf("%d bytes fit", n)
		}
	}
}

// What is dropped is still there until it is collected: the budget waits for that
// before it hands the memory out again.
func TestDrop_CountsUntilCollected(t *testing.T) {
	b := budget.New(64<<20, "")
	var before, after runtime.MemStats
	if err := b.Take(40 << 20); err != nil {
		t.Fatal(err)
	}
	b.Drop(40 << 20)
	runtime.ReadMemStats(&before)
	if err := b.Take(20 << 20); err != nil { // beside it
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if before.NumForcedGC != after.NumForcedGC {
		t.Error("collected without need")
	}
	if err := b.Take(20 << 20); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if before.NumForcedGC == after.NumForcedGC {
		t.Error("not collected")
	}
}

func TestKeep_EndsWithItsOwner(t *testing.T) {
	b := budget.New(100, "")
	owner := new([1000]byte)
	if err := b.Take(80); err != nil {
		t.Fatal(err)
	}
	budget.Keep(b, 80, owner)
	if err := b.Fits(90); err != nil {
		t.Errorf("what may be collected stands in the way of Fits: %v", err)
	}
	if err := b.Take(90); err == nil {
		t.Error("the owner lives, and its memory was handed out")
	}
	runtime.KeepAlive(owner)
	var err error
	for range 20 { // cleanups take their time
		if err = b.Take(90); err == nil {
			break
		}
	}
	if err != nil || b.Used() != 90 {
		t.Errorf("%v, %d used", err, b.Used())
	}
	if b.Fits(11) == nil { // nothing is left that could be collected
		t.Error("what was collected counts as if it could be again")
	}
}

func TestNew_DefaultAndNil(t *testing.T) {
	if got := budget.New(0, "").Limit(); got != budget.Default {
		t.Errorf("a limit of %d", got)
	}
	var b *budget.Budget // no end
	if err := errors.Join(b.Take(math.MaxInt64), b.Fits(math.MaxInt64)); err != nil {
		t.Error(err)
	}
	b.Give(1)
	b.Drop(1)
	budget.Keep(b, 1, new(int))
}

func TestTake_FromManyGoroutines(t *testing.T) {
	b := budget.New(1000, "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				if b.Take(125) == nil {
					if b.Used() > 1000 {
						t.Error("more than the limit")
					}
					b.Give(125)
				}
			}
		})
	}
	wg.Wait()
	if b.Used() != 0 || b.Peak() > 1000 || b.Peak() < 125 {
		t.Errorf("%d used, %d at the peak", b.Used(), b.Peak())
	}
}

// What several goroutines drop is made room of once.
func TestTake_CollectsOnceForMany(t *testing.T) {
	b := budget.New(1000, "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if b.Take(100) == nil {
					time.Sleep(2 * time.Millisecond) // while others take theirs
					b.Drop(100)
				}
			}
		})
	}
	wg.Wait()
	if b.Used() != 0 || b.Peak() > 1000 {
		t.Errorf("%d used, %d at the peak of 1000", b.Used(), b.Peak())
	}
	if b.Take(1001) == nil {
		t.Error("more than the limit")
	}
}

func TestSize_InWords(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 1 << 20: "1.0 MiB", 1<<30 - 1: "1024.0 MiB", 5 << 29: "2.50 GiB",
	} {
		if got := budget.Size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
