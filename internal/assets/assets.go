// Package assets has the models and textures of others that tests read, in testdata: README.md there says whose they are.
package assets

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the path of a folder of testdata ("gltf", "ktx2").
func Folder(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above: tests run in the folder of their package")
		}
		dir = up
	}
	dir = filepath.Join(dir, "internal", "assets", "testdata", name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Fatalf("%s is not there: %v", dir, err)
	}
	return dir
}
