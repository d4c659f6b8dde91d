//go:build linux

package main_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestRoom_LimitedAddresses: with "ulimit -v" a program is told what there is no memory
// for, and nothing ends it.
func TestRoom_LimitedAddresses(t *testing.T) {
	program := compiled(t, "room")
	for _, c := range []struct {
		limit string // KiB
		want  []string
	}{
		{"4000000", []string{"works\n"}},
		{"1650000", []string{"works\n"}},
		{"300000", []string{"refused\n"}},
		{"1500000", []string{"works\n", "refused\n"}}, // as glibc has spent addresses on heaps for threads
	} {
		for range 2 {
			if out := run(t, program, nil, "testdata", c.limit); !slices.Contains(c.want, out) {
				t.Errorf("ulimit -v %s: %q", c.limit, out)
			}
		}
	}
}

// TestThreads: a process that can have no more threads goes on. Before there is a device it gets an error, and afterwards
// everything works: what Go needs is there.
func TestThreads(t *testing.T) {
	program := compiled(t, "nothreads")
	if err := os.Chmod(driverLibrary(t).dir, 0o755); err != nil { // the client becomes another user
		t.Fatal(err)
	}
	for when, want := range map[string][]string{
		"before":   {"-9", "-1"}, // VK_ERROR_INCOMPATIBLE_DRIVER: Go does not start
		"instance": {"-1"},       // VK_ERROR_OUT_OF_HOST_MEMORY
		"after":    {"0"},
	} {
		out, errs, err := onDriver(t, nil, program, when)
		if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 77 {
			t.Skip("the limit on a user's threads does not hold here")
		}
		if got := strings.TrimSpace(out); err != nil || !slices.Contains(want, got) {
			t.Errorf("%s: %v, %q, want one of %q\n%.2000s", when, err, got, want, errs)
		}
	}
}
