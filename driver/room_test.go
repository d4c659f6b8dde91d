//go:build linux

package main_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestRoom_LimitedAddresses: with "ulimit -v" a program is told what there is no memory
// for, and nothing ends it.
func TestRoom_LimitedAddresses(t *testing.T) {
	program := compiled(t, "room")
	shaders, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
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
			out, errs, err := onDriver(t, nil, "sh", "-c", `ulimit -v "$0"; exec "$@"`, c.limit, program, shaders)
			if err != nil || !slices.Contains(c.want, out) || errs != "" {
				t.Errorf("ulimit -v %s: %v, %q\n%s", c.limit, err, out, errs)
			}
		}
	}
}
