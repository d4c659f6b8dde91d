package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tools "github.com/pumice-gpu/pumice/internal/outside"
)

// TestMain lets this test's binary be the command, for tests that need a process of
// its own.
func TestMain(m *testing.M) {
	os.Unsetenv("PUMICE_DUMP") // by which a user has the command say more than one line
	do, path, _ := strings.Cut(os.Getenv("PUMICE_TEST_COMMAND"), " ")
	switch do {
	case "run":
		main()
	case "interrupted": // and tells when signals no longer end it; fd 3 is the test's
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		_ = os.NewFile(3, "up").Close()
		main()
	case "measured": // and tells in a file how much memory it had at most
		tightenCollector()
		code := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			err = os.WriteFile(path, status, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 99
		}
		os.Exit(code)
	case "stall": // in the middle of writing
		_ = replaceFile(path, 0o644, func(w io.Writer) error {
			_, _ = io.WriteString(w, "half of something long")
			fmt.Print("!")
			time.Sleep(time.Minute)
			return nil
		})
		os.Exit(1)
	}
	os.Exit(tools.Run(m))
}

// process returns the command as a process that has not started.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr = exec.Command(exe, args...), new(bytes.Buffer)
	cmd.Env, cmd.Stderr = append(os.Environ(), "PUMICE_TEST_COMMAND=run"), stderr
	return cmd, stderr
}

// printing are command lines that print to standard output.
func printing(t *testing.T) map[string][]string {
	standIn(t)
	picture, model := writeSquares(t), writeModel(t, triangleModel)
	return map[string][]string{
		"sample":           {"sample", picture, "--uv", "0.25,0.25"},
		"sample --json":    {"sample", picture, "--uv", "0.25,0.25", "--json"},
		"sample --explain": {"sample", picture, "--uv", "0.25,0.25", "--explain"},
		"info":             {"info"},
		"info FILE":        {"info", model},
		"info FILE --json": {"info", model, "--json"},
		"thumbnails":       {"thumbnails", model, "-o", t.TempDir(), "--size", "8", "--json"},
		"render --json":    {"render", model, "-o", filepath.Join(t.TempDir(), "out.png"), "--width", "8", "--height", "8", "--json"},
		"driver path":      {"driver", "path"},
		"driver install":   {"driver", "install"},
		"--help":           {"--help"},
		"licenses":         {"licenses"},
		"version":          {"version"},
	}
}

// unwritableFiles are a full disk and a pipe whose reader has gone, by what writing to them says.
func unwritableFiles(t *testing.T) map[string]*os.File {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full is Linux's")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { full.Close() })
	r, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed.Close() })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string]*os.File{"no space left on device": full, "broken pipe": closed}
}

// checkUnwritten looks at how a command ended that could not write its output.
func checkUnwritten(t *testing.T, name, says string, code int, stderr string) {
	t.Helper()
	if says == "broken pipe" {
		if code != exitFailure || stderr != "" {
			t.Errorf("%s into a pipe that is closed: %d: %q", name, code, stderr)
		}
		return
	}
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stderr, says) {
		t.Errorf("%s: %q does not say %q", name, stderr, says)
	}
}

// What cannot be printed is a failure that says so in one line on a full disk, and a quiet one
// where the reader of a pipe has gone, as head does.
func TestCommands_OutputThatCannotBeWritten(t *testing.T) {
	unwritable := unwritableFiles(t)
	for name, args := range printing(t) {
		for says, out := range unwritable {
			cmd, stderr := process(t, args...)
			cmd.Stdout = out
			_ = cmd.Run()
			checkUnwritten(t, name, says, cmd.ProcessState.ExitCode(), stderr.String())
		}
	}
}
