package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A history is what all rolling runs of a list found: of each case that was ever run its
// newest status, and the run that it last passed in. Its file has one JSON object a line:
// a header, then the runs, then the cases, those of one group together.
type history struct {
	path  string
	head  historyHeader
	runs  []historyRun // a run's number is its place
	cases map[string]*historyCase
}

// historyHeader is the first line. Cases, List and Shares are what was cut how, and stay; Next is
// the share to run next, and Round counts how often all shares have been run.
type historyHeader struct {
	Cases  string `json:"cases"`
	List   string `json:"list,omitempty"`
	Shares int    `json:"shares"`
	Next   int    `json:"next"`
	Round  int    `json:"round"`
}

// historyRun is a run of one share on one tree.
type historyRun struct {
	Tree  string `json:"tree"`
	Date  string `json:"date"` // of its first day
	Share int    `json:"share"`
	Round int    `json:"round"`
}

// historyCase is what is known of one case; passed is -1 if it never did.
type historyCase struct {
	status Status
	run    int // that saw the status
	passed int // the last run that saw it pass
}

// historyLine is a line of the file behind the header: a run, or the cases of one group (all but the last word of
// their names), by the number of the run and their status. Passed holds the last passes of cases whose status is another now.
type historyLine struct {
	Run    *historyRun                 `json:"run,omitempty"`
	Group  string                      `json:"group,omitempty"`
	Status map[int]map[Status][]string `json:"status,omitempty"`
	Passed map[int][]string            `json:"passed,omitempty"`
}

// readHistory reads the file, or begins a history where there is none.
func readHistory(path string, want historyHeader) (*history, error) {
	h := &history{path: path, head: want, cases: map[string]*historyCase{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := json.NewDecoder(bufio.NewReader(file))
	var head historyHeader
	if err := lines.Decode(&head); err != nil {
		return nil, fmt.Errorf("%s: not a history: %w", path, err)
	}
	if head.Cases != want.Cases || head.List != want.List || head.Shares != want.Shares {
		return nil, fmt.Errorf("%s: is of -cases %s -list %q -rolling %d; take the same, or another file", path, head.Cases, head.List, head.Shares)
	}
	if head.Next < 0 || head.Next >= head.Shares {
		return nil, fmt.Errorf("%s: damaged: share %d of %d is next", path, head.Next, head.Shares)
	}
	h.head = head
	for {
		var line historyLine
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return h, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: damaged behind byte %d: %w", path, lines.InputOffset(), err)
		}
		if err := h.take(line); err != nil {
			return nil, fmt.Errorf("%s: damaged before byte %d: %w", path, lines.InputOffset(), err)
		}
	}
}

// take adds a line of the file.
func (h *history) take(line historyLine) error {
	if line.Run != nil {
		h.runs = append(h.runs, *line.Run)
	}
	for run, byStatus := range line.Status {
		for status, names := range byStatus {
			passed := -1
			if status.passing() {
				passed = run
			}
			for _, name := range names {
				h.cases[line.Group+name] = &historyCase{status, run, passed}
			}
		}
		if run < 0 || run >= len(h.runs) {
			return fmt.Errorf("there is no run %d", run)
		}
	}
	for run, names := range line.Passed {
		for _, name := range names {
			c := h.cases[line.Group+name]
			if c == nil {
				return fmt.Errorf("%s%s passed, but never ran", line.Group, name)
			}
			c.passed = run
		}
		if run < 0 || run >= len(h.runs) {
			return fmt.Errorf("there is no run %d", run)
		}
	}
	return nil
}

// write replaces the file.
func (h *history) write() error {
	groups := map[string]*historyLine{}
	for _, name := range slices.Sorted(maps.Keys(h.cases)) {
		c := h.cases[name]
		at := strings.LastIndexByte(name, '.') + 1
		line := groups[name[:at]]
		if line == nil {
			line = &historyLine{Group: name[:at], Status: map[int]map[Status][]string{}, Passed: map[int][]string{}}
			groups[name[:at]] = line
		}
		if line.Status[c.run] == nil {
			line.Status[c.run] = map[Status][]string{}
		}
		line.Status[c.run][c.status] = append(line.Status[c.run][c.status], name[at:])
		if c.passed >= 0 && !c.status.passing() {
			line.Passed[c.passed] = append(line.Passed[c.passed], name[at:])
		}
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		return err
	}
	return writeAtomically(h.path, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		lines := json.NewEncoder(buffer)
		err := lines.Encode(h.head)
		for i := range h.runs {
			err = errors.Join(err, lines.Encode(historyLine{Run: &h.runs[i]}))
		}
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			err = errors.Join(err, lines.Encode(groups[group]))
		}
		return errors.Join(err, buffer.Flush())
	})
}

// begin returns the number of a run: of the last one, where that was of the same share of
// the same round on the same tree, or else of a new one.
func (h *history) begin(run historyRun) int {
	if last := len(h.runs) - 1; last >= 0 {
		same := h.runs[last]
		same.Date = run.Date
		if same == run {
			return last
		}
	}
	h.runs = append(h.runs, run)
	return len(h.runs) - 1
}

// advance goes on to the next share.
func (h *history) advance() {
	if h.head.Next++; h.head.Next == h.head.Shares {
		h.head.Next, h.head.Round = 0, h.head.Round+1
	}
}

// record takes a result. If the case passed once and does no more, it returns the run that last
// saw it pass; that stays known until the case passes again or is forgotten. A case that the program no longer has is no news.
func (h *history) record(run int, r Result) (passed historyRun, alarm bool) {
	if r.Status == Missing {
		return historyRun{}, false
	}
	c := h.cases[r.Case]
	if c == nil {
		c = &historyCase{passed: -1}
		h.cases[r.Case] = c
	}
	c.status, c.run = r.Status, run
	if r.Status.passing() {
		c.passed = run
		return historyRun{}, false
	}
	if c.passed < 0 {
		return historyRun{}, false
	}
	return h.runs[c.passed], true
}

// forget drops the passes of the cases that match one of the patterns and whose newest status is another, and returns their number.
func (h *history) forget(patterns []string) (n int) {
	for name, c := range h.cases {
		if c.passed >= 0 && !c.status.passing() && slices.ContainsFunc(patterns, func(p string) bool { return matchGlob(p, name) }) {
			c.passed = -1
			n++
		}
	}
	return n
}
