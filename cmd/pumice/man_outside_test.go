//go:build outside

package main

import (
	"os/exec"
	"testing"

	others "github.com/pumice-gpu/pumice/internal/outside"
)

// groff reads the manual without complaint.
func TestOutside_Groff_ReadsTheManual(t *testing.T) {
	tool := others.Tool{Name: "groff", Debian: "groff", Why: "it has no complaint about the manual's pages"}.Path(t)
	out, err := exec.Command(tool, append([]string{"-man", "-Tutf8", "-ww", "-z"}, manual(t)...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v %s", err, out)
	}
}
