//go:build linux

package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/triangle.vert.spv testdata/triangle.vert
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/triangle.frag.spv testdata/triangle.frag
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.vert.spv testdata/squares.vert
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.frag.spv testdata/squares.frag
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.comp.spv testdata/squares.comp

// programTimeout is how long a program may take; none needs a tenth of it.
const programTimeout = 4 * time.Minute

// onDriver runs a program that finds the driver, and no other, with the loader of
// the system.
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
	manifest := driverLibrary(t).manifest
	cmd := exec.Command(program, args...)
	// What Mesa and the validation layer keep of an earlier run is another driver's.
	cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest, "XDG_CACHE_HOME="+t.TempDir())
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+t.TempDir()) // vulkaninfo wants one
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// installed returns the path of a program of the system, or skips.
func installed(t *testing.T, program, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("no %s: Debian's %s is not installed", program, debianPackage)
	}
	return path
}

// compiled builds testdata/NAME.c.
func compiled(t *testing.T, name string) string {
	t.Helper()
	gcc := installed(t, "gcc", "gcc")
	program := filepath.Join(t.TempDir(), name)
	source := filepath.Join("testdata", name+".c")
	out, err := exec.Command(gcc, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lvulkan").CombinedOutput()
	if bytes.Contains(out, []byte("vulkan/vulkan.h")) || bytes.Contains(out, []byte("-lvulkan")) {
		t.Skip("no headers or loader: Debian's libvulkan-dev is not installed")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// clientSkipped is the exit code with which a client says that something is
// missing.
const clientSkipped = 77

// render runs a client and returns its checksum. Words on the error stream, such
// as messages of the validation layer, fail the test.
func render(t *testing.T, program string, env ...string) string {
	t.Helper()
	out, errs, err := onDriver(t, env, program, "testdata")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == clientSkipped {
		t.Skip(strings.TrimSpace(out))
	}
	if err != nil || errs != "" {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	return out
}

// TestClient: our own programs render what they should without a word from the
// validation layer, and the same bits with any number of threads.
func TestClient(t *testing.T) {
	for _, name := range []string{"triangle", "squares"} {
		t.Run(name, func(t *testing.T) {
			program := compiled(t, name)
			first := render(t, program)
			for _, threads := range []string{"1", "2", "1", "2", "5"} {
				if again := render(t, program, "PUMICE_THREADS="+threads); again != first {
					t.Errorf("%s threads: checksum %q, before %q", threads, again, first)
				}
			}
			t.Run("validated", func(t *testing.T) {
				if validated := render(t, program, "PUMICE_VALIDATE=1"); validated != first {
					t.Errorf("checksum %q, without the layer %q", validated, first)
				}
			})
		})
	}
}
