// Command cts runs cases of the Khronos Vulkan conformance tests on a driver,
// with a deqp-vk program built elsewhere. It outlives crashes and hangs of the
// program, and compares what failed with a list of failures that have a reason.
package main

import (
	"cmp"
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
	exitAlarm      = 3 // cases of a rolling run that passed once do no more, whatever else there is
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
	rolling                                             int
	history, tree, forget                               string
	suite, evidence                                     string
	within                                              int
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
	f.StringVar(&o.api, "api", "", "the newest `version` of Vulkan that the tests know, for drivers that heed PUMICE_API_VERSION (default: what the driver reports)")
	f.StringVar(&o.out, "out", "", "the `folder` whose results.md gets the table's lines (default: none)")
	f.StringVar(&o.expected, "expected", filepath.Join("conformance", "cts", "expected"), "the `folder` of the expected-fail list")
	f.StringVar(&o.results, "results", "", "the `file` of results, case by case (default: in the user's cache folder)")
	f.BoolVar(&o.resume, "resume", false, "go on with the run in the file of results")
	f.IntVar(&o.rolling, "rolling", 0, "cut the list into `N` shares and run the next one; needs -history")
	f.StringVar(&o.history, "history", "", "the `file` that rolling runs share")
	f.StringVar(&o.tree, "tree", "", "the `name` of the driver's tree in the history (default: the git revision of the manifest's folder)")
	f.StringVar(&o.suite, "suite", "", "the `version` of the tests; with -out, rolling runs write evidence of it")
	f.StringVar(&o.evidence, "evidence", "", "run nothing, and check how old the newest share in this `folder` is, and that nothing unexpected failed in it")
	f.IntVar(&o.within, "within", 300, "how many `commits` that change the driver the newest share may be behind")
	f.StringVar(&o.forget, "forget", "", "forget that cases of these `patterns`, separated by commas, passed once")
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
	if o.evidence != "" {
		return o, nil
	}
	if o.deqp == "" || o.cases == "" {
		f.Usage()
		return o, errors.New("-deqp and -cases are needed")
	}
	if o.stride < 1 || o.chunk < 1 || o.jobs < 1 || o.depth < 1 || o.timeout <= 0 || o.memory < 0 || o.unsupported < 0 {
		return o, errors.New("-stride, -chunk, -jobs, -depth and -timeout start at 1, and -memory and -unsupported at 0")
	}
	if (o.rolling != 0) != (o.history != "") || o.rolling < 0 || o.rolling > maxShares {
		return o, fmt.Errorf("-rolling, from 1 to %d, and -history go together", maxShares)
	}
	if o.rolling == 0 && (o.tree != "" || o.forget != "" || o.suite != "") || o.rolling != 0 && (o.stride != 1 || o.resume) {
		return o, errors.New("-tree, -forget and -suite are of rolling runs; those have no -stride, and go on without -resume")
	}
	if o.rolling != 0 && o.results == "" {
		o.results = o.history + ".results"
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
	if err == nil && o.evidence != "" {
		if err = checkEvidence(o.evidence, o.within, stdout, commitsSince); err != nil {
			fmt.Fprintln(stderr, "cts:", err)
			return exitUnexpected
		}
		return 0
	}
	if err == nil {
		var code int
		if code, err = o.run(ctx, stdout, stderr, env); err == nil || code == exitAlarm {
			if err != nil {
				fmt.Fprintln(stderr, "cts:", err)
			}
			return code
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "cts:", err)
		return exitBroken
	}
	return 0
}

// run returns the exit code; with an error, the code is exitAlarm or says nothing.
func (o *options) run(ctx context.Context, stdout, stderr io.Writer, env []string) (code int, err error) {
	p := &program{
		path: o.deqp, icd: o.icd, api: o.api, env: env, extra: o.extra, timeout: o.timeout, whole: chattyFactor * o.timeout, memory: int64(o.memory) << 20,
	}
	list, err := readExpectations(o.expected)
	if err != nil {
		return 0, err
	}
	all, groups, err := choose(ctx, p, o.cases, o.list)
	if err != nil {
		return 0, err
	}
	group := func(name string) string { return groupOf(name, groups, o.depth) }
	var cases []string
	var roll *rolling
	resume, label := o.resume, ""
	if o.rolling == 0 {
		cases = everyNth(all, o.stride, group)
	} else {
		if roll, err = o.startRolling(all); err != nil {
			return 0, err
		}
		defer roll.unlock()
		cases, resume, label = roll.cases(), true, roll.label()
		fmt.Fprintf(stderr, "%s: %d cases\n", label, len(cases))
	}
	header := newHeader(p, cases)
	header.Share = label
	file, results, err := openStore(o.results, header, resume)
	if roll != nil && errors.Is(err, errOtherRun) {
		file, results, err = openStore(o.results, header, false)
	}
	if err != nil {
		return 0, err
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
	if roll != nil {
		if errors.Is(runErr, errNeverStarts) {
			return 0, errors.Join(runErr, os.Remove(o.results)) // the share is begun anew
		}
		alarms, err := roll.record(results, runErr == nil)
		runErr = errors.Join(runErr, err)
		printAlarms(stdout, alarms)
		if len(alarms) > 0 {
			code = exitAlarm
		}
		rows = roll.rows(results, group, list)
	}
	io.WriteString(stdout, tableHead)
	for _, r := range rows {
		fmt.Fprintln(stdout, r.line())
	}
	stale := o.report(stdout, stderr, list, results, surprises)
	if runErr != nil {
		return code, runErr // a page is written only of a run that was finished
	}
	if o.out != "" {
		if err := updatePage(o.out, rows); err != nil {
			return code, err
		}
		if o.suite != "" {
			e := roll.evidenceOf(o.suite, results, list)
			e.API = cmp.Or(os.Getenv("PUMICE_API_VERSION"), o.api)
			if err := addEvidence(o.out, e); err != nil {
				return code, err
			}
		}
	}
	if code == 0 && len(surprises)+stale > 0 {
		code = exitUnexpected
	}
	return code, nil
}

// report prints what stands below the table, and returns how many lines of the list name cases that don't fail.
func (o *options) report(stdout, stderr io.Writer, list expectations, results, surprises []Result) (wrong int) {
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
	return len(stale)
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
