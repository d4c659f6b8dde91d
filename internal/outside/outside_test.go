package outside

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script puts a program on a PATH of its own.
func script(t *testing.T, name, text string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("scripts are programs on Unix")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestTool_TellsVersionAndReason(t *testing.T) {
	script(t, "newer", "echo usage\necho 'newer, version 3.1'\nexit 8\n")
	p := Tool{Name: "older", Other: []string{"newer"}, Debian: "some", Why: "this"}
	path := p.Path(t)
	if filepath.Base(path) != "newer" || p.version(path) != "newer, version 3.1" {
		t.Errorf("%s: %q", path, p.version(path))
	}
	script(t, "older", "exit 8\n")
	if got := p.version(p.Path(t)); !strings.Contains(got, "exit status 8") {
		t.Errorf("a program that tells nothing: %q", got)
	}
}

func TestTool_TakesItsPackagesVersion(t *testing.T) {
	script(t, "dpkg-query", "[ \"$*\" = '-W some' ] && printf 'some\\t1.2-3\\n'\n")
	if got := (Tool{Debian: "some", Version: NoVersion}).version("never run"); got != "some 1.2-3" {
		t.Errorf("%q", got)
	}
	if got := (Tool{Debian: "other", Version: NoVersion}).version("never run"); got != "version not known: exit status 1" {
		t.Errorf("a package that is not there: %q", got)
	}
}
