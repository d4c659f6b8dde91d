//go:build linux && outside

package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// TestOutside_Signals_PythonHost: an interpreter whose handlers of timers and children run
// while it calls the driver, from two threads.
func TestOutside_Signals_PythonHost(t *testing.T) {
	python := outside.Tool{Name: "python3", Debian: "python3-minimal", Why: "a host that is an interpreter"}.Path(t)
	out, err := exec.Command(python, filepath.Join("testdata", "host.py"), driverLibrary(t).library).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "survived ") {
		t.Errorf("%v\n%s", err, out)
	}
}
