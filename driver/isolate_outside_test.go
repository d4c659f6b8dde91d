//go:build linux && outside

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

var muslGCC = outside.Tool{Name: "musl-gcc", Debian: "musl-tools", Version: outside.NoVersion, Why: "programs of another C library, which cannot load Go"}

// TestOutside_Musl: a program of musl loads the very file that programs of glibc load, takes the helper without being told to,
// and renders the same. A front that musl's compiler has built does the same for a program of glibc.
func TestOutside_Musl(t *testing.T) {
	compiler := muslGCC.Path(t)
	env, front := isolated(t)
	dir := t.TempDir()
	build := func(to string, args ...string) string {
		t.Helper()
		path := filepath.Join(dir, to)
		if out, err := exec.Command(compiler, append(args, "-o", path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	plain := compiled(t, "triangle")
	want := run(t, plain, nil)
	client := build("triangle", "-I", "testdata/include", "-std=gnu11", "-O1", "testdata/triangle.c", "testdata/loader.c", "-lm")
	if got, errs := isolatedClient(t, []string{"PUMICE_DRIVER=" + front, "PUMICE_ISOLATE="}, client, "testdata"); got != want || errs != "" {
		t.Errorf("with musl: %q %s, want %q", got, errs, want)
	}
	other := build("libvulkan_pumice_front.so", append(append([]string{}, frontFlags...), frontSources...)...)
	helper := filepath.Join(filepath.Dir(front), "pumice-driver")
	if err := os.Link(helper, filepath.Join(dir, "pumice-driver")); err != nil {
		t.Fatal(err)
	}
	if got, errs := isolatedClient(t, append(env, "PUMICE_DRIVER="+other), plain, "testdata"); got != want || errs != "" {
		t.Errorf("a front built by musl's compiler: %q %s, want %q", got, errs, want)
	}
}
