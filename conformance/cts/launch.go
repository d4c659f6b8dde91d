package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program is a test program and the conditions it runs under.
type program struct {
	path    string        // of the program
	icd     string        // manifest of the driver; "" leaves the loader its choice
	api     string        // the newest version that the program knows; "": any
	env     []string      // further variables
	extra   []string      // further arguments
	timeout time.Duration // a log that doesn't grow for so long belongs to a hung case
	whole   time.Duration // a case may run for so long in all, however much it logs
	memory  int64         // bytes of resident memory it may have; 0: any
}

// Times that follow from the timeout of a case.
const (
	pollEvery    = 20 * time.Millisecond
	startUp      = 60 * time.Second // more than a case's timeout, before the first case begins
	chattyFactor = 10               // timeouts that a case may run in all
)

// outcome says how one launch of the program ended.
type outcome struct {
	open     string // case that was running at the end; "" if none
	begun    int    // cases that began
	finished int    // cases that ended in the log
	ended    bool   // the log was closed as it should
	killed   Status // Timeout when we ended it for that, Crash for its memory
	died     string // "signal: …", "exit status …"; "" for an orderly exit
	stderr   string // last bytes of standard error
}

func (p *program) environment() []string {
	env := append(os.Environ(), p.env...)
	if p.api != "" && os.Getenv("PUMICE_API_VERSION") == "" {
		env = append(env, "PUMICE_API_VERSION="+p.api)
	}
	if p.icd != "" {
		// The loader's older name for the same, too: it depends on the version which one counts.
		env = append(env, "VK_DRIVER_FILES="+p.icd, "VK_ICD_FILENAMES="+p.icd)
	}
	return env
}

// launch runs the cases in one process, in a new folder under dir, and emits
// each result as soon as the log has it. Only a program that can't be started
// at all is an error.
func (p *program) launch(ctx context.Context, dir string, cases []string, emit func(Result)) (outcome, error) {
	var o outcome
	dir, err := os.MkdirTemp(dir, "launch")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	list, log := filepath.Join(dir, "cases.txt"), filepath.Join(dir, "log.qpa")
	if err := os.WriteFile(list, []byte(strings.Join(cases, "\n")+"\n"), 0o644); err != nil {
		return o, err
	}
	args := []string{
		"--deqp-caselist-file=" + list, "--deqp-log-filename=" + log,
		"--deqp-archive-dir=" + filepath.Dir(p.path), "--deqp-shadercache-filename=" + filepath.Join(dir, "shaders"),
		"--deqp-log-images=disable", "--deqp-log-shader-sources=disable", "--deqp-surface-type=fbo",
	}
	cmd := exec.Command(p.path, append(args, p.extra...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, p.environment(), time.Second
	errs := &tail{}
	cmd.Stderr = errs
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return o, fmt.Errorf("start the test program: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	parser := &logParser{emit: func(r Result) { o.finished++; emit(r) }}
	follower := follower{path: log}
	defer follower.close()
	kill := func(as Status) {
		if o.killed == "" {
			o.killed = as
			killGroup(cmd.Process)
		}
	}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	lastGrowth, caseStart, lastBegun := time.Now(), time.Now(), 0
	for {
		select {
		case err := <-done:
			killGroup(cmd.Process) // children that it left behind
			follower.copyTo(parser)
			o.open, o.begun, o.ended, o.stderr = parser.open, parser.begun, parser.ended, errs.String()
			o.died = describeExit(err)
			return o, ctx.Err()
		case <-ctx.Done():
			kill(Crash)
		case <-poll.C:
		}
		now := time.Now()
		if follower.copyTo(parser) > 0 {
			lastGrowth = now
		}
		if parser.begun != lastBegun {
			caseStart, lastBegun = now, parser.begun
		}
		allowed := p.timeout
		if parser.begun == 0 {
			allowed += startUp
		}
		if now.Sub(lastGrowth) > allowed || parser.open != "" && now.Sub(caseStart) > p.whole {
			kill(Timeout)
		}
		if p.memory > 0 && residentBytes(cmd.Process.Pid) > p.memory {
			kill(Crash)
		}
	}
}

// describeExit names an end that isn't one of the program's own two exit
// codes: 0, or 1 when cases failed.
func describeExit(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	if exit.ExitCode() == 1 {
		return ""
	}
	return strings.TrimSuffix(exit.ProcessState.String(), " (core dumped)") // which depends on the machine, not on the program
}

// follower reads a file that another process writes, from where it last stopped.
type follower struct {
	path string
	file *os.File
}

// copyTo hands everything new to w and returns its length in bytes.
func (f *follower) copyTo(w io.Writer) int64 {
	if f.file == nil {
		var err error
		if f.file, err = os.Open(f.path); err != nil {
			f.file = nil
			return 0
		}
	}
	n, _ := io.Copy(w, f.file) // an unreadable log is one that doesn't grow
	return n
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// tail is a writer that keeps the last bytes. exec writes to it from one
// goroutine, which has ended when Wait returns.
type tail struct{ kept []byte }

const tailBytes = 32 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if len(t.kept) > 2*tailBytes {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailBytes:]...)
	}
	return len(b), nil
}

// String is the kept text, at most tailBytes of it.
func (t *tail) String() string {
	return strings.ToValidUTF8(string(t.kept[max(0, len(t.kept)-tailBytes):]), "�")
}
