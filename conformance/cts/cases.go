package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// readCaseList reads a file of case names, one a line. A line that ends in
// .txt names a further list, relative to the file's folder: the form of the
// lists that come with the tests. Empty lines and those with # are skipped.
func readCaseList(path string) ([]string, error) {
	return readCaseListAt(path, 0)
}

// maxListDepth bounds how deep lists may name lists, so that a loop ends.
const maxListDepth = 4

func readCaseListAt(path string, depth int) ([]string, error) {
	if depth > maxListDepth {
		return nil, fmt.Errorf("%s: case lists name each other more than %d deep", path, maxListDepth)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read case list: %w", err)
	}
	var cases []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.HasSuffix(line, ".txt"):
			more, err := readCaseListAt(filepath.Join(filepath.Dir(path), filepath.FromSlash(line)), depth+1)
			if err != nil {
				return nil, err
			}
			cases = append(cases, more...)
		case strings.ContainsAny(line, " \t*"):
			return nil, fmt.Errorf("%s: %q is not the name of a case", path, line)
		default:
			cases = append(cases, line)
		}
	}
	return cases, nil
}

// listCases asks the program for the names of the cases that match a pattern.
func (p *program) listCases(ctx context.Context, pattern string) ([]string, error) {
	dir, err := os.MkdirTemp("", "cts-list")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, p.path, "--deqp-runmode=stdout-caselist", "--deqp-case="+pattern,
		"--deqp-archive-dir="+filepath.Dir(p.path), "--deqp-log-filename="+filepath.Join(dir, "log.qpa"))
	cmd.Dir, cmd.Env = dir, p.environment()
	var errs tail
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ask the test program for the cases of %s: %w\n%s", pattern, err, lastWords(errs.String()))
	}
	var cases []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "TEST: "); ok {
			cases = append(cases, strings.TrimSpace(name))
		}
	}
	return cases, nil
}

// choose resolves the argument of -cases: list files and name patterns,
// separated by commas. Patterns are matched against the list in listFile, or
// against the program's own list where that is "". It returns the cases
// in order without repetition, and the group of each pattern that is narrower
// than the default groups.
func choose(ctx context.Context, p *program, argument, listFile string) (cases, groups []string, err error) {
	seen := map[string]bool{}
	add := func(names []string) {
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				cases = append(cases, name)
			}
		}
	}
	var list []string
	if listFile != "" {
		if list, err = readCaseList(listFile); err != nil {
			return nil, nil, err
		}
	}
	for word := range strings.SplitSeq(argument, ",") {
		if _, err := os.Stat(word); err == nil {
			names, err := readCaseList(word)
			if err != nil {
				return nil, nil, err
			}
			add(names)
			continue
		}
		if strings.HasSuffix(word, ".txt") || strings.ContainsRune(word, os.PathSeparator) {
			return nil, nil, fmt.Errorf("case list %s does not exist", word)
		}
		before := len(cases)
		if listFile != "" {
			for _, name := range list {
				if matchGlob(word, name) {
					add([]string{name})
				}
			}
		} else {
			names, err := p.listCases(ctx, word)
			if err != nil {
				return nil, nil, err
			}
			add(names)
		}
		if len(cases) == before {
			return nil, nil, fmt.Errorf("no case matches %q", word)
		}
		literal, _, _ := strings.Cut(word, "*")
		if at := strings.LastIndexByte(literal, '.'); at >= 0 {
			groups = append(groups, literal[:at])
		}
	}
	return cases, groups, nil
}

// everyNth keeps the first of each n cases of a group, so that a group's part
// is the same whatever groups it is run with.
func everyNth(cases []string, n int, group func(string) string) []string {
	kept := make([]string, 0, len(cases)/n+1)
	count := map[string]int{}
	for _, name := range cases {
		g := group(name)
		if count[g]%n == 0 {
			kept = append(kept, name)
		}
		count[g]++
	}
	return kept
}

// groupOf names the row of the table that a case counts in: the narrowest of
// the given groups that holds it, or else its first depth words.
func groupOf(name string, groups []string, depth int) string {
	words := strings.Split(name, ".")
	group := strings.Join(words[:min(depth, len(words))], ".")
	for _, g := range groups {
		if len(g) > len(group) && strings.HasPrefix(name, g+".") {
			group = g
		}
	}
	return group
}

// matchGlob reports whether the name matches the pattern, in which * stands
// for any characters, dots included.
func matchGlob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return true
}
