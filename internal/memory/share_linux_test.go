package memory

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The signals that Go's own scheduler sends to a thread end a wait no more than
// anybody else's do.
func TestReadable_ThroughSignals(t *testing.T) {
	fd, err := NewSignal()
	if err != nil {
		t.Fatal(err)
	}
	defer CloseFD(fd)
	thread, result := make(chan int), make(chan bool)
	go func() {
		runtime.LockOSThread()
		thread <- unix.Gettid()
		result <- Readable(fd, 2*time.Minute)
	}()
	id := <-thread
	for range 50 {
		time.Sleep(time.Millisecond)
		if err := unix.Tgkill(unix.Getpid(), id, unix.SIGURG); err != nil {
			t.Fatal(err)
		}
	}
	RaiseSignal(fd)
	if !<-result {
		t.Error("a wait ended before its signal")
	}
	never, err := NewSignal()
	if err != nil {
		t.Fatal(err)
	}
	defer CloseFD(never)
	start := time.Now()
	if Readable(never, 30*time.Millisecond) || time.Since(start) < 30*time.Millisecond {
		t.Errorf("a wait for nothing ended after %v", time.Since(start))
	}
}
