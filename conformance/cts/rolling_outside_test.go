//go:build outside

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// A driver's tree is the revision of the manifest's folder.
func TestOutside_Git_TreeOfTheManifest(t *testing.T) {
	path := outside.Tool{Name: "git", Debian: "git", Why: "the revision of a driver"}.Path(t)
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command(path, append([]string{"-c", "user.name=a", "-c", "user.email=b"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	writeFile(t, filepath.Join(dir, "driver.json"), "{}")
	git("add", ".")
	git("commit", "-q", "-m", "x")
	want := git("rev-parse", "HEAD")[:12]
	if got, err := treeOf(filepath.Join(dir, "driver.json")); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	writeFile(t, filepath.Join(dir, "driver.json"), "{ }")
	if got, err := treeOf(filepath.Join(dir, "driver.json")); err != nil || got != want+"-dirty" {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := treeOf(filepath.Join(t.TempDir(), "driver.json")); err == nil {
		t.Errorf("a folder outside of git has the revision %q", got)
	}
}
