//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// programTimeout is how long a program may take; none needs a tenth of it.
const programTimeout = 4 * time.Minute

// onDriver runs a program that finds the driver, and no other, with the loader of
// the system or with testdata/loader.c.
func onDriver(t *testing.T, env []string, program string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := driverCommand(t, env, program, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	err = cmd.Wait()
	return out.String(), errs.String(), err
}

func driverCommand(t *testing.T, env []string, program string, args ...string) *exec.Cmd {
	t.Helper()
	b := driverLibrary(t)
	cmd := exec.Command(program, args...)
	// What Mesa and the validation layer keep of an earlier run is another driver's.
	cmd.Env = append(os.Environ(), "PUMICE_DRIVER="+b.library, "VK_DRIVER_FILES="+b.manifest, "VK_ICD_FILENAMES="+b.manifest, "XDG_CACHE_HOME="+t.TempDir())
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+t.TempDir()) // vulkaninfo wants one
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}
