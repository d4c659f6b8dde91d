package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// status is a line on a terminal that says what is being done and since when. Elsewhere
// it is printed once.
type status struct {
	to    *os.File // nil: no terminal
	what  string
	since time.Time
	quit  chan struct{}
	done  sync.WaitGroup

	mu  sync.Mutex
	now string
}

// startStatus shows the line until stop is called; not at all where quiet work, shown is
// false, is done before anybody looks.
func startStatus(w io.Writer, what string, shown bool) *status {
	s := &status{what: what, since: time.Now(), quit: make(chan struct{})}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		if shown {
			_, _ = fmt.Fprintln(w, what)
		}
		return s
	}
	s.to = f
	s.done.Go(func() {
		beat := time.NewTicker(time.Second / 4)
		defer beat.Stop()
		for drawn := false; ; {
			select {
			case <-s.quit:
				if drawn {
					_, _ = fmt.Fprint(f, "\r\x1b[K")
				}
				return
			case <-beat.C:
				if shown || time.Since(s.since) > 2*time.Second {
					s.draw()
					drawn = true
				}
			}
		}
	})
	return s
}

// show says what is at hand now.
func (s *status) show(now string) {
	s.mu.Lock()
	s.now = now
	s.mu.Unlock()
}

func (s *status) draw() {
	s.mu.Lock()
	line := fmt.Sprintf("%s, %d s", s.what, int(time.Since(s.since).Seconds()))
	if s.now != "" {
		line += ": " + s.now
	}
	s.mu.Unlock()
	if width, _, err := term.GetSize(int(s.to.Fd())); err == nil && width > 1 && len(line) >= width {
		line = line[:width-1]
	}
	_, _ = fmt.Fprint(s.to, "\r\x1b[K"+line)
}

// clear empties the line, for another that is written there.
func (s *status) clear() {
	if s.to != nil {
		_, _ = fmt.Fprint(s.to, "\r\x1b[K")
	}
}

// stop takes the line away.
func (s *status) stop() {
	close(s.quit)
	s.done.Wait()
}
