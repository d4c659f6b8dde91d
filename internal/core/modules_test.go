package core

import (
	"os"
	"path/filepath"
	"testing"
)

// A module made again is not parsed again, whatever became of the first; large ones
// are not kept.
func TestNewShaderModule_ParsesOnce(t *testing.T) {
	d := open(t)
	code, err := os.ReadFile(filepath.Join("..", "..", "conformance", "testdata", "color.frag.spv"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.NewShaderModule(code, "first")
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	again, err := d.NewShaderModule(append([]byte(nil), code...), "again")
	if err != nil {
		t.Fatal(err)
	}
	if again.module != first.module || again == first || again.closed.Load() {
		t.Error("parsed twice, or the same object")
	}
	code[len(code)-1] ^= 1
	if _, err := d.NewShaderModule(code, "broken"); err == nil {
		t.Error("other code is taken for the same")
	}
}
