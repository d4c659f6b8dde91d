package futex

import (
	"sync/atomic"
	"testing"
	"time"
)

// Who sleeps is woken where the word has changed, at once or later, and else when the time is
// over.
func TestSleep(t *testing.T) {
	var word atomic.Uint32
	start := time.Now()
	if Sleep(&word, 0, 20*time.Millisecond) {
		t.Error("nobody wakes it, and it reports that someone did")
	}
	if took := time.Since(start); took < 20*time.Millisecond {
		t.Errorf("it slept %v of 20 ms", took)
	}
	if !Sleep(&word, 1, time.Hour) {
		t.Error("the word is something else, and it reports that the time is over")
	}
	woken := make(chan bool)
	go func() {
		ok := true
		for word.Load() == 0 && ok {
			ok = Sleep(&word, 0, time.Hour)
		}
		woken <- ok
	}()
	time.Sleep(5 * time.Millisecond) // it sleeps by now, or will find the word changed
	word.Store(1)
	Wake(&word)
	select {
	case ok := <-woken:
		if !ok {
			t.Error("it was woken, and reports that the time is over")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it still sleeps")
	}
}
