package memory

import (
	"os"
	"sync/atomic"
	"testing"
	"time"
)

func TestWakeWord_EndsTheSleep(t *testing.T) {
	var word atomic.Uint32
	woken := make(chan time.Duration)
	go func() {
		began := time.Now()
		for word.Load() == 0 {
			WaitWord(&word, 0, time.Minute)
		}
		woken <- time.Since(began)
	}()
	time.Sleep(50 * time.Millisecond)
	word.Store(1)
	WakeWord(&word)
	if took := <-woken; took > 30*time.Second {
		t.Errorf("woken after %v", took)
	}
}

func TestWaitWord_Timeout(t *testing.T) {
	var word atomic.Uint32
	began := time.Now()
	for time.Since(began) < 20*time.Millisecond {
		WaitWord(&word, 0, 20*time.Millisecond)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("slept for %v", took)
	}
}

func TestMapped(t *testing.T) {
	page := os.Getpagesize()
	data, err := mapPages(3 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unmapPages(data) }()
	if !Mapped(data) || Mapped(nil) {
		t.Errorf("pages that are mapped: %v, no bytes: %v", Mapped(data), Mapped(nil))
	}
	if err := protect(data[page : 2*page]); err != nil {
		t.Fatal(err)
	}
	if Mapped(data) || !Mapped(data[:page]) || !Mapped(data[2*page:]) {
		t.Error("a page that cannot be touched is taken for one that can")
	}
}
