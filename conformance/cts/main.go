// Command cts runs cases of the Khronos Vulkan conformance tests on a driver,
// with a deqp-vk program built elsewhere. It outlives crashes and hangs of the
// program, and compares what failed with a list of failures that have a reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitUnexpected = 1 // results differ from the expected-fail list
	exitBroken     = 2 // the run could not be made or finished
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, nil)
	stop()
	os.Exit(code)
}

// options are the flags of a run.
type options struct {
	deqp, api, cases, list, icd, out, expected, results string
	jobs, stride, chunk, depth, memory, unsupported     int
	timeout                                             time.Duration
	resume                                              bool
	extra                                               []string
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("cts", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.deqp, "deqp", "", "the deqp-vk `program`")
	f.StringVar(&o.cases, "cases", "", "case `lists` (files) and patterns such as dEQP-VK.api.*, separated by commas")
	f.StringVar(&o.list, "list", "", "the `file` of cases that patterns choose from (default: what the program has)")
	f.StringVar(&o.icd, "icd", "", "the driver's `manifest` (default: the loader's choice)")
	f.StringVar(&o.api, "api", "1.3", "the newest `version` of Vulkan that the tests know, for drivers that heed PUMICE_API_VERSION")
	f.StringVar(&o.out, "out", "", "the `folder` whose results.md gets the table's lines (default: none)")
	f.StringVar(&o.expected, "expected", filepath.Join("conformance", "cts", "expected"), "the `folder` of the expected-fail list")
	f.StringVar(&o.results, "results", "", "the `file` of results, case by case (default: in the user's cache folder)")
	f.BoolVar(&o.resume, "resume", false, "go on with the run in the file of results")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "`processes` at a time")
	f.IntVar(&o.stride, "stride", 1, "run only the first of each `N` cases of a group")
	f.IntVar(&o.chunk, "chunk", 500, "`cases` for a process")
	f.IntVar(&o.depth, "depth", 2, "`words` of a case's name that make its group")
	f.IntVar(&o.memory, "memory", 4096, "`MiB` of memory that a process may take (0: any)")
	f.IntVar(&o.unsupported, "unsupported", 0, "print the `N` most frequent reasons of cases that are not supported")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "a case that logs nothing for so long is ended")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.extra = f.Args()
	if o.deqp == "" || o.cases == "" {
		f.Usage()
		return o, errors.New("-deqp and -cases are needed")
	}
	if o.stride < 1 || o.chunk < 1 || o.jobs < 1 || o.depth < 1 || o.timeout <= 0 || o.memory < 0 || o.unsupported < 0 {
		return o, errors.New("-stride, -chunk, -jobs, -depth and -timeout start at 1, and -memory and -unsupported at 0")
	}
	// The program runs in a folder of its own.
	for _, path := range []*string{&o.deqp, &o.icd} {
		if *path == "" {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return o, err
		}
		if _, err := os.Stat(absolute); err != nil {
			return o, err
		}
		*path = absolute
	}
	if o.results == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("no folder for the results, name a file with -results: %w", err)
		}
		o.results = filepath.Join(cache, "pumice", "cts", "results.jsonl")
	}
	return o, nil
}

// run is the whole command; env holds further variables of the test program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env []string) int {
	o, err := parseOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		var unexpected bool
		if unexpected, err = o.run(ctx, stdout, stderr, env); err == nil && unexpected {
			return exitUnexpected
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "cts:", err)
		return exitBroken
	}
	return 0
}

func (o *options) run(ctx context.Context, stdout, stderr io.Writer, env []string) (unexpected bool, err error) {
	p := &program{
		path: o.deqp, icd: o.icd, api: o.api, env: env, extra: o.extra, timeout: o.timeout, whole: chattyFactor * o.timeout, memory: int64(o.memory) << 20,
	}
	list, err := readExpectations(o.expected)
	if err != nil {
		return false, err
	}
	all, groups, err := choose(ctx, p, o.cases, o.list)
	if err != nil {
		return false, err
	}
	group := func(name string) string { return groupOf(name, groups, o.depth) }
	cases := everyNth(all, o.stride, group)
	file, results, err := openStore(o.results, newHeader(p, cases), o.resume)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	results, runErr := o.runCases(ctx, p, cases, results, file, stderr)

	var surprises []Result
	expected := func(r Result) bool {
		ok := list.check(r)
		if !ok && r.Status.failing() {
			surprises = append(surprises, r)
		}
		return ok
	}
	rows := tally(all, o.stride, results, group, expected)
	io.WriteString(stdout, tableHead)
	for _, r := range rows {
		fmt.Fprintln(stdout, r.line())
	}
	if len(surprises) > 0 {
		fmt.Fprintf(stdout, "\n%d failures that nobody expects:\n", len(surprises))
		printCauses(stdout, causesOf(surprises, Status.failing), 40)
	}
	stale, idle := list.stale()
	for _, e := range idle {
		fmt.Fprintf(stderr, "%s: nothing that matches %s failed in this run\n", e.where, e.pattern)
	}
	if o.unsupported > 0 {
		fmt.Fprintln(stdout, "\nWhat isn't supported, by reason:")
		printCauses(stdout, causesOf(results, func(s Status) bool { return s == NotSupported }), o.unsupported)
	}
	for _, e := range stale {
		fmt.Fprintf(stdout, "%s: %s is expected to fail and didn't; take the line out\n", e.where, e.pattern)
	}
	fmt.Fprintf(stderr, "results, case by case: %s\n", o.results)
	if runErr != nil {
		return false, runErr // a page is written only of a run that was finished
	}
	if o.out != "" {
		if err := updatePage(o.out, rows); err != nil {
			return false, err
		}
	}
	return len(surprises) > 0 || len(stale) > 0, nil
}

// runCases runs the cases that have no result yet and returns all results.
func (o *options) runCases(
	ctx context.Context, p *program, cases []string, results []Result, file *store, stderr io.Writer,
) ([]Result, error) {
	done := map[string]bool{}
	for _, r := range results {
		done[r.Case] = true
	}
	left := make([]string, 0, len(cases))
	for _, name := range cases {
		if !done[name] {
			left = append(left, name)
		}
	}
	dir, err := os.MkdirTemp("", "cts")
	if err != nil {
		return results, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var counts [kindMissing + 1]int
	lastNote := time.Now()
	s := session{
		program: p, jobs: o.jobs, chunk: o.chunk, dir: dir,
		note: func(text string) { fmt.Fprintln(stderr, "cts:", text) },
		record: func(r Result) {
			results = append(results, r)
			counts[r.Status.kind()]++
			if err := file.add(r); err != nil {
				stop(fmt.Errorf("write results: %w", err))
			}
			if now := time.Now(); now.Sub(lastNote) >= 5*time.Second {
				lastNote = now
				fmt.Fprintf(stderr, "%d of %d: %d passed, %d failed, %d not supported, %d crashed, %d timed out\n",
					len(results), len(cases), counts[kindPassed]+counts[kindWarned], counts[kindFailed],
					counts[kindNotSupported], counts[kindCrashed], counts[kindTimedOut])
			}
		},
	}
	err = s.run(ctx, left)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("ended after %d of %d cases; -resume goes on", len(results), len(cases))
	}
	return results, err
}
