//go:build linux

package main_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/endless.comp.spv testdata/endless.comp

// TestEndless_WaitsEndAndDevicesGo: a program that has submitted work without end is
// told that its device is lost when PUMICE_SUBMIT_TIMEOUT is over, by which dispatch;
// and it can destroy a device that is busy. Else the program would wait for a century.
func TestEndless_WaitsEndAndDevicesGo(t *testing.T) {
	out := run(t, compiled(t, "endless"), nil)
	t.Log(out)
	for _, c := range []struct {
		what  string
		least float64 // milliseconds
	}{{"lost", 500}, {"a lost device destroyed", 0}, {"a busy device destroyed", 0}} {
		m := regexp.MustCompile(`(?m)^` + c.what + ` after ([0-9.]+) ms$`).FindStringSubmatch(out)
		if m == nil {
			t.Errorf("nothing of %q", c.what)
			continue
		}
		if ms, err := strconv.ParseFloat(m[1], 64); err != nil || ms < c.least {
			t.Errorf("%s after %v ms: %v", c.what, ms, err)
		}
	}
	for part, n := range map[string]int{"the device is lost": 1, "dispatch 0 (65535×65535×65535 workgroups": 1, "PUMICE_SUBMIT_TIMEOUT": 1} {
		if got := strings.Count(out, part); got != n {
			t.Errorf("%q is told %d times, want %d", part, got, n)
		}
	}
}
