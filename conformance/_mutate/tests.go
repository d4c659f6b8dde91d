package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A binary is a package's tests with the mutants compiled in.
type binary struct {
	pkg, dir, path string
	short          bool
	tests          []test
	left           []string
}

// A test is one top-level test, its time without a mutant and the sites it reaches.
type test struct {
	name         string
	time         time.Duration // of all its threads
	reach        []byte
	tried, found int // mutants that it ran on, and killed
}

// worth is how likely a test kills a mutant, for its time.
func (t *test) worth() float64 { return float64(t.found+1) / float64(t.tried+2) / t.time.Seconds() }

func build(c config, pkg, overlay, to string) (*binary, error) {
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", to, pkg)
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build %s with mutants: %w\n%s", pkg, err, out)
	}
	cmd = exec.Command("go", "list", "-f", "{{.Dir}}", pkg)
	cmd.Dir = c.dir
	dir, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return &binary{pkg: pkg, dir: strings.TrimSpace(string(dir)), path: to, short: c.short}, nil
}

// list names the package's tests.
func (b *binary) list() (names []string, err error) {
	cmd := exec.Command(b.path, "-test.list", "^(Test|Fuzz|Example)")
	cmd.Dir = b.dir
	out, err := cmd.Output()
	return strings.Fields(string(out)), err
}

// measure runs each test alone, without a mutant, and notes what it reaches.
func (b *binary) measure(c config, sites int, work string) error {
	list, err := b.list()
	if err != nil {
		return err
	}
	for _, name := range list {
		if c.skip != nil && c.skip.MatchString(name) {
			continue
		}
		t, left, err := b.reach(c, name, sites, filepath.Join(work, "reach"))
		if err != nil {
			return err
		}
		if left != "" {
			b.left = append(b.left, left)
			continue
		}
		b.tests = append(b.tests, *t)
	}
	var sum time.Duration
	for _, t := range b.tests {
		sum += t.time
	}
	fmt.Fprintf(c.log, "%s: %d tests, %.1f s\n", b.pkg, len(b.tests), sum.Seconds())
	return nil
}

// reach runs one test without a mutant and notes, by way of file, what it reaches. left
// says why a test takes no part.
func (b *binary) reach(c config, name string, sites int, file string) (t *test, left string, err error) {
	if err := os.WriteFile(file, make([]byte, sites), 0o666); err != nil {
		return nil, "", err
	}
	r := b.run([]string{name}, c.slow, "MUTANT_REACH="+file)
	switch {
	case r.timeout:
		return nil, fmt.Sprintf("%s.%s takes more than %v", b.pkg, name, c.slow), nil
	case r.err != nil:
		fmt.Fprintf(c.log, "%s fails without a mutant:\n%s\n", name, r.output)
		return nil, fmt.Sprintf("%s.%s fails without a mutant", b.pkg, name), nil
	}
	reach, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	return &test{name: name, time: max(r.time, time.Microsecond), reach: reach}, "", nil
}

type ran struct {
	err     error // nil: all tests passed
	timeout bool
	time    time.Duration // of all threads
	output  []byte
}

// run runs tests within a limit of processor time, which other programs on the
// machine don't use up; one that sleeps is stopped after ten times as long.
func (b *binary) run(names []string, limit time.Duration, env string) ran {
	seconds := int((limit + time.Second - 1) / time.Second)
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(seconds)*10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v 12000000; ulimit -t %d; exec "$0" "$@"`, seconds),
		b.path, "-test.failfast", fmt.Sprintf("-test.short=%v", b.short), "-test.run", "^("+strings.Join(names, "|")+")$")
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, &out, &out
	cmd.Env = append(os.Environ(), env)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	r := ran{err: err, output: out.Bytes()}
	if s := cmd.ProcessState; s != nil {
		r.time = s.UserTime() + s.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() && (w.Signal() == syscall.SIGKILL || w.Signal() == syscall.SIGXCPU) {
			r.timeout = true
		}
	}
	return r
}

// groups are tests that run in one process: those that are worth most first.
var groups = []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, time.Second, 5 * time.Second}

var failed = regexp.MustCompile(`--- FAIL: (\w+)`)

// kill runs the tests that reach a mutant until one fails, those that are worth most
// first.
func (b *binary) kill(c config, m Mutant, o *Outcome) {
	var order []*test
	for i := range b.tests {
		if t := &b.tests[i]; t.reach[m.Site] != 0 {
			order = append(order, t)
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortStableFunc(order, func(x, y *test) int { return cmp.Compare(y.worth(), x.worth()) })
	for _, t := range b.try(c, m, order, o) {
		t.tried++
		if t.name == o.By {
			t.found++
		}
	}
}

// try runs tests on a mutant, in this order, until one fails, and returns those that
// it ran.
func (b *binary) try(c config, m Mutant, order []*test, o *Outcome) (done []*test) {
	o.Result = survived
	var group []*test
	var sum, spent time.Duration
	flush := func() {
		if len(group) == 0 || o.killed() {
			return
		}
		names := make([]string, len(group))
		for i, t := range group {
			names[i] = t.name
		}
		r := b.run(names, 4*sum+500*time.Millisecond, fmt.Sprintf("MUTANT=%d:%d", m.ID, m.Site))
		switch {
		case r.timeout:
			o.Result = timeout
		case r.err != nil:
			o.Result = killed
			if f := failed.FindSubmatch(r.output); f != nil {
				o.By = string(f[1])
			}
		}
		done = append(done, group...)
		group, sum = nil, 0
	}
	g := 0
	for _, t := range order {
		for g < len(groups) && sum+t.time > groups[g] {
			flush()
			g++
		}
		if spent += t.time; spent > c.budget {
			break
		}
		if group, sum = append(group, t), sum+t.time; g == len(groups) {
			flush()
		}
	}
	flush()
	return done
}
