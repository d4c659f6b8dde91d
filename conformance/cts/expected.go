package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expectation is one line of the expected-fail list.
type expectation struct {
	pattern string // case name, in which * stands for any characters
	reason  string
	where   string // file:line

	failed, other int // results that matched, by whether they were failing
}

// expectations is the expected-fail list. The first line that matches counts.
type expectations []*expectation

// readExpectations reads every .txt file of a folder, in name order. A line is
// a case or a pattern, spaces, and the reason why it may fail, which must not
// be empty. Empty lines and those that begin with # are skipped.
func readExpectations(dir string) (expectations, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var list expectations
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the expected-fail list: %w", err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			where := fmt.Sprintf("%s:%d", filepath.Base(file), number)
			at := strings.IndexAny(line, " \t")
			if at < 0 {
				return nil, fmt.Errorf("%s: %s has no reason; write one behind the name", where, line)
			}
			list = append(list, &expectation{pattern: line[:at], reason: strings.TrimSpace(line[at:]), where: where})
		}
	}
	return list, nil
}

// check counts a result and reports whether it is a failure that the list expects.
func (list expectations) check(r Result) bool {
	e := list.lineOf(r)
	if e == nil {
		return false
	}
	if r.Status.failing() {
		e.failed++
		return true
	}
	e.other++
	return false
}

// expects reports whether the result is a failure that the list expects, and counts nothing.
func (list expectations) expects(r Result) bool { return r.Status.failing() && list.lineOf(r) != nil }

// lineOf is the first line that names the result's case, or nil.
func (list expectations) lineOf(r Result) *expectation {
	for _, e := range list {
		if matchGlob(e.pattern, r.Case) {
			return e
		}
	}
	return nil
}

// stale returns the lines whose cases ran and did not fail. Those that name one
// case are wrong now; a pattern may still hold for cases that this run left out.
func (list expectations) stale() (cases, patterns []*expectation) {
	for _, e := range list {
		switch {
		case e.other == 0 || e.failed > 0:
		case strings.Contains(e.pattern, "*"):
			patterns = append(patterns, e)
		default:
			cases = append(cases, e)
		}
	}
	return cases, patterns
}
