//go:build linux

package main_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// TestFigures: how long a first triangle and the recording of many draws take.
// README.md has figures of a quiet machine; the bounds are far above, for slow and
// busy ones, and catch what costs a multiple. The best of several runs counts.
func TestFigures(t *testing.T) {
	const draws, runs = 20000, 5
	program := compiled(t, "figures")
	best := [3]time.Duration{1 << 62, 1 << 62, 1 << 62}
	for range runs {
		out, errs, err := onDriver(t, []string{"DISPLAY="}, program, "../testdata", strconv.FormatInt(time.Now().UnixNano(), 10), strconv.Itoa(draws))
		var ns [3]int64
		if _, scan := fmt.Sscan(out, &ns[0], &ns[1], &ns[2]); err != nil || errs != "" || scan != nil {
			t.Fatalf("%v, %v\n%s%s", err, scan, out, errs)
		}
		for i, v := range ns {
			best[i] = min(best[i], time.Duration(v))
		}
	}
	for i, f := range []struct {
		what  string
		at    time.Duration // the figure aimed at
		bound time.Duration
	}{
		{"first triangle of a fresh process", 30 * time.Millisecond, time.Second},
		{"recording a draw", 100 * time.Nanosecond, time.Microsecond},
		{"a draw from recording to its end", 2 * time.Microsecond, 100 * time.Microsecond},
	} {
		t.Logf("%s: %v (aim: %v)", f.what, best[i], f.at)
		if best[i] > f.bound {
			t.Errorf("%s: %v, more than %v", f.what, best[i], f.bound)
		}
	}
}
