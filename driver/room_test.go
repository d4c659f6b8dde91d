//go:build linux

package main_test

import (
	"slices"
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
