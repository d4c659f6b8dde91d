package playground_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/docs/playground"
)

// mostBytes bounds the program as gzip has it: brotli, by which it is to have 4 MB at
// most, takes 28 % off that.
const mostBytes = 5_000_000

// site builds the page into a folder.
func site(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if _, err := os.Stat("wasm/main_js.go"); err != nil { // which makes it part of what a cached result depends on
		t.Fatal(err)
	}
	if err := playground.Build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBuild_FilesAndTheirSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program for WebAssembly: not with -short")
	}
	dir := site(t)
	var size, engine int64
	for _, name := range []string{"index.html", "page.css", "page.js", "worker.js", "wasm_exec.js", "scenes.json", "light.bin", "teapot.bin", "engine.bin"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		engine = info.Size()
		size += engine
	}
	t.Logf("%d bytes, %d of them the program", size, engine)
	if engine > mostBytes {
		t.Errorf("the program has %d bytes compressed, want at most %d", engine, mostBytes)
	}
}
