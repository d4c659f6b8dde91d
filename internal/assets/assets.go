// Package assets finds the models and textures that tests need and that are too
// large for the repository: the folder shared/assets beside it.
package assets

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var missing struct {
	sync.Mutex
	tests []string
}

// Folder returns the path of a folder of the assets ("gltf", "ktx2"). Where it is not
// there, the test is skipped, and Run names it.
func Folder(t testing.TB, name string) string {
	t.Helper()
	dir, ok := Find(name)
	if !ok {
		missing.Lock()
		missing.tests = append(missing.tests, t.Name())
		missing.Unlock()
		t.Skipf("the folder shared/assets/%s is not beside the repository", name)
	}
	return dir
}

// Find is Folder for tests that can do without.
func Find(name string) (dir string, ok bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
	dir = filepath.Join(filepath.Dir(dir), "shared", "assets", name)
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// Run runs the tests of a package, for its TestMain, and says in one line which of
// them were skipped for want of assets.
func Run(m *testing.M) int {
	code := m.Run()
	tell(os.Stdout)
	return code
}

// tell writes the line, if there is anything to tell.
func tell(w io.Writer) {
	missing.Lock()
	defer missing.Unlock()
	tests := slices.Compact(slices.Sorted(slices.Values(missing.tests)))
	if len(tests) > 0 {
		_, _ = fmt.Fprintf(w, "skipped without shared/assets beside the repository: %d tests (%s)\n", len(tests), strings.Join(tests, ", "))
	}
}
