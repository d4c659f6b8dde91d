//go:build linux

package main_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// TestFigures: a draw is recorded without a call into Go, but for one now and then for more memory. How long a first
// triangle, the recording of many draws and the draws take is told: docs/vkbench.md has the figures of a quiet machine. The
// best of several runs counts.
func TestFigures(t *testing.T) {
	const draws, runs = 20000, 5
	program := compiled(t, "figures")
	best := [3]time.Duration{1 << 62, 1 << 62, 1 << 62}
	for range runs {
		out := run(t, program, []string{"DISPLAY="}, "../testdata", strconv.FormatInt(time.Now().UnixNano(), 10), strconv.Itoa(draws))
		var ns [3]int64
		var entered int
		if _, err := fmt.Sscan(out, &ns[0], &ns[1], &ns[2], &entered); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for i, v := range ns {
			best[i] = min(best[i], time.Duration(v))
		}
		if entered < 2 || entered > draws/500 { // to begin and to end, and for blocks of records
			t.Errorf("recording %d draws goes into Go %d times", draws, entered)
		}
	}
	for i, what := range []string{"first triangle of a fresh process", "recording a draw", "a draw from recording to its end"} {
		t.Logf("%s: %v", what, best[i])
	}
}
