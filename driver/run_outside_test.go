//go:build outside && linux

package main_test

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
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
		{args: []string{"true"}, says: "pumice: run saw true make no device on Pumice: nothing tells of the driver; for OpenGL there is pumice gl (docs/programs.md)\n"},
		{args: []string{"sh", "-c", "exit 3"}, code: 3, says: "nothing tells of the driver"},
	} {
		p := command(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, append([]string{"run"}, c.args...)...)
		if p.code != c.code || !strings.Contains(p.errs, c.says) || strings.Contains(p.errs, "run saw") != (c.says != "") {
			t.Errorf("%v: %v", c.args, p)
		}
	}
}

var eglinfo = outside.Tool{
	Name: "eglinfo", Debian: "mesa-utils-bin", Version: outside.NoVersion, Why: "OpenGL without a window",
}

// `pumice gl` brings OpenGL to the driver.
func TestOutside_GL(t *testing.T) {
	program := eglinfo.Path(t)
	env := []string{"XDG_RUNTIME_DIR=" + t.TempDir(), "DISPLAY=", "WAYLAND_DISPLAY="}
	p := command(t, env, "gl", program)
	if !strings.Contains(p.out, "EGL version string") || strings.Contains(p.errs, "gl saw") {
		t.Errorf("no device on Pumice: %v", p) // the driver tells of one, so that it is no other's
	}
	const says = "pumice: gl saw true make no device on Pumice"
	if p := command(t, env, "gl", "true"); !strings.Contains(p.errs, says) {
		t.Errorf("it says %q of a program without OpenGL", p.errs)
	}
}
