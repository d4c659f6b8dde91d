package main

import (
	"errors"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// names lists a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func replaceText(path, text string) error {
	return replaceFile(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// A run that is killed while it writes leaves a file that the next one for the same
// name takes over; what runs that live hold stays theirs.
func TestReplaceFile_TakesOverWhatKilledRunsLeave(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems need not have locks")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "out.png")
	stalled := func() *exec.Cmd {
		cmd, _ := process(t)
		cmd.Env = append(cmd.Env, "PUMICE_TEST_COMMAND=stall "+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	kill := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	first, second, third := stalled(), stalled(), stalled()
	defer kill(second)
	const zero, one, two = ".out.png.pumice-0.tmp", ".out.png.pumice-1.tmp", ".out.png.pumice-2.tmp"
	if got := names(t, dir); got != zero+" "+one+" "+two {
		t.Fatalf("three runs write %s", got)
	}
	kill(first)
	kill(third)
	if err := replaceText(path, "whole"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != one+" out.png" {
		t.Errorf("after another run: %s, want what the living run writes, and the file", got)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
		t.Errorf("%q, %v", text, err)
	}
	kill(second)
	if err := replaceText(path, "again"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != "out.png" {
		t.Errorf("at last: %s", got)
	}
}

// Failures leave the file as it was, and nothing beside it.
func TestReplaceFile_FailsWithoutTraces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.png")
	if err := replaceText(path, "old"); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	err := replaceFile(path, 0o644, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "old" || names(t, dir) != "out.png" {
		t.Errorf("it is %q now; the folder has %s", text, names(t, dir))
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() > 0 {
		if err := replaceText(path, "new"); !errors.Is(err, os.ErrPermission) {
			t.Errorf("a file that is read-only: %v", err)
		}
	}
	if err := replaceText(dir, "new"); err == nil {
		t.Error("a folder is replaced")
	}
}

// Links and files of others where the spare one would be are left alone, and long
// names have one.
func TestReplaceFile_SpareNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems need not have locks")
	}
	dir := t.TempDir()
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(precious, filepath.Join(dir, ".a.pumice-0.tmp")), os.Link(precious, filepath.Join(dir, ".a.pumice-1.tmp")),
		os.Mkdir(filepath.Join(dir, ".a.pumice-2.tmp"), 0o700), os.Symlink(precious+".not", filepath.Join(dir, ".a.pumice-3.tmp"))); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	if err := replaceText(filepath.Join(dir, "a"), "text"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(precious); string(text) != "precious" || names(t, dir) != before+" a" || exists(precious+".not") {
		t.Errorf("%q, %s", text, names(t, dir))
	}
	if err := replaceText(filepath.Join(dir, strings.Repeat("n", 255)), "text"); err != nil {
		t.Error(err)
	}
}

// A device is written, not replaced by a file.
func TestWritePNG_Device(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full is Linux's")
	}
	link := filepath.Join(t.TempDir(), "full.png") // a mistake would not hurt the device
	if err := os.Symlink("/dev/full", link); err != nil {
		t.Fatal(err)
	}
	err := writePNG(t.Context(), link, image.NewNRGBA(image.Rect(0, 0, 4, 4)))
	if want := link + ": cannot write: no space left on device"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if to, err := os.Readlink(link); err != nil || to != "/dev/full" {
		t.Errorf("it is %q now: %v", to, err)
	}
}
