//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/conformance/faces"
)

// TestFaces_SameBytes renders each scene through the Go API and through the driver, there
// once more with other threads.
func TestFaces_SameBytes(t *testing.T) {
	environments := []string{"PUMICE_THREADS=1", "PUMICE_THREADS=2"}
	if testing.Short() {
		environments = environments[:1]
	}
	if said := sameBytes(t, compiled(t, "faces"), environments...); len(said) > 0 {
		t.Errorf("the client says %q", said)
	}
}

// sameBytes compares what the client of the driver renders with what the Go API does, and
// returns what the client says besides.
func sameBytes(t *testing.T, program string, environments ...string) (said []string) {
	t.Helper()
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
				got, words := runFace(t, program, env, words)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %s", env, firstDifference(got, want))
				}
				if words != "" {
					said = append(said, scene.Name+": "+words)
				}
			}
		})
	}
	return said
}

// runFace gives a scene to the client.
func runFace(t *testing.T, program, env string, words []byte) (rendered []byte, said string) {
	t.Helper()
	cmd := driverCommand(t, []string{env, "DISPLAY=", "PUMICE_OFFER=VK_FORMAT_R8G8B8A8_SRGB"}, program, "testdata")
	var out bytes.Buffer
	var errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(words), &out, &errs
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", env, err, out.String(), errs.String())
	}
	return out.Bytes(), errs.String()
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
