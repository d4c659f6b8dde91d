//go:build outside

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

func TestOutside_Git_TreeOfIsTheRevisionOfTheManifestsFolder(t *testing.T) {
	tool := outside.Tool{Name: "git", Debian: "git", Why: "the tree's name is its revision"}.Path(t)
	dir := t.TempDir()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CEILING_DIRECTORIES": filepath.Dir(dir)} {
		t.Setenv(name, value)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(tool, append([]string{"-c", "user.name=a", "-c", "user.email=b"}, args...)...)
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
		t.Errorf("%q, %v, want %q", got, err, want+"-dirty")
	}
	if got, err := treeOf(filepath.Join(t.TempDir(), "driver.json")); err == nil {
		t.Errorf("a folder outside of git has the revision %q", got)
	}
}
