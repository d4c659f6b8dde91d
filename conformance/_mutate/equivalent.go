package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// equivalentFile tells which mutants are no change, below the module's root.
const equivalentFile = "conformance/testdata/equivalent-mutants.txt"

// equivalents are reasons why mutants are equivalent, by the mutants' names: file, column, what
// changes, and the line that it stands in, as Mutant.name has them.
type equivalents map[string]string

// readEquivalents reads a list: names, a line each, and below them, indented, the reason that
// holds for all of them.
func readEquivalents(path string) (equivalents, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := equivalents{}
	var waiting []string
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch reason := strings.TrimSpace(line); {
		case reason == "" || line[0] == '#':
		case line[0] != ' ' && line[0] != '\t':
			if _, twice := out[line]; twice {
				return nil, fmt.Errorf("%s:%d: %s is there twice", path, n, line)
			}
			out[line] = ""
			waiting = append(waiting, line)
		case len(waiting) == 0:
			return nil, fmt.Errorf("%s:%d: a reason for no mutant", path, n)
		default:
			for _, name := range waiting {
				out[name] = reason
			}
			waiting = nil
		}
	}
	if len(waiting) > 0 {
		return nil, fmt.Errorf("%s: %s has no reason", path, waiting[0])
	}
	return out, lines.Err()
}

// name is what a mutant is found by when lines have moved: column and line's text, and for lines
// that are there several times, which of them, before how many there were.
func (m Mutant) name(lines []string) string {
	text, n := lines[m.Line-1], 1
	for _, l := range lines[:m.Line-1] {
		if l == text {
			n++
		}
	}
	name := fmt.Sprintf("%s:%d %s @ %s", m.File, m.Col, m.What, strings.TrimSpace(text))
	if n > 1 {
		name += fmt.Sprint(" #", n)
	}
	return name
}

// find finds the mutants that are told to be equivalent; those that are there no more are an error, but for files of packages that
// this run does not change.
func (e equivalents) find(pkgs []*loaded, mutants []Mutant) (map[int]bool, error) {
	files := map[string]bool{}
	for name := range e {
		file, _, _ := strings.Cut(name, ":")
		files[file] = true
	}
	lines := linesOf(pkgs)
	found, names := map[int]bool{}, map[string]bool{}
	see := func(mutants []Mutant, found map[int]bool) {
		for _, m := range mutants {
			if !files[m.File] {
				continue
			}
			if name := m.name(lines[m.File]); e[name] != "" {
				found[m.ID], names[name] = true, true
			}
		}
	}
	see(mutants, found)
	for _, p := range pkgs { // mutants of the other family are told in the same list
		other := *p
		other.family = byOperator + byCorner - p.family
		see(other.mutate(nil, func(int) bool { return false }, nil), map[int]bool{})
	}
	var gone []error
	for _, name := range sorted(e) {
		file, _, _ := strings.Cut(name, ":")
		if _, here := lines[file]; !here && len(pkgs) > 0 {
			if _, err := os.Stat(filepath.Join(pkgs[0].Module.Dir, filepath.FromSlash(file))); err == nil {
				continue
			}
		}
		if !names[name] {
			gone = append(gone, fmt.Errorf("%s has %s, and no such mutant is there", equivalentFile, name))
		}
	}
	return found, errors.Join(gone...)
}

// linesOf are the lines of packages' files.
func linesOf(pkgs []*loaded) map[string][]string {
	lines := map[string][]string{}
	for _, p := range pkgs {
		for path, src := range p.src {
			lines[p.below(path)] = strings.Split(string(src), "\n")
		}
	}
	return lines
}

// doubt notes that a test kills a mutant.
func (r *ruleRun) doubt(m int, by *test) {
	if r.equal[m] {
		r.mu.Lock()
		r.wrong[m] = by
		r.mu.Unlock()
	}
}

// mistaken is an error where tests killed mutants that are told to be equivalent.
func (r *ruleRun) mistaken() error {
	var all []error
	for m, by := range r.wrong {
		all = append(all, fmt.Errorf("%s is told to be equivalent in %s, and %s fails on it", r.mutants[m], equivalentFile, r.name(by)))
	}
	return errors.Join(all...)
}
