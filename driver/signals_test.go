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

	"github.com/pumice-gpu/pumice/internal/outside"
)

// seen is what testdata/signals.c prints.
type seen struct {
	handled, strange, submitted, wrong, changed, interrupted, resident int
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
	if _, err := fmt.Sscanf(string(out), "%d handled, %d on other stacks, %d submitted, %d wrong, %d changed, %d interrupted, %d MiB",
		&s.handled, &s.strange, &s.submitted, &s.wrong, &s.changed, &s.interrupted, &s.resident); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", strings.TrimSpace(string(out)))
	return s
}

// TestSignals_HandlersRunOnStacksOfTheHost: a host with handlers of every everyday
// kind, from timers, children and its own threads, with and without SA_ONSTACK. A
// handler that ran inside a call would write over the Go heap. And they run while a call
// waits. PUMICE_SIGNALS is how many seconds each run takes (2; with -short half of one),
// PUMICE_SIGNALS_THREADS and PUMICE_SIGNALS_DEVICES how many of those there are (4 and 2).
func TestSignals_HandlersRunOnStacksOfTheHost(t *testing.T) {
	const onStack = 0x08000000 // SA_ONSTACK
	seconds, threads, devices := 2.0, 4, 2
	if testing.Short() {
		seconds = 0.5
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
			if s.handled < 10 || s.submitted == 0 || s.interrupted == 0 { // calls of the host itself are interrupted
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
	outside.Compile(t, "-I", "testdata/include", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", program, "testdata/loaded.c", "-ldl")
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

// TestSignals_GoHostWithProfiler: two Go runtimes, one of which profiles itself.
func TestSignals_GoHostWithProfiler(t *testing.T) {
	if out := goHost(t, "profile"); !strings.HasPrefix(out, "survived ") {
		t.Errorf("it says %q", out)
	}
}

// TestPolls: what C answers for fences and semaphores by itself, and what Go answers,
// is the same; and C asks Go for no fence that it sees itself, nor waits for one there.
func TestPolls(t *testing.T) {
	out := run(t, compiled(t, "polls"), nil)
	var seen, asked, inC, inGo int
	if _, err := fmt.Sscan(out, &seen, &asked, &inC, &inGo); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("vkGetFenceStatus in C: %d ns, in Go: %d ns", inC, inGo)
	if seen != 0 || asked != 10000 {
		t.Errorf("10000 calls go into Go %d times, for a fence that C does not see %d times", seen, asked)
	}
}

// TestDescribed: C writes descriptors of buffers, which Go reads; those of samplers Go writes.
func TestDescribed(t *testing.T) {
	out := run(t, compiled(t, "described"), nil, "testdata")
	var entered, asked int
	if _, err := fmt.Sscan(out, &entered, &asked); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if entered != 0 || asked != 1000 {
		t.Errorf("into Go go %d descriptors of buffers, and %d of 1000 samplers", entered, asked)
	}
}

// TestSignals_FaultsOfTheHost: faults that a host makes on purpose reach its own
// handler, which was there before the driver was called or has come since, and leave
// what the driver does alone.
func TestSignals_FaultsOfTheHost(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) { run(t, compiled(t, "barrier"), nil, "testdata", when) })
	}
}

// TestFibers: calls from a stack that is not the thread's own cost no more than twice what others do.
func TestFibers(t *testing.T) {
	out := run(t, compiled(t, "fibers"), nil)
	var here, there int
	if _, err := fmt.Sscan(out, &here, &there); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("two calls from the main thread's stack: %d ns, from another: %d ns", here, there)
	if there > 2*here {
		t.Errorf("two calls from a stack of the program's own take %d ns, from the thread's %d ns", there, here)
	}
}

// TestWaits_EndWithTheirDevice: threads that sleep in C for what a device was to signal are told that it is lost.
func TestWaits_EndWithTheirDevice(t *testing.T) { run(t, compiled(t, "waits"), nil) }
