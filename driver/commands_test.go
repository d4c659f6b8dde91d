//go:build linux

package main_test

import (
	"strings"
	"testing"
)

// TestCommands_WriteWhatTheyShould: commands of all families, with the validation
// layer listening.
func TestCommands_WriteWhatTheyShould(t *testing.T) {
	out := client(t, true, "commands", "../testdata")
	if n := strings.Count(out, "ok   "); n < 9 || strings.Contains(out, "FAIL") {
		t.Errorf("%d checks:\n%s", n, out)
	}
}
