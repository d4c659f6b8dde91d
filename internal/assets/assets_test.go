package assets

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A module in a folder of its own, with assets beside it and without.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	inside := filepath.Join(root, "module", "a", "b")
	want := filepath.Join(root, "shared", "assets", "gltf")
	for _, dir := range []string{inside, want} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "module", "go.mod"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inside)
	if dir := Folder(t, "gltf"); !same(t, dir, want) {
		t.Errorf("%s, want %s", dir, want)
	}
	var line bytes.Buffer
	if tell(&line); line.Len() > 0 {
		t.Errorf("nothing is missing: %s", &line)
	}
	for range 2 {
		t.Run("Needs", func(t *testing.T) {
			Folder(t, "ktx2")
			t.Error("goes on without assets")
		})
	}
	tell(&line)
	const told = "skipped without shared/assets beside the repository: 2 tests (TestFolder/Needs, TestFolder/Needs#01)\n"
	if line.String() != told {
		t.Errorf("%q, want %q", line.String(), told)
	}
	missing.tests = nil
	t.Chdir(root) // no module
	if dir, ok := Find("gltf"); ok {
		t.Errorf("found %s outside of a module", dir)
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}
