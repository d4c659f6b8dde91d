//go:build linux

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/conformance/faces"
)

// TestFaces_SameBytes renders each scene through the Go API and through the loader
// and the driver, and once more with other threads and under the validation layer.
func TestFaces_SameBytes(t *testing.T) {
	program := compiled(t, "faces")
	environments := []string{"PUMICE_THREADS=1", "PUMICE_THREADS=2", "PUMICE_VALIDATE=1"}
	if testing.Short() {
		environments = environments[:1]
	}
	code := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join("..", "conformance", "testdata", name+".spv"))
	}
	seen := map[string]string{}
	for _, scene := range faces.Scenes() {
		t.Run(scene.Name, func(t *testing.T) {
			want, err := scene.RunGo(&pumice.Config{Threads: 2}, code)
			if err != nil {
				t.Fatal(err)
			}
			if other, same := seen[string(want)]; same {
				t.Errorf("the same as %q: one of them shows nothing", other)
			}
			seen[string(want)] = scene.Name
			words, err := scene.Words(code)
			if err != nil {
				t.Fatal(err)
			}
			for _, env := range environments {
				got, skipped := runFace(t, program, env, words)
				if !skipped && !bytes.Equal(got, want) {
					t.Errorf("%s: %s", env, firstDifference(got, want))
				}
			}
		})
	}
}

// runFace gives a scene to the client; true where that needs what is not there.
func runFace(t *testing.T, program, env string, words []byte) ([]byte, bool) {
	t.Helper()
	cmd := driverCommand(t, []string{env, "DISPLAY="}, program, "testdata")
	var out bytes.Buffer
	var errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(words), &out, &errs
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == clientSkipped {
		t.Log(strings.TrimSpace(out.String()))
		return nil, true
	}
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v\n%s", env, err, errs.String())
	}
	return out.Bytes(), false
}

// firstDifference tells where two results part.
func firstDifference(got, want []byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, from the Go API %d", len(got), len(want))
	}
	n, first := 0, -1
	for i := range got {
		if got[i] != want[i] {
			n++
			if first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("%d of %d bytes differ, the first at %d: %#x, from the Go API %#x", n, len(got), first, got[first], want[first])
}
