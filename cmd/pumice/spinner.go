package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// spinner tells on a terminal what takes long, and for how long already, in one line that
// goes when it ends. Elsewhere it does nothing; so does a nil one.
type spinner struct {
	to    io.Writer
	begin time.Time
	every time.Duration
	stop  chan struct{}
	done  sync.WaitGroup

	mu   sync.Mutex
	text string
}

// newSpinner starts to tell after a second.
func newSpinner(to io.Writer) *spinner {
	if !isTerminal(to) {
		return nil
	}
	return startSpinner(to, time.Second)
}

func startSpinner(to io.Writer, every time.Duration) *spinner {
	s := &spinner{to: to, begin: time.Now(), every: every, stop: make(chan struct{})}
	s.done.Go(s.turn)
	return s
}

func (s *spinner) turn() {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			fmt.Fprintf(s.to, "%s%s, %d s", clearLine, s.text, int(time.Since(s.begin).Seconds()))
			s.mu.Unlock()
		case <-s.stop:
			s.clear()
			return
		}
	}
}

const clearLine = "\r\x1b[K"

// clear empties the line, for another that is written there.
func (s *spinner) clear() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.begin) >= s.every {
		io.WriteString(s.to, clearLine)
	}
}

// say is what is being done now.
func (s *spinner) say(text string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.text = text
	s.mu.Unlock()
}

// end clears the line. It may be called again.
func (s *spinner) end() {
	if s == nil || s.stop == nil {
		return
	}
	close(s.stop)
	s.done.Wait()
	s.stop = nil
}
