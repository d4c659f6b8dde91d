//go:build outside && linux

package main_test

import (
	"strings"
	"testing"
)

// `pumice run` says when a program made no device on the driver, and only then.
func TestOutside_Run_NoDevice(t *testing.T) {
	vulkaninfo.Path(t)
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{args: []string{"vulkaninfo"}},
		{args: []string{"true"}, says: "pumice: run saw true make no device on Pumice: the driver was not loaded; for OpenGL there is --opengl (docs/programs.md)\n"},
		{args: []string{"sh", "-c", "exit 3"}, code: 3, says: "the driver was not loaded"},
	} {
		p := command(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, append([]string{"run"}, c.args...)...)
		if p.code != c.code || !strings.Contains(p.errs, c.says) || strings.Contains(p.errs, "run saw") != (c.says != "") {
			t.Errorf("%v: %v", c.args, p)
		}
	}
}
