package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// session runs a list of cases to its end, whatever the program does on the way.
type session struct {
	program *program
	jobs    int          // processes at a time
	chunk   int          // cases handed to a process at a time
	dir     string       // for files that live as long as a launch
	record  func(Result) // takes each result; called from one goroutine at a time
	note    func(string) // takes remarks that belong to no case
	mu      sync.Mutex   // guards record and note
	barren  int          // launches in a row that began no case; guarded by mu
}

// maxBarren launches in a row in which no case began mean that the program or
// the driver doesn't start at all: going on would blame every case for it.
const maxBarren = 6

// errNeverStarts says that the program or the driver doesn't start; the last results blame cases for it.
var errNeverStarts = errors.New("the test program began no case")

// run returns when each case has a result, or with the error that stopped it.
func (s *session) run(ctx context.Context, cases []string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	chunks := make(chan []string)
	var workers sync.WaitGroup
	for range max(1, s.jobs) {
		workers.Go(func() {
			for chunk := range chunks {
				if err := s.runChunk(ctx, chunk); err != nil {
					stop(err)
				}
			}
		})
	}
	for len(cases) > 0 && ctx.Err() == nil {
		n := min(max(1, s.chunk), len(cases))
		select {
		case chunks <- cases[:n]:
			cases = cases[n:]
		case <-ctx.Done():
		}
	}
	close(chunks)
	workers.Wait()
	return context.Cause(ctx)
}

// runChunk launches the program until every case of the chunk has a result.
func (s *session) runChunk(ctx context.Context, cases []string) error {
	alone := false // run the first case by itself, to find the one that dies silently
	for len(cases) > 0 {
		batch := cases
		if alone {
			batch = cases[:1]
		}
		left := make(map[string]bool, len(batch)) // without a result yet
		for _, name := range batch {
			left[name] = true
		}
		record := func(r Result) {
			if left[r.Case] { // and not one that nobody asked for, or a second time
				delete(left, r.Case)
				s.emit(r)
			}
		}
		o, err := s.program.launch(ctx, s.dir, batch, record)
		if err != nil {
			return err
		}
		blame := func(name string, status Status, message string) {
			record(Result{Case: name, Status: status, Message: message, Detail: lastWords(o.stderr)})
		}
		died := o.died != "" || o.killed != ""
		began := len(left) < len(batch) || left[o.open]
		switch {
		case left[o.open] && o.killed == Timeout:
			blame(o.open, Timeout, fmt.Sprintf("no progress for %v", s.program.timeout))
		case left[o.open] && o.killed == Crash:
			blame(o.open, Crash, fmt.Sprintf("killed: took more than %d MiB of memory", s.program.memory>>20))
		case left[o.open] && o.died != "":
			blame(o.open, Crash, o.died)
		case left[o.open]:
			blame(o.open, Crash, "the program ended inside the case")
		case !began && (died || !o.ended):
			// Nothing began: either the program doesn't start, or one case
			// brings it down before its first line. Try the first one alone.
			if alone {
				blame(batch[0], Crash, "before its first line: "+orderly(o.died))
			}
			alone = true
		case !began:
			for _, name := range batch {
				record(Result{Case: name, Status: Missing})
			}
		case died && len(left) == 0:
			s.remark(fmt.Sprintf("the program died after its last case, %s: %s", batch[len(batch)-1], orderly(o.died)))
		}
		if err := s.countBarren(o, began); err != nil {
			return err
		}
		if began {
			alone = false
		}
		// The program runs cases in its own order, so what is left needn't be a tail.
		for _, name := range cases[len(batch):] {
			left[name] = true
		}
		cases = slices.DeleteFunc(slices.Clone(cases), func(name string) bool { return !left[name] })
	}
	return nil
}

// countBarren fails when launch after launch began nothing and closed no log.
func (s *session) countBarren(o outcome, began bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if began || o.ended {
		s.barren = 0
		return nil
	}
	s.barren++
	if s.barren < maxBarren {
		return nil
	}
	return fmt.Errorf("%w in %d launches (%s); the end of what it said:\n%s",
		errNeverStarts, s.barren, orderly(o.died), lastWords(o.stderr))
}

func (s *session) emit(r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(r)
}

func (s *session) remark(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(text)
}

func orderly(died string) string {
	if died == "" {
		return "orderly exit"
	}
	return died
}

// lastWords cuts the standard error of a dead program to what tells the cause:
// from the first line that announces one, or else the last lines.
func lastWords(stderr string) string {
	start := -1
	for _, announcement := range []string{"panic:", "fatal error:", "unexpected fault address", "SIG", "Assertion"} {
		if at := strings.Index(stderr, announcement); at >= 0 && (start < 0 || at < start) {
			start = at
		}
	}
	if start < 0 {
		start = max(0, len(stderr)-maxMessage)
	}
	return strings.TrimSpace(stderr[start:min(len(stderr), start+4*maxMessage)])
}
