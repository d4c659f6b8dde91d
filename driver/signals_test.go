//go:build linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seen is what testdata/signals.c prints.
type seen struct {
	handled, strange, submitted, wrong, changed, interrupted, late, returned, resident int
}

// signals runs that client for a time, with extra arguments.
func signals(t *testing.T, program string, seconds float64, rate, flags, threads, devices int, more ...string) (s seen) {
	t.Helper()
	cmd := driverCommand(t, nil, program, append([]string{"testdata", fmt.Sprint(seconds), strconv.Itoa(rate), strconv.Itoa(flags), strconv.Itoa(threads), strconv.Itoa(devices)}, more...)...)
	kill := time.AfterFunc(time.Duration(seconds)*time.Second+programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := fmt.Sscanf(string(out), "%d handled, %d on other stacks, %d submitted, %d wrong, %d changed, %d interrupted, handled %d ms late, returned %d ms late, %d MiB",
		&s.handled, &s.strange, &s.submitted, &s.wrong, &s.changed, &s.interrupted, &s.late, &s.returned, &s.resident); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", strings.TrimSpace(string(out)))
	return s
}

// TestSignals_HandlersRunOnStacksOfTheHost: a host with handlers of every everyday
// kind, from timers, children and its own threads, with and without SA_ONSTACK. A
// handler that ran inside a call would write over the Go heap. PUMICE_SIGNALS is how
// many seconds each run takes (10; with -short 1), PUMICE_SIGNALS_THREADS and
// PUMICE_SIGNALS_DEVICES how many of those there are (4 and 2).
func TestSignals_HandlersRunOnStacksOfTheHost(t *testing.T) {
	const onStack = 0x08000000 // SA_ONSTACK
	seconds, threads, devices := 10.0, 4, 2
	if testing.Short() {
		seconds = 1
	}
	for name, n := range map[string]*int{"PUMICE_SIGNALS_THREADS": &threads, "PUMICE_SIGNALS_DEVICES": &devices} {
		if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
			*n = v
		}
	}
	if v, err := strconv.ParseFloat(os.Getenv("PUMICE_SIGNALS"), 64); err == nil {
		seconds = v
	}
	program := compiled(t, "signals")
	for _, c := range []struct {
		name        string
		rate, flags int
		more        []string
	}{
		{"2000Hz", 2000, 0, nil},
		{"100Hz", 100, 0, nil},
		{"2000Hz, SA_ONSTACK", 2000, onStack, nil},
		{"100Hz, SA_ONSTACK", 100, onStack, nil},
		{"2000Hz, SA_ONSTACK, alternate stacks", 2000, onStack, []string{"alternate"}},
		{"2000Hz, alternate stacks", 2000, 0, []string{"alternate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := signals(t, program, seconds, c.rate, c.flags, threads, devices, c.more...)
			if s.strange != 0 || s.wrong != 0 || s.changed != 0 {
				t.Errorf("%d handlers on stacks that are not the host's, %d wrong results, %d times another mask or handler", s.strange, s.wrong, s.changed)
			}
			// Calls of the host itself are interrupted, and those of ours that wait
			// let handlers run (after 100 ms of 600).
			if s.handled < 10 || s.submitted == 0 || s.interrupted == 0 || s.late < 0 || s.late > 400 || s.returned < 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestLoading_LeavesTheProcessAsItWas: dlopen starts no thread and takes no signal; too
// little address space is refused; variables set before count; Go's threads take no
// signals of the host, and the one that watches the others wakes late.
func TestLoading_LeavesTheProcessAsItWas(t *testing.T) {
	b := driverLibrary(t)
	program := filepath.Join(t.TempDir(), "loaded")
	if out, err := exec.Command(installed(t, "gcc", "gcc"), "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, filepath.Join("testdata", "loaded.c"), "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	var errs strings.Builder
	cmd := exec.Command(program, b.library)
	cmd.Stderr = &errs
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s%s", err, out, errs.String())
	}
	if errs.Len() > 0 {
		t.Log(errs.String())
	}
}

// TestSignals_PythonHost: an interpreter whose handlers of timers and children run
// while it calls the driver, from two threads.
func TestSignals_PythonHost(t *testing.T) {
	python := installed(t, "python3", "python3-minimal")
	out, err := exec.Command(python, filepath.Join("testdata", "host.py"), driverLibrary(t).library).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "survived ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSignals_GoHostWithProfiler: two Go runtimes, one of which profiles itself.
func TestSignals_GoHostWithProfiler(t *testing.T) {
	if out := goHost(t, "profile"); !strings.HasPrefix(out, "survived ") {
		t.Errorf("it says %q", out)
	}
}

// TestPolls: what C answers for fences and semaphores by itself, and what Go answers,
// is the same.
func TestPolls(t *testing.T) {
	out, errs, err := onDriver(t, nil, compiled(t, "polls"))
	var seen, asked int
	if _, scan := fmt.Sscan(out, &seen, &asked); err != nil || errs != "" || scan != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	t.Logf("vkGetFenceStatus in C: %d ns, in Go: %d ns", seen, asked)
	if seen > asked {
		t.Errorf("C takes %d ns, Go %d", seen, asked)
	}
}

// TestSignals_FaultsOfTheHost: faults that a host makes on purpose reach its own
// handler, which was there before the driver was called or has come since, and leave
// what the driver does alone.
func TestSignals_FaultsOfTheHost(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) { client(t, false, "barrier", "testdata", when) })
	}
}
