package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tools "github.com/pumice-gpu/pumice/internal/outside"
)

// What the C compiler says of a failed build is shown, under the line that says what
// failed; the driver's folder holds no library then.
func TestDriver_FailedBuildShowsTheCompilersWords(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	standIn(t)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // it moves with XDG_CACHE_HOME
	t.Setenv("PUMICE_DRIVER", "")
	// One name for it in all runs: Go keeps what it compiles by the name of the compiler.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "pumice-test-cc"), []byte("#!/bin/sh\necho 'compiler: the moon is in the wrong phase' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("CC", "pumice-test-cc")
	// A driver of one line, found as the real one's source is.
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "driver"), 0o700), os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+modulePath+"\n"), 0o600),
		os.WriteFile(filepath.Join(root, "driver", "main.go"), []byte("package main\n\nimport \"C\"\n\nfunc main() {}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for _, args := range [][]string{{"driver", "install"}, {"run", "true"}} {
		code, _, stderr := command(t, args...)
		lines := strings.Split(stderr, "\n")
		if code != exitFailure || len(lines) < 3 || lines[0] != buildingDriver || !strings.HasPrefix(lines[1], "pumice: building the driver, which takes Go and a C compiler: exit status") ||
			!strings.Contains(strings.Join(lines[2:], "\n"), "\n  compiler: the moon is in the wrong phase\n") {
			t.Errorf("%q: exit code %d, %s", args, code, stderr)
		}
	}
}

// A driver of one line is built in a folder with a space in its name.
func TestBuild_FolderWithSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the driver is for Linux")
	}
	tools.Compiler(t)
	root, dir := filepath.Join(t.TempDir(), "a checkout"), filepath.Join(t.TempDir(), "a cache")
	for name, text := range map[string]string{
		"go.mod": "module " + modulePath + "\n", "driver/main.go": "package main\n\nimport \"C\"\n\nfunc main() {}\n",
		"driver/exports.map": "{ local: *; };\n",
	} {
		if err := replaceInFolder(filepath.Join(root, name), strings.NewReader(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if library, err := build(t.Context(), io.Discard, root, dir, true); err != nil || !exists(library) {
		t.Error(err)
		if tool := (*toolchainError)(nil); errors.As(err, &tool) {
			t.Log(tool.said)
		}
	}
}

func TestToolchainError_LastWords(t *testing.T) {
	said := ""
	for i := range 30 {
		said += fmt.Sprintf("line %d\n", i)
	}
	err := &toolchainError{errors.New("no"), said}
	if got := err.lastWords(); len(got) != 21 || got[0] != "(10 lines before)" || got[20] != "line 29" {
		t.Errorf("%q", got)
	}
	if got := (&toolchainError{errors.New("no"), "\n"}).lastWords(); len(got) != 0 {
		t.Errorf("of no words: %q", got)
	}
}
