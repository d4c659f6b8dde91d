//go:build linux

package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// TestFuzz_Corpus runs testdata/fuzz.c, a client that turns bytes into calls, on its corpus;
// TestOutside_Fuzz_CFront does so with sanitizers, and goes on from there.
func TestFuzz_Corpus(t *testing.T) {
	library := driverLibrary(t).library
	program := filepath.Join(t.TempDir(), "fuzz")
	outside.Compile(t, "-DREPLAY", "-I", "testdata/include", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-o", program, "testdata/fuzz.c", "-ldl")
	corpus, err := filepath.Glob("testdata/fuzzcorpus/*")
	if err != nil || len(corpus) < 40 {
		t.Fatalf("%d inputs: %v", len(corpus), err)
	}
	cmd := exec.Command(program, corpus...)
	cmd.Env = append(cmd.Environ(), "PUMICE_DRIVER="+library)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "this is a defect") || strings.Count(string(out), "fuzzcorpus") != len(corpus) {
		t.Errorf("%v\n%s", err, out)
	}
}
