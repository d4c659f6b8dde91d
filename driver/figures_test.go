//go:build linux

package main_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestFigures: a draw is recorded without a call into Go, but for one now and then for more memory. How long a first
// triangle, the recording of many draws, the draws, and small submissions take is told, in process
// and with a helper in turn: docs/vkbench.md and docs/driver.md have the figures of a quiet
// machine. The best of several runs counts; PUMICE_RUNS is how many (5).
func TestFigures(t *testing.T) {
	const draws = 20000
	runs := 5
	if s := os.Getenv("PUMICE_RUNS"); s != "" {
		if _, err := fmt.Sscan(s, &runs); err != nil {
			t.Fatal(err)
		}
	}
	program := compiled(t, "figures")
	env, _ := isolated(t)
	var best [2][7]time.Duration
	for range runs {
		for helper, env := range [][]string{{"DISPLAY="}, append(env, "DISPLAY=")} {
			out := run(t, program, env, "../testdata", strconv.FormatInt(time.Now().UnixNano(), 10), strconv.Itoa(draws))
			var ns [7]int64
			var entered int
			if _, err := fmt.Sscan(out, &ns[0], &ns[1], &ns[2], &entered, &ns[3], &ns[4], &ns[5], &ns[6]); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for i, v := range ns {
				if b := &best[helper][i]; *b == 0 || time.Duration(v) < *b {
					*b = time.Duration(v)
				}
			}
			if helper == 0 && (entered < 2 || entered > draws/500) { // to begin and to end, and for blocks of records
				t.Errorf("recording %d draws goes into Go %d times", draws, entered)
			}
		}
	}
	for i, what := range []string{"first triangle of a fresh process", "recording a draw", "a draw from recording to its end",
		"a submission of nothing until its fence", "the same, median", "a submission of the triangle until its fence", "the same, median"} {
		t.Logf("%s: %v, with a helper %v", what, best[0][i], best[1][i])
	}
}
